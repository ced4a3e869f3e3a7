// Orientations, poses and colours of the scene file.
#include <cmath>

#include "molejo/io/scene_elements.h"
#include "molejo/io/scene_keys.h"
#include "molejo/math/units.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr double kept_deviation = 1e-12;    // from a unit quaternion or rotation: kept as given
constexpr double refused_deviation = 1e-3;  // of a matrix from a rotation

// sine and cosine of an angle in degrees, exact at quarter turns
SinCos<double> sincos_deg(double angle_deg) {
  const double r = std::remainder(angle_deg, 360.0);
  if (r == 0) return {0, 1};
  if (r == 90) return {1, 0};
  if (r == -90) return {-1, 0};
  if (r == 180 || r == -180) return {0, -1};
  return sincos(radians(r));
}

Mat3 rotation(const Vec3& axis, const SinCos<double>& sc) {
  const Mat3 K = skew(axis);
  return Mat3::identity() + K * sc.sin + (K * K) * (1 - sc.cos);
}

// largest entry of R R^T - 1
double deviation(const Mat3& R) {
  const Mat3 E = R * transpose(R) - Mat3::identity();
  return std::fmax(max_abs(E.r0), std::fmax(max_abs(E.r1), max_abs(E.r2)));
}

Mat3 read_matrix(const JsonCursor& cursor) {
  const Mat3 R{cursor[0].vec3(), cursor[1].vec3(), cursor[2].vec3()};
  const double off = deviation(R);
  if (!(off < refused_deviation) || determinant(R) < 0) {
    cursor.fail("the rows are not those of a rotation matrix");
  }
  if (off < kept_deviation) return R;
  // few digits were written: the nearest rotation with the same first row
  const Vec3 x = normalized(R.r0), y = normalized(R.r1 - x * dot(x, R.r1));
  return {x, y, cross(x, y)};
}

Mat3 read_euler(const Vec3& turn, bool in_degrees) {
  const auto about = [in_degrees](const Vec3& axis, double angle) {
    return rotation(axis, in_degrees ? sincos_deg(angle) : sincos(angle));
  };
  return tidy(about({0, 0, 1}, turn.z) * about({0, 1, 0}, turn.y) * about({1, 0, 0}, turn.x));
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Color read_hex(const JsonCursor& cursor, const std::string& text) {
  const auto refuse = [&] { cursor.fail("expected \"#rrggbb\" or \"#rrggbbaa\""); };
  if (text.size() != 7 && text.size() != 9) refuse();
  double part[4] = {0, 0, 0, 1};
  for (std::size_t i = 0; 2 * i + 2 < text.size(); ++i) {
    const int high = hex_digit(text[2 * i + 1]), low = hex_digit(text[2 * i + 2]);
    if (high < 0 || low < 0) refuse();
    part[i] = (16 * high + low) / 255.0;
  }
  return {part[0], part[1], part[2], part[3]};
}

}  // namespace

Mat3 rotation_deg(const Vec3& axis, double angle_deg) {
  return rotation(axis, sincos_deg(angle_deg));
}

Mat3 direction_frame(const Vec3& z) { return tidy(frame_from_z(z)); }

Mat3 axes_frame(const Vec3& x, const Vec3& y) {
  const Vec3 square = y - x * dot(x, y);
  // untouched when it is square already, so that neat axes stay neat
  const Vec3 second = square == y ? y : normalized(square);
  return tidy(from_columns(x, second, cross(x, second)));
}

Mat3 tidy(const Mat3& R) {
  const Vec3 zero;  // -0 + 0 = 0
  return {R.r0 + zero, R.r1 + zero, R.r2 + zero};
}

Pose tidy(const Pose& X) { return {tidy(X.R), X.p + Vec3{}}; }

Quat unit_quaternion(double w, double x, double y, double z) {
  const Quat q{w, x, y, z};
  if (std::fabs(squared_norm(q) - 1) < kept_deviation) return q;
  const double largest =
      std::fmax(std::fmax(std::fabs(w), std::fabs(x)), std::fmax(std::fabs(y), std::fabs(z)));
  return normalized(Quat{w / largest, x / largest, y / largest, z / largest});
}

Mat3 read_orientation(const JsonCursor& cursor) {
  if (cursor.is_array() && cursor.size() == 4) {
    const std::vector<double> q = cursor.numbers(4);
    if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0)
      cursor.fail("a quaternion of length zero");
    return tidy(matrix(unit_quaternion(q[0], q[1], q[2], q[3])));
  }
  if (cursor.is_array() && cursor.size() == 3) return read_matrix(cursor);
  if (!cursor.is_object()) {
    cursor.fail(
        "expected [w, x, y, z], three rows, {\"axis\", \"angle_deg\"}, {\"euler_deg\"} or "
        "{\"z\"}");
  }
  cursor.expect_keys(scene_keys(SceneObject::orientation));
  const std::string_view form = cursor.only_one({"axis", "euler", "euler_deg", "z"});
  if (form == "axis") {
    const Vec3 axis = cursor.need("axis").direction();
    const std::string_view angle = cursor.only_one({"angle", "angle_deg"});
    if (angle.empty()) cursor.fail("key 'angle_deg' or 'angle' is missing");
    const double value = cursor.need(angle).number();
    return rotation(axis, angle == "angle" ? sincos(value) : sincos_deg(value));
  }
  if (form.empty()) cursor.fail("expected one of the keys axis, euler, euler_deg, z");
  if (cursor.has("angle") || cursor.has("angle_deg")) cursor.fail("an angle needs an 'axis'");
  if (form == "z") return direction_frame(cursor.need("z").direction());
  return read_euler(cursor.need(form).vec3(), form == "euler_deg");
}

Pose read_pose(const JsonCursor& object) {
  Pose X;
  object.read("position", X.p);
  if (const auto orientation = object.find("orientation")) X.R = read_orientation(*orientation);
  return X;
}

Color read_color(const JsonCursor& cursor, const std::map<std::string, Color>& colors) {
  if (cursor.is_string()) {
    const std::string word = cursor.word();
    if (word.starts_with('#')) return read_hex(cursor, word);
    if (const auto found = colors.find(word); found != colors.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [name, color] : colors) known.push_back(name);
    cursor.fail(unknown_word("color", word, known));
  }
  if (!cursor.is_array() || (cursor.size() != 3 && cursor.size() != 4)) {
    cursor.fail("expected \"#rrggbb\", [r, g, b], [r, g, b, a] or the name of a color");
  }
  double part[4] = {0, 0, 0, 1};
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    part[i] = cursor[i].number();
    if (part[i] < 0 || part[i] > 1) cursor[i].fail("must be from 0 to 1");
  }
  return {part[0], part[1], part[2], part[3]};
}

}  // namespace molejo
