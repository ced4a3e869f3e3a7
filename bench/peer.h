// What the benchmark asks of an engine. One adapter per engine implements it (bench/peers).
//
// Peers are modules that the runner opens, each with its symbols to itself, because two of them
// (Bullet in single and in double precision) define the same names. Nothing that one side
// allocates is freed by the other: results go into arrays of the caller. C++17 only.
#pragma once

#include <memory>

#include "bench/works.h"

namespace bench {

// One work in one engine with one integrator and one time step.
class Simulation {
 public:
  virtual ~Simulation() = default;
  // Back to the start of the work.
  virtual void reset() = 0;
  virtual void step(int count) = 0;
  // The state of every part now, in order (of the first world, when there are several).
  virtual void read(BodyState* bodies) = 0;
  // Accelerations from positions and velocities alone, `count` times, each time with all
  // coordinates written anew so that nothing is taken from a cache. False: not offered.
  virtual bool forward_dynamics(int count) {
    (void)count;
    return false;
  }
  // Of the hinges, in order, found by the last forward_dynamics.
  virtual void hinge_accelerations(double* out) { (void)out; }
  // How many worlds one step moves.
  virtual int worlds() const { return 1; }
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual const char* name() const = 0;
  virtual const char* version() const = 0;
  virtual bool single_precision() const { return false; }
  // Ends with null. The engine's plain integrator first (semi-implicit Euler where there is one).
  virtual const char* const* integrators() const = 0;
  // Ends with null: the ways of this engine to solve contact, its usual one first. `make` takes one
  // of them in place of an integrator.
  virtual const char* const* contact_solvers() const {
    static const char* const none[] = {nullptr};
    return none;
  }
  // Why this engine leaves out a work with this solver; null: it does not.
  virtual const char* declines(const Work& work, const char* solver) const {
    (void)work, (void)solver;
    return nullptr;
  }
  virtual std::unique_ptr<Simulation> make(const Work& work, const char* integrator,
                                           double time_step) const = 0;
};

}  // namespace bench

// Each peer module exports this one function.
extern "C" const bench::Engine* bench_engine();
