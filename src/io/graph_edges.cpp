#include "io/graph_edges.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include "io/field_json.hpp"
#include "io/op_names.hpp"
#include "placer/base/errors.hpp"

namespace placer {
namespace {

std::vector<OpId> consumers_from(const JsonCursor& list, const OpNames& names, OpId producer) {
  std::vector<OpId> consumers;
  consumers.reserve(list.size());
  list.for_each_element([&](const JsonCursor& consumer) {
    consumers.push_back(names.find(consumer));
    if (consumers.back() == producer) consumer.fail("an op other than the producer");
  });
  return consumers;
}

void read_tensor(const JsonCursor& cursor, const OpNames& names, Tensor& tensor) {
  JsonObject object(cursor);
  read_fields(object, kTensorFields, tensor,
              [&](const JsonCursor& field, const FieldRules& rules, auto& member) {
                using Member = std::remove_cvref_t<decltype(member)>;
                if constexpr (std::is_same_v<Member, OpId>) {
                  member = names.find(field);
                } else if constexpr (std::is_same_v<Member, std::vector<OpId>>) {
                  member = consumers_from(field, names, tensor.producer);
                } else {
                  read_value(field, rules, member);
                }
              });
  object.no_other_keys();
}

/// A tensor's name means something beside its producer only.
std::string merge_key(OpId producer, const std::string& name) {
  return fmt::format("{}/{}", producer.index(), name);
}

/// Joins the edges of each tensor in the order of first appearance.
class EdgeReader {
 public:
  explicit EdgeReader(const OpNames& names) : names_(names) {}

  void read(const JsonCursor& cursor, std::size_t position) {
    JsonObject object(cursor);
    const OpId from = names_.find(object.required("from"));
    const JsonCursor to_cursor = object.required("to");
    const OpId to = names_.find(to_cursor);
    if (from == to) to_cursor.fail("an op other than the producer");
    const JsonCursor bytes_cursor = object.required("bytes");
    const std::int64_t bytes = bytes_cursor.integer(0);
    std::string name;
    if (const auto given = object.find("tensor")) name = given->name();
    object.no_other_keys();

    const auto [at, is_new] = tensor_of_.emplace(merge_key(from, name), tensors_.size());
    if (is_new) {
      tensors_.push_back({.name = name,
                          .producer = from,
                          .consumers = {},
                          .bytes = bytes,
                          .keep = false,
                          .transfer_seconds = {}});
      first_edge_.push_back(position);
    }
    Tensor& tensor = tensors_[at->second];
    if (tensor.bytes != bytes) {
      bytes_cursor.fail(
          fmt::format("{} as in edges[{}]{}", tensor.bytes, first_edge_[at->second],
                      name.empty() ? ", since an op's edges without 'tensor' are one tensor" : ""));
    }
    if (!edges_.insert(at->second << 32 | to.index()).second) {
      cursor.fail("each edge once", "the same edge again");
    }
    tensor.consumers.push_back(to);
  }

  std::vector<Tensor> finish() && { return std::move(tensors_); }

 private:
  const OpNames& names_;
  std::unordered_map<std::string, std::size_t> tensor_of_;  // "producer/name"
  std::vector<std::size_t> first_edge_;                     // by tensor
  std::unordered_set<std::size_t> edges_;                   // tensor and consumer
  std::vector<Tensor> tensors_;
};

}  // namespace

std::vector<Tensor> read_tensors(const JsonCursor& list, const std::vector<Op>& ops) {
  const OpNames names(ops);
  std::vector<Tensor> tensors;
  tensors.reserve(list.size());
  list.for_each_element(
      [&](const JsonCursor& tensor) { read_tensor(tensor, names, tensors.emplace_back()); });
  std::unordered_map<std::string, std::size_t> first;  // "producer/name"
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].name.empty()) continue;
    const auto [at, is_new] = first.emplace(merge_key(tensors[i].producer, tensors[i].name), i);
    if (is_new) continue;
    throw Error(
        fmt::format("{}: tensors[{}].name: expected tensors of one op to have different names, "
                    "found '{}' again (first at tensors[{}])",
                    list.file(), i, one_line(tensors[i].name, 60), at->second));
  }
  return tensors;
}

std::vector<Tensor> read_edges(const JsonCursor& list, const std::vector<Op>& ops) {
  const OpNames names(ops);
  EdgeReader reader(names);
  std::size_t position = 0;
  list.for_each_element([&](const JsonCursor& edge) { reader.read(edge, position++); });
  return std::move(reader).finish();
}

}  // namespace placer
