#include "apps/cli/watch.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "molejo/io/load.h"
#include "molejo/io/scene.h"
#include "molejo/model/error.h"

namespace molejo::cli {

namespace {

using namespace std::chrono_literals;

// Tells when a file was saved.
class SavedFile {
 public:
  explicit SavedFile(std::string path) : path_(std::move(path)), last_(look()) {}

  // Has it been saved since the last call that said so? Looks five times a second at most.
  bool was_saved() {
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_ < 200ms) return false;
    looked_ = now;
    const Stamp stamp = look();
    if (!stamp || stamp == last_) return false;
    last_ = stamp;
    return true;
  }
  void wait() {
    while (!was_saved()) std::this_thread::sleep_for(100ms);
  }

 private:
  // nothing while the file is being replaced
  using Stamp = std::optional<std::pair<std::filesystem::file_time_type, std::uintmax_t>>;
  Stamp look() const {
    std::error_code error;
    const auto time = std::filesystem::last_write_time(path_, error);
    if (error) return {};
    const std::uintmax_t size = std::filesystem::file_size(path_, error);
    if (error) return {};
    return std::pair(time, size);
  }

  std::string path_;
  Stamp last_;
  std::chrono::steady_clock::time_point looked_{};
};

// The scene, or nothing after its error was told.
std::optional<Scene> try_to_load(const std::string& path) {
  try {
    Scene scene = load_scene(path);
    build_loaded(scene, path);
    return scene;
  } catch (const InputError& error) {
    fmt::print(stderr, "molejo: {}\n", error.what());
    return {};
  }
}

void tell(const std::string& text) {
  fmt::print(stderr, "molejo: {}\n", text);
  std::fflush(stdout);
}

}  // namespace

bool differ_in_formulas_only(Scene a, Scene b) {
  const auto blank = [](Scene& scene) {
    const auto clear = [](std::vector<SceneFormula>& list) {
      if (!list.empty()) list = {{"[0, 0, 0]", "", ""}};
    };
    for (SceneForce& f : scene.forces) clear(f.force_formulas), clear(f.torque_formulas);
    for (SceneDefinition& d : scene.definitions) {
      if (!d.formula.empty()) d.formula.text = "0";
      if (d.value) d.value = 0;
    }
    for (SceneJoint& joint : scene.joints) {
      for (MotorFormulas& m : joint.motor_formulas) {
        for (SceneFormula* f : {&m.target, &m.target_velocity, &m.force}) {
          if (!f->empty()) f->text = "0";
        }
      }
    }
    return scene_text(scene);
  };
  return blank(a) == blank(b);
}

int watch(const SimulateOptions& options) {
  SavedFile file(options.scene);
  std::optional<Scene> scene = try_to_load(options.scene);
  while (true) {
    std::optional<Scene> next;
    if (scene) {
      const auto between = [&](Run& run) {
        if (!file.was_saved()) return true;
        std::optional<Scene> saved = try_to_load(options.scene);
        if (!saved) return true;
        if (!differ_in_formulas_only(*scene, *saved)) {
          next = std::move(saved);
          return false;
        }
        try {
          if (const auto formulas = build(*saved).formulas) {
            run.set_formulas(formulas);
            for (const FormulaSet::Variable& v : formulas->variables) {
              run.set_variable(v.name, v.value);
            }
          }
          scene = std::move(saved);
          tell(fmt::format("goes on with the new formulas at t = {:.3g} s", run.state().t));
        } catch (const InputError& error) {
          tell(error.what());
        }
        return true;
      };
      try {
        simulate_scene(options, *scene, between);
      } catch (const InputError& error) {
        tell(error.what());
      }
    }
    if (!next) {
      tell(fmt::format("waits for {} to be saved", options.scene));
      file.wait();
      next = try_to_load(options.scene);
    } else {
      tell("begins again");
    }
    scene = std::move(next);
  }
}

}  // namespace molejo::cli
