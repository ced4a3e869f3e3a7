#include "molejo/studio/net_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "molejo/io/columns.h"
#include "molejo/io/net_file.h"
#include "molejo/io/net_watch.h"
#include "molejo/io/show.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"
#include "molejo/studio/model_view.h"
#include "molejo/studio/net_foresight.h"
#include "molejo/studio/net_view.h"

namespace molejo {

namespace {

constexpr double least_interval = 1.0 / 60;  // s of wall time between two tellings
constexpr double recent = 0.5;               // s: firings that are told again after a jump
constexpr std::size_t most_versions = 50;

std::string with_braces(const std::string& list) { return "{" + list + "}"; }

}  // namespace

NetBench::NetBench(FileKind kind, BenchOptions options)
    : Playback({}, options.outputs), bench_(std::move(options)) {
  if (kind == FileKind::show) {
    show_ = std::make_unique<Show>(load_show(bench_.file));
  } else {
    net_ = load_net(bench_.file);
  }
  part_ = choose_part(net());
  draw_part(net(), part_, drawing_);
  analyst_ = std::make_unique<NetAnalyst>(bench_.wake);
  play_anew(NetMode::automatic, {});
  start_analysis(quick_markings);
  add_word("fire", [this](const Message& c) { return fire(c); });
  add_word("next", [this](const Message&) { return next_firing(); });
  add_word("mode", [this](const Message& c) { return set_mode(c); });
  add_word("play_trace", [this](const Message& c) { return play_trace(c); });
  add_word("analyse", [this](const Message& c) { return analyse(c); });
  add_word("edit", [this](const Message& c) { return edit(c); });
  add_word("look", [this](const Message& c) { return look(c); });
  add_word("undo", [this](const Message&) { return step_back(false); });
  add_word("redo", [this](const Message&) { return step_back(true); });
  add_word("gantt", [this](const Message&) { return chart(); });
  add_word("net", [this](const Message&) {
    return "\"now\":" + with_braces(fields(net_frame_json(*line_, part_, line_->time() - recent)));
  });
}

void NetBench::play_anew(NetMode mode, std::vector<TraceStep> trace) {
  const NetPlay play{mode, std::move(trace), bench_.history};
  line_ = show_ ? directed_line(*show_, play) : token_game(net_, play);
  mode_ = mode;
  trace_ = -1;
  tell_anew_ = true;
  if (mode != NetMode::trace) violations_ = {};
  show_anew();
}

void NetBench::start_analysis(std::uint64_t max_markings) {
  analysed_ = false;
  findings_ = {};
  const int own = static_cast<int>(net().transitions.size());
  analyst_->ask(show_ ? with_outside(net(), show_->causes) : net(), max_markings, own);
}

std::string NetBench::fire(const Message& message) {
  const std::string name = message.text("transition");
  TransitionId transition;
  try {
    transition = NetNames(net()).transition(name);
  } catch (const NetError& e) {
    throw InputError(e.what());
  }
  line_->fire(transition);
  line_->advance();
  changed();
  return status();
}

// To the next frame in which something fires. By hand: what may fire first is fired.
std::string NetBench::next_firing() {
  constexpr int most_frames = 3000;
  constexpr std::chrono::milliseconds most_time(500);  // others want to be heard
  pause();
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < most_frames && std::chrono::steady_clock::now() - begun < most_time; ++i) {
    const std::vector<int>& allowed = line_->shown().allowed;
    if (mode_ == NetMode::by_hand && line_->time() == line_->end() && !allowed.empty()) {
      line_->fire({allowed[0]});
    }
    if (!line_->advance() || !line_->shown().fired.empty()) break;
  }
  changed();
  return status();
}

std::string NetBench::set_mode(const Message& message) {
  const std::string word = message.text("value");
  const std::vector<std::string> known{"auto", "hand"};
  if (word != "auto" && word != "hand") throw InputError(unknown_word("mode", word, known));
  play_anew(word == "auto" ? NetMode::automatic : NetMode::by_hand, {});
  return status();
}

std::string NetBench::play_trace(const Message& message) {
  std::vector<std::vector<TraceStep>> traces = findings_.traces;
  traces.insert(traces.end(), violations_.traces.begin(), violations_.traces.end());
  if (traces.empty()) throw InputError("the analysis has no trace to play");
  const int which = message.whole("which", 0, static_cast<int>(traces.size()) - 1);
  play_anew(NetMode::trace, traces[static_cast<std::size_t>(which)]);
  trace_ = which;
  play();
  return status();
}

std::string NetBench::analyse(const Message& message) {
  const double most = message.find("markings")
                          ? message.number_within("markings", 1, static_cast<double>(most_markings))
                          : static_cast<double>(quick_markings);
  start_analysis(static_cast<std::uint64_t>(most));
  tell_all("{\"event\":\"analysis\"," + fields(analysis_json_now()) + "}");
  return "\"busy\":true";
}

std::size_t NetBench::Version::bytes() const {
  constexpr std::size_t name = 32;  // on the heap, about
  return net.places.size() * (sizeof(Place) + name) +
         net.transitions.size() * (sizeof(Transition) + name) + net.arcs.size() * sizeof(Arc);
}

NetBench::Version NetBench::version() const {
  if (!show_) return {net_, part_, drawing_, {}, {}};
  return {show_->net, part_, drawing_, show_->bindings, show_->causes};
}

// The run begins again where more than the drawing has changed. All that can fail comes first.
void NetBench::change_to(Version version, bool replay) {
  if (replay) {
    Version before = this->version();
    const auto put = [this](Version& v) {
      net() = v.net;
      if (!show_) return;
      show_->bindings = v.bindings;
      show_->causes = v.causes;
    };
    // it reads the net: it goes before the net does
    line_.reset();
    put(version);
    const NetMode mode = mode_ == NetMode::trace ? NetMode::automatic : mode_;
    try {
      play_anew(mode, {});
      if (part_.whole) refuse_endless(net(), before.net, foreseen_settings());
    } catch (...) {
      // also where it was interrupted: something must be open
      Interrupt calm;
      const InterruptScope scope(calm, InterruptScope::Outer::is_ignored);
      put(before);
      play_anew(mode, {});
      throw;
    }
    start_analysis(quick_markings);
  }
  part_ = std::move(version.part);
  drawing_ = std::move(version.drawing);
  ++revision_;
  tell_anew_ = true;
}

std::string NetBench::edit(const Message& message) {
  Version before = version();
  EditedNet edited =
      edit_net(net(), drawing_, message.need("edits", JsonValue::Kind::array, "a list"));
  Version after{edited.net, part_after(part_, edited), std::move(edited.drawing), before.bindings,
                before.causes};
  if (edited.arrange) draw_part(after.net, after.part, after.drawing);
  take_edit(edited, after.bindings, after.causes);
  change_to(std::move(after), !edited.only_drawing);
  edited_ = edited_ || !edited.only_drawing;
  undo_.push_back(std::move(before));
  // the oldest go; one step back is always kept
  std::size_t bytes = 0;
  for (const Version& v : undo_) bytes += v.bytes();
  while (undo_.size() > most_versions || (undo_.size() > 1 && bytes > bench_.history.bytes / 4)) {
    bytes -= undo_.front().bytes();
    undo_.pop_front();
  }
  redo_.clear();
  tell_net();
  return fmt::format("\"revision\":{}", revision_);
}

// Another part of a net that is too large to be drawn whole.
std::string NetBench::look(const Message& message) {
  if (part_.whole) throw InputError("the whole net is drawn");
  try {
    part_ = part_around(net(), message.text("at"));
  } catch (const NetError& e) {
    throw InputError(e.what());
  }
  draw_part(net(), part_, drawing_);
  ++revision_;
  tell_anew_ = true;
  tell_net();
  return fmt::format("\"revision\":{}", revision_);
}

std::string NetBench::step_back(bool redo) {
  std::deque<Version>& from = redo ? redo_ : undo_;
  std::deque<Version>& to = redo ? undo_ : redo_;
  if (from.empty())
    throw InputError(redo ? "there is nothing to redo" : "there is nothing to undo");
  Version now = version();
  change_to(from.back(), net_json(from.back().net) != net_json(now.net));
  from.pop_back();
  to.push_back(std::move(now));
  tell_net();
  return fmt::format("\"revision\":{}", revision_);
}

void NetBench::tell_net() const {
  tell_all("{\"event\":\"net_changed\"," + fields(net_json_now()) + "}");
}

JsonValue NetBench::net_json_now() const {
  JsonValue json = JsonValue::object();
  json.add("net", describe_net(net(), part_, drawing_, show_ ? &show_->bindings : nullptr));
  json.add("revision", revision_);
  json.add("undo", JsonValue::of(!undo_.empty()));
  json.add("redo", JsonValue::of(!redo_.empty()));
  return json;
}

JsonValue NetBench::analysis_json_now() const {
  JsonValue json = JsonValue::object();
  json.add("busy", JsonValue::of(!analysed_));
  if (!analysed_) return json;
  // what was violated comes first, its traces last
  NetFindings all = violations_;
  for (Finding& f : all.sentences) f.trace += static_cast<int>(findings_.traces.size());
  all.sentences.insert(all.sentences.end(), findings_.sentences.begin(), findings_.sentences.end());
  all.traces.insert(all.traces.begin(), findings_.traces.begin(), findings_.traces.end());
  all.markings = findings_.markings;
  all.complete = findings_.complete;
  all.seconds = findings_.seconds;
  json.add("analysis", findings_json(net(), all));
  return json;
}

// True when a property is violated of which that was not known.
bool NetBench::notice_violations() {
  if (mode_ == NetMode::trace) return false;
  const std::size_t before = violations_.sentences.size();
  for (const Watched& w : line_->watched()) {
    const auto same = [&](const Finding& f) { return f.property == w.property.text; };
    const std::vector<Finding>& known = violations_.sentences;
    if (!w.is_violated() || std::any_of(known.begin(), known.end(), same)) continue;
    const NetTrace trace = line_->trace();
    Finding f;
    f.sign = Finding::Sign::bad;
    f.group = Finding::Group::asked;
    f.property = w.property.text;
    f.text = fmt::format("{}: violated from {:.6g} s (frame {}) on", f.property,
                         trace.seconds(w.violated_from), trace.frame_of(w.violated_from));
    f.trace = static_cast<int>(violations_.traces.size());
    violations_.traces.push_back(steps_to_violation(net(), trace, w));
    violations_.sentences.push_back(std::move(f));
  }
  return violations_.sentences.size() > before;
}

RunSettings NetBench::foreseen_settings() const {
  return show_ ? run_settings(net(), show_->fps, show_->seed, true)
               : run_settings(net(), net_frame_rate, 1, false);
}

// Where nobody interferes the run to come is known.
std::string NetBench::chart() const {
  const bool foreseen = mode_ == NetMode::automatic && line_->is_untouched() && net().is_timed() &&
                        !net().has_events() && (!show_ || show_->causes.empty());
  NetTrace trace;
  if (foreseen) {
    const RunSettings settings = foreseen_settings();
    const double seconds =
        std::max({line_->end(), show_ ? show_->duration.value() : 0.0, foreseen_seconds});
    const double frames = std::min(seconds * settings.frame_rate.value(), 1e6);
    trace = molejo::play(net(), settings, static_cast<std::int64_t>(std::ceil(frames)));
  } else {
    trace = line_->trace();
  }
  return fmt::format("\"foreseen\":{},\"chart\":", foreseen) +
         with_braces(fields(chart_json(net(), trace)));
}

std::string NetBench::describe() const {
  JsonValue json = JsonValue::object();
  json.add("kind", std::string(to_string(kind())));
  json.add("file", bench_.name);
  std::string bodies;
  if (show_) {
    json.add("name", show_->name.empty() ? stem_of(bench_.name) : show_->name);
    json.add("description", show_->description);
    json.add("camera", describe_camera(show_->scene.camera));
    json.add("duration", show_->duration.value());
    bodies = ",\"model\":" + describe_model(show_->built->model) + ",\"columns\":[";
    const char* comma = "";
    for (const Column& column : columns(show_->built->model)) {
      bodies += fmt::format("{}{{\"name\":{},\"unit\":{}}}", comma, json_quoted(column.name),
                            json_quoted(column.unit));
      comma = ",";
    }
    bodies += "]";
  } else {
    json.add("name", net_.name.empty() ? stem_of(bench_.name) : net_.name);
    json.add("description", fmt::format("{} places, {} transitions, {} arcs", net_.places.size(),
                                        net_.transitions.size(), net_.arcs.size()));
  }
  json.add("fps", 1 / line_->interval());
  return fields(json) + bodies + "," + fields(net_json_now()) + "," + fields(analysis_json_now()) +
         ",\"now\":" + with_braces(fields(net_frame_json(*line_, part_, line_->time() - recent))) +
         "," + status();
}

std::string NetBench::more_status() const {
  std::string text = fmt::format(",\"mode\":\"{}\"", to_string(mode_));
  if (trace_ >= 0) text += fmt::format(",\"trace\":{}", trace_);
  return text;
}

// Tells what the net does when it does something, and what was found.
double NetBench::look_around(double now) {
  std::optional<NetFindings> found = analyst_->take();
  if (found) {
    findings_ = std::move(*found);
    analysed_ = true;
  }
  if (found || (notice_violations() && analysed_)) {
    tell_all("{\"event\":\"analysis\"," + fields(analysis_json_now()) + "}");
  }
  const std::int64_t number = line_->number();
  tell_anew_ = tell_anew_ || line_->jumps() != told_jumps_;
  if (number == told_frame_ && !tell_anew_) return -1;
  if (now - told_wall_ < least_interval) return least_interval;
  const NetFrame& shown = line_->shown();
  const bool went_on = !tell_anew_ && number > told_frame_ && shown.t - told_time_ < 5;
  // a token that waits is told once: the page knows when it is due
  JsonValue json = net_frame_json(*line_, part_, went_on ? told_time_ + 1e-9 : shown.t - recent);
  tell_anew_ = false;
  told_frame_ = number;
  told_jumps_ = line_->jumps();
  told_time_ = shown.t;
  told_wall_ = now;
  tell_all(fmt::format("{{\"event\":\"net\",\"went_on\":{},{}}}", went_on, fields(json)));
  return -1;
}

std::vector<std::string> NetBench::plot_columns(const std::vector<std::string>& words) const {
  if (!show_) return Playback::plot_columns(words);
  std::vector<std::string> names;
  if (words.empty()) return names;
  const std::vector<Column> all = columns(show_->built->model);
  for (const std::size_t i : find_columns(all, words)) names.push_back(all[i].name);
  return names;
}

std::vector<double> NetBench::plot_values(const std::vector<std::string>& words) const {
  const Model& model = show_->built->model;
  const Frame* shown = &line_->shown().frame;
  return molejo::plot_rows(model, {&shown, 1}, find_columns(columns(model), words)).front().values;
}

std::vector<PlotRow> NetBench::plot_rows(const std::vector<std::string>& words, double from,
                                         double to, std::size_t most) const {
  const Model& model = show_->built->model;  // plot_columns has refused a net alone
  std::vector<const Frame*> frames;
  for (const NetFrame* f : line_->history().some(from, to, most)) frames.push_back(&f->frame);
  return molejo::plot_rows(model, frames, find_columns(columns(model), words));
}

std::string NetBench::frame_fields(const Subscription& s) const {
  if (!s.frames) return {};
  std::string text;
  for (const Pose& X : line_->shown().frame.X_WB) {
    const Quat q = quaternion(X.R);
    text += fmt::format("{}{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g},{:.7g}",
                        text.empty() ? "" : ",", X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z);
  }
  return ",\"poses\":[" + text + "]";
}

std::vector<Playback::BinaryFrame> NetBench::binary_frames(const Subscription& s) const {
  const NetFrame& shown = line_->shown();
  const std::int64_t number = line_->number();
  std::vector<BinaryFrame> list;
  if (!show_) {
    // no bodies: the time alone
    if (s.frames)
      list.push_back({1, FrameBytes(FrameType::coordinates, 0, number, shown.t).take()});
    return list;
  }
  if (s.frames) list.push_back({1, coordinates_frame(shown.frame.state, number)});
  if (s.contacts) list.push_back({2, contacts_frame(shown.frame, number)});
  if (!s.plots.empty()) list.push_back({3, values_frame(plot_values(s.plots), shown.t, number)});
  return list;
}

}  // namespace molejo
