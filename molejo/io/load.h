// Any scene that Molejo can read, by the ending and content of the file:
// .json native, .cfg Bacin, .urdf URDF, .xml MJCF or URDF by its root element.
#pragma once

#include <string>

#include "molejo/model/scene.h"

namespace molejo {

Scene load_scene(const std::string& path);

}  // namespace molejo
