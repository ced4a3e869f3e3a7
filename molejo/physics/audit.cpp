#include "molejo/physics/audit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace molejo {

namespace {

bool gives(const Drive& d) {
  const bool drives = d.kp > 0 || d.kd > 0;
  return d.by_formula || d.force != 0 || (d.kd > 0 && d.target_velocity != 0) ||
         (drives && d.max_force);
}

bool takes(const Drive& d) {
  return d.damping > 0 || d.kd > 0 || (d.limit_damping > 0 && (d.lower || d.upper));
}

template <class Test>
bool any_drive(const Model& model, Test&& test) {
  return std::any_of(model.drives.begin(), model.drives.end(), test) ||
         std::any_of(model.loops.begin(), model.loops.end(), [&](const LoopJoint& loop) {
           return std::any_of(loop.drives.begin(), loop.drives.end(), test);
         });
}

// What it takes to lift a body by about its own size, J.
double lift_of_size(const Link& link, double gravity) {
  const double sum = link.I_BC.xx + link.I_BC.yy + link.I_BC.zz;
  return gravity * std::sqrt(0.5 * link.mass * sum);
}

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

}  // namespace

double closure_bound(const Settings& settings) {
  return std::max(1e-6, 10 * settings.constraint_tolerance);
}

Audit::Audit(const Model& model, const Settings& settings)
    : model_(model), closure_bound_(closure_bound(settings)) {
  gives_ = !model.forces.empty() || !model.paths.empty() || any_drive(model, gives);
  takes_ =
      any_drive(model, takes) || std::any_of(model.springs.begin(), model.springs.end(),
                                             [](const PointSpring& s) { return s.damping > 0; });
}

void Audit::add_formulas(const FormulaSet& formulas) {
  // what replaced forces had done is no longer known
  if (started_ || !formulas.motors.empty()) gives_ = true;
}

void Audit::begin(const Frame& frame) {
  started_ = true;
  first_ = frame.energy;
  const double gravity = norm(model_.gravity);
  double lowest = std::numeric_limits<double>::infinity(), weighed = 0, lifted = 0, mass = 0;
  for (std::size_t i = 0; i < model_.links.size(); ++i) {
    if (!can_be_pushed(model_, static_cast<int>(i))) continue;
    const Link& link = model_.links[i];
    const double height = -dot(model_.gravity, frame.X_WB[i] * (link.p_BM + link.p_MC));
    lowest = std::min(lowest, height);
    mass += link.mass;
    weighed += link.mass * std::fabs(height);
    lifted += link.mass * height + lift_of_size(link, gravity);
  }
  if (mass > 0) lifted -= mass * lowest;
  at_rest_ = lifted + std::fabs(first_.elastic);
  rounding_ = 64 * std::numeric_limits<double>::epsilon() *
              (weighed + first_.kinetic + std::fabs(first_.elastic));
}

void Audit::add_frame(const Frame& frame, double work) {
  const Energy& energy = frame.energy;
  const double balance = energy.total() - work;
  if (!started_) {
    begin(frame);
    first_balance_ = balance;
  }
  kinetic_ = std::max(kinetic_, energy.kinetic);
  change_ = std::max(change_,
                     std::fabs(energy.gravity + energy.elastic - first_.gravity - first_.elastic));
  gained_ = std::max(gained_, balance - first_balance_);
  lost_ = std::max(lost_, first_balance_ - balance);
  drift_ = std::max(drift_, std::fabs(energy.total() - first_.total()));
}

double Audit::exchanged() const {
  // below a billionth of the energy at the start there is no motion to speak of
  return std::max({kinetic_, change_, takes_ ? at_rest_ : 1e-9 * at_rest_});
}

double Audit::part_of_exchanged(double change) const {
  return change > rounding_ ? change / exchanged() : 0;
}

double Audit::energy_drift() const { return part_of_exchanged(drift_); }

void Audit::add_closure(const ClosureRow& row, double unit, int loop) {
  const double worth = misfit(row, unit);
  if (worth > misfit_) misfit_ = worth, open_ = std::fabs(row.error), open_loop_ = loop;
}

void Audit::report(std::vector<std::string>& lines) const {
  lines.clear();
  if (misfit_ > closure_bound_) {
    lines.push_back("joint '" + model_.loops[static_cast<std::size_t>(open_loop_)].name +
                    "' is open by " + number(open_) + " (m or rad), more than " +
                    number(closure_bound_ * open_ / misfit_) + "; try a smaller time step");
  }
  if (gives_) return;
  const double wrong = part_of_exchanged(takes_ ? gained_ : std::max(gained_, lost_));
  if (!(wrong > energy_bound)) return;
  lines.push_back(std::string("the energy ") + (takes_ ? "grows" : "changes") + " by " +
                  number(wrong) + " of what is exchanged, more than " + number(energy_bound) +
                  ", though nothing " + (takes_ ? "gives" : "gives or takes") +
                  " any; try a smaller time step or another integrator");
}

}  // namespace molejo
