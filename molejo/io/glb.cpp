// glTF 2.0 binary (Khronos specification 2.0.1): a JSON chunk and one buffer of little-endian data.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

#include "molejo/io/coil.h"
#include "molejo/io/export.h"
#include "molejo/io/glb_buffer.h"
#include "molejo/io/json_library.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/scene.h"

namespace molejo {

namespace {

using Json = nlohmann::ordered_json;

bool fits_float(double x) { return std::fabs(x) <= std::numeric_limits<float>::max(); }

bool fits_float(const Pose& X) {
  for (int i = 0; i < 3; ++i) {
    if (!fits_float(X.p[i])) return false;
    for (int j = 0; j < 3; ++j) {
      if (!fits_float(X.R[i][j])) return false;
    }
  }
  return true;
}

// Equal keys, equal meshes.
std::string geometry_key(const Geometry& geometry) {
  std::string key(1, static_cast<char>('0' + geometry.index()));
  const auto add = [&](const void* data, std::size_t size) {
    key.append(static_cast<const char*>(data), size);
  };
  if (const auto* p = std::get_if<Polyhedron>(&geometry)) {
    add(p->vertices.data(), p->vertices.size() * sizeof p->vertices[0]);
    add(p->triangles.data(), p->triangles.size() * sizeof p->triangles[0]);
  } else if (const auto* f = std::get_if<HeightField>(&geometry)) {
    for (const int n : {f->columns, f->rows}) add(&n, sizeof n);
    for (const double d : {f->dx, f->dy}) add(&d, sizeof d);
    add(f->heights.data(), f->heights.size() * sizeof f->heights[0]);
  } else {
    std::visit([&](const auto& g) { add(&g, sizeof g); }, geometry);
  }
  return key;
}

class GlbWriter {
 public:
  // Nodes are where the first clip starts.
  GlbWriter(const Scene& scene, const Model& model, std::span<const Clip> clips,
            const ForceArrows& arrows)
      : scene_(scene), model_(model), clips_(clips) {
    keep_writable_frames(*clips.front().recording);
    if (arrows.drawn) {
      arrow_length_ = metres_per_newton(arrows, model, *clips.front().recording);
    }
  }

  std::string write() {
    // the world is z up, glTF y up: a quarter turn about x
    const double half = std::sqrt(0.5);
    nodes_.push_back({{"name", "world"}, {"rotation", {-half, 0, 0, half}}});
    Json children = Json::array();
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) children.push_back(add_body(b));
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) animate_body(b);
    for (const PointSpring& spring : model_.springs) add_spring(spring, children);
    if (arrow_length_ > 0) add_arrows(children);
    children.push_back(add_camera());
    nodes_[0]["children"] = std::move(children);
    end_clip(clips_.front().name);
    for (const Clip& clip : clips_.subspan(1)) add_clip(clip);

    Json root;
    root["asset"] = {{"version", "2.0"}, {"generator", "Molejo"}};
    root["scene"] = 0;
    root["scenes"] = Json::array({{{"nodes", {0}}}});
    if (!scene_.name.empty()) root["scenes"][0]["name"] = scene_.name;
    root["nodes"] = std::move(nodes_);
    root["cameras"] = std::move(cameras_);
    // empty arrays are not allowed
    if (!meshes_.empty()) root["meshes"] = std::move(meshes_);
    if (!materials_.empty()) root["materials"] = std::move(materials_);
    if (!animations_.empty()) root["animations"] = std::move(animations_);
    if (!buffer_.bytes.empty()) {
      root["accessors"] = std::move(buffer_.accessors);
      root["bufferViews"] = std::move(buffer_.views);
      root["buffers"] = Json::array({{{"byteLength", buffer_.bytes.size()}}});
    }
    return buffer_.container(json_line(root));
  }

 private:
  void end_clip(const std::string& name) {
    if (channels_.empty()) return;
    animations_.push_back(
        {{"name", name}, {"channels", std::move(channels_)}, {"samplers", std::move(samplers_)}});
    channels_ = Json::array(), samplers_ = Json::array();
  }

  // One more animation of the nodes that are there.
  void add_clip(const Clip& clip) {
    frames_.clear(), times_.clear();
    input_ = -1;
    keep_writable_frames(*clip.recording);
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) animate_body(b);
    for (const auto& [spring, node] : spring_nodes_) animate_coil(node, coil(*spring, frames_));
    end_clip(clip.name);
  }

  // Times must increase and all numbers be finite also as floats.
  void keep_writable_frames(const Recording& recording) {
    for (const Frame& frame : recording.frames) {
      const double since_start = frame.state.t - recording.frames.front().state.t;
      const bool writable = fits_float(since_start) && frame.X_WB.size() == model_.bodies.size() &&
                            std::all_of(frame.X_WB.begin(), frame.X_WB.end(),
                                        [](const Pose& X) { return fits_float(X); });
      const auto t = static_cast<float>(writable ? since_start : -1);
      if (t < 0 || (!times_.empty() && t <= times_.back())) continue;
      times_.push_back(t);
      frames_.push_back(&frame);
      for (const Pose& X : frame.X_WB) reach_ = std::max(reach_, max_abs(X.p));
    }
  }

  static void place(Json& node, const Pose& X) {
    const Quat q = quaternion(X.R);
    if (!(X.p == Vec3{})) node["translation"] = {X.p.x, X.p.y, X.p.z};
    if (!(X.R == Mat3::identity())) node["rotation"] = {q.x, q.y, q.z, q.w};
  }

  int add_node(Json node) {
    nodes_.push_back(std::move(node));
    return static_cast<int>(nodes_.size()) - 1;
  }

  int add_body(std::size_t b) {
    Json children = Json::array();
    for (const Shape& shape : model_.bodies[b].shapes) {
      if (shape.color.a == 0) continue;
      const std::optional<int> mesh = mesh_of(shape);
      if (!mesh || !fits_float(shape.X_BS)) continue;
      Json node{{"mesh", *mesh}};
      place(node, shape.X_BS);
      // a plane is endless: at least well beyond where the bodies go
      const double stretch = std::max(1.0, 3 * reach_ / drawn_plane_half);
      if (std::holds_alternative<Plane>(shape.geometry)) node["scale"] = {stretch, stretch, 1};
      children.push_back(add_node(std::move(node)));
    }
    Json node;
    node["name"] = model_.bodies[b].name;
    if (!frames_.empty()) place(node, frames_.front()->X_WB[b]);
    if (!children.empty()) node["children"] = std::move(children);
    const int index = add_node(std::move(node));
    body_nodes_.push_back(index);
    return index;
  }

  // Looks along -z with y up, as glTF cameras do.
  int add_camera() {
    const Camera& camera = scene_.camera;
    Vec3 back = camera.position - camera.target;
    if (!(norm(back) > 1e-9) || !fits_float(norm(back))) back = {0, -1, 0};
    const double distance = norm(back);
    const Vec3 z = back / distance;
    const Vec3 up = std::fabs(z.z) > 0.999 ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
    const Vec3 x = normalized(cross(up, z));
    const Pose X_WC{from_columns(x, cross(z, x), z), camera.position};

    const double fov_deg = camera.fov_deg > 1 ? std::min(camera.fov_deg, 150.0) : 1;
    cameras_.push_back({{"type", "perspective"},
                        {"perspective",
                         {{"yfov", fov_deg * 3.141592653589793 / 180},
                          {"znear", distance / 1000},
                          {"zfar", distance * 1000}}}});
    Json node{{"name", "camera"}, {"camera", 0}};
    if (fits_float(X_WC)) place(node, X_WC);
    return add_node(std::move(node));
  }

  int material_of(const Color& color, bool two_sided) {
    Json material;
    const double alpha = color.a >= 0 ? std::min(color.a, 1.0) : 1;
    material["pbrMetallicRoughness"] = {
        {"baseColorFactor",
         {linear_light(color.r), linear_light(color.g), linear_light(color.b), alpha}},
        {"metallicFactor", 0},
        {"roughnessFactor", 0.65}};
    if (alpha < 1) material["alphaMode"] = "BLEND";
    if (two_sided) material["doubleSided"] = true;
    const int next = static_cast<int>(materials_.size());
    const auto [index, is_new] = material_by_text_.try_emplace(material.dump(), next);
    if (is_new) materials_.push_back(std::move(material));
    return index->second;
  }

  // Equal geometries share their accessors; with equal colours they share the mesh.
  std::optional<int> mesh_of(const Shape& shape) {
    const auto [primitive, is_new] = primitives_.try_emplace(geometry_key(shape.geometry));
    if (is_new) primitive->second = add_geometry(tessellate(shape.geometry));
    if (primitive->second.is_null()) return std::nullopt;
    const bool open = std::holds_alternative<Plane>(shape.geometry) ||
                      std::holds_alternative<HeightField>(shape.geometry);
    const int material = material_of(shape.color, open);
    Json used = primitive->second;
    used["material"] = material;
    const auto key = std::pair(used["indices"].get<int>(), material);
    const auto [mesh, is_new_mesh] =
        mesh_by_parts_.try_emplace(key, static_cast<int>(meshes_.size()));
    if (is_new_mesh) meshes_.push_back({{"primitives", Json::array({used})}});
    return mesh->second;
  }

  // Null when there is nothing to draw or a number is too large.
  Json add_geometry(const Mesh& mesh) {
    std::vector<float> positions, normals;
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        if (!fits_float(mesh.positions[i][k])) return nullptr;
        positions.push_back(static_cast<float>(mesh.positions[i][k]));
        normals.push_back(static_cast<float>(mesh.normals[i][k]));
      }
    }
    if (mesh.triangles.empty()) return nullptr;
    Json attributes{{"POSITION", buffer_.floats(positions, 3, GlbBuffer::vertex_data, true)},
                    {"NORMAL", buffer_.floats(normals, 3, GlbBuffer::vertex_data, false)}};
    return {{"attributes", std::move(attributes)},
            {"indices", buffer_.indices(mesh.triangles, mesh.positions.size())}};
  }

  // A track that never changes needs no channel where there is no other clip to come back from.
  static bool is_constant(const std::vector<float>& values, std::size_t width) {
    for (std::size_t i = width; i < values.size(); ++i) {
      if (values[i] != values[i % width]) return false;
    }
    return true;
  }

  void add_channel(int node, const char* path, const std::vector<float>& values, int width,
                   const char* interpolation = "LINEAR") {
    if (values.empty()) return;
    if (clips_.size() == 1 && is_constant(values, static_cast<std::size_t>(width))) return;
    if (input_ < 0) input_ = buffer_.floats(times_, 1, GlbBuffer::no_target, true);
    channels_.push_back(
        {{"sampler", samplers_.size()}, {"target", {{"node", node}, {"path", path}}}});
    samplers_.push_back({{"input", input_},
                         {"interpolation", interpolation},
                         {"output", buffer_.floats(values, width, GlbBuffer::no_target, false)}});
  }

  void add_pose_channels(int node, const std::vector<Pose>& poses,
                         const char* interpolation = "LINEAR") {
    check_interrupt();
    std::vector<float> translations, rotations;
    Quat last;
    for (const Pose& X : poses) {
      // q and -q are one rotation: stay on the side of the last, so that it turns the short way
      Quat q = quaternion(X.R);
      if (q.w * last.w + q.x * last.x + q.y * last.y + q.z * last.z < 0) {
        q = {-q.w, -q.x, -q.y, -q.z};
      }
      last = q;
      for (const double c : {X.p.x, X.p.y, X.p.z}) translations.push_back(static_cast<float>(c));
      for (const double c : {q.x, q.y, q.z, q.w}) rotations.push_back(static_cast<float>(c));
    }
    add_channel(node, "translation", translations, 3, interpolation);
    add_channel(node, "rotation", rotations, 4, interpolation);
  }

  void animate_body(std::size_t b) {
    if (clips_.size() > 1 && model_.bodies[b].immobile) return;
    std::vector<Pose> poses;
    for (const Frame* frame : frames_) poses.push_back(frame->X_WB[b]);
    add_pose_channels(body_nodes_[b], poses);
  }

  void add_spring(const PointSpring& spring, Json& siblings) {
    if (frames_.empty()) return;
    const Coil c = coil(spring, frames_);
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      if (!fits_float(c.X_WS[i]) || !fits_float(c.stretch[i])) return;
    }
    Json primitive = add_geometry(c.mesh);
    if (primitive.is_null()) return;
    primitive["material"] = material_of({0.45, 0.47, 0.5, 1}, false);
    meshes_.push_back({{"primitives", Json::array({std::move(primitive)})}});

    Json node{{"name", spring.name}, {"mesh", meshes_.size() - 1}};
    place(node, c.X_WS.front());
    node["scale"] = {1, 1, c.stretch.front()};
    const int index = add_node(std::move(node));
    siblings.push_back(index);
    spring_nodes_.emplace_back(&spring, index);
    animate_coil(index, c);
  }

  void animate_coil(int node, const Coil& c) {
    add_pose_channels(node, c.X_WS);
    std::vector<float> scales;
    for (const double s : c.stretch) scales.insert(scales.end(), {1, 1, static_cast<float>(s)});
    add_channel(node, "scale", scales, 3);
  }

  // An arrow along z, a metre long, as a turned outline.
  int arrow_mesh() {
    constexpr int sides = 12;
    constexpr std::array<std::array<double, 2>, 5> outline{
        // radius and height
        {{0, 0}, {0.02, 0}, {0.02, 0.8}, {0.06, 0.8}, {0, 1}}};
    Mesh mesh;
    for (std::size_t k = 0; k + 1 < outline.size(); ++k) {
      const auto [r0, z0] = outline[k];
      const auto [r1, z1] = outline[k + 1];
      const double slant = std::hypot(z1 - z0, r1 - r0);
      const auto first = static_cast<int>(mesh.positions.size());
      for (int i = 0; i <= sides; ++i) {
        const double angle = 6.283185307179586 * (i % sides) / sides;
        const double c = std::cos(angle), s = std::sin(angle);
        const double across = (z1 - z0) / slant, up = (r0 - r1) / slant;
        for (const auto& [r, z] : {outline[k], outline[k + 1]}) {
          mesh.positions.push_back({r * c, r * s, z});
          mesh.normals.push_back({across * c, across * s, up});
        }
        if (i == sides) continue;
        const int a = first + 2 * i;
        if (r0 > 0) mesh.triangles.push_back({a, a + 2, a + 1});
        if (r1 > 0) mesh.triangles.push_back({a + 1, a + 2, a + 3});
      }
    }
    Json primitive = add_geometry(mesh);
    primitive["material"] = material_of({0.82, 0.16, 0.22, 1}, false);
    meshes_.push_back({{"primitives", Json::array({std::move(primitive)})}});
    return static_cast<int>(meshes_.size()) - 1;
  }

  // A node for each body that moves and is touched in some frame. Forces jump from frame to frame.
  void add_arrows(Json& siblings) {
    std::vector<std::vector<ContactLoad>> loads;
    for (const Frame* frame : frames_) loads.push_back(contact_loads(model_, *frame));
    int mesh = -1;
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      check_interrupt();
      if (model_.bodies[b].immobile) continue;
      std::vector<Pose> poses;
      std::vector<float> scales;
      Pose X;
      bool touched = false;
      for (const std::vector<ContactLoad>& frame : loads) {
        const Vec3& force = frame[b].force;
        const double size = norm(force), length = arrow_length_ * size;
        const bool shown = size > 0 && fits_float(length) && fits_float(max_abs(frame[b].point));
        if (shown) X = {frame_from_z(force / size), frame[b].point};
        touched = touched || shown;
        poses.push_back(X);
        // nothing to see, but still with an inverse
        const auto s = static_cast<float>(shown ? std::max(length, 1e-6) : 1e-6);
        scales.insert(scales.end(), {s, s, s});
      }
      if (!touched) continue;
      if (mesh < 0) mesh = arrow_mesh();
      Json node{{"name", model_.bodies[b].name + ".force"}, {"mesh", mesh}};
      place(node, poses.front());
      node["scale"] = {scales[0], scales[1], scales[2]};
      const int index = add_node(std::move(node));
      siblings.push_back(index);
      add_pose_channels(index, poses, "STEP");
      add_channel(index, "scale", scales, 3, "STEP");
    }
  }

  const Scene& scene_;
  const Model& model_;
  std::span<const Clip> clips_;
  std::vector<const Frame*> frames_;  // of the clip that is written
  std::vector<float> times_;
  double reach_ = 0;  // farthest coordinate of any body
  GlbBuffer buffer_;
  Json nodes_ = Json::array(), meshes_ = Json::array(), materials_ = Json::array();
  Json cameras_ = Json::array(), animations_ = Json::array();
  Json channels_ = Json::array(), samplers_ = Json::array();
  int input_ = -1;           // accessor of the times
  double arrow_length_ = 0;  // m/N; zero: forces are not drawn
  std::vector<int> body_nodes_;
  std::vector<std::pair<const PointSpring*, int>> spring_nodes_;
  std::unordered_map<std::string, Json> primitives_;  // by geometry
  std::map<std::string, int> material_by_text_;
  std::map<std::pair<int, int>, int> mesh_by_parts_;  // by accessor of indices and material
};

}  // namespace

std::string glb(const Scene& scene, const Model& model, const Recording& recording,
                const ForceArrows& arrows) {
  const Clip clip{"simulation", &recording};
  return GlbWriter(scene, model, {&clip, 1}, arrows).write();
}

std::string glb(const Scene& scene, const Model& model, std::span<const Clip> clips) {
  assert(!clips.empty());
  return GlbWriter(scene, model, clips, {}).write();
}

}  // namespace molejo
