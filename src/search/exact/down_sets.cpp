#include "search/exact/down_sets.hpp"

#include <algorithm>
#include <unordered_map>

namespace placer {
namespace {

constexpr std::size_t kBits = 64;
using Words = std::vector<std::uint64_t>;

struct HashOfWords {
  std::size_t operator()(const Words& words) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : words) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

bool holds(const Words& set, std::uint32_t unit) {
  return (set[unit / kBits] >> (unit % kBits) & 1) != 0;
}

/// One unit more at a time, from the sets of a size to those of the next.
class Enumeration {
 public:
  Enumeration(const std::vector<PipelineUnit>& units, std::size_t most, const Deadline& deadline)
      : units_(units), most_(most), watch_(deadline) {}

  std::optional<DownSets> run() {
    add(Words((units_.size() + kBits - 1) / kBits, 0), {});
    for (std::size_t set = 0; set < sets_.size(); ++set) {
      for (const std::uint32_t unit : free_units(sets_[set])) {
        Words larger = sets_[set];
        larger[unit / kBits] |= std::uint64_t{1} << (unit % kBits);
        const std::uint32_t next = add(std::move(larger), {unit, static_cast<std::uint32_t>(set)});
        found_.covers[set].push_back({unit, next});
      }
      watch_.check(units_.size());
      if (sets_.size() > most_) return std::nullopt;
    }
    return std::move(found_);
  }

 private:
  std::uint32_t add(Words set, DownSets::Cover parent) {
    const auto [at, is_new] =
        number_.emplace(std::move(set), static_cast<std::uint32_t>(sets_.size()));
    if (is_new) {
      sets_.push_back(at->first);
      found_.covers.emplace_back();
      found_.parents.push_back(parent);
    }
    return at->second;
  }

  std::vector<std::uint32_t> free_units(const Words& set) const {
    std::vector<std::uint32_t> free;
    for (std::uint32_t unit = 0; unit < units_.size(); ++unit) {
      if (holds(set, unit)) continue;
      const auto is_in = [&](std::uint32_t before) { return holds(set, before); };
      if (std::ranges::all_of(units_[unit].before, is_in)) free.push_back(unit);
    }
    return free;
  }

  const std::vector<PipelineUnit>& units_;
  const std::size_t most_;
  Watch watch_;
  std::vector<Words> sets_;
  std::unordered_map<Words, std::uint32_t, HashOfWords> number_;
  DownSets found_;
};

}  // namespace

std::vector<std::uint32_t> DownSets::between(std::uint32_t small, std::uint32_t large) const {
  std::vector<std::uint32_t> units, in_small;
  for (; large != 0; large = parents[large].set) units.push_back(parents[large].unit);
  for (; small != 0; small = parents[small].set) in_small.push_back(parents[small].unit);
  std::ranges::sort(in_small);
  std::erase_if(units,
                [&](std::uint32_t unit) { return std::ranges::binary_search(in_small, unit); });
  return units;
}

DownSets prefixes(const std::vector<PipelineUnit>& units) {
  DownSets chain{.covers = std::vector<std::vector<DownSets::Cover>>(units.size() + 1),
                 .parents = {{}}};
  for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
    chain.covers[unit].push_back({unit, unit + 1});
    chain.parents.push_back({unit, unit});
  }
  return chain;
}

std::optional<DownSets> all_down_sets(const std::vector<PipelineUnit>& units, std::size_t most,
                                      const Deadline& deadline) {
  return Enumeration(units, most, deadline).run();
}

}  // namespace placer
