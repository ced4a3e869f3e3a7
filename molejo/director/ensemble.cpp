#include "molejo/director/ensemble.h"

#include <algorithm>
#include <cmath>

#include "molejo/director/snapshot.h"
#include "molejo/math/index.h"
#include "molejo/model/error.h"
#include "molejo/model/scene.h"
#include "molejo/physics/forces.h"
#include "molejo/physics/snapshot.h"

namespace molejo {

namespace {

constexpr std::size_t most_variables = 1'000'000, most_name = 10'000;

void add(const Summary& s, Summary& sum) {
  sum.steps += s.steps;
  sum.projections += s.projections;
  sum.largest_penetration = std::max(sum.largest_penetration, s.largest_penetration);
  sum.constraint_error = std::max(sum.constraint_error, s.constraint_error);
  if (sum.failure.empty()) sum.failure = s.failure;
  if (sum.warnings.empty()) sum.warnings = s.warnings;
}

}  // namespace

Ensemble::Ensemble(const Scene& scene, const Built& built, const std::vector<Figure>& figures,
                   double fps, const std::vector<ShowWalker>& walkers)
    : scene_(scene),
      model_(built.model),
      figures_(figures),
      fps_(fps),
      state_(built.initial),
      q_before_(built.initial.q),
      X_WB_(built.model.links.size()),
      kinematics_(built.model),
      tree_(built.model.links.size(), 0),
      direct_(figures.size(), 0) {
  for (std::size_t t = 0; t < model_.trees.size(); ++t) {
    const Tree& tree = model_.trees[t];
    for (int i = tree.first_link; i < tree.last_link; ++i) tree_[at(i)] = static_cast<int>(t);
    master_.push_back(tree.last_v > tree.first_v ? Master::simulation : Master::nobody);
  }
  for (const Figure& f : figures) {
    postures_.push_back(f.rest);
    master(f.root) = Master::director;
  }
  const Settings& s = scene.settings;
  if (s.integrator == Integrator::rk4 || s.integrator == Integrator::rkf45) {
    throw InputError("integrator '" + std::string(to_string(s.integrator)) +
                     "': a directed scene is stepped from frame to frame: midpoint or "
                     "semi_implicit_euler");
  }
  if (s.formulation == Formulation::maximal) {
    throw InputError("formulation 'maximal': a directed scene needs reduced coordinates");
  }
  state_.t = 0;
  for (const ShowWalker& w : walkers) {
    walkers_.push_back(std::make_unique<WalkingActor>(w, model_));
    walkers_.back()->advance(0, coordinates(w.figure));
  }
  q_before_ = state_.q;
  update_poses(model_, state_.q.data(), kinematics_);
  for (int i = 0; i < model_.body_count(); ++i) X_WB_[at(i)] = body_pose(model_, kinematics_, {i});
  before_ = X_WB_;
  if (built.formulas) probes_ = std::make_unique<FormulaRun>(model_, built.formulas);
}

Ensemble::Master& Ensemble::master(int link) { return master_[at(tree_[at(link)])]; }
Ensemble::Master Ensemble::master(int link) const { return master_[at(tree_[at(link)])]; }

Posture& Ensemble::posture(int figure) {
  if (direct_[at(figure)] != 0) {
    postures_[at(figure)] = read_posture(model_, figures_[at(figure)], state_.q, kinematics_);
    direct_[at(figure)] = 0;
  }
  return postures_[at(figure)];
}

VecX& Ensemble::coordinates(int figure) {
  direct_[at(figure)] = 1;
  return state_.q;
}

void Ensemble::overlay(const Overlay& overlay) {
  const auto [known, is_new] =
      said_.try_emplace({overlay.owner, overlay.link, overlay.coordinate}, overlays_.size());
  if (is_new) {
    overlays_.push_back(overlay);
  } else {
    overlays_[known->second] = overlay;
  }
}

void Ensemble::tell(const SolveReport& r) {
  report_.out_of_reach = std::max(report_.out_of_reach, r.out_of_reach);
  report_.beyond_limits = std::max(report_.beyond_limits, r.beyond_limits);
}

void Ensemble::keep_limbs(int link) {
  // as this frame will show them
  const VecX q = state_.q;
  apply_overlays();
  for (std::size_t f = 0; f < figures_.size(); ++f) {
    for (std::size_t i = 0; i < figures_[f].limbs.size(); ++i) {
      const FigureLimb& limb = figures_[f].limbs[i];
      if (direct_[f] != 0 || (limb.upper != link && limb.lower != link)) continue;
      postures_[f].limbs[i] = read_posture(model_, figures_[f], state_.q, kinematics_).limbs[i];
    }
  }
  state_.q = q;
}

bool Ensemble::is_prop(BodyId body) const {
  const Tree& tree = model_.trees[at(tree_[index(body)])];
  const Link& link = model_.links[index(body)];
  return tree.last_link - tree.first_link == 1 && link.translations == 3 && link.rotations == 3 &&
         link.follows < 0;
}

void Ensemble::place(BodyId body, const Pose& X_WB) {
  if (master(body.index) != Master::director) stale_ = true;
  master(body.index) = Master::director;
  attached_.erase(body.index);
  std::erase_if(releases_, [&](const Release& r) { return r.body == body; });
  X_WB_[index(body)] = X_WB;
  pose_attached();
}

void Ensemble::attach(BodyId body, BodyId to) {
  // one that was simulated is seen where the last frame shows it
  const bool seen = is_simulated(body);
  const Pose X_WT = seen && !to.is_world() ? before_[index(to)] : pose(to);
  const Pose X_TB = inverse(X_WT) * pose(body);
  place(body, pose(to) * X_TB);
  attached_[body.index] = {to, X_TB};
}

void Ensemble::release(BodyId body, std::optional<Vec3> velocity) {
  releases_.push_back({body, velocity});
}

bool Ensemble::is_simulated(BodyId body) const { return master(body.index) == Master::simulation; }

void Ensemble::recover(int index, double seconds) {
  WalkingActor& w = walker(index);
  if (master(w.root()) != Master::simulation) return;
  master(w.root()) = Master::director;
  stale_ = true;
  w.take_over(state_.q, seconds);
}

void Ensemble::walk() {
  for (const auto& w : walkers_) {
    if (master(w->root()) != Master::director) continue;
    w->advance(begun_ ? 1 / fps_ : 0, coordinates(w->figure()));
  }
}

void Ensemble::set_variable(const std::string& name, double value) {
  variables_[name] = value;
  if (part_) part_->set_variable(name, value);
  if (!probes_) return;
  for (const FormulaSet::Variable& v : probes_->set->variables) {
    if (v.name == name) probes_->inputs[v.slot] = value;
  }
}

void Ensemble::begin_frame() {
  overlays_.clear();
  said_.clear();
  before_ = X_WB_;
  q_before_ = state_.q;
}

void Ensemble::apply_overlays() {
  // what no limb, no tilt and no walker poses is overlaid on the pose of rest
  const auto is_posed = [&](int link) {
    const auto walks = [&](const auto& w) { return tree_[at(w->root())] == tree_[at(link)]; };
    if (std::any_of(walkers_.begin(), walkers_.end(), walks)) return true;
    for (const Figure& f : figures_) {
      if (link == f.root || link == f.waist) return true;
      for (const FigureLimb& l : f.limbs) {
        if (link == l.upper || link == l.lower || link == l.end) return true;
      }
    }
    return false;
  };
  for (const Overlay& o : overlays_) {
    double* q = state_.q.data() + model_.links[at(o.link)].q + o.coordinate;
    if (!is_posed(o.link)) {
      q[0] = o.is_rotation ? 1 : 0;
      for (int i = 1; i < 4 && o.is_rotation; ++i) q[i] = 0;
    }
    if (!o.is_rotation) {
      *q += o.weight * (o.value.x - *q);
      continue;
    }
    const Quat now{q[0], q[1], q[2], q[3]};
    const Vec3 way = log_quat(conjugate(now) * exp_quat(o.value));
    const Quat next = normalized(now * exp_quat(way * o.weight));
    q[0] = next.w, q[1] = next.x, q[2] = next.y, q[3] = next.z;
  }
}

void Ensemble::pose() {
  walk();
  for (std::size_t f = 0; f < figures_.size(); ++f) {
    if (direct_[f] != 0 || master(figures_[f].root) != Master::director) continue;
    tell(pose_figure(model_, figures_[f], postures_[f], kinematics_, state_.q));
  }
  apply_overlays();
  update_poses(model_, state_.q.data(), kinematics_);
  for (int i = 0; i < model_.body_count(); ++i) {
    if (master(i) == Master::director && !is_prop({i})) {
      X_WB_[at(i)] = body_pose(model_, kinematics_, {i});
    }
  }
  pose_attached();
}

// What hangs on something that hangs itself follows after some rounds.
void Ensemble::pose_attached() {
  for (std::size_t round = 0; round < attached_.size(); ++round) {
    for (const auto& [body, a] : attached_) X_WB_[at(body)] = pose(a.to) * a.X_TB;
  }
}

// Of all that is directed: coordinates of props from their poses, velocities from differences.
void Ensemble::write_coordinates(double h) {
  for (int i = 0; i < model_.body_count(); ++i) {
    if (master(i) == Master::director && is_prop({i})) {
      set_joint(model_, i, X_WB_[at(i)], kinematics_, state_.q);
    }
  }
  const VecX way = difference(model_, q_before_, state_.q);
  for (std::size_t t = 0; t < model_.trees.size(); ++t) {
    const Tree& tree = model_.trees[t];
    if (master_[t] != Master::director) continue;
    const int n = tree.last_v - tree.first_v;
    state_.v.segment(tree.first_v, n).setZero();
    if (h > 0) state_.v.segment(tree.first_v, n) = way.segment(tree.first_v, n) / h;
  }
}

// The simulation takes over what was released.
void Ensemble::let_go() {
  for (const Release& r : releases_) {
    attached_.erase(r.body.index);
    if (r.velocity) {
      const Link& root = model_.links[index(r.body)];
      for (int i = 0; i < root.translations; ++i) {
        state_.v[root.v + i] = dot(root.t_P[i], *r.velocity);
      }
    }
    if (master(r.body.index) == Master::simulation && !r.velocity) continue;
    master(r.body.index) = Master::simulation;
    stale_ = true;
    for (std::size_t f = 0; f < figures_.size(); ++f) {
      if (tree_[at(figures_[f].root)] == tree_[index(r.body)]) direct_[f] = 1;
    }
  }
  releases_.clear();
  for (const Strike& s : strikes_) {
    if (master(s.body.index) != Master::simulation) continue;
    update_poses(model_, state_.q.data(), kinematics_);
    const BodyMotion<double>& b = kinematics_.bodies[index(s.body)];
    state_.v += struck(model_, state_.q, s.body, b.p + b.com, s.impulse);
    stale_ = true;
  }
  strikes_.clear();
}

void Ensemble::rebuild() {
  stale_ = false;
  if (part_) add(part_->summary(), past_);
  part_.reset();
  if (std::find(master_.begin(), master_.end(), Master::simulation) == master_.end()) return;
  std::vector<char> directed(model_.links.size(), 0);
  for (int i = 0; i < model_.body_count(); ++i) {
    directed[at(i)] = master(i) == Master::director ? 1 : 0;
  }
  part_ = std::make_unique<SimulatedPart>(scene_, model_, directed, state_, fps_);
  for (const auto& [name, value] : variables_) part_->set_variable(name, value);
}

bool Ensemble::finish_frame(double t, Frame& frame, std::vector<ContactEvent>& events) {
  frame = {};
  pose_attached();
  write_coordinates(t - state_.t);
  if (stale_) rebuild();
  bool good = true;
  if (part_ && t > state_.t) good = part_->step(t, before_, X_WB_, state_, frame, events);
  state_.t = t;
  begun_ = true;
  let_go();
  for (const auto& w : walkers_) {
    if (master(w->root()) == Master::simulation) w->look_at(state_.q);
  }
  fill(frame);
  return good;
}

void Ensemble::fill(Frame& frame) {
  update_poses(model_, state_.q.data(), kinematics_);
  update_velocities(model_, state_.v.data(), kinematics_);
  for (int i = 0; i < model_.body_count(); ++i) X_WB_[at(i)] = body_pose(model_, kinematics_, {i});
  frame.state = state_;
  frame.X_WB = X_WB_;
  const Totals sum = totals(model_, kinematics_);
  frame.energy = {sum.kinetic, sum.gravity_potential,
                  elastic_energy(model_, kinematics_, state_.q)};
  frame.momentum = sum.momentum;
  frame.angular_momentum = sum.angular_momentum;
  if (!probes_) return;
  std::fill(probes_->contact_force.begin(), probes_->contact_force.end(), Vec3{});
  for (const TouchPoint& touch : frame.contacts) {
    probes_->contact_force[index(touch.a)] += touch.force;
    if (!touch.b.is_world()) probes_->contact_force[index(touch.b)] -= touch.force;
  }
  read_signals(model_, state_.t, state_.q.data(), state_.v.data(), kinematics_, *probes_);
  read_probes(*probes_, frame.probes);
}

// What is simulated, made anew for the same bodies.
template <class Archive>
void Ensemble::visit_part(Archive& a, Seen<Archive, Ensemble>& e) {
  a.part("simulated part");
  bool is_there = e.part_ != nullptr;
  a(is_there);
  if constexpr (Archive::reads) e.part_.reset();
  if (!is_there) return;
  std::vector<char> directed(e.model_.links.size(), 0);
  if constexpr (!Archive::reads) directed = e.part_->directed();
  for (const Tree& tree : e.model_.trees) {
    bool flag = directed[at(tree.first_link)] != 0;
    a(flag);
    for (int i = tree.first_link; i < tree.last_link; ++i) directed[at(i)] = flag ? 1 : 0;
  }
  if constexpr (Archive::reads) {
    e.part_ = std::make_unique<SimulatedPart>(e.scene_, e.model_, directed, e.state_, e.fps_);
    e.part_->restore(a);
  } else {
    e.part_->save(a);
  }
}

template <class Archive>
void Ensemble::visit(Archive& a, Seen<Archive, Ensemble>& e) {
  a.part("ensemble");
  visit_state(a, e.model_, e.state_);
  a(e.q_before_, e.before_, e.X_WB_, e.direct_, e.begun_, e.stale_, e.report_.out_of_reach,
    e.report_.beyond_limits);
  for (auto& master : e.master_) {
    const bool is_free = master != Master::nobody;
    visit_enum(a, master, Master::nobody, "master");
    a.require((master != Master::nobody) == is_free, "a master of who can move");
  }
  for (std::size_t f = 0; f < e.figures_.size(); ++f) {
    visit_posture(a, e.figures_[f].limbs.size(), e.postures_[f]);
    a.require(e.postures_[f].limbs.size() == e.figures_[f].limbs.size(), "all limbs");
  }
  visit_map(a, e.attached_, e.model_.links.size(), [&](auto& body, auto& held) {
    a.index(body, e.model_.links.size(), "body");
    a.require(e.is_prop({body}), "a body that can be attached");
    visit_body(a, e.model_, held.to);
    a(held.X_TB);
  });
  visit_map(a, e.variables_, most_variables, [&](auto& name, auto& value) {
    a.text(name, most_name);
    a(value);
  });
  visit_summary(a, e.past_);
  if (e.probes_) {
    for (auto& x : e.probes_->inputs) a.any(x);
  }
  for (auto& walker : e.walkers_) {
    if constexpr (Archive::reads) {
      walker->restore(a);
    } else {
      walker->save(a);
    }
  }
  visit_part(a, e);
  if constexpr (Archive::reads) {
    update_poses(e.model_, e.state_.q.data(), e.kinematics_);
    update_velocities(e.model_, e.state_.v.data(), e.kinematics_);
    e.releases_.clear();
    e.strikes_.clear();
  }
}
void Ensemble::save(SnapshotWriter& a) const { visit(a, *this); }
void Ensemble::restore(SnapshotReader& a) { visit(a, *this); }

Summary Ensemble::summary() const {
  Summary sum = past_;
  if (part_) add(part_->summary(), sum);
  return sum;
}

}  // namespace molejo
