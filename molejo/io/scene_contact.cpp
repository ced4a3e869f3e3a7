// What happens where bodies touch: the key "contact" of scenes and assemblies.
#include "molejo/io/scene_elements.h"
#include "molejo/io/scene_keys.h"

namespace molejo {

namespace {

void read_combination(const JsonCursor& object, std::string_view key, Combination& combination) {
  using enum Combination;
  const auto word = object.find(key);
  if (!word) return;
  combination = read_word(*word, "combination", parse_combination,
                          {geometric_mean, mean, smaller, larger, product});
}

void read_sleep(const JsonCursor& cursor, ContactSettings& contact) {
  if (!cursor.is_object()) {
    contact.sleep = cursor.boolean();
    return;
  }
  cursor.expect_keys(scene_keys(SceneObject::sleep));
  cursor.read("enabled", contact.sleep);
  cursor.read_within("speed", bounds_of::speed, contact.sleep_speed);
  cursor.read_within("time", bounds_of::sleep_time, contact.sleep_time);
}

}  // namespace

void read_contact(const JsonCursor& cursor, ContactSettings& contact) {
  if (!cursor.is_object()) {
    contact.enabled = cursor.boolean();
    return;
  }
  cursor.expect_keys(scene_keys(SceneObject::contact));
  cursor.read("enabled", contact.enabled);
  if (const auto combine = cursor.find("combine")) {
    combine->expect_keys(scene_keys(SceneObject::combine));
    read_combination(*combine, "friction", contact.friction);
    read_combination(*combine, "restitution", contact.restitution);
  }
  cursor.read_within("rest_speed", bounds_of::speed, contact.rest_speed);
  if (const auto n = cursor.find("iterations"))
    contact.iterations = n->whole(bounds_of::iterations);
  cursor.read_within("tolerance", bounds_of::tolerance, contact.tolerance);
  cursor.read_between("recovery", 0, 1, contact.recovery);
  cursor.read_within("slop", bounds_of::slop, contact.slop);
  cursor.read_within("distance", bounds_of::distance, contact.distance);
  if (const auto sleep = cursor.find("sleep")) read_sleep(*sleep, contact);
}

PendingContactPair read_contact_pair(const JsonCursor& cursor, const Surroundings& around) {
  cursor.expect_keys(scene_keys(SceneObject::contact_pair));
  PendingContactPair pending;
  const JsonCursor between = cursor.need("between");
  if (!between.is_array() || between.size() != 2) {
    between.fail("expected two names of bodies or groups, \"*\" for any");
  }
  pending.a = read_reference(between[0], around);
  pending.b = read_reference(between[1], around);

  SceneContactPair& pair = pending.pair;
  if (const auto word = cursor.find("response")) {
    using enum Response;
    pair.response = read_word(*word, "response", parse_response, {rigid, penalty, analytic, none});
  }
  if (const auto friction = cursor.find("friction")) pair.friction = friction->not_negative();
  if (const auto e = cursor.find("restitution")) pair.restitution = e->between(0, 1);
  cursor.read("sticks", pair.sticks);
  if (pair.response == Response::penalty) {
    pair.stiffness = cursor.need("stiffness").positive();
  }
  for (const auto& [key, value] :
       {std::pair("stiffness", &pair.stiffness), std::pair("damping", &pair.damping),
        std::pair("reach", &pair.reach)}) {
    const auto item = cursor.find(key);
    if (!item) continue;
    if (pair.response != Response::penalty) item->fail("only for the response \"penalty\"");
    *value = item->not_negative();
  }
  return pending;
}

}  // namespace molejo
