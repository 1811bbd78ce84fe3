#include "reference.hpp"

#include <algorithm>
#include <queue>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace placer::bench {

namespace {

template <class T>
using LeastFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;

class TextbookLoop {
 public:
  TextbookLoop(const Problem& problem, const Placement& placement)
      : problem_(problem),
        placement_(placement),
        ready_(problem.device_count()),
        busy_(problem.device_count(), false),
        link_free_at_(problem.device_count() * problem.device_count(), 0) {}

  Picoseconds run() {
    for (const OpId op : IdRange<OpId>(problem_.op_count())) {
      missing_.push_back(problem_.graph().inputs(op).size());
      if (missing_.back() == 0) ready_[device_of(op).index()].emplace(0, op);
    }
    for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) take_op(device);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.time;
      event.arrived ? arrive(event.tensor, event.device) : end(event.op);
    }
    return now_;
  }

 private:
  struct Event {
    Picoseconds time;
    bool arrived;  // a tensor, else the end of an op
    OpId op;
    TensorId tensor;
    DeviceId device;
    auto operator<=>(const Event&) const = default;
  };

  DeviceId device_of(OpId op) const { return placement_[problem_.groups().of(op)]; }

  void end(OpId op) {
    const DeviceId from = device_of(op);
    for (const TensorId tensor : problem_.graph().outputs(op)) {
      std::set<DeviceId> receivers;
      for (const OpId consumer : problem_.graph().tensor(tensor).consumers) {
        receivers.insert(device_of(consumer));
      }
      for (const DeviceId to : receivers) {
        to == from ? make_present(tensor, to) : send(tensor, from, to);
      }
    }
    busy_[from.index()] = false;
    take_op(from);
  }

  void send(TensorId tensor, DeviceId from, DeviceId to) {
    Picoseconds& free_at = link_free_at_[from.index() * problem_.device_count() + to.index()];
    const bool shared = problem_.topology().contention() == Contention::kLink;
    const Picoseconds begin = shared ? std::max(now_, free_at) : now_;
    free_at = begin + problem_.costs().transfer_ps(tensor, from, to);
    events_.push({begin + problem_.costs().transfer_ps(tensor, from, to), true, {}, tensor, to});
  }

  void arrive(TensorId tensor, DeviceId device) {
    make_present(tensor, device);
    take_op(device);
  }

  void make_present(TensorId tensor, DeviceId device) {
    for (const OpId consumer : problem_.graph().tensor(tensor).consumers) {
      if (device_of(consumer) != device) continue;
      if (--missing_[consumer.index()] == 0) ready_[device.index()].emplace(now_, consumer);
    }
  }

  void take_op(DeviceId device) {
    auto& queue = ready_[device.index()];
    if (busy_[device.index()] || queue.empty()) return;
    const OpId op = queue.top().second;
    queue.pop();
    busy_[device.index()] = true;
    events_.push({now_ + problem_.costs().op_ps(op, device), false, op, {}, device});
  }

  const Problem& problem_;
  const Placement& placement_;
  Picoseconds now_ = 0;
  LeastFirst<Event> events_;
  std::vector<LeastFirst<std::pair<Picoseconds, OpId>>> ready_;
  std::vector<bool> busy_;
  std::vector<Picoseconds> link_free_at_;
  std::vector<std::size_t> missing_;
};

}  // namespace

Picoseconds one_pass_sum(const Problem& problem, const Placement& placement) {
  Picoseconds sum = 0;
  for (const OpId op : problem.graph().program_order()) {
    const DeviceId device = placement[problem.groups().of(op)];
    sum += problem.costs().op_ps(op, device);
    for (const TensorId tensor : problem.graph().outputs(op)) {
      for (const OpId consumer : problem.graph().tensor(tensor).consumers) {
        sum +=
            problem.costs().transfer_ps(tensor, device, placement[problem.groups().of(consumer)]);
      }
    }
  }
  return sum;
}

Picoseconds textbook_step(const Problem& problem, const Placement& placement) {
  return TextbookLoop(problem, placement).run();
}

}  // namespace placer::bench
