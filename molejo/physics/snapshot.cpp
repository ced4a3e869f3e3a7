#include "molejo/physics/snapshot.h"

#include <algorithm>

#include "molejo/collision/snapshot.h"
#include "molejo/model/snapshot.h"
#include "molejo/physics/index.h"

namespace molejo {

namespace {

constexpr std::size_t most_items = 1'000'000, most_warnings = 100;

template <class Archive>
void visit_kept(Archive& a, Seen<Archive, Contacts::Kept>& kept) {
  a.within(kept.count, 0, 4, "points");
  if (kept.count == 0) return;
  a(kept.X_AB);
  for (int i = 0; i < kept.count; ++i) {
    auto& point = kept.points[i];
    a(point.p_A, point.p_B, point.n_B, point.feature);
    a.require(is_unit(point.n_B), "a unit normal");
  }
}

// What is remembered of a pair; what follows from the model is there.
template <class Archive>
void visit_memory(Archive& a, Seen<Archive, Contacts::Pair>& pair, Seen<Archive, Contacts>& c) {
  const TouchShape &shape_a = c.shapes[index(pair.a)], &shape_b = c.shapes[index(pair.b)];
  const auto is_convex = [](const TouchShape& s) { return s.kind == TouchShape::Kind::convex; };
  if (!pair.may_touch || !is_convex(shape_a) || !is_convex(shape_b)) return;
  visit_cache(a, shape_a.convex, shape_b.convex, pair.cache);
  if (pair.kept >= 0 && c.keeps_points) visit_kept(a, c.kept[index(pair.kept)]);
}

template <class Archive>
void visit_pairs(Archive& a, const Model& model, Seen<Archive, Contacts>& c) {
  a.part("pairs");
  if constexpr (Archive::reads) {
    c.kept.clear();
    c.unused.clear();
  }
  std::pair<int, int> last{-1, -1};
  visit_list(a, c.pairs, c.broad_phase.most_pairs, [&](auto& pair) {
    a.index(pair.a, model.colliders.size(), "collider");
    a.index(pair.b, model.colliders.size(), "collider");
    if constexpr (Archive::reads) {
      a.require(pair.a < pair.b && last < std::pair(pair.a, pair.b), "ascending pairs");
      last = {pair.a, pair.b};
      pair = new_pair(model, pair.a, pair.b, c);
    }
    visit_memory(a, pair, c);
  });
}

// Who sleeps stays where it was found last.
template <class Archive>
void visit_sleepers(Archive& a, const Model& model, Seen<Archive, Contacts>& c) {
  a.part("sleepers");
  for (std::size_t i = 0; i < model.colliders.size(); ++i) {
    if (!is_asleep(model, c, model.colliders[i].body.index)) continue;
    const int number = static_cast<int>(i);
    Aabb box = c.broad_phase.box(number);
    a(c.X_WS[i], box.lower, box.upper);
    if constexpr (Archive::reads) {
      const bool sound =
          box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z;
      a.require(sound, "a box");
      c.broad_phase.update(number, box);
    }
  }
}

template <class Archive>
void visit_contact_step(Archive& a, const Model& model, const State& state,
                        Seen<Archive, Dynamics<double>>& d, Seen<Archive, ContactStep>& step) {
  a.part("sleep");
  a(step.quiet);
  for (auto& group : step.slept_with) {
    a.within(group, -1, static_cast<int>(model.trees.size()) - 1, "tree");
  }
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    bool may = step.may_sleep[t];
    a(may);
    if constexpr (Archive::reads) {
      step.may_sleep[t] = may;
      a.require(may || step.slept_with[t] < 0, "sleep of who may sleep");
    }
  }
  if constexpr (Archive::reads) {
    update_awake(model, d, step);
    place_sleepers(model, state.q.data(), state.v.data(), d, step);
  }
  visit_sleepers(a, model, step.contacts);
  visit_pairs(a, model, step.contacts);
  a.part("contacts");
  visit_list(a, step.contacts.list, step.contacts.most_contacts,
             [&](auto& c) { visit_contact(a, model, c); });
}

template <class Archive>
void visit_formulas(Archive& a, Seen<Archive, FormulaRun>& run) {
  a.part("formulas");
  for (auto& x : run.inputs) a.any(x);
  a(run.contact_force);
  for (auto& x : run.power) a.any(x);
  for (auto& x : run.done) a.any(x);
}

template <class Archive>
void visit_push(Archive& a, const Model& model, Seen<Archive, Push>& p) {
  a.index(p.body.index, model.links.size(), "body");
  a(p.p, p.force, p.to, p.stiffness, p.damping, p.held);
  a.any(p.until);
}

template <class Archive>
void visit_path(Archive& a, const Model& model, Seen<Archive, StepPath>& path) {
  a.part("path");
  bool is_there = path.start.q.size() > 0;
  a(is_there);
  if constexpr (Archive::reads) path = {};
  if (!is_there) return;
  visit_state(a, model, path.start);
  a(path.h);
  for (auto& c : path.c) {
    if constexpr (Archive::reads) c.resize(model.nv);
    a(c);
  }
}

std::uint64_t fingerprint_of(const Model& model, const Scratch& scratch) {
  return scratch.formulas ? model.fingerprint ^ scratch.formulas->set->fingerprint
                          : model.fingerprint;
}

}  // namespace

template <class Archive>
void visit_contact(Archive& a, const Model& model, Seen<Archive, Contact>& c) {
  a.index(c.a, model.colliders.size(), "collider");
  a.index(c.b, model.colliders.size(), "collider");
  a(c.feature, c.p_a, c.p_b, c.normal, c.gap, c.friction, c.restitution, c.fast, c.approach,
    c.impulse);
  if constexpr (Archive::reads) {
    c.body_a = model.colliders[index(c.a)].body.index;
    c.body_b = model.colliders[index(c.b)].body.index;
  }
}

template <class Archive>
void visit_scratch(Archive& a, const Model& model, const State& state, Seen<Archive, Scratch>& s) {
  if (s.contact) visit_contact_step(a, model, state, s.tree.dynamics, *s.contact);
  if (s.penalty) visit_pairs(a, model, s.penalty->contacts);
  if (s.formulas) visit_formulas(a, *s.formulas);
  a.part("pushes");
  visit_list(a, s.pushes, most_items, [&](auto& p) { visit_push(a, model, p); });
  a(s.failed);
}

template <class Archive>
void visit_events(Archive& a, const Model& model, Seen<Archive, Events>& e) {
  a.part("impacts");
  visit_list(a, e.impacts, most_items, [&](auto& c) { visit_contact(a, model, c); });
  a.part("lasting contacts");
  std::pair<int, int> last{-1, -1};
  visit_list(a, e.lasting, most_items, [&](auto& pair) {
    a.index(pair.first, model.colliders.size(), "collider");
    a.index(pair.second, model.colliders.size(), "collider");
    a.require(last < pair, "ascending pairs");
    last = pair;
  });
  a(e.started);
  a.within(e.repeated, 0, 1'000'000'000, "impacts in a row");
  visit_path(a, model, e.path);
}

// Most of the time nothing acts.
template <class Archive>
void visit_command(Archive& a, const Model& model, Seen<Archive, Command<double>>& c) {
  a.part("command");
  bool acts = acting(model, c).any();
  a(acts);
  if constexpr (Archive::reads) c = Command<double>(model);
  if (!acts) return;
  a(c.forces);
  for (auto& m : c.motors) a(m.position, m.velocity, m.stiffness, m.damping, m.on);
  visit_list(a, c.wrenches, most_items, [&](auto& w) {
    visit_body(a, model, w.body);
    a(w.p, w.force, w.torque);
  });
  if constexpr (Archive::reads) a.require(command_trouble(model, c).empty(), "one of this model");
}

template <class Archive>
void visit_summary(Archive& a, Seen<Archive, Summary>& s) {
  a.part("summary");
  a(s.duration, s.steps, s.rejected_steps, s.frames, s.projections, s.constraint_error, s.impacts,
    s.largest_penetration);
  a.text(s.failure, most_line);
  visit_list(a, s.warnings, most_warnings, [&](auto& line) { a.text(line, most_line); });
}

template void visit_scratch(SnapshotWriter&, const Model&, const State&, const Scratch&);
template void visit_scratch(SnapshotReader&, const Model&, const State&, Scratch&);
template void visit_events(SnapshotWriter&, const Model&, const Events&);
template void visit_events(SnapshotReader&, const Model&, Events&);
template void visit_contact(SnapshotWriter&, const Model&, const Contact&);
template void visit_contact(SnapshotReader&, const Model&, Contact&);
template void visit_command(SnapshotWriter&, const Model&, const Command<double>&);
template void visit_command(SnapshotReader&, const Model&, Command<double>&);
template void visit_summary(SnapshotWriter&, const Summary&);
template void visit_summary(SnapshotReader&, Summary&);

void save(const Model& model, const State& state, const Scratch& scratch, Snapshot& snapshot) {
  SnapshotWriter a(SnapshotKind::world, fingerprint_of(model, scratch), snapshot);
  a.part("state");
  visit_state(a, model, state);
  visit_scratch(a, model, state, scratch);
}

void restore(const Snapshot& snapshot, const Model& model, State& state, Scratch& scratch) {
  const auto read = [&](const Snapshot& from) {
    SnapshotReader a(from, SnapshotKind::world, fingerprint_of(model, scratch));
    a.part("state");
    visit_state(a, model, state);
    visit_scratch(a, model, state, scratch);
    a.finish();
  };
  Snapshot before;
  save(model, state, scratch, before);
  try {
    read(snapshot);
  } catch (const SnapshotError&) {
    read(before);
    throw;
  }
}

}  // namespace molejo
