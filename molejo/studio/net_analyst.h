// Analyses the latest net it was given, on a thread of its own.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "molejo/math/interrupt.h"
#include "molejo/studio/net_findings.h"

namespace molejo {

class NetAnalyst {
 public:
  // `wake` is called when there is something to take; any thread.
  explicit NetAnalyst(std::function<void()> wake);
  ~NetAnalyst();  // cancels what is under way

  // What was asked before is cancelled, and its findings are dropped.
  void ask(Net net, std::uint64_t max_markings, int own);
  // The findings of the latest net, once.
  std::optional<NetFindings> take();

 private:
  void run();
  void cancel();

  std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable more_;
  struct Question {
    Net net;
    std::uint64_t max_markings;
    int own;
  };
  std::optional<Question> asked_;
  std::optional<NetFindings> found_;
  bool cancelled_ = false;  // the one under way
  Interrupt* under_way_ = nullptr;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace molejo
