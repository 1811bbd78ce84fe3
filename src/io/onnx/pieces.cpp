#include "io/onnx/pieces.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "io/onnx/early_pieces.hpp"

namespace placer {
namespace {

constexpr std::size_t kNone = OnnxPieces::kNone;

/// Computed twice it would be another value.
bool is_random(const OnnxNode& node) {
  constexpr std::array<std::string_view, 3> kRandom = {"RandomNormalLike", "RandomUniformLike",
                                                       "Bernoulli"};
  return std::ranges::count(kRandom, node.op) > 0;
}

/// Which node makes each value; kNone for inputs and initializers.
std::vector<std::size_t> makers_of(const ShapedOnnx& shaped) {
  std::vector<std::size_t> makers(shaped.values.size(), kNone);
  for (std::size_t node = 0; node < shaped.steps.size(); ++node) {
    for (const OnnxValueId id : shaped.steps[node].outputs) {
      if (id != kNoOnnxValue) makers[id] = node;
    }
  }
  return makers;
}

enum class Kind {
  kWork,    // on its device
  kFree,    // where its inputs are
  kCopied,  // in each piece that reads it
};

std::vector<Kind> kinds_of(const OnnxModel& model, const ShapedOnnx& shaped,
                           const std::vector<std::size_t>& makers) {
  std::vector<Kind> kinds;
  for (std::size_t node = 0; node < shaped.steps.size(); ++node) {
    const OnnxStep& step = shaped.steps[node];
    const auto is_constant = [&](OnnxValueId id) {
      return id == kNoOnnxValue || shaped.values[id].is_constant;
    };
    const auto is_at_hand = [&](OnnxValueId id) {
      return is_constant(id) || makers[id] == kNone || kinds[makers[id]] == Kind::kCopied;
    };
    if (!step.is_view && !std::ranges::all_of(step.outputs, is_constant)) {
      kinds.push_back(Kind::kWork);
    } else if (!is_random(model.nodes[node]) && std::ranges::all_of(step.inputs, is_at_hand)) {
      kinds.push_back(Kind::kCopied);
    } else {
      kinds.push_back(Kind::kFree);
    }
  }
  return kinds;
}

/// Shares the nodes out to pieces: from what is ready on each device, the one that comes to its
/// end, else the one that goes on for the most nodes.
class NodeSharing {
 public:
  NodeSharing(const ShapedOnnx& shaped, const std::vector<std::size_t>& makers,
              const std::vector<Kind>& kinds, const std::vector<std::size_t>& device_of)
      : kinds_(kinds), device_of_(device_of) {
    const std::size_t count = shaped.steps.size();
    readers_.resize(count);
    missing_.resize(count, 0);
    piece_of_.resize(count, 0);
    for (std::size_t node = 0; node < count; ++node) {
      for (const OnnxValueId id : shaped.steps[node].inputs) {
        if (id == kNoOnnxValue || makers[id] == kNone) continue;
        readers_[makers[id]].push_back(node);
        ++missing_[node];
      }
      if (kinds[node] == Kind::kWork) ++left_[device_of[node]];
    }
    for (const auto& [device, work] : left_) ready_[device];
  }

  PieceShares run() {
    std::vector<std::size_t> free;
    for (std::size_t node = 0; node < missing_.size(); ++node) {
      if (missing_[node] > 0) continue;
      (kinds_[node] == Kind::kWork ? ready_[device_of_[node]] : free).push_back(node);
    }
    go_on(std::move(free), kNone);
    std::vector<std::size_t> devices;
    while (const std::optional<std::size_t> device = next_device()) {
      const Run run = start(*device);
      for (const std::size_t node : run.nodes) piece_of_[node] = devices.size();
      left_[*device] -= run.work;
      devices.push_back(*device);
    }
    return {std::move(piece_of_), std::move(devices)};
  }

 private:
  struct Run {
    std::vector<std::size_t> nodes;
    std::size_t work = 0;  // nodes of it that are
  };

  std::optional<std::size_t> next_device() {
    std::optional<std::size_t> best;
    std::size_t most = 0;
    for (const auto& [device, left] : left_) {
      if (ready_[device].empty()) continue;
      const std::size_t work = try_out(device);
      if (work == left) return device;
      if (work > most) {
        best = device;
        most = work;
      }
    }
    return best;
  }

  Run start(std::size_t device) { return go_on(std::exchange(ready_[device], {}), device); }

  /// Runs what is ready, and what that makes ready on the device.
  Run go_on(std::vector<std::size_t> ready, std::size_t device) {
    Run run;
    while (!ready.empty()) {
      const std::size_t node = ready.back();
      ready.pop_back();
      run.nodes.push_back(node);
      run.work += kinds_[node] == Kind::kWork;
      for (const std::size_t reader : readers_[node]) {
        if (--missing_[reader] > 0) continue;
        const bool is_here = kinds_[reader] != Kind::kWork || device_of_[reader] == device;
        (is_here ? ready : ready_[device_of_[reader]]).push_back(reader);
      }
    }
    return run;
  }

  /// How many nodes of work would run; all is as before then.
  std::size_t try_out(std::size_t device) {
    std::map<std::size_t, std::size_t> sizes;
    for (const auto& [other, nodes] : ready_) sizes[other] = nodes.size();
    std::vector<std::size_t> saved = ready_[device];
    const Run run = start(device);
    for (const std::size_t node : run.nodes) {
      for (const std::size_t reader : readers_[node]) ++missing_[reader];
    }
    for (const auto& [other, size] : sizes) {
      if (other != device) ready_[other].resize(size);
    }
    ready_[device] = std::move(saved);
    return run.work;
  }

  const std::vector<Kind>& kinds_;
  const std::vector<std::size_t>& device_of_;
  std::vector<std::vector<std::size_t>> readers_;  // by node, once for each input
  std::vector<std::size_t> missing_;               // by node: inputs that are not made yet
  std::vector<std::size_t> piece_of_;
  std::map<std::size_t, std::size_t> left_;  // by device: nodes of work
  std::map<std::size_t, std::vector<std::size_t>> ready_;
};

std::vector<EarlyNode> early_nodes(const ShapedOnnx& shaped, const std::vector<std::size_t>& makers,
                                   const std::vector<Kind>& kinds,
                                   const std::vector<std::size_t>& device_of,
                                   const std::vector<Picoseconds>& ends) {
  std::vector<std::set<std::size_t>> read(kinds.size());  // what copied ones read is read with them
  std::vector<EarlyNode> nodes;
  for (std::size_t node = 0; node < kinds.size(); ++node) {
    for (const OnnxValueId id : shaped.steps[node].inputs) {
      if (id == kNoOnnxValue || makers[id] == kNone) continue;
      const bool is_copied = kinds[makers[id]] == Kind::kCopied;
      if (is_copied) read[node].insert(read[makers[id]].begin(), read[makers[id]].end());
      if (!is_copied) read[node].insert(makers[id]);
    }
    nodes.push_back({{},
                     device_of[node],
                     ends[node],
                     kinds[node] == Kind::kFree,
                     kinds[node] == Kind::kCopied});
    if (nodes.back().is_copied) continue;
    nodes.back().producers.assign(read[node].begin(), read[node].end());
  }
  return nodes;
}

/// Fills pieces with nodes and values, from what each must give back to what it reads.
class Filler {
 public:
  Filler(const ShapedOnnx& shaped, const std::vector<std::size_t>& makers,
         const std::vector<Kind>& kinds, OnnxPieces& cut)
      : shaped_(shaped), makers_(makers), kinds_(kinds), cut_(cut) {
    cut.made_by.resize(shaped.values.size(), kNone);
    value_stamp_.resize(shaped.values.size(), kNone);
    node_stamp_.resize(makers.size(), kNone);
    is_initializer_.resize(shaped.values.size(), 0);
    for (const OnnxValueId id : shaped.initializers) is_initializer_[id] = 1;
  }

  void fill(const std::vector<std::size_t>& piece_of) {
    std::vector<std::vector<OnnxValueId>> asked(cut_.pieces.size());
    for (std::size_t node = 0; node < piece_of.size(); ++node) {
      if (kinds_[node] != Kind::kCopied) cut_.pieces[piece_of[node]].nodes.push_back(node);
    }
    for (const OnnxValueId id : shaped_.outputs) {
      if (makers_[id] == kNone && !is_initializer_[id]) continue;
      const std::size_t piece = makers_[id] == kNone ? 0 : piece_of[makers_[id]];
      asked[piece].push_back(id);
      give(id, piece);
    }
    for (std::size_t piece = 0; piece < cut_.pieces.size(); ++piece) {
      collect(piece, std::move(asked[piece]), piece_of);
    }
    for (OnnxPiece& piece : cut_.pieces) {
      for (auto* values : {&piece.inputs, &piece.initializers, &piece.outputs}) {
        std::ranges::sort(*values);
      }
      std::ranges::sort(piece.nodes);
    }
  }

 private:
  void give(OnnxValueId id, std::size_t piece) {
    if (cut_.made_by[id] != kNone) return;
    cut_.made_by[id] = piece;
    cut_.pieces[piece].outputs.push_back(id);
  }

  void collect(std::size_t piece, std::vector<OnnxValueId> asked,
               const std::vector<std::size_t>& piece_of) {
    const std::vector<std::size_t> own = cut_.pieces[piece].nodes;
    for (const std::size_t node : own) ask_inputs(node, asked);
    while (!asked.empty()) {
      const OnnxValueId id = asked.back();
      asked.pop_back();
      if (std::exchange(value_stamp_[id], piece) == piece) continue;
      const std::size_t maker = makers_[id];
      if (maker == kNone) {
        (is_initializer_[id] ? cut_.pieces[piece].initializers : cut_.pieces[piece].inputs)
            .push_back(id);
      } else if (kinds_[maker] == Kind::kCopied) {
        if (std::exchange(node_stamp_[maker], piece) == piece) continue;
        cut_.pieces[piece].nodes.push_back(maker);
        ask_inputs(maker, asked);
      } else if (piece_of[maker] != piece) {
        cut_.pieces[piece].inputs.push_back(id);
        give(id, piece_of[maker]);
      }
    }
  }

  void ask_inputs(std::size_t node, std::vector<OnnxValueId>& asked) const {
    for (const OnnxValueId id : shaped_.steps[node].inputs) {
      if (id != kNoOnnxValue) asked.push_back(id);
    }
  }

  const ShapedOnnx& shaped_;
  const std::vector<std::size_t>& makers_;
  const std::vector<Kind>& kinds_;
  OnnxPieces& cut_;
  std::vector<std::size_t> value_stamp_, node_stamp_;  // the last piece that took it
  std::vector<char> is_initializer_;                   // by value
};

}  // namespace

OnnxPieces cut_onnx(const OnnxModel& model, const ShapedOnnx& shaped,
                    const std::vector<std::size_t>& device_of,
                    const std::vector<Picoseconds>& ends) {
  const std::vector<std::size_t> makers = makers_of(shaped);
  const std::vector<Kind> kinds = kinds_of(model, shaped, makers);
  const PieceShares shares = ends.empty()
                                 ? NodeSharing(shaped, makers, kinds, device_of).run()
                                 : share_early(early_nodes(shaped, makers, kinds, device_of, ends));
  OnnxPieces cut;
  for (const std::size_t device : shares.devices) cut.pieces.push_back({.device = device});
  if (cut.pieces.empty()) cut.pieces.push_back({device_of.empty() ? 0 : device_of.front()});
  Filler(shaped, makers, kinds, cut).fill(shares.piece_of);
  cut.of_node = shares.piece_of;
  for (std::size_t piece = cut.pieces.size(); piece-- > 0;) {
    for (const std::size_t node : cut.pieces[piece].nodes) cut.of_node[node] = piece;
  }
  return cut;
}

}  // namespace placer
