#include "tests/support/walks.h"

#include <cmath>

#include "molejo/io/character_file.h"
#include "tests/support/characters.h"

namespace molejo::test {

namespace {

using namespace motion;

constexpr double pi = 3.141592653589793;

// Of an ankle against the hip joint: forwards and up over the soles, at a part of the loop.
struct AnkleAt {
  double forwards, height;
};
AnkleAt ankle_at(int leg, double phase) {
  double u = 2 * (phase + 0.5 * leg);  // stands for u in 0..1, swings for 1..2
  u -= 2 * std::floor(u / 2);
  const double s = KnownGait::stride;
  if (u <= 1) return {s / 2 - s * u, KnownGait::ankle};
  const double w = u - 1;
  const double over_ground = 2 * s * (w - std::sin(2 * pi * w) / (2 * pi));
  const double lift = std::sin(pi * w);
  return {-s / 2 + over_ground - s * w, KnownGait::ankle + 0.12 * lift * lift};
}

void add_turn(Track& track, double angle) {
  const Quat q = exp_quat(Vec3{angle, 0, 0});
  track.values.insert(track.values.end(), {q.w, q.x, q.y, q.z});
}

// Thigh, shin and foot about the lateral axis, from the place of the ankle.
void add_leg(Clip& clip, const Skeleton& skeleton, const std::string& side, int leg) {
  const double l1 = std::hypot(0.45, 0.01), l2 = std::hypot(0.43, 0.01);
  const double p1 = std::atan2(0.01, 0.45), p2 = std::atan2(-0.01, 0.43);
  Track thigh{.joint = skeleton.find(side + "UpLeg")}, shin{.joint = skeleton.find(side + "Leg")};
  Track foot{.joint = skeleton.find(side + "Foot")};
  for (int k = 0; k <= KnownGait::frames; ++k) {
    const AnkleAt a = ankle_at(leg, static_cast<double>(k) / KnownGait::frames);
    const double down = 0.90 - a.height, r = std::hypot(a.forwards, down);
    const double bend = std::acos((l1 * l1 + r * r - l2 * l2) / (2 * l1 * r));
    const double a1 = std::atan2(a.forwards, down) + bend;
    const double a2 = std::atan2(a.forwards - l1 * std::sin(a1), down - l1 * std::cos(a1));
    const double first = p1 - a1, second = p2 - a2 - first;
    add_turn(thigh, first);
    add_turn(shin, second);
    add_turn(foot, -(first + second));
  }
  for (const Track* t : {&thigh, &shin, &foot}) clip.tracks.push_back(*t);
}

}  // namespace

bool KnownGait::stands(int leg, int frame) {
  const int f = (frame + leg * frames / 2) % frames;
  return f >= 1 && f <= frames / 2;
}

motion::Character gait_character(double scale) {
  motion::Character c = stick_character();
  Clip gait{.name = "gait", .times = {{}}, .tracks = {}};
  Track hips{.joint = c.skeleton.find("mixamorig:Hips"), .channel = Channel::translation};
  for (int k = 0; k <= KnownGait::frames; ++k) {
    const double t = KnownGait::duration * k / KnownGait::frames;
    gait.times[0].push_back(t);
    hips.values.insert(hips.values.end(), {0, 0.95 * scale, KnownGait::speed * t * scale});
  }
  add_leg(gait, c.skeleton, "mixamorig:Left", 0);
  add_leg(gait, c.skeleton, "mixamorig:Right", 1);
  gait.tracks.push_back(hips);
  // a pose of the gait with both feet under the hips would be half a swing: stand with bent knees
  Clip idle{.name = "idle", .times = {{0, 0.5, 1, 1.5, 2}}, .tracks = {}};
  Track low{.joint = hips.joint, .channel = Channel::translation};
  for (int k = 0; k < 5; ++k) low.values.insert(low.values.end(), {0, 0.98 * scale, 0});
  idle.tracks.push_back(low);
  for (const char* side : {"mixamorig:Left", "mixamorig:Right"}) {
    for (const auto& [joint, angle] : {std::pair{"UpLeg", -0.22}, {"Leg", 0.44}, {"Foot", -0.22}}) {
      Track t{.joint = c.skeleton.find(std::string(side) + joint)};
      for (int k = 0; k < 5; ++k) add_turn(t, angle);
      idle.tracks.push_back(t);
    }
  }
  Track breath{.joint = c.skeleton.find("mixamorig:Spine")};
  for (const double angle : {0.0, 0.04, 0.05, 0.02, 0.0}) add_turn(breath, angle);
  idle.tracks.push_back(breath);
  c.clips = {gait, idle};
  c.meshes.clear(), c.skins.clear(), c.attachments.clear();
  for (SkeletonJoint& j : c.skeleton.joints) j.rest.translation = j.rest.translation * scale;
  return c;
}

std::shared_ptr<const navigation::WalkClips> ready_clips(const motion::Character& character,
                                                         const std::string& walk, bool with_idle) {
  const Roles roles = find_roles(character.skeleton, bind_pose(character));
  const int w = character.find_clip(walk), i = character.find_clip("idle");
  const auto clip = [&](int k) { return &character.clips[static_cast<std::size_t>(k)]; };
  return navigation::make_walk_clips(character, navigation::make_rig(character, roles), *clip(w),
                                     with_idle && i >= 0 ? clip(i) : nullptr);
}

std::shared_ptr<const navigation::WalkClips> installed_walk(const std::string& family) {
  const std::string walk = installed_clip(family + "/walk.glb");
  const std::string idle = installed_clip(family + "/idle.glb");
  if (walk.empty() || idle.empty()) return nullptr;
  motion::Character c = load_character(SourceFile::given(walk));
  const motion::Character other = load_character(SourceFile::given(idle));
  const Roles roles = find_roles(c.skeleton, bind_pose(c));
  // the same skeleton, perhaps in another order
  Clip still = other.clips.front();
  for (Track& t : still.tracks) t.joint = c.skeleton.find(other.skeleton[t.joint].name);
  std::erase_if(still.tracks, [](const Track& t) { return t.joint < 0; });
  return navigation::make_walk_clips(c, navigation::make_rig(c, roles), c.clips.front(), &still);
}

motion::Ground level_ground(double height, double half) {
  Ground ground;
  ground.add({-half, half, -half, half, [height](double, double) {
                return Elevation{height, 0, 0};
              }});
  return ground;
}

motion::Ground hills(double height, double length, double half) {
  Ground ground;
  const double k = 2 * pi / length, a = height / 2;
  ground.add({-half, half, -half, half, [=](double x, double y) {
                const double sx = std::sin(k * x), sy = std::sin(k * y);
                return Elevation{a * (sx + 0.5 * sy), a * k * std::cos(k * x),
                                 0.5 * a * k * std::cos(k * y)};
              }});
  return ground;
}

motion::Ground wall_at(double x, double height) {
  Ground ground;
  ground.add({-200, 200, -200, 200, [=](double at, double) {
                return Elevation{at < x ? 0 : height, 0, 0};
              }});
  return ground;
}

motion::Ground ramp(double slope) {
  Ground ground;
  ground.add({-200, 200, -200, 200, [=](double x, double) {
                return x < 2 ? Elevation{0, 0, 0} : Elevation{slope * (x - 2), slope, 0};
              }});
  return ground;
}

}  // namespace molejo::test
