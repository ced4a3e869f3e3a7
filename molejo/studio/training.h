// A motion that is trained while people watch it, on a thread of its own.
//
// It is what `molejo train` does, with the same checkpoints: cancelled at any moment, it can be
// resumed. Nobody needs to look: it goes on when all clients are gone or watch something else.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "molejo/io/motion.h"
#include "molejo/locomotion/train.h"

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
};

// Of the best candidate, now and then.
struct TrainingPoint {
  double evaluations = 0, objective = 0, cyclic_error = 0, easy = 0;
};

class BackgroundTraining {
 public:
  // Begins. With `resume` from the checkpoint, which must be of this very motion. Throws
  // InputError.
  BackgroundTraining(const MotionFile& motion, std::string checkpoint, bool resume,
                     std::function<void()> wake);
  ~BackgroundTraining();  // as cancel; waits for the generation under way
  BackgroundTraining(const BackgroundTraining&) = delete;

  void cancel() { cancelled_ = true; }
  std::uint64_t motion() const { return hash_; }
  const std::string& checkpoint() const { return checkpoint_; }
  bool is_running() const;
  TrainingNews news() const;
  std::int64_t version() const { return version_; }  // of news, rising
  std::vector<TrainingPoint> curve() const;
  std::shared_ptr<const TrainingGhost> ghost() const;
  // What was found, or the best when it was cancelled; null before the end.
  std::shared_ptr<const GaitFile> result() const;

 private:
  struct Task;
  void work();
  void search();
  void tell(const TrainingNews& news, bool point);
  void show_best(const std::vector<double>& unknowns);

  std::string checkpoint_;
  std::function<void()> wake_;
  std::uint64_t hash_ = 0;
  std::unique_ptr<Task> task_;
  std::atomic<bool> cancelled_{false};
  std::atomic<std::int64_t> version_{0};
  mutable std::mutex mutex_;
  TrainingNews news_;
  std::vector<TrainingPoint> curve_;
  std::shared_ptr<const TrainingGhost> ghost_;
  std::shared_ptr<const GaitFile> result_;
  std::thread thread_;
};

// Those of a studio: one runs at a time, and the last of every file stays.
class Trainings {
 public:
  // Of a file; null: none.
  std::shared_ptr<BackgroundTraining> of(const std::string& file) const;
  // Throws InputError while another one runs.
  std::shared_ptr<BackgroundTraining> begin(const std::string& file, const MotionFile& motion,
                                            const std::string& folder, bool resume,
                                            std::function<void()> wake);

 private:
  std::map<std::string, std::shared_ptr<BackgroundTraining>> all_;
};

}  // namespace molejo
