#include "molejo/model/contact_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "molejo/math/interrupt.h"
#include "molejo/model/checks.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

// What the pairs can tell apart of a body: its name and its group, each empty when no pair has it.
using Kind = std::pair<std::string, std::string>;

// Does the word name bodies of this kind, by name, by group, or as any?
bool names(const std::string& word, const Kind& kind) {
  return word.empty() || word == kind.first || word == kind.second;
}

void check_names(const Scene& scene) {
  std::set<std::string> known;
  for (const SceneBody& body : scene.bodies) known.insert({body.name, body.group});
  known.insert("");  // any
  for (std::size_t i = 0; i < scene.contact_pairs.size(); ++i) {
    for (const std::string& name : {scene.contact_pairs[i].a, scene.contact_pairs[i].b}) {
      if (known.contains(name)) continue;
      known.erase("");
      const std::vector<std::string> words(known.begin(), known.end());
      throw InputError("contact pair " + std::to_string(i) + ": " +
                       unknown_word("body or group", name, words));
    }
  }
}

// The kind of each body of the scene, by name, and all kinds.
std::unordered_map<std::string, int> find_kinds(const Scene& scene, std::vector<Kind>& kinds) {
  std::set<std::string> words;
  for (const SceneContactPair& pair : scene.contact_pairs) words.insert({pair.a, pair.b});
  std::map<Kind, int> index;
  std::unordered_map<std::string, int> kind_of;
  for (const SceneBody& body : scene.bodies) {
    const Kind kind{words.contains(body.name) ? body.name : "",
                    words.contains(body.group) ? body.group : ""};
    const auto [at, is_new] = index.emplace(kind, static_cast<int>(kinds.size()));
    if (is_new) kinds.push_back(kind);
    kind_of[body.name] = at->second;
  }
  return kind_of;
}

// Fills the table of rules: of several pairs that fit, the last one counts.
void find_rules(const std::vector<SceneContactPair>& pairs, const std::vector<Kind>& kinds,
                Model& model) {
  model.contact_kinds = static_cast<int>(kinds.size());
  model.contact_rules = {ContactRule{}};
  model.rule_of_kinds.assign(kinds.size() * kinds.size(), 0);
  // a pair with the same names as a later one has no effect
  std::map<std::pair<std::string, std::string>, std::size_t> last;
  for (std::size_t i = 0; i < pairs.size(); ++i) last[std::minmax(pairs[i].a, pairs[i].b)] = i;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const SceneContactPair& p = pairs[i];
    if (last[std::minmax(p.a, p.b)] != i) continue;
    const int rule = static_cast<int>(model.contact_rules.size());
    model.contact_rules.push_back(
        {p.response, p.friction, p.restitution, p.sticks, p.stiffness, p.damping, p.reach});
    for (std::size_t a = 0; a < kinds.size(); ++a) {
      if (!names(p.a, kinds[a])) continue;
      check_interrupt();
      for (std::size_t b = 0; b < kinds.size(); ++b) {
        if (!names(p.b, kinds[b])) continue;
        model.rule_of_kinds[a * kinds.size() + b] = rule;
        model.rule_of_kinds[b * kinds.size() + a] = rule;
      }
    }
  }
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

// Parts without shapes, linked to each other, that stand between two others: several hinges at one
// place with nothing but frames between them are one joint.
void join_across_frames(const std::vector<bool>& has_shape, Model& model) {
  std::map<int, std::vector<int>> neighbours;  // of parts without shapes
  const auto is_frame = [&](int part) {
    const auto p = static_cast<std::size_t>(part);
    return !has_shape[p] && model.parts[p].moves;
  };
  for (const auto& [a, b] : model.never_touch) {
    if (is_frame(a)) neighbours[a].push_back(b);
    if (is_frame(b)) neighbours[b].push_back(a);
  }
  std::set<int> seen;
  for (const auto& [start, unused] : neighbours) {
    if (!seen.insert(start).second) continue;
    check_interrupt();
    std::vector<int> frames{start}, ends;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      for (const int next : neighbours[frames[i]]) {
        if (!is_frame(next)) {
          ends.push_back(next);
        } else if (seen.insert(next).second) {
          frames.push_back(next);
        }
      }
    }
    if (ends.size() == 2 && ends[0] != ends[1]) {
      model.never_touch.emplace_back(std::minmax(ends[0], ends[1]));
    }
  }
}

void find_joined(Model& model) {
  const auto join = [&](int a, int b) {
    if (a < 0 || b < 0) return;
    const int p = model.parts[static_cast<std::size_t>(a)].id;
    const int q = model.parts[static_cast<std::size_t>(b)].id;
    if (p != q) model.never_touch.emplace_back(std::min(p, q), std::max(p, q));
  };
  std::vector<bool> has_shape(model.bodies.size(), false);
  for (int i = 0; i < model.body_count(); ++i) {
    join(i, model.links[static_cast<std::size_t>(i)].parent);
    const auto part = static_cast<std::size_t>(model.parts[static_cast<std::size_t>(i)].id);
    if (!model.bodies[static_cast<std::size_t>(i)].shapes.empty()) has_shape[part] = true;
  }
  for (const LoopJoint& loop : model.loops) join(loop.body_1.index, loop.body_2.index);
  join_across_frames(has_shape, model);
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

  std::vector<Kind> kinds;
  const std::unordered_map<std::string, int> kind_of = find_kinds(scene, kinds);
  find_rules(scene.contact_pairs, kinds, model);
  for (int i = 0; i < model.body_count(); ++i) {
    const Body& body = model.bodies[static_cast<std::size_t>(i)];
    for (std::size_t s = 0; s < body.shapes.size(); ++s) {
      if (body.shapes[s].collides)
        model.colliders.push_back({{i}, static_cast<int>(s), kind_of.at(body.name)});
    }
  }
  find_parts(model);
  find_joined(model);
}

bool may_touch(const Model& model, const Collider& a, const Collider& b) {
  const RigidPart& pa = model.parts[static_cast<std::size_t>(a.body.index)];
  const RigidPart& pb = model.parts[static_cast<std::size_t>(b.body.index)];
  if (pa.id == pb.id ||
      (!can_be_pushed(model, a.body.index) && !can_be_pushed(model, b.body.index))) {
    return false;
  }
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
