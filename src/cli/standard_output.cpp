#include "cli/standard_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <streambuf>
#include <string>
#include <string_view>

#include "io/descriptor.hpp"

namespace placer {

class StandardOutput::Buffer : public std::streambuf {
 public:
  explicit Buffer(int descriptor)
      : descriptor_(descriptor), is_terminal_(::isatty(descriptor) == 1) {}

  int fault() {
    sync();
    return fault_;
  }

 protected:
  int_type overflow(int_type letter) override {
    if (traits_type::eq_int_type(letter, traits_type::eof())) return traits_type::not_eof(letter);
    const char text = traits_type::to_char_type(letter);
    return xsputn(&text, 1) == 1 ? letter : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const std::string_view more(text, static_cast<std::size_t>(size));
    if (!is_terminal_ && held_.size() + more.size() < kMostHeld) {
      held_ += more;
      return size;
    }
    if (sync() == 0) fault_ = write_all(descriptor_, more);
    return fault_ == 0 ? size : 0;
  }
  int sync() override {
    if (fault_ == 0) fault_ = write_all(descriptor_, held_);
    held_.clear();
    return fault_ == 0 ? 0 : -1;
  }

 private:
  static constexpr std::size_t kMostHeld = 1 << 16;
  int descriptor_;
  bool is_terminal_;
  std::string held_;
  int fault_ = 0;
};

StandardOutput::StandardOutput(int descriptor)
    : std::ostream(nullptr), buffer_(std::make_unique<Buffer>(descriptor)) {
  rdbuf(buffer_.get());
}

StandardOutput::~StandardOutput() { buffer_->fault(); }

int StandardOutput::fault() { return buffer_->fault(); }

void keep_closed_streams_closed() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest number that is free; reading what is open for writing fails, and the other way.
    [[maybe_unused]] const int opened =
        ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace placer
