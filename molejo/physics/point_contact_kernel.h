// Bodies of the templates declared in point_contact.h, for the files that instantiate them.
#pragma once

#include <span>

#include "molejo/physics/contact.h"
#include "molejo/physics/contact_system_kernel.h"
#include "molejo/physics/point_contact.h"

namespace molejo {

template <class S>
PointContact<S>::PointContact(const Model& model, std::vector<GroundPoint> ground_points,
                              double friction_)
    : points(std::move(ground_points)),
      friction(friction_),
      allowed(model.links.size(), S(1.0)),
      impulse(points.size()),
      body_impulse(model.links.size()),
      first_point(model.links.size() + 1),
      reach(model.links.size()),
      way(model.links.size()),
      position(static_cast<std::size_t>(model.nv)),
      felt(static_cast<std::size_t>(model.nv)),
      dv(static_cast<std::size_t>(model.nv)),
      motion(model.links.size()) {
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    if (link.parent >= 0) way[i] = way[static_cast<std::size_t>(link.parent)];
    for (int j = 0; j < link.translations + link.rotations; ++j) {
      position[static_cast<std::size_t>(link.v + j)] = static_cast<int>(way[i].size());
      way[i].push_back(link.v + j);
    }
  }
  for (const GroundPoint& point : points) {
    const auto body = static_cast<std::size_t>(point.body);
    ++first_point[body + 1];
    reach[body] = std::max(reach[body], norm(point.p) + point.radius);
  }
  for (std::size_t i = 0; i < model.links.size(); ++i) first_point[i + 1] += first_point[i];
  blocks.reserve(points.size());
  block_point.reserve(points.size());
  block_arm.reserve(points.size());
  bodies.resize(model.links.size());
  std::size_t can_touch = 0;
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    bodies[i].U_a.reserve(felt.size());
    bodies[i].U_l.reserve(felt.size());
    if (first_point[i] < first_point[i + 1]) ++can_touch;
  }
  Y.resize(36 * can_touch * can_touch);
  double mass = 0;
  for (const Link& link : model.links) mass += link.mass;
  yielding = 1e-9 / mass;
}

template <class S>
void forget(PointContact<S>& contact) {
  std::fill(contact.impulse.begin(), contact.impulse.end(), Vec3T<S>{});
}

inline constexpr double near_ground = 2e-3;  // m

// Points of a body that would be that near at the end of the step.
template <class S>
void find_points(int body, const S& h, Dynamics<S>& d, PointContact<S>& contact) {
  const auto n = static_cast<std::size_t>(body);
  const BodyMotion<S>& motion = d.kinematics.bodies[n];
  const S zero(0.0), one(1.0);
  const auto first = contact.blocks.size();
  for (int i = contact.first_point[n]; i < contact.first_point[n + 1]; ++i) {
    const GroundPoint& point = contact.points[static_cast<std::size_t>(i)];
    Vec3T<S> arm = motion.R * point.p;
    arm.z -= point.radius;
    const S gap = motion.p.z + arm.z;
    const S rise = motion.v.z + motion.w.x * arm.y - motion.w.y * arm.x;
    const S meets = select(gap + rise * h < S(near_ground), contact.allowed[n], zero);
    Vec3T<S>& impulse = contact.impulse[static_cast<std::size_t>(i)];
    const auto acts = meets > zero;
    if (!any(acts)) {
      impulse = {};
      continue;
    }
    ContactBlock<S>& c = contact.blocks.emplace_back();
    contact.block_point.push_back(i);
    contact.block_arm.push_back(arm);
    const S closing = gap * select(gap > zero, -one, S(-contact.recovery)) / h;
    c.target = select(acts, closing, S(never_reached));
    c.friction = select(acts, S(contact.friction), zero);
    c.impulse = {select(acts, impulse.x, zero), select(acts, impulse.y, zero),
                 select(acts, impulse.z, zero)};
  }
  if (contact.blocks.size() == first) return;
  TouchingBody<S>& touching = contact.bodies[static_cast<std::size_t>(contact.touching++)];
  touching.body = body;
  touching.first = static_cast<int>(first);
  touching.last = static_cast<int>(contact.blocks.size());
  touching.twist = {motion.w, motion.v};
  touching.wrench = {};
}

// What the freedoms on the way to the root feel of unit torques and forces, as in carry_to_root;
// several at a time, for each alone would wait for itself.
template <class S>
void set_unit_rows(const Model& model, const Dynamics<S>& d, const PointContact<S>& contact,
                   TouchingBody<S>& touching) {
  const auto& way = contact.way[static_cast<std::size_t>(touching.body)];
  touching.U_a.resize(way.size());
  touching.U_l.resize(way.size());
  constexpr int together = 3;
  for (const bool forces : {false, true}) {
    std::vector<Vec3T<S>>& rows = forces ? touching.U_l : touching.U_a;
    Vec3T<S> n[together], f[together];
    for (int k = 0; k < together; ++k) (forces ? f : n)[k][k] = S(1.0);
    for (int i = touching.body; i >= 0;) {
      const Link& link = model.links[static_cast<std::size_t>(i)];
      for (int j = link.v; j < link.v + link.translations + link.rotations; ++j) {
        const auto m = static_cast<std::size_t>(j);
        const FreedomFactor<S>& factor = d.freedoms[m];
        Vec3T<S>& row = rows[static_cast<std::size_t>(contact.position[m])];
        for (int k = 0; k < together; ++k) {
          const S u = dot(d.kinematics.axes[m], j < link.v + link.translations ? f[k] : n[k]);
          row[k] = u;
          const S g = u * factor.d_inverse;
          n[k] -= factor.U_angular * g;
          f[k] -= factor.U_linear * g;
        }
      }
      const Vec3T<S>& r = d.kinematics.bodies[static_cast<std::size_t>(i)].r;
      for (int k = 0; k < together; ++k) n[k] += cross(r, f[k]);
      i = link.parent;
    }
  }
}

// twist of a += Y wrench, Y in rows angular, linear by columns angular, linear.
template <class S>
void set_answer(const Dynamics<S>& d, std::span<const int> common, const TouchingBody<S>& a,
                const TouchingBody<S>& b, S* Y) {
  for (int n = 0; n < 36; ++n) Y[n] = S(0.0);
  for (std::size_t k = 0; k < common.size(); ++k) {
    const S d_inverse = d.freedoms[static_cast<std::size_t>(common[k])].d_inverse;
    const S left[6] = {a.U_a[k].x * d_inverse, a.U_a[k].y * d_inverse, a.U_a[k].z * d_inverse,
                       a.U_l[k].x * d_inverse, a.U_l[k].y * d_inverse, a.U_l[k].z * d_inverse};
    const S right[6] = {b.U_a[k].x, b.U_a[k].y, b.U_a[k].z, b.U_l[k].x, b.U_l[k].y, b.U_l[k].z};
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) Y[6 * i + j] += left[i] * right[j];
    }
  }
}

template <class S>
void answer(const S* Y, const Vec3T<S>& torque, const Vec3T<S>& force, Spatial<S>& twist) {
  const S w[6] = {torque.x, torque.y, torque.z, force.x, force.y, force.z};
  S r[6];
  for (int i = 0; i < 6; ++i) {
    S sum = Y[6 * i] * w[0];
    for (int j = 1; j < 6; ++j) sum += Y[6 * i + j] * w[j];
    r[i] = sum;
  }
  twist.angular += Vec3T<S>{r[0], r[1], r[2]};
  twist.linear += Vec3T<S>{r[3], r[4], r[5]};
}

// How the point of a block yields to forces on it, for improved_impulse.
template <class S>
void set_block(const S* Y, const Vec3T<S>& arm, double yielding, ContactBlock<S>& c) {
  Vec3T<S> column[3];
  for (int k = 0; k < 3; ++k) {
    Vec3T<S> force;
    force[k] = S(1.0);
    Spatial<S> twist;
    answer(Y, cross(arm, force), force, twist);
    column[k] = twist.linear + cross(twist.angular, arm);
  }
  c.t11 = column[0].x, c.t12 = column[1].x, c.t22 = column[1].y;
  c.t1n = column[2].x, c.t2n = column[2].y, c.nn = column[2].z;
  c.yielding = yielding;
  set_inverses(c);
}

template <class S>
void solve_points(PointContact<S>& contact) {
  const auto push = [&](int on, const Vec3T<S>& arm, const Vec3T<S>& impulse) {
    const Vec3T<S> torque = cross(arm, impulse);
    TouchingBody<S>& pushed = contact.bodies[static_cast<std::size_t>(on)];
    pushed.wrench.angular += torque;
    pushed.wrench.linear += impulse;
    for (int a = 0; a < contact.touching; ++a) {
      answer(contact.block(a, on), torque, impulse,
             contact.bodies[static_cast<std::size_t>(a)].twist);
    }
  };
  for (int b = 0; b < contact.touching; ++b) {
    const TouchingBody<S>& body = contact.bodies[static_cast<std::size_t>(b)];
    for (int i = body.first; i < body.last; ++i) {
      const auto n = static_cast<std::size_t>(i);
      push(b, contact.block_arm[n], contact.blocks[n].impulse);
    }
  }
  const auto relax = [&](int i, const auto& active, SweepChange<S>& all) {
    const auto n = static_cast<std::size_t>(i);
    ContactBlock<S>& c = contact.blocks[n];
    const Vec3T<S>& arm = contact.block_arm[n];
    const int b = c.body_a;
    const TouchingBody<S>& body = contact.bodies[static_cast<std::size_t>(b)];
    const Vec3T<S> v = body.twist.linear + cross(body.twist.angular, arm);
    if (!any(c.impulse.z > S(0.0)) && !any(v.z < c.target)) return;
    const Vec3T<S> next = improved_impulse(c, v);
    const S zero(0.0);
    const Vec3T<S> change{select(active, next.x - c.impulse.x, zero),
                          select(active, next.y - c.impulse.y, zero),
                          select(active, next.z - c.impulse.z, zero)};
    c.impulse += change;
    push(b, arm, change);
    const S tangential = (absolute(change.x) + absolute(change.y)) * (c.t11 + c.t22);
    all.add(maximum(absolute(change.z) * c.nn, tangential), c.impulse.z);
  };
  contact.iterations = iterate<S>(0, static_cast<int>(contact.blocks.size()),
                                  contact.most_iterations, contact.tolerance, relax)
                           .iterations;
}

template <class S>
[[gnu::flatten]] void meet_ground(const Model& model, const S& h, S* v, Dynamics<S>& d,
                                  PointContact<S>& contact) {
  contact.blocks.clear();
  contact.block_point.clear();
  contact.block_arm.clear();
  contact.touching = 0;
  contact.iterations = 0;
  contact.total = {};
  std::fill(contact.body_impulse.begin(), contact.body_impulse.end(), S(0.0));
  update_velocities(model, v, d.kinematics);
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    if (contact.first_point[i] == contact.first_point[i + 1]) continue;
    const BodyMotion<S>& b = d.kinematics.bodies[i];
    const S fall = h * (absolute(b.v.z) + contact.reach[i] * (absolute(b.w.x) + absolute(b.w.y)));
    if (!any(b.p.z < contact.reach[i] + near_ground + fall)) {
      for (int n = contact.first_point[i]; n < contact.first_point[i + 1]; ++n) {
        contact.impulse[static_cast<std::size_t>(n)] = {};
      }
      continue;
    }
    find_points(static_cast<int>(i), h, d, contact);
  }
  if (contact.touching == 0) return;

  for (int b = 0; b < contact.touching; ++b) {
    set_unit_rows(model, d, contact, contact.bodies[static_cast<std::size_t>(b)]);
  }
  for (int a = 0; a < contact.touching; ++a) {
    for (int b = 0; b < contact.touching; ++b) {
      const TouchingBody<S>& one = contact.bodies[static_cast<std::size_t>(a)];
      const TouchingBody<S>& two = contact.bodies[static_cast<std::size_t>(b)];
      const auto& way_a = contact.way[static_cast<std::size_t>(one.body)];
      const auto& way_b = contact.way[static_cast<std::size_t>(two.body)];
      const auto apart = std::mismatch(way_a.begin(), way_a.end(), way_b.begin(), way_b.end());
      set_answer(d, std::span(way_a.begin(), apart.first), one, two, contact.block(a, b));
    }
  }
  for (int b = 0; b < contact.touching; ++b) {
    const TouchingBody<S>& body = contact.bodies[static_cast<std::size_t>(b)];
    const S* Y = contact.block(b, b);
    for (int i = body.first; i < body.last; ++i) {
      const auto n = static_cast<std::size_t>(i);
      contact.blocks[n].body_a = b;
      set_block(Y, contact.block_arm[n], contact.yielding, contact.blocks[n]);
    }
  }
  solve_points(contact);

  std::fill(contact.felt.begin(), contact.felt.end(), S(0.0));
  for (int b = 0; b < contact.touching; ++b) {
    const TouchingBody<S>& body = contact.bodies[static_cast<std::size_t>(b)];
    const auto& way = contact.way[static_cast<std::size_t>(body.body)];
    for (std::size_t k = 0; k < way.size(); ++k) {
      contact.felt[static_cast<std::size_t>(way[k])] +=
          dot(body.U_a[k], body.wrench.angular) + dot(body.U_l[k], body.wrench.linear);
    }
    contact.total += body.wrench.linear;
    contact.body_impulse[static_cast<std::size_t>(body.body)] = body.wrench.linear.z;
  }
  for (std::size_t n = 0; n < contact.blocks.size(); ++n) {
    contact.impulse[static_cast<std::size_t>(contact.block_point[n])] = contact.blocks[n].impulse;
  }
  respond(model, d, contact.felt.data(), contact.dv.data(), contact.motion.data());
  for (int i = 0; i < model.nv; ++i) v[i] += contact.dv[static_cast<std::size_t>(i)];
}

}  // namespace molejo
