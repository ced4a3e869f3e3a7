#include "bench/contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/contact_works.h"
#include "bench/penetration.h"

namespace bench {

namespace {

constexpr double time_step = 1e-3, pi = 3.14159265358979323846;

int steps_in(double seconds) { return static_cast<int>(std::lround(seconds / time_step)); }

// The states of a simulation, every few steps.
class Film {
 public:
  Film(const Entrant& entrant, const Work& work)
      : work_(work),
        simulation_(entrant.engine->make(work, entrant.integrator.c_str(), time_step)),
        bodies_(work.parts.size()) {
    read();
  }
  const std::vector<BodyState>& bodies() const { return bodies_; }
  const std::vector<BodyState>& advance(int steps) {
    simulation_->step(steps);
    return read();
  }

 private:
  const std::vector<BodyState>& read() {
    simulation_->read(bodies_.data());
    return bodies_;
  }
  Work work_;
  std::unique_ptr<Simulation> simulation_;
  std::vector<BodyState> bodies_;
};

// Steps `simulation` through the work and fills all but the repeated passes of `run`.
void sample(const Work& work, Simulation& simulation, const ContactEffort& effort,
            ContactRun& run) {
  std::vector<BodyState> bodies(work.parts.size());
  simulation.read(bodies.data());
  double lowest_energy = energy(work, bodies), spent = 0;
  const int wanted = steps_in(effort.seconds);
  int done = 0;
  const auto too_slow = [&] {
    return spent > 1e6 * effort.glance && spent / done * wanted > 1e6 * effort.limit;
  };
  while (done < wanted && !too_slow()) {
    const int count = std::min(effort.sampled_steps, wanted - done);
    spent += microseconds([&] { simulation.step(count); });
    done += count;
    simulation.read(bodies.data());
    const double now = energy(work, bodies);
    if (!std::isfinite(now)) {
      run.complaint = "blew up";
      return;
    }
    const Penetration depth = penetration(work, bodies);
    run.ground_depth = std::max(run.ground_depth, depth.ground);
    run.part_depth = std::max(run.part_depth, depth.parts);
    run.joint_error = std::max(run.joint_error, joint_error(work, bodies));
    run.energy_gain = std::max(run.energy_gain, now - lowest_energy);
    lowest_energy = std::min(lowest_energy, now);
  }
  run.microseconds = spent / done;
  run.seconds = done * time_step;
  run.kinetic_at_end = kinetic_energy(work, bodies);
}

std::optional<Probes::Slide> slide(const Entrant& entrant) {
  Film film(entrant, sliding_block());
  const Vec3 start = film.bodies()[0].center, end = film.advance(steps_in(2))[0].center;
  const Vec3 moved = end - start;
  return Probes::Slide{std::hypot(moved.x, moved.y), std::atan2(moved.y, moved.x) * 180 / pi};
}

// The greatest height of the lowest point between the first and the second touch.
double first_apex(const Entrant& entrant) {
  Film film(entrant, bouncing_ball(0.5));
  double highest = 0;
  bool rising = false;
  for (int k = 0; k < steps_in(2); ++k) {
    const BodyState& ball = film.advance(1)[0];
    rising = rising || ball.velocity.z > 0;
    if (rising && highest > 0 && ball.velocity.z < 0) break;
    if (rising) highest = std::max(highest, ball.center.z - ball_radius);
  }
  return highest;
}

// The energy of the last flight within 5 s: of the last sample that is 2 cm or more above the
// plane, within the last tenth of a second; of the very last one when there is none.
double bounce_energy(const Entrant& entrant) {
  const Work work = bouncing_ball(1);
  Film film(entrant, work);
  const double rest = work.parts[0].mass * work.gravity * ball_radius;
  const double start = energy(work, film.bodies()) - rest;
  film.advance(steps_in(4.9));
  double flying = 0;
  bool found = false;
  for (int k = 0; k < steps_in(0.1); ++k) {
    const std::vector<BodyState>& bodies = film.advance(1);
    const bool high = bodies[0].center.z - ball_radius > 0.02;
    if (high || !found) flying = energy(work, bodies) - rest;
    found = found || high;
  }
  return flying / start - 1;
}

// Speed of the capsule across the fingers between 1 s and 4 s.
double creep(const Entrant& entrant, double force) {
  Film film(entrant, pinched_capsule(force));
  const Vec3 early = film.advance(steps_in(1))[2].center;
  const Vec3 late = film.advance(steps_in(3))[2].center;
  const Vec3 moved = late - early;
  const double distance = std::hypot(moved.y, moved.z);
  // farther than the fingers are long: it was dropped
  return distance < 0.02 ? distance / 3 : std::numeric_limits<double>::infinity();
}

double stretch(const Entrant& entrant) {
  const Work work = heavy_end();
  Film film(entrant, work);
  double largest = 0;
  for (int k = 0; k < steps_in(5); k += 2)
    largest = std::max(largest, joint_error(work, film.advance(2)));
  return largest;
}

}  // namespace

std::vector<Entrant> contact_entrants(const Engines& engines) {
  std::vector<Entrant> entrants;
  for (const Engine* engine : engines.all)
    for (const char* const* name = engine->contact_solvers(); *name != nullptr; ++name)
      entrants.push_back({engine, *name});
  return entrants;
}

ContactRace race_contact(const Work& work, const std::vector<Entrant>& entrants,
                         const ContactEffort& effort) {
  ContactRace race{work.name, work.has_joints(), work.parts_touch,
                   std::vector<ContactRun>(entrants.size())};
  std::vector<std::unique_ptr<Simulation>> simulations(entrants.size());
  for (std::size_t i = 0; i < entrants.size(); ++i) {
    const Entrant& entrant = entrants[i];
    if (const char* reason = entrant.engine->declines(work, entrant.integrator.c_str())) {
      race.runs[i].complaint = reason;
      continue;
    }
    simulations[i] = entrant.engine->make(work, entrant.integrator.c_str(), time_step);
    try {
      sample(work, *simulations[i], effort, race.runs[i]);
    } catch (const std::exception&) {
      race.runs[i].complaint = "blew up";
    }
  }
  std::vector<double> spent(entrants.size(), 0);
  for (int pass = 1; pass < effort.passes; ++pass) {
    for (std::size_t i = 0; i < entrants.size(); ++i) {
      ContactRun& run = race.runs[i];
      const int steps = steps_in(run.seconds);
      const double expected = run.microseconds * steps;
      if (!run.complaint.empty() || spent[i] + expected > 1e6 * effort.again) continue;
      simulations[i]->reset();
      const double took = microseconds([&] { simulations[i]->step(steps); });
      spent[i] += took;
      run.microseconds = std::min(run.microseconds, took / steps);
    }
  }
  return race;
}

double exact_slide() {
  return slide_speed * slide_speed / (2 * slide_friction * sliding_block().gravity);
}

Probes probe(const Entrant& entrant) {
  const auto takes = [&](const Work& work) {
    return entrant.engine->declines(work, entrant.integrator.c_str()) == nullptr;
  };
  Probes probes;
  if (takes(sliding_block())) probes.slide = slide(entrant);
  if (takes(bouncing_ball(1))) {
    probes.apex = first_apex(entrant);
    probes.bounce_energy = bounce_energy(entrant);
  }
  if (takes(pinched_capsule(12))) {
    probes.creep_12 = creep(entrant, 12);
    probes.creep_60 = creep(entrant, 60);
  }
  if (takes(heavy_end())) probes.stretch = stretch(entrant);
  return probes;
}

}  // namespace bench
