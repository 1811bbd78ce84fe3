// Workflow instances of WfCommons (WfFormat 1.5 and 1.6, which adds metrics): every task becomes an
// op that runs on CPUs for its measured time, every file that a task writes a tensor for those that
// read it. Files that no task writes are there from the start and cost nothing. A dependency
// without a file is a tensor of 0 bytes. Machines are left out, since the format does not say how
// they are joined. Coleman et al.: WfCommons: A framework for enabling scientific workflow research
// and development, Future Generation Computer Systems 128, 2022; schema:
// github.com/wfcommons/WfFormat.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "io/importers/checks.hpp"
#include "io/importers/importer.hpp"
#include "io/op_names.hpp"

namespace placer {
namespace {

constexpr double kMostSeconds = 1e9;
constexpr double kMostBytes = 1e15;

struct File {
  std::string id;
  std::int64_t bytes = 0;
  std::optional<OpId> producer;
  std::vector<OpId> consumers;
};

/// A task's name is for people and its id is unique: the op is called by the id.
std::vector<Op> ops_from(const JsonCursor& list) {
  std::vector<Op> ops;
  list.for_each_element([&](const JsonCursor& cursor) {
    JsonObject object(cursor);
    Op& op = ops.emplace_back();
    op.name = std::string(object.required("id").name());
    op.type = object.required("name").name();
    op.devices = {"cpu"};  // nothing else was measured
    for (const std::string_view known : {"parents", "children"}) object.required(known);
    for (const std::string_view known : {"inputFiles", "outputFiles"}) object.find(known);
    object.no_other_keys();
  });
  return ops;
}

class Dependencies {
 public:
  explicit Dependencies(const std::vector<Op>& ops) : names_(ops), children_(ops.size()) {}

  void read_files(const JsonCursor& list) {
    list.for_each_element([&](const JsonCursor& cursor) {
      JsonObject object(cursor);
      const JsonCursor id = object.required("id");
      if (!file_of_.emplace(id.name(), files_.size()).second) {
        id.fail("an id of its own", fmt::format("'{}' again", id.name()));
      }
      const JsonCursor bytes = object.required("sizeInBytes");
      files_.push_back(
          {std::string(id.name()), bytes.integer(0, std::int64_t{1'000'000'000'000'000}), {}, {}});
      object.no_other_keys();
    });
  }

  void read_task(const JsonCursor& cursor, OpId op) {
    JsonObject object(cursor);
    const JsonCursor parents = object.required("parents"), children = object.required("children");
    parents.for_each_element(
        [&](const JsonCursor& parent) { children_[other(parent, op).index()].push_back(op); });
    children.for_each_element(
        [&](const JsonCursor& child) { children_[op.index()].push_back(other(child, op)); });
    if (const auto inputs = object.find("inputFiles")) {
      inputs->for_each_element([&](const JsonCursor& id) { file(id).consumers.push_back(op); });
    }
    if (const auto outputs = object.find("outputFiles")) {
      outputs->for_each_element([&](const JsonCursor& id) {
        File& written = file(id);
        if (written.producer && *written.producer != op) {
          id.fail("a file that one task writes", fmt::format("'{}' for a second one", written.id));
        }
        written.producer = op;
      });
    }
  }

  std::vector<Tensor> tensors() && {
    std::vector<Tensor> tensors;
    std::vector<std::vector<OpId>> reached(children_.size());
    for (File& file : files_) {
      if (!file.producer) continue;
      Tensor& tensor = tensors.emplace_back();
      tensor.name = std::move(file.id);
      tensor.producer = *file.producer;
      tensor.bytes = file.bytes;
      for (const OpId consumer : file.consumers) {
        if (consumer == tensor.producer) continue;  // its own scratch file
        tensor.consumers.push_back(consumer);
        reached[tensor.producer.index()].push_back(consumer);
      }
    }
    for (std::size_t i = 0; i < children_.size(); ++i) {
      Tensor control;
      control.producer = OpId(i);
      std::ranges::sort(reached[i]);
      for (const OpId child : children_[i]) {
        if (!std::ranges::binary_search(reached[i], child)) control.consumers.push_back(child);
      }
      if (!control.consumers.empty()) tensors.push_back(std::move(control));
    }
    return tensors;
  }

  std::size_t staged_files() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        files_, [](const File& file) { return !file.producer && !file.consumers.empty(); }));
  }

 private:
  OpId other(const JsonCursor& cursor, OpId op) const {
    const OpId found = names_.find(cursor);
    if (found == op) cursor.fail("another task", "the task itself");
    return found;
  }

  File& file(const JsonCursor& cursor) {
    const auto at = file_of_.find(std::string(cursor.name()));
    if (at == file_of_.end()) cursor.fail("the id of a file");
    return files_[at->second];
  }

  OpNames names_;
  std::vector<std::vector<OpId>> children_;
  std::unordered_map<std::string, std::size_t> file_of_;
  std::vector<File> files_;
};

/// Returns how many tasks ran on several cores.
std::size_t read_execution(const JsonCursor& cursor, std::vector<Op>& ops) {
  JsonObject object(cursor);
  for (const std::string_view known : {"makespanInSeconds", "executedAt", "machines", "metrics"}) {
    object.find(known);
  }
  const OpNames names(ops);
  std::size_t parallel = 0;
  const JsonCursor list = object.required("tasks");
  list.for_each_element([&](const JsonCursor& task) {
    JsonObject measured(task);
    const JsonCursor id = measured.required("id");
    Op& op = ops[names.find(id).index()];
    if (!op.seconds.empty()) id.fail("each task once", fmt::format("'{}' again", id.name()));
    op.seconds = {{"cpu", measured.required("runtimeInSeconds").number(0, kMostSeconds)}};
    if (const auto memory = measured.find("memoryInBytes")) {
      op.temp_bytes = static_cast<std::int64_t>(std::ceil(memory->number(0, kMostBytes)));
    }
    if (const auto cores = measured.find("coreCount"); cores && cores->number(0) > 1) ++parallel;
    for (const std::string_view known :
         {"command", "avgCPU", "readBytes", "writtenBytes", "energyInKWh", "avgPowerInW",
          "priority", "machine", "machines"}) {
      measured.find(known);
    }
    measured.no_other_keys();
  });
  object.no_other_keys();
  for (const Op& op : ops) {
    if (op.seconds.empty()) list.fail("every task", fmt::format("none of '{}'", op.name));
  }
  return parallel;
}

Imported read(ImportSource& source, const ImportOptions&) {
  const JsonCursor root(source.json(), source.file());
  JsonObject object(root);
  const JsonCursor version = object.required("schemaVersion");
  if (version.name() != "1.5" && version.name() != "1.6") version.fail("'1.5' or '1.6'");
  const JsonCursor workflow_cursor = object.required("workflow");
  JsonObject workflow(workflow_cursor);
  const JsonCursor specification_cursor = workflow.required("specification");
  JsonObject specification(specification_cursor);
  const JsonCursor tasks = specification.required("tasks");
  std::vector<Op> ops = ops_from(tasks);
  require_unique_names(source, ops, "workflow.specification.tasks[{}].id");
  Dependencies dependencies(ops);
  if (const auto files = specification.find("files")) dependencies.read_files(*files);
  std::size_t position = 0;
  tasks.for_each_element(
      [&](const JsonCursor& task) { dependencies.read_task(task, OpId(position++)); });
  specification.find("metrics");
  specification.no_other_keys();
  const JsonCursor execution = workflow.required("execution");
  const std::size_t parallel = read_execution(execution, ops);
  workflow.no_other_keys();

  std::vector<std::string> notes;
  if (const std::size_t staged = dependencies.staged_files(); staged > 0) {
    notes.push_back(fmt::format("files that no task writes, there from the start: {}", staged));
  }
  if (parallel > 0) {
    notes.push_back(fmt::format("tasks of several cores, which take one slot each: {}", parallel));
  }
  std::string name(object.required("name").name());
  return {.format = {},
          .graph = imported_graph(source, std::move(name), std::move(ops),
                                  std::move(dependencies).tensors()),
          .notes = std::move(notes)};
}

}  // namespace

Importer wfcommons_importer() {
  return {.format = {.name = {},
                     .summary =
                         "WfCommons workflow instances (WfFormat 1.5 and 1.6) with their measured "
                         "times, on CPUs"},
          .recognises =
              [](ImportSource& source) {
                return source.has_keys({"schemaVersion", "workflow"});
              },
          .read = read};
}

}  // namespace placer
