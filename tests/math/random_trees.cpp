#include "tests/math/random_trees.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace exact {

namespace {

constexpr double u = 0x1p-53;  // half a unit in the last place of 1

struct Facts {
  const char* name;
  int operands;
  // roundings of the value and of a slope, in units of u relative to the result (glibc's manual,
  // "Known maximum errors in math functions", doubled)
  double value_roundings, slope_roundings;
};
const Facts& facts(Op op) {
  static const std::array<Facts, static_cast<std::size_t>(Op::count)> all{{
      {"", 0, 0, 0},      {"", 0, 0, 0},      {" + ", 2, 1, 0},   {" - ", 2, 1, 0},
      {" * ", 2, 1, 2},   {" / ", 2, 1, 4},   {"-", 1, 0, 0},     {"^", 2, 4, 12},
      {" % ", 2, 1, 1},   {" < ", 2, 0, 0},   {" <= ", 2, 0, 0},  {" == ", 2, 0, 0},
      {" != ", 2, 0, 0},  {"not ", 1, 0, 0},  {" and ", 2, 0, 0}, {" or ", 2, 0, 0},
      {" ? ", 3, 0, 0},   {"min", 2, 0, 0},   {"max", 2, 0, 0},   {"sin", 1, 2, 2},
      {"cos", 1, 2, 2},   {"tan", 1, 2, 12},  {"asin", 1, 2, 6},  {"acos", 1, 2, 6},
      {"atan", 1, 2, 6},  {"atan2", 2, 2, 8}, {"sinh", 1, 4, 4},  {"cosh", 1, 4, 4},
      {"tanh", 1, 4, 12}, {"sqrt", 1, 1, 4},  {"cbrt", 1, 8, 24}, {"abs", 1, 0, 0},
      {"sign", 1, 0, 0},  {"floor", 1, 0, 0}, {"ceil", 1, 0, 0},  {"round", 1, 0, 0},
      {"exp", 1, 2, 2},   {"log", 1, 2, 2},   {"log10", 1, 4, 4}, {"hypot", 2, 2, 4},
      {"norm", 3, 8, 10}, {"noise", 1, 0, 0}, {"noise", 2, 0, 0}, {"noise", 3, 0, 0},
  }};
  return all[static_cast<std::size_t>(op)];
}

using Reals = std::array<Real, 3>;

// noise by its definition in molejo/math/noise.h

Real fade(const Real& t) { return t * t * t * (t * (t * Real(6) - Real(15)) + Real(10)); }
Real fade_slope(const Real& t) { return Real(30) * t * t * (t - Real(1)) * (t - Real(1)); }

struct NoiseCorner {
  Real offset[3], gradient[3], weight[3], weight_slope[3];
};
std::vector<NoiseCorner> noise_corners(int dimensions, const Reals& x) {
  constexpr std::uint64_t keys[] = {0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9};
  std::vector<NoiseCorner> corners(1u << dimensions);
  for (std::size_t c = 0; c < corners.size(); ++c) {
    std::uint64_t h = 0;
    for (int d = 0; d < dimensions; ++d) {
      Real cell;
      mpfr_floor(cell.raw(), x[d].raw());
      const bool upper = (c >> d) & 1;
      const auto index = static_cast<std::int64_t>(cell.rounded()) + (upper ? 1 : 0);
      h += static_cast<std::uint64_t>(index) * keys[d];
      const Real t = x[d] - cell;
      corners[c].offset[d] = upper ? t - Real(1) : t;
      corners[c].weight[d] = upper ? fade(t) : Real(1) - fade(t);
      corners[c].weight_slope[d] = upper ? fade_slope(t) : -fade_slope(t);
    }
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9;
    h = (h ^ (h >> 27)) * 0x94d049bb133111eb;
    h ^= h >> 31;
    for (int d = 0; d < 3; ++d) {
      corners[c].gradient[d] = static_cast<double>((h >> (21 * d)) % (1u << 21)) / 1048576.0 - 1;
    }
  }
  return corners;
}
// by = -1: the value, else the derivative by that coordinate
Real noise(int dimensions, const Reals& x, int by) {
  Real sum;
  for (const NoiseCorner& c : noise_corners(dimensions, x)) {
    Real weight(1), dot, slope(1);
    for (int d = 0; d < dimensions; ++d) {
      weight = weight * c.weight[d];
      slope = slope * (d == by ? c.weight_slope[d] : c.weight[d]);
      dot = dot + c.gradient[d] * c.offset[d];
    }
    sum = sum + (by < 0 ? weight * dot : slope * dot + weight * c.gradient[by]);
  }
  return dimensions == 1 ? sum * Real(2) : dimensions == 3 ? sum * Real(2) / Real(3) : sum;
}

Real truth(bool b) { return Real(b ? 1 : 0); }

Real modulo(const Real& a, const Real& b) {
  const Real r = apply(mpfr_fmod, a, b);
  return !r.is_zero() && (r.sign() < 0) != (b.sign() < 0) ? r + b : r;
}

Real whole(int (*f)(mpfr_ptr, mpfr_srcptr), const Real& a) {
  Real r;
  f(r.raw(), a.raw());
  return r;
}

Real value_of(Op op, const Reals& x) {
  const Real &a = x[0], &b = x[1], &c = x[2];
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::negate:
      return -a;
    case Op::power:
      return apply(mpfr_pow, a, b);
    case Op::modulo:
      return modulo(a, b);
    case Op::less:
      return truth(a < b);
    case Op::less_equal:
      return truth(a < b || a == b);
    case Op::equal:
      return truth(a == b);
    case Op::not_equal:
      return truth(!(a == b));
    case Op::logical_not:
      return truth(a.is_zero());
    case Op::both:
      return truth(!a.is_zero() && !b.is_zero());
    case Op::either:
      return truth(!a.is_zero() || !b.is_zero());
    case Op::choose:
      return a.is_zero() ? c : b;
    case Op::minimum:
      return b < a ? b : a;
    case Op::maximum:
      return a < b ? b : a;
    case Op::sin:
      return apply(mpfr_sin, a);
    case Op::cos:
      return apply(mpfr_cos, a);
    case Op::tan:
      return apply(mpfr_tan, a);
    case Op::asin:
      return apply(mpfr_asin, a);
    case Op::acos:
      return apply(mpfr_acos, a);
    case Op::atan:
      return apply(mpfr_atan, a);
    case Op::atan2:
      return apply(mpfr_atan2, a, b);
    case Op::sinh:
      return apply(mpfr_sinh, a);
    case Op::cosh:
      return apply(mpfr_cosh, a);
    case Op::tanh:
      return apply(mpfr_tanh, a);
    case Op::sqrt:
      return apply(mpfr_sqrt, a);
    case Op::cbrt:
      return apply(mpfr_cbrt, a);
    case Op::abs:
      return a.sign() < 0 ? -a : a;
    case Op::sign:
      return Real(a.sign());
    case Op::floor:
      return whole(mpfr_floor, a);
    case Op::ceil:
      return whole(mpfr_ceil, a);
    case Op::round:
      return whole(mpfr_round, a);
    case Op::exp:
      return apply(mpfr_exp, a);
    case Op::log:
      return apply(mpfr_log, a);
    case Op::log10:
      return apply(mpfr_log10, a);
    case Op::hypot:
      return apply(mpfr_hypot, a, b);
    case Op::norm:
      return apply(mpfr_sqrt, a * a + b * b + c * c);
    case Op::noise1:
      return noise(1, x, -1);
    case Op::noise2:
      return noise(2, x, -1);
    case Op::noise3:
      return noise(3, x, -1);
    default:
      return Real(0);
  }
}

Real or_zero(const Real& a, const Real& b) { return b.is_zero() ? Real(0) : a / b; }

Real power_slope(const Real& a, const Real& b, int by) {
  if (by == 1) {
    return a.sign() > 0 ? apply(mpfr_pow, a, b) * apply(mpfr_log, a) : Real(0);
  }
  if (b.is_zero()) return Real(0);
  const Real slope = b * apply(mpfr_pow, a, b - Real(1));
  return mpfr_inf_p(slope.raw()) ? Real(0) : slope;
}

// derivative of value_of by operand `by`, with the conventions of docs/expressions.md
Real slope_of(Op op, const Reals& x, int by) {
  const Real &a = x[0], &b = x[1], one(1);
  switch (op) {
    case Op::add:
      return one;
    case Op::subtract:
      return by == 0 ? one : Real(-1);
    case Op::multiply:
      return by == 0 ? b : a;
    case Op::divide:
      return by == 0 ? one / b : -a / (b * b);
    case Op::negate:
      return Real(-1);
    case Op::power:
      return power_slope(a, b, by);
    case Op::modulo:
      return by == 0 ? one : -whole(mpfr_floor, a / b);
    case Op::choose:
      return by == 0 ? Real(0) : truth((by == 1) != a.is_zero());
    case Op::minimum:
      return truth((b < a) == (by == 1));
    case Op::maximum:
      return truth((a < b) == (by == 1));
    case Op::sin:
      return apply(mpfr_cos, a);
    case Op::cos:
      return -apply(mpfr_sin, a);
    case Op::tan: {
      const Real c = apply(mpfr_cos, a);
      return one / (c * c);
    }
    case Op::asin:
      return or_zero(one, apply(mpfr_sqrt, one - a * a));
    case Op::acos:
      return or_zero(Real(-1), apply(mpfr_sqrt, one - a * a));
    case Op::atan:
      return one / (one + a * a);
    case Op::atan2:
      return or_zero(by == 0 ? b : -a, a * a + b * b);
    case Op::sinh:
      return apply(mpfr_cosh, a);
    case Op::cosh:
      return apply(mpfr_sinh, a);
    case Op::tanh: {
      const Real c = apply(mpfr_cosh, a);
      return one / (c * c);
    }
    case Op::sqrt:
      return or_zero(Real(0.5), apply(mpfr_sqrt, a));
    case Op::cbrt: {
      const Real root = apply(mpfr_cbrt, a);
      return or_zero(one, Real(3) * root * root);
    }
    case Op::abs:
      return Real(a.sign());
    case Op::exp:
      return apply(mpfr_exp, a);
    case Op::log:
      return one / a;
    case Op::log10:
      return one / (a * apply(mpfr_log, Real(10)));
    case Op::hypot:
    case Op::norm:
      return or_zero(x[static_cast<std::size_t>(by)], value_of(op, x));
    case Op::noise1:
      return noise(1, x, by);
    case Op::noise2:
      return noise(2, x, by);
    case Op::noise3:
      return noise(3, x, by);
    default:
      return Real(0);
  }
}

// what the roundings of one operation may add, beyond those relative to the result
double absolute_rounding(Op op, const Reals& x, bool is_slope) {
  // far out, sin and cos take the remainder by the double next to 2 pi
  if ((op == Op::sin || op == Op::cos) && x[0].magnitude() > 1e5) return u * x[0].magnitude();
  // a corner of noise adds up to 3 with 8 roundings, 8 times; slopes up to 15
  if (op == Op::noise1 || op == Op::noise2 || op == Op::noise3) return (is_slope ? 4000 : 400) * u;
  return 0;
}

// Every point of the box x +- error that is a corner, a middle of a side, or the middle; and with
// coordinates that are exactly zero, if the box has such, since these are false.
std::vector<Reals> box(const Reals& x, const std::array<double, 3>& error, int operands) {
  std::vector<Reals> points{x};
  for (int i = 0; i < operands; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (error[k] == 0) continue;
    const std::size_t before = points.size();
    const bool maybe_zero = x[k].magnitude() <= error[k];
    for (std::size_t p = 0; p < before; ++p) {
      for (const double by : {-error[k], error[k]}) {
        Reals moved = points[p];
        moved[k] = moved[k] + Real(by);
        points.push_back(moved);
      }
      if (!maybe_zero) continue;
      Reals at_zero = points[p];
      at_zero[k] = Real(0);
      points.push_back(at_zero);
    }
  }
  return points;
}

bool is_ordinary(const Real& x) {
  if (!x.is_finite()) return false;
  const double m = x.magnitude();
  return m == 0 || (m > 1e-100 && m < 1e100);
}

}  // namespace

std::optional<Bounded> evaluate(const Tree& tree, const std::array<double, variables>& at) {
  Bounded result;
  if (tree.op == Op::number) {
    result.value = tree.value;
    return result;
  }
  if (tree.op == Op::variable) {
    const auto i = static_cast<std::size_t>(tree.variable);
    result.value = at[i];
    result.derivative[i] = 1;
    result.derivative_magnitude[i] = 1;
    return result;
  }
  const Facts& fact = facts(tree.op);
  Reals x;
  std::array<double, 3> error{};
  std::vector<Bounded> kids;
  for (std::size_t i = 0; i < tree.kids.size(); ++i) {
    const auto kid = evaluate(*tree.kids[i], at);
    if (!kid) return std::nullopt;
    x[i] = kid->value;
    error[i] = kid->error;
    kids.push_back(*kid);
  }

  // there are no cells beyond the range of whole doubles
  const bool is_noise = tree.op == Op::noise1 || tree.op == Op::noise2 || tree.op == Op::noise3;
  for (int i = 0; is_noise && i < fact.operands; ++i) {
    if (x[static_cast<std::size_t>(i)].magnitude() > 1e12) return std::nullopt;
  }

  // The value moves by what the operands may be off (twice, for curvature within the box), and by
  // its own rounding.
  result.value = value_of(tree.op, x);
  const std::vector<Reals> points = box(x, error, fact.operands);
  double moved = 0, largest = result.value.magnitude();
  for (const Reals& p : points) {
    const Real value = value_of(tree.op, p);
    if (!is_ordinary(value)) return std::nullopt;
    moved = std::max(moved, (value - result.value).magnitude());
    largest = std::max(largest, value.magnitude());
  }
  if (tree.op == Op::equal || tree.op == Op::not_equal) {
    // no corner of the box may be where both are equal
    const double reach = error[0] + error[1];
    if (reach > 0 && (x[0] - x[1]).magnitude() <= reach) moved = 1;
  }
  result.error =
      2 * moved + fact.value_roundings * u * largest + absolute_rounding(tree.op, x, false);

  // The derivative is a sum over paths of products of slopes; a slope that is off by d moves it by
  // d times the magnitude of the rest.
  for (int i = 0; i < fact.operands; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Real slope = slope_of(tree.op, x, i);
    double off = 0;
    for (const Reals& p : points) {
      const Real there = slope_of(tree.op, p, i);
      if (!is_ordinary(there)) return std::nullopt;
      off = std::max(off, (there - slope).magnitude());
    }
    off = 2 * off + fact.slope_roundings * u * slope.magnitude() +
          absolute_rounding(tree.op, x, true);
    if (tree.op == Op::power && i == 0 && x[0].sign() != 0) {
      // b - 1 is rounded
      off += 2 * u * slope.magnitude() * (x[1] - Real(1)).magnitude() *
             std::fabs(std::log(x[0].magnitude()));
    }
    for (std::size_t v = 0; v < variables; ++v) {
      const Bounded& kid = kids[k];
      result.derivative[v] = result.derivative[v] + slope * kid.derivative[v];
      result.derivative_magnitude[v] += (slope.magnitude() + off) * kid.derivative_magnitude[v];
      result.derivative_error[v] += slope.magnitude() * kid.derivative_error[v] +
                                    off * (kid.derivative_magnitude[v] + kid.derivative_error[v]);
    }
  }
  for (std::size_t v = 0; v < variables; ++v) {
    // the products and sums themselves: three roundings for each operation passed
    result.derivative_error[v] += 3 * u * result.derivative_magnitude[v];
    if (result.derivative_magnitude[v] > 1e100) return std::nullopt;
  }
  return result;
}

int size(const Tree& tree) {
  int n = 1;
  for (const TreePtr& kid : tree.kids) n += size(*kid);
  return n;
}

std::string text(const Tree& tree, int binding) {
  const Facts& fact = facts(tree.op);
  const auto call = [](const std::string& name, const std::vector<TreePtr>& arguments) {
    std::string all = name + "(";
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      all += (i ? ", " : "") + text(*arguments[i]);
    }
    return all + ")";
  };
  if (!tree.written_as.empty()) return call(tree.written_as, tree.arguments);
  const auto kid = [&](std::size_t i, int needs) { return text(*tree.kids[i], needs); };
  // the binding of the operator, and what its operands must have at least
  int own = 10;
  std::string result;
  switch (tree.op) {
    case Op::number: {
      char digits[32];
      std::snprintf(digits, sizeof digits, "%.17g", tree.value);
      return digits;
    }
    case Op::variable:
      return std::string(1, static_cast<char>('a' + tree.variable));
    case Op::choose:
      own = 1;
      result = kid(0, 2) + " ? " + kid(1, 1) + " : " + kid(2, 1);
      break;
    case Op::either:
    case Op::both:
      own = tree.op == Op::either ? 2 : 3;
      result = kid(0, own) + fact.name + kid(1, own + 1);
      break;
    case Op::logical_not:
      own = 4;
      result = fact.name + kid(0, 4);
      break;
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal:
      own = 5;
      result = kid(0, 6) + fact.name + kid(1, 6);
      break;
    case Op::add:
    case Op::subtract:
      own = 6;
      result = kid(0, 6) + fact.name + kid(1, 7);
      break;
    case Op::multiply:
    case Op::divide:
    case Op::modulo:
      own = 7;
      result = kid(0, 7) + fact.name + kid(1, 8);
      break;
    case Op::negate:
      own = 8;
      result = fact.name + kid(0, 8);
      break;
    case Op::power:
      own = 9;
      result = kid(0, 10) + fact.name + kid(1, 8);
      break;
    case Op::norm:
      return "norm([" + kid(0, 0) + ", " + kid(1, 0) + ", " + kid(2, 0) + "])";
    default:
      return call(fact.name, tree.kids);
  }
  return own < binding ? "(" + result + ")" : result;
}

namespace {

TreePtr node(Op op, std::vector<TreePtr> kids) {
  return std::make_shared<Tree>(Tree{.op = op, .kids = std::move(kids)});
}
TreePtr number(double value) { return std::make_shared<Tree>(Tree{.value = value}); }

// functions that are defined by others
TreePtr composed(std::mt19937& random, const std::vector<TreePtr>& k) {
  TreePtr result;
  const auto clamp = [](const TreePtr& x, const TreePtr& low, const TreePtr& high) {
    return node(Op::minimum, {node(Op::maximum, {x, low}), high});
  };
  switch (random() % 4) {
    case 0:
      result = clamp(k[0], k[1], k[2]);
      result->written_as = "clamp";
      break;
    case 1:
      result = node(Op::add, {k[0], node(Op::multiply, {node(Op::subtract, {k[1], k[0]}), k[2]})});
      result->written_as = "mix";
      break;
    case 2: {
      const TreePtr t = clamp(
          node(Op::divide, {node(Op::subtract, {k[2], k[0]}), node(Op::subtract, {k[1], k[0]})}),
          number(0), number(1));
      result =
          node(Op::multiply, {node(Op::multiply, {t, t}),
                              node(Op::subtract, {number(3), node(Op::multiply, {number(2), t})})});
      result->written_as = "smoothstep";
      break;
    }
    default:
      result = node(Op::minimum, {node(Op::minimum, {k[0], k[1]}), k[2]});
      result->written_as = "min";
  }
  result->arguments = k;
  return result;
}

}  // namespace

TreePtr random_tree(std::mt19937& random, int depth) {
  const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  if (depth == 0 || below(8) == 0) {
    if (below(3) > 0) {
      auto leaf = node(Op::variable, {});
      leaf->variable = below(variables);
      return leaf;
    }
    // whole numbers too, for powers and for what is only touched
    if (below(2) == 0) return number(below(5));
    return number(std::uniform_real_distribution<double>(0, 4)(random));
  }
  std::vector<TreePtr> kids;
  for (int i = 0; i < 3; ++i) kids.push_back(random_tree(random, depth - 1));
  if (below(12) == 0) return composed(random, kids);
  // arithmetic as often as all the functions
  const int first = static_cast<int>(Op::add), last = static_cast<int>(Op::count);
  const Op op = static_cast<Op>(below(2) == 0 ? first + below(6)
                                              : first + below(static_cast<unsigned>(last - first)));
  kids.resize(static_cast<std::size_t>(facts(op).operands));
  return node(op, kids);
}

}  // namespace exact
