#include "cli/shared/config.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/shared/algorithm.hpp"
#include "io/devices_json.hpp"
#include "io/option_json.hpp"
#include "placer/base/text.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/io/exec.hpp"
#include "placer/io/files.hpp"
#include "placer/io/json_reader.hpp"
#include "placer/search/optimizer.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownCommand = 80;

/// Files that a saved request does not hold.
constexpr std::array<std::pair<const char*, const char*>, 3> kOutsideFiles = {{
    {"start", "this search began from a placement"},
    {"policy-in", "this search began from a policy"},
    {"profile", "its times are those of a profile"},
}};

bool is_free_text(const OptionInfo& option) {
  const auto* choices = std::get_if<Choices>(&option.range);
  return choices != nullptr && choices->names.empty();
}

class Reader {
 public:
  Reader(const std::string& path, const Command& command)
      : path_(path), file_(file_title(path)), command_(command) {}

  Config read() {
    const JsonDocument root = parse_json(read_text(path_), file_);
    const JsonCursor cursor(root, file_);
    JsonObject document(cursor);
    const JsonCursor format = document.required("format");
    const std::string name(format.name());
    if (name != "placer-config" && name != "placer-placement") {
      format.fail("'placer-config' or 'placer-placement'");
    }
    check_format(document, name);
    if (name == "placer-config") {
      read_flags(document);
      return std::move(config_);
    }
    const JsonCursor request_cursor = document.required("request");
    JsonObject request(request_cursor);
    for (const auto& [flag, meaning] : kOutsideFiles) {
      const auto was_given = request.find(flag);
      if (!was_given || !was_given->boolean()) continue;
      config_.needed.push_back({flag, std::string("request.") + flag, meaning});
    }
    read_flags(request);
    return std::move(config_);
  }

 private:
  void read_flags(JsonObject& object) {
    for (const FlagInfo& flag : command_.flags) {
      const std::string& name = flag.option.name;
      if (name == "config" || is_needed(name)) continue;
      if (const auto value = object.find(name)) config_.flags[name] = flag_value(flag, *value);
    }
    if (const auto algo = config_.flags.find("algo"); algo != config_.flags.end()) {
      config_.algorithm = with_place(object.cursor(), [&] {
        return find_algorithm(std::get<std::string>(algo->second)).name;
      });
      if (config_.algorithm.starts_with(kExecPrefix)) need_program(object);
    }
    if (command_.takes_algorithm_options) {
      if (const auto options = object.find("options")) read_options(*options);
    }
    object.no_other_keys();
  }

  bool is_needed(const std::string& name) const {
    return std::ranges::count(config_.needed, name, &NeededFlag::name) > 0;
  }

  /// A file starts no program.
  void need_program(const JsonObject& object) {
    config_.flags.erase("algo");
    const std::string path = object.cursor().path();
    config_.needed.push_back({"algo", path.empty() ? "algo" : path + ".algo",
                              "a file may not start a program, as " +
                                  one_line(config_.algorithm, kShownCommand) + " is"});
  }

  OptionValue flag_value(const FlagInfo& flag, const JsonCursor& value) const {
    if (flag.repeats && !value.is_text()) {
      std::vector<std::string> lines;
      value.for_each_element(
          [&](const JsonCursor& element) { lines.emplace_back(element.name()); });
      return join(lines, "\n");
    }
    if (flag.option.name == "devices" && value.is_object()) {
      return write_devices(topology_from(value));
    }
    // "groups": 24 and "target": 0.25 mean what the same text does.
    const bool is_number_or_word = flag.option.name == "groups" || flag.option.name == "target";
    if (is_number_or_word && value.is_number()) return to_text(value.number(0));
    const OptionValue read = option_value(flag.option, value);
    if (!flag.value_name.starts_with("FILE")) return read;
    if (std::get<std::string>(read) == kStandardStream) return read;
    const fs::path beside = fs::path(path_).parent_path() / std::get<std::string>(read);
    std::error_code fault;
    // What may be a name is a file only where there is one.
    const bool is_name = flag.value_name != "FILE" && !fs::is_regular_file(beside, fault);
    return is_name ? read : OptionValue(beside.string());
  }

  void read_options(const JsonCursor& cursor) {
    const Optimizer& optimizer = find_algorithm(config_.algorithm);
    JsonObject object(cursor);
    for (const OptionInfo& option : optimizer.options) {
      if (const auto value = object.find(option.name)) {
        config_.options[option.name] = option_value(option, *value);
      }
    }
    object.no_other_keys();
  }

  const std::string& path_;
  const std::string file_;  // what errors call it
  const Command& command_;
  Config config_;
};

}  // namespace

OptionValue parse_flag(const OptionInfo& option, std::string_view text) {
  if (is_free_text(option)) return std::string(text);
  return parse_option(option, text);
}

Config read_config(const std::string& file, const Command& command) {
  return Reader(file, command).read();
}

SavedRequest parse_saved_request(const std::string& text, const std::string& file) {
  const JsonDocument root = parse_json(text, file);
  const JsonCursor cursor(root, file);
  JsonObject document(cursor);
  check_format(document, "placer-placement");
  SavedRequest saved;
  const auto request_cursor = document.find("request");
  if (!request_cursor) return saved;
  JsonObject request(*request_cursor);
  if (const auto order = request.find("order")) saved.order = order->one_of<Order>();
  if (const auto goal = request.find("objective")) saved.objective = goal->one_of<Objective>();
  if (const auto given = request.find("contiguous")) saved.contiguous = given->boolean();
  if (const auto stages = request.find("stages")) saved.stages = std::string(stages->name());
  if (const auto target = request.find("for")) saved.target = std::string(target->name());
  const auto devices = request.find("devices");
  if (!devices) return saved;
  if (devices->is_object()) {
    saved.devices = write_devices(topology_from(*devices));
  } else if (std::ranges::count(shipped_device_names(), devices->name()) > 0) {
    saved.devices = devices->name();
  }
  return saved;
}

ProblemFlags with_saved_problem(ProblemFlags flags, const SavedRequest& saved,
                                const std::string& file) {
  if (!flags.target) flags.target = saved.target;
  if (!flags.objective && !flags.contiguous && !flags.stages) {
    flags.objective = saved.objective;
    flags.contiguous = saved.contiguous;
    flags.stages = saved.stages;
  }
  if (flags.devices || !saved.devices) return flags;
  flags.devices = saved.devices;
  flags.devices_from = file;
  return flags;
}

}  // namespace placer
