#include "cli/command_line.hpp"

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/cli.hpp"

namespace placer {
namespace {

std::string read_to_end(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(descriptor, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

[[noreturn]] void become(const std::vector<std::string>& line) {
  std::vector<char*> words = {const_cast<char*>(PLACER_PROGRAM)};
  for (const std::string& word : line) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execv(PLACER_PROGRAM, words.data());
  _exit(127);
}

}  // namespace

TempFolder::TempFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "placer.XXXXXX").string();
  REQUIRE(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TempFolder::~TempFolder() { std::filesystem::remove_all(path_); }

std::string TempFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(file(name)) << text;
  return file(name);
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  REQUIRE(in);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Line joined(Line line, const Line& more) {
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

Ran run(const std::vector<std::string>& line) {
  std::ostringstream out, err;
  Console console{.out = out, .err = err};
  const int code = run_program(line, console);
  return {code, out.str(), err.str()};
}

Ran run_interrupted(const std::vector<std::string>& line) {
  const std::atomic<bool> interrupt = true;
  std::ostringstream out, err;
  Console console{.out = out, .err = err, .interrupt = &interrupt};
  const int code = run_program(line, console);
  return {code, out.str(), err.str()};
}

Ran run_on_terminal(const std::vector<std::string>& line, const Look& look) {
  std::ostringstream out, err;
  Console console{.out = out, .err = err, .err_is_terminal = true, .look = look, .err_width = [&] {
                    return look.width;
                  }};
  const int code = run_program(line, console);
  return {code, out.str(), err.str()};
}

nlohmann::json run_json(const std::vector<std::string>& line, int code) {
  const Ran ran = run(line);
  INFO(ran.err);
  REQUIRE(ran.code == code);
  return nlohmann::json::parse(ran.out);
}

Process::Process(const std::vector<std::string>& line, Out out, const std::string& input,
                 void (*before)()) {
  std::array<int, 2> in_pipe{}, out_pipe{}, err_pipe{};
  REQUIRE(pipe2(in_pipe.data(), O_CLOEXEC) == 0);
  REQUIRE(write(in_pipe[1], input.data(), input.size()) == static_cast<ssize_t>(input.size()));
  close(in_pipe[1]);
  REQUIRE(pipe2(out_pipe.data(), O_CLOEXEC) == 0);
  REQUIRE(pipe2(err_pipe.data(), O_CLOEXEC) == 0);
  if (out == Out::kFull) {
    close(out_pipe[1]);
    out_pipe[1] = open("/dev/full", O_WRONLY | O_CLOEXEC);
  }
  if (out == Out::kClosedPipe) close(out_pipe[0]);
  pid_ = fork();
  REQUIRE(pid_ >= 0);
  if (pid_ == 0) {
    dup2(in_pipe[0], STDIN_FILENO);
    dup2(out_pipe[1], STDOUT_FILENO);
    dup2(err_pipe[1], STDERR_FILENO);
    if (out == Out::kClosed) close(STDOUT_FILENO);
    if (before != nullptr) before();
    become(line);
  }
  close(in_pipe[0]);
  close(out_pipe[1]);
  close(err_pipe[1]);
  out_ = out == Out::kClosedPipe ? -1 : out_pipe[0];
  err_ = err_pipe[0];
}

Process::~Process() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (out_ >= 0) close(out_);
  close(err_);
}

std::string Process::read_error_line() {
  std::string line;
  char letter = 0;
  while (read(err_, &letter, 1) == 1 && letter != '\n') line += letter;
  return line;
}

void Process::signal(int number) const { REQUIRE(kill(pid_, number) == 0); }

Ran Process::finish() {
  Ran ran;
  if (out_ >= 0) ran.out = read_to_end(out_);
  ran.err = read_to_end(err_);
  int status = 0;
  REQUIRE(waitpid(pid_, &status, 0) == pid_);
  pid_ = -1;
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return ran;
}

Ran run_on_pty(const std::vector<std::string>& line, unsigned short columns,
               const std::vector<std::string>& environment) {
  winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, &size);
  REQUIRE(pid >= 0);
  if (pid == 0) {
    for (const char* name : {"NO_COLOR", "COLUMNS"}) unsetenv(name);
    setenv("TERM", "xterm", 1);
    for (const std::string& variable : environment) putenv(strdup(variable.c_str()));
    become(line);
  }
  Ran ran;
  ran.out = read_to_end(terminal);  // ends by an error once the program has closed its side
  close(terminal);
  int status = 0;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return ran;
}

std::string join_graph(std::int64_t memory_bytes) {
  using Json = nlohmann::ordered_json;
  const auto op = [](const char* name, double seconds, int params_bytes) {
    return Json{{"name", name},
                {"type", "matmul"},
                {"seconds", {{"gpu", seconds}}},
                {"flops", 100},
                {"params_bytes", params_bytes}};
  };
  const auto device = [&](const char* name) {
    return Json{{"name", name}, {"type", "gpu"}, {"memory_bytes", memory_bytes}};
  };
  Json graph{{"format", "placer-graph"}, {"version", 1}, {"name", "join"}};
  graph["ops"] = {op("a", 3, 10), op("b", 4, 20), op("c", 1, 0)};
  graph["edges"] = {{{"from", "a"}, {"to", "c"}, {"bytes", 1}},
                    {{"from", "b"}, {"to", "c"}, {"bytes", 1}}};
  graph["devices"] = {{"format", "placer-devices"}, {"version", 1}};
  graph["devices"]["devices"] = {device("gpu:0"), device("gpu:1")};
  graph["devices"]["links"] =
      Json::array({{{"from", "*"}, {"to", "*"}, {"bytes_per_second", 1}, {"latency_seconds", 0}}});
  return graph.dump(1);
}

}  // namespace placer
