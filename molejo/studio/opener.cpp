#include "molejo/studio/opener.h"

#include <fmt/format.h>

#include <utility>

#include "molejo/math/memory.h"
#include "molejo/model/error.h"

namespace molejo {

std::string exports_of(const Bench& bench) {
  std::string list;
  for (const std::string& what : bench.exports())
    list += (list.empty() ? "" : ",") + json_quoted(what);
  return "\"exports\":[" + list + "]";
}

std::string described(Bench& bench, std::size_t most_bytes) {
  std::string text = fmt::format("\"kind\":\"{}\",\"describe\":{{{},{}}}", to_string(bench.kind()),
                                 bench.playback().describe(), exports_of(bench));
  if (text.size() <= most_bytes) return text;
  throw InputError(fmt::format("to describe it takes {} MB; expected {} at most",
                               (text.size() >> 20) + 1, most_bytes >> 20));
}

Opener::Opener(std::function<void()> wake, Options options)
    : wake_(std::move(wake)), options_(options), thread_([this] { run(); }) {}

Opener::~Opener() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (under_way_) under_way_->cancel();
    more_.notify_one();
  }
  thread_.join();
}

std::optional<Asker> Opener::begin(Asker asker, FileKind kind, BenchOptions bench) {
  std::optional<Asker> before = cancel();
  asker_ = asker;
  name_ = bench.name;
  const std::lock_guard lock(mutex_);
  asked_ = Question{std::move(asker), kind, std::move(bench)};
  more_.notify_one();
  return before;
}

std::optional<Asker> Opener::cancel() {
  name_.clear();
  const std::lock_guard lock(mutex_);
  ++asked_so_far_;
  asked_.reset();
  if (opened_ && opened_->bench) old_.push_back(std::move(opened_->bench));
  opened_.reset();
  if (under_way_) under_way_->cancel();
  more_.notify_one();
  return std::exchange(asker_, std::nullopt);
}

std::optional<Opener::Opened> Opener::take() {
  const std::lock_guard lock(mutex_);
  if (!opened_) return {};
  asker_.reset();
  name_.clear();
  return std::exchange(opened_, std::nullopt);
}

void Opener::dispose(std::unique_ptr<Bench> bench) {
  const std::lock_guard lock(mutex_);
  old_.push_back(std::move(bench));
  more_.notify_one();
}

Opener::Opened Opener::open(Question question) {
  Opened opened{std::move(question.asker), question.bench.name, nullptr, ""};
  try {
    opened.bench = open_bench(question.kind, std::move(question.bench));
    opened.bench->playback().play();
    opened.text = described(*opened.bench, options_.most_bytes);
  } catch (const InputError& e) {
    opened.text = e.what();
    opened.bench.reset();
  } catch (const std::exception&) {
    opened.text = opened.name + ": " + told_error();
    opened.bench.reset();
  }
  return opened;
}

void Opener::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [this] { return stopping_ || asked_ || !old_.empty(); });
    std::vector<std::unique_ptr<Bench>> old = std::exchange(old_, {});
    if (stopping_) return;
    if (!asked_) {
      lock.unlock();
      old.clear();
      give_back_memory();
      lock.lock();
      continue;
    }
    Question question = std::move(*asked_);
    asked_.reset();
    const int number = asked_so_far_;
    Interrupt interrupt(options_.seconds);
    under_way_ = &interrupt;
    lock.unlock();
    old.clear();
    Opened opened;
    {
      const InterruptScope scope(interrupt);
      opened = open(std::move(question));
    }
    lock.lock();
    under_way_ = nullptr;
    if (number != asked_so_far_) {  // given up, or another one is wanted
      lock.unlock();
      opened = {};
      lock.lock();
      continue;
    }
    opened_ = std::move(opened);
    lock.unlock();
    if (wake_) wake_();
    lock.lock();
  }
}

}  // namespace molejo
