// Task graphs without communication on identical processors: the Standard Task Graph Set of
// Kasahara Laboratory (first line: tasks; the tasks are numbered from an entry dummy 0 to an exit
// dummy) and its prototype format (first line: tasks and processors; numbered from 1 to an exit
// dummy). Tobita, Kasahara: A standard task graph set for fair evaluation of multiprocessor
// scheduling algorithms, Journal of Scheduling 5, 2002.
#include <fmt/format.h>

#include <algorithm>

#include "io/importers/importer.hpp"
#include "io/importers/text_fields.hpp"

namespace placer {
namespace {

constexpr std::int64_t kMostTasks = 10'000'000;
constexpr double kMostUnits = 1e9;
constexpr double kBytesPerSecond = 1e9;  // no byte is sent

struct Header {
  std::size_t tasks = 0;  // dummies included
  std::size_t first = 0;  // the first task's number
  std::optional<std::int64_t> processors;
};

Header read_header(TextWords& words) {
  if (words.at_end()) words.fail("the number of tasks", "the end of the file");
  const bool is_prototype = words.left_on_line() == 2;
  Header header;
  header.tasks = static_cast<std::size_t>(words.integer(1, kMostTasks, "the number of tasks"));
  header.tasks += is_prototype ? 1 : 2;
  if (is_prototype) {
    header.first = 1;
    header.processors = words.integer(1, kMostImportedDevices, "the number of processors");
  } else if (words.left_on_line() > 0) {
    words.fail("the number of tasks, and that of processors in the prototype format, on one line",
               "more numbers");
  }
  return header;
}

/// Reads one task; its producers are added to `consumers`, by position of the producer.
Op read_task(TextWords& words, const Header& header, std::size_t position,
             std::vector<std::vector<OpId>>& consumers) {
  const auto number = static_cast<std::int64_t>(header.first + position);
  words.integer(number, number, fmt::format("the task number {}", number));
  Op op;
  op.name = fmt::format("t{}", number);
  op.seconds = {{"processor", words.number(0, kMostUnits, "a processing time")}};
  const auto first = static_cast<std::int64_t>(header.first);
  const auto tasks = static_cast<std::int64_t>(header.tasks);
  const std::int64_t count = words.integer(0, tasks - 1, "a number of predecessors");
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t producer =
        words.integer(first, first + tasks - 1, "the number of a predecessor");
    std::vector<OpId>& of_producer = consumers[static_cast<std::size_t>(producer - first)];
    if (producer == number || (!of_producer.empty() && of_producer.back() == OpId(position))) {
      words.fail("each predecessor once and not the task itself",
                 fmt::format("{} for task {}", producer, number));
    }
    of_producer.emplace_back(position);
  }
  return op;
}

Imported read(ImportSource& source, const ImportOptions& options) {
  TextWords words(source);
  const Header header = read_header(words);
  std::vector<Op> ops;
  std::vector<std::vector<OpId>> consumers;
  // Not as many as the file claims, which may be wrong.
  const std::size_t most_tasks = source.text().size() / 4 + 1;
  consumers.resize(std::min(header.tasks, most_tasks));
  if (consumers.size() < header.tasks) {
    words.fail(fmt::format("{} tasks, dummies included", header.tasks), "a shorter file");
  }
  for (std::size_t i = 0; i < header.tasks; ++i) {
    ops.push_back(read_task(words, header, i, consumers));
  }
  if (!words.at_end()) {
    words.fail(fmt::format("the end after {} tasks, dummies included", header.tasks), "more");
  }
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < consumers.size(); ++i) {
    if (consumers[i].empty()) continue;
    Tensor& tensor = tensors.emplace_back();
    tensor.producer = OpId(i);
    tensor.consumers = std::move(consumers[i]);
  }
  Imported imported{
      .format = {},
      .graph = imported_graph(source, source.stem(), std::move(ops), std::move(tensors))};
  const auto processors = options.processors ? options.processors : header.processors;
  if (processors) {
    imported.devices = identical_processors(static_cast<std::size_t>(*processors), kBytesPerSecond);
  }
  return imported;
}

/// Begins with one or two integers on a line, and three or more on the next.
bool recognises(ImportSource& source) {
  TextLines lines(source.text());
  std::vector<std::size_t> words;
  while (words.size() < 2) {
    const std::optional<std::string_view> line = lines.next();
    if (!line) return false;
    if (line->starts_with('#') || trimmed(*line).empty()) continue;
    if (line->find_first_not_of("0123456789.+- \t\r") != std::string_view::npos) return false;
    const std::string text(*line);
    const ImportSource only(text, source.file());
    TextWords of_line(only);
    of_line.at_end();
    words.push_back(of_line.left_on_line());
  }
  return words[0] <= 2 && words[1] >= 3;
}

}  // namespace

Importer stg_importer() {
  return {.format = {.name = {},
                     .summary = "Standard Task Graph Set, standard and prototype format; a unit of "
                                "time is 1 s, --processors N (the prototype's own number, else "
                                "none) makes the devices"},
          .recognises = recognises,
          .read = read};
}

}  // namespace placer
