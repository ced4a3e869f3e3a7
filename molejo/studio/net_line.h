// A net that is played frame by frame, with or without bodies that it moves, and its history.
//
//   automatic   it fires by itself; a net without delays one firing every `pace` seconds
//   by hand     nothing fires but what the user fires
//   trace       nothing fires but the steps of a counterexample
//
// The user may fire what the net allows: of those that fire by themselves the ones of the highest
// priority; when there are none, those of events, of each event the ones of the highest priority.
// Going on from an earlier frame plays all again up to there: runs are the same every time.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "molejo/director/director.h"
#include "molejo/live/timeline.h"

namespace molejo {

enum class NetMode { automatic, by_hand, trace };
const char* to_string(NetMode mode);

// What a frame shows.
struct NetFrame {
  struct Count {
    int place;
    std::int64_t tokens, ready;  // all, and those that may enable
  };
  struct Serving {
    int place;
    double start, due;  // s
  };
  struct Firing {
    int transition;
    double t;  // s
  };
  double t = 0;
  std::vector<Count> marking;  // of places with tokens
  std::vector<Serving> serving;
  std::vector<Firing> fired;  // in this frame
  std::vector<int> allowed;   // transitions that the user may fire
  Frame frame;                // of bodies, where there are some
  double time() const { return t; }
  std::size_t bytes() const;
};

class NetLine : public Timeline {
 public:
  NetLine(Fraction fps, HistoryLimits limits);

  const NetFrame& shown() const { return history_.shown(); }
  const History<NetFrame>& history() const { return history_; }
  double time() const override { return shown().t; }
  std::int64_t number() const override { return history_.number(); }
  double begin() const override { return history_.begin(); }
  double end() const override { return history_.end(); }
  double interval() const override { return 1 / fps_.value(); }
  std::string failure() const override { return failure_; }
  Advance show_next(Clock::time_point until) override;
  void seek(double t) override { ++jumps_, history_.seek(t); }
  void branch() override;
  void reset() override;
  // Now, at the newest frame. Throws InputError when it may not.
  void fire(TransitionId transition);
  // The user has fired nothing.
  bool is_untouched() const { return causes_.empty(); }
  // How often what is shown did not follow from what was shown before.
  int jumps() const { return jumps_; }
  // What happened so far, for a chart.
  virtual NetTrace trace() const = 0;
  // What it has shown so far of the properties of the net.
  virtual std::vector<Watched> watched() const = 0;

 protected:
  virtual const Net& net() const = 0;
  virtual const NetRun& run() const = 0;
  // Events of all frames since the start.
  virtual const std::vector<NetEvent>& events() const = 0;
  // Back to before the first frame.
  virtual void restart() = 0;
  // The next frame, its bodies too. False: there is none, and failure_ may say why.
  virtual bool make(NetFrame& frame) = 0;
  virtual bool fire_now(TransitionId transition) = 0;

  Fraction fps_;
  std::string failure_;

 private:
  bool make_next(NetFrame& frame);
  void begin_anew();
  void take_events(NetFrame& frame);

  struct UserCause {
    std::int64_t frame;  // after which
    TransitionId transition;
  };
  std::vector<UserCause> causes_;
  int jumps_ = 0;
  bool lost_ = false;     // a frame was interrupted: nothing goes on before it is played anew
  std::size_t seen_ = 0;  // events
  std::map<int, NetFrame::Serving> serving_;
  bool hurries_ = false;  // what was played before is played again
  const std::size_t most_events_;
  History<NetFrame> history_;
};

struct NetPlay {
  NetMode mode = NetMode::automatic;
  std::vector<TraceStep> trace = {};
  HistoryLimits history = {};
};

// A net alone, in exact time. The net must outlive it. Throws InputError for times without a common
// tick.
std::unique_ptr<NetLine> token_game(const Net& net, const NetPlay& play);
// A show; it stops once when its duration is over. The show must outlive it. Throws InputError.
std::unique_ptr<NetLine> directed_line(const Show& show, const NetPlay& play);

// Frames per second of a net without bodies, and its pace where nothing takes time.
inline constexpr int net_frame_rate = 30;
inline constexpr int frames_per_firing = 15;

// The transitions that a user may fire where the run stands; `net` as it was written.
std::vector<int> allowed_transitions(const Net& net, const NetRun& run);

}  // namespace molejo
