#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace placer {

/// How much an event matters, the least first.
enum class EventLevel {
  kTrace,  // each evaluation
  kDebug,  // each improvement, each update of a learner
  kInfo,   // runs, their stages, choices, files
  kWarn,   // something was done otherwise than asked
  kError   // what ends the program; the library throws instead
};

/// One thing that happened.
struct Event {
  EventLevel level;
  std::string_view subject;  // who speaks: an algorithm, "search", "import"; "" for nobody
  std::string message;       // one line
};

/// Who is told what happens while something runs; nobody, unless given a function. A value that is
/// handed over in requests and options. Listening never changes a result. The function is called by
/// the thread that runs the search.
class Observer {
 public:
  Observer() = default;
  /// `hear` is called for events of `least` and above.
  Observer(EventLevel least, std::function<void(const Event&)> hear)
      : least_(least), hear_(std::move(hear)) {}

  bool hears(EventLevel level) const { return hear_ && level >= least_; }

  /// `message()` gives the text; it is asked only where somebody listens.
  template <class Message>
  void tell(EventLevel level, std::string_view subject, const Message& message) const {
    if (hears(level)) hear_({level, subject, message()});
  }

 private:
  EventLevel least_ = EventLevel::kError;
  std::function<void(const Event&)> hear_;
};

}  // namespace placer
