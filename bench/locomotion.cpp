#include "bench/locomotion.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/table.h"
#include "molejo/io/motion.h"
#include "molejo/locomotion/sketch.h"
#include "molejo/locomotion/train.h"

namespace bench {

namespace {

constexpr double time_step = 1e-3, verified_time = 0.05;

Vec3 plain(const molejo::Vec3& v) { return {v.x, v.y, v.z}; }

// The basic run's sketch, with pulses of whole steps.
struct Setting {
  molejo::MotionFile file =
      molejo::load_motion(molejo::SourceFile::given(BENCH_GAITS "basic_run.motion.json"));
  molejo::Character character = molejo::make_character(file.scene, file.motion.figure);
  molejo::GaitProblem problem{character, file.motion};
  molejo::Gait gait = sketch();

  molejo::Gait sketch() const {
    const molejo::VecX x = problem.start();
    molejo::Gait g = problem.gait(x.data());
    molejo::GaitStep& step = g.steps[0];
    step.air.duration = step.ground.duration = 0.175;
    step.air.pulses[0].length = step.ground.pulses[0].length = 0.087;
    return g;
  }
  // Four candidates: the sketch, and stronger ones from higher and faster starts.
  std::vector<molejo::Gait> candidates() const {
    std::vector<molejo::Gait> all(4, gait);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double more = static_cast<double>(i);
      all[i].start.q[2] += 0.005 * more;
      all[i].start.v[0] += 0.1 * more;
      all[i].steps[0].air.pulses[0].torque *= 1 + 0.1 * more;
      all[i].steps[0].ground.pulses[0].torque *= 1 + 0.1 * more;
    }
    return all;
  }
  int steps() const { return static_cast<int>(std::lround(gait.duration() / time_step)); }
};

PlacedShape placed(const molejo::Shape& shape, const molejo::Vec3& center) {
  PlacedShape out;
  out.position = plain(shape.X_BS.p - center);
  const molejo::Vec3 turn = molejo::log_quat(molejo::quaternion(shape.X_BS.R));
  out.angle = norm(turn);
  if (out.angle > 0) out.axis = plain(turn * (1 / out.angle));
  if (const auto* b = std::get_if<molejo::Box>(&shape.geometry)) out.shape = box(plain(b->half));
  if (const auto* s = std::get_if<molejo::Sphere>(&shape.geometry)) out.shape = sphere(s->radius);
  return out;
}

// The character as plain numbers, at the start of the gait.
Work work_of(const Setting& s, double raised) {
  const molejo::Character& c = s.character;
  Work work;
  work.name = "humanoid, 36 freedoms, springs and pulses";
  work.ground = true;
  work.friction = s.file.motion.rollout.friction;
  work.gravity = -c.model.gravity.z;
  const molejo::GaitStep& step = s.gait.steps[0];
  const double air = step.air.duration;
  work.pulses[0] = {0, step.air.pulses[0].length};
  work.pulses[1] = {air, air + step.ground.pulses[0].length};
  molejo::Kinematics<double> k(c.model);
  molejo::update_poses(c.model, s.gait.start.q.data(), k);
  std::vector<int> part_of(c.model.links.size(), -1);
  for (std::size_t b = 0; b < c.model.links.size(); ++b) {
    const molejo::Link& link = c.model.links[b];
    if (link.translations + link.rotations == 0) continue;  // the ground
    Part part;
    part.name = c.model.bodies[b].name;
    part.parent = link.parent < 0 ? -1 : part_of[static_cast<std::size_t>(link.parent)];
    part.joint = part.parent < 0 ? Joint::free : Joint::ball;
    const molejo::BodyMotion<double>& m = k.bodies[b];
    part.center = plain(m.p + m.com) + Vec3{0, 0, raised};
    part.anchor = part.parent < 0 ? part.center : plain(m.p) + Vec3{0, 0, raised};
    part.mass = link.mass;
    part.inertia = {link.I_BC.xx, link.I_BC.yy, link.I_BC.zz};
    part.products = {link.I_BC.xy, link.I_BC.xz, link.I_BC.yz};
    for (const molejo::Shape& shape : c.model.bodies[b].shapes) {
      if (shape.collides) part.more_shapes.push_back(placed(shape, link.p_BM + link.p_MC));
    }
    if (part.parent < 0) {
      part.velocity = {s.gait.start.v[link.v], s.gait.start.v[link.v + 1],
                       s.gait.start.v[link.v + 2]};
    } else {
      const molejo::Drive& drive = c.model.drives[static_cast<std::size_t>(link.v)];
      part.stiffness = drive.stiffness, part.damping = drive.damping;
      const int n = link.v - c.first_internal;
      for (int p = 0; p < 2; ++p) {
        const molejo::VecX& t = (p == 0 ? step.air : step.ground).pulses[0].torque;
        part.torque[p] = {t[n], t[n + 1], t[n + 2]};
      }
    }
    part_of[b] = static_cast<int>(work.parts.size());
    work.parts.push_back(part);
  }
  return work;
}

// Centres of mass of the parts after a while in flight, as the rollout has them.
std::vector<Vec3> centers_in_flight(const Setting& s, double raised) {
  molejo::Gait gait = s.gait;
  gait.start.q[2] += raised;
  molejo::Rollout rollout(s.character, s.file.motion.rollout);
  std::vector<Vec3> centers;
  const molejo::Model& model = s.character.model;
  rollout.run(gait, {}, [&](const molejo::RolloutView& view) {
    if (!centers.empty() || view.t < verified_time - 1e-9) return;
    molejo::Kinematics<double> k(model);
    molejo::update_poses(model, view.q.data(), k);
    for (std::size_t b = 0; b < model.links.size(); ++b) {
      const molejo::Link& link = model.links[b];
      if (link.translations + link.rotations > 0)
        centers.push_back(plain(k.bodies[b].p + k.bodies[b].com));
    }
  });
  return centers;
}

LocomotionEntry verified(const Setting& s, const Entrant& entrant) {
  constexpr double raised = 0.5;
  LocomotionEntry entry{entrant.engine->name(), entrant.integrator};
  const Work work = work_of(s, raised);
  const auto simulation = entrant.engine->make(work, entrant.integrator.c_str(), time_step);
  simulation->step(static_cast<int>(std::lround(verified_time / time_step)));
  std::vector<BodyState> bodies(work.parts.size());
  simulation->read(bodies.data());
  const std::vector<Vec3> expected = centers_in_flight(s, raised);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec3 d = bodies[i].center - expected[i];
    entry.difference = std::max(entry.difference, std::sqrt(dot(d, d)));
  }
  if (!(entry.difference < 5e-3)) entry.complaint = "its motion differs";
  return entry;
}

// All cores that this process may use, or the one it was bound to.
class AllCores {
 public:
  AllCores() {
    CPU_ZERO(&bound_);
    sched_getaffinity(0, sizeof bound_, &bound_);
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int i = 0; i < CPU_SETSIZE; ++i) CPU_SET(i, &all);
    sched_setaffinity(0, sizeof all, &all);
  }
  ~AllCores() { sched_setaffinity(0, sizeof bound_, &bound_); }
  AllCores(const AllCores&) = delete;
  AllCores& operator=(const AllCores&) = delete;

 private:
  cpu_set_t bound_;
};

// Candidates around the sketch, as the optimiser draws them; the last number: how often their
// joints are replaced by those they end with.
std::vector<double> candidates(const molejo::GaitProblem& problem, int count, double rounds) {
  const molejo::VecX sketch = problem.start();
  std::vector<double> points;
  for (int n = 0; n < count; ++n) {
    for (int i = 0; i < problem.size(); ++i) {
      const double x = sketch[i] + 0.1 * std::sin(12.9898 * i + 78.233 * n);
      points.push_back(std::clamp(x, 0.0, 1.0));
    }
    points.push_back(rounds);
  }
  return points;
}

// Best of some passes, in seconds.
template <class Clock>
double best_seconds(int passes, const Clock& clock) {
  double best = 1e300;
  for (int pass = 0; pass < passes; ++pass) best = std::min(best, clock());
  return best;
}

double wall_seconds(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Candidates per second on so many threads.
double evaluations_per_second(const Setting& s, int threads, int passes) {
  constexpr int count = 64;
  const std::vector<double> points = candidates(s.problem, count, 1);
  molejo::ThreadEvaluator evaluator(molejo::evaluation(s.problem, threads), threads);
  std::vector<double> results(static_cast<std::size_t>(count * evaluator.outputs()));
  const auto run = [&] { evaluator.evaluate(count, points.data(), results.data()); };
  return count / best_seconds(passes, [&] {
           return threads == 1 ? 1e-6 * microseconds(run) : wall_seconds(run);
         });
}

// Steps of packs per second on two threads.
double steps_on_two_cores(const Setting& s, int passes) {
  constexpr int packs = 16;
  std::vector<molejo::Rollout> rollouts;
  for (int i = 0; i < 2; ++i) rollouts.emplace_back(s.character, s.file.motion.rollout);
  molejo::Problem problem;
  problem.unknowns = problem.outputs = 1;
  const std::vector<molejo::Gait> four = s.candidates();
  const molejo::Gait* gaits[4] = {&four[0], &four[1], &four[2], &four[3]};
  std::vector<molejo::RolloutResult> results[2] = {std::vector<molejo::RolloutResult>(4),
                                                   std::vector<molejo::RolloutResult>(4)};
  problem.evaluate = [&](int worker, int, const double*, double* out) {
    const auto w = static_cast<std::size_t>(worker);
    rollouts[w].run(gaits, results[w]);
    out[0] = results[w][0].energy;
  };
  molejo::ThreadEvaluator evaluator(problem, 2);
  std::vector<double> points(packs), out(packs);
  const double seconds = best_seconds(passes, [&] {
    return wall_seconds([&] { evaluator.evaluate(packs, points.data(), out.data()); });
  });
  return 4.0 * packs * s.steps() / seconds;
}

// From a changed rest pose to both palettes: the character made anew, and its modes.
double palette_seconds(const Setting& s, int passes) {
  molejo::CharacterOptions options = s.file.motion.figure;
  options.pose.turns["left_leg.knee"] = {0, 0.3, 0};
  options.pose.mirror = true;
  return best_seconds(passes, [&] {
    return 1e-6 * microseconds([&] {
             const molejo::Character posed = molejo::make_character(s.file.scene, options);
             molejo::air_modes(posed);
             molejo::ground_modes(posed, 0);
           });
  });
}

double sketch_frame_seconds(const Setting& s, int passes) {
  molejo::Sketch sketch(s.character, s.file.motion);
  double amplitude = 0.1;
  return best_seconds(passes, [&] {
    amplitude = -amplitude;
    return 1e-6 * microseconds([&] {
             sketch.set_amplitude(0, molejo::SketchPhase::air, 2, amplitude);
             sketch.advance(1.0 / 60);
           });
  });
}

// The usual contact solver of MuJoCo, both ways of ODE.
std::vector<Entrant> peer_entrants(const Engines& engines) {
  std::vector<Entrant> entrants;
  for (const Engine* engine : engines.all) {
    const std::string name = engine->name();
    if (name == "MuJoCo") entrants.push_back({engine, engine->contact_solvers()[0]});
    if (name == "ODE") {
      entrants.push_back({engine, "QuickStep"});
      entrants.push_back({engine, "WorldStep"});
    }
  }
  return entrants;
}

}  // namespace

LocomotionRace race_locomotion(const Engines& engines, const Effort& effort) {
  const Setting s;
  LocomotionRace race;
  race.evaluated_seconds = s.gait.duration();
  const std::vector<Entrant> entrants = peer_entrants(engines);
  std::vector<std::unique_ptr<Simulation>> simulations;
  const Work work = work_of(s, 0);
  for (const Entrant& entrant : entrants) {
    race.peers.push_back(verified(s, entrant));
    simulations.push_back(entrant.engine->make(work, entrant.integrator.c_str(), time_step));
  }
  molejo::Rollout rollout(s.character, s.file.motion.rollout);
  const std::vector<molejo::Gait> four = s.candidates();
  const molejo::Gait* gaits[4] = {&four[0], &four[1], &four[2], &four[3]};
  std::vector<molejo::RolloutResult> results(4);
  const int steps = s.steps(), passes = effort.rounds * effort.passes;
  const auto keep = [&](double& best, int count, const std::function<void()>& run) {
    best = std::max(best, 1e6 * count / microseconds(run));
  };
  std::vector<BodyState> bodies(work.parts.size());
  for (int pass = 0; pass < passes; ++pass) {
    keep(race.steps_single, steps, [&] { results[0] = rollout.run(s.gait); });
    keep(race.steps_in_packs, 4 * steps, [&] { rollout.run(gaits, results); });
    for (std::size_t i = 0; i < entrants.size(); ++i) {
      simulations[i]->reset();
      keep(race.peers[i].steps, steps, [&] {
        simulations[i]->step(steps);
        simulations[i]->read(bodies.data());
      });
    }
  }
  race.evaluations = evaluations_per_second(s, 1, effort.passes);
  race.palettes = palette_seconds(s, effort.passes);
  race.sketch_frame = sketch_frame_seconds(s, effort.passes);
  const AllCores both;
  race.evaluations_two_cores = evaluations_per_second(s, 2, effort.passes);
  race.steps_two_cores = steps_on_two_cores(s, effort.passes);
  return race;
}

std::vector<TrainingTime> time_training(int seeds) {
  const AllCores both;
  std::vector<TrainingTime> times;
  for (int seed = 1; seed <= seeds; ++seed) {
    TrainingTime time{.seed = seed};
    time.seconds = wall_seconds([&] {
      const Setting s;
      molejo::ThreadEvaluator evaluator(molejo::evaluation(s.problem, 2), 2);
      molejo::Training training(s.problem, evaluator, static_cast<std::uint64_t>(seed));
      while (training.advance()) {
      }
      time.valid = training.is_valid();
      time.evaluations = training.evaluations();
    });
    times.push_back(time);
  }
  return times;
}

std::string training_text(const std::vector<TrainingTime>& times) {
  if (times.empty()) return "";
  std::vector<Row> rows{{"seed", "valid", "seconds on two cores", "simulations"}};
  int in_60 = 0, in_20 = 0;
  for (const TrainingTime& t : times) {
    rows.push_back({std::to_string(t.seed), t.valid ? "yes" : "no",
                    fmt::format("{:.1f}", t.seconds), std::to_string(t.evaluations)});
    in_60 += t.valid && t.seconds <= 60 ? 1 : 0;
    in_20 += t.valid && t.seconds <= 20 ? 1 : 0;
  }
  return "\n## Basic run trained from a cold start\n\n" + table(rows) +
         fmt::format("\nWithin 60 s: {} of {} (goal: 4 of 5); within 20 s: {}.\n", in_60,
                     times.size(), in_20);
}

std::string locomotion_text(const LocomotionRace& race) {
  if (race.steps_single == 0) return "";
  std::vector<Row> rows{{"humanoid in a rollout", "steps/s", "Molejo's packs over it",
                         "off after 50 ms, mm", "same work"}};
  const auto add = [&](const std::string& name, double steps, const std::string& off,
                       const std::string& same) {
    rows.push_back({name, fmt::format("{:.0f}", steps),
                    fmt::format("{:.2f}", race.steps_in_packs / steps), off, same});
  };
  add("Molejo, one gait", race.steps_single, "-", "-");
  add("Molejo, four in a pack", race.steps_in_packs, "-", "-");
  add("Molejo, packs on two cores", race.steps_two_cores, "-", "-");
  for (const LocomotionEntry& e : race.peers) {
    add(e.engine + ", " + e.solver, e.steps, three_digits(1e3 * e.difference),
        e.complaint.empty() ? "yes" : e.complaint);
  }
  return "\n## Gaits\n\nThe sketch of the basic run under gravity, " +
         fmt::format("{:.2f}", race.evaluated_seconds) +
         " s at 1 ms. A pack has four candidates that\ndiffer. Molejo's steps include joint limits "
         "and all that the optimiser wants to know; the peers\nhave neither.\n\n" +
         table(rows) +
         fmt::format(
             "\nCandidates per second, each simulated twice: {:.0f} on one core, {:.0f} on "
             "two.\n",
             race.evaluations, race.evaluations_two_cores) +
         fmt::format(
             "\nBoth palettes of another rest pose: {:.1f} ms (goal: 1 s). Sketch, from a changed "
             "amplitude to the next frame: {:.2f} ms (goal: 100 ms).\n",
             1e3 * race.palettes, 1e3 * race.sketch_frame);
}

std::string locomotion_json(const LocomotionRace& race) {
  nlohmann::json out{{"steps_per_second", race.steps_single},
                     {"steps_per_second_in_packs", race.steps_in_packs},
                     {"steps_per_second_on_two_cores", race.steps_two_cores},
                     {"evaluations_per_second", race.evaluations},
                     {"evaluations_per_second_on_two_cores", race.evaluations_two_cores},
                     {"palettes_seconds", race.palettes},
                     {"sketch_frame_seconds", race.sketch_frame}};
  for (const LocomotionEntry& e : race.peers) {
    out["peers"].push_back({{"engine", e.engine},
                            {"solver", e.solver},
                            {"steps_per_second", e.steps},
                            {"metres_off_after_50_ms", e.difference}});
  }
  return out.dump();
}

}  // namespace bench
