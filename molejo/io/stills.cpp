#include "molejo/io/stills.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace molejo {

namespace {

struct Point {
  double x, y;
};

// Parallel projection along the camera's direction: x to the right, y down, depth away from us.
struct View {
  Vec3 right, down, away;

  Point flat(const Vec3& p) const { return {dot(p, right), dot(p, down)}; }
};

View view_of(const Camera& camera) {
  const Vec3 line = camera.target - camera.position;
  const Vec3 away = norm(line) > 1e-9 ? normalized(line) : Vec3{0, 1, 0};
  const Vec3 up = std::fabs(away.z) < 0.999 ? Vec3{0, 0, 1} : Vec3{0, 1, 0};
  const Vec3 right = normalized(cross(away, up));
  return {right, cross(away, right), away};
}

// One polygon to paint.
struct Patch {
  std::vector<Point> outline;
  double depth;
  Color color;
  double light;  // 0 dark .. 1 bright
  double opacity;
};

// Convex outline of projected points (monotone chain), counter-clockwise.
std::vector<Point> outline_of(std::vector<Point> points) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  std::vector<Point> hull;
  const auto turn = [&](const Point& c) {
    const Point& a = hull[hull.size() - 2];
    const Point& b = hull.back();
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  };
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t base = hull.size();
    for (const Point& p : points) {
      while (hull.size() >= base + 2 && turn(p) <= 0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

bool has_flat_faces(const Geometry& geometry) {
  return std::holds_alternative<Box>(geometry) || std::holds_alternative<Polyhedron>(geometry);
}

void add_shape(const Shape& shape, const Pose& X_WB, const View& view, double opacity,
               std::vector<Patch>& patches) {
  if (std::holds_alternative<Plane>(shape.geometry)) return;
  const Pose X = X_WB * shape.X_BS;
  const Mesh mesh = tessellate(shape.geometry, 24);
  const Vec3 sun = normalized({-0.4, -0.5, 0.8});
  std::vector<Point> all;
  for (const Vec3& p : mesh.positions) all.push_back(view.flat(X * p));
  const double depth = dot(X.p, view.away);
  patches.push_back({outline_of(all), depth, shape.color, 0.75, opacity});
  if (!has_flat_faces(shape.geometry)) return;

  // visible faces over the outline, slightly nearer so that they stay on top of it
  for (const std::array<int, 3>& t : mesh.triangles) {
    const Vec3 a = X * mesh.positions[static_cast<std::size_t>(t[0])];
    const Vec3 b = X * mesh.positions[static_cast<std::size_t>(t[1])];
    const Vec3 c = X * mesh.positions[static_cast<std::size_t>(t[2])];
    const Vec3 n = cross(b - a, c - a);
    if (norm(n) == 0 || dot(n, view.away) >= 0) continue;
    const double light = 0.55 + 0.45 * std::fmax(0, dot(normalized(n), sun));
    patches.push_back(
        {{view.flat(a), view.flat(b), view.flat(c)}, depth - 1e-9, shape.color, light, opacity});
  }
}

// The immobile or the moving bodies of a frame, farther ones first.
void add_frame(const Model& model, const Frame& frame, bool immobile, const View& view,
               double opacity, std::vector<Patch>& patches) {
  const auto first = static_cast<std::ptrdiff_t>(patches.size());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].immobile != immobile) continue;
    for (const Shape& shape : model.bodies[i].shapes) {
      add_shape(shape, frame.X_WB[i], view, opacity, patches);
    }
  }
  std::stable_sort(patches.begin() + first, patches.end(),
                   [](const Patch& a, const Patch& b) { return a.depth > b.depth; });
}

std::string css(const Color& color, double light) {
  const auto channel = [&](double c) {
    return static_cast<int>(std::lround(255 * std::clamp(c * light, 0.0, 1.0)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(color.r), channel(color.g), channel(color.b));
}

}  // namespace

std::string stills(const Scene& scene, const Model& model, const Recording& recording,
                   const StillsLayout& layout) {
  if (recording.frames.empty()) return {};
  const View view = view_of(scene.camera);
  const auto last = static_cast<int>(recording.frames.size()) - 1;
  const int count = std::min(layout.stills, last + 1);

  // what stands still once and behind all else, then later stills over earlier ones
  std::vector<Patch> patches;
  add_frame(model, recording.frames.back(), true, view, 1, patches);
  for (int s = 0; s < count; ++s) {
    const double part = count == 1 ? 1 : static_cast<double>(s) / (count - 1);
    const auto frame = static_cast<std::size_t>(std::lround(part * last));
    add_frame(model, recording.frames[frame], false, view, 0.12 + 0.88 * part * part, patches);
  }
  if (patches.empty()) return {};

  // fit
  Point low{1e300, 1e300}, high{-1e300, -1e300};
  for (const Patch& patch : patches) {
    for (const Point& p : patch.outline) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
  }
  const double margin = 16;
  const double scale = std::min((layout.width - 2 * margin) / std::max(high.x - low.x, 1e-9),
                                (layout.height - 2 * margin) / std::max(high.y - low.y, 1e-9));
  const double dx = layout.x + layout.width / 2 - scale * (low.x + high.x) / 2;
  const double dy = layout.y + layout.height / 2 - scale * (low.y + high.y) / 2;

  std::string svg = "<g stroke-linejoin=\"round\">\n";
  for (const Patch& patch : patches) {
    std::string points;
    for (const Point& p : patch.outline) {
      points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", dx + scale * p.x,
                            dy + scale * p.y);
    }
    const std::string fill = css(patch.color, patch.light);
    svg += fmt::format(
        "<polygon points=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"0.7\" "
        "opacity=\"{:.2f}\"/>\n",
        points, fill, fill, patch.opacity);
  }
  return svg + "</g>\n";
}

}  // namespace molejo
