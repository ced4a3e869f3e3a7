#include "molejo/model/snapshot.h"

#include <algorithm>

namespace molejo {

namespace {

// What counts of a model, in an archive that only writes.
class ModelPrint {
 public:
  ModelPrint() : writer_(SnapshotKind::world, 0, snapshot_) {}

  std::uint64_t of(const Model& model) {
    writer_(model.nq, model.nv, model.rows, model.gravity);
    for (std::size_t i = 0; i < model.links.size(); ++i) add(model.links[i], model.bodies[i]);
    for (const Drive& d : model.drives) add(d);
    for (const LoopJoint& loop : model.loops) add(loop);
    for (const PointSpring& s : model.springs) {
      writer_(s.body_1.index, s.body_2.index, s.p_1, s.p_2, s.stiffness, s.rest_length, s.damping);
    }
    for (const AppliedForce& f : model.forces) {
      writer_(f.body.index, f.p);
      for (const ForceSample& x : f.samples) writer_(x.t, x.force, x.torque);
    }
    for (const Collider& c : model.colliders) writer_(c.body.index, c.shape, c.kind);
    for (const ContactRule& r : model.contact_rules) {
      writer_(r.response, r.friction, r.restitution, r.sticks, r.stiffness, r.damping, r.reach);
    }
    writer_(model.rule_of_kinds);
    for (const auto& [a, b] : model.never_touch) writer_(a, b);
    add(model.contact);
    return fingerprint(snapshot_.bytes);
  }

 private:
  void add(const Link& l, const Body& b) {
    writer_.text(b.name, 0);
    writer_(l.parent, l.translations, l.rotations, l.follows, l.R_PB0, l.p_LF, l.p_BM, l.t_P[0],
            l.t_P[1], l.t_P[2], l.axis[0], l.axis[1], l.mass, l.p_MC);
    const Sym3& I = l.I_BC;
    writer_(I.xx, I.xy, I.xz, I.yy, I.yz, I.zz, b.immobile, b.joint_type);
    for (const Shape& shape : b.shapes) {
      if (!shape.collides) continue;
      writer_(shape.X_BS, shape.surface.friction, shape.surface.restitution);
      std::visit([&](const auto& geometry) { add(geometry); }, shape.geometry);
    }
  }
  void add(const Drive& d) {
    writer_(d.stiffness, d.rest, d.damping, d.armature, d.lower, d.upper, d.limit_stiffness,
            d.limit_damping, d.kp, d.kd, d.target, d.target_velocity, d.force, d.max_force,
            d.by_formula);
  }
  void add(const LoopJoint& l) {
    writer_(l.type, l.body_1.index, l.body_2.index, l.X_1F, l.X_2M, l.rotors);
    for (const Drive& d : l.drives) add(d);
  }
  void add(const ContactSettings& c) {
    writer_(c.enabled, c.friction, c.restitution, c.rest_speed, c.iterations, c.tolerance,
            c.recovery, c.slop, c.distance, c.sleep, c.sleep_speed, c.sleep_time);
  }
  void add(const Sphere& s) { writer_(s.radius); }
  void add(const Capsule& c) { writer_(c.radius, c.half_length); }
  void add(const Box& b) { writer_(b.half); }
  void add(const Cylinder& c) { writer_(c.radius, c.half_length); }
  void add(const Polyhedron& p) { writer_(p.vertices, p.triangles); }
  void add(const Plane&) {}
  void add(const HeightField& f) { writer_(f.columns, f.rows, f.dx, f.dy, f.heights); }

  Snapshot snapshot_;
  SnapshotWriter writer_;
};

}  // namespace

std::uint64_t fingerprint(const Model& model) { return ModelPrint().of(model); }

std::uint64_t fingerprint(const FormulaSet& set) {
  Snapshot text;
  SnapshotWriter a(SnapshotKind::world, 0, text);
  for (const SceneFormula& f : set.sources) a.text(f.text, 0), a.text(f.scope, 0);
  for (const SceneFormula& f : set.definition_sources) a.text(f.text, 0), a.text(f.scope, 0);
  for (const FormulaSet::Variable& v : set.variables) a.text(v.name, 0);
  for (const FormulaSet::Force& f : set.forces) a.text(f.name, 0);
  return fingerprint(text.bytes);
}

bool is_sound(const Model& model, const State& state) {
  const auto usable = [](double x) { return std::fabs(x) < 1e100; };
  if (!std::all_of(state.q.begin(), state.q.end(), usable) ||
      !std::all_of(state.v.begin(), state.v.end(), usable)) {
    return false;
  }
  return std::all_of(model.links.begin(), model.links.end(), [&](const Link& link) {
    if (link.rotations != 3) return true;
    const double* q = state.q.data() + link.q + link.translations;
    return is_unit(Quat{q[0], q[1], q[2], q[3]});
  });
}

}  // namespace molejo
