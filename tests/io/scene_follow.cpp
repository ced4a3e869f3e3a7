// Bodies of a scene file that follow a path.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "molejo/io/file.h"
#include "molejo/io/scene.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/error_text.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr const char* keyed = R"({
  "start_time": 1, "duration": 1,
  "bodies": [
    {"name": "arm", "shape": {"box": 1},
     "follow": [{"t": 1, "position": [1, 2, 3]},
                {"t": 2, "position": [2, 2, 3], "orientation": {"axis": [0, 0, 1], "angle_deg": 90},
                 "velocity": [0, 0, 0], "angular_velocity_deg": [0, 0, 90]}]}
  ]
})";

}  // namespace

TEST_CASE("scene follow: keys of a body, and what is written reads the same") {
  const Scene scene = parse_scene(keyed, "a.json");
  CHECK(scene.settings.start_time == 1);
  const std::vector<MotionKey>& keys = scene.bodies[0].follows->keys();
  REQUIRE(keys.size() == 2);
  CHECK(keys[0].p == Vec3{1, 2, 3});
  CHECK_FALSE(keys[0].velocity.has_value());
  CHECK(keys[1].t == 2);
  CHECK(std::fabs(angles_xyz(matrix(keys[1].orientation)).z - std::acos(0)) < 1e-15);
  CHECK(std::fabs(keys[1].velocity->angular.z - std::acos(0)) < 1e-15);
  const Scene again = parse_scene(scene_text(scene), "b.json");
  CHECK(scene_text(again) == scene_text(scene));
  CHECK(again.settings.start_time == 1);

  const Shown shown(scene);
  CHECK(shown.seconds(0) == 1);
  CHECK(shown.pose("arm").p == Vec3{2, 2, 3});
  CHECK(shown.velocity("arm").linear == Vec3{});
}

TEST_CASE("scene follow: the angular velocity of a key, in radians or in degrees") {
  const auto angular = [](const std::string& velocity) {
    const Scene scene =
        parse_scene(R"({"bodies": [{"name": "arm", "shape": {"box": 1}, "follow": [{"t": 0, )" +
                        velocity + "}]}]}",
                    "a.json");
    return scene.bodies[0].follows->keys()[0].velocity.value().angular;
  };
  const double right = std::acos(0);
  CHECK(norm(angular(R"("angular_velocity_deg": [45, -90, 180])") -
             Vec3{right / 2, -right, 2 * right}) < 1e-15);
  CHECK(angular(R"("angular_velocity": [45, -90, 180])") == Vec3{45, -90, 180});
  CHECK(angular(R"("velocity": [1, 2, 3])") == Vec3{});
  CHECK(error_text([&] {
          angular(R"("angular_velocity": [0, 0, 1], "angular_velocity_deg": [0, 0, 1])");
        }).find("angular_velocity_deg") != std::string::npos);
}

TEST_CASE("scene follow: an instance carries the path with it") {
  const Scene scene = parse_scene(R"({
    "assemblies": {"door": {"bodies": [
      {"name": "leaf", "shape": {"box": 1},
       "follow": [{"t": 0, "velocity": [1, 0, 0], "angular_velocity": [2, 0, 3]},
                  {"t": 1, "position": [1, 0, 0], "velocity": [1, 0, 0]}]}]}},
    "instances": [{"assembly": "door", "name": "east", "position": [0, 5, 0],
                   "orientation": {"axis": [0, 0, 1], "angle_deg": 90}}]
  })",
                                  "a.json");
  const MotionPath& path = *scene.bodies[0].follows;
  CHECK(norm(path.at(0.5).p - Vec3{0, 5.5, 0}) < 1e-15);
  CHECK(norm(path.at(0.5).v - Vec3{0, 1, 0}) < 1e-15);
  CHECK(norm(path.keys()[0].velocity->angular - Vec3{0, 2, 3}) < 1e-15);
}

TEST_CASE("scene follow: a table beside the scene, and mistakes") {
  const std::string folder = binary_dir() + "/follow_scene";
  std::filesystem::create_directories(folder);
  write_file(folder + "/way.path", "# t s fi\n0 0 0 0 0 0 0\n2 0 0 4 0 0 0\n");
  const auto scene_with = [&](const std::string& follow) {
    return parse_scene(
        R"({"bodies": [{"name": "a", "shape": {"box": 1}, "follow": )" + follow + "}]}",
        SourceFile::given(folder + "/scene.json"));
  };
  CHECK(scene_with("\"way.path\"").bodies[0].follows->at(1).p == Vec3{0, 0, 2});
  const auto told = [&](const std::string& follow) {
    return error_text([&] { scene_with(follow); });
  };
  CHECK(told("\"no.path\"").find("no such file") != std::string::npos);
  CHECK(told("[]").find("0 keys") != std::string::npos);
  CHECK(told("[{}]").find("'t'") != std::string::npos);
  CHECK(told("[{\"t\": 0, \"pos\": 1}]").find("position") != std::string::npos);
  CHECK(told("[{\"t\": 1}, {\"t\": 1}]").find("key 1 of the path: times must increase") !=
        std::string::npos);
  CHECK(told("[{\"t\": 1}, {\"t\": 1}]").find("/bodies/0/follow") != std::string::npos);
}
