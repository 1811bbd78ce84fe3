#include "io/onnx/early_pieces.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>

namespace placer {
namespace {

constexpr std::size_t kMostNodesOfPaths = 30'000;  // as bits of pairs: 112 MB

/// Which nodes lead to which.
class Paths {
 public:
  explicit Paths(const std::vector<EarlyNode>& nodes) : words_((nodes.size() + 63) / 64) {
    if (nodes.size() > kMostNodesOfPaths) return;
    bits_.resize(nodes.size() * words_);
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      for (const std::size_t producer : nodes[node].producers) {
        for (std::size_t word = 0; word < words_; ++word) {
          bits_[node * words_ + word] |= bits_[producer * words_ + word];
        }
        bits_[node * words_ + producer / 64] |= std::uint64_t{1} << producer % 64;
      }
    }
  }

  /// False where paths are too many to be known.
  bool lead(std::size_t from, std::size_t to) const {
    return !bits_.empty() && (bits_[to * words_ + from / 64] >> from % 64 & 1) != 0;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;  // by node: those that lead to it
};

class EarlyShares {
 public:
  explicit EarlyShares(const std::vector<EarlyNode>& nodes)
      : nodes_(nodes), paths_(nodes), readers_(nodes.size()), piece_of_(nodes.size(), 0) {
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      for (const std::size_t producer : nodes[node].producers) readers_[producer].push_back(node);
    }
  }

  PieceShares share() {
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (!nodes_[node].is_copied) place(node);
    }
    return in_order();
  }

 private:
  struct Piece {
    std::size_t device = 0;
    std::vector<std::size_t> nodes;
    std::vector<std::size_t> readers;  // nodes that are in no piece yet or in another one
    std::pair<Picoseconds, std::size_t> end;
  };

  std::size_t device_of(std::size_t node) const {
    const EarlyNode& own = nodes_[node];
    if (!own.is_free || own.producers.empty()) return own.device;
    return pieces_[piece_of_[own.producers.front()]].device;
  }

  void place(std::size_t node) {
    const std::size_t device = device_of(node);
    std::size_t at = pieces_.size();
    for (const std::size_t producer : nodes_[node].producers) {
      const std::size_t piece = piece_of_[producer];
      if (pieces_[piece].device == device && can_join(node, piece)) at = piece;
    }
    if (at == pieces_.size()) pieces_.push_back({device, {}, {}, {}});
    Piece& piece = pieces_[at];
    piece_of_[node] = at;
    piece.nodes.push_back(node);
    std::erase(piece.readers, node);
    piece.readers.insert(piece.readers.end(), readers_[node].begin(), readers_[node].end());
    piece.end = std::max(piece.end, {nodes_[node].end_ps, node});
  }

  bool can_join(std::size_t node, std::size_t at) const {
    const Piece& piece = pieces_[at];
    const auto is_there = [&](std::size_t producer) {
      return piece_of_[producer] == at || std::ranges::any_of(piece.nodes, [&](std::size_t own) {
               return paths_.lead(producer, own);
             });
    };
    const auto waits = [&](std::size_t reader) {
      return reader == node || paths_.lead(node, reader);
    };
    return std::ranges::all_of(nodes_[node].producers, is_there) &&
           (nodes_[node].is_free || std::ranges::all_of(piece.readers, waits));
  }

  /// Numbers the pieces as they can run.
  PieceShares in_order() {
    std::vector<std::vector<std::size_t>> after(pieces_.size());
    std::vector<std::size_t> missing(pieces_.size(), 0);
    for (std::size_t at = 0; at < pieces_.size(); ++at) {
      for (const std::size_t reader : pieces_[at].readers) {
        if (piece_of_[reader] == at) continue;
        after[at].push_back(piece_of_[reader]);
        ++missing[piece_of_[reader]];
      }
    }
    using Next = std::pair<std::pair<Picoseconds, std::size_t>, std::size_t>;
    std::priority_queue<Next, std::vector<Next>, std::greater<>> ready;
    const auto offer = [&](std::size_t at) { ready.emplace(pieces_[at].end, at); };
    for (std::size_t at = 0; at < pieces_.size(); ++at) {
      if (missing[at] == 0) offer(at);
    }
    PieceShares shares;
    std::vector<std::size_t> number(pieces_.size(), 0);
    while (!ready.empty()) {
      const std::size_t at = ready.top().second;
      ready.pop();
      number[at] = shares.devices.size();
      shares.devices.push_back(pieces_[at].device);
      for (const std::size_t next : after[at]) {
        if (--missing[next] == 0) offer(next);
      }
    }
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      shares.piece_of.push_back(nodes_[node].is_copied ? 0 : number[piece_of_[node]]);
    }
    return shares;
  }

  const std::vector<EarlyNode>& nodes_;
  const Paths paths_;
  std::vector<std::vector<std::size_t>> readers_;  // by node
  std::vector<Piece> pieces_;
  std::vector<std::size_t> piece_of_;  // by node
};

}  // namespace

PieceShares share_early(const std::vector<EarlyNode>& nodes) { return EarlyShares(nodes).share(); }

}  // namespace placer
