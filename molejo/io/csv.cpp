#include <fmt/format.h>

#include <iterator>

#include "molejo/io/columns.h"
#include "molejo/io/csv_field.h"
#include "molejo/io/export.h"
#include "molejo/math/interrupt.h"

namespace molejo {

std::string csv(const Model& model, const Recording& recording) {
  std::string out;
  for (const Column& column : columns(model, recording.probes)) {
    if (!out.empty()) out += ',';
    out += csv_field(column.name);
  }
  out += '\n';
  // the fewest digits that read back as the same double
  std::vector<double> row;
  for (const Frame& frame : recording.frames) {
    check_interrupt();
    fill_row(model, frame, row);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += ',';
      fmt::format_to(std::back_inserter(out), "{}", row[i]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace molejo
