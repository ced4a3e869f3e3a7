#include "molejo/io/gallery_film.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "molejo/io/base64.h"
#include "molejo/io/coil.h"
#include "molejo/io/json_library.h"

namespace molejo {

namespace {

using Json = nlohmann::ordered_json;

constexpr int film_segments = 20;

// Few digits keep the page small; a picture needs no more.
double five_digits(double x) {
  if (!std::isfinite(x) || std::fabs(x) > 1e15 || std::fabs(x) < 1e-9) return 0;
  return std::stod(fmt::format("{:.5g}", x));
}

Json numbers(std::initializer_list<double> values) {
  Json list = Json::array();
  for (const double v : values) list.push_back(five_digits(v));
  return list;
}

Json vector(const Vec3& v) { return numbers({v.x, v.y, v.z}); }

Json pose(const Pose& X) {
  const Quat q = quaternion(X.R);
  return numbers({X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z});
}

// Integers of so many bytes, least first, as all machines that browsers run on have them.
class PackedNumbers {
 public:
  void add(std::int64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) text_ += static_cast<char>(value >> (8 * i) & 255);
  }
  // A part from -1 to 1 of the largest integer of so many bytes.
  void add_part(double part, int bytes) {
    const double most = bytes == 1 ? 127 : 32767;
    add(std::lround(std::isfinite(part) ? most * std::clamp(part, -1.0, 1.0) : 0), bytes);
  }
  std::string text() const { return base64(text_); }

 private:
  std::string text_;
};

// Where points lie: p = middle + size * part.
struct Extent {
  Vec3 low, high;
  bool any = false;

  void add(const Vec3& p) {
    if (!std::isfinite(p.x + p.y + p.z)) return;
    for (int i = 0; i < 3; ++i) {
      low[i] = any ? std::min(low[i], p[i]) : p[i];
      high[i] = any ? std::max(high[i], p[i]) : p[i];
    }
    any = true;
  }
  // As they are read again.
  Vec3 middle() const {
    const Vec3 m = (low + high) * 0.5;
    return {five_digits(m.x), five_digits(m.y), five_digits(m.z)};
  }
  double size() const { return five_digits(std::max(1.001 * max_abs(high - middle()), 1e-6)); }
};

Json mesh_json(const Mesh& mesh) {
  Extent extent;
  for (const Vec3& p : mesh.positions) extent.add(p);
  const Vec3 middle = extent.middle();
  const double size = extent.size();
  PackedNumbers points, normals, indices;
  for (const Vec3& p : mesh.positions) {
    for (int i = 0; i < 3; ++i) points.add_part((p[i] - middle[i]) / size, 2);
  }
  for (const Vec3& n : mesh.normals) {
    for (int i = 0; i < 3; ++i) normals.add_part(n[i], 1);
  }
  const bool small = mesh.positions.size() <= 65536;
  for (const auto& t : mesh.triangles) {
    for (const int i : t) indices.add(i, small ? 2 : 4);
  }
  return {{"middle", vector(middle)},
          {"size", size},
          {"points", points.text()},
          {"normals", normals.text()},
          {small ? "short_indices" : "indices", indices.text()}};
}

// Position and quaternion of each frame, and the stretch where there is one.
Json actor_json(const FilmActor& actor) {
  if (actor.X_W.size() == 1) return {{"rest", pose(actor.X_W.front())}};
  Extent extent;
  for (const Pose& X : actor.X_W) extent.add(X.p);
  const Vec3 middle = extent.middle();
  const double size = extent.size();
  double longest = 0;
  for (const double s : actor.stretch) longest = std::max(longest, five_digits(s));
  longest = five_digits(1.001 * longest);
  PackedNumbers bytes;
  for (std::size_t k = 0; k < actor.X_W.size(); ++k) {
    const Pose& X = actor.X_W[k];
    const Quat q = quaternion(X.R);
    for (int i = 0; i < 3; ++i) bytes.add_part((X.p[i] - middle[i]) / size, 2);
    for (const double part : {q.w, q.x, q.y, q.z}) bytes.add_part(part, 2);
    if (!actor.stretch.empty()) bytes.add_part(actor.stretch[k] / longest, 2);
  }
  Json json{{"middle", vector(middle)}, {"size", size}, {"frames", bytes.text()}};
  if (!actor.stretch.empty()) json["stretch"] = longest;
  return json;
}

bool moves(const std::vector<Pose>& poses) {
  return std::any_of(poses.begin(), poses.end(),
                     [&](const Pose& X) { return !(X == poses.front()); });
}

void add_springs(const Model& model, const std::vector<const Frame*>& frames, GalleryFilm& film) {
  for (const PointSpring& spring : model.springs) {
    Coil c = coil(spring, frames);
    film.parts.push_back({static_cast<int>(film.actors.size()),
                          static_cast<int>(film.meshes.size()),
                          {},
                          {0.45, 0.47, 0.5, 1}});
    film.meshes.push_back(std::move(c.mesh));
    film.actors.push_back({std::move(c.X_WS), std::move(c.stretch)});
  }
}

}  // namespace

std::vector<std::size_t> film_frames(std::size_t frames, std::size_t actors) {
  constexpr std::size_t most_frames = 360, least_frames = 60, most_poses = 24'000;
  const std::size_t wanted =
      std::clamp(most_poses / std::max<std::size_t>(actors, 1), least_frames, most_frames);
  const std::size_t count = std::min(frames, wanted);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    chosen.push_back(count > 1 ? i * (frames - 1) / (count - 1) : 0);
  }
  return chosen;
}

GalleryFilm film_of(const Scene& scene, const Model& model, const Recording& recording) {
  GalleryFilm film;
  film.camera = scene.camera;
  std::vector<const Frame*> frames;
  for (const std::size_t i : film_frames(recording.frames.size(), model.bodies.size())) {
    frames.push_back(&recording.frames[i]);
    film.times.push_back(recording.frames[i].state.t);
  }
  if (frames.empty()) return film;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    for (const Shape& shape : model.bodies[b].shapes) {
      if (shape.color.a <= 0) continue;
      FilmPart part{static_cast<int>(b), -1, shape.X_BS, shape.color};
      if (!std::holds_alternative<Plane>(shape.geometry)) {
        part.mesh = static_cast<int>(film.meshes.size());
        film.meshes.push_back(tessellate(shape.geometry, film_segments));
      }
      film.parts.push_back(part);
    }
    FilmActor& actor = film.actors.emplace_back();
    for (const Frame* f : frames) actor.X_W.push_back(f->X_WB[b]);
    if (!moves(actor.X_W)) actor.X_W.resize(1);
  }
  add_springs(model, frames, film);
  return film;
}

std::string film_json(const GalleryFilm& film) {
  Json times = Json::array(), actors = Json::array(), meshes = Json::array(), parts = Json::array();
  for (const double t : film.times) times.push_back(five_digits(t));
  for (const FilmActor& actor : film.actors) actors.push_back(actor_json(actor));
  // equal ones once: a pile of boxes has one box
  std::map<std::string, std::size_t> known;
  std::vector<std::size_t> place;
  for (const Mesh& mesh : film.meshes) {
    Json json = mesh_json(mesh);
    const auto [at, is_new] = known.try_emplace(json.dump(), known.size());
    if (is_new) meshes.push_back(std::move(json));
    place.push_back(at->second);
  }
  for (const FilmPart& part : film.parts) {
    const Color& c = part.color;
    Json json{
        {"actor", part.actor}, {"pose", pose(part.X)}, {"color", numbers({c.r, c.g, c.b, c.a})}};
    if (part.mesh >= 0) json["mesh"] = place[static_cast<std::size_t>(part.mesh)];
    if (part.ground) json["ground"] = true;
    if (part.floor >= 0) json["floor"] = part.floor;
    parts.push_back(std::move(json));
  }
  Json camera{{"position", vector(film.camera.position)},
              {"target", vector(film.camera.target)},
              {"fov_deg", five_digits(std::clamp(film.camera.fov_deg, 5.0, 120.0))}};
  if (film.follow >= 0) camera["follow"] = film.follow;
  return Json{{"camera", std::move(camera)},
              {"times", std::move(times)},
              {"actors", std::move(actors)},
              {"parts", std::move(parts)},
              {"meshes", std::move(meshes)}}
      .dump();
}

}  // namespace molejo
