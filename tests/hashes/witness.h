// One number for all that a shipped file does: the same bits give the same number.
#pragma once

#include <set>
#include <string>

namespace molejo::test {

// A line of tests/hashes/hashes.txt.
struct Witness {
  std::string file;     // in scenes/
  std::string seconds;  // of what is run; - where nothing runs
  std::string hash;     // 16 hexadecimal digits
};

// What a file is about, by its name: scenes, locomotion, shows, walks or nets; empty: nothing that
// is run.
std::string topic(const std::string& file);
// All those of scenes/ that are run.
std::set<std::string> witnessed_files();
// Whether all that it names is there: some walks need the clips that npm brings.
bool can_run(const std::string& file);
// The hash of a file that runs for so long, on so many threads. Throws InputError.
std::string witness(const std::string& file, const std::string& seconds, int threads);

}  // namespace molejo::test
