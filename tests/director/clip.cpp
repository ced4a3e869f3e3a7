// Clips of character files on the limbs of a figure.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "molejo/director/clip_data.h"
#include "molejo/io/character_file.h"
#include "tests/director/shows.h"
#include "tests/support/error_text.h"

using namespace molejo;
using namespace molejo::test;

namespace {

constexpr int steps = 40;  // of 0.05 s: a clip of 2 s

struct BvhJoint {
  const char* name;
  int depth;
  Vec3 offset;
  double swing, bend;  // degrees, about x and y
};
// y up, z forward; arms stretched out to the sides, in decimetres
constexpr BvhJoint joints[]{{"Hips", 0, {0, 10, 0}, 6, 12},
                            {"Chest", 1, {0, 2, 0}, 9, 4},
                            {"Neck", 2, {0, 3, 0}, 0, 0},
                            {"Head", 3, {0, 1, 0}, 0, 0},
                            {"LeftArm", 2, {2, 2.5, 0}, 20, 35},
                            {"LeftForeArm", 3, {2.5, 0, 0}, 5, -70},
                            {"LeftHand", 4, {2.2, 0, 0}, 0, 0},
                            {"RightArm", 2, {-2, 2.5, 0}, 25, 30},
                            {"RightForeArm", 3, {-2.5, 0, 0}, 5, 65},
                            {"RightHand", 4, {-2.2, 0, 0}, 0, 0},
                            {"LeftUpLeg", 1, {1, -0.5, 0}, 28, 3},
                            {"LeftLeg", 2, {0, -4.6, 0}, 40, 0},
                            {"LeftFoot", 3, {0, -4.4, 0}, 0, 0},
                            {"RightUpLeg", 1, {-1, -0.5, 0}, -28, 3},
                            {"RightLeg", 2, {0, -4.6, 0}, 38, 0},
                            {"RightFoot", 3, {0, -4.4, 0}, 0, 0}};

// A walk of sorts that goes 6 dm forward and ends in the pose in which it starts.
std::string walk_bvh(const std::string& leave_out = "-") {
  std::string text = "HIERARCHY\n";
  int open = 0;
  std::vector<const BvhJoint*> written;
  for (const BvhJoint& j : joints) {
    if (std::string(j.name).find(leave_out) != std::string::npos) continue;
    const bool ended = std::string(j.name).find("Foot") != std::string::npos ||
                       std::string(j.name).find("Hand") != std::string::npos ||
                       std::string(j.name) == "Head";
    for (; open > j.depth; --open) text += "}\n";
    text += (j.depth == 0 ? "ROOT " : "JOINT ") + std::string(j.name) + "\n{\nOFFSET " +
            std::to_string(j.offset.x) + " " + std::to_string(j.offset.y) + " " +
            std::to_string(j.offset.z) + "\nCHANNELS " +
            (j.depth == 0 ? "6 Xposition Yposition Zposition " : "3 ") +
            "Yrotation Xrotation Zrotation\n";
    if (ended) text += "End Site\n{\nOFFSET 0 0 1\n}\n";
    open = j.depth + 1;
    written.push_back(&j);
  }
  for (; open > 0; --open) text += "}\n";
  text += "MOTION\nFrames: " + std::to_string(steps + 1) + "\nFrame Time: 0.05\n";
  for (int k = 0; k <= steps; ++k) {
    const double a = 2 * 3.14159265358979 * k / steps;
    for (const BvhJoint* j : written) {
      if (j->depth == 0) {
        text += "0 " + std::to_string(10 + 0.2 * std::sin(2 * a)) + " " +
                std::to_string(6.0 * k / steps) + " ";
      }
      const bool knee = std::string(j->name).find("gLeg") == std::string::npos &&
                        std::string(j->name).find("Leg") != std::string::npos && j->depth == 2;
      const double s = knee ? 0.6 + 0.4 * std::cos(a) : std::sin(a + 0.3 * j->depth);
      text += std::to_string(j->bend * (j->depth == 0 ? std::sin(a) : s)) + " " +
              std::to_string(j->swing * s) + " 0 ";
    }
    text += "\n";
  }
  return text;
}

std::string written(const std::string& name, const std::string& text) {
  const std::string path = (std::filesystem::temp_directory_path() / name).string();
  write_file(path, text);
  return path;
}
const std::string& walk_file() {
  static const std::string path = written("molejo_clip_walk.bvh", walk_bvh());
  return path;
}

// Actors A and B, one place each, and then one to rest in.
std::string text_of(const std::string& a, const std::string& b = "null", double delay = 5) {
  return R"({"actors": [{"name": "A", "character": "../characters/stick_figure.json"},
 {"name": "B", "character": "../characters/stick_figure.json", "position": [0, 3, 0], "heading_deg": 90}],
 "net": {"places": [{"name": "P", "delay": )" +
         std::to_string(delay) + R"(, "tokens": 1}, {"name": "Q", "delay": )" +
         std::to_string(delay) + R"(, "tokens": 1}, {"name": "R", "delay": 1}, {"name": "S"}],
 "transitions": [{"name": "t", "in": ["P", "Q"], "out": "R"}, {"name": "u", "in": "R", "out": "S"}]},
 "fps": 24, "duration": 20, "cast": {"A": "P", "B": "Q"}, "places": {"P": )" +
         a + R"(, "Q": )" + b + "}}";
}
std::string clip_text(const std::string& more, const std::string& file = walk_file()) {
  return R"({"do": "clip", "file": ")" + file + "\"" + more + "}";
}

// Elbow or knee from shoulder or hip, wrist or ankle from there, unit vectors in the world.
struct Segments {
  Vec3 upper, lower;
};
Segments shown(const Show& show, const Frame& frame, int figure, const std::string& limb) {
  const Model& model = show.built->model;
  Kinematics<double> k(model);
  update_poses(model, frame.state.q.data(), k);
  const Figure& f = show.figures[static_cast<std::size_t>(figure)];
  const FigureLimb& l = f.limbs[static_cast<std::size_t>(f.find_limb(limb))];
  const auto p = [&](int link) { return k.bodies[static_cast<std::size_t>(link)].p; };
  return {normalized(p(l.lower) - p(l.upper)), normalized(p(l.end) - p(l.lower))};
}
// The same of the clip: its z, x, y are forward, left, up.
Segments wanted(double t, const std::string& limb) {
  static const motion::Character c = load_character(SourceFile::given(walk_file()));
  motion::SkeletonPose pose(c.skeleton);
  motion::evaluate(c.clips[0], c.skeleton, t, pose);
  const auto X = motion::model_transforms(c.skeleton, pose);
  const std::string side = limb.starts_with("left") ? "Left" : "Right";
  const bool arm = limb.ends_with("arm");
  const auto p = [&](const char* name) {
    const Vec3 v = X[static_cast<std::size_t>(c.skeleton.find(side + name))].origin;
    return Vec3{v.z, v.x, v.y};
  };
  const Vec3 a = p(arm ? "Arm" : "UpLeg"), b = p(arm ? "ForeArm" : "Leg"),
             e = p(arm ? "Hand" : "Foot");
  return {normalized(b - a), normalized(e - b)};
}
double distance(const Segments& a, const Segments& b) {
  return std::max(norm(a.upper - b.upper), norm(a.lower - b.lower));
}
double largest_step(const std::vector<Frame>& frames, std::size_t from, std::size_t to) {
  double most = 0;
  for (std::size_t i = from; i < to; ++i) {
    for (std::size_t b = 0; b < frames[i].X_WB.size(); ++b) {
      most = std::max(most, norm(frames[i + 1].X_WB[b].p - frames[i].X_WB[b].p));
    }
  }
  return most;
}

constexpr const char* limbs[]{"left_arm", "right_arm", "left_leg", "right_leg"};

}  // namespace

TEST_CASE("clip: limbs point as those of the clip, also between its keys and over its loops") {
  const Show show = show_of(text_of(clip_text(R"(, "loop": true, "travel": true, "rate": 1.5)")));
  const Directed d = direct(show);
  REQUIRE(d.recording.summary.failure == "");
  double bent = 1;
  for (std::size_t i = 0; i < 120; ++i) {
    const double t = std::fmod(1.5 * static_cast<double>(i) / 24, 2.0);
    for (const char* limb : limbs) {
      CAPTURE(limb);
      CAPTURE(t);
      const Segments w = wanted(t, limb);
      REQUIRE(distance(shown(show, d.recording.frames[i], 0, limb), w) < 1e-6);
      bent = std::min(bent, dot(w.upper, w.lower));
    }
  }
  CHECK(bent < 0.6);  // elbows and knees do bend
}

TEST_CASE("clip: it travels as far as its legs are longer, loop after loop, feet on the ground") {
  const Show show = show_of(text_of(clip_text(R"(, "loop": true, "travel": true)"), "null", 4));
  const Directed d = direct(show);
  const std::vector<Frame>& frames = d.recording.frames;
  const Vec3 way = position(show, frames[96], "A.pelvis") - position(show, frames[0], "A.pelvis");
  CHECK(way.x == doctest::Approx(2 * 6 * 0.86 / 9).epsilon(1e-9));
  CHECK(std::fabs(way.y) < 1e-9);
  double lowest = 1;
  for (const Frame& frame : frames) {
    for (const char* foot : {"A.left_leg.foot", "A.right_leg.foot"}) {
      lowest = std::min(lowest, position(show, frame, foot).z);
    }
  }
  CHECK(lowest > 0.07 - 1e-9);
  CHECK(lowest < 0.075);
}

TEST_CASE("clip: a segment without length points as it does in the reference pose") {
  motion::Character c = load_character(SourceFile::given(walk_file()));
  const auto joint = [&](const std::string& name) { return c.skeleton.find(name); };
  c.skeleton.joints[static_cast<std::size_t>(joint("LeftHand"))].rest.translation = {0, 0, 2.2};
  const Segments expected[]{{{0, 1, 0}, {1, 0, 0}},
                            {{0, -1, 0}, {0, -1, 0}},
                            {{0, 0, -1}, {0, 0, -1}},
                            {{0, 0, -1}, {0, 0, -1}}};
  // upper segments vanish, or lower ones
  for (const bool lower : {false, true}) {
    const std::string arm = lower ? "Hand" : "ForeArm", leg = lower ? "Foot" : "Leg";
    motion::Clip still;
    still.times = {{0, 1}};
    for (const std::string side : {"Left", "Right"}) {
      for (const std::string& name : {arm, leg}) {
        still.tracks.push_back({joint(side + name), motion::Channel::translation,
                                motion::Interpolation::linear, 0, std::vector<double>(6, 0.0)});
      }
    }
    c.clips = {still};
    const ClipData data(c, 0);
    ClipData::Scratch scratch = data.scratch();
    const ClipPose pose = data.at(0.5, scratch);
    for (std::size_t i = 0; i < clip_limb_count; ++i) {
      CAPTURE(lower);
      CAPTURE(i);
      CHECK(distance({pose.limbs[i].upper, pose.limbs[i].lower}, expected[i]) < 1e-12);
    }
  }
}

TEST_CASE("clip: without a loop it holds its end, backwards it begins there, fitted it fills") {
  const auto at = [](const std::string& more, std::size_t frame) {
    const Show show = show_of(text_of(clip_text(more)));
    return shown(show, direct(show).recording.frames[frame], 0, "left_arm");
  };
  const auto same = [](const Segments& a, const Segments& b) { return distance(a, b) < 1e-6; };
  // hips turn: seen from them, so compared with what travels
  const auto travelled = [&](double t) { return wanted(t, "left_arm"); };
  CHECK(same(at(R"(, "travel": true)", 24), travelled(1)));
  CHECK(same(at(R"(, "travel": true)", 80), travelled(2)));
  CHECK(same(at(R"(, "travel": true, "rate": -1)", 12), travelled(1.5)));
  CHECK(same(at(R"(, "travel": true, "fit": true)", 60), travelled(1)));
  // what is shown at the end stays
  CHECK(same(at(R"(, "travel": true, "rate": 0.25)", 120), travelled(1.25)));
  CHECK(same(at(R"(, "travel": true, "rate": 0.25)", 130), travelled(1.25)));
}

TEST_CASE("clip: it blends in from the pose before and out to it without a jump") {
  const std::string blended = R"(, "loop": true, "blend_in": 0.5, "blend_out": 0.5)";
  const Show show = show_of(text_of(clip_text(blended)));
  const std::vector<Frame> frames = direct(show).recording.frames;
  const double inside = largest_step(frames, 24, 96);
  CHECK(largest_step(frames, 0, frames.size() - 1) < 1.5 * inside);
  // the first frame is rest, and so is the last one
  for (std::size_t b = 0; b < frames[0].X_WB.size(); ++b) {
    CHECK(norm(frames[0].X_WB[b].p - frames[125].X_WB[b].p) < 1e-9);
  }
  const Show hard = show_of(text_of(clip_text(R"(, "loop": true)")));
  const std::vector<Frame> jumped = direct(hard).recording.frames;
  CHECK(norm(position(hard, jumped[0], "A.left_arm.hand") -
             position(show, frames[0], "A.left_arm.hand")) > 0.2);
  // no blend out: the pose at the end is kept, to the last foot
  CHECK(largest_step(jumped, 120, jumped.size() - 1) < 1e-9);
}

TEST_CASE("clip: two actors share one clip, and an arm alone leaves the rest to others") {
  const std::string arm = clip_text(R"(, "limbs": ["right_arm"], "loop": true)");
  const Show show = show_of(text_of(clip_text(R"(, "loop": true)"), arm));
  const auto* a = std::get_if<ClipMotion>(&show.bindings[0].action);
  const auto* b = std::get_if<ClipMotion>(&show.bindings[1].action);
  REQUIRE((a && b));
  CHECK(a->clip == b->clip);
  const std::vector<Frame> frames = direct(show).recording.frames;
  // B stands and faces left: the bend of its elbow is that of A
  for (const std::size_t i : {10u, 31u, 77u}) {
    const Segments of_a = shown(show, frames[i], 0, "right_arm"),
                   of_b = shown(show, frames[i], 1, "right_arm");
    CHECK(dot(of_a.upper, of_a.lower) ==
          doctest::Approx(dot(of_b.upper, of_b.lower)).epsilon(1e-9));
    CHECK(norm(of_b.upper - Vec3{0, 0, -1}) > 0.1);
    CHECK(norm(position(show, frames[i], "B.left_leg.foot") -
               position(show, frames[0], "B.left_leg.foot")) < 1e-12);
    CHECK(norm(shown(show, frames[i], 1, "left_arm").upper - Vec3{0, 0, -1}) < 1e-9);
  }
}

TEST_CASE("clip: what cannot be played is told in one line") {
  const auto refused = [](const std::string& action, const std::string& part) {
    const std::string said = error_text([&] { show_of(text_of(action)); });
    CAPTURE(said);
    CHECK(said.find('\n') == std::string::npos);
    CHECK(said.find("test.show.json:") != std::string::npos);
    CHECK(said.find(part) != std::string::npos);
  };
  refused(clip_text("", "nowhere.bvh"), "/places/P/file: \"nowhere.bvh\": ");
  refused(clip_text("", "../nets/walk.net.json"), "unknown ending '.json'");
  refused(clip_text(R"(, "clip": "motoin")"),
          "/places/P/clip: \"motoin\": unknown clip 'motoin'; did you mean 'motion'?");
  refused(clip_text("", written("molejo_clip_handless.bvh", walk_bvh("RightHand"))),
          "is found to be right_hand; ");
  refused(clip_text(R"(, "fit": true, "loop": true)"), "/places/P/fit");
  refused(clip_text(R"(, "limbs": ["left_arm"], "travel": true)"), "limbs alone do not travel");
  refused(clip_text(R"(, "limbs": ["left_arn"])"), "did you mean 'left_arm'?");
  refused(clip_text(R"(, "rate": "=0/0")"), "/places/P/rate");
  refused(clip_text(R"(, "lop": true)"), "did you mean 'loop'?");
  refused("[" + clip_text("") + R"(, {"do": "reach", "limb": "left_arm", "to": [0, 0, 0]}])",
          "already moves A.left_arm");
}

TEST_CASE("clip: the shipped wave raises the right hand over the head and ends at rest") {
  const Show show = shipped_show("wave");
  const Directed directed = direct(show);
  CHECK(directed.report.beyond_limits < 1e-9);  // the elbow bends to its own side
  const std::vector<Frame>& frames = directed.recording.frames;
  double highest = 0;
  for (const Frame& f : frames) {
    highest = std::max(highest, position(show, f, "left.right_arm.hand").z);
  }
  CHECK(highest > 1.7);
  for (std::size_t b = 0; b < frames[0].X_WB.size(); ++b) {
    CHECK(norm(frames.back().X_WB[b].p - frames.front().X_WB[b].p) < 1e-9);
  }
}
