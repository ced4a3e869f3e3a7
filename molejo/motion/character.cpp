#include "molejo/motion/character.h"

#include <cmath>
#include <limits>

#include "molejo/math/index.h"

namespace molejo::motion {

namespace {

double size_of(const Affine& a) { return std::cbrt(std::fabs(determinant(a.linear))); }

// Positions of the skin's joints when they were bound, and at rest.
struct BoundJoint {
  Affine bound, rest;
};

// `model` made larger or smaller so that joints are as large as at rest, and moved to lie among
// them: packed meshes are scaled, and their binds with them.
Affine fitted(const Affine& model, const std::vector<BoundJoint>& joints) {
  double factor = 0;
  for (const BoundJoint& j : joints) factor += size_of(j.rest) / size_of(model * j.bound);
  factor /= static_cast<double>(joints.size());
  if (std::fabs(factor - 1) < 1e-3 || !std::isfinite(factor)) return model;
  Affine scaled{model.linear * factor, model.origin * factor};
  Vec3 shift;
  for (const BoundJoint& j : joints) shift += j.rest.origin - scaled * j.bound.origin;
  scaled.origin += shift / static_cast<double>(joints.size());
  return scaled;
}

// Skins give joints in the space of their mesh, which may differ from that of the model by one
// transform for all. Among the likely ones: that which brings them nearest to the rest pose.
Affine model_from_bind(const Character& character, const Skin& skin,
                       const std::vector<Affine>& rest) {
  std::vector<Affine> candidates{Affine{}};
  for (const int j : skin.joints) {
    const int parent = character.skeleton[j].parent;
    if (parent >= 0) {
      candidates.push_back(rest[at(parent)]);
      break;
    }
  }
  for (const Attachment& a : character.attachments) {
    if (a.joint >= 0) candidates.push_back(rest[at(a.joint)] * a.X_JA);
  }
  std::vector<BoundJoint> joints;
  for (std::size_t i = 0; i < skin.joints.size(); ++i) {
    const Affine& X = rest[at(skin.joints[i])];
    if (is_regular(skin.inverse_binds[i]) && is_regular(X)) {
      joints.push_back({inverse(skin.inverse_binds[i]), X});
    }
  }
  double best = std::numeric_limits<double>::infinity();
  Affine chosen;
  for (const Affine& candidate : candidates) {
    if (!is_regular(candidate) || joints.empty()) continue;
    const Affine model = fitted(candidate, joints);
    double sum = 0;
    for (const BoundJoint& j : joints) sum += norm(model * j.bound.origin - j.rest.origin);
    if (sum < best) best = sum, chosen = model;
  }
  return chosen;
}

}  // namespace

const VertexAttribute* MeshPrimitive::find(std::string_view name) const {
  for (const VertexAttribute& attribute : attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

int Character::find_clip(std::string_view wanted) const {
  int begins = -1, count = 0;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    if (clips[i].name == wanted) return static_cast<int>(i);
    if (std::string_view(clips[i].name).substr(0, wanted.size()) != wanted) continue;
    begins = static_cast<int>(i), ++count;
  }
  return count == 1 ? begins : -1;
}

SkeletonPose bind_pose(const Character& character) {
  const Skeleton& skeleton = character.skeleton;
  const SkeletonPose rest(skeleton);
  const std::vector<Affine> X_rest = model_transforms(skeleton, rest);
  std::vector<std::optional<Affine>> bound(skeleton.joints.size());
  for (const Skin& skin : character.skins) {
    const Affine model = model_from_bind(character, skin, X_rest);
    for (std::size_t i = 0; i < skin.joints.size(); ++i) {
      std::optional<Affine>& X = bound[at(skin.joints[i])];
      if (!X && is_regular(skin.inverse_binds[i])) X = model * inverse(skin.inverse_binds[i]);
    }
  }
  // joints without a bind keep their place against their parent
  SkeletonPose pose = rest;
  std::vector<Affine> X(skeleton.joints.size());
  for (int j = 0; j < skeleton.size(); ++j) {
    const int parent = skeleton[j].parent;
    const Affine base = parent < 0 ? Affine{} : X[at(parent)];
    if (bound[at(j)] && is_regular(base)) {
      pose.set(j, decomposed(inverse(base) * *bound[at(j)]));
    }
    X[at(j)] = base * affine(pose[j]);
  }
  return pose;
}

std::vector<Vec3> skinned_positions(const Character& character, const Attachment& attachment,
                                    const MeshPrimitive& primitive, const SkeletonPose& pose) {
  const std::vector<Affine> X_MJ = model_transforms(character.skeleton, pose);
  const VertexAttribute* positions = primitive.find("POSITION");
  std::vector<Vec3> result;
  if (!positions) return result;
  const std::size_t count = positions->values.size() / 3;
  std::vector<Affine> palette;
  if (attachment.skin >= 0) {
    const Skin& skin = character.skins[at(attachment.skin)];
    for (std::size_t i = 0; i < skin.joints.size(); ++i) {
      palette.push_back(X_MJ[at(skin.joints[i])] * skin.inverse_binds[i]);
    }
  }
  const Affine X = (attachment.joint < 0 ? Affine{} : X_MJ[at(attachment.joint)]) * attachment.X_JA;
  for (std::size_t v = 0; v < count; ++v) {
    const float* p = positions->values.data() + 3 * v;
    const Vec3 point{double{p[0]}, double{p[1]}, double{p[2]}};
    if (palette.empty() || primitive.joints.empty()) {
      result.push_back(X * point);
      continue;
    }
    Vec3 sum;
    for (std::size_t set = 0; set < primitive.joints.size(); ++set) {
      const VertexAttribute* weights = primitive.find("WEIGHTS_" + std::to_string(set));
      if (!weights) continue;
      for (std::size_t i = 0; i < 4; ++i) {
        const double w = double{weights->values[4 * v + i]};
        if (w != 0) sum += (palette[primitive.joints[set][4 * v + i]] * point) * w;
      }
    }
    result.push_back(sum);
  }
  return result;
}

}  // namespace molejo::motion
