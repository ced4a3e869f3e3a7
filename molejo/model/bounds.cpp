#include "molejo/model/bounds.h"

#include <cstdio>

namespace molejo {

std::string expectation(const Bounds& bounds) {
  char range[64];
  std::snprintf(range, sizeof range, " from %g to %g", bounds.least, bounds.most);
  return std::string("expected ") + bounds.unit + range;
}

}  // namespace molejo
