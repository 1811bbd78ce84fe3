#include "cli/bench/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/shared/request.hpp"
#include "placer/io/files.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {
namespace {

namespace fs = std::filesystem;

/// How `path` of a suite opens from here.
std::string beside(const std::string& suite, const std::string& path) {
  return (fs::path(suite).parent_path() / path).lexically_normal().string();
}

std::string read_devices_of(const std::string& suite, const JsonCursor& cursor) {
  const std::string devices = cursor.take_name();
  const std::string path = beside(suite, devices);
  std::error_code fault;
  return fs::exists(path, fault) ? path : devices;
}

const Optimizer& read_optimizer(const JsonCursor& cursor) {
  const std::string name(cursor.name());
  std::vector<std::string> names;
  for (const Optimizer& optimizer : all_optimizers()) names.push_back(optimizer.name);
  if (std::ranges::count(names, name) == 0) {
    cursor.fail("one of " + join(names), fmt::format("'{}'{}", name, did_you_mean(name, names)));
  }
  return find_optimizer(name);
}

OptionValue read_option(const OptionInfo& option, const JsonCursor& cursor) {
  struct Read {
    const JsonCursor& cursor;
    OptionValue operator()(const IntegerRange& range) const {
      return cursor.integer(range.least, std::min(range.most, kLargestInteger));
    }
    OptionValue operator()(const RealRange& range) const {
      return cursor.number(range.least, range.most);
    }
    OptionValue operator()(const Flag&) const { return cursor.boolean(); }
    OptionValue operator()(const Choices& choices) const {
      const std::string name(cursor.name());
      if (std::ranges::count(choices.names, name) == 0) {
        cursor.fail(join(choices.names, " or "));
      }
      return name;
    }
  };
  return std::visit(Read{cursor}, option.range);
}

OptionValues read_options(const Optimizer& optimizer, const std::optional<JsonCursor>& cursor) {
  OptionValues given;
  if (cursor) {
    JsonObject object(*cursor);
    for (const OptionInfo& option : optimizer.options) {
      if (const auto found = object.find(option.name)) {
        given[option.name] = read_option(option, *found);
      }
    }
    object.no_other_keys();
  }
  return checked_options(optimizer.options, given);
}

Grouping read_grouping(const std::optional<JsonCursor>& cursor) {
  if (!cursor) return {};
  if (!cursor->is_text()) {
    return {Grouping::Kind::kCount, static_cast<std::size_t>(cursor->integer(1))};
  }
  if (const std::optional<Grouping> named = named_grouping(cursor->name())) return *named;
  cursor->fail("auto, none or an integer from 1");
}

void refuse_time_limits(JsonObject& object) {
  for (const char* key : {"time_limit", "time-limit", "seconds"}) {
    if (object.has(key)) {
      object.cursor().fail("a budget in evaluations, which gives the same result everywhere",
                           fmt::format("'{}'", key));
    }
  }
}

BenchCase read_case(const std::string& suite, const JsonCursor& cursor) {
  JsonObject object(cursor);
  refuse_time_limits(object);
  BenchCase read;
  read.name = object.required("name").take_name();
  read.graph = beside(suite, object.required("graph").take_name());
  if (const auto devices = object.find("devices")) read.devices = read_devices_of(suite, *devices);
  read.optimizer = &read_optimizer(object.required("algo"));
  read.options = read_options(*read.optimizer, object.find("options"));
  read.evaluations = object.required("evaluations").integer(1);
  if (const auto seed = object.find("seed")) {
    read.seed = static_cast<std::uint64_t>(seed->integer(0));
  }
  read.grouping = read_grouping(object.find("groups"));
  if (const auto order = object.find("order")) read.order = order->one_of<Order>();
  object.no_other_keys();
  return read;
}

}  // namespace

std::vector<BenchCase> read_suite(const std::string& path) {
  const std::string file = file_title(path);
  JsonValue root = parse_json(read_text(path), file);
  const JsonCursor cursor(root, file);
  JsonObject object(cursor);
  check_format(object, "placer-suite");
  const JsonCursor list = object.required("cases");
  object.no_other_keys();
  std::vector<BenchCase> cases;
  list.for_each_element([&](const JsonCursor& element) {
    BenchCase read = read_case(path, element);
    if (std::ranges::count(cases, read.name, &BenchCase::name) > 0) {
      element.fail("a name that no case before has", fmt::format("'{}'", read.name));
    }
    cases.push_back(std::move(read));
  });
  if (cases.empty()) list.fail("at least one case", "none");
  return cases;
}

}  // namespace placer
