#include "apps/cli/watch.h"
#include "apps/cli/given.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "molejo/io/load.h"
#include "molejo/io/scene.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"
#include "molejo/model/scene.h"

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
    while (!was_saved()) {
      check_interrupt();
      std::this_thread::sleep_for(100ms);
    }
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

void tell(const std::string& text) {
  fmt::print(stderr, "molejo: {}\n", text);
  std::fflush(stdout);
}

// What a file says.
struct Saved {
  Scene scene;
  std::shared_ptr<const FormulaSet> formulas;
};

// Nothing after an error was told.
std::optional<Saved> try_to_load(const std::string& path) {
  try {
    Scene scene = load_scene(given(path));
    const auto formulas = build_loaded(scene, path).formulas;
    return Saved{std::move(scene), formulas};
  } catch (const InputError& error) {
    tell(error.what());
    return {};
  }
}

// Takes the formulas of `now`, and the values of variables where the file says others than
// `before`: what --set gave stays.
void go_on(Run& run, const FormulaSet& before, const std::shared_ptr<const FormulaSet>& now) {
  run.set_formulas(now);
  for (const FormulaSet::Variable& v : now->variables) {
    const bool same =
        std::any_of(before.variables.begin(), before.variables.end(),
                    [&](const auto& old) { return old.name == v.name && old.value == v.value; });
    if (!same) run.set_variable(v.name, v.value);
  }
  tell(fmt::format("goes on with the new formulas at t = {:.3g} s", run.state().t));
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
  std::optional<Saved> current = try_to_load(options.scene);
  while (true) {
    std::optional<Saved> next;
    const auto between = [&](Run& run) {
      if (!file.was_saved()) return true;
      std::optional<Saved> saved = try_to_load(options.scene);
      if (!saved) return true;
      if (!differ_in_formulas_only(current->scene, saved->scene)) {
        next = std::move(saved);
        return false;
      }
      try {
        if (current->formulas && saved->formulas) go_on(run, *current->formulas, saved->formulas);
        current = std::move(saved);
      } catch (const InputError& error) {
        tell(error.what());
      }
      return true;
    };
    if (current) {
      try {
        simulate_scene(options, current->scene, between);
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
    current = std::move(next);
  }
}

}  // namespace molejo::cli
