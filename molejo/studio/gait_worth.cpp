#include "molejo/studio/gait_worth.h"

#include <fmt/format.h>

#include "molejo/locomotion/feedback.h"
#include "molejo/locomotion/replay.h"
#include "molejo/studio/bench.h"

namespace molejo {

namespace {

constexpr double judged_seconds = 10;

}  // namespace

std::string gait_worth(const GaitProblem& problem, const GaitFile& gait) {
  const GaitCheck check = check_gait(problem, gait.unknowns);
  ReplayOptions options;
  options.seconds = judged_seconds;
  options.record = false;
  BetweenCycles between;
  if (gait.feedback) between = feedback_hook(problem, gait.unknowns, gait.feedback->feedback);
  const ReplayReport r = replay(problem, gait.unknowns, options, between).report;
  return fmt::format(
      "{{\"valid\":{},\"cyclic_error\":{},\"objective\":{},\"likeness\":{},\"speed\":{},"
      "\"cost_of_transport\":{},\"duty_factor\":{},\"peak_force\":{},\"steps\":{},"
      "\"seconds\":{:.4g},\"fell\":{},\"feedback\":{},\"evaluations\":{},"
      "\"trained_seconds\":{:.4g}}}",
      check.valid(), number_or_null(check.cyclic_error), number_or_null(check.objective),
      number_or_null(check.result.likeness), number_or_null(r.speed),
      number_or_null(r.cost_of_transport), number_or_null(r.duty_factor),
      number_or_null(r.peak_force), r.steps, r.seconds, r.fell, gait.feedback.has_value(),
      gait.evaluations, gait.seconds);
}

}  // namespace molejo
