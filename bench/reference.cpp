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
        link_free_at_(problem.device_count() * problem.device_count(), 0),
        users_(problem.graph().tensors().size() * problem.device_count(), 0),
        held_bytes_(problem.device_count(), 0),
        touched_(problem.device_count(), false) {}

  Score run() {
    for (const OpId op : IdRange<OpId>(problem_.op_count())) {
      missing_.push_back(problem_.graph().inputs(op).size());
      if (missing_.back() == 0) ready_[device_of(op).index()].emplace(0, op);
      held_bytes_[device_of(op).index()] += problem_.graph().op(op).params_bytes;
    }
    peak_bytes_ = held_bytes_;
    for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) take_op(device);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.time > now_) close_instant();
      now_ = event.time;
      happen(event);
    }
    return {overflow_bytes(), now_};
  }

 private:
  enum class Kind { kOpEnds, kTransferBegins, kTransferEnds };
  struct Event {
    Picoseconds time;
    Kind kind;
    OpId op;
    TensorId tensor;
    DeviceId device;
    auto operator<=>(const Event&) const = default;
  };

  DeviceId device_of(OpId op) const { return placement_[problem_.groups().of(op)]; }

  void happen(const Event& event) {
    if (event.kind == Kind::kOpEnds) return end(event.op);
    if (event.kind == Kind::kTransferBegins) return hold(event.device, bytes_of(event.tensor));
    arrive(event.tensor, event.device);
  }

  void end(OpId op) {
    const DeviceId from = device_of(op);
    hold(from, -problem_.graph().op(op).temp_bytes);
    for (const TensorId tensor : problem_.graph().inputs(op)) drop(tensor, from);
    for (const TensorId tensor : problem_.graph().outputs(op)) {
      std::set<DeviceId> receivers;
      for (const OpId consumer : problem_.graph().tensor(tensor).consumers) {
        receivers.insert(device_of(consumer));
        ++users(tensor, device_of(consumer));
      }
      for (const DeviceId to : receivers) {
        to == from ? make_present(tensor, to) : send(tensor, from, to);
      }
      drop(tensor, from);
    }
    busy_[from.index()] = false;
    take_op(from);
  }

  void send(TensorId tensor, DeviceId from, DeviceId to) {
    Picoseconds& free_at = link_free_at_[from.index() * problem_.device_count() + to.index()];
    const bool shared = problem_.topology().contention() == Contention::kLink;
    const Picoseconds begin = shared ? std::max(now_, free_at) : now_;
    free_at = begin + problem_.costs().transfer_ps(tensor, from, to);
    ++users(tensor, from);
    events_.push({begin, Kind::kTransferBegins, {}, tensor, to});
    events_.push({free_at, Kind::kTransferEnds, {}, tensor, to});
  }

  void arrive(TensorId tensor, DeviceId device) {
    drop(tensor, device_of(problem_.graph().tensor(tensor).producer));
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
    hold(device, problem_.graph().op(op).temp_bytes);
    for (const TensorId tensor : problem_.graph().outputs(op)) {
      hold(device, bytes_of(tensor));
      users(tensor, device) = problem_.graph().tensor(tensor).keep ? 2 : 1;  // the op, the step
    }
    events_.push({now_ + problem_.costs().op_ps(op, device), Kind::kOpEnds, op, {}, device});
  }

  std::int64_t bytes_of(TensorId tensor) const { return problem_.graph().tensor(tensor).bytes; }
  int& users(TensorId tensor, DeviceId device) {
    return users_[tensor.index() * problem_.device_count() + device.index()];
  }

  void drop(TensorId tensor, DeviceId device) {
    if (--users(tensor, device) == 0) hold(device, -bytes_of(tensor));
  }

  void hold(DeviceId device, std::int64_t bytes) {
    held_bytes_[device.index()] += bytes;
    touched_[device.index()] = true;
  }

  void close_instant() {
    for (std::size_t device = 0; device < touched_.size(); ++device) {
      if (touched_[device])
        peak_bytes_[device] = std::max(peak_bytes_[device], held_bytes_[device]);
      touched_[device] = false;
    }
  }

  std::int64_t overflow_bytes() const {
    std::int64_t sum = 0;
    for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) {
      const std::int64_t capacity = problem_.topology().device(device).memory_bytes;
      sum += std::max<std::int64_t>(0, peak_bytes_[device.index()] - capacity);
    }
    return sum;
  }

  const Problem& problem_;
  const Placement& placement_;
  Picoseconds now_ = 0;
  LeastFirst<Event> events_;
  std::vector<LeastFirst<std::pair<Picoseconds, OpId>>> ready_;
  std::vector<bool> busy_;
  std::vector<Picoseconds> link_free_at_;
  std::vector<std::size_t> missing_;
  std::vector<int> users_;  // of a tensor on a device: who still keeps it there
  std::vector<std::int64_t> held_bytes_, peak_bytes_;
  std::vector<bool> touched_;  // devices, at this instant
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

Score textbook_score(const Problem& problem, const Placement& placement) {
  return TextbookLoop(problem, placement).run();
}

}  // namespace placer::bench
