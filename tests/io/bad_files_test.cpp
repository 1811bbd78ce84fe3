#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/shared/request.hpp"
#include "placer/base/errors.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/io/files.hpp"
#include "placer/io/graph_file.hpp"
#include "placer/io/placement_file.hpp"

namespace placer {
namespace {

namespace fs = std::filesystem;

const fs::path kBad = fs::path(PLACER_SOURCE_DIR) / "tests" / "bad";

/// Messages name files as they were given: here relative to tests/bad.
class InBadFolder {
 public:
  InBadFolder() : before_(fs::current_path()) { fs::current_path(kBad); }
  ~InBadFolder() { fs::current_path(before_); }

 private:
  fs::path before_;
};

Problem base_problem() {
  GraphFile file = read_graph("base/problem.json");
  return Problem(std::move(file.graph), std::move(*file.devices));
}

/// The word before the first '-' says what the file claims to be; a problem is a graph whose own
/// devices do not go with it.
void read(const std::string& name) {
  const std::string kind = name.substr(0, name.find('-'));
  if (kind == "graph") {
    read_graph(name);
  } else if (kind == "devices") {
    read_devices(name);
  } else if (kind == "placement") {
    read_placement(name, base_problem());
  } else if (kind == "problem") {
    load_problem(name, {}, {});
  } else {
    FAIL("no reader for " << name);
  }
}

/// What reading says, "read without a fault" or "broke: ..." when it should not.
std::string message_of(const std::string& name) {
  try {
    read(name);
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("broke: ") + error.what();
  }
  return "read without a fault";
}

std::vector<std::string> bad_files() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(kBad)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("Each of at least 60 faulty files gives the one line stored beside it") {
  const InBadFolder in_bad_folder;
  const std::vector<std::string> names = bad_files();
  CHECK(names.size() >= 60);
  for (const std::string& name : names) {
    INFO(name);
    const std::string expected = read_text(fs::path(name).replace_extension("expected").string());
    CHECK(message_of(name) + "\n" == expected);
    CHECK(std::ranges::count(expected, '\n') == 1);
    CHECK(expected.starts_with(name));
  }
}

TEST_CASE("The files that faulty placements are variations of are good") {
  const InBadFolder in_bad_folder;
  const PlacementFile file = read_placement("base/placement.json", base_problem());
  CHECK(file.placement.devices == std::vector{DeviceId(0), DeviceId(1), DeviceId(0)});
  CHECK(file.sequences.has_value());
}

}  // namespace placer
