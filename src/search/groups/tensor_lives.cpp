#include "search/groups/tensor_lives.hpp"

#include <algorithm>

namespace placer {

TensorLives::TensorLives(const Problem& problem, std::size_t bands)
    : problem_(problem),
      width_(static_cast<float>(bands) / static_cast<float>(problem.op_count())),
      starts_(problem.op_count()) {
  const Groups& groups = problem.groups();
  std::vector<IndexLists::Entry> entries;
  std::vector<std::uint32_t> readers;
  for (const TensorId id : IdRange<TensorId>(problem.graph().tensors().size())) {
    const Tensor& tensor = problem.graph().tensor(id);
    if (tensor.bytes == 0 || tensor.consumers.empty()) continue;
    readers.clear();
    for (const OpId op : tensor.consumers) {
      readers.push_back(static_cast<std::uint32_t>(groups.of(op).index()));
    }
    std::ranges::sort(readers);
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    const auto net = static_cast<std::uint32_t>(nets_.size());
    const auto producer = static_cast<std::uint32_t>(groups.of(tensor.producer).index());
    const auto first = static_cast<std::uint32_t>(readers_.size());
    entries.emplace_back(producer, net);
    for (const std::uint32_t group : readers) {
      readers_.push_back({group, 0});
      entries.emplace_back(group, net);
    }
    nets_.push_back({id, producer, first, static_cast<std::uint32_t>(readers_.size()), tensor.keep,
                     static_cast<double>(tensor.bytes)});
  }
  nets_of_ = IndexLists(groups.size(), entries);
}

void TensorLives::line_up(const Schedule& schedule) {
  std::vector<OpId> line = problem_.graph().program_order();
  std::ranges::stable_sort(line, {}, [&](OpId op) { return schedule.ops[op.index()].start_ps; });
  for (std::size_t at = 0; at < line.size(); ++at) {
    starts_[line[at].index()] = static_cast<float>(at) * width_;
  }
  for (Net& net : nets_) {
    const Tensor& tensor = problem_.graph().tensor(net.tensor);
    net.start = starts_[tensor.producer.index()];
    const auto readers =
        std::span(readers_).subspan(net.first_reader, net.end_reader - net.first_reader);
    for (Reader& reader : readers) reader.end = net.start;
    for (const OpId op : tensor.consumers) {
      const std::size_t group = problem_.groups().of(op).index();
      Reader& reader = *std::ranges::lower_bound(readers, group, {}, &Reader::group);
      reader.end = std::max(reader.end, starts_[op.index()] + width_);
    }
  }
}

}  // namespace placer
