// What learners tell of their updates.
#include "search/learned/update_figures.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "support/events.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

nn::Matrix rows(std::initializer_list<std::initializer_list<double>> values) {
  nn::Matrix matrix(static_cast<nn::Index>(values.size()),
                    static_cast<nn::Index>(values.begin()->size()));
  double* to = matrix.data();
  for (const auto& row : values) to = std::ranges::copy(row, to).out;
  return matrix;
}

TEST_CASE("entropy and divergence are means over the rows") {
  // ln 2 and 0; 0.5 ln(0.5/0.25) + 0.5 ln(0.5/0.75) and 0.
  CHECK(mean_entropy(rows({{0.5, 0.5}, {1, 0}})) == Approx(std::log(2) / 2));
  CHECK(mean_kl(rows({{0.5, 0.5}, {1, 0}}), rows({{0.25, 0.75}, {1, 0}})) ==
        Approx((0.5 * std::log(2) + 0.5 * std::log(2.0 / 3)) / 2));
}

TEST_CASE("the loss of REINFORCE weighs each choice by its placement's advantage") {
  // Placements 0 and 1 with advantages 1 and -3: -(ln 0.5 - 3 ln 0.25) / 2 = -(5 ln 2) / 2.
  const std::vector<nn::Index> choices = {0, 1};
  const std::vector<double> advantage = {1, -3};
  CHECK(reinforce_loss(rows({{0.5, 0.5}, {0.75, 0.25}}), choices, advantage) ==
        Approx(-2.5 * std::log(2)));
}

TEST_CASE("an update's text names the figures that there are") {
  CHECK(update_text(3, {.mean_cost_seconds = 0.5, .entropy = 0.25, .gradient_norm = 2}) ==
        "update 3: mean cost 0.5 s, entropy 0.25, gradient norm 2");
}

/// The number after `name` in an update's text.
double figure(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name + " ");
  INFO(text);
  REQUIRE(at != std::string::npos);
  return std::stod(text.substr(at + name.size() + 1));
}

std::vector<std::string> updates_of(const std::string& algorithm, const OptionValues& options = {},
                                    std::int64_t evaluations = 120) {
  Events events;
  SearchRequest request = request_for(algorithm, evaluations);
  request.options.insert(options.begin(), options.end());
  request.observer = events.from(EventLevel::kDebug);
  run_search(fast_and_slow(3), request);
  return events.messages(EventLevel::kDebug, algorithm, "update ");
}

TEST_CASE("every learner tells of each update its cost, entropy and more, counted from 0") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> learners = {
      {"post", {"KL"}},
      {"ppo", {"loss", "KL", "learning rate", "beta"}},
      {"policy-gradient", {"loss", "KL", "learning rate"}},
      {"cross-entropy", {"KL"}},
      {"seq2seq", {"loss", "KL", "learning rate", "gradient norm"}},
      {"spotlight", {"loss", "KL", "learning rate", "beta", "gradient norm"}},
      {"hierarchical", {"loss", "learning rate", "gradient norm"}},
      {"gdp", {"loss", "KL", "learning rate", "gradient norm"}},
      {"placeto", {"reward", "loss", "learning rate", "gradient norm"}},
  };
  std::size_t learning = 0;
  for (const Optimizer& optimizer : all_optimizers()) learning += optimizer.info.learns ? 1 : 0;
  CHECK(learners.size() == learning);
  for (const auto& [name, figures] : learners) {
    INFO(name);
    const std::vector<std::string> updates = updates_of(name, {}, 200);
    REQUIRE(updates.size() >= 2);
    CHECK_THAT(updates[0], Catch::StartsWith("update 0: mean cost "));
    CHECK_THAT(updates[1], Catch::StartsWith("update 1: mean cost "));
    // Three ops: together on the fast device 3 s, all on the slow one 6 s.
    CHECK(figure(updates[0], "mean cost") >= 2);
    CHECK(figure(updates[0], "mean cost") <= 6);
    CHECK(figure(updates[0], "entropy") > 0);
    CHECK(figure(updates[0], "entropy") < 0.6932);
    for (const std::string& each : figures) CHECK(std::isfinite(figure(updates[0], each)));
  }
}

TEST_CASE("a search keeps what it tells of its updates where it is asked to") {
  Events events;
  SearchRequest request = request_for("ppo", 60);
  request.observer = events.from(EventLevel::kDebug);
  CHECK(run_search(fast_and_slow(3), request).updates.empty());
  request.keeps_updates = true;
  const std::vector<LearnerUpdate> kept = run_search(fast_and_slow(3), request).updates;
  const std::vector<std::string> told = events.messages(EventLevel::kDebug, "ppo", "update ");
  REQUIRE(2 * kept.size() == told.size());
  REQUIRE(kept.size() >= 2);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    CHECK(told[kept.size() + i] == update_text(kept[i].number, kept[i].figures));
  }
  request.observer = {};
  CHECK(run_search(fast_and_slow(3), request).updates.size() == kept.size());
  // Two single devices first, then 12 samples each.
  CHECK(kept[1].evaluations == kept[0].evaluations + 12);
}

TEST_CASE("uniform marginals over two devices begin with an entropy of ln 2") {
  for (const std::string name : {"post", "ppo", "policy-gradient", "cross-entropy"}) {
    CHECK(figure(updates_of(name)[0], "entropy") == Approx(std::log(2)).epsilon(1e-3));
  }
}

TEST_CASE(
    "the divergence that is told is small under a large penalty and large under a small one") {
  const double tight =
      figure(updates_of("ppo", {{"ppo-step", std::string("exact")}, {"beta", 100.0}})[0], "KL");
  const double loose =
      figure(updates_of("ppo", {{"ppo-step", std::string("exact")}, {"beta", 0.01}})[0], "KL");
  CHECK(tight > 0);
  CHECK(loose > 10 * tight);
}

TEST_CASE("spotlight's loss is below 0 once its steps have followed the advantages") {
  // Before a step it is 0, as advantages are around their mean.
  const std::vector<std::string> updates = updates_of("spotlight", {{"beta", 1e-3}});
  CHECK(figure(updates[0], "loss") < -1e-3);
}

TEST_CASE("of two steps spotlight tells how far the first has led, of one nothing") {
  const auto divergence = [](std::int64_t epochs) {
    return figure(updates_of("spotlight", {{"epochs", epochs}})[0], "KL");
  };
  CHECK(divergence(1) == 0);
  CHECK(divergence(2) > 0);
}

}  // namespace
}  // namespace placer::testing
