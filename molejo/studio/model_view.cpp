#include "molejo/studio/model_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "molejo/live/message.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/scene.h"

namespace molejo {

namespace {

constexpr std::size_t most_counted = 65'535;

std::string text_of(const JsonValue& json) { return compact_text(json, std::string::npos); }

// Numbers of meshes are many: a tree of values would take far more memory than their text.
void add_number(std::string& out, double x) {
  fmt::format_to(std::back_inserter(out), "{}{}", out.back() == '[' ? "" : ",", x + 0.0);
}

std::string flat(std::span<const Vec3> points) {
  std::string out = "[";
  for (const Vec3& p : points) {
    for (const double x : {p.x, p.y, p.z}) add_number(out, x);
  }
  return out + "]";
}

JsonValue typed(const char* type) {
  JsonValue json = JsonValue::object();
  json.add("type", std::string(type));
  return json;
}

JsonValue round_shape(const char* type, double radius, double half_length) {
  JsonValue json = typed(type);
  json.add("radius", radius);
  json.add("half_length", half_length);
  return json;
}

// The fields of a shape.
struct ShapeWriter {
  std::string operator()(const Sphere& s) const {
    JsonValue json = typed("sphere");
    json.add("radius", s.radius);
    return fields(json);
  }
  std::string operator()(const Capsule& s) const {
    return fields(round_shape("capsule", s.radius, s.half_length));
  }
  std::string operator()(const Cylinder& s) const {
    return fields(round_shape("cylinder", s.radius, s.half_length));
  }
  std::string operator()(const Box& s) const {
    JsonValue json = typed("box");
    json.add("half", vector_json(s.half));
    return fields(json);
  }
  std::string operator()(const Polyhedron& s) const {
    std::string out = fields(typed("mesh")) + ",\"vertices\":" + flat(s.vertices);
    out += ",\"triangles\":[";
    for (const auto& t : s.triangles) {
      for (const int i : t) add_number(out, i);
    }
    return out + "]";
  }
  std::string operator()(const Plane&) const { return fields(typed("plane")); }
  std::string operator()(const HeightField& s) const {
    JsonValue json = typed("height_field");
    json.add("columns", static_cast<double>(s.columns));
    json.add("rows", static_cast<double>(s.rows));
    json.add("dx", s.dx);
    json.add("dy", s.dy);
    std::string out = fields(json) + ",\"heights\":[";
    // a picture needs no more than single precision
    for (const double z : s.heights) add_number(out, std::round(z * 1e5) / 1e5);
    return out + "]";
  }
};

std::string shape_text(const Shape& shape) {
  JsonValue json = JsonValue::object();
  json.add("X_BS", pose_json(shape.X_BS));
  JsonValue& color = json.add("color", JsonValue::array());
  const Color& c = shape.color;
  for (const double x : {c.r, c.g, c.b, c.a}) color.items.emplace_back(x);
  return "{" + std::visit(ShapeWriter{}, shape.geometry) + "," + fields(json) + "}";
}

// What the load of a joint is told from: springs, motors with a fixed target, and limits, one
// entry a freedom.
JsonValue drives_json(const Model& model, const Link& link) {
  JsonValue list = JsonValue::array();
  for (int k = 0; k < link.translations + link.rotations; ++k) {
    const Drive& d = model.drives[static_cast<std::size_t>(link.v + k)];
    JsonValue& drive = list.items.emplace_back(JsonValue::object());
    const auto add = [&](const char* key, double value) {
      if (value != 0) drive.add(key, value);
    };
    add("stiffness", d.stiffness);
    add("rest", d.rest);
    if (!d.by_formula) {
      add("kp", d.kp);
      add("target", d.target);
    }
    if (d.max_force) drive.add("max_force", *d.max_force);
    if (d.lower) drive.add("lower", *d.lower);
    if (d.upper) drive.add("upper", *d.upper);
  }
  return list;
}

JsonValue joint_json(const Model& model, std::size_t i) {
  const Link& link = model.links[i];
  const Body& body = model.bodies[i];
  // from the parent's own frame instead of its joint point
  Vec3 p_PF = link.p_LF;
  if (link.parent >= 0) p_PF += model.links[static_cast<std::size_t>(link.parent)].p_BM;
  const bool ball = link.rotations == 3;
  JsonValue json = JsonValue::object();
  json.add("name", body.joint);
  json.add("type", std::string(to_string(body.joint_type)));
  json.add("first", static_cast<double>(link.q));
  json.add("size", static_cast<double>(link.translations + (ball ? 4 : link.rotations)));
  json.add("X_PF", pose_json({link.R_PB0, p_PF}));
  json.add("p_BM", vector_json(link.p_BM));
  JsonValue& slides = json.add("slides", JsonValue::array());
  for (int k = 0; k < link.translations; ++k) slides.items.push_back(vector_json(link.t_P[k]));
  JsonValue& turns = json.add("turns", JsonValue::array());
  for (int k = 0; k < link.rotations && !ball; ++k) {
    turns.items.push_back(vector_json(link.axis[k]));
  }
  json.add("ball", JsonValue::of(ball));
  if (model.has_drives && link.follows < 0) json.add("drives", drives_json(model, link));
  return json;
}

}  // namespace

JsonValue vector_json(const Vec3& v) {
  JsonValue json = JsonValue::array();
  for (const double x : {v.x, v.y, v.z}) json.items.emplace_back(x);
  return json;
}

JsonValue pose_json(const Pose& X) {
  JsonValue json = vector_json(X.p);
  const Quat q = quaternion(X.R);
  for (const double x : {q.w, q.x, q.y, q.z}) json.items.emplace_back(x);
  return json;
}

bool is_given(const Camera& camera) {
  const Camera usual;
  return norm(camera.position - usual.position) > 0 || norm(camera.target - usual.target) > 0 ||
         camera.fov_deg != usual.fov_deg;
}

JsonValue describe_camera(const Camera& camera, bool goes_along) {
  const bool looks_somewhere = norm(camera.position - camera.target) > 1e-9;
  if (!is_given(camera) || !looks_somewhere) return {};
  JsonValue json = JsonValue::object();
  json.add("position", vector_json(camera.position));
  json.add("target", vector_json(camera.target));
  json.add("fov_deg", camera.fov_deg);
  if (goes_along) json.add("goes_along", JsonValue::of(true));
  return json;
}

// A body, a spring: each is a tree for a moment, since all of them together would be a large one.
std::string describe_model(const Model& model) {
  JsonValue json = JsonValue::object();
  json.add("coordinates", static_cast<double>(model.nq));
  json.add("freedoms", static_cast<double>(model.nv));
  json.add("gravity", vector_json(model.gravity));
  std::string out = "{" + fields(json) + ",\"bodies\":[";
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    check_interrupt();
    const Link& link = model.links[i];
    JsonValue body = JsonValue::object();
    body.add("name", model.bodies[i].name);
    body.add("parent", static_cast<double>(link.parent));
    body.add("mass", link.mass);
    body.add("com", vector_json(link.p_BM + link.p_MC));
    body.add("immobile", JsonValue::of(!model.parts[i].moves));
    body.add("joint", joint_json(model, i));
    out += (i > 0 ? ",{" : "{") + fields(body) + ",\"shapes\":[";
    const char* comma = "";
    for (const Shape& shape : model.bodies[i].shapes) {
      out += comma + shape_text(shape);
      comma = ",";
    }
    out += "]}";
  }
  out += "],\"springs\":[";
  const char* comma = "";
  for (const PointSpring& s : model.springs) {
    check_interrupt();
    JsonValue spring = JsonValue::object();
    spring.add("name", s.name);
    JsonValue& ends = spring.add("bodies", JsonValue::array());
    for (const BodyId b : {s.body_1, s.body_2}) {
      ends.items.emplace_back(static_cast<double>(b.index));
    }
    JsonValue& points = spring.add("points", JsonValue::array());
    points.items = {vector_json(s.p_1), vector_json(s.p_2)};
    out += comma + text_of(spring);
    comma = ",";
  }
  return out + "]}";
}

FrameBytes::FrameBytes(FrameType type, std::size_t count, std::int64_t number, double t) {
  const auto counted = static_cast<std::uint16_t>(count);
  const auto frame = static_cast<std::uint32_t>(number);
  bytes_.resize(frame_head_bytes);
  bytes_[0] = static_cast<char>(type);
  std::memcpy(bytes_.data() + 2, &counted, 2);
  std::memcpy(bytes_.data() + 4, &frame, 4);
  std::memcpy(bytes_.data() + 8, &t, 8);
}

void FrameBytes::add(double value) {
  const auto single = static_cast<float>(value);
  char bytes[4];
  std::memcpy(bytes, &single, 4);
  bytes_.append(bytes, 4);
}

void FrameBytes::add(const Vec3& v) {
  for (const double x : {v.x, v.y, v.z}) add(x);
}

void FrameBytes::add_short(double value) {
  const auto units = static_cast<std::int16_t>(std::lround(std::clamp(value, -1.0, 1.0) * 32767));
  char bytes[2];
  std::memcpy(bytes, &units, 2);
  bytes_.append(bytes, 2);
}

std::string coordinates_frame(const State& state, std::int64_t number) {
  FrameBytes bytes(FrameType::coordinates, 0, number, state.t);
  for (const double x : state.q) bytes.add(x);
  return bytes.take();
}

std::string contacts_frame(const Frame& frame, std::int64_t number) {
  const std::size_t count = std::min(frame.contacts.size(), most_counted);
  FrameBytes bytes(FrameType::contacts, count, number, frame.state.t);
  for (std::size_t i = 0; i < count; ++i) {
    const TouchPoint& c = frame.contacts[i];
    bytes.add(c.point);
    bytes.add(c.force);
  }
  return bytes.take();
}

std::string values_frame(std::span<const double> values, double t, std::int64_t number) {
  const std::size_t count = std::min(values.size(), most_counted);
  FrameBytes bytes(FrameType::plots, count, number, t);
  for (const double x : values.first(count)) bytes.add(x);
  return bytes.take();
}

}  // namespace molejo
