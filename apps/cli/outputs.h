// Where a command writes: checked before any work is done, so that a long run does not end in a
// misspelt folder.
#pragma once

#include <string>
#include <vector>

#include "molejo/io/contacts.h"
#include "molejo/io/staged_file.h"
#include "molejo/model/recording.h"

namespace molejo {
struct Scene;
}

namespace molejo::cli {

// ".glb" of "a/b.GLB": lower case, empty when there is none.
std::string ending(const std::string& path);

// Throws InputError when the ending is not one of `endings`, the folder is missing or not writable,
// the target is a folder, or it is the file `input` itself.
void check_output(const std::string& path, const std::vector<std::string>& endings,
                  const std::string& input);

// The endings that add_output knows.
const std::vector<std::string>& recording_endings();

// Adds a recording in the form that the ending names; .sur means Bacin's frames.
void add_output(const std::string& path, const Scene& scene, const Model& model,
                const Recording& recording, const ForceArrows& arrows, FileSet& files);

}  // namespace molejo::cli
