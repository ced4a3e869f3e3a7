#include "molejo/studio/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "molejo/io/file.h"
#include "molejo/locomotion/replay.h"
#include "molejo/math/clock.h"
#include "molejo/math/parallel.h"
#include "molejo/model/error.h"
#include "molejo/studio/bench.h"
#include "molejo/studio/gait_worth.h"

namespace molejo {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double news_interval = 0.1, ghost_interval = 0.4;  // s
constexpr std::size_t most_points = 2000;
constexpr std::size_t most_trainings = 20;
constexpr auto training_patience = std::chrono::milliseconds(300);  // for the end of one

// The page and the run that is shown want a part of the machine too.
int training_threads() { return std::max(1, thread_count(0) - 1); }

}  // namespace

TrainingFiles::TrainingFiles(const std::string& folder, const std::string& stem,
                             std::uint64_t hash) {
  const std::string begin = fmt::format("{}/{:016x}/{}", folder, hash, stem);
  motion = begin + ".motion.json", gait = begin + ".gait.json", checkpoint = gait + ".part";
}

bool TrainingFiles::exist() const {
  std::error_code error;
  return fs::exists(checkpoint, error) || fs::exists(gait, error);
}

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

BackgroundTraining::BackgroundTraining(const MotionFile& motion, TrainingFiles files,
                                       TrainingStart start, std::function<void()> wake)
    : files_(std::move(files)), wake_(std::move(wake)), task_(std::make_unique<Task>(motion)) {
  const std::uint64_t own = hash(task_->file);
  std::error_code error;
  fs::create_directories(fs::path(files_.motion).parent_path(), error);
  checkpoint_.emplace(files_.gait);
  const bool has_checkpoint = checkpoint_->exists();
  if (start == TrainingStart::anew) {
    task_->saved.motion = own;
    write_file(files_.motion, motion_text(task_->file));
  } else if (has_checkpoint) {
    task_->saved = checkpoint_->load(task_->problem, own);
    if (start == TrainingStart::resume && task_->saved.state.over) {
      // all that was allowed is spent: as much again
      MotionFile longer = task_->file;
      longer.motion.training.evaluations += task_->saved.state.evaluations;
      SavedTraining saved = std::move(task_->saved);
      task_ = std::make_unique<Task>(longer);
      task_->saved = std::move(saved);
    }
  } else if (start == TrainingStart::resume) {
    throw InputError("nothing to resume: this motion was not trained, or was changed since");
  }
  if (start == TrainingStart::recall) {
    cancel();
    news_.phase = TrainingPhase::cancelled;
  }
  const bool searches = start != TrainingStart::recall || has_checkpoint;
  thread_ = std::thread([this, searches] { work(searches); });
}

BackgroundTraining::~BackgroundTraining() { end(); }

void BackgroundTraining::end() {
  cancel();
  {
    std::unique_lock lock(mutex_);
    ended_.wait_for(lock, training_patience, [this] { return over_; });
  }
  working_.cancel();
  if (thread_.joinable()) thread_.join();
}

const MotionFile& BackgroundTraining::motion() const { return task_->file; }

void BackgroundTraining::work(bool searches) {
  try {
    const InterruptScope scope(working_);
    searches ? search() : recall_gait();
  } catch (const std::exception& e) {
    checkpoint_.reset();
    TrainingNews last = news();
    last.phase = TrainingPhase::failed;
    last.error = e.what();
    tell(last, false);
  }
  const std::lock_guard lock(mutex_);
  over_ = true;
  ended_.notify_all();
}

void BackgroundTraining::search() {
  SavedTraining& saved = task_->saved;
  const int threads = training_threads();
  const int workers = thread_count(threads);
  ThreadEvaluator evaluator(evaluation(task_->problem, workers), threads);
  std::optional<Training> training(std::in_place, task_->problem, evaluator, saved.state);
  check_evaluations(task_->problem, *training, files_.motion);
  const double seconds_before = saved.seconds;
  const auto evaluations_before = saved.state.evaluations;
  const auto budget = task_->file.motion.training.evaluations;
  const Clock::time_point begun = Clock::now();
  Clock::time_point last_save, last_news, last_ghost;
  std::string unsaved;
  const auto save = [&] {
    saved.seconds = seconds_before + seconds_since(begun);
    unsaved = checkpoint_->save(saved);
    last_save = Clock::now();
  };
  const auto progress = [&] {
    TrainingNews n;
    n.progress = training->progress();
    const double done = static_cast<double>(n.progress.evaluations - evaluations_before);
    n.rate = done / std::max(seconds_since(begun), 1e-9);
    n.left = n.rate > 0 ? static_cast<double>(budget - n.progress.evaluations) / n.rate : 0;
    n.unsaved = unsaved;
    return n;
  };
  saved.state = training->state();
  save();
  const auto is_cancelled = [&] { return searching_.is_cancelled() || working_.is_cancelled(); };
  if (!is_cancelled()) tell(progress(), false);
  bool goes_on = true;
  while (goes_on && !is_cancelled()) {
    try {
      const InterruptScope scope(searching_);
      goes_on = training->advance();
    } catch (const Interrupted&) {
      // back to the last whole generation
      training.emplace(task_->problem, evaluator, saved.state);
      break;
    }
    saved.state = training->state();
    if (seconds_since(last_ghost) > ghost_interval) {
      show_best(training->solution());
      last_ghost = Clock::now();
    }
    if (seconds_since(last_news) > news_interval) {
      tell(progress(), true);
      last_news = Clock::now();
    }
    if (seconds_since(last_save) > 1) save();
  }
  save();
  auto gait = std::make_shared<GaitFile>();
  gait->motion = task_->file;
  gait->unknowns = training->solution();
  gait->seed = saved.state.seed;
  gait->evaluations = training->evaluations();
  gait->restarts = saved.state.restart;
  gait->seconds = saved.seconds;
  gait->valid = training->is_valid() && check_gait(task_->problem, gait->unknowns).valid();
  save_found(files_.gait, *gait);
  TrainingNews last = progress();
  last.phase = gait->valid         ? TrainingPhase::found
               : !saved.state.over ? TrainingPhase::cancelled
                                   : TrainingPhase::not_found;
  if (gait->valid) checkpoint_->remove();
  finish(std::move(gait), last);
}

// The search is over and gone; what it found is there.
void BackgroundTraining::recall_gait() {
  auto gait = std::make_shared<GaitFile>(load_gait(SourceFile::given(files_.gait)));
  const int expected = task_->problem.size();
  if (static_cast<int>(gait->unknowns.size()) != expected || hash(gait->motion) != hash(motion())) {
    throw InputError(files_.gait + ": is of another motion");
  }
  const GaitCheck check = check_gait(task_->problem, gait->unknowns);
  TrainingNews last;
  last.phase = check.valid() ? TrainingPhase::found : TrainingPhase::not_found;
  last.progress.evaluations = gait->evaluations;
  last.progress.restart = gait->restarts;
  last.progress.ratio = check.cyclic_error;
  finish(std::move(gait), last);
}

void BackgroundTraining::finish(std::shared_ptr<const GaitFile> gait, TrainingNews news) {
  checkpoint_.reset();  // nothing is written any more
  show_best(gait->unknowns);
  std::string worth = gait_worth(task_->problem, *gait);
  {
    const std::lock_guard lock(mutex_);
    result_ = std::move(gait);
    worth_ = std::move(worth);
  }
  news.left = 0;
  tell(news, true);
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

std::string BackgroundTraining::worth() const {
  const std::lock_guard lock(mutex_);
  return worth_;
}

std::shared_ptr<BackgroundTraining> Trainings::of(const std::string& file) const {
  const std::lock_guard lock(mutex_);
  return find(file);
}

std::shared_ptr<BackgroundTraining> Trainings::find(const std::string& file) const {
  const auto found = all_.find(file);
  return found == all_.end() ? nullptr : found->second;
}

TrainingFiles Trainings::files_of(const std::string& file, const MotionFile& motion) const {
  return TrainingFiles(folder_, stem_of(file), hash(motion));
}

std::shared_ptr<BackgroundTraining> Trainings::recall(const std::string& file,
                                                      const MotionFile& motion,
                                                      std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  if (std::shared_ptr<BackgroundTraining> known = find(file)) return known;
  const TrainingFiles files = files_of(file, motion);
  if (!files.exist()) return nullptr;
  try {
    return all_[file] = std::make_shared<BackgroundTraining>(motion, files, TrainingStart::recall,
                                                             std::move(wake));
  } catch (const InputError&) {
    return nullptr;  // broken or of another version: it is trained anew
  }
}

std::shared_ptr<BackgroundTraining> Trainings::begin(const std::string& file,
                                                     const MotionFile& motion, bool resume,
                                                     std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, training] : all_) {
    if (training->is_running()) {
      throw InputError(fmt::format("{} is being trained: cancel it first", name));
    }
  }
  // what is recalled may not be through with its files
  if (const auto earlier = find(file)) earlier->end();
  auto training = std::make_shared<BackgroundTraining>(
      motion, files_of(file, motion), resume ? TrainingStart::resume : TrainingStart::anew,
      std::move(wake));
  all_.erase(file);
  while (all_.size() >= most_trainings) all_.erase(all_.begin());
  return all_[file] = training;
}

std::vector<TrainingFiles> Trainings::cancel() {
  const std::lock_guard lock(mutex_);
  std::vector<TrainingFiles> running;
  for (const auto& [name, training] : all_) {
    if (!training->is_running()) continue;
    running.push_back(training->files());
    training->cancel();
  }
  return running;
}

void Trainings::end() {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, training] : all_) training->end();
}

}  // namespace molejo
