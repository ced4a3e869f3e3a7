#include "molejo/navigation/rig.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "molejo/math/operations.h"
#include "molejo/model/error.h"
#include "molejo/motion/sampler.h"

namespace molejo::navigation {

namespace {

// Joints from `from` down to `to`; empty if `to` is not below.
std::vector<int> chain_between(const Skeleton& skeleton, int from, int to) {
  std::vector<int> chain;
  for (int j = to; j >= 0; j = skeleton[j].parent) {
    chain.push_back(j);
    if (j == from) {
      std::reverse(chain.begin(), chain.end());
      return chain;
    }
  }
  return {};
}

// The first joint below `joint`, or -1.
int child_of(const Skeleton& skeleton, int joint) {
  for (int j = joint + 1; j < skeleton.size(); ++j) {
    if (skeleton[j].parent == joint) return j;
  }
  return -1;
}

std::vector<LegChoice> legs_of_roles(const Rig& rig, const std::vector<Affine>& X) {
  const Roles& roles = rig.roles;
  std::vector<LegChoice> legs;
  const auto add = [&](const char* name, Role from, Role to, int toes) {
    if (roles[from] >= 0 && roles[to] >= 0) legs.push_back({name, roles[from], roles[to], toes});
  };
  const auto height = [&](int j) {
    return dot(X[static_cast<std::size_t>(j)].origin, roles.bearing.up);
  };
  add("left", Role::left_upper_leg, Role::left_foot, roles[Role::left_toes]);
  add("right", Role::right_upper_leg, Role::right_foot, roles[Role::right_toes]);
  if (legs.empty() || roles[Role::left_hand] < 0 || roles[Role::right_hand] < 0) return legs;
  // on all fours: hands hang as low as feet do
  const double hips = height(rig.hips), foot = height(legs.front().to);
  const double hand = std::max(height(roles[Role::left_hand]), height(roles[Role::right_hand]));
  if (hand > foot + 0.25 * (hips - foot)) return legs;
  for (LegChoice& leg : legs) leg.name = "hind " + leg.name;
  const auto fingers = [&](Role hand_role) { return child_of(rig.skeleton, roles[hand_role]); };
  add("front left", Role::left_upper_arm, Role::left_hand, fingers(Role::left_hand));
  add("front right", Role::right_upper_arm, Role::right_hand, fingers(Role::right_hand));
  return legs;
}

Leg make_leg(const Rig& rig, const LegChoice& choice, const std::vector<Affine>& X) {
  const Skeleton& skeleton = rig.skeleton;
  const auto known = [&](int j) { return j >= 0 && j < skeleton.size(); };
  if (!known(choice.from) || !known(choice.to)) {
    throw InputError(fmt::format("leg '{}': no such joint", choice.name));
  }
  Leg leg{.name = choice.name,
          .chain = chain_between(skeleton, choice.from, choice.to),
          .toes = choice.toes,
          .sole = {}};
  if (leg.chain.size() < 3) {
    throw InputError(fmt::format("leg '{}': '{}' is not below '{}' with a joint between them",
                                 choice.name, skeleton[choice.to].name,
                                 skeleton[choice.from].name));
  }
  if (leg.chain.size() > max_leg_joints) {
    throw InputError(fmt::format("leg '{}' has {} joints: expected at most {}", choice.name,
                                 leg.chain.size(), max_leg_joints));
  }
  if (skeleton.descends(rig.hips, choice.from)) {
    throw InputError(fmt::format("leg '{}': it must begin below the hips '{}', not at '{}'",
                                 choice.name, skeleton[rig.hips].name, skeleton[choice.from].name));
  }
  if (known(leg.toes) && skeleton[leg.toes].parent != leg.foot()) leg.toes = -1;
  leg.ball = leg.toes >= 0 ? leg.toes : child_of(skeleton, leg.foot());
  if (leg.ball < 0) leg.ball = leg.foot();
  for (std::size_t i = 1; i < leg.chain.size(); ++i) {
    leg.length += norm(X[static_cast<std::size_t>(leg.chain[i])].origin -
                       X[static_cast<std::size_t>(leg.chain[i - 1])].origin);
  }
  if (!(leg.length > 0) || !std::isfinite(leg.length)) {
    throw InputError(fmt::format("leg '{}': its bones have no length", choice.name));
  }
  return leg;
}

void refuse_shared_joints(const Rig& rig) {
  for (std::size_t a = 0; a < rig.legs.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      for (const int j : rig.legs[a].chain) {
        const std::vector<int>& other = rig.legs[b].chain;
        if (std::find(other.begin(), other.end(), j) == other.end()) continue;
        throw InputError(fmt::format("legs '{}' and '{}' share the joint '{}'", rig.legs[b].name,
                                     rig.legs[a].name, rig.skeleton[j].name));
      }
    }
  }
}

// The leg nearest to the image of each, on the other side of the body.
void find_opposites(Rig& rig, const std::vector<Affine>& X) {
  const Bearing& b = rig.bearing();
  const Vec3 middle = X[static_cast<std::size_t>(rig.hips)].origin;
  const auto at = [&](const Leg& leg) {
    return X[static_cast<std::size_t>(leg.chain.front())].origin - middle;
  };
  for (Leg& leg : rig.legs) {
    const Vec3 p = at(leg), image = p - b.left * (2 * dot(p, b.left));
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < rig.legs.size(); ++k) {
      if (&rig.legs[k] == &leg) continue;
      const double distance = norm(at(rig.legs[k]) - image);
      if (distance >= nearest) continue;
      nearest = distance;
      leg.opposite = static_cast<int>(k);
    }
  }
}

// Vertices that the foot and what is below it hold more than others do, in reference.
std::vector<Vec3> foot_vertices(const Character& character, const SkeletonPose& reference,
                                int foot) {
  std::vector<Vec3> found;
  for (const motion::Attachment& attachment : character.attachments) {
    if (attachment.mesh < 0 || attachment.skin < 0) continue;
    const Skin& skin = character.skins[static_cast<std::size_t>(attachment.skin)];
    for (const MeshPrimitive& primitive :
         character.meshes[static_cast<std::size_t>(attachment.mesh)].primitives) {
      const VertexAttribute* weights = primitive.find("WEIGHTS_0");
      if (!weights || primitive.joints.empty()) continue;
      const std::vector<Vec3> p = skinned_positions(character, attachment, primitive, reference);
      for (std::size_t v = 0; v < p.size(); ++v) {
        double held = 0;
        for (std::size_t k = 0; k < 4; ++k) {
          const int joint = skin.joints[primitive.joints[0][4 * v + k]];
          if (character.skeleton.descends(joint, foot)) held += weights->values[4 * v + k];
        }
        if (held > 0.5) found.push_back(p[v]);
      }
    }
  }
  return found;
}

// Below the joints of a flat foot on the floor: the toes' own place, or the far end of the foot.
struct FlatFoot {
  Vec3 ankle, toes;    // in the model
  double floor = 0;    // along up
  double back = 0.25;  // the heel behind the ankle, in lengths from ankle to toes
};

Sole sole_of(const Rig& rig, const FlatFoot& flat, const Affine& X_foot) {
  const Bearing& b = rig.bearing();
  const auto on_floor = [&](const Vec3& p) { return p + b.up * (flat.floor - dot(p, b.up)); };
  const Vec3 ankle = on_floor(flat.ankle), toes = on_floor(flat.toes);
  const Affine to_foot = inverse(X_foot);
  return {to_foot * (ankle + (ankle - toes) * flat.back), to_foot * toes};
}

bool fit_to_skin(const Rig& rig, const Character& character, const std::vector<Affine>& X,
                 Leg& leg) {
  const std::vector<Vec3> vertices = foot_vertices(character, rig.reference, leg.foot());
  if (vertices.size() < 8) return false;
  const Bearing& b = rig.bearing();
  const Affine& X_foot = X[static_cast<std::size_t>(leg.foot())];
  FlatFoot flat{X_foot.origin, X[static_cast<std::size_t>(leg.ball)].origin};
  flat.floor = std::numeric_limits<double>::infinity();
  for (const Vec3& p : vertices) flat.floor = std::min(flat.floor, dot(p, b.up));
  // the rearmost and foremost of what is near the floor
  double rear = std::numeric_limits<double>::infinity(), fore = -rear;
  for (const Vec3& p : vertices) {
    if (dot(p, b.up) > flat.floor + 0.03 * leg.length) continue;
    rear = std::min(rear, dot(p, b.front));
    fore = std::max(fore, dot(p, b.front));
  }
  const double ankle = dot(flat.ankle, b.front);
  if (leg.ball == leg.foot() || dot(flat.toes, b.front) <= ankle) {
    flat.toes = flat.ankle + b.front * (fore - ankle);
  }
  const double length = dot(flat.toes, b.front) - ankle;
  if (!(length > 0)) return false;
  // a heel is round: what touches first lies before its end
  flat.back = std::max(0.0, 0.7 * (ankle - rear) / length);
  leg.sole = sole_of(rig, flat, X_foot);
  return true;
}

// A foot is flat when its ankle and its ball are lowest together.
void fit_to_clip(Rig& rig, const Clip& clip) {
  constexpr int samples = 120;
  const ClipSampler sampler(rig.skeleton, clip);
  ClipCursor cursor = sampler.cursor();
  SkeletonPose pose(rig.skeleton);
  const Vec3 up = rig.bearing().up;
  std::vector<FlatFoot> flat(rig.legs.size());
  std::vector<Affine> X_foot(rig.legs.size());
  std::vector<double> lowest(rig.legs.size(), std::numeric_limits<double>::infinity());
  double floor = std::numeric_limits<double>::infinity();
  for (int k = 0; k < samples; ++k) {
    sampler.sample(sampler.start() + sampler.duration() * k / samples, cursor, pose);
    const std::vector<Affine> X = model_transforms(rig.skeleton, pose);
    for (std::size_t i = 0; i < rig.legs.size(); ++i) {
      const Leg& leg = rig.legs[i];
      const Affine& foot = X[static_cast<std::size_t>(leg.foot())];
      const Vec3 ball = X[static_cast<std::size_t>(leg.ball)].origin;
      for (int j = leg.foot(); j < rig.skeleton.size(); ++j) {
        if (!rig.skeleton.descends(j, leg.foot())) continue;
        floor = std::min(floor, dot(X[static_cast<std::size_t>(j)].origin, up));
      }
      const double height = dot(foot.origin, up) + dot(ball, up);
      if (height >= lowest[i]) continue;
      lowest[i] = height;
      flat[i] = {foot.origin, ball};
      X_foot[i] = foot;
    }
  }
  for (std::size_t i = 0; i < rig.legs.size(); ++i) {
    flat[i].floor = floor;
    rig.legs[i].sole = sole_of(rig, flat[i], X_foot[i]);
  }
}

}  // namespace

Rig make_rig(const Character& character, const Roles& roles, const std::vector<LegChoice>& legs) {
  Rig rig{.skeleton = character.skeleton,
          .reference = bind_pose(character),
          .roles = roles,
          .hips = roles[Role::hips],
          .legs = {},
          .fastest_turn = {},
          .path = {}};
  if (rig.hips < 0) throw InputError("no joint is known as the hips: name it as a role");
  const std::vector<Affine> X = model_transforms(rig.skeleton, rig.reference);
  const std::vector<LegChoice> choices = legs.empty() ? legs_of_roles(rig, X) : legs;
  if (choices.size() > 64) throw InputError("more than 64 legs");
  if (choices.size() < 2) throw InputError("no two legs are known: name their joints as roles");
  for (const LegChoice& choice : choices) {
    rig.legs.push_back(make_leg(rig, choice, X));
    rig.leg_length += rig.legs.back().length / static_cast<double>(choices.size());
  }
  refuse_shared_joints(rig);
  find_opposites(rig, X);
  std::vector<int> ends{rig.hips};
  for (const Leg& leg : rig.legs) ends.push_back(leg.toes >= 0 ? leg.toes : leg.foot());
  rig.path = path_to(rig.skeleton, ends);
  return rig;
}

void fit_soles(Rig& rig, const Character& character, const Clip& clip) {
  const std::vector<Affine> X = model_transforms(rig.skeleton, rig.reference);
  fit_to_clip(rig, clip);
  for (Leg& leg : rig.legs) {
    if (!fit_to_skin(rig, character, X, leg)) return fit_to_clip(rig, clip);
  }
}

double usual_scale(double leg_length) { return leg_length > 20 && leg_length < 300 ? 0.01 : 1; }

Affine placement(const Bearing& bearing, const Vec3& position, double heading, double scale) {
  const SinCos<double> turn = sincos(heading);
  const Vec3 x = bearing.front * turn.cos - bearing.left * turn.sin;
  const Vec3 y = bearing.front * turn.sin + bearing.left * turn.cos;
  return {Mat3{x * scale, y * scale, bearing.up * scale}, position};
}

}  // namespace molejo::navigation
