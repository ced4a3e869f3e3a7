// Meshes and looks of glTF, decoded and mended so that they can be written again without errors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "molejo/io/gltf_character.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

using motion::CharacterLooks;
using motion::CharacterMesh;
using motion::MeshPrimitive;
using motion::VertexAttribute;

bool begins(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }

// A white picture of one pixel, in place of one that cannot be had.
std::string white_png() {
  const unsigned char bytes[] = {
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
      0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00,
      0x00, 0x3a, 0x7e, 0x9b, 0x55, 0x00, 0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78,
      0xda, 0x63, 0xf8, 0x0f, 0x00, 0x01, 0x01, 0x01, 0x00, 0x1b, 0xb6, 0xee, 0x56, 0x00,
      0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
  return {reinterpret_cast<const char*>(bytes), sizeof bytes};
}

class PrimitiveReader {
 public:
  PrimitiveReader(Gltf& gltf, Problems& problems) : gltf_(gltf), problems_(problems) {}

  MeshPrimitive read(const JsonValue& json, int materials) {
    gltf_.expect_object(json);
    const JsonValue* extensions = json.find("extensions");
    if (extensions && extensions->find("KHR_draco_mesh_compression")) {
      gltf_.fail(json, "packed with Draco, which is not read");
    }
    p_ = {};
    p_.mode = static_cast<int>(gltf_.size(json, "mode", 4));
    if (p_.mode > 6) gltf_.fail(json, "unknown mode");
    p_.material = gltf_.index(json, "material", static_cast<std::size_t>(materials)).value_or(-1);
    const JsonValue* attributes = json.find("attributes");
    if (!attributes) gltf_.fail(json, "'attributes' is missing");
    gltf_.expect_object(*attributes);
    read_positions(*attributes);
    for (std::size_t i = 0; i < attributes->keys.size(); ++i) {
      read_attribute(attributes->keys[i], attributes->items[i]);
    }
    pair_weights();
    if (json.find("targets")) problems_.add("a mesh with morph targets: left out");
    if (const auto indices = gltf_.index(json, "indices", gltf_.list("accessors").size())) {
      read_indices(json, gltf_.accessor(*indices, 1));
    }
    check_counts(json);
    return std::move(p_);
  }

 private:
  static VertexAttribute floats(const std::string& name, const Gltf::Numbers& numbers) {
    VertexAttribute a{name, numbers.width, {}};
    a.values.reserve(numbers.values.size());
    for (const double x : numbers.values) a.values.push_back(static_cast<float>(x));
    return a;
  }
  static bool finite(const Gltf::Numbers& numbers) {
    return std::all_of(numbers.values.begin(), numbers.values.end(),
                       [](double x) { return std::fabs(x) < 1e30; });
  }

  void read_positions(const JsonValue& attributes) {
    const std::size_t accessors = gltf_.list("accessors").size();
    const int index = gltf_.need_index(attributes, "POSITION", accessors);
    const Gltf::Numbers numbers = gltf_.accessor(index, 3);
    if (numbers.count == 0) gltf_.fail(attributes, "a primitive without vertices");
    if (!finite(numbers)) gltf_.fail(attributes, "a position is not a finite number");
    count_ = numbers.count;
    p_.attributes.push_back(floats("POSITION", numbers));
  }

  void read_attribute(const std::string& name, const JsonValue& value) {
    const bool known = name == "NORMAL" || name == "TANGENT" || begins(name, "TEXCOORD_") ||
                       begins(name, "COLOR_") || begins(name, "JOINTS_") ||
                       begins(name, "WEIGHTS_");
    if (!known || name.size() > 12) return;
    const Gltf::Numbers n = gltf_.accessor(gltf_.as_index(value, gltf_.list("accessors").size()));
    const int width = n.width;
    const bool fits = name == "NORMAL"            ? width == 3
                      : begins(name, "TEXCOORD_") ? width == 2
                      : begins(name, "COLOR_")    ? width == 3 || width == 4
                                                  : width == 4;
    if (n.count != count_ || !fits || !finite(n)) {
      problems_.add(fmt::format("a mesh's {} do not fit its positions: left out", name));
      return;
    }
    if (begins(name, "JOINTS_")) {
      std::vector<std::uint16_t> joints;
      for (const double x : n.values) {
        joints.push_back(x >= 0 && x < 65535 ? static_cast<std::uint16_t>(x) : 65535);
      }
      joints_[name.substr(7)] = std::move(joints);
      return;
    }
    VertexAttribute a = floats(name, n);
    if (name == "NORMAL" && !make_unit(a.values, 3)) {
      problems_.add("a mesh's NORMAL have no length somewhere: left out");
      return;
    }
    if (name == "TANGENT" && !make_unit(a.values, 4)) return;
    if (begins(name, "COLOR_")) {
      for (float& x : a.values) x = std::clamp(x, 0.0f, 1.0f);
    }
    if (begins(name, "WEIGHTS_")) {
      weights_[name.substr(8)] = std::move(a.values);
      return;
    }
    p_.attributes.push_back(std::move(a));
  }

  static bool make_unit(std::vector<float>& v, std::size_t width) {
    for (std::size_t i = 0; i < v.size(); i += width) {
      const double x = double{v[i]}, y = double{v[i + 1]}, z = double{v[i + 2]};
      const double length = std::sqrt(x * x + y * y + z * z);
      if (!(length > 1e-12)) return false;
      v[i] = static_cast<float>(x / length), v[i + 1] = static_cast<float>(y / length);
      v[i + 2] = static_cast<float>(z / length);
      if (width == 4) v[i + 3] = v[i + 3] < 0 ? -1.0f : 1.0f;
    }
    return true;
  }

  void pair_weights() {
    for (int set = 0;; ++set) {
      const auto joints = joints_.find(std::to_string(set));
      const auto weights = weights_.find(std::to_string(set));
      if (joints == joints_.end() || weights == weights_.end()) break;
      p_.joints.push_back(std::move(joints->second));
      p_.attributes.push_back({fmt::format("WEIGHTS_{}", set), 4, std::move(weights->second)});
    }
    if (joints_.size() != p_.joints.size() || weights_.size() != p_.joints.size()) {
      problems_.add("a mesh with joints but without weights, or the reverse");
    }
    joints_.clear(), weights_.clear();
  }

  void read_indices(const JsonValue& json, const Gltf::Numbers& numbers) {
    const std::size_t corners = p_.mode == 4 ? 3 : p_.mode == 1 ? 2 : 1;
    std::size_t dropped = 0;
    const auto inside = [&](double i) { return i >= 0 && i < static_cast<double>(count_); };
    for (std::size_t i = 0; i + corners <= numbers.count; i += corners) {
      const auto first = numbers.values.begin() + static_cast<std::ptrdiff_t>(i);
      if (!std::all_of(first, first + static_cast<std::ptrdiff_t>(corners), inside)) {
        ++dropped;
        continue;
      }
      for (std::size_t k = 0; k < corners; ++k) {
        p_.indices.push_back(static_cast<std::uint32_t>(numbers.values[i + k]));
      }
    }
    if (dropped > 0) problems_.add("a mesh with indices beyond its vertices: these are left out");
    if (p_.indices.empty()) gltf_.fail(json, "a primitive without a usable index");
  }

  void check_counts(const JsonValue& json) {
    std::size_t n = p_.indices.empty() ? count_ : p_.indices.size();
    const std::size_t least = p_.mode == 0 ? 1 : p_.mode <= 3 ? 2 : 3;
    if (n < least) gltf_.fail(json, "a primitive with too few vertices");
    if (!p_.indices.empty()) return;
    // vertices behind the last whole triangle or line belong to nothing
    const std::size_t corners = p_.mode == 4 ? 3 : p_.mode == 1 ? 2 : 1;
    if (n % corners != 0) {
      for (std::uint32_t i = 0; i < n / corners * corners; ++i) p_.indices.push_back(i);
    }
  }

  Gltf& gltf_;
  Problems& problems_;
  MeshPrimitive p_;
  std::size_t count_ = 0;
  std::map<std::string, std::vector<std::uint16_t>> joints_;
  std::map<std::string, std::vector<float>> weights_;
};

// Materials as they are, without what we cannot carry: extensions that reach elsewhere, and
// textures that are not there.
JsonValue carried(const JsonValue& value, std::size_t textures, std::vector<std::string>& used) {
  JsonValue out = value;
  if (!value.is(JsonValue::Kind::object)) {
    for (JsonValue& item : out.items) item = carried(item, textures, used);
    return out;
  }
  out.keys.clear(), out.items.clear();
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    const std::string& key = value.keys[i];
    const JsonValue& item = value.items[i];
    if (key == "extras" || key == "technique" || key == "values") continue;
    const bool extension = begins(key, "KHR_") || begins(key, "EXT_") || begins(key, "VRM") ||
                           begins(key, "MSFT_") || begins(key, "ADOBE_");
    if (extension && !begins(key, "KHR_materials_") && key != "KHR_texture_transform") continue;
    const bool texture = key.size() > 7 && key.compare(key.size() - 7, 7, "Texture") == 0;
    const bool part = texture || extension || key == "extensions" || key == "pbrMetallicRoughness";
    if (part && !item.is(JsonValue::Kind::object)) continue;
    if (texture) {
      const JsonValue* index = item.find("index");
      const bool there = index && index->is(JsonValue::Kind::number) && index->number >= 0 &&
                         index->number < static_cast<double>(textures);
      if (!there) continue;
    }
    if (extension && std::find(used.begin(), used.end(), key) == used.end()) used.push_back(key);
    JsonValue copy = carried(item, textures, used);
    if (key == "extensions" && copy.items.empty()) continue;
    out.add(key, std::move(copy));
  }
  return out;
}

}  // namespace

CharacterMesh read_mesh(Gltf& gltf, const JsonValue& json, int index, int materials,
                        Problems& problems) {
  gltf.expect_object(json);
  CharacterMesh mesh;
  mesh.name = clean_name(gltf.text(json, "name"));
  PrimitiveReader reader(gltf, problems);
  for (const JsonValue& primitive : gltf.list(json, "primitives")) {
    try {
      mesh.primitives.push_back(reader.read(primitive, materials));
    } catch (const InputError& error) {
      problems.add(fmt::format("a part of mesh {} is left out: {}", index, error.what()));
    }
  }
  return mesh;
}

void mend_weights(MeshPrimitive& p, std::size_t joints, Problems& problems) {
  std::vector<float*> sets;
  for (VertexAttribute& a : p.attributes) {
    if (begins(a.name, "WEIGHTS_")) sets.push_back(a.values.data());
  }
  const std::size_t vertices = p.joints.front().size() / 4;
  bool outside = false, sums = false;
  for (std::size_t v = 0; v < vertices; ++v) {
    std::map<std::uint16_t, double> of_joint;
    double sum = 0;
    for (std::size_t s = 0; s < sets.size(); ++s) {
      for (std::size_t i = 4 * v; i < 4 * v + 4; ++i) {
        const double w = double{sets[s][i]};
        if (!(w > 0)) continue;
        if (p.joints[s][i] >= joints) {
          outside = true;
          continue;
        }
        of_joint[p.joints[s][i]] += w, sum += w;
      }
    }
    if (!(sum > 0)) of_joint = {{std::uint16_t{0}, 1.0}}, sum = 1, sums = true;
    if (std::fabs(sum - 1) > 0.02) sums = true;
    auto next = of_joint.begin();
    for (std::size_t s = 0; s < sets.size(); ++s) {
      for (std::size_t i = 4 * v; i < 4 * v + 4; ++i) {
        const bool any = next != of_joint.end();
        p.joints[s][i] = any ? next->first : std::uint16_t{0};
        sets[s][i] = any ? static_cast<float>(next->second / sum) : 0.0f;
        if (any) ++next;
      }
    }
  }
  if (outside) problems.add("a mesh is bound to joints that its skin does not have");
  if (sums) problems.add("skin weights that do not sum to one: normalised");
}

CharacterLooks read_looks(Gltf& gltf, Problems& problems) {
  CharacterLooks looks;
  std::size_t bytes = 0;
  constexpr std::size_t most_bytes = std::size_t{256} << 20;
  const std::vector<JsonValue>& images = gltf.list("images");
  for (std::size_t i = 0; i < images.size(); ++i) {
    CharacterLooks::Picture picture;
    try {
      const JsonValue& json = images[i];
      gltf.expect_object(json);
      picture.name = clean_name(gltf.text(json, "name"));
      const auto view = gltf.index(json, "bufferView", gltf.list("bufferViews").size());
      picture.bytes = view ? std::string(gltf.view(*view)) : gltf.fetch(gltf.text(json, "uri"));
      const bool png = begins(picture.bytes.substr(0, 4), "\x89PNG");
      const bool jpeg = begins(picture.bytes.substr(0, 2), "\xff\xd8");
      if (!png && !jpeg) throw InputError("neither PNG nor JPEG");
      picture.type = png ? "image/png" : "image/jpeg";
      if ((bytes += picture.bytes.size()) > most_bytes) throw InputError("too many pictures");
    } catch (const InputError& error) {
      problems.add(fmt::format("picture {} is white: {}", i, error.what()));
      picture.bytes = white_png(), picture.type = "image/png";
    }
    looks.pictures.push_back(std::move(picture));
  }

  JsonValue textures = JsonValue::array(), samplers = JsonValue::array(),
            materials = JsonValue::array();
  const std::vector<JsonValue>& sampler_list = gltf.list("samplers");
  for (const JsonValue& json : sampler_list) {
    JsonValue s = JsonValue::object();
    for (const char* key : {"magFilter", "minFilter", "wrapS", "wrapT"}) {
      if (json.find(key)) s.add(key, static_cast<double>(gltf.size(json, key, 0)));
    }
    samplers.items.push_back(std::move(s));
  }
  for (const JsonValue& json : gltf.list("textures")) {
    JsonValue t = JsonValue::object();
    gltf.expect_object(json);
    const auto source = gltf.index(json, "source", images.size());
    if (images.empty()) {
      looks.pictures.resize(1);
      looks.pictures[0] = {"", "image/png", white_png()};
    }
    t.add("source", static_cast<double>(source.value_or(0)));
    const auto sampler = gltf.index(json, "sampler", sampler_list.size());
    if (sampler) t.add("sampler", static_cast<double>(*sampler));
    textures.items.push_back(std::move(t));
  }
  for (const JsonValue& json : gltf.list("materials")) {
    gltf.expect_object(json);
    materials.items.push_back(carried(json, textures.items.size(), looks.extensions));
  }
  looks.material_count = static_cast<int>(materials.items.size());
  if (!materials.items.empty()) looks.materials = pretty_text(materials);
  if (!textures.items.empty()) looks.textures = pretty_text(textures);
  if (!samplers.items.empty()) looks.samplers = pretty_text(samplers);
  return looks;
}

}  // namespace molejo
