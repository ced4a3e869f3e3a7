#include "molejo/physics/impact.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/interrupt.h"
#include "molejo/physics/contact_solve.h"
#include "molejo/physics/index.h"

namespace molejo {

namespace {

constexpr double never = -1e30;    // a normal velocity that nothing falls below
constexpr double resting = 1e-10;  // m/s: slower is not approaching
constexpr int max_rounds = 200;    // of a chain of impacts
constexpr int max_iterations = 2000;
constexpr double velocity_tolerance = 1e-13;  // m/s

Vec3 along(const ContactBlock<double>& c, const Vec3& x) {
  return {dot(c.axis[0], x), dot(c.axis[1], x), dot(c.axis[2], x)};
}
Vec3 in_world(const ContactBlock<double>& c, const Vec3& x) {
  return c.axis[0] * x.x + c.axis[1] * x.y + c.axis[2] * x.z;
}
Mat3 mobility(const ContactBlock<double>& c) {
  return {{c.t11, c.t12, c.t1n}, {c.t12, c.t22, c.t2n}, {c.t1n, c.t2n, c.nn}};
}

void update_free_velocities(const Model& model, const std::vector<Contact>& contacts, const VecX& v,
                            Dynamics<double>& d, ContactSystem<double>& system) {
  update_velocities(model, v.data(), d.kinematics);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& c = contacts[i];
    system.contacts[i].free =
        along(system.contacts[i], point_velocity(d.kinematics, {c.body_a}, c.p_a) -
                                      point_velocity(d.kinematics, {c.body_b}, c.p_b));
  }
}

bool is_analytic(const Model& model, const Contact& c) {
  return model.rule(model.colliders[index(c.a)], model.colliders[index(c.b)]).response ==
         Response::analytic;
}

// Sets up one round: the contacts that approach, all others left out. An analytic contact is alone
// in its round: the one that approaches fastest. Returns false when none approaches.
bool choose(const Model& model, const std::vector<Contact>& contacts, bool bounce,
            ContactSystem<double>& system) {
  int single = -1, approaching = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    ContactBlock<double>& block = system.contacts[i];
    block.impulse = {};
    block.target = block.rest_target = never;
    block.friction = 0;
    const double u = block.free.z;
    if (!(u < -resting) || block.inverse_nn == 0) continue;
    ++approaching;
    const bool bounces = bounce && u < -model.contact.rest_speed;
    block.target = bounces ? -contacts[i].restitution * u : 0;
    block.rest_target = 0;
    block.friction = contacts[i].friction;
    if (is_analytic(model, contacts[i]) &&
        (single < 0 || u < system.contacts[index(single)].free.z))
      single = static_cast<int>(i);
  }
  if (single >= 0) {
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      if (static_cast<int>(i) != single) {
        system.contacts[i].target = system.contacts[i].rest_target = never;
      }
    }
    ContactBlock<double>& block = system.contacts[index(single)];
    const double e = block.target > 0 ? contacts[index(single)].restitution : 0;
    block.impulse = analytic_impulse(mobility(block), block.free, block.friction, e);
  }
  return approaching > 0;
}

}  // namespace

Vec3 analytic_impulse(const Mat3& K, const Vec3& u, double friction, double restitution) {
  // no slip: K P = -u
  Vec3 P = inverse(K) * -u;
  const double tangential = std::sqrt(P.x * P.x + P.y * P.y);
  if (tangential > friction * P.z) {
    // slides along the tangent of the no-slip impulse: P = d p, d = k + friction t
    const Vec3 t = tangential > 0 ? Vec3{P.x / tangential, P.y / tangential, 0} : Vec3{};
    const Vec3 d{friction * t.x, friction * t.y, 1};
    const double yields = dot(K.r2, d);
    // friction that only presses harder than it is pressed would make the impulse pull: left out
    P = yields > 0 ? d * (-u.z / yields) : Vec3{0, 0, -u.z / K.r2.z};
  }
  return P * (1 + restitution);
}

ImpactReport resolve_impact(const Model& model, std::vector<Contact>& contacts, VecX& v,
                            Dynamics<double>& d, Loops& loops, ContactSystem<double>& system) {
  ImpactReport report;
  for (int i = 0; i < model.nv; ++i) d.inertia[index(i)] = model.drives[index(i)].armature;
  factorize(model, d);
  factorize_loops(model, d, loops);
  start_contacts(model, d, system);
  for (Contact& c : contacts) {
    const int a = can_be_pushed(model, c.body_a) ? c.body_a : -1;
    const int b = can_be_pushed(model, c.body_b) ? c.body_b : -1;
    check_interrupt();
    add_contact(model, d, a, b, c.p_a, c.p_b, c.normal, system);
    keep_loops_closed(model, loops, system);
    c.impulse = {};
  }

  VecX changed = v;
  std::vector<double> dv(index(model.nv));
  const int count = static_cast<int>(contacts.size());
  for (; report.rounds <= max_rounds; ++report.rounds) {
    update_free_velocities(model, contacts, changed, d, system);
    report.exhausted = report.rounds == max_rounds;
    if (!choose(model, contacts, !report.exhausted, system)) break;
    const bool analytic =
        std::any_of(system.contacts.begin(), system.contacts.end(),
                    [](const ContactBlock<double>& c) { return c.impulse.z > 0; });
    // what an analytic contact gets is settled; the sum still has to be made
    solve_contacts(system, 0, count, analytic ? 0 : max_iterations, velocity_tolerance);
    if (!analytic) limit_bounces(system, 0, count, max_iterations, velocity_tolerance);
    contact_response(model, d, system.s, system, dv.data());
    for (int i = 0; i < model.nv; ++i) changed[i] += dv[index(i)];
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      contacts[i].impulse += in_world(system.contacts[i], system.contacts[i].impulse);
    }
  }
  report.solved = changed.allFinite();
  if (report.solved) v = changed;
  return report;
}

}  // namespace molejo
