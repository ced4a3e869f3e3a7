// Aligned Markdown tables and the numbers in them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bench {

using Row = std::vector<std::string>;

// Columns padded to their widest cell; the first is left-aligned, the others right.
std::string table(const std::vector<Row>& rows);

std::string three_digits(const std::optional<double>& x);  // "-" for nothing
std::string small(double x);                               // 1.23e-04, or "blew up"

}  // namespace bench
