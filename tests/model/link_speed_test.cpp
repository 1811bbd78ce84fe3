#include "placer/model/link_speed.hpp"

#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"
#include "placer/model/problem.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

TEST_CASE("A message takes what its size takes: the first bandwidth, then lines, then the link's") {
  const LinkSpeed speed{.latency_seconds = 1,
                        .bytes_per_second = 50,
                        .by_message_size = {{100, 10}, {200, 16}, {400, 32}}};
  const auto transfer_s = [&](std::int64_t bytes) {
    const Device a = alike().devices()[0], b = alike().devices()[1];
    const Link link{
        "*", "*", speed.bytes_per_second, speed.latency_seconds, {}, speed.by_message_size};
    const Problem problem(graph_of({timed_op("a", 0), timed_op("b", 0)}, {tensor(0, {1}, bytes)}),
                          Topology({a, b}, {link}));
    return to_seconds(problem.costs().transfer_ps(TensorId(0), DeviceId(0), DeviceId(1)));
  };
  CHECK(transfer_s(50) == 6);  // at 10 bytes/s
  CHECK(transfer_s(100) == 11);
  CHECK(transfer_s(150) == 12.25);  // half way from 10 s to 12.5 s
  CHECK(transfer_s(200) == 13.5);
  CHECK(transfer_s(300) == 13.5);  // 400 bytes take 12.5 s as well
  CHECK(transfer_s(500) == 15.5);  // 100 bytes more, at 50 bytes/s
}

TEST_CASE("Bandwidths by message size are refused where sizes fall or a larger one takes less") {
  const auto refusal = [](std::vector<MessageBandwidth> sizes) {
    const Link measured{"*", "*", 1, 0, {}, std::move(sizes)};
    try {
      Topology(alike().devices(), {measured});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal({{100, 10}, {200, 20}}).empty());
  CHECK(refusal({{100, 10}, {200, 20.5}}) ==
        "links[0].by_message_size[1]: expected more than 100 bytes in no less than 10 s, found 200 "
        "bytes in 9.75609756097561 s");
  CHECK(refusal({{100, 10}, {100, 5}}) ==
        "links[0].by_message_size[1]: expected more than 100 bytes in no less than 10 s, found 100 "
        "bytes in 20 s");
  CHECK(refusal({{100, 10}, {200, 0}}) ==
        "links[0].by_message_size[1].bytes_per_second: expected a number above 0, found 0");
}

TEST_CASE("Links share a speed only if they are as fast at every size", "[model]") {
  const Link slow_when_small{"gpu:0", "gpu:1", 1, 0, {}, {{8, 0.5}}};
  const Topology topology(alike({.devices = 3}).devices(), {{"*", "*", 1, 0, {}}, slow_when_small});
  CHECK(topology.speeds().size() == 2);
  CHECK(topology.first_identical(DeviceId(2)) == DeviceId(2));
}

}  // namespace
}  // namespace placer::testing
