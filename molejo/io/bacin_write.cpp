// Bacin's input files as text.
#include <fmt/format.h>

#include <iterator>

#include "molejo/io/bacin_files.h"
#include "molejo/io/staged_file.h"

namespace molejo {

namespace {

// Shortest digits that read back to the same number.
std::string digits(const Vec3& v) { return fmt::format("{} {} {}", v.x, v.y, v.z); }
std::string digits(const EulerParameters& v) {
  return fmt::format("{} {} {} {}", v[0], v[1], v[2], v[3]);
}
const char* on_or_off(bool on) { return on ? "on" : "off"; }

class Text {
 public:
  explicit Text(const std::string& kind) : kind_(kind) {
    line("begin {} (format of 95-01-09)", kind);
  }
  template <class... Values>
  void line(const char* format, const Values&... values) {
    fmt::vformat_to(std::back_inserter(text_), format, fmt::make_format_args(values...));
    text_ += '\n';
  }
  std::string finish() {
    line("end {}", kind_);
    return std::move(text_);
  }

 private:
  std::string kind_, text_;
};

std::string animation_text(const BacinFiles::Animation& animation) {
  const BacinFiles::Animation standard;
  Text text("animation");
  text.line("  duration = {}", animation.duration);
  text.line("  frames = {}", animation.frames);
  text.line("  tolerance = {}", animation.tolerance);
  text.line("  min_step = {}", animation.min_step);
  text.line("  max_step = {}", animation.max_step);
  text.line("  collision_test = {}", on_or_off(animation.collision_test));
  text.line("  gravity = {}", on_or_off(animation.gravity));
  text.line("  correct_link_violation = {}", on_or_off(animation.correct_link_violation));
  if (animation.gravity_accel != standard.gravity_accel) {
    text.line("  gravity_accel = {}", animation.gravity_accel);
  }
  if (animation.restitution != standard.restitution) {
    text.line("  restitution = {}", animation.restitution);
  }
  if (animation.collision_tolerance != standard.collision_tolerance) {
    text.line("  collision_tolerance = {}", animation.collision_tolerance);
  }
  if (animation.constraint_tolerance) {
    text.line("  constraint_tolerance = {}", *animation.constraint_tolerance);
  }
  if (animation.exact_mass_properties) text.line("  mass_properties = exact");
  return text.finish();
}

std::string shape_text(const BacinFiles::Shape& shape) {
  Text text("shape");
  text.line("  mass = {}", shape.mass);
  text.line("  moments = {}", digits(shape.moments));
  text.line("  vertices = {}", shape.vertices.size());
  text.line("  faces = {}", shape.faces.size());
  for (std::size_t i = 0; i < shape.vertices.size(); ++i) {
    text.line("  {} {}", shape.vertex_names[i], digits(shape.vertices[i]));
  }
  const auto vertex = [&](int index) {
    return shape.vertex_names[static_cast<std::size_t>(index)];
  };
  for (std::size_t i = 0; i < shape.faces.size(); ++i) {
    const std::array<int, 3>& face = shape.faces[i];
    text.line("  {} {} {} {}", shape.face_names[i], vertex(face[0]), vertex(face[1]),
              vertex(face[2]));
  }
  return text.finish();
}

std::string bodies_text(const BacinFiles& files) {
  Text text("bodies");
  text.line("  bodies = {}", files.bodies.size());
  for (const BacinFiles::Body& body : files.bodies) {
    text.line("  {} {} {} {}", body.name, files.shapes[static_cast<std::size_t>(body.shape)].name,
              digits(body.scale), body.density);
  }
  return text.finish();
}

std::string state_text(const BacinFiles& files) {
  Text text("state");
  text.line("  bodies = {}", files.bodies.size());
  text.line("  time = {}", files.time);
  for (std::size_t i = 0; i < files.states.size(); ++i) {
    const BacinFiles::BodyState& state = files.states[i];
    text.line("  {}", files.bodies[i].name);
    text.line("    {}  {}", digits(state.r), digits(state.theta));
    text.line("    {}  {}", digits(state.r_dot), digits(state.theta_dot));
  }
  return text.finish();
}

std::string body_name(const BacinFiles& files, int body) {
  return body < 0 ? "world" : files.bodies[static_cast<std::size_t>(body)].name;
}

std::string constraints_text(const BacinFiles& files) {
  Text text("constraints");
  text.line("  constraints = {}", files.joints.size());
  for (const BacinFiles::Joint& joint : files.joints) {
    const bool has_axes = joint.kind == BacinJointKind::cylindrical ||
                          joint.kind == BacinJointKind::prismatic ||
                          joint.kind == BacinJointKind::revolute;
    text.line("  {} {}", joint.name, bacin_joint_words[static_cast<std::size_t>(joint.kind)]);
    std::string first = body_name(files, joint.end_1.body);
    if (joint.kind != BacinJointKind::immobile) first += fmt::format(" {}", digits(joint.end_1.p));
    if (has_axes) first += fmt::format("  {}", digits(joint.end_1.axis));
    text.line("    {}", first);
    if (joint.kind == BacinJointKind::immobile || joint.kind == BacinJointKind::fixed) continue;
    std::string second = body_name(files, joint.end_2.body);
    if (joint.kind != BacinJointKind::plane) second += fmt::format(" {}", digits(joint.end_2.p));
    if (joint.kind != BacinJointKind::universal)
      second += fmt::format("  {}", digits(joint.end_2.axis));
    if (joint.kind == BacinJointKind::plane) second += fmt::format("  {}", joint.offset);
    text.line("    {}", second);
  }
  return text.finish();
}

std::string forces_text(const BacinFiles& files) {
  Text text("forces");
  text.line("  forces = {}", files.springs.size() + files.forces.size());
  for (const BacinFiles::Spring& spring : files.springs) {
    text.line("  {} Spring {} {}", spring.name, spring.stiffness, spring.rest_length);
    for (const BacinFiles::End& end : {spring.end_1, spring.end_2}) {
      text.line("    {} {}", body_name(files, end.body), digits(end.p));
    }
  }
  for (const BacinFiles::Force& force : files.forces) {
    text.line("  {} Interpolated {} {} {}", force.name, body_name(files, force.at.body),
              digits(force.at.p), force.samples.size());
    for (const ForceSample& sample : force.samples) {
      text.line("    {}  {}  {}", sample.t, digits(sample.force), digits(sample.torque));
    }
  }
  return text.finish();
}

}  // namespace

std::map<std::string, std::string> bacin_texts(const BacinFiles& files) {
  std::map<std::string, std::string> texts;
  texts[files.base + ".cfg"] = animation_text(files.animation);
  texts[files.base + ".bds"] = bodies_text(files);
  for (const BacinFiles::Shape& shape : files.shapes) {
    texts[shape_file(files.base, shape.name)] = shape_text(shape);
  }
  texts[files.base + ".ste"] = state_text(files);
  if (!files.joints.empty()) texts[files.base + ".ctr"] = constraints_text(files);
  if (!files.springs.empty() || !files.forces.empty()) {
    texts[files.base + ".for"] = forces_text(files);
  }
  return texts;
}

void write_bacin(const Scene& scene, const std::string& base, std::vector<std::string>& warnings) {
  FileSet set;
  for (const auto& [file, text] : bacin_texts(files_of(scene, base, warnings))) {
    set.add(file, text);
  }
  set.commit();
}

}  // namespace molejo
