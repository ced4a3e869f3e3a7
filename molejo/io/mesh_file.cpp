#include "molejo/io/mesh_file.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <vector>

#include "molejo/io/file.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

// The words of a text, line by line.
class WordReader {
 public:
  WordReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  // Fills the words of the next line; false at the end.
  bool next_line(std::vector<std::string_view>& words) {
    words.clear();
    if (at_ >= text_.size()) return false;
    ++line_;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::size_t i = at_;
    while (i < end) {
      while (i < end && is_blank(text_[i])) ++i;
      const std::size_t start = i;
      while (i < end && !is_blank(text_[i])) ++i;
      if (i > start) words.push_back(text_.substr(start, i - start));
    }
    at_ = end + 1;
    return true;
  }

  double number(std::string_view word) const {
    const std::string text(word.substr(0, 64));
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end != text.c_str() + text.size() || word.size() > 64 || !std::isfinite(value)) {
      fail("expected a finite number");
    }
    return value;
  }
  Vec3 vector(const std::vector<std::string_view>& words, std::size_t first) const {
    if (words.size() < first + 3) fail("expected three numbers");
    return {number(words[first]), number(words[first + 1]), number(words[first + 2])};
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(file_ + ":" + std::to_string(line_) + ": " + what);
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 0;
};

void check_size(const TriangleMesh& mesh, const std::string& file) {
  if (mesh.vertices.size() > max_obj_vertices || mesh.triangles.size() > max_obj_triangles) {
    throw InputError(file + ": more than " + std::to_string(max_obj_vertices) + " vertices or " +
                     std::to_string(max_obj_triangles) + " triangles");
  }
}

// Gives equal points one index.
class Corners {
 public:
  explicit Corners(TriangleMesh& mesh) : mesh_(mesh) {}
  int index(const Vec3& p) {
    const auto [found, is_new] =
        index_.try_emplace({p.x, p.y, p.z}, static_cast<int>(mesh_.vertices.size()));
    if (is_new) mesh_.vertices.push_back(p);
    return found->second;
  }

 private:
  TriangleMesh& mesh_;
  std::map<std::array<double, 3>, int> index_;
};

std::uint32_t little_endian(const char* bytes) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

TriangleMesh parse_binary_stl(std::string_view bytes, std::size_t count, const std::string& file) {
  TriangleMesh mesh;
  Corners corners(mesh);
  for (std::size_t t = 0; t < count; ++t) {
    check_interrupt();
    // normal, three corners, two bytes of attributes
    const char* corner = bytes.data() + 84 + 50 * t + 12;
    std::array<int, 3> triangle{};
    for (int& index : triangle) {
      float xyz[3];
      for (float& x : xyz) {
        const std::uint32_t bits = little_endian(corner);
        std::memcpy(&x, &bits, sizeof x);
        corner += 4;
        if (!std::isfinite(x)) {
          throw InputError(file + ": triangle " + std::to_string(t + 1) +
                           ": expected finite numbers");
        }
      }
      index = corners.index({xyz[0], xyz[1], xyz[2]});
    }
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

TriangleMesh parse_ascii_stl(std::string_view text, const std::string& file) {
  TriangleMesh mesh;
  Corners corners(mesh);
  WordReader lines(text, file);
  std::vector<std::string_view> words;
  std::vector<int> loop;
  while (lines.next_line(words)) {
    check_interrupt();
    if (words.empty()) continue;
    if (words[0] == "vertex") {
      loop.push_back(corners.index(lines.vector(words, 1)));
    } else if (words[0] == "endloop") {
      if (loop.size() != 3) lines.fail("endloop: expected three vertices before it");
      mesh.triangles.push_back({loop[0], loop[1], loop[2]});
      loop.clear();
      check_size(mesh, file);
    }
  }
  if (!loop.empty()) lines.fail("the file ends inside a triangle");
  return mesh;
}

}  // namespace

TriangleMesh parse_stl(std::string_view bytes, const std::string& file) {
  TriangleMesh mesh;
  const std::size_t count = bytes.size() >= 84 ? little_endian(bytes.data() + 80) : 0;
  if (bytes.size() >= 84 && bytes.size() == 84 + 50 * count) {
    if (count > max_obj_triangles) {
      throw InputError(file + ": more than " + std::to_string(max_obj_triangles) + " triangles");
    }
    mesh = parse_binary_stl(bytes, count, file);
  } else if (bytes.substr(0, 5) == "solid") {
    mesh = parse_ascii_stl(bytes, file);
  } else {
    throw InputError(file + ": expected STL: \"solid\", or 84 + 50 bytes for each triangle");
  }
  check_size(mesh, file);
  return mesh;
}

TriangleMesh read_mesh(const SourceFile& file) {
  const std::string ending = lower_case_ending(file.name());
  TriangleMesh mesh;
  if (ending == ".obj") {
    mesh = read_obj(file);
  } else if (ending == ".stl") {
    mesh = parse_stl(file.read(max_mesh_bytes), file.name());
  } else {
    throw InputError(file.name() + ": '" + ending +
                     "' meshes cannot be read; expected .obj or .stl");
  }
  if (mesh.triangles.empty()) throw InputError(file.name() + ": the mesh has no triangles");
  return mesh;
}

}  // namespace molejo
