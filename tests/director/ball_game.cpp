// Two figures that play ball: order of events, one ball, mirror images, what is proved before.
#include <doctest/doctest.h>

#include <cmath>

#include "molejo/net/analysis.h"
#include "tests/director/shows.h"

using namespace molejo;
using namespace molejo::test;

namespace {

const Show& game() {
  static const Show show = shipped_show("ball_game");
  return show;
}
const Directed& played() {
  static const Directed directed = direct(game());
  return directed;
}

BodyId ball() { return game().built->model.body("ball"); }

std::vector<std::int64_t> at(const char* transition) {
  return frames_of(firings(game(), played().trace), transition);
}

}  // namespace

TEST_CASE("ball game: events have the frames of the thesis") {
  using Frames = std::vector<std::int64_t>;
  CHECK(at("T1") == Frames{48});
  CHECK(at("T9") == Frames{72});
  CHECK(at("T2") == Frames{108});
  CHECK(at("T3") == Frames{120});
  CHECK(at("T10") == Frames{144});
  CHECK(at("T4") == Frames{156});
  CHECK(at("T11") == Frames{168});
  CHECK(at("T12") == Frames{192});
  CHECK(at("T5") == Frames{228});
  CHECK(at("T13") == Frames{240});
  CHECK(at("T14") == Frames{264});
  CHECK(at("T15") == Frames{276});
  CHECK(at("T6") == Frames{300});
  CHECK(at("T16") == Frames{312});
  CHECK(at("T7") == Frames{324});
  CHECK(at("T8") == Frames{348});
  CHECK(played().recording.frames.size() == 349);
  CHECK_FALSE(played().trace.quiet);  // only the time ends it
  CHECK(played().trace.most_running == 7);
}

TEST_CASE("ball game: frames told before the run are those of the run") {
  const NetTrace told = play(game().net, {}, 348);
  CHECK(firings(game(), told) == firings(game(), played().trace));
  CHECK(told.services.size() == played().trace.services.size());
}

TEST_CASE("ball game: the ball is in one hand or in the air, as the net says") {
  Director director(game());
  Frame frame;
  std::vector<ContactEvent> contacts;
  const NetNames names(game().net);
  const PlaceId to_b = names.place("P10"), to_a = names.place("P12");
  int held_by_a = 0, held_by_b = 0, flying = 0;
  while (director.next_frame(frame, contacts)) {
    const Vec3 p = position(game(), frame, "ball");
    const double a = norm(p - position(game(), frame, "A.right_arm.hand"));
    const double b = norm(p - position(game(), frame, "B.left_arm.hand"));
    const double grip = std::sqrt(0.12 * 0.12 + 0.08 * 0.08);
    const bool in_air = director.net().waiting(to_b) + director.net().waiting(to_a) > 0;
    // where it starts and lands it is in a hand as well
    const bool by_a = std::fabs(a - grip) < 1e-9, by_b = std::fabs(b - grip) < 1e-9;
    CHECK((by_a != by_b || (in_air && !by_a && !by_b)));
    CHECK((in_air || director.ensemble().is_attached(ball())));
    held_by_a += by_a ? 1 : 0, held_by_b += by_b ? 1 : 0;
    flying += !by_a && !by_b ? 1 : 0;
  }
  CHECK(flying == 46);  // 23 frames between the first and the last of each flight
  CHECK(held_by_a == 121 + 49);
  CHECK(held_by_b == 277 - 144);
}

TEST_CASE("ball game: the ball flies on the exact parabola and lands where it is awaited") {
  const std::vector<Frame>& frames = played().recording.frames;
  for (const std::size_t first : {std::size_t{120}, std::size_t{276}}) {
    const Vec3 start = position(game(), frames[first], "ball");
    const Vec3 goal = position(game(), frames[first + 24], "ball");
    for (std::size_t i = 0; i <= 24; ++i) {
      const double t = static_cast<double>(i) / 24;
      const Vec3 expected = start + (goal - start) * t + Vec3{0, 0, -9.81} * (t * (t - 1) / 2);
      CHECK(norm(position(game(), frames[first + i], "ball") - expected) < 1e-12);
    }
  }
}

TEST_CASE("ball game: A has gone 2 and B 3 strokes at the first throw, both 5 at the second") {
  const auto gone = [&](std::size_t frame, const char* body) {
    return position(game(), played().recording.frames[frame], body).x;
  };
  CHECK(std::fabs(gone(108, "A.pelvis") - 2 * 0.5) < 1e-6);
  CHECK(std::fabs(gone(108, "B.pelvis") - 3 * 0.5) < 1e-6);
  CHECK(std::fabs(gone(264, "A.pelvis") - 5 * 0.5) < 1e-6);
  CHECK(std::fabs(gone(264, "B.pelvis") - 5 * 0.5) < 1e-6);
}

TEST_CASE("ball game: A is the mirror image of B while they turn, throw and receive") {
  // frames after the sub-net was entered: A at 48 + k as B at 240 + k (position to throw, throw)
  const std::vector<Frame>& frames = played().recording.frames;
  const auto compare = [&](std::size_t a, std::size_t b, bool ends) {
    const Vec3 pelvis_a = position(game(), frames[a], "A.pelvis");
    const Vec3 pelvis_b = position(game(), frames[b], "B.pelvis");
    for (const char* body : {"torso", "head", "leg.foot", "leg.shin", "arm.hand", "arm.fore"}) {
      for (const bool left : {true, false}) {
        const std::string name = body;
        const bool sided = name.find('.') != std::string::npos;
        const std::string of_a = sided ? (left ? "A.left_" : "A.right_") + name : "A." + name;
        const std::string of_b = sided ? (left ? "B.right_" : "B.left_") + name : "B." + name;
        const Vec3 p = position(game(), frames[a], of_a) - pelvis_a;
        const Vec3 q = position(game(), frames[b], of_b) - pelvis_b;
        CAPTURE(a);
        CAPTURE(of_a);
        if (ends || name.find("leg") == std::string::npos) {
          CHECK(norm(p - Vec3{q.x, -q.y, q.z}) < 1e-9);
        }
      }
    }
  };
  // both come from the same walk, not from its image, so that feet agree once each has stepped:
  // at the end of each positioning sub-net, and the rest of the body all the time
  for (std::size_t k = 1; k <= 24; ++k) compare(48 + k, 240 + k, false);   // turn to throw
  for (std::size_t k = 1; k <= 12; ++k) compare(108 + k, 264 + k, false);  // throw
  for (std::size_t k = 1; k <= 36; ++k) compare(228 + k, 72 + k, false);   // turn to receive
  for (std::size_t k = 1; k <= 24; ++k) compare(300 + k, 144 + k, false);  // receive
  for (std::size_t k = 1; k <= 24; ++k) compare(324 + k, 168 + k, false);  // turn to carry
  for (std::size_t k = 1; k <= 36; ++k) compare(120 + k, 276 + k, false);  // turn to walk
}

TEST_CASE("ball game: rules hold over 10 000 frames, and exactly one ball is there") {
  const Show& show = game();
  Director director(show, {.duration = Fraction(417)});
  Frame frame;
  std::vector<ContactEvent> contacts;
  const NetNames names(show.net);
  std::int64_t frames = 0, throws = 0;
  bool was_flying = false;
  const Model& model = show.built->model;
  while (director.next_frame(frame, contacts) && frames <= 10'000) {
    const NetRun& net = director.net();
    const bool flying = net.tokens(names.place("P10")) + net.tokens(names.place("P12")) > 0;
    if (flying && !was_flying) {
      ++throws;
      // thrown only when the other one stands and waits: it does not walk
      const bool to_b = net.tokens(names.place("P10")) > 0;
      const std::string other = to_b ? "P14_P3" : "P6_P3";
      for (const char* part : {"a", "b", "c", "d"}) {
        REQUIRE(net.marking(names.place(other + part)) == 1);
      }
    }
    was_flying = flying;
    const bool held = director.ensemble().is_attached(model.body("ball"));
    REQUIRE((held || flying));
    ++frames;
  }
  CHECK(frames == 10'001);
  CHECK(throws == 64);
  CHECK(director.failure().empty());
}

TEST_CASE(
    "broken shows: without the arc P9 to T2 the throw comes at frame 72, and it is caught before") {
  Show broken = game();
  const NetNames names(broken.net);
  std::erase_if(broken.net.arcs, [&](const Arc& a) {
    return a.kind == ArcKind::input && a.place == names.place("P9") &&
           a.transition == names.transition("T2");
  });
  const Analysis analysis = analyse(broken.net, {});
  bool caught = false;
  std::vector<TraceStep> steps;
  for (const PropertyResult& r : analysis.properties) {
    if (r.property.text != "never: P3_P1a & P9") continue;
    caught = r.verdict == Verdict::fails;
    REQUIRE(r.has_trace);
    for (const TimedFiring& f : r.trace) steps.push_back({f.transition, f.time});
  }
  CHECK(caught);
  // played as an animation, the counterexample throws at frame 72, when B has just stopped
  const Directed shown = direct(broken, {.trace = steps});
  CHECK(shown.recording.summary.failure == "");
  CHECK(frames_of(firings(broken, shown.trace), "T2") == std::vector<std::int64_t>{72});
  CHECK(firings(broken, shown.trace).size() == steps.size());
  const Vec3 b = position(broken, shown.recording.frames[72], "B.pelvis");
  CHECK(b.x == doctest::Approx(1.5));
}

TEST_CASE("broken shows: without the arc T5 to P11 it gets stuck with A in P6 and B in P18") {
  Show broken = game();
  const NetNames names(broken.net);
  std::erase_if(broken.net.arcs, [&](const Arc& a) {
    return a.kind == ArcKind::output && a.place == names.place("P11") &&
           a.transition == names.transition("T5");
  });
  const Analysis analysis = analyse(broken.net, {});
  REQUIRE_FALSE(analysis.properties.empty());
  const PropertyResult& r = analysis.properties.front();
  CHECK(r.property.text == "never: deadlock");
  CHECK(r.verdict == Verdict::fails);
  std::vector<TraceStep> steps;
  for (const TimedFiring& f : r.trace) steps.push_back({f.transition, f.time});
  const Directed shown = direct(broken, {.duration = Fraction(60), .trace = steps});
  CHECK(shown.recording.summary.failure == "");
  std::string stuck;
  for (std::size_t p = 0; p < broken.net.places.size(); ++p) {
    if (shown.trace.marking[p] > 0) stuck += broken.net.places[p].name + " ";
  }
  CHECK(stuck == "P6_P3a P6_P3b P6_P3c P6_P3d P18_P2a P18_P2b ");
}
