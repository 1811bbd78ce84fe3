#include "io/programs/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"

extern char** environ;

namespace placer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOfLine = std::size_t{64} << 20U;
constexpr std::size_t kKeptErrors = 4096, kKeptOutput = 65'536;  // bytes
constexpr std::size_t kAtOnce = 65'536;                          // bytes
constexpr auto kForTheClosed = std::chrono::milliseconds(2);     // the same without an open pipe

void keep_last(std::string& text, std::size_t most) {
  if (text.size() > most) text.erase(0, text.size() - most);
}

[[noreturn]] void fail(const char* what) {
  throw Error(fmt::format("expected a process, found: {}: {}", what, std::strerror(errno)));
}

void close_end(int& end) {
  if (end >= 0) ::close(end);
  end = -1;
}

/// Both ends are closed in programs that are started.
struct Ends {
  int ours = -1, theirs = -1;

  /// A socket rather than a pipe, as writing to one that nobody reads need not raise a signal.
  static Ends to_program() {
    std::array<int, 2> pair{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) fail("socketpair");
    return {pair[0], pair[1]};
  }
  static Ends from_program() {
    std::array<int, 2> pair{};
    if (::pipe2(pair.data(), O_CLOEXEC) != 0) fail("pipe");
    return {pair[0], pair[1]};
  }
  Ends(int our, int their) : ours(our), theirs(their) { ::fcntl(ours, F_SETFL, O_NONBLOCK); }
  ~Ends() {
    close_end(ours);
    close_end(theirs);
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  int release() { return std::exchange(ours, -1); }
};

/// In a group of its own, with the signals that this program ignores as they were.
pid_t start(const std::string& command, const Ends& input, const Ends& output, const Ends& errors) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, input.theirs, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, output.theirs, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, errors.theirs, STDERR_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t usual;
  ::sigemptyset(&usual);
  for (const int number : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM}) ::sigaddset(&usual, number);
  ::posix_spawnattr_setsigdefault(&attributes, &usual);
  std::string shell = "sh", flag = "-c", text = command;
  const std::array<char*, 4> line = {shell.data(), flag.data(), text.data(), nullptr};
  pid_t pid = -1;
  const int fault = ::posix_spawn(&pid, "/bin/sh", &files, &attributes, line.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (fault == 0) return pid;
  errno = fault;
  fail("/bin/sh");
}

}  // namespace

std::string_view last_line(std::string_view text) {
  const std::string_view all = trimmed(text);
  return trimmed(all.substr(all.rfind('\n') + 1));  // npos + 1 is 0
}

ChildProgram::ChildProgram(const std::string& command) {
  Ends input = Ends::to_program(), output = Ends::from_program(), errors = Ends::from_program();
  pid_ = start(command, input, output, errors);
  input_ = input.release();
  output_ = output.release();
  errors_ = errors.release();
}

ChildProgram::~ChildProgram() {
  ::kill(-pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  for (int* end : {&input_, &output_, &errors_}) close_end(*end);
}

void ChildProgram::send(std::string_view text) {
  if (input_ < 0) return;
  unsent_ += text;
  write_some();
}

void ChildProgram::close_input() {
  unsent_.clear();
  close_end(input_);
}

void ChildProgram::write_some() {
  std::size_t written = 0;
  while (written < unsent_.size()) {
    const ssize_t count =
        ::send(input_, unsent_.data() + written, unsent_.size() - written, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != EAGAIN) {  // nobody reads any more; its output tells why
      close_input();
      return;
    }
    if (count < 0) break;
    written += static_cast<std::size_t>(count);
  }
  unsent_.erase(0, written);
}

bool ChildProgram::read_output() {
  const std::size_t before = heard_.size();
  heard_.resize(before + kAtOnce);
  const ssize_t count = ::read(output_, heard_.data() + before, kAtOnce);
  heard_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) close_end(output_);
  return count > 0;
}

bool ChildProgram::read_errors() {
  std::array<char, 4096> some{};
  const ssize_t count = ::read(errors_, some.data(), some.size());
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) close_end(errors_);
  if (count <= 0) return false;
  complaints_.append(some.data(), static_cast<std::size_t>(count));
  keep_last(complaints_, kKeptErrors);
  return true;
}

/// Reads and writes what can be, or waits until something can.
void ChildProgram::exchange(double seconds) {
  const short writable = unsent_.empty() ? 0 : POLLOUT;
  // poll() ignores negative ones.
  std::array<pollfd, 3> ends = {pollfd{unsent_.empty() ? -1 : input_, writable, 0},
                                pollfd{output_, POLLIN, 0}, pollfd{errors_, POLLIN, 0}};
  if (::poll(ends.data(), ends.size(), static_cast<int>(seconds * 1000)) <= 0) return;
  if (ends[0].revents != 0) write_some();
  if (ends[1].revents != 0) read_output();
  if (ends[2].revents != 0) read_errors();
}

bool ChildProgram::take_line(std::string& line) {
  const std::size_t end = heard_.find('\n', searched_);
  if (end == std::string::npos && (output_ >= 0 || heard_.empty())) {
    searched_ = heard_.size();
    return false;
  }
  line = heard_.substr(0, end);
  heard_.erase(0, end == std::string::npos ? end : end + 1);
  searched_ = 0;
  return true;
}

ChildProgram::Heard ChildProgram::listen(double seconds, std::string& line) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (true) {
    if (take_line(line)) return Heard::kLine;
    if (output_ < 0) return Heard::kEnd;
    if (heard_.size() > kMostOfLine) throw Error("expected lines of at most 64 MiB");
    const std::chrono::duration<double> left = end - Clock::now();
    if (left.count() <= 0) return Heard::kNothing;
    exchange(left.count());
  }
}

std::optional<int> ChildProgram::wait(double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (!status_) {
    siginfo_t ended{};  // the program stays, so that its group cannot become another's
    ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid == pid_) {
      status_ = ended.si_code == CLD_EXITED ? ended.si_status : -ended.si_status;
    } else if (Clock::now() >= end) {
      return std::nullopt;
    } else if (output_ < 0 && errors_ < 0) {
      std::this_thread::sleep_for(kForTheClosed);
    } else {
      const std::chrono::duration<double> left = end - Clock::now();
      exchange(std::clamp(left.count(), 0.0, kBetweenLooks));
      drop_old_output();
    }
  }
  for (bool more = true; more; drop_old_output()) {
    more = read_output();
    more = read_errors() || more;
  }
  return status_;
}

void ChildProgram::drop_old_output() {
  if (heard_.size() > 2 * kKeptOutput) keep_last(heard_, kKeptOutput);
  searched_ = 0;
}

std::string ChildProgram::take_output() {
  keep_last(heard_, kKeptOutput);
  return std::exchange(heard_, "");
}

std::string ChildProgram::errors() const { return complaints_; }

}  // namespace placer
