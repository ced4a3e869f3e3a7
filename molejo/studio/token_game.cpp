// A net without bodies, live.
#include "molejo/model/error.h"
#include "molejo/studio/net_foresight.h"
#include "molejo/studio/net_line.h"

namespace molejo {

namespace {

class TokenGame : public NetLine {
 public:
  TokenGame(const Net& net, const NetPlay& play)
      : NetLine(net_frame_rate, play.history),
        net_(net),
        play_(play),
        paced_(play.mode == NetMode::automatic && !net.is_timed()),
        held_(paced_ || play.mode != NetMode::automatic ? held_back(net) : Net()),
        played_(held_.transitions.empty() ? net : held_) {
    reset();
  }

  NetTrace trace() const override {
    NetTrace copy = trace_;
    close_trace(played_, *run_, copy);
    return copy;
  }
  std::vector<Watched> watched() const override {
    Monitor last = *monitor_;
    if (play_.mode == NetMode::trace && player_->is_over()) last.close_trace(*run_);
    last.close(*run_, false);
    return {last.watched().begin(), last.watched().end()};
  }

 protected:
  const Net& net() const override { return net_; }
  const NetRun& run() const override { return *run_; }
  const std::vector<NetEvent>& events() const override { return trace_.events; }

  void restart() override {
    // a trace says when awaited actions are over
    const bool await = play_.mode == NetMode::trace;
    RunSettings settings = run_settings(net_, net_frame_rate, 1, await);
    if (await) settings.times = times_of(net_, play_.trace);
    try {
      run_.emplace(played_, settings);
    } catch (const NetError& e) {
      throw InputError(e.what());
    }
    trace_ = {};
    recorder_.emplace(played_, *run_, settings.frame_rate, trace_);
    monitor_.emplace(net_, !held_.transitions.empty());
    player_.emplace(play_.trace, frames_per_firing);
    begun_ = asked_ = false;
    random_ = 1;
    since_ = 0;
  }

  bool make(NetFrame& frame) override {
    if (begun_) {
      if (is_over()) return false;
      if (play_.mode == NetMode::trace) {
        player_->play(*run_, net_);
        failure_ = player_->failure();
        if (!failure_.empty()) return false;
        if (player_->is_over()) monitor_->close_trace(*run_);
      }
      if (paced_ && ++since_ >= frames_per_firing) fire_one();
      run_->advance();
    }
    if (run_->stopped() != RunStop::none) {
      failure_ = run_->stopped() == RunStop::endless ? "the firings of one instant never end"
                                                     : "more tokens than can be counted";
      if (begun_) return false;
    }
    begun_ = true;
    asked_ = false;
    recorder_->note(*run_);
    monitor_->note(*run_);
    frame.t = static_cast<double>(run_->frame()) / net_frame_rate;
    return true;
  }

  bool fire_now(TransitionId transition) override { return asked_ = run_->fire(transition); }

 private:
  // Nothing more happens but by the user.
  bool is_over() const {
    if (asked_) return false;
    if (run_->stopped() != RunStop::none) return true;
    if (run_->running() > 0) return false;
    if (play_.mode == NetMode::trace) return player_->is_over();
    if (!paced_) return run_->is_quiet();
    const std::vector<int> allowed = allowed_transitions(net_, *run_);
    return allowed.empty() || !fires_by_itself(allowed[0]);
  }

  bool fires_by_itself(int t) const {
    return net_.transitions[static_cast<std::size_t>(t)].event.empty();
  }

  void fire_one() {
    const std::vector<int> allowed = allowed_transitions(net_, *run_);
    if (allowed.empty() || !fires_by_itself(allowed[0])) return;
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX
    run_->fire({allowed[(random_ >> 33) % allowed.size()]});
    since_ = 0;
  }

  const Net& net_;
  NetPlay play_;
  bool paced_;
  Net held_;
  const Net& played_;
  std::optional<NetRun> run_;
  NetTrace trace_;
  std::optional<TraceRecorder> recorder_;
  std::optional<Monitor> monitor_;
  std::optional<TracePlayer> player_;
  bool begun_ = false, asked_ = false;
  std::uint64_t random_ = 1;
  int since_ = 0;  // frames since the last firing
};

}  // namespace

std::unique_ptr<NetLine> token_game(const Net& net, const NetPlay& play) {
  return std::make_unique<TokenGame>(net, play);
}

}  // namespace molejo
