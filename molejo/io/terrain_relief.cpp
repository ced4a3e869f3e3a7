#include "molejo/io/terrain_relief.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>

#include "molejo/io/plane_names.h"
#include "molejo/math/expression.h"
#include "molejo/math/noise.h"
#include "molejo/math/random.h"
#include "molejo/math/thread_kept.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

// A compiled formula that any thread may evaluate: each has its own registers.
class HeightFormula {
 public:
  explicit HeightFormula(ExpressionProgram program) : program_(std::move(program)) {
    static std::atomic<std::uint64_t> next{1};
    number_ = next.fetch_add(1);
  }

  motion::Elevation at(double x, double y) const {
    ExpressionWorkspace& work = workspace();
    const double place[] = {x, y};
    evaluate(program_, place, work);
    motion::Elevation e{output(program_, 0, work), 0, 0};
    const std::span<const double> slopes = gradient(program_, 0, 0, work);
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      (program_.inputs[i].slot == 0 ? e.slope_x : e.slope_y) = slopes[i];
    }
    return e;
  }

 private:
  // The registers that this thread used last for this formula; new ones replace the oldest.
  ExpressionWorkspace& workspace() const {
    struct Kept {
      std::uint64_t number = 0;
      ExpressionWorkspace work;
    };
    struct Newest {
      std::array<Kept, 32> kept;
      std::size_t oldest = 0;
    };
    static const ThreadKept<Newest> newest;
    auto& [kept, oldest] = newest.of_this_thread();
    for (Kept& k : kept) {
      if (k.number == number_) return k.work;
    }
    Kept& k = kept[oldest];
    oldest = (oldest + 1) % kept.size();
    k = {number_, ExpressionWorkspace(program_)};
    return k.work;
  }

  ExpressionProgram program_;
  std::uint64_t number_ = 0;
};

// e^x for x <= 0, within 2 units in the last place; 0 where it is less than 1e-17, and no division
// (same_bits.h has one that serves all x). Taylor's series of e^r, |r| <= ln(2)/2, times 2^k.
double bell(double x) {
  if (x < -40) return 0;
  constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  // std::floor, quickly where the processor may be any: adding 1.5 * 2^52 rounds to an integer
  constexpr double shifter = 6755399441055744.0;
  const double above = x * 1.4426950408889634 + 0.5, nearest = (above + shifter) - shifter;
  const double k = nearest - (nearest > above ? 1.0 : 0.0);
  const double r = (x - k * ln2_high) - k * ln2_low;
  constexpr double inverse_factorials[] = {
      1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
      1.0 / 5040,       1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5};
  double series = 0;
  for (const double c : inverse_factorials) series = (series + c) * r;
  const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52;
  double power = 0;
  std::memcpy(&power, &bits, sizeof power);
  return (1 + (r + r * series)) * power;
}

// What a formula gives at its poles must not spread: no number is level ground.
motion::Elevation bounded(motion::Elevation e) {
  constexpr double most = 1e6;
  for (double* x : {&e.height, &e.slope_x, &e.slope_y}) {
    *x = std::isnan(*x) ? 0 : std::clamp(*x, -most, most);
  }
  return e;
}

}  // namespace

motion::Relief expression_relief(const Domain& d, const std::string& text, const Scope& scope) {
  const Formula wanted{.text = text, .wanted = Wanted::number};
  ExpressionProgram program = compile({}, {&wanted, 1}, PlaneNames(scope));
  // it is evaluated many times a frame
  constexpr std::size_t longest = 10'000;
  if (program.code.size() > longest) {
    throw InputError(
        fmt::format("{} operations, expected {} at most", program.code.size(), longest));
  }
  const auto formula = std::make_shared<const HeightFormula>(std::move(program));
  constexpr int samples = 24;
  for (int j = 0; j <= samples; ++j) {
    for (int i = 0; i <= samples; ++i) {
      const double x = d.x0 + (d.x1 - d.x0) * i / samples, y = d.y0 + (d.y1 - d.y0) * j / samples;
      if (std::isfinite(formula->at(x, y).height)) continue;
      throw InputError(fmt::format("has no finite value at x = {:g}, y = {:g}", x, y));
    }
  }
  return {d.x0, d.x1, d.y0, d.y1,
          [formula](double x, double y) { return bounded(formula->at(x, y)); }};
}

motion::Relief noise_relief(const Domain& d, const NoiseSettings& settings) {
  struct Octave {
    double amplitude, frequency, x, y;
  };
  // every seed looks at other places of the same noise
  Random random(settings.seed);
  std::vector<Octave> octaves;
  double amplitude = settings.amplitude, frequency = 1 / settings.feature;
  for (int i = 0; i < settings.octaves; ++i) {
    const double x = 1e4 * random.uniform(), y = 1e4 * random.uniform();
    octaves.push_back({amplitude, frequency, x, y});
    amplitude *= settings.roughness, frequency *= 2;
  }
  return {d.x0, d.x1, d.y0, d.y1, [octaves](double x, double y) {
            motion::Elevation e;
            for (const Octave& o : octaves) {
              const Noise n = noise2(x * o.frequency + o.x, y * o.frequency + o.y);
              e.height += o.amplitude * n.value;
              e.slope_x += o.amplitude * o.frequency * n.slope[0];
              e.slope_y += o.amplitude * o.frequency * n.slope[1];
            }
            return e;
          }};
}

motion::Relief bump_relief(const Domain& d, const BumpSettings& settings) {
  struct Bump {
    double x, y, factor, height;  // height exp(factor r^2)
  };
  Random random(settings.seed);
  const auto between = [&random](double low, double high) {
    return low + (high - low) * random.uniform();
  };
  std::vector<Bump> bumps;
  for (int i = 0; i < settings.count; ++i) {
    const double x = between(d.x0, d.x1), y = between(d.y0, d.y1);
    const double sigma = between(settings.width[0], settings.width[1]);
    const double s = between(settings.strength[0], settings.strength[1]);
    constexpr double root_two_pi = 2.5066282746310002;
    bumps.push_back({x, y, -0.5 / (sigma * sigma), s / (sigma * root_two_pi)});
  }
  return {d.x0, d.x1, d.y0, d.y1, [bumps](double x, double y) {
            motion::Elevation e;
            for (const Bump& b : bumps) {
              const double dx = x - b.x, dy = y - b.y;
              const double h = b.height * bell(b.factor * (dx * dx + dy * dy));
              e.height += h;
              e.slope_x += 2 * b.factor * dx * h;
              e.slope_y += 2 * b.factor * dy * h;
            }
            return e;
          }};
}

}  // namespace molejo
