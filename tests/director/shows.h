// The shipped shows, and what their recordings show.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "molejo/io/file.h"
#include "molejo/io/show.h"
#include "tests/support/places.h"

namespace molejo::test {

inline std::string shows() { return source_dir() + "/scenes/shows/"; }
inline std::string show_text(const std::string& name) {
  return read_file(shows() + name + ".show.json");
}
inline Show shipped_show(const std::string& name) {
  return load_show(SourceFile::given(shows() + name + ".show.json"));
}

// A show written in a test; files are found as from the folder of the shipped ones, and where tests
// write their own.
inline Show show_of(const std::string& text) {
  return parse_show(text, SourceFile::given(shows() + "test.show.json",
                                            {std::filesystem::temp_directory_path().string()}));
}

inline std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), by);
}

inline Vec3 position(const Show& show, const Frame& frame, const std::string& body) {
  return frame.X_WB[static_cast<std::size_t>(show.built->model.body(body).index)].p;
}

struct Fired {
  std::string transition;
  std::int64_t frame = 0;
  bool operator==(const Fired&) const = default;
};
inline std::vector<Fired> firings(const Show& show, const NetTrace& trace) {
  std::vector<Fired> list;
  for (const NetEvent& e : trace.events) {
    if (e.kind != NetEventKind::fire) continue;
    list.push_back(
        {show.net.transitions[static_cast<std::size_t>(e.node)].name, trace.frame_of(e.tick)});
  }
  return list;
}

inline std::vector<std::int64_t> frames_of(const std::vector<Fired>& list,
                                           const std::string& name) {
  std::vector<std::int64_t> frames;
  for (const Fired& f : list) {
    if (f.transition == name) frames.push_back(f.frame);
  }
  return frames;
}

}  // namespace molejo::test
