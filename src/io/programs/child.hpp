#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace placer {

/// The last line of `text` with anything in it, without space around it; empty where there is none.
std::string_view last_line(std::string_view text);

/// A program that is spoken to by lines on its standard input and output, in a process group of its
/// own. Neither side waits for the other: what is sent is kept until the program reads it. The
/// group is killed and the program reaped when the object goes: children that outlive it as well.
class ChildProgram {
 public:
  /// Runs `command` by /bin/sh. Throws Error where no process can be made.
  static constexpr double kBetweenLooks =
      0.02;  // at what a program says or whether it has ended, in seconds

  explicit ChildProgram(const std::string& command);
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  void send(std::string_view text);
  /// What was sent and not read yet is dropped.
  void close_input();

  enum class Heard { kLine, kEnd, kNothing };
  /// Waits for a line for so many seconds at most, and sets `line` to it, without its end. Throws
  /// Error for a line that is longer than 64 MiB.
  Heard listen(double seconds, std::string& line);

  /// Waits for the end of the program for so many seconds at most: its exit code, or minus the
  /// number of the signal that ended it; empty where it goes on. Of output that nobody listened to
  /// the last 64 KiB are kept.
  std::optional<int> wait(double seconds);
  std::string take_output();
  /// The last 4 KiB of its standard error.
  std::string errors() const;
  pid_t group() const { return pid_; }

 private:
  bool take_line(std::string& line);
  void exchange(double seconds);
  void write_some();
  bool read_output();  // whether there was any
  bool read_errors();
  void drop_old_output();

  pid_t pid_ = -1;
  int input_ = -1, output_ = -1, errors_ = -1;  // ours of the three; -1: closed
  std::string unsent_, heard_, complaints_;
  std::size_t searched_ = 0;  // bytes of heard_ without an end of a line
  std::optional<int> status_;
};

}  // namespace placer
