#include "molejo/studio/scene_bench.h"

#include <fmt/format.h>

#include <cmath>

#include "molejo/io/export.h"
#include "molejo/io/load.h"
#include "molejo/model/error.h"
#include "molejo/studio/model_view.h"

namespace molejo {

namespace {

SessionOptions session_options(const BenchOptions& bench) {
  SessionOptions options;
  options.history = bench.history;
  options.budget = bench.budget;
  return options;
}

}  // namespace

SceneBench::SceneBench(BenchOptions options)
    : Session(load_scene(options.file), session_options(options), options.outputs),
      bench_(std::move(options)) {}

std::string SceneBench::describe() const {
  const Scene& scene = run().scene();
  JsonValue more = JsonValue::object();
  more.add("kind", std::string("scene"));
  more.add("file", bench_.name);
  more.add("description", scene.description);
  more.add("camera", describe_camera(scene.camera));
  JsonValue& plot = more.add("plot", JsonValue::array());
  for (const std::string& word : scene.plot) plot.items.emplace_back(word);
  return fields(more) + ",\"model\":" + describe_model(run().model()) + "," + Session::describe();
}

std::vector<Playback::BinaryFrame> SceneBench::binary_frames(const Subscription& s) const {
  const Frame& frame = run().frame();
  std::vector<BinaryFrame> list;
  if (s.frames) list.push_back({1, coordinates_frame(frame.state, run().number())});
  if (s.contacts) list.push_back({2, contacts_frame(frame, run().number())});
  if (!s.plots.empty()) {
    list.push_back({3, values_frame(plot_values(s.plots), frame.state.t, run().number())});
  }
  return list;
}

Export export_recording(const std::string& what, const std::string& stem, Scene scene, Model model,
                        Recording recording) {
  if (recording.frames.empty()) throw InputError("'from': nothing was recorded in this range");
  recording.summary.frames = static_cast<std::int64_t>(recording.frames.size());
  recording.summary.duration = recording.frames.back().state.t - recording.frames.front().state.t;
  std::size_t bytes = 0;
  for (const Frame& frame : recording.frames) bytes += bytes_of(frame);
  auto all = std::make_shared<std::tuple<Scene, Model, Recording>>(
      std::move(scene), std::move(model), std::move(recording));
  return {stem + "." + what,
          [what, all](const std::function<void(double)>& tell) {
            const auto& [s, m, r] = *all;
            tell(0.1);
            return what == "glb" ? glb(s, m, r) : what == "csv" ? csv(m, r) : svg(s, m, r);
          },
          bytes};
}

Export SceneBench::prepare_export(const std::string& what, double from, double to) const {
  Recording recording;
  recording.probes =
      run().formulas() ? recorded_probes(*run().formulas()) : std::vector<RecordedProbe>{};
  recording.frames = run().frames(from, to);
  // frames from before a probe was added have no value of it
  for (Frame& frame : recording.frames) frame.probes.resize(recording.probes.size(), NAN);
  return export_recording(what, stem_of(bench_.name), run().scene(), run().model(),
                          std::move(recording));
}

std::string SceneBench::command_line() const {
  std::string text = fmt::format("molejo simulate {} --duration {:.9g}", shell_word(bench_.path),
                                 std::max(run().end(), 0.001));
  for (const auto& [name, value] : run().changed_variables()) {
    text += " --set " + shell_word(fmt::format("{}={:.9g}", name, value));
  }
  return text + " -o " + stem_of(bench_.name) + ".glb";
}

}  // namespace molejo
