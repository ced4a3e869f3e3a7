// The experiments of Nunes (2012), ch.5: what was found for each motion and seed, and what each row
// must show beyond a valid gait.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "molejo/io/motion.h"
#include "molejo/locomotion/replay.h"
#include "molejo/locomotion/style.h"

namespace molejo::study {

// One search, and its result looked at.
struct Run {
  GaitFile file;
  std::string path;
  GaitCheck check;
  ReplayReport report;  // of one cycle
  GaitStyle style, sketch;
  double likeness = 0;                        // to the sketch
  std::map<std::string, double> amplitude{};  // by the name of the unknown

  bool valid() const { return file.valid && check.valid(); }
};

Run look_at(const std::string& path);

// By row, in the order of the seeds.
using Runs = std::map<std::string, std::vector<Run>>;

struct Verdict {
  bool holds = false;
  std::string figures;
  double near = 0;  // where it does not hold: how near it came, of runs that are to be compared
};

struct Row {
  std::string motion;  // file name without ".motion.json"
  std::string claim;   // what must be seen
  // Of one run that is valid; what needs all runs of a row is the same for each of them.
  Verdict (*judge)(const Runs& runs, const Run& run);
};

const std::vector<Row>& rows();

// NaN for none.
double median(std::vector<double> list);
// Seeds that gave a valid gait / seeds.
double success_rate(const std::vector<Run>& runs);

}  // namespace molejo::study
