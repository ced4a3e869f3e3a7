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
  // as they are now, whatever is edited meanwhile
  const auto of_net = [&](const char* end, std::string (*text)(const Net&)) {
    return Export{stem + end, [text, net = net()](const auto&) { return text(net); }};
  };
  const auto of_trace = [&](const char* end, std::string (*text)(const Net&, const NetTrace&)) {
    const auto trace = std::make_shared<const NetTrace>(line_->trace());
    return Export{stem + end, [text, trace, net = net()](const auto&) { return text(net, *trace); },
                  trace->events.size() * sizeof(NetEvent)};
  };
  if (what == "json") return of_net(".net.json", [](const Net& n) { return net_json(n); });
  if (what == "pnml") return of_net(".pnml", [](const Net& n) { return pnml_text(n); });
  if (what == "svg") return of_net(".svg", [](const Net& n) { return net_svg(n); });
  if (what == "events") {
    return of_trace(".events.csv",
                    [](const Net& n, const NetTrace& t) { return trace_csv(n, t, false); });
  }
  if (what == "gantt") {
    return of_trace(".gantt.svg", [](const Net& n, const NetTrace& t) { return gantt_svg(n, t); });
  }
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
