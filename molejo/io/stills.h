// A strip of stills drawn as vector graphics: several frames of a recording in one view, the early
// ones pale, the last one full. Shapes are convex, so a shape is its visible faces or its outline;
// a terrain is its cells, a plane the part of it below all else. What is clear is not drawn.
#pragma once

#include <optional>
#include <string>

#include "molejo/io/contacts.h"
#include "molejo/model/recording.h"

namespace molejo {

struct Scene;

struct StillsLayout {
  double x = 0, y = 0, width = 900, height = 420;  // pixels
  int stills = 7;
  ForceArrows arrows = {};
  std::optional<int> only = {};  // this frame alone, in the view of the strip
};

// An SVG group. The camera of the scene gives the direction; the view is fitted to what moves.
std::string stills(const Scene& scene, const Model& model, const Recording& recording,
                   const StillsLayout& layout);

// One frame as a picture of its own; all frames of a recording have the same view.
std::string frame_picture(const Scene& scene, const Model& model, const Recording& recording,
                          int frame);

}  // namespace molejo
