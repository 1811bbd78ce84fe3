#include "io/machines/process_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

namespace placer {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMostText = std::size_t{1} << 20;
constexpr milliseconds kAskAgain{2}, kForTheKilled{200};

/// The program in a process group of its own, which prints into `out`; empty where there is none.
std::optional<pid_t> start(const std::vector<std::string>& words, int out) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  const int fault =
      posix_spawnp(&pid, words[0].c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return fault == 0 ? std::optional(pid) : std::nullopt;
}

/// All that comes until the other end is closed; false where that is not before `end`.
bool read_until(Clock::time_point end, int in, std::string& text) {
  std::array<char, 4096> buffer{};
  while (text.size() < kMostText) {
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now()).count();
    pollfd waiting = {in, POLLIN, 0};
    if (left <= 0 || poll(&waiting, 1, static_cast<int>(left)) == 0) return false;
    const ssize_t count = read(in, buffer.data(), buffer.size());
    if (count <= 0) return true;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return true;
}

/// The status of a process that has ended before `end`.
std::optional<int> wait_until(Clock::time_point end, pid_t pid) {
  for (;;) {
    int status = 0;
    if (waitpid(pid, &status, WNOHANG) == pid) return status;
    if (Clock::now() >= end) return std::nullopt;
    std::this_thread::sleep_for(kAskAgain);
  }
}

}  // namespace

ProcessOutput output_of(const std::vector<std::string>& words, double seconds) {
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds));
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const std::optional<pid_t> pid = start(words, ends[1]);
  close(ends[1]);
  ProcessOutput output;
  bool is_done = false;
  if (pid) {
    is_done = read_until(end, ends[0], output.text);
    const std::optional<int> status = is_done ? wait_until(end, *pid) : std::nullopt;
    if (!status) {
      kill(-*pid, SIGKILL);
      wait_until(Clock::now() + kForTheKilled, *pid);  // what does not die is left behind
      output.end = ProcessOutput::End::kTimedOut;
    } else {
      const bool is_well = WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
      output.end = is_well ? ProcessOutput::End::kDone : ProcessOutput::End::kFailed;
    }
  }
  close(ends[0]);
  return output;
}

}  // namespace placer
