#include "molejo/physics/loops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "molejo/math/interrupt.h"
#include "molejo/model/kinematics_kernel.h"
#include "molejo/physics/groups.h"

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
// what each freedom feels to u. Returns the mobility that the row would have if nothing cancelled:
// with every force across its lever, and every axis along what comes to it.
double carry(const Model& model, const Dynamics<double>& d, const std::vector<int>& way,
             const ClosureRow& row, double sign, const std::vector<int>& slot, double* u) {
  double size = 0;
  if (way.empty()) return size;
  const Vec3 arm = row.p - d.kinematics.bodies[static_cast<std::size_t>(way[0])].p;
  Vec3 f = row.f * sign;
  Vec3 n = row.n * sign + cross(arm, f);
  double torque = dot(row.n, row.n) + dot(arm, arm) * dot(f, f);  // squared, at its largest
  for (int i : way) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const double force = dot(f, f);
    double felt_by_three = 0, least = std::numeric_limits<double>::infinity();
    for (int j = link.v; j < link.v + link.translations + link.rotations; ++j) {
      const auto m = static_cast<std::size_t>(j);
      const FreedomFactor<double>& factor = d.freedoms[m];
      const bool translation = j < link.v + link.translations;
      const double felt = dot(d.kinematics.axes[m], translation ? f : n);
      u[slot[m]] += felt;
      const double g = felt * factor.d_inverse;
      // three translations feel every force; of three rotations one may be much easier than another
      if (translation) {
        size += link.translations == 3 ? felt * g : force * factor.d_inverse;
      } else if (link.rotations == 3) {
        felt_by_three += felt * g;
        least = std::min(least, factor.d_inverse);
      } else {
        size += torque * factor.d_inverse;
      }
      n -= factor.U_angular * g;
      f -= factor.U_linear * g;
    }
    if (link.rotations == 3) size += std::max(felt_by_three, torque * least);
    const Vec3& r = d.kinematics.bodies[static_cast<std::size_t>(i)].r;
    torque = dot(n, n) + dot(r, r) * dot(f, f);
    n += cross(r, f);
  }
  return size;
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

double largest_misfit(const Loops& loops) {
  double largest = 0;
  for (const ClosureRow& row : loops.rows) largest = std::max(largest, misfit(row, loops.unit));
  return largest;
}

// Trees that loops couple. What cannot be pushed couples nothing.
void find_mechanisms(const Model& model, Loops& loops) {
  std::vector<int> tree_of(model.links.size());
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    for (int i = model.trees[t].first_link; i < model.trees[t].last_link; ++i) {
      tree_of[index(i)] = static_cast<int>(t);
    }
  }
  std::vector<int>& leader = loops.mechanism_of_tree;
  leader.resize(model.trees.size());
  std::iota(leader.begin(), leader.end(), 0);
  const auto moves = [&](BodyId body) {
    return !body.is_world() && can_be_pushed(model, body.index);
  };
  for (const LoopJoint& loop : model.loops) {
    if (!moves(loop.body_1) || !moves(loop.body_2)) continue;
    join(leader, tree_of[index(loop.body_1.index)], tree_of[index(loop.body_2.index)]);
  }
  for (std::size_t t = 0; t < leader.size(); ++t)
    leader[t] = leader_of(leader, static_cast<int>(t));
  loops.mechanism_of_row.assign(index(model.rows), -1);
  for (const LoopJoint& loop : model.loops) {
    const BodyId body = moves(loop.body_1) ? loop.body_1 : loop.body_2;
    if (!moves(body)) continue;
    const int mechanism = leader[index(tree_of[index(body.index)])];
    std::fill_n(loops.mechanism_of_row.begin() + loop.first_row, loop.all_rows(), mechanism);
  }
}

// Slower than this, m/s or rad/s, is at rest.
bool is_slow(double x) { return std::fabs(x) <= 1e-9; }

// Of each mechanism that moves with v; k is up to date.
void kinetic_energies(const Model& model, const double* v, const Kinematics<double>& k,
                      const Loops& loops, std::vector<double>& kinetic) {
  std::fill(kinetic.begin(), kinetic.end(), 0);
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    const Tree& tree = model.trees[t];
    double& sum = kinetic[index(loops.mechanism_of_tree[t])];
    for (int i = tree.first_link; i < tree.last_link; ++i) {
      const Link& link = model.links[index(i)];
      if (link.follows >= 0) continue;
      const BodyMotion<double>& b = k.bodies[index(i)];
      const Vec3 at_com = b.v + cross(b.w, b.com);
      sum += 0.5 * (link.mass * dot(at_com, at_com) + dot(b.w, rotated(b.R, link.I_BC) * b.w));
    }
    for (int j = tree.first_v; j < tree.last_v; ++j) {
      sum += 0.5 * model.drives[index(j)].armature * v[j] * v[j];
    }
  }
}

// The largest part that any mechanism has of its kinetic energy.
double largest_part(const std::vector<double>& part, const std::vector<double>& kinetic) {
  double largest = 0;
  for (std::size_t m = 0; m < part.size(); ++m) {
    if (part[m] > 0) largest = std::max(largest, part[m] / kinetic[m]);
  }
  return largest;
}

// What the multipliers, impulses against the rates of the rows, take away. Velocities must be up to
// date.
double removed_part(const Model& model, const State& state, const Kinematics<double>& k,
                    Loops& loops) {
  if (std::all_of(loops.change.begin(), loops.change.end(), is_slow)) return 0;
  kinetic_energies(model, state.v.data(), k, loops, loops.kinetic);
  std::fill(loops.part.begin(), loops.part.end(), 0);
  for (std::size_t r = 0; r < loops.rate.size(); ++r) {
    const int mechanism = loops.mechanism_of_row[r];
    if (mechanism >= 0) loops.part[index(mechanism)] -= 0.5 * loops.lambda[r] * loops.rate[r];
  }
  return largest_part(loops.part, loops.kinetic);
}

}  // namespace

Loops::Loops(const Model& model)
    : rows(static_cast<std::size_t>(model.rows)),
      unit(closure_unit(model)),
      lambda(static_cast<std::size_t>(model.rows)),
      size(static_cast<std::size_t>(model.rows)),
      response(static_cast<std::size_t>(model.nv)),
      change(static_cast<std::size_t>(model.nv)),
      motion(model.links.size()),
      slot(static_cast<std::size_t>(model.nv), -1),
      kinetic(model.trees.size()),
      part(model.trees.size()),
      rate(static_cast<std::size_t>(model.rows)),
      moved(model.nv) {
  find_mechanisms(model, *this);
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
      double& size = loops.size[static_cast<std::size_t>(loop.first_row + r)];
      size = carry(model, d, s.steps_2, row, 1, loops.slot, u) +
             carry(model, d, s.steps_1, row, -1, loops.slot, u);
      if (r >= loop.rows) size += rotor_yield(loop, r);
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
  loops.redundant = loops.factor.factorize(loops.values.data(), loops.size.data());
  if (loops.factor.weakest().pivot < loops.weakest.pivot) loops.weakest = loops.factor.weakest();
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
  constexpr int most_projections = 20;
  Projection report;
  if (model.rows == 0) return report;
  for (int i = 0; i < model.nv; ++i) {
    d.inertia[static_cast<std::size_t>(i)] = model.drives[static_cast<std::size_t>(i)].armature;
  }

  loops.moved.setZero();
  update_poses(model, state.q.data(), d.kinematics);
  update_rows(model, d.kinematics, loops);
  report.error_before = report.error_after = largest_misfit(loops);
  // Newton, well below the tolerance so that the next steps start clean
  for (; report.error_after > (report.iterations == 0 ? tolerance : 0.01 * tolerance) &&
         report.iterations < most_projections;
       ++report.iterations) {
    factorize(model, d);
    factorize_loops(model, d, loops);
    for (std::size_t r = 0; r < loops.rows.size(); ++r) loops.lambda[r] = -loops.rows[r].error;
    solve_multipliers(model, d, loops, loops.change.data());
    move(model, loops.change.data(), 1.0, state.q.data());
    for (int i = 0; i < model.nv; ++i) loops.moved[i] += loops.change[index(i)];
    update_poses(model, state.q.data(), d.kinematics);
    update_rows(model, d.kinematics, loops);
    const double error = largest_misfit(loops);
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
      loops.rate[n] = r < loop.rows ? closure_rate(d.kinematics, loop, loops.rows[n]) : 0;
      loops.lambda[n] = -loops.rate[n];
    }
  }
  solve_multipliers(model, d, loops, loops.change.data());
  if (loops.is_nearly_singular()) {
    report.jolt = removed_part(model, state, d.kinematics, loops);
  }
  for (int i = 0; i < model.nv; ++i) state.v[i] += loops.change[static_cast<std::size_t>(i)];
  return report;
}

double difference_part(const Model& model, const State& state, const VecX& change,
                       Kinematics<double>& k, Loops& loops) {
  if (std::all_of(change.begin(), change.end(), is_slow)) return 0;
  update_poses(model, state.q.data(), k);
  update_velocities(model, change.data(), k);
  kinetic_energies(model, change.data(), k, loops, loops.part);
  update_velocities(model, state.v.data(), k);
  kinetic_energies(model, state.v.data(), k, loops, loops.kinetic);
  return largest_part(loops.part, loops.kinetic);
}

double closure_error(const Model& model, const Kinematics<double>& k, Loops& loops) {
  update_rows(model, k, loops);
  double error = 0;
  for (const ClosureRow& row : loops.rows) error = std::max(error, std::fabs(row.error));
  return error;
}

double closure_misfit(const Model& model, const Kinematics<double>& k, Loops& loops) {
  update_rows(model, k, loops);
  return largest_misfit(loops);
}

int most_open_row(const Loops& loops) {
  const auto smaller = [&](const ClosureRow& a, const ClosureRow& b) {
    return misfit(a, loops.unit) < misfit(b, loops.unit);
  };
  const auto row = std::max_element(loops.rows.begin(), loops.rows.end(), smaller);
  return static_cast<int>(row - loops.rows.begin());
}

int loop_of_row(const Model& model, int row) {
  const auto behind = [](int r, const LoopJoint& loop) { return r < loop.first_row; };
  const auto next = std::upper_bound(model.loops.begin(), model.loops.end(), row, behind);
  return static_cast<int>(next - model.loops.begin()) - 1;
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
