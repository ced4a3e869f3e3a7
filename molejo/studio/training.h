// A motion that is trained while people watch it, on a thread of its own.
//
// It is what `molejo train` does, with the same files: cancelled at any moment, it can be resumed,
// here, by the next studio, or by `molejo train --resume`. Nobody needs to look: it goes on when
// all clients are gone or watch something else.
//
//   FOLDER/1f0c.../run.motion.json          what is trained, amplitudes and marks as they were
//   FOLDER/1f0c.../run.gait.json            what was found, or the nearest
//   FOLDER/1f0c.../run.gait.json.part       the search; not once a gait is found
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "molejo/io/motion.h"
#include "molejo/io/training_state.h"
#include "molejo/locomotion/train.h"
#include "molejo/math/interrupt.h"

namespace molejo {

// A cycle of the best candidate, played on the spot.
struct TrainingGhost {
  double period = 0;         // s
  std::vector<State> views;  // at equal parts of it
};

enum class TrainingPhase { running, cancelled, found, not_found, failed };
std::string_view to_string(TrainingPhase phase);

struct TrainingNews {
  TrainingPhase phase = TrainingPhase::running;
  TrainingProgress progress;
  double rate = 0, left = 0;  // evaluations a second; s at most
  std::string error;          // where it failed
  std::string unsaved;        // why the search could not be saved when it was last tried
};

// Of the best candidate, now and then.
struct TrainingPoint {
  double evaluations = 0, objective = 0, cyclic_error = 0, easy = 0;
};

// Where a training is kept.
struct TrainingFiles {
  std::string motion, gait, checkpoint;
  // Of a motion with this hash; `stem` is the name without endings.
  TrainingFiles(const std::string& folder, const std::string& stem, std::uint64_t hash);
  bool exist() const;
};

enum class TrainingStart {
  anew,
  resume,  // from the checkpoint, which must be of this very motion
  recall,  // only tells what is there: the checkpoint, or the gait
};

class BackgroundTraining {
 public:
  // Throws InputError.
  BackgroundTraining(const MotionFile& motion, TrainingFiles files, TrainingStart start,
                     std::function<void()> wake);
  ~BackgroundTraining();  // as end
  BackgroundTraining(const BackgroundTraining&) = delete;

  // Ends the search; what it has found is judged and kept.
  void cancel() { searching_.cancel(); }
  void end();  // as cancel, and waits for it: not long, what it has found may be judged later
  // What is trained.
  const MotionFile& motion() const;
  const TrainingFiles& files() const { return files_; }
  bool is_running() const;
  TrainingNews news() const;
  std::int64_t version() const { return version_; }  // of news, rising
  std::vector<TrainingPoint> curve() const;
  std::shared_ptr<const TrainingGhost> ghost() const;
  // What was found, or the best when it was cancelled; null before the end.
  std::shared_ptr<const GaitFile> result() const;
  // Of the result, as JSON: see gait_worth.h.
  std::string worth() const;

 private:
  struct Task;
  void work(bool searches);
  void search();
  void recall_gait();
  void finish(std::shared_ptr<const GaitFile> gait, TrainingNews news);
  void tell(const TrainingNews& news, bool point);
  void show_best(const std::vector<double>& unknowns);

  TrainingFiles files_;
  std::optional<Checkpoint> checkpoint_;  // while the search runs, nobody else trains for the gait
  std::function<void()> wake_;
  std::unique_ptr<Task> task_;
  Interrupt searching_{Interrupt::Appetite::small};  // of the search,
  Interrupt working_{Interrupt::Appetite::small};    // and of all
  std::atomic<std::int64_t> version_{0};
  mutable std::mutex mutex_;
  TrainingNews news_;
  std::vector<TrainingPoint> curve_;
  std::shared_ptr<const TrainingGhost> ghost_;
  std::shared_ptr<const GaitFile> result_;
  std::string worth_;
  bool over_ = false;
  std::condition_variable ended_;
  std::thread thread_;
};

// Those of a studio: one runs at a time, and the last of every file stays.
class Trainings {
 public:
  explicit Trainings(std::string folder) : folder_(std::move(folder)) {}

  // Of a file in this studio; null: none.
  std::shared_ptr<BackgroundTraining> of(const std::string& file) const;
  // The same, or what an earlier studio has left of this very motion.
  std::shared_ptr<BackgroundTraining> recall(const std::string& file, const MotionFile& motion,
                                             std::function<void()> wake);
  // Throws InputError while another one runs.
  std::shared_ptr<BackgroundTraining> begin(const std::string& file, const MotionFile& motion,
                                            bool resume, std::function<void()> wake);
  // Asks the one that runs to end. Its files.
  std::vector<TrainingFiles> cancel();
  // Returns when none runs.
  void end();

 private:
  TrainingFiles files_of(const std::string& file, const MotionFile& motion) const;

  std::shared_ptr<BackgroundTraining> find(const std::string& file) const;

  std::string folder_;
  mutable std::mutex mutex_;  // files are opened on other threads
  std::map<std::string, std::shared_ptr<BackgroundTraining>> all_;
};

}  // namespace molejo
