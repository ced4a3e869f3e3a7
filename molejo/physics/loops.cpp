#include "molejo/physics/loops.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/interrupt.h"
#include "molejo/model/kinematics_kernel.h"

namespace molejo {

namespace {

std::vector<int> way_to_root(const Model& model, BodyId body) {
  std::vector<int> way;
  for (int i = body.index; i >= 0; i = model.links[static_cast<std::size_t>(i)].parent)
    way.push_back(i);
  return way;
}

void add_freedoms(const Model& model, const std::vector<int>& way, std::vector<int>& freedoms) {
  for (int i : way) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    for (int j = 0; j < link.translations + link.rotations; ++j) freedoms.push_back(link.v + j);
  }
}

// Carries a wrench from a body to the root through the eliminations of the tree's factor and adds
// what each freedom feels to u.
void carry(const Model& model, const Dynamics<double>& d, const std::vector<int>& way,
           const ClosureRow& row, double sign, const std::vector<int>& slot, double* u) {
  if (way.empty()) return;
  const Vec3 p = d.kinematics.bodies[static_cast<std::size_t>(way[0])].p;
  Vec3 f = row.f * sign;
  Vec3 n = row.n * sign + cross(row.p - p, f);
  for (int i : way) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    for (int j = link.v; j < link.v + link.translations + link.rotations; ++j) {
      const auto m = static_cast<std::size_t>(j);
      const FreedomFactor<double>& factor = d.freedoms[m];
      const double felt = dot(d.kinematics.axes[m], j < link.v + link.translations ? f : n);
      u[slot[m]] += felt;
      const double g = felt * factor.d_inverse;
      n -= factor.U_angular * g;
      f -= factor.U_linear * g;
    }
    n += cross(d.kinematics.bodies[static_cast<std::size_t>(i)].r, f);
  }
}

// lambda = (G M^-1 G^T)^-1 rhs (in loops.lambda), then x = M^-1 G^T lambda.
void solve_multipliers(const Model& model, Dynamics<double>& d, Loops& loops, double* x) {
  loops.factor.solve(loops.lambda.data());
  std::fill(loops.response.begin(), loops.response.end(), 0);
  for (std::size_t l = 0; l < model.loops.size(); ++l) {
    const LoopJoint& loop = model.loops[l];
    const Loops::Support& support = loops.support[l];
    const std::size_t width = support.freedoms.size();
    for (int r = 0; r < loop.all_rows(); ++r) {
      const double lambda = loops.lambda[static_cast<std::size_t>(loop.first_row + r)];
      const double* u = support.u.data() + static_cast<std::size_t>(r) * width;
      for (std::size_t j = 0; j < width; ++j) {
        loops.response[static_cast<std::size_t>(support.freedoms[j])] += lambda * u[j];
      }
    }
  }
  respond(model, d, loops.response.data(), x, loops.motion.data());
}

void update_rows(const Model& model, const Kinematics<double>& k, Loops& loops) {
  for (const LoopJoint& loop : model.loops) {
    closure(model, k, loop, loops.rows.data() + loop.first_row);
    rotor_rows(model, k, loop, loops.rows.data() + loop.first_row);
  }
}

// 1/I of the rotor in row r of the loop.
double rotor_yield(const LoopJoint& loop, int r) {
  const int freedom = loop.rotors[static_cast<std::size_t>(r - loop.rows)];
  return 1 / loop.drives[static_cast<std::size_t>(freedom)].armature;
}

double largest_error(const Loops& loops) {
  double error = 0;
  for (const ClosureRow& row : loops.rows) error = std::max(error, std::fabs(row.error));
  return error;
}

}  // namespace

Loops::Loops(const Model& model)
    : rows(static_cast<std::size_t>(model.rows)),
      lambda(static_cast<std::size_t>(model.rows)),
      response(static_cast<std::size_t>(model.nv)),
      change(static_cast<std::size_t>(model.nv)),
      motion(model.links.size()),
      slot(static_cast<std::size_t>(model.nv), -1) {
  std::vector<std::vector<int>> loops_at(static_cast<std::size_t>(model.nv));
  for (std::size_t l = 0; l < model.loops.size(); ++l) {
    check_interrupt();
    const LoopJoint& loop = model.loops[l];
    Support s;
    s.steps_1 = way_to_root(model, loop.body_1);
    s.steps_2 = way_to_root(model, loop.body_2);
    add_freedoms(model, s.steps_1, s.freedoms);
    add_freedoms(model, s.steps_2, s.freedoms);
    std::sort(s.freedoms.begin(), s.freedoms.end());
    s.freedoms.erase(std::unique(s.freedoms.begin(), s.freedoms.end()), s.freedoms.end());
    s.u.resize(s.freedoms.size() * static_cast<std::size_t>(loop.all_rows()));
    for (int j : s.freedoms) loops_at[static_cast<std::size_t>(j)].push_back(static_cast<int>(l));
    support.push_back(std::move(s));
  }

  // loops that share a freedom share a block of the matrix
  std::vector<std::pair<int, int>> meeting;
  for (const std::vector<int>& here : loops_at) {
    for (int a : here) {
      check_interrupt();
      for (int b : here) {
        if (b <= a) meeting.emplace_back(a, b);
      }
    }
  }
  std::sort(meeting.begin(), meeting.end());
  meeting.erase(std::unique(meeting.begin(), meeting.end()), meeting.end());

  std::vector<SparseLdlt::Entry> entries;
  for (const auto& [a, b] : meeting) {
    check_interrupt();
    const Support& sa = support[static_cast<std::size_t>(a)];
    const Support& sb = support[static_cast<std::size_t>(b)];
    Pair pair{a, b, {}, entries.size()};
    for (std::size_t i = 0, j = 0; i < sa.freedoms.size() && j < sb.freedoms.size();) {
      if (sa.freedoms[i] == sb.freedoms[j]) {
        pair.shared.emplace_back(static_cast<int>(i++), static_cast<int>(j++));
      } else {
        sa.freedoms[i] < sb.freedoms[j] ? ++i : ++j;
      }
    }
    const LoopJoint& la = model.loops[static_cast<std::size_t>(a)];
    const LoopJoint& lb = model.loops[static_cast<std::size_t>(b)];
    for (int r = 0; r < la.all_rows(); ++r) {
      for (int c = 0; c < (a == b ? r + 1 : lb.all_rows()); ++c) {
        entries.push_back({la.first_row + r, lb.first_row + c});
      }
    }
    pairs.push_back(std::move(pair));
  }
  // a closure between bodies that cannot move has no freedom, hence no block, but is a row
  for (std::size_t l = 0; l < model.loops.size(); ++l) {
    if (!support[l].freedoms.empty()) continue;
    const LoopJoint& loop = model.loops[l];
    for (int r = 0; r < loop.all_rows(); ++r) {
      entries.push_back({loop.first_row + r, loop.first_row + r});
    }
  }
  values.assign(entries.size(), 0);
  if (model.rows > 0) factor.analyse(model.rows, entries);
}

void factorize_loops(const Model& model, Dynamics<double>& d, Loops& loops) {
  if (model.rows == 0) return;
  update_rows(model, d.kinematics, loops);
  for (std::size_t l = 0; l < model.loops.size(); ++l) {
    const LoopJoint& loop = model.loops[l];
    Loops::Support& s = loops.support[l];
    const std::size_t width = s.freedoms.size();
    for (std::size_t j = 0; j < width; ++j) {
      loops.slot[static_cast<std::size_t>(s.freedoms[j])] = static_cast<int>(j);
    }
    std::fill(s.u.begin(), s.u.end(), 0);
    for (int r = 0; r < loop.all_rows(); ++r) {
      const ClosureRow& row = loops.rows[static_cast<std::size_t>(loop.first_row + r)];
      double* u = s.u.data() + static_cast<std::size_t>(r) * width;
      carry(model, d, s.steps_2, row, 1, loops.slot, u);
      carry(model, d, s.steps_1, row, -1, loops.slot, u);
    }
  }

  for (const Loops::Pair& pair : loops.pairs) {
    check_interrupt();
    const Loops::Support& sa = loops.support[static_cast<std::size_t>(pair.a)];
    const Loops::Support& sb = loops.support[static_cast<std::size_t>(pair.b)];
    const LoopJoint& loop_a = model.loops[static_cast<std::size_t>(pair.a)];
    const int rows_a = loop_a.all_rows();
    const int rows_b = model.loops[static_cast<std::size_t>(pair.b)].all_rows();
    std::size_t value = pair.first_value;
    for (int r = 0; r < rows_a; ++r) {
      const double* ua = sa.u.data() + static_cast<std::size_t>(r) * sa.freedoms.size();
      for (int c = 0; c < (pair.a == pair.b ? r + 1 : rows_b); ++c) {
        const double* ub = sb.u.data() + static_cast<std::size_t>(c) * sb.freedoms.size();
        double sum = 0;
        for (const auto& [i, j] : pair.shared) {
          const int freedom = sa.freedoms[static_cast<std::size_t>(i)];
          sum += ua[i] * ub[j] * d.freedoms[static_cast<std::size_t>(freedom)].d_inverse;
        }
        if (pair.a == pair.b && r == c && r >= loop_a.rows) sum += rotor_yield(loop_a, r);
        loops.values[value++] = sum;
      }
    }
  }
  loops.redundant = loops.factor.factorize(loops.values.data());
}

void constrain_acceleration(const Model& model, Dynamics<double>& d, Loops& loops) {
  if (model.rows == 0) return;
  // body accelerations in d have gravity taken off at the root
  const auto acceleration = [&](BodyId body) {
    if (body.is_world()) return BodyAcceleration{};
    const Spatial<double>& a = d.bodies[static_cast<std::size_t>(body.index)].a;
    return BodyAcceleration{a.angular, a.linear + model.gravity};
  };
  for (const LoopJoint& loop : model.loops) {
    double* rows = loops.lambda.data() + loop.first_row;
    closure_acceleration(model, d.kinematics, loop, acceleration(loop.body_1),
                         acceleration(loop.body_2), rows);
    rotor_acceleration(model, d.kinematics, loop, acceleration(loop.body_1),
                       acceleration(loop.body_2), rows);
    for (int r = 0; r < loop.all_rows(); ++r) rows[r] = -rows[r];
  }
  solve_multipliers(model, d, loops, loops.change.data());
  for (std::size_t i = 0; i < loops.change.size(); ++i) d.a[i] += loops.change[i];
  for (std::size_t i = 0; i < loops.motion.size(); ++i) {
    d.bodies[i].a.angular += loops.motion[i].angular;
    d.bodies[i].a.linear += loops.motion[i].linear;
  }
}

Projection project(const Model& model, State& state, double tolerance, Dynamics<double>& d,
                   Loops& loops) {
  constexpr int max_iterations = 20;
  Projection report;
  if (model.rows == 0) return report;
  for (int i = 0; i < model.nv; ++i) {
    d.inertia[static_cast<std::size_t>(i)] = model.drives[static_cast<std::size_t>(i)].armature;
  }

  update_poses(model, state.q.data(), d.kinematics);
  update_rows(model, d.kinematics, loops);
  report.error_before = report.error_after = largest_error(loops);
  // Newton, well below the tolerance so that the next steps start clean
  for (; report.error_after > (report.iterations == 0 ? tolerance : 0.01 * tolerance) &&
         report.iterations < max_iterations;
       ++report.iterations) {
    factorize(model, d);
    factorize_loops(model, d, loops);
    for (std::size_t r = 0; r < loops.rows.size(); ++r) loops.lambda[r] = -loops.rows[r].error;
    solve_multipliers(model, d, loops, loops.change.data());
    move(model, loops.change.data(), 1.0, state.q.data());
    update_poses(model, state.q.data(), d.kinematics);
    update_rows(model, d.kinematics, loops);
    const double error = largest_error(loops);
    const bool stalled = error > 0.5 * report.error_after;
    report.error_after = error;
    if (stalled) break;
  }

  // velocities, with the rows of the final positions
  factorize(model, d);
  factorize_loops(model, d, loops);
  update_velocities(model, state.v.data(), d.kinematics);
  for (const LoopJoint& loop : model.loops) {
    for (int r = 0; r < loop.all_rows(); ++r) {
      // rotors resist the correction by their inertia alone
      const auto n = static_cast<std::size_t>(loop.first_row + r);
      loops.lambda[n] = r < loop.rows ? -closure_rate(d.kinematics, loop, loops.rows[n]) : 0;
    }
  }
  solve_multipliers(model, d, loops, loops.change.data());
  for (int i = 0; i < model.nv; ++i) state.v[i] += loops.change[static_cast<std::size_t>(i)];
  return report;
}

double closure_error(const Model& model, const Kinematics<double>& k, Loops& loops) {
  update_rows(model, k, loops);
  return largest_error(loops);
}

int redundant_rows(const Model& model, const State& state) {
  Dynamics<double> d(model);
  Loops loops(model);
  update_poses(model, state.q.data(), d.kinematics);
  factorize(model, d);
  factorize_loops(model, d, loops);
  return loops.redundant;
}

}  // namespace molejo
