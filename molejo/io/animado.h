// ANIMADO's scripts (thesis, about 1993): INCLUDE path, ACTOR name, FILE path, `name expression`, #
// comments. docs/animado.md tells the format and what the thesis leaves open.
//
//   PLANETAS.DAT:  INCLUDE mercury.act         mercury.act:  ACTOR Mercury
//                  time_end 25                               m 0.239
//                  time_step 1/24                            Fx -(F/R)*sx
//
// y is up. Names of an actor are its own, others are for all; their order does not matter.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "molejo/io/file_scope.h"
#include "molejo/model/recording.h"
#include "molejo/model/scene.h"

namespace molejo {

class FileSet;

// A script and what it includes, relative to the file that does. Errors name file and line, and
// quote the script itself alone.
Scene read_animado(const SourceFile& file);

// The same from any store of files: gives a text, or nothing when there is no such file.
using AnimadoSource = std::function<std::optional<std::string>(const std::string& file)>;
Scene parse_animado(const AnimadoSource& source, const std::string& file);

// A line per frame, 17 digits: t sx sy sz fix fiy fiz vx vy vz wx wy wz. With `legacy_angles` the
// angles are the initial ones plus the integrals of wx, wy and wz (of order 4 in the time between
// frames); else those of the rotation x -> y -> z.
std::string body_table(const Model& model, const Recording& recording, BodyId body,
                       bool legacy_angles);

// Does a file of this name lie in whatever folder is chosen?
bool is_table_name(const std::string& file);
// All of scene.tables, into a folder that exists.
void add_tables(const Scene& scene, const Model& model, const Recording& recording,
                const std::string& folder, FileSet& files);

// A path from such a table: 7 numbers a line (t, position, angles), or 13 with velocities; an empty
// line or a # comment is skipped. `file` is named in errors, which quote nothing.
MotionPath parse_motion_table(const std::string& text, const std::string& file);

}  // namespace molejo
