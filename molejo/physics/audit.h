// Whether a run keeps what it should: a line to say for each thing that it does not.
//
// Closures stay closed. Energy, less the work of formula forces, stays what it was where nothing
// else gives or takes any, and does not grow where things only take it: dampers and contacts.
// Nothing is said of energy where motors, given forces, paths or hands are at work.
#pragma once

#include <string>
#include <vector>

#include "molejo/math/snapshot.h"
#include "molejo/model/closure.h"
#include "molejo/model/formulas.h"
#include "molejo/model/recording.h"

namespace molejo {

// More than this part of the energy that was exchanged is told. Exchanged is the largest kinetic
// energy, or the largest change of all other energy; where bodies touch or dampers act not less
// than the energy of the start, in which weights count from the lowest of them.
// Wherever the origin is, and whichever way the axes point, this is the same.
inline constexpr double energy_bound = 1e-3;

// A misfit of closures above this is told (model/closure.h).
double closure_bound(const Settings& settings);

class Audit {
 public:
  Audit(const Model& model, const Settings& settings);

  // Energy comes or goes by hand from now on, or by contact.
  void push() { gives_ = true; }
  void touch() { takes_ = true; }

  // The formulas that act from now on.
  void add_formulas(const FormulaSet& formulas);
  // A frame, and the work that formula forces have done so far.
  void add_frame(const Frame& frame, double work);
  // The row that is most open after a step, the unit of lengths, and the loop that it belongs to.
  void add_closure(const ClosureRow& row, double unit, int loop);

  // Replaces `lines`, which stay empty when all is well.
  void report(std::vector<std::string>& lines) const;

  // The largest change of the energy, by whatever it came, as a part of what was exchanged.
  double energy_drift() const;

  // For snapshots (math/snapshot.h).
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, Audit>& x) {
    a(x.gives_, x.takes_, x.started_, x.first_.kinetic, x.first_.gravity, x.first_.elastic,
      x.first_balance_, x.kinetic_, x.change_, x.gained_, x.lost_, x.open_, x.misfit_, x.drift_,
      x.at_rest_, x.rounding_);
    a.within(x.open_loop_, -1, static_cast<int>(x.model_.loops.size()) - 1, "loop");
    a.require(x.open_loop_ >= 0 || (x.open_ == 0 && x.misfit_ == 0), "the loop that is open");
  }

 private:
  void begin(const Frame& frame);
  double exchanged() const;
  double part_of_exchanged(double change) const;

  const Model& model_;
  const double closure_bound_;
  bool gives_ = false, takes_ = false;
  bool started_ = false;
  Energy first_;
  double first_balance_ = 0, kinetic_ = 0, change_ = 0, gained_ = 0, lost_ = 0, drift_ = 0;  // J
  double at_rest_ = 0;   // J, of the start, without kinetic energy and an origin
  double rounding_ = 0;  // J, of a sum of energies
  double misfit_ = 0;    // of the row that was most open ever,
  double open_ = 0;      // and its error
  int open_loop_ = -1;
};

}  // namespace molejo
