#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/shared/terminal.hpp"

namespace placer {

/// A folder that goes away with the object.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  /// Writes `text` and returns the file's path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

std::string text_of(const std::string& path);

/// What a run left behind.
struct Ran {
  int code = -1;
  std::string out, err;
};

using Line = std::vector<std::string>;
Line joined(Line line, const Line& more);

/// The program, in this process.
Ran run(const std::vector<std::string>& line);
/// As after Ctrl-C, from the start on.
Ran run_interrupted(const std::vector<std::string>& line);
/// The same, with results and progress on a terminal that looks so.
Ran run_on_terminal(const std::vector<std::string>& line, const Look& look);
/// The JSON object that the run printed.
nlohmann::json run_json(const std::vector<std::string>& line, int code = 0);

/// The real program as a process of its own.
class Process {
 public:
  enum class Out { kPipe, kClosedPipe, kFull, kClosed };
  /// `input`, of at most 60 kB, is its standard input. `before` runs in the new process first.
  explicit Process(const std::vector<std::string>& line, Out out = Out::kPipe,
                   const std::string& input = "", void (*before)() = nullptr);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Waits for a line on standard error.
  std::string read_error_line();
  void signal(int number) const;
  /// Waits for the end; `code` is minus the signal's number when one ended it.
  Ran finish();

 private:
  pid_t pid_ = -1;
  int out_ = -1, err_ = -1;
};

/// The real program on a terminal of its own, `columns` wide, with `environment` ("NO_COLOR=1")
/// added; `out` has both its streams, lines end in "\r\n".
Ran run_on_pty(const std::vector<std::string>& line, unsigned short columns,
               const std::vector<std::string>& environment = {});

/// a (3 s, 10 bytes of parameters) and b (4 s, 20 bytes) before c (1 s), one byte along each edge,
/// on gpu:0 and gpu:1 with `memory_bytes` each and a link of 1 byte/s. The best: a apart from b and
/// c; a's byte arrives at 4 when b ends, c runs 4-5. step 5 s; one device: 8 s; bound 5 s.
std::string join_graph(std::int64_t memory_bytes = 100);

}  // namespace placer
