// Reduced coordinates and Lagrange multipliers in maximal coordinates are two derivations of one
// motion.
#include <doctest/doctest.h>

#include <Eigen/Dense>

#include "molejo/model/scene.h"
#include "molejo/physics/integrate.h"
#include "molejo/physics/world.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// Poses of all bodies, by the order of the model (the same in both formulations).
std::vector<Pose> poses(const Model& model, const State& state) {
  Kinematics<double> k(model);
  update_poses(model, state.q.data(), k);
  std::vector<Pose> result;
  for (int i = 0; i < model.body_count(); ++i) result.push_back(body_pose(model, k, {i}));
  return result;
}

double distance(const std::vector<Pose>& a, const std::vector<Pose>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, max_abs(a[i].p - b[i].p));
    for (int r = 0; r < 3; ++r) worst = std::max(worst, max_abs(a[i].R[r] - b[i].R[r]));
  }
  return worst;
}

Scene with_random_state(Scene scene, unsigned seed) {
  std::mt19937 random(seed);
  for (SceneJoint& joint : scene.joints) {
    const Freedoms f = freedoms(joint.type);
    for (int i = 0; i < f.count(); ++i) joint.velocity.push_back(symmetric_unit(random));
    const int straight = f.rotations == 3 ? f.translations : f.count();
    for (int i = 0; i < straight; ++i) joint.position.push_back(symmetric_unit(random));
    if (f.rotations == 3) {
      const Quat q = exp_quat(random_vector(random));
      joint.position.insert(joint.position.end(), {q.w, q.x, q.y, q.z});
    }
  }
  return scene;
}

}  // namespace

TEST_CASE("formulations: reduced and maximal coordinates give the same motion on random trees") {
  for (unsigned seed = 0; seed < 9; ++seed) {
    for (bool drives : {false, true}) {
      Scene scene = with_random_state(random_tree_scene({.bodies = 7,
                                                         .floating = seed % 2 == 0,
                                                         .drives = drives,
                                                         .rotors = drives,
                                                         .seed = seed}),
                                      seed);
      scene.settings.formulation = Formulation::reduced;
      const Built reduced = build(scene);
      scene.settings.formulation = Formulation::maximal;
      const Built maximal = build(scene);
      CAPTURE(seed);
      CAPTURE(drives);
      CHECK(maximal.model.nv == 6 * 7);
      int equations = 0;
      for (const LoopJoint& loop : maximal.model.loops) equations += loop.rows;
      CHECK(equations == maximal.model.nv - reduced.model.nv);
      REQUIRE(distance(poses(reduced.model, reduced.initial),
                       poses(maximal.model, maximal.initial)) < 1e-13);

      State a = reduced.initial, b = maximal.initial;
      Scratch sa(reduced.model), sb(maximal.model);
      // small steps, for the limits of the drives are kinks
      for (int n = 0; n < 400; ++n) {
        step(reduced.model, Integrator::rk4, 5e-4, a, sa);
        step(maximal.model, Integrator::rk4, 5e-4, b, sb);
      }
      CHECK(distance(poses(reduced.model, a), poses(maximal.model, b)) < 1e-6);
    }
  }
}

TEST_CASE("formulations: multipliers on the tree's factor equal a dense KKT solve") {
  // maximal coordinates: block-diagonal M, sparse G; and a reduced tree with extra loops
  for (unsigned seed = 0; seed < 9; ++seed) {
    Scene scene = with_random_state(random_tree_scene({.bodies = 8, .seed = seed}), seed);
    scene.settings.formulation = Formulation::maximal;
    const Built built = build(scene);
    const Model& model = built.model;
    Scratch s(model);
    VecX a(model.nv);
    acceleration(model, 0, built.initial.q.data(), built.initial.v.data(), a.data(), s);

    // G from the wrenches of the rows, and the acceleration equation
    Dynamics<double> d(model);
    update_poses(model, built.initial.q.data(), d.kinematics);
    update_velocities(model, built.initial.v.data(), d.kinematics);
    MatX G = MatX::Zero(model.rows, model.nv);
    VecX gamma(model.rows);
    for (const LoopJoint& loop : model.loops) {
      ClosureRow rows[6];
      closure(model, d.kinematics, loop, rows);
      for (int r = 0; r < loop.rows; ++r) {
        const Vec3 &f = rows[r].f, &n = rows[r].n;
        const VecX force{{f.x, f.y, f.z}}, torque{{n.x, n.y, n.z}};
        for (const auto& [body, sign] :
             {std::pair{loop.body_2, 1.0}, std::pair{loop.body_1, -1.0}}) {
          G.row(loop.first_row + r) +=
              sign * (point_jacobian(model, d.kinematics, body, rows[r].p).transpose() * force +
                      rotation_jacobian(model, d.kinematics, body).transpose() * torque)
                         .transpose();
        }
      }
      const auto bias = [&](BodyId body) {
        if (body.is_world()) return BodyAcceleration{};
        const BiasAcceleration b =
            bias_acceleration(model, d.kinematics, built.initial.v, body,
                              d.kinematics.bodies[static_cast<std::size_t>(body.index)].p);
        return BodyAcceleration{b.angular, b.linear};
      };
      closure_acceleration(model, d.kinematics, loop, bias(loop.body_1), bias(loop.body_2),
                           gamma.data() + loop.first_row);
    }
    const VecX c = inverse_dynamics(model, built.initial.v, VecX::Zero(model.nv), d);
    const MatX M = mass_matrix(model, d);
    MatX K = MatX::Zero(model.nv + model.rows, model.nv + model.rows);
    K.topLeftCorner(model.nv, model.nv) = M;
    K.topRightCorner(model.nv, model.rows) = -G.transpose();
    K.bottomLeftCorner(model.rows, model.nv) = G;
    VecX rhs(model.nv + model.rows);
    rhs << -c, -gamma;
    const VecX x = K.partialPivLu().solve(rhs);
    CAPTURE(seed);
    CHECK((a - x.head(model.nv)).norm() < 1e-9 * (1 + a.norm()));
    const VecX lambda = Eigen::Map<const VecX>(s.loops.lambda.data(), model.rows);
    CHECK((lambda - x.tail(model.rows)).norm() < 1e-7 * (1 + lambda.norm()));
  }
}

TEST_CASE("formulations: projection closes what was opened, positions and velocities") {
  Scene scene = with_random_state(random_tree_scene({.bodies = 8, .seed = 1}), 4);
  scene.settings.formulation = Formulation::maximal;
  const Built built = build(scene);
  std::mt19937 random(9);
  State state = built.initial;
  VecX dq(built.model.nv);
  for (int i = 0; i < built.model.nv; ++i)
    dq[i] = 1e-3 * symmetric_unit(random), state.v[i] += 0.1 * symmetric_unit(random);
  move(built.model, dq.data(), 1.0, state.q.data());
  Dynamics<double> d(built.model);
  Loops loops(built.model);
  const Projection report = project(built.model, state, 1e-12, d, loops);
  CHECK(report.error_before > 1e-4);
  CHECK(report.error_after < 1e-12);
  update_poses(built.model, state.q.data(), d.kinematics);
  update_velocities(built.model, state.v.data(), d.kinematics);
  for (const LoopJoint& loop : built.model.loops) {
    ClosureRow rows[6];
    closure(built.model, d.kinematics, loop, rows);
    for (int r = 0; r < loop.rows; ++r) {
      CHECK(std::fabs(closure_rate(d.kinematics, loop, rows[r])) < 1e-10);
    }
  }
}

TEST_CASE("formulations: the cost of a chain in maximal coordinates grows with its length only") {
  // fill of the factor, not time: a chain of n joints has O(n) entries
  const auto entries = [](int links) {
    Scene scene = chain_scene(links, 0.3);
    scene.settings.formulation = Formulation::maximal;
    const Built built = build(scene);
    Loops loops(built.model);
    return loops.factor.entries();
  };
  const std::size_t n100 = entries(100), n200 = entries(200), n400 = entries(400);
  CHECK(n200 < 2.1 * static_cast<double>(n100));
  CHECK(n400 < 2.1 * static_cast<double>(n200));
}
