// URDF: links and joints by name. Format: http://wiki.ros.org/urdf/XML.
//
// A joint's <origin> places the joint frame J on the parent link; the child link's frame is J at
// zero. <axis> is given in J. Angles rpy turn about fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll).
#include <algorithm>
#include <map>
#include <unordered_map>

#include "molejo/io/robot.h"
#include "molejo/io/robot_parts.h"
#include "molejo/io/scene.h"
#include "molejo/model/error.h"
#include "molejo/model/scene.h"

namespace molejo {

namespace {

constexpr double shape_density = 1000;  // kg/m^3, for moving links that state no inertia
constexpr int highest_package = 4;      // folders above the file in which a package is looked for

bool same_form(const Geometry& a, const Geometry& b) {
  if (a.index() != b.index()) return false;
  if (const auto* sphere = std::get_if<Sphere>(&a)) {
    return sphere->radius == std::get<Sphere>(b).radius;
  }
  if (const auto* box = std::get_if<Box>(&a)) return box->half == std::get<Box>(b).half;
  if (const auto* c = std::get_if<Cylinder>(&a)) {
    const auto& d = std::get<Cylinder>(b);
    return c->radius == d.radius && c->half_length == d.half_length;
  }
  if (const auto* c = std::get_if<Capsule>(&a)) {
    const auto& d = std::get<Capsule>(b);
    return c->radius == d.radius && c->half_length == d.half_length;
  }
  if (const auto* p = std::get_if<Polyhedron>(&a)) {
    return p->vertices == std::get<Polyhedron>(b).vertices;
  }
  return false;
}
bool same_place_and_form(const Shape& a, const Shape& b) {
  return a.X_BS == b.X_BS && same_form(a.geometry, b.geometry);
}

struct UrdfLink {
  const XmlElement* element = nullptr;
  SceneBody body;
  const XmlElement* parent_joint = nullptr;
  std::vector<std::size_t> joints;  // to its children
};

struct UrdfJoint {
  const XmlElement* element = nullptr;
  std::size_t parent = 0, child = 0;
  SceneJoint joint;
};

Pose read_origin(const XmlElement& element) {
  Pose X;
  const XmlElement* origin = element.child("origin");
  if (origin == nullptr) return X;
  if (const auto xyz = origin->find("xyz")) X.p = xyz->vector();
  if (const auto rpy = origin->find("rpy")) {
    const Vec3 a = rpy->vector();
    X.R = axis_rotation({0, 0, 1}, a.z) * axis_rotation({0, 1, 0}, a.y) *
          axis_rotation({1, 0, 0}, a.x);
  }
  return X;
}

class UrdfReader {
 public:
  UrdfReader(const XmlElement& root, const SourceFile& file) : root_(root), file_(file) {}

  Scene read() {
    if (root_.name != "robot") root_.fail("expected the root element <robot>");
    root_.read = true;
    root_.find("version");
    if (const auto name = root_.find("name")) scene_.name = name->text();
    for (const XmlElement* material : root_.all("material")) read_material(*material);
    for (const XmlElement* link : root_.all("link")) read_link(*link);
    if (links_.empty()) root_.fail("expected at least one <link>");
    for (const XmlElement* joint : root_.all("joint")) read_joint(*joint);
    place_links(root_link());
    weigh_moving_links();
    warnings_.add_unread(root_);
    scene_.warnings = warnings_.sentences();
    return std::move(scene_);
  }

 private:
  // links

  void read_link(const XmlElement& element) {
    if (links_.size() == max_imported_bodies) {
      element.fail("more than " + std::to_string(max_imported_bodies) + " links");
    }
    UrdfLink link;
    link.element = &element;
    link.body.name = element.require_name();
    if (!index_.try_emplace(link.body.name, links_.size()).second) {
      element.require("name").fail("a second link of this name");
    }
    if (link.body.name == any_body) {
      element.require("name").fail("expected another name: this one stands for any body");
    }
    link_names_.push_back(link.body.name);
    read_inertial(element, link);
    read_shapes(element, link.body);
    links_.push_back(std::move(link));
  }

  void read_inertial(const XmlElement& element, UrdfLink& link) {
    const XmlElement* inertial = element.child("inertial");
    link.body.massless = true;
    link.body.given = MassProperties{};
    if (inertial == nullptr) return;

    const Pose X_BC = read_origin(*inertial);
    const XmlElement* mass = inertial->child("mass");
    if (mass == nullptr) inertial->fail("expected <mass>");
    const double m = mass->require("value").not_negative();
    const XmlElement* inertia = inertial->child("inertia");
    if (inertia == nullptr) inertial->fail("expected <inertia>");
    const auto moment = [&](const char* name) { return inertia->require(name).number(); };
    const auto product = [&](const char* name) {
      const auto value = inertia->find(name);
      return value ? value->number() : 0.0;
    };
    const Sym3 I{moment("ixx"),  moment("iyy"),  moment("izz"),
                 product("ixy"), product("ixz"), product("iyz")};

    // all zero is the custom for frames that carry nothing
    if (m == 0 && I == Sym3{}) return;
    // a point mass is allowed where others give it an inertia
    if (I == Sym3{}) {
      link.body.given->mass = m;
      link.body.given->p_BC = X_BC.p;
      return;
    }
    if (m == 0) mass->require("value").fail("expected a positive mass beside this inertia");
    if (!is_physical_inertia(I)) {
      inertia->fail(
          "expected a positive definite inertia with no moment above the sum of the others");
    }
    link.body.massless = false;
    link.body.given = MassProperties{m, X_BC.p, rotated(X_BC.R, I)};
  }

  // What is seen and what collides: one shape where both are the same, else two, of which the
  // second is not drawn. A link that shows nothing that can be read shows what collides.
  void read_shapes(const XmlElement& element, SceneBody& body) {
    for (const XmlElement* visual : element.all("visual")) {
      visual->find("name");
      if (const XmlElement* material = visual->child("material")) read_material(*material);
      try {
        body.shapes.push_back(read_shape(*visual));
        body.shapes.back().collides = false;
      } catch (const UnreadableMesh& mesh) {
        warnings_.add(*visual, mesh.what() + std::string("; this visual was left out"));
      }
    }
    const std::size_t seen = body.shapes.size();
    for (const XmlElement* collision : element.all("collision")) {
      collision->find("name");
      try {
        add_collision(read_shape(*collision), seen, body.shapes);
      } catch (const UnreadableMesh& mesh) {
        if (seen == 0) throw InputError(collision->place() + mesh.what());
        warnings_.add(*collision, mesh.what() + std::string("; this collision was left out"));
      }
    }
  }

  static void add_collision(Shape shape, std::size_t seen, std::vector<Shape>& shapes) {
    for (std::size_t i = 0; i < seen; ++i) {
      if (shapes[i].collides || !same_place_and_form(shapes[i], shape)) continue;
      shapes[i].collides = true;
      return;
    }
    if (seen > 0) shape.color.a = 0;
    shapes.push_back(std::move(shape));
  }

  struct UnreadableMesh : InputError {
    using InputError::InputError;
  };

  Shape read_shape(const XmlElement& element) {
    Shape shape;
    shape.X_BS = read_origin(element);
    if (const XmlElement* material = element.child("material")) shape.color = color_of(*material);
    const XmlElement* geometry = element.child("geometry");
    if (geometry == nullptr) element.fail("expected <geometry>");
    if (geometry->children.size() != 1) geometry->fail("expected one shape");
    const XmlElement& g = geometry->children.front();
    g.read = true;

    if (g.name == "box") {
      const XmlValue size = g.require("size");
      const Vec3 full = size.vector();
      if (!(full.x > 0 && full.y > 0 && full.z > 0)) size.fail("expected positive sizes");
      shape.geometry = Box{full * 0.5};
    } else if (g.name == "cylinder") {
      shape.geometry = Cylinder{g.require("radius").positive(), g.require("length").positive() / 2};
    } else if (g.name == "capsule") {
      shape.geometry = Capsule{g.require("radius").positive(), g.require("length").positive() / 2};
    } else if (g.name == "sphere") {
      shape.geometry = Sphere{g.require("radius").positive()};
    } else if (g.name == "mesh") {
      shape.geometry = read_mesh_geometry(g);
    } else {
      static const std::vector<std::string> known{"box", "cylinder", "capsule", "sphere", "mesh"};
      geometry->children.front().fail(unknown_word("shape", shown(g.name), known));
    }
    return shape;
  }

  Polyhedron read_mesh_geometry(const XmlElement& element) {
    const XmlValue name = element.require("filename");
    Vec3 scale{1, 1, 1};
    if (const auto value = element.find("scale")) scale = value->vector();
    TriangleMesh mesh;
    try {
      mesh = read_mesh(mesh_file(name));
    } catch (const InputError& error) {
      throw UnreadableMesh("<mesh filename=\"" + shown(name.text()) + "\">: " + error.what());
    }
    for (Vec3& p : mesh.vertices) p = {p.x * scale.x, p.y * scale.y, p.z * scale.z};
    return hull_of_mesh(mesh, name, warnings_);
  }

  // "package://robot/meshes/a.stl" is looked for beside the file and in the folders above.
  SourceFile mesh_file(const XmlValue& name) const {
    constexpr std::string_view package = "package://", local = "file://";
    std::string path = name.text();
    if (path.starts_with(local)) path.erase(0, local.size());
    if (!path.starts_with(package)) return file_.beside(path);
    path.erase(0, package.size());
    const std::string inside = path.substr(path.find('/') + 1);
    std::string up;
    for (int i = 0; i <= highest_package; ++i, up += "../") {
      for (const std::string& candidate : {up + inside, up + path}) {
        const SourceFile file = file_.beside(candidate);
        if (file.exists()) return file;
      }
    }
    return file_.beside(inside);
  }

  // materials

  void read_material(const XmlElement& element) {
    const XmlElement* color = element.child("color");
    if (color == nullptr) return;
    const std::vector<double> c = color->require("rgba").numbers(4, 4);
    if (const auto name = element.find("name")) materials_[name->text()] = {c[0], c[1], c[2], c[3]};
  }

  Color color_of(const XmlElement& material) {
    if (const XmlElement* color = material.child("color")) {
      const std::vector<double> c = color->require("rgba").numbers(4, 4);
      return {c[0], c[1], c[2], c[3]};
    }
    const auto name = material.find("name");
    if (!name) return {};
    const auto found = materials_.find(name->text());
    if (found != materials_.end()) return found->second;
    warnings_.add(material, "the material '" + shown(name->text()) + "' has no color");
    return {};
  }

  // joints

  void read_joint(const XmlElement& element) {
    static const std::vector<std::string> words{"fixed",     "revolute", "continuous",
                                                "prismatic", "planar",   "floating"};
    static constexpr JointType types[]{JointType::fixed,    JointType::revolute,
                                       JointType::revolute, JointType::prismatic,
                                       JointType::planar,   JointType::free};
    UrdfJoint entry;
    entry.element = &element;
    SceneJoint& joint = entry.joint;
    joint.name = element.require_name();
    if (!joint_names_.try_emplace(joint.name, &element).second) {
      element.require("name").fail("a second joint of this name");
    }
    const std::size_t type = element.require("type").word("joint type", words);
    joint.type = types[type];
    entry.parent = linked(element, "parent");
    entry.child = linked(element, "child");
    joint.parent = links_[entry.parent].body.name;
    joint.child = links_[entry.child].body.name;

    const Pose X_PJ = read_origin(element);
    const Pose X_JF = axis_frame(element, joint.type);
    joint.X_PF = X_PJ * X_JF;
    joint.X_BM = X_JF;
    read_drives(element, words[type], joint);

    UrdfLink& child = links_[entry.child];
    if (child.parent_joint != nullptr) {
      element.fail("the link '" + shown(joint.child) +
                   "' already has a parent, by the joint on line " +
                   std::to_string(child.parent_joint->line));
    }
    child.parent_joint = &element;
    links_[entry.parent].joints.push_back(joints_.size());
    joints_.push_back(std::move(entry));
  }

  std::size_t linked(const XmlElement& joint, const char* role) const {
    const XmlElement* end = joint.child(role);
    if (end == nullptr) joint.fail(std::string("expected <") + role + " link=\"...\">");
    const XmlValue link = end->require("link");
    const auto found = index_.find(link.text());
    if (found == index_.end()) link.fail(unknown_word("link", shown(link.text()), link_names_));
    return found->second;
  }

  // The frame whose z is the axis; the identity where the type has none.
  static Pose axis_frame(const XmlElement& element, JointType type) {
    Vec3 axis{1, 0, 0};
    if (const XmlElement* given = element.child("axis")) {
      const XmlValue xyz = given->require("xyz");
      axis = xyz.vector();
      const double length = norm(axis);
      const bool needed = type != JointType::fixed && type != JointType::free;
      if (needed && !(length > 1e-9 && length < 1e9)) xyz.fail("expected a direction");
    }
    if (type == JointType::fixed || type == JointType::free) return {};
    return {frame_from_z(normalized(axis)), {}};
  }

  void read_drives(const XmlElement& element, const std::string& word, SceneJoint& joint) {
    const XmlElement* limit = element.child("limit");
    const XmlElement* dynamics = element.child("dynamics");
    const bool bounded = word == "revolute" || word == "prismatic";
    Drive drive;
    if (limit != nullptr) {
      if (bounded) read_range(*limit, drive);
      if (const auto effort = limit->find("effort")) drive.max_force = effort->not_negative();
    } else if (bounded) {
      warnings_.add(element, "a " + word + " joint has no <limit> and moves without limits");
    }
    if (dynamics != nullptr) {
      if (const auto damping = dynamics->find("damping")) drive.damping = damping->not_negative();
      // a friction of zero is nothing to tell
      if (const auto friction = dynamics->find("friction"); friction && friction->number() != 0) {
        warnings_.add(*dynamics, "dry friction of joints (<dynamics friction>) was left out");
      }
    }
    if (!(drive == Drive{})) {
      joint.drives.assign(static_cast<std::size_t>(freedoms(joint.type).count()), drive);
    }
  }

  static void read_range(const XmlElement& limit, Drive& drive) {
    // both default to zero
    const auto lower = limit.find("lower"), upper = limit.find("upper");
    drive.lower = lower ? lower->number() : 0;
    drive.upper = upper ? upper->number() : 0;
    if (*drive.lower > *drive.upper) limit.fail("lower is above upper");
  }

  // the tree

  std::size_t root_link() const {
    const UrdfLink* root = nullptr;
    for (const UrdfLink& link : links_) {
      if (link.parent_joint != nullptr) continue;
      if (root != nullptr) {
        link.element->fail("two root links, '" + shown(root->body.name) + "' and '" +
                           shown(link.body.name) + "'; expected one link without a parent");
      }
      root = &link;
    }
    if (root == nullptr) {
      links_.front().element->fail("every link has a parent: the joints form a cycle");
    }
    return static_cast<std::size_t>(root - links_.data());
  }

  // Parents first, each link at the zero configuration of the joints above it.
  void place_links(std::size_t root) {
    UrdfLink& base = links_[root];
    const bool is_world = base.body.name == "world";
    const bool bare = base.body.shapes.empty();
    if (is_world) {
      // the name belongs to the world itself; its shapes are held by an immobile body
      if (base.body.given->mass > 0) {
        warnings_.add(*base.element, "the mass of the link 'world' was left out");
      }
      base.body.name = "ground";
      while (index_.count(base.body.name) != 0) base.body.name += "_";
      base.body.immobile = true;
      base.body.massless = false;
      base.body.given.reset();
    } else if (const auto world = index_.find("world"); world != index_.end()) {
      links_[world->second].element->fail("expected the link 'world' to be the root");
    }
    std::vector<std::size_t> order{root};
    for (std::size_t next = 0; next < order.size(); ++next) {
      const UrdfLink& link = links_[order[next]];
      for (const std::size_t j : link.joints) {
        const UrdfJoint& joint = joints_[j];
        links_[joint.child].body.X_WB =
            link.body.X_WB * joint.joint.X_PF * inverse(joint.joint.X_BM);
        order.push_back(joint.child);
      }
    }
    if (order.size() < links_.size()) refuse_cycle(order);
    for (const std::size_t i : order) {
      UrdfLink& link = links_[i];
      for (const std::size_t j : link.joints) {
        if (i == root && is_world) joints_[j].joint.parent.clear();
        scene_.joints.push_back(std::move(joints_[j].joint));
      }
      if (i == root && is_world && bare) continue;
      body_links_.push_back(i);
      scene_.bodies.push_back(std::move(link.body));
    }
    if (scene_.bodies.empty()) root_.fail("expected a link besides 'world'");
  }

  [[noreturn]] void refuse_cycle(const std::vector<std::size_t>& reached) const {
    std::vector<bool> seen(links_.size(), false);
    for (const std::size_t i : reached) seen[i] = true;
    const auto lost =
        static_cast<std::size_t>(std::find(seen.begin(), seen.end(), false) - seen.begin());
    links_[lost].parent_joint->fail("the link '" + shown(links_[lost].body.name) +
                                    "' is not below the root: its joints form a cycle");
  }

  // Where a moving link and all it carries state no inertia, their shapes are weighed.
  void weigh_moving_links() {
    std::unordered_map<std::string, bool> weightless;
    for (const std::size_t i : weightless_moving_bodies(scene_)) {
      weightless[scene_.bodies[i].name] = true;
    }
    if (weightless.empty()) return;
    for (const SceneJoint& joint : scene_.joints) {
      if (weightless.count(joint.parent) != 0) weightless[joint.child] = true;
    }
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
      SceneBody& body = scene_.bodies[i];
      if (weightless.count(body.name) == 0 || body.shapes.empty()) continue;
      body.massless = false;
      body.given.reset();
      body.density = shape_density;
      weigh_what_collides(body);
      warnings_.add(*links_[body_links_[i]].element,
                    "a moving link has no <inertial>: its shapes were weighed at 1000 kg/m^3");
    }
    for (const std::size_t i : weightless_moving_bodies(scene_)) {
      links_[body_links_[i]].element->fail(
          "the link '" + shown(scene_.bodies[i].name) +
          "' moves but neither it nor what it carries has mass; expected <inertial>");
    }
  }

  // A link with shapes of both kinds is not to be weighed twice.
  static void weigh_what_collides(SceneBody& body) {
    MassProperties solid;
    bool all = true;
    for (const Shape& shape : body.shapes) {
      if (shape.collides) solid = solid + mass_properties(shape, shape_density);
      all = all && shape.collides;
    }
    if (!all && solid.mass > 0) body.given = solid;
  }

  const XmlElement& root_;
  SourceFile file_;
  Scene scene_;
  ImportWarnings warnings_;
  std::vector<UrdfLink> links_;
  std::vector<UrdfJoint> joints_;
  std::vector<std::size_t> body_links_;  // link of each body of the scene
  std::vector<std::string> link_names_;
  std::unordered_map<std::string, std::size_t> index_;
  std::unordered_map<std::string, const XmlElement*> joint_names_;
  std::map<std::string, Color> materials_;
};

}  // namespace

Scene parse_urdf(std::string_view text, const SourceFile& file) {
  const XmlElement root = parse_xml(text, file.name());
  return UrdfReader(root, file).read();
}

}  // namespace molejo
