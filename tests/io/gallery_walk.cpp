// A walk as a film: its bones are those of the skeleton, its soles stand on the terrain.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "molejo/io/gallery_film.h"
#include "tests/support/places.h"

using namespace molejo;

namespace {

struct Walked {
  WalkScene scene;
  navigation::WalkRecord record;
};

Walked walked() {
  Walked w;
  w.scene =
      load_walk_scene(SourceFile::given(test::source_dir() + "/scenes/walks/stick_fall.walk.json"));
  w.scene.duration = 2;  // before the fall
  navigation::Stage stage = make_stage(w.scene);
  w.record = navigation::run(stage, {.fps = w.scene.fps, .frames = w.scene.frames()});
  return w;
}

double length_along_z(const Mesh& mesh) {
  double low = 1e300, high = -1e300;
  for (const Vec3& p : mesh.positions) low = std::min(low, p.z), high = std::max(high, p.z);
  return high - low;
}

}  // namespace

TEST_CASE("gallery: the bones of a walker reach from joint to joint in every frame") {
  const Walked w = walked();
  const GalleryFilm film = film_of(w.scene, w.record);
  const navigation::CharacterTrack& track = w.record.characters.front();
  const motion::Skeleton& skeleton = track.rig.skeleton;
  REQUIRE(film.times.size() == track.frames.size());

  for (const std::size_t k : {std::size_t{0}, film.times.size() / 2, film.times.size() - 1}) {
    std::vector<motion::Affine> X(skeleton.joints.size());
    const navigation::TrackFrame& f = track.frames[k];
    motion::model_transforms(skeleton, f.pose, f.placement, X);
    const auto is_joint = [&](const Vec3& p) {
      return std::any_of(X.begin(), X.end(),
                         [&](const motion::Affine& x) { return norm(x.origin - p) < 1e-6; });
    };
    int bones = 0;
    for (const FilmPart& part : film.parts) {
      if (part.ground || norm(part.X.p) == 0) continue;
      const Pose& actor = film.actors[static_cast<std::size_t>(part.actor)].X_W[k];
      if (!(dot(part.X.R.column(2), normalized(part.X.p)) > 0.999)) continue;  // the head
      CHECK(is_joint(actor.p));
      CHECK(is_joint(actor * (part.X.p * 2)));
      ++bones;
    }
    CHECK(bones >= 10);
  }
}

TEST_CASE("gallery: a walker's floor is the ground below it, the camera goes along") {
  const Walked w = walked();
  const GalleryFilm film = film_of(w.scene, w.record);
  const navigation::CharacterTrack& track = w.record.characters.front();
  const auto bone = std::find_if(film.parts.begin(), film.parts.end(),
                                 [](const FilmPart& part) { return part.floor >= 0; });
  REQUIRE(bone != film.parts.end());
  CHECK(length_along_z(film.meshes[static_cast<std::size_t>(bone->mesh)]) > 0.05);
  REQUIRE(film.follow >= 0);
  for (std::size_t k = 0; k < film.times.size(); ++k) {
    const Pose& floor = film.actors[static_cast<std::size_t>(bone->floor)].X_W[k];
    const auto ground = w.scene.ground->at(floor.p.x, floor.p.y);
    REQUIRE(ground);
    CHECK(floor.p.z == doctest::Approx(ground->height));
    CHECK(dot(floor.R.column(2), ground->normal) == doctest::Approx(1));
    const Vec3 seen = film.actors[static_cast<std::size_t>(film.follow)].X_W[k].p;
    CHECK(norm(seen - track.frames[k].position) < 1e-9);
  }
  // it went somewhere
  const std::vector<Pose>& way = film.actors[static_cast<std::size_t>(film.follow)].X_W;
  CHECK(norm(way.back().p - way.front().p) > 1);
}

TEST_CASE("gallery: of the terrain what lies around the way is drawn, on its surface") {
  const Walked w = walked();
  const GalleryFilm film = film_of(w.scene, w.record);
  const auto ground = std::find_if(film.parts.begin(), film.parts.end(),
                                   [](const FilmPart& part) { return part.ground; });
  REQUIRE(ground != film.parts.end());
  const Mesh& mesh = film.meshes[static_cast<std::size_t>(ground->mesh)];
  CHECK(mesh.triangles.size() > 500);
  CHECK(mesh.triangles.size() < 25000);
  const Vec3 start = w.record.characters.front().frames.front().position;
  for (const Vec3& p : mesh.positions) {
    CHECK(std::fabs(p.x - start.x) < 12);
    CHECK(std::fabs(p.y - start.y) < 12);
    if (const auto below = w.scene.ground->at(p.x, p.y)) {
      CHECK(p.z == doctest::Approx(below->height).epsilon(1e-6));
    }
  }
}
