#include "molejo/io/obj.h"

#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <unordered_map>

#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

// One line, word by word.
class Line {
 public:
  Line(std::string_view text, const std::string& file, int number)
      : rest_(text), file_(file), number_(number) {}

  std::string_view word() {
    const std::size_t from = rest_.find_first_not_of(" \t\r");
    if (from == std::string_view::npos || rest_[from] == '#') return rest_ = {};
    rest_.remove_prefix(from);
    const std::size_t end = std::min(rest_.find_first_of(" \t\r"), rest_.size());
    const std::string_view result = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return result;
  }

  [[noreturn]] void refuse(const std::string& message) const {
    throw InputError(file_ + ":" + std::to_string(number_) + ": " + message);
  }

 private:
  std::string_view rest_;
  const std::string& file_;
  int number_;
};

double coordinate(Line& line) {
  const std::string_view word = line.word();
  // only what a number is made of, so that "nan", "inf" and hexadecimals are refused
  if (word.empty() || word.size() > 400 ||
      word.find_first_not_of("+-.0123456789eE") != std::string_view::npos) {
    line.refuse("expected a coordinate");
  }
  std::istringstream in{std::string(word)};
  in.imbue(std::locale::classic());
  double value = 0;
  in >> value;
  if (in.fail() || in.peek() != std::istringstream::traits_type::eof()) {
    line.refuse("expected a coordinate");
  }
  if (!std::isfinite(value)) line.refuse("expected a finite number");
  return value;
}

// "12", "12/3", "12/3/4", "12//4", "-1"
int vertex_index(const Line& line, std::string_view word, std::size_t vertices) {
  const std::string_view first = word.substr(0, word.find('/'));
  const bool negative = first.starts_with('-');
  const std::string_view digits = first.substr(negative ? 1 : 0);
  constexpr std::size_t longest = 9;
  if (digits.empty() || digits.size() > longest ||
      digits.find_first_not_of("0123456789") != std::string_view::npos) {
    line.refuse("expected the index of a vertex");
  }
  int index = 0;
  for (const char c : digits) index = 10 * index + (c - '0');
  const int count = static_cast<int>(vertices);
  const int from_zero = negative ? count - index : index - 1;
  if (index == 0 || from_zero < 0 || from_zero >= count) {
    line.refuse("an index that is none of the " + std::to_string(count) + " vertices so far");
  }
  return from_zero;
}

// The objects or the groups of a file, and which of them the next face belongs to.
class Parts {
 public:
  explicit Parts(std::vector<ObjPart>& parts) : parts_(parts) {}

  void begin(std::vector<std::string> names) { current_ = std::move(names); }

  void add(const Line& line, const std::vector<int>& corners) {
    for (const std::string& name : current_) {
      const auto [at, is_new] = index_.try_emplace(name, parts_.size());
      if (is_new && parts_.size() == max_obj_parts) {
        line.refuse("more than " + std::to_string(max_obj_parts) + " objects or groups");
      }
      if (is_new) parts_.push_back({name, {}});
      corners_ += corners.size();
      if (corners_ > max_obj_part_corners) {
        line.refuse("objects or groups with more than " + std::to_string(max_obj_part_corners) +
                    " corners of faces");
      }
      std::vector<int>& all = parts_[at->second].vertices;
      all.insert(all.end(), corners.begin(), corners.end());
    }
  }

 private:
  std::vector<ObjPart>& parts_;
  std::vector<std::string> current_;
  std::unordered_map<std::string, std::size_t> index_;
  std::size_t corners_ = 0;
};

std::vector<std::string> words(Line& line) {
  std::vector<std::string> all;
  for (std::string_view word = line.word(); !word.empty(); word = line.word()) {
    all.emplace_back(word);
  }
  return all;
}

// "o left foot" is one name
std::vector<std::string> one_name(Line& line) {
  std::string name;
  for (const std::string& word : words(line)) name += (name.empty() ? "" : " ") + word;
  if (name.empty()) return {};
  return {name};
}

std::vector<int> read_face(Line& line, ObjMesh& mesh) {
  std::vector<int> corners;
  for (std::string_view word = line.word(); !word.empty(); word = line.word()) {
    corners.push_back(vertex_index(line, word, mesh.vertices.size()));
  }
  if (corners.size() < 3) line.refuse("a face needs at least three vertices");
  for (std::size_t i = 2; i < corners.size(); ++i) {
    if (mesh.triangles.size() == max_obj_triangles) {
      line.refuse("more than " + std::to_string(max_obj_triangles) + " triangles");
    }
    mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
  }
  return corners;
}

}  // namespace

ObjMesh parse_obj(std::string_view text, const std::string& file) {
  ObjMesh mesh;
  Parts objects(mesh.objects), groups(mesh.groups);
  int number = 0;
  while (!text.empty()) {
    check_interrupt();
    const std::size_t end = std::min(text.find('\n'), text.size());
    Line line(text.substr(0, end), file, ++number);
    text.remove_prefix(std::min(end + 1, text.size()));

    const std::string_view record = line.word();
    if (record == "v") {
      const double x = coordinate(line), y = coordinate(line), z = coordinate(line);
      if (mesh.vertices.size() == max_obj_vertices) {
        line.refuse("more than " + std::to_string(max_obj_vertices) + " vertices");
      }
      mesh.vertices.push_back({x, y, z});
    } else if (record == "f") {
      const std::vector<int> corners = read_face(line, mesh);
      objects.add(line, corners);
      groups.add(line, corners);
    } else if (record == "o") {
      objects.begin(one_name(line));
    } else if (record == "g") {
      groups.begin(words(line));
    }
  }
  if (mesh.vertices.empty())
    throw InputError(file + ": no vertices ('v x y z'), expected an OBJ file");
  return mesh;
}

ObjMesh read_obj(const SourceFile& file) {
  constexpr std::size_t longest = std::size_t{128} << 20;
  return parse_obj(file.read(longest), file.name());
}

}  // namespace molejo
