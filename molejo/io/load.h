// Any scene that Molejo can read, by the ending and content of the file:
// .json native, .cfg Bacin, .dat and .ani ANIMADO, .urdf URDF, .xml MJCF or URDF by its root
// element.
#pragma once

#include <string>

#include "molejo/io/file_scope.h"
#include "molejo/model/build.h"
#include "molejo/model/scene.h"

namespace molejo {

Scene load_scene(const SourceFile& file);

// The scene built, with the name of its file before the message of an error.
Built build_loaded(const Scene& scene, const std::string& path);

}  // namespace molejo
