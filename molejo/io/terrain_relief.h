// Reliefs that are made of formulas and chance (private to this module). Evaluated exactly, with
// their slopes, on any number of threads at once.
#pragma once

#include <cstdint>
#include <string>

#include "molejo/io/json_cursor.h"
#include "molejo/motion/ground.h"

namespace molejo {

struct Domain {
  double x0 = 0, x1 = 0, y0 = 0, y1 = 0;
};

// Throws ExpressionError, or InputError where a value is not finite on a grid of samples.
motion::Relief expression_relief(const Domain& domain, const std::string& text, const Scope& scope);

// Octaves of gradient noise: each half as large, times `roughness`, as the one before.
struct NoiseSettings {
  double amplitude = 0.1;  // of the first octave, m
  double feature = 1;      // size of its hills, m
  double roughness = 0.5;  // amplitude of an octave against that before it
  int octaves = 1;
  std::uint64_t seed = 1;
};
motion::Relief noise_relief(const Domain& domain, const NoiseSettings& settings);

// h = sum of s/(sigma sqrt(2 pi)) exp(-((x - mx)^2 + (y - my)^2) / (2 sigma^2)): the terrains of
// Matthey's demos (2022), with a generator of our own. s, sigma, and places are uniform.
struct BumpSettings {
  int count = 0;
  double strength[2] = {0, 0}, width[2] = {1, 1};  // of s and of sigma
  std::uint64_t seed = 1;
};
motion::Relief bump_relief(const Domain& domain, const BumpSettings& settings);

}  // namespace molejo
