#include "cli/measure/child.hpp"

#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>

#include "cli/command_line.hpp"
#include "cli/measure/processes.hpp"
#include "cli/shared/text.hpp"

namespace placer {
namespace {

const auto kNever = [] { return false; };

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST_CASE("A command's output, errors and exit code come back") {
  const ChildEnd end = run_child("echo 1.5; echo oops >&2; exit 3", 10, kNever);
  CHECK(end.how == ChildEnd::How::kExit);
  CHECK(end.code == 3);
  CHECK(end.out == "1.5\n");
  CHECK(end.err == "oops\n");
}

TEST_CASE("A signal that ends a command is told") {
  const ChildEnd end = run_child("kill -9 $$", 10, kNever);
  CHECK(end.how == ChildEnd::How::kSignal);
  CHECK(end.code == 9);
}

TEST_CASE("A command that takes too long is killed with its children") {
  const TempFolder folder;
  const std::string file = folder.file("pid");
  ChildEnd end;
  const double seconds =
      seconds_of([&] { end = run_child("sleep 60 & echo $! > " + file + "; wait", 0.3, kNever); });
  CHECK(end.how == ChildEnd::How::kTimedOut);
  CHECK(seconds < 30);
  CHECK(ends(word_of(file)));
}

TEST_CASE("A child that outlives its command and holds its output is killed") {
  const TempFolder folder;
  const std::string file = folder.file("pid");
  ChildEnd end;
  const double seconds =
      seconds_of([&] { end = run_child("sleep 60 & echo $! > " + file + "; echo 2", 50, kNever); });
  CHECK(end.how == ChildEnd::How::kExit);
  CHECK(end.out == "2\n");
  CHECK(seconds < 30);
  CHECK(ends(word_of(file)));
}

TEST_CASE("A command is stopped when that is asked for, and no zombie stays") {
  int asked = 0;
  const ChildEnd end = run_child("sleep 60", 60, [&] { return ++asked > 3; });
  CHECK(end.how == ChildEnd::How::kStopped);
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}

TEST_CASE("Of a flood of output the last 64 KiB are kept") {
  const ChildEnd end = run_child("yes | head -c 1000000; echo 7", 30, kNever);
  CHECK(end.out.size() == 65'536);
  CHECK(end.out.ends_with("y\n7\n"));
}

TEST_CASE("A quoted word reaches the command as it is") {
  const std::string word = "a 'b' $HOME \"c\" \\";
  CHECK(run_child("printf %s " + shell_word(word), 10, kNever).out == word);
}

}  // namespace
}  // namespace placer
