// Whole files in and out. Reading is bounded; writing never leaves a half-written target.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace molejo {

inline constexpr std::size_t max_input_bytes = std::size_t{256} << 20;
inline constexpr int max_links = 40;  // of a path, as many as the kernel follows

// The content of a file that the user chose, or that we wrote. Files that a file names are read
// through a FileScope. Throws InputError when it is missing, a directory, unreadable or larger than
// `max_bytes`.
std::string read_file(const std::string& path, std::size_t max_bytes = max_input_bytes);

// An earlier file stays whole until the new one is on the disk (staged_file.h). Throws InputError.
void write_file(const std::string& path, std::string_view content);

// ".glb" of "Run.GLB".
std::string lower_case_ending(const std::string& path);

}  // namespace molejo
