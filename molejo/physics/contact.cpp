#include "molejo/physics/contact.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "molejo/math/parallel.h"
#include "molejo/model/error.h"
#include "molejo/model/kinematics_kernel.h"
#include "molejo/physics/contact_solve.h"
#include "molejo/physics/groups.h"

namespace molejo {

namespace {

bool can_move(const ContactStep& step, int body) { return step.yields[index(body)]; }

// Trees coupled by loops and springs belong together whether they touch or not.
void join_coupled(const Model& model, ContactStep& step) {
  const auto couple = [&](BodyId a, BodyId b) {
    if (a.is_world() || b.is_world()) return;
    if (!can_be_pushed(model, a.index) || !can_be_pushed(model, b.index)) return;
    join(step.leader, step.system.tree[index(a.index)], step.system.tree[index(b.index)]);
  };
  for (const LoopJoint& loop : model.loops) couple(loop.body_1, loop.body_2);
  for (const PointSpring& spring : model.springs) couple(spring.body_1, spring.body_2);
}

void find_islands(const Model& model, ContactStep& step) {
  std::iota(step.leader.begin(), step.leader.end(), 0);
  join_coupled(model, step);
  const std::vector<Contact>& list = step.contacts.list;
  for (const Contact& c : list) {
    if (can_move(step, c.body_a) && can_move(step, c.body_b)) {
      join(step.leader, step.system.tree[index(c.body_a)], step.system.tree[index(c.body_b)]);
    }
  }
  // number the islands in the order of their first contact, count, then place
  step.islands.clear();
  std::fill(step.island_of.begin(), step.island_of.end(), -1);
  const auto island = [&](const Contact& c) -> int& {
    const int body = can_move(step, c.body_a) ? c.body_a : c.body_b;
    return step.island_of[index(leader_of(step.leader, step.system.tree[index(body)]))];
  };
  for (const Contact& c : list) {
    int& id = island(c);
    if (id < 0) {
      id = static_cast<int>(step.islands.size());
      step.islands.emplace_back();
    }
    ++step.islands[index(id)].last;
  }
  int next = 0;
  for (ContactStep::Island& i : step.islands) {
    const int count = i.last;
    i.first = i.last = next;
    next += count;
  }
  step.order.resize(list.size());
  for (std::size_t n = 0; n < list.size(); ++n) {
    step.order[index(step.islands[index(island(list[n]))].last++)] = static_cast<int>(n);
  }
}

// Where those were found who fell asleep together.
void keep_sleepers(const Model& model, int group, ContactStep& step) {
  const Contacts& contacts = step.contacts;
  for (std::size_t i = 0; i < model.colliders.size(); ++i) {
    const int tree = step.system.tree[index(model.colliders[i].body.index)];
    if (step.slept_with[index(tree)] != group) continue;
    const int number = static_cast<int>(i);
    step.before.woken.push_back({number, contacts.X_WS[i], contacts.broad_phase.box(number)});
  }
}

// A tree that sleeps wakes, with all that fell asleep together.
void wake(const Model& model, std::size_t tree, ContactStep& step) {
  const int group = step.slept_with[tree];
  if (step.contacts.before.is_kept) keep_sleepers(model, group, step);
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    if (step.slept_with[t] == group) step.slept_with[t] = -1, step.quiet[t] = 0;
  }
}

// Who sleeps and is met by someone who does not rest wakes, with all that fell asleep together.
bool wake_who_is_met(const Model& model, double h, Dynamics<double>& d, ContactStep& step) {
  bool woken = false;
  for (const Contact& c : step.contacts.list) {
    const int tree_a = step.system.tree[index(c.body_a)],
              tree_b = step.system.tree[index(c.body_b)];
    const bool a = step.slept_with[index(tree_a)] >= 0, b = step.slept_with[index(tree_b)] >= 0;
    if (a == b) continue;
    const double rested = step.quiet[index(a ? tree_b : tree_a)];
    const bool meets = c.gap + h * c.approach <= 0;
    if (!meets || (rested > 0 && c.approach > -model.contact.sleep_speed)) continue;
    check_interrupt();
    wake(model, index(a ? tree_a : tree_b), step);
    woken = true;
  }
  if (woken) update_awake(model, d, step);
  return woken;
}

// To wake other threads takes longer than to solve a few contacts.
int useful_threads(const ContactStep& step) {
  constexpr std::size_t many = 256;
  return step.contacts.list.size() < many ? 1 : step.contacts.threads;
}

// What yields may move, and what follows a path.
bool has_velocity(const Model& model, int yielding, int body) {
  return yielding >= 0 || model.links[index(body)].follows >= 0;
}

// Rows, velocities, targets and first impulses of all contacts, island by island.
void set_up_contacts(const Model& model, double h, double ahead, const Dynamics<double>& d,
                     Loops& loops, ContactStep& step) {
  const std::vector<Contact>& list = step.contacts.list;
  const auto fill = [&](int n) {
    const Contact& c = list[index(step.order[index(n)])];
    ContactBlock<double>& block = step.system.contacts[index(n)];
    fill_contact(model, d, c.p_a, c.p_b, c.normal, block, step.system);
    Vec3 u;
    if (has_velocity(model, block.body_a, c.body_a)) {
      u += point_velocity(d.kinematics, {c.body_a}, c.p_a);
    }
    if (has_velocity(model, block.body_b, c.body_b)) {
      u -= point_velocity(d.kinematics, {c.body_b}, c.p_b);
    }
    block.free = {dot(block.axis[0], u), dot(block.axis[1], u), dot(block.axis[2], u)};
    const ContactTargets targets = contact_targets(model, c, h, ahead);
    block.target = targets.velocity;
    block.rest_target = targets.rest;
    block.push_target = targets.push;
    block.friction = c.friction;
    block.impulse = {dot(block.axis[0], c.impulse), dot(block.axis[1], c.impulse),
                     std::max(0.0, dot(block.axis[2], c.impulse))};
  };
  const int count = static_cast<int>(step.order.size());
  for (int n = 0; n < count; ++n) {
    const Contact& c = list[index(step.order[index(n)])];
    const int a = can_move(step, c.body_a) ? c.body_a : -1;
    const int b = can_move(step, c.body_b) ? c.body_b : -1;
    place_contact(model, a, b, step.system);
    // limbs have long rows: there may be memory for the contacts but not for these
    if (step.system.rows.size() * sizeof(RowGroup<double>) > step.contacts.budget) {
      throw OverBudget("long limbs have " + std::to_string(count) + " points of contact");
    }
    if (model.rows > 0) {
      check_interrupt();
      // closures add to the rows: one contact after the other
      fill(n);
      keep_loops_closed(model, loops, step.system);
    }
  }
  if (model.rows == 0) {
    constexpr int chunk = 64;
    parallel_for((count + chunk - 1) / chunk, useful_threads(step), [&](int i) {
      for (int n = i * chunk; n < std::min(count, (i + 1) * chunk); ++n) fill(n);
    });
  }
  for (ContactStep::Island& island : step.islands) {
    island.deep = std::any_of(step.system.contacts.begin() + island.first,
                              step.system.contacts.begin() + island.last,
                              [](const ContactBlock<double>& c) { return c.push_target > 0; });
  }
}

// Can this tree be left alone when nothing touches it any more?
bool tree_may_sleep(const Model& model, const Tree& tree) {
  for (int v = tree.first_v; v < tree.last_v; ++v) {
    const Drive& drive = model.drives[index(v)];
    if (drive.kp > 0 || drive.kd > 0 || drive.force != 0 || drive.by_formula) return false;
  }
  const auto inside = [&](BodyId body) {
    return body.index >= tree.first_link && body.index < tree.last_link;
  };
  const auto follows = [&](BodyId body) {
    return !body.is_world() && model.links[index(body.index)].follows >= 0;
  };
  for (const PointSpring& s : model.springs) {
    if (inside(s.body_1) && follows(s.body_2)) return false;
    if (inside(s.body_2) && follows(s.body_1)) return false;
  }
  return tree.last_v > tree.first_v && model.links[index(tree.first_link)].follows < 0 &&
         std::none_of(model.forces.begin(), model.forces.end(),
                      [&](const AppliedForce& f) { return inside(f.body); });
}

}  // namespace

ContactTargets contact_targets(const Model& model, const Contact& c, double h, double ahead) {
  ContactTargets targets;
  if (c.gap > 0) {
    targets.rest = targets.push = -c.gap / h;
  } else {
    // one that bounces, or has just done so, leaves by itself: to lift it would add energy
    const bool bouncing = c.restitution > 0 && std::fabs(c.approach) > model.contact.rest_speed;
    const double way = bouncing ? std::fabs(c.approach) * h : 0;
    const double depth = -c.gap - model.contact.slop - way;
    if (depth > 0) targets.push = model.contact.recovery * depth / h;
  }
  targets.velocity = targets.rest;
  if (c.restitution > 0 && c.approach < -model.contact.rest_speed) {
    // a bounce in the step in which they meet, and no braking before
    const bool meets = c.gap + (c.fast ? h : ahead) * c.approach < 0;
    targets.velocity = meets ? -c.restitution * c.approach : never_reached;
    if (!meets) targets.rest = never_reached;
  }
  return targets;
}

double push_tolerance(const Model& model, double h) {
  return 0.1 * std::max(model.contact.slop, 1e-6) / h;
}

ContactStep::ContactStep(const Model& model)
    : contacts(model),
      yields(model.links.size()),
      system(model),
      dv(index(model.nv)),
      leader(model.trees.size()),
      island_of(model.trees.size()),
      quiet(model.trees.size()),
      slept_with(model.trees.size(), -1),
      tree_size(model.trees.size()),
      most_iterations(model.contact.iterations),
      tolerance(model.contact.tolerance) {
  for (const Tree& tree : model.trees) may_sleep.push_back(tree_may_sleep(model, tree));
  for (int i = 0; i < model.body_count(); ++i) yields[index(i)] = can_be_pushed(model, i);
  for (std::size_t i = 0; i < model.colliders.size(); ++i) {
    double& size = tree_size[index(system.tree[index(model.colliders[i].body.index)])];
    size = std::max(size, contacts.reach[i]);
  }
}

void update_awake(const Model& model, Dynamics<double>& d, ContactStep& step) {
  d.kinematics.awake.clear();
  step.sleepers = 0;
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    const Tree& tree = model.trees[t];
    const bool asleep = step.slept_with[t] >= 0;
    for (int i = tree.first_link; i < tree.last_link; ++i) {
      step.contacts.moves[index(i)] = model.parts[index(i)].moves && !asleep;
      step.yields[index(i)] = can_be_pushed(model, i) && !asleep;
    }
    if (asleep) {
      step.sleepers += tree.last_link - tree.first_link;
      continue;
    }
    std::vector<LinkRange>& awake = d.kinematics.awake;
    if (!awake.empty() && awake.back().last == tree.first_link) {
      awake.back().last = tree.last_link;
      awake.back().last_v = tree.last_v;
    } else {
      awake.push_back({tree.first_link, tree.last_link, tree.first_v, tree.last_v});
    }
  }
}

bool has_contact(const Model& model) {
  if (!model.contact.enabled) return false;
  // in large models the answer is worth no long search: yes is always right
  constexpr std::size_t enough = 2'000'000;
  std::size_t tried = 0;
  for (const Collider& a : model.colliders) {
    for (const Collider& b : model.colliders) {
      if (++tried > enough) return true;
      if (may_touch(model, a, b) && model.rule(a, b).response != Response::penalty) return true;
    }
  }
  return false;
}

void forget(const Model& model, Dynamics<double>& d, ContactStep& step) {
  forget(step.contacts);
  wake_all(model, d, step);
}

void wake_all(const Model& model, Dynamics<double>& d, ContactStep& step) {
  std::fill(step.quiet.begin(), step.quiet.end(), 0);
  std::fill(step.slept_with.begin(), step.slept_with.end(), -1);
  update_awake(model, d, step);
}

void keep_awake(const Model& model, std::size_t tree, double h, Dynamics<double>& d,
                ContactStep& step) {
  if (step.slept_with[tree] >= 0) {
    wake(model, tree, step);
    update_awake(model, d, step);
  }
  step.quiet[tree] = -h;  // nothing at the end of the step
}

void place_sleepers(const Model& model, const double* q, const double* v, Dynamics<double>& d,
                    const ContactStep& step) {
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    if (step.slept_with[t] < 0) continue;
    const Tree& tree = model.trees[t];
    for (int i = tree.first_link; i < tree.last_link; ++i) {
      update_pose(model, q, d.kinematics, index(i));
      update_velocity(model, v, d.kinematics, index(i));
    }
  }
}

void begin_step(ContactStep& step) {
  begin_step(step.contacts);
  step.before.quiet = step.quiet;  // into memory that is there
  step.before.slept_with = step.slept_with;
  step.before.woken.clear();
}

void take_back(const Model& model, const double* q, const double* v, Dynamics<double>& d,
               ContactStep& step) {
  take_back(step.contacts);
  step.quiet = step.before.quiet;
  step.slept_with = step.before.slept_with;
  const auto& woken = step.before.woken;
  for (auto s = woken.rbegin(); s != woken.rend(); ++s) {
    step.contacts.X_WS[index(s->collider)] = s->X_WS;
    step.contacts.broad_phase.update(s->collider, s->box);
  }
  update_awake(model, d, step);
  place_sleepers(model, q, v, d, step);
}

void find_step_contacts(const Model& model, double h, Dynamics<double>& d, ContactStep& step) {
  find_contacts(model, d.kinematics, h, step.contacts);
  // those who are woken touch each other
  while (step.sleepers > 0 && wake_who_is_met(model, h, d, step)) {
    find_contacts(model, d.kinematics, h, step.contacts);
  }
  if (model.paths.empty()) return;
  // one that follows a path near one that sleeps on: nobody yields
  std::erase_if(step.contacts.list, [&](const Contact& c) {
    return !can_move(step, c.body_a) && !can_move(step, c.body_b);
  });
}

bool solve_step_contacts(const Model& model, double h, double ahead, double* v, Dynamics<double>& d,
                         Loops& loops, ContactStep& step) {
  std::vector<Contact>& list = step.contacts.list;
  step.iterations = 0;
  find_islands(model, step);
  if (list.empty()) return true;
  start_contacts(model, d, step.system);
  update_velocities(model, v, d.kinematics);
  set_up_contacts(model, h, ahead, d, loops, step);
  const int threads = useful_threads(step);
  std::vector<int>& iterations = step.island_iterations;
  iterations.assign(step.islands.size(), 0);
  parallel_for(static_cast<int>(step.islands.size()), threads, [&](int i) {
    const ContactStep::Island& island = step.islands[index(i)];
    const ContactEffort effort = solve_contacts(step.system, island.first, island.last,
                                                step.most_iterations, step.tolerance);
    limit_bounces(step.system, island.first, island.last, step.most_iterations, step.tolerance);
    iterations[index(i)] = effort.iterations;
  });
  step.iterations = *std::max_element(iterations.begin(), iterations.end());

  contact_response(model, d, step.system.s, step.system, step.dv.data());
  const std::vector<LinkRange>& awake = d.kinematics.awake;
  for (const LinkRange& range : awake) {
    for (int i = range.first_v; i < range.last_v; ++i) {
      if (!std::isfinite(step.dv[index(i)])) return false;
    }
  }
  for (const LinkRange& range : awake) {
    for (int i = range.first_v; i < range.last_v; ++i) v[i] += step.dv[index(i)];
  }
  for (std::size_t n = 0; n < step.order.size(); ++n) {
    const ContactBlock<double>& block = step.system.contacts[n];
    list[index(step.order[n])].impulse = block.axis[0] * block.impulse.x +
                                         block.axis[1] * block.impulse.y +
                                         block.axis[2] * block.impulse.z;
  }
  return true;
}

void take_back_penetration(const Model& model, double h, double* q, Dynamics<double>& d,
                           ContactStep& step) {
  bool any_deep = false;
  for (const ContactStep::Island& island : step.islands) {
    if (!island.deep) continue;
    any_deep = true;
    solve_pushes(step.system, island.first, island.last, push_iterations, push_tolerance(model, h));
  }
  if (!any_deep) return;
  contact_response(model, d, step.system.s_push, step.system, step.dv.data());
  for (const LinkRange& range : d.kinematics.awake) move(model, range, step.dv.data(), h, q);
}

namespace {

// Seconds for which each tree that is awake has been slow.
void time_quiet(const Model& model, double h, const double* v, const Dynamics<double>& d,
                ContactStep& step) {
  for (const LinkRange& range : d.kinematics.awake) {
    for (int i = range.first; i < range.last;) {
      const auto t = index(step.system.tree[index(i)]);
      const Tree& tree = model.trees[t];
      // rotations count at the rim
      double fastest = 0;
      for (int n = tree.first_link; n < tree.last_link; ++n) {
        const Link& link = model.links[index(n)];
        for (int j = 0; j < link.translations + link.rotations; ++j) {
          const double arm = j < link.translations ? 1 : step.tree_size[t];
          fastest = std::max(fastest, std::fabs(v[link.v + j]) * arm);
        }
      }
      const bool slow = fastest < model.contact.sleep_speed && step.may_sleep[t];
      step.quiet[t] = slow ? step.quiet[t] + h : 0;
      i = tree.last_link;
    }
  }
}

// Does the island lean on something that does not move, and on nothing that follows a path?
bool is_grounded(const Model& model, const ContactStep::Island& island, const ContactStep& step) {
  bool grounded = false;
  for (int n = island.first; n < island.last; ++n) {
    const Contact& c = step.contacts.list[index(step.order[index(n)])];
    for (const int body : {c.body_a, c.body_b}) {
      if (model.links[index(body)].follows >= 0) return false;
    }
    const bool on_ground = !can_move(step, c.body_a) || !can_move(step, c.body_b);
    grounded = grounded || (on_ground && norm(c.impulse) > 0);
  }
  return grounded;
}

}  // namespace

void put_to_sleep(const Model& model, double h, const double* q, double* v, Dynamics<double>& d,
                  ContactStep& step) {
  if (!model.contact.sleep) return;
  time_quiet(model, h, v, d, step);

  // an island is as quiet as its liveliest tree
  std::vector<double>& quiet = step.island_quiet;
  quiet.assign(step.islands.size(), model.contact.sleep_time);
  const auto island_of = [&](std::size_t tree) {
    return step.island_of[index(leader_of(step.leader, static_cast<int>(tree)))];
  };
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    const int island = island_of(t);
    if (island >= 0) quiet[index(island)] = std::min(quiet[index(island)], step.quiet[t]);
  }
  bool some = false;
  for (std::size_t i = 0; i < step.islands.size(); ++i) {
    const bool sleeps =
        quiet[i] >= model.contact.sleep_time && is_grounded(model, step.islands[i], step);
    quiet[i] = sleeps ? 1 : 0;
    some = some || sleeps;
  }
  if (!some) return;
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    const int island = island_of(t);
    if (island < 0 || quiet[index(island)] == 0) continue;
    step.slept_with[t] = leader_of(step.leader, static_cast<int>(t));
    const Tree& tree = model.trees[t];
    for (int i = tree.first_v; i < tree.last_v; ++i) v[i] = 0;
    for (int i = tree.first_link; i < tree.last_link; ++i) {
      update_pose(model, q, d.kinematics, index(i));
      update_velocity(model, v, d.kinematics, index(i));
    }
  }
  update_awake(model, d, step);
}

}  // namespace molejo
