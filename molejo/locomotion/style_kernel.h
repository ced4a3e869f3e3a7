// The sums behind likeness and size of up to `lanes<S>` gaits; for the kernel of rollouts.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "molejo/locomotion/rollout.h"
#include "molejo/math/pack.h"
#include "molejo/math/rotation.h"

namespace molejo {

template <class S>
class StyleSums {
 public:
  void compare_with(const Character& character, const StyleReference& reference) {
    reference_ = reference;
    turns_.resize(static_cast<std::size_t>(character.internal));
    coordinate_.resize(static_cast<std::size_t>(reference.shapes.cols()));
  }
  bool in_use() const { return !coordinate_.empty(); }

  void begin() {
    std::fill(coordinate_.begin(), coordinate_.end(), S(0.0));
    own_square_ = with_reference_ = reference_square_ = S(0.0);
  }

  // One step of time: where each lane is among the views, and how much it counts.
  void add(const Model& model, const Character& character, const S* q,
           const std::array<Eigen::Index, lanes<S>>& view, const S& weight) {
    take_turns(model, character, q);
    for (Eigen::Index c = 0; c < reference_.shapes.cols(); ++c) {
      S x(0.0), y;
      for (Eigen::Index n = 0; n < reference_.shapes.rows(); ++n) {
        x += turns_[static_cast<std::size_t>(n)] * reference_.shapes(n, c);
      }
      for (int i = 0; i < lanes<S>; ++i) {
        const Eigen::Index row = view[static_cast<std::size_t>(i)];
        assert(row < reference_.course.rows());  // gaits have the steps of the reference
        set_lane(y, i, reference_.course(row, c));
      }
      coordinate_[static_cast<std::size_t>(c)] += weight * x;
      own_square_ += weight * x * x;
      with_reference_ += weight * x * y;
      reference_square_ += weight * y * y;
    }
  }

  // After a gait of so many steps.
  void tell(int i, int steps, RolloutResult& r) const {
    double square = lane(own_square_, i);
    const std::size_t columns = coordinate_.size();
    const std::size_t pairs = reference_.images ? columns / 2 : columns;
    for (std::size_t c = 0; c < pairs; ++c) {
      double sum = lane(coordinate_[c], i), phases = 2.0 * steps;
      if (reference_.images) sum += lane(coordinate_[c + pairs], i), phases *= 2;
      square -= sum * sum / phases;
    }
    const double reference = lane(reference_square_, i), both = lane(with_reference_, i);
    r.likeness = square * reference > 0 ? both / std::sqrt(square * reference) : 0;
    r.size = reference > 0 ? both / reference : 0;
  }

  // For snapshots (math/snapshot.h), of single gaits.
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, StyleSums>& s) {
    for (auto& x : s.coordinate_) a.any(x);
    a.any(s.own_square_), a.any(s.with_reference_), a.any(s.reference_square_);
  }

 private:
  void take_turns(const Model& model, const Character& character, const S* q) {
    for (const Link& link : model.links) {
      const int first = link.v - character.first_internal;
      if (first < 0 || first >= character.internal) continue;
      const S* from = q + link.q;
      S* turn = &turns_[static_cast<std::size_t>(first)];
      const bool ball = link.rotations == 3;
      const int straight = ball ? link.translations : link.translations + link.rotations;
      for (int j = 0; j < straight; ++j) turn[j] = from[j];
      if (!ball) continue;
      const S* r = from + straight;
      const Vec3T<S> phi = log_quat(QuatT<S>{r[0], r[1], r[2], r[3]});
      for (int j = 0; j < 3; ++j) turn[straight + j] = phi[j];
    }
  }

  StyleReference reference_;
  std::vector<S> turns_, coordinate_;  // of now; sums over time
  S own_square_{}, with_reference_{}, reference_square_{};
};

}  // namespace molejo
