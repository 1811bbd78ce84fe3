#include "search/groups/group_memory.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

using Bytes = std::vector<std::int64_t>;

// a -5-> b and c, b -11-> c, d -7-> a; a and b are a group; a's 5 bytes are kept
Problem shared_outputs() {
  std::vector<Op> ops{timed_op("a", 1), timed_op("b", 1), timed_op("c", 1), timed_op("d", 1)};
  ops[0].group = ops[1].group = "ab";
  ops[0].temp_bytes = 30;
  ops[1].temp_bytes = 20;
  ops[1].params_bytes = 100;
  std::vector<Tensor> tensors{tensor(0, {1, 2}, 5), tensor(1, {2}, 11), tensor(3, {0}, 7)};
  tensors[0].keep = true;
  return Problem(graph_of(ops, tensors), alike());
}

TEST_CASE("a group always holds its parameters and keeps the outputs that are kept") {
  const Problem problem = shared_outputs();
  CHECK(bytes_of_groups(problem, &GroupMemory::always_bytes) == Bytes{100, 0, 0});
  CHECK(bytes_of_groups(problem, &GroupMemory::kept_bytes) == Bytes{105, 0, 0});
}

TEST_CASE("the parameters and kept outputs of a group's ops add up, wherever they are read") {
  std::vector<Op> ops{timed_op("a", 1), timed_op("b", 1), timed_op("c", 1)};
  ops[0].params_bytes = 10;
  ops[2].params_bytes = 5;
  ops[0].group = ops[2].group = "g";
  std::vector<Tensor> tensors{tensor(0, {1}, 3), tensor(1, {2}, 4)};
  tensors[1].keep = true;
  const Problem problem(graph_of(ops, tensors), alike());
  CHECK(bytes_of_groups(problem, &GroupMemory::kept_bytes) == Bytes{15, 4});
}

TEST_CASE("a group holds at least what its neediest op makes, takes and needs for a time") {
  // a: 7 in, 5 out, 30 for a time; b: 5 in, 11 out, 20 for a time; c: 16 in; d: 7 out
  CHECK(bytes_of_groups(shared_outputs(), &GroupMemory::at_least_bytes) == Bytes{142, 16, 7});
}

TEST_CASE("a group holds at least what it keeps where no op needs more while it runs") {
  std::vector<Tensor> tensors{tensor(0, {}, 3), tensor(1, {}, 4)};
  tensors[0].keep = tensors[1].keep = true;
  const Problem problem(graph_of(seconds_each({1, 1}, "g"), tensors), alike());
  CHECK(bytes_of_groups(problem, &GroupMemory::at_least_bytes) == Bytes{7});
}

TEST_CASE("a group holds at most its parameters, all of its outputs and its largest temporary") {
  const Problem problem = shared_outputs();
  CHECK(bytes_of_groups(problem, &GroupMemory::made_bytes) == Bytes{116, 0, 7});
  CHECK(bytes_of_groups(problem, &GroupMemory::at_most_bytes) == Bytes{146, 0, 7});
}

TEST_CASE("a group touches each of its tensors once and its largest temporary") {
  CHECK(bytes_of_groups(shared_outputs(), &GroupMemory::touched_bytes) == Bytes{153, 16, 7});
}

TEST_CASE("an op that takes no time on a device holds nothing there but its parameters") {
  std::vector<Op> ops{timed_op("a", 0), timed_op("b", 2)};
  ops[0].params_bytes = 10;
  ops[0].temp_bytes = 50;
  ops[1].temp_bytes = 1;
  ops[0].group = ops[1].group = "g";
  std::vector<Tensor> tensors{tensor(0, {1}, 3), tensor(1, {}, 4)};
  tensors[0].keep = tensors[1].keep = true;
  const Problem problem(graph_of(ops, tensors), alike());
  const GroupMemory memory = group_memory_on(problem, DeviceId(0)).front();
  CHECK(memory.always_bytes == 10);
  CHECK(memory.kept_bytes == 14);
  CHECK(memory.at_least_bytes == 18);  // 10, and b's input, output and temporary
  CHECK(memory.made_bytes == 14);
  CHECK(memory.at_most_bytes == 15);
  CHECK(memory.touched_bytes == 18);
  CHECK(group_memory(problem).front().kept_bytes == 17);
}

TEST_CASE("a group holds nothing on a device where it may not go") {
  Op op = on(timed_op("a", 1), {"gpu:1"});
  op.params_bytes = 10;
  const Problem problem(graph_of({op}, {}), alike());
  CHECK(group_memory_on(problem, DeviceId(0)).front().always_bytes == 0);
  CHECK(group_memory_on(problem, DeviceId(1)).front().always_bytes == 10);
}

}  // namespace
}  // namespace placer::testing
