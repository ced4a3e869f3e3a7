// From a Scene to Bacin's files: bodies in their principal axes, joints as his or made of planes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "molejo/io/bacin_files.h"
#include "molejo/io/unique_names.h"
#include "molejo/model/build.h"
#include "molejo/model/error.h"
#include "molejo/model/kinematics.h"
#include "molejo/model/scene.h"

namespace molejo {

namespace {

using End = BacinFiles::End;

constexpr double slab_half = 50;  // of the slab that stands for an infinite plane

// Names are single words, each used once.
class Identifiers {
 public:
  explicit Identifiers(std::vector<std::string>& warnings) : warnings_(warnings) {}

  std::string take(const std::string& name) {
    std::string word = name.empty() ? "unnamed" : name;
    for (char& c : word) {
      if (c <= ' ' || c > '~' || c == '=' || c == '(' || c == ')') c = '_';
    }
    if (word == "world" || word == "end") word += "_";
    const std::string unique = used_.add(word, [&](int i) { return word + fmt::format("_{}", i); });
    if (unique != name) warnings_.push_back(fmt::format("'{}' is written as '{}'.", name, unique));
    return unique;
  }

 private:
  std::vector<std::string>& warnings_;
  UniqueNames used_;
};

bool collides(const SceneBody& body) {
  return std::any_of(body.shapes.begin(), body.shapes.end(),
                     [](const Shape& shape) { return shape.collides; });
}

// What stands for the solid below a terrain: its points, and a floor below the lowest of them.
void add_terrain(const HeightField& field, std::vector<Vec3>& points) {
  const double lowest = *std::min_element(field.heights.begin(), field.heights.end()) - 1;
  const double x = field.dx * (field.columns - 1) / 2, y = field.dy * (field.rows - 1) / 2;
  for (const Vec3& p : tessellate(field).positions) points.push_back(p);
  for (int i = 0; i < 4; ++i) points.push_back({i & 1 ? x : -x, i & 2 ? y : -y, lowest});
}

// All corners of a body's shapes, in its frame; of those that collide where there are any.
std::vector<Vec3> corners(const SceneBody& body) {
  std::vector<Vec3> points;
  for (const Shape& shape : body.shapes) {
    if (!shape.collides && collides(body)) continue;
    if (const auto* field = std::get_if<HeightField>(&shape.geometry)) {
      std::vector<Vec3> own;
      add_terrain(*field, own);
      for (const Vec3& p : own) points.push_back(shape.X_BS * p);
    } else if (std::holds_alternative<Plane>(shape.geometry)) {
      for (int i = 0; i < 8; ++i) {
        points.push_back(shape.X_BS * Vec3{i & 1 ? slab_half : -slab_half,
                                           i & 2 ? slab_half : -slab_half, i & 4 ? 0.0 : -1.0});
      }
    } else {
      for (const Vec3& p : tessellate(shape.geometry, 16).positions) {
        points.push_back(shape.X_BS * p);
      }
    }
  }
  return points;
}

// The box of half extents sqrt(3 P / m) has the second moments P.
Polyhedron equivalent_box(const MassProperties& m) {
  const Vec3 J = {m.I_BC.xx, m.I_BC.yy, m.I_BC.zz};
  const auto half = [&](double P) { return std::sqrt(std::max(3 * P / m.mass, 1e-12)); };
  const Vec3 a{half((J.y + J.z - J.x) / 2), half((J.x + J.z - J.y) / 2),
               half((J.x + J.y - J.z) / 2)};
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i) {
    points.push_back({i & 1 ? a.x : -a.x, i & 2 ? a.y : -a.y, i & 4 ? a.z : -a.z});
  }
  return convex_hull(points);
}

class Exporter {
 public:
  Exporter(const Scene& scene, const std::string& base, std::vector<std::string>& warnings)
      : scene_(scene), warnings_(warnings) {
    files_.base = base;
  }

  BacinFiles run() {
    animation();
    bodies();
    states();
    joints();
    forces();
    return std::move(files_);
  }

 private:
  void animation();
  void contact();
  void bodies();
  MassProperties mass_of(const SceneBody& body) const;
  Polyhedron solid_of(const SceneBody& body, const MassProperties& mass);
  int shape_of(const SceneBody& body, const MassProperties& principal, const Polyhedron& solid);
  void states();
  void joints();
  void add_joint(const SceneJoint& joint, Identifiers& names);
  void forces();

  template <class... Values>
  void warn(const char* sentence, const Values&... values) {
    warnings_.push_back(fmt::vformat(sentence, fmt::make_format_args(values...)));
  }
  int index(const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? -1 : found->second;
  }
  // A frame of a body, seen from its principal axes C.
  Pose in_principal(int body, const Pose& X_BF) const {
    return body < 0 ? X_BF : inverse(X_BC_[static_cast<std::size_t>(body)]) * X_BF;
  }
  End end(const Attachment& a) const {
    const int body = index(a.body);
    return {body, in_principal(body, {Mat3::identity(), a.p}).p, {}};
  }

  const Scene& scene_;
  std::vector<std::string>& warnings_;
  BacinFiles files_;
  std::vector<Pose> X_BC_;  // principal axes of each body
  std::unordered_map<std::string, int> index_;
};

void Exporter::animation() {
  const Settings& settings = scene_.settings;
  BacinFiles::Animation& a = files_.animation;
  a.duration = settings.duration;
  a.frames = std::max(1, static_cast<int>(std::lround(settings.duration * settings.fps)));
  a.tolerance = settings.tolerance;
  a.min_step = std::min(settings.min_step, settings.max_step);
  a.max_step = settings.max_step;
  contact();
  a.correct_link_violation = settings.project;
  if (settings.constraint_tolerance != settings.tolerance) {
    a.constraint_tolerance = settings.constraint_tolerance;
  }
  const Vec3& g = settings.gravity;
  a.gravity = g.z != 0;
  if (a.gravity) a.gravity_accel = -g.z;
  if (g.x != 0 || g.y != 0) {
    warn("gravity is {} {} {}, but Bacin's is vertical: only its third part is written.", g.x, g.y,
         g.z);
  }
  if (std::fabs(a.frames - settings.duration * settings.fps) > 1e-6) {
    warn("{} frames per second for {} s are rounded to {} frames.", settings.fps, settings.duration,
         a.frames);
  }
  if (settings.integrator != Integrator::rkf45) {
    warn("the integrator {} is replaced by rkf45, the only one of Bacin's files.",
         to_string(settings.integrator));
  }
}

// His bodies have one restitution and no friction.
void Exporter::contact() {
  BacinFiles::Animation& a = files_.animation;
  std::vector<const Surface*> surfaces;
  int bodies_that_collide = 0;
  for (const SceneBody& body : scene_.bodies) {
    bodies_that_collide += collides(body);
    for (const Shape& shape : body.shapes) {
      if (shape.collides) surfaces.push_back(&shape.surface);
    }
  }
  a.collision_test = scene_.settings.contact.enabled && bodies_that_collide > 1;
  a.collision_tolerance = scene_.settings.contact.distance;
  if (!a.collision_test) return;

  const auto by_restitution = [](const Surface* s, const Surface* t) {
    return s->restitution < t->restitution;
  };
  const auto [least, largest] =
      std::minmax_element(surfaces.begin(), surfaces.end(), by_restitution);
  a.restitution = (*largest)->restitution;
  if ((*least)->restitution != (*largest)->restitution) {
    warn("restitutions from {} to {} are written as {}: Bacin's scenes have one.",
         (*least)->restitution, (*largest)->restitution, a.restitution);
  }
  if (std::any_of(surfaces.begin(), surfaces.end(),
                  [](const Surface* s) { return s->friction != 0; })) {
    warn("friction is left out: Bacin's bodies have none.");
  }
  for (const SceneBody& body : scene_.bodies) {
    const auto drawn = std::count_if(body.shapes.begin(), body.shapes.end(),
                                     [](const Shape& shape) { return !shape.collides; });
    if (drawn == 0) continue;
    if (collides(body)) {
      warn("shapes of body '{}' that do not collide are left out.", body.name);
    } else {
      warn("body '{}' does not collide, but every body of Bacin's does.", body.name);
    }
  }
  if (!scene_.contact_pairs.empty()) warn("contact pairs are left out: all bodies collide alike.");
}

MassProperties Exporter::mass_of(const SceneBody& body) const {
  if (body.given) return *body.given;
  MassProperties total;
  for (const Shape& shape : body.shapes) total = total + mass_properties(shape, body.density);
  if (total.mass > 0) return total;
  if (body.immobile) return {1, {}, Sym3::diagonal(1, 1, 1)};
  throw InputError("body '" + body.name + "' has no mass, which Bacin's files cannot say");
}

// The hull of all shapes, in the frame of the body.
Polyhedron Exporter::solid_of(const SceneBody& body, const MassProperties& mass) {
  if (body.shapes.empty()) {
    warn("body '{}' has no shape: a box of its inertia is written.", body.name);
    Polyhedron box = equivalent_box(mass);
    for (Vec3& p : box.vertices) p += mass.p_BC;
    return box;
  }
  const Shape& first = body.shapes[0];
  if (body.shapes.size() == 1 && std::holds_alternative<Polyhedron>(first.geometry)) {
    Polyhedron solid = std::get<Polyhedron>(first.geometry);
    for (Vec3& p : solid.vertices) p = first.X_BS * p;
    return solid;
  }
  const Polyhedron hull = convex_hull(corners(body));
  if (body.shapes.size() > 1 || !std::holds_alternative<Box>(first.geometry)) {
    warn("the shape of body '{}' is written as a convex polyhedron of {} vertices.", body.name,
         hull.vertices.size());
  }
  return hull;
}

// An equal shape is written once.
int Exporter::shape_of(const SceneBody& body, const MassProperties& principal,
                       const Polyhedron& solid) {
  const Vec3 moments{principal.I_BC.xx, principal.I_BC.yy, principal.I_BC.zz};
  for (std::size_t i = 0; i < files_.shapes.size(); ++i) {
    const BacinFiles::Shape& shape = files_.shapes[i];
    if (shape.mass == principal.mass && shape.moments == moments &&
        shape.vertices == solid.vertices && shape.faces == solid.triangles) {
      return static_cast<int>(i);
    }
  }
  const std::size_t slash = files_.base.find_last_of('/');
  const std::string stem = slash == std::string::npos ? files_.base : files_.base.substr(slash + 1);
  BacinFiles::Shape shape;
  shape.name = stem + "_" + body.name;
  for (char& c : shape.name) {
    if (c <= ' ' || c > '~' || c == '=' || c == '(' || c == ')' || c == '/') c = '_';
  }
  if (!files_.shapes.empty()) shape.name += fmt::format("_{}", files_.shapes.size());
  shape.mass = principal.mass;
  shape.moments = moments;
  shape.vertices = solid.vertices;
  shape.faces = solid.triangles;
  for (std::size_t i = 0; i < shape.vertices.size(); ++i) {
    shape.vertex_names.push_back(fmt::format("v{}", i));
  }
  for (std::size_t i = 0; i < shape.faces.size(); ++i) {
    shape.face_names.push_back(fmt::format("f{}", i));
  }
  files_.shapes.push_back(std::move(shape));
  return static_cast<int>(files_.shapes.size()) - 1;
}

void Exporter::bodies() {
  Identifiers names(warnings_);
  for (const SceneBody& body : scene_.bodies) {
    const MassProperties mass = mass_of(body);
    const Sym3& I = mass.I_BC;
    const double off = std::max({std::fabs(I.xy), std::fabs(I.xz), std::fabs(I.yz)});
    Pose X_BC{Mat3::identity(), mass.p_BC};
    MassProperties principal = mass;
    if (off > 1e-14 * (I.xx + I.yy + I.zz)) {
      const PrincipalInertia axes = principal_inertia(I);
      X_BC.R = determinant(axes.axes) > 0 ? axes.axes : axes.axes * -1.0;
      principal.I_BC = Sym3::diagonal(axes.moments.x, axes.moments.y, axes.moments.z);
    }
    Polyhedron solid = solid_of(body, mass);
    if (!(X_BC == Pose{})) {
      const Pose X_CB = inverse(X_BC);
      for (Vec3& p : solid.vertices) p = X_CB * p;
    }
    index_[body.name] = static_cast<int>(X_BC_.size());
    X_BC_.push_back(X_BC);
    BacinFiles::Body added;
    added.name = names.take(body.name);
    added.shape = shape_of(body, principal, solid);
    files_.bodies.push_back(added);
  }
}

void Exporter::states() {
  const Built built = build(scene_);
  Kinematics<double> k(built.model);
  update_poses(built.model, built.initial.q.data(), k);
  update_velocities(built.model, built.initial.v.data(), k);
  files_.time = built.initial.t;
  for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
    const BodyId id = built.model.body(scene_.bodies[i].name);
    const Pose X_WC = body_pose(built.model, k, id) * X_BC_[i];
    const Quat theta = quaternion(X_WC.R);
    const Vec3 w_C = transpose_times(
        X_WC.R, id.is_world() ? Vec3{} : k.bodies[static_cast<std::size_t>(id.index)].w);
    const Quat rate = theta * Quat{0, w_C.x / 2, w_C.y / 2, w_C.z / 2};
    BacinFiles::BodyState state;
    state.r = X_WC.p;
    state.r_dot = point_velocity(k, id, X_WC.p);
    state.theta = {theta.w, theta.x, theta.y, theta.z};
    state.theta_dot = {rate.w, rate.x, rate.y, rate.z};
    files_.states.push_back(state);
  }
}

// Joints that Bacin does not have are made of points on planes, as in his section 4.3.
void Exporter::add_joint(const SceneJoint& joint, Identifiers& names) {
  const int parent = index(joint.parent), child = index(joint.child);
  const Pose F = in_principal(parent, joint.X_PF), M = in_principal(child, joint.X_BM);
  int parts = 0;
  const auto add = [&](BacinJointKind kind, const End& end_1, const End& end_2, double offset) {
    const std::string suffix = parts++ ? fmt::format("_{}", parts) : "";
    files_.joints.push_back({names.take(joint.name + suffix), kind, end_1, end_2, offset, 0});
  };
  const auto coincide = [&] {
    if (parent < 0) {
      add(BacinJointKind::fixed, {child, M.p, {}}, {}, 0);
    } else {
      add(BacinJointKind::universal, {parent, F.p, {}}, {child, M.p, {}}, 0);
    }
  };
  const auto plane = [&](const Vec3& point, int normal) {
    const Vec3 n = F.R.column(normal);
    add(BacinJointKind::plane, {child, point, {}}, {parent, {}, n}, -dot(n, F.p));
  };
  const auto on_axis = [&](BacinJointKind kind) {
    add(kind, {parent, F.p, F.R.column(2)}, {child, M.p, M.R.column(2)}, 0);
  };
  const Vec3 x = M.p + M.R.column(0), y = M.p + M.R.column(1);
  switch (joint.type) {
    case JointType::free:
      break;
    case JointType::spherical:
      coincide();
      break;
    case JointType::revolute:
      on_axis(BacinJointKind::revolute);
      break;
    case JointType::prismatic:
      on_axis(BacinJointKind::prismatic);
      break;
    case JointType::cylindrical:
      on_axis(BacinJointKind::cylindrical);
      break;
    case JointType::point_in_plane:
      plane(M.p, 2);
      break;
    case JointType::universal:
      coincide();
      plane(y, 0);
      break;
    case JointType::planar:
      for (const Vec3& point : {M.p, x, y}) plane(point, 2);
      break;
    case JointType::fixed:
      if (parent < 0) {
        add(BacinJointKind::immobile, {child, {}, {}}, {}, 0);
        break;
      }
      coincide();
      plane(x, 1);
      plane(x, 2);
      plane(y, 2);
  }
}

void Exporter::joints() {
  Identifiers names(warnings_);
  for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
    if (!scene_.bodies[i].immobile) continue;
    files_.joints.push_back({names.take("immobile_" + files_.bodies[i].name),
                             BacinJointKind::immobile,
                             {static_cast<int>(i), {}, {}},
                             {},
                             0,
                             0});
  }
  for (const SceneJoint& joint : scene_.joints) {
    add_joint(joint, names);
    for (const Drive& drive : joint.drives) {
      if (drive == Drive{}) continue;
      warn("joint '{}' has a spring, damper, limit or motor, which is left out.", joint.name);
      break;
    }
  }
}

void Exporter::forces() {
  Identifiers names(warnings_);
  for (const SceneSpring& spring : scene_.springs) {
    files_.springs.push_back({names.take(spring.name), spring.stiffness, spring.rest_length,
                              end(spring.a), end(spring.b), 0});
    if (spring.damping != 0) warn("the damping of spring '{}' is left out.", spring.name);
  }
  for (const SceneForce& force : scene_.forces) {
    if (force.samples.empty()) continue;
    BacinFiles::Force added{names.take(force.name), end(force.at), force.samples, 0};
    // a constant force is a curve of two equal samples over the whole run
    if (added.samples.size() == 1) {
      added.samples.push_back(added.samples[0]);
      added.samples[0].t = 0;
      added.samples[1].t = scene_.settings.duration;
    }
    files_.forces.push_back(std::move(added));
  }
}

}  // namespace

BacinFiles files_of(const Scene& scene, const std::string& base,
                    std::vector<std::string>& warnings) {
  return Exporter(scene, base, warnings).run();
}

}  // namespace molejo
