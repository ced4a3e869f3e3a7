// Bacin's output: triangles once, then positions and velocities of all vertices per frame.
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include "molejo/io/bacin.h"
#include "molejo/io/staged_file.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/kinematics.h"

namespace molejo {

namespace {

// Vertices and triangles of one shape, vertices in the frame of its body.
struct BodySurface {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
};

// A mesh for drawing repeats a corner for each normal; here each corner stands once.
BodySurface welded(const Mesh& mesh) {
  double extent = 0;
  for (const Vec3& p : mesh.positions) extent = std::fmax(extent, max_abs(p));
  const double grid = std::fmax(extent * 1e-9, 1e-300);
  std::map<std::tuple<long long, long long, long long>, int> found;
  std::vector<int> index;
  BodySurface surface;
  for (const Vec3& p : mesh.positions) {
    const auto key =
        std::tuple(std::llround(p.x / grid), std::llround(p.y / grid), std::llround(p.z / grid));
    const auto [at, is_new] = found.emplace(key, static_cast<int>(surface.vertices.size()));
    if (is_new) surface.vertices.push_back(p);
    index.push_back(at->second);
  }
  for (const auto& [a, b, c] : mesh.triangles) {
    const std::array<int, 3> triangle{index[static_cast<std::size_t>(a)],
                                      index[static_cast<std::size_t>(b)],
                                      index[static_cast<std::size_t>(c)]};
    if (triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[0] != triangle[2]) {
      surface.triangles.push_back(triangle);
    }
  }
  return surface;
}

BodySurface surface_of(const Shape& shape) {
  BodySurface surface;
  if (const Polyhedron* solid = std::get_if<Polyhedron>(&shape.geometry)) {
    surface = {solid->vertices, solid->triangles};
  } else {
    surface = welded(tessellate(shape.geometry));
  }
  for (Vec3& p : surface.vertices) p = shape.X_BS * p;
  return surface;
}

// Indices run through the vertices of all bodies.
std::string surface_text(const std::vector<std::vector<BodySurface>>& bodies) {
  std::string lines;
  std::size_t faces = 0;
  int first = 0;
  for (const std::vector<BodySurface>& body : bodies) {
    for (const BodySurface& surface : body) {
      for (const auto& [a, b, c] : surface.triangles) {
        fmt::format_to(std::back_inserter(lines), "  {} {} {}\n", first + a, first + b, first + c);
      }
      faces += surface.triangles.size();
      first += static_cast<int>(surface.vertices.size());
    }
  }
  return fmt::format("begin surface (format of 95-09-14)\n  faces = {}\n{}end surface\n", faces,
                     lines);
}

std::string frame_text(const Model& model, const Frame& frame,
                       const std::vector<std::vector<BodySurface>>& bodies, Kinematics<double>& k) {
  update_poses(model, frame.state.q.data(), k);
  update_velocities(model, frame.state.v.data(), k);
  std::string lines;
  int count = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BodyId id{static_cast<int>(i)};
    const Pose X_WB = body_pose(model, k, id);
    for (const BodySurface& surface : bodies[i]) {
      for (const Vec3& vertex : surface.vertices) {
        const Vec3 p = X_WB * vertex;
        const Vec3 v = point_velocity(k, id, p);
        fmt::format_to(std::back_inserter(lines),
                       "  {}: {:.12g} {:.12g} {:.12g}  {:.12g} {:.12g} {:.12g}\n", count++, p.x,
                       p.y, p.z, v.x, v.y, v.z);
      }
    }
  }
  return fmt::format("begin state (format of 95-06-03)\n  vertices = {}\n  t = {}\n{}end state\n",
                     count, frame.state.t, lines);
}

}  // namespace

void add_bacin_frames(const Model& model, const Recording& recording, const std::string& base,
                      FileSet& files) {
  std::vector<std::vector<BodySurface>> bodies;
  for (const Body& body : model.bodies) {
    bodies.emplace_back();
    for (const Shape& shape : body.shapes) bodies.back().push_back(surface_of(shape));
  }
  files.add(base + ".sur", surface_text(bodies));

  // the moment at which the run ends begins a frame that is never shown
  const std::vector<Frame>& frames = recording.frames;
  std::size_t count = frames.size();
  if (count > 1 && recording.summary.duration > 0) {
    const double spacing = frames[1].state.t - frames[0].state.t;
    const double end = frames[0].state.t + recording.summary.duration;
    if (frames.back().state.t > end - spacing / 2) --count;
  }
  Kinematics<double> k(model);
  for (std::size_t i = 0; i < count; ++i) {
    check_interrupt();
    files.add(base + std::to_string(i) + ".ste", frame_text(model, frames[i], bodies, k));
  }
}

}  // namespace molejo
