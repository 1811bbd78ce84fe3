#include "search/runs/run_inputs.hpp"

#include <algorithm>
#include <numeric>

#include "search/groups/mean_costs.hpp"

namespace placer {

RunInputs::RunInputs(const Problem& problem, const std::vector<GroupId>& order)
    : reads_(order.size()), makes_(order.size()), seen_(problem.graph().tensors().size(), 0) {
  std::vector<std::size_t> place(problem.groups().size(), kNowhere);
  for (std::size_t at = 0; at < order.size(); ++at) place[order[at].index()] = at;
  const std::vector<double> transfers_ps = mean_transfers_ps(problem);
  for (const TensorId id : IdRange<TensorId>(transfers_ps.size())) {
    const Tensor& tensor = problem.graph().tensor(id);
    if (transfers_ps[id.index()] == 0) continue;
    const auto place_of = [&](OpId op) { return place[problem.groups().of(op).index()]; };
    const std::size_t made = place_of(tensor.producer);
    for (const OpId reader : tensor.consumers) {
      const std::size_t at = place_of(reader);
      const Read read = {id, made, transfers_ps[id.index()]};
      if (at == made || at == kNowhere) continue;
      if (!reads_[at].empty() && reads_[at].back().tensor == id) continue;
      reads_[at].push_back(read);
      if (made != kNowhere) makes_[made].push_back(read);
    }
  }
}

void RunInputs::begin(std::size_t first) {
  first_ = first;
  ps_ = 0;
  ++run_;
}

double RunInputs::add_ps(std::size_t last) {
  for (const Read& made : makes_[last]) {
    if (seen_[made.tensor.index()] != run_) continue;
    ps_ -= made.ps;
    seen_[made.tensor.index()] = 0;
  }
  for (const Read& read : reads_[last]) {
    const bool is_own = read.made >= first_ && read.made <= last;  // not nowhere
    if (is_own || seen_[read.tensor.index()] == run_) continue;
    ps_ += read.ps;
    seen_[read.tensor.index()] = run_;
  }
  return ps_;
}

std::vector<double> RunInputs::crossing_ps() const {
  std::vector<double> ps(reads_.size() + 1, 0);
  for (std::size_t at = 0; at < reads_.size(); ++at) {
    for (const Read& read : reads_[at]) {
      if (read.made == kNowhere) continue;
      ps[std::min(at, read.made) + 1] += read.ps;
      ps[std::max(at, read.made) + 1] -= read.ps;
    }
  }
  std::partial_sum(ps.begin(), ps.end(), ps.begin());
  return ps;
}

}  // namespace placer
