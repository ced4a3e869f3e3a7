#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <locale>
#include <sstream>

#include "molejo/io/animado.h"
#include "molejo/io/animado_script.h"
#include "molejo/io/staged_file.h"
#include "molejo/model/error.h"
#include "molejo/model/kinematics.h"
#include "molejo/model/scene.h"

namespace molejo {

namespace {

struct Row {
  double t = 0;
  Vec3 s, fi, v, w;
};

// Each component from frame to frame, by the cubic through four frames (the nearest ones): h/24
// (-1, 13, 13, -1), or (9, 19, -5, 1) at the ends. The frames are evenly spaced.
void sum_angles(const Vec3& start, std::vector<Row>& rows) {
  const std::size_t n = rows.size();
  if (n == 0) return;
  rows[0].fi = start;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double h = rows[i + 1].t - rows[i].t;
    const auto w = [&](std::size_t k) { return rows[k].w; };
    Vec3 mean = (w(i) + w(i + 1)) * 0.5;
    if (n >= 4 && i == 0) {
      mean = (w(0) * 9.0 + w(1) * 19.0 - w(2) * 5.0 + w(3)) / 24.0;
    } else if (n >= 4 && i + 2 == n) {
      mean = (w(n - 1) * 9.0 + w(n - 2) * 19.0 - w(n - 3) * 5.0 + w(n - 4)) / 24.0;
    } else if (n >= 4) {
      mean = ((w(i) + w(i + 1)) * 13.0 - w(i - 1) - w(i + 2)) / 24.0;
    }
    rows[i + 1].fi = rows[i].fi + mean * h;
  }
}

std::vector<double> numbers_of(const TextLine& line, const std::string& file) {
  std::istringstream in{std::string(line.text)};
  in.imbue(std::locale::classic());
  std::vector<double> numbers;
  std::string word;
  while (in >> word && numbers.size() <= 13) {
    std::istringstream number(word);
    number.imbue(std::locale::classic());
    double x = 0;
    if (!(number >> x) || number.peek() != std::char_traits<char>::eof() || !std::isfinite(x)) {
      throw InputError(file + ":" + std::to_string(line.number) + ": expected a number");
    }
    numbers.push_back(x);
  }
  if (numbers.size() != 7 && numbers.size() != 13) {
    throw InputError(file + ":" + std::to_string(line.number) +
                     ": expected 7 numbers (t, position, angles) or 13 (and velocities)");
  }
  return numbers;
}

}  // namespace

std::string body_table(const Model& model, const Recording& recording, BodyId body,
                       bool legacy_angles) {
  std::vector<Row> rows;
  Kinematics<double> k(model);
  for (const Frame& frame : recording.frames) {
    update_poses(model, frame.state.q.data(), k);
    update_velocities(model, frame.state.v.data(), k);
    const Pose X = body_pose(model, k, body);
    rows.push_back({frame.state.t, X.p, angles_xyz(X.R), point_velocity(k, body, X.p),
                    k.bodies[static_cast<std::size_t>(body.index)].w});
  }
  if (legacy_angles && !rows.empty()) sum_angles(rows[0].fi, rows);
  std::string text;
  char number[32];
  for (const Row& row : rows) {
    std::snprintf(number, sizeof number, "%.17g", row.t);
    text += number;
    for (const Vec3& x : {row.s, row.fi, row.v, row.w}) {
      for (int j = 0; j < 3; ++j) {
        std::snprintf(number, sizeof number, " %.17g", x[j]);
        text += number;
      }
    }
    text += '\n';
  }
  return text;
}

bool is_table_name(const std::string& file) {
  const std::filesystem::path plain = std::filesystem::path(file).lexically_normal();
  const bool printable =
      std::none_of(file.begin(), file.end(), [](char c) { return c >= 0 && c < ' '; });
  return printable && !file.empty() && plain == plain.filename() && file != "." && file != "..";
}

void add_tables(const Scene& scene, const Model& model, const Recording& recording,
                const std::string& folder, FileSet& files) {
  for (const SceneTable& table : scene.tables) {
    const BodyId body = model.body(table.body);
    files.add((std::filesystem::path(folder) / table.file).string(),
              body_table(model, recording, body, scene.legacy_angles));
  }
}

MotionPath parse_motion_table(const std::string& text, const std::string& file) {
  std::vector<MotionKey> keys;
  for (const TextLine& line : lines_of(text)) {
    const std::vector<double> x = numbers_of(line, file);
    MotionKey key;
    key.t = x[0];
    key.p = {x[1], x[2], x[3]};
    key.orientation = quaternion(rotation_xyz({x[4], x[5], x[6]}));
    if (x.size() == 13) {
      key.velocity = MotionKey::Velocity{{x[7], x[8], x[9]}, {x[10], x[11], x[12]}};
    }
    keys.push_back(key);
    if (keys.size() > max_motion_keys) {
      throw InputError(file + ": more than " + std::to_string(max_motion_keys) + " lines");
    }
  }
  try {
    return MotionPath(std::move(keys));
  } catch (const InputError& error) {
    throw InputError(file + ": " + error.what());
  }
}

}  // namespace molejo
