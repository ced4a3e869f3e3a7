#include "molejo/math/instructions.h"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace molejo;

TEST_CASE("instructions: a wish that cannot be met is told in one line") {
  const char* given = std::getenv("MOLEJO_INSTRUCTIONS");
  const std::string before = given ? given : "";
  const bool wide = runs_wide();
  setenv("MOLEJO_INSTRUCTIONS", "mmx", 1);
  CHECK(instructions_trouble() == "MOLEJO_INSTRUCTIONS is 'mmx'; expected baseline or avx2");
  setenv("MOLEJO_INSTRUCTIONS", "baseline", 1);
  CHECK(instructions_trouble().empty());
  CHECK(runs_wide() == wide);  // decided once
  setenv("MOLEJO_INSTRUCTIONS", "avx2", 1);
  if (wide) CHECK(instructions_trouble().empty());
  setenv("MOLEJO_INSTRUCTIONS", before.c_str(), 1);
}
