// From a motion to a gait that keeps all its constraints (Nunes 2012, s.4.4, with changes).
//
// The thesis: CMA-ES inside the method of multipliers over all unknowns.
// The default does four things more. The state of the joints forgets its start within a step or
// two (their dampers are strong), so the search leaves it out: each candidate is simulated twice,
// the second time from the joints that the first ended with. Cyclic errors count in units of their
// tolerances. Easy constraints count as squared violations, which have a slope, where the thesis
// has walls. And now and then the best candidate is polished: Levenberg-Marquardt over all
// unknowns on the cyclic error and on hinges of the easy constraints, which mostly ends the search
// at once. What does not get there is begun again with another seed.
//
// Everything is a function of the motion and the seed: threads, ranks, interruptions and resumes
// change no bit.
//
// No more simulations are run than the motion allows. A generation that they do not suffice for is
// not begun. A polish is cut where they end and forgotten; one that is resumed with more does it
// again, so that it has the bits of one that had more from the start.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "molejo/locomotion/gait_problem.h"
#include "molejo/optimise/multipliers.h"

namespace molejo {

// What one candidate gives. The problem's unknowns are those of the gait, and one more: how often
// the state of the joints is replaced by the one they end with.
struct GaitOutputs {
  int cycle = 0, hinges = 0, joints = 0;
  int first_cycle() const { return 2; }
  int first_hinge() const { return 2 + cycle; }
  int first_joint() const { return 2 + cycle + hinges; }  // unknowns of the joints' state
  int count() const { return 2 + cycle + hinges + joints; }
};
GaitOutputs gait_outputs(const GaitProblem& problem);

// Evaluates candidates in packs of four; `workers` is that of the evaluator it is for.
Problem evaluation(const GaitProblem& problem, int workers);

struct TrainingState {
  std::uint64_t seed = 1;
  int restart = 0;
  std::int64_t evaluations = 0;  // simulations that led here
  std::optional<MultiplierState> search;
  std::optional<Solution> valid;  // over all unknowns
  Solution best;                  // nearest so far, likewise
  std::vector<double> polished;   // the last point from which a polish was tried
  bool over = false;
};

struct TrainingProgress {
  int restart = 0, run = 0, generation = 0;
  double objective = 0;
  double easy = 0;   // zero: all easy constraints hold
  double ratio = 0;  // largest cyclic error in units of its tolerance
  std::int64_t evaluations = 0;
};

class Training {
 public:
  Training(const GaitProblem& problem, Evaluator& evaluator, std::uint64_t seed);
  // Goes on with the same bits. Sizes in the state must be those of the problem. A search that was
  // over for want of evaluations goes on when the motion now allows more.
  Training(const GaitProblem& problem, Evaluator& evaluator, TrainingState state);
  ~Training();

  // One generation, and what is due after it. False: over.
  bool advance();

  // Simulations of one generation.
  std::int64_t generation_evaluations() const;
  // Simulations so far: those of the state, and those of a polish that was cut.
  std::int64_t evaluations() const { return state_.evaluations + cut_; }

  const TrainingState& state();
  TrainingProgress progress() const;
  bool is_valid() const;
  // The unknowns of the valid gait, else of the best so far.
  std::vector<double> solution() const;

 private:
  struct Search;
  void begin();
  void search_on();
  bool polish_is_due() const;
  bool polish();
  std::int64_t evaluations_left() const;
  Solution full_solution(const Solution& reduced) const;
  double merit(const Solution& solution) const;

  const GaitProblem& problem_;
  Evaluator& evaluator_;
  GaitOutputs outputs_;
  TrainingState state_;
  std::int64_t cut_ = 0;
  std::unique_ptr<Search> search_;
};

// Draws the orbit tighter by the same polish: the largest cyclic error is brought as far below its
// tolerance as it goes, and all easy constraints still hold. The result is the start if it does
// not.
std::vector<double> tightened(const GaitProblem& problem, Evaluator& evaluator,
                              const std::vector<double>& x, double ratio);

}  // namespace molejo
