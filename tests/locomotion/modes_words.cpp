// The words for a shape are measured on it: the motions that the thesis names are at its indices.
#include "molejo/locomotion/modes_words.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "molejo/io/scene.h"
#include "tests/support/places.h"

using namespace molejo;

namespace {

Character shipped(const std::string& name, const CharacterOptions& options = {}) {
  return make_character(
      read_scene(SourceFile::given(test::source_dir() + "/scenes/characters/" + name + ".json")),
      options);
}

std::vector<ModeWords> words(const Character& c, const Modes& modes, int support) {
  std::vector<ModeWords> list;
  for (int i = 0; i < modes.count(); ++i) {
    list.push_back(mode_words(c, modes.phi.col(i), support));
  }
  return list;
}

}  // namespace

TEST_CASE("mode words: the humanoid moves in the air as the thesis says at its indices") {
  const Character c = shipped("humanoid");
  const auto air = words(c, air_modes(c), -1);
  CHECK(air[1].name == "legs scissor fore-aft");
  CHECK(air[1].plane == ModePlane::sagittal);
  CHECK(air[1].symmetry == ModeSymmetry::alternating);
  CHECK(air[2].name == "whole-body lateral bend");
  CHECK(air[2].plane == ModePlane::lateral);
  CHECK(air[2].symmetry == ModeSymmetry::alternating);
  CHECK(air[9].name == "knees alternate");
  CHECK(air[9].symmetry == ModeSymmetry::alternating);
  CHECK(air[10].name == "knees bend together");
  CHECK(air[10].symmetry == ModeSymmetry::symmetric);
  // the highest are twists of limbs
  CHECK(air[28].plane == ModePlane::twist);
  CHECK(air[29].plane == ModePlane::twist);
}

TEST_CASE("mode words: the humanoid moves on the ground as the thesis says at its indices") {
  const Character c = shipped("humanoid");
  for (const int foot : {0, 1}) {
    const auto ground = words(c, ground_modes(c, foot), foot);
    CHECK(ground[1].name == "legs scissor fore-aft");
    CHECK(ground[2].name == "push-off");
    CHECK(ground[2].stance_extension > 0.7);
    CHECK(ground[3].name == "whole-body lateral bend");
    CHECK(ground[8].name == "arm swing");
    CHECK(ground[9].name == "turn about the vertical");
    CHECK(ground[9].symmetry == ModeSymmetry::one_sided);
  }
}

TEST_CASE("mode words: the names hold for any common stiffness, and for no other index") {
  const Character c = shipped("humanoid", {.stiffness = 37});
  const auto air = words(c, air_modes(c), -1);
  const auto ground = words(c, ground_modes(c, 1), 1);
  const auto count = [](const std::vector<ModeWords>& list, const std::string& name) {
    return std::count_if(list.begin(), list.end(),
                         [&](const ModeWords& w) { return w.name == name; });
  };
  for (const char* name : {"legs scissor fore-aft", "whole-body lateral bend", "knees alternate",
                           "knees bend together", "arm swing"}) {
    CHECK(count(air, name) == 1);
  }
  for (const char* name : {"legs scissor fore-aft", "push-off", "whole-body lateral bend",
                           "arm swing", "turn about the vertical"}) {
    CHECK(count(ground, name) == 1);
  }
}

TEST_CASE("mode words: shares sum to one and the sign of a shape does not matter") {
  for (const char* name : {"humanoid", "monster", "kangaroo", "quadruped"}) {
    const Character c = shipped(name);
    const Modes modes = air_modes(c);
    for (int i = 0; i < modes.count(); ++i) {
      const ModeWords w = mode_words(c, modes.phi.col(i));
      double sum = 0;
      for (const auto& role : w.share) {
        for (const auto& axis : role) sum += axis[0] + axis[1];
      }
      CHECK(sum == doctest::Approx(1).epsilon(1e-9));
      CHECK(w.axis_share[0] + w.axis_share[1] + w.axis_share[2] ==
            doctest::Approx(1).epsilon(1e-9));
      CHECK(mode_words(c, -modes.phi.col(i)).text() == w.text());
      // in the air a symmetric figure has modes that are symmetric or alternating
      CHECK(std::fabs(w.mirror_product) == doctest::Approx(1).epsilon(1e-6));
    }
  }
}

TEST_CASE("mode words: joints get their roles from the tree") {
  const auto role_of = [](const Character& c, const std::string& body) {
    return joint_roles_of(c)[static_cast<std::size_t>(c.model.body(body).index)];
  };
  const Character man = shipped("humanoid", {.without_feet = {"left_leg.foot"}});
  CHECK(role_of(man, "left_leg.thigh") == JointRole::hip);
  CHECK(role_of(man, "left_leg.shin") == JointRole::knee);
  CHECK(role_of(man, "left_leg.foot") == JointRole::ankle);
  CHECK(role_of(man, "right_arm.upper") == JointRole::shoulder);
  CHECK(role_of(man, "right_arm.fore") == JointRole::elbow);
  const Character kangaroo = shipped("kangaroo");
  CHECK(role_of(kangaroo, "thigh") == JointRole::hip);
  CHECK(role_of(kangaroo, "foot") == JointRole::ankle);
  CHECK(role_of(kangaroo, "tail3") == JointRole::trunk);
  CHECK(role_of(kangaroo, "chest") == JointRole::trunk);
  CHECK(role_of(kangaroo, "left_arm.fore") == JointRole::elbow);
  const Character dog = shipped("quadruped");
  CHECK(role_of(dog, "left_fore_leg.upper") == JointRole::hip);
  CHECK(role_of(dog, "right_hind_leg.shin") == JointRole::knee);
  CHECK(role_of(dog, "pelvis") == JointRole::trunk);
}

TEST_CASE("mode words: a shape made by hand is called what it is") {
  const Character c = shipped("humanoid");
  const std::vector<std::string> names = freedom_names(c);
  const auto word = [&](std::initializer_list<std::pair<const char*, double>> entries) {
    VecX phi = VecX::Zero(c.internal);
    for (const auto& [name, value] : entries) {
      phi[std::find(names.begin(), names.end(), name) - names.begin()] = value;
    }
    return mode_words(c, phi / phi.norm()).name;
  };
  CHECK(word({{"left_leg.hip y", 1}, {"right_leg.hip y", -1}}) == "legs scissor fore-aft");
  CHECK(word({{"left_leg.hip x", 1}, {"right_leg.hip x", -1}}) == "legs spread sideways");
  CHECK(word({{"left_leg.knee y", 1}, {"right_leg.knee y", 1}}) == "knees bend together");
  CHECK(word({{"left_arm.elbow z", 1}, {"right_arm.elbow z", -1}}) == "forearms twist in and out");
  CHECK(word({{"left_leg.ankle y", 1}}) == "left foot nods");
  CHECK(word({{"right_arm.shoulder y", 1}}) == "right arm swings");
}
