#include "apps/cli/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

#include "apps/cli/memory.h"
#include "molejo/math/clock.h"
#include "molejo/model/error.h"

namespace molejo::cli {

namespace {

using Clock = std::chrono::steady_clock;

// A recording keeps all frames: refuse what memory cannot hold before the first step.
void check_frame_count(const Model& model, const Settings& settings) {
  const auto most_bytes = static_cast<double>(settings.budget.recording);
  const double frames = settings.duration * settings.fps + 1;
  const double frame_bytes = static_cast<double>(sizeof(Frame)) +
                             static_cast<double>(sizeof(Pose)) * model.body_count() +
                             static_cast<double>(sizeof(double)) * (model.nq + model.nv);
  if (frames * frame_bytes > most_bytes) {
    throw InputError(fmt::format(
        "{:g} s at {:g} frames per second are {:.0f} frames of {:.0f} bytes, more than {} MB; "
        "choose a smaller --duration or --fps, or a larger --max-memory",
        settings.duration, settings.fps, frames, frame_bytes, settings.budget.recording >> 20));
  }
}

// "  3.2 of 10 s, 41 times real time, 0.2 s left" on a terminal, at most ten times a second.
class ProgressLine {
 public:
  explicit ProgressLine(double duration) : duration_(duration) {}

  void tell(double t) {
    if (!terminal_ || seconds_since(last_) < 0.1) return;
    last_ = Clock::now();
    const double wall = seconds_since(start_);
    const double rate = wall > 0 ? t / wall : 0;
    fmt::print(stderr, "\r\x1b[K  {:.1f} of {:g} s, {:.3g} times real time", t, duration_, rate);
    if (rate > 0) fmt::print(stderr, ", {:.0f} s left", (duration_ - t) / rate);
    std::fflush(stderr);
    shown_ = true;
  }
  void clear() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  double duration_;
  bool terminal_ = ::isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace

Recording run(const Built& built, const Settings& settings, const BetweenFrames& between,
              Run::Controller controller) {
  Settings on_all_threads = settings;
  on_all_threads.threads = 0;
  on_all_threads.budget = run_budget();
  check_frame_count(built.model, on_all_threads);
  ProgressLine line(settings.duration);
  Run world(built.model, built.initial, on_all_threads, built.formulas);
  world.set_controller(std::move(controller));
  Recording recording = record(world, built.formulas.get(), [&](const Frame& frame, std::int64_t) {
    line.tell(frame.state.t);
    return !between || between(world);
  });
  line.clear();
  return recording;
}

}  // namespace molejo::cli
