#include "cli/bench/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/shared/regression.hpp"
#include "placer/io/files.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {
namespace {

BaselineCase read_case(const JsonCursor& cursor) {
  JsonObject object(cursor);
  BaselineCase read;
  read.name = object.required("name").name();
  read.score = read_score(object);
  read.evaluations = object.required("evaluations").integer(1);
  if (const auto tolerance = object.find("tolerance")) read.tolerance = tolerance->number(0);
  object.no_other_keys();
  return read;
}

nlohmann::ordered_json case_json(const BaselineCase& stored) {
  nlohmann::ordered_json object;
  object["name"] = stored.name;
  object["step_seconds"] = to_seconds(stored.score.step_ps);
  if (!stored.score.fits()) object["overflow_bytes"] = stored.score.overflow_bytes;
  object["evaluations"] = stored.evaluations;
  if (stored.tolerance > 0) object["tolerance"] = stored.tolerance;
  return object;
}

}  // namespace

Verdict judge(const Score& score, const BaselineCase& stored) {
  if (score == stored.score) return Verdict::kSame;
  if (score < stored.score) return Verdict::kImproved;
  return is_worse(score, stored.score, stored.tolerance) ? Verdict::kRegression
                                                         : Verdict::kTolerated;
}

std::vector<BaselineCase> read_baseline(const std::string& path) {
  const std::string file = file_title(path);
  const JsonDocument root = parse_json(read_text(path), file);
  const JsonCursor cursor(root, file);
  JsonObject object(cursor);
  check_format(object, "placer-baseline");
  const JsonCursor list = object.required("cases");
  object.no_other_keys();
  std::vector<BaselineCase> cases;
  list.for_each_element([&](const JsonCursor& element) {
    BaselineCase read = read_case(element);
    if (std::ranges::count(cases, read.name, &BaselineCase::name) > 0) {
      element.fail("a name that no case before has", fmt::format("'{}'", read.name));
    }
    cases.push_back(std::move(read));
  });
  return cases;
}

std::string write_baseline(std::span<const BaselineCase> cases) {
  std::string text = "{\n  \"format\": \"placer-baseline\",\n  \"version\": 1,\n  \"cases\": [";
  const char* separator = "\n    ";
  for (const BaselineCase& stored : cases) {
    text += separator + case_json(stored).dump();
    separator = ",\n    ";
  }
  return text + "\n  ]\n}\n";
}

std::vector<BaselineCase> match_baseline(std::span<const BenchCase> cases,
                                         std::span<const BaselineCase> stored,
                                         const std::string& suite_file,
                                         const std::string& baseline_file) {
  std::vector<BaselineCase> matched;
  for (const BenchCase& wanted : cases) {
    const auto at = std::ranges::find(stored, wanted.name, &BaselineCase::name);
    if (at == stored.end()) {
      throw Error(
          fmt::format("{}: cases: expected '{}' of {}, found no such case; --update adds it",
                      baseline_file, wanted.name, suite_file));
    }
    if (at->evaluations != wanted.evaluations) {
      throw Error(fmt::format(
          "{}: cases['{}'].evaluations: expected {} as in {}, found {}; --update runs it anew",
          baseline_file, wanted.name, wanted.evaluations, suite_file, at->evaluations));
    }
    matched.push_back(*at);
  }
  for (const BaselineCase& extra : stored) {
    if (std::ranges::find(cases, extra.name, &BenchCase::name) != cases.end()) continue;
    throw Error(fmt::format("{}: cases: expected only cases of {}, found '{}'; --update removes it",
                            baseline_file, suite_file, extra.name));
  }
  return matched;
}

}  // namespace placer
