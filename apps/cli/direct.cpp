// molejo direct: a net directs a scene; proved before it runs, then recorded.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <set>

#include "apps/cli/command.h"
#include "apps/cli/direct.h"
#include "apps/cli/given.h"
#include "apps/cli/memory.h"
#include "apps/cli/net_errors.h"
#include "apps/cli/outputs.h"
#include "apps/cli/rows.h"
#include "molejo/io/export.h"
#include "molejo/io/net_draw.h"
#include "molejo/io/net_report.h"
#include "molejo/io/net_watch.h"
#include "molejo/io/show.h"
#include "molejo/io/show_glb.h"
#include "molejo/io/stills.h"
#include "molejo/model/error.h"
#include "molejo/navigation/track.h"
#include "molejo/net/analysis.h"

namespace molejo::cli {

namespace {

Fraction fraction(const char* option, const std::string& text, Fraction least, Fraction most) {
  const auto value = parse_fraction(text);
  if (value && !(*value < least) && !(most < *value)) return *value;
  throw InputError(
      fmt::format("{}: '{:.40}': expected a number from {} to {}, like 24 or 30000/1001", option,
                  text, to_string(least), to_string(most)));
}

void check_outputs(const DirectOptions& o) {
  std::set<std::string> seen;
  const auto check = [&](const std::string& path, const std::vector<std::string>& endings) {
    check_output(path, endings, o.file);
    if (!seen.insert(std::filesystem::absolute(path).lexically_normal().string()).second) {
      throw InputError(path + ": given twice as output");
    }
  };
  for (const std::string& path : o.outputs) check(path, recording_endings());
  if (!o.events.empty()) check(o.events, {".csv", ".json"});
  if (!o.gantt.empty()) check(o.gantt, {".svg"});
  if (!o.violation.empty()) check(o.violation, {".json"});
  if (!o.frames.empty()) check(o.frames + "1.svg", {".svg"});
}

DirectSettings settings_of(const DirectOptions& o, const Show& show) {
  DirectSettings s;
  if (!o.fps.empty()) s.fps = fraction("--fps", o.fps, Fraction(1, 1000), 10'000);
  if (!o.duration.empty()) s.duration = fraction("--duration", o.duration, 0, 100'000);
  s.seed = o.seed;
  if (!o.trace.empty()) s.trace = load_trace(given(o.trace), show.net);
  s.skeletons =
      has_skins(show) && std::any_of(o.outputs.begin(), o.outputs.end(),
                                     [](const auto& path) { return ending(path) == ".glb"; });
  Fraction seconds = s.duration.value_or(show.duration);
  if (s.trace && !s.duration) seconds = std::max(seconds, end_of(*s.trace));
  const double frames = s.fps.value_or(show.fps).value() * seconds.value();
  if (frames > 1e6)
    throw InputError("more than a million frames; choose a smaller --duration or --fps");
  double numbers = 0;
  for (const ShowWalker& w : show.walkers) numbers += 10 * frames * w.character->skeleton.size();
  if (s.skeletons && numbers > static_cast<double>(navigation::max_record_numbers)) {
    throw InputError("more poses of skins than are recorded; choose a smaller --duration or --fps");
  }
  return s;
}

// Times of the script that the show does not live to see.
void warn_of_late_causes(const DirectOptions& o, const DirectSettings& settings, Show& show) {
  const Fraction end = settings.duration.value_or(show.duration);
  for (const Cause& c : show.causes) {
    if (settings.trace || c.at.empty() || !(end < c.at.back())) continue;
    show.warnings.push_back(fmt::format("{}: a cause at {} s comes after the end of the show, {} s",
                                        o.file, to_string(c.at.back()), to_string(end)));
  }
}

const char* word(const PropertyResult& r) {
  if (r.verdict == Verdict::fails) return r.by_world ? "CAN FAIL, if events come so" : "FAILS";
  return r.verdict == Verdict::holds ? "holds" : "unknown";
}

// "T1 at 0 s, T5 at 3 s"
std::string way(const Net& net, const PropertyResult& r) {
  std::string text;
  constexpr std::size_t told = 40;
  const std::size_t skipped = r.trace.size() > told ? r.trace.size() - told : 0;
  if (skipped > 0) text = fmt::format("... {} firings, ", skipped);
  for (std::size_t i = skipped; i < r.trace.size(); ++i) {
    text += (i > skipped ? ", " : "") + step_text(net, r.trace[i], r.timed);
  }
  return text.empty() ? "the start itself" : text;
}

struct Proof {
  std::unique_ptr<Net> net;  // as it is directed
  Analysis analysis;
  bool fails = false;  // whatever the world does
};

Proof prove(const Show& show, const DirectOptions& o) {
  AnalysisSettings settings;
  settings.space.max_states = 1'000'000;
  settings.space.max_memory = max_memory() / 2;
  settings.open.holds = holds_events(show.causes);
  Proof proof{std::make_unique<Net>(net_as_directed(show)), {}};
  proof.analysis = about_file(o.file, [&] { return analyse(*proof.net, settings); });
  for (PropertyResult& r : proof.analysis.properties) {
    tell_outside(*proof.net, show.net.transitions.size(), r.trace);
    proof.fails = proof.fails || (r.verdict == Verdict::fails && !r.by_world);
  }
  return proof;
}

void print_proof(const Show& show, const Proof& proof) {
  fmt::print("{}\n", show.name.empty() ? "show" : show.name);
  bool first = true;
  for (const PropertyResult& r : proof.analysis.properties) {
    print_row(first ? "proved before" : "",
              fmt::format("{}: {}, over {}", r.property.text, word(r), r.how));
    if (r.verdict == Verdict::fails && r.has_trace) print_row("", "  by " + way(show.net, r));
    first = false;
  }
}

void print_firings(const Show& show, const NetTrace& trace) {
  std::string text;
  int count = 0;
  constexpr int told = 12;
  for (const NetEvent& e : trace.events) {
    if (e.kind != NetEventKind::fire || ++count > told) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        show.net.transitions[static_cast<std::size_t>(e.node)].name,
                        trace.frame_of(e.tick));
  }
  if (count > told) text += fmt::format(" and {} more", count - told);
  print_row("fired in frame", text.empty() ? "nothing" : text);
}

const Watched* first_violation(const Directed& d) {
  const Watched* first = nullptr;
  for (const Watched& w : d.watched) {
    if (w.is_violated() && (!first || w.violated_from < first->violated_from)) first = &w;
  }
  return first;
}

void print_report(const Show& show, const Directed& d, const DirectOptions& o) {
  const Summary& s = d.recording.summary;
  print_row("frames",
            fmt::format("{} at {} a second, {:g} s{}", s.frames, to_string(d.trace.frame_rate),
                        s.duration, d.trace.quiet ? ", then nothing can happen" : ""));
  print_firings(show, d.trace);
  for (const Watched& w : d.watched) {
    print_row(&w == d.watched.data() ? "watched" : "",
              fmt::format("{}: {}", w.property.text, watched_text(d.trace, w)));
  }
  if (s.steps > 0) print_row("simulated", fmt::format("{} steps", s.steps));
  if (d.report.out_of_reach > 1e-9) {
    print_row("out of reach", fmt::format("{:.3g} m at most", d.report.out_of_reach));
  }
  if (d.report.beyond_limits > 1e-9) {
    print_row("beyond joint limits", fmt::format("{:.3g} rad at most", d.report.beyond_limits));
  }
  print_row("wall time", fmt::format("{:.3f} s", s.wall_seconds));
  print_row("hash", fmt::format("{:016x}", s.hash));
  for (const std::string& warning : s.warnings) print_row("warning", warning);
  for (const std::string& path : o.outputs) print_row("wrote", path);
  if (!o.frames.empty()) {
    print_row("wrote", fmt::format("{0}1.svg ... {0}{1}.svg", o.frames, d.recording.frames.size()));
  }
  if (!o.events.empty()) print_row("wrote", o.events);
  if (!o.gantt.empty()) print_row("wrote", o.gantt);
  if (!o.violation.empty() && first_violation(d)) print_row("wrote", o.violation);
}

void print_json(const Show& show, const Proof& proof, const Directed* d) {
  JsonValue root = JsonValue::object();
  root.add("name", JsonValue(show.name));
  root.add("properties", *analysis_json(*proof.net, proof.analysis).find("properties"));
  JsonValue warnings = JsonValue::array();
  for (const std::string& warning : show.warnings) warnings.items.emplace_back(warning);
  root.add("ran", JsonValue::of(d != nullptr));
  if (d) {
    const Summary& s = d->recording.summary;
    root.add("frames", JsonValue(static_cast<double>(s.frames)));
    root.add("frame_rate", JsonValue(to_string(d->trace.frame_rate)));
    root.add("seconds", JsonValue(s.duration));
    root.add("quiet", JsonValue::of(d->trace.quiet));
    JsonValue firings = JsonValue::array();
    for (const NetEvent& e : d->trace.events) {
      if (e.kind != NetEventKind::fire) continue;
      JsonValue& item = firings.items.emplace_back(JsonValue::object());
      item.add("fire", JsonValue(show.net.transitions[static_cast<std::size_t>(e.node)].name));
      item.add("frame", JsonValue(static_cast<double>(d->trace.frame_of(e.tick))));
    }
    root.add("firings", std::move(firings));
    root.add("watched", watched_json(show.net, d->trace, d->watched));
    root.add("steps", JsonValue(static_cast<double>(s.steps)));
    root.add("out_of_reach", JsonValue(d->report.out_of_reach));
    root.add("beyond_limits", JsonValue(d->report.beyond_limits));
    root.add("hash", JsonValue(fmt::format("{:016x}", s.hash)));
    root.add("failure", JsonValue(s.failure));
    for (const std::string& warning : s.warnings) warnings.items.emplace_back(warning);
  }
  root.add("warnings", std::move(warnings));
  fmt::print("{}", pretty_text(root));
}

void write_all(const Show& show, const Directed& d, const DirectOptions& o) {
  const Model& model = show.built->model;
  FileSet files;
  for (const std::string& path : o.outputs) {
    if (ending(path) == ".glb" && !d.walkers.empty()) {
      files.add(path, show_glb(show, d));
    } else {
      add_output(path, show.scene, model, d.recording, {}, files);
    }
  }
  if (!o.events.empty()) {
    const bool csv = ending(o.events) == ".csv";
    files.add(o.events, csv ? trace_csv(show.net, d.trace, false)
                            : pretty_text(trace_json(show.net, d.trace)));
  }
  if (!o.gantt.empty()) files.add(o.gantt, gantt_svg(show.net, d.trace));
  if (const Watched* first = first_violation(d); first && !o.violation.empty()) {
    files.add(o.violation, pretty_text(watched_json(show.net, d.trace, {*first}).items[0]));
  }
  const int pictures = o.frames.empty() ? 0 : static_cast<int>(d.recording.frames.size());
  for (int i = 0; i < pictures; ++i) {
    files.add(fmt::format("{}{}.svg", o.frames, i + 1),
              frame_picture(show.scene, model, d.recording, i));
  }
  files.commit();
}

}  // namespace

namespace {

int verdict(const Directed& d, const DirectOptions& o) {
  const std::string& failure = d.recording.summary.failure;
  if (!failure.empty()) fmt::print(stderr, "molejo: {}: {}\n", o.file, failure);
  bool violated = false;
  for (const Watched& w : d.watched) {
    if (!w.is_violated()) continue;
    violated = true;
    fmt::print(stderr, "molejo: {}: {}: {}\n", o.file, w.property.text, watched_text(d.trace, w));
  }
  return failure.empty() && !violated ? success : numeric_failure;
}

}  // namespace

CLI::App* add_direct(CLI::App& app, DirectOptions& o) {
  CLI::App* direct = app.add_subcommand(
      "direct", "Let a net direct a scene: prove the net, play it, record the result");
  direct->add_option("SHOW", o.file, "Directed scene: .show.json")->type_name("");
  direct
      ->add_option(
          "-o,--output", o.outputs,
          "File to write: .glb, .csv, .json, .svg, or .sur for Bacin's frames; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  direct->add_option("--fps", o.fps, "Frames per second, whole or a fraction")->type_name("NUMBER");
  direct
      ->add_option("--duration", o.duration,
                   "Time after which the run ends, if it has not ended before")
      ->type_name("SECONDS");
  direct->add_option("--seed", o.seed, "Seed for choosing among equal transitions")->type_name("N");
  direct->add_option("--events", o.events, "File for the events of the net: .csv or .json")
      ->type_name("FILE");
  direct->add_option("--gantt", o.gantt, "File for a chart of what the net did: .svg")
      ->type_name("FILE");
  direct
      ->add_option("--frames", o.frames,
                   "Write a picture of each frame: PREFIX1.svg, PREFIX2.svg, ...")
      ->type_name("PREFIX");
  direct
      ->add_option("--trace", o.trace,
                   "Play a counterexample from 'net analyse --json' or 'direct --json' instead")
      ->type_name("FILE");
  direct
      ->add_option(
          "--violation", o.violation,
          "File for the steps that led to a violated property, to play with --trace: .json")
      ->type_name("FILE");
  direct->add_flag("--anyway", o.anyway, "Run even if a property fails");
  direct->add_flag("--json", o.json, "Print the report as one JSON object");
  return direct;
}

int direct(const DirectOptions& o) {
  check_outputs(o);
  Show show = load_show(given(o.file));
  const DirectSettings settings = settings_of(o, show);
  warn_of_late_causes(o, settings, show);
  print_warnings(show.warnings);
  const Proof proof = prove(show, o);
  if (!o.json) print_proof(show, proof);
  // what is wrong is told before any frame is drawn
  if (proof.fails && !o.anyway && o.trace.empty()) {
    if (o.json) print_json(show, proof, nullptr);
    fmt::print(stderr, "molejo: {}: a property fails, nothing was written; --anyway runs it\n",
               o.file);
    return numeric_failure;
  }
  const Directed directed = about_file(o.file, [&] { return molejo::direct(show, settings); });
  write_all(show, directed, o);
  if (o.json) {
    print_json(show, proof, &directed);
  } else {
    print_report(show, directed, o);
  }
  return verdict(directed, o);
}

}  // namespace molejo::cli
