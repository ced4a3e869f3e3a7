// Trainings that are interrupted: exact numbers, refusals, and the same bits as without.
#include "molejo/io/training_state.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "molejo/io/file.h"
#include "molejo/io/motion.h"
#include "molejo/math/parallel.h"
#include "tests/support/empty_folder.h"
#include "tests/support/error_text.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// The basic run with steps so long that it is soon over; whether it succeeds is of no concern.
MotionFile coarse_run() {
  MotionFile file =
      load_motion(SourceFile::given(source_dir() + "/scenes/gaits/basic_run.motion.json"));
  file.motion.rollout.time_step = 8e-3;
  file.motion.training.evaluations = 1'000'000;
  return file;
}

struct Setting {
  explicit Setting(MotionFile motion = coarse_run())
      : file(std::move(motion)),
        character(make_character(file.scene, file.motion.figure)),
        problem(character, file.motion),
        evaluator(evaluation(problem, thread_count(1)), 1) {}
  MotionFile file;
  Character character;
  GaitProblem problem;
  ThreadEvaluator evaluator;

  std::string text(Training& training) const {
    return training_text({hash(file), 1.5, training.state()});
  }
  SavedTraining parsed(const std::string& text) const {
    return parse_training(text, "run.part", problem, hash(file));
  }
};

void advance(Training& training, int generations) {
  for (int g = 0; g < generations; ++g) {
    if (!training.advance()) return;
  }
}

}  // namespace

TEST_CASE("training state: what goes on from a file has the bits of what was never interrupted") {
  Setting a, b;
  Training straight(a.problem, a.evaluator, 5);
  advance(straight, 130);  // two polishes are among them
  REQUIRE(straight.state().evaluations > 130 * 32 + 1000);
  REQUIRE(!straight.state().polished.empty());
  const std::string expected = a.text(straight);

  // 60 and 120: right after a polish
  std::string text;
  {
    Training first(b.problem, b.evaluator, 5);
    text = b.text(first);
  }
  for (const int generations : {1, 58, 1, 1, 59, 10}) {
    const SavedTraining saved = b.parsed(text);
    CHECK(training_text(saved) == text);
    Training resumed(b.problem, b.evaluator, saved.state);
    advance(resumed, generations);
    text = b.text(resumed);
  }
  CHECK(text == expected);
}

TEST_CASE("training state: a search that ended for want of evaluations goes on with more") {
  MotionFile few = coarse_run();
  few.motion.training.evaluations = 320;
  Setting a(few), b;
  CHECK(hash(a.file) == hash(b.file));
  Training first(a.problem, a.evaluator, 5);
  advance(first, 1000);
  CHECK(first.state().over);
  CHECK(first.state().evaluations == 320);
  CHECK(first.solution().size() == static_cast<std::size_t>(a.problem.size()));
  const SavedTraining saved = b.parsed(a.text(first));
  Training second(b.problem, b.evaluator, saved.state);
  advance(second, 10);
  Training straight(b.problem, b.evaluator, 5);
  advance(straight, 20);
  CHECK(b.text(second) == b.text(straight));
}

TEST_CASE("training state: less than a generation is refused before the search begins") {
  MotionFile few = coarse_run();
  for (const int allowed : {1, 31, 32}) {
    few.motion.training.evaluations = allowed;
    Setting s(few);
    const Training training(s.problem, s.evaluator, 5);
    const std::string told =
        error_text([&] { check_evaluations(s.problem, training, "--evaluations"); });
    CHECK(told == (allowed < 32 ? "--evaluations: " + std::to_string(allowed) +
                                      " simulations, expected 32 or more: one generation takes 32"
                                : "no error"));
  }
}

TEST_CASE("training state: what is not valid never replaces a valid gait") {
  const EmptyFolder folder;
  const std::string path = folder / "run.gait.json";
  GaitFile first = load_gait(SourceFile::given(source_dir() + "/scenes/gaits/basic_run.gait.json"));
  REQUIRE(first.valid);
  GaitFile other = first;
  other.seed = 17;
  const auto seed_there = [&] { return load_gait(SourceFile::given(path)).seed; };
  other.valid = false;
  CHECK(save_found(path, other));
  CHECK(seed_there() == 17);
  // the better one, whatever was there
  first.seed = 18;
  CHECK(save_found(path, first));
  CHECK(seed_there() == 18);
  CHECK_FALSE(save_found(path, other));
  CHECK(seed_there() == 18);
  other.valid = true;
  CHECK(save_found(path, other));
  CHECK(seed_there() == 17);
  // what is no gait is no better
  other.valid = false;
  for (const char* text : {"", "{}", "my notes"}) {
    write_file(path, text);
    CHECK(save_found(path, other));
    CHECK(seed_there() == 17);
  }
}

TEST_CASE("training state: a checkpoint goes into its file and comes back") {
  const Setting s;
  const EmptyFolder folder;
  const Checkpoint checkpoint(folder / "run.gait.json");
  CHECK_FALSE(checkpoint.exists());
  CHECK(checkpoint.path() == folder / "run.gait.json.part");
  SavedTraining saved;
  saved.motion = hash(s.file);
  saved.seconds = 2.25;
  saved.state.seed = 8999999999999999;
  CHECK(checkpoint.save(saved) == "");
  CHECK(checkpoint.exists());
  CHECK(read_file(checkpoint.path()) == training_text(saved));
  const SavedTraining again = checkpoint.load(s.problem, hash(s.file));
  CHECK(again.seconds == 2.25);
  CHECK(again.state.seed == 8999999999999999);
  CHECK(!again.state.search);
  checkpoint.remove();
  CHECK_FALSE(checkpoint.exists());
}

TEST_CASE("training state: a checkpoint that cannot be written says so and leaves the last one") {
  const Setting s;
  const EmptyFolder folder;
  const std::string gait = folder / "run.gait.json";
  SavedTraining saved;
  saved.motion = hash(s.file);
  saved.seconds = 1;
  const Checkpoint checkpoint(gait);
  REQUIRE(checkpoint.save(saved) == "");
  saved.seconds = 2;
  // its folder is gone for a while
  std::filesystem::rename(folder.path(), folder.path() + "_away");
  CHECK(checkpoint.save(saved) == gait + ".part: no such folder '" + folder.path() + "'");
  std::filesystem::rename(folder.path() + "_away", folder.path());
  CHECK(checkpoint.load(s.problem, hash(s.file)).seconds == 1);
  CHECK(checkpoint.save(saved) == "");
  CHECK(checkpoint.load(s.problem, hash(s.file)).seconds == 2);
}

TEST_CASE("training state: what is no checkpoint is not overwritten, whatever its name") {
  const EmptyFolder folder;
  write_file(folder / "run.gait.json.part", "my notes");
  CHECK(error_text([&] { const Checkpoint checkpoint(folder / "run.gait.json"); }) ==
        folder / "run.gait.json.part: is no training; it must have another name");
  CHECK(folder.names() == std::vector<std::string>{"run.gait.json.part"});
}

TEST_CASE("training state: two trainings for one gait do not meet") {
  const EmptyFolder folder;
  const Checkpoint first(folder / "run.gait.json");
  CHECK(error_text([&] {
          const Checkpoint second(folder / "run.gait.json");
        }).find("run.gait.json: process ") != std::string::npos);
  const Checkpoint other(folder / "walk.gait.json");
}

TEST_CASE("training state: another motion, other sizes and cut files are refused") {
  Setting s;
  Training training(s.problem, s.evaluator, 5);
  advance(training, 2);
  const std::string text = s.text(training);
  const auto refusal = [&](const std::string& t) { return error_text([&] { s.parsed(t); }); };
  CHECK(refusal(text) == "no error");

  MotionFile changed = coarse_run();
  changed.motion.torque_scale = 501;
  const Setting other(changed);
  CHECK(error_text([&] {
          other.parsed(text);
        }).find("the motion or its character has changed since") != std::string::npos);
  // the right hash around the wrong search
  MotionFile fewer = coarse_run();
  fewer.motion.steps[0].air.others.clear();
  const Setting smaller(fewer);
  CHECK(error_text([&] {
          parse_training(text, "run.part", smaller.problem, hash(s.file));
        }).find("/search: ") != std::string::npos);

  for (const double part : {0.0, 0.1, 0.5, 0.9, 0.99}) {
    const auto length = static_cast<std::size_t>(part * static_cast<double>(text.size()));
    CAPTURE(length);
    CHECK(refusal(text.substr(0, length)).find("run.part") == 0);
  }
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string t = text;
    const std::size_t place = t.find(from);
    REQUIRE(place != std::string::npos);
    return refusal(t.replace(place, from.size(), to));
  };
  CHECK(replaced("\"seed\": 5", "\"seed\": 5.5").find("/seed: 5.5: expected a whole number") !=
        std::string::npos);
  CHECK(replaced("\"seed\": 5", "\"seeds\": 5").find("unknown key 'seeds'") != std::string::npos);
  CHECK(replaced("\"evaluations\": ", "\"evaluations\": -").find("/evaluations: -") !=
        std::string::npos);
  CHECK(replaced("\"gait\"", "\"run\"").find("expected \"gait\"") != std::string::npos);
  CHECK(replaced("\"polished\": []", "\"polished\": [1]").find("/polished: ") != std::string::npos);
}

TEST_CASE(
    "training state: the point that was polished last comes back, and not with another size") {
  Setting s;
  Training training(s.problem, s.evaluator, 5);
  advance(training, 1);
  SavedTraining saved{hash(s.file), 0, training.state()};
  const auto searched = static_cast<std::size_t>(saved.state.search->cma.mean.size());
  const auto all = static_cast<std::size_t>(s.problem.size());
  REQUIRE(searched < all);  // the search leaves out the state of the joints
  const auto with_polished = [&](std::size_t size) {
    saved.state.polished.clear();
    for (std::size_t i = 0; i < size; ++i) {
      saved.state.polished.push_back(1 / (3.0 + static_cast<double>(i)));
    }
    return training_text(saved);
  };
  const auto refusal = [&](std::size_t size) {
    return error_text([&] { s.parsed(with_polished(size)); });
  };
  for (const bool searching : {true, false}) {
    CAPTURE(searching);
    if (!searching) saved.state.search.reset();
    const std::size_t right = searching ? searched : all;
    for (const std::size_t size : {std::size_t{0}, right}) {
      const std::string text = with_polished(size);
      CHECK(s.parsed(text).state.polished == saved.state.polished);
      CHECK(training_text(s.parsed(text)) == text);
    }
    for (const std::size_t size : {std::size_t{1}, right - 1, right + 1}) {
      CAPTURE(size);
      CHECK(refusal(size).find("/polished: ") != std::string::npos);
    }
    CHECK(refusal(searching ? all : searched).find("/polished: ") != std::string::npos);
  }
}

TEST_CASE("training state: a polish from the same point is not tried again after a resume") {
  Setting a, b;
  Training straight(a.problem, a.evaluator, 5);
  SavedTraining before{hash(a.file), 0, straight.state()};
  std::int64_t generation = 0;  // evaluations of one without a polish
  while (straight.state().polished.empty()) {
    generation = straight.state().evaluations - before.state.evaluations;
    before.state = straight.state();
    advance(straight, 1);
  }
  const std::int64_t with_polish = straight.state().evaluations - before.state.evaluations;
  REQUIRE(with_polish > generation + 100);

  const auto evaluations_of_the_next = [&] {
    Training resumed(b.problem, b.evaluator, b.parsed(training_text(before)).state);
    advance(resumed, 1);
    return resumed.state().evaluations - before.state.evaluations;
  };
  CHECK(evaluations_of_the_next() == with_polish);
  before.state.polished = straight.state().polished;  // as if the same point had been tried before
  CHECK(evaluations_of_the_next() == generation);
}
