// Files made from a Recording, chosen by their ending: .glb .csv .json .svg
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "molejo/io/contacts.h"
#include "molejo/model/recording.h"

namespace molejo {

struct Scene;

// glTF 2.0 binary: a mesh and material per shape, a node per body with an animation of its pose
// sampled at the frames, a coil per spring; y up (a root node turns the z-up world). Colours are
// taken as sRGB; what is clear is left out. Asked for forces, an arrow per body shows the sum of
// its contact forces at their centre of pressure. Valid by the Khronos validator.
std::string glb(const Scene& scene, const Model& model, const Recording& recording,
                const ForceArrows& arrows = {});

// The same with several recordings that start alike, as animations to choose from; one at least.
struct Clip {
  std::string name;
  const Recording* recording = nullptr;
};
std::string glb(const Scene& scene, const Model& model, std::span<const Clip> clips);

// A row per frame: time, energies, momenta, constraint error, every coordinate and velocity by
// name, every body's position and orientation, the contact force of bodies that may touch others.
std::string csv(const Model& model, const Recording& recording);

// Everything of the recording, for machines.
std::string json(const Scene& scene, const Model& model, const Recording& recording);

// The summary alone, as one JSON object, with the number of contacts and of bodies asleep at
// last, and the work of formula forces.
std::string summary_json(const Recording& recording);

// The work that each formula force has done at the end, J.
std::vector<std::pair<std::string, double>> works(const Recording& recording);

// Stills of the motion, energy over time, and below it the chosen coordinates (scene.plot; names as
// in the CSV header).
std::string svg(const Scene& scene, const Model& model, const Recording& recording,
                const ForceArrows& arrows = {});

// What a file of this name holds, in the form its ending names; unknown endings throw InputError.
std::string recording_bytes(const std::string& path, const Scene& scene, const Model& model,
                            const Recording& recording, const ForceArrows& arrows = {});
void write_recording(const std::string& path, const Scene& scene, const Model& model,
                     const Recording& recording, const ForceArrows& arrows = {});

}  // namespace molejo
