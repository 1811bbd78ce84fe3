#include "cli/bench/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/shared/request.hpp"
#include "placer/base/text.hpp"
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
  const std::string devices(cursor.name());
  const std::string path = beside(suite, devices);
  std::error_code fault;
  return fs::exists(path, fault) ? path : devices;
}

const Optimizer& read_optimizer(const JsonCursor& cursor) {
  const std::string name(cursor.name());
  std::vector<std::string> names;
  for (const Optimizer& optimizer : all_optimizers()) names.push_back(optimizer.name);
  if (std::ranges::count(names, name) == 0) {
    const std::string hint = did_you_mean(name, names);
    cursor.fail("one of " + listed_before(hint, names), fmt::format("'{}'{}", name, hint));
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

Grouping read_grouping(const JsonCursor& cursor) {
  if (!cursor.is_text()) {
    return {Grouping::Kind::kCount, static_cast<std::size_t>(cursor.integer(1))};
  }
  if (const std::optional<Grouping> named = named_grouping(cursor.name())) return *named;
  cursor.fail("auto, none or an integer from 1");
}

void refuse_time_limits(JsonObject& object) {
  for (const char* key : {"time_limit", "time-limit", "seconds"}) {
    if (object.has(key)) {
      object.cursor().fail("a budget in evaluations, which gives the same result everywhere",
                           fmt::format("'{}'", key));
    }
  }
}

/// What all cases have that do not say it themselves.
struct Defaults {
  std::optional<std::string> graph, devices;
  const Optimizer* optimizer = nullptr;
  OptionValues options;  // of the optimizer, complete
  std::optional<std::int64_t> evaluations;
  std::uint64_t seed = 1;
  Grouping grouping;
  Order order = Order::kFifo;
};

/// What stands in `object`, over what stands in `defaults`. Options are those of one algorithm: a
/// case that names its own begins without any.
Defaults read_rules(const std::string& suite, const Defaults& defaults, JsonObject& object) {
  refuse_time_limits(object);
  Defaults read = defaults;
  if (const auto graph = object.find("graph"))
    read.graph = beside(suite, std::string(graph->name()));
  if (const auto devices = object.find("devices")) read.devices = read_devices_of(suite, *devices);
  const auto algo = object.find("algo");
  if (algo) read.optimizer = &read_optimizer(*algo);
  const auto options = object.find("options");
  if (options && read.optimizer == nullptr) object.required("algo");
  if (algo || options) read.options = read_options(*read.optimizer, options);
  if (const auto given = object.find("evaluations")) read.evaluations = given->integer(1);
  if (const auto seed = object.find("seed")) {
    read.seed = static_cast<std::uint64_t>(seed->integer(0));
  }
  if (const auto groups = object.find("groups")) read.grouping = read_grouping(*groups);
  if (const auto order = object.find("order")) read.order = order->one_of<Order>();
  object.no_other_keys();
  return read;
}

BenchCase read_case(const std::string& suite, const Defaults& defaults, const JsonCursor& cursor) {
  JsonObject object(cursor);
  BenchCase read;
  read.name = object.required("name").name();
  const Defaults rules = read_rules(suite, defaults, object);
  if (!rules.graph) object.required("graph");
  if (rules.optimizer == nullptr) object.required("algo");
  if (!rules.evaluations) object.required("evaluations");
  read.graph = *rules.graph;
  read.devices = rules.devices;
  read.optimizer = rules.optimizer;
  read.options = rules.options;
  read.evaluations = *rules.evaluations;
  read.seed = rules.seed;
  read.grouping = rules.grouping;
  read.order = rules.order;
  return read;
}

Defaults read_defaults(const std::string& suite, const std::optional<JsonCursor>& cursor) {
  if (!cursor) return {};
  JsonObject object(*cursor);
  return read_rules(suite, {}, object);
}

}  // namespace

std::vector<BenchCase> read_suite(const std::string& path) {
  const std::string file = file_title(path);
  const JsonDocument root = parse_json(read_text(path), file);
  const JsonCursor cursor(root, file);
  JsonObject object(cursor);
  check_format(object, "placer-suite");
  const Defaults defaults = read_defaults(path, object.find("defaults"));
  const JsonCursor list = object.required("cases");
  object.no_other_keys();
  std::vector<BenchCase> cases;
  list.for_each_element([&](const JsonCursor& element) {
    BenchCase read = read_case(path, defaults, element);
    if (std::ranges::count(cases, read.name, &BenchCase::name) > 0) {
      element.fail("a name that no case before has", fmt::format("'{}'", read.name));
    }
    cases.push_back(std::move(read));
  });
  if (cases.empty()) list.fail("at least one case", "none");
  return cases;
}

}  // namespace placer
