#include "molejo/physics/events.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/interrupt.h"
#include "molejo/physics/index.h"

namespace molejo {

namespace {

// Largest |dy_j/ds| over the step: the coefficients of the rate in Bernstein's basis enclose it.
double rate_bound(const StepPath& path, int j) {
  static constexpr double choose[5][5] = {
      {1, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, {1, 2, 1, 0, 0}, {1, 3, 3, 1, 0}, {1, 4, 6, 4, 1}};
  double largest = 0;
  for (int k = 0; k < 5; ++k) {
    double b = 0;
    for (int i = 0; i <= k; ++i) b += choose[k][i] / choose[4][i] * (i + 1) * path.c[i + 1][j];
    largest = std::max(largest, std::fabs(b));
  }
  return largest;
}

// How far any point of each collider can travel within the step.
void bound_travel(const Model& model, const ContactStep& contact, Events& e) {
  struct Bound {
    double linear = 0, angular = 0;
  };
  std::vector<Bound> bounds(model.links.size());
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    Bound b;
    double arm = norm(link.p_LF);
    for (int j = 0; j < link.translations; ++j) {
      const double rate = rate_bound(e.path, link.v + j);
      b.linear += rate;
      arm += std::fabs(e.start.q[link.q + j]) + rate;
    }
    for (int j = link.translations; j < link.translations + link.rotations; ++j) {
      b.angular += rate_bound(e.path, link.v + j);
    }
    if (link.parent >= 0) {
      const Bound& parent = bounds[index(link.parent)];
      b.linear += parent.linear + parent.angular * arm;
      b.angular += parent.angular;
    }
    bounds[i] = b;
  }
  for (std::size_t i = 0; i < model.colliders.size(); ++i) {
    const Bound& b = bounds[index(model.colliders[i].body.index)];
    const double reach = b.angular > 0 ? contact.contacts.reach[i] : 0;
    e.travel[i] = b.linear + b.angular * reach;
  }
}

struct Gap {
  double distance = 0;
  Vec3 p, normal;
};

// The gap of two colliders at the poses of k, as far as it is below `far`.
Gap gap_of(const Model& model, const Kinematics<double>& k, Contacts::Pair& pair, double far,
           Contacts& contacts) {
  const auto a = index(pair.a), b = index(pair.b);
  for (const std::size_t i : {a, b}) {
    const Collider& collider = model.colliders[i];
    contacts.X_WS[i] = body_pose(model, k, collider.body) * model.shape(collider).X_BS;
  }
  if (contacts.shapes[a].kind == TouchShape::Kind::convex &&
      contacts.shapes[b].kind == TouchShape::Kind::convex) {
    const Separation s =
        separation(contacts.shapes[a].convex, contacts.X_WS[a], contacts.shapes[b].convex,
                   contacts.X_WS[b], &pair.cache.separation);
    return {s.distance, (s.p_a + s.p_b) * 0.5, s.normal};
  }
  contacts.points.clear();
  touch(contacts.shapes[a], contacts.X_WS[a], contacts.shapes[b], contacts.X_WS[b], far, pair.cache,
        contacts.points);
  Gap gap{far, {}, {}};
  for (const ContactPoint& p : contacts.points) {
    if (p.gap < gap.distance) gap = {p.gap, p.p, p.normal};
  }
  return gap;
}

// Normal velocity of a against b; negative: they approach.
double closing(const Model& model, const Kinematics<double>& k, const Contacts::Pair& pair,
               const Gap& gap) {
  const BodyId a = model.colliders[index(pair.a)].body, b = model.colliders[index(pair.b)].body;
  return dot(gap.normal, point_velocity(k, a, gap.p) - point_velocity(k, b, gap.p));
}

bool is_lasting(const Events& e, const Contacts::Pair& pair) {
  return std::binary_search(e.lasting.begin(), e.lasting.end(), std::pair(pair.a, pair.b));
}

void add_lasting(Events& e, int a, int b) {
  const std::pair pair(a, b);
  const auto at = std::lower_bound(e.lasting.begin(), e.lasting.end(), pair);
  if (at == e.lasting.end() || *at != pair) e.lasting.insert(at, pair);
}

struct Meeting {
  int pair = -1;  // in contacts.pairs
  double s = 1;
  bool lost = false;  // they move too fast to be followed
};

// The first pair that comes within the contact distance while approaching, along the path.
Meeting first_meeting(const Model& model, Contacts& contacts, Events& e) {
  struct Watch {
    double s;  // nothing happens before
    int pair;
    bool operator>(const Watch& other) const {
      return s > other.s || (s == other.s && pair > other.pair);
    }
  };
  std::vector<Watch> queue;
  for (std::size_t i = 0; i < contacts.pairs.size(); ++i) {
    const Contacts::Pair& pair = contacts.pairs[i];
    if (pair.rigid && !is_lasting(e, pair)) queue.push_back({0, static_cast<int>(i)});
  }
  const double distance = model.contact.distance;
  double posed_at = -1;
  constexpr int patience = 100'000;
  for (int tries = 0; !queue.empty(); ++tries) {
    if (tries == patience) return {queue.front().pair, 0, true};
    check_interrupt();
    std::pop_heap(queue.begin(), queue.end(), std::greater<>());
    Watch& watch = queue.back();
    Contacts::Pair& pair = contacts.pairs[index(watch.pair)];
    if (watch.s != posed_at) {
      position_at(model, e.path, watch.s, e.q);
      update_poses(model, e.q.data(), e.kinematics);
      posed_at = watch.s;
    }
    const double travel = e.travel[index(pair.a)] + e.travel[index(pair.b)];
    const Gap gap = gap_of(model, e.kinematics, pair, travel + 2 * distance, contacts);
    if (gap.distance <= distance) {
      const State now = state_at(model, e.path, e.path.start.t + watch.s * e.path.h);
      update_velocities(model, now.v.data(), e.kinematics);
      if (closing(model, e.kinematics, pair, gap) < 0) return {watch.pair, watch.s};
    }
    // aim at the middle of the contact distance; one that parts is followed in small steps
    const double safe = gap.distance > distance ? gap.distance - 0.5 * distance
                                                : std::max(0.1 * distance, 0.5 * gap.distance);
    watch.s = travel > 0 ? watch.s + safe / travel : 2;
    if (watch.s < 1) {
      std::push_heap(queue.begin(), queue.end(), std::greater<>());
    } else {
      queue.pop_back();
    }
  }
  return {};
}

// Takes the step again, only so far that the pair of the meeting is within the contact distance.
template <class Advance>
void cut_step(const Model& model, const Meeting& meeting, Contacts::Pair& pair, Contacts& contacts,
              Events& e, State& state, Advance&& advance) {
  constexpr int max_tries = 20;
  const double distance = model.contact.distance, h = e.path.h;
  double tau = meeting.s * h, earliest = 0, latest = h;
  for (int n = 0; n < max_tries; ++n) {
    check_interrupt();
    state = e.start;
    if (tau > 0) advance(tau, state);
    state.t = e.start.t + tau;
    if (tau == 0) return;
    update_poses(model, state.q.data(), e.kinematics);
    update_velocities(model, state.v.data(), e.kinematics);
    const Gap gap = gap_of(model, e.kinematics, pair, 1e3 * distance, contacts);
    if (gap.distance > 0 && gap.distance <= distance) return;
    (gap.distance > 0 ? earliest : latest) = tau;
    const double speed = -closing(model, e.kinematics, pair, gap);
    double next = speed > 0 ? tau + (gap.distance - 0.5 * distance) / speed : earliest;
    if (!(next > earliest && next < latest)) next = 0.5 * (earliest + latest);
    tau = next;
  }
}

// All contacts of bodies that touch at the state, whoever caused the event.
void touching_contacts(const Model& model, const State& state, Contacts& contacts, Events& e) {
  update_poses(model, state.q.data(), e.kinematics);
  update_velocities(model, state.v.data(), e.kinematics);
  const double reach = 2 * model.contact.distance;
  e.margin.assign(model.colliders.size(), reach);
  find_pairs(model, e.kinematics, e.margin, contacts);
  Contacts::Chunk found;
  for (Contacts::Pair& pair : contacts.pairs) {
    if (!pair.rigid) continue;
    check_interrupt();
    add_contacts(model, reach, pair, contacts, found);
    check_count(found.list.size(), contacts);
  }
  e.impacts = std::move(found.list);
  for (Contact& c : e.impacts) {
    c.approach = dot(c.normal, point_velocity(e.kinematics, {c.body_a}, c.p_a) -
                                   point_velocity(e.kinematics, {c.body_b}, c.p_b));
  }
}

// Contacts that are slow after the impact last; `all` when even faster ones may not come again.
void find_lasting(const Model& model, const State& state, bool all, Events& e) {
  update_velocities(model, state.v.data(), e.kinematics);
  for (const Contact& c : e.impacts) {
    const double u = dot(c.normal, point_velocity(e.kinematics, {c.body_a}, c.p_a) -
                                       point_velocity(e.kinematics, {c.body_b}, c.p_b));
    if (all || std::fabs(u) < model.contact.rest_speed) add_lasting(e, c.a, c.b);
  }
}

// Pairs that have parted no longer last.
void release_lasting(const Model& model, const Contacts& contacts, Events& e) {
  const double released = std::max(10 * model.contact.distance, 1e-4);
  std::erase_if(e.lasting, [&](const std::pair<int, int>& pair) {
    return std::none_of(contacts.list.begin(), contacts.list.end(), [&](const Contact& c) {
      return c.a == pair.first && c.b == pair.second && (c.gap < released || c.approach < 0);
    });
  });
}

}  // namespace

Events::Events(const Model& model)
    : system(model), q(VecX::Zero(model.nq)), kinematics(model), travel(model.colliders.size()) {}

void begin_step(Events& events) { events.before = events; }  // into memory that is there
void take_back(Events& events) { static_cast<EventMemory&>(events) = events.before; }

EventStep event_step(const Model& model, const Settings& settings, double h, State& state,
                     Scratch& scratch, Events& e) {
  EventStep out;
  ContactStep& contact = *scratch.contact;
  e.start = state;
  if (!e.started) {
    e.started = true;
    touching_contacts(model, state, contact.contacts, e);
    find_lasting(model, state, false, e);
  }

  // a smooth step as if nobody else met
  const bool lasting = !e.lasting.empty();
  if (!lasting) contact.contacts.list.clear();
  const auto advance = [&](double tau, State& s) {
    if (lasting) {
      contact.contacts.list = e.memory;
      contact.contacts.only = &e.lasting;
    }
    const Integrator method = lasting ? Integrator::midpoint : settings.integrator;
    const ClosedStep report = closed_step(model, settings, method, tau, s, scratch);
    out.rejected += report.rejected, out.projections += report.projections;
    out.singular = std::max(out.singular, report.singular);
  };
  out.taken = out.next = h;
  if (lasting) {
    e.memory = contact.contacts.list;
    out.taken = std::min(h, settings.time_step);
    advance(out.taken, state);
    state.t = e.start.t + out.taken;
  } else if (settings.integrator == Integrator::rkf45) {
    static_cast<ClosedStep&>(out) = closed_adaptive_step(model, settings, h, state, scratch);
  } else {
    advance(h, state);
  }
  if (out.singular >= 0 || !state.q.allFinite() || !state.v.allFinite()) return out;
  lasting ? straight_path(model, e.start, state, e.path)
          : smooth_path(model, e.start, state, scratch, e.path);

  // the boxes of the whole way
  bound_travel(model, contact, e);
  e.margin = e.travel;
  for (double& m : e.margin) m += model.contact.distance;
  std::vector<Contact> last_contacts;
  if (lasting) std::swap(last_contacts, contact.contacts.list);
  update_poses(model, e.start.q.data(), e.kinematics);
  find_pairs(model, e.kinematics, e.margin, contact.contacts);
  const Meeting meeting = first_meeting(model, contact.contacts, e);
  if (lasting) std::swap(last_contacts, contact.contacts.list);
  e.impacts.clear();
  if (meeting.lost) {
    const Contacts::Pair& pair = contact.contacts.pairs[index(meeting.pair)];
    const auto name = [&](int collider) {
      return model.bodies[index(model.colliders[index(collider)].body.index)].name;
    };
    out.failure = "bodies '" + name(pair.a) + "' and '" + name(pair.b) +
                  "' are too fast for their meeting to be found";
    return out;
  }
  if (meeting.pair < 0) {
    e.repeated = 0;
    if (lasting) release_lasting(model, contact.contacts, e);
    return out;
  }

  // up to it, and through it
  // steps of lasting contacts make lists of pairs of their own
  Contacts::Pair met = contact.contacts.pairs[index(meeting.pair)];
  cut_step(model, meeting, met, contact.contacts, e, state, advance);
  if (out.singular >= 0) return out;
  out.taken = state.t - e.start.t;
  out.impact = true;
  e.repeated = out.taken > 0 ? 0 : e.repeated + 1;
  touching_contacts(model, state, contact.contacts, e);
  Dynamics<double>& d = scratch.tree.dynamics;
  update_poses(model, state.q.data(), d.kinematics);
  const ImpactReport impact = resolve_impact(model, e.impacts, state.v, d, scratch.loops, e.system);
  if (!impact.solved) {
    const Contact& c = e.impacts.front();
    out.failure = "the impulses between bodies '" + model.bodies[index(c.body_a)].name + "' and '" +
                  model.bodies[index(c.body_b)].name + "' are not finite";
    return out;
  }
  constexpr int patience = 20;
  find_lasting(model, state, e.repeated > patience, e);
  // what met and still approaches was not to be solved by impulses
  if (e.impacts.empty() || e.repeated > patience) add_lasting(e, met.a, met.b);
  return out;
}

}  // namespace molejo
