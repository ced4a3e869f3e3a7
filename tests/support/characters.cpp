#include "tests/support/characters.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tests/support/places.h"

namespace molejo::test {

namespace {

namespace fs = std::filesystem;
using namespace motion;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

double signed_uniform(Random& random) { return 2 * random.uniform() - 1; }

Quat about(const Vec3& axis, double angle) { return exp_quat(axis * angle); }

struct Bone {
  const char* name;
  int parent;
  Vec3 offset;
};

Skeleton skeleton_of(const std::vector<Bone>& bones) {
  Skeleton s;
  for (const Bone& b : bones) s.joints.push_back({b.name, b.parent, {b.offset, {}, {1, 1, 1}}});
  return s;
}

// A thin box from each joint to its first child, bound to that joint.
void add_boxes(motion::Character& c) {
  const std::vector<Affine> X = model_transforms(c.skeleton, SkeletonPose(c.skeleton));
  Skin skin{"skin", {}, {}};
  MeshPrimitive p;
  p.material = 0;
  VertexAttribute position{"POSITION", 3, {}}, weights{"WEIGHTS_0", 4, {}};
  p.joints.emplace_back();
  for (int j = 0; j < c.skeleton.size(); ++j) {
    skin.joints.push_back(j);
    skin.inverse_binds.push_back(inverse(X[at(j)]));
    const int parent = c.skeleton[j].parent;
    if (parent < 0) continue;
    const Vec3 a = X[at(parent)].origin, b = X[at(j)].origin;
    const auto first = static_cast<std::uint32_t>(position.values.size() / 3);
    for (int i = 0; i < 8; ++i) {
      const Vec3 end = i < 4 ? a : b;
      const double s = 0.03;
      const Vec3 v = end + Vec3{(i & 1) ? s : -s, (i & 2) ? s : -s, (i & 4) ? s : -s};
      for (int k = 0; k < 3; ++k) position.values.push_back(static_cast<float>(v[k]));
      p.joints[0].insert(p.joints[0].end(), {static_cast<std::uint16_t>(parent), 0, 0, 0});
      weights.values.insert(weights.values.end(), {1, 0, 0, 0});
    }
    for (const std::uint32_t i : {0u, 1u, 2u, 1u, 3u, 2u, 4u, 6u, 5u, 5u, 6u, 7u,
                                  0u, 4u, 1u, 1u, 4u, 5u, 2u, 3u, 6u, 3u, 7u, 6u}) {
      p.indices.push_back(first + i);
    }
  }
  p.attributes = {position, weights};
  c.meshes.push_back({"boxes", {p}});
  c.skins.push_back(skin);
  c.attachments.push_back({"body", -1, {}, 0, 0});
  c.looks.materials =
      R"([{"name": "clay", "pbrMetallicRoughness": {"baseColorFactor": [0.8, 0.5, 0.3, 1], "metallicFactor": 0}}])";
  c.looks.material_count = 1;
}

Track rotation_track(int joint, int times, const std::vector<Quat>& q) {
  Track t{.joint = joint, .channel = Channel::rotation, .times = times};
  for (const Quat& x : q) t.values.insert(t.values.end(), {x.w, x.x, x.y, x.z});
  return t;
}

Clip walk_clip(const motion::Character& c) {
  Clip clip{.name = "walk", .times = {{}}, .tracks = {}};
  constexpr int keys = 31;
  const auto find = [&](const char* name) { return c.skeleton.find(name); };
  std::vector<Quat> thigh[2], shin[2], arm[2];
  Track hips{.joint = find("mixamorig:Hips"), .channel = Channel::translation};
  for (int k = 0; k < keys; ++k) {
    const double t = k / 30.0, phase = 2 * 3.141592653589793 * t;
    clip.times[0].push_back(t);
    for (int side = 0; side < 2; ++side) {
      const double swing = std::sin(phase + 3.141592653589793 * side);
      const double bend = std::max(0.0, std::cos(phase + 3.141592653589793 * side));
      thigh[side].push_back(about({1, 0, 0}, -0.5 * swing));
      shin[side].push_back(about({1, 0, 0}, 0.9 * bend));
      arm[side].push_back(about({1, 0, 0}, 0.4 * swing));
    }
    const Vec3 p{0.02 * std::sin(phase), 1.0 + 0.02 * std::cos(2 * phase), t};
    hips.values.insert(hips.values.end(), {p.x, p.y, p.z});
  }
  const char* sides[] = {"Left", "Right"};
  for (std::size_t s = 0; s < 2; ++s) {
    const std::string side = std::string("mixamorig:") + sides[s];
    clip.tracks.push_back(rotation_track(find((side + "UpLeg").c_str()), 0, thigh[s]));
    clip.tracks.push_back(rotation_track(find((side + "Leg").c_str()), 0, shin[s]));
    clip.tracks.push_back(rotation_track(find((side + "Arm").c_str()), 0, arm[s]));
  }
  clip.tracks.push_back(hips);
  return clip;
}

// All three interpolations, keys of different times, a start that is not zero.
Clip wave_clip(const motion::Character& c) {
  Clip clip{.name = "wave", .times = {{0.5, 1.0, 1.75}, {0.5, 0.9, 1.5, 2.0}}, .tracks = {}};
  const int arm = c.skeleton.find("mixamorig:RightForeArm"),
            head = c.skeleton.find("mixamorig:Head");
  const int hand = c.skeleton.find("mixamorig:RightHand");
  clip.tracks.push_back(rotation_track(arm, 0, {{}, about({0, 0, 1}, 1.2), about({0, 1, 0}, 0.4)}));
  Track cubic{.joint = head, .interpolation = Interpolation::cubic_spline, .times = 1};
  for (const double angle : {0.0, 0.5, -0.3, 0.0}) {
    const Quat q = about({0, 1, 0}, angle);
    cubic.values.insert(cubic.values.end(), {0, 0.1, 0.2, 0});
    cubic.values.insert(cubic.values.end(), {q.w, q.x, q.y, q.z});
    cubic.values.insert(cubic.values.end(), {0, -0.1, 0.3, 0});
  }
  clip.tracks.push_back(cubic);
  clip.tracks.push_back({.joint = hand,
                         .channel = Channel::scale,
                         .interpolation = Interpolation::step,
                         .times = 0,
                         .values = {1, 1, 1, 1.5, 1.5, 1.5, 1, 2, 1}});
  return clip;
}

}  // namespace

motion::Character stick_character() {
  motion::Character c;
  c.name = "stick";
  c.skeleton = skeleton_of({{"mixamorig:Hips", -1, {0, 1, 0}},
                            {"mixamorig:Spine", 0, {0, 0.1, 0}},
                            {"mixamorig:Spine1", 1, {0, 0.15, 0}},
                            {"mixamorig:Neck", 2, {0, 0.2, 0}},
                            {"mixamorig:Head", 3, {0, 0.1, 0}},
                            {"mixamorig:HeadTop_End", 4, {0, 0.2, 0}},
                            {"mixamorig:LeftShoulder", 2, {0.06, 0.15, 0}},
                            {"mixamorig:LeftArm", 6, {0.12, 0, 0}},
                            {"mixamorig:LeftForeArm", 7, {0.28, 0, 0}},
                            {"mixamorig:LeftHand", 8, {0.25, 0, 0}},
                            {"mixamorig:RightShoulder", 2, {-0.06, 0.15, 0}},
                            {"mixamorig:RightArm", 10, {-0.12, 0, 0}},
                            {"mixamorig:RightForeArm", 11, {-0.28, 0, 0}},
                            {"mixamorig:RightHand", 12, {-0.25, 0, 0}},
                            {"mixamorig:LeftUpLeg", 0, {0.1, -0.05, 0}},
                            {"mixamorig:LeftLeg", 14, {0, -0.45, 0.01}},
                            {"mixamorig:LeftFoot", 15, {0, -0.43, -0.01}},
                            {"mixamorig:LeftToeBase", 16, {0, -0.06, 0.14}},
                            {"mixamorig:RightUpLeg", 0, {-0.1, -0.05, 0}},
                            {"mixamorig:RightLeg", 18, {0, -0.45, 0.01}},
                            {"mixamorig:RightFoot", 19, {0, -0.43, -0.01}},
                            {"mixamorig:RightToeBase", 20, {0, -0.06, 0.14}}});
  add_boxes(c);
  c.clips = {walk_clip(c), wave_clip(c)};
  Clip idle{.name = "idle", .times = {{0, 1, 2}}, .tracks = {}};
  idle.tracks.push_back(rotation_track(1, 0, {{}, about({1, 0, 0}, 0.05), {}}));
  c.clips.push_back(idle);
  return c;
}

motion::Character other_character() {
  motion::Character c;
  c.name = "other";
  // a root that looks the other way, joints with frames of their own
  c.skeleton = skeleton_of({{"Armature", -1, {0, 0, 0}},
                            {"hips", 0, {0, 1.4, 0}},
                            {"spine", 1, {0, 0.1, 0}},
                            {"chest", 2, {0, 0.1, 0}},
                            {"upperChest", 3, {0, 0.1, 0}},
                            {"neck", 4, {0, 0.15, 0}},
                            {"head", 5, {0, 0.1, 0}},
                            {"leftShoulder", 4, {0.05, 0.1, 0}},
                            {"leftUpperArm", 7, {0.1, 0, 0}},
                            {"leftLowerArm", 8, {0.2, 0, 0}},
                            {"leftHand", 9, {0.2, 0, 0}},
                            {"rightShoulder", 4, {-0.05, 0.1, 0}},
                            {"rightUpperArm", 11, {-0.1, 0, 0}},
                            {"rightLowerArm", 12, {-0.2, 0, 0}},
                            {"rightHand", 13, {-0.2, 0, 0}},
                            {"leftUpperLeg", 1, {0.12, -0.05, 0}},
                            {"leftLowerLeg", 15, {0, -0.65, 0.01}},
                            {"leftFoot", 16, {0, -0.6, -0.01}},
                            {"leftToes", 17, {0, -0.08, 0.18}},
                            {"rightUpperLeg", 1, {-0.12, -0.05, 0}},
                            {"rightLowerLeg", 19, {0, -0.65, 0.01}},
                            {"rightFoot", 20, {0, -0.6, -0.01}},
                            {"rightToes", 21, {0, -0.08, 0.18}}});
  c.skeleton.joints[0].rest.rotation = about({0, 1, 0}, 3.141592653589793);
  c.skeleton.joints[8].rest.rotation = about({0, 0, 1}, -0.7);
  c.skeleton.joints[12].rest.rotation = about({0, 0, 1}, 0.7);
  add_boxes(c);
  return c;
}

motion::Character random_character(int joints, int keys, Random& random) {
  motion::Character c;
  Clip clip{.name = "random", .times = {{}}, .tracks = {}};
  for (int k = 0; k < keys; ++k) clip.times[0].push_back(k / 30.0);
  const auto quaternion_at_random = [&] {
    return safe_unit({signed_uniform(random), signed_uniform(random), signed_uniform(random),
                      signed_uniform(random)});
  };
  for (int j = 0; j < joints; ++j) {
    SkeletonJoint joint{
        "joint" + std::to_string(j), j == 0 ? -1 : static_cast<int>(random.uniform() * j), {}};
    joint.rest.translation = {signed_uniform(random), signed_uniform(random),
                              signed_uniform(random)};
    joint.rest.rotation = quaternion_at_random();
    c.skeleton.joints.push_back(joint);
    std::vector<Quat> q;
    for (int k = 0; k < keys; ++k) q.push_back(quaternion_at_random());
    clip.tracks.push_back(rotation_track(j, 0, q));
  }
  c.clips.push_back(clip);
  return c;
}

double pose_distance(const SkeletonPose& a, const SkeletonPose& b) {
  double most = a.joints() == b.joints() ? 0 : 1e9;
  for (int j = 0; j < std::min(a.joints(), b.joints()); ++j) {
    const Quat p = a.rotation(j), q = b.rotation(j);
    const double s = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z < 0 ? -1 : 1;
    most = std::max({most, max_abs(a.translation(j) - b.translation(j)),
                     max_abs(a.scale(j) - b.scale(j)), std::fabs(p.w - s * q.w),
                     std::fabs(p.x - s * q.x), std::fabs(p.y - s * q.y), std::fabs(p.z - s * q.z)});
  }
  return most;
}

std::string installed_clip(const std::string& name) {
  const std::string path = source_dir() + "/node_modules/.molejo-clips/" + name;
  return fs::exists(path) ? path : "";
}

std::vector<std::string> assimp_models(const std::vector<std::string>& endings) {
  std::vector<std::string> files;
  std::error_code error;
  for (const char* folder : {"/usr/share/assimp/models", "/usr/share/assimp/models-nonbsd"}) {
    if (!fs::exists(folder, error)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      const std::string ending = entry.path().extension().string();
      if (std::find(endings.begin(), endings.end(), ending) != endings.end()) {
        files.push_back(entry.path().string());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace molejo::test
