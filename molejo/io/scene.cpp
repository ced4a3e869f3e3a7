#include "molejo/io/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "molejo/io/animado.h"
#include "molejo/io/assembly.h"
#include "molejo/io/scene_keys.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

Integrator read_method(const JsonCursor& cursor) {
  using enum Integrator;
  return read_word(cursor, "integrator", parse_integrator,
                   {semi_implicit_euler, midpoint, rk4, rkf45});
}

void read_integrator(const JsonCursor& cursor, Settings& settings) {
  if (cursor.is_string()) {
    settings.integrator = read_method(cursor);
    return;
  }
  cursor.expect_keys(scene_keys(SceneObject::integrator));
  if (const auto method = cursor.find("method")) settings.integrator = read_method(*method);
  cursor.read_within("time_step", bounds_of::time_step, settings.time_step);
  cursor.read_within("tolerance", bounds_of::tolerance, settings.tolerance);
  cursor.read_within("min_step", bounds_of::min_step, settings.min_step);
  cursor.read_within("max_step", bounds_of::time_step, settings.max_step);
  if (settings.min_step > settings.max_step) cursor.fail("min_step is above max_step");
}

void read_projection(const JsonCursor& cursor, Settings& settings) {
  if (!cursor.is_object()) {
    settings.project = cursor.boolean();
    return;
  }
  cursor.expect_keys(scene_keys(SceneObject::projection));
  cursor.read("enabled", settings.project);
  cursor.read_within("tolerance", bounds_of::tolerance, settings.constraint_tolerance);
}

void read_settings(const JsonCursor& top, Settings& settings) {
  top.read("gravity", settings.gravity);
  if (const auto word = top.find("formulation")) {
    settings.formulation = read_word(*word, "formulation", parse_formulation,
                                     {Formulation::reduced, Formulation::maximal});
  }
  if (const auto integrator = top.find("integrator")) read_integrator(*integrator, settings);
  if (const auto projection = top.find("projection")) read_projection(*projection, settings);
  if (const auto contact = top.find("contact")) read_contact(*contact, settings.contact);
  top.read_within("start_time", bounds_of::start_time, settings.start_time);
  top.read_within("duration", bounds_of::duration, settings.duration);
  top.read_within("fps", bounds_of::fps, settings.fps);
  constexpr double most_frames = 1e7;
  if (!(settings.duration * settings.fps <= most_frames)) {
    top.find(top.has("fps") ? "fps" : "duration")
        ->fail(fmt::format("{} s at {} frames per second are more than {} frames",
                           settings.duration, settings.fps, most_frames));
  }
}

void read_camera(const JsonCursor& cursor, Camera& camera) {
  cursor.expect_keys(scene_keys(SceneObject::camera));
  cursor.read("position", camera.position);
  cursor.read("target", camera.target);
  cursor.read("fov_deg", camera.fov_deg);
  if (!(camera.fov_deg > 0 && camera.fov_deg < 180)) {
    cursor.need("fov_deg").fail("must be between 0 and 180 degrees");
  }
}

std::vector<std::string> read_texts(const JsonCursor& cursor) {
  cursor.expect_array(max_scene_elements);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < cursor.size(); ++i) texts.push_back(cursor[i].text());
  return texts;
}

// "joint", "joint.i", "body.x": begins with a name that exists; or a column about the whole scene
void check_plot(const JsonCursor& cursor, const Scene& scene) {
  constexpr std::size_t longest = 100;
  cursor.expect_array(longest);
  std::vector<std::string> known;
  for (const SceneJoint& joint : scene.joints) known.push_back(joint.name);
  for (const SceneBody& body : scene.bodies) known.push_back(body.name);
  for (const SceneProbe& probe : scene.probes) known.push_back(probe.name);
  for (const SceneForce& force : scene.forces) {
    if (force.samples.empty()) known.push_back(force.name + ".work");
  }
  for (const char* whole : whole_columns) known.emplace_back(whole);
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    const std::string text = cursor[i].text();
    const auto fits = [&](const std::string& name) {
      return text == name || (text.starts_with(name) && text[name.size()] == '.');
    };
    if (std::none_of(known.begin(), known.end(), fits)) {
      cursor[i].fail(unknown_word("joint, body or probe", text.substr(0, text.rfind('.')), known));
    }
  }
}

// A file for each body, within the folder that is chosen when the scene runs.
void read_tables(const JsonCursor& cursor, Scene& scene) {
  cursor.expect_object();
  std::set<std::string> bodies, files;
  for (const SceneBody& body : scene.bodies) bodies.insert(body.name);
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    const std::string& body = cursor.value().keys[i];
    const std::string file = cursor[i].text();
    if (!bodies.contains(body)) {
      const std::vector<std::string> known(bodies.begin(), bodies.end());
      cursor[i].fail(unknown_word("body", body, known));
    }
    if (!is_table_name(file)) cursor[i].fail("expected the name of a file, without a folder");
    if (!files.insert(file).second) cursor[i].fail("is the table of another body already");
    scene.tables.push_back({body, file});
  }
}

}  // namespace

Scene parse_scene(std::string_view text, const SourceFile& file) {
  const JsonDocument document = parse_json(text, file);
  const std::string no_instance;
  Scope scope;
  const JsonCursor top(document, document.root, scope, no_instance);
  top.expect_keys(scene_keys(SceneObject::scene));
  if (const auto parameters = top.find("parameters")) read_parameters(*parameters, scope);

  Scene scene;
  if (const auto schema = top.find("$schema")) schema->text();
  top.read("name", scene.name);
  top.read("description", scene.description);
  read_settings(top, scene.settings);
  if (const auto camera = top.find("camera")) read_camera(*camera, scene.camera);
  SceneExpansion(top, scene).run();
  if (const auto character = top.find("character")) {
    scene.character = read_character(*character, scene);
  }
  if (const auto plot = top.find("plot")) {
    scene.plot = read_texts(*plot);
    check_plot(*plot, scene);
  }
  if (const auto tables = top.find("tables")) read_tables(*tables, scene);
  top.read("legacy_angles", scene.legacy_angles);
  if (const auto warnings = top.find("warnings")) scene.warnings = read_texts(*warnings);
  return scene;
}

Scene read_scene(const SourceFile& file) { return parse_scene(file.read(max_json_bytes), file); }

}  // namespace molejo
