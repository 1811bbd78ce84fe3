#include "search/core/fingerprint.hpp"

#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
  add_all(kOpFields, problem.graph().ops());
  add_all(kTensorFields, problem.graph().tensors());
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    hash.add(std::uint64_t{problem.groups().of(op).index()});
  }
  return hash.value();
}

}  // namespace placer
