#include "cli/measure/measurer.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "cli/measure/child.hpp"
#include "cli/measure/printed.hpp"
#include "cli/shared/outputs.hpp"
#include "cli/shared/text.hpp"
#include "io/programs/child.hpp"
#include "placer/base/hash.hpp"
#include "placer/base/text.hpp"
#include "placer/io/files.hpp"
#include "placer/io/placement_file.hpp"

namespace placer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlaceholder = "{placement}";
constexpr int kNotExecutable = 126, kNotFound = 127;  // exit codes of a shell
constexpr std::size_t kShown = 160;                   // of what a command printed

std::string hex(std::uint64_t number) { return fmt::format("{:016x}", number); }

/// Of the command, and of all of a problem but what it is predicted from.
std::string hash_of(const std::string& command, const Problem& problem) {
  std::string text = command;
  for (const Op& op : problem.graph().ops()) {
    text += fmt::format("\n{}\t{}\t{}", op.name, op.type, op.params_bytes);
  }
  for (const Tensor& tensor : problem.graph().tensors()) {
    text += fmt::format("\n{}\t{}\t{}", tensor.name, tensor.bytes, tensor.producer.index());
    for (const OpId consumer : tensor.consumers) text += fmt::format(" {}", consumer.index());
  }
  for (const Device& device : problem.topology().devices()) text += "\n" + device.name;
  return hex(fnv1a(text));
}

std::string hash_of(const Candidate& candidate, const Problem& problem) {
  std::string text;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    text += fmt::format("{} ", candidate.placement[problem.groups().of(op)].index());
  }
  for (const OpId op : candidate.order) text += fmt::format(",{}", op.index());
  return hex(fnv1a(text));
}

std::string replaced(std::string text, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(kPlaceholder, at)) != std::string::npos;) {
    text.replace(at, kPlaceholder.size(), by);
    at += by.size();
  }
  return text;
}

std::string with_last_error(std::string text, const ChildEnd& end) {
  const std::string line = one_line(last_line(end.err), kShown);
  return line.empty() ? text : text + ": " + line;
}

/// Whether a run that failed says that memory was why.
bool says_out_of_memory(const ChildEnd& end, const Topology& topology) {
  try {
    return !parse_printed(end.out, topology).seconds;
  } catch (const Error&) {
    return false;
  }
}

void keep_most(const std::map<std::string, std::int64_t>& memory_bytes, MeasuredRuns& runs) {
  for (const auto& [device, bytes] : memory_bytes) {
    runs.memory_bytes[device] = std::max(runs.memory_bytes[device], bytes);
  }
}

void check_runnable(const ChildEnd& end) {
  const bool is_missing = end.code == kNotFound || end.code == kNotExecutable;
  if (end.how == ChildEnd::How::kExit && is_missing) {
    throw Error(with_last_error(
        fmt::format("--measure: expected a command that can run, found exit code {}", end.code),
        end));
  }
}

}  // namespace

Measurer::Measurer(const MeasureRules& rules, const Problem& problem, Order order,
                   const std::atomic<bool>* interrupt)
    : rules_(rules),
      problem_(problem),
      order_(order),
      interrupt_(interrupt),
      of_(hash_of(rules.command, problem)) {
  if (rules.command.find(kPlaceholder) == std::string::npos) {
    throw Error(
        fmt::format("--measure: expected {} in the command, where the file's path goes, found '{}'",
                    kPlaceholder, one_line(rules.command, kShown)));
  }
  std::error_code fault;
  if (rules.cache && fs::exists(*rules.cache, fault)) {
    measurements_ = read_measurements(*rules.cache);
  }
}

Measurer::~Measurer() {
  std::error_code fault;
  if (!folder_.empty()) fs::remove_all(folder_, fault);
}

MeasuredRuns& Measurer::entry_of(const Candidate& candidate) {
  return measurements_[{of_, hash_of(candidate, problem_)}];
}

const MeasuredRuns& Measurer::known(const Candidate& candidate) { return entry_of(candidate); }

std::string Measurer::placement_file(const Candidate& candidate) {
  if (folder_.empty()) {
    std::string pattern = (fs::temp_directory_path() / "placer-measure-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw Error(fmt::format("{}: expected a folder that can be made for --measure", pattern));
    }
    folder_ = pattern;
    folder_ends_.emplace(folder_);
  }
  std::optional<Sequences> sequences;
  if (order_ == Order::kGiven) {
    sequences = candidate.order.empty()
                    ? upward_rank_sequences(problem_, candidate.placement)
                    : sequences_of(problem_, candidate.placement, candidate.order);
  }
  const std::string path = fmt::format("{}/placement-{}.json", folder_, files_.size() + 1);
  write_atomically(path,
                   write_placement(problem_, candidate.placement, candidate.score, sequences, ""));
  return path;
}

std::optional<Measurer::Outcome> Measurer::run_once(const std::string& file, MeasuredRuns& runs) {
  const Deadline budget(Deadline::Clock::now(), rules_.budget_seconds - measuring_seconds_,
                        interrupt_);
  const auto begin = Deadline::Clock::now();
  const ChildEnd end = run_child(replaced(rules_.command, shell_word(file)), rules_.timeout_seconds,
                                 [&] { return budget.passed(); });
  measuring_seconds_ += std::chrono::duration<double>(Deadline::Clock::now() - begin).count();
  if (end.how == ChildEnd::How::kStopped) return std::nullopt;
  check_runnable(end);
  if (end.how == ChildEnd::How::kTimedOut) {
    return Outcome{{}, fmt::format("it takes more than {} s", rules_.timeout_seconds)};
  }
  const bool is_well = end.how == ChildEnd::How::kExit && end.code == 0;
  if (!is_well && !says_out_of_memory(end, problem_.topology())) {
    const char* kind = end.how == ChildEnd::How::kSignal ? "signal" : "exit code";
    return Outcome{{}, with_last_error(fmt::format("{} {}", kind, end.code), end)};
  }
  try {
    const PrintedRun printed = parse_printed(end.out, problem_.topology());
    keep_most(printed.memory_bytes, runs);
    if (!printed.seconds) return Outcome{{}, "out of memory"};
    return Outcome{printed.seconds, ""};
  } catch (const Error& error) {
    throw Error(fmt::format("--measure: {}", error.what()));
  }
}

std::optional<Measurer::Outcome> Measurer::measure(const Candidate& candidate, MeasuredRuns& runs) {
  const auto [file, is_cold] = files_.try_emplace(hash_of(candidate, problem_));
  if (is_cold) {
    file->second = placement_file(candidate);
    for (std::int64_t i = 0; i < rules_.warmups; ++i) {
      const std::optional<Outcome> warm = run_once(file->second, runs);
      if (!warm || !warm->seconds) return warm;
    }
  }
  return run_once(file->second, runs);
}

std::optional<RaceRun> Measurer::run(const Candidate& candidate, std::size_t run) {
  MeasuredRuns& runs = entry_of(candidate);
  if (run < runs.seconds.size()) return RaceRun{runs.seconds[run]};
  if (!runs.failure.empty()) return RaceRun{};
  if (is_spent()) return std::nullopt;
  const std::optional<Outcome> outcome = measure(candidate, runs);
  if (!outcome) return std::nullopt;
  runs.failure = outcome->failure;
  if (outcome->seconds) runs.seconds.push_back(*outcome->seconds);
  keep();
  return RaceRun{outcome->seconds};
}

bool Measurer::is_spent() const {
  return (interrupt_ != nullptr && *interrupt_) || measuring_seconds_ >= rules_.budget_seconds;
}

void Measurer::learn(std::span<const Candidate> candidates, std::size_t run,
                     const std::vector<MeasuredRuns>& found) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    MeasuredRuns& runs = entry_of(candidates[i]);
    // Runs of one number are compared with each other, as long as any are still to come.
    const bool lacks_earlier = runs.seconds.size() < run && !is_spent();
    if (!runs.failure.empty() || runs.seconds.size() > run || lacks_earlier) continue;
    keep_most(found[i].memory_bytes, runs);
    runs.failure = found[i].failure;
    runs.seconds.insert(runs.seconds.end(), found[i].seconds.begin(), found[i].seconds.end());
  }
  keep();
}

void Measurer::keep() {
  if (!rules_.cache) return;
  Measurements known = measurements_;
  std::erase_if(known, [](const auto& row) {
    return row.second.seconds.empty() && row.second.failure.empty();
  });
  write_atomically(*rules_.cache, write_measurements(known));
}

}  // namespace placer
