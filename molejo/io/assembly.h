// The bodies, joints, springs and forces of a scene, with all instances of its assemblies put in.
//
// An assembly is written once, with parameters; an instance places one or `count` copies of it:
//
//   X_WB = X_WI X_IB        name = "instance.body"        i = 0 ... count - 1
//
// A name inside an assembly is looked up in the instance first, then in what surrounds it. Groups
// of bodies have one name in the whole scene.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "molejo/io/scene_formulas.h"

namespace molejo {

inline constexpr int max_instances = 100'000;
inline constexpr int max_instance_nesting = 32;
inline constexpr std::size_t max_parameters = 256;
inline constexpr std::size_t max_expanded_values = 10'000'000;  // JSON values, with every copy

// Sets the parameters of an object, in order, so that later ones may use earlier ones.
void read_parameters(const JsonCursor& map, Scope& scope);

class SceneExpansion {
 public:
  // `scene_cursor` is the whole file, with its parameters in scope.
  SceneExpansion(const JsonCursor& scene_cursor, Scene& scene);
  // Fills bodies, joints, springs, forces and contact pairs of the scene.
  void run();

 private:
  void read_group(const JsonCursor& group, const Surroundings& around);
  void read_copies(const JsonCursor& instance, const Surroundings& around);
  void read_copy(const JsonCursor& instance, const JsonValue& assembly, const Surroundings& around,
                 int i, int count);
  Scope inner_scope(const JsonCursor& instance, const JsonCursor& assembly, int i, int count) const;
  const JsonValue& find_assembly(const JsonCursor& word);

  void read_contact_pairs(const JsonCursor& group, const Surroundings& around);

  void resolve();
  // Names for the forces that need one, since their work is recorded.
  void name_formula_forces();
  // The body of this name in the instance of the reference or around it; -1 when there is none.
  int find_outwards(const BodyReference& reference) const;
  int find_body(const BodyReference& reference) const;
  std::string body_or_group(const BodyReference& reference) const;
  [[noreturn]] void fail_unknown(const BodyReference& reference, const char* kind,
                                 std::vector<std::string> known) const;
  std::string body_name(const BodyReference& reference) const;
  Pose zero_pose(int body) const;

  JsonCursor top_;
  Scene& scene_;
  BodyReader body_reader_;
  FormulaNotes notes_;
  DefinitionReader definitions_;
  std::vector<PendingJoint> joints_;
  std::vector<PendingSpring> springs_;
  std::vector<PendingForce> forces_;
  std::vector<PendingContactPair> contact_pairs_;
  std::unordered_map<std::string, int> bodies_;
  std::set<std::string> groups_;
  std::unordered_set<std::string> joint_names_, spring_names_, force_names_;
  std::vector<std::string> nesting_;  // assemblies being expanded, outermost first
  std::unordered_map<std::string, std::size_t> assembly_values_;
  int instances_ = 0;
  std::size_t expanded_values_ = 0;
};

}  // namespace molejo
