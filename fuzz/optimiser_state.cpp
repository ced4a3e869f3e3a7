// A saved state of any of the three kinds. Nothing but InputError may leave the readers; a state
// that was accepted lives through a generation and comes back from its own text.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "molejo/io/optimiser_state.h"
#include "molejo/model/error.h"

namespace {

constexpr std::size_t most_numbers = 100'000;  // no large populations: they are slow, not wrong

template <class Optimiser>
bool is_small(const Optimiser& optimiser, int outputs) {
  const auto n = static_cast<std::size_t>(std::max(optimiser.unknowns(), outputs));
  return n * n <= most_numbers &&
         n * static_cast<std::size_t>(optimiser.population()) <= most_numbers;
}

std::vector<double> numbers(int rows, int columns) {
  std::vector<double> list(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<double>((i * 7) % 13) - 6;
  return list;
}

template <class Parse, class Use>
void attempt(const std::string& text, Parse parse, Use use) {
  try {
    const auto state = parse(text, "state.json");
    const std::string again = molejo::optimiser_text(state);
    assert(molejo::optimiser_text(parse(again, "again.json")) == again);
    use(state);
  } catch (const molejo::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  attempt(text, molejo::parse_cma_state, [](const molejo::CmaState& state) {
    molejo::CmaEs cma(state);
    if (!is_small(cma, 1)) return;
    std::vector<double> points = numbers(cma.population(), cma.unknowns());
    cma.ask(points.data());
    cma.tell(numbers(cma.population(), 1).data());
  });
  attempt(text, molejo::parse_multiplier_state, [](const molejo::MultiplierState& state) {
    molejo::Multipliers multipliers(state);
    if (!is_small(multipliers, state.outputs)) return;
    for (int i = 0; i < 2 && multipliers.phase() <= molejo::MultiplierPhase::run_ended; ++i) {
      if (multipliers.phase() == molejo::MultiplierPhase::run_ended) {
        multipliers.next_run();
        continue;
      }
      std::vector<double> points = numbers(multipliers.population(), multipliers.unknowns());
      multipliers.ask(points.data());
      multipliers.tell(points.data(), numbers(multipliers.population(), state.outputs).data());
    }
  });
  attempt(text, molejo::parse_restart_state, [](const molejo::RestartState& state) {
    molejo::Restarts restarts(state);
    if (restarts.over() || !is_small(restarts, 1)) return;
    std::vector<double> points = numbers(restarts.population(), restarts.unknowns());
    restarts.ask(points.data());
    restarts.tell(numbers(restarts.population(), 1).data());
  });
  return 0;
}
