#include "cli/report/advice.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/shared/device_rows.hpp"
#include "cli/shared/text.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> names_of(const Topology& topology, const Tried& tried) {
  std::vector<std::string> names;
  for (const DeviceId device : tried.devices) names.push_back(topology.device(device).name);
  return names;
}

std::string text_of(const Topology& topology, const Tried& tried) {
  return join(device_ranges(topology, tried.devices));
}

/// How much longer than the fastest, as a share of that.
double over(const Tried& tried, const Tried& fastest) {
  if (fastest.score->step_ps == 0) return 0;
  return static_cast<double>(tried.score->step_ps) / static_cast<double>(fastest.score->step_ps) -
         1;
}

Json set_json(const Topology& topology, const Tried* tried) {
  return tried == nullptr ? Json(nullptr) : Json(names_of(topology, *tried));
}

}  // namespace

std::vector<std::string> advice_sentences(const Topology& topology, const Advice& advice) {
  std::vector<std::string> list;
  if (advice.interrupted) {
    list.push_back(fmt::format("Interrupted after {} of {} sets of devices.", advice.tried.size(),
                               advice.sets));
  }
  if (advice.fastest == nullptr) {
    list.emplace_back("Nothing that was tried fits in memory.");
    return list;
  }
  const Tried& enough = *advice.enough;
  const std::string time = time_text(enough.score->step_ps);
  if (topology.devices().size() == 1) {
    list.push_back(fmt::format("There is one device alone: {}.", time));
  } else if (enough.devices.size() == topology.devices().size()) {
    list.push_back(fmt::format("All {} are worth having: {}, and fewer take over 1 % longer.",
                               counted(enough.devices.size(), "device"), time));
  } else if (&enough == advice.fastest) {
    list.push_back(fmt::format("As fast as any set that was tried: {}, with {}.",
                               text_of(topology, enough), time));
  } else {
    list.push_back(fmt::format("Enough: {}, with {}, {:.2g} % above the fastest, {} on {}.",
                               text_of(topology, enough), time, 100 * over(enough, *advice.fastest),
                               time_text(advice.fastest->score->step_ps),
                               text_of(topology, *advice.fastest)));
  }
  if (advice.cheapest != nullptr) {
    list.push_back(fmt::format("A step costs least on {}: {:.2f} for a million.",
                               text_of(topology, *advice.cheapest),
                               1e6 * advice.cheapest->step_price()));
  }
  if (!advice.unpriced.empty()) {
    list.push_back(
        fmt::format("Nothing says what {} costs an hour (--price NAME=PRICE): what sets "
                    "with it cost is unknown.",
                    join(device_ranges(topology, advice.unpriced), " or ")));
  }
  return list;
}

Table advice_table(const Topology& topology, const Advice& advice, bool has_prices) {
  Table table{{"devices", "step time", "over the fastest"}, {}};
  if (has_prices) table.header.insert(table.header.end(), {"an hour", "a million steps"});
  for (const Tried& tried : advice.tried) {
    std::vector<std::string> row = {text_of(topology, tried)};
    if (!tried.fits()) {
      row.push_back(tried.score ? "does not fit" : "cannot run");
    } else {
      const bool compares = advice.fastest->score->step_ps > 0;
      row.push_back(time_text(tried.score->step_ps));
      row.push_back(compares ? share_text(over(tried, *advice.fastest)) : "");
      if (has_prices) {
        row.push_back(tried.price ? fmt::format("{:.2f}", *tried.price) : "unknown");
        row.push_back(tried.price ? fmt::format("{:.2f}", 1e6 * tried.step_price()) : "unknown");
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string advice_json(const LoadedProblem& loaded, const Advice& advice) {
  const Topology& topology = loaded.problem.topology();
  Json object;
  object["version"] = PLACER_VERSION;
  object["graph"] = loaded.graph_name;
  object["devices"] = loaded.devices_name;
  object["interrupted"] = advice.interrupted;
  object["conclusions"] = advice_sentences(topology, advice);
  object["enough"] = set_json(topology, advice.enough);
  object["fastest"] = set_json(topology, advice.fastest);
  object["cheapest"] = set_json(topology, advice.cheapest);
  object["tried"] = Json::array();
  for (const Tried& tried : advice.tried) {
    object["tried"].push_back(
        {{"devices", names_of(topology, tried)},
         {"feasible", tried.fits()},
         {"step_seconds", tried.score ? Json(to_seconds(tried.score->step_ps)) : Json(nullptr)},
         {"price_per_hour", tried.price ? Json(*tried.price) : Json(nullptr)}});
  }
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace placer
