// What is open in the studio: a timeline that is played, and what the page may do with it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "molejo/live/playback.h"
#include "molejo/studio/catalog.h"
#include "molejo/studio/workspace.h"

namespace molejo {

class Trainings;

// Of motion that has no rate of its own, a second.
inline constexpr double shown_fps = 60;

// A file to be made from a range of what was shown. `make` may be called by another thread, and
// tells how far it is from 0 to 1; it owns all that it needs. Throws InputError.
struct Export {
  std::string name;  // of the file
  std::function<std::string(const std::function<void(double)>& tell)> make;
  std::size_t bytes = 0;  // that it holds until it is made
};

class Bench {
 public:
  virtual ~Bench() = default;
  virtual FileKind kind() const = 0;
  virtual Playback& playback() = 0;
  // What can be exported: "glb", "csv", ...
  virtual std::vector<std::string> exports() const = 0;
  // One of these; times in s. Throws InputError.
  virtual Export prepare_export(const std::string& what, double from, double to) const = 0;
  // The command line that does what is shown.
  virtual std::string command_line() const = 0;
};

// What a bench is made with.
struct BenchOptions {
  std::string name;  // of the file, as clients call it
  SourceFile file;   // with what it may name
  std::string path;  // where it lies
  Playback::Outputs outputs;
  HistoryLimits history;
  RunBudget budget;
  Workspace* workspace = nullptr;   // outlives the bench
  std::function<void()> wake = {};  // asks for a tick; any thread
  Trainings* trainings = nullptr;   // outlives the bench
};

// Opens a file of any kind. Throws InputError.
std::unique_ptr<Bench> open_bench(FileKind kind, BenchOptions options);

// Throws InputError for what is not one of its exports.
void check_export(const Bench& bench, const std::string& what);
// The name of a file without folder and endings.
std::string stem_of(const std::string& name);
// A word of a shell command, quoted where it must be.
std::string shell_word(const std::string& text);
// A number as JSON; one that is not finite, or beyond all bounds, is null.
std::string number_or_null(double x);

}  // namespace molejo
