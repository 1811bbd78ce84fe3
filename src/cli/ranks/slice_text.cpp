#include "cli/ranks/slice_text.hpp"

#include <nlohmann/json.hpp>

namespace placer {
namespace {

using Json = nlohmann::json;

template <class Id>
Json text_of(const std::vector<Id>& ids) {
  Json numbers = Json::array();
  for (const Id id : ids) numbers.push_back(id.index());
  return numbers;
}

template <class Id>
std::vector<Id> ids_of(const Json& numbers) {
  std::vector<Id> ids;
  for (const Json& number : numbers) ids.emplace_back(number.get<std::size_t>());
  return ids;
}

void add(const Score& score, Json& numbers) {
  for (const std::int64_t number : {score.overflow_bytes, score.step_ps, score.astray_ops}) {
    numbers.push_back(number);
  }
}

Json text_of(const std::vector<Score>& scores) {
  Json numbers = Json::array();
  for (const Score& score : scores) add(score, numbers);
  return numbers;
}

std::vector<Score> scores_of(const Json& numbers) {
  std::vector<Score> scores;
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    scores.push_back({numbers.at(i), numbers.at(i + 1), numbers.at(i + 2)});
  }
  return scores;
}

Json text_of(const Candidate& candidate) {
  return {text_of(candidate.placement.devices), text_of(candidate.order),
          text_of(std::vector{candidate.score})};
}

Candidate candidate_of(const Json& text) {
  return {{ids_of<DeviceId>(text.at(0))}, ids_of<OpId>(text.at(1)), scores_of(text.at(2)).at(0)};
}

Json text_of(const std::optional<Candidate>& candidate) {
  return candidate ? text_of(*candidate) : Json();
}

std::optional<Candidate> optional_candidate_of(const Json& text) {
  return text.is_null() ? std::nullopt : std::optional(candidate_of(text));
}

std::string bytes_of(const Json& text) {
  std::string bytes;
  Json::to_msgpack(text, bytes);
  return bytes;
}

}  // namespace

std::string slice_text(const SliceTask& task) {
  const Slice& slice = task.slice;
  return bytes_of({slice.strategy, slice.strategy_name, text_of(slice.start), slice.seed,
                   slice.evaluations, slice.seconds, text_of(task.group_of),
                   task.bound_ps ? Json(*task.bound_ps) : Json(), task.keeps_elites,
                   task.seconds_left});
}

SliceTask slice_task(const std::string& text) {
  const Json all = Json::from_msgpack(text);
  SliceTask task;
  task.slice = {all.at(0), all.at(1), optional_candidate_of(all.at(2)),
                all.at(3), all.at(4), all.at(5)};
  task.group_of = ids_of<GroupId>(all.at(6));
  if (!all.at(7).is_null()) task.bound_ps = all.at(7).get<Picoseconds>();
  task.keeps_elites = all.at(8);
  task.seconds_left = all.at(9);
  return task;
}

std::string slice_text(const SliceEnd& end) {
  Json elites = Json::array();
  for (const Candidate& elite : end.elites) elites.push_back(text_of(elite));
  return bytes_of({text_of(end.best), elites, end.evaluations, text_of(end.scores), end.other_work,
                   end.proven, end.ends_run, end.is_cut, end.wall_seconds});
}

SliceEnd slice_end(const std::string& text) {
  const Json all = Json::from_msgpack(text);
  SliceEnd end;
  end.best = optional_candidate_of(all.at(0));
  for (const Json& elite : all.at(1)) end.elites.push_back(candidate_of(elite));
  end.evaluations = all.at(2);
  end.scores = scores_of(all.at(3));
  end.other_work = all.at(4);
  end.proven = all.at(5);
  end.ends_run = all.at(6);
  end.is_cut = all.at(7);
  end.wall_seconds = all.at(8);
  return end;
}

}  // namespace placer
