#include "search/core/fingerprint.hpp"

#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

}  // namespace

std::int64_t fingerprint(const Problem& problem) {
  Hash hash;
  const auto add_all = [&](const auto& rows, const auto& objects) {
    for (const auto& object : objects) hash.add_fields(rows, object);
    hash.add(std::uint64_t{objects.size()});
  };
  add_all(kDeviceFields, problem.topology().devices());
  add_all(kLinkFields, problem.topology().links());
  hash.add(static_cast<std::int64_t>(problem.topology().contention()));
  hash.add(static_cast<std::int64_t>(problem.topology().transfers()));
  hash.add(static_cast<std::int64_t>(problem.goal().objective));
  hash.add(static_cast<std::int64_t>(problem.goal().contiguity));
  for (const DeviceId device : problem.goal().stages) hash.add(std::uint64_t{device.index()});
  add_all(kOpFields, problem.graph().ops());
  add_all(kTensorFields, problem.graph().tensors());
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    hash.add(std::uint64_t{problem.groups().of(op).index()});
  }
  return hash.value();
}

std::int64_t request_fingerprint(const Problem& problem, const SearchRequest& request) {
  Hash hash;
  hash.add(fingerprint(problem));
  hash.add(std::string(PLACER_VERSION));
  hash.add(request.optimizer->name);
  for (const auto& [name, value] : completed_options(request)) {
    hash.add(name);
    hash.add(to_text(value));
  }
  for (const std::int64_t number :
       {static_cast<std::int64_t>(request.order), request.budget.evaluations,
        request.budget.target_ps.value_or(-1), static_cast<std::int64_t>(request.grouping.kind),
        static_cast<std::int64_t>(request.grouping.count),
        static_cast<std::int64_t>(request.seed)}) {
    hash.add(number);
  }
  for (const bool added :
       {request.additions.single_devices, request.additions.refinement, request.additions.tuning}) {
    hash.add(added);
  }
  hash.add(request.start.has_value());
  if (request.start) {
    for (const DeviceId device : request.start->devices) hash.add(std::uint64_t{device.index()});
  }
  hash.add(request.start_order);
  hash.add(request.policy_in != nullptr);
  if (request.policy_in == nullptr) return hash.value();
  for (const NamedMatrix& matrix : request.policy_in->weights) {
    hash.add(matrix.name);
    hash.add(matrix.values);
  }
  return hash.value();
}

}  // namespace placer
