// What an adversary sends: a file of up to 32 MB, and messages while it is open. The same for the
// same random numbers.
#pragma once

#include <string>
#include <vector>

#include "molejo/math/random.h"

namespace molejo::test {

inline constexpr std::size_t largest_attack = std::size_t{32} << 20;  // bytes

struct Attack {
  std::string about;  // for the report
  std::string file;   // its name
  std::string bytes;
  std::vector<std::string> beside = {};  // names and contents of files that it names, in turn
};

// A whole number from 0 to count - 1.
int one_of(int count, Random& random);
// From least to most, as likely to be small as large.
int some_size(int least, int most, Random& random);

// Made to be heavy: many bodies in one place, nets without end, numbers at their bounds ...
Attack heavy_scene(Random& random);
Attack heavy_other(Random& random);
// Made to be large: as much as may be sent of one thing.
Attack large_text(Random& random);
// One of the files below the folder with some of its numbers, words or bytes changed.
Attack changed_file(const std::string& scenes, Random& random);

// Messages of a client who means no good.
std::vector<std::string> hostile_messages(Random& random);

}  // namespace molejo::test
