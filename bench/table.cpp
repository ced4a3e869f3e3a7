#include "bench/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bench {

std::string table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows[0].size(), 3);
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < rows[r].size(); ++i)
      out += i == 0 ? fmt::format("| {:<{}} ", rows[r][i], widths[i])
                    : fmt::format("| {:>{}} ", rows[r][i], widths[i]);
    out += "|\n";
    if (r > 0) continue;
    for (std::size_t i = 0; i < widths.size(); ++i)
      out += fmt::format("|{:->{}}{}", "", widths[i] + 1, i == 0 ? '-' : ':');
    out += "|\n";
  }
  return out;
}

std::string three_digits(const std::optional<double>& x) {
  if (!x) return "-";
  return *x < 9.995 ? fmt::format("{:.2f}", *x) : fmt::format("{:.{}f}", *x, *x < 99.95 ? 1 : 0);
}
std::string small(double x) { return std::isfinite(x) ? fmt::format("{:.2e}", x) : "blew up"; }

}  // namespace bench
