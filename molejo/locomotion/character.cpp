#include "molejo/locomotion/character.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "molejo/math/index.h"
#include "molejo/model/error.h"
#include "molejo/model/kinematics.h"
#include "molejo/model/scene.h"

namespace molejo {

namespace {

double largest(const Mat3& m) {
  return std::fmax(max_abs(m.r0), std::fmax(max_abs(m.r1), max_abs(m.r2)));
}

// Turns a scene into the same one in its rest pose.
class Posing {
 public:
  Posing(const Scene& scene, const CharacterOptions& options)
      : scene_(scene), options_(options), kinematics_(Model{}) {
    scene_.settings.formulation = Formulation::reduced;
    built_ = build(scene_);
    const Model& model = built_.model;
    if (scene_.character && std::fabs(dot(up_of(scene_), forward_of(scene_))) > 1e-9) {
      throw InputError("character: forward is not at right angles to gravity");
    }
    if (!model.loops.empty()) {
      throw InputError("joint '" + model.loops[0].name +
                       "' closes a loop: a character must be a tree");
    }
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      body_[model.bodies[i].name] = static_cast<int>(i);
    }
    for (std::size_t j = 0; j < scene_.joints.size(); ++j) joint_[scene_.joints[j].name] = j;
    tree_ = find_tree();
  }

  Character run() {
    turn_joints();
    const auto old = poses(scene_q_);
    update_poses(built_.model, q_.data(), kinematics_);
    for (int i = tree_.first_link; i < tree_.last_link; ++i) rezero_joint(i, old);
    for (int i = tree_.first_link; i < tree_.last_link; ++i) reframe_body(i);
    reframe_points();
    return finish();
  }

 private:
  const Link& link(int i) const { return built_.model.links[at(i)]; }
  const Body& body(int i) const { return built_.model.bodies[at(i)]; }

  // The tree of the torso, or the first one that moves.
  Tree find_tree() const {
    const Model& model = built_.model;
    if (scene_.character) {
      const int torso = body_.at(scene_.character->torso);
      for (const Tree& tree : model.trees) {
        if (tree.first_link <= torso && torso < tree.last_link) return tree;
      }
    }
    for (const Tree& tree : model.trees) {
      if (tree.last_v > tree.first_v && link(tree.first_link).follows < 0) return tree;
    }
    throw InputError("no body of the scene can move");
  }

  std::vector<Pose> poses(const VecX& q) {
    kinematics_ = Kinematics<double>(built_.model);
    update_poses(built_.model, q.data(), kinematics_);
    std::vector<Pose> list;
    for (int i = 0; i < built_.model.body_count(); ++i) {
      list.push_back(body_pose(built_.model, kinematics_, {i}));
    }
    return list;
  }

  // The turns of the pose, with those of the other side.
  std::map<int, Vec3> turns_by_link() const {
    std::map<int, Vec3> turns;
    for (const auto& [name, turn] : options_.pose.turns) {
      int found = -1;
      std::vector<std::string> known;
      for (int i = tree_.first_link; i < tree_.last_link; ++i) {
        if (link(i).rotations == 0 || link(i).translations == 3) continue;
        known.push_back(body(i).joint);
        if (body(i).joint == name) found = i;
      }
      if (found < 0) throw InputError("rest pose: " + unknown_word("joint", name, known));
      if (link(found).rotations == 2) {
        throw InputError("rest pose: joint '" + name +
                         "' turns about two axes; give it a position "
                         "in the scene");
      }
      if (!std::isfinite(turn.x) || !std::isfinite(turn.y) || !std::isfinite(turn.z)) {
        throw InputError("rest pose: joint '" + name + "': the turn is not finite");
      }
      turns[found] = turn;
    }
    if (!options_.pose.mirror) return turns;
    const std::map<int, Vec3> given = turns;
    const Vec3 left = left_of(scene_);
    for (const auto& [i, turn] : given) {
      const int other = partner(i);
      // an axial vector: the part along `left` stays
      if (!given.contains(other)) turns[other] = left * (2 * dot(left, turn)) - turn;
    }
    return turns;
  }

  int partner(int i) const {
    if (!scene_.character) return i;
    for (const MirrorPair& pair : scene_.character->mirror) {
      if (pair.left == body(i).name) return body_.at(pair.right);
      if (pair.right == body(i).name) return body_.at(pair.left);
    }
    return i;
  }

 public:
  static Vec3 up_of(const Scene& scene) {
    const Vec3& g = scene.settings.gravity;
    return norm(g) > 0 ? -normalized(g) : Vec3{0, 0, 1};
  }
  static Vec3 forward_of(const Scene& scene) {
    return scene.character ? scene.character->forward : SceneCharacter{}.forward;
  }
  static Vec3 left_of(const Scene& scene) { return cross(up_of(scene), forward_of(scene)); }

 private:
  // q_ = initial coordinates and the turns on top
  void turn_joints() {
    scene_q_ = built_.initial.q;
    const std::vector<Pose> old = poses(scene_q_);
    q_ = scene_q_;
    for (const auto& [i, turn] : turns_by_link()) {
      const Link& l = link(i);
      const int q = l.q + l.translations;
      const Mat3 R_WP = l.parent < 0 ? Mat3::identity() : old[at(l.parent)].R;
      if (l.rotations == 1) {
        const double angle = dot(turn, R_WP * l.axis_P);
        q_[q] += angle;
        continue;
      }
      const Mat3 R = transpose(R_WP) * matrix(exp_quat(turn)) * old[at(i)].R;
      set_quaternion(quaternion(transpose(l.R_PB0) * R), q);
    }
    const Link& root = link(tree_.first_link);
    if (options_.pose.root_turn == Vec3{}) return;
    if (root.translations != 3) throw InputError("rest pose: the root is not free to be turned");
    const Mat3 R = matrix(exp_quat(options_.pose.root_turn)) * old[at(tree_.first_link)].R;
    set_quaternion(quaternion(transpose(root.R_PB0) * R), root.q + 3);
  }

  void set_quaternion(const Quat& quat, int q) {
    q_[q] = quat.w, q_[q + 1] = quat.x, q_[q + 2] = quat.y, q_[q + 3] = quat.z;
  }

  // Frames of the joint above body i in the new body frames, drives relaxed at the new zero.
  void rezero_joint(int i, const std::vector<Pose>& old) {
    const Link& l = link(i);
    const auto found = joint_.find(body(i).joint);
    if (found == joint_.end()) return;  // a floating root has none
    SceneJoint& joint = scene_.joints[found->second];
    const Pose X_WB = body_pose(built_.model, kinematics_, {i});
    const Vec3 p_WM = X_WB * joint.X_BM.p;
    const Pose X_WP = l.parent < 0 ? Pose{} : body_pose(built_.model, kinematics_, {l.parent});
    Mat3 R = X_WP.R * joint.X_PF.R;
    if (l.rotations == 3 && l.translations == 0) R = Mat3::identity();
    if (l.rotations == 2) {
      const Vec3 x = kinematics_.axes[at(l.v + l.translations)];
      const Vec3 y = kinematics_.axes[at(l.v + l.translations + 1)];
      R = from_columns(x, y, cross(x, y));
    }
    // the new parent frame is at the parent's origin along the world's axes
    joint.X_PF = {R, p_WM - X_WP.p};
    joint.X_BM = {R, p_WM - X_WB.p};
    if (l.parent < 0) joint.X_PF.p = p_WM;
    rezero_drives(i, old[at(i)], joint);
    joint.position.clear();
    joint.velocity.clear();
  }

  void rezero_drives(int i, const Pose& old, SceneJoint& joint) {
    const Link& l = link(i);
    const int count = l.translations + l.rotations;
    const auto first = built_.model.drives.begin() + l.v;
    joint.drives.assign(first, first + count);  // with hertz resolved
    const bool aligned = largest(old.R - Mat3::identity()) < 1e-9;
    for (int k = 0; k < count; ++k) {
      Drive& d = joint.drives[at(k)];
      d.hertz = 0, d.damping_ratio = Drive{}.damping_ratio, d.by_formula = false;
      d.rest = 0;
      const bool ball = l.rotations == 3 && k >= l.translations;
      double moved = 0;
      if (ball) {
        check_equal(i, joint, k, aligned);
        moved = log_quat(quat_at(q_, l.q + l.translations))[k - l.translations];
      } else {
        moved = q_[l.q + k];
      }
      if (d.lower) *d.lower -= moved;
      if (d.upper) *d.upper -= moved;
      d.target -= moved;
      check_limits(joint, d, moved);
      const bool rotation = k >= l.translations;
      if (options_.stiffness && rotation && i != free_root_link()) {
        d.stiffness = *options_.stiffness;
        d.damping = options_.relaxation * d.stiffness;
      }
    }
  }

  int free_root_link() const {
    return link(tree_.first_link).translations == 3 ? tree_.first_link : -1;
  }

  static Quat quat_at(const VecX& q, int i) { return {q[i], q[i + 1], q[i + 2], q[i + 3]}; }

  // Along axes of the child that are not the world's, only equal drives mean the same.
  void check_equal(int i, const SceneJoint& joint, int k, bool aligned) const {
    if (aligned) return;
    const Link& l = link(i);
    const Drive& a = built_.model.drives[at(l.v + l.translations)];
    if (built_.model.drives[at(l.v + k)] == a && !a.lower && !a.upper) return;
    throw InputError("joint '" + joint.name + "': its drives differ along the axes of body '" +
                     body(i).name +
                     "', which are not those of the world; give that body no orientation");
  }

  static void check_limits(const SceneJoint& joint, const Drive& d, double moved) {
    constexpr double slack = 1e-9;
    if ((!d.lower || *d.lower <= slack) && (!d.upper || *d.upper >= -slack)) return;
    throw InputError("rest pose: joint '" + joint.name + "' at " + std::to_string(moved) +
                     " is beyond its limits " +
                     (d.lower ? std::to_string(*d.lower + moved) : "-inf") + " to " +
                     (d.upper ? std::to_string(*d.upper + moved) : "inf"));
  }

  // World axes at the same origin.
  void reframe_body(int i) {
    SceneBody& b = scene_body(body(i).name);
    const Pose X_WB = body_pose(built_.model, kinematics_, {i});
    const Pose X_NB{X_WB.R, {}};
    turned_[b.name] = X_NB;
    b.X_WB = {Mat3::identity(), X_WB.p};
    b.velocity.reset();
    for (Shape& shape : b.shapes) shape.X_BS = X_NB * shape.X_BS;
    if (b.given) b.given = transformed(X_NB, *b.given);
  }

  SceneBody& scene_body(const std::string& name) {
    for (SceneBody& b : scene_.bodies) {
      if (b.name == name) return b;
    }
    throw InputError("no body '" + name + "'");
  }

  // All that is told in body frames.
  void reframe_points() {
    const auto turn = [&](const std::string& name, Vec3& p) {
      if (const auto X = turned_.find(name); X != turned_.end()) p = X->second * p;
    };
    for (SceneSpring& s : scene_.springs) turn(s.a.body, s.a.p), turn(s.b.body, s.b.p);
    for (SceneForce& f : scene_.forces) {
      turn(f.at.body, f.at.p);
      const auto X = turned_.find(f.at.body);
      if (f.in_body_axes && X != turned_.end() && largest(X->second.R - Mat3::identity()) > 1e-12) {
        throw InputError("force '" + f.name +
                         "' is in the axes of a body that the rest pose turns");
      }
    }
    for (const SceneJoint& joint : scene_.joints) {
      if (!joint.parent.empty() &&
          turned_.contains(joint.child) != turned_.contains(joint.parent)) {
        throw InputError("joint '" + joint.name + "' joins the character to something else");
      }
    }
    if (!scene_.character) return;
    for (SceneFoot& foot : scene_.character->feet) {
      turn(foot.body, foot.toe), turn(foot.body, foot.heel);
    }
  }

  // Raises the root by h.
  void raise(double h) {
    const Vec3 by = up_of(scene_) * h;
    for (auto& [name, X] : turned_) scene_body(name).X_WB.p += by;
    if (const auto joint = joint_.find(body(tree_.first_link).joint); joint != joint_.end()) {
      scene_.joints[joint->second].X_PF.p += by;
    }
  }

  double lowest_foot() {
    const Vec3 up = up_of(scene_);
    double lowest = 0;
    bool first = true;
    for (const SceneFoot& foot : scene_.character->feet) {
      for (const Vec3& p : {foot.toe, foot.heel}) {
        const double h = dot(up, scene_body(foot.body).X_WB * p) - foot.radius;
        lowest = first ? h : std::fmin(lowest, h);
        first = false;
      }
    }
    return lowest;
  }

  void choose_feet() {
    std::vector<SceneFoot>& feet = scene_.character->feet;
    for (const std::string& name : options_.without_feet) {
      std::vector<std::string> known;
      for (const SceneFoot& foot : feet) known.push_back(foot.body);
      const auto found = std::find(known.begin(), known.end(), name);
      if (found == known.end()) throw InputError(unknown_word("foot", name, known));
      feet.erase(feet.begin() + (found - known.begin()));
    }
  }

  Character finish() {
    Character c;
    std::vector<std::string> foot_bodies;
    if (scene_.character) {
      for (const SceneFoot& foot : scene_.character->feet) foot_bodies.push_back(foot.body);
      choose_feet();
      const bool floats = link(tree_.first_link).translations == 3;
      if (options_.stand && floats && !scene_.character->feet.empty()) raise(-lowest_foot());
    } else if (!options_.without_feet.empty()) {
      throw InputError("the scene has no character, so no foot '" + options_.without_feet[0] + "'");
    }
    Built built = build(scene_);
    c.scene = std::make_shared<const Scene>(std::move(scene_));
    const Scene& rest = *c.scene;
    c.model = std::move(built.model);
    c.rest = std::move(built.initial);
    c.up = up_of(rest), c.forward = forward_of(rest), c.left = left_of(rest);
    c.root = {tree_.first_link};
    const Link& root = c.model.links[at(c.root.index)];
    c.free_root = root.translations == 3 && root.rotations == 3;
    c.first_internal = tree_.first_v + (c.free_root ? 6 : 0);
    c.internal = tree_.last_v - c.first_internal;
    c.torso = rest.character ? c.model.body(rest.character->torso) : c.root;
    for (const std::string& name : foot_bodies) c.foot_bodies.push_back(c.model.body(name));
    if (rest.character) {
      for (const SceneFoot& f : rest.character->feet) {
        const BodyId id = c.model.body(f.body);
        if (id.index < tree_.first_link || id.index >= tree_.last_link) {
          throw InputError("foot '" + f.body + "' does not hang on the torso");
        }
        c.feet.push_back({id, f.toe, f.heel, f.radius});
      }
    }
    return c;
  }

  Scene scene_;
  const CharacterOptions& options_;
  Built built_;
  Kinematics<double> kinematics_;  // at the rest pose
  std::unordered_map<std::string, int> body_;
  std::unordered_map<std::string, std::size_t> joint_;
  Tree tree_;
  VecX scene_q_, q_;
  std::map<std::string, Pose> turned_;  // X_NB: old body frame in the new one
};

}  // namespace

Character make_character(const Scene& scene, const CharacterOptions& options) {
  Character character = Posing(scene, options).run();
  if (character.model.nv > max_character_freedoms) {
    throw InputError("a character of " + std::to_string(character.model.nv) +
                     " freedoms; expected " + std::to_string(max_character_freedoms) + " at most");
  }
  character.mirror = make_mirror(character);
  return character;
}

VecX freedom_forces(const Character& character, const VecX& q, const VecX& torques) {
  VecX forces = VecX::Zero(character.model.nv);
  forces.segment(character.first_internal, character.internal) = torques;
  for (const Link& link : character.model.links) {
    const int v = link.v + link.translations, i = link.q + link.translations;
    if (link.rotations != 3 || v < character.first_internal ||
        v >= character.first_internal + character.internal) {
      continue;
    }
    const Mat3 R = matrix(Quat{q[i], q[i + 1], q[i + 2], q[i + 3]});
    const Vec3 t = transpose_times(R, Vec3{forces[v], forces[v + 1], forces[v + 2]});
    forces[v] = t.x, forces[v + 1] = t.y, forces[v + 2] = t.z;
  }
  return forces;
}

std::vector<std::string> freedom_names(const Character& character) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < character.model.links.size(); ++i) {
    const Link& link = character.model.links[i];
    const int count = link.translations + link.rotations;
    if (link.v < character.first_internal ||
        link.v >= character.first_internal + character.internal) {
      continue;
    }
    for (int k = 0; k < count; ++k) {
      std::string name = character.model.bodies[i].joint;
      const bool ball = link.rotations == 3 && k >= link.translations;
      if (ball) name += std::string(" ") + "xyz"[k - link.translations];
      if (!ball && count > 1) name += " " + std::to_string(k);
      names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace molejo
