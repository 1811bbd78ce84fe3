#pragma once

#include <memory>
#include <ostream>

namespace placer {

/// Standard output, which remembers what went wrong: a file that is full, closed or too large must
/// not look like success.
class StandardOutput : public std::ostream {
 public:
  explicit StandardOutput(int descriptor);
  ~StandardOutput() override;
  /// Writes what is still held back. The errno of the first write that failed; 0: none did.
  int fault();

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

/// Opens standard streams that were closed so that no file takes their numbers: they can neither be
/// read nor written.
void keep_closed_streams_closed();

}  // namespace placer
