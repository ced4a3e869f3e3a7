// molejo convert: a scene in another format.
#include <fmt/format.h>

#include <filesystem>

#include "apps/cli/command.h"
#include "apps/cli/given.h"
#include "apps/cli/outputs.h"
#include "molejo/io/bacin.h"
#include "molejo/io/file.h"
#include "molejo/io/load.h"
#include "molejo/io/scene.h"
#include "molejo/model/build.h"
#include "molejo/model/scene.h"

namespace molejo::cli {

int convert(const ConvertOptions& options) {
  check_output(options.out, {".json", ".cfg"}, options.in);
  const Scene scene = load_scene(given(options.in));
  build_loaded(scene, options.in);  // what cannot be simulated is not worth converting

  std::vector<std::string> warnings = scene.warnings;
  if (ending(options.out) == ".json") {
    write_file(options.out, scene_text(scene));
  } else {
    const std::string base = std::filesystem::path(options.out).replace_extension().string();
    write_bacin(scene, base, warnings);
  }
  print_warnings(warnings);
  return success;
}

}  // namespace molejo::cli
