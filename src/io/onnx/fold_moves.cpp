// What small constants give when their elements are moved: each rule lists the source of every
// output element.
#include <algorithm>
#include <numeric>

#include "io/onnx/fold.hpp"

namespace placer {
namespace {

std::size_t count_of(const OnnxShape& shape) {
  return static_cast<std::size_t>(element_count(shape));
}

OnnxValues picked(const OnnxValues& from, const std::vector<std::size_t>& sources) {
  return std::visit(
      [&](const auto& all) -> OnnxValues {
        std::remove_cvref_t<decltype(all)> result;
        for (const std::size_t source : sources) result.push_back(all[source]);
        return result;
      },
      from);
}

/// Calls `add` with each position of `shape`, row by row.
template <class Add>
void for_each_position(const OnnxShape& shape, Add add) {
  OnnxShape at(shape.size(), 0);
  for (std::size_t left = count_of(shape); left > 0; --left) {
    add(at);
    for (std::size_t i = shape.size(); i-- > 0;) {
      if (++at[i] < shape[i]) break;
      at[i] = 0;
    }
  }
}

std::size_t place_of(const OnnxShape& at, const OnnxShape& shape) {
  std::int64_t place = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) place = place * shape[i] + at[i];
  return static_cast<std::size_t>(place);
}

bool knows(const OnnxNodeView& node, std::size_t i) { return node.values(i) != nullptr; }

}  // namespace

std::vector<std::size_t> broadcast_sources(const OnnxShape& to, const OnnxShape& from) {
  std::vector<std::size_t> sources;
  const std::size_t skipped = to.size() - std::min(from.size(), to.size());
  for_each_position(to, [&](const OnnxShape& at) {
    OnnxShape here(at.begin() + static_cast<std::ptrdiff_t>(skipped), at.end());
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (from[i] == 1) here[i] = 0;
    }
    sources.push_back(place_of(here, from));
  });
  return sources;
}

void fold_copy(OnnxNodeView& node) {
  if (knows(node, 0)) node.set_values(0, *node.values(0));
}

void fold_expand(OnnxNodeView& node) {
  if (!knows(node, 0)) return;
  node.set_values(0,
                  picked(*node.values(0), broadcast_sources(node.output(0).shape, node.shape(0))));
}

void fold_gather(OnnxNodeView& node) {
  if (!knows(node, 0) || !knows(node, 1)) return;
  const OnnxShape& table = node.shape(0);
  const std::size_t axis = node.axis(node.integer("axis", 0), node.rank(0));
  const auto split = table.begin() + static_cast<std::ptrdiff_t>(axis);
  const std::size_t outer = count_of({table.begin(), split}),
                    inner = count_of({split + 1, table.end()});
  const auto extent = static_cast<std::size_t>(table[axis]);
  std::vector<std::size_t> sources;
  for (std::size_t i = 0; i < outer; ++i) {
    for (const std::int64_t index : node.integers(1)) {
      const std::size_t row = i * extent + node.axis(index, table[axis]);
      for (std::size_t k = 0; k < inner; ++k) sources.push_back(row * inner + k);
    }
  }
  node.set_values(0, picked(*node.values(0), sources));
}

void fold_slice(OnnxNodeView& node) {
  if (!knows(node, 0)) return;
  const std::vector<OnnxSlice> slices = slices_of(node);
  std::vector<std::size_t> sources;
  OnnxShape shape;
  for (const OnnxSlice& part : slices) shape.push_back(part.count);
  for_each_position(shape, [&](const OnnxShape& at) {
    OnnxShape from = at;
    for (std::size_t i = 0; i < from.size(); ++i) {
      from[i] = slices[i].start + at[i] * slices[i].step;
    }
    sources.push_back(place_of(from, node.shape(0)));
  });
  node.set_values(0, picked(*node.values(0), sources));
}

void fold_transpose(OnnxNodeView& node) {
  if (!knows(node, 0)) return;
  std::vector<std::int64_t> order = node.integers("perm");
  if (!node.has("perm")) {
    for (std::int64_t i = node.rank(0); i > 0; --i) order.push_back(i - 1);
  }
  std::vector<std::size_t> sources;
  for_each_position(node.output(0).shape, [&](const OnnxShape& at) {
    OnnxShape from = at;
    for (std::size_t i = 0; i < at.size(); ++i) from[node.axis(order[i], node.rank(0))] = at[i];
    sources.push_back(place_of(from, node.shape(0)));
  });
  node.set_values(0, picked(*node.values(0), sources));
}

void fold_split(OnnxNodeView& node) {
  if (!knows(node, 0)) return;
  const std::size_t axis = node.axis(node.integer("axis", 0), node.rank(0));
  std::int64_t start = 0;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (!node.has_output(i)) return;
    std::vector<std::size_t> sources;
    for_each_position(node.output(i).shape, [&](OnnxShape at) {
      at[axis] += start;
      sources.push_back(place_of(at, node.shape(0)));
    });
    start += node.output(i).shape[axis];
    node.set_values(i, picked(*node.values(0), sources));
  }
}

void fold_tile(OnnxNodeView& node) {
  if (!knows(node, 0)) return;
  std::vector<std::size_t> sources;
  for_each_position(node.output(0).shape, [&](OnnxShape at) {
    for (std::size_t i = 0; i < at.size(); ++i) at[i] %= node.shape(0)[i];
    sources.push_back(place_of(at, node.shape(0)));
  });
  node.set_values(0, picked(*node.values(0), sources));
}

void fold_concat(OnnxNodeView& node) {
  const std::size_t axis = node.axis(node.integer("axis", 1), node.rank(0));
  OnnxValues joined = std::holds_alternative<std::vector<double>>(*node.values(0))
                          ? OnnxValues(std::vector<double>())
                          : OnnxValues(std::vector<std::int64_t>());
  std::size_t outer = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(node.shape(0)[i]);
  for (std::size_t row = 0; row < outer; ++row) {
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      const OnnxValues& values = *node.values(i);
      if (values.index() != joined.index()) return;
      const std::size_t each = count_of(node.shape(i)) / outer;
      std::vector<std::size_t> sources(each);
      std::iota(sources.begin(), sources.end(), row * each);
      const OnnxValues part = picked(values, sources);
      std::visit(
          [&](auto& all) {
            const auto& more = std::get<std::remove_cvref_t<decltype(all)>>(part);
            all.insert(all.end(), more.begin(), more.end());
          },
          joined);
    }
  }
  node.set_values(0, std::move(joined));
}

void fold_nonzero(OnnxNodeView& node) {
  const std::vector<double> all = node.numbers(0);
  std::vector<OnnxShape> found;
  std::size_t next = 0;
  for_each_position(node.shape(0), [&](const OnnxShape& at) {
    if (all[next++] != 0) found.push_back(at);
  });
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < node.shape(0).size(); ++i) {
    for (const OnnxShape& at : found) places.push_back(at[i]);
  }
  node.set_values(0, std::move(places));
}

}  // namespace placer
