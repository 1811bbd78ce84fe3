#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/commands/commands.hpp"
#include "cli/shared/layout.hpp"
#include "placer/search/optimizer.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

struct AlgorithmsFlags {
  bool json = false;
};
constexpr std::array<FlagRow<AlgorithmsFlags>, 1> kAlgorithmsFlags = {
    switch_flag("json", 0, &AlgorithmsFlags::json, "print JSON instead of text"),
};

Json value_json(const OptionValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

/// What a run takes where nothing is given.
const OptionValue& default_value(const OptionInfo& option) {
  return option.tuned ? *option.tuned : option.standard;
}

/// The same with --as-published.
OptionValue published_value(const OptionInfo& option) {
  return option.name == "preset" ? OptionValue(name_of(Preset::kPaper)) : option.standard;
}

Json optimizer_json(const Optimizer& optimizer) {
  Json object;
  object["name"] = optimizer.name;
  object["summary"] = optimizer.info.summary;
  object["unfit_for"] = optimizer.info.unfit_for;
  object["source"] = optimizer.info.source;
  object["departs"] = optimizer.info.departs;
  object["deterministic"] = optimizer.info.deterministic;
  object["anytime"] = optimizer.info.anytime;
  object["learns"] = optimizer.info.learns;
  object["transfers"] = optimizer.info.transfers;
  object["proves"] = optimizer.info.proves;
  object["max_groups"] = optimizer.info.max_groups;
  object["own_groups"] = optimizer.info.own_groups;
  if (!optimizer.info.unavailable.empty()) object["unavailable"] = optimizer.info.unavailable;
  object["options"] = Json::array();
  for (const OptionInfo& option : optimizer.options) {
    Json row;
    row["name"] = option.name;
    row["range"] = range_text(option);
    row["default"] = value_json(default_value(option));
    row["as_published"] = value_json(published_value(option));
    row["meaning"] = option.meaning;
    object["options"].push_back(std::move(row));
  }
  return object;
}

std::string capabilities(const OptimizerInfo& info) {
  std::vector<std::string> words;
  if (info.deterministic) words.emplace_back("deterministic");
  if (info.anytime) words.emplace_back("anytime");
  if (info.learns) words.emplace_back("learns");
  if (info.transfers) words.emplace_back("transfers");
  if (info.proves) words.emplace_back("proves");
  if (info.max_groups > 0) words.push_back(fmt::format("merges to {} groups", info.max_groups));
  if (info.own_groups > 0) words.emplace_back("groups by itself");
  if (!info.unavailable.empty()) words.emplace_back("not in this build");
  return join(words);
}

std::string list_text(const Look& look) {
  Rows rows;
  for (const Optimizer& optimizer : all_optimizers()) {
    rows.push_back({optimizer.name, optimizer.info.summary});
    if (const std::string words = capabilities(optimizer.info); !words.empty()) {
      rows.push_back({"", fmt::format("[{}]", words)});
    }
  }
  return text_rows(std::move(rows), {1}, look) + "\n'placer algorithms NAME' says more of one.\n";
}

/// With a column of the paper's values where a run's own are others.
std::string options_text(const Optimizer& optimizer, const Look& look) {
  const bool tuned = std::ranges::any_of(
      optimizer.options, [](const OptionInfo& option) { return option.tuned.has_value(); });
  Rows rows = {{"option", "default", "published", "range", "meaning"}};
  for (const OptionInfo& option : optimizer.options) {
    rows.push_back({"--" + option.name, to_text(default_value(option)),
                    to_text(published_value(option)), range_text(option), option.meaning});
  }
  if (!tuned) {
    for (auto& row : rows) row.erase(row.begin() + 2);
  }
  return text_rows(std::move(rows),
                   tuned ? std::vector<std::size_t>{1, 2, 3, 4} : std::vector<std::size_t>{1, 2, 3},
                   look);
}

std::string one_text(const Optimizer& optimizer, const Look& look) {
  const OptimizerInfo& info = optimizer.info;
  Rows rows = {{optimizer.name, info.summary}, {"unfit for", info.unfit_for}};
  if (!info.source.empty()) rows.push_back({"source", info.source});
  if (!info.departs.empty()) rows.push_back({"departs", info.departs});
  if (const std::string words = capabilities(info); !words.empty()) rows.push_back({"is", words});
  if (!info.unavailable.empty()) rows.push_back({"unavailable", info.unavailable});
  std::string text = text_rows(std::move(rows), {1}, look);
  if (optimizer.options.empty()) return text + "\nIt has no options.\n";
  return text + "\n" + options_text(optimizer, look);
}

int algorithms(const Arguments& arguments, Console& console) {
  const bool json = read_flags(kAlgorithmsFlags, arguments).json;
  if (!arguments.positionals.empty()) {
    const Optimizer& optimizer = find_optimizer(arguments.positionals[0]);
    console.out << (json ? optimizer_json(optimizer).dump(2, ' ', false,
                                                          Json::error_handler_t::replace) +
                               "\n"
                         : one_text(optimizer, console.look));
    return kDone;
  }
  if (!json) {
    console.out << list_text(console.look);
    return kDone;
  }
  Json all = Json::array();
  for (const Optimizer& optimizer : all_optimizers()) all.push_back(optimizer_json(optimizer));
  console.out << all.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  return kDone;
}

}  // namespace

Command algorithms_command() {
  return {.name = "algorithms",
          .summary = "list the algorithms, or one with its options, source and limits",
          .positionals = {{"NAME", "one algorithm", Positional::Count::kOptional}},
          .flags = flags_of(kAlgorithmsFlags),
          .examples = {"placer algorithms post"},
          .run = algorithms};
}

}  // namespace placer
