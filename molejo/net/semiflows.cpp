#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "molejo/math/interrupt.h"
#include "molejo/net/structure.h"

namespace molejo {

namespace {

using Row = std::vector<std::int64_t>;
using Matrix = std::vector<Row>;

// C, its transpose, the table before and after a column, and results: bytes a cell, all together.
constexpr std::uint64_t bytes_a_cell = 80;

std::size_t most_cells(const StructureLimits& limits) {
  return std::min<std::uint64_t>(limits.cells, limits.memory / bytes_a_cell);
}

// Each row is [what is left of C | weights]; columns of C are made zero one by one.
class Farkas {
 public:
  Farkas(const Matrix& C, std::size_t columns, const StructureLimits& limits)
      : columns_(columns), weights_(C.size()), limits_(limits) {
    for (std::size_t i = 0; i < C.size(); ++i) {
      Row row = C[i];
      row.resize(columns_ + weights_, 0);
      row[columns_ + i] = 1;
      add(std::move(row));
    }
  }

  Semiflows run() {
    std::vector<std::uint8_t> done(columns_, 0);
    for (std::size_t step = 0; step < columns_ && !rows_.empty(); ++step) {
      check_interrupt();
      work_ += rows_.size() * columns_;
      if (work_ > limits_.work) return {{}, false};
      const std::size_t column = cheapest(done);
      done[column] = 1;
      if (!eliminate(column)) return {{}, false};
    }
    Semiflows result;
    for (const Row& row : rows_) {
      result.flows.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(columns_), row.end());
    }
    std::sort(result.flows.begin(), result.flows.end(), std::greater<>());
    return result;
  }

 private:
  // The column whose elimination makes the fewest new rows.
  std::size_t cheapest(const std::vector<std::uint8_t>& done) const {
    std::vector<std::size_t> positive(columns_, 0), negative(columns_, 0);
    for (const Row& row : rows_) {
      for (std::size_t c = 0; c < columns_; ++c) {
        positive[c] += row[c] > 0 ? 1 : 0;
        negative[c] += row[c] < 0 ? 1 : 0;
      }
    }
    std::size_t best = columns_, cost = SIZE_MAX;
    for (std::size_t c = 0; c < columns_; ++c) {
      if (done[c] != 0 || positive[c] * negative[c] >= cost) continue;
      best = c;
      cost = positive[c] * negative[c];
    }
    return best;
  }

  bool eliminate(std::size_t column) {
    Matrix before = std::exchange(rows_, {});
    std::vector<Support> supports = std::exchange(supports_, {});
    std::vector<std::size_t> positive, negative;
    for (std::size_t i = 0; i < before.size(); ++i) {
      check_interrupt();
      if (before[i][column] > 0) positive.push_back(i);
      if (before[i][column] < 0) negative.push_back(i);
      if (before[i][column] == 0) add(Row(before[i]));
    }
    for (const std::size_t p : positive) {
      check_interrupt();
      for (const std::size_t n : negative) {
        const Support both = united(supports[p], supports[n]);
        // another row within the support: not minimal
        work_ += supports_.size() * both.size() + columns_ / 8;
        if (work_ > limits_.work) return false;
        if (dominated(both)) continue;
        Row row;
        if (!combine(before[p], before[n], column, row)) return false;
        remove_dominated(both);
        add(std::move(row));
        if (rows_.size() > limits_.rows ||
            rows_.size() * (columns_ + weights_) > most_cells(limits_)) {
          return false;
        }
      }
    }
    return true;
  }

  // a p + b n with the column zero, divided by what all share. False: too large for the numbers.
  static bool combine(const Row& p, const Row& n, std::size_t column, Row& row) {
    const std::int64_t g = std::gcd(p[column], n[column]);
    const std::int64_t a = -n[column] / g, b = p[column] / g;
    row.resize(p.size());
    std::int64_t shared = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      std::int64_t x = 0, y = 0;
      if (__builtin_mul_overflow(a, p[i], &x) || __builtin_mul_overflow(b, n[i], &y) ||
          __builtin_add_overflow(x, y, &row[i])) {
        return false;
      }
      shared = std::gcd(shared, row[i]);
    }
    if (shared > 1) {
      for (std::int64_t& x : row) x /= shared;
    }
    return true;
  }

  using Support = std::vector<std::uint64_t>;  // a bit for each weight that is not zero
  static Support united(const Support& a, const Support& b) {
    Support c = a;
    for (std::size_t i = 0; i < c.size(); ++i) c[i] |= b[i];
    return c;
  }
  static bool within(const Support& a, const Support& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if ((a[i] & ~b[i]) != 0) return false;
    }
    return true;
  }
  bool dominated(const Support& s) const {
    return std::any_of(supports_.begin(), supports_.end(),
                       [&](const Support& other) { return within(other, s); });
  }
  // Rows whose support holds the new one are no longer minimal.
  void remove_dominated(const Support& s) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (within(s, supports_[i])) continue;
      if (kept != i) {
        rows_[kept] = std::move(rows_[i]);
        supports_[kept] = std::move(supports_[i]);
      }
      ++kept;
    }
    rows_.resize(kept);
    supports_.resize(kept);
  }
  void add(Row row) {
    Support support((weights_ + 63) / 64, 0);
    for (std::size_t i = 0; i < weights_; ++i) {
      if (row[columns_ + i] != 0) support[i / 64] |= std::uint64_t{1} << (i % 64);
    }
    rows_.push_back(std::move(row));
    supports_.push_back(std::move(support));
  }

  std::size_t columns_, weights_;
  std::uint64_t work_ = 0;
  const StructureLimits& limits_;
  Matrix rows_;
  std::vector<Support> supports_;
};

bool too_large(const Net& net, std::size_t rows, const StructureLimits& limits) {
  const std::size_t width = net.places.size() + net.transitions.size();
  return rows > limits.rows || rows * width > most_cells(limits);
}

}  // namespace

Semiflows place_semiflows(const Net& net, const StructureLimits& limits) {
  if (too_large(net, net.places.size(), limits)) return {{}, false};
  return Farkas(incidence_matrix(net), net.transitions.size(), limits).run();
}

Semiflows transition_semiflows(const Net& net, const StructureLimits& limits) {
  if (too_large(net, net.transitions.size(), limits)) return {{}, false};
  const Matrix C = incidence_matrix(net);
  Matrix transposed(net.transitions.size(), Row(net.places.size()));
  for (std::size_t p = 0; p < C.size(); ++p) {
    for (std::size_t t = 0; t < C[p].size(); ++t) transposed[t][p] = C[p][t];
  }
  return Farkas(transposed, net.places.size(), limits).run();
}

std::vector<std::int64_t> semiflow_bounds(const Net& net, const Semiflows& flows) {
  std::vector<std::int64_t> bounds(net.places.size(), -1);
  for (const Row& y : flows.flows) {
    __int128 sum = 0;
    for (std::size_t p = 0; p < y.size(); ++p) {
      sum += static_cast<__int128>(y[p]) * net.places[p].tokens;
    }
    for (std::size_t p = 0; p < y.size(); ++p) {
      if (y[p] == 0) continue;
      const __int128 bound = sum / y[p];
      if (bound <= INT32_MAX && (bounds[p] < 0 || bound < bounds[p])) {
        bounds[p] = static_cast<std::int64_t>(bound);
      }
    }
  }
  return bounds;
}

bool covers_all(const Semiflows& flows, std::size_t nodes) {
  std::vector<std::uint8_t> covered(nodes, 0);
  for (const Row& y : flows.flows) {
    for (std::size_t i = 0; i < nodes; ++i) {
      if (y[i] > 0) covered[i] = 1;
    }
  }
  return std::find(covered.begin(), covered.end(), 0) == covered.end();
}

}  // namespace molejo
