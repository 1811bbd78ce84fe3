#include <algorithm>

#include "search/core/ledger.hpp"

namespace placer {
namespace {

[[noreturn]] void fail(const std::string& name, std::string_view expected) {
  throw Error("policy: counters '" + name + "': expected " + std::string(expected));
}

}  // namespace

void Ledger::save(const std::string& prefix, Policy& policy) const {
  NamedCounters books{prefix + "books",
                      {evaluations_, static_cast<std::int64_t>(samples_),
                       best_score_.overflow_bytes, best_score_.step_ps, best_score_.astray_ops}};
  NamedCounters best{prefix + "best", {}};
  if (best_) {
    for (const DeviceId device : best_->devices) {
      best.values.push_back(static_cast<std::int64_t>(device.index()));
    }
  }
  policy.counters.push_back(std::move(books));
  policy.counters.push_back(std::move(best));
  policy.counters.push_back({prefix + "recent", recent_ps_});
  curve_.save(prefix, policy);
}

void Ledger::load(const std::string& prefix, const Policy& policy) {
  const auto find = [&](const std::string& name) -> const std::vector<std::int64_t>& {
    const auto at = std::ranges::find(policy.counters, prefix + name, &NamedCounters::name);
    if (at == policy.counters.end()) fail(prefix + name, "them in a checkpoint, found none");
    return at->values;
  };
  const std::vector<std::int64_t>& books =
      find_counters(policy.counters, prefix + "books", 5).values;
  if (books[0] == 0) return;
  evaluations_ = books[0];
  samples_ = static_cast<std::size_t>(books[1]);
  best_score_ = {books[2], books[3], books[4]};
  recent_ps_ = find("recent");
  if (evaluations_ < 1 || books[1] < 0 || recent_ps_.size() > 100) fail(prefix + "books", "counts");
  const std::vector<std::int64_t>& best = find("best");
  if (best.size() != problem_.groups().size()) fail(prefix + "best", "a device for each group");
  best_.emplace();
  for (const GroupId group : IdRange<GroupId>(best.size())) {
    const std::int64_t device = best[group.index()];
    if (device < 0 || device >= static_cast<std::int64_t>(problem_.device_count()) ||
        !problem_.groups().is_allowed(group, DeviceId(static_cast<std::size_t>(device)))) {
      fail(prefix + "best", "allowed devices");
    }
    best_->devices.emplace_back(static_cast<std::size_t>(device));
  }
  history_.push_back({evaluations_, wall_seconds(), best_score_});
  curve_.load(prefix, policy);
}

}  // namespace placer
