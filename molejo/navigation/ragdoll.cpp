#include "molejo/navigation/ragdoll.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/angles.h"
#include "molejo/math/index.h"
#include "molejo/model/error.h"
#include "molejo/model/scene.h"
#include "molejo/navigation/ragdoll_parts.h"

namespace molejo::navigation {

namespace {

// How far a ball turns about the axes of its body: x sideways, y as it bends, z about the bone.
struct Range {
  double low[3], high[3];  // degrees
};
Range range_of(SegmentKind kind) {
  switch (kind) {
    case SegmentKind::torso:
      return {{-25, -25, -35}, {25, 55, 35}};
    case SegmentKind::head:
      return {{-35, -50, -60}, {35, 45, 60}};
    case SegmentKind::upper_arm:
      return {{-85, -75, -70}, {85, 95, 70}};
    case SegmentKind::lower_arm:
      return {{-8, -2, -80}, {8, 145, 80}};
    case SegmentKind::thigh:
      return {{-40, -20, -40}, {40, 115, 40}};
    case SegmentKind::shank:
      return {{-4, -2, -8}, {4, 145, 8}};
    case SegmentKind::foot:
      return {{-15, -45, -20}, {15, 25, 20}};
    case SegmentKind::waist:
      return {{-15, -15, -20}, {15, 30, 20}};
    case SegmentKind::hand:
      return {{-30, -70, -10}, {30, 70, 10}};
    case SegmentKind::toes:
      return {{-5, -15, -5}, {5, 65, 5}};
    case SegmentKind::pelvis:
    case SegmentKind::limb:
      break;
  }
  return {{-15, -50, -15}, {15, 50, 15}};
}

Color color_of(SegmentKind kind) {
  switch (kind) {
    case SegmentKind::waist:
    case SegmentKind::torso:
    case SegmentKind::upper_arm:
      return {0.18, 0.40, 0.56, 1};
    case SegmentKind::pelvis:
    case SegmentKind::thigh:
    case SegmentKind::shank:
      return {0.29, 0.31, 0.34, 1};
    case SegmentKind::foot:
    case SegmentKind::toes:
      return {0.40, 0.26, 0.20, 1};
    default:
      return {0.82, 0.64, 0.50, 1};
  }
}

// A pose of the lengths that are shown, turned as in reference; shoulders, which have no body, as
// they are shown.
SkeletonPose pose_of_lengths(const Rig& rig, std::span<const SkeletonPose> shown) {
  SkeletonPose pose = rig.reference;
  if (shown.empty()) return pose;
  for (int j = 0; j < rig.skeleton.size(); ++j) {
    if (j == rig.hips || !rig.skeleton.descends(j, rig.hips)) continue;
    pose.set_translation(j, shown.front().translation(j));
    pose.set_scale(j, shown.front().scale(j));
  }
  for (const Role role : {Role::left_shoulder, Role::right_shoulder}) {
    const int j = rig.roles[role];
    if (j >= 0) pose.set_rotation(j, shown.front().rotation(j));
  }
  return pose;
}

// The turn of each segment's body against its parent's, since the zero configuration.
std::vector<Quat> turns(const Rig& rig, const std::vector<Segment>& segments,
                        const SkeletonPose& pose) {
  const std::vector<Quat> q_MJ = model_rotations(rig.skeleton, pose);
  std::vector<Quat> q_MB, result;
  for (const Segment& s : segments) {
    const Quat q_JB = conjugate(s.q_WJ) * s.q_WB;
    q_MB.push_back(q_MJ[at(s.joint)] * q_JB);
    if (s.parent < 0) {
      result.emplace_back();
      continue;
    }
    const Quat q_PB0 = conjugate(segments[at(s.parent)].q_WB) * s.q_WB;
    result.push_back(normalized(conjugate(q_PB0) * (conjugate(q_MB[at(s.parent)]) * q_MB.back())));
  }
  return result;
}

class RagdollMaker {
 public:
  RagdollMaker(const Rig& rig, const Character& character, double scale,
               std::span<const SkeletonPose> shown, const RagdollOptions& options)
      : rig_(rig), shown_(shown), options_(options) {
    const SkeletonPose pose = pose_of_lengths(rig, shown);
    segments_ = find_segments(rig, pose, scale, options.fine);
    doll_.scale = scale;
    doll_.leg_length = rig.leg_length * scale;
    // from hip to ankle a man has 0.491 of his height: Drillis and Contini (1966), in Winter,
    // Biomechanics and Motor Control of Human Movement (2009), figure 4.1
    const double height = doll_.leg_length / 0.491;
    const double mass = options.mass > 0 ? options.mass : 22 * height * height;
    solids_ = make_solids(rig, character, segments_, pose, scale, mass);
    for (const Solid& s : solids_) doll_.mass += s.mass.mass;
  }

  Ragdoll make() {
    if (options_.mass > 0 && !is_biped(rig_)) scale_masses(options_.mass / doll_.mass);
    for (std::size_t i = 0; i < segments_.size(); ++i) add_body(i);
    for (std::size_t i = 1; i < segments_.size(); ++i) add_joint(i);
    leave_room();
    part_overlapping();
    scene_.name = "ragdoll";
    doll_.scene = std::make_shared<const Scene>(std::move(scene_));
    return std::move(doll_);
  }

 private:
  void scale_masses(double f) {
    for (Solid& s : solids_) s.mass.mass *= f, s.mass.I_BC = s.mass.I_BC * f;
    doll_.mass *= f;
  }

  static Pose zero_pose(const Segment& s) { return {matrix(s.q_WB), s.origin}; }

  void add_body(std::size_t i) {
    const Segment& s = segments_[i];
    SceneBody body;
    body.name = s.name;
    body.X_WB = zero_pose(s);
    body.given = solids_[i].mass;
    Shape shape = solids_[i].shape;
    shape.surface.friction = options_.friction;
    shape.color = color_of(s.kind);
    body.shapes.push_back(shape);
    scene_.bodies.push_back(std::move(body));
    doll_.parts.push_back({s.name, s.kind, s.leg, s.parent, s.joint, s.spread,
                           normalized(conjugate(s.q_WJ) * s.q_WB), 0});
  }

  // Inertia about the joint of all that hangs on it, about axes across.
  double carried_inertia(std::size_t i) const {
    double sum = 0;
    for (std::size_t k = i; k < segments_.size(); ++k) {
      int up = static_cast<int>(k);
      while (up > static_cast<int>(i)) up = segments_[at(up)].parent;
      if (up != static_cast<int>(i)) continue;
      const Vec3 way = zero_pose(segments_[k]) * solids_[k].mass.p_BC - segments_[i].origin;
      const Sym3& I = solids_[k].mass.I_BC;
      sum += solids_[k].mass.mass * dot(way, way) + std::max({I.xx, I.yy, I.zz});
    }
    return sum;
  }

  void add_joint(std::size_t i) {
    const Segment &s = segments_[i], &p = segments_[at(s.parent)];
    SceneJoint joint;
    joint.name = s.name + "_joint";
    joint.type = JointType::spherical;
    joint.parent = p.name;
    joint.child = s.name;
    joint.X_PF = inverse(zero_pose(p)) * Pose{matrix(s.q_WB), s.origin};
    const Range range = range_of(s.kind);
    const double inertia = doll_.parts[i].carried_inertia = carried_inertia(i);
    constexpr double w = 2 * 180 * degree * 20;  // limits give way at 20 Hz
    for (int c = 0; c < 3; ++c) {
      // about its bone a limb has next to no inertia: firm enough for what pushes from outside
      const double felt = inertia * (c == 2 ? 0.2 : 1);
      Drive drive;
      drive.damping = felt / options_.slackness;
      drive.armature = 0.1 * inertia;  // and so that steps of a millisecond are short for it
      drive.limit_stiffness = felt * w * w;
      drive.limit_damping = 2 * felt * w;
      drive.lower = range.low[c] * degree;
      drive.upper = range.high[c] * degree;
      joint.drives.push_back(drive);
    }
    scene_.joints.push_back(std::move(joint));
  }

  // No limit presses in a pose of a clip.
  void leave_room() {
    constexpr double margin = 5 * degree;
    for (const SkeletonPose& pose : shown_) {
      const std::vector<Quat> turn = turns(rig_, segments_, pose);
      for (std::size_t i = 1; i < segments_.size(); ++i) {
        const Vec3 phi = log_quat(turn[i]);
        for (int c = 0; c < 3; ++c) {
          Drive& drive = scene_.joints[i - 1].drives[at(c)];
          drive.lower = std::min(*drive.lower, phi[c] - margin);
          drive.upper = std::max(*drive.upper, phi[c] + margin);
        }
      }
    }
  }

  bool are_neighbours(std::size_t a, std::size_t b) const {
    const int i = static_cast<int>(a), j = static_cast<int>(b);
    return segments_[a].parent == j || segments_[b].parent == i;
  }

  std::vector<Pose> body_poses(const std::vector<Quat>& turn) const {
    std::vector<Pose> X;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      const Segment& s = segments_[i];
      if (s.parent < 0) {
        X.push_back(zero_pose(s));
        continue;
      }
      const Pose X_PB0 = inverse(zero_pose(segments_[at(s.parent)])) * zero_pose(s);
      X.push_back(X[at(s.parent)] * X_PB0 * Pose{matrix(turn[i]), {}});
    }
    return X;
  }

  // Bodies that a clip has inside each other pass through each other.
  void part_overlapping() {
    std::vector<std::vector<Pose>> poses;
    poses.push_back(body_poses(std::vector<Quat>(segments_.size())));
    for (const SkeletonPose& pose : shown_) {
      poses.push_back(body_poses(turns(rig_, segments_, pose)));
    }
    for (std::size_t a = 0; a < segments_.size(); ++a) {
      for (std::size_t b = a + 1; b < segments_.size(); ++b) {
        if (are_neighbours(a, b)) continue;
        const bool inside = std::any_of(poses.begin(), poses.end(), [&](const auto& X) {
          return overlap(solids_[a].shape, X[a], solids_[b].shape, X[b]);
        });
        if (!inside) continue;
        SceneContactPair pair;
        pair.a = segments_[a].name, pair.b = segments_[b].name;
        pair.response = Response::none;
        scene_.contact_pairs.push_back(pair);
      }
    }
  }

  const Rig& rig_;
  std::span<const SkeletonPose> shown_;
  RagdollOptions options_;
  Ragdoll doll_;
  Scene scene_;
  std::vector<Segment> segments_;
  std::vector<Solid> solids_;
};

void set_quaternion(const Quat& q, double* out) {
  const Quat x = normalized(q);
  const double sign = x.w < 0 ? -1 : 1;
  out[0] = sign * x.w, out[1] = sign * x.x, out[2] = sign * x.y, out[3] = sign * x.z;
}
Quat get_quaternion(const double* q) { return {q[0], q[1], q[2], q[3]}; }

}  // namespace

Ragdoll make_ragdoll(const Rig& rig, const Character& character, double scale,
                     std::span<const SkeletonPose> shown, const RagdollOptions& options) {
  return RagdollMaker(rig, character, scale, shown, options).make();
}

Ragdoll make_ragdoll(const WalkClips& clips, const Character& character, double scale,
                     const RagdollOptions& options) {
  constexpr int samples = 24;
  std::vector<SkeletonPose> shown;
  const auto sample = [&](const ReadyClip& ready) {
    ClipCursor cursor = ready.sampler.cursor();
    for (int k = 0; k < samples; ++k) {
      shown.emplace_back(clips.rig.skeleton);
      const double part = static_cast<double>(k) / samples;
      ready.sampler.sample(ready.sampler.start() + part * ready.sampler.duration(), cursor,
                           shown.back());
    }
  };
  sample(clips.walk);
  sample(clips.idle);
  return make_ragdoll(clips.rig, character, scale, shown, options);
}

RagdollMap::RagdollMap(const Ragdoll& ragdoll, const Rig& rig, const Model& model,
                       const std::string& prefix)
    : ragdoll_(ragdoll), rig_(rig), model_(model) {
  for (const RagdollPart& part : ragdoll.parts) {
    links_.push_back(model.body(prefix + part.name).index);
  }
}

void RagdollMap::write(const SkeletonPose& pose, const Affine& X_WM, VecX& q) const {
  std::vector<Affine> X(at(rig_.skeleton.size()));
  model_transforms(rig_.skeleton, pose, X_WM, X);
  const std::vector<Quat> q_MJ = model_rotations(rig_.skeleton, pose);
  const Quat q_WM = decomposed(X_WM).rotation;
  std::vector<Quat> q_WB;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const RagdollPart& part = ragdoll_.parts[i];
    const Link& link = model_.links[at(links_[i])];
    q_WB.push_back(normalized(q_WM * q_MJ[at(part.joint)] * part.q_JB));
    const Quat q_B0P = conjugate(quaternion(link.R_PB0));
    if (part.parent >= 0) {
      set_quaternion(q_B0P * conjugate(q_WB[at(part.parent)]) * q_WB.back(), q.data() + link.q);
      continue;
    }
    const Vec3 M = X[at(part.joint)].origin + matrix(q_WB.back()) * link.p_BM - link.p_LF;
    for (int k = 0; k < 3; ++k) q[link.q + k] = dot(link.t_P[k], M);
    set_quaternion(q_B0P * q_WB.back(), q.data() + link.q + 3);
  }
}

void RagdollMap::read(const VecX& q, const Affine& X_WM, SkeletonPose& pose) const {
  std::vector<Quat> q_WJ, q_WB;  // of the parts
  const Quat q_WM = decomposed(X_WM).rotation;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const RagdollPart& part = ragdoll_.parts[i];
    const Link& link = model_.links[at(links_[i])];
    const bool root = part.parent < 0;
    const Quat turn = quaternion(link.R_PB0) * get_quaternion(q.data() + link.q + (root ? 3 : 0));
    q_WB.push_back(normalized(root ? turn : q_WB[at(part.parent)] * turn));
    q_WJ.push_back(q_WB.back() * conjugate(part.q_JB));
    // above the joints that are turned nothing changes
    const int above = rig_.skeleton[part.spread.front()].parent;
    Quat q_WP = q_WM;
    std::vector<int> kept;
    for (int j = above; j >= 0; j = rig_.skeleton[j].parent) kept.push_back(j);
    for (std::size_t k = kept.size(); k-- > 0;) q_WP = q_WP * safe_unit(pose.rotation(kept[k]));
    // c^n completes the product of n turns; before each the part of it that stands there
    Quat product;
    for (const int j : part.spread) product = product * safe_unit(pose.rotation(j));
    const Quat missing = normalized(conjugate(product) * (conjugate(q_WP) * q_WJ.back()));
    const Quat c = exp_quat(log_quat(missing) / static_cast<double>(part.spread.size()));
    Quat after;  // the turns behind joint j
    for (std::size_t k = part.spread.size(); k-- > 0;) {
      const int j = part.spread[k];
      const Quat own = safe_unit(pose.rotation(j));
      pose.set_rotation(j, normalized(own * after * c * conjugate(after)));
      after = own * after;
    }
    if (!root) continue;
    Vec3 M = link.p_LF;
    for (int k = 0; k < 3; ++k) M += link.t_P[k] * q[link.q + k];
    Affine X_WP = X_WM;
    for (std::size_t k = kept.size(); k-- > 0;) X_WP = X_WP * affine(pose[kept[k]]);
    const Vec3 hips = M - matrix(q_WB.back()) * link.p_BM;
    pose.set_translation(part.joint, inverse(X_WP) * hips);
  }
}

}  // namespace molejo::navigation
