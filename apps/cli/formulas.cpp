// What the commands do with the formulas of a scene.
#include <fmt/format.h>

#include "apps/cli/command.h"
#include "molejo/model/error.h"

namespace molejo::cli {

void check_units(const Built& built, UnitCheck check) {
  if (check == UnitCheck::off || !built.formulas) return;
  const std::vector<std::string> complaints =
      unit_complaints(*built.formulas, built.model, check == UnitCheck::strict);
  if (complaints.empty()) return;
  for (std::size_t i = 0; i + 1 < complaints.size(); ++i) {
    fmt::print(stderr, "molejo: {}\n", complaints[i]);
  }
  throw InputError(complaints.back());
}

}  // namespace molejo::cli
