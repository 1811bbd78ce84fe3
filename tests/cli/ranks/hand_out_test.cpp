#include "cli/ranks/hand_out.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <thread>

#include "cli/ranks/net.hpp"

namespace placer {
namespace {

constexpr RankRules kQuick = {.beat_seconds = 0.01, .silent_seconds = 1, .pause_seconds = 1e-4};
const std::vector<std::string> kUnits = {"a", "b", "c", "d", "e", "f", "g", "h"};
const auto kNever = [] { return false; };

std::string twice(const std::string& unit) { return unit + unit; }

/// What rank 0 takes of kUnits, by index, as "aa bb ..."; each once.
std::string all_of(HandOut& hand_out) {
  std::map<std::size_t, std::string> taken;
  hand_out.run(
      kUnits,
      [&](std::size_t at, const std::string& answer) { CHECK(taken.emplace(at, answer).second); },
      kNever);
  std::string text;
  for (const auto& [at, answer] : taken) text += answer + " ";
  return text;
}

/// Rank `rank` of `net` in a thread of its own.
std::thread serving(Net& net, int rank, OwnThread::Work work = twice,
                    const std::string& job = "job") {
  return std::thread([&net, rank, work, job] {
    Net::End end = net.end(rank);
    std::atomic<bool> stop = false;
    serve_rank_0(end, job, work, stop, kQuick);
  });
}

const std::string kAll = "aa bb cc dd ee ff gg hh ";

TEST_CASE("A word between ranks reads back as it was written") {
  const RankWord word{RankWord::Kind::kAnswer, 0x0123456789abcdef, std::string("x\0y", 3)};
  const auto read = decoded(encoded(word));
  REQUIRE(read);
  CHECK(read->kind == word.kind);
  CHECK(read->unit == word.unit);
  CHECK(read->text == word.text);
  CHECK_FALSE(decoded("A"));
  CHECK_FALSE(decoded("?12345678"));
}

TEST_CASE("One rank alone and five ranks give the same answers") {
  for (const int size : {1, 2, 5}) {
    Net net(size);
    std::vector<std::thread> others;
    for (int rank = 1; rank < size; ++rank) others.push_back(serving(net, rank));
    Net::End zero = net.end(0);
    {
      const Observer nobody;
      HandOut hand_out(zero, "job", twice, nobody, nullptr, kQuick);
      CHECK(all_of(hand_out) == kAll);
      CHECK(all_of(hand_out) == kAll);  // numbers go on
    }
    for (std::thread& other : others) other.join();
    CHECK_FALSE(zero.has_parted);
  }
}

TEST_CASE("The unit of a rank that dies is handed out again, and the others do not wait for it") {
  Net net(2);
  std::atomic<bool> has_begun = false;
  std::thread other = serving(net, 1, [&](const std::string& unit) {
    net.cut(1);
    has_begun = true;
    return twice(unit);
  });
  Net::End end = net.end(0);
  {
    std::vector<std::string> told;
    const Observer observer(EventLevel::kWarn,
                            [&](const Event& event) { told.push_back(event.message); });
    // Its own thread waits, so that the other rank gets one of the units.
    const auto work = [&](const std::string& unit) {
      while (!has_begun) std::this_thread::yield();
      return twice(unit);
    };
    HandOut hand_out(end, "job", work, observer, nullptr, kQuick);
    CHECK(all_of(hand_out) == kAll);
    CHECK(hand_out.repeated() == 1);
    CHECK(told == std::vector<std::string>{"rank 1: it says nothing for 1 s"});
  }
  CHECK(end.has_parted);
  other.join();
}

TEST_CASE("The late answer to an earlier hand-out is not taken for one of this") {
  Net net(2);
  net.end(1).send(0, encoded({RankWord::Kind::kAnswer, 0, "late"}));
  Net::End end = net.end(0);
  const Observer nobody;
  HandOut hand_out(end, "job", twice, nobody, nullptr, kQuick);
  CHECK(all_of(hand_out) == kAll);
}

TEST_CASE("A unit whose message or answer is lost is handed out again") {
  for (const RankWord::Kind kind : {RankWord::Kind::kUnit, RankWord::Kind::kAnswer}) {
    Net net(2);
    std::atomic<int> lost = 0;
    net.loses = [&](int, int, const RankWord& word) { return word.kind == kind && lost++ == 0; };
    std::thread other = serving(net, 1);
    {
      Net::End end = net.end(0);
      const Observer nobody;
      const auto work = [&](const std::string& unit) {
        while (lost == 0) std::this_thread::yield();
        return twice(unit);
      };
      HandOut hand_out(end, "job", work, nobody, nullptr, kQuick);
      CHECK(all_of(hand_out) == kAll);
      CHECK(hand_out.repeated() == 1);
    }
    other.join();
  }
}

TEST_CASE("A rank that is ready for something else gets no units, and that is told") {
  Net net(2);
  std::thread other = serving(
      net, 1, [](const std::string&) { return std::string("wrong"); }, "another job");
  {
    Net::End end = net.end(0);
    std::vector<std::string> told;
    const Observer observer(EventLevel::kWarn,
                            [&](const Event& event) { told.push_back(event.message); });
    const auto work = [&](const std::string& unit) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return twice(unit);
    };
    HandOut hand_out(end, "job", work, observer, nullptr, kQuick);
    CHECK(all_of(hand_out) == kAll);
    CHECK(told ==
          std::vector<std::string>{"rank 1: it was started for something else, or reads other "
                                   "files"});
  }
  other.join();
}

TEST_CASE("A rank that cannot work says why") {
  Net net(2);
  Net::End other = net.end(1), end = net.end(0);
  refuse_rank_0(other, "g.json: expected a file, found none");
  std::vector<std::string> told;
  const Observer observer(EventLevel::kWarn,
                          [&](const Event& event) { told.push_back(event.message); });
  HandOut hand_out(end, "job", twice, observer, nullptr, kQuick);
  CHECK(all_of(hand_out) == kAll);
  CHECK(told == std::vector<std::string>{"rank 1: g.json: expected a file, found none"});
}

TEST_CASE("Other ranks end when rank 0 falls silent") {
  Net net(2);
  std::thread other = serving(net, 1);
  Net::End end = net.end(0);
  end.send(1, encoded({RankWord::Kind::kBeat, 0, ""}));
  other.join();  // after four times 1 s
  CHECK(decoded(end.poll()->bytes)->kind == RankWord::Kind::kReady);
}

TEST_CASE("Rank 0 says that it is alive while it hands out nothing") {
  Net net(2);
  Net::End other = net.end(1), end = net.end(0);
  const Observer nobody;
  const HandOut hand_out(end, "job", twice, nobody, nullptr, kQuick);
  for (int i = 0; i < 3; ++i) {
    while (net.waiting(1) == 0) std::this_thread::yield();
    CHECK(decoded(other.poll()->bytes)->kind == RankWord::Kind::kBeat);
  }
}

TEST_CASE("Ranks that are ready are counted, and those that fell silent are not") {
  Net net(3);
  Net::End other = net.end(1), third = net.end(2), end = net.end(0);
  other.send(0, encoded({RankWord::Kind::kReady, 0, "job"}));
  refuse_rank_0(third, "no");
  const Observer nobody;
  HandOut hand_out(end, "job", twice, nobody, nullptr, kQuick);
  CHECK(hand_out.ready() == 2);
  while (hand_out.ready() == 2) std::this_thread::yield();  // for the 1 s of silence
  CHECK(hand_out.ready() == 1);
}

TEST_CASE("On an interrupt what the ranks have so far is waited for, and nothing more handed out") {
  Net net(2);
  std::atomic<bool> interrupt = false, stop = false;
  std::thread other([&] {
    Net::End end = net.end(1);
    const auto until_stop = [&](const std::string& unit) {
      interrupt = true;
      while (!stop) std::this_thread::yield();
      return unit + "-";
    };
    serve_rank_0(end, "job", until_stop, stop, kQuick);
  });
  std::vector<std::string> answers;
  {
    Net::End end = net.end(0);
    const Observer nobody;
    const auto until_interrupt = [&](const std::string& unit) {
      while (!interrupt) std::this_thread::yield();
      return unit + "+";
    };
    HandOut hand_out(end, "job", until_interrupt, nobody, &interrupt, kQuick);
    hand_out.run(
        kUnits, [&](std::size_t, const std::string& answer) { answers.push_back(answer); }, kNever);
  }
  other.join();
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].back() != answers[1].back());  // one of each rank
}

TEST_CASE("A rank that is dismissed ends") {
  Net net(2);
  Net::End end = net.end(0);
  dismiss_ranks(end);
  serving(net, 1).join();
  CHECK(decoded(end.poll()->bytes)->kind == RankWord::Kind::kReady);
}

TEST_CASE("Nothing more is handed out once it should stop") {
  Net net(1);
  Net::End end = net.end(0);
  const Observer nobody;
  std::atomic<int> done = 0;
  HandOut hand_out(
      end, "job",
      [&](const std::string& unit) {
        ++done;
        return twice(unit);
      },
      nobody, nullptr, kQuick);
  int taken = 0;
  hand_out.run(
      kUnits, [&](std::size_t, const std::string&) { ++taken; }, [&] { return taken >= 2; });
  CHECK(taken == 2);
  CHECK(done <= 3);
}

}  // namespace
}  // namespace placer
