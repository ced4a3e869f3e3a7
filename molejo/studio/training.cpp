#include "molejo/studio/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "molejo/io/training_state.h"
#include "molejo/locomotion/replay.h"
#include "molejo/math/parallel.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double news_interval = 0.1, ghost_interval = 0.4;  // s
constexpr std::size_t most_points = 2000;
constexpr std::size_t most_trainings = 20;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The page and the run that is shown want a part of the machine too.
int training_threads() { return std::max(1, thread_count(0) - 1); }

}  // namespace

// From the text that a gait file will hold, so that what is trained is what is replayed.
struct BackgroundTraining::Task {
  explicit Task(const MotionFile& motion)
      : file(parse_motion(motion_text(motion), "motion")),
        character(make_character(file.scene, file.motion.figure)),
        problem(character, file.motion) {
    if (problem.size() > max_unknowns) {
      throw InputError(fmt::format("{} unknowns, expected {} at most: fewer joints or modes",
                                   problem.size(), max_unknowns));
    }
  }
  MotionFile file;
  Character character;
  GaitProblem problem;
  SavedTraining saved;
};

std::string_view to_string(TrainingPhase phase) {
  constexpr std::string_view names[] = {"running", "cancelled", "found", "not_found", "failed"};
  return names[static_cast<std::size_t>(phase)];
}

BackgroundTraining::BackgroundTraining(const MotionFile& motion, std::string checkpoint,
                                       bool resume, std::function<void()> wake)
    : checkpoint_(std::move(checkpoint)),
      wake_(std::move(wake)),
      task_(std::make_unique<Task>(motion)) {
  hash_ = hash(task_->file);
  if (resume) {
    std::error_code error;
    if (!std::filesystem::exists(checkpoint_, error)) {
      throw InputError("nothing to resume: this motion was not trained, or was changed since");
    }
    task_->saved = load_training(checkpoint_, task_->problem, hash_);
  } else {
    task_->saved.motion = hash_;
  }
  thread_ = std::thread([this] { work(); });
}

BackgroundTraining::~BackgroundTraining() {
  cancel();
  thread_.join();
}

void BackgroundTraining::work() {
  try {
    search();
  } catch (const std::exception& e) {
    TrainingNews last = news();
    last.phase = TrainingPhase::failed;
    last.error = e.what();
    tell(last, false);
  }
}

void BackgroundTraining::search() {
  SavedTraining& saved = task_->saved;
  const int threads = training_threads();
  ThreadEvaluator evaluator(evaluation(task_->problem, thread_count(threads)), threads);
  Training training(task_->problem, evaluator, saved.state);
  const double seconds_before = saved.seconds;
  const auto evaluations_before = saved.state.evaluations;
  const auto budget = task_->file.motion.training.evaluations;
  const Clock::time_point begun = Clock::now();
  Clock::time_point last_save, last_news, last_ghost;
  const auto save = [&] {
    saved.state = training.state();
    saved.seconds = seconds_before + seconds_since(begun);
    save_training(checkpoint_, saved);
    last_save = Clock::now();
  };
  const auto progress = [&] {
    TrainingNews n;
    n.progress = training.progress();
    const double done = static_cast<double>(n.progress.evaluations - evaluations_before);
    n.rate = done / std::max(seconds_since(begun), 1e-9);
    n.left = n.rate > 0 ? static_cast<double>(budget - n.progress.evaluations) / n.rate : 0;
    return n;
  };
  save();
  bool goes_on = true;
  while (!cancelled_ && (goes_on = training.advance())) {
    if (seconds_since(last_ghost) > ghost_interval) {
      show_best(training.solution());
      last_ghost = Clock::now();
    }
    if (seconds_since(last_news) > news_interval) {
      tell(progress(), true);
      last_news = Clock::now();
    }
    if (seconds_since(last_save) > 1) save();
  }
  save();
  const std::vector<double> unknowns = training.solution();
  const GaitCheck check = check_gait(task_->problem, unknowns);
  auto gait = std::make_shared<GaitFile>();
  gait->motion = task_->file;
  gait->unknowns = unknowns;
  gait->seed = saved.state.seed;
  gait->evaluations = saved.state.evaluations;
  gait->restarts = saved.state.restart;
  gait->seconds = saved.seconds;
  gait->valid = training.is_valid() && check.valid();
  show_best(unknowns);
  TrainingNews last = progress();
  last.phase = gait->valid ? TrainingPhase::found
               : goes_on   ? TrainingPhase::cancelled
                           : TrainingPhase::not_found;
  last.left = 0;
  {
    const std::lock_guard lock(mutex_);
    result_ = std::move(gait);
  }
  std::error_code error;
  if (last.phase == TrainingPhase::found) std::filesystem::remove(checkpoint_, error);
  tell(last, true);
}

void BackgroundTraining::tell(const TrainingNews& news, bool point) {
  {
    const std::lock_guard lock(mutex_);
    news_ = news;
    const TrainingProgress& p = news.progress;
    if (point && p.evaluations > 0) {
      curve_.push_back({static_cast<double>(p.evaluations), p.objective, p.ratio, p.easy});
      // every second one tells enough of a long way
      if (curve_.size() > most_points) {
        for (std::size_t i = 0; i < most_points / 2; ++i) curve_[i] = curve_[2 * i];
        curve_.resize(most_points / 2);
      }
    }
  }
  ++version_;
  if (wake_) wake_();
}

// One whole cycle as the thesis plays it, put back to where it began.
void BackgroundTraining::show_best(const std::vector<double>& unknowns) {
  const Character& c = task_->character;
  auto ghost = std::make_shared<TrainingGhost>();
  ghost->period = task_->problem.gait(unknowns.data()).period();
  ReplayOptions options;
  options.seconds = ghost->period;
  options.reset = true;
  const Replay played = replay(task_->problem, unknowns, options);
  if (played.report.fell && played.recording.frames.size() < 4) return;
  const Link& root = c.model.links[static_cast<std::size_t>(c.root.index)];
  for (const Frame& frame : played.recording.frames) {
    if (frame.state.t >= ghost->period || !frame.state.q.allFinite()) break;
    State state = frame.state;
    const Vec3 p{state.q[root.q], state.q[root.q + 1], state.q[root.q + 2]};
    const Vec3 back = c.forward * dot(p, c.forward);
    for (int i = 0; i < 3; ++i) state.q[root.q + i] -= back[i];
    ghost->views.push_back(std::move(state));
  }
  if (ghost->views.empty()) return;
  ghost->period = std::min(ghost->period, ghost->views.back().t + 1 / options.fps);
  const std::lock_guard lock(mutex_);
  ghost_ = std::move(ghost);
}

bool BackgroundTraining::is_running() const { return news().phase == TrainingPhase::running; }

TrainingNews BackgroundTraining::news() const {
  const std::lock_guard lock(mutex_);
  return news_;
}
std::vector<TrainingPoint> BackgroundTraining::curve() const {
  const std::lock_guard lock(mutex_);
  return curve_;
}
std::shared_ptr<const TrainingGhost> BackgroundTraining::ghost() const {
  const std::lock_guard lock(mutex_);
  return ghost_;
}
std::shared_ptr<const GaitFile> BackgroundTraining::result() const {
  const std::lock_guard lock(mutex_);
  return result_;
}

std::shared_ptr<BackgroundTraining> Trainings::of(const std::string& file) const {
  const auto found = all_.find(file);
  return found == all_.end() ? nullptr : found->second;
}

std::shared_ptr<BackgroundTraining> Trainings::begin(const std::string& file,
                                                     const MotionFile& motion,
                                                     const std::string& folder, bool resume,
                                                     std::function<void()> wake) {
  for (const auto& [name, training] : all_) {
    if (training->is_running()) {
      throw InputError(fmt::format("{} is being trained: cancel it first", name));
    }
  }
  while (all_.size() >= most_trainings) all_.erase(all_.begin());
  const std::string checkpoint = fmt::format("{}/{:016x}.part", folder, hash(motion));
  auto training = std::make_shared<BackgroundTraining>(motion, checkpoint, resume, std::move(wake));
  all_[file] = training;
  return training;
}

}  // namespace molejo
