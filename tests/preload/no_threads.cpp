#include <cerrno>

/// In place of the system's, where this library is loaded before it: no further thread can begin.
extern "C" int pthread_create(void* /*thread*/, const void* /*attributes*/,
                              void* (* /*begin*/)(void*), void* /*argument*/) {
  return EAGAIN;
}
