#include "molejo/studio/frame_bench.h"

#include <fmt/format.h>

#include <cmath>

#include "molejo/io/columns.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"
#include "molejo/studio/model_view.h"
#include "molejo/studio/scene_bench.h"

namespace molejo {

std::size_t FrameMoment::bytes() const { return bytes_of(frame); }

void FrameTimeline::begin_anew() {
  failure_.clear();
  lost_ = true;  // until it has begun; what was shown before stays that long
  FrameMoment moment;
  if (!make(moment.frame)) throw InputError(failure_.empty() ? "it has no frames" : failure_);
  lost_ = false;
  history_.clear();
  history_.add(std::move(moment));
  history_.show_last();
}

Advance FrameTimeline::show_next(Clock::time_point) {
  if (history_.is_at_end()) {
    if (lost_) return Advance::over;
    FrameMoment moment;
    try {
      if (!make(moment.frame)) return Advance::over;
    } catch (const Interrupted& e) {
      failure_ = lost_frame(e);
      lost_ = true;
      return Advance::over;
    }
    history_.add(std::move(moment));
  }
  history_.show_next();
  return Advance::shown;
}

std::vector<std::string> FrameBench::plot_columns(const std::vector<std::string>& words) const {
  std::vector<std::string> names;
  if (words.empty()) return names;
  const std::vector<Column> all = columns(model());
  for (const std::size_t i : find_columns(all, words)) names.push_back(all[i].name);
  return names;
}

std::vector<double> FrameBench::plot_values(const std::vector<std::string>& words) const {
  const Frame* shown = &line().frame();
  return molejo::plot_rows(model(), {&shown, 1}, find_columns(columns(model()), words))
      .front()
      .values;
}

std::vector<PlotRow> FrameBench::plot_rows(const std::vector<std::string>& words, double from,
                                           double to, std::size_t most) const {
  std::vector<const Frame*> frames;
  for (const FrameMoment* m : line().history().some(from, to, most)) frames.push_back(&m->frame);
  return molejo::plot_rows(model(), frames, find_columns(columns(model()), words));
}

std::vector<Playback::BinaryFrame> FrameBench::binary_frames(const Subscription& s) const {
  const Frame& frame = line().frame();
  const std::int64_t number = line().number();
  std::vector<BinaryFrame> list;
  if (s.frames) list.push_back({1, coordinates_frame(frame.state, number)});
  if (s.contacts) list.push_back({2, contacts_frame(frame, number)});
  if (!s.plots.empty()) {
    list.push_back({3, values_frame(plot_values(s.plots), frame.state.t, number)});
  }
  return list;
}

std::string FrameBench::frame_fields(const Subscription& s) const {
  if (!s.frames) return {};
  std::string text;
  for (const Pose& X : line().frame().X_WB) {
    const Quat q = quaternion(X.R);
    text += fmt::format("{}{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g}",
                        text.empty() ? "" : ",", X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z);
  }
  return ",\"poses\":[" + text + "]";
}

std::string FrameBench::describe_with(const std::string& more) const {
  JsonValue json = JsonValue::object();
  json.add("kind", std::string(to_string(kind())));
  json.add("file", options_.name);
  json.add("name", scene().name);
  json.add("description", scene().description);
  json.add("fps", 1 / line().interval());
  json.add("camera", describe_camera(scene().camera, true));
  return fields(json) + ",\"model\":" + describe_model(model()) + (more.empty() ? "" : ",") + more +
         "," + status();
}

Export FrameBench::prepare_export(const std::string& what, double from, double to) const {
  Recording recording;
  for (const FrameMoment& m : line().history().moments()) {
    if (m.time() >= from - 1e-9 && m.time() <= to + 1e-9) recording.frames.push_back(m.frame);
  }
  return export_recording(what, stem_of(options_.name), scene(), model(), std::move(recording));
}

}  // namespace molejo
