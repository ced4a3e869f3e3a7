// Bodies of the templates declared in contact_system.h, for the two files that instantiate them.
#pragma once

#include <algorithm>
#include <functional>

#include "molejo/physics/contact_system.h"
#include "molejo/physics/dynamics_kernel.h"

namespace molejo {

// Four numbers at neighbouring freedoms: one register for a single world, four for a pack of them.
// Sums over freedoms go lane by lane, then pairwise, so that both add in the same order.
template <class S>
struct Quad;

template <>
struct Quad<double> {
  Pack4 x;
  static Quad load(const double* p) {
    Quad q;
    std::memcpy(&q.x.v, p, sizeof q.x.v);
    return q;
  }
  void store(double* p) const { std::memcpy(p, &x.v, sizeof x.v); }
  void add_product(const Quad& a, const Quad& b) { x += a.x * b.x; }
  void add_product(const Quad& a, double f) { x += a.x * Pack4(f); }
  double sum() const { return (x[0] + x[1]) + (x[2] + x[3]); }
  // three sums at once, each in the same order
  static Vec3 sums(const Quad& a, const Quad& b, const Quad& c) {
    using Lanes = Pack4::Lanes;
    const Lanes ab = __builtin_shufflevector(a.x.v, b.x.v, 0, 4, 2, 6) +
                     __builtin_shufflevector(a.x.v, b.x.v, 1, 5, 3, 7);
    const Lanes cc = c.x.v + __builtin_shufflevector(c.x.v, c.x.v, 1, 0, 3, 2);
    return {ab[0] + ab[2], ab[1] + ab[3], cc[0] + cc[2]};
  }
};

template <>
struct Quad<Pack4> {
  Pack4 x[4];
  static Quad load(const Pack4* p) { return {{p[0], p[1], p[2], p[3]}}; }
  void store(Pack4* p) const {
    for (int i = 0; i < 4; ++i) p[i] = x[i];
  }
  void add_product(const Quad& a, const Quad& b) {
    for (int i = 0; i < 4; ++i) x[i] += a.x[i] * b.x[i];
  }
  void add_product(const Quad& a, const Pack4& f) {
    for (int i = 0; i < 4; ++i) x[i] += a.x[i] * f;
  }
  Pack4 sum() const { return (x[0] + x[1]) + (x[2] + x[3]); }
  static Vec3T<Pack4> sums(const Quad& a, const Quad& b, const Quad& c) {
    return {a.sum(), b.sum(), c.sum()};
  }
};

template <class S>
ContactSystem<S>::ContactSystem(const Model& model)
    : slot(static_cast<std::size_t>(model.nv)),
      lone(model.links.size()),
      tree(model.links.size()),
      motion(model.links.size()) {
  int next = 0;
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    const Tree& range = model.trees[t];
    const bool is_lone = model.links[static_cast<std::size_t>(range.first_link)].lone;
    for (int v = range.first_v; v < range.last_v; ++v) {
      const int place = v - range.first_v;
      slot[static_cast<std::size_t>(v)] = next + place + (is_lone && place >= 3 ? 1 : 0);
    }
    next += (range.last_v - range.first_v + 3) / 4 * 4;
    double mass = 0;
    for (int i = range.first_link; i < range.last_link; ++i) {
      tree[static_cast<std::size_t>(i)] = static_cast<int>(t);
      mass += model.links[static_cast<std::size_t>(i)].mass;
    }
    // what yields a billion times less than the free mass would is rounding
    yielding.push_back(mass > 0 ? 1e-9 / mass : 0);
  }
  s.resize(static_cast<std::size_t>(next));
  s_push.resize(s.size());
  root.resize(s.size());
  felt.resize(static_cast<std::size_t>(model.nv));
  for (const Link& link : model.links) {
    if (!link.lone) continue;
    S* at = root.data() + slot[static_cast<std::size_t>(link.v)];
    for (int j = 0; j < 3; ++j) {
      at[j] = S(std::sqrt(1 / link.mass));
      at[4 + j] = S(std::sqrt(link.turn_d_inverse[j]));
    }
  }
}

template <class S>
void set_lone_rows(const Link& link, const BodyMotion<S>& body, const Vec3T<S>* axes,
                   LoneRows<S>& rows) {
  const double root = std::sqrt(1 / link.mass);
  for (int j = 0; j < 3; ++j) {
    const Vec3T<S> move = axes[j] * root, turn = body.R * link.turn_W[j];
    for (int k = 0; k < 3; ++k) rows.move[k][j] = move[k], rows.turn[k][j] = turn[k];
  }
}

template <class S>
void start_contacts(const Model& model, const Dynamics<S>& d, ContactSystem<S>& system) {
  system.contacts.clear();
  system.group_slot.clear();
  std::fill(system.s.begin(), system.s.end(), S(0.0));
  std::fill(system.s_push.begin(), system.s_push.end(), S(0.0));
  outward(d.kinematics, [&](std::size_t i) {
    const Link& link = model.links[i];
    if (link.lone) {
      set_lone_rows(link, d.kinematics.bodies[i], d.kinematics.axes.data() + link.v,
                    system.lone[i]);
      return;
    }
    for (int v = link.v; v < link.v + link.translations + link.rotations; ++v) {
      const auto n = static_cast<std::size_t>(v);
      // what follows a path takes part in no contact, and divides nothing by zero
      S& root = system.root[static_cast<std::size_t>(system.slot[n])];
      root = link.follows >= 0 ? S(1.0) : square_root(d.freedoms[n].d_inverse);
    }
  });
}

// Carries impulses E (one direction each lane, or one world each) on a body at its joint point to
// the root, and hands what each freedom feels to `felt(velocity index, value)`.
template <class S, class E, class Felt>
void carry_to_root(const Model& model, const Dynamics<S>& d, int body, Vec3T<E> n, Vec3T<E> f,
                   Felt&& felt) {
  for (int i = body; i >= 0;) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    for (int j = link.v; j < link.v + link.translations + link.rotations; ++j) {
      const auto m = static_cast<std::size_t>(j);
      const FreedomFactor<S>& factor = d.freedoms[m];
      const E u = dot(d.kinematics.axes[m], j < link.v + link.translations ? f : n);
      felt(j, u);
      const E g = u * E(factor.d_inverse);
      n -= Vec3T<E>{g * factor.U_angular.x, g * factor.U_angular.y, g * factor.U_angular.z};
      f -= Vec3T<E>{g * factor.U_linear.x, g * factor.U_linear.y, g * factor.U_linear.z};
    }
    n += cross(d.kinematics.bodies[static_cast<std::size_t>(i)].r, f);
    i = link.parent;
  }
}

// Places of the freedoms from a body to the root, in groups, appended in descending order.
template <class S>
void add_groups(const Model& model, int body, ContactSystem<S>& system) {
  if (body < 0) return;
  if (const Link& link = model.links[static_cast<std::size_t>(body)]; link.lone) {
    const int base = system.slot[static_cast<std::size_t>(link.v)];
    const int groups[] = {base + 4, base};
    system.group_slot.insert(system.group_slot.end(), groups, groups + 2);
    return;
  }
  int lowest = static_cast<int>(system.s.size()) / 4;
  for (int i = body; i >= 0;) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    const int count = link.translations + link.rotations;
    if (count > 0) {
      const int first = system.slot[static_cast<std::size_t>(link.v)] / 4;
      const int last = system.slot[static_cast<std::size_t>(link.v + count - 1)] / 4;
      for (int g = std::min(last, lowest - 1); g >= first; --g) system.group_slot.push_back(4 * g);
      lowest = std::min(lowest, first);
    }
    i = link.parent;
  }
}

// Two ways in one tree: the union of their groups, in descending order.
template <class S>
void add_shared_groups(const Model& model, int body_a, int body_b, ContactSystem<S>& system) {
  const auto first = static_cast<std::ptrdiff_t>(system.group_slot.size());
  add_groups(model, body_a, system);
  add_groups(model, body_b, system);
  const auto begin = system.group_slot.begin() + first;
  std::sort(begin, system.group_slot.end(), std::greater<int>());
  system.group_slot.erase(std::unique(begin, system.group_slot.end()), system.group_slot.end());
}

// Finds the group of each freedom on the way to the root: never far from that of the last one.
struct GroupCursor {
  const int* slots;
  int at;
  int find(int slot) {
    const int start = slot & ~3;
    while (slots[at] > start) ++at;
    while (slots[at] < start) --at;
    return at;
  }
};

// W rows of a lone body's impulses along the axes, times `sign`, into its two groups.
template <class S>
void set_rows(const LoneRows<S>& lone, const Vec3T<S>& arm, const Vec3T<S>* axis, double sign,
              RowGroup<S>* groups) {
  const auto combined = [](const S(&columns)[3][4], const Vec3T<S>& x, S* row) {
    Quad<S> sum{};
    sum.add_product(Quad<S>::load(columns[0]), x.x);
    sum.add_product(Quad<S>::load(columns[1]), x.y);
    sum.add_product(Quad<S>::load(columns[2]), x.z);
    sum.store(row);
  };
  for (int k = 0; k < 3; ++k) {
    const Vec3T<S> f = axis[k] * sign;
    combined(lone.turn, cross(arm, f), groups[0].w[k]);
    combined(lone.move, f, groups[1].w[k]);
  }
}

// W rows of any other body, added to the groups from `first` on.
inline void carry_rows(const Model& model, const Dynamics<double>& d, int body, const Vec3& arm,
                       const Vec3* axis, double sign, int first, ContactSystem<double>& system) {
  Vec3T<Pack4> f;
  for (int k = 0; k < 3; ++k) {
    f.x.set(k, sign * axis[k].x), f.y.set(k, sign * axis[k].y), f.z.set(k, sign * axis[k].z);
  }
  GroupCursor cursor{system.group_slot.data(), first};
  carry_to_root(model, d, body, cross(arm, f), f, [&](int v, const Pack4& u) {
    const int slot = system.slot[static_cast<std::size_t>(v)];
    RowGroup<double>& group = system.rows[static_cast<std::size_t>(cursor.find(slot))];
    const Pack4 w = u * Pack4(system.root[static_cast<std::size_t>(slot)]);
    for (int k = 0; k < 3; ++k) group.w[k][slot & 3] += w[k];
  });
}

inline void carry_rows(const Model& model, const Dynamics<Pack4>& d, int body,
                       const Vec3T<Pack4>& arm, const Vec3T<Pack4>* axis, double sign, int first,
                       ContactSystem<Pack4>& system) {
  for (int k = 0; k < 3; ++k) {
    const Vec3T<Pack4> f = axis[k] * sign;
    GroupCursor cursor{system.group_slot.data(), first};
    carry_to_root(model, d, body, cross(arm, f), f, [&](int v, const Pack4& u) {
      const int slot = system.slot[static_cast<std::size_t>(v)];
      RowGroup<Pack4>& group = system.rows[static_cast<std::size_t>(cursor.find(slot))];
      group.w[k][slot & 3] += u * system.root[static_cast<std::size_t>(slot)];
    });
  }
}

// Two unit vectors perpendicular to a unit normal and to each other (Duff et al., "Building an
// orthonormal basis, revisited", 2017).
template <class S>
void set_tangents(const Vec3T<S>& n, Vec3T<S>* axis) {
  const S sign = select(n.z < S(0.0), S(-1.0), S(1.0));
  const S a = -1.0 / (sign + n.z);
  const S b = n.x * n.y * a;
  axis[0] = {1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
  axis[1] = {b, sign + n.y * n.y * a, -n.y};
  axis[2] = n;
}

// W W^T of the contact alone and its inverses.
template <class S>
void finish_contact(const ContactSystem<S>& system, ContactBlock<S>& c) {
  Quad<S> t11{}, t12{}, t22{}, t1n{}, t2n{}, nn{};
  for (int g = c.first_group; g < c.first_group + c.groups; ++g) {
    const RowGroup<S>& group = system.rows[static_cast<std::size_t>(g)];
    const Quad<S> w1 = Quad<S>::load(group.w[0]), w2 = Quad<S>::load(group.w[1]),
                  w3 = Quad<S>::load(group.w[2]);
    t11.add_product(w1, w1), t12.add_product(w1, w2), t22.add_product(w2, w2);
    t1n.add_product(w1, w3), t2n.add_product(w2, w3), nn.add_product(w3, w3);
  }
  const Vec3T<S> tangential = Quad<S>::sums(t11, t12, t22), normal = Quad<S>::sums(t1n, t2n, nn);
  c.t11 = tangential.x, c.t12 = tangential.y, c.t22 = tangential.z;
  c.t1n = normal.x, c.t2n = normal.y, c.nn = normal.z;

  const S least(c.yielding), zero(0.0);
  c.inverse_nn = select(c.nn > least, 1.0 / c.nn, zero);
  const S half = 0.5 * (c.t11 - c.t22);
  const S largest = 0.5 * (c.t11 + c.t22) + square_root(half * half + c.t12 * c.t12);
  c.slide = select(largest > least, 1.0 / largest, zero);
  // a direction that does not yield must not make the inverse blow up
  const S soft = 1e-9 * largest;
  const S a = c.t11 + soft, b = c.t22 + soft;
  const S determinant = a * b - c.t12 * c.t12;
  const S inverse = select(largest > least, 1.0 / determinant, zero);
  c.stick11 = b * inverse, c.stick12 = -c.t12 * inverse, c.stick22 = a * inverse;
  c.coupling = square_root(c.t1n * c.t1n + c.t2n * c.t2n) * c.inverse_nn;
}

template <class S>
int tree_of(const ContactSystem<S>& system, int body) {
  return body < 0 ? -1 : system.tree[static_cast<std::size_t>(body)];
}

template <class S>
ContactBlock<S>& place_contact(const Model& model, int body_a, int body_b,
                               ContactSystem<S>& system) {
  ContactBlock<S>& c = system.contacts.emplace_back();
  c.body_a = body_a, c.body_b = body_b;
  c.first_group = c.first_group_b = static_cast<int>(system.group_slot.size());
  const int tree_a = tree_of(system, body_a), tree_b = tree_of(system, body_b);
  if (tree_a == tree_b && tree_a >= 0) {
    add_shared_groups(model, body_a, body_b, system);
  } else {
    add_groups(model, body_a, system);
    c.first_group_b = static_cast<int>(system.group_slot.size());
    add_groups(model, body_b, system);
  }
  c.groups = static_cast<int>(system.group_slot.size()) - c.first_group;
  if (system.rows.size() < system.group_slot.size()) {
    system.rows.resize(2 * system.group_slot.size());
  }
  return c;
}

template <class S>
[[gnu::flatten]] void fill_contact(const Model& model, const Dynamics<S>& d, const Vec3T<S>& p_a,
                                   const Vec3T<S>& p_b, const Vec3T<S>& normal, ContactBlock<S>& c,
                                   ContactSystem<S>& system) {
  set_tangents(normal, c.axis);
  RowGroup<S>* rows = system.rows.data();
  // two bodies of one tree share groups
  const auto adds = [&](int body) {
    return body >= 0 && !model.links[static_cast<std::size_t>(body)].lone;
  };
  if (adds(c.body_a) || adds(c.body_b)) {
    std::fill(rows + c.first_group, rows + c.first_group + c.groups, RowGroup<S>{});
  }
  const auto carry = [&](int body, const Vec3T<S>& p, double sign, int first) {
    if (body < 0) return;
    const auto i = static_cast<std::size_t>(body);
    const Vec3T<S> arm = p - d.kinematics.bodies[i].p;
    if (model.links[i].lone) {
      set_rows(system.lone[i], arm, c.axis, sign, rows + first);
    } else {
      carry_rows(model, d, body, arm, c.axis, sign, first, system);
    }
    const auto tree = static_cast<std::size_t>(tree_of(system, body));
    c.yielding = std::max(c.yielding, system.yielding[tree]);
  };
  carry(c.body_a, p_a, 1, c.first_group);
  carry(c.body_b, p_b, -1, c.first_group_b);
  finish_contact(system, c);
}

template <class S>
ContactBlock<S>& add_contact(const Model& model, const Dynamics<S>& d, int body_a, int body_b,
                             const Vec3T<S>& p_a, const Vec3T<S>& p_b, const Vec3T<S>& normal,
                             ContactSystem<S>& system) {
  ContactBlock<S>& c = place_contact(model, body_a, body_b, system);
  fill_contact(model, d, p_a, p_b, normal, c, system);
  return c;
}

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
void limit_bounces(ContactSystem<S>& system, int first, int last, int iterations,
                   double tolerance) {
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
  static thread_local std::vector<Vec3T<S>> kept;
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
  solve_contacts(system, first, last, iterations, tolerance);
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
