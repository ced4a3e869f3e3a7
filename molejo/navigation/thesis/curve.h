// Linearly interpolated curves in space:
//
//   l(t) = p_i + (p_i+1 - p_i) (t - t_i) / (t_i+1 - t_i)       t_i <= t <= t_i+1, t_i increasing
//
// Source: Matthey (2022), 2.5 and 4.8.1. Times closer than `epsilon` are one. A curve keeps its
// memory: what fits into `reserve` allocates nothing. `out` must not be one of the arguments.
#pragma once

#include <span>
#include <vector>

#include "molejo/math/snapshot.h"

namespace molejo::navigation::thesis {

class LinearCurve {
 public:
  static constexpr double epsilon = 1e-4;  // s

  LinearCurve() = default;
  // Throws std::invalid_argument: counts that differ, times that do not grow by more than 2
  // epsilon.
  LinearCurve(std::span<const double> times, std::span<const Vec3> points);

  void reserve(std::size_t points);
  void clear() { times_.clear(), points_.clear(); }
  // A point after the last one; throws std::invalid_argument if it is not.
  void append(double t, const Vec3& p);

  int size() const { return static_cast<int>(times_.size()); }
  bool empty() const { return times_.empty(); }
  double time(int k) const { return times_[index(k)]; }
  const Vec3& point(int k) const { return points_[index(k)]; }
  double first_time() const { return times_.front(); }
  double last_time() const { return times_.back(); }
  std::span<const double> times() const { return times_; }
  std::span<const Vec3> points() const { return points_; }
  // Within its range, widened by epsilon.
  bool covers(double t) const;

  // Throws std::out_of_range outside of the range; near a point it is that point.
  Vec3 at(double t) const;
  // The first point before, the last point after. The curve must not be empty.
  Vec3 held(double t) const;
  // Of the segment before point k, and after it. Throw std::out_of_range where there is none.
  Vec3 left_velocity(int k) const;
  Vec3 right_velocity(int k) const;

  void scale(double factor);  // about the origin, as the next one
  void turn(const Mat3& R);
  void translate(const Vec3& d);
  void shift_time(double d);
  void set_point(int k, const Vec3& p) { points_[index(k)] = p; }

  // Between two points, and only if t differs from all times by more than 2 epsilon.
  bool insert(double t, const Vec3& p);
  // The same, but a point that is there already gets the new value.
  void record(double t, const Vec3& p);
  // Forgets what was before t; the segment that holds t stays.
  void forget_before(double t);

  // The part from t0 to t1, its ends interpolated. Throws std::out_of_range.
  void sample(double t0, double t1, LinearCurve& out) const;

  // Moves start to v0 and end to v1: turned onto the new direction, about z first and then up or
  // down, and stretched from its start on. Where start and end are nearly one (a straight length
  // below 5 % of the way) nothing turns: the difference is spread over the time.
  void fit_ends(const Vec3& v0, const Vec3& v1);

  // For snapshots (math/snapshot.h).
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, LinearCurve>& c) {
    constexpr std::size_t most = 1'000'000;
    a.list(c.times_, most);
    if constexpr (Archive::reads) c.points_.resize(c.times_.size());
    a(c.points_);
    for (std::size_t i = 1; i < c.times_.size(); ++i) {
      a.require(c.times_[i] > c.times_[i - 1], "times that grow");
    }
  }

 private:
  static std::size_t index(int k) { return static_cast<std::size_t>(k); }
  int segment(double t) const;  // k with t_k <= t < t_k+1, for t within

  std::vector<double> times_;
  std::vector<Vec3> points_;
};

// b, moved so that it starts at the end of a, and later if it would start before; one curve of
// both.
void connect(const LinearCurve& a, const LinearCurve& b, LinearCurve& out);
// a, and of b what comes after it; nothing is moved.
void join(const LinearCurve& a, const LinearCurve& b, LinearCurve& out);
// a before t, b after it, their middle at t. Throws std::out_of_range unless both cover t.
void transition(const LinearCurve& a, const LinearCurve& b, double t, LinearCurve& out);
// a up to t1, b from t2 on, between them (1 - w) a + w b with w = (t - t1) / (t2 - t1). Both must
// cover t1 and t2.
void soft_transition(const LinearCurve& a, const LinearCurve& b, double t1, double t2,
                     LinearCurve& out);

// Length on the ground.
inline double horizontal(const Vec3& v) { return std::sqrt(v.x * v.x + v.y * v.y); }

// The rotation that takes the direction of a to that of b: about z by the difference of their
// directions on the ground, then up or down. Vertical vectors turn about x or y. Neither is zero.
Mat3 turn_between(const Vec3& a, const Vec3& b);

}  // namespace molejo::navigation::thesis
