// molejo_study FOLDER [PICKED]: looks at FOLDER/MOTION.SEED.gait.json of `scripts/study` and prints
// the table of the experiments; copies to PICKED the first gait of each row that shows all it must.
// molejo_study --shipped FOLDER: what the gaits FOLDER/MOTION.gait.json are worth.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "apps/study/rows.h"

namespace fs = std::filesystem;

namespace molejo::study {

namespace {

Runs look_at_all(const fs::path& folder) {
  Runs runs;
  for (const Row& row : rows()) {
    for (int seed = 1; seed <= 99; ++seed) {
      const fs::path path = folder / fmt::format("{}.{}.gait.json", row.motion, seed);
      if (fs::exists(path)) runs[row.motion].push_back(look_at(path.string()));
    }
  }
  return runs;
}

// The valid run that is shown: the first that the judge likes, else the nearest; null if there is
// none.
const Run* shown_run(const Runs& runs, const Row& row, Verdict& verdict) {
  const Run* shown = nullptr;
  for (const Run& run : runs.at(row.motion)) {
    if (!run.valid()) continue;
    const Verdict v = row.judge(runs, run);
    if (shown && !v.holds && v.near <= verdict.near) continue;
    shown = &run, verdict = v;
    if (v.holds) break;
  }
  return shown;
}

void print_table(const Runs& runs, const fs::path& picked) {
  fmt::print(
      "| motion | valid | evaluations | s | m/s | energy | transport | cyclic | sketch | must show "
      "| |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Row& row : rows()) {
    if (!runs.contains(row.motion)) continue;
    const std::vector<Run>& list = runs.at(row.motion);
    std::vector<double> evaluations, seconds;
    for (const Run& run : list) {
      if (!run.valid()) continue;
      evaluations.push_back(static_cast<double>(run.file.evaluations));
      seconds.push_back(run.file.seconds);
    }
    fmt::print("| {} | {} of {} | ", row.motion, evaluations.size(), list.size());
    Verdict verdict;
    const Run* shown = shown_run(runs, row, verdict);
    if (!shown) {
      fmt::print("| | | | | | | {} | no |\n", row.claim);
      continue;
    }
    fmt::print("{:.0f} | {:.0f} | {:.2f} | {:.0f} | {:.2f} | {:.2f} | {:.2f} | {}: {} | {} |\n",
               median(evaluations), median(seconds), shown->report.speed,
               shown->check.result.energy, shown->report.cost_of_transport,
               shown->check.cyclic_error, shown->likeness, row.claim, verdict.figures,
               verdict.holds ? "yes" : "NO");
    if (!picked.empty()) {
      fs::copy_file(shown->path, picked / (row.motion + ".gait.json"),
                    fs::copy_options::overwrite_existing);
    }
  }
}

void print_shipped(const fs::path& folder) {
  fmt::print(
      "| motion | seed | evaluations | m/s | energy | transport | cyclic | sketch |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (const Row& row : rows()) {
    const Run run = look_at((folder / (row.motion + ".gait.json")).string());
    fmt::print("| {} | {} | {} | {:.2f} | {:.0f} | {:.2f} | {:.2f} | {:.2f} |\n", row.motion,
               run.file.seed, run.file.evaluations, run.report.speed, run.check.result.energy,
               run.report.cost_of_transport, run.check.cyclic_error, run.likeness);
  }
}

}  // namespace

}  // namespace molejo::study

int main(int count, char** words) {
  if (count < 2 || count > 3) {
    std::fputs("usage: molejo_study FOLDER [PICKED], or --shipped FOLDER\n", stderr);
    return 2;
  }
  try {
    if (std::string_view(words[1]) == "--shipped") {
      molejo::study::print_shipped(count > 2 ? words[2] : "scenes/gaits");
      return 0;
    }
    const auto runs = molejo::study::look_at_all(words[1]);
    if (runs.empty()) {
      fmt::print(stderr, "molejo_study: {}: holds no MOTION.SEED.gait.json\n", words[1]);
      return 2;
    }
    molejo::study::print_table(runs, count > 2 ? words[2] : "");
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "molejo_study: {}\n", error.what());
    return 2;
  }
}
