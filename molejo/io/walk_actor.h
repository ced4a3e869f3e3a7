// Who walks: a character from a file with a walk and an idle from files, put on its skeleton where
// they were made for another one.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "molejo/director/fallible_walker.h"
#include "molejo/io/file_scope.h"
#include "molejo/motion/character.h"
#include "molejo/navigation/adaptive_walker.h"
#include "molejo/navigation/stage.h"
#include "molejo/navigation/thesis_walker.h"

namespace molejo {

inline constexpr std::size_t max_walk_files = 100;

const char* to_string(navigation::Solver solver);
std::optional<navigation::Solver> parse_solver(std::string_view word);
std::vector<std::string> solver_words();

// A clip in a file. Without a name of a file: of the character itself. Without a clip: the one
// called like what it shall be, else the only one.
struct ClipSource {
  SourceFile file{""};
  std::string clip{};
};

struct WalkSources {
  SourceFile character{""};
  ClipSource walk{};
  std::optional<ClipSource> idle;  // nothing: the character's clip "idle", if it has one
  // What the user says of its joints; `key` tells two such words apart.
  std::function<std::map<motion::Role, int>(const motion::Skeleton&)> roles{};
  std::function<std::vector<navigation::LegChoice>(const motion::Skeleton&)> legs{};
  std::string key{};
};

struct WalkActor {
  std::string name;
  std::shared_ptr<const motion::Character> character;
  std::shared_ptr<const navigation::WalkClips> clips;
  navigation::WalkerStart start;
  navigation::Solver solver = navigation::Solver::adaptive;
  navigation::AdaptiveOptions adaptive;
  navigation::ThesisOptions thesis;
  navigation::Plan plan;
  std::vector<FallEvent> falls;
};

// How a character is had from its file; load_character unless another way is given.
using CharacterLoader = std::function<motion::Character(const SourceFile& file)>;

// Reads each file once, and makes clips ready once for all who share them.
class WalkCast {
 public:
  explicit WalkCast(CharacterLoader loader = {}) : loader_(std::move(loader)) {}
  // Fills character, clips and the scale of the start: metres per unit, guessed from the legs.
  // Throws InputError "file: what is wrong".
  void fill(const WalkSources& sources, WalkActor& actor);

 private:
  using CharacterPtr = std::shared_ptr<const motion::Character>;
  CharacterPtr load(const SourceFile& file);
  // A clip of a file on the skeleton of `target`; nothing where none is called so.
  std::optional<motion::Clip> take(const motion::Character& target, const motion::Roles& roles,
                                   const SourceFile& file, const std::string& name,
                                   const char* purpose);
  std::shared_ptr<const navigation::WalkClips> make_ready(const WalkSources& sources,
                                                          const motion::Character& character);

  CharacterLoader loader_;
  std::map<std::string, CharacterPtr> files_;
  std::map<std::string, std::shared_ptr<const navigation::WalkClips>> clips_;
};

// A clip of a character as another one does it: the same where they have the same skeleton.
motion::Clip clip_onto(const motion::Character& target, const motion::Roles& roles,
                       const motion::Character& source, const std::string& source_file,
                       const motion::Clip& clip);

std::unique_ptr<navigation::Walker> make_walker(const WalkActor& actor,
                                                const navigation::Ground& ground);

}  // namespace molejo
