#include "cli/ranks/score_text.hpp"

#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace placer {
namespace {

constexpr unsigned kBits = 7;  // of a number in a byte; the eighth says that more follow
constexpr std::uint64_t kMore = 1u << kBits;
constexpr unsigned kAllBits = 64;

void put(std::uint64_t number, std::string& bytes) {
  for (; number >= kMore; number >>= kBits) {
    bytes += static_cast<char>(number % kMore + kMore);
  }
  bytes += static_cast<char>(number);
}

void put_text(const std::string& text, std::string& bytes) {
  put(text.size(), bytes);
  bytes += text;
}

template <class IdType>
void put_ids(const std::vector<IdType>& ids, std::string& bytes) {
  put(ids.size(), bytes);
  for (const IdType id : ids) put(id.index(), bytes);
}

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < kAllBits; shift += kBits) {
      const std::uint64_t byte = static_cast<unsigned char>(take(1)[0]);
      number |= byte % kMore << shift;
      if (byte < kMore) return number;
    }
    throw std::runtime_error("a number between ranks has too many bytes");
  }
  std::string text() { return std::string(take(number())); }
  /// How many parts follow, of a byte or more each.
  std::size_t count() {
    const std::uint64_t count = number();
    if (count > bytes_.size()) throw too_short();
    return count;
  }
  template <class IdType>
  std::vector<IdType> ids() {
    const std::size_t size = count();
    std::vector<IdType> ids;
    ids.reserve(size);
    for (std::size_t i = 0; i < size; ++i) ids.emplace_back(number());
    return ids;
  }
  bool is_at_end() const { return bytes_.empty(); }

 private:
  static std::runtime_error too_short() {
    return std::runtime_error("a message between ranks is too short");
  }
  std::string_view take(std::size_t length) {
    if (length > bytes_.size()) throw too_short();
    const std::string_view taken = bytes_.substr(0, length);
    bytes_.remove_prefix(length);
    return taken;
  }

  std::string_view bytes_;
};

}  // namespace

std::string score_text(std::size_t graph, const std::string& groups,
                       std::span<const Placement> placements, std::span<const OpOrder> orders) {
  std::string bytes;
  put(graph, bytes);
  put_text(groups, bytes);
  put(placements.size(), bytes);
  for (const Placement& placement : placements) put_ids(placement.devices, bytes);
  put(orders.size(), bytes);
  for (const OpOrder& order : orders) put_ids(order, bytes);
  return bytes;
}

ScoreUnit score_unit(const std::string& text) {
  ByteReader reader(text);
  ScoreUnit unit{.graph = reader.number(), .groups = reader.text()};
  unit.placements.resize(reader.count());
  for (Placement& placement : unit.placements) placement.devices = reader.ids<DeviceId>();
  unit.orders.resize(reader.count());
  for (OpOrder& order : unit.orders) order = reader.ids<OpId>();
  return unit;
}

std::string score_text(std::span<const Score> scores) {
  std::string bytes;
  for (const Score& score : scores) {
    for (const std::int64_t number : {score.overflow_bytes, score.step_ps, score.astray_ops}) {
      put(static_cast<std::uint64_t>(number), bytes);
    }
  }
  return bytes;
}

std::vector<Score> scores_of(const std::string& text) {
  ByteReader reader(text);
  const auto next = [&] { return static_cast<std::int64_t>(reader.number()); };
  std::vector<Score> scores;
  while (!reader.is_at_end()) scores.push_back({next(), next(), next()});
  return scores;
}

std::string group_text(const Problem& placed) {
  std::string bytes;
  for (const OpId op : IdRange<OpId>(placed.op_count())) {
    put(placed.groups().of(op).index(), bytes);
  }
  return bytes;
}

std::vector<GroupId> groups_of_ops(const std::string& text) {
  ByteReader reader(text);
  std::vector<GroupId> groups;
  while (!reader.is_at_end()) groups.emplace_back(reader.number());
  return groups;
}

}  // namespace placer
