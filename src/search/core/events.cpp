#include "search/core/events.hpp"

#include <fmt/format.h>

#include "placer/base/errors.hpp"

namespace placer {
namespace {

std::string budget_words(const Budget& budget) {
  std::vector<std::string> words;
  if (budget.evaluations != Budget().evaluations) {
    words.push_back(fmt::format("{} evaluations", budget.evaluations));
  }
  if (budget.seconds != Budget().seconds) words.push_back(fmt::format("{} s", budget.seconds));
  if (budget.target_ps) {
    words.push_back(fmt::format("a target of {:.6g} s", to_seconds(*budget.target_ps)));
  }
  return words.empty() ? "no limit" : join(words);
}

/// What became of `before`: "3.1 % less", "as before".
std::string gain_words(const std::optional<Score>& before, const Score& now) {
  if (!before) return "the first";
  if (now == *before) return "as before";
  if (!before->fits() || before->step_ps == 0) return "before " + words_of(*before);
  return fmt::format("{:.3g} % less",
                     100 - 100 * to_seconds(now.step_ps) / to_seconds(before->step_ps));
}

}  // namespace

std::string words_of(const Score& score) {
  if (score == Score::deadlock()) return "a deadlock";
  const std::string step = fmt::format("{:.6g} s", to_seconds(score.step_ps));
  if (score.fits()) return step;
  if (score == Score::too_long(score.step_ps)) return step + ", too long for a look at its memory";
  if (score.overflow_bytes == 0)
    return fmt::format("{} with {} ops astray", step, score.astray_ops);
  return fmt::format("{} with {} bytes too much", step, score.overflow_bytes);
}

void tell_start(const Problem& problem, const SearchRequest& request, const OptionValues& options) {
  request.observer.tell(EventLevel::kInfo, "search", [&] {
    return fmt::format(
        "{} on '{}': {} ops in {} groups, {} devices, order {}, seed {}, budget {}, {} threads{}",
        request.optimizer->name, problem.graph().name(), problem.op_count(),
        problem.groups().size(), problem.device_count(), name_of(request.order), request.seed,
        budget_words(request.budget), request.threads, request.start ? ", from a start" : "");
  });
  request.observer.tell(EventLevel::kDebug, "search", [&] {
    std::vector<std::string> given;
    for (const auto& [name, value] : options) given.push_back(name + " " + to_text(value));
    return "options: " + (given.empty() ? "none" : join(given));
  });
}

void tell_end(const SearchRequest& request, const SearchResult& result) {
  request.observer.tell(EventLevel::kInfo, "search", [&] {
    return fmt::format(
        "{} ended after {} evaluations in {:.3g} s: best {}, found by evaluation {} after "
        "{:.3g} s{}; stopped: {}",
        request.optimizer->name, result.evaluations, result.wall_seconds, words_of(result.score),
        result.history.back().evaluations, result.seconds_to_best,
        result.proven ? ", proven optimal" : "", name_of(result.stopped));
  });
  if (result.stopped != Stop::kInterrupt) return;
  request.observer.tell(EventLevel::kWarn, "search", [&] {
    return fmt::format("{} was interrupted after {} evaluations in {:.3g} s",
                       request.optimizer->name, result.evaluations, result.wall_seconds);
  });
}

Stage::Stage(const Search& search, std::string_view subject, std::string_view name)
    : search_(search),
      subject_(subject),
      name_(name),
      evaluations_(search.evaluations()),
      wall_seconds_(search.wall_seconds()) {
  if (evaluations_ > 0) best_ = search.best_score();
  search_.observer().tell(EventLevel::kDebug, subject_, [&] {
    return fmt::format("{}: begins after {} evaluations and {:.3g} s", name_, evaluations_,
                       wall_seconds_);
  });
}

Stage::~Stage() {
  const bool scored = search_.evaluations() > evaluations_;
  search_.observer().tell(scored ? EventLevel::kInfo : EventLevel::kDebug, subject_,
                          [&] { return message(); });
}

std::string Stage::message() const {
  const std::int64_t all = search_.evaluations();
  std::string text = fmt::format("{}: {} evaluations in {:.3g} s", name_, all - evaluations_,
                                 search_.wall_seconds() - wall_seconds_);
  if (all == 0) return text;
  const Score best = search_.best_score();
  return text + fmt::format(", best {}, {}", words_of(best), gain_words(best_, best));
}

}  // namespace placer
