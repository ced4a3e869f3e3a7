// molejo train: from a motion to a gait, interrupted as often as one likes.
#include "molejo/locomotion/train.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "apps/cli/command.h"
#include "apps/cli/given.h"
#include "apps/cli/outputs.h"
#include "apps/cli/rows.h"
#include "apps/cli/stop_signal.h"
#include "molejo/io/file.h"
#include "molejo/io/json_library.h"
#include "molejo/io/motion.h"
#include "molejo/io/training_state.h"
#include "molejo/locomotion/replay.h"
#include "molejo/math/clock.h"
#include "molejo/math/parallel.h"
#include "molejo/model/error.h"
#include "molejo/optimise/mpi.h"

namespace molejo::cli {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

// "run.gait.json" of "a/run.motion.json", in the folder where we are.
std::string default_output(const std::string& motion) {
  std::string name = fs::path(motion).filename().string();
  for (const std::string_view end : {".json", ".motion"}) {
    if (name.size() > end.size() && name.ends_with(end)) name.resize(name.size() - end.size());
  }
  return name + ".gait.json";
}

// What all ranks need; the problem refers to the character.
struct Task {
  explicit Task(MotionFile motion)
      : file(std::move(motion)),
        character(make_character(file.scene, file.motion.figure)),
        problem(character, file.motion) {}
  Task(const Task&) = delete;

  MotionFile file;
  Character character;
  GaitProblem problem;
};

// From the text that a gait file will hold, so that what is trained is what is replayed.
std::unique_ptr<Task> make_task(const std::string& text, const std::string& name) {
  try {
    auto task = std::make_unique<Task>(parse_motion(text, name));
    if (task->problem.size() > max_unknowns) {
      throw InputError(fmt::format("{} unknowns, expected {} at most: fewer joints or modes",
                                   task->problem.size(), max_unknowns));
    }
    return task;
  } catch (const InputError& error) {
    const std::string message = error.what();
    throw InputError(message.starts_with(name) ? message : name + ": " + message);
  }
}

// "restart 0, run 1, generation 240: ..." on one line of a terminal, or a line every few seconds.
class TrainingLine {
 public:
  TrainingLine(bool json, std::int64_t budget, std::int64_t before)
      : json_(json), budget_(budget), before_(before) {}

  void tell(const TrainingProgress& p) {
    const double gap = terminal_ && !json_ ? 0.2 : 3;
    if (seconds_since(last_) < gap) return;
    last_ = Clock::now();
    const double wall = seconds_since(start_);
    const double rate = wall > 0 ? static_cast<double>(p.evaluations - before_) / wall : 0;
    const double left = rate > 0 ? static_cast<double>(budget_ - p.evaluations) / rate : 0;
    if (json_) {
      const Json line{{"restart", p.restart},
                      {"run", p.run},
                      {"generation", p.generation},
                      {"objective", p.objective},
                      {"easy", p.easy},
                      {"cyclic_error", p.ratio},
                      {"evaluations", p.evaluations},
                      {"evaluations_per_second", rate},
                      {"seconds_left", left}};
      fmt::print(stderr, "{}\n", line.dump());
      return;
    }
    const std::string text = fmt::format(
        "restart {}, run {}, generation {}: best {:.4g}, easy constraints {:.3g}, cyclic error "
        "{:.3g} tolerances, {} evaluations, {:.0f}/s, at most {:.0f} s left",
        p.restart, p.run, p.generation, p.objective, p.easy, p.ratio, p.evaluations, rate, left);
    if (terminal_) {
      fmt::print(stderr, "\r\x1b[K  {}", text);
      shown_ = true;
    } else {
      fmt::print(stderr, "{}\n", text);
    }
    std::fflush(stderr);
  }
  // What keeps the search from being saved, once until it is saved again.
  void tell_trouble(const std::string& trouble) {
    if (!trouble.empty() && trouble_.empty()) {
      clear();
      const std::string text = trouble + "; the training goes on, and tries again";
      if (json_) {
        fmt::print(stderr, "{}\n", Json{{"warning", text}}.dump());
      } else {
        print_warnings({text});
      }
    }
    trouble_ = trouble;
  }
  void clear() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
    shown_ = false;
  }

 private:
  bool json_;
  std::int64_t budget_, before_;
  bool terminal_ = ::isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
  std::string trouble_;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

// Where the search begins, and where it is saved.
struct Start {
  Start(const TrainOptions& options, const Task& task, const std::string& output)
      : checkpoint(output), resumed(options.resume && checkpoint.exists()) {
    const std::uint64_t motion = hash(task.file);
    if (!resumed && checkpoint.exists()) {
      throw InputError(fmt::format(
          "{}: holds an earlier search for this gait; continue it with --resume, or delete the "
          "file to start over",
          checkpoint.path()));
    }
    if (!resumed) {
      saved.motion = motion;
      saved.state.seed = options.seed.value_or(1);
      return;
    }
    saved = checkpoint.load(task.problem, motion);
    const std::uint64_t seed = saved.state.seed;
    if (options.seed && *options.seed != seed) {
      throw InputError(fmt::format("{}: was begun with --seed {}, not {}; train it anew",
                                   checkpoint.path(), seed, *options.seed));
    }
  }

  Checkpoint checkpoint;
  bool resumed;
  SavedTraining saved;
};

GaitFile found_gait(const Task& task, const SavedTraining& saved, const Training& training,
                    const std::vector<double>& unknowns, bool valid) {
  GaitFile gait;
  gait.motion = task.file;
  gait.unknowns = unknowns;
  gait.seed = saved.state.seed;
  gait.evaluations = training.evaluations();
  gait.restarts = saved.state.restart;
  gait.seconds = saved.seconds;
  gait.valid = valid;
  return gait;
}

void report(const TrainOptions& options, const std::string& output, const GaitFile& gait,
            const GaitCheck& check, bool resumed, bool written) {
  const RolloutResult& r = check.result;
  if (options.json) {
    const Json object{{"motion", options.motion},
                      {"output", output},
                      {"written", written},
                      {"valid", gait.valid},
                      {"seed", gait.seed},
                      {"resumed", resumed},
                      {"restarts", gait.restarts},
                      {"evaluations", gait.evaluations},
                      {"seconds", gait.seconds},
                      {"objective", check.objective},
                      {"easy_holds", check.easy_holds()},
                      {"cyclic_error", check.cyclic_error},
                      {"speed", r.mean_velocity.x},
                      {"energy", r.energy},
                      {"peak_force", r.peak_force}};
    fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
    return;
  }
  const std::string& name = gait.motion.motion.name;
  fmt::print(
      "{}: {}\n", name.empty() ? options.motion : name,
      gait.valid ? "a gait that keeps all constraints" : "no gait found; this is the nearest");
  print_row("seed", fmt::format("{}, {} restarts", gait.seed, gait.restarts));
  print_row("evaluations", fmt::format("{} in {:.1f} s", gait.evaluations, gait.seconds));
  print_row("cyclic error",
            fmt::format("{:.3g} tolerances, most in {}", check.cyclic_error, check.worst));
  for (int i = 0; i < easy_terms; ++i) {
    const double term = r.terms[static_cast<std::size_t>(i)];
    if (term > 0) {
      print_row("broken", fmt::format("{} by {:.3g}", to_string(static_cast<EasyTerm>(i)), term));
    }
  }
  if (check.others > 0) print_row("broken", "other modes outweigh the priority ones");
  print_row("speed", fmt::format("{:.3g} m/s", r.mean_velocity.x));
  print_row("peak ground force", fmt::format("{:.3g} body weights", r.peak_force));
  if (written) {
    print_row("wrote", output);
  } else {
    print_row("kept", output + ": it holds a valid gait; -o FILE puts what is not valid elsewhere");
  }
  if (!gait.valid) print_row("to go on", "--resume with a larger --evaluations");
}

// The gait, or where the search can go on when there is no room for the gait. False: a valid gait
// that was there is better, and was kept.
bool save_result(const std::string& output, const GaitFile& gait, const Checkpoint& checkpoint) {
  try {
    return save_found(output, gait);
  } catch (const InputError& error) {
    if (!checkpoint.exists()) throw;
    throw InputError(
        fmt::format("{}; --resume finds it again from {}", error.what(), checkpoint.path()));
  }
}

// The leader's part: rank 0, or the only process.
int lead(const TrainOptions& options, const std::string& output, const Task& task,
         Evaluator& evaluator, Start& start) {
  SavedTraining& saved = start.saved;
  const double seconds_before = saved.seconds;
  const std::int64_t evaluations_before = saved.state.evaluations;
  const Clock::time_point begun = Clock::now();

  Training training(task.problem, evaluator, saved.state);
  if (!start.resumed) {
    check_evaluations(task.problem, training,
                      options.evaluations ? "--evaluations" : options.motion);
  }
  TrainingLine line(options.json, task.file.motion.training.evaluations, evaluations_before);
  Clock::time_point last;
  double until_next = 0;  // s
  const auto save = [&] {
    const Clock::time_point start_of_save = Clock::now();
    saved.state = training.state();
    saved.seconds = seconds_before + seconds_since(begun);
    line.tell_trouble(start.checkpoint.save(saved));
    // often, but for a fiftieth of the time at most
    last = Clock::now();
    until_next = std::clamp(50 * seconds_since(start_of_save), 0.25, 5.0);
  };
  save();
  try {
    while (!stop_signal().is_cancelled() && training.advance()) {
      line.tell(training.progress());
      if (seconds_since(last) > until_next) save();
    }
    save();
  } catch (const Interrupted&) {
    if (!stop_signal().is_cancelled()) throw;
    // in the middle of a generation: the last one that was saved counts
  }
  line.clear();
  if (stop_signal().is_cancelled()) {
    fmt::print(stderr, "molejo: interrupted; --resume goes on from {}\n", start.checkpoint.path());
    return not_found;
  }

  const std::vector<double> unknowns = training.solution();
  const GaitCheck check = check_gait(task.problem, unknowns);
  const GaitFile gait =
      found_gait(task, saved, training, unknowns, training.is_valid() && check.valid());
  const bool written = save_result(output, gait, start.checkpoint);
  // what was not found can be searched for longer
  if (gait.valid) start.checkpoint.remove();
  report(options, output, gait, check, start.resumed, written);
  return gait.valid ? success : not_found;
}

std::string prepared_text(const TrainOptions& options, const std::string& output) {
  check_output(output, {".json"}, options.motion);
  MotionFile file = load_motion(given(options.motion));
  if (options.evaluations) file.motion.training.evaluations = *options.evaluations;
  return motion_text(file);
}

int train_over_ranks(const TrainOptions& options, const std::string& output) {
  if (const std::string trouble = mpi_trouble(); !trouble.empty()) {
    // mpirun ends all ranks at the first bad code: that must be the leader's, once it has told
    if (rank_by_mpirun() > 0) return success;
    throw InputError("no MPI: " + trouble);
  }
  MpiSession mpi;
  std::string text;
  std::unique_ptr<Task> task;
  std::optional<Start> start;
  if (mpi.leads()) {
    try {
      text = prepared_text(options, output);
      task = make_task(text, options.motion);
      start.emplace(options, *task, output);
    } catch (const InputError& error) {
      // all ranks leave; the leader tells why
      try {
        mpi.agree(error.what());
      } catch (const std::runtime_error&) {
      }
      throw InputError(error.what());
    }
  }
  try {
    mpi.agree("");
  } catch (const std::runtime_error&) {
    return success;  // likewise
  }
  text = mpi.broadcast(text);
  if (!task) task = make_task(text, options.motion);
  const int threads = options.threads > 0 ? options.threads : 1;
  MpiEvaluator evaluator(mpi, evaluation(task->problem, thread_count(threads)), threads);
  if (!mpi.leads()) return mpi.serve();
  return lead(options, output, *task, evaluator, *start);
}

}  // namespace

int train(const TrainOptions& options) {
  const std::string output =
      options.output.empty() ? default_output(options.motion) : options.output;
  if (launched_by_mpirun()) return train_over_ranks(options, output);
  const auto task = make_task(prepared_text(options, output), options.motion);
  Start start(options, *task, output);
  ThreadEvaluator evaluator(evaluation(task->problem, thread_count(options.threads)),
                            options.threads);
  return lead(options, output, *task, evaluator, start);
}

}  // namespace molejo::cli
