#include "molejo/physics/ground_pack.h"

#include <algorithm>
#include <tuple>

#include "molejo/math/instructions.h"
#include "molejo/model/error.h"
#include "molejo/physics/contact_system_kernel.h"
#include "molejo/physics/index.h"
#include "molejo/physics/integrate_kernel.h"

namespace molejo {

namespace {

double of_lane(const Pack4& x, int i) { return x[i]; }
Vec3 of_lane(const Vec3T<Pack4>& x, int i) {
  return {of_lane(x.x, i), of_lane(x.y, i), of_lane(x.z, i)};
}
void set_lane(Vec3T<Pack4>& x, int i, const Vec3& value) {
  x.x.set(i, value.x), x.y.set(i, value.y), x.z.set(i, value.z);
}

void find_in_each_world(const Model& model, const Kinematics<Pack4>& k, double h,
                        GroundPack& ground) {
  for (int world = 0; world < 4; ++world) {
    Kinematics<double>& single = ground.kinematics[index(world)];
    for (std::size_t i = 0; i < k.bodies.size(); ++i) {
      const BodyMotion<Pack4>& b = k.bodies[i];
      BodyMotion<double>& s = single.bodies[i];
      for (int r = 0; r < 3; ++r) s.R[r] = of_lane(b.R[r], world);
      s.p = of_lane(b.p, world);
      s.w = of_lane(b.w, world);
      s.v = of_lane(b.v, world);
    }
    find_contacts(model, single, h, *ground.worlds[index(world)]);
  }
}

// The union of the four lists, in their common order, then by trees.
void merge(const Model& model, GroundPack& ground) {
  ground.merged.clear();
  int next[4] = {};
  const auto list = [&](int world) -> const std::vector<Contact>& {
    return ground.worlds[index(world)]->list;
  };
  const auto key = [](const Contact& c) { return std::tuple(c.a, c.b, c.feature); };
  while (true) {
    const Contact* first = nullptr;
    for (int world = 0; world < 4; ++world) {
      if (index(next[world]) == list(world).size()) continue;
      const Contact& c = list(world)[index(next[world])];
      if (!first || key(c) < key(*first)) first = &c;
    }
    if (!first) break;
    const bool moves = model.parts[index(first->body_a)].moves;
    GroundPack::Merged merged{first->a,
                              first->b,
                              first->feature,
                              {},
                              ground.system.tree[index(moves ? first->body_a : first->body_b)]};
    const auto wanted = key(*first);
    for (int world = 0; world < 4; ++world) {
      const bool here =
          index(next[world]) < list(world).size() && key(list(world)[index(next[world])]) == wanted;
      merged.in_list[world] = here ? next[world]++ : -1;
    }
    ground.merged.push_back(merged);
  }
  ground.order.resize(ground.merged.size());
  for (std::size_t i = 0; i < ground.order.size(); ++i) ground.order[i] = static_cast<int>(i);
  std::sort(ground.order.begin(), ground.order.end(), [&](int x, int y) {
    const int tree_x = ground.merged[index(x)].tree, tree_y = ground.merged[index(y)].tree;
    return tree_x < tree_y || (tree_x == tree_y && x < y);
  });
  ground.islands.clear();
  for (int i = 0; i < static_cast<int>(ground.order.size()); ++i) {
    const auto tree = [&](int n) { return ground.merged[index(ground.order[index(n)])].tree; };
    if (i == 0 || tree(i) != tree(i - 1)) ground.islands.push_back({i, i});
    ground.islands.back().last = i + 1;
  }
}

struct OnGround {
  const Model& model;
  double h;
  Dynamics<Pack4>& d;
  GroundPack& ground;
  Acting<Pack4> acts{};
  bool pushes = acts.on_bodies(model);
  bool needs_poses = ground.meets || pushes;

  void placed() {
    if (!ground.meets) return;
    find_in_each_world(model, d.kinematics, h, ground);
    merge(model, ground);
  }
  void command(double, const Pack4*, const Pack4*) {}
  void push(double, const Pack4*, const Pack4*) {}
  void factorized() {}
  void constrain() {}

  void add(const GroundPack::Merged& merged, double ahead) {
    const int body_a = model.colliders[index(merged.a)].body.index;
    const int body_b = model.colliders[index(merged.b)].body.index;
    const int a = model.parts[index(body_a)].moves ? body_a : -1;
    const int b = model.parts[index(body_b)].moves ? body_b : -1;
    const int moving = a >= 0 ? a : b;

    // a world without this contact has one that never acts
    Vec3T<Pack4> p_a = d.kinematics.bodies[index(moving)].p, p_b = p_a, normal, impulse;
    normal.z = Pack4(1.0);
    Pack4 target(never_reached), rest(never_reached), push_target(never_reached), friction(0.0);
    for (int world = 0; world < 4; ++world) {
      if (merged.in_list[world] < 0) continue;
      const Contact& c = ground.worlds[index(world)]->list[index(merged.in_list[world])];
      set_lane(p_a, world, c.p_a), set_lane(p_b, world, c.p_b);
      set_lane(normal, world, c.normal), set_lane(impulse, world, c.impulse);
      const ContactTargets targets = contact_targets(model, c, h, ahead);
      target.set(world, targets.velocity);
      rest.set(world, targets.rest);
      push_target.set(world, targets.push);
      ground.deep[world] = ground.deep[world] || targets.push > 0;
      friction.set(world, c.friction);
    }
    ContactBlock<Pack4>& block = add_contact(model, d, a, b, p_a, p_b, normal, ground.system);
    const BodyMotion<Pack4>& body = d.kinematics.bodies[index(moving)];
    Vec3T<Pack4> u;
    const Vec3T<Pack4> velocity = body.v + cross(body.w, (a >= 0 ? p_a : p_b) - body.p);
    if (a >= 0) {
      u += velocity;
    } else {
      u -= velocity;
    }
    block.free = {dot(block.axis[0], u), dot(block.axis[1], u), dot(block.axis[2], u)};
    block.target = target;
    block.rest_target = rest;
    block.push_target = push_target;
    block.friction = friction;
    block.impulse = {dot(block.axis[0], impulse), dot(block.axis[1], impulse),
                     maximum(Pack4(0.0), dot(block.axis[2], impulse))};
  }

  void meet(Pack4* v, double ahead) {
    std::fill(ground.deep, ground.deep + 4, false);
    if (ground.merged.empty()) return;
    start_contacts(model, d, ground.system);
    update_velocities(model, v, d.kinematics);
    for (const int i : ground.order) add(ground.merged[index(i)], ahead);
    for (const GroundPack::Island& island : ground.islands) {
      solve_contacts(ground.system, island.first, island.last, model.contact.iterations,
                     model.contact.tolerance);
      limit_bounces(ground.system, island.first, island.last, model.contact.iterations,
                    model.contact.tolerance, ground.bounces);
    }
    contact_response(model, d, ground.system.s, ground.system, ground.dv.data());
    // a world without contacts keeps its bits: nothing is added there
    for (int i = 0; i < model.nv; ++i) {
      for (int world = 0; world < 4; ++world) {
        if (ground.worlds[index(world)]->list.empty()) continue;
        v[i].set(world, v[i][world] + ground.dv[index(i)][world]);
      }
    }
    for (std::size_t n = 0; n < ground.order.size(); ++n) {
      const GroundPack::Merged& merged = ground.merged[index(ground.order[n])];
      const ContactBlock<Pack4>& block = ground.system.contacts[n];
      const Vec3T<Pack4> impulse = block.axis[0] * block.impulse.x +
                                   block.axis[1] * block.impulse.y +
                                   block.axis[2] * block.impulse.z;
      for (int world = 0; world < 4; ++world) {
        if (merged.in_list[world] < 0) continue;
        ground.worlds[index(world)]->list[index(merged.in_list[world])].impulse =
            of_lane(impulse, world);
      }
    }
  }

  void settle(Pack4* q, Pack4*) {
    if (std::none_of(ground.deep, ground.deep + 4, [](bool deep) { return deep; })) return;
    for (const GroundPack::Island& island : ground.islands) {
      solve_pushes(ground.system, island.first, island.last, push_iterations,
                   push_tolerance(model, h));
    }
    contact_response(model, d, ground.system.s_push, ground.system, ground.dv.data());
    ground.q.assign(q, q + model.nq);
    move(model, ground.dv.data(), h, ground.q.data());
    for (int i = 0; i < model.nq; ++i) {
      for (int world = 0; world < 4; ++world) {
        if (ground.deep[world]) q[i].set(world, ground.q[index(i)][world]);
      }
    }
  }
};

}  // namespace

GroundPack::GroundPack(const Model& model)
    : meets(has_contact(model)), system(model), dv(index(model.nv)), q(index(model.nq)) {
  if (!model.paths.empty()) {
    throw InputError("bodies that follow paths do not run four worlds at once");
  }
  if (!model.loops.empty()) {
    throw InputError("joints that close loops do not run four worlds at once");
  }
  const auto moves = [&](const Collider& c) { return model.parts[index(c.body.index)].moves; };
  for (const Collider& a : model.colliders) {
    for (const Collider& b : model.colliders) {
      if (!model.contact.enabled || !may_touch(model, a, b)) continue;
      const std::string names = "bodies '" + model.bodies[index(a.body.index)].name + "' and '" +
                                model.bodies[index(b.body.index)].name + "' may touch";
      if (moves(a) && moves(b)) {
        throw InputError(names + ": four worlds at once carry contact with the ground only");
      }
      if (model.rule(a, b).response == Response::penalty) {
        throw InputError(names + " by penalty: four worlds at once carry rigid contact only");
      }
    }
  }
  for (int world = 0; world < 4; ++world) {
    worlds.push_back(std::make_unique<Contacts>(model));
    kinematics.emplace_back(model);
  }
}

void forget(GroundPack& ground) {
  for (const std::unique_ptr<Contacts>& world : ground.worlds) forget(*world);
}

namespace MOLEJO_SET {

void step_on_ground(const Model& model, Integrator method, double t, double h, Pack4* q, Pack4* v,
                    StepScratch<Pack4>& scratch, GroundPack& ground) {
  step_coupled(model, method, t, h, q, v, scratch, OnGround{model, h, scratch.dynamics, ground});
}

void step_commanded_on_ground(const Model& model, Integrator method, double t, double h, Pack4* q,
                              Pack4* v, const Command<Pack4>& command, StepScratch<Pack4>& scratch,
                              GroundPack& ground) {
  const Acting<Pack4> acts = acting(model, command);
  step_coupled(model, method, t, h, q, v, scratch,
               OnGround{model, h, scratch.dynamics, ground, acts});
  let_go(model, acts, scratch.dynamics);
}

}  // namespace MOLEJO_SET

}  // namespace molejo
