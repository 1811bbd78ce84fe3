#include "cli/measure/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "cli/shared/interrupt.hpp"

namespace placer {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMostOut = std::size_t{1} << 16, kMostErr = std::size_t{1} << 12;
constexpr milliseconds kAskAgain{20}, kForTheClosed{1}, kForTheKilled{5000};

/// The end of what comes through a pipe.
class Tail {
 public:
  explicit Tail(std::size_t most) : most_(most) {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
    in_ = ends[0];
    out_ = ends[1];
    fcntl(in_, F_SETFL, O_NONBLOCK);
  }
  ~Tail() {
    close_out();
    close_in();
  }
  Tail(const Tail&) = delete;
  Tail& operator=(const Tail&) = delete;

  int in() const { return in_; }  // -1 once the other end is closed
  int out() const { return out_; }
  void close_out() {
    if (out_ >= 0) ::close(out_);
    out_ = -1;
  }

  void read_what_is_there() {
    std::array<char, 4096> buffer{};
    while (in_ >= 0) {
      const ssize_t count = ::read(in_, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) return close_in();
      text_.append(buffer.data(), static_cast<std::size_t>(count));
      if (text_.size() > 2 * most_) text_.erase(0, text_.size() - most_);
    }
  }
  std::string take() {
    if (text_.size() > most_) text_.erase(0, text_.size() - most_);
    return std::move(text_);
  }

 private:
  void close_in() {
    if (in_ >= 0) ::close(in_);
    in_ = -1;
  }

  std::size_t most_;
  int in_ = -1, out_ = -1;
  std::string text_;
};

/// 0, or an errno.
int start(const std::string& command, const Tail& out, const Tail& err, pid_t& pid) {
  std::array<std::string, 3> words = {"sh", "-c", command};
  std::array<char*, 4> arguments = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.out(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.out(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t ignored;  // by this program
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGPIPE);
  sigaddset(&ignored, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  const int fault = posix_spawn(&pid, "/bin/sh", &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return fault;
}

/// Whether the process has ended; it is not reaped, so that its group's number stays its own.
bool has_ended(pid_t pid) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == pid;
}

/// Kills the group and reaps its leader.
int end_group(pid_t pid) {
  kill(-pid, SIGKILL);
  const auto end = Clock::now() + kForTheKilled;
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0 && Clock::now() < end) {
    std::this_thread::sleep_for(kForTheClosed);
  }
  return status;
}

ChildEnd::How watch(pid_t pid, double seconds, const std::function<bool()>& stop, Tail& out,
                    Tail& err) {
  const auto begin = Clock::now();
  while (!has_ended(pid)) {
    if (stop()) return ChildEnd::How::kStopped;
    if (std::chrono::duration<double>(Clock::now() - begin).count() >= seconds) {
      return ChildEnd::How::kTimedOut;
    }
    std::array<pollfd, 2> waiting = {pollfd{out.in(), POLLIN, 0}, pollfd{err.in(), POLLIN, 0}};
    const bool is_closed = out.in() < 0 && err.in() < 0;
    poll(waiting.data(), waiting.size(),
         static_cast<int>((is_closed ? kForTheClosed : kAskAgain).count()));
    out.read_what_is_there();
    err.read_what_is_there();
  }
  return ChildEnd::How::kExit;
}

}  // namespace

ChildEnd run_child(const std::string& command, double seconds, const std::function<bool()>& stop) {
  Tail out(kMostOut), err(kMostErr);
  ChildEnd end;
  if (out.out() < 0 || err.out() < 0) {
    end.code = errno;
    return end;
  }
  pid_t pid = 0;
  end.code = start(command, out, err, pid);
  out.close_out();
  err.close_out();
  if (end.code != 0) return end;
  ends_with_program(pid);
  end.how = watch(pid, seconds, stop, out, err);
  const int status = end_group(pid);
  ends_with_program(0);
  if (end.how == ChildEnd::How::kExit) {
    end.how = WIFSIGNALED(status) ? ChildEnd::How::kSignal : ChildEnd::How::kExit;
    end.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }
  out.read_what_is_there();
  err.read_what_is_there();
  end.out = out.take();
  end.err = err.take();
  return end;
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char letter : text)
    quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

}  // namespace placer
