#include "molejo/physics/formula_forces.h"

#include "molejo/math/same_bits.h"
#include "molejo/model/closure.h"
#include "molejo/model/formula_error.h"
#include "molejo/physics/index.h"

namespace molejo {

namespace {

double kinetic_energy(const Link& link, const BodyMotion<double>& b) {
  const Vec3 v = b.v + cross(b.w, b.com), w = transpose_times(b.R, b.w);
  return 0.5 * link.mass * dot(v, v) + 0.5 * dot(w, link.I_BC * w);
}

double potential_energy(const Model& model, std::size_t i, const BodyMotion<double>& b) {
  return -model.links[i].mass * dot(model.gravity, b.p + b.com);
}

class SignalReader {
 public:
  SignalReader(const Model& model, double t, const double* q, const double* v,
               const Kinematics<double>& k, FormulaRun& run)
      : model_(model), t_(t), q_(q), v_(v), k_(k), run_(run) {}

  void read(const Signal& s) {
    switch (s.quantity) {
      case Quantity::time:
        return set(s, t_);
      case Quantity::coordinate:
      case Quantity::rate:
      case Quantity::rotation:
      case Quantity::rotation_rate:
        return read_joint(s);
      case Quantity::total_kinetic:
      case Quantity::total_potential:
      case Quantity::total_energy:
      case Quantity::total_com:
      case Quantity::total_momentum:
        return read_total(s);
      default:
        return read_body(s);
    }
  }

 private:
  void set(const Signal& s, double x) { run_.inputs[s.slot] = x; }
  void set(const Signal& s, const Vec3& x) {
    for (int i = 0; i < 3; ++i) run_.inputs[s.slot + static_cast<std::uint32_t>(i)] = x[i];
  }

  void read_body(const Signal& s) {
    const std::size_t i = index(s.index);
    const BodyMotion<double>& b = k_.bodies[i];
    const Link& link = model_.links[i];
    const Vec3 origin = b.p - b.R * link.p_BM;
    switch (s.quantity) {
      case Quantity::position:
        return set(s, origin);
      case Quantity::com:
        return set(s, b.p + b.com);
      case Quantity::velocity:
        return set(s, b.v + cross(b.w, origin - b.p));
      case Quantity::angular_velocity:
        return set(s, b.w);
      case Quantity::x_axis:
        return set(s, b.R.column(0));
      case Quantity::y_axis:
        return set(s, b.R.column(1));
      case Quantity::z_axis:
        return set(s, b.R.column(2));
      case Quantity::angles:
        return set(s, angles_xyz(b.R));
      case Quantity::mass:
        return set(s, link.mass);
      case Quantity::kinetic:
        return set(s, kinetic_energy(link, b));
      case Quantity::potential:
        return set(s, potential_energy(model_, i, b));
      case Quantity::energy:
        return set(s, kinetic_energy(link, b) + potential_energy(model_, i, b));
      case Quantity::contact_force:
        return set(s, run_.contact_force[i]);
      default:  // contact
        return set(s, run_.contact_force[i] == Vec3{} ? 0.0 : 1.0);
    }
  }

  void read_joint(const Signal& s) {
    JointCoordinates c;
    if (s.is_loop) {
      c = measure(model_, k_, model_.loops[index(s.index)]);
    } else {
      const Link& link = model_.links[index(s.index)];
      const Freedoms f{link.translations, link.rotations};
      for (int i = 0; i < f.coordinates(); ++i) c.q[i] = q_[link.q + i];
      for (int i = 0; i < f.count(); ++i) c.v[i] = v_[link.v + i];
    }
    const double *q = c.q + s.part, *v = c.v + s.part;
    switch (s.quantity) {
      case Quantity::coordinate:
        return set(s, *q);
      case Quantity::rate:
        return set(s, *v);
      case Quantity::rotation:
        return set(s, log_quat(Quat{q[0], q[1], q[2], q[3]}));
      default:
        return set(s, Vec3{v[0], v[1], v[2]});
    }
  }

  void read_total(const Signal& s) {
    if (!summed_) totals_ = totals(model_, k_);
    summed_ = true;
    switch (s.quantity) {
      case Quantity::total_kinetic:
        return set(s, totals_.kinetic);
      case Quantity::total_potential:
        return set(s, totals_.gravity_potential);
      case Quantity::total_energy:
        return set(s, totals_.kinetic + totals_.gravity_potential);
      case Quantity::total_com:
        return set(s, totals_.com);
      default:
        return set(s, totals_.momentum);
    }
  }

  const Model& model_;
  const double t_;
  const double *q_, *v_;
  const Kinematics<double>& k_;
  FormulaRun& run_;
  bool summed_ = false;
  Totals totals_;
};

Vec3 vector_of(const FormulaSet& set, const FormulaSet::Three& three,
               const ExpressionWorkspace& work) {
  if (three.first < 0) return {};
  const std::size_t first = index(three.first);
  if (three.is_vector) {
    return {output(set.program, first, work, 0), output(set.program, first, work, 1),
            output(set.program, first, work, 2)};
  }
  return {output(set.program, first, work), output(set.program, first + 1, work),
          output(set.program, first + 2, work)};
}

}  // namespace

FormulaRun::FormulaRun(const Model& model, std::shared_ptr<const FormulaSet> formulas)
    : set(std::move(formulas)),
      inputs(set->inputs),
      work(set->program),
      contact_force(model.links.size()),
      wrench(set->forces.size()),
      power(set->forces.size()),
      done(set->forces.size()) {
  for (const FormulaSet::Variable& v : set->variables) inputs[v.slot] = v.value;
}

void take_over(const FormulaRun& old, FormulaRun& run) {
  run.contact_force = old.contact_force;
  for (const FormulaSet::Variable& v : run.set->variables) {
    for (const FormulaSet::Variable& before : old.set->variables) {
      if (before.name == v.name) run.inputs[v.slot] = old.inputs[before.slot];
    }
  }
  for (std::size_t i = 0; i < run.set->forces.size(); ++i) {
    for (std::size_t j = 0; j < old.set->forces.size(); ++j) {
      if (old.set->forces[j].name == run.set->forces[i].name) run.done[i] = old.done[j];
    }
  }
}

void read_signals(const Model& model, double t, const double* q, const double* v,
                  const Kinematics<double>& k, FormulaRun& run) {
  SignalReader reader(model, t, q, v, k, run);
  for (const Signal& s : run.set->signals) reader.read(s);
}

namespace {

// Of all forces, or of those that are not implicit.
void update_wrenches(const Model& model, const Kinematics<double>& k, bool keep_implicit,
                     FormulaRun& run) {
  const FormulaSet& set = *run.set;
  evaluate(set.force_program, run.inputs.data(), run.work);
  for (std::size_t n = 0; n < set.forces.size(); ++n) {
    const FormulaSet::Force& f = set.forces[n];
    if (f.implicit && keep_implicit) continue;
    const std::size_t i = index(f.body.index);
    const BodyMotion<double>& b = k.bodies[i];
    Vec3 force = vector_of(set, f.force, run.work), torque = vector_of(set, f.torque, run.work);
    if (f.in_body_axes) force = b.R * force, torque = b.R * torque;
    run.wrench[n] = {torque + cross(b.R * (f.p - model.links[i].p_BM), force), force};
  }
}

}  // namespace

void apply_formula_forces(const Model& model, bool keep_implicit, Dynamics<double>& d,
                          FormulaRun& run) {
  update_wrenches(model, d.kinematics, keep_implicit, run);
  for (std::size_t n = 0; n < run.wrench.size(); ++n) {
    Spatial<double>& applied = d.applied[index(run.set->forces[n].body.index)];
    applied.angular += run.wrench[n].angular;
    applied.linear += run.wrench[n].linear;
  }
}

void measure_work(const Model& model, const Kinematics<double>& k, double h, FormulaRun& run) {
  update_wrenches(model, k, false, run);
  for (std::size_t n = 0; n < run.wrench.size(); ++n) {
    const BodyMotion<double>& b = k.bodies[index(run.set->forces[n].body.index)];
    const double before = run.power[n];
    run.power[n] = dot(run.wrench[n].linear, b.v) + dot(run.wrench[n].angular, b.w);
    run.done[n] += 0.5 * h * (before + run.power[n]);
  }
}

void command_motors(Dynamics<double>& d, FormulaRun& run) {
  const FormulaSet& set = *run.set;
  evaluate(set.motor_program, run.inputs.data(), run.work);
  const auto take = [&](int number, double& x) {
    if (number >= 0) x = output(set.program, index(number), run.work);
  };
  for (const FormulaSet::Motor& m : set.motors) {
    MotorInput<double>& motor = d.motors[index(m.motor)];
    take(m.target, motor.target);
    take(m.target_velocity, motor.target_velocity);
    take(m.force, motor.force);
  }
}

void check_finite(FormulaRun& run, const std::string& when) {
  const FormulaSet& set = *run.set;
  if (const auto bad = first_non_finite(set.program, run.inputs.data(), run.work)) {
    throw FormulaError(source_of(set, bad->place) + "column " + std::to_string(bad->place.column) +
                           ": " + bad->text + " " + when,
                       bad->place.column);
  }
}

std::vector<RecordedProbe> recorded_probes(const FormulaSet& set) {
  std::vector<RecordedProbe> all;
  for (const FormulaSet::Probe& p : set.probes) {
    const std::string unit = p.unit && !p.unit->is_pure() ? text(*p.unit) : "";
    if (!p.is_vector) {
      all.push_back({p.name, unit});
      continue;
    }
    for (const char* axis : {".x", ".y", ".z"}) all.push_back({p.name + axis, unit});
  }
  for (const FormulaSet::Force& f : set.forces) all.push_back({f.name + ".work", "J"});
  return all;
}

void read_probes(FormulaRun& run, std::vector<double>& values) {
  const FormulaSet& set = *run.set;
  evaluate(set.program, run.inputs.data(), run.work);
  values.clear();
  for (const FormulaSet::Probe& p : set.probes) {
    for (std::size_t i = 0; i < (p.is_vector ? 3u : 1u); ++i) {
      values.push_back(output(set.program, index(p.output), run.work, i));
    }
  }
  values.insert(values.end(), run.done.begin(), run.done.end());
}

}  // namespace molejo
