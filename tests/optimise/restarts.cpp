#include "molejo/optimise/restarts.h"

#include <doctest/doctest.h>

#include "tests/optimise/functions.h"

using namespace molejo;
using namespace molejo::test;

namespace {

void generation(Restarts& restarts, const Function& f) {
  MatX points(restarts.unknowns(), restarts.population());
  VecX values(restarts.population());
  restarts.ask(points.data());
  for (int k = 0; k < restarts.population(); ++k) values[k] = f(points.col(k));
  restarts.tell(values.data());
}

const std::vector<double> start(10, 3), low(10, -5), high(10, 5);

}  // namespace

TEST_CASE("restarts: Rastrigin in 10 dimensions is solved where one run fails") {
  for (const RestartKind kind : {RestartKind::ipop, RestartKind::bipop}) {
    int solved = 0;
    for (unsigned seed = 1; seed <= 5; ++seed) {
      Restarts restarts(
          {.cma = {.seed = seed, .target = 1e-8}, .kind = kind, .max_evaluations = 300'000}, start,
          low, high);
      while (!restarts.over()) generation(restarts, rastrigin);
      CHECK(restarts.run() > 0);
      if (restarts.best_value() <= 1e-8) ++solved;
    }
    CHECK(solved == 5);
  }
}

TEST_CASE("restarts: populations double, small ones stay between the first and half the largest") {
  for (const RestartKind kind : {RestartKind::ipop, RestartKind::bipop}) {
    Restarts restarts({.cma = {.max_generations = 20}, .kind = kind, .restarts = 5}, start, low,
                      high);
    std::vector<int> grown;
    int run = -1, small = 0, largest = 0;
    while (!restarts.over()) {
      if (restarts.run() != run) {
        run = restarts.run();
        const int population = restarts.population();
        if (restarts.state().small) {
          ++small;
          CHECK(population >= 10);
          CHECK(population <= largest);
          CHECK(restarts.cma().state().settings.sigma >= 0.003);
          CHECK(restarts.cma().state().settings.sigma <= 0.3);
        } else {
          grown.push_back(population);
          largest = population;
        }
      }
      generation(restarts, rastrigin);
    }
    CHECK(grown == std::vector<int>{10, 20, 40, 80, 160, 320});
    CHECK((small > 0) == (kind == RestartKind::bipop));
  }
}

TEST_CASE("restarts: a copy of the state goes on with the same bits") {
  const RestartSettings settings{.cma = {.max_generations = 15}, .restarts = 3};
  Restarts whole(settings, start, low, high);
  while (!whole.over()) generation(whole, rastrigin);
  RestartState state = Restarts(settings, start, low, high).state();
  while (!state.over) {
    Restarts part(state);
    for (int i = 0; i < 7 && !part.over(); ++i) generation(part, rastrigin);
    state = part.state();
  }
  CHECK(hash(state.best) == hash(whole.best()));
  CHECK(state.best_value == whole.best_value());
  CHECK(state.evaluations == whole.evaluations());
  CHECK(state.run == whole.run());
}

TEST_CASE("restarts: the budget of all runs is kept") {
  Restarts restarts({.cma = {.max_generations = 30}, .max_evaluations = 5000}, start);
  while (!restarts.over()) generation(restarts, rastrigin);
  CHECK(restarts.evaluations() >= 5000);
  CHECK(restarts.evaluations() < 5000 + restarts.population());
}
