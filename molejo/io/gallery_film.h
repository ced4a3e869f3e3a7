// A moving picture for the gallery page: parts that hang on actors, and where these are from frame
// to frame. What it is made from has more frames and digits than a picture needs: a film is thinned
// and rounded, so that a hundred of them fit on one page.
#pragma once

#include <string>
#include <vector>

#include "molejo/io/walk_scene.h"
#include "molejo/model/recording.h"
#include "molejo/model/scene.h"
#include "molejo/navigation/track.h"

namespace molejo {

struct FilmPart {
  int actor = 0;
  int mesh = -1;  // of GalleryFilm::meshes; -1: the plane z = 0
  Pose X;         // on its actor
  Color color;
  bool ground = false;  // shadows may fall on it
  int floor = -1;       // actor whose z = 0 its shadow falls on; -1: the planes of the film
};

// Per frame; one pose alone where it rests.
struct FilmActor {
  std::vector<Pose> X_W;
  std::vector<double> stretch{};  // along its z; empty: none
};

struct GalleryFilm {
  Camera camera;
  int follow = -1;  // actor that the camera goes along with, over the ground
  std::vector<double> times;
  std::vector<FilmActor> actors;
  std::vector<FilmPart> parts;
  std::vector<Mesh> meshes;
};

// Which of so many frames a film of so many actors shows: evenly spread, first and last among them.
std::vector<std::size_t> film_frames(std::size_t frames, std::size_t actors);

GalleryFilm film_of(const Scene& scene, const Model& model, const Recording& recording);
// Characters as figures of capsules, one a bone, on the part of their terrains that they come to;
// the camera goes along with them.
GalleryFilm film_of(const WalkScene& scene, const navigation::WalkRecord& record);

// For the player, with numbers as base64 of small integers; it holds nothing that markup must
// escape.
std::string film_json(const GalleryFilm& film);

}  // namespace molejo
