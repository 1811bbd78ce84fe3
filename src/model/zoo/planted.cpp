// Graphs whose best step time is known: every device of a drawn schedule is busy without a gap from
// 0 to the end, transfers fit into what time they have, and no op is cheaper elsewhere than the
// devices' weights allow. With weights w, cost(op, d) * w[d] >= cost(op, p) * w[p] for the planted
// device p, so for any placement sum of w[d] * load[d] >= T * sum of w, and some load is at least
// T: the dual bound of the assignment problem (Lenstra, Shmoys, Tardos 1990).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "placer/base/errors.hpp"
#include "placer/base/rng.hpp"
#include "placer/model/zoo.hpp"

namespace placer {
namespace {

struct Options {
  std::int64_t ops = 1000;
  std::int64_t devices = 4;
  double heterogeneity = 0.3;
  double slack = 0.2;
  double degree = 2;
  double ccr = 0.5;
  std::int64_t window = 0;
  std::int64_t seed = 0;
};

constexpr std::array kRows = {
    option("ops", &Options::ops, 1, 1'000'000, "how many; at least one for each device"),
    option("devices", &Options::devices, 1, 64, "how many"),
    option("heterogeneity", &Options::heterogeneity, 0, 0.9,
           "devices' speeds are uniform within this share of the mean"),
    option("slack", &Options::slack, 0, 10,
           "an op on another device costs up to this share more than its speed says"),
    option("degree", &Options::degree, 0, 100, "mean consumers of an op's tensor"),
    option("ccr", &Options::ccr, 0, 100, "mean transfer to mean op time"),
    option("window", &Options::window, 0, 1'000'000,
           "consumers are among this many ops that start next; 0: 8 for each device"),
    option("seed", &Options::seed, 0, 1'000'000'000, "of the draws"),
};
static_assert(kRows.size() == member_count<Options>);

constexpr double kTick = 1e-6;  // seconds; all costs are whole ticks
constexpr Picoseconds kTickPs = 1'000'000;
constexpr std::int64_t kMeanTicks = 100;  // of an op
constexpr double kBytesPerSecond = 1e10, kLatency = 5e-6;
constexpr std::int64_t kMostParamsBytes = 1 << 20;

/// An op of the planted schedule, in ticks.
struct Task {
  std::size_t device;
  std::int64_t start, end;
  std::size_t op = 0;  // its id, which says nothing about its place in the schedule
};

class Planter {
 public:
  explicit Planter(const Options& options)
      : options_(options),
        rng_(static_cast<std::uint64_t>(options.seed)),
        device_count_(static_cast<std::size_t>(options.devices)) {}

  GeneratedGraph plant(const std::string& name) {
    draw_weights();
    draw_tasks();
    memory_.assign(device_count_, 0);
    ops_.resize(tasks_.size());
    for (const Task& task : tasks_) draw_op(task);
    draw_tensors();
    Graph graph(name, std::move(ops_), std::move(tensors_));
    return {std::move(graph), topology(), optimum()};
  }

 private:
  void draw_weights() {
    for (std::size_t d = 0; d < device_count_; ++d) {
      const double weight = 100 * (1 + options_.heterogeneity * (2 * rng_.uniform() - 1));
      weights_.push_back(std::max<std::int64_t>(1, std::llround(weight)));
      total_weight_ += weights_.back();
    }
  }

  /// As many ops on each device as its speed earns, at least one; what rounding leaves on the
  /// first.
  std::vector<std::int64_t> task_counts() const {
    const std::int64_t shared = options_.ops - options_.devices;
    std::vector<std::int64_t> counts;
    std::int64_t left = options_.ops;
    for (const std::int64_t weight : weights_) {
      counts.push_back(1 + shared * weight / total_weight_);
      left -= counts.back();
    }
    counts[0] += left;
    return counts;
  }

  void draw_tasks() {
    const std::vector<std::int64_t> counts = task_counts();
    end_ = kMeanTicks * *std::ranges::max_element(counts);
    for (std::size_t d = 0; d < device_count_; ++d) draw_device(d, counts[d]);
    std::ranges::sort(tasks_, {}, [](const Task& t) { return std::pair(t.start, t.device); });
    std::vector<std::size_t> ids(tasks_.size());
    std::iota(ids.begin(), ids.end(), std::size_t{0});
    rng_.shuffle(std::span(ids));
    for (std::size_t i = 0; i < ids.size(); ++i) tasks_[i].op = ids[i];
  }

  /// Cuts [0, end) into `count` tasks of random lengths.
  void draw_device(std::size_t device, std::int64_t count) {
    std::vector<std::int64_t> cuts = {0};
    for (std::int64_t i = 0; i < count; ++i) {
      cuts.push_back(cuts.back() + 20 + static_cast<std::int64_t>(rng_.below(161)));
    }
    const std::int64_t drawn = cuts.back();
    for (std::int64_t& cut : cuts) cut = cut * end_ / drawn;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      tasks_.push_back({device, cuts[i], cuts[i + 1]});
    }
  }

  void draw_op(const Task& task) {
    Op& op = ops_[task.op];
    op.name = "op" + std::to_string(task.op);
    op.type = "task";
    op.params_bytes = 1 + static_cast<std::int64_t>(rng_.below(kMostParamsBytes));
    const std::int64_t worth = (task.end - task.start) * weights_[task.device];
    for (std::size_t d = 0; d < device_count_; ++d) {
      std::int64_t ticks = task.end - task.start;
      if (d != task.device) {
        const std::int64_t least = (worth + weights_[d] - 1) / weights_[d];
        const double more = options_.slack * rng_.uniform() * static_cast<double>(least);
        ticks = least + static_cast<std::int64_t>(more);
      }
      op.seconds.emplace_back(device_name(d), static_cast<double>(ticks) * kTick);
    }
    memory_[task.device] += op.params_bytes;
  }

  /// In the order of their producers' ends, which is that of their requests: so each transfer is
  /// planned behind all that the simulator will serve before it. Planned on one port out of and one
  /// into each device, it fits with a channel for each pair as well.
  void draw_tensors() {
    out_free_.assign(device_count_, 0);
    in_free_.assign(device_count_, 0);
    std::vector<const Task*> by_end;
    for (const Task& task : tasks_) by_end.push_back(&task);
    std::ranges::stable_sort(by_end, {}, &Task::end);
    for (const Task* task : by_end) draw_tensor(*task);
  }

  void draw_tensor(const Task& task) {
    Tensor tensor;
    tensor.producer = OpId(task.op);
    const double mean = options_.ccr * kMeanTicks * kTick * kBytesPerSecond;
    tensor.bytes = 1 + std::llround(2 * mean * rng_.uniform());
    const std::vector<std::size_t> candidates = draw_consumers(task);
    for (std::size_t d = 0; d < device_count_; ++d) deliver(tensor, task, d, candidates);
    if (tensor.consumers.empty()) return;
    memory_[task.device] += tensor.bytes;
    tensors_.push_back(std::move(tensor));
  }

  /// Places in the schedule of ops that start at the task's end or later, in order.
  std::vector<std::size_t> draw_consumers(const Task& task) {
    const auto first = static_cast<std::size_t>(
        std::ranges::lower_bound(tasks_, task.end, {}, &Task::start) - tasks_.begin());
    const std::size_t window =
        options_.window > 0 ? static_cast<std::size_t>(options_.window) : 8 * device_count_;
    const std::size_t reach = std::min(window, tasks_.size() - first);
    std::vector<std::size_t> drawn;
    if (reach == 0) return drawn;
    for (std::int64_t left = std::llround(2 * options_.degree * rng_.uniform()); left > 0; --left) {
      drawn.push_back(first + rng_.below(reach));
    }
    std::ranges::sort(drawn);
    return drawn;
  }

  /// Those candidates on device `d` that the tensor reaches before they start become consumers.
  void deliver(Tensor& tensor, const Task& task, std::size_t d,
               const std::vector<std::size_t>& candidates) {
    const bool is_local = d == task.device;
    const Picoseconds begin = std::max({task.end * kTickPs, out_free_[task.device], in_free_[d]});
    const Picoseconds arrival =
        is_local ? task.end * kTickPs
                 : begin + to_picoseconds(kLatency +
                                          static_cast<double>(tensor.bytes) / kBytesPerSecond);
    bool is_sent = false;
    for (const std::size_t candidate : candidates) {
      if (tasks_[candidate].device != d || tasks_[candidate].start * kTickPs < arrival) continue;
      tensor.consumers.emplace_back(tasks_[candidate].op);
      is_sent = !is_local;
    }
    if (!is_sent) return;
    out_free_[task.device] = in_free_[d] = arrival;
    memory_[d] += tensor.bytes;
  }

  static std::string device_name(std::size_t d) { return "device:" + std::to_string(d); }

  /// Memory for the planted parameters and every tensor that the plan makes or brings there.
  Topology topology() const {
    std::vector<Device> devices;
    for (std::size_t d = 0; d < device_count_; ++d) {
      Device device;
      device.name = device_name(d);
      device.type = "device";
      device.memory_bytes = memory_[d];
      devices.push_back(std::move(device));
    }
    std::vector<Link> links;
    if (device_count_ > 1) links.push_back({"*", "*", kBytesPerSecond, kLatency, {}});
    return Topology(std::move(devices), std::move(links));
  }

  KnownOptimum optimum() const {
    KnownOptimum known;
    known.devices.resize(tasks_.size());
    known.sequences.resize(device_count_);
    for (const Task& task : tasks_) {
      known.devices[task.op] = DeviceId(task.device);
      known.sequences[task.device].emplace_back(task.op);
    }
    known.step_ps = end_ * kTickPs;
    return known;
  }

  const Options& options_;
  Rng rng_;
  std::size_t device_count_;
  std::vector<std::int64_t> weights_;  // a device's speed
  std::int64_t total_weight_ = 0;
  std::int64_t end_ = 0;     // ticks
  std::vector<Task> tasks_;  // by start
  std::vector<Picoseconds> out_free_, in_free_;
  std::vector<std::int64_t> memory_;
  std::vector<Op> ops_;
  std::vector<Tensor> tensors_;
};

GeneratedGraph generate_planted(const std::string& name, const Options& options) {
  if (options.ops < options.devices) {
    throw Error(
        fmt::format("option ops: expected at least one for each of the {} devices, found {}",
                    options.devices, options.ops));
  }
  return Planter(options).plant(fmt::format("{}_{}_on_{}", name, options.ops, options.devices));
}

}  // namespace

Model planted() {
  return make_model("a graph whose best step time on its own devices is known", "", kRows,
                    generate_planted);
}

}  // namespace placer
