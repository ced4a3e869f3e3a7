// Characters as GLB: a node per joint, skins, meshes with their looks, an animation per clip.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "molejo/io/character_file.h"
#include "molejo/io/glb_buffer.h"
#include "molejo/math/index.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

using Json = GlbBuffer::Json;
using motion::Affine;
using motion::Channel;
using motion::Track;
using motion::Transform;

class CharacterWriter {
 public:
  explicit CharacterWriter(const motion::Character& character) : c_(character) {}

  std::string write() {
    add_joints();
    add_skins();
    add_attachments();
    for (const motion::Clip& clip : c_.clips) add_clip(clip);
    mark_others();
    Json root;
    root["asset"] = {{"version", "2.0"}, {"generator", "Molejo"}};
    if (!c_.looks.extensions.empty()) root["extensionsUsed"] = c_.looks.extensions;
    root["scene"] = 0;
    root["scenes"] = Json::array({{{"nodes", roots_}}});
    if (!c_.name.empty()) root["scenes"][0]["name"] = c_.name;
    root["nodes"] = std::move(nodes_);
    if (!skins_.empty()) root["skins"] = std::move(skins_);
    if (!meshes_.empty()) {
      root["meshes"] = std::move(meshes_);
      add_looks(root);
    }
    if (!animations_.empty()) root["animations"] = std::move(animations_);
    // empty arrays are not allowed
    if (!buffer_.accessors.empty()) root["accessors"] = buffer_.accessors;
    if (!buffer_.views.empty()) root["bufferViews"] = buffer_.views;
    if (!buffer_.bytes.empty()) {
      root["buffers"] = Json::array({{{"byteLength", buffer_.bytes.size()}}});
    }
    return buffer_.container(json_line(root));
  }

 private:
  static float narrow(double x) {
    const double most = double{std::numeric_limits<float>::max()};
    return static_cast<float>(std::clamp(x, -most, most));
  }

  static void place(Json& node, const Transform& t) {
    const Quat& q = t.rotation;
    if (!(t.translation == Vec3{})) {
      node["translation"] = {narrow(t.translation.x), narrow(t.translation.y),
                             narrow(t.translation.z)};
    }
    if (!(q == Quat{})) node["rotation"] = {q.x, q.y, q.z, q.w};
    if (!(t.scale == Vec3{1, 1, 1})) {
      node["scale"] = {narrow(t.scale.x), narrow(t.scale.y), narrow(t.scale.z)};
    }
  }

  void add_joints() {
    for (const motion::SkeletonJoint& joint : c_.skeleton.joints) {
      const auto index = nodes_.size();
      Json node;
      node["name"] = joint.name;
      place(node, joint.rest);
      nodes_.push_back(std::move(node));
      hang(joint.parent, index);
    }
  }

  void hang(int joint, std::size_t node) {
    if (joint < 0) {
      roots_.push_back(node);
    } else {
      nodes_[at(joint)]["children"].push_back(node);
    }
  }

  void add_skins() {
    for (const motion::Skin& skin : c_.skins) {
      Json json;
      if (!skin.name.empty()) json["name"] = skin.name;
      std::vector<float> binds;
      for (const Affine& a : skin.inverse_binds) {
        for (int column = 0; column < 3; ++column) {
          const Vec3 v = a.linear.column(column);
          binds.insert(binds.end(), {narrow(v.x), narrow(v.y), narrow(v.z), 0});
        }
        binds.insert(binds.end(), {narrow(a.origin.x), narrow(a.origin.y), narrow(a.origin.z), 1});
      }
      std::vector<int> joints = skin.joints;
      // a skin without joints, or with one twice, is not allowed: nothing may be bound to it
      std::sort(joints.begin(), joints.end());
      const bool usable = !joints.empty() &&
                          std::unique(joints.begin(), joints.end()) == joints.end() &&
                          one_root(skin);
      skin_numbers_.push_back(usable ? static_cast<int>(skins_.size()) : -1);
      if (!usable) continue;
      shown_.insert(joints.begin(), joints.end());
      json["inverseBindMatrices"] = buffer_.floats(binds, 16, GlbBuffer::no_target, false);
      json["joints"] = skin.joints;
      skins_.push_back(std::move(json));
    }
  }

  // Joints of a skin must be below one node.
  bool one_root(const motion::Skin& skin) const {
    int root = -2;
    for (int j : skin.joints) {
      while (c_.skeleton[j].parent >= 0) j = c_.skeleton[j].parent;
      if (root == -2) root = j;
      if (root != j) return false;
    }
    return true;
  }

  void add_attachments() {
    for (const motion::Attachment& a : c_.attachments) {
      const auto index = nodes_.size();
      Json node;
      if (!a.name.empty()) node["name"] = a.name;
      const int skin = a.skin < 0 ? -1 : skin_numbers_[at(a.skin)];
      const int number = mesh(a.mesh, skin >= 0);
      if (skin < 0 && a.joint >= 0 && a.X_JA == Affine{} && !nodes_[at(a.joint)].contains("mesh")) {
        nodes_[at(a.joint)]["mesh"] = number;
        continue;
      }
      node["mesh"] = number;
      if (skin >= 0) {
        // its own place does not count: the joints move it
        node["skin"] = skin;
        roots_.push_back(index);
      } else {
        place(node, motion::decomposed(a.X_JA));
        hang(a.joint, index);
      }
      nodes_.push_back(std::move(node));
    }
  }

  int mesh(int index, bool skinned) {
    const auto [known, is_new] =
        mesh_numbers_.try_emplace({index, skinned}, static_cast<int>(meshes_.size()));
    if (!is_new) return known->second;
    const motion::CharacterMesh& mesh = c_.meshes[at(index)];
    Json json;
    if (!mesh.name.empty()) json["name"] = mesh.name;
    json["primitives"] = Json::array();
    for (const motion::MeshPrimitive& p : mesh.primitives) {
      json["primitives"].push_back(primitive(p, skinned));
    }
    meshes_.push_back(std::move(json));
    return known->second;
  }

  Json primitive(const motion::MeshPrimitive& p, bool skinned) {
    Json attributes;
    std::size_t vertices = 0;
    for (const motion::VertexAttribute& a : p.attributes) {
      const bool position = a.name == "POSITION";
      if (position) vertices = a.values.size() / 3;
      if (!skinned && a.name.rfind("WEIGHTS_", 0) == 0) continue;
      attributes[a.name] = buffer_.floats(a.values, a.width, GlbBuffer::vertex_data, position);
    }
    for (std::size_t s = 0; skinned && s < p.joints.size(); ++s) {
      attributes[fmt::format("JOINTS_{}", s)] = buffer_.joints(p.joints[s]);
    }
    Json json{{"attributes", std::move(attributes)}};
    if (!p.indices.empty()) json["indices"] = buffer_.indices(p.indices, vertices);
    if (p.material >= 0) json["material"] = p.material;
    if (p.mode != 4) json["mode"] = p.mode;
    return json;
  }

  void add_looks(Json& root) {
    const auto add = [&root](const char* key, const std::string& text) {
      if (!text.empty()) root[key] = Json::parse(text);
    };
    add("materials", c_.looks.materials);
    add("textures", c_.looks.textures);
    add("samplers", c_.looks.samplers);
    for (const motion::CharacterLooks::Picture& picture : c_.looks.pictures) {
      Json json;
      if (!picture.name.empty()) json["name"] = picture.name;
      json["bufferView"] = buffer_.view(picture.bytes);
      json["mimeType"] = picture.type;
      root["images"].push_back(std::move(json));
    }
  }

  // Keys whose times are the same number as a float are one.
  struct Keys {
    int input = -1;
    std::vector<std::size_t> kept;
  };

  Keys keys_of(const std::vector<double>& times) {
    Keys keys;
    std::vector<float> floats;
    for (std::size_t k = 0; k < times.size(); ++k) {
      const float t = narrow(times[k]);
      if (t < 0 || (!floats.empty() && t <= floats.back())) continue;
      floats.push_back(t);
      keys.kept.push_back(k);
    }
    if (!floats.empty()) keys.input = buffer_.floats(floats, 1, GlbBuffer::no_target, true);
    return keys;
  }

  void add_clip(const motion::Clip& clip) {
    std::vector<Keys> keys(clip.times.size());
    Json channels = Json::array(), samplers = Json::array();
    for (const Track& track : clip.tracks) {
      Keys& k = keys[at(track.times)];
      if (k.kept.empty()) k = keys_of(clip.times_of(track));
      if (k.input < 0) continue;
      const bool cubic =
          track.interpolation == motion::Interpolation::cubic_spline && k.kept.size() > 1;
      channels.push_back({{"sampler", samplers.size()},
                          {"target", {{"node", track.joint}, {"path", to_string(track.channel)}}}});
      shown_.insert(track.joint);
      samplers.push_back(
          {{"input", k.input},
           {"interpolation", cubic                                                ? "CUBICSPLINE"
                             : track.interpolation == motion::Interpolation::step ? "STEP"
                                                                                  : "LINEAR"},
           {"output", values(track, k.kept, cubic)}});
    }
    if (channels.empty()) return;
    animations_.push_back({{"name", clip.name},
                           {"channels", std::move(channels)},
                           {"samplers", std::move(samplers)}});
  }

  // A joint that no skin and no clip names, with none such above or below it, would be read as a
  // mere node: its extras tell what it is.
  void mark_others() {
    // where nothing is named, all nodes are joints
    if (shown_.empty() && nodes_.size() == at(c_.skeleton.size())) return;
    std::vector<bool> known(at(c_.skeleton.size()));
    for (int j : shown_) {
      for (; j >= 0 && !known[at(j)]; j = c_.skeleton[j].parent) known[at(j)] = true;
    }
    for (int j = 0; j < c_.skeleton.size(); ++j) {
      const int parent = c_.skeleton[j].parent;
      const bool bare = !nodes_[at(j)].contains("mesh");
      if (bare && parent >= 0 && known[at(parent)]) known[at(j)] = true;
      if (known[at(j)]) continue;
      nodes_[at(j)]["extras"]["joint"] = true;
      known[at(j)] = true;  // and so are those below it
    }
  }

  int values(const Track& track, const std::vector<std::size_t>& kept, bool cubic) {
    const auto width = static_cast<std::size_t>(motion::width(track.channel));
    const std::size_t per_key =
        track.interpolation == motion::Interpolation::cubic_spline ? 3 : 1;  // in the track
    std::vector<float> out;
    for (const std::size_t k : kept) {
      for (std::size_t part = 0; part < per_key; ++part) {
        const bool is_value = per_key == 1 || part == 1;
        if (!cubic && !is_value) continue;
        const double* v = track.values.data() + (k * per_key + part) * width;
        if (width == 3) {
          for (std::size_t i = 0; i < 3; ++i) out.push_back(narrow(v[i]));
          continue;
        }
        Quat q{v[0], v[1], v[2], v[3]};
        if (is_value) q = motion::safe_unit(q);
        for (const double x : {q.x, q.y, q.z, q.w}) out.push_back(narrow(x));
      }
    }
    return buffer_.floats(out, static_cast<int>(width), GlbBuffer::no_target, false);
  }

  const motion::Character& c_;
  GlbBuffer buffer_;
  std::set<int> shown_;  // joints that a skin or a clip names
  Json nodes_ = Json::array(), skins_ = Json::array(), meshes_ = Json::array();
  Json animations_ = Json::array(), roots_ = Json::array();
  std::vector<int> skin_numbers_;
  std::map<std::pair<int, bool>, int> mesh_numbers_;
};

}  // namespace

std::string character_glb(const motion::Character& character) {
  return CharacterWriter(character).write();
}

}  // namespace molejo
