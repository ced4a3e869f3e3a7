// What touched, written down: events, forces, columns, arrows. The recording is made by hand.
#include "molejo/io/contacts.h"

#include <doctest/doctest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "molejo/io/columns.h"
#include "molejo/io/file.h"
#include "molejo/io/scene.h"
#include "molejo/io/stills.h"
#include "molejo/model/build.h"
#include "molejo/model/error.h"
#include "molejo/model/scene.h"
#include "tests/io/recorded.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;
using Json = nlohmann::json;

namespace {

constexpr BodyId crank{0}, ball{1}, post{2};

// In every other frame the ball is held by the post with 3 N up and 4 N along x, at two points, and
// the crank leans on the ball.
Recorded touched(int frame_count = 8) {
  Recorded r = recorded(frame_count);
  for (std::size_t i = 0; i < r.recording.frames.size(); i += 2) {
    Frame& frame = r.recording.frames[i];
    frame.contacts = {{ball, post, {1, 0, 0}, {0, 0, 1}, -1e-4, {4, 0, 1}},
                      {ball, post, {3, 0, 0}, {0, 0, 1}, -1e-4, {0, 0, 2}},
                      {crank, ball, {0, 5, 0}, {1, 0, 0}, 0, {2, 0, 0}}};
    frame.asleep = static_cast<int>(i);
  }
  r.model.bodies[2].name = "post, \"old\"";
  r.model.bodies[2].immobile = true;
  r.recording.contacts = {
      {0.25, ContactPhase::begin, ball, post, {1, 2, 3}, {0, 0, 1}, {0, 0, 0.5}},
      {0.5, ContactPhase::persist, ball, post, {1, 2, 3}, {0, 0, 1}, {0, 1, 2}},
      {0.75, ContactPhase::end, crank, world_body, {0, 0, 0}, {1, 0, 0}, {}}};
  r.recording.summary.impacts = 7;
  r.recording.summary.largest_penetration = 0.002;
  return r;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

Json root_of(const std::string& bytes) {
  // the length of the chunk, little endian
  std::size_t length = 0;
  for (std::size_t i = 4; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(bytes.at(12 + i));
  }
  return Json::parse(bytes.substr(20, length));
}

const Json* find_node(const Json& root, const std::string& name) {
  for (const Json& node : root["nodes"]) {
    if (node.value("name", "") == name) return &node;
  }
  return nullptr;
}

Scene parsed(const std::string& text) { return parse_scene(text, "test.json"); }

}  // namespace

TEST_CASE("contacts: events as CSV, names quoted where they must be") {
  const Recorded r = touched();
  CHECK(contacts_csv(r.model, r.recording) ==
        "t,phase,a,b,x,y,z,nx,ny,nz,jx,jy,jz\n"
        "0.25,begin,ball,\"post, \"\"old\"\"\",1,2,3,0,0,1,0,0,0.5\n"
        "0.5,persist,ball,\"post, \"\"old\"\"\",1,2,3,0,0,1,0,1,2\n"
        "0.75,end,crank,world,0,0,0,1,0,0,0,0,0\n");
  CHECK(contacts_csv(r.model, {}) == "t,phase,a,b,x,y,z,nx,ny,nz,jx,jy,jz\n");
}

TEST_CASE("contacts: events as JSON, with the same columns") {
  const Recorded r = touched();
  const Json root = Json::parse(contacts_json(r.model, r.recording));
  REQUIRE(root["columns"].size() == 13);
  CHECK(root["units"].size() == 13);
  CHECK(root["columns"][10] == "jx");
  CHECK(root["units"][10] == "N s");
  REQUIRE(root["contacts"].size() == 3);
  CHECK(root["contacts"][0] ==
        Json{0.25, "begin", "ball", "post, \"old\"", 1, 2, 3, 0, 0, 1, 0, 0, 0.5});
  CHECK(root["contacts"][2][3] == "world");
  CHECK(Json::parse(contacts_json(r.model, {}))["contacts"].empty());
  // the whole recording has them too
  CHECK(Json::parse(json(r.scene, r.model, r.recording))["contact_events"] == root);
}

TEST_CASE("contacts: the ending chooses the form") {
  const Recorded r = touched();
  CHECK(contacts_text("a/b.csv", r.model, r.recording) == contacts_csv(r.model, r.recording));
  CHECK(contacts_text("b.JSON", r.model, r.recording) == contacts_json(r.model, r.recording));
  CHECK_THROWS_WITH_AS(contacts_text("a.txt", r.model, r.recording),
                       "a.txt: unknown ending '.txt'; expected one of .csv, .json", InputError);
}

TEST_CASE("contacts: the summary counts them") {
  const Recorded r = touched(7);
  const Json summary = Json::parse(summary_json(r.recording));
  CHECK(summary["contacts_begun"] == 1);
  CHECK(summary["contacts_ended"] == 1);
  CHECK(summary["impacts"] == 7);
  CHECK(summary["largest_penetration"] == 0.002);
  CHECK(summary["asleep"] == 6);
  CHECK(count_contacts(r.recording).persisted == 1);
  CHECK(Json::parse(summary_json({}))["asleep"] == 0);
}

TEST_CASE("contacts: forces of a body add up, at their centre of pressure") {
  const Recorded r = touched();
  const std::vector<ContactLoad> loads = contact_loads(r.model, r.recording.frames[0]);
  REQUIRE(loads.size() == 3);
  CHECK(loads[0].force == Vec3{2, 0, 0});
  CHECK(loads[0].point == Vec3{0, 5, 0});
  // 4 + 0 - 2 along x, 1 + 2 up; weights sqrt(17), 2 and 2
  CHECK(loads[1].force == Vec3{2, 0, 3});
  const double w = std::sqrt(17.0);
  CHECK(loads[1].point.x == doctest::Approx((w * 1 + 2 * 3) / (w + 4)).epsilon(1e-14));
  CHECK(loads[1].point.y == doctest::Approx(2 * 5 / (w + 4)).epsilon(1e-14));
  CHECK(loads[2].force == Vec3{-4, 0, -3});
  for (const ContactLoad& load : contact_loads(r.model, r.recording.frames[1])) {
    CHECK(load.force == Vec3{});
  }
}

TEST_CASE("columns: bodies that may touch another have the force of their contacts") {
  Scene scene = parsed(R"({"bodies": [
    {"name": "floor", "immobile": true, "shape": {"plane": true}},
    {"name": "foot", "shape": {"sphere": 1}},
    {"name": "ghost", "shape": {"sphere": 1, "collides": false}}]})");
  const Built built = build(scene);
  const std::vector<Column> names = columns(built.model);
  REQUIRE(names.size() > 6);
  CHECK(names[names.size() - 6].name == "floor.force.x");
  CHECK(names.back().name == "foot.force.z");
  CHECK(names.back().unit == "N");

  Frame frame;
  frame.state = built.initial;
  frame.X_WB.resize(3);
  frame.contacts = {{{0}, {1}, {}, {0, 0, -1}, 0, {1, 2, -3}}};
  std::vector<double> row;
  fill_row(built.model, frame, row);
  REQUIRE(row.size() == names.size());
  CHECK(std::vector<double>(row.end() - 6, row.end()) == std::vector<double>{1, 2, -3, -1, -2, 3});
  // once more with the row before, as the writers do
  fill_row(built.model, frame, row);
  CHECK(row.size() == names.size());

  // a plot names them together or one by one
  const std::vector<std::string> words{"foot.force", "floor.force.z"};
  const std::vector<std::size_t> found = find_columns(names, words);
  CHECK(found == std::vector<std::size_t>{names.size() - 3, names.size() - 2, names.size() - 1,
                                          names.size() - 4});
  scene.plot = {"foot.force"};
  CHECK(parse_scene(scene_text(scene), "again.json").plot == scene.plot);

  scene.settings.contact.enabled = false;
  CHECK(columns(build(scene).model).size() == names.size() - 6);
}

TEST_CASE("columns: neighbours at a joint and walls alone have no contact force") {
  const auto touchable = [](const std::string& text) {
    return touchable_bodies(build(parsed(text)).model);
  };
  const std::string pendulum = R"({"bodies": [{"name": "a", "shape": {"sphere": 1}},
    {"name": "b", "shape": {"sphere": 1}}WALL], "joints": [
    {"type": "spherical", "child": "a"}, {"type": "spherical", "parent": "a", "child": "b"}]RULE})";
  const auto with = [&](const std::string& wall, const std::string& rule) {
    std::string text = pendulum;
    text.replace(text.find("WALL"), 4, wall);
    text.replace(text.find("RULE"), 4, rule);
    return touchable(text);
  };
  const std::string wall = R"(, {"name": "w", "immobile": true, "shape": {"plane": true}})";
  CHECK(with("", "").empty());
  CHECK(with(wall, "") == std::vector<int>{0, 1, 2});
  CHECK(with(wall, R"(, "contact": {"pairs": [{"between": ["w", "a"], "response": "none"}]})") ==
        std::vector<int>{1, 2});
  CHECK(with(wall, R"(, "contact": {"pairs": [{"between": ["*", "*"], "response": "none"}]})")
            .empty());
  CHECK(touchable(R"({"bodies": [{"name": "a", "immobile": true, "shape": {"box": 1}},
    {"name": "b", "immobile": true, "shape": {"box": 1}}]})")
            .empty());
}

TEST_CASE("columns: who may touch is found at once among many bodies") {
  const Model model = build(parsed(R"({
    "assemblies": {
      "wall": {"bodies": [{"name": "w", "immobile": true, "shape": {"box": 1}}]},
      "stone": {"bodies": [{"name": "s", "group": "stones", "shape": {"box": 1}}]}},
    "contact": {"pairs": [{"between": ["stones", "*"], "response": "none"}]},
    "instances": [{"assembly": "wall", "count": 30000}, {"assembly": "stone", "count": 30000}]})"))
                          .model;
  const auto start = std::chrono::steady_clock::now();
  CHECK(touchable_bodies(model).empty());
  CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < 1);
}

TEST_CASE("force arrows: a given scale, or the weight of all as half the scene") {
  Recorded r = touched();
  CHECK(metres_per_newton({true, 50}, r.model, r.recording) == 0.02);
  // the crank is 1.4 m long or so; 10 kg at 10 m/s^2
  r.model.gravity = {0, 0, -10};
  for (Link& link : r.model.links) link.mass = 5;
  const double length = metres_per_newton({true, 0}, r.model, r.recording);
  CHECK(length * 100 > 1);
  CHECK(length * 100 < 3);
  // without weight: the largest force
  r.model.gravity = {};
  CHECK(metres_per_newton({true, 0}, r.model, r.recording) * std::sqrt(17.0) ==
        doctest::Approx(length * 100));
  CHECK(metres_per_newton({true, 0}, r.model, {}) == 1);
}

TEST_CASE("force arrows: a node in the animation for each moving body that is touched") {
  const Recorded r = touched();
  const Json without = root_of(glb(r.scene, r.model, r.recording));
  CHECK(find_node(without, "ball.force") == nullptr);

  const std::string bytes = glb(r.scene, r.model, r.recording, {true, 10});
  const Json root = root_of(bytes);
  const Json* arrow = find_node(root, "ball.force");
  REQUIRE(arrow != nullptr);
  CHECK(find_node(root, "crank.force") != nullptr);
  CHECK(find_node(root, "post, \"old\".force") == nullptr);  // it does not move
  CHECK((*arrow)["scale"][2] == doctest::Approx(std::sqrt(13.0) / 10));
  CHECK((*arrow)["translation"][0] ==
        doctest::Approx((std::sqrt(17.0) + 6) / (std::sqrt(17.0) + 4)));
  // z of the node points along (2, 0, 3)
  const Json& q = (*arrow)["rotation"];
  const Vec3 z = matrix(Quat{q[3], q[0], q[1], q[2]}).column(2);
  CHECK(norm(z - normalized({2, 0, 3})) < 1e-6);

  // a metre long and slim where its scale is one
  const Json& mesh = root["meshes"][(*arrow)["mesh"].get<std::size_t>()];
  const Json& corners =
      root["accessors"][mesh["primitives"][0]["attributes"]["POSITION"].get<std::size_t>()];
  for (const std::size_t axis : {0, 1}) {
    CHECK(corners["min"][axis] == doctest::Approx(-0.06));
    CHECK(corners["max"][axis] == doctest::Approx(0.06));
  }
  CHECK(corners["min"][2] == doctest::Approx(0));
  CHECK(corners["max"][2] == doctest::Approx(1));

  // gone in the frames between, without sliding there
  const Json& animation = root["animations"][0];
  int channels = 0;
  for (const Json& channel : animation["channels"]) {
    const Json& node = root["nodes"][channel["target"]["node"].get<std::size_t>()];
    if (node.value("name", "") != "ball.force") continue;
    const Json& sampler = animation["samplers"][channel["sampler"].get<std::size_t>()];
    CHECK(sampler["interpolation"] == "STEP");
    CHECK(channel["target"]["path"] == "scale");  // all else stays
    ++channels;
  }
  CHECK(channels == 1);

  // and the validator agrees
  const std::string path = binary_dir() + "/arrows.glb";
  write_file(path, bytes);
  const int status = std::system(("node '" + source_dir() + "/scripts/validate_glb.mjs' '" + path +
                                  "' > '" + path + ".txt' 2>&1")
                                     .c_str());
  const std::string verdict = read_file(path + ".txt");
  CAPTURE(verdict);
  if (verdict.find("errors") == std::string::npos) {
    MESSAGE("skipped the validator: needs node and 'npm ci'");
  } else {
    CHECK(status == 0);
  }
}

TEST_CASE("force arrows: drawn in the stills, and in the picture, when asked for") {
  const Recorded r = touched(7);
  const std::string red = "fill=\"#d12938\"";
  const auto drawn = [&](const ForceArrows& arrows) {
    return count(stills(r.scene, r.model, r.recording, {.stills = 4, .arrows = arrows}), red);
  };
  // frames 0, 2, 4, 6: the ball and the crank in each; the post does not move
  CHECK(drawn({}) == 0);
  CHECK(drawn({true, 10}) == 8);
  CHECK(count(svg(r.scene, r.model, r.recording, {true, 10}), red) > 0);
  CHECK(count(svg(r.scene, r.model, r.recording), red) == 0);
}

TEST_CASE("drawing: what is clear is left out, a terrain is drawn beyond the picture") {
  Recorded r = recorded(3);
  const auto meshes = [&] {
    return root_of(glb(r.scene, r.model, r.recording)).value("meshes", Json::array()).size();
  };
  const auto polygons = [&] {
    return count(stills(r.scene, r.model, r.recording, {.stills = 1}), "<polygon");
  };
  const std::size_t all = meshes(), seen = polygons();
  r.model.bodies[0].shapes[1].color.a = 0;
  CHECK(meshes() == all - 1);
  CHECK(polygons() == seen - 1);

  // 2 x 3 cells, the picture cut to its size
  const std::string flat = stills(r.scene, r.model, r.recording, {.stills = 1});
  CHECK(count(flat, "<svg") == 0);
  r.model.bodies[2].shapes.push_back(
      {HeightField{3, 4, 30, 30, std::vector<double>(12, -2)}, {}, {0.3, 0.5, 0.2, 1}});
  r.model.bodies[2].immobile = true;
  const std::string hills = stills(r.scene, r.model, r.recording, {.stills = 1});
  CHECK(count(hills, "<polygon") == count(flat, "<polygon") + 6);
  CHECK(count(hills, "<svg x=\"0\" y=\"0\" width=\"900\" height=\"420\"") == 1);
  CHECK(count(hills, "</svg>") == 1);

  // equal terrains share their mesh, different ones do not
  const std::size_t with_terrain = meshes();
  r.model.bodies[2].shapes.push_back(r.model.bodies[2].shapes.back());
  CHECK(meshes() == with_terrain);
  std::get<HeightField>(r.model.bodies[2].shapes.back().geometry).heights[5] = 1;
  CHECK(meshes() == with_terrain + 1);
}
