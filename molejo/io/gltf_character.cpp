// Characters from glTF: which nodes are joints, what hangs on them, and how skins bind to them.
#include "molejo/io/gltf_character.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "molejo/io/character_file.h"
#include "molejo/io/unique_names.h"
#include "molejo/math/index.h"
#include "molejo/model/error.h"

namespace molejo {

using motion::Affine;
using motion::Transform;

std::vector<std::string> Problems::lines() const {
  constexpr std::size_t most = 40;
  std::vector<std::string> result;
  for (const std::string& sentence : order_) {
    if (result.size() == most) {
      result.push_back(fmt::format("and {} more problems", order_.size() - most));
      break;
    }
    const int n = count_.at(sentence);
    result.push_back(n == 1 ? sentence : fmt::format("{} ({} times)", sentence, n));
  }
  return result;
}

std::string clean_name(std::string name) {
  constexpr std::size_t longest = 200;
  if (name.size() > longest) {
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0u) == 0x80u) --end;
    name.resize(end);
  }
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = '_';
  }
  return name;
}

namespace {

struct GltfNode {
  std::string name;
  Transform local;
  std::vector<int> children;
  int parent = -1, mesh = -1, skin = -1, joint = -1;
  bool drawn = false;    // below the scene that is shown
  bool moved = false;    // a joint of a skin, animated, or above one of these
  bool visited = false;  // reached from a root
};

class CharacterReader {
 public:
  explicit CharacterReader(Gltf& gltf) : gltf_(gltf) {}

  motion::Character read() {
    read_nodes();
    read_tree();
    mark_joints();
    make_skeleton();
    read_skins();
    read_meshes();
    result_.clips = motion_clips();
    name_scene();
    result_.problems = problems_.lines();
    return std::move(result_);
  }

 private:
  void read_nodes() {
    const std::vector<JsonValue>& nodes = gltf_.list("nodes");
    if (nodes.empty()) gltf_.fail(gltf_.root(), "there are no nodes");
    for (const JsonValue& json : nodes) {
      gltf_.expect_object(json);
      GltfNode node;
      node.name = clean_name(gltf_.text(json, "name"));
      node.local = local_transform(json);
      for (const JsonValue& child : gltf_.list(json, "children")) {
        node.children.push_back(gltf_.as_index(child, nodes.size()));
      }
      node.mesh = gltf_.index(json, "mesh", gltf_.list("meshes").size()).value_or(-1);
      node.skin = gltf_.index(json, "skin", gltf_.list("skins").size()).value_or(-1);
      nodes_.push_back(std::move(node));
    }
  }

  Transform local_transform(const JsonValue& json) {
    Transform t;
    if (const auto m = gltf_.numbers(json, "matrix", 16)) {
      // column by column
      const std::vector<double>& v = *m;
      const Affine a{
          from_columns(Vec3{v[0], v[1], v[2]}, Vec3{v[4], v[5], v[6]}, Vec3{v[8], v[9], v[10]}),
          {v[12], v[13], v[14]}};
      t = motion::decomposed(a);
      const Affine back = motion::affine(t);
      double error = 0, size = 0;
      for (int i = 0; i < 3; ++i) {
        error = std::max(error, max_abs(a.linear[i] - back.linear[i]));
        size = std::max(size, max_abs(a.linear[i]));
      }
      if (error > 1e-4 * size) problems_.add("a node's matrix shears: the shear is left out");
      return t;
    }
    if (const auto v = gltf_.numbers(json, "translation", 3))
      t.translation = {(*v)[0], (*v)[1], (*v)[2]};
    if (const auto v = gltf_.numbers(json, "scale", 3)) t.scale = {(*v)[0], (*v)[1], (*v)[2]};
    if (const auto v = gltf_.numbers(json, "rotation", 4)) {
      const Quat q{(*v)[3], (*v)[0], (*v)[1], (*v)[2]};
      t.rotation = motion::safe_unit(q);
      const double n = std::sqrt(squared_norm(q));
      if (!(n > 1e-30)) {
        problems_.add("a node's rotation has length zero: taken as none");
      } else if (std::fabs(n - 1) > 1e-3) {
        problems_.add("a node's rotation is not of unit length: normalised");
      }
    }
    return t;
  }

  // Every node has one parent and is reached from a root.
  void read_tree() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (const int child : nodes_[i].children) {
        GltfNode& c = nodes_[at(child)];
        if (c.parent >= 0 || at(child) == i) {
          gltf_.fail(gltf_.list("nodes")[i],
                     fmt::format("its child {} is {}", child,
                                 at(child) == i ? std::string("itself")
                                                : fmt::format("a child of node {} too", c.parent)));
        }
        c.parent = static_cast<int>(i);
      }
    }
    std::vector<int> roots;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].parent < 0) roots.push_back(static_cast<int>(i));
    }
    order_ = preorder(roots);
    if (order_.size() < nodes_.size()) {
      for (const int i : order_) nodes_[at(i)].visited = true;
      const auto lost = std::find_if(nodes_.begin(), nodes_.end(),
                                     [](const GltfNode& node) { return !node.visited; });
      gltf_.fail(gltf_.list("nodes")[static_cast<std::size_t>(lost - nodes_.begin())],
                 "this node is above itself: the nodes form a circle");
    }
    mark_drawn(roots);
  }

  std::vector<int> preorder(const std::vector<int>& roots) const {
    std::vector<int> order, stack(roots.rbegin(), roots.rend());
    while (!stack.empty()) {
      const int i = stack.back();
      stack.pop_back();
      order.push_back(i);
      const std::vector<int>& children = nodes_[at(i)].children;
      stack.insert(stack.end(), children.rbegin(), children.rend());
    }
    return order;
  }

  void mark_drawn(const std::vector<int>& roots) {
    const std::vector<JsonValue>& scenes = gltf_.list("scenes");
    std::vector<int> shown;
    if (!scenes.empty()) {
      const int scene = gltf_.index(gltf_.root(), "scene", scenes.size()).value_or(0);
      gltf_.expect_object(scenes[at(scene)]);
      scene_name_ = clean_name(gltf_.text(scenes[at(scene)], "name"));
      for (const JsonValue& node : gltf_.list(scenes[at(scene)], "nodes")) {
        shown.push_back(gltf_.as_index(node, nodes_.size()));
      }
    }
    std::sort(shown.begin(), shown.end());
    if (std::unique(shown.begin(), shown.end()) != shown.end()) {
      problems_.add("a scene lists a node twice");
      shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
    }
    if (shown.empty()) {
      problems_.add("no scene with nodes: all nodes are taken");
      shown = roots;
    }
    for (const int i : shown) nodes_[at(i)].drawn = true;
    for (const int i : order_) {
      const int parent = nodes_[at(i)].parent;
      if (parent >= 0 && nodes_[at(parent)].drawn) nodes_[at(i)].drawn = true;
    }
  }

  // Joints are what skins, animations and extras name, all above these, and bare nodes below them.
  void mark_joints() {
    bool any = false;
    const auto mark_above = [&](int i) {
      any = true;
      for (; i >= 0 && !nodes_[at(i)].moved; i = nodes_[at(i)].parent) nodes_[at(i)].moved = true;
    };
    const auto mark = [&](const JsonValue& value) {
      mark_above(gltf_.as_index(value, nodes_.size()));
    };
    // what we write tells of joints that nothing names
    const std::vector<JsonValue>& list = gltf_.list("nodes");
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const JsonValue* extras = list[i].find("extras");
      const JsonValue* joint = extras ? extras->find("joint") : nullptr;
      if (joint && joint->boolean) mark_above(static_cast<int>(i));
    }
    for (const JsonValue& skin : gltf_.list("skins")) {
      gltf_.expect_object(skin);
      for (const JsonValue& joint : gltf_.list(skin, "joints")) mark(joint);
    }
    for (const JsonValue& animation : gltf_.list("animations")) {
      gltf_.expect_object(animation);
      for (const JsonValue& channel : gltf_.list(animation, "channels")) {
        gltf_.expect_object(channel);
        const JsonValue* target = channel.find("target");
        const JsonValue* node = target ? target->find("node") : nullptr;
        if (node && gltf_.text(*target, "path") != "weights") mark(*node);
      }
    }
    for (const int i : order_) {
      GltfNode& node = nodes_[at(i)];
      const bool below = node.parent >= 0 && nodes_[at(node.parent)].moved;
      if (!any || (!node.moved && node.mesh < 0 && below)) node.moved = true;
    }
    if (!any) problems_.add("no skin and no animation: every node is a joint");
  }

  void make_skeleton() {
    UniqueNames names;
    int unnamed = 0, doubles = 0;
    for (const int i : order_) {
      GltfNode& node = nodes_[at(i)];
      if (!node.moved) continue;
      node.joint = result_.skeleton.size();
      motion::SkeletonJoint joint;
      joint.parent = node.parent < 0 ? -1 : nodes_[at(node.parent)].joint;
      joint.rest = node.local;
      joint.name = node.name;
      if (joint.name.empty()) ++unnamed, joint.name = fmt::format("joint_{}", i);
      const std::string base = joint.name;
      joint.name = names.add(base, [&](int k) { return fmt::format("{}_{}", base, k); });
      if (joint.name != base) ++doubles;
      result_.skeleton.joints.push_back(std::move(joint));
    }
    if (result_.skeleton.joints.empty()) gltf_.fail(gltf_.root(), "there is no joint");
    if (unnamed > 0) problems_.add(fmt::format("{} joints without a name: named joint_N", unnamed));
    if (doubles > 0)
      problems_.add(fmt::format("{} joints with the name of another: numbered", doubles));
  }

  void read_skins() {
    for (const JsonValue& json : gltf_.list("skins")) {
      motion::Skin skin;
      skin.name = clean_name(gltf_.text(json, "name"));
      std::set<int> seen;
      const std::vector<JsonValue>& joints = gltf_.list(json, "joints");
      if (joints.empty()) problems_.add("a skin without joints");
      for (const JsonValue& joint : joints) {
        skin.joints.push_back(nodes_[at(gltf_.as_index(joint, nodes_.size()))].joint);
        if (!seen.insert(skin.joints.back()).second) problems_.add("a skin names a joint twice");
      }
      skin.inverse_binds = inverse_binds(json, skin.joints.size());
      result_.skins.push_back(std::move(skin));
    }
  }

  std::vector<Affine> inverse_binds(const JsonValue& skin, std::size_t count) {
    std::vector<Affine> result(count);
    try {
      const auto accessor =
          gltf_.index(skin, "inverseBindMatrices", gltf_.list("accessors").size());
      if (!accessor) {
        problems_.add("a skin without inverse bind matrices: taken as identities");
        return result;
      }
      const Gltf::Numbers n = gltf_.accessor(*accessor, 16);
      if (n.count < count) problems_.add("a skin with too few inverse bind matrices");
      bool bad = false;
      for (std::size_t i = 0; i < std::min(count, n.count); ++i) {
        const double* v = n.values.data() + 16 * i;
        const Affine a{
            from_columns(Vec3{v[0], v[1], v[2]}, Vec3{v[4], v[5], v[6]}, Vec3{v[8], v[9], v[10]}),
            {v[12], v[13], v[14]}};
        const bool fine = std::all_of(v, v + 16, [](double x) { return std::fabs(x) < 1e30; });
        if (fine) result[i] = a;
        bad = bad || !fine || !motion::is_regular(a);
      }
      if (bad) problems_.add("a skin with inverse bind matrices that have no inverse");
    } catch (const InputError& error) {
      problems_.add(fmt::format("inverse binds taken as identities: {}", error.what()));
    }
    return result;
  }

  // Nodes between a joint and a mesh never move: one transform stands for all of them.
  void read_meshes() {
    result_.looks = read_looks(gltf_, problems_);
    std::map<int, int> mesh_of;
    std::vector<Affine> X(nodes_.size());
    std::vector<int> hung(nodes_.size(), -1);
    for (const int i : order_) {
      const GltfNode& node = nodes_[at(i)];
      if (node.joint >= 0) {
        hung[at(i)] = node.joint;
      } else {
        const bool root = node.parent < 0;
        hung[at(i)] = root ? -1 : hung[at(node.parent)];
        X[at(i)] = (root ? Affine{} : X[at(node.parent)]) * motion::affine(node.local);
      }
      if (node.mesh < 0 || !node.drawn) continue;
      const auto [known, is_new] =
          mesh_of.try_emplace(node.mesh, static_cast<int>(result_.meshes.size()));
      if (is_new) {
        result_.meshes.push_back(read_mesh(gltf_, gltf_.list("meshes")[at(node.mesh)], node.mesh,
                                           result_.looks.material_count, problems_));
      }
      attach(node, known->second, hung[at(i)], X[at(i)]);
    }
    drop_unused_joints();
  }

  void attach(const GltfNode& node, int mesh, int joint, const Affine& X_JA) {
    motion::CharacterMesh& m = result_.meshes[at(mesh)];
    if (m.primitives.empty()) return;
    motion::Attachment a;
    a.name = node.name, a.joint = joint, a.X_JA = X_JA, a.mesh = mesh;
    const bool bound =
        std::all_of(m.primitives.begin(), m.primitives.end(),
                    [](const motion::MeshPrimitive& p) { return !p.joints.empty(); });
    if (node.skin >= 0 && bound && !result_.skins[at(node.skin)].joints.empty()) {
      a.skin = node.skin;
      for (motion::MeshPrimitive& p : m.primitives) {
        mend_weights(p, result_.skins[at(node.skin)].joints.size(), problems_);
      }
    } else if (node.skin >= 0) {
      problems_.add("a mesh with a skin but without weights: moved as a rigid thing");
    }
    result_.attachments.push_back(std::move(a));
  }

  void drop_unused_joints() {
    std::vector<bool> skinned(result_.meshes.size());
    for (const motion::Attachment& a : result_.attachments) {
      if (a.skin >= 0) skinned[at(a.mesh)] = true;
    }
    for (std::size_t m = 0; m < result_.meshes.size(); ++m) {
      if (skinned[m]) continue;
      for (motion::MeshPrimitive& p : result_.meshes[m].primitives) {
        p.joints.clear();
        std::erase_if(p.attributes, [](const motion::VertexAttribute& a) {
          return a.name.rfind("WEIGHTS_", 0) == 0;
        });
      }
    }
  }

  std::vector<motion::Clip> motion_clips() {
    std::vector<int> joint_of_node;
    for (const GltfNode& node : nodes_) joint_of_node.push_back(node.joint);
    return read_animations(gltf_, result_.skeleton, joint_of_node, problems_);
  }

  void name_scene() { result_.name = scene_name_; }

  Gltf& gltf_;
  std::vector<GltfNode> nodes_;
  std::vector<int> order_;  // parents first
  std::string scene_name_;
  Problems problems_;
  motion::Character result_;
};

}  // namespace

motion::Character parse_gltf_character(std::string_view bytes, const SourceFile& file) {
  Gltf gltf(bytes, file);
  return CharacterReader(gltf).read();
}

}  // namespace molejo
