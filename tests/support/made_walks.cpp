#include "tests/support/made_walks.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "molejo/io/character_file.h"
#include "molejo/math/same_bits.h"
#include "molejo/motion/edit.h"

namespace molejo::test {

namespace {

using namespace motion;

constexpr double pi = 3.141592653589793, degree = pi / 180, fps = 30;
constexpr Vec3 left{1, 0, 0}, up{0, 1, 0}, front{0, 0, 1};

std::size_t at(int i) { return static_cast<std::size_t>(i); }
Quat about(const Vec3& axis, double angle) { return exp_quat(axis * angle); }
double sine(double x) { return sincos(x).sin; }
double cosine(double x) { return sincos(x).cos; }
double smooth(double s) { return s * s * (3 - 2 * s); }

// From a to b over s in [0, 1], with these slopes at the ends.
template <class T>
T hermite(const T& a, const T& slope_a, const T& b, const T& slope_b, double s) {
  const double s2 = s * s, s3 = s2 * s;
  return a * (2 * s3 - 3 * s2 + 1) + slope_a * (s3 - 2 * s2 + s) + b * (3 * s2 - 2 * s3) +
         slope_b * (s3 - s2);
}

// A figure and its pose: rotations are given in axes of the model.
struct Figure {
  Skeleton skeleton;
  SkeletonPose pose;
  std::vector<Quat> turned;  // of each joint, in axes of the model

  int add(const char* name, const char* parent, const Vec3& offset) {
    skeleton.joints.push_back(
        {name, *parent ? skeleton.find(parent) : -1, {offset, {}, {1, 1, 1}}});
    return skeleton.size() - 1;
  }
  void stand_at_rest() {
    pose = SkeletonPose(skeleton);
    turned.assign(skeleton.joints.size(), Quat{});
  }
  // Parents first.
  void turn(const std::string& name, const Quat& q) { turn(skeleton.find(name), q); }
  void turn(int j, const Quat& q) {
    const int parent = skeleton[j].parent;
    turned[at(j)] = q;
    pose.set_rotation(j, parent < 0 ? q : conjugate(turned[at(parent)]) * q);
  }
  // Against its parent.
  void bend(const std::string& name, const Quat& q) {
    const int j = skeleton.find(name);
    turn(j, turned[at(skeleton[j].parent)] * q);
  }
  Vec3 offset(int j) const { return skeleton[j].rest.translation; }
};

// The frame of a bone along t whose joint bends about x.
Mat3 bone_frame(const Vec3& x, const Vec3& t) { return from_columns(x, -t, cross(t, x)); }

void turn_bone(Figure& f, int joint, const Vec3& rest, const Vec3& x, const Vec3& t) {
  const Mat3 R = bone_frame(x, t) * transpose(bone_frame(left, normalized(rest)));
  f.turn(joint, quaternion(R));
}

// Two bones from `root` (in the model) to a place, with the joint between them to the side `knee`.
void reach(Figure& f, int upper, int lower, const Vec3& end_offset, const Vec3& root,
           const Vec3& to, const Vec3& knee) {
  const Vec3 a = f.offset(lower), b = end_offset;
  const double l1 = norm(a), l2 = norm(b);
  const double far = std::fmin(norm(to - root), 0.9995 * (l1 + l2));
  const Vec3 u = normalized(to - root);
  const Vec3 p = normalized(knee - u * dot(u, knee));
  const Vec3 x = cross(u, p) * (dot(knee, front) > 0 ? -1.0 : 1.0);
  const double c = (l1 * l1 + far * far - l2 * l2) / (2 * l1 * far);
  const double s = std::sqrt(std::fmax(0, 1 - c * c));
  const Vec3 t1 = u * c + p * s;
  turn_bone(f, upper, a, x, t1);
  turn_bone(f, lower, b, x, normalized(u * far - t1 * l1));
}

motion::Character finished(const Figure& f, const std::string& name,
                           const std::vector<SkeletonPose>& poses) {
  motion::Character c;
  c.name = name;
  c.skeleton = f.skeleton;
  std::vector<double> times;
  for (std::size_t k = 0; k < poses.size(); ++k) times.push_back(static_cast<double>(k) / fps);
  c.clips = {clip_from_poses(c.skeleton, name, times, poses)};
  return c;
}

// The person.

struct Sole {
  Vec3 heel{0, -0.08, -0.05}, ball{0, -0.08, 0.13};  // from the ankle
};
struct FootPose {
  Vec3 ankle;
  double pitch = 0, toes = 0;  // rad, toes down is positive; toes against the foot
};

// One foot over the cycle; it comes down with its heel at phase 0, at z = `print`.
class Foot {
 public:
  Foot(double side, double stride) : side_(side), stride_(stride) {}

  FootPose at(double phase) const {
    const double loops = std::floor(phase), s = phase - loops;
    FootPose p = s < off ? stance(s) : swing((s - off) / (1 - off));
    p.ankle = p.ankle + front * (loops * stride_);
    return p;
  }
  static constexpr double flat = 0.10, heel_off = 0.34, off = 0.60;

 private:
  Quat turn(double pitch) const { return about(up, side_ * 5 * degree) * about(left, pitch); }

  FootPose stance(double s) const {
    constexpr Sole sole;
    const Vec3 heel{side_ * 0.085, 0, 0.27};
    const Vec3 ball = heel + matrix(turn(0)) * (sole.ball - sole.heel);
    if (s < heel_off) {
      const double pitch = s < flat ? -20 * degree * (1 - smooth(s / flat)) : 0;
      return {heel - matrix(turn(pitch)) * sole.heel, pitch, 0};
    }
    const double u = (s - heel_off) / (off - heel_off), pitch = 46 * degree * u * u;
    return {ball - matrix(turn(pitch)) * sole.ball, pitch, -pitch};
  }

  FootPose swing(double s) const {
    constexpr double h = 1e-6, length = 1 - off;
    const FootPose a = stance(off), before = stance(off - h);
    FootPose b = stance(0);
    b.ankle = b.ankle + front * stride_;
    const auto slope = [&](auto to, auto from) { return (to - from) * (length / h); };
    FootPose p;
    p.ankle = hermite(a.ankle, slope(a.ankle, before.ankle), b.ankle, Vec3{}, s);
    p.ankle = p.ankle + up * (0.065 * 16 * s * s * (1 - s) * (1 - s));
    p.pitch = hermite(a.pitch, slope(a.pitch, before.pitch), b.pitch, 0.0, s);
    p.toes = a.toes * (1 - smooth(s));
    return p;
  }

  double side_, stride_;
};

Figure person() {
  Figure f;
  f.add("Hips", "", {0, 0.95, 0});
  f.add("Spine", "Hips", {0, 0.12, -0.01});
  f.add("Chest", "Spine", {0, 0.17, 0});
  f.add("Neck", "Chest", {0, 0.22, 0});
  f.add("Head", "Neck", {0, 0.09, 0.02});
  f.add("Head_end", "Head", {0, 0.2, 0});
  for (const double side : {1.0, -1.0}) {
    const std::string s = side > 0 ? "Left" : "Right";
    const auto add = [&](const char* name, const std::string& parent, const Vec3& offset) {
      f.add((s + name).c_str(), parent.c_str(), offset);
    };
    add("Shoulder", "Chest", {side * 0.04, 0.16, 0});
    add("Arm", s + "Shoulder", {side * 0.14, 0, 0});
    add("ForeArm", s + "Arm", {side * 0.29, 0, 0});
    add("Hand", s + "ForeArm", {side * 0.26, 0, 0});
    add("Hand_end", s + "Hand", {side * 0.17, 0, 0});
    add("UpLeg", "Hips", {side * 0.09, -0.02, 0});
    add("Leg", s + "UpLeg", {0, -0.43, 0.01});
    add("Foot", s + "Leg", {0, -0.42, -0.01});
    add("ToeBase", s + "Foot", {0, -0.068, 0.13});
    add("ToeBase_end", s + "ToeBase", {0, 0, 0.07});
  }
  f.stand_at_rest();
  return f;
}

struct Posture {
  Vec3 hips;
  Quat pelvis, chest;
};

void set_trunk(Figure& f, const Posture& p) {
  f.pose.set_translation(0, p.hips);
  f.turn("Hips", p.pelvis);
  f.turn("Spine", slerp(p.pelvis, p.chest, 0.5));
  f.turn("Chest", p.chest);
  f.turn("Neck", slerp(p.chest, {}, 0.5));
  f.turn("Head", {});
  f.turn("Head_end", {});
}

void set_arm(Figure& f, double side, double swing, double elbow) {
  const std::string s = side > 0 ? "Left" : "Right";
  f.bend(s + "Shoulder", {});
  // from the side to hanging, then swung
  f.bend(s + "Arm", about(left, -swing) * about(front, -side * 80 * degree));
  f.bend(s + "ForeArm", about(up, -side * elbow));
  f.bend(s + "Hand", {});
  f.bend(s + "Hand_end", {});
}

void set_leg(Figure& f, double side, const FootPose& foot) {
  const std::string s = side > 0 ? "Left" : "Right";
  const int upper = f.skeleton.find(s + "UpLeg"), lower = upper + 1, ankle = upper + 2;
  const Vec3 root = f.pose.translation(0) + matrix(f.turned[0]) * f.offset(upper);
  const Quat out = about(up, side * 5 * degree);
  reach(f, upper, lower, f.offset(ankle), root, foot.ankle, matrix(out) * front);
  f.turn(ankle, out * about(left, foot.pitch));
  f.bend(s + "ToeBase", about(left, foot.toes));
  f.bend(s + "ToeBase_end", {});
}

// The dog.

struct Paw {
  const char *first, *second, *third, *end;  // names behind the side
  double phase, place, knee;                 // when it comes down, z of its middle, where it bends
};
constexpr Paw hind{"UpLeg", "Leg", "Hock", "Foot", 0, -0.30, 1},
    fore{"Arm", "ForeArm", "Carpus", "Hand", 0.25, 0.25, -1};
constexpr double dog_stride = 0.60, dog_duty = 0.65;

Figure dog() {
  Figure f;
  f.add("Hips", "", {0, 0.50, -0.27});
  f.add("Tail", "Hips", {0, 0.02, -0.08});
  f.add("Tail1", "Tail", {0, -0.04, -0.14});
  f.add("Tail1_end", "Tail1", {0, -0.05, -0.14});
  f.add("Spine", "Hips", {0, 0.01, 0.18});
  f.add("Chest", "Spine", {0, 0, 0.20});
  f.add("Neck", "Chest", {0, 0.06, 0.14});
  f.add("Head", "Neck", {0, 0.13, 0.12});
  f.add("Head_end", "Head", {0, -0.03, 0.18});
  for (const double side : {1.0, -1.0}) {
    const std::string s = side > 0 ? "Left" : "Right";
    const auto add = [&](const char* name, const std::string& parent, const Vec3& offset) {
      f.add((s + name).c_str(), parent.c_str(), offset);
    };
    add("Shoulder", "Chest", {side * 0.05, 0.02, 0.06});
    add("Arm", s + "Shoulder", {side * 0.02, -0.08, 0.08});
    add("ForeArm", s + "Arm", {0, -0.15, -0.07});
    add("Carpus", s + "ForeArm", {0, -0.21, 0.01});
    add("Hand", s + "Carpus", {0, -0.08, 0.02});
    add("Hand_end", s + "Hand", {0, -0.01, 0.05});
    add("UpLeg", "Hips", {side * 0.07, -0.02, -0.02});
    add("Leg", s + "UpLeg", {0, -0.16, 0.07});
    add("Hock", s + "Leg", {0, -0.14, -0.11});
    add("Foot", s + "Hock", {0, -0.14, 0.02});
    add("Foot_end", s + "Foot", {0, -0.01, 0.05});
  }
  f.stand_at_rest();
  return f;
}

// Where the paw is and how far it is bent down; it stands for `dog_duty` of the cycle.
FootPose paw_at(const Paw& paw, double side, double phase) {
  const double loops = std::floor(phase), s = phase - loops;
  FootPose p;
  const double reach_front = 0.5 * dog_duty * dog_stride;
  p.ankle = {side * 0.075, 0.02, paw.place + reach_front + loops * dog_stride};
  if (s < dog_duty) return p;
  const double u = (s - dog_duty) / (1 - dog_duty), v = 16 * u * u * (1 - u) * (1 - u);
  p.ankle.z += dog_stride * smooth(u);
  p.ankle.y += 0.07 * v;
  p.pitch = 60 * degree * v * (1 - u);
  return p;
}

void set_paw(Figure& f, const Paw& paw, double side, const FootPose& foot) {
  const std::string s = side > 0 ? "Left" : "Right";
  const int upper = f.skeleton.find(s + paw.first), lower = f.skeleton.find(s + paw.second);
  const int third = f.skeleton.find(s + paw.third), end = f.skeleton.find(s + paw.end);
  const int parent = f.skeleton[upper].parent;
  const std::vector<Affine> X = model_transforms(f.skeleton, f.pose);
  const Vec3 root = X[at(parent)] * f.offset(upper);
  // the lowest bone leans as the whole leg does
  const double lean = arc_tangent(root.z - foot.ankle.z, root.y - foot.ankle.y);
  const Quat low = about(left, 0.8 * lean + 0.5 * foot.pitch);
  const Vec3 hock = foot.ankle - matrix(low) * f.offset(end);
  reach(f, upper, lower, f.offset(third), root, hock, front * paw.knee);
  f.turn(third, low);
  f.turn(end, about(left, foot.pitch));
  f.bend(s + paw.end + "_end", {});
}

}  // namespace

motion::Character made_stick_walk() {
  constexpr int frames = 32;
  constexpr double stride = 1.24;
  Figure f = person();
  const Foot feet[] = {Foot(1, stride), Foot(-1, stride)};
  std::vector<SkeletonPose> poses;
  for (int k = 0; k <= frames; ++k) {
    // the left heel comes down at phase 0, the right one at 1/2
    const double phase = static_cast<double>(k) / frames, turn = 2 * pi * phase;
    Posture p;
    p.hips = {0.022 * sine(turn - 0.1), 0.910 - 0.018 * cosine(2 * (turn - 0.3)),
              stride * phase + 0.008 * sine(2 * turn)};
    p.pelvis = about(up, 5 * degree * cosine(turn)) * about(front, -3 * degree * sine(turn - 0.3));
    p.pelvis = about(left, 3 * degree) * p.pelvis;
    p.chest = about(up, -5 * degree * cosine(turn)) * about(front, 1.5 * degree * sine(turn));
    p.chest = about(left, 4 * degree) * p.chest;
    set_trunk(f, p);
    for (const double side : {1.0, -1.0}) {
      const double own = turn + (side > 0 ? 0 : pi);
      // the arm is back when its leg is in front
      set_arm(f, side, degree * (2 - 22 * cosine(own - 0.2)),
              degree * (22 - 12 * cosine(own - 0.2)));
      const double shifted = phase - (side > 0 ? 0 : 0.5);
      FootPose foot = feet[side > 0 ? 0 : 1].at(shifted);
      if (side < 0) foot.ankle = foot.ankle + front * (0.5 * stride);
      set_leg(f, side, foot);
    }
    poses.push_back(f.pose);
  }
  return finished(f, "stick_walk", poses);
}

motion::Character made_stick_idle() {
  constexpr int frames = 90;
  Figure f = person();
  std::vector<SkeletonPose> poses;
  for (int k = 0; k <= frames; ++k) {
    const double turn = 2 * pi * k / frames;
    Posture p;
    p.hips = {0.012 * sine(turn), 0.928 + 0.002 * cosine(2 * turn), 0.004 * sine(2 * turn)};
    p.pelvis = about(front, -0.8 * degree * sine(turn));
    p.chest = about(left, degree * (1.5 + 1.2 * sine(2 * turn))) *
              about(up, 1.5 * degree * sine(turn + 0.6));
    set_trunk(f, p);
    for (const double side : {1.0, -1.0}) {
      set_arm(f, side, degree * (3 + 1.2 * sine(2 * turn - 0.5)), 14 * degree);
      const Quat out = about(up, side * 5 * degree);
      set_leg(f, side, {matrix(out) * Vec3{0, 0.08, 0} + Vec3{side * 0.095, 0, 0}, 0, 0});
    }
    poses.push_back(f.pose);
  }
  return finished(f, "stick_idle", poses);
}

motion::Character made_dog_walk() {
  constexpr int frames = 24;
  Figure f = dog();
  std::vector<SkeletonPose> poses;
  for (int k = 0; k <= frames; ++k) {
    const double phase = static_cast<double>(k) / frames, turn = 2 * pi * phase;
    f.pose.set_translation(0, {0.008 * sine(turn - 0.6), 0.46 + 0.006 * cosine(2 * turn - 0.8),
                               -0.27 + dog_stride * phase});
    const Quat pelvis = about(up, 3 * degree * cosine(turn)) * about(left, degree * sine(2 * turn));
    const Quat chest = about(up, -3 * degree * cosine(turn)) * about(front, degree * sine(turn));
    f.turn("Hips", pelvis);
    f.bend("Tail", about(up, 10 * degree * sine(turn)));
    f.bend("Tail1", about(up, 14 * degree * sine(turn - 0.8)));
    f.bend("Tail1_end", {});
    f.turn("Spine", slerp(pelvis, chest, 0.5));
    f.turn("Chest", chest);
    f.turn("Neck", about(left, degree * (2 * sine(2 * turn))));
    f.turn("Head", about(left, degree * (4 - 2 * sine(2 * turn))));
    f.bend("Head_end", {});
    for (const double side : {1.0, -1.0}) {
      f.bend(side > 0 ? "LeftShoulder" : "RightShoulder", {});
      for (const Paw& paw : {fore, hind}) {
        // left hind, left fore, right hind, right fore, a quarter apart; a paw that comes down
        // later lies that much farther on
        const double delay = paw.phase + (side > 0 ? 0 : 0.5);
        FootPose foot = paw_at(paw, side, phase - delay);
        foot.ankle.z += delay * dog_stride;
        set_paw(f, paw, side, foot);
      }
    }
    poses.push_back(f.pose);
  }
  return finished(f, "dog_walk", poses);
}

std::string made_walk_text(const motion::Character& character) {
  std::istringstream in(bvh_text(character, character.clips.front(), {fps}));
  std::string out, line;
  bool motion = false;
  while (std::getline(in, line)) {
    if (!motion || line.rfind("Frame", 0) == 0) {
      motion = motion || line == "MOTION";
      out += line + "\n";
      continue;
    }
    std::istringstream words(line);
    std::string word, row;
    while (words >> word) {
      // no minus before zero
      const double x = std::floor(std::strtod(word.c_str(), nullptr) * 1e4 + 0.5) / 1e4 + 0.0;
      row += (row.empty() ? "" : " ") + fmt::format("{:.10g}", x);
    }
    out += row + "\n";
  }
  return out;
}

}  // namespace molejo::test
