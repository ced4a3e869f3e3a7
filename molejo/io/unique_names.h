// Names that differ: one that is taken gets a number behind it, from 2 on.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace molejo {

class UniqueNames {
 public:
  // False: it is taken.
  bool take(const std::string& name) { return taken_.insert(name).second; }

  // The name itself, or the first of numbered(2), numbered(3) ... that is free.
  template <class Numbered>
  std::string add(const std::string& name, Numbered&& numbered) {
    if (take(name)) return name;
    // what was taken stays taken: the search goes on where the last one for this name ended
    int& last = last_[name];
    if (last == 0) last = 1;
    std::string next;
    do next = numbered(++last);
    while (!take(next));
    return next;
  }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> last_;  // number that was given
};

}  // namespace molejo
