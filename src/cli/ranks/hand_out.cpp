#include "cli/ranks/hand_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "placer/base/text.hpp"

namespace placer {
namespace {

constexpr std::size_t kShown = 200;  // of what another rank says
// How many times as long as others rank 0 may be silent: while it makes a report, and at first,
// while it reads files.
constexpr double kPatience = 4, kFirstPatience = 200;

void pause(const RankRules& rules) {
  std::this_thread::sleep_for(std::chrono::duration<double>(rules.pause_seconds));
}

}  // namespace

RankClock steady_rank_clock() {
  return [begin = std::chrono::steady_clock::now()] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
}

HandOut::HandOut(Transport& transport, std::string job, OwnThread::Work work,
                 const Observer& observer, const std::atomic<bool>* interrupt, RankRules rules,
                 RankClock clock)
    : transport_(transport),
      job_(std::move(job)),
      observer_(observer),
      interrupt_(interrupt),
      rules_(rules),
      clock_(std::move(clock)),
      own_(std::move(work)),
      peers_(static_cast<std::size_t>(transport.size())),
      beaten_seconds_(clock_()),
      between_runs_([this] { keep_alive(); }) {}

HandOut::~HandOut() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  between_runs_.join();
  tell_warnings();
  const bool parts =
      std::ranges::any_of(peers_, [](const Peer& peer) { return peer.is_ready && peer.is_lost; });
  for (int rank = 1; rank < transport_.size(); ++rank) {
    transport_.send(rank, encoded({RankWord::Kind::kEnd, 0, parts ? RankWord::kPart : ""}));
  }
  if (parts) transport_.part();
}

void HandOut::keep_alive() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::duration<double>(rules_.beat_seconds),
                         [this] { return ends_; })) {
    listen();
    beat();
    lose_the_silent();
  }
}

void HandOut::tell_warnings() {
  for (const std::string& warning : warnings_) {
    observer_.tell(EventLevel::kWarn, "", [&] { return warning; });
  }
  warnings_.clear();
}

std::size_t HandOut::ready() {
  const std::lock_guard lock(mutex_);
  listen();
  return 1 + static_cast<std::size_t>(std::ranges::count_if(
                 peers_, [](const Peer& peer) { return peer.is_ready && !peer.is_lost; }));
}

void HandOut::run(const std::vector<std::string>& units,
                  const std::function<void(std::size_t, const std::string&)>& take,
                  const std::function<bool()>& stop) {
  const std::lock_guard lock(mutex_);
  units_ = &units;
  take_ = &take;
  for (std::size_t i = 0; i < units.size(); ++i) open_.insert(first_ + i);
  waiting_ = open_;
  while (!open_.empty() && !stop()) {
    bool did = listen();
    beat();
    lose_the_silent();
    tell_warnings();
    if (is_interrupted()) {
      cut();
      if (is_idle()) break;
    } else {
      did = give() || did;
    }
    if (!did) pause(rules_);
  }
  tell_warnings();
  open_.clear();
  waiting_.clear();
  first_ += units.size();
}

bool HandOut::is_interrupted() const {
  return interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed);
}

void HandOut::cut() {
  if (std::exchange(has_cut_, true)) return;
  for (int rank = 1; rank < transport_.size(); ++rank) {
    if (!peers_[static_cast<std::size_t>(rank)].is_lost) {
      transport_.send(rank, encoded({RankWord::Kind::kCut, 0, ""}));
    }
  }
}

bool HandOut::is_idle() const {
  return own_.is_free() &&
         std::ranges::none_of(peers_, [](const Peer& peer) { return peer.unit.has_value(); });
}

bool HandOut::listen() {
  bool heard = false;
  while (const std::optional<RankMessage> message = transport_.poll()) {
    heard = true;
    hear(*message);
  }
  if (const std::optional<RankWord> own = own_.take_answer()) {
    heard = true;
    answer(own->unit, own->text);
  }
  return heard;
}

void HandOut::hear(const RankMessage& message) {
  const auto rank = static_cast<std::size_t>(message.from);
  const std::optional<RankWord> word = decoded(message.bytes);
  if (!word || rank == 0 || rank >= peers_.size()) return;
  Peer& peer = peers_[rank];
  peer.heard_seconds = clock_();
  peer.is_lost = false;
  if (word->kind == RankWord::Kind::kReady) {
    peer.is_ready = word->text == job_;
    if (!peer.is_ready) lose(rank, "it was started for something else, or reads other files");
  } else if (word->kind == RankWord::Kind::kFault) {
    peer.is_ready = false;
    lose(rank, one_line(word->text, kShown));
  } else if (word->kind == RankWord::Kind::kAnswer && peer.is_ready) {  // not of an earlier one
    if (peer.unit == word->unit) peer.unit.reset();
    answer(word->unit, word->text);
  } else if (word->kind == RankWord::Kind::kBeat) {
    check_unit(peer, *word);
  }
}

/// An answer is there before the beats that follow it, unless it was lost.
void HandOut::check_unit(Peer& peer, const RankWord& beat) {
  if (!peer.unit) return;
  const bool is_done = beat.unit == *peer.unit && beat.text != RankWord::kBusy;
  const bool never_came =
      beat.unit != *peer.unit && clock_() - peer.given_seconds > rules_.silent_seconds;
  if (is_done || never_came) take_back(peer);
}

void HandOut::take_back(Peer& peer) {
  if (peer.unit && open_.contains(*peer.unit)) {
    waiting_.insert(*peer.unit);
    ++repeated_;
  }
  peer.unit.reset();
}

void HandOut::answer(std::size_t number, const std::string& text) {
  waiting_.erase(number);
  if (open_.erase(number) > 0) (*take_)(number - first_, text);
}

void HandOut::beat() {
  if (clock_() - beaten_seconds_ < rules_.beat_seconds) return;
  beaten_seconds_ = clock_();
  for (int rank = 1; rank < transport_.size(); ++rank) {
    if (!peers_[static_cast<std::size_t>(rank)].is_lost) {
      transport_.send(rank, encoded({RankWord::Kind::kBeat, 0, ""}));
    }
  }
}

void HandOut::lose_the_silent() {
  for (std::size_t rank = 1; rank < peers_.size(); ++rank) {
    const Peer& peer = peers_[rank];
    if (!peer.is_ready || peer.is_lost) continue;
    if (clock_() - peer.heard_seconds < rules_.silent_seconds) continue;
    lose(rank, fmt::format("it says nothing for {} s", rules_.silent_seconds));
  }
}

void HandOut::lose(std::size_t rank, const std::string& why) {
  Peer& peer = peers_[rank];
  peer.is_lost = true;
  warnings_.push_back(fmt::format("rank {}: {}", rank, why));
  take_back(peer);
}

std::optional<std::size_t> HandOut::next_unit() {
  if (waiting_.empty()) return std::nullopt;
  const std::size_t number = *waiting_.begin();
  waiting_.erase(waiting_.begin());
  return number;
}

bool HandOut::give() {
  bool gave = false;
  for (std::size_t rank = 1; rank < peers_.size(); ++rank) {
    Peer& peer = peers_[rank];
    if (!peer.is_ready || peer.is_lost || peer.unit) continue;
    const std::optional<std::size_t> number = next_unit();
    if (!number) return gave;
    peer.unit = number;
    peer.given_seconds = clock_();
    transport_.send(static_cast<int>(rank),
                    encoded({RankWord::Kind::kUnit, *number, (*units_)[*number - first_]}));
    gave = true;
  }
  if (!own_.is_free()) return gave;
  const std::optional<std::size_t> number = next_unit();
  if (!number) return gave;
  own_.begin({RankWord::Kind::kUnit, *number, (*units_)[*number - first_]});
  return true;
}

bool serve_rank_0(Transport& transport, const std::string& job, OwnThread::Work work,
                  std::atomic<bool>& stop, RankRules rules, RankClock clock) {
  OwnThread own(std::move(work));
  std::optional<RankWord> next;
  std::size_t last_unit = RankWord::kNoUnit;
  transport.send(0, encoded({RankWord::Kind::kReady, 0, job}));
  double heard_seconds = clock(), beaten_seconds = clock(), patience = kFirstPatience;
  bool goes_on = true, is_over = false;
  while (goes_on) {
    if (clock() - heard_seconds > patience * rules.silent_seconds) {
      transport.part();
      is_over = true;
      break;
    }
    while (const std::optional<RankMessage> message = transport.poll()) {
      heard_seconds = clock();
      patience = kPatience;
      std::optional<RankWord> word = decoded(message->bytes);
      if (word && word->kind == RankWord::Kind::kEnd) {
        goes_on = false;
        is_over = word->text == RankWord::kOver;
        if (word->text == RankWord::kPart) transport.part();
      }
      if (word && word->kind == RankWord::Kind::kCut) stop = true;
      if (word && word->kind == RankWord::Kind::kUnit) next = std::move(word);
    }
    if (next && own.is_free()) {
      last_unit = next->unit;
      own.begin(*std::exchange(next, std::nullopt));
    }
    if (const std::optional<RankWord> answer = own.take_answer()) {
      transport.send(0, encoded(*answer));
    }
    if (clock() - beaten_seconds >= rules.beat_seconds) {
      beaten_seconds = clock();
      const char* state = next || !own.is_free() ? RankWord::kBusy : "";
      transport.send(0, encoded({RankWord::Kind::kBeat, last_unit, state}));
    }
    pause(rules);
  }
  stop = true;
  return !is_over;
}

void dismiss_ranks(Transport& transport) {
  for (int rank = 1; rank < transport.size(); ++rank) {
    transport.send(rank, encoded({RankWord::Kind::kEnd, 0, RankWord::kOver}));
  }
}

void refuse_rank_0(Transport& transport, const std::string& why) {
  transport.send(0, encoded({RankWord::Kind::kFault, 0, why}));
}

}  // namespace placer
