// Opens files on a thread of its own, the latest that was asked for: who plays what is open plays
// on meanwhile, and an earlier one that is not ready is given up.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "molejo/live/message.h"
#include "molejo/math/interrupt.h"
#include "molejo/studio/bench.h"

namespace molejo {

// What can be exported from it, as a field.
std::string exports_of(const Bench& bench);
// What is told of it when it is opened. Throws InputError for one that is too long to be told.
std::string described(Bench& bench, std::size_t most_bytes);

class Opener {
 public:
  struct Opened {
    Asker asker;
    std::string name;
    std::unique_ptr<Bench> bench;  // null: it could not be opened,
    std::string text;              // and why; else what is told of it
  };
  struct Options {
    double seconds = 60;                             // longest time
    std::size_t most_bytes = std::size_t{32} << 20;  // of what is told
  };

  // `wake` is called when there is something to take; any thread.
  Opener(std::function<void()> wake, Options options);
  ~Opener();  // gives up what is under way

  // Who asked before and was not answered yet.
  std::optional<Asker> begin(Asker asker, FileKind kind, BenchOptions bench);
  // Gives it up. Who asked for it, if it was not answered yet.
  std::optional<Asker> cancel();
  // Who waits, and for which file.
  bool owes_answer(ClientKey client) const { return asker_ && asker_->client == client; }
  const std::string& opening() const { return name_; }  // empty: nothing
  // The one that was asked for last, once, when it is there.
  std::optional<Opened> take();
  // Ends with a bench, which may take its time, on the opener's thread.
  void dispose(std::unique_ptr<Bench> bench);

 private:
  struct Question {
    Asker asker;
    FileKind kind;
    BenchOptions bench;
  };
  void run();
  Opened open(Question question);

  std::function<void()> wake_;
  const Options options_;
  std::optional<Asker> asker_;  // of the thread that asks, as the name
  std::string name_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable more_;
  std::optional<Question> asked_;
  int asked_so_far_ = 0;
  std::optional<Opened> opened_;
  std::vector<std::unique_ptr<Bench>> old_;
  Interrupt* under_way_ = nullptr;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace molejo
