// The push battery of a gait in the background: what is survived grows while people watch.
//
//   {"do": "pushes", "directions": 8, "phases": 4}
//   {"event": "pushing", "settled", "of", ...}   after each round; {"event": "pushes", ...} at the
//   end, both with the fields of the largest pushes that were survived so far:
//   "directions", "phases", "mass", "push_seconds", "most", "least", "impulse": [...]
#pragma once

#include <atomic>

#include "molejo/io/motion.h"
#include "molejo/live/message.h"
#include "molejo/studio/jobs.h"

namespace molejo {

class PushTest {
 public:
  // `wake` is called whenever there is news; any thread.
  explicit PushTest(std::function<void()> wake);
  ~PushTest();  // ends the one under way

  // As the command wants it. Throws InputError, also while one is under way.
  void begin(const GaitFile& gait, const Message& message);
  // Forgets what is known, and the one under way.
  void forget();
  // Events since the last time.
  std::vector<std::string> news();
  // The last event, or empty.
  const std::string& known() const { return known_; }

 private:
  std::string known_;
  bool running_ = false;
  std::atomic<int> number_{0};  // of the one that counts
  Jobs jobs_;                   // ends first
};

}  // namespace molejo
