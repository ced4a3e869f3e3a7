// The properties of a net, watched while it runs.
//
// The markings that count are those of the analysis (net/check.h): in a net in time those at rest,
// when time passes or a word comes from outside; in a net without time every one. So what was
// proved is never seen violated, and a counterexample that is played is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "molejo/net/property.h"
#include "molejo/net/run.h"
#include "molejo/net/token_rules.h"

namespace molejo {

// What a run has shown of a property so far. Ticks of the run; -1: not yet.
struct Watched {
  Property property;
  std::int64_t violated_from = -1, violated_until = -1;  // the first time; -1: goes on
  std::uint64_t violations = 0;                          // how often it began
  std::size_t events = 0;                                // of the run, before the first violation
  std::int64_t seen = -1;                                // of possible and eventually: it was so
  bool never_comes = false;                              // of eventually: nothing happens any more

  bool is_violated() const { return violations > 0; }
};

class Monitor {
 public:
  // Watches those properties of the net that can be read. The net must outlive the monitor and may
  // have more places and transitions behind those that run. `by_hand`: the run is of the net held
  // back (net/trace.h).
  explicit Monitor(const Net& net, bool by_hand = false);

  // What the last frame of the run brought; frames must not be left out.
  void note(const NetRun& run);
  // The run is over. Where nothing can happen any more its marking stays for ever; `silent`: also
  // where nothing happens by itself, as nobody says anything any more.
  void close(const NetRun& run, bool silent);
  // The trace that is played is over, with the run at its end, and nothing else is said: its
  // marking stays until a wait ends, or for ever. What comes later is not looked at, as nothing
  // fires. Frames before have been noted; the one that goes on is noted here.
  void close_trace(const NetRun& run);

  std::span<const Watched> watched() const { return watched_; }
  bool is_violated() const;

  // For snapshots (math/snapshot.h).
  template <class Archive>
  static void visit(Archive& a, Seen<Archive, Monitor>& m) {
    a.part("properties");
    for (auto& w : m.watched_) {
      a(w.violated_from, w.violated_until, w.violations, w.events, w.seen, w.never_comes);
    }
    a(m.holds_, m.wrong_, m.now_.marking, m.now_.waiting, m.since_, m.tick_, m.per_second_,
      m.events_, m.fresh_, m.closed_);
  }

 private:
  void note(const NetEvent& e);
  void judge(std::int64_t until, std::int64_t ticks_per_second);
  bool is_at_rest() const;
  bool is_deadlock() const;
  void note_never();

  const Net& net_;
  TokenRules rules_;
  bool by_hand_, every_marking_;
  std::vector<Watched> watched_;
  std::vector<std::uint8_t> holds_, wrong_;  // each formula, each property, in the marking now
  TokenState now_;
  std::vector<std::int64_t> all_;
  std::int64_t since_ = 0, tick_ = 0;  // since when the marking is so; the last event
  std::int64_t per_second_ = 1;
  std::size_t events_ = 0;
  bool fresh_ = true;    // the marking was not judged yet
  bool closed_ = false;  // a trace is over
};

}  // namespace molejo
