// `molejo net run|analyse|draw|convert`: nets without bodies.
#include "apps/cli/net.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "apps/cli/command.h"
#include "apps/cli/given.h"
#include "apps/cli/net_errors.h"
#include "apps/cli/numbers.h"
#include "apps/cli/outputs.h"
#include "molejo/io/file.h"
#include "molejo/io/net_draw.h"
#include "molejo/io/net_file.h"
#include "molejo/io/net_report.h"
#include "molejo/io/net_trace.h"
#include "molejo/io/net_watch.h"
#include "molejo/model/error.h"

namespace molejo::cli {

namespace {

Fraction fraction(const char* option, const std::string& text, const char* unit, Fraction least,
                  Fraction most) {
  const auto value = parse_fraction(text);
  if (value && !(*value < least) && !(most < *value)) return *value;
  throw InputError(fmt::format("{}: '{:.40}': expected {} from {} to {}, like 24 or 30000/1001",
                               option, text, unit, to_string(least), to_string(most)));
}

PlayedTrace play_file(const NetOptions& o, const Net& net) {
  RunSettings settings;
  settings.frame_rate = fraction("--fps", o.fps, "frames per second", Fraction(1, 1000), 100'000);
  settings.seed = o.seed;
  settings.await = false;
  settings.most_firings_at_once = usual_firings_at_once(net);
  const Fraction duration = o.duration.empty()
                                ? Fraction(60)
                                : fraction("--duration", o.duration, "seconds", 0, 1'000'000);
  const auto frames = [&](const Fraction& seconds) {
    return ceil_product(seconds, settings.frame_rate).value_or(INT64_MAX);
  };
  return about_file(o.file, [&] {
    if (!o.trace.empty()) {
      std::vector<TraceStep> steps = load_trace(given(o.trace), net);
      const Fraction end = o.duration.empty() ? std::max(duration, end_of(steps)) : duration;
      return play_trace(net, settings, frames(end), std::move(steps));
    }
    settings.times = times_of(net);
    Monitor monitor(net);
    PlayedTrace played;
    played.trace = play(net, settings, frames(duration), &monitor);
    played.watched.assign(monitor.watched().begin(), monitor.watched().end());
    return played;
  });
}

void print_watched(const PlayedTrace& played) {
  for (const Watched& w : played.watched) {
    fmt::print(stderr, "{}: {}\n", w.property.text, watched_text(played.trace, w));
  }
}

std::string trace_text(const std::string& path, const Net& net, const NetTrace& trace) {
  const std::string kind = ending(path);
  if (kind == ".csv") return trace_csv(net, trace, false);
  return kind == ".json" ? pretty_text(trace_json(net, trace)) : gantt_svg(net, trace);
}

int run_net(const NetOptions& o) {
  for (const std::string& path : o.outputs) check_output(path, {".csv", ".json", ".svg"}, o.file);
  const Net net = load_net(given(o.file));
  const PlayedTrace played = play_file(o, net);
  const NetTrace& trace = played.trace;
  FileSet files;
  for (const std::string& path : o.outputs) files.add(path, trace_text(path, net, trace));
  files.commit();
  if (o.json) {
    JsonValue root = trace_json(net, trace);
    root.add("watched", watched_json(net, trace, played.watched));
    fmt::print("{}", pretty_text(root));
  } else {
    fmt::print("{}", trace_csv(net, trace, true));
    fmt::print(stderr, "{} frames{}\n", trace.frames,
               trace.quiet ? ", then nothing can happen any more" : "");
    print_watched(played);
  }
  if (!played.failure.empty()) fmt::print(stderr, "molejo: {}: {}\n", o.file, played.failure);
  const bool violated = std::any_of(played.watched.begin(), played.watched.end(),
                                    [](const Watched& w) { return w.is_violated(); });
  if (trace.stopped == RunStop::none && !trace.cut) {
    return played.failure.empty() && !violated ? success : numeric_failure;
  }
  fmt::print(stderr, "molejo: {}: stopped in frame {}: {}\n", o.file, trace.frames + 1,
             trace.stopped == RunStop::endless    ? "the firings of one instant never end"
             : trace.stopped == RunStop::overflow ? "more tokens than can be counted"
                                                  : "more events than are kept");
  return numeric_failure;
}

int analyse_net(const NetOptions& o) {
  if (!o.gantt.empty()) check_output(o.gantt, {".svg"}, o.file);
  Net net = load_net(given(o.file));
  if (o.ignore_priorities) {
    for (Transition& t : net.transitions) t.priority = 1;
  }
  AnalysisSettings settings;
  settings.properties = o.properties;
  settings.space.threads = o.threads;
  settings.space.max_states = amount("--max-states", o.max_states, 1000);
  settings.space.max_memory = amount("--max-memory", o.max_memory, 1024);
  settings.timed.max_states = std::min(settings.timed.max_states, settings.space.max_states);
  settings.open.max_states = std::min(settings.open.max_states, settings.space.max_states);
  settings.timed.max_memory = settings.open.max_memory = settings.space.max_memory;
  const Analysis analysis = about_file(o.file, [&] { return analyse(net, settings); });
  if (!o.gantt.empty()) write_file(o.gantt, gantt_svg(net, play_file(o, net).trace));
  if (o.json) {
    fmt::print("{}", pretty_text(analysis_json(net, analysis)));
  } else {
    fmt::print("{}", analysis_text(net, analysis));
  }
  // a property that does not hold is what the command was asked to find
  const bool all_hold =
      std::all_of(analysis.properties.begin(), analysis.properties.end(),
                  [](const PropertyResult& r) { return r.verdict == Verdict::holds; });
  return all_hold ? success : numeric_failure;
}

int draw_net(const NetOptions& o) {
  check_output(o.out, {".svg", ".dot", ".gv"}, o.file);
  const Net net = load_net(given(o.file));
  write_file(o.out, ending(o.out) == ".svg" ? net_svg(net) : net_dot(net));
  return success;
}

CLI::App* add_command(CLI::App& net, NetOptions& o, const char* name, const char* text) {
  CLI::App* command = net.add_subcommand(name, text);
  command->add_option("FILE", o.file, "Net: .pn, .json or .pnml")->type_name("");
  return command;
}

void add_timing(CLI::App& command, NetOptions& o) {
  command.add_option("--fps", o.fps, "Frames per second, whole or a fraction")
      ->capture_default_str()
      ->type_name("NUMBER");
  command
      .add_option("--duration", o.duration,
                  "Time after which the run ends, if it has not ended before")
      ->default_str("60")
      ->type_name("SECONDS");
  command.add_option("--seed", o.seed, "Seed for choosing among equal transitions")
      ->capture_default_str()
      ->type_name("N");
}

}  // namespace

CLI::App* add_net(CLI::App& app, NetOptions& o) {
  CLI::App* net = app.add_subcommand("net", "Petri nets: run, analyse, draw, convert");
  net->require_subcommand(0, 1);
  CLI::App* run = add_command(*net, o, "run", "Play the token game and print the firings");
  add_timing(*run, o);
  run->add_option(
         "-o,--output", o.outputs,
         "File to write: .csv or .json for all events, .svg for a Gantt chart; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  run->add_option(
         "--trace", o.trace,
         "Play the steps of 'net analyse --json', of 'net run --json' or of a list instead")
      ->type_name("FILE");
  run->add_flag("--json", o.json, "Print all events as one JSON object");

  CLI::App* analyse_app =
      add_command(*net, o, "analyse", "Prove what the net can do before it runs");
  analyse_app
      ->add_option("--property", o.properties,
                   "Property that should hold, such as 'never: kick & fall'; may be repeated")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  analyse_app->add_option("--max-states", o.max_states, "Explore at most N markings")
      ->capture_default_str()
      ->type_name("N");
  analyse_app->add_option("--max-memory", o.max_memory, "Memory for the search, besides the net")
      ->capture_default_str()
      ->type_name("BYTES");
  analyse_app->add_option("--threads", o.threads, "Threads to use; 0 uses all")
      ->capture_default_str()
      ->type_name("N")
      ->check(CLI::Range(0, 256));
  analyse_app->add_flag("--ignore-priorities", o.ignore_priorities,
                        "Analyse as if all priorities were equal");
  analyse_app->add_option("--gantt", o.gantt, "File for a chart of the run to come: .svg")
      ->type_name("FILE");
  add_timing(*analyse_app, o);
  analyse_app->add_flag("--json", o.json, "Print the findings as one JSON object");

  CLI::App* draw = add_command(*net, o, "draw", "Draw the net");
  draw->add_option("OUT", o.out, ".svg or .dot")->type_name("");
  CLI::App* convert_app = add_command(*net, o, "convert", "Rewrite a net in another format");
  convert_app->add_option("OUT", o.out, ".pn, .json or .pnml")->type_name("");
  return net;
}

int net_command(const std::string& command, const NetOptions& o) {
  if (o.file.empty()) {
    throw InputError(fmt::format("net {0}: no FILE given; see 'molejo net {0} --help'", command));
  }
  if (command == "run") return run_net(o);
  if (command == "analyse") return analyse_net(o);
  if (o.out.empty()) {
    throw InputError(fmt::format("net {0}: no OUT given; see 'molejo net {0} --help'", command));
  }
  if (command == "draw") return draw_net(o);
  check_output(o.out, {".pn", ".json", ".pnml", ".xml"}, o.file);
  const Net net = load_net(given(o.file));
  save_net(o.out, net);
  print_warnings(lost_in_file(o.out, net));
  return success;
}

}  // namespace molejo::cli
