#include "molejo/math/instructions.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace molejo {

namespace {

constexpr const char* instructions_variable = "MOLEJO_INSTRUCTIONS";

bool can_run_wide() {
#ifdef MOLEJO_TWO_SETS
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

std::string_view wanted_instructions() {
  const char* text = std::getenv(instructions_variable);
  return text ? text : "";
}

bool choose_wide() {
  const std::string trouble = instructions_trouble();
  if (!trouble.empty()) std::fprintf(stderr, "molejo: %s\n", trouble.c_str());
  return can_run_wide() && wanted_instructions() != "baseline";
}

}  // namespace

bool runs_wide() {
  static const bool wide = choose_wide();
  return wide;
}

std::string instructions_trouble() {
  const std::string_view wanted = wanted_instructions();
  if (wanted.empty() || wanted == "baseline" || (wanted == "avx2" && can_run_wide())) return {};
  const std::string name = instructions_variable;
  if (wanted == "avx2") return name + " is 'avx2', which this processor or this build has not";
  return name + " is '" + std::string(wanted) + "'; expected baseline or avx2";
}

}  // namespace molejo
