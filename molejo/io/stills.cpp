#include "molejo/io/stills.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "molejo/model/scene.h"

namespace molejo {

namespace {

struct Point {
  double x, y;
};

constexpr Color force_color{0.82, 0.16, 0.22, 1};

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
struct DrawnPatch {
  std::vector<Point> outline;
  double depth;
  Color color;
  double light;  // 0 dark .. 1 bright
  double opacity;
  bool ground = false;  // part of a terrain, which may go beyond the picture
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

// How bright a face is.
double light_on(const Vec3& normal) {
  const Vec3 sun = normalized({-0.4, -0.5, 0.8});
  return 0.55 + 0.45 * std::fmax(0, dot(normal, sun));
}

// Cells from far to near, of a coarser grid where there are many.
void add_terrain(const HeightField& field, const Shape& shape, const Pose& X, const View& view,
                 double opacity, std::vector<DrawnPatch>& patches) {
  constexpr int most_cells = 40;  // along each side
  const int columns = std::min(field.columns - 1, most_cells);
  const int rows = std::min(field.rows - 1, most_cells);
  const auto corner = [&](int i, int k) {
    const int c = i * (field.columns - 1) / columns, r = k * (field.rows - 1) / rows;
    const double x = field.dx * (c - (field.columns - 1) / 2.0);
    const double y = field.dy * (r - (field.rows - 1) / 2.0);
    return X * Vec3{x, y, field.heights[static_cast<std::size_t>(r * field.columns + c)]};
  };
  for (int k = 0; k < rows; ++k) {
    for (int i = 0; i < columns; ++i) {
      const Vec3 a = corner(i, k), b = corner(i + 1, k), c = corner(i + 1, k + 1);
      const Vec3 d = corner(i, k + 1), n = cross(c - a, d - b);
      if (!(norm(n) > 0)) continue;
      patches.push_back({{view.flat(a), view.flat(b), view.flat(c), view.flat(d)},
                         dot((a + c) * 0.5, view.away),
                         shape.color,
                         light_on(normalized(n)),
                         opacity,
                         true});
    }
  }
}

// A shaft with a head, from the point of pressure towards where the force pushes.
void add_arrow(const Vec3& from, const Vec3& to, const View& view, double opacity,
               std::vector<DrawnPatch>& patches) {
  const Point a = view.flat(from), b = view.flat(to);
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  if (!(length > 0) || !std::isfinite(length)) return;
  const Point along{(b.x - a.x) / length, (b.y - a.y) / length};
  const auto at = [&](double forward, double aside) {
    return Point{a.x + length * (forward * along.x - aside * along.y),
                 a.y + length * (forward * along.y + aside * along.x)};
  };
  // nearer than all bodies, so that none hides it
  patches.push_back({{at(0, 0.02), at(0.8, 0.02), at(0.8, 0.07), at(1, 0), at(0.8, -0.07),
                      at(0.8, -0.02), at(0, -0.02)},
                     -1e300,
                     force_color,
                     1,
                     opacity});
}

void add_shape(const Shape& shape, const Pose& X_WB, const View& view, double opacity,
               std::vector<DrawnPatch>& patches) {
  if (std::holds_alternative<Plane>(shape.geometry) || shape.color.a == 0) return;
  if (const auto* field = std::get_if<HeightField>(&shape.geometry)) {
    add_terrain(*field, shape, X_WB * shape.X_BS, view, opacity, patches);
    return;
  }
  const Pose X = X_WB * shape.X_BS;
  const Mesh mesh = tessellate(shape.geometry, 24);
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
    const double light = light_on(normalized(n));
    patches.push_back(
        {{view.flat(a), view.flat(b), view.flat(c)}, depth - 1e-9, shape.color, light, opacity});
  }
}

bool has_corners(const Shape& shape) {
  return shape.color.a > 0 && !std::holds_alternative<Plane>(shape.geometry) &&
         !std::holds_alternative<HeightField>(shape.geometry);
}

// Corners of all that is drawn of the moving or the immobile bodies of a frame.
void add_corners(const Model& model, const Frame& frame, bool immobile,
                 std::vector<Vec3>& corners) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].immobile != immobile) continue;
    for (const Shape& shape : model.bodies[i].shapes) {
      if (!has_corners(shape)) continue;
      const Pose X = frame.X_WB[i] * shape.X_BS;
      for (const Vec3& p : tessellate(shape.geometry, 8).positions) corners.push_back(X * p);
    }
  }
}

// Planes have no end: of those seen from above or from the side, the part below all corners and
// some room around it, with some thickness.
void add_floors(const Model& model, const Frame& frame, const std::vector<Vec3>& corners,
                const View& view, std::vector<DrawnPatch>& patches) {
  if (corners.empty()) return;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    for (const Shape& shape : model.bodies[i].shapes) {
      const Pose X = frame.X_WB[i] * shape.X_BS;
      const Vec3 n = X.R.column(2);
      const bool seen = shape.color.a > 0 && dot(n, view.away) < 0.01;
      if (!seen || !std::holds_alternative<Plane>(shape.geometry)) continue;
      Vec3 low{1e300, 1e300, 1e300}, high = low * -1.0;
      for (const Vec3& corner : corners) {
        const Vec3 p = transpose_times(X.R, corner - X.p);
        for (int k = 0; k < 3; ++k)
          low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
      }
      const Vec3 size = high - low;
      const double room = 0.1 * std::max({size.x, size.y, size.z});
      const bool from_the_side = std::fabs(dot(n, view.away)) < 0.01;
      std::vector<Point> outline;
      for (const double z : {0.0, -0.2 * room}) {
        if (z < 0 && !from_the_side) break;
        const auto at = [&](double x, double y) { return view.flat(X * Vec3{x, y, z}); };
        outline.insert(outline.end(),
                       {at(low.x - room, low.y - room), at(high.x + room, low.y - room),
                        at(high.x + room, high.y + room), at(low.x - room, high.y + room)});
      }
      if (from_the_side) outline = outline_of(outline);
      patches.push_back({outline, 0, shape.color, light_on(n), 1});
    }
  }
}

// The immobile or the moving bodies of a frame, farther ones first.
void add_frame(const Model& model, const Frame& frame, bool immobile, const View& view,
               double opacity, std::vector<DrawnPatch>& patches) {
  const auto first = static_cast<std::ptrdiff_t>(patches.size());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].immobile != immobile) continue;
    for (const Shape& shape : model.bodies[i].shapes) {
      add_shape(shape, frame.X_WB[i], view, opacity, patches);
    }
  }
  std::stable_sort(patches.begin() + first, patches.end(),
                   [](const DrawnPatch& a, const DrawnPatch& b) { return a.depth > b.depth; });
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

  const auto part_of = [&](int s) { return count == 1 ? 1 : static_cast<double>(s) / (count - 1); };
  const auto frame_of = [&](int s) -> const Frame& {
    return recording.frames[static_cast<std::size_t>(std::lround(part_of(s) * last))];
  };

  // what stands still once and behind all else, floors first, then later stills over earlier ones
  std::vector<DrawnPatch> patches;
  std::vector<Vec3> corners;
  add_corners(model, recording.frames.back(), true, corners);
  for (int s = 0; s < count; ++s) add_corners(model, frame_of(s), false, corners);
  add_floors(model, recording.frames.back(), corners, view, patches);
  add_frame(model, recording.frames.back(), true, view, 1, patches);
  const bool with_forces = layout.arrows.drawn;
  const double length = with_forces ? metres_per_newton(layout.arrows, model, recording) : 0;
  for (int s = 0; s < count; ++s) {
    const double opacity = 0.12 + 0.88 * part_of(s) * part_of(s);
    add_frame(model, frame_of(s), false, view, opacity, patches);
    if (!with_forces) continue;
    const std::vector<ContactLoad> loads = contact_loads(model, frame_of(s));
    for (std::size_t b = 0; b < loads.size(); ++b) {
      if (model.bodies[b].immobile) continue;
      const Vec3 tip = loads[b].point + loads[b].force * length;
      add_arrow(loads[b].point, tip, view, opacity, patches);
    }
  }
  if (patches.empty()) return {};

  // fit to all but the terrain, or to that alone
  const bool on_ground =
      std::any_of(patches.begin(), patches.end(), [](const DrawnPatch& p) { return p.ground; });
  const bool only_ground =
      std::all_of(patches.begin(), patches.end(), [](const DrawnPatch& p) { return p.ground; });
  Point low{1e300, 1e300}, high{-1e300, -1e300};
  for (const DrawnPatch& patch : patches) {
    if (patch.ground && !only_ground) continue;
    for (const Point& p : patch.outline) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
  }
  const double margin = on_ground && !only_ground ? 60 : 16;
  const double scale = std::min((layout.width - 2 * margin) / std::max(high.x - low.x, 1e-9),
                                (layout.height - 2 * margin) / std::max(high.y - low.y, 1e-9));
  const double dx = layout.x + layout.width / 2 - scale * (low.x + high.x) / 2;
  const double dy = layout.y + layout.height / 2 - scale * (low.y + high.y) / 2;

  if (layout.only) {
    const Frame& frame = recording.frames[static_cast<std::size_t>(*layout.only)];
    patches.clear();
    add_floors(model, recording.frames.back(), corners, view, patches);
    add_frame(model, frame, true, view, 1, patches);
    add_frame(model, frame, false, view, 1, patches);
  }

  // a picture in the picture cuts off what goes beyond it
  std::string svg = "<g stroke-linejoin=\"round\">\n";
  if (on_ground) {
    svg += fmt::format(
        "<svg x=\"{0:g}\" y=\"{1:g}\" width=\"{2:g}\" height=\"{3:g}\" "
        "viewBox=\"{0:g} {1:g} {2:g} {3:g}\">\n",
        layout.x, layout.y, layout.width, layout.height);
  }
  for (const DrawnPatch& patch : patches) {
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
  return svg + (on_ground ? "</svg>\n</g>\n" : "</g>\n");
}

std::string frame_picture(const Scene& scene, const Model& model, const Recording& recording,
                          int frame) {
  StillsLayout layout;
  layout.only = frame;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" "
             "viewBox=\"0 0 {0:g} {1:g}\">\n<rect width=\"100%\" height=\"100%\" "
             "fill=\"#ffffff\"/>\n",
             layout.width, layout.height) +
         stills(scene, model, recording, layout) + "</svg>\n";
}

}  // namespace molejo
