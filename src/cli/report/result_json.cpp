#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/report/json_parts.hpp"
#include "cli/report/notices.hpp"
#include "cli/report/result_report.hpp"
#include "placer/io/devices_file.hpp"

namespace placer {
namespace {

using Json = nlohmann::ordered_json;

/// In a text of one object, puts a file's text, which is JSON, in the place of the null of that
/// name.
void put_file(std::string& object, const std::string& name, std::string_view file) {
  file.remove_suffix(file.size() - 1 - file.find_last_not_of('\n'));
  std::string indented;
  indented.reserve(file.size() + file.size() / 8);
  for (const char letter : file) {
    indented += letter;
    if (letter == '\n') indented += "  ";
  }
  const std::string front = "\n  \"" + name + "\": ";
  object.replace(object.find(front + "null") + front.size(), 4, indented);
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json devices_json(const Report& report) {
  Json rows = Json::array();
  const Topology& topology = report.loaded->problem.topology();
  for (const DeviceId device : IdRange<DeviceId>(topology.devices().size())) {
    Json row;
    row["name"] = topology.device(device).name;
    row["busy_seconds"] = to_seconds(report.schedule.busy_ps[device.index()]);
    row["peak_bytes"] = report.schedule.peak_bytes[device.index()];
    row["capacity_bytes"] = topology.device(device).memory_bytes;
    rows.push_back(std::move(row));
  }
  return rows;
}

Json history_json(const SearchResult& result) {
  Json rows = Json::array();
  for (const Improvement& improvement : result.history) {
    Json row;
    row["evaluations"] = improvement.evaluations;
    row["wall_seconds"] = improvement.wall_seconds;
    row["step_seconds"] = to_seconds(improvement.score.step_ps);
    row["overflow_bytes"] = improvement.score.overflow_bytes;
    rows.push_back(std::move(row));
  }
  return rows;
}

Json bounds_json(const LowerBounds& bounds) {
  Json object = Json::object();
  for (const LowerBoundInfo& bound : kLowerBounds) {
    object[std::string(bound.name)] = to_seconds(bounds.*bound.value);
  }
  return object;
}

void add_what(Json& object, const Report& report) {
  object["version"] = PLACER_VERSION;
  object["graph"] = report.loaded->graph_name;
  object["devices"] = report.loaded->devices_name;
  object["algorithm"] = report.algorithm;
  object["options"] = Json::parse(options_json(report.options));
  object["seed"] = or_null(report.seed);
  object["objective"] = name_of(report.loaded->problem.goal().objective);
  object["order"] = name_of(report.order);
}

Json others_json(const Report& report) {
  Json list = Json::array();
  for (const OtherPlacement& other : report.others) {
    list.push_back({{"name", other.name},
                    {"step_seconds", to_seconds(other.score.step_ps)},
                    {"feasible", other.score.fits()},
                    {"overflow_bytes", other.score.overflow_bytes}});
  }
  return list;
}

Json stage_json(const PipelineStage& stage, const Report& report) {
  const Topology& topology = report.loaded->problem.topology();
  const PipelineSchedule schedule = report.pipeline->batches.schedule;
  Json json = {{"device", topology.device(stage.device).name},
               {"forward_seconds", to_seconds(stage.forward_ps)},
               {"backward_seconds", to_seconds(stage.backward_ps)},
               {"update_seconds", to_seconds(stage.update_ps)},
               {"busy_seconds", to_seconds(report.schedule.busy_ps[stage.device.index()])},
               {"peak_bytes", peak_bytes(stage, report.schedule)}};
  if (schedule == PipelineSchedule::kInterleaved) json["chunks"] = stage.chunks;
  if (schedule == PipelineSchedule::kZeroBubble) {
    json["weights_seconds"] = to_seconds(stage.weights_ps);
  }
  if (!stage.replicas.empty()) {
    json["reduce_seconds"] = to_seconds(stage.reduce_ps);
    Json& replicas = json["replicas"] = Json::array();
    for (const DeviceId device : stage.replicas) replicas.push_back(topology.device(device).name);
  }
  return json;
}

void add_pipeline(Json& object, const Report& report) {
  const PipelineReport& pipeline = *report.pipeline;
  object["microbatches"] = pipeline.batches.count;
  if (pipeline.batches.merged > 1) object["merged"] = pipeline.batches.merged;
  object["schedule"] = name_of(pipeline.batches.schedule);
  object["bubble_share"] = bubble_share(pipeline, report.loaded->problem, report.schedule);
  if (pipeline.bottleneck_ps) object["bottleneck_seconds"] = to_seconds(*pipeline.bottleneck_ps);
  Json& stages = object["stages"] = Json::array();
  for (const PipelineStage& stage : pipeline.stages) stages.push_back(stage_json(stage, report));
}

void add_score(Json& object, const Report& report) {
  const Score& score = report.schedule.score;
  object["step_seconds"] = to_seconds(score.step_ps);
  object["objective_seconds"] = to_seconds(score.step_ps);
  object["samples_per_second"] = or_null(rate_of(report.loaded->yield.samples, report));
  object["tokens_per_second"] = or_null(rate_of(report.loaded->yield.tokens, report));
  object["steps_per_second"] = or_null(rate_of(1, report));
  object["no_yield"] =
      report.loaded->no_yield.empty() ? Json(nullptr) : Json(report.loaded->no_yield);
  object["latency_seconds"] = to_seconds(latency_ps(report.schedule));
  object["feasible"] = score.fits();
  object["overflow_bytes"] = score.overflow_bytes;
  object["astray_ops"] = score.astray_ops;
  object["fifo_step_seconds"] = to_seconds(report.fifo.step_ps);
  object["single_device_seconds"] =
      report.single ? Json(to_seconds(report.single->score.step_ps)) : Json(nullptr);
  object["lower_bound_seconds"] = to_seconds(bound_ps(report));
  object["lower_bounds"] = bounds_json(report.bounds);
  const std::string why =
      report.bounds.infeasible.empty() ? why_nothing_fits(report) : report.bounds.infeasible;
  object["infeasible"] = why.empty() ? Json(nullptr) : Json(why);
  object["gap"] = or_null(gap(report));
  object["proven"] = is_optimal(report);
  if (report.pipeline) add_pipeline(object, report);
  if (report.loaded->flags.target) object["others"] = others_json(report);
}

void add_search(Json& object, const Report& report) {
  const SearchResult& result = report.result;
  object["groups"] = result.groups;
  object["evaluations"] = result.evaluations;
  object["wall_seconds"] = result.wall_seconds;
  object["evaluations_per_second"] =
      result.wall_seconds > 0 ? static_cast<double>(result.evaluations) / result.wall_seconds : 0;
  object["seconds_to_best"] = result.seconds_to_best;
  object["stopped"] = report.searched ? Json(name_of(result.stopped)) : Json(nullptr);
  object["recent_mean_seconds"] =
      report.searched ? Json(result.recent_mean_seconds) : Json(nullptr);
  object["best_sample_seconds"] = result.best_sample && result.best_sample->fits()
                                      ? Json(to_seconds(result.best_sample->step_ps))
                                      : Json(nullptr);
  const std::optional<Collapse>& collapse = result.collapse;
  const Topology& topology = report.loaded->problem.topology();
  object["collapsed_to"] = collapse ? Json(topology.device(collapse->device).name) : Json(nullptr);
  object["collapsed_after"] = collapse ? Json(collapse->samples) : Json(nullptr);
  object["samples"] = report.searched ? Json(result.samples) : Json(nullptr);
  object["schedule_seconds"] =
      result.schedule_ps ? Json(to_seconds(*result.schedule_ps)) : Json(nullptr);
}

Json option_json(std::optional<std::int64_t> number) { return or_null(number); }
Json option_json(bool flag) { return flag ? Json(true) : Json(nullptr); }
Json option_json(const std::vector<ShapeOverride>& shapes) {
  Json texts;
  for (const ShapeOverride& shape : shapes) texts.push_back(to_text(shape));
  return texts;
}

/// How the graph was read; a profile's times are not kept, only that there were some.
void add_graph_flags(Json& request, const ProblemFlags& flags) {
  for (const ImportOption& option : kImportOptions) {
    Json given =
        std::visit([&](auto member) { return option_json(flags.import.*member); }, option.member);
    if (!given.is_null()) request[std::string(option.name)] = std::move(given);
  }
  if (flags.contiguous) request["contiguous"] = true;
  for (const auto& [name, text] : {std::pair("stages", &flags.stages),
                                   {"pin", &flags.pin},
                                   {"together", &flags.together},
                                   {"for", &flags.target}}) {
    if (*text) request[name] = **text;
  }
  if (flags.training) request["training"] = name_of(*flags.training);
  if (flags.profile) request["profile"] = true;
  if (flags.profile_device) request["profile-device"] = *flags.profile_device;
}

}  // namespace

std::string json_report(const Report& report, const WholeTexts& texts) {
  Json object;
  add_what(object, report);
  add_score(object, report);
  add_search(object, report);
  if (report.measured) object["measured"] = Json::parse(measured_json(*report.measured));
  object["per_device"] = devices_json(report);
  object["bytes_moved"] = report.schedule.bytes_moved;
  object["history"] = history_json(report.result);
  object["curve"] = Json::parse(curve_json(report.result.curve));
  const std::pair<const char*, const std::string&> files[] = {
      {"placement", texts.placement}, {"unwritten_output", texts.unwritten}};
  for (const auto& [name, file] : files) {
    if (!file.empty()) object[name] = nullptr;
  }
  std::string text = object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  for (const auto& [name, file] : files) {
    if (!file.empty()) put_file(text, name, file);
  }
  return text;
}

std::string request_json(const Report& report, const SearchFlags& flags) {
  Json request;
  if (report.searched) {
    request["algo"] = report.algorithm;
    request["options"] = Json::parse(options_json(report.options));
    request["seed"] = *report.seed;
    if (flags.evaluations) request["evaluations"] = *flags.evaluations;
    if (flags.time_limit) request["time-limit"] = *flags.time_limit;
    if (flags.target) request["target"] = *flags.target;
    if (report.from_start) request["start"] = true;
    if (report.from_policy) request["policy-in"] = true;
    request["groups"] = groups_of(flags);
    if (flags.as_published) request["as-published"] = true;
    if (flags.no_single_devices) request["no-single-devices"] = true;
    if (flags.no_refinement) request["no-refinement"] = true;
  }
  if (!report.pipeline) request["order"] = name_of(report.order);
  request["objective"] = name_of(report.loaded->problem.goal().objective);
  add_graph_flags(request, report.loaded->flags);
  if (report.loaded->shipped) {
    request["devices"] = *report.loaded->shipped;
  } else if (!report.loaded->own_devices) {
    request["devices"] = Json::parse(write_devices(report.loaded->problem.topology()));
  }
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace placer
