#include "molejo/math/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace molejo;

TEST_CASE("random: xoshiro256** gives the published numbers from the words 1 2 3 4") {
  Random random(1);
  random.words = {1, 2, 3, 4};
  for (const std::uint64_t expected :
       {std::uint64_t{11520}, std::uint64_t{0}, std::uint64_t{1509978240},
        std::uint64_t{1215971899390074240}, std::uint64_t{1216172134540287360}}) {
    CHECK(random.next() == expected);
  }
}

TEST_CASE("random: seeds are spread by splitmix64") {
  // first output of splitmix64 from 0, as its authors publish it
  CHECK(Random(0).words[0] == 0xe220a8397b1dcdaf);
  CHECK(Random(1).words != Random(2).words);
  CHECK(seed_of_stream(1, 0) != seed_of_stream(1, 1));
  CHECK(seed_of_stream(1, 1) != seed_of_stream(2, 0));
}

TEST_CASE("random: a copy continues with the same numbers, between the two of a pair as well") {
  Random random(7);
  random.normal();
  Random copy = random;
  CHECK(copy.has_spare);
  for (int i = 0; i < 100; ++i) CHECK(copy.normal() == random.normal());
}

TEST_CASE("random: uniform numbers fill 0 to 1 evenly") {
  Random random(3);
  constexpr int count = 100'000, bins = 20;
  std::vector<int> filled(bins, 0);
  for (int i = 0; i < count; ++i) {
    const double x = random.uniform();
    REQUIRE((x >= 0 && x < 1));
    ++filled[static_cast<std::size_t>(x * bins)];
  }
  double chi2 = 0;
  for (const int n : filled) chi2 += std::pow(n - count / bins, 2) / (count / bins);
  CHECK(chi2 < 43.8);  // 19 freedoms, one in a thousand is above
}

TEST_CASE("random: normal numbers have the moments and the distribution of the normal law") {
  Random random(5);
  constexpr int count = 200'000;
  std::vector<double> x(count);
  double sum = 0, squares = 0, fourth = 0, neighbours = 0;
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = random.normal();
    sum += x[i];
    squares += x[i] * x[i];
    fourth += std::pow(x[i], 4);
    if (i > 0) neighbours += x[i] * x[i - 1];
  }
  // four standard deviations of each estimate
  CHECK(std::fabs(sum / count) < 4 / std::sqrt(count));
  CHECK(std::fabs(squares / count - 1) < 4 * std::sqrt(2.0 / count));
  CHECK(std::fabs(fourth / count - 3) < 4 * std::sqrt(96.0 / count));
  CHECK(std::fabs(neighbours / count) < 4 / std::sqrt(count));
  // Kolmogorov and Smirnov: one in a thousand is above 1.95 / sqrt(count)
  std::sort(x.begin(), x.end());
  double distance = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double law = 0.5 * std::erfc(-x[i] / std::sqrt(2.0));
    distance = std::max(distance, std::fabs(law - static_cast<double>(i) / count));
  }
  CHECK(distance < 1.95 / std::sqrt(count));
}
