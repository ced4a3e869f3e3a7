// What of a walk can be plotted.
#include <algorithm>

#include "molejo/io/walk_columns.h"
#include "molejo/studio/walk_bench.h"

namespace molejo {

namespace {

constexpr double stance_window = 3;  // s that are looked back: slip counts from when a foot stood
constexpr std::size_t most_known = 100;

}  // namespace

void WalkBench::add_columns(int character) {
  first_columns_.push_back(columns_.size());
  const std::vector<Column> own =
      walk_columns(line_.stage().name(character), line_.stage().walker(character).rig());
  columns_.insert(columns_.end(), own.begin(), own.end());
  plots_.clear();
}

const std::vector<std::size_t>& WalkBench::find_plots(const std::vector<std::string>& words) const {
  const auto known = plots_.find(words);
  if (known != plots_.end()) return known->second;
  if (plots_.size() > most_known) plots_.clear();
  return plots_[words] = find_columns(columns_, words);
}

std::vector<std::string> WalkBench::plot_columns(const std::vector<std::string>& words) const {
  std::vector<std::string> names;
  for (const std::size_t i : find_plots(words)) names.push_back(columns_[i].name);
  return names;
}

std::vector<double> WalkBench::plot_values(const std::vector<std::string>& words) const {
  const WalkMoment& moment = line_.history().shown();
  return measure(find_plots(words), moment.t - stance_window, {&moment}).front().values;
}

std::vector<PlotRow> WalkBench::plot_rows(const std::vector<std::string>& words, double from,
                                          double to, std::size_t most) const {
  return measure(find_plots(words), from, line_.history().some(from, to, most));
}

std::vector<PlotRow> WalkBench::measure(const std::vector<std::size_t>& columns, double from,
                                        const std::vector<const WalkMoment*>& moments) const {
  std::vector<PlotRow> rows;
  if (moments.empty()) return rows;
  const auto character_of = [&](std::size_t column) {
    const auto after = std::upper_bound(first_columns_.begin(), first_columns_.end(), column);
    return static_cast<int>(after - first_columns_.begin()) - 1;
  };
  std::map<int, WalkMeter> meters;  // by character
  for (const std::size_t column : columns) {
    const int c = character_of(column);
    meters.try_emplace(c, line_.stage().walker(c).rig(), *line_.scene().ground,
                       1 / line_.interval());
  }
  for (const WalkMoment* m :
       line_.history().some(from, moments.back()->t, line_.history().size())) {
    for (auto& [c, meter] : meters) meter.see(line_.character_in(*m, c).track);
    if (m != moments[rows.size()]) continue;
    PlotRow& row = rows.emplace_back(PlotRow{m->t, {}});
    for (const std::size_t column : columns) {
      const int c = character_of(column);
      row.values.push_back(
          meters.at(c).values()[column - first_columns_[static_cast<std::size_t>(c)]]);
    }
  }
  return rows;
}

}  // namespace molejo
