#include "bench/measure.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <stdexcept>

namespace bench {

namespace {

constexpr double time_step = 1e-3;

// Processor time of this thread: what others do on the machine meanwhile is not counted.
double clock_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

std::vector<std::unique_ptr<Simulation>> make_all(const Work& work,
                                                  const std::vector<Entrant>& entrants) {
  std::vector<std::unique_ptr<Simulation>> simulations;
  for (const Entrant& entrant : entrants)
    simulations.push_back(entrant.engine->make(work, entrant.integrator.c_str(), time_step));
  return simulations;
}

// Reads the state, so that the work cannot be left out, and refuses a run that blew up.
void consume(const Work& work, const Entrant& entrant, Simulation& simulation) {
  std::vector<BodyState> bodies(work.parts.size());
  simulation.read(bodies.data());
  if (!std::isfinite(energy(work, bodies)))
    throw std::runtime_error(entrant.label() + " lost " + work.name + ": energy is not finite");
}

}  // namespace

double microseconds(const std::function<void()>& run) {
  const double begin = clock_microseconds();
  run();
  return clock_microseconds() - begin;
}

std::vector<Entrant> entrants_of(const Engine* engine) {
  std::vector<Entrant> entrants;
  for (const char* const* name = engine->integrators(); *name != nullptr; ++name)
    entrants.push_back({engine, *name});
  return entrants;
}

Race race_steps(const Work& work, int steps, const std::vector<Entrant>& entrants,
                const Effort& effort) {
  steps = std::max(1, static_cast<int>(steps * effort.length));
  Race race{work.name, steps, std::vector<std::optional<double>>(entrants.size())};
  const auto simulations = make_all(work, entrants);
  for (int pass = 0; pass < effort.passes; ++pass) {
    for (std::size_t i = 0; i < entrants.size(); ++i) {
      Simulation& simulation = *simulations[i];
      simulation.reset();
      const double took =
          microseconds([&] { simulation.step(steps); }) / steps / simulation.worlds();
      consume(work, entrants[i], simulation);
      race.microseconds[i] = std::min(took, race.microseconds[i].value_or(took));
    }
  }
  return race;
}

Race race_forward_dynamics(const Work& work, int count, const std::vector<Entrant>& entrants,
                           const Effort& effort) {
  count = std::max(1, static_cast<int>(count * effort.length));
  Race race{work.name, count, std::vector<std::optional<double>>(entrants.size())};
  const auto simulations = make_all(work, entrants);
  for (int pass = 0; pass < effort.passes; ++pass) {
    for (std::size_t i = 0; i < entrants.size(); ++i) {
      Simulation& simulation = *simulations[i];
      simulation.reset();
      simulation.step(200);
      bool offered = false;
      const double took = microseconds([&] { offered = simulation.forward_dynamics(count); }) /
                          count / simulation.worlds();
      consume(work, entrants[i], simulation);
      if (offered) race.microseconds[i] = std::min(took, race.microseconds[i].value_or(took));
    }
  }
  return race;
}

Drift energy_drift(const Entrant& entrant, int links, double angle, double duration) {
  constexpr double mass = 1, length = 0.2;
  const Work work = chain(links, angle);
  const double reference = links * mass * work.gravity * (links * length) / 2;
  const auto simulation = entrant.engine->make(work, entrant.integrator.c_str(), time_step);
  std::vector<BodyState> bodies(work.parts.size());
  simulation->read(bodies.data());
  const double initial = energy(work, bodies);

  Drift drift;
  const int samples = static_cast<int>(std::lround(duration / (10 * time_step)));
  for (int sample = 1; sample <= samples; ++sample) {
    simulation->step(10);
    simulation->read(bodies.data());
    const double error = std::abs(energy(work, bodies) - initial) / reference;
    // a run that blew up has no bound
    drift.whole = error <= drift.whole   ? drift.whole
                  : std::isfinite(error) ? error
                                         : std::numeric_limits<double>::infinity();
    if (sample * 10 * time_step < 1 + time_step / 2) drift.first_second = drift.whole;
  }
  return drift;
}

}  // namespace bench
