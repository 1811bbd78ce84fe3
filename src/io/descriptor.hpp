#pragma once

#include <unistd.h>

#include <string_view>

namespace placer {

/// Closes a file's descriptor when it goes. A number below 0 stands for a file that could not be
/// opened.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&&) = delete;
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

/// Writes the whole text, and waits for a pipe that is full. Returns 0, or the errno of the fault.
int write_all(int descriptor, std::string_view text);

}  // namespace placer
