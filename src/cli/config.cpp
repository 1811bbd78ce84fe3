#include "cli/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "placer/io/files.hpp"
#include "placer/search/optimizer.hpp"

namespace placer {
namespace {

using Json = nlohmann::json;

bool is_free_text(const OptionInfo& option) {
  const auto* choices = std::get_if<Choices>(&option.range);
  return choices != nullptr && choices->names.empty();
}

std::string shown(const Json& value) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

class Reader {
 public:
  Reader(const std::string& file, const Command& command) : file_(file), command_(command) {}

  Config read() {
    const Json document = parse();
    if (!document.is_object()) fail("", "an object", document);
    const std::string format = document.contains("format") ? shown(document["format"]) : "nothing";
    if (format != "\"placer-config\"" && format != "\"placer-placement\"") {
      throw Error(
          fmt::format("{}: format: expected \"placer-config\" or \"placer-placement\", "
                      "found {}",
                      file_, format));
    }
    const Json version = document.value("version", Json());
    if (version != 1) fail("version: ", "1", version);
    if (format == "\"placer-config\"") return read_flags(document, "");
    if (!document.contains("request")) fail("request: ", "an object", Json());
    if (!document["request"].is_object()) fail("request: ", "an object", document["request"]);
    return read_flags(document["request"], "request.");
  }

 private:
  Json parse() const {
    try {
      return Json::parse(read_text(file_));
    } catch (const Json::parse_error& error) {
      throw Error(fmt::format("{}: expected JSON, found a fault at byte {}", file_, error.byte));
    }
  }

  [[noreturn]] void fail(const std::string& place, std::string_view expected,
                         const Json& found) const {
    throw Error(fmt::format("{}: {}expected {}, found {}", file_, place, expected,
                            found.is_null() ? "nothing" : shown(found)));
  }

  OptionValue scalar(const std::string& place, const Json& value) const {
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_integer() &&
        (!value.is_number_unsigned() ||
         value.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()})) {
      return value.get<std::int64_t>();
    }
    if (value.is_number()) return value.get<double>();
    fail(place + ": ", "a number, a text, true or false", value);
  }

  OptionValue checked(const OptionInfo& option, const std::string& place, const Json& json) const {
    const OptionValue value = scalar(place, json);
    if (is_free_text(option)) return to_text(value);
    OptionInfo named = option;
    named.name = place;
    try {
      return checked_option(named, value);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", file_, error.what()));
    }
  }

  Config read_flags(const Json& object, const std::string& path) const {
    Config config;
    std::vector<std::string> known = {"format", "version"};
    if (command_.takes_algorithm_options) known.emplace_back("options");
    for (const FlagInfo& flag : command_.flags) {
      if (flag.option.name == "config") continue;
      known.push_back(flag.option.name);
      if (const auto at = object.find(flag.option.name); at != object.end()) {
        config.flags[flag.option.name] = checked(flag.option, path + flag.option.name, *at);
      }
    }
    for (const auto& [key, value] : object.items()) {
      if (std::ranges::count(known, key) > 0) continue;
      throw Error(fmt::format("{}: {}{}: expected one of {}, found an unknown key{}", file_, path,
                              key, join(known), did_you_mean(key, known)));
    }
    const auto algo = config.flags.find("algo");
    config.algorithm = algo == config.flags.end() ? "post" : std::get<std::string>(algo->second);
    if (object.contains("options")) read_options(object["options"], path, config);
    return config;
  }

  void read_options(const Json& object, const std::string& path, Config& config) const {
    if (!object.is_object()) fail(path + "options: ", "an object", object);
    for (const auto& [key, value] : object.items()) {
      config.options[key] = scalar(path + "options." + key, value);
    }
    try {
      checked_options(find_optimizer(config.algorithm).options, config.options);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", file_, error.what()));
    }
  }

  const std::string& file_;
  const Command& command_;
};

}  // namespace

OptionValue parse_flag(const OptionInfo& option, std::string_view text) {
  if (is_free_text(option)) return std::string(text);
  return parse_option(option, text);
}

Config read_config(const std::string& file, const Command& command) {
  return Reader(file, command).read();
}

}  // namespace placer
