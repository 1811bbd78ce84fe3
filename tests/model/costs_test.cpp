#include "placer/model/costs.hpp"

#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"
#include "placer/model/problem.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

using Catch::Message;

/// "gpu:0" of 10 flops/s and 4 bytes/s, reached to a half, after 0.25 s of launch.
Topology roofline_device() {
  Device device;
  device.name = "gpu:0";
  device.type = "gpu";
  device.flops_per_second.of_others = 10;
  device.bytes_per_second = 4;
  device.efficiency = 0.5;
  device.launch_seconds = 0.25;
  return Topology({device}, {});
}

Op roofline_op(std::optional<double> flops, std::optional<double> bytes) {
  Op op;
  op.name = "a";
  op.flops = flops;
  op.bytes = bytes;
  return op;
}

double seconds_of(const Op& op, const Topology& topology, std::size_t device = 0) {
  return to_seconds(Problem(graph_of({op}, {}), topology).costs().op_ps(OpId(0), DeviceId(device)));
}

TEST_CASE("The roofline takes the slower of arithmetic and memory, after the launch", "[model]") {
  CHECK(seconds_of(roofline_op(20, 1), roofline_device()) == 4.25);  // 20 / 5 against 1 / 2
  CHECK(seconds_of(roofline_op(5, 6), roofline_device()) == 3.25);   // 5 / 5 against 6 / 2
  CHECK(seconds_of(roofline_op(std::nullopt, 6), roofline_device()) == 3.25);
  CHECK(seconds_of(roofline_op(0, std::nullopt), roofline_device()) == 0.25);
}

TEST_CASE("Seconds by device name beat those by type, which beat the roofline", "[model]") {
  Op op = roofline_op(20, 1);
  op.seconds = {{"gpu", 7}};
  CHECK(seconds_of(op, roofline_device()) == 7);
  op.seconds = {{"gpu:0", 5}, {"gpu", 7}};
  CHECK(seconds_of(op, roofline_device()) == 5);
  op.seconds = {{"gpu", 7}, {"gpu:0", 5}};
  CHECK(seconds_of(op, roofline_device()) == 5);
  op.seconds = {{"cpu", 9}};
  CHECK(seconds_of(op, roofline_device()) == 4.25);
}

TEST_CASE("An op without a cost on an allowed device is refused", "[model]") {
  CHECK_THROWS_MATCHES(
      seconds_of(roofline_op(std::nullopt, std::nullopt), roofline_device()), Error,
      Message("ops[0] ('a'): expected a cost (seconds, flops or bytes) on device 'gpu:0', found "
              "none"));
  CHECK_THROWS_MATCHES(
      seconds_of(roofline_op(1, std::nullopt), alike({.devices = 1})), Error,
      Message(
          "ops[0] ('a'): expected seconds, or flops_per_second, on device 'gpu:0', found none"));
}

TEST_CASE("A device where an op may not be placed needs no cost for it", "[model]") {
  Device cpu;
  cpu.name = "host";
  cpu.type = "cpu";
  Op op = timed_op("a", 3);
  op.devices = {"gpu"};
  const Topology topology({cpu, roofline_device().devices()[0]}, {});
  CHECK(seconds_of(op, topology, 1) == 3);
}

TEST_CASE("Times are rounded to the nearest picosecond, once", "[model]") {
  const Problem problem(graph_of({timed_op("a", 1.6e-12), timed_op("b", 0.4e-12)}, {}), alike());
  CHECK(problem.costs().op_ps(OpId(0), DeviceId(0)) == 2);
  CHECK(problem.costs().op_ps(OpId(1), DeviceId(0)) == 0);
  // 1 byte at 3 bytes/s after 0.5 s: 833333333333.3 ps
  const Problem moved(graph_of({timed_op("a", 0), timed_op("b", 0)}, {tensor(0, {1}, 1)}),
                      alike({.bytes_per_second = 3, .latency_seconds = 0.5}));
  CHECK(moved.costs().transfer_ps(TensorId(0), DeviceId(0), DeviceId(1)) == 833'333'333'333);
}

TEST_CASE("A tensor takes no time on its own device, nor with 0 bytes", "[model]") {
  const Problem problem(
      graph_of({timed_op("a", 0), timed_op("b", 0)}, {tensor(0, {1}, 1), tensor(0, {1}, 0)}),
      alike({.latency_seconds = 0.5}));
  CHECK(problem.costs().transfer_ps(TensorId(0), DeviceId(1), DeviceId(1)) == 0);
  CHECK(problem.costs().transfer_ps(TensorId(0), DeviceId(1), DeviceId(0)) == 1'500'000'000'000);
  CHECK(problem.costs().transfer_ps(TensorId(1), DeviceId(0), DeviceId(1)) == 0);
}

TEST_CASE("A tensor's own transfer time holds over every link", "[model]") {
  Tensor fixed = tensor(0, {1}, 1'000);
  fixed.transfer_seconds = 0.25;
  const Problem problem(graph_of({timed_op("a", 0), timed_op("b", 0)}, {fixed}),
                        alike({.latency_seconds = 0.5}));
  CHECK(problem.costs().transfer_ps(TensorId(0), DeviceId(0), DeviceId(1)) == 250'000'000'000);
}

TEST_CASE("Ops and transfers of 9e6 s in all are accepted, and not a second more", "[model]") {
  const auto problem = [](double a_seconds, double b_seconds, std::int64_t bytes) {
    return Problem(
        graph_of({timed_op("a", a_seconds), timed_op("b", b_seconds)}, {tensor(0, {1}, bytes)}),
        alike());
  };
  CHECK_NOTHROW(problem(5e6, 3e6, 1'000'000));
  CHECK_THROWS_MATCHES(
      problem(5e6, 3e6, 1'000'001), Error,
      Message(
          "ops: expected at most 9000000 seconds for all ops and transfers one after the other, "
          "found 9000001"));
  CHECK_THROWS_MATCHES(problem(1, 1e7, 0), Error,
                       Message("ops[1]: expected at most 9000000 seconds, found 10000000"));
  CHECK_THROWS_MATCHES(problem(1, 1, 10'000'000), Error,
                       Message("tensors[0]: expected at most 9000000 seconds, found 10000000"));
}

TEST_CASE("Devices share the times of a kind unless an op names one of them or its type") {
  std::vector<Device> devices(4);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    devices[i].name = "d" + std::to_string(i);
    devices[i].type = i < 2 ? "a" : "b";
    devices[i].flops_per_second.of_others = 1;
  }
  const auto kinds = [&](Op op) {
    op.name = "op";
    op.flops = 3;
    const Problem problem(graph_of({op}, {}), Topology(devices, {}));
    std::vector<std::size_t> found;
    for (std::size_t d = 0; d < 4; ++d) found.push_back(problem.costs().kind(DeviceId(d)));
    return found;
  };
  using Kinds = std::vector<std::size_t>;
  CHECK(kinds(Op()) == Kinds{0, 0, 0, 0});
  Op by_type, by_name;
  by_type.seconds = {{"b", 1.0}};
  CHECK(kinds(by_type) == Kinds{0, 0, 1, 1});
  by_name.devices = {"d1", "b"};
  CHECK(kinds(by_name) == Kinds{0, 1, 2, 2});
  devices[3].memory_bytes = 1;
  CHECK(kinds(Op()) == Kinds{0, 0, 0, 1});
}

TEST_CASE("Products of float32 take the peak of tf32, halves that of float16, others float32's") {
  Device device;
  device.name = device.type = "gpu";
  device.flops_per_second.of_others = 10;
  device.flops_per_second.of_dtype = {{"float32", 10}, {"tf32", 80}, {"float16", 160}};
  Op op;
  const auto peak = [&](const char* type, const char* dtype) {
    op.type = type;
    op.outputs = {{{1}, dtype}};
    return *peak_flops_per_second(op, device);
  };
  CHECK(peak("matmul", "float32") == 80);
  CHECK(peak("conv2d_backward", "float32") == 80);
  CHECK(peak("relu", "float32") == 10);
  CHECK(peak("matmul", "float16") == 160);
  CHECK(peak("relu", "bfloat16") == 160);
  CHECK(peak("matmul", "float64") == 10);
  device.flops_per_second.of_dtype.clear();
  CHECK(peak("matmul", "float16") == 10);
}

}  // namespace
}  // namespace placer::testing
