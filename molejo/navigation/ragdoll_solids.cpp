// How thick the segments of a character are, and what they weigh.
#include <algorithm>
#include <cmath>

#include "molejo/math/angles.h"
#include "molejo/math/index.h"
#include "molejo/navigation/ragdoll_parts.h"

namespace molejo::navigation {

namespace {

constexpr double density = 1000;  // kg/m^3, of water: near that of a body

// The value below which the part `share` of all lies.
double quantile(std::vector<double> values, double share) {
  const auto n = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + n, values.end());
  return values[static_cast<std::size_t>(n)];
}

// By Newton's method: the same bits everywhere.
double cube_root(double x) {
  double y = std::max(x, 1.0);
  for (int n = 0; n < 200; ++n) {
    const double next = y - (y - x / (y * y)) / 3;
    if (next >= y) break;
    y = next;
  }
  return y;
}

double held_within(double x, double low, double high) { return std::clamp(x, low, high); }

class SolidMaker {
 public:
  SolidMaker(const Rig& rig, const std::vector<Segment>& segments, double mass, double scale)
      : rig_(rig),
        segments_(segments),
        mass_(mass),
        legs_(rig.leg_length * scale),
        skin_(segments.size()) {}

  // Vertices go to the segment of the joint that holds them most, in its axes.
  void look_at(const Character& character, const SkeletonPose& pose, double scale) {
    const PlacedSkeleton placed = place_skeleton(rig_, pose, scale);
    const Affine X_WM = placement(rig_.bearing(), {}, 0, scale);
    for (const motion::Attachment& attachment : character.attachments) {
      if (attachment.mesh < 0 || attachment.skin < 0) continue;
      const Skin& skin = character.skins[at(attachment.skin)];
      for (const MeshPrimitive& primitive : character.meshes[at(attachment.mesh)].primitives) {
        const VertexAttribute* weights = primitive.find("WEIGHTS_0");
        if (!weights || primitive.joints.empty()) continue;
        const std::vector<Vec3> p = skinned_positions(character, attachment, primitive, pose);
        for (std::size_t v = 0; v < p.size(); ++v) {
          std::size_t most = 0;
          for (std::size_t k = 1; k < 4; ++k) {
            if (weights->values[4 * v + k] > weights->values[4 * v + most]) most = k;
          }
          keep(skin.joints[primitive.joints[0][4 * v + most]], X_WM * p[v], placed);
        }
      }
    }
  }

  std::vector<Solid> make() {
    share_mass();
    std::vector<Solid> solids;
    for (std::size_t i = 0; i < segments_.size(); ++i) solids.push_back(make(i));
    return solids;
  }

 private:
  void keep(int joint, const Vec3& p, const PlacedSkeleton& placed) {
    for (int j = joint; j >= 0; j = rig_.skeleton[j].parent) {
      for (std::size_t i = 0; i < segments_.size(); ++i) {
        const Segment& s = segments_[i];
        const bool own =
            s.joint == j || ((s.kind == SegmentKind::torso || s.kind == SegmentKind::waist) &&
                             std::find(s.spread.begin(), s.spread.end(), j) != s.spread.end());
        if (!own) continue;
        Vec3 sum;
        for (const int k : s.spread) sum += placed.p[at(k)];
        const Quat q_JB = conjugate(s.q_WJ) * s.q_WB;
        const Mat3 R_WB = matrix(normalized(placed.q[at(s.joint)] * q_JB));
        skin_[i].push_back(transpose_times(R_WB, p - sum / static_cast<double>(s.spread.size())));
        return;
      }
    }
  }

  // Of a biped; all together are `mass_`.
  void share_mass() {
    fraction_.assign(segments_.size(), 0);
    if (!is_biped(rig_)) return;
    double sum = 0;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      const Segment& s = segments_[i];
      fraction_[i] = mass_fraction(s.kind) - mass_elsewhere(i);
      if (s.kind == SegmentKind::limb) {
        // a leg of more bones: thigh and shank by length
        double length = 0;
        for (const Segment& other : segments_) {
          if (other.leg == s.leg && other.kind == s.kind) length += other.length;
        }
        fraction_[i] = s.length / length *
                       (mass_fraction(SegmentKind::thigh) + mass_fraction(SegmentKind::shank));
      }
      sum += fraction_[i];
    }
    for (double& f : fraction_) f /= sum;
  }

  // What a segment next to it has of its mass.
  double mass_elsewhere(std::size_t i) const {
    const SegmentKind kind = segments_[i].kind;
    if (kind == SegmentKind::torso && segments_[i].parent >= 0 &&
        segments_[at(segments_[i].parent)].kind == SegmentKind::waist) {
      return mass_fraction(SegmentKind::waist);
    }
    for (const auto& [whole, part] : {std::pair{SegmentKind::lower_arm, SegmentKind::hand},
                                      std::pair{SegmentKind::foot, SegmentKind::toes}}) {
      if (kind == whole && child_of(i, part)) return mass_fraction(part);
    }
    return 0;
  }

  double volume(std::size_t i) const { return mass_ * fraction_[i] / density; }

  // As thick as its mass asks, within what a limb looks like.
  double radius(std::size_t i) const {
    const Segment& s = segments_[i];
    double r = fraction_[i] > 0 ? std::sqrt(volume(i) / (pi * s.length)) : 0.12 * s.length;
    std::vector<double> distances;
    for (const Vec3& p : skin_[i]) {
      if (p.z < 0.15 * s.length || p.z > 0.85 * s.length) continue;
      distances.push_back(std::sqrt(p.x * p.x + p.y * p.y));
    }
    if (distances.size() >= 8) r = quantile(distances, 0.6);
    return held_within(r, 0.04 * s.length, 0.45 * s.length);
  }

  // Distance of two segments of a kind, of those on both sides.
  double spread_of(SegmentKind kind, double otherwise) const {
    const Segment* first = nullptr;
    for (const Segment& s : segments_) {
      if (s.kind != kind) continue;
      if (first) return norm(s.origin - first->origin);
      first = &s;
    }
    return otherwise;
  }

  const Segment* child_of(std::size_t i, SegmentKind kind) const {
    for (const Segment& s : segments_) {
      if (s.kind == kind && s.parent == static_cast<int>(i)) return &s;
    }
    return nullptr;
  }

  Shape capsule(double from, double to, double r) const {
    Shape shape;
    const double half = std::max(0.5 * (to - from) - r, 0.05 * r);
    shape.geometry = Capsule{r, half};
    shape.X_BS.p = {0, 0, 0.5 * (from + to)};
    return shape;
  }
  static Shape box(const Vec3& low, const Vec3& high) {
    Shape shape;
    shape.geometry = Box{(high - low) * 0.5};
    shape.X_BS.p = (low + high) * 0.5;
    return shape;
  }
  // Where most of the skin is, along its axes.
  std::optional<Shape> skin_box(std::size_t i) const {
    if (skin_[i].size() < 24) return {};
    Vec3 low, high;
    for (int c = 0; c < 3; ++c) {
      std::vector<double> x;
      for (const Vec3& p : skin_[i]) x.push_back(p[c]);
      low[c] = quantile(x, 0.04), high[c] = quantile(x, 0.96);
    }
    const Vec3 size = high - low;
    if (!(std::min({size.x, size.y, size.z}) > 0.02 * segments_[i].length)) return {};
    return box(low, high);
  }

  Shape trunk(std::size_t i) const {
    const Segment& s = segments_[i];
    if (const auto fitted = skin_box(i)) return *fitted;
    const double legs = spread_of(SegmentKind::thigh, 0.6 * s.length);
    double width, low = 0, high = s.length;
    if (s.kind == SegmentKind::torso) {
      width = 0.85 * spread_of(SegmentKind::upper_arm, 1.8 * legs);
      low = -0.08 * s.length;
    } else if (s.kind == SegmentKind::waist) {
      width = 1.7 * legs;
    } else {
      width = 1.8 * legs;
      if (const Segment* thigh = child_of(i, SegmentKind::thigh)) {
        low = thigh->origin.z - s.origin.z - 0.25 * legs;
      }
      for (const SegmentKind above : {SegmentKind::waist, SegmentKind::torso}) {
        if (const Segment* child = child_of(i, above)) high = child->origin.z - s.origin.z;
      }
      high = std::max(high, low + 0.6 * legs);
    }
    width = std::max(width, 0.3 * (high - low));
    const double depth = held_within(volume(i) / (width * (high - low)), 0.35 * width, 0.8 * width);
    return box({-0.5 * depth, -0.5 * width, low}, {0.5 * depth, 0.5 * width, high});
  }

  Shape head(std::size_t i) const {
    const Segment& s = segments_[i];
    if (const auto fitted = skin_box(i)) {
      const Vec3 half = std::get<Box>(fitted->geometry).half, c = fitted->X_BS.p;
      Shape shape = capsule(c.z - half.z, c.z + half.z, std::min(half.z, 0.5 * (half.x + half.y)));
      shape.X_BS.p = c;
      return shape;
    }
    // a ball on the neck
    const double r = fraction_[i] > 0 ? cube_root(0.75 * volume(i) / pi) : 0.5 * s.length;
    return capsule(0.1 * r, 2.3 * r, r);
  }

  // Heel and toe in the axes of the foot, in which x is up.
  Sole sole_of(const Segment& s) const {
    const Sole& sole = rig_.legs[at(s.leg)].sole;
    const double apart = norm(sole.toe - sole.heel);
    if (!(apart > 0)) {
      return {{-0.25 * s.length, 0, -0.25 * s.length}, {-0.25 * s.length, 0, s.length}};
    }
    const Mat3 R_BJ = matrix(conjugate(normalized(conjugate(s.q_WJ) * s.q_WB)));
    return {R_BJ * (sole.heel * (s.length / apart)), R_BJ * (sole.toe * (s.length / apart))};
  }

  // A box on its sole, whose toes are a quarter longer; a ball for a paw.
  Shape foot(std::size_t i) const {
    const Segment& s = segments_[i];
    const auto [heel, toe] = sole_of(s);
    if (!is_biped(rig_)) {
      const double r = 0.35 * s.length;
      Shape shape;
      shape.geometry = Sphere{r};
      shape.X_BS.p = (heel + toe) * 0.5 + Vec3{r, 0, 0};
      return shape;
    }
    const double low = std::min({heel.x, toe.x, -0.1 * s.length});
    const bool ends_at_toes = child_of(i, SegmentKind::toes) != nullptr;
    const double end = ends_at_toes ? toe.z : toe.z + 0.25 * (toe.z - heel.z);
    const double length = end - heel.z;
    const double high = std::max(0.0, low + 0.15 * length);
    const double width =
        held_within(volume(i) / (length * (high - low)), 0.3 * length, 0.45 * length);
    return box({low, -0.5 * width, heel.z}, {high, 0.5 * width, end});
  }

  // A box on the sole of its foot, as wide, before the toe point.
  Shape toes(std::size_t i) const {
    const Segment& s = segments_[i];
    const Segment& whole = segments_[at(s.parent)];
    const Box above = std::get<Box>(foot(at(s.parent)).geometry);
    const Vec3 toe = whole.origin + matrix(whole.q_WB) * sole_of(whole).toe;
    const Vec3 p = transpose_times(matrix(s.q_WB), toe - s.origin);
    const double height = std::min(1.2 * above.half.x, 0.4 * s.length);
    return box({p.x, p.y - above.half.y, p.z}, {p.x + height, p.y + above.half.y, p.z + s.length});
  }

  Shape beast_trunk(std::size_t i) const {
    const Segment& s = segments_[i];
    if (const auto fitted = skin_box(i)) return *fitted;
    double half = 0.2 * legs_;
    for (const Segment& a : segments_) {
      if (a.leg >= 0 && a.parent == static_cast<int>(i)) {
        half = std::max(half, 0.5 * std::fabs(a.origin.y - s.origin.y));
      }
    }
    half = std::min(half, 0.45 * s.length);
    return capsule(-0.2 * s.length, s.length, half);
  }

  Solid make(std::size_t i) const {
    const Segment& s = segments_[i];
    Solid solid;
    switch (s.kind) {
      case SegmentKind::pelvis:
      case SegmentKind::waist:
      case SegmentKind::torso:
        solid.shape = s.upright ? trunk(i) : beast_trunk(i);
        break;
      case SegmentKind::head:
        solid.shape = head(i);
        break;
      case SegmentKind::foot:
        solid.shape = foot(i);
        break;
      case SegmentKind::toes:
        solid.shape = toes(i);
        break;
      default: {
        const double r = radius(i);
        solid.shape = capsule(-0.3 * r, s.length + 0.3 * r, r);
      }
    }
    solid.mass = mass_properties(solid.shape, density);
    if (fraction_[i] > 0) {
      solid.mass = mass_properties(solid.shape, density * volume(i) * density / solid.mass.mass);
    }
    return solid;
  }

  const Rig& rig_;
  const std::vector<Segment>& segments_;
  double mass_;
  double legs_;  // m
  std::vector<std::vector<Vec3>> skin_;
  std::vector<double> fraction_;
};

// Distance of a point from a shape; below zero inside a round one.
double distance(const Shape& shape, const Vec3& p) {
  const Vec3 x = transpose_times(shape.X_BS.R, p - shape.X_BS.p);
  if (const auto* b = std::get_if<Box>(&shape.geometry)) {
    Vec3 out;
    for (int c = 0; c < 3; ++c) out[c] = std::max(std::fabs(x[c]) - b->half[c], 0.0);
    return norm(out);
  }
  double radius = 0, half = 0;
  if (const auto* c = std::get_if<Capsule>(&shape.geometry))
    radius = c->radius, half = c->half_length;
  if (const auto* c = std::get_if<Sphere>(&shape.geometry)) radius = c->radius;
  const double beyond = std::max(std::fabs(x.z) - half, 0.0);
  return std::sqrt(x.x * x.x + x.y * x.y + beyond * beyond) - radius;
}

// Is a part of `a` inside `b`?
bool reaches_into(const Shape& a, const Shape& b, const Pose& X_BA) {
  constexpr int count = 4;
  if (const auto* box = std::get_if<Box>(&a.geometry)) {
    for (int i = -count; i <= count; ++i) {
      for (int j = -count; j <= count; ++j) {
        for (int k = -count; k <= count; ++k) {
          const Vec3 x{box->half.x * i / count, box->half.y * j / count, box->half.z * k / count};
          if (distance(b, X_BA * (a.X_BS * x)) <= 0) return true;
        }
      }
    }
    return false;
  }
  double radius = 0, half = 0;
  if (const auto* c = std::get_if<Capsule>(&a.geometry)) radius = c->radius, half = c->half_length;
  if (const auto* c = std::get_if<Sphere>(&a.geometry)) radius = c->radius;
  for (int i = -2 * count; i <= 2 * count; ++i) {
    const Vec3 x{0, 0, half * i / (2 * count)};
    if (distance(b, X_BA * (a.X_BS * x)) <= radius) return true;
  }
  return false;
}

}  // namespace

std::vector<Solid> make_solids(const Rig& rig, const Character& character,
                               const std::vector<Segment>& segments, const SkeletonPose& pose,
                               double scale, double mass) {
  SolidMaker maker(rig, segments, mass, scale);
  maker.look_at(character, pose, scale);
  return maker.make();
}

bool overlap(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB) {
  const Pose X_BA = inverse(X_WB) * X_WA;
  return reaches_into(a, b, X_BA) || reaches_into(b, a, inverse(X_BA));
}

}  // namespace molejo::navigation
