// The program `molejo`: reads the command line, runs one command, turns errors into exit codes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "apps/cli/character.h"
#include "apps/cli/command.h"
#include "apps/cli/complaint.h"
#include "apps/cli/direct.h"
#include "apps/cli/given.h"
#include "apps/cli/memory.h"
#include "apps/cli/net.h"
#include "apps/cli/numbers.h"
#include "apps/cli/render.h"
#include "apps/cli/stop_signal.h"
#include "apps/cli/studio.h"
#include "apps/cli/track.h"
#include "apps/cli/walk.h"
#include "molejo/live/network.h"
#include "molejo/math/instructions.h"
#include "molejo/model/error.h"
#include "molejo/optimise/mpi.h"

namespace molejo::cli {

namespace {

constexpr Bounds force_scale_bounds{1e-9, 1e12, "newtons per metre"};
constexpr Bounds threads_bounds{0, 1024, "threads"};

// The words that an option takes; numbers stay text until they are checked here.
struct Words {
  std::optional<std::string> duration, fps, time_step, integrator, formulation, force_scale;
  std::string units;
};

template <class Value, class Parse>
std::optional<Value> word(const char* option, const char* kind,
                          const std::optional<std::string>& text, Parse parse,
                          std::initializer_list<Value> all) {
  if (!text) return {};
  if (const std::optional<Value> value = parse(*text)) return value;
  std::vector<std::string> names;
  for (const Value value : all) names.emplace_back(to_string(value));
  throw InputError(fmt::format("{}: {}", option, unknown_word(kind, *text, names)));
}

// Numbers of stabilise and pushes, as they were written.
struct BalanceWords {
  std::optional<std::string> seed, threads, push, generations, modes, directions, phases;
};

CLI::App* add_stabilise(CLI::App& app, StabiliseOptions& options, BalanceWords& words) {
  CLI::App* stabilise =
      app.add_subcommand("stabilise", "Find feedback that keeps a gait running when it is pushed");
  stabilise->add_option("GAIT", options.file, "Gait file: .json")->type_name("");
  stabilise->add_option("-o,--output", options.output, "Gait file to write: .json")
      ->type_name("FILE");
  stabilise->add_option("--seed", words.seed, "Seed of the search (default: 1)")->type_name("N");
  stabilise->add_option("--threads", words.threads, "Threads to use (default: all)")
      ->type_name("N");
  stabilise->add_option("--push", words.push, "Push to survive, N s/kg (default: 0.6)")
      ->type_name("NUMBER");
  stabilise
      ->add_option("--generations", words.generations, "Generations of the search (default: 20)")
      ->type_name("N");
  stabilise
      ->add_option(
          "--modes", words.modes,
          "Number of the lowest modes of each palette that the feedback may also use (default: 12)")
      ->type_name("N");
  stabilise->add_flag("--json", options.json, "Print the result as one JSON object");
  return stabilise;
}

CLI::App* add_pushes(CLI::App& app, PushesOptions& options, BalanceWords& words) {
  CLI::App* pushes = app.add_subcommand(
      "pushes", "Measure the largest push that a gait survives, by direction and phase");
  pushes->add_option("GAIT", options.file, "Gait file: .json")->type_name("");
  pushes->add_option("-o,--output", options.output, "File to write: .svg or .json")
      ->type_name("FILE");
  pushes->add_option("--directions", words.directions, "Directions to push in (default: 8)")
      ->type_name("N");
  pushes->add_option("--phases", words.phases, "Phases of a step to push at (default: 4)")
      ->type_name("N");
  pushes->add_option("--threads", words.threads, "Threads to use (default: all)")->type_name("N");
  pushes->add_flag("--json", options.json, "Print the table as one JSON object");
  return pushes;
}

void read_words(const BalanceWords& words, StabiliseOptions& options) {
  options.seed =
      static_cast<std::uint64_t>(whole("--seed", words.seed, bounds_of::seed).value_or(1));
  options.threads = static_cast<int>(whole("--threads", words.threads, threads_bounds).value_or(0));
  options.push = number("--push", words.push, {0, 100, "N s/kg"}).value_or(0.6);
  options.generations = static_cast<int>(
      whole("--generations", words.generations, {0, 1e6, "a whole number"}).value_or(20));
  options.modes = static_cast<int>(whole("--modes", words.modes, {0, 1000, "modes"}).value_or(12));
}

void read_words(const BalanceWords& words, PushesOptions& options) {
  options.directions = static_cast<int>(
      whole("--directions", words.directions, {1, 360, "a whole number"}).value_or(8));
  options.phases =
      static_cast<int>(whole("--phases", words.phases, {1, 100, "a whole number"}).value_or(4));
  options.threads = static_cast<int>(whole("--threads", words.threads, threads_bounds).value_or(0));
}

UnitCheck read_units(const std::string& text) {
  const std::string known[] = {"usual", "strict"};
  if (text.empty()) return UnitCheck::off;
  if (text == known[0]) return UnitCheck::usual;
  if (text == known[1]) return UnitCheck::strict;
  throw InputError("--units: " + unknown_word("check", text, known));
}

void add_units(CLI::App& command, std::string& text) {
  // a flag, so that it never takes the file that follows as its value
  command.add_flag(
      "--units{usual}", text,
      "Refuse formulas whose units do not match; --units=strict also refuses plain numbers");
}

void read_words(const Words& words, SimulateOptions& options) {
  using enum Integrator;
  using enum Formulation;
  options.duration = number("--duration", words.duration, bounds_of::duration);
  options.fps = number("--fps", words.fps, bounds_of::fps);
  options.time_step = number("--time-step", words.time_step, bounds_of::time_step);
  options.force_scale = number("--force-scale", words.force_scale, force_scale_bounds);
  options.integrator = word("--integrator", "integrator", words.integrator, parse_integrator,
                            {semi_implicit_euler, midpoint, rk4, rkf45});
  options.formulation = word("--formulation", "formulation", words.formulation, parse_formulation,
                             {reduced, maximal});
}

CLI::App* add_simulate(CLI::App& app, SimulateOptions& options, Words& words) {
  CLI::App* simulate = app.add_subcommand("simulate", "Simulate a scene and write what happened");
  simulate
      ->add_option("SCENE", options.scene,
                   "Scene: .json, Bacin's .cfg, ANIMADO's .dat, .urdf or MJCF .xml")
      ->type_name("");
  simulate
      ->add_option(
          "-o,--output", options.outputs,
          "File to write: .glb, .csv, .json, .svg, .sur for Bacin's frames, or a folder for the "
          "tables of ANIMADO's actors; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  simulate->add_option("--duration", words.duration, "Simulated time (default: the scene's)")
      ->type_name("SECONDS");
  simulate->add_option("--fps", words.fps, "Frames per second (default: the scene's)")
      ->type_name("NUMBER");
  simulate->add_option("--time-step", words.time_step, "Time step of the integrator")
      ->type_name("SECONDS");
  simulate
      ->add_option("--integrator", words.integrator, "semi_implicit_euler, midpoint, rk4 or rkf45")
      ->type_name("NAME");
  simulate->add_option("--formulation", words.formulation, "reduced or maximal")->type_name("NAME");
  simulate
      ->add_option("--contacts", options.contacts,
                   "File for the begin, persist and end events of each contact: .csv or .json")
      ->type_name("FILE");
  simulate->add_flag("--forces", options.forces, "Draw contact forces as arrows in .glb and .svg");
  simulate
      ->add_option("--force-scale", words.force_scale,
                   "Force that an arrow of one metre stands for; implies --forces")
      ->type_name("NEWTONS");
  simulate->add_option("--set", options.settings, "Set a variable; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  simulate
      ->add_option("--command", options.command,
                   "Table of forces, motor targets and wrenches over time: .csv")
      ->type_name("FILE");
  add_units(*simulate, words.units);
  simulate->add_flag("--json", options.json, "Print the summary as one JSON object");
  simulate->add_flag("--watch", options.watch,
                     "Restart when the file is saved; carry on if only formulas have changed");
  return simulate;
}

CLI::App* add_modes(CLI::App& app, ModesOptions& options, std::optional<std::string>& stiffness) {
  CLI::App* modes = app.add_subcommand("modes", "Describe the natural vibrations of a character");
  modes->add_option("CHARACTER", options.file, "Any scene that simulate reads")->type_name("");
  modes->add_option("--phase", options.phase, "air, or ground, where the toe of one foot is fixed")
      ->capture_default_str()
      ->type_name("NAME");
  modes->add_option("--foot", options.foot, "Body of the standing foot (default: the first)")
      ->type_name("BODY");
  modes
      ->add_option("--fix", options.fixed,
                   "Another fixed point, BODY or BODY:x,y,z; may be repeated")
      ->type_name("POINT")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  modes
      ->add_option(
          "--pose", options.pose,
          "Turn a joint from its pose in the file, JOINT=x,y,z in degrees; its mirror image "
          "turns too; may be repeated")
      ->type_name("TURN")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  modes
      ->add_option("--stiffness", stiffness,
                   "Stiffness of all joints, N m/rad; their damping is 0.1 s times that")
      ->type_name("NUMBER");
  modes->add_flag("--gravity", options.gravity, "Include the effect of weight on the stiffness");
  modes->add_option("-o,--output", options.output, "File to write, with a clip of each mode: .glb")
      ->type_name("FILE");
  modes->add_flag("--json", options.json, "Print the modes as one JSON object");
  return modes;
}

struct TrainWords {
  std::optional<std::string> seed, evaluations, threads;
};

CLI::App* add_train(CLI::App& app, TrainOptions& options, TrainWords& words) {
  CLI::App* train = app.add_subcommand("train",
                                       "Search for a gait that fits a motion; can be "
                                       "interrupted and resumed");
  train->add_option("MOTION", options.motion, "Motion file: .json")->type_name("");
  train
      ->add_option("-o,--output", options.output,
                   "Gait file to write, .json (default: NAME.gait.json for NAME.motion.json)")
      ->type_name("FILE");
  train
      ->add_option("--seed", words.seed,
                   "Seed of the search; another seed gives another gait (default: 1)")
      ->type_name("N");
  train
      ->add_option("--evaluations", words.evaluations,
                   "Run at most N simulations (default: the number in the file)")
      ->type_name("N");
  train
      ->add_option("--threads", words.threads,
                   "Threads to use (default: all; under mpirun, one per rank)")
      ->type_name("N");
  train->add_flag("--resume", options.resume, "Resume the search that was saved in FILE.part");
  train->add_flag("--json", options.json,
                  "Print the result as one JSON object, and progress as lines of JSON on stderr");
  return train;
}

struct GaitWords {
  std::optional<std::string> seconds, fps, force_scale;
};

CLI::App* add_gait(CLI::App& app, GaitOptions& options, GaitWords& words) {
  CLI::App* gait = app.add_subcommand("gait", "Replay and check a gait, and report how good it is");
  gait->add_option("GAIT", options.file, "Gait file: .json")->type_name("");
  gait->add_option(
          "-o,--output", options.outputs,
          "File to write: .glb, .csv, .json, .svg, or .sur for Bacin's frames; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  gait->add_option("--seconds", words.seconds, "Simulated time (default: 5)")->type_name("SECONDS");
  gait->add_option("--fps", words.fps, "Frames per second (default: 60)")->type_name("NUMBER");
  gait->add_flag("--reset", options.reset, "Reset the state at the end of each cycle");
  gait->add_flag("--open-loop", options.open_loop, "Ignore the feedback in the file");
  gait->add_option(
          "--push", options.pushes,
          "Push the torso with a force, DEGREES to the left of forward (default: at 1 s, for "
          "0.2 s); may be repeated")
      ->type_name("NEWTONS@DEGREES[:START[:DURATION]]")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  gait->add_flag("--forces", options.forces, "Draw ground forces as arrows in .glb and .svg");
  gait->add_option("--force-scale", words.force_scale,
                   "Force that an arrow of one metre stands for; implies --forces")
      ->type_name("NEWTONS");
  gait->add_flag("--json", options.json, "Print the report as one JSON object");
  return gait;
}

CLI::App* add_sketch(CLI::App& app, SketchOptions& options, std::optional<std::string>& seconds) {
  CLI::App* sketch =
      app.add_subcommand("sketch", "Preview a motion, without gravity or ground, before training");
  sketch->add_option("MOTION", options.motion, "Motion file: .json")->type_name("");
  sketch->add_option("-o,--output", options.output, "File to write: .glb, .csv, .json or .svg")
      ->type_name("FILE");
  sketch->add_option("--seconds", seconds, "Simulated time (default: 4)")->type_name("SECONDS");
  sketch->add_flag("--json", options.json, "Print the report as one JSON object");
  return sketch;
}

// The first option that nothing took, and the nearest that something would have.
void refuse_unknown_options(const std::vector<std::string>& left, const CLI::App& command) {
  for (const std::string& text : left) {
    const bool is_number = text.size() > 1 && text[1] >= '0' && text[1] <= '9';
    if (text == "--" || !text.starts_with('-') || is_number) continue;
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
      for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    throw InputError(unknown_word("option", text.substr(0, text.find('=')), names));
  }
}

// The first word that nothing took, likewise.
void refuse_leftovers(const CLI::App& app, const CLI::App* command) {
  const std::vector<std::string> left = app.remaining(true);
  refuse_unknown_options(left, command ? *command : app);
  for (const std::string& text : left) {
    if (text == "--") continue;
    if (command) throw InputError(fmt::format("unexpected word '{:.64}'", text));
    std::vector<std::string> names;
    for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
    throw InputError(unknown_word("command", text, names));
  }
}

// The words that nothing took, as they were written: a list of the parser's own would take "[]" for
// no word at all, and "[1,2]" for two.
std::vector<std::string> plain_words(const CLI::App& app, const CLI::App& command) {
  std::vector<std::string> words = app.remaining(true);
  refuse_unknown_options(words, command);
  std::erase(words, "--");
  return words;
}

void require(const std::string& value, const char* command, const char* what) {
  if (value.empty()) {
    throw InputError(fmt::format("{0}: no {1} given; see 'molejo {0} --help'", command, what));
  }
}

int run(int argc, char** argv) {
  CLI::App app{"Molejo: a scene file goes in, a physically sound animation comes out.", "molejo"};
  app.set_version_flag("--version", "molejo " MOLEJO_VERSION);
  app.require_subcommand(0, 1);
  app.footer(
      "Exit codes: 0 done, 1 the run stopped early, 2 bad input, 3 internal error.\n"
      "MOLEJO_INSTRUCTIONS=baseline in the environment: without AVX2, which changes no result.\n");
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::Throw);

  SimulateOptions simulate_options;
  Words words;
  CLI::App* simulate_app = add_simulate(app, simulate_options, words);

  CheckOptions check_options;
  CLI::App* check_app =
      app.add_subcommand("check", "Validate a file of any kind and say what it holds");
  check_app->add_option("FILE", check_options.file, "Any file that Molejo reads")->type_name("");
  check_app->add_flag("--names", check_options.names, "List what formulas may use, with units");
  std::string check_units_word;
  add_units(*check_app, check_units_word);
  check_app->add_flag("--json", check_options.json, "Print the findings as one JSON object");

  ConvertOptions convert_options;
  CLI::App* convert_app = app.add_subcommand("convert", "Rewrite a scene in another format");
  convert_app->add_option("IN", convert_options.in, "Any scene that simulate reads")->type_name("");
  convert_app->add_option("OUT", convert_options.out, ".json, or .cfg for Bacin's files")
      ->type_name("");

  ModesOptions modes_options;
  std::optional<std::string> stiffness_word;
  CLI::App* modes_app = add_modes(app, modes_options, stiffness_word);

  SketchOptions sketch_options;
  std::optional<std::string> sketch_seconds;
  CLI::App* sketch_app = add_sketch(app, sketch_options, sketch_seconds);

  TrainOptions train_options;
  TrainWords train_words;
  CLI::App* train_app = add_train(app, train_options, train_words);

  GaitOptions gait_options;
  GaitWords gait_words;
  CLI::App* gait_app = add_gait(app, gait_options, gait_words);

  BalanceWords balance_words;
  StabiliseOptions stabilise_options;
  CLI::App* stabilise_app = add_stabilise(app, stabilise_options, balance_words);
  PushesOptions pushes_options;
  CLI::App* pushes_app = add_pushes(app, pushes_options, balance_words);

  GalleryOptions gallery_options;
  CLI::App* gallery_app =
      app.add_subcommand("gallery", "Play every file in a folder and show them all on one page");
  gallery_app
      ->add_option("SCENES", gallery_options.scenes, "Folder of scenes, gaits, nets and walks")
      ->capture_default_str()
      ->type_name("");
  gallery_app->add_option("OUT", gallery_options.out, "Folder to write")
      ->capture_default_str()
      ->type_name("");

  ServeOptions serve_options;
  CLI::App* serve_app =
      app.add_subcommand("serve", "Run a scene live; clients watch and change it over a WebSocket");
  serve_app->add_option("SCENE", serve_options.scene, "Any scene that simulate reads")
      ->type_name("");
  serve_app->add_option("--port", serve_options.port, "Port to listen on; 0 takes any free one")
      ->capture_default_str()
      ->type_name("N");
  serve_app
      ->add_option("--address", serve_options.address,
                   "Address to listen on; any other than loopback lets other machines connect")
      ->capture_default_str()
      ->type_name("ADDRESS");
  serve_app
      ->add_option("--token-file", serve_options.token_file,
                   "File that holds the token (default: $MOLEJO_TOKEN, or a random one)")
      ->type_name("FILE");
  serve_app
      ->add_option("--origin", serve_options.origins,
                   "Origin whose pages may connect besides those of this machine, such as "
                   "https://a.org; may be "
                   "repeated")
      ->type_name("ORIGIN")
      ->allow_extra_args(false);
  serve_app
      ->add_option("--folder", serve_options.folder,
                   "Folder of scenes that clients may load (default: that of SCENE)")
      ->type_name("FOLDER");
  serve_app->add_flag("--paused", serve_options.paused, "Start paused, until a client sends play");

  RenderOptions render_options;
  CLI::App* render_app = add_render(app, render_options);
  StudioOptions studio_options;
  CLI::App* studio_app = add_studio(app, studio_options);

  SendOptions send_options;
  CLI::App* send_app = app.add_subcommand("send", "Send messages to a live run from the shell");
  send_app
      ->add_option("URL", send_options.url,
                   "Address such as ws://127.0.0.1:8420/live, or a port on this machine")
      ->type_name("");
  // for the help only; see plain_words
  send_app
      ->add_option("MESSAGES", send_options.messages,
                   "Messages in JSON, or plain commands such as play")
      ->type_name("")
      ->expected(0, CLI::detail::expected_max_vector_size)
      ->allow_extra_args(false);
  send_app
      ->add_option("--token-file", send_options.token_file,
                   "File that holds the token of the server; not needed for your own servers on "
                   "this machine")
      ->type_name("FILE");
  send_app->add_option("--frames", send_options.frames, "Print N frames after the answers")
      ->type_name("N");

  DirectOptions direct_options;
  CLI::App* direct_app = add_direct(app, direct_options);
  CharacterOptions character_options;
  CLI::App* character_app = add_character(app, character_options);
  WalkOptions walk_options;
  CLI::App* walk_app = add_walk(app, walk_options);
  TrackOptions track_options;
  CLI::App* track_app = add_track(app, track_options);

  NetOptions net_options;
  CLI::App* net_app = add_net(app, net_options);

  // `net analyse` counts what it searches itself
  std::string memory_word = usual_memory;
  std::vector<CLI::App*> limited = app.get_subcommands({});
  for (CLI::App* sub : net_app->get_subcommands({})) limited.push_back(sub);
  for (CLI::App* sub : limited) {
    if (sub == net_app || sub == send_app || sub->get_name() == "analyse") continue;
    sub->add_option("--max-memory", memory_word,
                    "Memory that the command may use, such as 500M or 4G")
        ->capture_default_str()
        ->type_name("BYTES");
  }

  // what is unknown or missing is told below, with better words than the parser's
  app.allow_extras();
  for (CLI::App* sub : app.get_subcommands({})) {
    sub->allow_extras()->group("Commands");
    if (sub != send_app && sub != net_app) add_roots(*sub);
  }
  for (CLI::App* sub : net_app->get_subcommands({})) sub->allow_extras()->group("Commands");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {
    return app.exit(request);  // --help, --version
  } catch (const CLI::ParseError& error) {
    const std::string text = error.what();
    throw InputError(text.substr(0, text.find('\n')));
  }

  const std::vector<CLI::App*> given = app.get_subcommands();
  const CLI::App* command = given.empty() ? nullptr : given.front();
  if (command == net_app) {
    const std::vector<CLI::App*> inner = net_app->get_subcommands();
    refuse_leftovers(inner.empty() ? *net_app : app, inner.empty() ? nullptr : inner.front());
    if (inner.empty()) throw InputError("net: no command given: run, analyse, draw or convert");
    const std::string name = inner.front()->get_name();
    std::optional<MemoryLimit> memory;
    if (name != "analyse") memory.emplace(read_memory(memory_word));
    return net_command(name, net_options);
  }
  if (command == send_app) {
    send_options.messages = plain_words(app, *send_app);
  } else {
    refuse_leftovers(app, command);
  }
  const MemoryLimit memory(read_memory(memory_word));
  if (command == simulate_app) {
    require(simulate_options.scene, "simulate", "SCENE");
    read_words(words, simulate_options);
    simulate_options.units = read_units(words.units);
    return simulate(simulate_options);
  }
  if (command == check_app) {
    require(check_options.file, "check", "FILE");
    check_options.units = read_units(check_units_word);
    return check(check_options);
  }
  if (command == convert_app) {
    require(convert_options.in, "convert", "IN");
    require(convert_options.out, "convert", "OUT");
    return convert(convert_options);
  }
  if (command == modes_app) {
    require(modes_options.file, "modes", "CHARACTER");
    modes_options.stiffness = number("--stiffness", stiffness_word, bounds_of::stiffness);
    return modes(modes_options);
  }
  if (command == sketch_app) {
    require(sketch_options.motion, "sketch", "MOTION");
    const auto seconds = number("--seconds", sketch_seconds, bounds_of::gait_seconds);
    sketch_options.seconds = seconds.value_or(sketch_options.seconds);
    return sketch(sketch_options);
  }
  if (command == train_app) {
    require(train_options.motion, "train", "MOTION");
    if (const auto seed = whole("--seed", train_words.seed, bounds_of::seed)) {
      train_options.seed = static_cast<std::uint64_t>(*seed);
    }
    train_options.evaluations =
        whole("--evaluations", train_words.evaluations, bounds_of::evaluations);
    const auto threads = whole("--threads", train_words.threads, threads_bounds);
    train_options.threads = static_cast<int>(threads.value_or(0));
    return train(train_options);
  }
  if (command == gait_app) {
    require(gait_options.file, "gait", "GAIT");
    const auto seconds = number("--seconds", gait_words.seconds, bounds_of::gait_seconds);
    gait_options.seconds = seconds.value_or(gait_options.seconds);
    gait_options.fps = number("--fps", gait_words.fps, bounds_of::fps).value_or(gait_options.fps);
    gait_options.force_scale = number("--force-scale", gait_words.force_scale, force_scale_bounds);
    return gait(gait_options);
  }
  if (command == stabilise_app) {
    require(stabilise_options.file, "stabilise", "GAIT");
    require(stabilise_options.output, "stabilise", "--output FILE");
    read_words(balance_words, stabilise_options);
    return stabilise(stabilise_options);
  }
  if (command == pushes_app) {
    require(pushes_options.file, "pushes", "GAIT");
    read_words(balance_words, pushes_options);
    return pushes(pushes_options);
  }
  if (command == character_app) {
    require(character_options.file, "character", "FILE");
    return character(character_options);
  }
  if (command == walk_app) {
    require(walk_options.file, "walk", "FILE");
    return walk(walk_options);
  }
  if (command == track_app) {
    require(track_options.clips.empty() ? "" : track_options.clips.front(), "track", "CLIP");
    return track(track_options);
  }
  if (command == gallery_app) return gallery(gallery_options);
  if (command == serve_app) {
    require(serve_options.scene, "serve", "SCENE");
    return serve(serve_options);
  }
  if (command == render_app) {
    require(render_options.file, "render", "FILE");
    return render(render_options);
  }
  if (command == studio_app) return studio(studio_options);
  if (command == direct_app) {
    require(direct_options.file, "direct", "SHOW");
    return direct(direct_options);
  }
  if (command == send_app) {
    require(send_options.url, "send", "URL");
    if (send_options.messages.empty() && send_options.frames == 0) {
      throw InputError("send: no MESSAGE given; see 'molejo send --help'");
    }
    return send(send_options);
  }
  throw InputError(
      "no command given: simulate, check, convert, modes, sketch, train, gait, stabilise, pushes, "
      "gallery, studio, render, serve, send, direct, character, walk, track or net; see 'molejo "
      "--help'");
}

}  // namespace

}  // namespace molejo::cli

int main(int argc, char** argv) {
  using namespace molejo::cli;
  std::set_terminate(end_where_nothing_is_caught);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error of the write
  try {
    // mpirun has its own way to end its ranks
    if (!molejo::launched_by_mpirun()) heed_stop_signals();
    const molejo::InterruptScope scope(stop_signal());
    if (const std::string trouble = molejo::instructions_trouble(); !trouble.empty()) {
      return complain(bad_input, trouble.c_str());
    }
    const int code = run(argc, argv);
    if (std::fflush(stdout) == 0) return code;
    return complain(internal_error, "standard output cannot be written");
  } catch (...) {
    return complain_about_what_was_caught();
  }
}
