#include "search/core/fingerprint.hpp"

#include <string_view>

namespace placer {
namespace {

/// FNV-1a over words.
class Hash {
 public:
  template <class Number>
  void add(Number number) {
    hash_ = (hash_ ^ static_cast<std::uint64_t>(number)) * 0x100000001b3;
    hash_ ^= hash_ >> 29;
  }
  void add(std::string_view text) {
    for (const char letter : text) add(static_cast<unsigned char>(letter));
    add(text.size());
  }
  std::int64_t value() const { return static_cast<std::int64_t>(hash_ >> 2); }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace

std::int64_t fingerprint(const Problem& problem) {
  Hash hash;
  const IdRange<DeviceId> devices(problem.device_count());
  for (const DeviceId device : devices) {
    hash.add(problem.topology().device(device).memory_bytes);
    hash.add(problem.topology().device(device).slots);
  }
  hash.add(static_cast<int>(problem.topology().contention()));
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    const GroupId group = problem.groups().of(op);
    hash.add(std::string_view(problem.graph().op(op).name));
    hash.add(group.index());
    hash.add(problem.graph().op(op).params_bytes);
    for (const DeviceId device : problem.groups().allowed(group)) {
      hash.add(device.index());
      hash.add(problem.costs().op_ps(op, device));
    }
  }
  for (const TensorId tensor : IdRange<TensorId>(problem.graph().tensors().size())) {
    const Tensor& each = problem.graph().tensor(tensor);
    hash.add(each.producer.index());
    hash.add(each.bytes);
    for (const OpId consumer : each.consumers) hash.add(consumer.index());
    for (const DeviceId from : devices) {
      for (const DeviceId to : devices) {
        if (problem.topology().route(from, to) == nullptr) continue;
        hash.add(problem.costs().transfer_ps(tensor, from, to));
      }
    }
  }
  return hash.value();
}

}  // namespace placer
