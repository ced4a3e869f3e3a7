#include "molejo/io/feedback.h"

#include <cmath>

#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr std::size_t most_inputs = 1000, most_errors = 1000;
constexpr double largest_gain = 1e9;

double six_decimals(double x) { return std::round(x * 1e6) / 1e6; }

}  // namespace

JsonValue to_json(const Stabilised& f) {
  JsonValue object = JsonValue::object();
  object.add("push", f.push);
  object.add("score", six_decimals(f.score));
  object.add("seed", static_cast<double>(f.seed));
  object.add("tried", static_cast<double>(f.tried));
  object.add("step", f.step);
  object.add("radius", six_decimals(f.radius));
  object.add("open_radius", six_decimals(f.open_radius));
  JsonValue& clip = object.add("clip", JsonValue::array());
  for (const double x : f.feedback.clip) clip.items.emplace_back(x);
  JsonValue& gains = object.add("gains", JsonValue::array());
  for (Eigen::Index i = 0; i < f.feedback.K.rows(); ++i) {
    JsonValue row = JsonValue::array();
    for (Eigen::Index k = 0; k < f.feedback.K.cols(); ++k) {
      row.items.emplace_back(f.feedback.K(i, k));
    }
    gains.items.push_back(std::move(row));
  }
  return object;
}

Stabilised read_feedback(const JsonCursor& at) {
  const std::vector<std::string> keys = {"push",   "score",       "seed", "tried", "step",
                                         "radius", "open_radius", "clip", "gains"};
  at.expect_keys(keys);
  Stabilised f;
  at.read_between("push", 0, 1e6, f.push);
  at.read_between("score", 0, 1, f.score);
  if (const auto x = at.find("seed")) f.seed = static_cast<std::uint64_t>(x->between(0, 9e15));
  if (const auto x = at.find("tried")) f.tried = x->whole(0, 1000000000);
  at.read_between("step", 0, 1e6, f.step);
  at.read_between("radius", 0, 1e9, f.radius);
  at.read_between("open_radius", 0, 1e9, f.open_radius);
  const JsonCursor clip = at.need("clip");
  clip.expect_array(most_inputs);
  f.feedback.clip.resize(static_cast<Eigen::Index>(clip.size()));
  for (std::size_t i = 0; i < clip.size(); ++i) {
    f.feedback.clip[static_cast<Eigen::Index>(i)] = clip[i].between(0, largest_gain);
  }
  const JsonCursor gains = at.need("gains");
  gains.expect_array(most_inputs);
  if (gains.size() == 0 || gains.size() != clip.size()) {
    gains.fail("expected one row for each of " + std::to_string(clip.size()) + " clips");
  }
  gains[0].expect_array(most_errors);
  const std::size_t errors = gains[0].size();
  f.feedback.K.resize(f.feedback.clip.size(), static_cast<Eigen::Index>(errors));
  for (std::size_t i = 0; i < gains.size(); ++i) {
    gains[i].expect_array(most_errors);
    if (gains[i].size() != errors) {
      gains[i].fail("expected " + std::to_string(errors) + " gains, as in the first row");
    }
    for (std::size_t k = 0; k < errors; ++k) {
      f.feedback.K(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) =
          gains[i][k].between(-largest_gain, largest_gain);
    }
  }
  return f;
}

void check_feedback(const GaitProblem& problem, const Stabilised& f, const std::string& file) {
  const Eigen::Index inputs = input_count(problem), errors = problem.cycle_size();
  const MatX& K = f.feedback.K;
  if (K.rows() == inputs && K.cols() == errors) return;
  throw InputError(file + ": /feedback/gains: " + std::to_string(K.rows()) + " x " +
                   std::to_string(K.cols()) + ": expected " + std::to_string(inputs) + " x " +
                   std::to_string(errors) + " for this motion");
}

}  // namespace molejo
