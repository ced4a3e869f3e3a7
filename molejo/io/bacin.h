// The files of Bacin's simulator (thesis 1999, appendix A): .cfg .bds .shp .ste .ctr .for in,
// .sur and one .ste per frame out. What the thesis leaves open is settled in docs/bacin.md.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "molejo/io/file_scope.h"
#include "molejo/model/recording.h"
#include "molejo/model/scene.h"

namespace molejo {

class FileSet;

// Reads scene.cfg and the files beside it that share its base name. Errors name file and line.
Scene read_bacin(const SourceFile& cfg);

// The same from any store of files: gives the text of "base.cfg", "base.bds", "bar.shp", ... or
// nothing when there is no such file.
using BacinSource = std::function<std::optional<std::string>(const std::string& file)>;
Scene parse_bacin(const BacinSource& source, const std::string& base);

// Writes base.cfg, .bds, .shp, .ste, .ctr, .for. What the format cannot say is added to
// `warnings`, one sentence each.
void write_bacin(const Scene& scene, const std::string& base, std::vector<std::string>& warnings);

// Adds base.sur and base0.ste, base1.ste, ...: world positions and velocities of all vertices.
// A frame lasts until the next one, so the state at the very end of the run has no file of its own.
void add_bacin_frames(const Model& model, const Recording& recording, const std::string& base,
                      FileSet& files);

}  // namespace molejo
