#include "molejo/physics/penalty.h"

#include <algorithm>

#include "molejo/math/interrupt.h"

namespace molejo {

namespace {

const ContactRule& rule_of(const Model& model, const Contact& c) {
  return model.rule(model.colliders[static_cast<std::size_t>(c.a)],
                    model.colliders[static_cast<std::size_t>(c.b)]);
}

void find_points(const Model& model, const Kinematics<double>& k, Penalty& penalty) {
  Contacts& contacts = penalty.contacts;
  find_pairs(model, k, penalty.margin, contacts);
  penalty.found.list.clear();
  for (Contacts::Pair& pair : contacts.pairs) {
    if (!pair.may_touch || pair.rigid) continue;
    check_interrupt();
    check_count(penalty.found.list.size(), contacts);
    const double reach = model
                             .rule(model.colliders[static_cast<std::size_t>(pair.a)],
                                   model.colliders[static_cast<std::size_t>(pair.b)])
                             .reach;
    add_contacts(model, reach, pair, contacts, penalty.found);
  }
  std::swap(contacts.list, penalty.found.list);
}

void push(const Vec3& p, const Vec3& force, int body, Dynamics<double>& d) {
  const auto i = static_cast<std::size_t>(body);
  d.applied[i].linear += force;
  d.applied[i].angular += cross(p - d.kinematics.bodies[i].p, force);
}

}  // namespace

Penalty::Penalty(const Model& model) : contacts(model) {
  contacts.keeps_points = false;
  double reach = 0;
  for (const ContactRule& rule : model.contact_rules) {
    if (rule.response == Response::penalty) reach = std::max(reach, rule.reach);
  }
  margin.assign(model.colliders.size(), 0.5 * reach + 1e-9);
}

bool has_penalty(const Model& model) {
  return model.contact.enabled &&
         std::any_of(model.contact_rules.begin(), model.contact_rules.end(),
                     [](const ContactRule& rule) { return rule.response == Response::penalty; });
}

void apply_penalty(const Model& model, Dynamics<double>& d, Penalty& penalty) {
  find_points(model, d.kinematics, penalty);
  std::vector<Contact>& list = penalty.contacts.list;
  penalty.force.assign(list.size(), 0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    Contact& c = list[i];
    const ContactRule& rule = rule_of(model, c);
    c.approach = dot(c.normal, point_velocity(d.kinematics, {c.body_a}, c.p_a) -
                                   point_velocity(d.kinematics, {c.body_b}, c.p_b));
    const double f =
        std::max(0.0, rule.stiffness * (rule.reach - c.gap) - rule.damping * c.approach);
    penalty.force[i] = f;
    push(c.p_a, c.normal * f, c.body_a, d);
    push(c.p_b, c.normal * -f, c.body_b, d);
  }
}

double penalty_energy(const Model& model, const Kinematics<double>& k, Penalty& penalty) {
  find_points(model, k, penalty);
  double energy = 0;
  for (const Contact& c : penalty.contacts.list) {
    const ContactRule& rule = rule_of(model, c);
    energy += 0.5 * rule.stiffness * (rule.reach - c.gap) * (rule.reach - c.gap);
  }
  return energy;
}

}  // namespace molejo
