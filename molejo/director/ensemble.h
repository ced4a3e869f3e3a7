// Where all that is directed stands, and who moves what.
//
// Every tree of bodies has one master at a time: the director, which writes its coordinates, or the
// simulation, which steps it (simulated_part.h). A body may also be attached to another one and
// goes with it. Masters change between frames; then the simulated part is built anew from where
// everything is, and goes on with the velocities it has.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "molejo/director/figure.h"
#include "molejo/director/simulated_part.h"
#include "molejo/director/walking.h"
#include "molejo/physics/formula_forces.h"

namespace molejo {

struct Scene;

// A coordinate that is given a value after the figures are posed: part `weight` of the way to it.
struct Overlay {
  int link = 0;
  int coordinate = 0;  // of the link; of three rotations the first
  Vec3 value;          // x alone, or a rotation vector
  bool is_rotation = false;
  double weight = 1;
  const void* owner = nullptr;  // what it says later in a frame replaces what it said before
};

class Ensemble {
 public:
  // All must outlive the ensemble. Trees of figures are directed, all others simulated. Throws
  // InputError for what cannot be simulated frame by frame.
  Ensemble(const Scene& scene, const Built& built, const std::vector<Figure>& figures, double fps,
           const std::vector<ShowWalker>& walkers = {});

  const Model& model() const { return model_; }
  const std::vector<Figure>& figures() const { return figures_; }
  double fps() const { return fps_; }
  const State& state() const { return state_; }

  // Of a figure, until pose(). Where its coordinates were written directly it takes them over.
  Posture& posture(int figure);
  // Coordinates to be written directly: the figure holds them until its posture is asked for.
  VecX& coordinates(int figure);
  void overlay(const Overlay& overlay);
  // Of limbs that were not posed by pose().
  void tell(const SolveReport& report);
  // Limbs with this link keep where they are shown now.
  void keep_limbs(int link);

  // A body that floats and carries nothing: such may be placed, attached and released.
  bool is_prop(BodyId body) const;
  Pose pose(BodyId body) const { return body.is_world() ? Pose{} : X_WB_[index(body)]; }
  void place(BodyId body, const Pose& X_WB);
  void attach(BodyId body, BodyId to);  // as they are to each other
  bool is_attached(BodyId body) const { return attached_.count(body.index) > 0; }
  // To the simulation, from the end of this frame on; a figure with all that hangs together.
  // `velocity` of its centre of mass, else the one that it has.
  void release(BodyId body, std::optional<Vec3> velocity = {});
  bool is_simulated(BodyId body) const;

  // Those who walk, by number. They go on by themselves with every pose().
  const std::vector<std::unique_ptr<WalkingActor>>& walkers() const { return walkers_; }
  WalkingActor& walker(int i) { return *walkers_[static_cast<std::size_t>(i)]; }
  // An impulse (N s) on the middle of a body, at the end of this frame, if it is simulated then.
  void strike(BodyId body, const Vec3& impulse) { strikes_.push_back({body, impulse}); }
  // A walker whose bodies are simulated takes them over, blending over `seconds`.
  void recover(int walker, double seconds);

  void set_variable(const std::string& name, double value);

  // One frame in three parts, between which postures and then bodies may be changed: nothing is
  // overlaid any more; figures and what is attached are posed; what is simulated is stepped to t,
  // and the frame is filled. Contact events are appended. False: the simulation stopped.
  void begin_frame();
  void pose();
  bool finish_frame(double t, Frame& frame, std::vector<ContactEvent>& events);

  const SolveReport& report() const { return report_; }  // the worst of all frames
  Summary summary() const;                               // of the simulation

  // For snapshots (math/snapshot.h), between two frames.
  void save(SnapshotWriter& a) const;
  void restore(SnapshotReader& a);

 private:
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, Ensemble>& e);
  template <class Archive>
  static void visit_part(Archive& a, Seen<Archive, Ensemble>& e);
  enum class Master : std::uint8_t { director, simulation, nobody };
  static std::size_t index(BodyId body) { return static_cast<std::size_t>(body.index); }
  Master& master(int link);
  Master master(int link) const;
  void apply_overlays();
  void pose_attached();
  void write_coordinates(double h);
  void let_go();
  void walk();
  void rebuild();
  void fill(Frame& frame);

  const Scene& scene_;
  const Model& model_;
  const std::vector<Figure>& figures_;
  double fps_;
  State state_;                      // of the last frame, while a frame is made of its beginning
  VecX q_before_;                    // coordinates of the last frame
  std::vector<Pose> before_, X_WB_;  // poses of the last frame, and now
  Kinematics<double> kinematics_;
  std::vector<int> tree_;       // of each link
  std::vector<Master> master_;  // of each tree
  std::vector<Posture> postures_;
  std::vector<char> direct_;  // of each figure: its coordinates are written directly
  std::vector<Overlay> overlays_;
  std::map<std::tuple<const void*, int, int>, std::size_t> said_;  // where each owner's overlay is
  struct Attached {
    BodyId to;
    Pose X_TB;
  };
  std::map<int, Attached> attached_;
  struct Release {
    BodyId body;
    std::optional<Vec3> velocity;
  };
  std::vector<Release> releases_;
  struct Strike {
    BodyId body;
    Vec3 impulse;
  };
  std::vector<Strike> strikes_;
  std::vector<std::unique_ptr<WalkingActor>> walkers_;
  bool begun_ = false;  // the first frame has been made
  std::map<std::string, double> variables_;
  std::unique_ptr<SimulatedPart> part_;
  bool stale_ = true;  // masters have changed since the part was built
  SolveReport report_;
  Summary past_;  // of parts that were replaced
  std::unique_ptr<FormulaRun> probes_;
};

}  // namespace molejo
