#include "molejo/director/clip_data.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/math/same_bits.h"

namespace molejo {

namespace {

using motion::Role;

constexpr Role roles_of[clip_limb_count][3]{
    {Role::left_upper_arm, Role::left_lower_arm, Role::left_hand},
    {Role::right_upper_arm, Role::right_lower_arm, Role::right_hand},
    {Role::left_upper_leg, Role::left_lower_leg, Role::left_foot},
    {Role::right_upper_leg, Role::right_lower_leg, Role::right_foot}};

constexpr double straight = 1e-4;  // sine of a bend whose plane is not trusted
constexpr double far = 1e6;

// v / |v|, or another where v has no direction.
Vec3 direction(const Vec3& v, const Vec3& otherwise) {
  const double n = norm(v);
  return n > 1e-12 && n < 1e100 ? v / n : otherwise;
}

// All keys, or so many evenly chosen ones that a hostile file costs no more than seconds.
std::vector<double> learning_times(const motion::Clip& clip, int joints) {
  std::vector<double> all;
  for (const std::vector<double>& times : clip.times) {
    all.insert(all.end(), times.begin(), times.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const std::size_t most = 200'000'000 / (static_cast<std::size_t>(joints) + 1000);
  const std::size_t stride = all.size() / most + 1;
  std::vector<double> chosen;
  for (std::size_t i = 0; i < all.size(); i += stride) chosen.push_back(all[i]);
  return chosen;
}

}  // namespace

std::optional<ClipLimb> clip_limb(const std::string& name) {
  const motion::NameParts parts = motion::name_parts(name);
  if (parts.side == 0) return {};
  if (parts.rest == "arm") return parts.side > 0 ? ClipLimb::left_arm : ClipLimb::right_arm;
  if (parts.rest == "leg") return parts.side > 0 ? ClipLimb::left_leg : ClipLimb::right_leg;
  return {};
}

ClipData::ClipData(const motion::Character& character, int clip)
    : skeleton_(character.skeleton),
      roles_(motion::find_roles(skeleton_, motion::bind_pose(character))),
      sampler_(skeleton_, character.clips[molejo::at(clip)]) {
  for (int i = 0; i < clip_limb_count; ++i) {
    const auto& r = roles_of[i];
    chains_[molejo::at(i)] = {roles_[r[0]], roles_[r[1]], roles_[r[2]]};
  }
  for (const Role top : {Role::neck, Role::chest, Role::head, Role::spine}) {
    if (spine_top_ < 0) spine_top_ = roles_[top];
  }
  std::vector<int> used;
  for (const int joint : roles_.joints) {
    if (joint >= 0) used.push_back(joint);
  }
  path_ = motion::path_to(skeleton_, used);
  Scratch s = scratch();
  s.pose = motion::bind_pose(character);
  s.X = motion::model_transforms(skeleton_, s.pose);
  s.q = motion::model_rotations(skeleton_, s.pose);
  if (roles_[Role::hips] >= 0) hips_reference_ = s.q[molejo::at(roles_[Role::hips])];
  const Vec3 up = seen(spine(s), 0);
  tilt_reference_ = arc_tangent(up.x, up.z);
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    const Chain& c = chains_[i];
    if (!c.complete()) continue;
    const Vec3 a = s.X[molejo::at(c.upper)].origin, b = s.X[molejo::at(c.lower)].origin,
               e = s.X[molejo::at(c.end)].origin;
    rest_[2 * i] = direction(b - a, -roles_.bearing.up);
    rest_[2 * i + 1] = direction(e - b, rest_[2 * i]);
  }
  learn(learning_times(character.clips[molejo::at(clip)], skeleton_.size()));
}

// What only the whole clip tells: where its ground is, and about what its limbs bend.
void ClipData::learn(const std::vector<double>& times) {
  Scratch s = scratch();
  std::array<double, clip_limb_count> most{};
  double lowest = far;
  for (const double t : times) {
    sample(t - sampler_.start(), s);
    if (chains_[2].complete() || chains_[3].complete()) lowest = std::min(lowest, lower_ankle(s));
    const int hips = roles_[Role::hips];
    if (hips >= 0 && !(max_abs(s.X[molejo::at(hips)].origin) < far)) bounded_ = false;
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      if (!chains_[i].complete()) continue;
      const auto [a, b, e] = chains_[i];
      const Vec3 upper =
          direction(s.X[molejo::at(b)].origin - s.X[molejo::at(a)].origin, rest_[2 * i]);
      const Vec3 lower =
          direction(s.X[molejo::at(e)].origin - s.X[molejo::at(b)].origin, rest_[2 * i + 1]);
      const Vec3 axis = cross(upper, lower);
      if (!(norm(axis) > std::max(most[i], straight))) continue;
      most[i] = norm(axis);
      hinges_[i] = rotated(conjugate(s.q[molejo::at(a)]), axis / most[i]);
    }
  }
  if (!(std::fabs(lowest) <= far)) bounded_ = false;
  ground_ = lowest;
}

std::vector<std::string> ClipData::missing(ClipLimb limb) const {
  std::vector<std::string> names;
  if (roles_[Role::hips] < 0) names.emplace_back(to_string(Role::hips));
  for (const Role role : roles_of[static_cast<int>(limb)]) {
    if (roles_[role] < 0) names.emplace_back(to_string(role));
  }
  return names;
}

ClipData::Scratch ClipData::scratch() const {
  const auto n = molejo::at(skeleton_.size());
  return {sampler_.cursor(), motion::SkeletonPose(skeleton_), std::vector<motion::Affine>(n),
          std::vector<Quat>(n)};
}

void ClipData::sample(double t, Scratch& s) const {
  sampler_.sample(sampler_.start() + t, s.cursor, s.pose);
  motion::model_transforms(skeleton_, s.pose, {}, path_, s.X);
  for (const int j : path_) {
    const int parent = skeleton_[j].parent;
    const Quat q = s.pose.rotation(j);
    s.q[molejo::at(j)] = parent < 0 ? q : s.q[molejo::at(parent)] * q;
  }
}

double ClipData::lower_ankle(const Scratch& s) const {
  double lowest = far;
  for (const std::size_t i : {2u, 3u}) {
    if (!chains_[i].complete()) continue;
    lowest = std::min(lowest, height(s.X[molejo::at(chains_[i].end)].origin));
  }
  return lowest;
}

Vec3 ClipData::spine(const Scratch& s) const {
  const int hips = roles_[Role::hips];
  if (hips < 0 || spine_top_ < 0) return roles_.bearing.up;
  return direction(s.X[molejo::at(spine_top_)].origin - s.X[molejo::at(hips)].origin,
                   roles_.bearing.up);
}

Vec3 ClipData::seen(const Vec3& v, double heading) const {
  const motion::Bearing& b = roles_.bearing;
  const SinCos<double> sc = sincos(heading);
  const double x = dot(v, b.front), y = dot(v, b.left);
  return {sc.cos * x + sc.sin * y, sc.cos * y - sc.sin * x, dot(v, b.up)};
}

LimbDirections ClipData::directions(int limb, const Scratch& s, double heading) const {
  const std::size_t i = molejo::at(limb);
  const auto [a, b, e] = chains_[i];
  const Vec3 upper = direction(s.X[molejo::at(b)].origin - s.X[molejo::at(a)].origin, rest_[2 * i]);
  const Vec3 lower =
      direction(s.X[molejo::at(e)].origin - s.X[molejo::at(b)].origin, rest_[2 * i + 1]);
  Vec3 hinge;
  if (norm(hinges_[i]) > 0) {
    // the plane of a bent limb, or the one in which this limb bends
    const Vec3 learned = rotated(s.q[molejo::at(a)], hinges_[i]), bend = cross(upper, lower);
    const Vec3 across = direction(learned - upper * dot(learned, upper), {});
    hinge = norm(bend) > straight ? bend / norm(bend) : across;
    if (dot(hinge, learned) < 0) hinge = -hinge;
  }
  return {seen(upper, heading), seen(lower, heading), seen(hinge, heading)};
}

ClipPose ClipData::at(double t, Scratch& s) const {
  sample(t, s);
  ClipPose pose;
  const int hips = roles_[Role::hips];
  if (hips >= 0) {
    const Quat turned = s.q[molejo::at(hips)] * conjugate(hips_reference_);
    pose.heading =
        2 * arc_tangent(dot(Vec3{turned.x, turned.y, turned.z}, roles_.bearing.up), turned.w);
    pose.ground = seen(s.X[molejo::at(hips)].origin, 0);
    pose.ground.z = 0;
  }
  const Vec3 up = seen(spine(s), pose.heading);
  pose.tilt = arc_tangent(up.x, up.z) - tilt_reference_;
  for (int i = 0; i < clip_limb_count; ++i) {
    if (chains_[molejo::at(i)].complete()) {
      pose.limbs[molejo::at(i)] = directions(i, s, pose.heading);
    }
  }
  const double ankle = lower_ankle(s);
  if (ankle < far) pose.clearance = std::max(0.0, ankle - ground_);
  return pose;
}

}  // namespace molejo
