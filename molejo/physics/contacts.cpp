#include "molejo/physics/contacts.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <tuple>
#include <utility>

#include "molejo/math/interrupt.h"
#include "molejo/math/parallel.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

std::vector<bool> moving_colliders(const Model& model) {
  std::vector<bool> moves;
  for (const Collider& c : model.colliders) {
    moves.push_back(model.parts[static_cast<std::size_t>(c.body.index)].moves);
  }
  return moves;
}

TouchShape touch_shape(const Geometry& geometry, std::deque<ConvexMesh>& meshes) {
  TouchShape shape;
  if (std::holds_alternative<Plane>(geometry)) {
    shape.kind = TouchShape::Kind::plane;
  } else if (const auto* field = std::get_if<HeightField>(&geometry)) {
    shape.kind = TouchShape::Kind::height_field;
    shape.field = field;
  } else {
    shape.convex = make_convex(geometry, meshes);
  }
  return shape;
}

// Measured with all lists that hold them: broad phase, pairs, solver, touches of the recording.
constexpr std::size_t bytes_per_pair = 400, bytes_per_contact = 2000;

// Part of a solid's size by which its neighbours are looked for even when nothing moves, so that
// all corners of a face that rests are there.
constexpr double standing_margin = 2e-3;

struct BodySpeed {
  Vec3 v;       // of the joint point
  double spin;  // angular speed
};

BodySpeed speed_of(const Kinematics<double>& k, int body) {
  const BodyMotion<double>& b = k.bodies[static_cast<std::size_t>(body)];
  return {b.v, norm(b.w)};
}

void grow(Aabb& box, const Vec3& travel, double margin) {
  const Vec3 m{margin, margin, margin};
  box.lower -= m, box.upper += m;
  for (int i = 0; i < 3; ++i) {
    if (travel[i] > 0) {
      box.upper[i] += travel[i];
    } else {
      box.lower[i] += travel[i];
    }
  }
}

// Poses and boxes, swept by the motion of h seconds.
void update_boxes(const Model& model, const Kinematics<double>& k, double h, Contacts& c) {
  for (std::size_t i = 0; i < model.colliders.size(); ++i) {
    const Collider& collider = model.colliders[i];
    if (is_asleep(model, c, collider.body.index)) continue;
    c.X_WS[i] = body_pose(model, k, collider.body) * model.shape(collider).X_BS;
    Aabb box = bounds(c.shapes[i], c.X_WS[i]);
    const BodySpeed speed = speed_of(k, collider.body.index);
    grow(box, speed.v * h, speed.spin * h * c.reach[i] + standing_margin * c.size[i]);
    c.broad_phase.update(static_cast<int>(i), box);
  }
}

bool is_polyhedral(const TouchShape& shape) {
  return shape.kind == TouchShape::Kind::convex &&
         (shape.convex.core == Core::box || shape.convex.core == Core::polyhedron);
}

int place_to_keep(Contacts& c) {
  if (c.unused.empty()) {
    c.kept.emplace_back();
    return static_cast<int>(c.kept.size()) - 1;
  }
  const int place = c.unused.back();
  Contacts::Kept& kept = c.kept[static_cast<std::size_t>(place)];
  if (c.before.is_kept) c.before.overwritten.emplace_back(place, kept);
  c.unused.pop_back();
  kept.count = 0;
  return place;
}
void release(const Contacts::Pair& pair, Contacts& c) {
  if (pair.kept >= 0) c.unused.push_back(pair.kept);
}

// The pairs of this step, with what is remembered of those of the last.
void update_pairs(const Model& model, Contacts& c) {
  const bool is_first = c.before.is_kept && !std::exchange(c.before.has_pairs, true);
  std::vector<Contacts::Pair>& last_pairs = is_first ? c.before.pairs : c.last_pairs;
  std::swap(c.pairs, last_pairs);
  c.pairs.clear();
  auto known = last_pairs.begin();
  for (const std::pair<int, int>& near : c.broad_phase.pairs()) {
    const int a = near.first, b = near.second;
    const auto before = [&](const Contacts::Pair& p) { return p.a < a || (p.a == a && p.b < b); };
    for (; known != last_pairs.end() && before(*known); ++known) release(*known, c);
    if (known != last_pairs.end() && known->a == a && known->b == b) {
      c.pairs.push_back(*known++);
      continue;
    }
    c.pairs.push_back(new_pair(model, a, b, c));
  }
  for (; known != last_pairs.end(); ++known) release(*known, c);
}

// Remembers the points just found, which follow `first` in the list.
void keep(const Pose& X_WA, const Pose& X_WB, const std::vector<ContactPoint>& points,
          Contacts::Kept& kept) {
  kept.X_AB = inverse(X_WA) * X_WB;
  kept.count = 0;
  for (const ContactPoint& p : points) {
    const Vec3 half = p.normal * (0.5 * p.gap);
    kept.points[kept.count++] = {transpose_times(X_WA.R, p.p + half - X_WA.p),
                                 transpose_times(X_WB.R, p.p - half - X_WB.p),
                                 transpose_times(X_WB.R, p.normal), p.feature};
  }
}

// The kept points where the two are now, if they have hardly moved against each other.
bool recall(const Pose& X_WA, const Pose& X_WB, double size, const Contacts::Kept& kept,
            std::vector<ContactPoint>& points) {
  constexpr double slight = 1e-3;  // rad, and part of the size
  if (kept.count == 0) return false;
  const Mat3& R = kept.X_AB.R;
  for (int i = 0; i < 3; ++i) {
    const Vec3 row = transpose_times(X_WB.R, X_WA.R.column(i));
    if (max_abs(row - R[i]) > slight) return false;
  }
  const Vec3 p = transpose_times(X_WA.R, X_WB.p - X_WA.p);
  if (max_abs(p - kept.X_AB.p) > slight * size) return false;
  for (int i = 0; i < kept.count; ++i) {
    const Contacts::Kept::Point& k = kept.points[i];
    const Vec3 p_a = X_WA * k.p_A, p_b = X_WB * k.p_B, normal = X_WB.R * k.n_B;
    points.push_back({(p_a + p_b) * 0.5, normal, dot(normal, p_a - p_b), k.feature});
  }
  return true;
}

struct Motion {
  Pose X;       // of the shape
  Vec3 origin;  // the point of the body that `v` is of
  Vec3 v, w;
};

Pose moved(const Motion& m, double t) {
  const double angle = norm(m.w) * t;
  if (angle == 0) return {m.X.R, m.X.p + m.v * t};
  const Mat3 turn = axis_rotation(normalized(m.w), angle);
  return {turn * m.X.R, m.origin + m.v * t + turn * (m.X.p - m.origin)};
}

// The first contact of two convex solids along their motion within h, if there is one.
bool cast(const Convex& a, const Motion& ma, double reach_a, const Convex& b, const Motion& mb,
          double reach_b, double h, Contact& contact) {
  constexpr int max_steps = 64;
  constexpr double close = 1e-6;  // m
  const double spin = norm(ma.w) * reach_a + norm(mb.w) * reach_b;
  double t = 0;
  for (int n = 0; n < max_steps; ++n) {
    const Separation s = separation(a, moved(ma, t), b, moved(mb, t));
    const double approach = -dot(ma.v - mb.v, s.normal);
    if (s.distance <= close || n + 1 == max_steps) {
      // what turns may meet without coming nearer as a whole
      const Vec3 turning =
          cross(ma.w, s.p_a - ma.origin - ma.v * t) - cross(mb.w, s.p_b - mb.origin - mb.v * t);
      const double meeting = approach - dot(turning, s.normal);
      if (meeting <= 0) return false;
      contact.normal = s.normal;
      contact.gap = meeting * t + s.distance;
      contact.p_a = s.p_a - ma.v * t;
      contact.p_b = s.p_b - mb.v * t;
      return true;
    }
    const double bound = std::max(approach, 0.0) + spin;
    if (bound * (h - t) < s.distance) return false;
    t += s.distance / bound;
  }
  return false;
}

Contact make_contact(const Model& model, const Contacts::Pair& pair) {
  Contact contact;
  contact.a = pair.a, contact.b = pair.b;
  contact.body_a = model.colliders[static_cast<std::size_t>(pair.a)].body.index;
  contact.body_b = model.colliders[static_cast<std::size_t>(pair.b)].body.index;
  contact.friction = std::min(pair.surface.friction, 1e6);
  contact.restitution = pair.surface.restitution;
  return contact;
}

// Is a solid farther from a plane than this?
bool is_clear_of(const Contacts& c, std::size_t plane, std::size_t solid, double margin) {
  if (c.shapes[plane].kind != TouchShape::Kind::plane) return false;
  const Pose& X = c.X_WS[plane];
  return dot(X.R.column(2), c.X_WS[solid].p - X.p) - c.size[solid] > margin;
}

void meet(const Model& model, const Kinematics<double>& k, double h, Contacts::Pair& pair,
          Contacts& c, Contacts::Chunk& found) {
  const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
  const auto motion_of = [&](int collider) -> const BodyMotion<double>& {
    const int body = model.colliders[static_cast<std::size_t>(collider)].body.index;
    return k.bodies[static_cast<std::size_t>(body)];
  };
  const BodyMotion<double>&body_a = motion_of(pair.a), &body_b = motion_of(pair.b);
  const double spin = norm(body_a.w) * c.reach[a] + norm(body_b.w) * c.reach[b];
  const double travel = (norm(body_a.v - body_b.v) + spin) * h;
  const double size = std::min(c.size[a], c.size[b]);

  const bool both_convex =
      c.shapes[a].kind == TouchShape::Kind::convex && c.shapes[b].kind == TouchShape::Kind::convex;
  const bool fast = both_convex && travel > 0.5 * size;
  const double standing = standing_margin * size;
  if (is_clear_of(c, a, b, travel + standing) || is_clear_of(c, b, a, travel + standing)) return;
  const std::size_t first = found.list.size();
  add_contacts(model, (fast ? 0.0 : travel) + standing, pair, c, found);
  Contact contact;
  const auto will_meet = [&] {
    contact = make_contact(model, pair);
    const Motion ma{c.X_WS[a], body_a.p, body_a.v, body_a.w};
    const Motion mb{c.X_WS[b], body_b.p, body_b.v, body_b.w};
    return cast(c.shapes[a].convex, ma, c.reach[a], c.shapes[b].convex, mb, c.reach[b], h, contact);
  };
  if (fast && found.points.empty() && will_meet()) {
    contact.fast = true;
    contact.feature = 0xffffffffu;
    found.list.push_back(contact);
  }
  // Points ahead stop at the plane between the two: past an edge there would be room enough. The
  // way at which that shows is a part of the size.
  const auto is_ahead = [&](const ContactPoint& p) { return p.gap > standing; };
  if (!fast && both_convex && travel > 0.05 * size && !found.points.empty() &&
      std::all_of(found.points.begin(), found.points.end(), is_ahead) && !will_meet()) {
    found.list.resize(first);
  }
}

// Is this pair to be looked at in this step?
bool is_wanted(const Model& model, const Contacts::Pair& pair, const Contacts& contacts) {
  if (!pair.rigid) return false;
  const auto still = [&](int collider) {
    const int body = model.colliders[static_cast<std::size_t>(collider)].body.index;
    return !contacts.moves[static_cast<std::size_t>(body)];
  };
  if (still(pair.a) && still(pair.b)) return false;
  return !contacts.only || std::binary_search(contacts.only->begin(), contacts.only->end(),
                                              std::pair(pair.a, pair.b));
}

// What one thread has overwritten.
void take_overwritten(Contacts::Chunk& chunk, Contacts::Before& before) {
  before.overwritten.insert(before.overwritten.end(), chunk.overwritten.begin(),
                            chunk.overwritten.end());
  chunk.overwritten.clear();
}

// Impulses of the last step where the same features still meet.
void remember_impulses(Contacts& c) {
  const auto key = [](const Contact& x) { return std::tuple(x.a, x.b, x.feature); };
  auto old = c.last_list.begin();
  for (Contact& contact : c.list) {
    while (old != c.last_list.end() && key(*old) < key(contact)) ++old;
    if (old == c.last_list.end()) return;
    if (key(*old) == key(contact) && !contact.fast) contact.impulse = old->impulse;
  }
}

}  // namespace

Contacts::Contacts(const Model& model)
    : broad_phase(moving_colliders(model)), moves(model.links.size()) {
  for (std::size_t i = 0; i < moves.size(); ++i) moves[i] = model.parts[i].moves;
  X_WS.resize(model.colliders.size());
  set_budget(RunBudget().contacts);
  for (const Collider& collider : model.colliders) {
    check_interrupt();
    const Shape& shape = model.shape(collider);
    shapes.push_back(touch_shape(shape.geometry, meshes));
    // planes and terrain do not move, or move with something that has a size
    const Link& link = model.links[static_cast<std::size_t>(collider.body.index)];
    const bool convex = shapes.back().kind == TouchShape::Kind::convex;
    size.push_back(convex ? shapes.back().convex.reach : 1e3);
    reach.push_back(norm(shape.X_BS.p - link.p_BM) + size.back());
  }
}

Contacts::Pair new_pair(const Model& model, int a, int b, Contacts& c) {
  Contacts::Pair pair{a, b, false, false, {}, {}};
  const Collider& ca = model.colliders[static_cast<std::size_t>(a)];
  const Collider& cb = model.colliders[static_cast<std::size_t>(b)];
  pair.may_touch = may_touch(model, ca, cb);
  if (pair.may_touch) {
    const bool polyhedral = is_polyhedral(c.shapes[static_cast<std::size_t>(a)]) &&
                            is_polyhedral(c.shapes[static_cast<std::size_t>(b)]);
    if (polyhedral) pair.kept = place_to_keep(c);
    pair.rigid = model.rule(ca, cb).response != Response::penalty;
    pair.surface = combined_surface(model, ca, cb);
  }
  return pair;
}

bool is_asleep(const Model& model, const Contacts& c, int body) {
  const auto i = static_cast<std::size_t>(body);
  return !c.moves[i] && model.parts[i].moves;
}

void Contacts::set_budget(std::size_t bytes) {
  budget = bytes;
  most_contacts = bytes / bytes_per_contact;
  broad_phase.most_pairs = bytes / bytes_per_pair;
}

void check_count(std::size_t count, const Contacts& contacts) {
  if (count <= contacts.most_contacts) return;
  throw OverBudget("there are more than " + std::to_string(contacts.most_contacts) +
                   " points of contact");
}

void find_pairs(const Model& model, const Kinematics<double>& k, const std::vector<double>& margin,
                Contacts& contacts) {
  for (std::size_t i = 0; i < model.colliders.size(); ++i) {
    const Collider& collider = model.colliders[i];
    contacts.X_WS[i] = body_pose(model, k, collider.body) * model.shape(collider).X_BS;
    Aabb box = bounds(contacts.shapes[i], contacts.X_WS[i]);
    grow(box, {}, margin[i]);
    contacts.broad_phase.update(static_cast<int>(i), box);
  }
  update_pairs(model, contacts);
}

void add_contacts(const Model& model, double margin, Contacts::Pair& pair, Contacts& contacts,
                  Contacts::Chunk& found) {
  const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
  Contact contact = make_contact(model, pair);
  std::vector<ContactPoint>& points = found.points;
  points.clear();
  const Pose &X_a = contacts.X_WS[a], &X_b = contacts.X_WS[b];
  Contacts::Kept* kept = pair.kept < 0 || !contacts.keeps_points
                             ? nullptr
                             : &contacts.kept[static_cast<std::size_t>(pair.kept)];
  const double size = std::min(contacts.size[a], contacts.size[b]);
  if (!kept || !recall(X_a, X_b, size, *kept, points)) {
    touch(contacts.shapes[a], X_a, contacts.shapes[b], X_b, margin, pair.cache, points);
    if (kept) {
      if (contacts.before.is_kept) found.overwritten.emplace_back(pair.kept, *kept);
      keep(X_a, X_b, points, *kept);
    }
  }
  for (const ContactPoint& p : points) {
    contact.feature = p.feature;
    contact.p_a = contact.p_b = p.p;
    contact.normal = p.normal;
    contact.gap = p.gap;
    found.list.push_back(contact);
  }
}

void forget(Contacts& contacts) {
  contacts.list.clear();
  contacts.pairs.clear();
  contacts.kept.clear();
  contacts.unused.clear();
}

void begin_step(Contacts& contacts) {
  Contacts::Before& before = contacts.before;
  before.is_kept = true;
  before.has_pairs = false;
  before.list = contacts.list;  // into memory that is there
  before.overwritten.clear();
}

void take_back(Contacts& c) {
  for (Contacts::Chunk& chunk : c.chunks) take_overwritten(chunk, c.before);
  const auto& overwritten = c.before.overwritten;
  for (auto last = overwritten.rbegin(); last != overwritten.rend(); ++last) {
    c.kept[static_cast<std::size_t>(last->first)] = last->second;
  }
  c.before.overwritten.clear();
  c.list = c.before.list;
  if (std::exchange(c.before.has_pairs, false)) std::swap(c.pairs, c.before.pairs);
  std::vector<bool> is_used(c.kept.size());
  for (const Contacts::Pair& pair : c.pairs) {
    if (pair.kept >= 0) is_used[static_cast<std::size_t>(pair.kept)] = true;
  }
  c.unused.clear();
  for (std::size_t place = 0; place < is_used.size(); ++place) {
    if (!is_used[place]) c.unused.push_back(static_cast<int>(place));
  }
}

void find_contacts(const Model& model, const Kinematics<double>& k, double h, Contacts& contacts) {
  update_boxes(model, k, h, contacts);
  update_pairs(model, contacts);
  std::swap(contacts.list, contacts.last_list);
  contacts.list.clear();
  contacts.near.clear();
  for (std::size_t i = 0; i < contacts.pairs.size(); ++i) {
    if (is_wanted(model, contacts.pairs[i], contacts)) {
      contacts.near.push_back(static_cast<int>(i));
    }
  }

  // in chunks of neighbours, put together in their order
  constexpr int chunk_size = 32;
  const int count = static_cast<int>(contacts.near.size());
  const int chunks = (count + chunk_size - 1) / chunk_size;
  if (contacts.chunks.size() < static_cast<std::size_t>(chunks)) {
    contacts.chunks.resize(static_cast<std::size_t>(chunks));
  }
  std::atomic<std::size_t> found{0};
  const auto search = [&](int n) {
    Contacts::Chunk& chunk = contacts.chunks[static_cast<std::size_t>(n)];
    chunk.list.clear();
    for (int i = n * chunk_size; i < std::min(count, (n + 1) * chunk_size); ++i) {
      const int pair = contacts.near[static_cast<std::size_t>(i)];
      meet(model, k, h, contacts.pairs[static_cast<std::size_t>(pair)], contacts, chunk);
    }
    check_count(found += chunk.list.size(), contacts);
  };
  constexpr int many = 8;  // fewer are done before another thread is awake
  parallel_for(chunks, chunks < many ? 1 : contacts.threads, search);
  for (int n = 0; n < chunks; ++n) {
    Contacts::Chunk& chunk = contacts.chunks[static_cast<std::size_t>(n)];
    contacts.list.insert(contacts.list.end(), chunk.list.begin(), chunk.list.end());
    take_overwritten(chunk, contacts.before);
  }
  // only bounces and sleepers ask for it
  for (Contact& contact : contacts.list) {
    if (contact.restitution == 0 && !is_asleep(model, contacts, contact.body_a) &&
        !is_asleep(model, contacts, contact.body_b)) {
      continue;
    }
    const Vec3 v_a = point_velocity(k, {contact.body_a}, contact.p_a);
    const Vec3 v_b = point_velocity(k, {contact.body_b}, contact.p_b);
    contact.approach = dot(contact.normal, v_a - v_b);
  }
  remember_impulses(contacts);
}

}  // namespace molejo
