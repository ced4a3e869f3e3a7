// MJCF, the model format of MuJoCo: sections in any order, files included in place, default
// classes, bodies nested as they hang. Format: MuJoCo documentation, "XML reference".
#include <algorithm>
#include <filesystem>
#include <set>

#include "molejo/io/mjcf_parts.h"
#include "molejo/io/robot.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr std::size_t max_include_files = 64;

// Puts the content of included files where <include> stands. A file may appear once, as in MuJoCo.
class Includes {
 public:
  explicit Includes(const SourceFile& file) : file_(file) {
    seen_.insert(std::filesystem::path(file.name()).lexically_normal().string());
  }

  void expand(XmlElement& element, int depth) {
    if (depth > max_xml_depth) {
      element.fail("nested deeper than " + std::to_string(max_xml_depth) + " elements");
    }
    if (++elements_ > max_xml_elements) {
      element.fail("more than " + std::to_string(max_xml_elements) + " elements");
    }
    const bool has_include = std::any_of(element.children.begin(), element.children.end(),
                                         [](const XmlElement& c) { return c.name == "include"; });
    if (has_include) {
      std::vector<XmlElement> children;
      for (XmlElement& child : element.children) {
        if (child.name != "include") {
          children.push_back(std::move(child));
          continue;
        }
        XmlElement included = load(child);
        // what the included file includes is put in place by the loop below
        for (XmlElement& inner : splice(included)) children.push_back(std::move(inner));
      }
      element.children = std::move(children);
    }
    for (XmlElement& child : element.children) expand(child, depth + 1);
  }

 private:
  XmlElement load(const XmlElement& include) {
    const XmlValue name = include.require("file");
    if (name.text().empty()) name.fail("expected the name of a file");
    const SourceFile file = file_.beside(name.text());
    if (!seen_.insert(file.name()).second) name.fail("this file is already included");
    if (seen_.size() > max_include_files) {
      name.fail("more than " + std::to_string(max_include_files) + " included files");
    }
    std::string text;
    try {
      text = file.read(max_xml_bytes - bytes_);
    } catch (const InputError& error) {
      name.fail(error.what());
    }
    bytes_ += text.size();
    return parse_xml(text, file.name());
  }

  // The children of an included root, those of its own includes among them.
  std::vector<XmlElement> splice(XmlElement& root) {
    std::vector<XmlElement> all;
    for (XmlElement& child : root.children) {
      if (child.name != "include") {
        all.push_back(std::move(child));
        continue;
      }
      XmlElement included = load(child);
      for (XmlElement& inner : splice(included)) all.push_back(std::move(inner));
    }
    return all;
  }

  const SourceFile& file_;
  std::set<std::string> seen_;
  std::size_t elements_ = 0, bytes_ = 0;
};

void read_mass_rules(const XmlElement& e, MjcfCompiler& c) {
  static const std::vector<std::string> inertia{"false", "true", "auto"};
  if (const auto v = e.find("inertiafromgeom")) {
    c.inertia = static_cast<MjcfCompiler::InertiaFromGeom>(v->word("value", inertia));
  }
  if (const auto v = e.find("boundmass")) c.bound_mass = v->not_negative();
  if (const auto v = e.find("boundinertia")) c.bound_inertia = v->not_negative();
  if (const auto v = e.find("settotalmass")) c.total_mass = v->number();
  if (const auto v = e.find("balanceinertia")) c.balance_inertia = v->boolean();
  if (const auto v = e.find("inertiagrouprange")) {
    const std::vector<double> r = v->numbers(2, 2);
    c.first_group = r[0], c.last_group = r[1];
  }
}

void read_compiler(const XmlElement& e, MjcfCompiler& c) {
  static const std::vector<std::string> angles{"radian", "degree"};
  if (const auto v = e.find("angle")) {
    c.angle_unit = v->word("angle", angles) == 0 ? 1 : MjcfCompiler{}.angle_unit;
  }
  if (const auto v = e.find("coordinate"); v && v->text() != "local") {
    v->fail("expected local coordinates");
  }
  if (const auto v = e.find("eulerseq")) {
    if (v->text().size() != 3 || v->text().find_first_not_of("xyzXYZ") != std::string::npos) {
      v->fail("expected three letters of xyzXYZ");
    }
    c.eulerseq = v->text();
  }
  if (const auto v = e.find("autolimits")) c.autolimits = v->boolean();
  read_mass_rules(e, c);
  if (const auto v = e.find("strippath")) c.strip_path = v->boolean();
  for (const char* name : {"assetdir", "meshdir"}) {
    if (const auto v = e.find(name)) c.mesh_folder = v->text();
  }
}

void read_option(const XmlElement& e, MjcfReading& reading) {
  static const std::vector<std::string> integrators{"Euler", "RK4", "implicit", "implicitfast"};
  Settings& settings = reading.scene.settings;
  if (const auto v = e.find("timestep")) settings.time_step = v->positive();
  if (const auto v = e.find("gravity")) settings.gravity = v->vector();
  if (const auto v = e.find("integrator")) {
    const std::size_t word = v->word("integrator", integrators);
    settings.integrator = word == 1 ? Integrator::rk4 : Integrator::semi_implicit_euler;
    if (word > 1) {
      reading.warnings.add(e,
                           "the integrator " + integrators[word] + " is semi_implicit_euler here");
    }
  }
  for (const XmlElement* flag : e.all("flag")) {
    static const std::vector<std::string> words{"disable", "enable"};
    const auto v = flag->find("gravity"), contact = flag->find("contact");
    if (v && v->word("value", words) == 0) settings.gravity = {};
    if (contact) settings.contact.enabled = contact->word("value", words) == 1;
  }
  // under Runge-Kutta our contact is event-driven, theirs never is
  if (settings.contact.enabled && settings.integrator == Integrator::rk4) {
    settings.integrator = Integrator::midpoint;
  }
}

// All masses by one factor, so that they sum up to what the compiler asks for.
void scale_masses(MjcfReading& reading) {
  double sum = 0;
  for (const SceneBody& body : reading.scene.bodies) {
    if (body.given) sum += body.given->mass;
  }
  if (!(reading.compiler.total_mass > 0 && sum > 0)) return;
  const double factor = reading.compiler.total_mass / sum;
  for (SceneBody& body : reading.scene.bodies) {
    if (!body.given) continue;
    body.given->mass *= factor;
    body.given->I_BC = body.given->I_BC * factor;
  }
}

void refuse_weightless(const MjcfReading& reading) {
  for (const std::size_t i : weightless_moving_bodies(reading.scene)) {
    reading.body_elements[i]->fail("'" + shown(reading.scene.bodies[i].name) +
                                   "' moves but neither it nor what it carries has mass");
  }
}

Scene read_mujoco(const XmlElement& root, const SourceFile& file) {
  if (root.name != "mujoco") root.fail("expected the root element <mujoco>");
  root.read = true;
  MjcfReading reading(file);
  reading.scene.settings.time_step = 0.002;
  reading.scene.settings.contact.friction = Combination::larger;
  if (const auto model = root.find("model")) reading.scene.name = model->text();

  // settings first, whatever the order in the file
  for (const XmlElement* e : root.all("compiler")) read_compiler(*e, reading.compiler);
  for (const XmlElement* e : root.all("option")) read_option(*e, reading);
  for (const XmlElement* e : root.all("default")) reading.defaults.read(*e);
  for (const XmlElement* e : root.all("asset")) read_mjcf_assets(*e, reading);
  read_mjcf_bodies(root.all("worldbody"), reading);
  scale_masses(reading);
  read_mjcf_contact(root.all("contact"), reading);
  for (const XmlElement* e : root.all("equality")) read_mjcf_equalities(*e, reading);

  const std::vector<const XmlElement*> actuators = root.all("actuator");
  std::size_t count = 0;
  for (const XmlElement* e : actuators) count += e->children.size();
  const std::vector<double> controls = read_mjcf_keyframe(root.all("keyframe"), count, reading);
  read_mjcf_actuators(actuators, controls, reading);

  if (reading.scene.bodies.empty()) root.fail("expected a <body> in <worldbody>");
  refuse_weightless(reading);
  reading.defaults.mark_read();
  reading.warnings.add_unread(root);
  reading.scene.warnings = reading.warnings.sentences();
  return std::move(reading.scene);
}

}  // namespace

Scene parse_mjcf(std::string_view text, const SourceFile& file) {
  XmlElement root = parse_xml(text, file.name());
  Includes(file).expand(root, 1);
  return read_mujoco(root, file);
}

}  // namespace molejo
