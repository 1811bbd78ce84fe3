#include "io/tensor_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "placer/base/errors.hpp"

namespace placer {
namespace {

/// A tensor's name means something beside its producer only.
struct ProducerAndName {
  OpId producer;
  std::string name;
  friend bool operator==(const ProducerAndName&, const ProducerAndName&) = default;
};

struct ProducerAndNameHash {
  std::size_t operator()(const ProducerAndName& key) const {
    return std::hash<std::string_view>{}(key.name) ^ (key.producer.index() * 0x9e3779b97f4a7c15u);
  }
};

template <class Value>
using ByProducerAndName = std::unordered_map<ProducerAndName, Value, ProducerAndNameHash>;

Tensor read_tensor(const JsonCursor& cursor, const OpNames& ops) {
  JsonObject members(cursor);
  Tensor tensor;
  if (const auto name = members.find("name")) tensor.name = name->take_name();
  tensor.producer = ops.find(members.required("producer"));
  members.required("consumers").for_each_element([&](const JsonCursor& consumer) {
    tensor.consumers.push_back(ops.find(consumer));
    if (tensor.consumers.back() == tensor.producer) {
      consumer.fail("another op than the producer");
    }
  });
  tensor.bytes = members.required("bytes").integer(0);
  if (const auto keep = members.find("keep")) tensor.keep = keep->boolean();
  if (const auto seconds = members.find("transfer_seconds")) {
    tensor.transfer_seconds = seconds->number(0);
  }
  members.no_other_keys();
  return tensor;
}

/// What is known of a tensor while its edges are read.
struct Merged {
  std::size_t tensor;
  std::size_t first_edge;
};

class EdgeReader {
 public:
  EdgeReader(const OpNames& ops, std::size_t op_count) : ops_(ops), unnamed_(op_count) {}

  void read(const JsonCursor& cursor) {
    JsonObject members(cursor);
    const OpId from = ops_.find(members.required("from"));
    const JsonCursor to_cursor = members.required("to");
    const OpId to = ops_.find(to_cursor);
    if (from == to) to_cursor.fail("another op than 'from'");
    const JsonCursor bytes_cursor = members.required("bytes");
    const std::int64_t bytes = bytes_cursor.integer(0);
    std::string name;
    if (const auto tensor = members.find("tensor")) name = tensor->take_name();
    members.no_other_keys();
    const Merged merged = find_or_add(from, std::move(name), bytes);
    Tensor& tensor = tensors_[merged.tensor];
    if (tensor.bytes != bytes) throw_unequal(bytes_cursor, merged);
    if (!pairs_.insert(merged.tensor << 32 | to.index()).second) {
      cursor.fail("each edge once", "it again");
    }
    tensor.consumers.push_back(to);
    ++edge_;
  }

  std::vector<Tensor> take() { return std::move(tensors_); }

 private:
  Merged find_or_add(OpId from, std::string name, std::int64_t bytes) {
    const Merged added{tensors_.size(), edge_};
    std::optional<Merged>& slot =
        name.empty() ? unnamed_[from.index()] : named_[ProducerAndName{from, name}];
    if (slot) return *slot;
    slot = added;
    Tensor tensor;
    tensor.name = std::move(name);
    tensor.producer = from;
    tensor.bytes = bytes;
    tensors_.push_back(std::move(tensor));
    return added;
  }

  [[noreturn]] void throw_unequal(const JsonCursor& bytes, const Merged& merged) const {
    const Tensor& tensor = tensors_[merged.tensor];
    bytes.fail(
        tensor.name.empty()
            ? fmt::format("{} as in edges[{}] (a producer's edges without 'tensor' are one "
                          "tensor)",
                          tensor.bytes, merged.first_edge)
            : fmt::format("{} as in edges[{}] (the same tensor)", tensor.bytes, merged.first_edge));
  }

  const OpNames& ops_;
  std::vector<Tensor> tensors_;
  std::vector<std::optional<Merged>> unnamed_;  // by producer
  ByProducerAndName<std::optional<Merged>> named_;
  std::unordered_set<std::uint64_t> pairs_;  // tensor and consumer
  std::size_t edge_ = 0;
};

}  // namespace

std::vector<Tensor> read_tensors(const JsonCursor& list, const OpNames& ops) {
  std::vector<Tensor> tensors;
  tensors.reserve(list.size());
  ByProducerAndName<std::size_t> first_with;
  list.for_each_element([&](const JsonCursor& cursor) {
    tensors.push_back(read_tensor(cursor, ops));
    const Tensor& tensor = tensors.back();
    if (tensor.name.empty()) return;
    const auto [at, is_new] =
        first_with.emplace(ProducerAndName{tensor.producer, tensor.name}, tensors.size() - 1);
    if (!is_new) {
      cursor.fail("tensors of one producer to have different names",
                  fmt::format("'{}' again (first at tensors[{}])", tensor.name, at->second));
    }
  });
  return tensors;
}

std::vector<Tensor> read_edges(const JsonCursor& list, const OpNames& ops, std::size_t op_count) {
  EdgeReader reader(ops, op_count);
  list.for_each_element([&](const JsonCursor& edge) { reader.read(edge); });
  return reader.take();
}

}  // namespace placer
