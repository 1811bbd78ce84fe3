#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cli/ranks/messages.hpp"
#include "cli/ranks/own_thread.hpp"
#include "cli/ranks/transport.hpp"
#include "placer/base/observer.hpp"

namespace placer {

/// How ranks watch each other.
struct RankRules {
  double beat_seconds = 0.25;   // between two signs of life
  double silent_seconds = 3;    // after which a rank counts as lost
  double pause_seconds = 2e-4;  // between two looks for messages
};

/// Seconds from any beginning.
using RankClock = std::function<double()>;
RankClock steady_rank_clock();

/// Rank 0: hands units to the others, and to a thread of its own, as each becomes free. A unit of a
/// rank that falls silent is handed out again, and so is one whose message or answer was lost;
/// where several answers come, the first counts, as all are the same. The units must all be for
/// what `job` says; a rank that is ready for something else gets none. Between runs a thread of its
/// own tells the others that this rank is alive.
class HandOut {
 public:
  /// All references outlive the object; nobody else uses `transport` meanwhile. `work` is called by
  /// a thread. Once `interrupt`, which may be null, is set, the others are told to answer soon, and
  /// nothing more is handed out.
  HandOut(Transport& transport, std::string job, OwnThread::Work work, const Observer& observer,
          const std::atomic<bool>* interrupt = nullptr, RankRules rules = {},
          RankClock clock = steady_rank_clock());
  /// Tells the others that there is no more.
  ~HandOut();
  HandOut(const HandOut&) = delete;
  HandOut& operator=(const HandOut&) = delete;

  /// Calls `take(index, answer)` once for each unit, in the order in which answers come, by this
  /// thread, until all are there, or `stop` says so, or all that were handed out before an
  /// interrupt; what was handed out is forgotten then.
  void run(const std::vector<std::string>& units,
           const std::function<void(std::size_t index, const std::string& answer)>& take,
           const std::function<bool()>& stop);

  /// How many ranks, this one included, could do a unit now, as far as they have said so.
  std::size_t ready();

  /// How many units were handed out again.
  std::size_t repeated() const { return repeated_; }

 private:
  struct Peer {
    bool is_ready = false, is_lost = false;
    std::optional<std::size_t> unit;  // its number since the beginning
    double given_seconds = 0, heard_seconds = 0;
  };

  void keep_alive();
  void tell_warnings();
  bool is_interrupted() const;
  void cut();
  bool is_idle() const;
  bool listen();
  void hear(const RankMessage& message);
  void check_unit(Peer& peer, const RankWord& beat);
  void take_back(Peer& peer);
  void answer(std::size_t number, const std::string& text);
  void beat();
  void lose_the_silent();
  bool give();
  void lose(std::size_t rank, const std::string& why);
  std::optional<std::size_t> next_unit();

  Transport& transport_;
  const std::string job_;
  const Observer& observer_;
  const std::atomic<bool>* const interrupt_;
  const RankRules rules_;
  const RankClock clock_;
  OwnThread own_;
  std::vector<Peer> peers_;  // by rank; the first is this one
  double beaten_seconds_;
  std::size_t repeated_ = 0;
  bool has_cut_ = false;

  // Of the units that run now, whose numbers go on from run to run:
  const std::vector<std::string>* units_ = nullptr;
  const std::function<void(std::size_t, const std::string&)>* take_ = nullptr;
  std::size_t first_ = 0;
  std::set<std::size_t> waiting_, open_;  // to be handed out; without an answer

  std::vector<std::string> warnings_;  // for the thread of `run` to tell
  std::mutex mutex_;                   // for all of the above, but for what stays as it is
  std::condition_variable wake_;
  bool ends_ = false;
  std::thread between_runs_;
};

/// Another rank: does what rank 0 hands out, until that says that there is no more, or falls
/// silent; then, or where it wants the answer soon, sets `stop`, for a unit that is at work. `job`
/// says what it is ready for. Returns whether rank 0 may hand out something else after that.
bool serve_rank_0(Transport& transport, const std::string& job, OwnThread::Work work,
                  std::atomic<bool>& stop, RankRules rules = {},
                  RankClock clock = steady_rank_clock());

/// Rank 0: tells the others that there is nothing to do, where it made no `HandOut`.
void dismiss_ranks(Transport& transport);

/// Another rank: tells rank 0 that it does no units, and why.
void refuse_rank_0(Transport& transport, const std::string& why);

}  // namespace placer
