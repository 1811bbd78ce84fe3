#include "placer/sim/idle_time.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

constexpr Picoseconds kSecond = 1'000'000'000'000;

TEST_CASE("A device waits for the producer, then for the channel, then for the transfer") {
  // a 0-2 on 0 sends 2 bytes to 1 and then, over its only way out, 3 bytes to 2: 2-4 and 4-7.
  const Problem problem(graph_of(seconds_each({2, 1, 1}), {tensor(0, {1}, 2), tensor(0, {2}, 3)}),
                        alike({.devices = 3, .contention = Contention::kEgress}));
  Schedule schedule;
  Simulator(problem, Order::kFifo).evaluate(on_devices({0, 1, 2}), nullptr, &schedule);
  const std::vector<DeviceTime> times = device_times(problem, schedule);
  CHECK(times[0] == DeviceTime{.busy_ps = 2 * kSecond, .done_ps = 6 * kSecond});
  CHECK(times[1] == DeviceTime{.busy_ps = kSecond,
                               .producer_ps = 2 * kSecond,
                               .transfer_ps = 2 * kSecond,
                               .done_ps = 3 * kSecond});
  CHECK(times[2] == DeviceTime{.busy_ps = kSecond,
                               .producer_ps = 2 * kSecond,
                               .channel_ps = 2 * kSecond,
                               .transfer_ps = 3 * kSecond});
}

TEST_CASE("Two slots that run at once are one busy time") {
  // 0-3 and 0-5 on one device.
  const Problem problem(graph_of(seconds_each({3, 5}), {}), alike({.devices = 1, .slots = 2}));
  Schedule schedule;
  Simulator(problem, Order::kFifo).evaluate(on_devices({0, 0}), nullptr, &schedule);
  CHECK(device_times(problem, schedule)[0] == DeviceTime{.busy_ps = 5 * kSecond});
}

TEST_CASE("The times of each device add up to the step under every order, on random problems") {
  Rng rng(12);
  for (int i = 0; i < 600; ++i) {
    const Problem problem = random_problem(rng);
    const Order order = kAllOrders[static_cast<std::size_t>(i) % kAllOrders.size()];
    Schedule schedule;
    Simulator(problem, order).evaluate(random_placement(problem, rng), nullptr, &schedule);
    for (const DeviceTime& time : device_times(problem, schedule)) {
      const auto parts = {time.busy_ps,     time.producer_ps, time.channel_ps,
                          time.transfer_ps, time.order_ps,    time.done_ps};
      INFO("problem " << i);
      REQUIRE(*std::min_element(parts.begin(), parts.end()) >= 0);
      Picoseconds sum_ps = 0;
      for (const Picoseconds part : parts) sum_ps += part;
      REQUIRE(sum_ps == schedule.score.step_ps);
    }
  }
}

}  // namespace
}  // namespace placer::testing
