// What can be played: frames in order. Those that were made stay and can be shown again; going on
// from the last one makes another.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <string>
#include <vector>

namespace molejo {

// What became of showing the next frame.
enum class Advance {
  shown,
  not_yet,  // it takes longer: to be asked for again
  over      // it cannot go on
};

class Timeline {
 public:
  using Clock = std::chrono::steady_clock;
  virtual ~Timeline() = default;

  virtual double time() const = 0;          // of the frame that is shown, s
  virtual std::int64_t number() const = 0;  // of that frame
  // Of the history that is there, s.
  virtual double begin() const = 0;
  virtual double end() const = 0;
  virtual double interval() const = 0;  // between two frames, s
  // Empty, or why it cannot go on.
  virtual std::string failure() const = 0;
  // A line for each thing that was not kept as it should be.
  virtual std::vector<std::string> warnings() const { return {}; }

  // Shows the next frame, made where there is none: not much longer than until this time, where
  // it can be made in parts.
  virtual Advance show_next(Clock::time_point until) = 0;
  // The same, however long it takes. False: it cannot go on.
  bool advance() { return show_next(Clock::time_point::max()) == Advance::shown; }
  // Shows the frame nearest to a time.
  virtual void seek(double t) = 0;
  // Forgets what came after the frame that is shown: it goes on from there.
  virtual void branch() = 0;
  // Back to the start.
  virtual void reset() = 0;
};

// A frame that was interrupted where it cannot be taken up again.
inline std::string lost_frame(const std::exception& why) {
  return std::string("a frame was not finished: ") + why.what() + "; reset to begin anew";
}

struct HistoryLimits {
  std::size_t frames = 100'000;
  std::size_t bytes = std::size_t{256} << 20;  // about
};

// The frames of a timeline, bounded: the oldest go. A Moment tells its time() and bytes().
template <class Moment>
class History {
 public:
  explicit History(HistoryLimits limits) : limits_(limits) {}

  bool empty() const { return moments_.empty(); }
  std::size_t size() const { return moments_.size(); }
  const Moment& shown() const { return moments_[shown_]; }
  const Moment& last() const { return moments_.back(); }
  std::int64_t number() const { return first_ + static_cast<std::int64_t>(shown_); }
  std::int64_t first_number() const { return first_; }
  std::int64_t last_number() const {
    return first_ + static_cast<std::int64_t>(moments_.size()) - 1;
  }
  double begin() const { return moments_.front().time(); }
  double end() const { return moments_.back().time(); }
  bool is_at_end() const { return shown_ + 1 >= moments_.size(); }
  const std::deque<Moment>& moments() const { return moments_; }

  // Behind all others; what is shown stays.
  void add(Moment moment) {
    bytes_ += moment.bytes();
    moments_.push_back(std::move(moment));
  }
  // The next one, which must be there; the oldest are forgotten where there are too many.
  void show_next() {
    ++shown_;
    while (shown_ > 0 && (moments_.size() > limits_.frames || bytes_ > limits_.bytes)) {
      bytes_ -= moments_.front().bytes();
      moments_.pop_front();
      --shown_, ++first_;
    }
  }
  void show_last() { shown_ = moments_.size() - 1; }
  // The one nearest to a time.
  void seek(double t) {
    const auto at =
        std::lower_bound(moments_.begin(), moments_.end(), t,
                         [](const Moment& moment, double x) { return moment.time() < x; });
    std::size_t i = static_cast<std::size_t>(at - moments_.begin());
    if (i == moments_.size()) --i;
    if (i > 0 && std::fabs(moments_[i - 1].time() - t) < std::fabs(moments_[i].time() - t)) --i;
    shown_ = i;
  }
  // At most so many of those from one time to another, evenly, the first and the last among them.
  std::vector<const Moment*> some(double from, double to, std::size_t most) const {
    const auto before = [](const Moment& moment, double x) { return moment.time() < x; };
    const auto at = [&](double t) {
      return std::lower_bound(moments_.begin(), moments_.end(), t, before) - moments_.begin();
    };
    const std::ptrdiff_t first = at(from - 1e-9), count = at(to + 1e-9) - first;
    std::vector<const Moment*> list;
    const auto wanted = std::min(count, static_cast<std::ptrdiff_t>(most));
    for (std::ptrdiff_t k = 0; k < wanted; ++k) {
      const std::ptrdiff_t i = wanted > 1 ? k * (count - 1) / (wanted - 1) : 0;
      list.push_back(&moments_[static_cast<std::size_t>(first + i)]);
    }
    return list;
  }
  // What comes after the one that is shown.
  void forget_later() {
    while (!is_at_end()) forget_last();
  }
  void forget_last() {
    bytes_ -= moments_.back().bytes();
    moments_.pop_back();
  }
  void clear() {
    moments_.clear();
    bytes_ = shown_ = 0;
    first_ = 0;
  }

 private:
  HistoryLimits limits_;
  std::deque<Moment> moments_;
  std::size_t shown_ = 0, bytes_ = 0;
  std::int64_t first_ = 0;  // number of the first that is kept
};

}  // namespace molejo
