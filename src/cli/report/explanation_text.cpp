#include <fmt/format.h>

#include <algorithm>

#include "cli/report/explanation.hpp"
#include "cli/shared/layout.hpp"
#include "cli/shared/table.hpp"
#include "cli/shared/text.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostPieces = 40, kMostDevices = 64, kMostColumns = 36;

/// A table with a title, of which the columns of `left` are words.
struct Section {
  std::string title;
  Table table;
  std::vector<std::size_t> left;
  std::string note;  // below it
};

std::string size_text(std::int64_t bytes) { return bytes_text(static_cast<double>(bytes)); }

std::string op_name(const Explanation& explanation, std::size_t op) {
  return cut(explanation.loaded->problem.graph().op(OpId(op)).name, kMostColumns);
}

/// Why piece `at` began when it did.
std::string wait_text(const Explanation& explanation, const PathPiece& piece) {
  if (piece.wait == Wait::kNothing || piece.first == 0) return "";
  const CriticalStep& before = explanation.path.steps[piece.first - 1];
  switch (piece.wait) {
    case Wait::kChannel:
      return "channel busy";
    case Wait::kDevice:
      return "device busy: " + op_name(explanation, before.at);
    case Wait::kTurn:
      return "its turn";
    default:
      if (piece.is_transfer) return op_name(explanation, before.at);
      return before.is_transfer ? "data on its way" : "data of " + op_name(explanation, before.at);
  }
}

std::string where_text(const Explanation& explanation, const PathPiece& piece) {
  if (!piece.is_transfer) return explanation.device_name(piece.device);
  return fmt::format("{} -> {}", explanation.device_name(piece.device),
                     explanation.device_name(piece.to));
}

/// How many ops, of which unit; or which op.
std::string what_text(const Explanation& explanation, const PathPiece& piece) {
  const CriticalStep& first = explanation.path.steps[piece.first];
  const bool is_one = piece.count() == 1;
  if (piece.is_transfer) {
    const TensorId tensor = explanation.schedule.transfers[first.at].tensor;
    return is_one ? cut(tensor_title(explanation.loaded->problem.graph(), tensor), kMostColumns)
                  : counted(piece.count(), "tensor");
  }
  if (is_one) return op_name(explanation, first.at);
  const std::string count = counted(piece.count(), "op");
  const std::string& unit = explanation.units.units[piece.unit].name;
  if (!unit.empty()) return fmt::format("{} of {}", count, cut(unit, kMostColumns));
  return fmt::format("{}, {} to {}", count, op_name(explanation, first.at),
                     op_name(explanation, explanation.path.steps[piece.last].at));
}

/// The shortest time of a piece that is shown.
Picoseconds least_shown_ps(const std::vector<PathPiece>& pieces) {
  if (pieces.size() <= kMostPieces) return 0;
  std::vector<Picoseconds> lengths_ps;
  for (const PathPiece& piece : pieces) lengths_ps.push_back(piece.end_ps - piece.begin_ps);
  const auto last = lengths_ps.begin() + kMostPieces - 1;
  std::ranges::nth_element(lengths_ps, last, std::greater{});
  return std::max<Picoseconds>(*last, 1);
}

Section path_section(const Explanation& explanation) {
  Section section{"Critical path", {{"at", "takes", "where", "what", "waited for"}, {}}, {2, 3, 4}};
  const Picoseconds least_ps = least_shown_ps(explanation.pieces);
  std::size_t left_out = 0;
  Picoseconds left_out_ps = 0;
  for (const PathPiece& piece : explanation.pieces) {
    const Picoseconds length_ps = piece.end_ps - piece.begin_ps;
    if (length_ps < least_ps || section.table.rows.size() == kMostPieces) {
      ++left_out;
      left_out_ps += length_ps;
      continue;
    }
    section.table.rows.push_back({time_text(piece.begin_ps), time_text(length_ps),
                                  where_text(explanation, piece), what_text(explanation, piece),
                                  wait_text(explanation, piece)});
  }
  if (left_out > 0) {
    section.note = fmt::format("{} shorter {} of it, {} in all, {} left out here; --json has them.",
                               left_out, left_out == 1 ? "piece" : "pieces", time_text(left_out_ps),
                               left_out == 1 ? "is" : "are");
  }
  return section;
}

/// The devices in id order or, where there are too many, the first that hold something, with a
/// note.
std::vector<DeviceId> shown_devices(const Explanation& explanation, Section& section) {
  std::vector<DeviceId> devices;
  const std::size_t count = explanation.times.size();
  std::size_t in_use = 0;
  for (const DeviceId device : IdRange<DeviceId>(count)) {
    const bool is_used = explanation.times[device.index()].busy_ps > 0 ||
                         explanation.schedule.peak_bytes[device.index()] > 0;
    in_use += is_used ? 1 : 0;
    const bool is_shown = is_used || count <= kMostDevices;
    if (is_shown && devices.size() < kMostDevices) devices.push_back(device);
  }
  if (count > kMostDevices) {
    section.note =
        fmt::format("{}{} of {} devices that are in use, of {} in all; --json has all.",
                    devices.size() < in_use ? "The first " : "", devices.size(), in_use, count);
  }
  return devices;
}

Section time_section(const Explanation& explanation) {
  Section section{"Where the time of each device goes",
                  {{"device", "busy", "data on its way", "producer not ready", "channel busy",
                    "another's turn", "nothing left"},
                   {}},
                  {}};
  const auto share = [&](Picoseconds time) {
    return explanation.end_ps == 0
               ? ""
               : share_text(static_cast<double>(time) / static_cast<double>(explanation.end_ps));
  };
  for (const DeviceId device : shown_devices(explanation, section)) {
    const DeviceTime& time = explanation.times[device.index()];
    section.table.rows.push_back({explanation.device_name(device), share(time.busy_ps),
                                  share(time.transfer_ps), share(time.producer_ps),
                                  share(time.channel_ps), share(time.order_ps),
                                  share(time.done_ps)});
  }
  return section;
}

Section cut_section(const Explanation& explanation) {
  Section section{
      "Dearest cuts", {{"tensor", "bytes", "takes", "waited", "from", "to"}, {}}, {4, 5}};
  const Graph& graph = explanation.loaded->problem.graph();
  for (const std::size_t at : explanation.dearest) {
    const TransferRun& run = explanation.schedule.transfers[at];
    section.table.rows.push_back(
        {cut(tensor_title(graph, run.tensor), kMostColumns),
         size_text(graph.tensor(run.tensor).bytes), time_text(run.end_ps - run.begin_ps),
         time_text(run.begin_ps - run.requested_ps), explanation.device_name(run.from),
         explanation.device_name(run.to)});
  }
  return section;
}

std::string moved_text(const Explanation& explanation, const MemoryLimit& limit) {
  if (!limit.barred->group) return "everything";
  return op_name(explanation,
                 explanation.loaded->problem.groups().ops(*limit.barred->group).front().index());
}

std::string limit_text(const Explanation& explanation, const MemoryLimit& limit,
                       std::int64_t free_bytes) {
  if (!limit.binds()) return "no";
  const std::string more = limit.unbound_by(kMoreBytes) ? "1 GiB more is enough" : "1 GiB is not";
  if (free_bytes < 0) {
    return fmt::format("over by {}; {}", size_text(limit.missing_bytes), more);
  }
  return fmt::format("yes: {} here would give {}, lacks {}; {}", moved_text(explanation, limit),
                     time_text(limit.barred->step_ps), size_text(limit.missing_bytes), more);
}

Section memory_section(const Explanation& explanation) {
  Section section{"Memory at the peak",
                  {{"device", "peak", "capacity", "parameters", "kept", "activations", "received",
                    "temporary", "binds"},
                   {}},
                  {8}};
  for (const DeviceId device : shown_devices(explanation, section)) {
    const MemoryLimit& limit = explanation.limits[device.index()];
    const std::int64_t peak = explanation.schedule.peak_bytes[device.index()];
    const std::int64_t capacity =
        explanation.loaded->problem.topology().device(device).memory_bytes;
    section.table.rows.push_back({explanation.device_name(device), size_text(peak),
                                  size_text(capacity), size_text(limit.peak.parameters),
                                  size_text(limit.peak.kept), size_text(limit.peak.activations),
                                  size_text(limit.peak.received), size_text(limit.peak.temporary),
                                  limit_text(explanation, limit, capacity - peak)});
  }
  return section;
}

Section what_if_section(const Explanation& explanation) {
  Section section{"What if, with the same placement",
                  {{"", "step time", "times as fast"}, {}},
                  {},
                  explanation.searched.empty() ? "A new search may gain more: --search." : ""};
  const auto now = static_cast<double>(explanation.schedule.score.step_ps);
  for (const WhatIf& what_if : explanation.what_ifs) {
    const auto then = static_cast<double>(what_if.score.step_ps);
    section.table.rows.push_back(
        {what_if.name, time_text(what_if.score.step_ps), then > 0 ? times_text(now / then) : ""});
  }
  return section;
}

Section searched_section(const Explanation& explanation) {
  Section section{"What if, searched again", {{"", "step time", "times as fast"}, {}}, {}, ""};
  const auto now = static_cast<double>(explanation.schedule.score.step_ps);
  for (const SearchedWhatIf& what_if : explanation.searched) {
    const bool fits = what_if.score && what_if.score->fits();
    const bool compares = fits && what_if.score->step_ps > 0;
    section.table.rows.push_back(
        {what_if.name,
         fits ? time_text(what_if.score->step_ps) : (what_if.score ? "does not fit" : "cannot run"),
         compares ? times_text(now / static_cast<double>(what_if.score->step_ps)) : ""});
  }
  return section;
}

std::vector<Section> sections_of(const Explanation& explanation) {
  std::vector<Section> sections = {path_section(explanation), time_section(explanation)};
  if (!explanation.dearest.empty()) sections.push_back(cut_section(explanation));
  sections.push_back(memory_section(explanation));
  sections.push_back(what_if_section(explanation));
  if (!explanation.searched.empty()) sections.push_back(searched_section(explanation));
  return sections;
}

std::string title_line(const Explanation& explanation) {
  return fmt::format("{} on {}, order {}", explanation.loaded->graph_name,
                     explanation.loaded->devices_name, name_of(explanation.order));
}

}  // namespace

std::string explanation_text(const Explanation& explanation, const Look& look) {
  std::string text = title_line(explanation) + "\n\n";
  text += wrapped(join(conclusions(explanation), " ") + "\n", std::min(look.width, kProseWidth), 0);
  for (const Section& section : sections_of(explanation)) {
    Rows rows = {section.table.header};
    rows.insert(rows.end(), section.table.rows.begin(), section.table.rows.end());
    text += "\n" + toned(section.title, Tone::kBold, look) + "\n" +
            table_rows(std::move(rows), section.left, look);
    if (!section.note.empty()) text += section.note + "\n";
  }
  return text;
}

std::string explanation_markdown(const Explanation& explanation) {
  std::string text = "# " + markdown_text(title_line(explanation)) + "\n\n";
  for (const std::string& sentence : conclusions(explanation)) {
    text += "* " + markdown_text(sentence) + "\n";
  }
  for (const Section& section : sections_of(explanation)) {
    text += "\n## " + section.title + "\n\n" + markdown_table(section.table);
    if (!section.note.empty()) text += "\n" + section.note + "\n";
  }
  return text;
}

}  // namespace placer
