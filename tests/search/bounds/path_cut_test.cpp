// What one device cannot do of a path, and what delays the path where it can.
#include <catch2/catch.hpp>

#include "placer/search/bounds.hpp"
#include "search/bounds/path_branches.hpp"
#include "search/bounds/path_sides.hpp"
#include "support/exhaustive.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

TEST_CASE("a chain that no device holds pays for its cheapest transfer") {
  std::vector<Op> ops = seconds_each({1, 1, 1});
  for (Op& op : ops) op.params_bytes = 10;
  const Problem problem(graph_of(ops, {tensor(0, {1}, 7), tensor(1, {2}, 4)}),
                        alike({.memory_bytes = 35}));
  const LowerBounds bounds = lower_bounds(problem);
  CHECK(bounds.fork_join_ps == to_picoseconds(3));
  CHECK(bounds.cut_ps == to_picoseconds(7));  // 3 s of ops and 4 bytes
  CHECK(best_bound(bounds).name == "cut");
}

TEST_CASE("a chain of which a device holds two ops in a row pays for its cheapest two cuts") {
  std::vector<Op> ops = seconds_each({1, 1, 1, 1, 1});
  for (Op& op : ops) op.params_bytes = 20;
  const std::vector<Tensor> tensors = {tensor(0, {1}, 7), tensor(1, {2}, 4), tensor(2, {3}, 2),
                                       tensor(3, {4}, 3)};
  const Problem problem(graph_of(ops, tensors), alike({.devices = 3, .memory_bytes = 55}));
  CHECK(lower_bounds(problem).cut_ps == to_picoseconds(5 + 4 + 2));  // 2 and 3 would leave three
}

TEST_CASE("what the forward pass leaves for the backward pass is on its groups' devices at once") {
  std::vector<Op> ops = seconds_each({1, 1, 1, 1, 1, 1});
  const char* layers[] = {"0", "1", "2", "2", "1", "0"};
  for (std::size_t op = 0; op < ops.size(); ++op) ops[op].group = layers[op];
  const Graph graph = graph_of(ops, {tensor(0, {1, 5}, 9), tensor(1, {2, 4}, 7), tensor(2, {3}, 1),
                                     tensor(3, {4}, 1), tensor(4, {5}, 2)});
  const auto bounds = [&](std::size_t devices) {
    return lower_bounds(Problem(graph, alike({.devices = devices, .memory_bytes = 16})));
  };
  CHECK(bounds(1).infeasible ==
        "parameters and tensors that are in use while op 'op4' runs take 19 bytes, more than the "
        "16 bytes of all devices together");
  CHECK(bounds(2).infeasible == "");
  CHECK(bounds(2).cut_ps == to_picoseconds(6 + 9 + 2));  // between the layers 0 and 1
}

TEST_CASE("parts without a tensor between them need not be cut") {
  std::vector<Op> ops = seconds_each({1, 1, 1, 1});
  for (Op& op : ops) op.params_bytes = 10;
  const Problem problem(graph_of(ops, {tensor(0, {1}, 7), tensor(2, {3}, 4)}),
                        alike({.memory_bytes = 30}));
  CHECK(lower_bounds(problem).cut_ps == 0);
}

/// A chain of `length` ops over tensors of a byte, and ops beside it. Each takes 1 second; on
/// gpu:2, one of the chain takes 10 and one beside it 100. Two fit on each of the three devices.
Problem chain_with_a_slow_device(std::size_t length, std::size_t beside) {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t at = 0; at < length + beside; ++at) {
    ops.push_back(timed_op("op" + std::to_string(at), 1));
    ops.back().seconds.emplace_back("gpu:2", at < length ? 10 : 100);
    ops.back().params_bytes = 60'000'000;
    if (at > 0 && at < length) tensors.push_back(tensor(at - 1, {at}, 1));
  }
  return Problem(graph_of(std::move(ops), std::move(tensors)),
                 alike({.devices = 3, .memory_bytes = 120'000'002}));
}

/// That the bound is as high as the best step takes, but for the steps in which it is looked for.
void check_cut(const Problem& problem, double best_seconds) {
  CHECK(exhaustive_best_order(problem).step_ps == to_picoseconds(best_seconds));
  const Picoseconds cut_ps = lower_bounds(problem).cut_ps;
  CHECK(cut_ps <= to_picoseconds(best_seconds));
  CHECK(cut_ps > to_picoseconds(0.98 * best_seconds));
}

TEST_CASE("what fast devices have no room for makes a path longer on a slow one") {
  check_cut(chain_with_a_slow_device(5, 0), 4 + 10 + 2);
}

TEST_CASE("what is beside a path takes room and time of devices as well") {
  check_cut(chain_with_a_slow_device(4, 1), 3 + 10 + 2);
}

TEST_CASE("a time that stands for never swallows no price of what follows") {
  // On gpu:0 the first of a chain of six takes three months, on gpu:1 nothing; the others take
  // 1 and 3 ns, and two beside the chain 1 ns. Six of the eight fit on gpu:0.
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t at = 0; at < 8; ++at) {
    ops.push_back(timed_op("op" + std::to_string(at), 1e-9));
    ops.back().params_bytes = 10;
    if (at < 6)
      ops.back().seconds = {{"gpu:0", at == 0 ? 8e6 : 1e-9}, {"gpu:1", at == 0 ? 0 : 3e-9}};
    if (at > 0 && at < 6) tensors.push_back(tensor(at - 1, {at}, 0));
  }
  const Problem problem(graph_of(std::move(ops), std::move(tensors)), alike({.memory_bytes = 60}));
  const Score best = exhaustive_best(problem).score;
  CHECK(best.fits());
  CHECK(lower_bounds(problem).best_ps() <= best.step_ps);
}

TEST_CASE("steps that take no time, and memories of all bytes that a file can name, have a bound") {
  std::vector<Op> none = seconds_each({0, 0, 0, 0, 0});
  for (Op& op : none) op.params_bytes = 10;
  CHECK(lower_bounds(Problem(graph_of(none, {tensor(0, {1}, 0), tensor(1, {2}, 0)}),
                             alike({.devices = 3, .memory_bytes = 20})))
            .best_ps() == 0);
  // Forty devices that hold 2^53 bytes each, and forty ops of half of that: all fit on the
  // first 20.
  std::vector<Op> ops = seconds_each(std::vector<double>(40, 1));
  std::vector<Tensor> tensors;
  for (std::size_t at = 0; at < ops.size(); ++at) {
    ops[at].params_bytes = std::int64_t{1} << 52;
    for (int slow = 20; slow < 40; ++slow) {
      ops[at].seconds.emplace_back("gpu:" + std::to_string(slow), 30);
    }
    if (at > 0) tensors.push_back(tensor(at - 1, {at}, 0));
  }
  const Problem problem(graph_of(std::move(ops), std::move(tensors)),
                        alike({.devices = 40, .memory_bytes = std::int64_t{1} << 53}));
  CHECK(lower_bounds(problem).best_ps() <= to_picoseconds(40));
}

/// Three layers forward and back, a second each; the gradient of each one's parameters, which takes
/// two, reads what its backward op reads.
Problem training_step(std::int64_t bytes) {
  std::vector<Op> ops = seconds_each({1, 1, 1, 1, 1, 1, 2, 2, 2});
  const char* layers[] = {"0", "1", "2", "2", "1", "0", "2", "1", "0"};
  for (std::size_t op = 0; op < ops.size(); ++op) ops[op].group = layers[op];
  return Problem(graph_of(ops, {tensor(0, {1}, bytes), tensor(1, {2}, bytes), tensor(2, {3, 6}, 0),
                                tensor(3, {4, 7}, bytes), tensor(4, {5, 8}, bytes)}),
                 alike({.contention = Contention::kNone}));
}

TEST_CASE("where a path is cut, a training step pays there and back") {
  const Problem problem = training_step(2);
  // A cut: 7 s of path, which ends with a gradient, 4 s of transfers, and a backward op that has to
  // run beside the gradient. Without a cut, 12 s of work.
  CHECK(lower_bounds(problem).cut_ps == to_picoseconds(7 + 4 + 1));
  CHECK(exhaustive_best_order(problem).step_ps == to_picoseconds(12));
}

TEST_CASE("first in, first out, gradients of parameters delay the way back on their device") {
  const Problem problem = training_step(1);
  const LowerBounds any = lower_bounds(problem), fifo = lower_bounds(problem, {}, Order::kFifo);
  CHECK(any.cut_ps == to_picoseconds(7 + 2 + 1));
  CHECK(exhaustive_best_order(problem).step_ps == any.best_ps());
  CHECK(fifo.cut_ps == to_picoseconds(7 + 2 + 1 + 2));  // another gradient before
  CHECK(exhaustive_best(problem, Order::kFifo).score.step_ps == fifo.best_ps());
}

TEST_CASE("what delays a path depends on the order in which devices take their ops") {
  const Problem problem = training_step(1);
  const GroupChain chain(problem, {OpId(0), OpId(1), OpId(2), OpId(3), OpId(4), OpId(5)});
  const auto sides = [&](Order order) {
    std::vector<std::pair<std::size_t, std::size_t>> found;  // op, first link
    for (const auto& of_link : sides_of_path(problem, chain, order)) {
      for (const PathSide& side : of_link) found.emplace_back(side.op.index(), side.first);
    }
    return found;
  };
  using Found = std::vector<std::pair<std::size_t, std::size_t>>;
  CHECK(sides(Order::kFifo) == Found{{7, 0}, {6, 1}});  // ready with the backward op of its layer
  CHECK(sides(Order::kGiven).empty());
  CHECK(sides(Order::kPriority).empty());
  CHECK(sides(Order::kProgram).empty());  // their ids are higher than all of the path
}

TEST_CASE("branches beside a path run on its device or pay for the way to another and back") {
  // From op0 to op5: the path over op1, branches of 2 s over op2 and of 3 s over op3 and op4.
  const auto bound = [](std::int64_t bytes) {
    const Problem problem(
        graph_of(seconds_each({1, 4, 2, 1, 2, 1}),
                 {tensor(0, {1, 2, 3}, bytes), tensor(1, {5}, 99), tensor(2, {5}, bytes),
                  tensor(3, {4}, bytes), tensor(4, {5}, bytes)}),
        alike({.contention = Contention::kNone}));
    const LowerBounds bounds = lower_bounds(problem);
    CHECK(bounds.best_ps() <= exhaustive_best_order(problem).step_ps);
    const DeviceKinds kinds(problem);
    const GroupChain chain(problem, {OpId(0), OpId(1), OpId(5)});
    const auto found = branches_of_path(problem, MemoryFit(problem), kinds, chain,
                                        sides_of_path(problem, chain, Order::kGiven));
    REQUIRE(found.back().size() == 1);
    CHECK(found.back().front().first == 0);
    return found.back().front().delay_ps.front();
  };
  CHECK(bound(9) == to_picoseconds(2 + 3));              // all on one device
  CHECK(bound(2) == to_picoseconds(2 + 2 * 2 + 1 - 4));  // all away, the longer one for 3 + 4 s
  CHECK(bound(0) == 0);
}

}  // namespace
}  // namespace placer::testing
