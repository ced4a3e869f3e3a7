// A gait played for as long as one likes, cycle after cycle, and what it is worth.
//
// A mirrored gait is always simulated on the side of its first half; what is shown of every second
// half is the image. The thesis puts the state back to the start at the end of each cycle
// (s.5.7.4); without that nothing touches the state, and an open loop falls after some steps.
#pragma once

#include "molejo/locomotion/gait_problem.h"
#include "molejo/model/recording.h"

namespace molejo {

// All that makes a gait VALID, and how far it is from it.
struct GaitCheck {
  RolloutResult result;      // of the (half) cycle; terms by EasyTerm, all zero where they hold
  double others = 0;         // penalty: other modes outweigh the priority ones
  bool priority = true;      // priority modes keep their sign and at least their amplitude
  double cyclic_error = 0;   // largest, in tolerances
  std::string worst;         // what of the state that is
  double objective = 0;      // energy / speed^2
  bool sketch_fails = true;  // the sketch alone, under gravity and on the ground

  bool easy_holds() const;
  bool valid() const { return easy_holds() && priority && cyclic_error < 1; }
};

GaitCheck check_gait(const GaitProblem& problem, const std::vector<double>& unknowns);

struct ReplayOptions {
  double seconds = 5;
  double fps = 60;
  // The thesis's trick: over the last tenth of each (half) cycle the shown state is drawn to the
  // start, from which the next one begins.
  bool reset = false;
  std::vector<GaitPush> pushes;  // times count from the start of the replay
  bool record = true;            // frames; without them only the report
};

struct ReplayReport {
  double seconds = 0;  // simulated before it fell, or all
  int steps = 0;       // of the gait: landings
  bool fell = false;
  double distance = 0;            // m, forward
  double speed = 0;               // m/s
  double cost_of_transport = 0;   // positive work of the active torques / (weight x distance)
  double energy = 0;              // mean square of the active torques, (N m)^2
  double duty_factor = 0;         // part of the cycle for which a foot is on the ground
  double peak_force = 0;          // body weights
  double cyclic_error = 0;        // of the first (half) cycle, in tolerances
  double worst_cyclic_error = 0;  // of all
};

struct Replay {
  Recording recording;
  ReplayReport report;
};

// What may change a gait before each (half) cycle: told the state at its start and the number of
// the cycle. See feedback.h.
using BetweenCycles = std::function<void(const State& state, int cycle, Gait& gait)>;

// Plays a gait one step of time after the other; replay() plays it to its end.
class GaitPlayer {
 public:
  static constexpr SnapshotKind snapshot_kind = SnapshotKind::gait;
  // The problem must outlive it.
  GaitPlayer(const GaitProblem& problem, const std::vector<double>& unknowns,
             const ReplayOptions& options, BetweenCycles between = {});
  ~GaitPlayer();

  // False: it is over.
  bool advance();
  double time() const;
  // Frames that have come since they were last taken: those of a (half) cycle come at its end.
  std::vector<Frame> take_frames();
  ReplayReport report() const;  // so far

  // save(player, snapshot) takes all that it goes on from, restore(snapshot, player) goes on from
  // there (math/snapshot.h). Frames that were not taken are not part of it.
  std::uint64_t fingerprint() const;
  void save(SnapshotWriter& a) const;
  void restore(SnapshotReader& a);

 private:
  class Player;
  std::unique_ptr<Player> player_;
};

Replay replay(const GaitProblem& problem, const std::vector<double>& unknowns,
              const ReplayOptions& options, const BetweenCycles& between = {});

// Those of `pushes` that fall into a (half) cycle that begins at `time`, on its own clock; in an
// image of the gait they are the images.
std::vector<GaitPush> pushes_in_cycle(const Character& character, std::span<const GaitPush> pushes,
                                      double time, double duration, bool image);

// The torso is below three quarters of its height at rest, or leans by more than 60 degrees.
bool has_fallen(const Character& character, const State& state);

}  // namespace molejo
