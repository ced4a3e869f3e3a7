// molejo gallery: every scene of a folder, simulated and shown on one page.
#include "molejo/io/gallery.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "apps/cli/command.h"
#include "apps/cli/outputs.h"
#include "apps/cli/run.h"
#include "molejo/io/file.h"
#include "molejo/io/load.h"
#include "molejo/model/error.h"

namespace molejo::cli {

namespace {

namespace fs = std::filesystem;

// All scenes below the folder, by name; those of the folder itself come first. Names like
// walk.net.json and run.gait.json are of other kinds of files.
std::vector<fs::path> find_scenes(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw InputError(folder + ": no such folder");
  const std::vector<std::string> endings{".json", ".cfg", ".dat", ".urdf", ".xml"};
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const bool known =
        std::find(endings.begin(), endings.end(), ending(entry.path().string())) != endings.end();
    const bool scene = known && !entry.path().stem().has_extension();
    if (scene && entry.is_regular_file()) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
    const auto depth = [](const fs::path& p) { return std::distance(p.begin(), p.end()); };
    return depth(a) != depth(b) ? depth(a) < depth(b) : a < b;
  });
  if (found.empty()) throw InputError(folder + ": holds no scene (.json, .cfg, .dat, .urdf, .xml)");
  return found;
}

// "bacin-e1" for bacin/e1/e1.cfg: the way from the folder, without repeating itself.
std::string base_name(const fs::path& scene, const std::string& folder) {
  fs::path way = fs::relative(scene, folder);
  way.replace_extension();
  std::string base, last;
  for (const fs::path& part : way) {
    if (part == last) continue;
    last = part.string();
    base += (base.empty() ? "" : "-") + last;
  }
  return base;
}

struct Entry {
  std::string card;
  bool stopped_early = false;
};

Entry add_scene(const fs::path& file, const std::string& base, const std::string& out) {
  const Scene scene = load_scene(file.string());
  const Built built = build_loaded(scene, file.string());
  const Recording recording = run(built, scene.settings);
  const std::string target = (fs::path(out) / base).string();
  for (const char* kind : {".glb", ".csv", ".svg"}) {
    write_output(target + kind, scene, built.model, recording);
  }
  const Summary& s = recording.summary;
  fmt::print("  {:<20} {:>5.4g} s in {:>6} steps, {:>6.3f} s, energy drift {:.1e}", base,
             s.duration, s.steps, s.wall_seconds, s.energy_drift);
  if (!scene.warnings.empty()) {
    fmt::print(", warnings: {} (molejo check {})", scene.warnings.size(), file.string());
  }
  fmt::print("{}\n", s.failure.empty() ? "" : ", stopped early: " + s.failure);
  return {gallery_card(scene, built.model, recording, base), !s.failure.empty()};
}

}  // namespace

int gallery(const GalleryOptions& options) {
  const std::vector<fs::path> scenes = find_scenes(options.scenes);
  std::error_code error;
  fs::create_directories(options.out, error);
  const std::string page = (fs::path(options.out) / "index.html").string();
  check_output(page, {".html"}, options.scenes);

  // one bad scene must not hide the others
  int code = success;
  std::vector<std::string> cards;
  std::vector<std::string> bases;
  for (const fs::path& file : scenes) {
    std::string base = base_name(file, options.scenes);
    if (std::find(bases.begin(), bases.end(), base) != bases.end()) {
      base += "-" + ending(file.string()).substr(1);
    }
    bases.push_back(base);
    try {
      const Entry entry = add_scene(file, base, options.out);
      cards.push_back(entry.card);
      if (entry.stopped_early) code = std::max<int>(code, numeric_failure);
    } catch (const InputError& problem) {
      fmt::print(stderr, "molejo: {}\n", problem.what());
      code = bad_input;
    }
  }
  write_file(page, gallery_page(cards));
  fmt::print("{} scenes, each as .glb, .csv and .svg in {}. Look at them all in\n  file://{}\n",
             cards.size(), options.out, fs::absolute(page).lexically_normal().string());
  return code;
}

}  // namespace molejo::cli
