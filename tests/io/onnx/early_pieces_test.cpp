#include "io/onnx/early_pieces.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "placer/base/rng.hpp"

namespace placer {
namespace {

using Numbers = std::vector<std::size_t>;

EarlyNode node(std::size_t device, Numbers producers, Picoseconds end_ps = 0) {
  return {std::move(producers), device, end_ps, false, false};
}

TEST_CASE("A chain goes on until it leaves its device") {
  const PieceShares got = share_early({node(0, {}), node(0, {0}), node(1, {1}), node(0, {2})});
  CHECK(got.piece_of == Numbers{0, 0, 1, 2});
  CHECK(got.devices == Numbers{0, 1, 0});
}

TEST_CASE("A tensor that another device waits for ends a piece") {
  // 0 -> 1 -> 3 and 0 -> 2, of which 2 is elsewhere and need not wait for 1.
  const PieceShares got =
      share_early({node(0, {}, 1), node(0, {0}, 2), node(1, {0}, 3), node(0, {1}, 4)});
  CHECK(got.piece_of == Numbers{0, 2, 1, 2});
}

TEST_CASE("A tensor that comes later begins a piece") {
  // 2 is elsewhere; 1 reads it, and 0 does not wait for that.
  const PieceShares got = share_early({node(0, {}, 1), node(1, {}, 2), node(0, {0, 1}, 3)});
  CHECK(got.piece_of == Numbers{0, 1, 2});
}

TEST_CASE("What branches and joins on its device is one piece") {
  const PieceShares got =
      share_early({node(0, {}), node(0, {0}), node(0, {0, 1}), node(1, {0, 2})});
  CHECK(got.piece_of == Numbers{0, 0, 0, 1});
}

TEST_CASE("Branches to other devices are pieces of their own, those that end first before") {
  const PieceShares got = share_early(
      {node(0, {}, 1), node(0, {0}, 9), node(0, {0}, 5), node(1, {1}, 12), node(1, {2}, 7)});
  CHECK(got.piece_of == Numbers{0, 3, 1, 4, 2});
}

TEST_CASE("A free node is where its producer is, and a copied one in no piece of its own") {
  std::vector<EarlyNode> nodes = {node(0, {}), node(1, {0}), node(1, {0}), node(0, {})};
  nodes[1].is_free = true;
  nodes[3].is_copied = true;
  const PieceShares got = share_early(nodes);
  CHECK(got.piece_of == Numbers{0, 0, 1, 0});
  CHECK(got.devices == Numbers{0, 1});
}

TEST_CASE("Nothing and a lone node can be shared out") {
  CHECK(share_early({}).devices.empty());
  CHECK(share_early({node(3, {})}).devices == Numbers{3});
}

std::vector<EarlyNode> drawn_nodes(Rng& rng) {
  std::vector<EarlyNode> nodes;
  const std::size_t count = 1 + rng.below(25);
  for (std::size_t at = 0; at < count; ++at) {
    std::set<std::size_t> producers;
    for (std::size_t i = rng.below(3); at > 0 && i > 0; --i) {
      producers.insert(at - 1 - rng.below(std::min<std::size_t>(at, 6)));
    }
    nodes.push_back(node(rng.below(3), Numbers(producers.begin(), producers.end()),
                         static_cast<Picoseconds>(rng.below(50))));
    nodes.back().is_free = rng.chance(0.1);
  }
  return nodes;
}

/// Whether there is a path, found by trying them all.
bool leads(const std::vector<EarlyNode>& nodes, std::size_t from, std::size_t to) {
  return std::ranges::any_of(nodes[to].producers, [&](std::size_t producer) {
    return producer == from || (producer > from && leads(nodes, from, producer));
  });
}

TEST_CASE("No piece waits for more than its first node, nobody for more than it must") {
  Rng rng(11);
  std::size_t shared = 0;
  for (int i = 0; i < 400; ++i) {
    const std::vector<EarlyNode> nodes = drawn_nodes(rng);
    const PieceShares got = share_early(nodes);
    shared += nodes.size() - got.devices.size();
    Numbers first(got.devices.size(), nodes.size());
    for (std::size_t at = nodes.size(); at-- > 0;) first[got.piece_of[at]] = at;
    for (std::size_t at = 0; at < nodes.size(); ++at) {
      const std::size_t piece = got.piece_of[at];
      if (!nodes[at].is_free) CHECK(got.devices[piece] == nodes[at].device);
      for (const std::size_t producer : nodes[at].producers) {
        if (got.piece_of[producer] == piece) continue;
        CHECK(got.piece_of[producer] < piece);
        CHECK((at == first[piece] || leads(nodes, producer, first[piece])));
        for (std::size_t own = 0; own < nodes.size(); ++own) {
          if (got.piece_of[own] != got.piece_of[producer] || nodes[own].is_free) continue;
          CHECK(leads(nodes, own, at));
        }
      }
    }
  }
  CHECK(shared > 300);
}

}  // namespace
}  // namespace placer
