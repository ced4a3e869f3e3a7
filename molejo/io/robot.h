// Robots and characters of other systems: URDF, and the subset of MJCF (MuJoCo) that describes
// bodies, joints, inertias, geoms, defaults, limits, damping, stiffness, motors and keyframes.
//
// What a file has that a scene cannot hold is named in scene.warnings, never silently dropped.
#pragma once

#include <string>
#include <string_view>

#include "molejo/io/file_scope.h"
#include "molejo/model/scene.h"

namespace molejo {

// `file` names the text in errors ("file:line: ..."); meshes are found beside it.
Scene parse_urdf(std::string_view text, const SourceFile& file);
Scene parse_mjcf(std::string_view text, const SourceFile& file);

}  // namespace molejo
