// Gradient noise in one, two and three dimensions: smooth, random-looking, between -1 and 1, zero
// at whole coordinates, with a continuous second derivative.
//
//   noise(x) = scale * sum over the corners c of the cell: w(x - c) g_c . (x - c)
//
// Perlin, "Improving noise" (2002): weights from 6t^5 - 15t^4 + 10t^3. The gradients g_c, each
// component in [-1, 1), come from the whole coordinates of c by the finalizer of splitmix64
// (Steele, Lea, Flood 2014):
//
//   h = m(i k1 + j k2 + l k3), g = (bits 0-20, bits 21-41, bits 42-62 of h) / 2^20 - 1
//   k1 = 9e3779b97f4a7c15, k2 = c2b2ae3d27d4eb4f, k3 = 165667b19e3779f9 (hexadecimal, mod 2^64)
//   m(h): h ^= h >> 30, h *= bf58476d1ce4e5b9, h ^= h >> 27, h *= 94d049bb133111eb, h ^= h >> 31
//
// Only + - * and floor are used: the same bits on every machine.
#pragma once

namespace molejo {

struct Noise {
  double value;
  double slope[3];  // derivative by each coordinate
};

// Scale 2, 1 and 2/3: the values stay within [-1, 1]. Beyond 2^52, where doubles are whole numbers,
// a coordinate counts as 0. Not a number for coordinates that are not finite.
Noise noise1(double x);
Noise noise2(double x, double y);
Noise noise3(double x, double y, double z);

}  // namespace molejo
