// The nets of Bicho (2001) as they are shipped, and what a run of one does.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "molejo/io/net_file.h"
#include "molejo/net/run.h"
#include "tests/support/places.h"

namespace molejo::test {

inline Net shipped_net(const std::string& name) {
  return load_net(SourceFile::given(source_dir() + "/scenes/nets/" + name));
}

struct Firing {
  std::string transition;
  std::int64_t frame = 0;
  bool operator==(const Firing&) const = default;
};

struct Played {
  std::vector<Firing> firings;
  std::int64_t frames = 0;  // at the end
  int most_running = 0;
};

// Plays until the frame, or until nothing can happen any more.
inline Played play(const Net& net, std::int64_t frames, RunSettings settings = {}) {
  NetRun run(net, settings);
  Played played;
  const auto note = [&] {
    for (const NetEvent& e : run.events()) {
      if (e.kind != NetEventKind::fire) continue;
      played.firings.push_back(
          {net.transitions[static_cast<std::size_t>(e.node)].name, run.frame_of(e.tick)});
    }
    played.most_running = std::max(played.most_running, run.running());
  };
  note();
  while (run.frame() < frames && !run.is_quiet() && run.advance()) note();
  played.frames = run.frame();
  return played;
}

// The firings of transitions whose names have no "_": those of the top level.
inline std::vector<Firing> top_level(const std::vector<Firing>& firings) {
  std::vector<Firing> top;
  for (const Firing& f : firings) {
    if (f.transition.find('_') == std::string::npos) top.push_back(f);
  }
  return top;
}

inline std::vector<std::int64_t> frames_of(const std::vector<Firing>& firings,
                                           const std::string& transition) {
  std::vector<std::int64_t> frames;
  for (const Firing& f : firings) {
    if (f.transition == transition) frames.push_back(f.frame);
  }
  return frames;
}

}  // namespace molejo::test
