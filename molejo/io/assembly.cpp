#include "molejo/io/assembly.h"

#include <fmt/format.h>

#include <algorithm>

#include "molejo/io/scene_keys.h"
#include "molejo/io/unique_names.h"
#include "molejo/math/expression.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

void set_parameter(const std::string& name, const JsonCursor& value, Scope& scope) {
  if (value.is_number()) {
    scope.set(name, value.number());
  } else if (value.is_string()) {
    scope.set(name, value.word());
  } else {
    value.fail("expected a number, \"=expression\" or a text");
  }
}

void check_parameter_name(const std::string& name, const JsonCursor& value) {
  if (is_free_name(name) && name != "i" && name != "count") return;
  value.fail("'" + name.substr(0, 64) +
             "' cannot name a parameter: letters, digits and '_', not a number, pi, deg, and, "
             "or, not, i or count");
}

void expect_parameters(const JsonCursor& map) {
  map.expect_object();
  if (map.size() > max_parameters) map.fail(fmt::format("more than {} parameters", max_parameters));
}

// Reads the elements of the list under `key`, each with `read`.
template <class Read>
void read_list(const JsonCursor& group, std::string_view key, std::size_t have, Read read) {
  const auto list = group.find(key);
  if (!list) return;
  list->expect_array(max_scene_elements);
  if (have + list->size() > static_cast<std::size_t>(max_scene_elements)) {
    list->fail(fmt::format("more than {} {} in the scene", max_scene_elements, key));
  }
  for (std::size_t i = 0; i < list->size(); ++i) read((*list)[i]);
}

std::string instance_of(const std::string& prefix) {
  return prefix.empty() ? "" : prefix.substr(0, prefix.size() - 1);
}

// refuses a name that some element of this kind already has; unnamed ones are no matter
void claim(const JsonCursor& element, const char* kind, const std::string& name,
           std::unordered_set<std::string>& names) {
  if (name.empty() || names.insert(name).second) return;
  const auto at = element.find("name");
  (at ? *at : element).fail(fmt::format("{} '{}' is defined twice", kind, name));
}

}  // namespace

std::string Surroundings::full_name(const JsonCursor& cursor, const std::string& name) const {
  std::string full = prefix + name;
  if (full.size() > max_name_length) {
    cursor.fail(
        fmt::format("'{:.32}...' is a name of {} characters with those of the instances "
                    "around it, at most {} are allowed",
                    full, full.size(), max_name_length));
  }
  return full;
}

void read_parameters(const JsonCursor& map, Scope& scope) {
  expect_parameters(map);
  for (std::size_t i = 0; i < map.size(); ++i) {
    const std::string& name = map.value().keys[i];
    check_parameter_name(name, map[i]);
    set_parameter(name, map[i], scope);
  }
}

SceneExpansion::SceneExpansion(const JsonCursor& scene_cursor, Scene& scene)
    : top_(scene_cursor), scene_(scene), notes_(scene_cursor.document()), definitions_(scene) {
  const auto assemblies = top_.find("assemblies");
  if (!assemblies) return;
  assemblies->expect_object();
  for (std::size_t i = 0; i < assemblies->size(); ++i) {
    const JsonCursor assembly = (*assemblies)[i];
    assembly.expect_keys(scene_keys(SceneObject::assembly));
    if (const auto description = assembly.find("description")) description->text();
    assembly_values_[assemblies->value().keys[i]] = count_values(assembly.value());
  }
}

void SceneExpansion::run() {
  body_reader_.read_palette(top_);
  const Surroundings whole{{}, "", &notes_};
  read_group(top_, whole);
  definitions_.add_outside_parameters(top_, whole);
  resolve();
  name_formula_forces();
  definitions_.check_probe_names(top_.document());
}

void SceneExpansion::read_group(const JsonCursor& group, const Surroundings& around) {
  read_list(group, "bodies", scene_.bodies.size(), [&](const JsonCursor& item) {
    SceneBody body = body_reader_.read(item, around);
    if (!bodies_.emplace(body.name, static_cast<int>(scene_.bodies.size())).second) {
      item.need("name").fail("body '" + body.name + "' is defined twice");
    }
    if (!body.group.empty()) groups_.insert(body.group);
    scene_.bodies.push_back(std::move(body));
  });
  read_list(group, "joints", joints_.size(), [&](const JsonCursor& item) {
    joints_.push_back(read_joint(item, around));
    claim(item, "joint", joints_.back().joint.name, joint_names_);
  });
  read_list(group, "springs", springs_.size(), [&](const JsonCursor& item) {
    springs_.push_back(read_spring(item, around));
    claim(item, "spring", springs_.back().spring.name, spring_names_);
  });
  read_list(group, "forces", forces_.size(), [&](const JsonCursor& item) {
    forces_.push_back(read_force(item, around));
    claim(item, "force", forces_.back().force.name, force_names_);
  });
  definitions_.read(group, around);
  definitions_.add_parameters(group, around, top_.scope());
  read_list(group, "instances", 0, [&](const JsonCursor& item) { read_copies(item, around); });
  // after those of the copies: of several pairs that fit, the last one counts
  read_contact_pairs(group, around);
}

void SceneExpansion::read_contact_pairs(const JsonCursor& group, const Surroundings& around) {
  const auto contact = group.find("contact");
  if (!contact) return;
  if (!around.prefix.empty()) contact->expect_keys(scene_keys(SceneObject::assembly_contact));
  const auto pairs = contact->is_object() ? contact->find("pairs") : std::nullopt;
  if (!pairs) return;
  pairs->expect_array(max_contact_pairs);
  if (contact_pairs_.size() + pairs->size() > max_contact_pairs) {
    pairs->fail(
        fmt::format("more than {} contact pairs in the scene; name groups instead of bodies",
                    max_contact_pairs));
  }
  for (std::size_t i = 0; i < pairs->size(); ++i) {
    contact_pairs_.push_back(read_contact_pair((*pairs)[i], around));
  }
}

const JsonValue& SceneExpansion::find_assembly(const JsonCursor& word) {
  const std::string name = word.word();
  const auto assemblies = top_.find("assemblies");
  const JsonValue* found = assemblies ? assemblies->value().find(name) : nullptr;
  if (!found) {
    const std::vector<std::string> none;
    word.fail(unknown_word("assembly", name, assemblies ? assemblies->value().keys : none));
  }
  // an assembly inside itself would never end
  const auto outer = std::find(nesting_.begin(), nesting_.end(), name);
  if (outer != nesting_.end()) {
    std::string cycle;
    for (auto a = outer; a != nesting_.end(); ++a) cycle += *a + " -> ";
    word.fail("assemblies contain each other: " + cycle + name);
  }
  if (nesting_.size() == static_cast<std::size_t>(max_instance_nesting)) {
    word.fail(fmt::format("instances nested deeper than {} levels", max_instance_nesting));
  }
  nesting_.push_back(name);
  return *found;
}

void SceneExpansion::read_copies(const JsonCursor& instance, const Surroundings& around) {
  instance.expect_keys(scene_keys(SceneObject::instance));
  const JsonValue& assembly = find_assembly(instance.need("assembly"));
  const auto count_cursor = instance.find("count");
  const int count = count_cursor ? count_cursor->whole(0, max_instances) : 1;
  if (count > 1 && instance.has("name") &&
      instance.need("name").value().text.find('{') == std::string::npos) {
    instance.need("name").fail(fmt::format("{} copies need '{{i}}' in their name", count));
  }
  for (int i = 0; i < count; ++i) read_copy(instance, assembly, around, i, count);
  nesting_.pop_back();
}

Scope SceneExpansion::inner_scope(const JsonCursor& instance, const JsonCursor& assembly, int i,
                                  int count) const {
  // values that the instance gives, the first and the last copy perhaps their own
  std::vector<JsonCursor> given;
  if (const auto map = instance.find("parameters")) given.push_back(*map);
  if (const auto map = instance.find("first"); map && i == 0) given.push_back(*map);
  if (const auto map = instance.find("last"); map && i == count - 1) given.push_back(*map);

  const auto defaults = assembly.find("parameters");
  const std::vector<std::string> none;
  const std::vector<std::string>& known = defaults ? defaults->value().keys : none;
  for (const JsonCursor& map : given) {
    expect_parameters(map);
    for (std::size_t k = 0; k < map.size(); ++k) {
      const std::string& name = map.value().keys[k];
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      map[k].fail(unknown_word("parameter", name, known));
    }
  }

  // a default may use the parameters before it
  Scope scope = top_.scope();
  scope.set("i", static_cast<double>(i));
  scope.set("count", static_cast<double>(count));
  if (!defaults) return scope;
  expect_parameters(*defaults);
  const std::string& in = instance.instance();
  for (std::size_t k = 0; k < known.size(); ++k) {
    const JsonCursor standard(top_.document(), defaults->value().items[k], scope, in);
    check_parameter_name(known[k], standard);
    std::optional<JsonCursor> value = standard;
    for (const JsonCursor& map : given) {
      if (const auto own = map.find(known[k])) value = own;
    }
    if (value->is_null()) instance.fail(fmt::format("parameter '{}' must be given", known[k]));
    if (!standard.is_null() && value->is_number() != standard.is_number()) {
      value->fail(standard.is_number() ? "expected a number, as in the assembly"
                                       : "expected a text, as in the assembly");
    }
    set_parameter(known[k], *value, scope);
  }
  return scope;
}

void SceneExpansion::read_copy(const JsonCursor& instance, const JsonValue& assembly,
                               const Surroundings& around, int i, int count) {
  if (++instances_ > max_instances)
    instance.fail(fmt::format("more than {} instances", max_instances));
  // the instance itself is read where it stands, and knows which copy it is
  Scope outer = instance.scope();
  outer.set("i", static_cast<double>(i));
  outer.set("count", static_cast<double>(count));
  const JsonCursor here(top_.document(), instance.value(), outer, instance.instance());
  const auto name = here.find("name");
  const std::string own_name = name                ? name->name()
                               : here.has("count") ? nesting_.back() + std::to_string(i)
                                                   : nesting_.back();
  const Surroundings inside{around.X_WI * read_pose(here),
                            around.full_name(name ? *name : here, own_name) + ".", &notes_};
  const std::string path = instance_of(inside.prefix);
  const JsonCursor unscoped(top_.document(), assembly, top_.scope(), path);
  const Scope scope = inner_scope(here, unscoped, i, count);
  expanded_values_ += assembly_values_.at(nesting_.back()) + scope.names().size();
  if (expanded_values_ > max_expanded_values) {
    here.fail(fmt::format("the scene grows beyond {} values", max_expanded_values));
  }
  read_group(JsonCursor(top_.document(), assembly, scope, path), inside);
}

int SceneExpansion::find_outwards(const BodyReference& reference) const {
  std::string prefix = reference.prefix;
  for (;;) {
    const auto found = bodies_.find(prefix + reference.name);
    if (found != bodies_.end()) return found->second;
    if (prefix.empty()) return -1;
    const std::size_t dot = prefix.rfind('.', prefix.size() - 2);
    prefix.resize(prefix.size() < 2 || dot == std::string::npos ? 0 : dot + 1);
  }
}

int SceneExpansion::find_body(const BodyReference& reference) const {
  if (reference.is_world()) return -1;
  const int body = find_outwards(reference);
  if (body < 0) fail_unknown(reference, "body", {"world"});
  return body;
}

std::string SceneExpansion::body_or_group(const BodyReference& reference) const {
  if (reference.name == any_body) return "";
  const int body = find_outwards(reference);
  if (body >= 0) return scene_.bodies[static_cast<std::size_t>(body)].name;
  if (!groups_.contains(reference.name)) {
    fail_unknown(reference, "body or group", {groups_.begin(), groups_.end()});
  }
  return reference.name;
}

void SceneExpansion::fail_unknown(const BodyReference& reference, const char* kind,
                                  std::vector<std::string> known) const {
  for (const SceneBody& body : scene_.bodies) {
    known.push_back(body.name.starts_with(reference.prefix)
                        ? body.name.substr(reference.prefix.size())
                        : body.name);
  }
  const std::string in = instance_of(reference.prefix);
  fail(top_.document(), *reference.at,
       unknown_word(kind, reference.name, known) +
           (in.empty() ? "" : " (in instance '" + in + "')"));
}

std::string SceneExpansion::body_name(const BodyReference& reference) const {
  const int body = find_body(reference);
  return body < 0 ? "" : scene_.bodies[static_cast<std::size_t>(body)].name;
}

Pose SceneExpansion::zero_pose(int body) const {
  return body < 0 ? Pose{} : scene_.bodies[static_cast<std::size_t>(body)].X_WB;
}

void SceneExpansion::name_formula_forces() {
  UniqueNames names;
  for (const std::string& name : force_names_) names.take(name);
  for (SceneForce& force : scene_.forces) {
    if (!force.name.empty() || !force.samples.empty()) continue;
    const std::string name = force.at.body + ".push";
    force.name = names.add(name, [&](int i) { return name + std::to_string(i); });
  }
}

void SceneExpansion::resolve() {
  for (PendingJoint& pending : joints_) {
    const int parent = find_body(pending.parent), child = find_body(pending.child);
    pending.joint.parent = body_name(pending.parent);
    pending.joint.child = body_name(pending.child);
    place_joint(pending, zero_pose(parent), zero_pose(child));
    scene_.joints.push_back(std::move(pending.joint));
  }
  for (PendingSpring& pending : springs_) {
    pending.spring.a.body = body_name(pending.a);
    pending.spring.b.body = body_name(pending.b);
    scene_.springs.push_back(std::move(pending.spring));
  }
  for (PendingForce& pending : forces_) {
    pending.force.at.body = body_name(pending.body);
    scene_.forces.push_back(std::move(pending.force));
  }
  for (PendingContactPair& pending : contact_pairs_) {
    pending.pair.a = body_or_group(pending.a);
    pending.pair.b = body_or_group(pending.b);
    scene_.contact_pairs.push_back(std::move(pending.pair));
  }
}

}  // namespace molejo
