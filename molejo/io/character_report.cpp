#include "molejo/io/character_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "molejo/math/index.h"
#include "molejo/model/error.h"
#include "molejo/motion/edit.h"
#include "molejo/motion/root_motion.h"
#include "molejo/motion/sampler.h"

namespace molejo {

namespace {

using motion::Evidence;
using motion::Role;
using motion::Roles;

constexpr double degrees_per_radian = 57.29577951308232;

std::vector<std::string> joint_names(const motion::Skeleton& skeleton) {
  std::vector<std::string> names;
  for (const motion::SkeletonJoint& joint : skeleton.joints) names.push_back(joint.name);
  return names;
}

// "+z", or the numbers where it is no axis.
std::string direction(const Vec3& v) {
  const char* names[] = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i) {
    if (std::fabs(v[i]) > 0.999) return fmt::format("{}{}", v[i] > 0 ? '+' : '-', names[i]);
  }
  return fmt::format("({:.2f}, {:.2f}, {:.2f})", v.x, v.y, v.z);
}

struct MeshCounts {
  std::size_t vertices = 0, triangles = 0;
};

MeshCounts mesh_counts(const motion::Character& c, int skin) {
  MeshCounts n;
  for (const motion::Attachment& a : c.attachments) {
    if (a.skin != skin) continue;
    for (const motion::MeshPrimitive& p : c.meshes[at(a.mesh)].primitives) {
      const motion::VertexAttribute* position = p.find("POSITION");
      const std::size_t vertices = position ? position->values.size() / 3 : 0;
      n.vertices += vertices;
      if (p.mode == 4) n.triangles += (p.indices.empty() ? vertices : p.indices.size()) / 3;
    }
  }
  return n;
}

// Legs of most people measure 0.7 to 1 m.
std::string unit_guess(double leg_length) {
  if (leg_length > 20 && leg_length < 300) return "centimetres";
  if (leg_length > 5 && leg_length <= 20) return "feet or an own unit";
  if (leg_length > 0.2 && leg_length <= 3) return "metres";
  return "an own unit";
}

std::string clip_line(const motion::Character& c, const Roles& roles, const motion::Clip& clip) {
  const ClipFacts f = clip_facts(c, roles, clip);
  std::string forms;
  const auto add = [&](int n, const char* word) {
    if (n > 0) forms += fmt::format("{}{} {}", forms.empty() ? "" : ", ", n, word);
  };
  add(f.linear, "linear"), add(f.step, "step"), add(f.cubic_spline, "cubic_spline");
  std::string line = fmt::format("  {}: {:.3f} s", clip.name, clip.duration());
  if (clip.start() != 0) line += fmt::format(" from {:.3f}", clip.start());
  line += fmt::format(", {} keys, {} tracks ({}), {} move", f.keys, f.tracks, forms, f.moving);
  if (f.loop_turn < 2 / degrees_per_radian && f.loop_distance < 0.02) {
    line += fmt::format(", loops within {:.2f} deg", f.loop_turn * degrees_per_radian);
  } else {
    line += fmt::format(", does not loop ({:.0f} deg from end to start)",
                        f.loop_turn * degrees_per_radian);
  }
  if (roles.leg_length > 0 && f.way > 0.1 * roles.leg_length) {
    line += fmt::format(", goes {:.3g} over the ground", f.way);
  } else if (roles[Role::hips] >= 0) {
    line += ", in place";
  }
  return line;
}

JsonValue vector_json(const Vec3& v) {
  JsonValue out = JsonValue::array();
  for (int i = 0; i < 3; ++i) out.items.emplace_back(v[i]);
  return out;
}

JsonValue names_json(const motion::Character& c, const std::vector<int>& joints) {
  JsonValue out = JsonValue::array();
  for (const int j : joints) out.items.emplace_back(c.skeleton[j].name);
  return out;
}

JsonValue texts_json(const std::vector<std::string>& texts) {
  JsonValue out = JsonValue::array();
  for (const std::string& text : texts) out.items.emplace_back(text);
  return out;
}

JsonValue clips_json(const motion::Character& c, const Roles& roles) {
  JsonValue clips = JsonValue::array();
  for (const motion::Clip& clip : c.clips) {
    const ClipFacts f = clip_facts(c, roles, clip);
    JsonValue out = JsonValue::object();
    out.add("name", clip.name);
    out.add("start", clip.start());
    out.add("duration", clip.duration());
    for (const auto& [key, n] : {std::pair{"keys", f.keys},
                                 {"tracks", f.tracks},
                                 {"moving_tracks", f.moving},
                                 {"linear", f.linear},
                                 {"step", f.step},
                                 {"cubic_spline", f.cubic_spline}}) {
      out.add(key, static_cast<double>(n));
    }
    out.add("loop_gap_deg", f.loop_turn * degrees_per_radian);
    out.add("loop_gap_distance", f.loop_distance);
    out.add("way", f.way);
    out.add("turn_deg", f.turn * degrees_per_radian);
    clips.items.push_back(std::move(out));
  }
  return clips;
}

JsonValue roles_json(const motion::Character& c, const Roles& roles) {
  JsonValue out = JsonValue::object();
  for (int r = 0; r < motion::role_count; ++r) {
    const int joint = roles.joints[at(r)];
    if (joint < 0) continue;
    JsonValue role = JsonValue::object();
    role.add("joint", c.skeleton[joint].name);
    role.add("by", std::string(to_string(roles.evidence[at(r)])));
    out.add(to_string(static_cast<Role>(r)), std::move(role));
  }
  return out;
}

}  // namespace

std::pair<Role, int> parse_role_choice(const std::string& text, const motion::Skeleton& skeleton) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw InputError(fmt::format("--role: '{:.60}': expected ROLE=JOINT", text));
  }
  const std::string word = text.substr(0, equals), name = text.substr(equals + 1);
  const std::optional<Role> role = motion::parse_role(word);
  if (!role) throw InputError("--role: " + unknown_word("role", word, motion::role_words()));
  const int joint = name.empty() ? -1 : skeleton.find(name);
  if (!name.empty() && joint < 0) {
    throw InputError("--role: " + unknown_word("joint", name, joint_names(skeleton)));
  }
  return {*role, joint};
}

std::map<Role, int> parse_role_choices(std::string_view text, const std::string& file,
                                       const motion::Skeleton& skeleton) {
  const JsonDocument document = parse_json(text, file);
  const JsonValue* roles = document.root.find("roles");
  if (!roles || !roles->is(JsonValue::Kind::object)) {
    fail(document, document.root, "expected an object with 'roles'");
  }
  std::map<Role, int> result;
  for (std::size_t i = 0; i < roles->keys.size(); ++i) {
    const JsonValue& value = roles->items[i];
    const std::optional<Role> role = motion::parse_role(roles->keys[i]);
    if (!role) fail(document, value, unknown_word("role", roles->keys[i], motion::role_words()));
    if (value.is(JsonValue::Kind::null)) {
      result[*role] = -1;
      continue;
    }
    if (!value.is(JsonValue::Kind::string)) fail(document, value, "expected the name of a joint");
    const int joint = skeleton.find(value.text);
    if (joint < 0) fail(document, value, unknown_word("joint", value.text, joint_names(skeleton)));
    result[*role] = joint;
  }
  return result;
}

ClipFacts clip_facts(const motion::Character& character, const Roles& roles,
                     const motion::Clip& clip) {
  const motion::Skeleton& skeleton = character.skeleton;
  ClipFacts f;
  std::size_t keys = 0;
  for (const motion::Track& track : clip.tracks) {
    keys = std::max(keys, clip.times_of(track).size());
    f.step += track.interpolation == motion::Interpolation::step;
    f.linear += track.interpolation == motion::Interpolation::linear;
    f.cubic_spline += track.interpolation == motion::Interpolation::cubic_spline;
  }
  f.keys = static_cast<int>(keys);
  f.tracks = static_cast<int>(clip.tracks.size());
  f.moving = motion::ClipSampler(skeleton, clip).moving_tracks();
  // how far it goes: the hips at the end against the start
  motion::SkeletonPose first(skeleton), last(skeleton);
  evaluate(clip, skeleton, clip.start(), first);
  evaluate(clip, skeleton, clip.end(), last);
  const int hips = roles[Role::hips];
  if (hips >= 0) {
    const Vec3 up = roles.bearing.up;
    const Vec3 d = model_transforms(skeleton, last)[at(hips)].origin -
                   model_transforms(skeleton, first)[at(hips)].origin;
    f.way = norm(d - up * dot(d, up));
    const Quat q = model_rotations(skeleton, last)[at(hips)] *
                   conjugate(model_rotations(skeleton, first)[at(hips)]);
    f.turn = dot(log_quat(q), up);
  }
  const motion::LoopGap gap = loop_gap(skeleton, clip, hips);
  f.loop_turn = gap.turn;
  // in the unit of the joint's parent; scales above it cancel in the comparison with its own offset
  double size = 0;
  for (const motion::SkeletonJoint& joint : skeleton.joints) {
    size = std::max(size, norm(joint.rest.translation));
  }
  f.loop_distance = size > 0 ? gap.distance / size : 0;
  return f;
}

std::string character_text(const motion::Character& c, const Roles& roles) {
  std::string out;
  const auto line = [&](const std::string& text) { out += text + "\n"; };
  line(fmt::format("{}: {} joints, {} clips, {} skins", c.name.empty() ? "character" : c.name,
                   c.skeleton.size(), c.clips.size(), c.skins.size()));
  line(fmt::format("looks along {}, up is {}, legs of {:.3f} ({})", direction(roles.bearing.front),
                   direction(roles.bearing.up), roles.leg_length, unit_guess(roles.leg_length)));
  line("\nroles");
  for (int r = 0; r < motion::role_count; ++r) {
    const Role role = static_cast<Role>(r);
    const int joint = roles.joints[at(r)];
    const char* how = roles.evidence[at(r)] == Evidence::name    ? "found by name"
                      : roles.evidence[at(r)] == Evidence::shape ? "inferred from the shape"
                      : roles.evidence[at(r)] == Evidence::user  ? "given"
                                                                 : "";
    line(joint < 0 ? fmt::format("  {:16} -", to_string(role))
                   : fmt::format("  {:16} {:28} {}", to_string(role), c.skeleton[joint].name, how));
  }
  if (!c.clips.empty()) line("\nclips");
  for (const motion::Clip& clip : c.clips) line(clip_line(c, roles, clip));
  if (!c.skins.empty()) line("\nskins");
  for (std::size_t i = 0; i < c.skins.size(); ++i) {
    const MeshCounts n = mesh_counts(c, static_cast<int>(i));
    line(fmt::format("  {}: {} joints, {} vertices, {} triangles",
                     c.skins[i].name.empty() ? fmt::format("skin {}", i + 1) : c.skins[i].name,
                     c.skins[i].joints.size(), n.vertices, n.triangles));
  }
  const MeshCounts rigid = mesh_counts(c, -1);
  if (rigid.vertices > 0) line(fmt::format("\n{} triangles hang on joints", rigid.triangles));
  if (!c.problems.empty() || !roles.remarks.empty()) line("\nproblems");
  for (const std::string& problem : c.problems) line("  " + problem);
  for (const std::string& remark : roles.remarks) line("  " + remark);
  return out;
}

JsonValue character_json(const motion::Character& c, const Roles& roles) {
  JsonValue out = JsonValue::object();
  out.add("name", c.name);
  JsonValue joints = JsonValue::array();
  for (const motion::SkeletonJoint& joint : c.skeleton.joints) {
    JsonValue j = JsonValue::object();
    j.add("name", joint.name);
    j.add("parent", joint.parent < 0 ? JsonValue() : JsonValue(c.skeleton[joint.parent].name));
    joints.items.push_back(std::move(j));
  }
  out.add("joints", std::move(joints));
  out.add("roles", roles_json(c, roles));
  out.add("spine", names_json(c, roles.spine));
  out.add("walks", JsonValue::of(roles.walks()));
  out.add("up", vector_json(roles.bearing.up));
  out.add("front", vector_json(roles.bearing.front));
  out.add("leg_length", roles.leg_length);
  out.add("clips", clips_json(c, roles));
  JsonValue skins = JsonValue::array();
  for (std::size_t i = 0; i < c.skins.size(); ++i) {
    const MeshCounts n = mesh_counts(c, static_cast<int>(i));
    JsonValue skin = JsonValue::object();
    skin.add("name", c.skins[i].name);
    skin.add("joints", static_cast<double>(c.skins[i].joints.size()));
    skin.add("vertices", static_cast<double>(n.vertices));
    skin.add("triangles", static_cast<double>(n.triangles));
    skins.items.push_back(std::move(skin));
  }
  out.add("skins", std::move(skins));
  out.add("problems", texts_json(c.problems));
  out.add("remarks", texts_json(roles.remarks));
  return out;
}

}  // namespace molejo
