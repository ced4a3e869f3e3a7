#include "apps/cli/gallery_cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "apps/cli/gait.h"
#include "apps/cli/given.h"
#include "apps/cli/run.h"
#include "apps/cli/sketch.h"
#include "apps/cli/walk.h"
#include "molejo/io/character_file.h"
#include "molejo/io/export.h"
#include "molejo/io/file.h"
#include "molejo/io/gallery_film.h"
#include "molejo/io/load.h"
#include "molejo/io/net_draw.h"
#include "molejo/io/net_file.h"
#include "molejo/io/show.h"
#include "molejo/io/show_glb.h"
#include "molejo/io/walk_glb.h"
#include "molejo/math/angles.h"
#include "molejo/model/error.h"
#include "molejo/studio/model_view.h"
#include "molejo/studio/net_findings.h"

namespace molejo::cli {

namespace {

namespace fs = std::filesystem;

constexpr double shown_gait_seconds = 6, shown_sketch_seconds = 6;
constexpr double plotted_seconds = 1.2;  // of a gait
constexpr double film_fps = 60;

GalleryCard card_of(const GallerySource& source) {
  GalleryCard card;
  card.id = source.base;
  card.topic = source.entry.topic;
  card.kind = to_string(source.entry.kind);
  card.title = source.entry.title;
  card.description = source.entry.description;
  card.source = source.entry.file;
  return card;
}

// Writes a file beside the page and links it.
void add_file(const GallerySource& source, const std::string& ending, const std::string& label,
              const std::string& content, GalleryCard& card) {
  write_file((fs::path(source.out) / (source.base + ending)).string(), content);
  card.files.emplace_back(source.base + ending, label);
}

void add_picture(const GallerySource& source, const std::string& ending, const std::string& label,
                 const std::string& svg, const std::string& alt, GalleryCard& card) {
  add_file(source, ending, label, svg, card);
  card.pictures.push_back(gallery_picture(svg, source.base + ending, alt));
}

void add_recording(const GallerySource& source, const Scene& scene, const Model& model,
                   const Recording& recording, GalleryCard& card) {
  add_file(source, ".glb", "glTF animation", glb(scene, model, recording), card);
  add_file(source, ".csv", "CSV table", csv(model, recording), card);
  add_picture(source, ".svg", "SVG plot", svg(scene, model, recording),
              "stills and energy of " + card.title, card);
}

// What an analysis says that takes seconds at most.
void add_findings(const Net& net, int own, GalleryCard& card) {
  constexpr const char* signs[] = {"good", "bad", "unknown", "remark"};
  constexpr std::size_t most_told = 10;
  const NetFindings findings = find_out(net, quick_markings, own);
  std::vector<GallerySentence> sentences;
  for (const Finding& f : findings.sentences) {
    sentences.push_back({signs[static_cast<int>(f.sign)], f.text});
  }
  if (sentences.size() > most_told + 1) {
    const std::size_t more = sentences.size() - most_told;
    sentences.resize(most_told);
    sentences.push_back({"remark", fmt::format("{} more: molejo net analyse", more)});
  }
  card.sentences.insert(card.sentences.end(), sentences.begin(), sentences.end());
  card.facts.emplace_back("places", grouped(static_cast<std::int64_t>(net.places.size())));
  card.facts.emplace_back("transitions", grouped(own));
  card.facts.emplace_back("markings", (findings.complete ? "" : "more than ") +
                                          grouped(static_cast<std::int64_t>(findings.markings)));
}

void add_drawing(const GallerySource& source, const std::string& ending, const Net& net,
                 GalleryCard& card) {
  try {
    add_picture(source, ending, "SVG of the net", net_svg(net), "the net of " + card.title, card);
  } catch (const InputError& e) {  // too large
    card.sentences.push_back({"remark", std::string("not drawn: ") + e.what()});
  }
}

// Goes along with a figure, level, from the right and a little before it.
void follow_figure(const Character& c, const Recording& recording, GalleryFilm& film) {
  const auto torso = static_cast<std::size_t>(c.torso.index);
  if (recording.frames.empty()) return;
  FilmActor focus;
  for (const std::size_t i : film_frames(recording.frames.size(), c.model.bodies.size())) {
    const Vec3 p = recording.frames[i].X_WB[torso].p;
    focus.X_W.push_back({Mat3::identity(), p - c.up * dot(p, c.up)});
  }
  const Vec3 first = recording.frames.front().X_WB[torso].p;
  const double height = dot(first, c.up);
  if (is_given(c.scene->camera)) {
    film.camera = c.scene->camera;
  } else {
    film.camera.fov_deg = 40;
    film.camera.target = first - c.up * (0.1 * height);
    film.camera.position =
        film.camera.target + normalized(c.up * 0.22 + c.forward * 0.45 - c.left) * (3.6 * height);
  }
  film.follow = static_cast<int>(film.actors.size());
  film.actors.push_back(std::move(focus));
}

// Characters of packages that not everybody has.
CharacterLoader installed_characters(std::string& missing) {
  return [&missing](const SourceFile& file) {
    if (file.name().find("node_modules/") != std::string::npos && !file.exists()) {
      missing = file.name();
      throw InputError(missing + ": is not installed");
    }
    return load_character(file);
  };
}

// Reads what names characters by `load(file, loader)`.
template <class Load>
auto load_with_characters(const std::string& path, Load load) {
  std::string missing;
  try {
    return load(given(path), installed_characters(missing));
  } catch (const InputError&) {
    if (missing.empty()) throw;
    throw NotInstalled{missing};
  }
}

// The worst of all characters, beside what the clip alone would have done.
void add_quality(const std::vector<navigation::Quality>& characters, GalleryCard& card) {
  using Figures = navigation::QualityFigures;
  const auto worst = [&](Figures navigation::Quality::*which, auto figure) {
    double most = 0;
    for (const navigation::Quality& q : characters) most = std::max(most, figure(q.*which));
    return fmt::format("{:.3g}", most);
  };
  const auto add = [&](const char* name, auto figure) {
    card.table.push_back({name, worst(&navigation::Quality::adapted, figure),
                          worst(&navigation::Quality::unadapted, figure)});
  };
  card.table = {{"", "on this ground", "the clip alone"}};
  add("feet slip, mm", [](const Figures& f) { return f.slip_most; });
  add("feet in the ground, mm",
      [](const Figures& f) { return std::max(f.penetration_heel, f.penetration_toe); });
  add("feet above it, mm",
      [](const Figures& f) { return std::max(f.hovering_heel, f.hovering_toe); });
  add("knees turn, degrees a second", [](const Figures& f) { return f.knee_speed; });
  add("joints jump, degrees a frame", [](const Figures& f) { return f.angle_jump; });
}

}  // namespace

MadeCard scene_card(const GallerySource& source) {
  const Scene scene = load_scene(given(source.path));
  const Built built = build_loaded(scene, source.path);
  const Recording recording = run(built, scene.settings);
  const Summary& s = recording.summary;
  MadeCard made{card_of(source), fmt::format("{:>5.4g} s in {:>6} steps, energy drift {:.1e}",
                                             s.duration, s.steps, s.energy_drift)};
  GalleryCard& card = made.card;
  if (!scene.name.empty()) card.title = scene.name;
  if (!scene.description.empty()) card.description = scene.description;
  card.facts = summary_facts(s);
  card.failure = s.failure;
  card.warnings = s.warnings;
  card.film = film_json(film_of(scene, built.model, recording));
  add_recording(source, scene, built.model, recording, card);
  if (!scene.warnings.empty()) {
    made.told +=
        fmt::format(", warnings: {} (molejo check {})", scene.warnings.size(), source.path);
  }
  return made;
}

MadeCard gait_card(const GallerySource& source) {
  const PlayableGait gait(source.path);
  const Character& c = gait.character;
  // without a feedback it would fall: then as the thesis shows it, put back at the end of a cycle
  ReplayOptions options;
  options.seconds = shown_gait_seconds, options.fps = film_fps;
  options.reset = !gait.feedback;
  const Replay played = replay(gait.problem, gait.file.unknowns, options, gait.feedback);
  const ReplayReport& r = played.report;
  const std::string falls = r.fell ? fmt::format("after {:.3g} s", r.seconds) : "never";
  MadeCard made{card_of(source), fmt::format("{:>5.4g} s, {:.3g} m/s, falls {}", r.seconds, r.speed,
                                             r.fell ? falls : "never")};
  GalleryCard& card = made.card;
  const Scene scene = shown_scene(c, gait.file.motion.motion, played.recording);
  GalleryFilm film = film_of(scene, c.model, played.recording);
  follow_figure(c, played.recording, film);
  card.film = film_json(film);
  if (gait.feedback) card.kind = "closed gait";
  card.facts = {{"replayed", gait.feedback ? "with its feedback" : "put back after each cycle"},
                {"speed", fmt::format("{:.3g} m/s", r.speed)},
                {"distance", fmt::format("{:.3g} m", r.distance)},
                {"steps", grouped(r.steps)},
                {"falls", falls},
                {"cost of transport", fmt::format("{:.3g}", r.cost_of_transport)},
                {"duty factor", fmt::format("{:.3g}", r.duty_factor)},
                {"peak ground force", fmt::format("{:.3g} body weights", r.peak_force)}};
  add_file(source, ".glb", "glTF animation", glb(scene, c.model, played.recording), card);
  add_file(source, ".csv", "CSV table", csv(c.model, played.recording), card);
  // of some steps: of the whole way the figures would be too small to be seen
  Recording begin = played.recording;
  const auto few = static_cast<std::size_t>(plotted_seconds * film_fps) + 1;
  if (begin.frames.size() > few) begin.frames.resize(few);
  const Scene near = shown_scene(c, gait.file.motion.motion, begin);
  add_picture(source, ".svg", "SVG plot", svg(near, c.model, begin),
              "the first steps of " + card.title, card);
  return made;
}

MadeCard motion_card(const GallerySource& source) {
  const MotionFile file = load_motion(given(source.path));
  const Character c = make_character(file.scene, file.motion.figure);
  Sketch sketch(c, file.motion);
  const ShownSketch shown = look_at_sketch(c, file.motion, sketch, shown_sketch_seconds);
  const Recording recording = record_sketch(c, sketch, shown_sketch_seconds, film_fps);
  MadeCard made{card_of(source),
                fmt::format("{:>5.4g} s, {} vibrations", shown_sketch_seconds, shown.modes.size())};
  GalleryCard& card = made.card;
  card.kind = "sketch";
  GalleryFilm film = film_of(*c.scene, c.model, recording);
  std::erase_if(film.parts, [](const FilmPart& part) { return part.mesh < 0; });  // no ground
  follow_figure(c, recording, film);
  card.film = film_json(film);
  card.table = {{"step", "phase", "mode", "amplitude", "swing", "shape"}};
  for (const ShownMode& m : shown.modes) {
    card.table.push_back({std::to_string(m.step + 1), to_string(m.phase), std::to_string(m.mode),
                          fmt::format("{:.3g}", m.amplitude),
                          fmt::format("{:.1f}°", m.reached / degree),
                          m.words.substr(0, m.words.find(" ("))});
  }
  card.facts = {{"period", fmt::format("{:.3g} s", sketch.period())},
                {"largest joint turn", fmt::format("{:.3g}°", shown.largest_turn / degree)},
                {"forces", "the vibrations alone: no gravity, no ground"}};
  add_file(source, ".glb", "glTF animation", glb(*c.scene, c.model, recording), card);
  return made;
}

MadeCard show_card(const GallerySource& source) {
  const Show show = load_with_characters(source.path, load_show);
  DirectSettings settings;
  settings.skeletons = has_skins(show);
  const Directed directed = direct(show, settings);
  const Model& model = show.built->model;
  const Summary& s = directed.recording.summary;
  const auto firings =
      std::count_if(directed.trace.events.begin(), directed.trace.events.end(),
                    [](const NetEvent& e) { return e.kind == NetEventKind::fire; });
  MadeCard made{card_of(source), fmt::format("{:>5.4g} s, {} firings", s.duration, firings)};
  GalleryCard& card = made.card;
  card.failure = s.failure;
  card.warnings = s.warnings;
  card.film = film_json(film_of(show.scene, model, directed.recording));
  const bool skins = !directed.walkers.empty();
  add_file(source, ".glb", "glTF animation",
           skins ? show_glb(show, directed) : glb(show.scene, model, directed.recording), card);
  add_file(source, ".csv", "CSV table", csv(model, directed.recording), card);
  add_picture(source, ".gantt.svg", "SVG of the run", gantt_svg(show.net, directed.trace),
              "what the net of " + card.title + " did when", card);
  add_drawing(source, ".net.svg", show.net, card);
  add_findings(with_outside(show.net, show.causes), static_cast<int>(show.net.transitions.size()),
               card);
  card.facts.emplace_back("firings", grouped(firings));
  return made;
}

MadeCard net_card(const GallerySource& source) {
  const Net net = load_net(given(source.path));
  MadeCard made{card_of(source), ""};
  GalleryCard& card = made.card;
  add_drawing(source, ".svg", net, card);
  add_findings(net, static_cast<int>(net.transitions.size()), card);
  made.told = fmt::format("{} places, {} transitions", net.places.size(), net.transitions.size());
  return made;
}

MadeCard walk_card(const GallerySource& source) {
  const WalkScene scene = load_with_characters(source.path, load_walk_scene);
  const WalkRun walked = run_walk(scene);
  double way = 0;
  for (const navigation::Quality& q : walked.judgement.characters) way = std::max(way, q.way);
  MadeCard made{card_of(source), fmt::format("{:>5.4g} s, {:.3g} m", scene.duration, way)};
  GalleryCard& card = made.card;
  card.film = film_json(film_of(scene, walked.record));
  add_quality(walked.judgement.characters, card);
  card.facts = {{"characters", grouped(static_cast<std::int64_t>(walked.record.characters.size()))},
                {"farthest way", fmt::format("{:.3g} m", way)}};
  add_file(source, ".glb", "glTF animation", walk_glb(scene, walked.record), card);
  return made;
}

MadeCard make_card(const GallerySource& source) {
  switch (source.entry.kind) {
    case FileKind::gait:
      return gait_card(source);
    case FileKind::motion:
      return motion_card(source);
    case FileKind::show:
      return show_card(source);
    case FileKind::net:
      return net_card(source);
    case FileKind::walk:
      return walk_card(source);
    default:
      break;
  }
  return scene_card(source);
}

}  // namespace molejo::cli
