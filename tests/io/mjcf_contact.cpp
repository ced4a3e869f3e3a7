// What MJCF says about contact: masks, friction, <exclude>, <pair>, height fields.
#include "molejo/io/robot.h"
#include "tests/io/grey_png.h"
#include "tests/support/imports.h"

using namespace molejo;
using namespace molejo::test;

namespace {

Scene parse(const std::string& content, const std::string& file = "m.xml") {
  return parse_mjcf("<mujoco>" + content + "</mujoco>", SourceFile::given(file));
}

// Bodies a, b, c, ..., each a free ball with these attributes.
Scene balls(const std::vector<std::string>& attributes, const std::string& more = "") {
  std::string bodies;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    bodies += "<body name='" + name + "'><freejoint/><geom name='" + name + "_geom' size='1' " +
              attributes[i] + "/></body>";
  }
  return parse("<worldbody>" + bodies + "</worldbody>" + more);
}

// Do the two touch in the model that the scene builds?
bool touch(const Scene& scene, const std::string& a, const std::string& b) {
  const Model model = build(scene).model;
  const Collider *x = nullptr, *y = nullptr;
  for (const Collider& c : model.colliders) {
    if (c.body == model.body(a)) x = &c;
    if (c.body == model.body(b)) y = &c;
  }
  return x && y && may_touch(model, *x, *y);
}

}  // namespace

TEST_CASE("mjcf contact: a geom without masks is only seen") {
  const Scene scene = balls({"", "contype='0' conaffinity='0'", "contype='0'"});
  CHECK(scene.bodies[0].shapes[0].collides);
  CHECK_FALSE(scene.bodies[1].shapes[0].collides);
  CHECK(scene.bodies[2].shapes[0].collides);
  CHECK(touch(scene, "a", "c"));
}

TEST_CASE("mjcf contact: masks become groups, as MuJoCo asks every two geoms") {
  const std::vector<std::string> attributes{"",
                                            "contype='2' conaffinity='2'",
                                            "contype='0' conaffinity='1'",
                                            "contype='3' conaffinity='4'",
                                            "",
                                            "contype='0' conaffinity='1'"};
  const int contype[] = {1, 2, 0, 3, 1, 0}, conaffinity[] = {1, 2, 1, 4, 1, 1};
  const Scene scene = balls(attributes);
  CHECK(scene.warnings.empty());
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      if (i == j) continue;
      CAPTURE(i);
      CAPTURE(j);
      const bool expected = (contype[i] & conaffinity[j]) || (contype[j] & conaffinity[i]);
      CHECK(touch(scene, std::string(1, static_cast<char>('a' + i)),
                  std::string(1, static_cast<char>('a' + j))) == expected);
    }
  }
  CHECK(scene.bodies[1].group == "contype_2_conaffinity_2");
  // all alike: no groups
  const Scene plain = balls({"", "", ""});
  CHECK(plain.contact_pairs.empty());
  CHECK(plain.bodies[0].group == "");
}

TEST_CASE("mjcf contact: friction is the first number, the larger of two counts") {
  const Scene scene = balls({"", "friction='0.3 0.1 0.2'", "friction='0.7'", "condim='1'"},
                            "<default><geom conaffinity='1'/></default>");
  CHECK(scene.bodies[0].shapes[0].surface == Surface{1, 0});
  CHECK(scene.bodies[1].shapes[0].surface == Surface{0.3, 0});
  CHECK(scene.bodies[3].shapes[0].surface == Surface{0, 0});
  const Model model = build(scene).model;
  CHECK(combined_surface(model, model.colliders[1], model.colliders[2]).friction == 0.7);
  CHECK(error_text([] { balls({"friction='-1'"}); }) ==
        "m.xml:1: <geom friction=\"-1\">: expected zero or more");
  CHECK(error_text([] { balls({"contype='1.5'"}); }) ==
        "m.xml:1: <geom contype=\"1.5\">: expected a whole number of 32 bits");
}

TEST_CASE("mjcf contact: excluded bodies pass through each other, pairs have their own friction") {
  const Scene scene =
      balls({"", "", "", "contype='0' conaffinity='0'"},
            "<contact><pair geom1='a_geom' geom2='d_geom' friction='0.25 0.25 0.1'/>"
            "<exclude body1='a' body2='b'/><exclude name='x' body1='world' body2='c'/>"
            "<pair geom1='b_geom' geom2='c_geom' condim='1'/></contact>");
  CHECK(scene.warnings.empty());
  CHECK_FALSE(touch(scene, "a", "b"));
  CHECK(touch(scene, "a", "c"));
  CHECK(touch(scene, "a", "d"));
  CHECK_FALSE(touch(scene, "b", "d"));
  const Model model = build(scene).model;
  const auto friction = [&](std::size_t i, std::size_t j) {
    return combined_surface(model, model.colliders[i], model.colliders[j]).friction;
  };
  CHECK(friction(0, 3) == 0.25);
  CHECK(friction(1, 2) == 0);
  CHECK(friction(0, 2) == 1);
  CHECK(error_text([] {
          balls({"", ""}, "<contact><exclude body1='a' body2='bb'/></contact>");
        }) == "m.xml:1: <exclude body2=\"bb\">: unknown body 'bb'; did you mean 'b'?");
  CHECK(error_text([] {
          balls({"", ""}, "<contact><pair geom1='a_geom' geom2='b_gem'/></contact>");
        }) == "m.xml:1: <pair geom2=\"b_gem\">: unknown geom 'b_gem'; did you mean 'b_geom'?");
}

TEST_CASE("mjcf contact: the ground is the world's, and contact can be switched off") {
  const std::string body = "<body name='b' pos='0 0 2'><freejoint/><geom size='1'/></body>";
  const Scene scene = parse("<worldbody><geom type='plane' size='1 1 1'/>" + body +
                            "</worldbody><contact><exclude body1='b' body2='world'/></contact>");
  CHECK_FALSE(touch(scene, "ground", "b"));
  CHECK(scene.settings.contact.enabled);
  const Scene off =
      parse("<option><flag contact='disable'/></option><worldbody>" + body + "</worldbody>");
  CHECK_FALSE(off.settings.contact.enabled);
}

TEST_CASE("mjcf contact: hinges of one body do not let it touch its parent") {
  const Scene figure = parse_mjcf(read_file(import_path("figure.xml")), "figure.xml");
  CHECK_FALSE(touch(figure, "hips", "right_thigh"));
  CHECK_FALSE(touch(figure, "right_shank", "right_foot"));
  CHECK_FALSE(touch(figure, "chest", "head"));
  CHECK(touch(figure, "right_thigh", "left_thigh"));
  CHECK(touch(figure, "ground", "right_foot"));
  CHECK(touch(figure, "chest", "hips"));
}

TEST_CASE("mjcf contact: geoms of hidden groups are clear beside others") {
  const Scene scene = parse(
      "<worldbody><body><freejoint/><geom size='1' group='2' contype='0' conaffinity='0'/>"
      "<geom size='1' group='3'/></body><body><freejoint/><geom size='1' group='3'/></body>"
      "</worldbody>");
  CHECK(scene.bodies[0].shapes[0].color.a == 1);
  CHECK(scene.bodies[0].shapes[1].color.a == 0);
  CHECK(scene.bodies[0].shapes[1].collides);
  CHECK(scene.bodies[1].shapes[0].color.a == 1);
}

TEST_CASE("mjcf contact: height fields lie as in MuJoCo 2.2.2") {
  const TemporaryFolder folder("mjcf_hfield");
  folder.write("maps/h.png", grey_png({{10, 20, 30}, {40, 50, 210}}, 8));
  const Scene scene = parse(
      "<compiler meshdir='maps'/><asset><hfield name='h' file='h.png' size='2 1 0.5 0.1'/>"
      "<hfield name='n' nrow='2' ncol='3' size='2 1 0.5 0.1' elevation='1 2 3 4 5 21'/>"
      "<hfield name='flat' nrow='2' ncol='2' size='1 1 1 1'/></asset>"
      "<worldbody><geom type='hfield' hfield='h'/><geom type='hfield' hfield='n' pos='0 0 1'/>"
      "<geom type='hfield' hfield='flat'/><body><freejoint/><geom size='1'/></body></worldbody>",
      folder.file("m.xml"));
  CHECK(scene.warnings.empty());
  const auto field = [&](std::size_t i) {
    return std::get<HeightField>(scene.bodies[0].shapes.at(i).geometry);
  };
  for (const std::size_t i : {0u, 1u}) {
    CHECK(field(i).columns == 3);
    CHECK(field(i).rows == 2);
    CHECK(field(i).dx == 2);
    CHECK(field(i).dy == 2);
    // hfield_data of the image, times 0.5
    const std::vector<double> expected{0.075, 0.1, 0.5, 0, 0.025, 0.05};
    for (std::size_t k = 0; k < 6; ++k) {
      CHECK(field(i).heights[k] == doctest::Approx(expected[k]).epsilon(1e-12));
    }
  }
  CHECK(scene.bodies[0].shapes[1].X_BS.p == Vec3{0, 0, 1});
  CHECK(field(2).heights == std::vector<double>(4, 0.0));
}

TEST_CASE("mjcf contact: bad height fields are refused") {
  const auto bad = [](const std::string& attributes) {
    return error_text([&] {
      parse("<asset><hfield name='h' " + attributes +
            "/></asset><worldbody><geom type='hfield' hfield='h'/></worldbody>");
    });
  };
  CHECK(bad("nrow='2' ncol='1' size='1 1 1 1'") ==
        "m.xml:1: <hfield ncol=\"1\">: expected a whole number from 2 to 1200000");
  CHECK(bad("nrow='100000' ncol='100000' size='1 1 1 1'") ==
        "m.xml:1: <hfield>: more than 1200000 heights");
  CHECK(bad("nrow='2' ncol='2' size='1 1 0 1'") ==
        "m.xml:1: <hfield size=\"1 1 0 1\">: expected positive numbers");
  CHECK(bad("nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 3'").find("<hfield elevation") !=
        std::string::npos);
  CHECK(bad("file='none.png' size='1 1 1 1'") ==
        "m.xml:1: <hfield file=\"none.png\">: none.png: no such file");
  CHECK(error_text([] { parse("<worldbody><geom type='hfield' hfield='x'/></worldbody>"); }) ==
        "m.xml:1: <geom hfield=\"x\">: unknown hfield 'x'");
}
