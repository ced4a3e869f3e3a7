// Roles by name in every family, and by shape where names say nothing.
#include "molejo/motion/roles.h"

#include <doctest/doctest.h>

#include <cmath>

#include "molejo/motion/mirror.h"
#include "tests/support/characters.h"

using namespace molejo;
using namespace molejo::motion;
using enum Role;

namespace {

// Names in the order of the joints of `other_character` that have a role.
struct Family {
  const char* name;
  const char* joints[21];  // "" where the family has none
};

// hips, spine, chest, neck, head, then left and right: shoulder, upper arm, lower arm, hand; left
// and right: upper leg, lower leg, foot, toes
constexpr Family families[] = {
    {"Mixamo in three.js",
     {"mixamorigHips",          "mixamorigSpine",       "mixamorigSpine2",
      "mixamorigNeck",          "mixamorigHead",        "mixamorigLeftShoulder",
      "mixamorigLeftArm",       "mixamorigLeftForeArm", "mixamorigLeftHand",
      "mixamorigRightShoulder", "mixamorigRightArm",    "mixamorigRightForeArm",
      "mixamorigRightHand",     "mixamorigLeftUpLeg",   "mixamorigLeftLeg",
      "mixamorigLeftFoot",      "mixamorigLeftToeBase", "mixamorigRightUpLeg",
      "mixamorigRightLeg",      "mixamorigRightFoot",   "mixamorigRightToeBase"}},
    {"Unreal", {"pelvis",     "spine_01",   "spine_03", "neck_01",    "head",       "clavicle_l",
                "upperarm_l", "lowerarm_l", "hand_l",   "clavicle_r", "upperarm_r", "lowerarm_r",
                "hand_r",     "thigh_l",    "calf_l",   "foot_l",     "ball_l",     "thigh_r",
                "calf_r",     "foot_r",     "ball_r"}},
    {"VRM of VRoid", {"J_Bip_C_Hips",    "J_Bip_C_Spine",    "J_Bip_C_Chest",    "J_Bip_C_Neck",
                      "J_Bip_C_Head",    "J_Bip_L_Shoulder", "J_Bip_L_UpperArm", "J_Bip_L_LowerArm",
                      "J_Bip_L_Hand",    "J_Bip_R_Shoulder", "J_Bip_R_UpperArm", "J_Bip_R_LowerArm",
                      "J_Bip_R_Hand",    "J_Bip_L_UpperLeg", "J_Bip_L_LowerLeg", "J_Bip_L_Foot",
                      "J_Bip_L_ToeBase", "J_Bip_R_UpperLeg", "J_Bip_R_LowerLeg", "J_Bip_R_Foot",
                      "J_Bip_R_ToeBase"}},
    {"Rigify",
     {"DEF-spine",       "DEF-spine.001",   "DEF-spine.003", "DEF-spine.004", "DEF-spine.006",
      "DEF-shoulder.L",  "DEF-upper_arm.L", "DEF-forearm.L", "DEF-hand.L",    "DEF-shoulder.R",
      "DEF-upper_arm.R", "DEF-forearm.R",   "DEF-hand.R",    "DEF-thigh.L",   "DEF-shin.L",
      "DEF-foot.L",      "DEF-toe.L",       "DEF-thigh.R",   "DEF-shin.R",    "DEF-foot.R",
      "DEF-toe.R"}},
    {"Biped", {"Bip01 Pelvis", "Bip01 Spine",      "Bip01 Spine1",     "Bip01 Neck",
               "Bip01 Head",   "Bip01 L Clavicle", "Bip01 L UpperArm", "Bip01 L Forearm",
               "Bip01 L Hand", "Bip01 R Clavicle", "Bip01 R UpperArm", "Bip01 R Forearm",
               "Bip01 R Hand", "Bip01 L Thigh",    "Bip01 L Calf",     "Bip01 L Foot",
               "Bip01 L Toe0", "Bip01 R Thigh",    "Bip01 R Calf",     "Bip01 R Foot",
               "Bip01 R Toe0"}},
    {"Poser and Daz", {"hip",      "abdomen", "chest",   "neck",   "head",     "lCollar", "lShldr",
                       "lForeArm", "lHand",   "rCollar", "rShldr", "rForeArm", "rHand",   "lThigh",
                       "lShin",    "lFoot",   "lToe",    "rThigh", "rShin",    "rFoot",   "rToe"}},
    {"BVH with collars",
     {"Hips",         "Chest",      "Chest2",    "Neck",        "Head",          "LeftCollar",
      "LeftShoulder", "LeftElbow",  "LeftWrist", "RightCollar", "RightShoulder", "RightElbow",
      "RightWrist",   "LeftHip",    "LeftKnee",  "LeftAnkle",   "LeftToe",       "RightHip",
      "RightKnee",    "RightAnkle", "RightToe"}},
    {"SMPL", {"Pelvis",  "Spine1",  "Spine3",   "Neck",       "Head",    "L_Collar", "L_Shoulder",
              "L_Elbow", "L_Wrist", "R_Collar", "R_Shoulder", "R_Elbow", "R_Wrist",  "L_Hip",
              "L_Knee",  "L_Ankle", "L_Foot",   "R_Hip",      "R_Knee",  "R_Ankle",  "R_Foot"}},
    {"Quaternius",
     {"Hips",       "Abdomen", "Torso",      "Neck",       "Head",       "Shoulder.L", "UpperArm.L",
      "LowerArm.L", "Fist.L",  "Shoulder.R", "UpperArm.R", "LowerArm.R", "Fist.R",     "UpperLeg.L",
      "LowerLeg.L", "Foot.L",  "Toe.L",      "UpperLeg.R", "LowerLeg.R", "Foot.R",     "Toe.R"}},
};

// Joints of other_character that have these roles.
constexpr int places[] = {1,  2,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                          13, 14, 15, 16, 17, 18, 19, 20, 21, 22};

motion::Character renamed(const Family& family) {
  motion::Character c = test::other_character();
  c.skeleton.joints[3].name = "middle";  // the joint of the spine without a role
  for (int i = 0; i < 21; ++i) {
    c.skeleton.joints[static_cast<std::size_t>(places[i])].name = family.joints[i];
  }
  return c;
}

}  // namespace

TEST_CASE("roles: every joint is found in every family of names") {
  for (const Family& family : families) {
    const motion::Character c = renamed(family);
    const Roles roles = find_roles(c.skeleton, SkeletonPose(c.skeleton));
    CAPTURE(family.name);
    for (int r = 0; r < role_count; ++r) {
      CAPTURE(to_string(static_cast<Role>(r)));
      CHECK(roles.joints[static_cast<std::size_t>(r)] == places[r]);
    }
    CHECK(roles.walks());
    CHECK(roles.remarks.empty());
    CHECK(std::fabs(roles.leg_length - 1.25) < 0.01);
    // the root of this character is turned: it looks back
    CHECK(norm(roles.bearing.front - Vec3{0, 0, -1}) < 1e-12);
    CHECK(norm(roles.bearing.left - Vec3{-1, 0, 0}) < 1e-12);
  }
}

TEST_CASE("roles: without a telling name the shape decides, and says so") {
  for (motion::Character c : {test::stick_character(), test::other_character()}) {
    const Roles named = find_roles(c.skeleton, SkeletonPose(c.skeleton));
    for (std::size_t j = 0; j < c.skeleton.joints.size(); ++j) {
      c.skeleton.joints[j].name = "Object_" + std::to_string(j);
    }
    const Roles roles = find_roles(c.skeleton, SkeletonPose(c.skeleton));
    CAPTURE(c.name);
    for (const Role role :
         {hips, head, left_upper_leg, left_lower_leg, left_foot, left_toes, right_upper_leg,
          right_lower_leg, right_foot, right_toes, left_upper_arm, left_lower_arm, left_hand,
          right_upper_arm, right_lower_arm, right_hand}) {
      CAPTURE(to_string(role));
      CHECK(roles[role] == named[role]);
      CHECK(roles.evidence[static_cast<std::size_t>(role)] == Evidence::shape);
    }
    CHECK(norm(roles.bearing.front - named.bearing.front) < 1e-12);
  }
}

TEST_CASE("roles: below a named upper leg the shape finds the rest of it") {
  for (motion::Character c : {test::stick_character(), test::other_character()}) {
    CAPTURE(c.name);
    const Roles named = find_roles(c.skeleton, SkeletonPose(c.skeleton));
    const std::vector<Role> silent = {left_lower_leg,  left_foot,  left_toes,
                                      right_lower_leg, right_foot, right_toes};
    for (const Role role : silent) {
      c.skeleton.joints[static_cast<std::size_t>(named[role])].name =
          "Object_" + std::to_string(named[role]);
    }
    const Roles roles = find_roles(c.skeleton, SkeletonPose(c.skeleton));
    for (const Role role : silent) {
      CAPTURE(to_string(role));
      CHECK(roles[role] == named[role]);
      CHECK(roles.evidence[static_cast<std::size_t>(role)] == Evidence::shape);
    }
    CHECK(roles.evidence[static_cast<std::size_t>(left_upper_leg)] == Evidence::name);
  }
}

TEST_CASE("roles: what the user gives comes first") {
  const motion::Character c = test::stick_character();
  const int spine_joint = c.skeleton.find("mixamorig:Spine");
  const Roles roles =
      find_roles(c.skeleton, SkeletonPose(c.skeleton), {{hips, spine_joint}, {left_toes, -1}});
  CHECK(roles[hips] == spine_joint);
  CHECK(roles.evidence[0] == Evidence::user);
  CHECK(roles[left_toes] == -1);
  CHECK(roles[right_toes] >= 0);
}

TEST_CASE("roles: feet that hang from the root are found and remarked on") {
  motion::Character c = test::other_character();
  // as rigs for inverse kinematics are exported
  const std::vector<Affine> X = model_transforms(c.skeleton, SkeletonPose(c.skeleton));
  const int foot = c.skeleton.find("leftFoot");
  SkeletonJoint& joint = c.skeleton.joints[static_cast<std::size_t>(foot)];
  joint.parent = 0;
  joint.rest = decomposed(inverse(X[0]) * X[static_cast<std::size_t>(foot)]);
  const Roles roles = find_roles(c.skeleton, SkeletonPose(c.skeleton));
  CHECK(roles[left_foot] == foot);
  CHECK(roles.walks());
  REQUIRE(roles.remarks.size() == 1);
  CHECK(roles.remarks[0] ==
        "'leftFoot' does not hang from 'leftLowerLeg': its foot is moved on its own");
}

TEST_CASE("roles: a name is parted into side and rest") {
  const auto is = [](const char* name, int side, const char* rest) {
    const NameParts parts = name_parts(name);
    CAPTURE(name);
    CHECK(parts.side == side);
    CHECK(parts.rest == rest);
  };
  is("mixamorig:LeftUpLeg", 1, "upleg");
  is("Avatar_RightToeBase", -1, "toebase");
  is("thigh_l", 1, "thigh");
  is("DEF-upper_arm.R", -1, "upperarm");
  is("LHipJoint", 1, "hip");
  is("leftfoot", 1, "foot");
  is("leg-left", 1, "leg");
  is("Bip01 R Calf", -1, "calf");
  is("head", 0, "head");
  is("l", 0, "l");
  is("", 0, "");
}

TEST_CASE("mirror: partners are an involution that exchanges the sides") {
  const motion::Character c = test::stick_character();
  const SkeletonPose rest(c.skeleton);
  const std::vector<int> partners = mirror_partners(c.skeleton, rest, find_roles(c.skeleton, rest));
  const std::vector<Affine> X = model_transforms(c.skeleton, rest);
  for (int j = 0; j < c.skeleton.size(); ++j) {
    const int k = partners[static_cast<std::size_t>(j)];
    CHECK(partners[static_cast<std::size_t>(k)] == j);
    const Vec3 p = X[static_cast<std::size_t>(j)].origin, q = X[static_cast<std::size_t>(k)].origin;
    CHECK(max_abs(Vec3{-p.x, p.y, p.z} - q) < 1e-12);
  }
}
