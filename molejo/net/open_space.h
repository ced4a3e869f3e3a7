// Everything that a net can do that waits for the world: for events, for the word that an action is
// over. The world may say each word at any instant, again and again, or never.
//
//   class   tokens, and a zone of the times left of their waits (net/wait_zone.h), at rest
//   step    the first waits end, those that may end together together; or a word comes while all go
//           on: an event is raised, an awaited action is over. Then the net settles.
//
// These are the state classes of Berthomieu and Diaz (1991) with waits instead of firing intervals.
// They are exact: every way through them is a run, and every run is a way. Of bounded nets there
// are finitely many.
//
// An event that is held fires again and again, in an order of its own among several held ones.
// That is covered by letting the world fire every transition that goes first among those of its
// event, alone. What is only reached so comes behind the classes that are reached by raising events
// (`sure()`): what is nowhere is never, what is among the sure ones is possible.
#pragma once

#include <optional>

#include "molejo/net/rest_space.h"

namespace molejo {

struct OpenSettings : TimedSettings {
  bool holds = true;  // events may be held; false: they are only raised
  // Where it is true at rest nobody goes on. Events that are held may leave no rest: what they lead
  // to is found, but not sure.
  std::optional<MarkingFormula> until = {};
  // A clock that runs from the start, s; see is_late().
  std::optional<Fraction> deadline = {};
};

class OpenSpace final : public RestSpace {
 public:
  // The delays, and a deadline, have a common tick.
  static bool explores(const Net& net, Fraction deadline = 0);
  // The net must outlive the space.
  OpenSpace(const Net& net, const OpenSettings& settings);
  ~OpenSpace() override;
  OpenSpace(OpenSpace&&) noexcept;

  std::uint32_t sure() const;  // the first so many are reached by raised events alone
  bool is_final(std::uint32_t state) const override;
  bool may_stay(std::uint32_t state) const;     // nothing happens unless the world acts
  bool is_late(std::uint32_t state) const;      // the deadline is over
  bool may_be_left(std::uint32_t state) const;  // at once, by events that are held
  // How often in the exploration, of the sure classes and of all; 0: never.
  std::uint64_t fired(TransitionId transition, bool sure) const;

  struct Edge {
    std::uint32_t to = 0;
    bool sure = true;
    bool ends_waits = false;  // else a word from outside
  };
  std::span<const Edge> edges(std::uint32_t state) const;
  // Places whose wait goes on through some step from one class to the other; ascending.
  std::vector<int> waits_through(std::uint32_t from, std::uint32_t to) const;

  // Of sure classes, at the earliest times that the way allows, with room where it must not be the
  // very instant.
  std::vector<TimedFiring> trace(std::span<const std::uint32_t> path,
                                 Fraction* end = nullptr) const override;

 private:
  struct Open;
  const Open& open() const;
};

}  // namespace molejo
