// Bodies of the templates declared in contact_system.h, for the two files that instantiate them.
#pragma once

#include "molejo/math/interrupt.h"
#include "molejo/physics/contact_rows_kernel.h"

namespace molejo {

// Velocity at the contact from the impulses of all. With a number of groups that is known when
// compiling (the loops unroll) or not (0), here and below.
template <int known = 0, class S>
Vec3T<S> velocity_of(const ContactSystem<S>& system, const ContactBlock<S>& c) {
  Quad<S> v1{}, v2{}, v3{};
  const RowGroup<S>* group = system.rows.data() + c.first_group;
  const int* place = system.group_slot.data() + c.first_group;
  const int groups = known > 0 ? known : c.groups;
  for (int g = 0; g < groups; ++g) {
    const Quad<S> s = Quad<S>::load(system.s.data() + place[g]);
    v1.add_product(Quad<S>::load(group[g].w[0]), s);
    v2.add_product(Quad<S>::load(group[g].w[1]), s);
    v3.add_product(Quad<S>::load(group[g].w[2]), s);
  }
  return Quad<S>::sums(v1, v2, v3);
}

// A contact that carries nothing and would not begin to.
template <int known = 0, class S>
bool is_idle(const ContactSystem<S>& system, const ContactBlock<S>& c) {
  if (any(c.impulse.z > S(0.0))) return false;
  Quad<S> v{};
  const RowGroup<S>* group = system.rows.data() + c.first_group;
  const int* place = system.group_slot.data() + c.first_group;
  const int groups = known > 0 ? known : c.groups;
  for (int g = 0; g < groups; ++g) {
    v.add_product(Quad<S>::load(group[g].w[2]), Quad<S>::load(system.s.data() + place[g]));
  }
  return !any(c.free.z + v.sum() < c.target);
}

template <int known = 0, class S>
void add_impulse(const ContactBlock<S>& c, const Vec3T<S>& change, ContactSystem<S>& system) {
  const RowGroup<S>* group = system.rows.data() + c.first_group;
  const int* place = system.group_slot.data() + c.first_group;
  const int groups = known > 0 ? known : c.groups;
  for (int g = 0; g < groups; ++g) {
    S* at = system.s.data() + place[g];
    Quad<S> s = Quad<S>::load(at);
    s.add_product(Quad<S>::load(group[g].w[0]), change.x);
    s.add_product(Quad<S>::load(group[g].w[1]), change.y);
    s.add_product(Quad<S>::load(group[g].w[2]), change.z);
    s.store(at);
  }
}

// s from the impulses of contacts first .. last-1.
template <class S>
void sum_impulses(ContactSystem<S>& system, int first, int last) {
  for (int i = first; i < last; ++i) {
    const ContactBlock<S>& c = system.contacts[static_cast<std::size_t>(i)];
    for (int g = c.first_group; g < c.first_group + c.groups; ++g) {
      S* at = system.s.data() + system.group_slot[static_cast<std::size_t>(g)];
      std::fill(at, at + 4, S(0.0));
    }
  }
  for (int i = first; i < last; ++i) {
    const ContactBlock<S>& c = system.contacts[static_cast<std::size_t>(i)];
    add_impulse(c, c.impulse, system);
  }
}

// The friction of one contact that slides: projected steps on the disc of radius `limit`.
template <class S>
void slide(const ContactBlock<S>& c, const S& limit, S v1, S v2, S& f1, S& f2) {
  constexpr int steps = 2;
  for (int n = 0; n < steps; ++n) {
    S g1 = f1 - c.slide * v1, g2 = f2 - c.slide * v2;
    const S length = square_root(g1 * g1 + g2 * g2);
    const S scale = select(length > limit, limit / length, S(1.0));
    g1 = g1 * scale, g2 = g2 * scale;
    const S d1 = g1 - f1, d2 = g2 - f2;
    v1 += c.t11 * d1 + c.t12 * d2, v2 += c.t12 * d1 + c.t22 * d2;
    f1 = g1, f2 = g2;
  }
}

// Normal and friction of one contact found together: one after the other they chase each other
// without end where an oblique body or a limb couples them.
template <class S>
Vec3T<S> coupled_impulse(const ContactBlock<S>& c, const Vec3T<S>& v) {
  const S zero(0.0);
  const Vec3T<S>& old = c.impulse;
  // how tangential velocities yield while the normal one stays; a direction that does not is left
  // out of the inverse
  const S a = c.t11 - c.t1n * c.t1n * c.inverse_nn, b = c.t22 - c.t2n * c.t2n * c.inverse_nn;
  const S ab = c.t12 - c.t1n * c.t2n * c.inverse_nn;
  const S apart = square_root(0.25 * (a - b) * (a - b) + ab * ab);
  const S enough = 1e-8 * (c.t11 + c.t22);
  const S big = 0.5 * (a + b) + apart;
  const S small = select(big > enough, (a * b - ab * ab) / big, zero);
  const auto regular = small > enough;
  const S both = select(regular, 1.0 / (big * small), zero);
  const S one = select(big > enough, 1.0 / (2.0 * apart * big), zero);
  const S stick11 = select(regular, b * both, (a - small) * one);
  const S stick22 = select(regular, a * both, (b - small) * one);
  const S stick12 = select(regular, -ab * both, ab * one);

  // does it stick?
  const S excess = (v.z - c.target) * c.inverse_nn;
  const S v1 = v.x - c.t1n * excess, v2 = v.y - c.t2n * excess;
  const S d1 = stick11 * v1 + stick12 * v2, d2 = stick12 * v1 + stick22 * v2;
  S f1 = old.x - d1, f2 = old.y - d2;
  S n = old.z - excess + (c.t1n * d1 + c.t2n * d2) * c.inverse_nn;
  const S limit = c.friction * maximum(n, zero);
  const auto slides = f1 * f1 + f2 * f2 > limit * limit;

  // if not, the direction: friction at the normal impulse that there is without its change
  const S alone = maximum(zero, old.z - excess);
  const S step = alone - old.z, bound = c.friction * alone;
  S g1 = old.x, g2 = old.y;
  slide(c, bound, v.x + c.t1n * step, v.y + c.t2n * step, g1, g2);
  // inside the cone that friction pushes along; what would make it stick does not
  const auto inside = g1 * g1 + g2 * g2 < bound * bound * (1 - 1e-12);
  g1 = select(inside, f1, g1), g2 = select(inside, f2, g2);
  // along it both are found at once, unless friction only presses harder than it is pressed: then
  // it will stick in the end
  const S length = square_root(g1 * g1 + g2 * g2);
  const S along = length + c.friction * (c.t1n * g1 + c.t2n * g2) * c.inverse_nn;
  const auto yields = along > 0.05 * length;
  const S needed = old.z - excess + (c.t1n * old.x + c.t2n * old.y) * c.inverse_nn;
  const S m = select(yields, needed * length / select(yields, along, S(1.0)), alone);
  const S scale = c.friction * m / select(length > zero, length, S(1.0));
  f1 = select(slides, g1 * scale, f1), f2 = select(slides, g2 * scale, f2);
  n = select(slides, m, n);
  // without any impulse they may part by themselves
  const auto touches = needed > zero;
  return {select(touches, f1, zero), select(touches, f2, zero),
          select(touches, maximum(n, zero), zero)};
}

// The impulse of one contact that obeys the laws while all others stay, and its velocity with the
// present one.
template <class S>
Vec3T<S> improved_impulse(const ContactBlock<S>& c, const Vec3T<S>& v) {
  const S zero(0.0);
  const auto coupled = c.friction * c.coupling > S(0.5);
  if (lanes<S> == 1 && any(coupled)) return coupled_impulse(c, v);
  const S n = maximum(zero, c.impulse.z - (v.z - c.target) * c.inverse_nn);
  const S change = n - c.impulse.z;
  const S v1 = v.x + c.t1n * change, v2 = v.y + c.t2n * change;
  const S limit = c.friction * n;
  // does it stick?
  S f1 = c.impulse.x - (c.stick11 * v1 + c.stick12 * v2);
  S f2 = c.impulse.y - (c.stick12 * v1 + c.stick22 * v2);
  const auto slides = f1 * f1 + f2 * f2 > limit * limit;
  if (any(slides)) {
    S g1 = c.impulse.x, g2 = c.impulse.y;
    slide(c, limit, v1, v2, g1, g2);
    f1 = select(slides, g1, f1), f2 = select(slides, g2, f2);
  }
  if (any(coupled)) {
    const Vec3T<S> together = coupled_impulse(c, v);
    return {select(coupled, together.x, f1), select(coupled, together.y, f2),
            select(coupled, together.z, n)};
  }
  return {f1, f2, n};
}

// By how much the velocities of the contacts that act changed in a sweep.
template <class S>
struct SweepChange {
  S squares{}, acting{};
  void add(const S& change, const S& impulse) {
    squares += change * change;
    acting += select(impulse > S(0.0), S(1.0), S(0.0));
  }
};

// Lanes in which the velocities of contacts still change by more than the tolerance (root mean
// square) go on.
template <class S, class Relax>
ContactEffort iterate(int first, int last, int iterations, double tolerance, Relax&& relax) {
  ContactEffort effort;
  auto active = S(1.0) > S(0.0);
  for (int n = 0; n < iterations && any(active); ++n) {
    check_interrupt();
    SweepChange<S> change;
    // forwards and backwards in turn: news travels both ways
    if (n % 2 == 0) {
      for (int i = first; i < last; ++i) relax(i, active, change);
    } else {
      for (int i = last - 1; i >= first; --i) relax(i, active, change);
    }
    active = change.squares > change.acting * (tolerance * tolerance);
    effort.iterations = n + 1;
    effort.change = 0;
    for (int k = 0; k < lanes<S>; ++k) {
      const double mean = lane(change.squares, k) / std::max(lane(change.acting, k), 1.0);
      effort.change = std::max(effort.change, std::sqrt(mean));
    }
  }
  return effort;
}

// Solves one contact while the others stay.
template <int known, class S, class Active>
void relax(ContactBlock<S>& c, const Active& active, ContactSystem<S>& system,
           SweepChange<S>& all) {
  if (is_idle<known>(system, c)) return;
  const Vec3T<S> next = improved_impulse(c, c.free + velocity_of<known>(system, c));
  const S zero(0.0);
  const Vec3T<S> change{select(active, next.x - c.impulse.x, zero),
                        select(active, next.y - c.impulse.y, zero),
                        select(active, next.z - c.impulse.z, zero)};
  c.impulse += change;
  add_impulse<known>(c, change, system);
  const S tangential = (absolute(change.x) + absolute(change.y)) * (c.t11 + c.t22);
  all.add(maximum(absolute(change.z) * c.nn, tangential), c.impulse.z);
}

template <class S>
[[gnu::flatten]] ContactEffort solve_contacts(ContactSystem<S>& system, int first, int last,
                                              int iterations, double tolerance) {
  sum_impulses(system, first, last);
  const auto relax_one = [&](int i, const auto& active, SweepChange<S>& change) {
    ContactBlock<S>& c = system.contacts[static_cast<std::size_t>(i)];
    // two lone bodies, or one and the ground
    if (c.groups == 4) return relax<4>(c, active, system, change);
    if (c.groups == 2) return relax<2>(c, active, system, change);
    relax<0>(c, active, system, change);
  };
  return iterate<S>(first, last, iterations, tolerance, relax_one);
}

template <class S>
void limit_bounces(ContactSystem<S>& system, int first, int last, int iterations, double tolerance,
                   std::vector<Vec3T<S>>& kept) {
  const S zero(0.0);
  const auto at = [&](int i) -> ContactBlock<S>& {
    return system.contacts[static_cast<std::size_t>(i)];
  };
  bool bounces = false;
  for (int i = first; i < last && !bounces; ++i) bounces = any(at(i).target > at(i).rest_target);
  if (!bounces) return;
  // energy of impulses: lambda . (free + W s / 2)
  S energy = zero, scale = zero;
  // impulse and velocity of each contact with its bounce
  kept.clear();
  for (int i = first; i < last; ++i) {
    const ContactBlock<S>& c = at(i);
    const Vec3T<S> u = velocity_of(system, c);
    kept.push_back(c.impulse);
    kept.push_back(u);
    energy += dot(c.impulse, c.free + u * 0.5);
    scale += absolute(dot(c.impulse, c.free));
  }
  const auto grows = energy > scale * 1e-12;
  if (!any(grows)) return;

  for (int i = first; i < last; ++i) std::swap(at(i).target, at(i).rest_target);
  solve_contacts<S>(system, first, last, iterations, tolerance);
  for (int i = first; i < last; ++i) std::swap(at(i).target, at(i).rest_target);

  // along the straight line from there: a parabola that crosses zero once on the way
  S start = zero, slope = zero, bend = zero;
  for (int i = first; i < last; ++i) {
    const ContactBlock<S>& c = at(i);
    const std::size_t n = 2 * static_cast<std::size_t>(i - first);
    const Vec3T<S> u = velocity_of(system, c), change = kept[n] - c.impulse;
    start += dot(c.impulse, c.free + u * 0.5);
    slope += dot(change, c.free + u);
    bend += 0.5 * dot(change, kept[n + 1] - u);
  }
  start = minimum(start, zero);
  const S root = square_root(maximum(zero, slope * slope - 4.0 * bend * start));
  const S denominator = slope + root;
  S part = select(denominator > zero, (-2.0 * start) / denominator, zero);
  part = minimum(maximum(part, zero), S(1.0));
  part = select(grows, part, S(1.0));
  for (int i = first; i < last; ++i) {
    ContactBlock<S>& c = at(i);
    const Vec3T<S>& bounced = kept[2 * static_cast<std::size_t>(i - first)];
    const Vec3T<S> limited = c.impulse + (bounced - c.impulse) * part;
    // lanes that did not grow keep their bits
    c.impulse = {select(grows, limited.x, bounced.x), select(grows, limited.y, bounced.y),
                 select(grows, limited.z, bounced.z)};
  }
  sum_impulses(system, first, last);
}

template <class S>
ContactEffort solve_pushes(ContactSystem<S>& system, int first, int last, int iterations,
                           double tolerance) {
  for (int i = first; i < last; ++i) {
    ContactBlock<S>& c = system.contacts[static_cast<std::size_t>(i)];
    c.push = S(0.0);
    for (int g = c.first_group; g < c.first_group + c.groups; ++g) {
      S* at = system.s_push.data() + system.group_slot[static_cast<std::size_t>(g)];
      std::fill(at, at + 4, S(0.0));
    }
  }
  const auto relax_one = [&](int i, const auto& active, SweepChange<S>& all) {
    ContactBlock<S>& c = system.contacts[static_cast<std::size_t>(i)];
    const RowGroup<S>* group = system.rows.data() + c.first_group;
    const int* place = system.group_slot.data() + c.first_group;
    Quad<S> v{};
    for (int g = 0; g < c.groups; ++g) {
      v.add_product(Quad<S>::load(group[g].w[2]), Quad<S>::load(system.s_push.data() + place[g]));
    }
    const S zero(0.0);
    const S next = maximum(zero, c.push - (v.sum() - c.push_target) * c.inverse_nn);
    const S change = select(active, next - c.push, zero);
    c.push += change;
    for (int g = 0; g < c.groups; ++g) {
      S* at = system.s_push.data() + place[g];
      Quad<S> s = Quad<S>::load(at);
      s.add_product(Quad<S>::load(group[g].w[2]), change);
      s.store(at);
    }
    all.add(change * c.nn, c.push);
  };
  return iterate<S>(first, last, iterations, tolerance, relax_one);
}

template <class S>
void contact_response(const Model& model, const Dynamics<S>& d, const std::vector<S>& s,
                      ContactSystem<S>& system, S* dv) {
  for (const LinkRange& range : d.kinematics.awake) {
    for (int v = range.first_v; v < range.last_v; ++v) {
      const auto n = static_cast<std::size_t>(v), m = static_cast<std::size_t>(system.slot[n]);
      system.felt[n] = s[m] / system.root[m];
    }
  }
  respond(model, d, system.felt.data(), dv, system.motion.data());
}

}  // namespace molejo
