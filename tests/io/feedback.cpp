// Feedback in gait files, and the plot of a push battery.
#include "molejo/io/feedback.h"

#include <doctest/doctest.h>

#include "molejo/io/motion.h"
#include "molejo/io/push_plot.h"
#include "tests/support/error_text.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

GaitFile shipped() {
  return load_gait(SourceFile::given(source_dir() + "/scenes/gaits/basic_run_closed.gait.json"));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("feedback file: written and read again it is the same") {
  const GaitFile gait = shipped();
  REQUIRE(gait.feedback);
  const std::string text = gait_text(gait);
  const GaitFile again = parse_gait(text, "again");
  REQUIRE(again.feedback);
  CHECK(again.feedback->feedback.K == gait.feedback->feedback.K);
  CHECK(again.feedback->feedback.clip == gait.feedback->feedback.clip);
  CHECK(again.feedback->push == gait.feedback->push);
  CHECK(again.feedback->seed == gait.feedback->seed);
  CHECK(again.feedback->tried == gait.feedback->tried);
  CHECK(gait_text(again) == text);
  GaitFile open = gait;
  open.feedback.reset();
  CHECK_FALSE(parse_gait(gait_text(open), "open").feedback);
}

TEST_CASE("feedback file: what does not fit is told in one line") {
  GaitFile gait = shipped();
  const std::string text = gait_text(gait);
  CHECK(error_text([&] {
          parse_gait(replaced(text, "\"gains\"", "\"gain\""), "f");
        }).find("gains") != std::string::npos);
  CHECK(error_text([&] {
          parse_gait(replaced(text, "\"push\": ", "\"push\": -"), "f");
        }).find("/feedback/push") != std::string::npos);
  gait.feedback->feedback.clip.conservativeResize(3);
  CHECK(error_text([&] {
          parse_gait(gait_text(gait), "f");
        }).find("expected one row for each of 3 clips") != std::string::npos);
  gait.feedback->feedback.K = MatX::Zero(3, 5);
  const GaitFile small = parse_gait(gait_text(gait), "f");
  const Character character = make_character(small.motion.scene, small.motion.motion.figure);
  const GaitProblem problem(character, small.motion.motion);
  CHECK(error_text([&] { check_feedback(problem, *small.feedback, "f"); }) ==
        "f: /feedback/gains: 3 x 5: expected 32 x 71 for this motion");
}

TEST_CASE("push plot: a line for each phase, and the figures of the table") {
  PushBattery b;
  b.directions = 4, b.phases = 2, b.seconds = 0.2, b.after = 5, b.most = 2, b.mass = 70;
  b.impulse = {0.5, 0.75, 1, 1, 0.25, 0.5, 1, 0.75};
  CHECK(b.least() == 0.25);
  CHECK(b.least(3) == 0.75);
  CHECK(b.force(1) == doctest::Approx(350));
  const std::string svg = push_plot("A <run>", b);
  CHECK(svg.find("A &lt;run&gt;") != std::string::npos);
  std::size_t lines = 0;
  for (std::size_t at = svg.find("<path"); at != std::string::npos;
       at = svg.find("<path", at + 1)) {
    ++lines;
  }
  CHECK(lines == 3);  // and the area of both
  CHECK(svg.find("0.25 N s/kg, 88 N") != std::string::npos);
  // forward is up: half of the end of the scale, 1.2
  CHECK(svg.find("M290.00 258.33") != std::string::npos);
  const std::string table = push_table(b);
  CHECK(table.find("\"least\": 0.25") != std::string::npos);
  CHECK(table.find("\"degrees\": 270") != std::string::npos);
}
