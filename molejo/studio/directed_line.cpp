// A show, live.
#include "molejo/model/error.h"
#include "molejo/studio/net_line.h"

namespace molejo {

namespace {

constexpr std::int64_t longest_show = 100'000;  // s, live

class DirectedLine : public NetLine {
 public:
  DirectedLine(const Show& show, const NetPlay& play)
      : NetLine(show.fps, play.history), show_(show) {
    settings_.duration = longest_show;
    settings_.by_hand = true;
    if (play.mode != NetMode::automatic) settings_.trace = play.trace;
    reset();
  }

  NetTrace trace() const override { return director_->trace(); }
  std::vector<Watched> watched() const override { return director_->watched(); }

 protected:
  const Net& net() const override { return show_.net; }
  const NetRun& run() const override { return director_->net(); }
  const std::vector<NetEvent>& events() const override { return director_->recorded().events; }

  void restart() override {
    try {
      director_ = std::make_unique<Director>(show_, settings_);
    } catch (const NetError& e) {
      throw InputError(e.what());
    }
    frames_ = 0;
    stopped_ = settings_.trace.has_value();
  }

  bool make(NetFrame& frame) override {
    const double t = static_cast<double>(frames_) / fps_.value();
    if (!stopped_ && t > show_.duration.value() + 1e-9) {
      stopped_ = true;
      return false;
    }
    std::vector<ContactEvent> contacts;
    if (!director_->next_frame(frame.frame, contacts)) {
      failure_ = director_->failure();
      return false;
    }
    ++frames_;
    frame.t = frame.frame.state.t;
    return true;
  }

  std::vector<std::string> warnings() const override {
    return director_->ensemble().summary().warnings;
  }

  bool fire_now(TransitionId transition) override { return director_->fire(transition); }

 private:
  const Show& show_;
  DirectSettings settings_;
  std::unique_ptr<Director> director_;
  std::int64_t frames_ = 0;
  bool stopped_ = false;  // its duration is over, and that was told
};

}  // namespace

std::unique_ptr<NetLine> directed_line(const Show& show, const NetPlay& play) {
  return std::make_unique<DirectedLine>(show, play);
}

}  // namespace molejo
