// From Bacin's files to a Scene: mass properties, a checked initial state, a tree of joints.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <queue>

#include "molejo/io/bacin_files.h"
#include "molejo/model/error.h"
#include "molejo/model/scene.h"

namespace molejo {

namespace {

using End = BacinFiles::End;

// the state may be off by this much, relative to its size, and is then mended
constexpr double mendable = 0.01;
constexpr double negligible = 1e-9;
constexpr double loop_tolerance = 1e-6;
constexpr double moments_agree = 0.01;
constexpr std::size_t most_vertices_of_all = 4'000'000;  // of all bodies together

// Where a body is, and how large.
struct PlacedBody {
  Pose X;
  Vec3 v, w;  // of the origin, and angular, in world axes
  double radius = 0;
  bool connected = false;  // to the world or to the root of its tree
};

Vec3 velocity_at(const PlacedBody& body, const Vec3& p_W) {
  return body.v + cross(body.w, p_W - body.X.p);
}

struct TreeJoint {
  std::size_t joint = 0;
  bool child_is_end_1 = true;
};

class Importer {
 public:
  explicit Importer(const BacinFiles& files) : files_(files) {}

  Scene run() {
    settings();
    bodies();
    states();
    joints();
    forces();
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      scene_.bodies[i].X_WB = placed_[i].X;
      scene_.bodies[i].velocity = {{placed_[i].v, placed_[i].w}};
    }
    aim_camera();
    return std::move(scene_);
  }

 private:
  void settings();
  void bodies();
  MassProperties mass_of(const BacinFiles::Body& body, const Shape& shape);
  void states();
  void joints();
  std::vector<TreeJoint> attach();
  std::optional<SceneJoint> joint(const BacinFiles::Joint& given, bool loop, bool child_is_end_1);
  void forces();
  void aim_camera();
  SceneJoint framed(const BacinFiles::Joint& joint, const End& parent, const End& child) const;
  double mend_pose(const BacinFiles::Joint& joint, const End& parent, const End& child);
  double mend_velocity(const BacinFiles::Joint& joint, const End& parent, const End& child);
  void judge(const BacinFiles::Joint& joint, bool loop, const std::string& what, double residual);

  [[noreturn]] void fail(const char* ending, int line, const std::string& what) const {
    throw InputError(fmt::format("{}{}:{}: {}", files_.base, ending, line, what));
  }
  void warn(const std::string& sentence) { scene_.warnings.push_back(sentence); }
  bool still(int body) const {
    return body < 0 || scene_.bodies[static_cast<std::size_t>(body)].immobile;
  }
  PlacedBody& at(int body) { return body < 0 ? world_ : placed_[static_cast<std::size_t>(body)]; }
  const PlacedBody& at(int body) const {
    return body < 0 ? world_ : placed_[static_cast<std::size_t>(body)];
  }
  std::string name(int body) const {
    return body < 0 ? "" : scene_.bodies[static_cast<std::size_t>(body)].name;
  }
  double size(const BacinFiles::Joint& joint) const;

  const BacinFiles& files_;
  Scene scene_;
  std::vector<PlacedBody> placed_;
  PlacedBody world_;
};

void Importer::settings() {
  const BacinFiles::Animation& animation = files_.animation;
  const std::size_t slash = files_.base.find_last_of('/');
  scene_.name = slash == std::string::npos ? files_.base : files_.base.substr(slash + 1);
  Settings& settings = scene_.settings;
  settings.gravity = {0, 0, animation.gravity ? -animation.gravity_accel : 0};
  settings.formulation = Formulation::maximal;
  settings.integrator = Integrator::rkf45;
  settings.tolerance = animation.tolerance;
  settings.min_step = animation.min_step;
  settings.max_step = animation.max_step;
  settings.project = animation.correct_link_violation;
  settings.constraint_tolerance = animation.constraint_tolerance.value_or(animation.tolerance);
  settings.duration = animation.duration;
  settings.fps = animation.frames / animation.duration;
  // as in his files nothing ever rests, so that nothing is put to sleep either
  settings.contact.enabled = animation.collision_test;
  settings.contact.distance = animation.collision_tolerance;
  settings.contact.sleep = false;
  if (files_.time != 0) {
    warn(
        fmt::format("{}.ste: time = {}: the run starts at 0 and the times of the forces are "
                    "shifted by as much.",
                    files_.base, files_.time));
  }
}

// Second moments P_x = (J_y + J_z - J_x) / 2 scale with s_x^2 and the mass; J_x = P_y + P_z.
MassProperties scaled_mass(const BacinFiles::Shape& shape, const Vec3& s, double density) {
  const double factor = s.x * s.y * s.z * density;
  const Vec3 J = shape.moments;
  const double x = (J.y + J.z - J.x) / 2 * s.x * s.x * factor;
  const double y = (J.x + J.z - J.y) / 2 * s.y * s.y * factor;
  const double z = (J.x + J.y - J.z) / 2 * s.z * s.z * factor;
  const bool plain = s == Vec3{1, 1, 1} && density == 1;  // keeps the digits of the file
  return {shape.mass * factor,
          {},
          plain ? Sym3::diagonal(J.x, J.y, J.z) : Sym3::diagonal(y + z, x + z, x + y)};
}

MassProperties Importer::mass_of(const BacinFiles::Body& body, const Shape& shape) {
  const BacinFiles::Shape& file = files_.shapes[static_cast<std::size_t>(body.shape)];
  const std::string where = shape_file(files_.base, file.name);
  const MassProperties given = scaled_mass(file, body.scale, body.density);
  const double volume = mass_properties(shape, 1).mass;
  if (!(given.mass > 0) || !(volume > 0) || !std::isfinite(given.mass / volume)) {
    throw InputError(fmt::format("{}: mass = {}, expected above zero", where, file.mass));
  }
  const MassProperties exact = mass_properties(shape, given.mass / volume);
  if (files_.animation.exact_mass_properties) return exact;

  if (!is_physical_inertia(given.I_BC)) {
    throw InputError(
        fmt::format("{}: moments = {} {} {} are of no solid body: each must be above "
                    "zero and none above the sum of the others",
                    where, file.moments.x, file.moments.y, file.moments.z));
  }
  const double extent = std::sqrt((exact.I_BC.xx + exact.I_BC.yy + exact.I_BC.zz) / given.mass);
  const Sym3 &a = given.I_BC, &b = exact.I_BC;
  const double largest = std::max({b.xx, b.yy, b.zz});
  const double moments_off =
      std::max({std::fabs(a.xx - b.xx), std::fabs(a.yy - b.yy), std::fabs(a.zz - b.zz),
                std::fabs(b.xy), std::fabs(b.xz), std::fabs(b.yz)});
  if (moments_off > moments_agree * largest) {
    warn(
        fmt::format("{}: body '{}' has moments {:.4g} {:.4g} {:.4g}, but the uniform solid of its "
                    "mass {:.4g} has {:.4g} {:.4g} {:.4g}.",
                    where, body.name, a.xx, a.yy, a.zz, given.mass, b.xx, b.yy, b.zz));
  }
  const Vec3& c = exact.p_BC;
  if (max_abs(c) > moments_agree * extent) {
    warn(
        fmt::format("{}: the centre of the solid of body '{}' is at {:.3g} {:.3g} {:.3g}, not at "
                    "its origin.",
                    where, body.name, c.x, c.y, c.z));
  }
  return given;
}

void Importer::bodies() {
  std::vector<Polyhedron> solids;
  for (const BacinFiles::Shape& shape : files_.shapes) {
    try {
      solids.push_back(convex_polyhedron(shape.vertices, shape.faces));
    } catch (const InputError& error) {
      throw InputError(shape_file(files_.base, shape.name) + ": " + error.what());
    }
  }
  std::vector<bool> immobile(files_.bodies.size());
  for (const BacinFiles::Joint& joint : files_.joints) {
    if (joint.kind == BacinJointKind::immobile)
      immobile[static_cast<std::size_t>(joint.end_1.body)] = true;
  }
  std::size_t vertices = 0;
  for (const BacinFiles::Body& body : files_.bodies) {
    Polyhedron solid = solids[static_cast<std::size_t>(body.shape)];
    vertices += solid.vertices.size();
    if (vertices > most_vertices_of_all) fail(".bds", body.line, "too many vertices in all bodies");
    PlacedBody placed;
    for (Vec3& p : solid.vertices) {
      p = {p.x * body.scale.x, p.y * body.scale.y, p.z * body.scale.z};
      placed.radius = std::max(placed.radius, norm(p));
    }
    SceneBody added;
    added.name = body.name;
    added.shapes.push_back({solid, {}, {}});
    added.shapes[0].surface = {0, files_.animation.restitution};
    added.immobile = immobile[placed_.size()];
    placed.connected = added.immobile;
    if (!added.immobile) added.given = mass_of(body, added.shapes[0]);
    scene_.bodies.push_back(std::move(added));
    placed_.push_back(placed);
  }
  world_.connected = true;
}

// w = A Gbar theta_dot, which is twice the vector part of theta_dot conj(theta).
void Importer::states() {
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    const BacinFiles::BodyState& state = files_.states[i];
    const std::string& body = scene_.bodies[i].name;
    const EulerParameters& a = state.theta;
    const EulerParameters& b = state.theta_dot;
    const Quat given{a[0], a[1], a[2], a[3]};
    const double length = std::sqrt(squared_norm(given));
    if (!(std::fabs(length - 1) <= mendable)) {
      fail(".ste", state.line,
           fmt::format("the Euler parameters of body '{}' have length {:.6g}, residual {:.3g}, "
                       "expected 1",
                       body, length, length - 1));
    }
    if (std::fabs(length - 1) > negligible) {
      warn(
          fmt::format("{}.ste:{}: the Euler parameters of body '{}' have length {:.6g} and were "
                      "normalised, residual {:.3g}.",
                      files_.base, state.line, body, length, length - 1));
    }
    const Quat theta = normalized(given);
    const double along = theta.w * b[0] + theta.x * b[1] + theta.y * b[2] + theta.z * b[3];
    const double speed = std::sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3]);
    if (std::fabs(along) > mendable * speed) {
      fail(".ste", state.line,
           fmt::format("the rates of the Euler parameters of body '{}' are not tangent: residual "
                       "theta . theta' = {:.3g}, expected 0",
                       body, along));
    }
    if (std::fabs(along) > negligible * speed) {
      warn(
          fmt::format("{}.ste:{}: the rates of the Euler parameters of body '{}' were made "
                      "tangent, residual theta . theta' = {:.3g}.",
                      files_.base, state.line, body, along));
    }
    const Quat half_w = Quat{b[0], b[1], b[2], b[3]} * conjugate(theta);
    placed_[i].X = {matrix(theta), state.r};
    placed_[i].v = state.r_dot;
    placed_[i].w = {2 * half_w.x, 2 * half_w.y, 2 * half_w.z};
    if (scene_.bodies[i].immobile && (state.r_dot != Vec3{} || speed > 0)) {
      fail(".ste", state.line, "the immobile body '" + body + "' has a velocity, expected 0");
    }
  }
}

double Importer::size(const BacinFiles::Joint& joint) const {
  const double a = at(joint.end_1.body).radius, b = at(joint.end_2.body).radius;
  return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b);
}

// The part of x that a joint does not allow: all of it, or that across the axis, or along a normal.
Vec3 forbidden_shift(BacinJointKind kind, const Vec3& axis, const Vec3& x) {
  if (kind == BacinJointKind::cylindrical || kind == BacinJointKind::prismatic)
    return x - axis * dot(axis, x);
  if (kind == BacinJointKind::plane) return axis * dot(axis, x);
  return x;
}
Vec3 forbidden_turn(BacinJointKind kind, const Vec3& axis, const Vec3& w) {
  if (kind == BacinJointKind::cylindrical || kind == BacinJointKind::revolute)
    return w - axis * dot(axis, w);
  return kind == BacinJointKind::prismatic ? w : Vec3{};
}
bool has_axis(BacinJointKind kind) {
  return kind == BacinJointKind::cylindrical || kind == BacinJointKind::prismatic ||
         kind == BacinJointKind::revolute;
}

// Moves the child until the joint closes; returns how far off it was, relative to its size.
double Importer::mend_pose(const BacinFiles::Joint& joint, const End& parent, const End& child) {
  const PlacedBody& P = at(parent.body);
  PlacedBody& B = at(child.body);
  const Vec3 axis_P = P.X.R * parent.axis;
  double tilt = 0;
  if (has_axis(joint.kind)) {
    const Vec3 axis_B = B.X.R * child.axis;
    const Vec3 turn = cross(axis_B, axis_P);
    tilt = dot(axis_B, axis_P) > 0 ? norm(turn) : 2;
    if (tilt > 1e-15 && tilt < mendable) {
      B.X.R = axis_rotation(turn / tilt, std::asin(tilt)) * B.X.R;
    }
  }
  const Vec3 off = forbidden_shift(joint.kind, axis_P, P.X * parent.p - B.X * child.p);
  B.X.p += off;
  return std::max(tilt, norm(off) / size(joint));
}

// The same for velocities; the residual is relative to the speeds of the two bodies.
double Importer::mend_velocity(const BacinFiles::Joint& joint, const End& parent,
                               const End& child) {
  const PlacedBody& P = at(parent.body);
  PlacedBody& B = at(child.body);
  const Vec3 axis = P.X.R * parent.axis;
  const Vec3 point = B.X * child.p;
  const double length = size(joint);
  const double speed = std::max({norm(P.v) + norm(P.w) * length, norm(B.v) + norm(B.w) * length,
                                 norm(velocity_at(P, point)), norm(velocity_at(B, point))});
  const Vec3 turn = forbidden_turn(joint.kind, axis, P.w - B.w);
  B.w += turn;
  const Vec3 slip =
      forbidden_shift(joint.kind, axis, velocity_at(P, point) - velocity_at(B, point));
  B.v += slip;
  return speed > 0 ? std::max(norm(slip), norm(turn) * length) / speed : 0;
}

void Importer::judge(const BacinFiles::Joint& joint, bool loop, const std::string& what,
                     double residual) {
  const double limit = loop ? loop_tolerance : mendable;
  if (!(residual <= limit)) {
    fail(".ctr", joint.line,
         fmt::format("joint '{}' {} in the initial state: relative residual {:.3g}, expected at "
                     "most {:.0e}{}",
                     joint.name, what, residual, limit, loop ? " where joints close a loop" : ""));
  }
  if (residual > negligible) {
    warn(
        fmt::format("{}.ctr:{}: joint '{}' {} in the initial state, relative residual {:.3g}; "
                    "{}.",
                    files_.base, joint.line, joint.name, what, residual,
                    loop ? "it is left" : "its bodies were fitted"));
  }
}

// A joint whose frames coincide in the initial state. Where it slides, the frame of the child is
// set at that of the parent, so that the state has coordinate zero.
SceneJoint Importer::framed(const BacinFiles::Joint& joint, const End& parent,
                            const End& child) const {
  const Pose X_WP = at(parent.body).X, X_WB = at(child.body).X;
  SceneJoint framed;
  framed.name = joint.name;
  framed.parent = name(parent.body);
  framed.child = name(child.body);
  Pose X_WF{X_WB.R, X_WP * parent.p};
  if (joint.kind == BacinJointKind::plane) {
    X_WF = {frame_from_z(X_WP.R * parent.axis), X_WB * child.p};
  } else if (has_axis(joint.kind)) {
    X_WF.R = frame_from_z(X_WP.R * parent.axis);
  }
  framed.X_PF = inverse(X_WP) * X_WF;
  framed.X_BM = inverse(X_WB) * X_WF;
  // the digits of the file, where nothing slides
  if (joint.kind != BacinJointKind::plane) framed.X_PF.p = parent.p;
  if (joint.kind != BacinJointKind::cylindrical && joint.kind != BacinJointKind::prismatic)
    framed.X_BM.p = child.p;
  if (joint.kind == BacinJointKind::universal || joint.kind == BacinJointKind::fixed) {
    framed.X_BM.R = Mat3::identity();
  }
  switch (joint.kind) {
    case BacinJointKind::plane:
      framed.type = JointType::point_in_plane;
      break;
    case BacinJointKind::cylindrical:
      framed.type = JointType::cylindrical;
      break;
    case BacinJointKind::prismatic:
      framed.type = JointType::prismatic;
      break;
    case BacinJointKind::revolute:
      framed.type = JointType::revolute;
      break;
    default:
      framed.type = JointType::spherical;
  }
  return framed;
}

// The end that carries the plane is always the parent; other joints may be used either way round.
bool may_be_child(const BacinFiles::Joint& joint, bool end_1) {
  return end_1 || (joint.kind != BacinJointKind::plane && joint.kind != BacinJointKind::fixed);
}

// Grows the tree from the world, then from the first body not yet reached, always by the first
// joint of the file that leads to a new body. Returns the tree joints in that order.
std::vector<TreeJoint> Importer::attach() {
  std::vector<std::vector<std::size_t>> joints_of(placed_.size() + 1);  // the last: of the world
  for (std::size_t i = 0; i < files_.joints.size(); ++i) {
    const BacinFiles::Joint& joint = files_.joints[i];
    if (joint.kind == BacinJointKind::immobile) continue;
    for (const int body : {joint.end_1.body, joint.end_2.body}) {
      joints_of[body < 0 ? placed_.size() : static_cast<std::size_t>(body)].push_back(i);
    }
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> reachable;
  std::vector<TreeJoint> tree;
  const auto reach = [&](std::size_t body) {
    for (const std::size_t joint : joints_of[body]) reachable.push(joint);
  };
  const auto grow = [&] {
    while (!reachable.empty()) {
      const std::size_t index = reachable.top();
      reachable.pop();
      const BacinFiles::Joint& joint = files_.joints[index];
      for (const bool end_1 : {true, false}) {
        const int child = end_1 ? joint.end_1.body : joint.end_2.body;
        const int parent = end_1 ? joint.end_2.body : joint.end_1.body;
        if (at(child).connected || !at(parent).connected || !may_be_child(joint, end_1)) continue;
        at(child).connected = true;
        tree.push_back({index, end_1});
        reach(static_cast<std::size_t>(child));
        break;
      }
    }
  };
  reach(placed_.size());
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    if (placed_[i].connected) reach(i);
  }
  grow();
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    if (placed_[i].connected) continue;
    placed_[i].connected = true;
    reach(i);
    grow();
  }
  return tree;
}

// Checks and fits the joint; nothing when it joins what cannot move.
std::optional<SceneJoint> Importer::joint(const BacinFiles::Joint& given, bool loop,
                                          bool child_is_end_1) {
  BacinFiles::Joint joint = given;
  if (has_axis(joint.kind)) joint.end_1.axis = normalized(joint.end_1.axis);
  if (has_axis(joint.kind) || joint.kind == BacinJointKind::plane) {
    joint.end_2.axis = normalized(joint.end_2.axis);
  }
  if (joint.kind == BacinJointKind::plane) {
    joint.end_2.p = joint.end_2.axis * (-joint.offset / norm(given.end_2.axis));
  } else if (joint.kind == BacinJointKind::fixed) {
    joint.end_2.p = at(joint.end_1.body).X * joint.end_1.p;
  }
  const End& parent = child_is_end_1 ? joint.end_2 : joint.end_1;
  const End& child = child_is_end_1 ? joint.end_1 : joint.end_2;
  const PlacedBody before = at(child.body);
  judge(joint, loop, "is open", mend_pose(joint, parent, child));
  judge(joint, loop, "has velocities that are not tangent", mend_velocity(joint, parent, child));
  if (loop) at(child.body) = before;
  if (still(parent.body) && still(child.body)) {
    warn(fmt::format("{}.ctr:{}: joint '{}' joins what cannot move and is left out.", files_.base,
                     joint.line, joint.name));
    return std::nullopt;
  }
  SceneJoint result = framed(joint, parent, child);
  result.loop = loop;
  return result;
}

void Importer::joints() {
  std::vector<std::optional<SceneJoint>> result(files_.joints.size());
  for (const TreeJoint& tree : attach()) {
    result[tree.joint] = joint(files_.joints[tree.joint], false, tree.child_is_end_1);
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    const BacinFiles::Joint& given = files_.joints[i];
    const bool child_is_end_1 = !may_be_child(given, false) || given.end_2.body < 0;
    if (!result[i] && given.kind != BacinJointKind::immobile)
      result[i] = joint(given, true, child_is_end_1);
    if (result[i]) scene_.joints.push_back(std::move(*result[i]));
  }
}

void Importer::forces() {
  for (const BacinFiles::Spring& spring : files_.springs) {
    scene_.springs.push_back({spring.name,
                              {name(spring.end_1.body), spring.end_1.p},
                              {name(spring.end_2.body), spring.end_2.p},
                              spring.stiffness,
                              spring.rest_length,
                              0});
  }
  for (const BacinFiles::Force& force : files_.forces) {
    SceneForce added{force.name, {name(force.at.body), force.at.p}, force.samples};
    for (ForceSample& sample : added.samples) sample.t -= files_.time;
    scene_.forces.push_back(std::move(added));
  }
}

// Looks at the whole from the front, slightly from above.
void Importer::aim_camera() {
  if (placed_.empty()) return;
  Vec3 low = placed_[0].X.p, high = low;
  for (const PlacedBody& body : placed_) {
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], body.X.p[k] - body.radius);
      high[k] = std::max(high[k], body.X.p[k] + body.radius);
    }
  }
  scene_.camera.target = (low + high) * 0.5;
  scene_.camera.position = scene_.camera.target + Vec3{0.6, -1.6, 0.5} * norm(high - low);
}

}  // namespace

Scene scene_of(const BacinFiles& files) { return Importer(files).run(); }

}  // namespace molejo
