#include "model/link_table.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostSpecific = 2;

/// How well a pattern that matches a device fits it.
std::size_t specificity(std::string_view pattern, const Device& device) {
  if (pattern == device.name) return 2;
  return pattern == device.type ? 1 : 0;
}

class Ends {
 public:
  Ends(const std::vector<Device>& devices, const std::vector<Link>& links) : devices_(devices) {
    for (const Link& link : links) patterns_.insert({link.from, link.to});
    std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> known;
    for (std::size_t d = 0; d < devices.size(); ++d) {
      const auto key = std::pair(named(devices[d].name), named(devices[d].type));
      const auto [at, is_new] = known.emplace(key, static_cast<std::uint32_t>(members_.size()));
      if (is_new) members_.emplace_back();
      members_[at->second].push_back(d);
      of_.push_back(at->second);
    }
    if (members_.size() > Topology::kMostLinkEnds) {
      throw Error(fmt::format("links: expected at most {} devices that links tell apart, found {}",
                              Topology::kMostLinkEnds, members_.size()));
    }
    for (std::uint32_t end = 0; end < members_.size(); ++end) note(end);
  }

  std::size_t size() const { return members_.size(); }
  const std::vector<std::uint32_t>& of() const { return of_; }
  /// The ends that a pattern fits so well.
  const std::vector<std::uint32_t>& matching(std::string_view pattern, std::size_t level) const {
    static const std::vector<std::uint32_t> none;
    const auto at = matching_.find(pattern);
    return at == matching_.end() ? none : at->second[level];
  }
  /// The first pair of different devices at two ends; empty where there is none.
  std::optional<std::pair<const Device*, const Device*>> pair(std::size_t from,
                                                              std::size_t to) const {
    const std::size_t second = from == to ? 1 : 0;
    if (members_[to].size() <= second) return std::nullopt;
    return std::pair(&devices_[members_[from].front()], &devices_[members_[to][second]]);
  }

 private:
  /// The text, if any link is about it.
  std::string_view named(const std::string& text) const {
    return patterns_.contains(text) ? std::string_view(text) : std::string_view();
  }

  void note(std::uint32_t end) {
    const Device& device = devices_[members_[end].front()];
    const auto add = [&](std::string_view pattern) {
      matching_[pattern][specificity(pattern, device)].push_back(end);
    };
    if (patterns_.contains(device.name)) add(device.name);
    if (device.type != device.name && patterns_.contains(device.type)) add(device.type);
    if (device.type != "*") add("*");
  }

  const std::vector<Device>& devices_;
  std::unordered_set<std::string_view> patterns_;
  std::vector<std::uint32_t> of_;
  std::vector<std::vector<std::size_t>> members_;
  std::unordered_map<std::string_view, std::array<std::vector<std::uint32_t>, kMostSpecific + 1>>
      matching_;
};

class Filling {
 public:
  Filling(const Ends& ends, const std::vector<Link>& links)
      : ends_(ends),
        links_(links),
        found_(ends.size() * ends.size(), LinkTable::kNoLink),
        levels_(found_.size(), 0) {}

  /// The most specific first, so that what is found stays.
  std::vector<std::uint32_t> all() && {
    for (std::size_t level = 2 * kMostSpecific + 1; level-- > 0;) {
      for (std::uint32_t link = 0; link < links_.size(); ++link) fill(link, level);
    }
    return std::move(found_);
  }

 private:
  void fill(std::uint32_t link, std::size_t level) {
    for (std::size_t at_from = 0; at_from <= std::min(level, kMostSpecific); ++at_from) {
      if (level - at_from > kMostSpecific) continue;
      for (const std::uint32_t from : ends_.matching(links_[link].from, at_from)) {
        for (const std::uint32_t to : ends_.matching(links_[link].to, level - at_from)) {
          take(link, level, from, to);
        }
      }
    }
  }

  void take(std::uint32_t link, std::size_t level, std::size_t from, std::size_t to) {
    const std::size_t at = from * ends_.size() + to;
    if (found_[at] == LinkTable::kNoLink) {
      found_[at] = link;
      levels_[at] = static_cast<unsigned char>(level);
      return;
    }
    if (levels_[at] != level) return;
    const auto pair = ends_.pair(from, to);
    if (!pair) return;
    throw Error(fmt::format(
        "links[{}]: expected one most specific link from '{}' to '{}', found links[{}] as well",
        link, shown_name(pair->first->name), shown_name(pair->second->name), found_[at]));
  }

  const Ends& ends_;
  const std::vector<Link>& links_;
  std::vector<std::uint32_t> found_;
  std::vector<unsigned char> levels_;
};

}  // namespace

LinkTable links_between(const std::vector<Device>& devices, const std::vector<Link>& links) {
  const Ends ends(devices, links);
  return {ends.size(), ends.of(), Filling(ends, links).all()};
}

}  // namespace placer
