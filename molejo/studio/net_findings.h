// What an analysis found, as sentences that are right or wrong, with traces that show it.
//
//   "never: deadlock"  fails  ->  { fails, "deadlock after 5 firings", trace 0 }
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "molejo/director/director.h"
#include "molejo/io/json_document.h"
#include "molejo/net/analysis.h"

namespace molejo {

struct Finding {
  enum class Sign { good, bad, unknown, remark };
  Sign sign = Sign::remark;
  std::string text;
  int trace = -1;             // of NetFindings::traces
  int transition = -1;        // that it is about
  std::string property = {};  // of the file, that it is about
};

struct NetFindings {
  std::vector<Finding> sentences;
  std::vector<std::vector<TraceStep>> traces;
  std::uint64_t markings = 0;
  bool complete = true;  // every marking was seen
  double seconds = 0;    // that it took
};

inline constexpr std::uint64_t quick_markings = 200'000;
inline constexpr std::uint64_t most_markings = 5'000'000;

// A net together with what may put tokens into it from outside, at any time: one more transition
// for each such place, behind those of the net.
Net with_outside(Net net, const std::vector<Cause>& causes);

// Of the first `own` transitions (all unless told); those behind act from outside. Bounded in
// markings and memory: some seconds at most for `max_markings` as above.
NetFindings find_out(const Net& net, std::uint64_t max_markings = quick_markings, int own = -1);

JsonValue findings_json(const Net& net, const NetFindings& findings);

// Analyses the latest net it was given, on a thread of its own.
class NetAnalyst {
 public:
  // `wake` is called when there is something to take; any thread.
  explicit NetAnalyst(std::function<void()> wake);
  ~NetAnalyst();  // waits for what is under way

  // What was asked before and has not begun is dropped, and its findings too.
  void ask(Net net, std::uint64_t max_markings, int own);
  bool is_busy() const;
  // The findings of the latest net, once.
  std::optional<NetFindings> take();

 private:
  void run();

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable more_;
  struct Question {
    Net net;
    std::uint64_t max_markings;
    int own;
  };
  std::optional<Question> asked_;
  std::optional<NetFindings> found_;
  int question_ = 0;  // number of the latest
  bool working_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace molejo
