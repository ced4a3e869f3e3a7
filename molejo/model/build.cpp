#include "molejo/model/build.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "molejo/math/interrupt.h"
#include "molejo/model/checks.h"
#include "molejo/model/closure.h"
#include "molejo/model/contact_rules.h"
#include "molejo/model/error.h"
#include "molejo/model/kinematics_kernel.h"
#include "molejo/model/snapshot.h"

namespace molejo {

namespace {

constexpr double open_joint = 1e-3;        // rad or closure_unit: a joint further apart is refused
constexpr double slanted_velocity = 1e-6;  // relative: body velocities must fit their joints
constexpr double default_limit_hertz = 20;

// Names of one kind to indices; refuses empty and repeated ones.
class UniqueNames {
 public:
  explicit UniqueNames(std::string kind) : kind_(std::move(kind)) {}

  void add(const std::string& name) {
    if (name.empty()) throw InputError(kind_ + " " + std::to_string(list_.size()) + " has no name");
    if (name == "world") throw InputError(kind_ + " 'world': this name is taken by the world");
    if (!index_.emplace(name, static_cast<int>(list_.size())).second) {
      throw InputError(kind_ + " '" + name + "' is defined twice");
    }
    list_.push_back(name);
  }
  // The world (an empty name) is -1.
  int find(const std::string& name, const std::string& where) const {
    if (name.empty() || name == "world") return -1;
    const auto it = index_.find(name);
    if (it == index_.end()) throw InputError(where + ": " + unknown_word(kind_, name, list_));
    return it->second;
  }

 private:
  std::string kind_;
  std::vector<std::string> list_;
  std::unordered_map<std::string, int> index_;
};

// Scene joints and bodies checked and put in order.
struct Plan {
  std::vector<MassProperties> mass;
  std::vector<int> tree_joint;  // of each scene body, -1: floats or immobile
  std::vector<int> parent;      // scene body index, -1 the world
  std::vector<int> order;       // scene body indices, parents first
};

// Where bodies hang in a ring instead of on a root.
std::string name_cycle(const Scene& scene, const std::vector<int>& parent, int start) {
  // walk up far enough to be inside the ring, then once around
  int body = start;
  for (std::size_t n = 0; n < parent.size(); ++n) body = parent[static_cast<std::size_t>(body)];
  std::string text = scene.bodies[static_cast<std::size_t>(body)].name;
  int length = 0;
  for (int b = parent[static_cast<std::size_t>(body)]; b != body && length < 8;
       b = parent[static_cast<std::size_t>(b)], ++length) {
    text += " <- " + scene.bodies[static_cast<std::size_t>(b)].name;
  }
  return text;
}

// A joint with nothing to hold, or with rotors of its own, asks for no mass.
bool needs_mass(const Scene& scene, const Plan& p, std::size_t body) {
  if (scene.bodies[body].immobile || scene.bodies[body].follows) return false;
  if (p.tree_joint[body] < 0) return true;
  const SceneJoint& joint = scene.joints[static_cast<std::size_t>(p.tree_joint[body])];
  if (joint.type == JointType::fixed) return false;
  return joint.drives.empty() ||
         !std::all_of(joint.drives.begin(), joint.drives.end(),
                      [](const Drive& drive) { return drive.armature > 0; });
}

// What hangs on a joint must have mass, or the joint could not be accelerated.
void check_subtree_masses(const Scene& scene, const Plan& p) {
  std::vector<double> mass(p.mass.size());
  for (std::size_t n = p.order.size(); n-- > 0;) {
    const auto i = static_cast<std::size_t>(p.order[n]);
    mass[i] += p.mass[i].mass;
    if (mass[i] <= 0 && needs_mass(scene, p, i)) {
      throw InputError("body '" + scene.bodies[i].name + "' and all that hangs on it are massless");
    }
    if (p.parent[i] >= 0) mass[static_cast<std::size_t>(p.parent[i])] += mass[i];
  }
}

Plan plan(const Scene& scene, const UniqueNames& body_names) {
  const std::size_t count = scene.bodies.size();
  Plan p;
  p.tree_joint.assign(count, -1);
  p.parent.assign(count, -1);
  for (const SceneBody& body : scene.bodies) {
    check_interrupt();
    if (body.follows && body.immobile) {
      throw InputError("body '" + body.name + "' is immobile and cannot follow a path");
    }
    if (body.follows) {
      for (const Shape& shape : body.shapes) {
        check_surface(shape.surface, "body '" + body.name + "'");
      }
    }
    p.mass.push_back(body.follows ? MassProperties{} : checked_mass(body));
  }

  for (std::size_t j = 0; j < scene.joints.size(); ++j) {
    check_interrupt();
    const SceneJoint& joint = scene.joints[j];
    const std::string who = "joint '" + joint.name + "'";
    check_joint(joint);
    const int parent = body_names.find(joint.parent, who);
    const int child = body_names.find(joint.child, who);
    for (const int body : {parent, child}) {
      if (body >= 0 && scene.bodies[static_cast<std::size_t>(body)].follows) {
        throw InputError(who + ": body '" + scene.bodies[static_cast<std::size_t>(body)].name +
                         "' follows a path and cannot be joined");
      }
    }
    if (parent == child) throw InputError(who + " joins '" + joint.child + "' to itself");
    if (joint.loop) continue;
    if (child < 0) throw InputError(who + ": the world cannot be a child; swap parent and child");
    const auto c = static_cast<std::size_t>(child);
    if (scene.bodies[c].immobile) {
      throw InputError(who + ": body '" + joint.child + "' is immobile and cannot be a child");
    }
    if (p.tree_joint[c] >= 0) {
      throw InputError(who + ": body '" + joint.child + "' already hangs on joint '" +
                       scene.joints[static_cast<std::size_t>(p.tree_joint[c])].name +
                       "'; mark one of them with \"loop\": true");
    }
    p.tree_joint[c] = static_cast<int>(j);
    p.parent[c] = parent;
  }

  // parents before children, otherwise as written
  std::vector<std::vector<int>> children(count);
  std::vector<int> roots;
  for (std::size_t i = 0; i < count; ++i) {
    if (p.parent[i] < 0) {
      roots.push_back(static_cast<int>(i));
    } else {
      children[static_cast<std::size_t>(p.parent[i])].push_back(static_cast<int>(i));
    }
  }
  std::vector<int> stack(roots.rbegin(), roots.rend());
  while (!stack.empty()) {
    const int i = stack.back();
    stack.pop_back();
    p.order.push_back(i);
    const std::vector<int>& below = children[static_cast<std::size_t>(i)];
    stack.insert(stack.end(), below.rbegin(), below.rend());
  }
  if (p.order.size() < count) {
    std::vector<bool> reached(count);
    for (int i : p.order) reached[static_cast<std::size_t>(i)] = true;
    const int lost =
        static_cast<int>(std::find(reached.begin(), reached.end(), false) - reached.begin());
    throw InputError("joints form a cycle: " + name_cycle(scene, p.parent, lost) +
                     "; mark one of its joints with \"loop\": true");
  }
  check_subtree_masses(scene, p);
  return p;
}

// The joint's axes in the link, by type.
void set_axes(JointType type, const Pose& X_PF, const Pose& X_BM, Link& link) {
  const Freedoms f = freedoms(type);
  link.translations = f.translations;
  link.rotations = f.rotations;
  const bool along_z = f.translations == 1;
  for (int j = 0; j < f.translations; ++j) link.t_P[j] = X_PF.R.column(along_z ? 2 : j);
  if (f.rotations == 1) link.axis[0] = X_BM.R.column(2);
  if (f.rotations == 2) link.axis[0] = X_BM.R.column(0), link.axis[1] = X_BM.R.column(1);
}

Link make_link(JointType type, const Pose& X_PF, const Pose& X_BM, const MassProperties& m) {
  Link link;
  link.R_PB0 = X_PF.R * transpose(X_BM.R);
  link.p_LF = X_PF.p;
  link.p_BM = X_BM.p;
  set_axes(type, X_PF, X_BM, link);
  link.mass = m.mass;
  link.p_MC = m.p_BC - X_BM.p;
  link.I_BC = m.I_BC;
  link.J_BM = m.I_BC + point_inertia(m.mass, link.p_MC);
  if (link.rotations == 1) {
    const Vec3& a = link.axis[0];
    const Mat3 along{a * a.x, a * a.y, a * a.z};
    link.turn_fixed = link.R_PB0 * along;
    link.turn_cos = link.R_PB0 * (Mat3::identity() - along);
    link.turn_sin = link.R_PB0 * skew(a);
    link.axis_P = link.R_PB0 * a;
  }
  return link;
}

bool is_active(const Drive& d) {
  return d.stiffness > 0 || d.damping > 0 || d.lower || d.upper || d.kp > 0 || d.kd > 0 ||
         d.force != 0 || d.by_formula;
}

// The drives of a joint, with those marked whose motor a formula gives numbers.
std::vector<Drive> marked_drives(const SceneJoint& joint) {
  std::vector<Drive> drives = joint.drives;
  for (std::size_t i = 0; i < joint.motor_formulas.size(); ++i) {
    const MotorFormulas& m = joint.motor_formulas[i];
    if (m.target.empty() && m.target_velocity.empty() && m.force.empty()) continue;
    drives.resize(std::max(drives.size(), static_cast<std::size_t>(freedoms(joint.type).count())));
    drives[i].by_formula = true;
  }
  return drives;
}

// The freedoms of the tree, then those of the loops.
void number_motors(Model& model) {
  model.motors = model.nv;
  for (LoopJoint& loop : model.loops) {
    loop.first_motor = model.motors;
    model.motors += freedoms(loop.type).count();
  }
}

// Marks the lone bodies and factors their inertias.
void find_lone_bodies(Model& model) {
  for (const Tree& tree : model.trees) {
    Link& link = model.links[static_cast<std::size_t>(tree.first_link)];
    const auto first = model.drives.begin() + tree.first_v;
    const bool driven = std::any_of(first, model.drives.begin() + tree.last_v, [](const Drive& d) {
      return is_active(d) || d.hertz > 0 || d.armature > 0;
    });
    link.lone = tree.last_link - tree.first_link == 1 && link.translations == 3 &&
                link.rotations == 3 && link.p_MC == Vec3{} && !driven && link.follows < 0;
    if (!link.lone) continue;

    const Sym3& J = link.J_BM;
    const double d0 = J.xx, l1 = J.xy / d0, l2 = J.xz / d0;
    const double d1 = J.yy - l1 * J.xy, u = J.yz - l1 * J.xz, l = u / d1;
    const double d2 = J.zz - l2 * J.xz - l * u;
    link.turn_U = {{d0, 0, 0}, {J.xy, d1, 0}, {J.xz, u, d2}};
    link.turn_d_inverse = {1 / d0, 1 / d1, 1 / d2};
    const double r0 = std::sqrt(1 / d0), r1 = std::sqrt(1 / d1), r2 = std::sqrt(1 / d2);
    link.turn_W = {{r0, 0, 0}, {-l1 * r1, r1, 0}, {(l * l1 - l2) * r2, -l * r2, r2}};
  }
}

class Builder {
 public:
  explicit Builder(const Scene& scene) : scene_(scene) {
    for (const SceneBody& body : scene.bodies) body_names_.add(body.name);
    UniqueNames joint_names("joint");
    for (const SceneJoint& joint : scene.joints) joint_names.add(joint.name);
    plan_ = plan(scene, body_names_);
  }

  Built reduced() {
    Built built;
    Model& model = built.model;
    model.gravity = scene_.settings.gravity;
    new_index_.assign(scene_.bodies.size(), -1);
    for (int i : plan_.order) add_tree_body(static_cast<std::size_t>(i), model);
    built.initial = zero_state(model);
    built.initial.t = scene_.settings.start_time;
    set_positions(model, built.initial);
    set_velocities(model, built.initial);
    put_on_paths(model, built.initial);
    resolve_hertz(model, built.initial);
    for (const SceneJoint& joint : scene_.joints) {
      if (joint.loop) add_loop(joint, marked_drives(joint), model);
    }
    add_forces(model);
    add_contact_rules(scene_, model);
    find_lone_bodies(model);
    check_closed(built);
    return built;
  }

  // Every body floats, with its coordinates at the centre of mass; every joint is a loop.
  Built maximal(const Built& reduced) {
    Built built;
    Model& model = built.model;
    model.gravity = reduced.model.gravity;
    Kinematics<double> k(reduced.model);
    update_poses(reduced.model, reduced.initial.q.data(), k);
    update_velocities(reduced.model, reduced.initial.v.data(), k);

    for (std::size_t i = 0; i < reduced.model.links.size(); ++i) {
      const SceneBody& body = scene_.bodies[static_cast<std::size_t>(plan_.order[i])];
      if (body.massless) {
        throw InputError("body '" + body.name + "' is massless: use the reduced formulation");
      }
      const Pose X_WB = body_pose(reduced.model, k, {static_cast<int>(i)});
      const MassProperties& m = plan_.mass[static_cast<std::size_t>(plan_.order[i])];
      if (body.immobile) {
        append(make_link(JointType::fixed, X_WB, {}, {}), body, body.name, JointType::fixed, {},
               model);
      } else {
        append(make_link(JointType::free, {}, {Mat3::identity(), m.p_BC}, m), body, body.name,
               JointType::free, {}, model);
      }
    }
    for (std::size_t i = 0; i < reduced.model.links.size(); ++i) {
      const int joint = plan_.tree_joint[static_cast<std::size_t>(plan_.order[i])];
      if (joint < 0) continue;
      const Link& link = reduced.model.links[i];
      const auto first = reduced.model.drives.begin() + link.v;
      add_loop(scene_.joints[static_cast<std::size_t>(joint)],
               {first, first + link.translations + link.rotations}, model);
    }
    for (const SceneJoint& joint : scene_.joints) {
      if (joint.loop) add_loop(joint, marked_drives(joint), model);
    }
    add_forces(model);
    add_contact_rules(scene_, model);
    find_lone_bodies(model);

    built.initial = zero_state(model);
    built.initial.t = reduced.initial.t;
    for (std::size_t i = 0; i < model.links.size(); ++i) {
      if (model.links[i].translations == 3) place_free(model, k, reduced.model, i, built.initial);
    }
    return built;
  }

 private:
  void append(Link link, const SceneBody& body, std::string joint, JointType type,
              std::vector<Drive> drives, Model& model) {
    check_interrupt();
    if (body.follows) {
      link.follows = static_cast<int>(model.paths.size());
      model.paths.push_back(*body.follows);
    }
    link.q = model.nq;
    link.v = model.nv;
    const Freedoms f{link.translations, link.rotations};
    model.nq += f.coordinates();
    model.nv += f.count();
    drives.resize(static_cast<std::size_t>(f.count()));
    for (const Drive& d : drives)
      model.has_drives = model.has_drives || is_active(d) || d.hertz > 0;
    model.drives.insert(model.drives.end(), drives.begin(), drives.end());
    if (link.parent < 0) model.trees.push_back({model.body_count(), 0, link.q, 0, link.v, 0});
    Tree& tree = model.trees.back();  // bodies come tree by tree
    tree.last_link = model.body_count() + 1, tree.last_q = model.nq, tree.last_v = model.nv;
    model.links.push_back(link);
    model.bodies.push_back({body.name, std::move(joint), type, body.shapes, body.immobile});
  }

  void add_tree_body(std::size_t i, Model& model) {
    const SceneBody& body = scene_.bodies[i];
    const MassProperties& m = plan_.mass[i];
    new_index_[i] = static_cast<int>(model.links.size());
    const int j = plan_.tree_joint[i];
    if (j < 0) {
      // a floating body moves about its centre of mass
      const JointType type = body.immobile ? JointType::fixed : JointType::free;
      const Link link = body.immobile ? make_link(type, body.X_WB, {}, {})
                                      : make_link(type, {}, {Mat3::identity(), m.p_BC}, m);
      append(link, body, body.name, type, {}, model);
      return;
    }
    const SceneJoint& joint = scene_.joints[static_cast<std::size_t>(j)];
    Link link = make_link(joint.type, joint.X_PF, joint.X_BM, m);
    const int parent = plan_.parent[i];
    if (parent >= 0) {
      link.parent = new_index_[static_cast<std::size_t>(parent)];
      link.p_LF = joint.X_PF.p - model.links[static_cast<std::size_t>(link.parent)].p_BM;
    }
    append(link, body, joint.name, joint.type, marked_drives(joint), model);
  }

  BodyId id(const std::string& name, const std::string& where) const {
    const int i = body_names_.find(name, where);
    return i < 0 ? world_body : BodyId{new_index_[static_cast<std::size_t>(i)]};
  }

  void add_loop(const SceneJoint& joint, std::vector<Drive> drives, Model& model) const {
    const std::string who = "joint '" + joint.name + "'";
    LoopJoint loop{joint.name,
                   joint.type,
                   id(joint.parent, who),
                   id(joint.child, who),
                   joint.X_PF,
                   joint.X_BM,
                   model.rows,
                   closure_rows(joint.type),
                   {},
                   {}};
    for (std::size_t i = 0; i < drives.size(); ++i) {
      const Drive& d = drives[i];
      if (d.hertz > 0)
        throw InputError(who + ": hertz on a loop closure; give stiffness and damping");
      if ((d.lower || d.upper) && d.limit_stiffness == 0) {
        throw InputError(who + ": limits on a loop closure need a limit stiffness");
      }
      if (d.armature > 0) loop.rotors.push_back(static_cast<int>(i));
      if (is_active(d) || d.armature > 0) loop.drives = drives;
    }
    model.rows += loop.all_rows();
    if (loop.all_rows() > 0 || !loop.drives.empty()) model.loops.push_back(std::move(loop));
  }

  void add_forces(Model& model) const {
    for (const SceneSpring& s : scene_.springs) {
      const std::string who = "spring '" + s.name + "'";
      check_spring(s);
      model.springs.push_back({s.name, id(s.a.body, who), id(s.b.body, who), s.a.p, s.b.p,
                               s.stiffness, s.rest_length, s.damping});
    }
    for (const SceneForce& f : scene_.forces) {
      const std::string who = "force '" + f.name + "'";
      const BodyId body = id(f.at.body, who);
      if (body.is_world()) throw InputError(who + ": acts on the world; name a body");
      check_force(f);
      if (!f.samples.empty()) model.forces.push_back({f.name, body, f.at.p, f.samples});
    }
  }

  void set_positions(const Model& model, State& state) const {
    for (std::size_t n = 0; n < model.links.size(); ++n) {
      const auto i = static_cast<std::size_t>(plan_.order[n]);
      const SceneBody& body = scene_.bodies[i];
      const Link& link = model.links[n];
      const int j = plan_.tree_joint[i];
      if (j >= 0) {
        const std::vector<double>& q = scene_.joints[static_cast<std::size_t>(j)].position;
        for (std::size_t m = 0; m < q.size(); ++m) state.q[link.q + static_cast<int>(m)] = q[m];
      } else if (!body.immobile && !body.follows) {
        set_free_pose(link, body.X_WB, state);
      }
    }
  }

  static void set_free_pose(const Link& link, const Pose& X_WB, State& state) {
    const Vec3 p = X_WB * link.p_BM;
    const Quat q = quaternion(X_WB.R);
    const double values[] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
    for (int m = 0; m < 7; ++m) state.q[link.q + m] = values[m];
  }

  // Joint velocities, with those of bodies split onto the freedoms of their joints.
  void set_velocities(const Model& model, State& state) const {
    Kinematics<double> k(model);
    update_poses(model, state.q.data(), k);
    for (std::size_t n = 0; n < model.links.size(); ++n) {
      const auto i = static_cast<std::size_t>(plan_.order[n]);
      const SceneBody& body = scene_.bodies[i];
      const Link& link = model.links[n];
      const int j = plan_.tree_joint[i];
      if (j >= 0) {
        const std::vector<double>& v = scene_.joints[static_cast<std::size_t>(j)].velocity;
        for (std::size_t m = 0; m < v.size(); ++m) state.v[link.v + static_cast<int>(m)] = v[m];
        if (body.velocity && !v.empty()) {
          throw InputError("body '" + body.name + "': give its velocity or that of joint '" +
                           model.bodies[n].joint + "', not both");
        }
      }
      if (body.velocity && !body.follows) split_velocity(model, k, n, body, state);
      update_velocity(model, state.v.data(), k, n);
    }
  }

  static void split_velocity(const Model& model, Kinematics<double>& k, std::size_t n,
                             const SceneBody& body, State& state) {
    const Link& link = model.links[n];
    update_velocity(model, state.v.data(), k, n);  // its own rates are still zero
    const BodyMotion<double>& b = k.bodies[n];
    const Vec3 w = body.velocity->angular;
    const Vec3 v = body.velocity->linear + cross(w, b.R * link.p_BM);
    for (int j = 0; j < link.translations + link.rotations; ++j) {
      const Vec3& axis = k.axes[static_cast<std::size_t>(link.v + j)];
      state.v[link.v + j] = dot(axis, j < link.translations ? v - b.v : w - b.w);
    }
    update_velocity(model, state.v.data(), k, n);
    const double error = std::max(norm(b.v - v), norm(b.w - w));
    if (error > slanted_velocity * std::max(1.0, std::max(norm(v), norm(w)))) {
      throw InputError("body '" + body.name + "': its velocity does not fit joint '" +
                       model.bodies[n].joint + "' (residual " + short_number(error) + ")");
    }
  }

  // Frequencies become stiffnesses with the inertia felt by the freedom when all others are locked:
  // twice the kinetic energy at unit speed.
  static void resolve_hertz(Model& model, const State& initial) {
    Kinematics<double> k(model);
    update_poses(model, initial.q.data(), k);
    VecX unit = VecX::Zero(model.nv);
    for (int i = 0; i < model.nv; ++i) {
      Drive& d = model.drives[static_cast<std::size_t>(i)];
      const bool soft_limit = (d.lower || d.upper) && d.limit_stiffness == 0;
      if (d.hertz == 0 && !soft_limit) continue;
      check_interrupt();
      unit[i] = 1;
      update_velocities(model, unit.data(), k);
      unit[i] = 0;
      const double inertia = 2 * totals(model, k).kinetic + d.armature;
      constexpr double two_pi = 6.283185307179586;
      if (d.hertz > 0) {
        const double w = two_pi * d.hertz;
        d.stiffness = inertia * w * w;
        d.damping = 2 * d.damping_ratio * inertia * w;
        d.hertz = 0;
      }
      if (soft_limit) {
        const double w = two_pi * default_limit_hertz;
        d.limit_stiffness = inertia * w * w;
        d.limit_damping = 2 * inertia * w;
      }
    }
  }

  void place_free(const Model& model, const Kinematics<double>& k, const Model& reduced,
                  std::size_t i, State& state) const {
    const Pose X_WB = body_pose(reduced, k, {static_cast<int>(i)});
    const Link& link = model.links[i];
    set_free_pose(link, X_WB, state);
    const BodyMotion<double>& b = k.bodies[i];
    const Vec3 v = b.v + cross(b.w, X_WB * link.p_BM - b.p);
    const Vec3 w = transpose_times(X_WB.R, b.w);
    for (int j = 0; j < 3; ++j) state.v[link.v + j] = v[j], state.v[link.v + 3 + j] = w[j];
  }

  static void check_closed(const Built& built) {
    const Model& model = built.model;
    Kinematics<double> k(model);
    update_poses(model, built.initial.q.data(), k);
    update_velocities(model, built.initial.v.data(), k);
    const double speed = model.nv > 0 ? built.initial.v.lpNorm<Eigen::Infinity>() : 0;
    const double length_unit = closure_unit(model);
    for (const LoopJoint& loop : model.loops) {
      check_interrupt();
      const auto refuse = [&](const char* what, int r, const char* how, double value,
                              const char* unit) {
        throw InputError("joint '" + loop.name + "' " + what + " in the initial state: equation " +
                         std::to_string(r) + how + short_number(value) + unit);
      };
      ClosureRow rows[6];
      closure(model, k, loop, rows);
      for (int r = 0; r < loop.rows; ++r) {
        const double most = open_joint * (rows[r].f == Vec3{} ? 1 : length_unit);
        if (std::fabs(rows[r].error) > most) {
          const std::string limit = " (at most " + short_number(most) + " m or rad)";
          refuse("does not close", r, " is off by ", rows[r].error, limit.c_str());
        }
        const double rate = closure_rate(k, loop, rows[r]);
        if (std::fabs(rate) > most * std::max(1.0, speed)) {
          refuse("is torn apart", r, " changes at ", rate,
                 " m/s or rad/s; give velocities that fit it");
        }
      }
    }
  }

  const Scene& scene_;
  UniqueNames body_names_{"body"};
  Plan plan_;
  std::vector<int> new_index_;  // scene body -> model body
};

}  // namespace

Built build(const Scene& scene) {
  if (scene.bodies.empty()) throw InputError("the scene has no bodies");
  check_settings(scene.settings);
  Builder builder(scene);
  Built built = builder.reduced();
  if (scene.settings.formulation == Formulation::maximal) built = builder.maximal(built);
  number_motors(built.model);
  built.model.fingerprint = fingerprint(built.model);
  built.formulas = compile_formulas(scene, built.model);
  return built;
}

}  // namespace molejo
