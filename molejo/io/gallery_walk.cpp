// A walk as a film: bones as capsules, and of the terrains what lies around the ways.
#include <algorithm>
#include <cmath>

#include "molejo/io/gallery_film.h"
#include "molejo/math/angles.h"
#include "molejo/math/index.h"

namespace molejo {

namespace {

using navigation::CharacterTrack;
using navigation::TrackFrame;

constexpr int capsule_segments = 8;                             // of a capsule: there are many
constexpr double terrain_margin = 3.5;                          // m of terrain beside the ways
constexpr double terrain_cell = 0.2, most_terrain_cells = 110;  // m; in each direction
constexpr double shortest_bone = 0.03, bone_thickness = 0.016;  // of the figure's height

// One figure after the other.
constexpr Color walker_colors[] = {
    {0.87, 0.49, 0.25}, {0.30, 0.53, 0.78}, {0.47, 0.66, 0.33}, {0.72, 0.42, 0.66}};

// Of an affine map without a shear.
Pose rigid(const motion::Affine& X) {
  return {from_columns(normalized(X.linear.column(0)), normalized(X.linear.column(1)),
                       normalized(X.linear.column(2))),
          X.origin};
}

struct Box2 {
  double x0 = 1e300, x1 = -1e300, y0 = 1e300, y1 = -1e300;
  void add(const Vec3& p) {
    x0 = std::min(x0, p.x), x1 = std::max(x1, p.x);
    y0 = std::min(y0, p.y), y1 = std::max(y1, p.y);
  }
};

class WalkFilm {
 public:
  WalkFilm(const WalkScene& scene, const navigation::WalkRecord& record)
      : scene_(scene), record_(record) {}

  GalleryFilm make() {
    std::size_t joints = 0;
    for (const CharacterTrack& c : record_.characters) joints += c.rig.skeleton.joints.size();
    frames_ = film_frames(at(record_.frames()), joints);
    if (frames_.empty()) return {};
    for (const std::size_t k : frames_) film_.times.push_back(record_.time(static_cast<int>(k)));
    for (std::size_t i = 0; i < record_.characters.size(); ++i) {
      add_figure(record_.characters[i], walker_colors[i % std::size(walker_colors)]);
    }
    add_focus();
    for (const Terrain& terrain : scene_.terrains) add_terrain(terrain);
    return std::move(film_);
  }

 private:
  int add_mesh(Mesh mesh) {
    film_.meshes.push_back(std::move(mesh));
    return static_cast<int>(film_.meshes.size()) - 1;
  }

  // Does a joint keep its place against its parent? Then a bone lies between them.
  bool is_fixed(const CharacterTrack& track, int joint, double length) const {
    const Vec3 first = track.frames.front().pose.translation(joint);
    return std::all_of(frames_.begin(), frames_.end(), [&](std::size_t k) {
      return norm(track.frames[k].pose.translation(joint) - first) < 0.02 * length;
    });
  }

  void add_figure(const CharacterTrack& track, const Color& color) {
    const motion::Skeleton& skeleton = track.rig.skeleton;
    const std::vector<std::vector<int>> children = skeleton.children();
    std::vector<std::vector<motion::Affine>> X(frames_.size(),
                                               std::vector<motion::Affine>(children.size()));
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      const TrackFrame& f = track.frames[frames_[i]];
      motion::model_transforms(skeleton, f.pose, f.placement, X[i]);
    }
    const double height = 2 * track.rig.leg_length * track.scale;
    tallest_ = std::max(tallest_, height);
    add_floor(track);
    const int head = track.rig.roles.joints[at(static_cast<int>(motion::Role::head))];
    for (int j = 0; j < skeleton.size(); ++j) {
      const std::size_t parts = film_.parts.size();
      const motion::Affine& X_0 = X.front()[at(j)];
      if (j == head) {
        add_head(track, X_0, children[at(j)], height, color);
      } else {
        for (const int child : children[at(j)]) add_bone(track, X_0, child, height, color);
      }
      if (film_.parts.size() == parts) continue;
      FilmActor& actor = film_.actors.emplace_back();
      for (const auto& transforms : X) actor.X_W.push_back(rigid(transforms[at(j)]));
    }
  }

  void add_bone(const CharacterTrack& track, const motion::Affine& X, int child, double height,
                const Color& color) {
    const Vec3 to = track.frames.front().pose.translation(child);
    const double size = norm(X.linear.column(0)), length = norm(to) * size;
    if (length < shortest_bone * height || !is_fixed(track, child, norm(to))) return;
    const Vec3 along = to / norm(to);
    const double radius = std::min(bone_thickness * height, 0.3 * length);
    add_part(tessellate(Capsule{radius, length / 2}, capsule_segments),
             {frame_from_z(along), along * (length / 2)}, color);
  }

  // Around the middle of its bone, where there is one.
  void add_head(const CharacterTrack& track, const motion::Affine& X,
                const std::vector<int>& children, double height, const Color& color) {
    Vec3 middle;
    if (!children.empty()) {
      const Vec3 to = track.frames.front().pose.translation(children.front());
      middle = to * (0.5 * norm(X.linear.column(0)));
    }
    add_part(tessellate(Sphere{0.06 * height}, 2 * capsule_segments), {Mat3::identity(), middle},
             color);
  }

  // Of the next actor.
  void add_part(Mesh mesh, const Pose& X, const Color& color) {
    film_.parts.push_back({static_cast<int>(film_.actors.size()), add_mesh(std::move(mesh)), X,
                           color, false, floor_});
  }

  // The ground below a character, on which its shadow falls.
  void add_floor(const CharacterTrack& track) {
    FilmActor floor;
    for (const std::size_t k : frames_) {
      const Vec3 p = track.frames[k].position;
      const auto below = scene_.ground->at(p.x, p.y);
      floor.X_W.push_back(below ? Pose{frame_from_z(below->normal), {p.x, p.y, below->height}}
                                : Pose{Mat3::identity(), p});
    }
    floor_ = static_cast<int>(film_.actors.size());
    film_.actors.push_back(std::move(floor));
  }

  // The camera goes along with the middle of all, far enough away to see everybody.
  void add_focus() {
    FilmActor focus;
    double spread = 0;
    for (const std::size_t k : frames_) {
      Vec3 middle;
      for (const CharacterTrack& c : record_.characters) middle += c.frames[k].position;
      middle = middle / static_cast<double>(record_.characters.size());
      for (const CharacterTrack& c : record_.characters) {
        const Vec3& p = c.frames[k].position;
        spread = std::max(spread, norm(p - middle));
        ways_.add(p);
      }
      focus.X_W.push_back({Mat3::identity(), middle});
    }
    film_.follow = static_cast<int>(film_.actors.size());
    film_.camera.fov_deg = 40;
    film_.camera.target = focus.X_W.front().p + Vec3{0, 0, 0.45 * tallest_};
    // from the right and before them, looking down
    const double half = std::max(0.9 * tallest_, (spread + 0.5 * tallest_) / 1.6);
    const double distance = half / std::tan(20 * degree) + 0.5 * spread;
    const double azimuth = record_.characters.front().frames.front().heading - 55 * degree;
    const double down = 20 * degree;
    film_.camera.position =
        film_.camera.target + Vec3{std::cos(down) * std::cos(azimuth),
                                   std::cos(down) * std::sin(azimuth), std::sin(down)} *
                                  distance;
    film_.actors.push_back(std::move(focus));
  }

  void add_terrain(Terrain terrain) {
    motion::Relief& r = terrain.relief;
    const auto cut = [](double& low, double& high, double from, double to, double offset,
                        double scale) {
      low = std::max(low, (from - terrain_margin - offset) / scale);
      high = std::min(high, (to + terrain_margin - offset) / scale);
      return low < high;
    };
    const Vec3 &o = terrain.offset, &s = terrain.scale;
    if (!cut(r.x0, r.x1, ways_.x0, ways_.x1, o.x, s.x)) return;
    if (!cut(r.y0, r.y1, ways_.y0, ways_.y1, o.y, s.y)) return;
    const auto cells = [](double length) {
      return static_cast<int>(
          std::clamp(std::ceil(length / terrain_cell), 1.0, most_terrain_cells));
    };
    terrain.cells = {cells((r.x1 - r.x0) * s.x), cells((r.y1 - r.y0) * s.y)};
    const TerrainMesh fine = terrain_mesh(terrain);
    Mesh mesh{fine.points, fine.normals, {}};
    for (const auto& t : fine.triangles) {
      mesh.triangles.push_back(
          {static_cast<int>(t[0]), static_cast<int>(t[1]), static_cast<int>(t[2])});
    }
    film_.parts.push_back({static_cast<int>(film_.actors.size()),
                           add_mesh(std::move(mesh)),
                           {},
                           terrain.color,
                           true});
    film_.actors.push_back({{Pose{}}});
  }

  const WalkScene& scene_;
  const navigation::WalkRecord& record_;
  std::vector<std::size_t> frames_;
  GalleryFilm film_;
  Box2 ways_;
  double tallest_ = 0;
  int floor_ = -1;  // actor of the ground below the figure at hand
};

}  // namespace

GalleryFilm film_of(const WalkScene& scene, const navigation::WalkRecord& record) {
  return WalkFilm(scene, record).make();
}

}  // namespace molejo
