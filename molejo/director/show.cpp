#include "molejo/director/show.h"

#include <algorithm>
#include <map>
#include <set>

#include "molejo/math/rotation.h"

namespace molejo {

void add_actor(const std::string& name, const Scene& character, const Vec3& position,
               double heading, Scene& scene) {
  const Pose X{axis_rotation({0, 0, 1}, heading), position};
  const std::string prefix = name + ".";
  const auto renamed = [&](const std::string& old) { return old.empty() ? old : prefix + old; };
  std::map<std::string, Pose> left;  // out
  for (SceneBody body : character.bodies) {
    if (body.immobile) {
      left[body.name] = body.X_WB;
      continue;
    }
    body.name = renamed(body.name);
    body.group = renamed(body.group);
    body.X_WB = X * body.X_WB;
    if (body.velocity) {
      body.velocity->linear = X.R * body.velocity->linear;
      body.velocity->angular = X.R * body.velocity->angular;
    }
    scene.bodies.push_back(std::move(body));
  }
  for (SceneJoint joint : character.joints) {
    if (left.count(joint.child) > 0) continue;
    if (const auto parent = left.find(joint.parent); parent != left.end()) {
      joint.X_PF = parent->second * joint.X_PF;
      joint.parent.clear();
    }
    if (joint.parent.empty()) joint.X_PF = X * joint.X_PF;
    joint.name = renamed(joint.name);
    joint.parent = renamed(joint.parent);
    joint.child = renamed(joint.child);
    joint.motor_formulas.clear();
    scene.joints.push_back(std::move(joint));
  }
  for (SceneContactPair pair : character.contact_pairs) {
    // what it says of all bodies would hold for those of others
    if (pair.a.empty() || pair.b.empty() || left.count(pair.a) + left.count(pair.b) > 0) continue;
    pair.a = renamed(pair.a), pair.b = renamed(pair.b);
    scene.contact_pairs.push_back(std::move(pair));
  }
}

Net with_outside(Net net, const std::vector<Cause>& causes) {
  std::set<int> seen;
  for (const Cause& c : causes) {
    if (c.effect != Cause::Effect::put || !seen.insert(c.place.index).second) continue;
    const TransitionId t{static_cast<int>(net.transitions.size())};
    const std::string& place = net.places[static_cast<std::size_t>(c.place.index)].name;
    net.transitions.push_back({"put " + place, 1, "from outside: " + place});
    net.arcs.push_back({ArcKind::output, c.place, t, 1});
  }
  return net;
}

std::vector<std::string> unraised_events(const Net& net, const std::vector<Cause>& causes) {
  std::set<std::string> raised, unraised;
  for (const Cause& c : causes) {
    if (!c.event.empty()) raised.insert(c.event);
  }
  for (const Transition& t : net.transitions) {
    if (!t.event.empty() && !raised.contains(t.event)) unraised.insert(t.event);
  }
  return {unraised.begin(), unraised.end()};
}

Net net_as_directed(const Show& show) {
  Net net = with_outside(show.net, show.causes);
  for (const std::string& event : unraised_events(show.net, show.causes)) {
    const PlaceId nobody{static_cast<int>(net.places.size())};
    net.places.push_back({.name = "nobody raises " + event});
    for (std::size_t t = 0; t < show.net.transitions.size(); ++t) {
      if (show.net.transitions[t].event != event) continue;
      net.arcs.push_back({ArcKind::input, nobody, {static_cast<int>(t)}, 1});
    }
  }
  return net;
}

void tell_outside(const Net& as_directed, std::size_t own, std::vector<TimedFiring>& trace) {
  for (TimedFiring& f : trace) {
    if (f.transition.index < static_cast<int>(own)) continue;
    const auto puts = [&](const Arc& a) { return a.transition == f.transition; };
    f.put = std::find_if(as_directed.arcs.begin(), as_directed.arcs.end(), puts)->place;
    f.transition = {};
  }
}

bool holds_events(const std::vector<Cause>& causes) {
  return std::any_of(causes.begin(), causes.end(),
                     [](const Cause& c) { return c.effect == Cause::Effect::hold; });
}

}  // namespace molejo
