// Keyed curves: a value for every x, from keys (x, value) and the shape of each segment.
//
//   linear   the straight line from key to key
//   smooth   a cubic with the slopes of Fritsch and Butland, "A method for constructing local
//            monotone piecewise cubic interpolants" (1984): one continuous derivative, and no value
//            beyond those of the neighbouring keys
//   bezier   a cubic whose handles the author sets, as in Blender's F-curves
//   step     the value of the left key
#pragma once

#include <stdexcept>
#include <vector>

namespace molejo {

inline constexpr std::size_t max_curve_keys = 65536;

enum class Interpolation { linear, smooth, bezier, step };
// Before the first and after the last key: its value, the curve over again, or the line that goes
// on with the slope it has there.
enum class Extension { hold, repeat, extend };

struct CurveKey {
  double x = 0, value = 0;
  Interpolation interpolation = Interpolation::linear;  // of the segment that begins here
  // Ends of the Bezier handles, measured from the key: left.x <= 0 <= right.x. Handles longer than
  // their segment are shortened together, as Blender does, so that the curve never goes back.
  // glTF's tangents a and b of a segment of length h: right = (h/3, a h/3), left = (-h/3, -b h/3).
  struct Handle {
    double x = 0, value = 0;
  };
  Handle left{}, right{};
};

struct CurveError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Curve {
 public:
  // Throws CurveError, naming the key, for no keys, too many, numbers that are not finite, x that
  // does not grow, handles that point backwards, and a repeated curve of one key.
  Curve(const std::vector<CurveKey>& keys, Extension before = Extension::hold,
        Extension after = Extension::hold);

  struct Sample {
    double value, slope;  // at a corner the slope of the right side; 0 where it is vertical
  };
  Sample at(double x) const;  // O(log keys), allocates nothing

 private:
  // a cubic in t from 0 to 1 through four control points; x is one too where it is not linear
  struct Segment {
    double from, length;     // of x
    double value[4];         // control values
    double left_x, right_x;  // inner control points of x, as fractions of the length
    bool is_linear_in_x;     // left_x = 1/3, right_x = 2/3
    Sample at(double x) const;
  };
  void add_segment(const CurveKey& a, const CurveKey& b, double slope_a, double slope_b);
  Sample inside(double x) const;

  std::vector<double> xs_;
  std::vector<Segment> segments_;
  Sample first_{}, last_{};  // slopes as seen from inside
  Extension before_, after_;
};

}  // namespace molejo
