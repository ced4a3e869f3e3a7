// A directed scene: bodies, a net that says what happens when, and what hides behind its places.
//
//   place -> actions        run while a token waits in it
//   transition -> actions   that take no time, when it fires
//   cause -> event, token, or the word that an action is over
//
// Everything is resolved and checked when it is read (io/show.h): names are indices here.
#pragma once

#include "molejo/director/action.h"
#include "molejo/model/scene.h"
#include "molejo/net/net.h"
#include "molejo/net/timed_space.h"

namespace molejo {

// Adds the bodies and joints of a character, its names with "actor." in front, turned about z and
// moved. What is welded to the world in its own scene is left there.
void add_actor(const std::string& name, const Scene& character, const Vec3& position,
               double heading, Scene& scene);

struct Binding {
  enum class When { place, transition, start };
  When when = When::place;
  int node = 0;  // of the net
  Action action;
};

// What makes something happen in the net.
struct Cause {
  enum class Kind {
    contact,    // two bodies begin to touch (or part)
    condition,  // a formula becomes true
    arrival,    // the origin of a body comes within a distance of a target
    walked,     // a walker has come to the end of its path
    times       // at given times, by the script or the user
  };
  enum class Effect { raise, hold, put, finish };

  Kind kind = Kind::contact;
  Effect effect = Effect::raise;
  std::string event;  // raise, hold
  PlaceId place;      // put, finish
  BodyId a, b;        // contact: b without a value touches anything; arrival: a
  bool any = false;   // contact with any body
  bool parting = false;
  double least_impulse = 0;  // N s: lighter touches do not count
  int probe = 0;             // condition: among those of the frame
  Target target{};           // arrival
  double within = 0;
  std::vector<Fraction> at{};  // times, s
  int binding = 0;             // walked: whose action it was, of Show::bindings
};

struct Show {
  std::string name, description;
  std::vector<std::string> warnings;  // what is probably not meant, one sentence each
  Scene scene;                        // with all actors, and formulas of actions
  std::shared_ptr<const Built> built;
  std::size_t probes = 0;  // of the scene itself; those behind are conditions of causes
  std::vector<Figure> figures;
  std::vector<ShowWalker> walkers;
  Net net;
  std::vector<Binding> bindings;
  std::vector<Cause> causes;
  Fraction fps = 24;
  Fraction duration = 10;  // s
  std::uint64_t seed = 1;
};

// The net together with what causes may put into it from outside, at any time: one more transition
// for each such place, behind those of the net.
Net with_outside(Net net, const std::vector<Cause>& causes);
// The net of a show as its causes let it run, unless somebody fires by hand: with what they put,
// and without events that none of them raises (their transitions lack a place behind the others).
Net net_as_directed(const Show& show);
// The steps of a trace of such a net: what the transitions behind those of the show's do is put
// from outside.
void tell_outside(const Net& as_directed, std::size_t own, std::vector<TimedFiring>& trace);
// Events of the net that no cause raises or holds.
std::vector<std::string> unraised_events(const Net& net, const std::vector<Cause>& causes);
// Whether some cause holds an event.
bool holds_events(const std::vector<Cause>& causes);

}  // namespace molejo
