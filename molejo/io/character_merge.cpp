#include "molejo/io/character_merge.h"
#include "molejo/io/glb_buffer.h"
#include "molejo/io/json_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace molejo {

namespace {

using Json = nlohmann::ordered_json;
using motion::Affine;
using motion::MeshPrimitive;
using motion::VertexAttribute;

void append(VertexAttribute& attribute, const Vec3& v) {
  for (int i = 0; i < 3; ++i) attribute.values.push_back(static_cast<float>(v[i]));
}

// Adds to all indices of textures in a material, however deep extensions hide them.
void shift_textures(Json& value, int by) {
  if (value.is_object()) {
    for (auto& [key, item] : value.items()) {
      const bool texture = key.size() >= 7 && key.compare(key.size() - 7, 7, "Texture") == 0;
      if (texture && item.is_object() && item.contains("index") &&
          item["index"].is_number_integer()) {
        item["index"] = item["index"].get<int>() + by;
      }
      shift_textures(item, by);
    }
  } else if (value.is_array()) {
    for (Json& item : value) shift_textures(item, by);
  }
}

void shift_number(Json& object, const char* key, int by) {
  if (object.is_object() && object.contains(key) && object[key].is_number_integer()) {
    object[key] = object[key].get<int>() + by;
  }
}

Json array_of(const std::string& text) { return text.empty() ? Json::array() : Json::parse(text); }

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "[" : ", ") + item;
  return text.empty() ? "" : text + "]";
}

// Two pyramids with a square between them, from the origin to (0, 0, 1).
MeshPrimitive diamond() {
  MeshPrimitive p;
  VertexAttribute position{"POSITION", 3, {}}, normal{"NORMAL", 3, {}};
  const Vec3 ends[] = {{0, 0, 0}, {0, 0, 1}};
  const double w = 0.5, z = 0.22;
  const Vec3 belt[] = {{w, w, z}, {-w, w, z}, {-w, -w, z}, {w, -w, z}};
  for (int i = 0; i < 4; ++i) {
    for (int end = 0; end < 2; ++end) {
      Vec3 a = belt[i], b = belt[(i + 1) % 4];
      if (end == 0) std::swap(a, b);
      const Vec3 n = normalized(cross(b - a, ends[end] - a));
      for (const Vec3& v : {a, b, ends[end]}) append(position, v), append(normal, n);
    }
  }
  p.attributes = {position, normal};
  return p;
}

}  // namespace

CharacterMerge::CharacterMerge(const std::string& name) { merged_.name = name; }

int CharacterMerge::add_joint(const std::string& name, int parent, const motion::Transform& rest) {
  merged_.skeleton.joints.push_back({name, parent, rest});
  return merged_.skeleton.size() - 1;
}

int CharacterMerge::add_skeleton(const motion::Skeleton& skeleton, int parent,
                                 const std::string& prefix) {
  const int first = merged_.skeleton.size();
  for (const motion::SkeletonJoint& joint : skeleton.joints) {
    add_joint(prefix + joint.name, joint.parent < 0 ? parent : first + joint.parent, joint.rest);
  }
  return first;
}

CharacterMerge::Offsets CharacterMerge::add_looks(const motion::Character& c) {
  const auto [known, is_new] = known_.try_emplace(&c);
  if (!is_new) return known->second;
  const Offsets offsets{static_cast<int>(merged_.meshes.size()),
                        static_cast<int>(material_texts_.size())};
  const int textures = static_cast<int>(texture_texts_.size());
  const int samplers = static_cast<int>(sampler_texts_.size());
  const int pictures = static_cast<int>(merged_.looks.pictures.size());
  for (Json& material : array_of(c.looks.materials)) {
    shift_textures(material, textures);
    material_texts_.push_back(material.dump());
  }
  for (Json& texture : array_of(c.looks.textures)) {
    shift_number(texture, "source", pictures);
    shift_number(texture, "sampler", samplers);
    if (texture.is_object() && texture.contains("extensions")) {
      for (auto& [name, extension] : texture["extensions"].items()) {
        shift_number(extension, "source", pictures);
      }
    }
    texture_texts_.push_back(texture.dump());
  }
  for (const Json& sampler : array_of(c.looks.samplers)) sampler_texts_.push_back(sampler.dump());
  const auto& more = c.looks.pictures;
  merged_.looks.pictures.insert(merged_.looks.pictures.end(), more.begin(), more.end());
  std::vector<std::string>& extensions = merged_.looks.extensions;
  for (const std::string& e : c.looks.extensions) {
    if (std::find(extensions.begin(), extensions.end(), e) == extensions.end()) {
      extensions.push_back(e);
    }
  }
  for (motion::CharacterMesh mesh : c.meshes) {
    for (MeshPrimitive& p : mesh.primitives) p.material += p.material < 0 ? 0 : offsets.materials;
    merged_.meshes.push_back(std::move(mesh));
  }
  known->second = offsets;
  return offsets;
}

void CharacterMerge::add_body(const motion::Character& c, int first, int root) {
  const Offsets offsets = add_looks(c);
  const int skins = static_cast<int>(merged_.skins.size());
  for (motion::Skin skin : c.skins) {
    for (int& j : skin.joints) j += first;
    merged_.skins.push_back(std::move(skin));
  }
  for (motion::Attachment a : c.attachments) {
    a.joint = a.joint < 0 ? root : a.joint + first;
    a.mesh += offsets.meshes;
    a.skin += a.skin < 0 ? 0 : skins;
    merged_.attachments.push_back(std::move(a));
  }
}

int CharacterMerge::add_material(const std::string& name, const std::array<double, 3>& color,
                                 double roughness, bool glows) {
  Json json{{"name", name},
            {"pbrMetallicRoughness",
             {{"baseColorFactor", {color[0], color[1], color[2], 1}},
              {"metallicFactor", 0},
              {"roughnessFactor", roughness}}}};
  if (glows) json["emissiveFactor"] = {0.5 * color[0], 0.5 * color[1], 0.5 * color[2]};
  const std::string text = json.dump();
  const auto [known, is_new] =
      materials_.try_emplace(text, static_cast<int>(material_texts_.size()));
  if (is_new) material_texts_.push_back(text);
  return known->second;
}

void CharacterMerge::add_bones(const motion::Skeleton& skeleton, const motion::SkeletonPose& pose,
                               int first, const std::array<double, 3>& color) {
  const int material = add_material("bones", color, 0.7, false);
  // figures of one colour share a bone
  const auto [known, is_new] =
      bones_.try_emplace(material, static_cast<int>(merged_.meshes.size()));
  const int mesh = known->second;
  if (is_new) {
    MeshPrimitive p = diamond();
    p.material = material;
    merged_.meshes.push_back({"bone", {p}});
  }
  for (int j = 0; j < skeleton.size(); ++j) {
    const int parent = skeleton[j].parent;
    const Vec3 to = pose.translation(j);
    const double length = norm(to);
    if (parent < 0 || !(length > 1e-9)) continue;
    // from the parent to the joint, as thick as a bone
    const Mat3 R = frame_from_z(to / length);
    const double thick = 0.16 * length;
    const Affine X{from_columns(R.column(0) * thick, R.column(1) * thick, R.column(2) * length),
                   {}};
    merged_.attachments.push_back({skeleton[j].name + " bone", first + parent, X, mesh, -1});
  }
}

void CharacterMerge::add_shape(const std::string& name, const Shape& shape, int joint) {
  const Mesh mesh = tessellate(shape.geometry);
  MeshPrimitive p;
  VertexAttribute position{"POSITION", 3, {}}, normal{"NORMAL", 3, {}};
  for (const Vec3& v : mesh.positions) append(position, v);
  for (const Vec3& n : mesh.normals) append(normal, n);
  for (const auto& t : mesh.triangles) {
    for (const int i : t) p.indices.push_back(static_cast<std::uint32_t>(i));
  }
  p.attributes = {position, normal};
  const Color& c = shape.color;
  p.material =
      add_material("body", {linear_light(c.r), linear_light(c.g), linear_light(c.b)}, 0.8, false);
  const Affine X{shape.X_BS.R, shape.X_BS.p};
  merged_.attachments.push_back({name, joint, X, static_cast<int>(merged_.meshes.size()), -1});
  merged_.meshes.push_back({name, {p}});
}

void CharacterMerge::add_terrain(const Terrain& terrain, int joint) {
  const TerrainMesh mesh = terrain_mesh(terrain);
  const std::string name = terrain.name.empty() ? "terrain" : terrain.name;
  motion::CharacterMesh tiles{name, {}};
  const Color& c = terrain.color;
  // tiles of a metre, light and dark, so that one sees who slips
  for (const int dark : {0, 1}) {
    MeshPrimitive p;
    VertexAttribute position{"POSITION", 3, {}}, normal{"NORMAL", 3, {}};
    std::vector<std::uint32_t> numbers(mesh.points.size(), ~0u);
    std::uint32_t count = 0;
    for (const auto& t : mesh.triangles) {
      // the middle of the cell, which both of its triangles share
      const Vec3 &u = mesh.points[t[0]], &v = mesh.points[t[1]], &w = mesh.points[t[2]];
      const double x = 0.5 * (std::min({u.x, v.x, w.x}) + std::max({u.x, v.x, w.x}));
      const double y = 0.5 * (std::min({u.y, v.y, w.y}) + std::max({u.y, v.y, w.y}));
      const double parity = std::floor(x) + std::floor(y);
      if ((std::fmod(parity, 2) != 0) != (dark == 1)) continue;
      for (const std::uint32_t i : t) {
        if (numbers[i] == ~0u) {
          numbers[i] = count++;
          append(position, mesh.points[i]), append(normal, mesh.normals[i]);
        }
        p.indices.push_back(numbers[i]);
      }
    }
    if (p.indices.empty()) continue;
    p.attributes = {position, normal};
    const double f = dark ? 0.86 : 1;
    p.material = add_material("ground", {f * c.r, f * c.g, f * c.b}, 0.95, false);
    tiles.primitives.push_back(std::move(p));
  }
  merged_.attachments.push_back({name, joint, {}, static_cast<int>(merged_.meshes.size()), -1});
  merged_.meshes.push_back(std::move(tiles));
}

void CharacterMerge::add_line(const std::string& name, const std::vector<Vec3>& points,
                              const std::array<double, 3>& color, int joint) {
  if (points.size() < 2) return;
  MeshPrimitive p;
  p.mode = 3;  // a strip of lines
  VertexAttribute position{"POSITION", 3, {}};
  for (const Vec3& v : points) append(position, v);
  p.attributes = {position};
  p.material = add_material("curve", color, 1, true);
  merged_.attachments.push_back({name, joint, {}, static_cast<int>(merged_.meshes.size()), -1});
  merged_.meshes.push_back({name, {p}});
}

motion::Character CharacterMerge::finish() {
  merged_.looks.materials = joined(material_texts_);
  merged_.looks.textures = joined(texture_texts_);
  merged_.looks.samplers = joined(sampler_texts_);
  merged_.looks.material_count = static_cast<int>(material_texts_.size());
  return std::move(merged_);
}

}  // namespace molejo
