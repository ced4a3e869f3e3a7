// Motion and gait files: exact round trips, and what is refused.
#include "molejo/io/motion.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "molejo/io/file.h"
#include "molejo/io/scene.h"
#include "molejo/locomotion/replay.h"
#include "molejo/math/random.h"
#include "tests/support/error_text.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// A character of no interest, inside the file.
const char* const ball =
    R"("scene": {"bodies": [{"name": "ball", "position": [0, 0, 1], "shape": {"sphere": 0.1}, "mass": 1}]})";
const char* const step =
    R"("steps": [{"feet": ["ball"], "air": {"priority": {"2": 0.1}, "others": [3]}, "ground": {}}])";

MotionFile parsed(const std::string& keys) {
  return parse_motion("{" + keys + "}", "run.motion.json");
}
std::string refusal(const std::string& keys) {
  return error_text([&] { parsed(keys); });
}
// What is said of a motion that is good but for some keys.
std::string refusal_of(const std::string& keys) {
  return refusal(std::string(ball) + ", " + step + ", " + keys);
}

PhaseMarks random_marks(Random& random, double top) {
  PhaseMarks marks;
  for (int mode = 1; mode < 12; ++mode) {
    const double draw = random.uniform();
    if (draw < 0.3) marks.priority.push_back({mode, (random.uniform() - 0.5) * 2 * top});
    if (draw > 0.7) marks.others.push_back(mode);
  }
  if (random.uniform() < 0.3) marks.others.clear(), marks.choose_others = true;
  return marks;
}

Motion random_motion(Random& random) {
  const auto between = [&](double a, double b) { return a + (b - a) * random.uniform(); };
  const auto coin = [&] { return random.uniform() < 0.5; };
  Motion m;
  m.name = "run \"" + std::to_string(random.uniform()) + "\"\n";
  if (coin()) m.character = "figure.json";
  if (coin()) m.figure.stiffness = between(1, 1000);
  if (coin()) m.figure.relaxation = between(0, 1);
  if (coin()) {
    m.figure.pose.turns["knee"] = {0, std::round(between(-90, 90)) * 3.141592653589793 / 180, 0};
    m.figure.pose.mirror = coin();
  }
  if (coin()) m.figure.without_feet = {"left", "right"};
  m.mirrored = coin();
  m.basis = static_cast<Basis>(static_cast<int>(between(0, 3)));
  m.shape = static_cast<PulseShape>(static_cast<int>(between(0, 2)));
  m.own_times = coin();
  m.torque_scale = between(1, 1000);
  m.others = between(0, 2);
  if (coin()) m.range.period = between(0.3, 1), m.range.most_speed = between(3, 9);
  if (coin()) m.range.amplitude = between(0.5, 2);
  if (coin()) m.tolerance = {between(0.001, 1), between(0.001, 1), 0.5, 0.25};
  if (coin()) m.rollout.limits.peak_force = between(1, 9);
  if (coin()) m.rollout.limits.clearance = between(-1, 0);
  if (coin()) m.rollout.time_step = between(1e-4, 1e-2);
  m.rollout.whole_body = coin();
  m.training.thesis = coin();
  m.training.sigma = between(0.1, 1);
  if (coin()) m.training.population = 20, m.training.runs = 7, m.training.generations = 99;
  if (coin()) m.training.evaluations = 12345;
  const int steps = 1 + static_cast<int>(between(0, 3));
  for (int n = 0; n < steps; ++n) {
    m.steps.push_back({{"left"},
                       random_marks(random, m.range.amplitude),
                       random_marks(random, m.range.amplitude)});
  }
  return m;
}

bool same(const PhaseMarks& a, const PhaseMarks& b) {
  if (a.priority.size() != b.priority.size() || a.choose_others != b.choose_others) return false;
  for (std::size_t i = 0; i < a.priority.size(); ++i) {
    if (a.priority[i].mode != b.priority[i].mode) return false;
    if (a.priority[i].amplitude != b.priority[i].amplitude) return false;
  }
  return a.others == b.others;
}

}  // namespace

TEST_CASE("motion: random motions come back from their text with every number") {
  Random random(7);
  const Scene scene = parsed(std::string(ball) + ", " + step).scene;
  for (int n = 0; n < 200; ++n) {
    const Motion a = random_motion(random);
    const std::string text = motion_text({a, scene});
    const MotionFile file = parse_motion(text, "again.json");
    const Motion& b = file.motion;
    CAPTURE(text);
    REQUIRE(motion_text(file) == text);
    CHECK(a.name == b.name);
    CHECK(a.character == b.character);
    CHECK(a.figure.stiffness == b.figure.stiffness);
    CHECK(a.figure.relaxation == b.figure.relaxation);
    CHECK(a.figure.without_feet == b.figure.without_feet);
    REQUIRE(a.figure.pose.turns.size() == b.figure.pose.turns.size());
    if (!a.figure.pose.turns.empty()) {
      CHECK(a.figure.pose.mirror == b.figure.pose.mirror);
      CHECK(std::fabs(a.figure.pose.turns.at("knee").y - b.figure.pose.turns.at("knee").y) < 1e-15);
    }
    CHECK(a.mirrored == b.mirrored);
    CHECK(a.basis == b.basis);
    CHECK(a.shape == b.shape);
    CHECK(a.own_times == b.own_times);
    CHECK(a.torque_scale == b.torque_scale);
    CHECK(a.others == b.others);
    CHECK(a.range.period == b.range.period);
    CHECK(a.range.most_speed == b.range.most_speed);
    CHECK(a.range.amplitude == b.range.amplitude);
    CHECK(a.tolerance.position == b.tolerance.position);
    CHECK(a.tolerance.spin == b.tolerance.spin);
    CHECK(a.rollout.limits.peak_force == b.rollout.limits.peak_force);
    CHECK(a.rollout.limits.clearance == b.rollout.limits.clearance);
    CHECK(a.rollout.time_step == b.rollout.time_step);
    CHECK(a.rollout.whole_body == b.rollout.whole_body);
    CHECK(a.training.thesis == b.training.thesis);
    CHECK(a.training.sigma == b.training.sigma);
    CHECK(a.training.population == b.training.population);
    CHECK(a.training.evaluations == b.training.evaluations);
    REQUIRE(a.steps.size() == b.steps.size());
    for (std::size_t i = 0; i < a.steps.size(); ++i) {
      CHECK(a.steps[i].feet == b.steps[i].feet);
      CHECK(same(a.steps[i].air, b.steps[i].air));
      CHECK(same(a.steps[i].ground, b.steps[i].ground));
    }
  }
}

TEST_CASE("motion: the hash knows every word but the number of evaluations") {
  const MotionFile plain = parsed(std::string(ball) + ", " + step);
  MotionFile other = plain;
  other.motion.training.evaluations = 17;
  CHECK(hash(other) == hash(plain));
  other.motion.steps[0].air.priority[0].amplitude = 0.1000000000000001;
  CHECK(hash(other) != hash(plain));
  other = plain;
  other.scene.bodies[0].density = 1.5;
  CHECK(hash(other) != hash(plain));
  CHECK(hash(parse_motion(motion_text(plain), "again.json")) == hash(plain));
}

TEST_CASE("motion: a gait file comes back bit for bit, unknowns and all") {
  Random random(3);
  GaitFile gait;
  gait.motion = parsed(std::string(ball) + ", " + step);
  for (int i = 0; i < 93; ++i) gait.unknowns.push_back(random.uniform());
  gait.unknowns[0] = 0, gait.unknowns[1] = 1;
  gait.seed = 8765432109876543;
  gait.evaluations = 123456789012;
  gait.restarts = 3;
  gait.seconds = 12.34;
  gait.valid = true;
  const std::string text = gait_text(gait);
  CHECK(text.back() == '\n');
  const GaitFile again = parse_gait(text, "a.gait.json");
  CHECK(gait_text(again) == text);
  CHECK(again.unknowns == gait.unknowns);
  CHECK(again.seed == gait.seed);
  CHECK(again.evaluations == gait.evaluations);
  CHECK(again.restarts == 3);
  CHECK(again.seconds == 12.3);
  CHECK(again.valid);
  CHECK(hash(again.motion) == hash(gait.motion));
}

TEST_CASE("motion: bad files are refused at the place of the mistake") {
  CHECK(refusal(ball).find("key 'steps' is missing") != std::string::npos);
  CHECK(refusal(step).find("run.motion.json:1: /: ") == 0);
  CHECK(refusal(step).find("key 'character' is missing") != std::string::npos);
  CHECK(refusal(std::string(step) + R"(, "character": "")").find("expected the name of a scene") !=
        std::string::npos);
  const std::string missing = refusal(std::string(step) + R"(, "character": "nobody.json")");
  CHECK(missing.find("nobody.json: ") == 0);
  const struct {
    std::string keys;
    const char* said;
  } cases[] = {
      {R"("speed": 3)", "/speed: 3: unknown key 'speed'"},
      {R"("torque_scal": 3)", "did you mean 'torque_scale'?"},
      {R"("range": {"perid": 1})", "unknown key 'perid'; did you mean 'period'?"},
      {R"("range": {"least_period": 2})", "expected least values below the most"},
      {R"("range": {"air_share": 0})", "/range/air_share: 0: "},
      {R"("range": {"amplitude": 0.05})", "/steps/0/air/priority/2: 0.1: "},
      {R"("tolerance": {"angle": 0})", "/tolerance/angle: 0: "},
      {R"("limits": {"lift": -1})", "/limits/lift: -1: "},
      {R"("simulation": {"time_step": 1})", "/simulation/time_step: 1: "},
      {R"("solver": "thesus")", "unknown solver 'thesus'; did you mean 'thesis'?"},
      {R"("solver": {"population": 1})", "/solver/population: 1: "},
      {R"("solver": {"evaluations": 1.5})", "expected a whole number"},
      {R"("basis": "shape")", "unknown basis 'shape'; did you mean 'shapes'?"},
      {R"("pulse": "round")", "unknown pulse 'round'"},
      {R"("torque_scale": 0)", "/torque_scale: 0: "},
      {R"("pose": {"knee": [0, 361, 0]})", "expected a turn of 360 degrees at most"},
      {R"("pose": {"knee": 3})", "/pose/knee: 3: "},
      {R"("stiffness": -1)", "/stiffness: -1: "},
      {R"("mirrored": 1)", "/mirrored: 1: "},
  };
  for (const auto& c : cases) {
    CAPTURE(c.keys);
    CAPTURE(refusal_of(c.keys));
    CHECK(refusal_of(c.keys).find(c.said) != std::string::npos);
    CHECK(refusal_of(c.keys).find('\n') == std::string::npos);
  }
}

TEST_CASE("motion: marks of modes are refused where they make no sense") {
  const auto marks = [&](const std::string& air) {
    return refusal(std::string(ball) + R"(, "steps": [{"feet": ["ball"], "ground": {}, "air": )" +
                   air + "}]");
  };
  CHECK(marks(R"({"priority": {"0": 0.1}})").find("expected the number of a mode, from 1") !=
        std::string::npos);
  CHECK(marks(R"({"priority": {"2a": 0.1}})").find("expected the number of a mode") !=
        std::string::npos);
  CHECK(marks(R"({"priority": {"99999999999999999999": 0.1}})").find("number of a mode") !=
        std::string::npos);
  CHECK(marks(R"({"priority": {"2": 0}})").find("expected an amplitude other than zero") !=
        std::string::npos);
  CHECK(marks(R"({"priority": {"2": 1.5}})").find("/steps/0/air/priority/2: 1.5: ") !=
        std::string::npos);
  CHECK(marks(R"({"others": [0]})").find("/steps/0/air/others/0: 0: ") != std::string::npos);
  CHECK(marks(R"({"others": "all"})").find("expected a list of modes, or \"auto\"") !=
        std::string::npos);
  CHECK(marks(R"({"other": []})").find("unknown key 'other'; did you mean 'others'?") !=
        std::string::npos);
  std::string many = R"({"others": [1)";
  for (int i = 0; i < 1000; ++i) many += ",1";
  CHECK(marks(many + "]}").find("/steps/0/air/others: ") != std::string::npos);
  CHECK(refusal(std::string(ball) + R"(, "steps": [])").find("expected one step or more") !=
        std::string::npos);
  CHECK(refusal(std::string(ball) + R"(, "steps": [{"feet": [], "air": {}, "ground": {}}])")
            .find("expected one foot or more") != std::string::npos);
  std::string steps = R"(, "steps": [)";
  for (int i = 0; i < 17; ++i) {
    steps += std::string(i ? "," : "") + R"({"feet": ["ball"], "air": {}, "ground": {}})";
  }
  CHECK(refusal(ball + steps + "]").find("/steps: ") != std::string::npos);
}

TEST_CASE("motion: a gait file with numbers out of range or missing is refused") {
  const auto found = [&](const std::string& keys) {
    return error_text([&] {
      parse_gait("{" + std::string(ball) + ", " + step + R"(, "found": {)" + keys + "}}", "g.json");
    });
  };
  const std::string rest =
      R"("seed": 1, "evaluations": 5, "restarts": 0, "seconds": 1, "valid": true)";
  CHECK(found(R"("unknowns": [0.5], )" + rest) == "no error");
  CHECK(found(R"("unknowns": [1.5], )" + rest).find("/found/unknowns/0: 1.5: ") !=
        std::string::npos);
  CHECK(found(rest).find("key 'unknowns' is missing") != std::string::npos);
  CHECK(found(R"("unknowns": [], "seed": -1)").find("/found/seed: -1: ") != std::string::npos);
  std::string many = R"("unknowns": [0)";
  for (int i = 0; i < 1000; ++i) many += ",0";
  CHECK(found(many + "], " + rest).find("/found/unknowns: ") != std::string::npos);
  CHECK(error_text([&] {
          parse_gait("{" + std::string(step) + "}", "g.json");
        }).find("key 'scene' is missing") != std::string::npos);
}

TEST_CASE("motion: modes are chosen when a file is loaded, and stay in the gait") {
  const std::string folder = source_dir() + "/scenes/gaits/";
  MotionFile file = load_motion(SourceFile::given(folder + "basic_run.motion.json"));
  file.motion.steps[0].ground.others.clear();
  file.motion.steps[0].ground.choose_others = true;
  const std::string path =
      (std::filesystem::temp_directory_path() / "molejo_auto.motion.json").string();
  write_file(path, motion_text(file));
  const MotionFile asked = parse_motion(motion_text(file), path);
  CHECK(asked.motion.steps[0].ground.choose_others);
  const MotionFile loaded = load_motion(SourceFile::given(path));
  CHECK(!loaded.motion.steps[0].ground.choose_others);
  CHECK(loaded.motion.steps[0].ground.others == std::vector<int>{1, 5, 11});
  CHECK(loaded.motion.steps[0].air.others == file.motion.steps[0].air.others);
  CHECK(hash(parse_motion(motion_text(loaded), path)) == hash(loaded));
  file.motion.steps[0].feet = {"torso"};
  write_file(path, motion_text(file));
  CHECK(error_text([&] { load_motion(SourceFile::given(path)); }) ==
        path + ": body 'torso' is not a foot of the character");
  std::filesystem::remove(path);
}

TEST_CASE("motion: every shipped motion has a character and modes that exist") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/scenes/gaits")) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".motion.json")) continue;
    CAPTURE(path);
    const MotionFile file = load_motion(SourceFile::given(path));
    const Character character = make_character(file.scene, file.motion.figure);
    const GaitProblem problem(character, file.motion);
    CHECK(problem.size() > 11 + 2 * character.internal);
    CHECK(motion_text(parse_motion(motion_text(file), "again.json")) == motion_text(file));
    ++count;
  }
  CHECK(count >= 1);
}

TEST_CASE("motion: every shipped gait is valid when it is replayed") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/scenes/gaits")) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".gait.json")) continue;
    CAPTURE(path);
    const GaitFile file = load_gait(SourceFile::given(path));
    CHECK(file.valid);
    const Character character = make_character(file.motion.scene, file.motion.motion.figure);
    const GaitProblem problem(character, file.motion.motion);
    REQUIRE(file.unknowns.size() == static_cast<std::size_t>(problem.size()));
    const GaitCheck check = check_gait(problem, file.unknowns);
    CAPTURE(check.cyclic_error);
    CHECK(check.easy_holds());
    CHECK(check.priority);
    CHECK(check.cyclic_error < 1);
    CHECK(check.sketch_fails);
    CHECK(check.valid());
    ++count;
  }
  CHECK(count >= 1);
}
