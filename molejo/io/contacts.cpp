#include "molejo/io/contacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "molejo/io/csv_field.h"
#include "molejo/io/file.h"
#include "molejo/io/json_library.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<const char*, const char*>, 13> event_columns{{{"t", "s"},
                                                                             {"phase", ""},
                                                                             {"a", ""},
                                                                             {"b", ""},
                                                                             {"x", "m"},
                                                                             {"y", "m"},
                                                                             {"z", "m"},
                                                                             {"nx", ""},
                                                                             {"ny", ""},
                                                                             {"nz", ""},
                                                                             {"jx", "N s"},
                                                                             {"jy", "N s"},
                                                                             {"jz", "N s"}}};

std::string name_of(const Model& model, BodyId body) {
  return body.is_world() ? "world" : model.bodies[static_cast<std::size_t>(body.index)].name;
}

std::array<double, 9> numbers_of(const ContactEvent& e) {
  return {e.point.x,  e.point.y,   e.point.z,   e.normal.x, e.normal.y,
          e.normal.z, e.impulse.x, e.impulse.y, e.impulse.z};
}

}  // namespace

std::string_view to_string(ContactPhase phase) {
  switch (phase) {
    case ContactPhase::begin:
      return "begin";
    case ContactPhase::persist:
      return "persist";
    default:
      return "end";
  }
}

std::string contacts_csv(const Model& model, const Recording& recording) {
  std::string out;
  for (const auto& [name, unit] : event_columns)
    out += (out.empty() ? "" : ",") + std::string(name);
  out += '\n';
  for (const ContactEvent& e : recording.contacts) {
    check_interrupt();
    fmt::format_to(std::back_inserter(out), "{},{},{},{}", e.t, to_string(e.phase),
                   csv_field(name_of(model, e.a)), csv_field(name_of(model, e.b)));
    for (const double x : numbers_of(e)) fmt::format_to(std::back_inserter(out), ",{}", x);
    out += '\n';
  }
  return out;
}

std::string contacts_json(const Model& model, const Recording& recording) {
  Json names = Json::array(), units = Json::array();
  for (const auto& [name, unit] : event_columns) names.push_back(name), units.push_back(unit);
  std::string out =
      "{\n\"columns\": " + json_line(names) + ",\n\"units\": " + json_line(units) + ",\n";
  out += "\"contacts\": [";
  bool first = true;
  for (const ContactEvent& e : recording.contacts) {
    check_interrupt();
    Json row{e.t, to_string(e.phase), name_of(model, e.a), name_of(model, e.b)};
    for (const double x : numbers_of(e)) row.push_back(x);
    out += (first ? "\n" : ",\n") + json_line(row);
    first = false;
  }
  return out + "\n]\n}\n";
}

std::string contacts_text(const std::string& path, const Model& model, const Recording& recording) {
  const std::string ending = lower_case_ending(path);
  if (ending == ".csv") return contacts_csv(model, recording);
  if (ending == ".json") return contacts_json(model, recording);
  const std::string endings[] = {".csv", ".json"};
  throw InputError(path + ": " + unknown_word("ending", ending, endings));
}

ContactCounts count_contacts(const Recording& recording) {
  ContactCounts counts;
  for (const ContactEvent& e : recording.contacts) {
    counts.begun += e.phase == ContactPhase::begin;
    counts.persisted += e.phase == ContactPhase::persist;
    counts.ended += e.phase == ContactPhase::end;
  }
  return counts;
}

std::vector<int> touchable_bodies(const Model& model) {
  std::vector<int> found;
  if (!model.contact.enabled) return found;
  // a collider of each body, by kind, those that move and those that do not
  const auto kinds = static_cast<std::size_t>(model.contact_kinds);
  std::vector<std::vector<const Collider*>> moving(kinds), resting(kinds);
  std::vector<const Collider*> all;
  for (const Collider& c : model.colliders) {
    if (!all.empty() && all.back()->body == c.body) continue;
    all.push_back(&c);
    const bool moves = model.parts[static_cast<std::size_t>(c.body.index)].moves;
    (moves ? moving : resting)[static_cast<std::size_t>(c.kind)].push_back(&c);
  }
  for (const Collider* c : all) {
    const auto meets = [&](const std::vector<const Collider*>& others) {
      // of others that the rule lets touch, all but a few neighbours do
      return !others.empty() && model.rule(*c, *others[0]).response != Response::none &&
             std::any_of(others.begin(), others.end(),
                         [&](const Collider* other) { return may_touch(model, *c, *other); });
    };
    const bool moves = model.parts[static_cast<std::size_t>(c->body.index)].moves;
    if (std::any_of(moving.begin(), moving.end(), meets) ||
        (moves && std::any_of(resting.begin(), resting.end(), meets))) {
      found.push_back(c->body.index);
    }
  }
  return found;
}

std::vector<ContactLoad> contact_loads(const Model& model, const Frame& frame) {
  std::vector<ContactLoad> loads(model.bodies.size());
  std::vector<double> weights(model.bodies.size(), 0);
  const auto add = [&](BodyId body, const TouchPoint& touch, double sign) {
    if (body.is_world()) return;
    const auto b = static_cast<std::size_t>(body.index);
    const double weight = norm(touch.force);
    loads[b].force += touch.force * sign;
    loads[b].point += touch.point * weight;
    weights[b] += weight;
  };
  for (const TouchPoint& touch : frame.contacts) {
    add(touch.a, touch, 1);
    add(touch.b, touch, -1);
  }
  for (std::size_t b = 0; b < loads.size(); ++b) {
    if (weights[b] > 0) loads[b].point = loads[b].point / weights[b];
  }
  return loads;
}

double metres_per_newton(const ForceArrows& arrows, const Model& model,
                         const Recording& recording) {
  if (arrows.newtons_per_metre > 0) return 1 / arrows.newtons_per_metre;
  // a box around all that moves, when it starts
  Vec3 low{1e300, 1e300, 1e300}, high = low * -1;
  double weight = 0, largest = 0;
  for (std::size_t b = 0; b < model.bodies.size() && !recording.frames.empty(); ++b) {
    if (model.bodies[b].immobile) continue;
    weight += model.links[b].mass * norm(model.gravity);
    for (const Shape& shape : model.bodies[b].shapes) {
      const Pose X = recording.frames.front().X_WB[b] * shape.X_BS;
      for (const Vec3& p : tessellate(shape.geometry, 8).positions) {
        const Vec3 q = X * p;
        for (int i = 0; i < 3; ++i)
          low[i] = std::min(low[i], q[i]), high[i] = std::max(high[i], q[i]);
      }
    }
  }
  for (const Frame& frame : recording.frames) {
    for (const TouchPoint& touch : frame.contacts) largest = std::max(largest, norm(touch.force));
  }
  const double size = low.x <= high.x ? norm(high - low) : 1;
  const double force = weight > 0 ? weight : largest;
  return force > 0 && std::isfinite(size / force) ? size / 2 / force : 1;
}

}  // namespace molejo
