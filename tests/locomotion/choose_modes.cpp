// Modes chosen for balance: their effects against a direct simulation of the linear equations, what
// the rule takes and what not, and how it agrees with sets made by hand.
#include "molejo/locomotion/choose_modes.h"

#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "tests/locomotion/gaits.h"
#include "tests/support/error_text.h"
#include "tests/support/motion.h"

using namespace molejo;
using namespace molejo::test;

namespace {

struct Setting {
  explicit Setting(const Motion& asked = basic_motion(), const std::string& name = "humanoid")
      : character(shipped_character(name, asked.figure)), motion(asked) {}

  std::vector<int> feet() const {
    std::vector<int> list;
    for (const std::string& foot : motion.steps[0].feet) {
      list.push_back(foot_of(character, foot));
    }
    return list;
  }
  Modes modes(bool ground) const {
    return ground ? ground_modes(character, feet()) : air_modes(character);
  }
  MatX effects(bool ground) const {
    return balance_effects(character, motion, feet(), ground, modes(ground));
  }
  std::vector<int> chosen(bool ground) const {
    PhaseMarks marks = ground ? motion.steps[0].ground : motion.steps[0].air;
    marks.others.clear();
    return choose_modes(motion, marks, effects(ground));
  }

  Character character;
  Motion motion;
};

// The linear equations on what is not fixed, integrated: displacement and velocity at the end of a
// torque that lasts for `length` of `seconds`.
std::pair<VecX, VecX> integrated(const Setting& s, bool ground, const VecX& torque, double length,
                                 double seconds) {
  const Character& c = s.character;
  ModalOptions options;
  if (ground) {
    for (const int f : s.feet()) {
      options.fixed_points.push_back({c.feet[at(f)].body, c.feet[at(f)].toe});
    }
  }
  const ModalMatrices m = modal_matrices(c.model, c.rest, options);
  const MatX& N = m.null_space;
  const auto n = N.cols();
  const MatX D = N.transpose() * m.D * N, K = N.transpose() * m.K * N;
  const Eigen::LLT<MatX> mass(MatX(N.transpose() * m.M * N));
  VecX force = VecX::Zero(c.model.nv);
  force.segment(c.first_internal, c.internal) = torque;
  const VecX push = N.transpose() * force;
  const auto rates = [&](bool on) {
    return [&, on](double, const VecX& y) {
      VecX d(2 * n);
      d.head(n) = y.tail(n);
      d.tail(n) = mass.solve((on ? push : VecX::Zero(n)) - D * y.tail(n) - K * y.head(n));
      return d;
    };
  };
  VecX y = own_rk4(rates(true), VecX::Zero(2 * n), length, 4000);
  if (seconds > length) y = own_rk4(rates(false), y, seconds - length, 4000);
  return {N * y.head(n), N * y.tail(n)};
}

}  // namespace

TEST_CASE("choose modes: effects are those of the linear equations, simulated") {
  Motion stiff = basic_motion();
  stiff.basis = Basis::stiff_shapes;
  Motion joints = basic_motion();
  joints.basis = Basis::joints;
  for (const Motion& motion : {basic_motion(), stiff, joints}) {
    Setting s(motion);
    // unequal springs: torques along a shape then excite several modes, some swing and some creep
    for (int v = s.character.first_internal; v < s.character.model.nv; ++v) {
      Drive& drive = s.character.model.drives[at(v)];
      drive.stiffness *= 1 + 0.5 * std::sin(v);
      drive.damping = 0.02 * drive.stiffness;
    }
    const Character& c = s.character;
    const double phase = 0.175, pulse = phase / 2;
    for (const bool ground : {false, true}) {
      const MatX effects = s.effects(ground);
      REQUIRE(effects.rows() == 30);
      REQUIRE(effects.cols() == 6);
      for (const int mode : {0, 2, 9, 14}) {
        CAPTURE(ground);
        CAPTURE(mode);
        const VecX torque = mode_torque(c, motion, s.modes(ground), mode);
        const auto [x, v] = integrated(s, ground, torque, pulse, ground ? pulse : phase);
        State moving = c.rest;
        moving.v = ground ? v : x;  // a small motion is a velocity for a while
        const Kinematics<double> k = kinematics(c.model, moving);
        const Totals sum = totals(c.model, k);
        Vec3 first = sum.com_velocity * (1 / 0.1), second;
        if (ground) {
          // the spin of the whole figure, made rigid, with this angular momentum
          State rigid = c.rest;
          Eigen::Matrix3d inertia;
          for (int i = 0; i < 3; ++i) {
            rigid.v.setZero();
            rigid.v[3 + i] = 1;
            const Totals t = totals(c.model, kinematics(c.model, rigid));
            const Vec3 L = t.angular_momentum - cross(t.com, t.momentum);
            inertia.col(i) << L.x, L.y, L.z;
          }
          const Vec3 L = sum.angular_momentum - cross(sum.com, sum.momentum);
          const Eigen::Vector3d spin = inertia.ldlt().solve(Eigen::Vector3d(L.x, L.y, L.z)) / 0.2;
          second = {spin[0], spin[1], spin[2]};
        } else {
          const Foot& foot = c.feet[at(s.feet()[0])];
          const Vec3 toe = body_pose(c.model, k, foot.body) * foot.toe;
          first = (point_velocity(k, foot.body, toe) - sum.com_velocity) * (1 / 0.01);
          second = k.bodies[at(c.torso.index)].w * (1 / 0.02);
        }
        VecX expected(6);
        expected << first.x, first.y, first.z, second.x, second.y, second.z;
        CHECK((effects.row(mode).transpose() - expected).norm() <
              1e-6 * std::max(1.0, expected.norm()));
      }
    }
  }
}

TEST_CASE("choose modes: for the basic run those made by hand, and the legs that spread") {
  // prototype: air 3, 4; ground 1, 5, 11 beside the priority modes
  const Setting s;
  CHECK(s.chosen(false) == std::vector<int>{1, 3, 4});
  CHECK(s.chosen(true) == std::vector<int>{1, 5, 11});
}

TEST_CASE("choose modes: for other styles and figures") {
  // priority of the thesis (s.5.3) where it names them
  Motion rotation = basic_motion();
  rotation.steps[0].ground.priority = {{2, 0.1}, {3, 0.2}, {4, 0.1}, {10, 0.1}};
  CHECK(Setting(rotation).chosen(true) == std::vector<int>{1, 5, 11});
  Motion sway = basic_motion();
  sway.steps[0].ground.priority = {{2, 0.1}, {3, 0.2}, {4, -0.1}};
  CHECK(Setting(sway).chosen(true) == std::vector<int>{1, 5, 11});

  // a hopper can be thrown to both sides as well: it gets the mode that sways
  Motion hop;
  hop.mirrored = false;
  hop.range.period = 0.5;
  hop.steps.push_back({{"foot"}, {{{1, -0.1}}, {}}, {{{1, 0.1}, {2, 0.2}, {4, 0.05}}, {}}});
  const Setting kangaroo(hop, "kangaroo");
  CHECK(kangaroo.chosen(false) == std::vector<int>{2, 3, 4});
  CHECK(kangaroo.chosen(true) == std::vector<int>{3, 8});
}

TEST_CASE("choose modes: the side on which it lands, and signs of amplitudes, do not matter") {
  Motion left = basic_motion(), turned = basic_motion();
  left.steps[0].feet = {"left_leg.foot"};
  for (PhaseMarks* marks : {&turned.steps[0].air, &turned.steps[0].ground}) {
    for (MarkedMode& m : marks->priority) m.amplitude = -m.amplitude;
  }
  for (const bool ground : {false, true}) {
    CHECK(Setting(left).chosen(ground) == Setting().chosen(ground));
    CHECK(Setting(turned).chosen(ground) == Setting().chosen(ground));
  }
}

TEST_CASE("choose modes: what throws off most is undone first, what does nothing is not taken") {
  Motion motion;
  MatX effects = MatX::Zero(12, 6);
  effects(0, 4) = 10;                    // the sketch pitches
  effects(2, 4) = 1;                     // may undo it, too weakly
  effects(3, 4) = 8, effects(4, 4) = 8;  // may undo it, alike
  effects(8, 4) = 100;                   // best of all, but in the upper half of the palette
  PhaseMarks marks;
  marks.priority = {{1, 0.5}};
  CHECK(choose_modes(motion, marks, effects) == std::vector<int>{4, 5});
  motion.others = 3;  // strong enough alone: of equal ones the lower
  CHECK(choose_modes(motion, marks, effects) == std::vector<int>{4});
  motion.others = 1;
  motion.basis = Basis::joints;  // joints have no order
  CHECK(choose_modes(motion, marks, effects) == std::vector<int>{9});
  motion.basis = Basis::shapes;
  // modes that are there already count, and are kept
  marks.others = {5};
  CHECK(choose_modes(motion, marks, effects) == std::vector<int>{4, 5});
  marks.others = {6, 2, 3, 5};
  CHECK(choose_modes(motion, marks, effects) == std::vector<int>{2, 3, 5, 6});

  // a sway is undone by the image of the step, where there is one; forward and up are wanted
  effects.setZero();
  effects(0, 1) = 100, effects(0, 0) = 100, effects(0, 2) = 100;
  effects(1, 1) = 0.2, effects(2, 0) = 1, effects(3, 2) = 1;
  marks.others.clear();
  const std::vector<int> with_image = choose_modes(motion, marks, effects);
  CHECK(with_image == std::vector<int>{3, 4});  // a fifth of an error of one tolerance each
  motion.mirrored = false;
  CHECK(choose_modes(motion, marks, effects) == std::vector<int>{2});

  // nothing marked, and modes that do not exist
  marks.priority.clear();
  CHECK(choose_modes(motion, marks, effects).size() == 3);
  marks.priority = {{40, 0.5}};
  CHECK(choose_modes(motion, marks, effects).size() <= 3);
}

TEST_CASE("choose modes: a motion is filled in where it asks for it, and nowhere else") {
  Motion motion = basic_motion();
  motion.steps[0].air.others.clear();
  motion.steps[0].air.choose_others = true;
  const Character c = shipped_character("humanoid");
  const Motion filled = with_chosen_modes(c, motion);
  CHECK(filled.steps[0].air.others == std::vector<int>{1, 3, 4});
  CHECK(!filled.steps[0].air.choose_others);
  CHECK(filled.steps[0].ground.others == basic_motion().steps[0].ground.others);
  CHECK(GaitProblem(c, filled).size() == 88);
  motion.steps[0].feet = {"torso"};
  CHECK(error_text([&] { with_chosen_modes(c, motion); }) ==
        "body 'torso' is not a foot of the character");
}
