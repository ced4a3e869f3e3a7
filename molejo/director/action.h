// What runs behind a place while a token waits in it: begin, advance frame by frame, end.
//
// An action is one small struct: what was asked for, what it remembers of its beginning, and these
// three functions. A new kind of motion is one more of them in `Action`.
//
//   poses (before figures are posed)   Reach, Stance, WholeBody, KeyedMotion, ClipMotion,
//                                      GaitMotion, Walk, Recover
//   bodies (after)                     Attach, Release, Move, Fall
//   formulas (of the simulation)       Drive
//
// All start from what they find, so that one flows into the next. `ease` says how the part of the
// way follows the part of the time.
#pragma once

#include <memory>
#include <variant>

#include "molejo/director/clip_data.h"
#include "molejo/director/ensemble.h"
#include "molejo/locomotion/feedback.h"
#include "molejo/math/curve.h"

namespace molejo {

struct Scene;

// Of a token: it came at `start`, its wait ends at `due`; s.
struct Moment {
  double start = 0, due = 0, now = 0;
  // Part of the wait that is over, from 0 to 1.
  double progress() const {
    if (!(due > start)) return 1;
    return now <= start ? 0 : now >= due ? 1 : (now - start) / (due - start);
  }
};

// linear s; smooth 3 s^2 - 2 s^3; in s^2, as things fall; out 1 - (1 - s)^2, as things rise.
enum class Ease { linear, smooth, in, out };
double eased(Ease ease, double s);

// From 0 to 1 over the first `in` seconds and back over the last `out`; the latter where the end is
// known.
double faded(const Moment& m, double in, double out);

// A point of a body, or of the world.
struct Target {
  BodyId body;  // the world unless given
  Vec3 p;       // in its frame
};

// The end of a limb along a straight line; for a foot lifted by up to `lift` halfway. A foot that
// has arrived on the ground stands.
struct Reach {
  int figure = 0, limb = 0;
  Vec3 to;  // from where the end is at rest, or where it is when it begins: forward, left, up
  bool relative = false;
  std::optional<Target> point;     // or a point to be reached
  std::optional<double> swivel{};  // rad
  double lift = 0;
  Ease ease = Ease::linear;

  void begin(Ensemble& ensemble, const Moment& m);
  void advance(Ensemble& ensemble, const Moment& m);
  void end(Ensemble& ensemble, const Moment& m);

  LimbGoal from{};
};

// A leg carries the body forward while its foot stands.
struct Stance {
  int figure = 0, limb = 0;
  double travel = 0;  // m
  Ease ease = Ease::linear;

  void begin(Ensemble& ensemble, const Moment& m);
  void advance(Ensemble& ensemble, const Moment& m);
  void end(Ensemble&, const Moment&) {}

  Vec3 from{};
};

// The body as a whole. Feet stand, unless they are carried.
struct WholeBody {
  int figure = 0;
  std::optional<Vec3> travel{};          // forward, left, up, m
  std::optional<double> turn{};          // rad, to the left
  std::optional<double> lift{}, tilt{};  // where to end
  bool carried = false;                  // the feet go with it
  Ease ease = Ease::linear;

  void begin(Ensemble& ensemble, const Moment& m);
  void advance(Ensemble& ensemble, const Moment& m);
  void end(Ensemble& ensemble, const Moment& m);

  Posture from{};
};

// Freedoms by curves. They fade in over the first `blend_in` seconds and out over the last
// `blend_out`, from and to where the posture has the joint; any other joint from and to zero.
struct KeyedMotion {
  struct Track {
    int link = 0, coordinate = 0;
    bool is_rotation = false;
    std::vector<Curve> curves;  // one, or three of a rotation vector
  };
  std::vector<Track> tracks;
  bool by_progress = false;  // curves over 0 .. 1, else over seconds
  double blend_in = 0, blend_out = 0;

  void begin(Ensemble&, const Moment&) {}
  void advance(Ensemble& ensemble, const Moment& m);
  void end(Ensemble& ensemble, const Moment& m);
};

// A way over the ground: so far forward and left, then turned to the left.
struct GroundWay {
  Vec3 moved;
  double turned = 0;
};

// A clip of a real character on the limbs of a figure: their segments point as those of the clip.
// The root stays upright and as high as the feet need; the torso tilts where it can. It fades from
// and to where the posture has the joints.
struct ClipMotion {
  struct Part {
    int limb = 0;
    ClipLimb source{};
  };
  int figure = 0;
  std::shared_ptr<const ClipData> clip;
  std::vector<Part> parts;
  bool whole = true;    // height and tilt too, not limbs alone
  bool travel = false;  // over the ground, and turned as the hips are
  bool loop = false;    // else it holds its end
  bool fit = false;     // once within the wait
  double rate = 1;      // negative: backwards
  double blend_in = 0, blend_out = 0;

  void begin(Ensemble& ensemble, const Moment& m);
  void advance(Ensemble& ensemble, const Moment& m);
  void end(Ensemble& ensemble, const Moment& m);

  Posture from{};
  // From the clip's ground to its start; from where it began to that; from its start to its end.
  GroundWay to_start{}, back{}, whole_loop{};
  ClipPose now{};
  ClipData::Scratch scratch{};
};

// A trained gait and all that is needed to replay it.
struct GaitData {
  GaitData(const Scene& scene, const Motion& motion, std::vector<double> unknowns,
           std::optional<Feedback> feedback);

  Character character;
  GaitProblem problem;
  std::vector<double> unknowns;
  std::optional<Feedback> feedback;
};

// The figure runs: simulated in closed loop for as long as the token waits, or one cycle over and
// over. It starts where the figure stands, in the direction it faces.
struct GaitMotion {
  int figure = 0;
  std::shared_ptr<const GaitData> gait;
  std::vector<int> links;  // of the ensemble, of each body of the gait's character; -1: none
  bool cycle = false;
  double blend_in = 0;

  void begin(Ensemble& ensemble, const Moment& m);
  void advance(Ensemble& ensemble, const Moment& m);
  void end(Ensemble&, const Moment&) {}
  // Simulates it for `seconds`.
  void play(const Ensemble& ensemble);

  std::shared_ptr<const Replay> played{};
  double seconds = 0, fps = 0;
  Vec3 stride{};  // of a cycle
  Pose X_WG{};    // the gait's world in ours
  VecX from{};
  bool fell = false;
};

// A body goes with another one from now on, as they are to each other, or as told.
struct Attach {
  BodyId body, to;
  std::optional<Pose> X_TB{};

  void begin(Ensemble& ensemble, const Moment& m);
  void advance(Ensemble&, const Moment&) {}
  void end(Ensemble&, const Moment&) {}
};

// It is left to the simulation with the velocity it has, or is given.
struct Release {
  BodyId body;
  std::optional<Vec3> velocity{};

  void begin(Ensemble& ensemble, const Moment& m);
  void advance(Ensemble&, const Moment&) {}
  void end(Ensemble&, const Moment&) {}
};

// The origin of a body to a target, which is looked at once: along a straight line, along the
// parabola under gravity that takes the whole wait, or thrown so that the simulation takes it
// there.
enum class Way { straight, ballistic, simulated };
struct Move {
  BodyId body;
  Target to;
  Way way = Way::straight;
  bool holds = false;  // at the end it is attached to the body of the target
  Ease ease = Ease::linear;

  void begin(Ensemble& ensemble, const Moment& m);
  void advance(Ensemble& ensemble, const Moment& m);
  void end(Ensemble& ensemble, const Moment& m);

  Pose from{};
  Vec3 goal{}, gravity{};
  double start = 0;
};

// A walker goes where the plan says for as long as the token waits. If it has fallen it recovers
// first.
struct Walk {
  int walker = 0;  // of Show::walkers
  navigation::Plan plan;
  double blend = 0.8;  // s, to recover

  void begin(Ensemble& ensemble, const Moment& m);
  void advance(Ensemble&, const Moment&) {}
  void end(Ensemble& ensemble, const Moment& m);

  int order = 0;  // that the walker was given
};

// A walker is left to the simulation with the pose and the velocities that it has, pushed or not.
struct Fall {
  int walker = 0;
  std::optional<Vec3> push{};  // N s
  BodyId at;                   // whose middle is pushed

  void begin(Ensemble& ensemble, const Moment& m);
  void advance(Ensemble&, const Moment&) {}
  void end(Ensemble&, const Moment&) {}
};

// Back from where its bodies are to its clips.
struct Recover {
  int walker = 0;
  double blend = 0.8;  // s
  bool rests = false;  // and does not walk on

  void begin(Ensemble& ensemble, const Moment& m);
  void advance(Ensemble&, const Moment&) {}
  void end(Ensemble&, const Moment&) {}
};

// Formulas that count while the token waits: they read when it came and when it left.
struct FormulaDrive {
  std::string start, end_time;  // names of variables

  void begin(Ensemble& ensemble, const Moment& m);
  void advance(Ensemble&, const Moment&) {}
  void end(Ensemble& ensemble, const Moment& m);
};

using Action = std::variant<Reach, Stance, WholeBody, KeyedMotion, ClipMotion, GaitMotion, Walk,
                            Recover, Attach, Release, Move, Fall, FormulaDrive>;

// Is it one of those that come after figures are posed?
bool moves_bodies(const Action& action);

}  // namespace molejo
