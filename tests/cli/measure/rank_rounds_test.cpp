#include "cli/measure/rank_rounds.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <set>
#include <thread>

#include "cli/command_line.hpp"
#include "cli/ranks/net.hpp"
#include "placer/base/text.hpp"
#include "support/problems.hpp"

namespace placer {
namespace {

constexpr RankRules kQuickRounds = {
    .beat_seconds = 0.01, .silent_seconds = 2, .pause_seconds = 1e-4};

/// Two ops in a row on two devices, all on the first, all on the second, or apart; what is apart
/// cannot run. Each run leaves the placement's file in `log`.
class Race {
 public:
  explicit Race(const std::string& log)
      : rules_{.command = "echo {placement} >> " + log +
                          "; sleep 0.02; grep -q 'gpu:1' {placement} || { echo 3; exit; }; "
                          "grep -q 'gpu:0' {placement} && exit 5; echo 4"} {
    for (const auto& devices : {std::vector<std::size_t>{0, 0}, {1, 1}, {0, 1}}) {
      racers.push_back({testing::on_devices(devices), {}, {}});
    }
  }

  std::thread serving(Net& net, int rank) const {
    return std::thread([this, &net, rank] {
      Net::End end = net.end(rank);
      serve_rounds(end, rules_, problem_, Order::kFifo, kQuickRounds);
    });
  }

  /// What rank 0 gets, once all others are ready.
  std::vector<std::vector<MeasuredRuns>> rounds(Net& net, std::size_t count,
                                                const std::function<bool()>& stop) const {
    Net::End end = net.end(0);
    while (net.waiting(0) < static_cast<std::size_t>(end.size() - 1)) std::this_thread::yield();
    RankRounds ranks(end, rules_, problem_, Order::kFifo, {}, nullptr, kQuickRounds);
    CHECK(ranks.at_once() == static_cast<std::size_t>(end.size()));
    return ranks.run(racers, 7, count, stop);
  }

  void slow_down() { rules_.command = "sleep 60; echo 1 # {placement}"; }

  std::vector<Candidate> racers;

 private:
  const Problem problem_{testing::chain(2), testing::alike()};
  MeasureRules rules_;
};

TEST_CASE("Each round that ranks measure has a run of each placement, all by one rank") {
  const TempFolder folder;
  const std::string log = folder.file("log");
  const Race race(log);
  Net net(3);
  std::vector<std::thread> others;
  for (int rank = 1; rank < 3; ++rank) others.push_back(race.serving(net, rank));
  const auto rounds = race.rounds(net, 4, [] { return false; });
  for (std::thread& other : others) other.join();
  REQUIRE(rounds.size() == 4);
  for (const auto& round : rounds) {
    REQUIRE(round.size() == 3);
    CHECK(round[0].seconds == std::vector{3.0});
    CHECK(round[1].seconds == std::vector{4.0});
    CHECK(round[2].seconds.empty());
    CHECK(round[2].failure == "exit code 5");
  }
  // Each rank has a folder of its own for its placements.
  std::set<std::string> folders;
  for (const std::string& file : split(text_of(log), '\n')) {
    if (!file.empty()) folders.insert(file.substr(0, file.rfind('/')));
  }
  CHECK(folders.size() == 3);
}

TEST_CASE("When the seconds for measuring are over, nobody waits for runs") {
  const TempFolder folder;
  Race race(folder.file("log"));
  race.slow_down();
  Net net(2);
  std::thread other = race.serving(net, 1);
  const auto begin = std::chrono::steady_clock::now();
  const auto over = [&] {
    return std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(300);
  };
  const auto rounds = race.rounds(net, 2, over);
  other.join();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  CHECK(rounds[0][0].seconds.empty());
  CHECK(rounds[0][0].failure.empty());
}

}  // namespace
}  // namespace placer
