#include "search/core/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "placer/base/errors.hpp"
#include "placer/search/run.hpp"

namespace placer {
namespace {

/// FNV-1a over words.
class Hash {
 public:
  void add(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x100000001b3;
    hash_ ^= hash_ >> 29;
  }
  void add(std::int64_t number) { add(static_cast<std::uint64_t>(number)); }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  void add(bool value) { add(std::uint64_t{value}); }
  void add(const std::string& text) {
    for (const char letter : text) add(std::uint64_t{static_cast<unsigned char>(letter)});
    add(std::uint64_t{text.size()});
  }
  void add(OpId op) { add(std::uint64_t{op.index()}); }
  void add(const std::optional<double>& number) {
    add(number.has_value());
    if (number) add(*number);
  }
  void add(const std::pair<std::string, double>& named) {
    add(named.first);
    add(named.second);
  }
  void add(const PeakFlops& peaks) {
    add(peaks.of_others);
    add(peaks.of_dtype);
  }
  void add(const OutputShape& output) { add_fields(kOutputFields, output); }
  void add(const MessageBandwidth& known) { add_fields(kMessageBandwidthFields, known); }
  template <class Item>
  void add(const std::vector<Item>& items) {
    for (const Item& item : items) add(item);
    add(std::uint64_t{items.size()});
  }
  template <class Rows, class T>
  void add_fields(const Rows& rows, const T& object) {
    for_each_field(rows, [&](const auto& row) {
      if (row.rules.bearing != Bearing::kLabel) add(object.*row.member);
    });
  }
  std::int64_t value() const { return static_cast<std::int64_t>(hash_ >> 2); }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

template <class Rows, class Objects>
void add_all(const Rows& rows, const Objects& objects, Hash& hash) {
  for (const auto& object : objects) hash.add_fields(rows, object);
  hash.add(std::uint64_t{objects.size()});
}

void add_devices(const Topology& topology, Hash& hash) {
  add_all(kDeviceFields, topology.devices(), hash);
  add_all(kLinkFields, topology.links(), hash);
  hash.add(static_cast<std::int64_t>(topology.contention()));
  hash.add(static_cast<std::int64_t>(topology.transfers()));
}

void add_graph(const Problem& problem, Hash& hash) {
  add_all(kOpFields, problem.graph().ops(), hash);
  add_all(kTensorFields, problem.graph().tensors(), hash);
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    hash.add(std::uint64_t{problem.groups().of(op).index()});
  }
}

constexpr std::string_view kHash = "hash ";

/// Of what `add` adds.
template <class Add>
std::string hash_text(Add add) {
  Hash hash;
  add(hash);
  return hash_fact(hash.value());
}

std::string stages_text(const Goal& goal) {
  std::string text = "stages";
  for (const DeviceId device : goal.stages) text += fmt::format(" {}", device.index());
  return text;
}

std::string contiguity_text(const Goal& goal) {
  if (goal.contiguity == Contiguity::kStages) return stages_text(goal);
  return goal.contiguity == Contiguity::kContiguous ? "contiguous" : "none";
}

std::string groups_text(const Grouping& grouping) {
  if (grouping.kind == Grouping::Kind::kCount) return fmt::format("{}", grouping.count);
  return grouping.kind == Grouping::Kind::kAuto ? "auto" : "none";
}

std::string start_text(const SearchRequest& request) {
  if (!request.start) return "none";
  return hash_text([&](Hash& hash) {
    for (const DeviceId device : request.start->devices) hash.add(std::uint64_t{device.index()});
    hash.add(request.start_order);
  });
}

std::string policy_text(const Policy* policy) {
  if (policy == nullptr) return "none";
  return hash_text([&](Hash& hash) {
    for (const NamedMatrix& matrix : policy->weights) {
      hash.add(matrix.name);
      hash.add(matrix.values);
    }
  });
}

std::string difference(const std::string& name, const std::string& found,
                       const std::string& expected) {
  if (found.starts_with(kHash) || expected.starts_with(kHash)) {
    return (name.ends_with('s') ? "other " : "another ") + name;
  }
  return fmt::format("{} {} instead of {}", name, found, expected);
}

}  // namespace

std::string hash_fact(std::int64_t hash) { return fmt::format("{}{:016x}", kHash, hash); }

std::int64_t fingerprint(const Problem& problem) {
  Hash hash;
  add_devices(problem.topology(), hash);
  hash.add(static_cast<std::int64_t>(problem.goal().objective));
  hash.add(static_cast<std::int64_t>(problem.goal().contiguity));
  for (const DeviceId device : problem.goal().stages) hash.add(std::uint64_t{device.index()});
  add_graph(problem, hash);
  return hash.value();
}

RequestFacts request_facts(const Problem& problem, const SearchRequest& request) {
  const auto yes_or_no = [](bool is_so) { return is_so ? "yes" : "no"; };
  const Budget& budget = request.budget;
  RequestFacts facts = {
      {"graph or constraint on it", hash_text([&](Hash& hash) { add_graph(problem, hash); })},
      {"devices", hash_text([&](Hash& hash) { add_devices(problem.topology(), hash); })},
      {"objective", name_of(problem.goal().objective)},
      {"contiguity", contiguity_text(problem.goal())},
      {"algorithm", request.optimizer->name},
      {"order", name_of(request.order)},
      {"evaluations", fmt::format("{}", budget.evaluations)},
      {"target", budget.target_ps ? fmt::format("{} ps", *budget.target_ps) : "none"},
      {"groups", groups_text(request.grouping)},
      {"seed", fmt::format("{}", request.seed)},
      {"start", start_text(request)},
      {"policy", policy_text(request.policy_in)},
      {"single devices first", yes_or_no(request.additions.single_devices)},
      {"refinement", yes_or_no(request.additions.refinement)},
      {"tuning", yes_or_no(request.additions.tuning)}};
  for (const auto& [name, value] : completed_options(request)) {
    facts.emplace_back("option " + name, to_text(value));
  }
  return facts;
}

std::int64_t request_fingerprint(const Problem& problem, const SearchRequest& request) {
  Hash hash;
  hash.add(std::string(PLACER_VERSION));
  for (const auto& [name, value] : request_facts(problem, request)) {
    hash.add(name);
    hash.add(value);
  }
  return hash.value();
}

std::string differences(const RequestFacts& found, const RequestFacts& expected) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : expected) {
    const auto same = std::ranges::find(found, name, &RequestFacts::value_type::first);
    if (same == found.end() || same->second == value) continue;
    parts.push_back(difference(name, same->second, value));
  }
  return parts.empty() ? "other options" : join(parts);
}

}  // namespace placer
