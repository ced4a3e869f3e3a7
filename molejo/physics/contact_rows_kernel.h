// The rows W of contacts through the tree's factor: bodies of the templates of contact_system.h
// that make a system; contact_system_kernel.h has those that solve it.
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

// What solves a contact, from its own block.
template <class S>
void set_inverses(ContactBlock<S>& c) {
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
  set_inverses(c);
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

}  // namespace molejo
