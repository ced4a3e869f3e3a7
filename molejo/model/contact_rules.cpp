#include "molejo/model/contact_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "molejo/model/checks.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

// Does the pair name this body, its group, or any?
bool names(const std::string& word, const SceneBody& body) {
  return word.empty() || word == body.name || word == body.group;
}

void check_names(const Scene& scene) {
  std::vector<std::string> known;
  for (const SceneBody& body : scene.bodies) {
    known.push_back(body.name);
    if (!body.group.empty()) known.push_back(body.group);
  }
  for (std::size_t i = 0; i < scene.contact_pairs.size(); ++i) {
    for (const std::string& name : {scene.contact_pairs[i].a, scene.contact_pairs[i].b}) {
      if (name.empty() || std::find(known.begin(), known.end(), name) != known.end()) continue;
      throw InputError("contact pair " + std::to_string(i) + ": " +
                       unknown_word("body or group", name, known));
    }
  }
}

// Bodies that are named alike by all pairs are of one kind; the words that name it.
std::vector<int> kinds_of(const Scene& scene, std::vector<const SceneBody*>& representatives) {
  std::map<std::vector<bool>, int> kinds;
  std::vector<int> kind;
  for (const SceneBody& body : scene.bodies) {
    std::vector<bool> named;
    for (const SceneContactPair& pair : scene.contact_pairs) {
      named.push_back(names(pair.a, body));
      named.push_back(names(pair.b, body));
    }
    const auto [it, is_new] = kinds.emplace(std::move(named), static_cast<int>(kinds.size()));
    if (is_new) representatives.push_back(&body);
    kind.push_back(it->second);
  }
  return kind;
}

ContactRule rule_between(const Scene& scene, const SceneBody& a, const SceneBody& b) {
  ContactRule rule;
  for (const SceneContactPair& pair : scene.contact_pairs) {
    const bool fits =
        (names(pair.a, a) && names(pair.b, b)) || (names(pair.a, b) && names(pair.b, a));
    if (!fits) continue;
    rule = {pair.response,  pair.friction, pair.restitution, pair.sticks,
            pair.stiffness, pair.damping,  pair.reach};
  }
  return rule;
}

// Bodies that fixed joints make one are one part, named after the uppermost of them. A body welded
// to the world is a part of its own: what is jointed to one wall may well touch another.
void find_parts(Model& model) {
  for (int i = 0; i < model.body_count(); ++i) {
    const Link& link = model.links[static_cast<std::size_t>(i)];
    RigidPart part{i, true};
    if (link.translations + link.rotations == 0) {
      if (link.parent < 0) {
        part.moves = false;
      } else {
        part = model.parts[static_cast<std::size_t>(link.parent)];
        if (!part.moves) part.id = i;
      }
    }
    model.parts.push_back(part);
  }
}

void find_joined(Model& model) {
  const auto join = [&](int a, int b) {
    if (a < 0 || b < 0) return;
    const int p = model.parts[static_cast<std::size_t>(a)].id;
    const int q = model.parts[static_cast<std::size_t>(b)].id;
    if (p != q) model.never_touch.emplace_back(std::min(p, q), std::max(p, q));
  };
  for (int i = 0; i < model.body_count(); ++i) {
    join(i, model.links[static_cast<std::size_t>(i)].parent);
  }
  for (const LoopJoint& loop : model.loops) join(loop.body_1.index, loop.body_2.index);
  std::sort(model.never_touch.begin(), model.never_touch.end());
}

double combine(Combination how, double a, double b) {
  switch (how) {
    case Combination::mean:
      return (a + b) / 2;
    case Combination::smaller:
      return std::min(a, b);
    case Combination::larger:
      return std::max(a, b);
    case Combination::product:
      return a * b;
    default:
      return std::sqrt(a * b);
  }
}

}  // namespace

void add_contact_rules(const Scene& scene, Model& model) {
  check_names(scene);
  for (const SceneContactPair& pair : scene.contact_pairs) check_contact_pair(pair);
  model.contact = scene.settings.contact;

  std::vector<const SceneBody*> representatives;
  const std::vector<int> kind = kinds_of(scene, representatives);
  std::map<std::string, int> kind_of_name;
  for (std::size_t i = 0; i < kind.size(); ++i) kind_of_name[scene.bodies[i].name] = kind[i];
  model.contact_kinds = static_cast<int>(representatives.size());
  for (const SceneBody* a : representatives) {
    for (const SceneBody* b : representatives) {
      model.contact_rules.push_back(rule_between(scene, *a, *b));
    }
  }

  for (int i = 0; i < model.body_count(); ++i) {
    const Body& body = model.bodies[static_cast<std::size_t>(i)];
    for (std::size_t s = 0; s < body.shapes.size(); ++s) {
      if (body.shapes[s].collides)
        model.colliders.push_back({{i}, static_cast<int>(s), kind_of_name[body.name]});
    }
  }
  find_parts(model);
  find_joined(model);
}

bool may_touch(const Model& model, const Collider& a, const Collider& b) {
  const RigidPart& pa = model.parts[static_cast<std::size_t>(a.body.index)];
  const RigidPart& pb = model.parts[static_cast<std::size_t>(b.body.index)];
  if (pa.id == pb.id || (!pa.moves && !pb.moves)) return false;
  if (model.rule(a, b).response == Response::none) return false;
  return !std::binary_search(model.never_touch.begin(), model.never_touch.end(),
                             std::pair(std::min(pa.id, pb.id), std::max(pa.id, pb.id)));
}

Surface combined_surface(const Model& model, const Collider& a, const Collider& b) {
  const Surface& sa = model.shape(a).surface;
  const Surface& sb = model.shape(b).surface;
  const ContactRule& rule = model.rule(a, b);
  Surface surface;
  surface.friction =
      rule.sticks
          ? std::numeric_limits<double>::infinity()
          : rule.friction.value_or(combine(model.contact.friction, sa.friction, sb.friction));
  surface.restitution =
      rule.restitution.value_or(combine(model.contact.restitution, sa.restitution, sb.restitution));
  return surface;
}

}  // namespace molejo
