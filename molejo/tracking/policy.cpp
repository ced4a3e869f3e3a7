#include "molejo/tracking/policy.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/decompositions.h"
#include "molejo/math/index.h"

namespace molejo::tracking {

Policy::Policy(long ticks, bool loops, std::size_t actions)
    : actions_(actions), loops_(loops), rows_(at(ticks)), examples_(at(ticks)) {
  for (Row& r : rows_) r.M.assign(actions * sense_count, 0.0);
}

std::size_t Policy::row(long tick) const {
  return at(loops_ ? ((tick % ticks()) + ticks()) % ticks() : std::clamp(tick, 0L, ticks() - 1));
}

void Policy::act(long tick, const Senses& senses, Action& action) const {
  const Row& r = rows_[row(tick)];
  for (std::size_t i = 0; i < actions_; ++i) {
    double a = r.a0[i];
    for (std::size_t k = 0; k < sense_count; ++k) {
      a += r.M[i * sense_count + k] * (senses[k] - r.s0[k]);
    }
    action[i] = std::clamp(a, -0.6, 0.6);
  }
}

void Policy::remember(long tick, bool first, const Senses& senses, const Action& action,
                      double weight, int round) {
  examples_[row(tick)].push_back({senses, action, weight, round, first});
}

void Policy::forget_before(int round) {
  for (auto& list : examples_) {
    std::erase_if(list, [round](const Example& e) { return e.round < round; });
  }
}

void Policy::fit(double ridge) {
  for (std::size_t i = 0; i < rows_.size(); ++i) fit_row(i, ridge);
}

void Policy::fit_row(std::size_t i, double ridge) {
  const auto means = [&](const auto& list, bool all, Senses& s0, Action& a0) {
    s0 = {}, a0 = {};
    double count = 0;
    for (const Example& e : list) {
      if (!all && !e.first) continue;
      for (std::size_t k = 0; k < sense_count; ++k) s0[k] += e.weight * e.s[k];
      for (std::size_t k = 0; k < actions_; ++k) a0[k] += e.weight * e.a[k];
      count += e.weight;
    }
    for (double& s : s0) s /= std::max(count, 1e-300);
    for (double& a : a0) a /= std::max(count, 1e-300);
    return count;
  };
  if (examples_[i].size() < 3) return;
  Row& r = rows_[i];
  means(examples_[i], true, r.s0, r.a0);
  std::fill(r.M.begin(), r.M.end(), 0.0);
  const auto n = static_cast<Eigen::Index>(actions_);
  MatX C = MatX::Zero(sense_count, sense_count), D = MatX::Zero(sense_count, n);
  VecX s(sense_count), a(n);
  double count = 0;
  std::vector<std::size_t> done;
  for (int away = 0; away > -ticks_per_window; --away) {
    const std::size_t near = row(static_cast<long>(i) + away);
    if (std::find(done.begin(), done.end(), near) != done.end()) continue;
    done.push_back(near);
    Senses s0;
    Action a0;
    if (means(examples_[near], false, s0, a0) < 1) continue;
    for (const Example& e : examples_[near]) {
      if (!e.first) continue;
      for (std::size_t k = 0; k < sense_count; ++k) {
        s[static_cast<Eigen::Index>(k)] = e.s[k] - s0[k];
      }
      for (std::size_t k = 0; k < actions_; ++k) a[static_cast<Eigen::Index>(k)] = e.a[k] - a0[k];
      C += e.weight * s * s.transpose();
      D += e.weight * s * a.transpose();
      count += e.weight;
    }
  }
  if (count < 10) return;
  VecX spread(sense_count);
  for (int k = 0; k < sense_count; ++k) spread[k] = std::max(std::sqrt(C(k, k) / count), 1e-4);
  for (int k = 0; k < sense_count; ++k) {
    for (int l = 0; l < sense_count; ++l) C(k, l) /= spread[k] * spread[l];
    D.row(k) /= spread[k];
    C(k, k) += ridge;
  }
  for (Eigen::Index k = 0; k < n; ++k) {
    const VecX x = solve_semidefinite(C, D.col(k));
    for (Eigen::Index l = 0; l < sense_count; ++l) {
      r.M[at(k) * sense_count + at(l)] = x[l] / spread[l];
    }
  }
}

}  // namespace molejo::tracking
