// What is saved of a net or a show.
#include <fmt/format.h>

#include <algorithm>

#include "molejo/io/net_draw.h"
#include "molejo/io/net_file.h"
#include "molejo/io/net_report.h"
#include "molejo/studio/net_bench.h"
#include "molejo/studio/scene_bench.h"

namespace molejo {

Recording NetBench::recording(double from, double to) const {
  Recording recording;
  for (const NetFrame& f : line_->history().moments()) {
    if (f.t < from - 1e-9 || f.t > to + 1e-9) continue;
    recording.frames.push_back(f.frame);
    recording.frames.back().probes.clear();
  }
  return recording;
}

std::vector<std::string> NetBench::exports() const {
  if (show_) return {"glb", "csv", "json", "pnml", "svg", "gantt", "events"};
  return {"json", "pnml", "svg", "gantt", "events"};
}

Export NetBench::prepare_export(const std::string& what, double from, double to) const {
  const std::string stem = stem_of(bench_.name);
  const auto ready = [](std::string name, std::string text) {
    return Export{std::move(name), [text = std::move(text)](const auto&) { return text; }};
  };
  if (what == "json") return ready(stem + ".net.json", net_json(net()));
  if (what == "pnml") return ready(stem + ".pnml", pnml_text(net()));
  if (what == "events") return ready(stem + ".events.csv", trace_csv(net(), line_->trace(), false));
  if (what == "svg") return ready(stem + ".svg", net_svg(net()));
  if (what == "gantt") return ready(stem + ".gantt.svg", gantt_svg(net(), line_->trace()));
  return export_recording(what, stem, show_->scene, show_->built->model, recording(from, to));
}

std::string NetBench::command_line() const {
  const std::string stem = stem_of(bench_.name);
  const std::string file = edited_ ? stem + ".net.json" : bench_.path;
  if (show_ && !edited_) {
    return fmt::format("molejo direct {} --duration {:.9g} -o {}.glb", shell_word(bench_.path),
                       std::max(line_->end(), 0.1), shell_word(stem));
  }
  if (mode_ == NetMode::trace) return "molejo net analyse " + shell_word(file);
  return fmt::format("molejo net run {} --fps {:g} --duration {:.9g}", shell_word(file),
                     1 / line_->interval(), std::max(line_->end(), 0.1));
}

}  // namespace molejo
