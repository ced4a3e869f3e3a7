// The records of Bacin's text files.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "molejo/io/bacin_files.h"
#include "molejo/io/bacin_words.h"
#include "molejo/io/scene.h"
#include "molejo/model/error.h"
#include "molejo/model/scene.h"

namespace molejo {

namespace {

constexpr int most_records = 1'000'000;
constexpr int most_vertices_of_shape = 20'000;  // of one shape
constexpr std::size_t largest_file = std::size_t{64} << 20;

// Names of one kind, each used once, and the index of each.
class BacinNames {
 public:
  explicit BacinNames(std::string kind) : kind_(std::move(kind)) {}

  void add(const BacinWords& in, int line, const std::string& name) {
    if (!index_.emplace(name, static_cast<int>(names_.size())).second) {
      in.fail(line, "the " + kind_ + " " + BacinWords::quoted(name) + " is listed twice");
    }
    names_.push_back(name);
  }
  int find(const BacinWords& in, int line, const std::string& name) const {
    const auto found = index_.find(name);
    if (found == index_.end()) in.fail(line, unknown_word(kind_, name, names_));
    return found->second;
  }

 private:
  std::string kind_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, int> index_;
};

bool on_or_off(BacinWords& in) {
  const int line = in.line();
  const std::string word = in.name("on or off");
  if (word != "on" && word != "off")
    in.fail(line, BacinWords::quoted(word) + ", expected on or off");
  return word == "on";
}

void read_animation_key(BacinWords& in, int line, const std::string& key,
                        BacinFiles::Animation& a) {
  if (key == "duration") {
    a.duration = in.positive(key);
  } else if (key == "frames") {
    a.frames = in.count("number of frames", 1, most_records);
  } else if (key == "tolerance") {
    a.tolerance = in.positive(key);
  } else if (key == "min_step") {
    a.min_step = in.positive(key);
  } else if (key == "max_step") {
    a.max_step = in.positive(key);
  } else if (key == "collision_test") {
    a.collision_test = on_or_off(in);
  } else if (key == "gravity") {
    a.gravity = on_or_off(in);
  } else if (key == "correct_link_violation") {
    a.correct_link_violation = on_or_off(in);
  } else if (key == "gravity_accel") {
    a.gravity_accel = in.number("an acceleration");
  } else if (key == "restitution") {
    a.restitution = in.number("a coefficient from 0 to 1");
    if (!(a.restitution >= 0 && a.restitution <= 1)) {
      in.fail(line, "the coefficient of restitution is not from 0 to 1");
    }
  } else if (key == "collision_tolerance") {
    a.collision_tolerance = in.positive(key);
  } else if (key == "constraint_tolerance") {
    a.constraint_tolerance = in.positive(key);
  } else if (key == "mass_properties") {
    const std::string word = in.name("given or exact");
    if (word != "given" && word != "exact") {
      in.fail(line, BacinWords::quoted(word) + ", expected given or exact");
    }
    a.exact_mass_properties = word == "exact";
  }
}

BacinFiles::Animation read_animation(BacinWords& in) {
  const std::vector<std::string> required{"duration", "frames", "tolerance", "min_step",
                                          "max_step"};
  std::vector<std::string> known = required;
  for (const char* key :
       {"collision_test", "gravity", "correct_link_violation", "gravity_accel", "restitution",
        "collision_tolerance", "constraint_tolerance", "mass_properties"}) {
    known.push_back(key);
  }
  BacinFiles::Animation animation;
  std::set<std::string> seen;
  in.begin("animation");
  while (!in.at("end")) {
    const int line = in.line();
    const std::string key = in.name("a key or 'end animation'");
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      in.fail(line, unknown_word("key", key, known));
    }
    if (!seen.insert(key).second) in.fail(line, "the key '" + key + "' is given twice");
    in.expect("=");
    read_animation_key(in, line, key, animation);
  }
  for (const std::string& key : required) {
    if (!seen.count(key)) in.fail(in.line(), "the key '" + key + "' is missing");
  }
  if (animation.min_step > animation.max_step) {
    in.fail(in.line(), "min_step is above max_step");
  }
  in.end("animation");
  return animation;
}

BacinFiles::Shape read_shape(BacinWords& in, const std::string& name) {
  BacinFiles::Shape shape;
  shape.name = name;
  in.begin("shape");
  in.expect("mass");
  in.expect("=");
  shape.mass = in.number("the mass");
  in.expect("moments");
  in.expect("=");
  shape.moments = in.vector("a principal moment");
  const int vertices = in.counted("vertices", most_vertices_of_shape);
  const int faces = in.counted("faces", 2 * most_vertices_of_shape);
  BacinNames vertex_names("vertex"), face_names("face");
  for (int i = 0; i < vertices; ++i) {
    in.expect_record("vertices", i, vertices);
    const int line = in.line();
    shape.vertex_names.push_back(in.name("the name of a vertex"));
    vertex_names.add(in, line, shape.vertex_names.back());
    shape.vertices.push_back(in.vector("a coordinate of a vertex"));
  }
  for (int i = 0; i < faces; ++i) {
    in.expect_record("faces", i, faces);
    const int line = in.line();
    shape.face_names.push_back(in.name("the name of a face"));
    face_names.add(in, line, shape.face_names.back());
    std::array<int, 3> face{};
    for (int& vertex : face) {
      const int at = in.line();
      vertex = vertex_names.find(in, at, in.name("the name of a vertex"));
    }
    shape.faces.push_back(face);
  }
  in.end("shape", "faces", faces);
  return shape;
}

// Opens a file that must be there; `wanted_by` is the place that names it.
BacinWords open(const BacinSource& source, const std::string& file, const std::string& wanted_by) {
  std::optional<std::string> text = source(file);
  if (!text) throw InputError(wanted_by + "there is no file " + file);
  return BacinWords(std::move(*text), file);
}

BacinNames read_bodies(const BacinSource& source, BacinFiles& files) {
  const std::string file = files.base + ".bds";
  BacinWords in = open(source, file, files.base + ".cfg: ");
  BacinNames names("body");
  std::unordered_map<std::string, int> shapes;
  in.begin("bodies");
  const int count = in.counted("bodies", most_records);
  for (int i = 0; i < count; ++i) {
    in.expect_record("bodies", i, count);
    BacinFiles::Body body;
    body.line = in.line();
    body.name = in.name("the name of a body");
    if (body.name == "world" || body.name == any_body) {
      in.fail(body.line, "a body cannot be called '" + body.name + "'");
    }
    names.add(in, body.line, body.name);
    const std::string shape = in.name("the name of a shape");
    const auto [found, is_new] = shapes.emplace(shape, static_cast<int>(files.shapes.size()));
    if (is_new) {
      BacinWords shape_words = open(source, shape_file(files.base, shape),
                                    file + ":" + std::to_string(body.line) + ": ");
      files.shapes.push_back(read_shape(shape_words, shape));
    }
    body.shape = found->second;
    for (int k = 0; k < 3; ++k) body.scale[k] = in.positive("scale");
    body.density = in.positive("density");
    files.bodies.push_back(body);
  }
  in.end("bodies", "bodies", count);
  return names;
}

void read_states(BacinWords& in, const BacinNames& names, BacinFiles& files) {
  const int bodies = static_cast<int>(files.bodies.size());
  in.begin("state");
  const int line_of_count = in.line();
  const int count = in.counted("bodies", most_records);
  if (count != bodies) {
    in.fail(line_of_count, "bodies = " + std::to_string(count) + ", but " + files.base +
                               ".bds has " + std::to_string(bodies));
  }
  in.expect("time");
  in.expect("=");
  files.time = in.number("the time");
  files.states.resize(files.bodies.size());
  for (int i = 0; i < count; ++i) {
    in.expect_record("bodies", i, count);
    const int line = in.line();
    const std::string body = in.name("the name of a body");
    BacinFiles::BodyState& state =
        files.states[static_cast<std::size_t>(names.find(in, line, body))];
    if (state.line) in.fail(line, "the body " + BacinWords::quoted(body) + " is listed twice");
    state.line = line;
    state.r = in.vector("a coordinate of the centre of mass");
    state.theta = in.parameters("an Euler parameter");
    state.r_dot = in.vector("a velocity of the centre of mass");
    state.theta_dot = in.parameters("the rate of an Euler parameter");
  }
  in.end("state", "bodies", count);
}

// A body, or the world where that makes sense.
int read_body(BacinWords& in, const BacinNames& names, bool world_too) {
  const int line = in.line();
  const std::string name = in.name("the name of a body");
  if (world_too && name == "world") return -1;
  return names.find(in, line, name);
}

Vec3 read_axis(BacinWords& in) {
  const int line = in.line();
  const Vec3 axis = in.vector("a component of an axis");
  if (!(norm(axis) > 1e-6)) in.fail(line, "the axis has no direction");
  return axis;
}

void read_joint_parameters(BacinWords& in, const BacinNames& names, BacinFiles::Joint& joint) {
  const bool has_axes = joint.kind == BacinJointKind::cylindrical ||
                        joint.kind == BacinJointKind::prismatic ||
                        joint.kind == BacinJointKind::revolute;
  const std::string coordinate = "a coordinate of a point";
  joint.end_1.body = read_body(in, names, joint.kind == BacinJointKind::universal || has_axes);
  if (joint.kind == BacinJointKind::immobile) return;
  joint.end_1.p = in.vector(coordinate);
  if (joint.kind == BacinJointKind::fixed) return;
  if (has_axes) joint.end_1.axis = read_axis(in);
  joint.end_2.body = read_body(in, names, true);
  if (joint.end_1.body == joint.end_2.body) {
    in.fail(joint.line, "the joint " + BacinWords::quoted(joint.name) + " joins a body to itself");
  }
  if (joint.kind != BacinJointKind::plane) joint.end_2.p = in.vector(coordinate);
  if (joint.kind != BacinJointKind::universal) joint.end_2.axis = read_axis(in);
  if (joint.kind == BacinJointKind::plane) joint.offset = in.number("the offset of the plane");
}

void read_constraints(BacinWords& in, const BacinNames& bodies, BacinFiles& files) {
  const std::vector<std::string> words(bacin_joint_words.begin(), bacin_joint_words.end());
  BacinNames names("joint");
  in.begin("constraints");
  const int count = in.counted("constraints", most_records);
  for (int i = 0; i < count; ++i) {
    in.expect_record("constraints", i, count);
    BacinFiles::Joint joint;
    joint.line = in.line();
    joint.name = in.name("the name of a joint");
    names.add(in, joint.line, joint.name);
    const int line = in.line();
    const std::string word = in.name("a joint type");
    const auto kind = std::find(words.begin(), words.end(), word);
    if (kind == words.end()) in.fail(line, unknown_word("joint type", word, words));
    joint.kind = static_cast<BacinFiles::JointKind>(kind - words.begin());
    read_joint_parameters(in, bodies, joint);
    files.joints.push_back(joint);
  }
  in.end("constraints", "constraints", count);
}

BacinFiles::Spring read_spring(BacinWords& in, const BacinNames& bodies) {
  BacinFiles::Spring spring;
  const int line = in.line();
  spring.stiffness = in.number("the stiffness");
  spring.rest_length = in.number("the rest length");
  if (spring.stiffness < 0 || spring.rest_length < 0) {
    in.fail(line, "the stiffness and the rest length of a spring cannot be negative");
  }
  spring.end_1.body = read_body(in, bodies, true);
  spring.end_1.p = in.vector("a coordinate of a point");
  spring.end_2.body = read_body(in, bodies, true);
  spring.end_2.p = in.vector("a coordinate of a point");
  if (spring.end_1.body == spring.end_2.body) in.fail(line, "the spring joins a body to itself");
  return spring;
}

BacinFiles::Force read_interpolated(BacinWords& in, const BacinNames& bodies) {
  constexpr int most_samples = 1000;  // the degree of the curve is one less
  BacinFiles::Force force;
  force.at.body = read_body(in, bodies, false);
  force.at.p = in.vector("a coordinate of a point");
  const int count = in.count("number of samples", 2, most_samples);
  for (int i = 0; i < count; ++i) {
    in.expect_record("samples", i, count);
    const int line = in.line();
    ForceSample sample;
    sample.t = in.number("the time of a sample");
    if (i > 0 && !(sample.t > force.samples.back().t)) {
      in.fail(line, "the times of the samples do not increase");
    }
    sample.force = in.vector("a component of the force");
    sample.torque = in.vector("a component of the torque");
    force.samples.push_back(sample);
  }
  return force;
}

void read_forces(BacinWords& in, const BacinNames& bodies, BacinFiles& files) {
  const std::vector<std::string> words{"Spring", "Interpolated"};
  BacinNames names("force");
  in.begin("forces");
  const int count = in.counted("forces", most_records);
  for (int i = 0; i < count; ++i) {
    in.expect_record("forces", i, count);
    const int line = in.line();
    const std::string name = in.name("the name of a force");
    names.add(in, line, name);
    const int line_of_type = in.line();
    const std::string word = in.name("a force type");
    if (word == "Spring") {
      files.springs.push_back(read_spring(in, bodies));
      files.springs.back().name = name;
      files.springs.back().line = line;
    } else if (word == "Interpolated") {
      files.forces.push_back(read_interpolated(in, bodies));
      files.forces.back().name = name;
      files.forces.back().line = line;
    } else {
      in.fail(line_of_type, unknown_word("force type", word, words));
    }
  }
  in.end("forces", "forces", count);
}

}  // namespace

std::string shape_file(const std::string& base, const std::string& shape) {
  const std::size_t slash = base.find_last_of('/');
  return (slash == std::string::npos ? "" : base.substr(0, slash + 1)) + shape + ".shp";
}

BacinFiles parse_bacin_files(const BacinSource& source, const std::string& base) {
  BacinFiles files;
  files.base = base;
  BacinWords animation = open(source, base + ".cfg", "");
  files.animation = read_animation(animation);
  const BacinNames bodies = read_bodies(source, files);
  BacinWords state = open(source, base + ".ste", base + ".cfg: ");
  read_states(state, bodies, files);
  if (std::optional<std::string> text = source(base + ".ctr")) {
    BacinWords constraints(std::move(*text), base + ".ctr");
    read_constraints(constraints, bodies, files);
  }
  if (std::optional<std::string> text = source(base + ".for")) {
    BacinWords forces(std::move(*text), base + ".for");
    read_forces(forces, bodies, files);
  }
  return files;
}

Scene parse_bacin(const BacinSource& source, const std::string& base) {
  return scene_of(parse_bacin_files(source, base));
}

Scene read_bacin(const SourceFile& cfg) {
  constexpr std::string_view ending = ".cfg";
  const std::string& name = cfg.name();
  if (name.size() <= ending.size() || !name.ends_with(ending)) {
    throw InputError(name + ": expected a file that ends in .cfg");
  }
  const BacinSource source = [&](const std::string& file) -> std::optional<std::string> {
    if (file == name) return cfg.read(largest_file);
    const SourceFile part(file, cfg.scope());
    if (!part.exists()) return std::nullopt;
    return part.read(largest_file);
  };
  const std::string base = name.substr(0, name.size() - ending.size());
  return unquoted(cfg, "a scene of Bacin", [&] { return parse_bacin(source, base); });
}

}  // namespace molejo
