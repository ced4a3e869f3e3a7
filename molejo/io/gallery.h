// The page that shows what was simulated: out/index.html, one card a scene.
//
// A card holds a player that draws the recording, the energy plot, the summary and links to the
// files. The page needs no network and no server: it opens from the file system.
#pragma once

#include <span>
#include <string>

#include "molejo/model/recording.h"
#include "molejo/model/scene.h"

namespace molejo {

// One card. `base` names the files beside the page without their ending: base.glb, .csv, .svg.
std::string gallery_card(const Scene& scene, const Model& model, const Recording& recording,
                         const std::string& base);

// The whole page, from its cards in order.
std::string gallery_page(std::span<const std::string> cards);

}  // namespace molejo
