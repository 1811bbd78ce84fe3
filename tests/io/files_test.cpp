#include "placer/io/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <thread>

#include "placer/base/errors.hpp"
#include "placer/io/devices_file.hpp"

namespace placer {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

/// An empty folder that goes when the test does.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "placer-files-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

std::string message_of(auto call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("What is written is read, zero bytes included, and replaces what was there") {
  const Folder folder;
  write_atomically(folder / "a", "first");
  write_atomically(folder / "a", std::string("sec\0ond", 7));
  CHECK(read_text(folder / "a") == std::string("sec\0ond", 7));
  CHECK(folder.file_count() == 1);
}

TEST_CASE("Text of some megabytes comes back whole") {
  const Folder folder;
  std::string text(5'000'000, 'x');
  text[4'321'000] = 'y';
  write_atomically(folder / "big", text);
  CHECK(read_text(folder / "big") == text);
}

TEST_CASE("A file that cannot be written leaves the folder as it was and is named") {
  const Folder folder;
  const std::string path = folder / "missing/file.json";
  const std::string message = message_of([&] { write_atomically(path, "text"); });
  CHECK_THAT(message, StartsWith(path + ": expected a folder where a file can be written"));
  CHECK_THAT(message, EndsWith("No such file or directory"));
  CHECK(folder.file_count() == 0);
}

TEST_CASE("Writing to a folder is refused in one line") {
  const Folder folder;
  fs::create_directory(folder / "sub");
  CHECK(message_of([&] { write_atomically(folder / "sub", "text"); }) ==
        folder / "sub" + ": expected a file, found a directory");
  CHECK(folder.file_count() == 1);
}

TEST_CASE("A symbolic link keeps pointing to the file that is replaced") {
  const Folder folder;
  write_atomically(folder / "real", "old");
  fs::create_symlink("real", folder / "link");
  write_atomically(folder / "link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(read_text(folder / "real") == "new");
}

TEST_CASE("A link that points nowhere yet is written through, into a folder that is there") {
  const Folder folder;
  fs::create_symlink("later", folder / "second");
  fs::create_symlink(folder / "second", folder / "first");
  CHECK(written_path(folder / "first") == fs::canonical(folder / "").string() + "/later");
  write_atomically(folder / "first", "new");
  CHECK(fs::is_symlink(folder / "first"));
  CHECK(read_text(folder / "later") == "new");

  fs::create_symlink("missing/file", folder / "lost");
  const std::string message = message_of([&] { require_writable(folder / "lost"); });
  CHECK(message == folder / "lost" + " (a link to " + folder / "missing/file" +
                       "): expected a folder where a file can be written, found: No such file or "
                       "directory");
  fs::create_symlink("circle", folder / "circle");
  CHECK(message_of([&] { write_atomically(folder / "circle", "text"); }) ==
        folder / "circle" +
            ": expected a file that can be written, found: Too many levels of symbolic links");
}

TEST_CASE("What a dead process left for an output goes before it is written, all else stays") {
  const Folder folder;
  const std::string stray = folder / ".a.placer-4711-0.tmp",
                    alive = folder / ".a.placer-4711-1.tmp";
  const std::vector<std::string> others = {".b.placer-4711-0.tmp", ".a.placer-4711.tmp",
                                           ".a.placer-x-0.tmp", "a.placer-4711-0.tmp"};
  for (const std::string& name : others) write_atomically(folder / name, "other");
  write_atomically(stray, "half");
  write_atomically(alive, "half");
  const int writer = ::open(alive.c_str(), O_WRONLY);
  REQUIRE(::flock(writer, LOCK_EX) == 0);
  require_writable(folder / "a");
  CHECK_FALSE(fs::exists(stray));
  CHECK(fs::exists(alive));
  CHECK(folder.file_count() == 1 + others.size());
  ::close(writer);
  require_writable(folder / "a");
  CHECK_FALSE(fs::exists(alive));
}

TEST_CASE("What dead processes left in a folder goes when that is made for files, all else stays") {
  const Folder folder;
  const std::vector<std::string> strays = {".a.placer-4711-0.tmp", ".b.json.placer-12-3.tmp"};
  const std::vector<std::string> others = {".a.placer-4711.tmp", "a.placer-4711-0.tmp", ".placer",
                                           "b.json"};
  for (const auto* names : {&strays, &others}) {
    for (const std::string& name : *names) write_atomically(folder / name, "text");
  }
  make_folder(folder / "");
  for (const std::string& name : strays) CHECK_FALSE(fs::exists(folder / name));
  CHECK(folder.file_count() == others.size());
}

TEST_CASE("A file whose name has as many letters as a name can have is written") {
  const Folder folder;
  const std::string name(255, 'x');
  write_atomically(folder / name, "text");
  CHECK(read_text(folder / name) == "text");
}

TEST_CASE("A replaced file keeps its permissions") {
  const Folder folder;
  write_atomically(folder / "a", "old");
  fs::permissions(folder / "a", fs::perms::owner_read | fs::perms::owner_write);
  write_atomically(folder / "a", "new");
  CHECK(fs::status(folder / "a").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("A device is written to and not replaced") {
  write_atomically("/dev/null", "text");
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("A missing file and a folder are refused in one line") {
  const Folder folder;
  CHECK(message_of([&] { read_text(folder / "none.json"); }) ==
        folder / "none.json" +
            ": expected a file that can be read, found: No such file or directory");
  fs::create_directory(folder / "sub");
  CHECK(message_of([&] { read_text(folder / "sub"); }) ==
        folder / "sub" + ": expected a file, found a directory");
}

TEST_CASE("A named pipe is read to its end") {
  const Folder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string text(200'000, 'x');  // more than a pipe holds
  std::thread writer([&] { write_atomically(pipe, text); });
  CHECK(read_text(pipe) == text);
  writer.join();
}

TEST_CASE("A dash is standard input, by that name in messages, and so is /dev/stdin") {
  CHECK(file_title("-") == "standard input");
  CHECK(file_title("./-") == "./-");
  CHECK(is_standard_input("-"));
  CHECK(is_standard_input("/dev/stdin"));
  CHECK_FALSE(is_standard_input("./-"));
}

TEST_CASE("A dash is standard output as well, and so is /dev/stdout") {
  CHECK(is_standard_output("-"));
  CHECK(is_standard_output("/dev/stdout"));
  CHECK_FALSE(is_standard_output("/dev/stdin"));
}

TEST_CASE("Devices are found by shipped name, a file of that name wins, a folder does not") {
  const Folder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder / "");
  CHECK(find_devices("4gpu").find("gpu:3").has_value());
  fs::create_directory("4gpu");
  CHECK(find_devices("4gpu").find("gpu:3").has_value());
  write_atomically("2gpu", write_devices(Topology({{.name = "mine", .type = "gpu"}}, {})));
  CHECK(find_devices("2gpu").find("mine").has_value());
  fs::current_path(before);
}

TEST_CASE("Devices that are there and cannot be read are told by the reason, not by a list") {
  const Folder folder;
  fs::create_symlink("nowhere", folder / "link");
  CHECK(message_of([&] { find_devices(folder / "link"); }) ==
        folder / "link" + ": expected a file that can be read, found: No such file or directory");
  CHECK(message_of([&] { find_devices(folder / ""); }) ==
        folder / "" + ": expected a file, found a directory");
  CHECK_THAT(message_of([] { find_devices(std::string(300, 'x')); }),
             StartsWith("devices: expected a file, one of 2gpu, "));
}

TEST_CASE("An unknown device spec is answered with the shipped names and the nearest") {
  const std::string message = message_of([] { find_devices("4gpus"); });
  CHECK_THAT(message, StartsWith("devices: expected a file, one of 2gpu, 4gpu, "));
  CHECK_THAT(message, EndsWith("or a list such as 3xK80,1xCPU, found '4gpus' (did you mean "
                               "'4gpu'?)"));
  CHECK_THAT(message_of([] { find_devices("4GPU"); }), EndsWith("(did you mean '4gpu'?)"));
  const std::vector<std::string> names = shipped_device_names();
  CHECK(std::ranges::is_sorted(names));
}

}  // namespace placer
