#include "molejo/io/gallery.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "molejo/io/coil.h"
#include "molejo/io/gallery_page.h"
#include "molejo/io/markup.h"

namespace molejo {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_frames = 360;  // the player interpolates between them
constexpr int segments = 20;

// Few digits keep the page small; a picture needs no more.
double rounded(double x) {
  if (!std::isfinite(x) || std::fabs(x) > 1e12) return 0;
  if (std::fabs(x) < 1e-9) return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(std::fabs(x))) - 4);
  return std::stod(fmt::format("{:.6g}", std::round(x / unit) * unit));
}

void append(Json& list, std::initializer_list<double> values) {
  for (const double v : values) list.push_back(rounded(v));
}

Json numbers(const std::vector<Vec3>& vectors) {
  Json list = Json::array();
  for (const Vec3& v : vectors) append(list, {v.x, v.y, v.z});
  return list;
}

Json mesh_object(const Mesh& mesh) {
  Json indices = Json::array();
  for (const auto& t : mesh.triangles) {
    for (const int i : t) indices.push_back(i);
  }
  return {{"p", numbers(mesh.positions)}, {"n", numbers(mesh.normals)}, {"i", std::move(indices)}};
}

Json pose_list(const Pose& X) {
  Json list = Json::array();
  const Quat q = quaternion(X.R);
  append(list, {X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z});
  return list;
}

std::vector<const Frame*> shown_frames(const Recording& recording) {
  const std::size_t n = recording.frames.size(), stride = (n + most_frames - 1) / most_frames;
  std::vector<const Frame*> frames;
  for (std::size_t i = 0; i < n; i += stride) frames.push_back(&recording.frames[i]);
  return frames;
}

bool moves(const std::vector<const Frame*>& frames, std::size_t body) {
  return std::any_of(frames.begin(), frames.end(), [&](const Frame* f) {
    return !(f->X_WB[body] == frames.front()->X_WB[body]);
  });
}

// What the player draws: `parts` hang on `actors`; each frame holds the time, then for each moving
// actor position, quaternion and stretch. Actors that rest have their pose in `rest`.
Json player_data(const Scene& scene, const Model& model, const Recording& recording) {
  const std::vector<const Frame*> frames = shown_frames(recording);
  Json meshes = Json::array(), parts = Json::array(), actors = Json::array();
  Json rows = Json::array();
  for (const Frame* f : frames) rows.push_back({rounded(f->state.t)});
  const auto add_part = [&](const Shape& shape, const Pose& X) {
    Json part{{"actor", actors.size()}, {"pose", pose_list(X)}};
    part["color"] = Json::array();
    append(part["color"], {shape.color.r, shape.color.g, shape.color.b, shape.color.a});
    if (!std::holds_alternative<Plane>(shape.geometry)) {
      part["mesh"] = meshes.size();
      meshes.push_back(mesh_object(tessellate(shape.geometry, segments)));
    }
    parts.push_back(std::move(part));
  };
  const auto add_pose = [](Json& row, const Pose& X, double stretch) {
    for (const Json& v : pose_list(X)) row.push_back(v);
    row.push_back(rounded(stretch));
  };

  for (std::size_t b = 0; b < model.bodies.size() && !frames.empty(); ++b) {
    for (const Shape& shape : model.bodies[b].shapes) {
      if (shape.color.a > 0) add_part(shape, shape.X_BS);
    }
    if (moves(frames, b)) {
      actors.push_back(nullptr);
      for (std::size_t i = 0; i < frames.size(); ++i) add_pose(rows[i], frames[i]->X_WB[b], 1);
    } else {
      actors.push_back({{"rest", pose_list(frames.front()->X_WB[b])}});
    }
  }
  for (const PointSpring& spring : model.springs) {
    if (frames.empty()) break;
    const Coil c = coil(spring, frames);
    parts.push_back({{"actor", actors.size()},
                     {"pose", {0, 0, 0, 1, 0, 0, 0}},
                     {"color", {0.45, 0.47, 0.5, 1}},
                     {"mesh", meshes.size()}});
    meshes.push_back(mesh_object(c.mesh));
    actors.push_back(nullptr);
    for (std::size_t i = 0; i < frames.size(); ++i) add_pose(rows[i], c.X_WS[i], c.stretch[i]);
  }

  Json camera;
  camera["position"] = numbers({scene.camera.position});
  camera["target"] = numbers({scene.camera.target});
  camera["fov_deg"] = rounded(std::clamp(scene.camera.fov_deg, 5.0, 120.0));
  return {{"camera", camera},
          {"meshes", meshes},
          {"parts", parts},
          {"actors", actors},
          {"frames", rows}};
}

// RFC 3986: everything but unreserved characters and the slash is percent-encoded.
std::string url(const std::string& path) {
  std::string out;
  for (const char c : path) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 128 &&
        (std::isalnum(code) || std::string_view("-._~/").find(c) != std::string::npos)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", code);
    }
  }
  return out;
}

// 1234567 as "1 234 567", with thin spaces that do not break.
std::string grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3 + (value < 0);) {
    at -= 3;
    digits.insert(at, "\xE2\x80\xAF");
  }
  return digits;
}

// 1.2 x 10^-9 as markup.
std::string scientific(double x) {
  if (x == 0 || !std::isfinite(x)) return x == 0 ? "0" : "not finite";
  const std::string text = fmt::format("{:.1e}", x);
  const std::size_t e = text.find('e');
  const int exponent = std::stoi(text.substr(e + 1));
  if (exponent == 0) return text.substr(0, e);
  return fmt::format("{}&#8239;\u00D7&#8239;10<sup>{}{}</sup>", text.substr(0, e),
                     exponent < 0 ? "\u2212" : "", std::abs(exponent));
}

std::string facts(const Summary& s) {
  std::string out;
  const auto add = [&](const char* name, const std::string& markup) {
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, markup);
  };
  const auto rate = static_cast<std::int64_t>(std::clamp(s.steps_per_second, 0.0, 1e15));
  const std::string rejected = " (" + grouped(s.rejected_steps) + " rejected)";
  add("simulated", fmt::format("{:.4g} s", s.duration));
  add("steps", grouped(s.steps) + (s.rejected_steps > 0 ? rejected : ""));
  add("steps per second", grouped(rate));
  add("energy at start", fmt::format("{:.5g} J", s.energy_initial));
  add("energy deviation", scientific(s.energy_deviation) + " J");
  add("energy drift", scientific(s.energy_drift));
  add("constraint error", scientific(s.constraint_error));
  add("final state", fmt::format("{:016x}", s.hash));
  return out;
}

}  // namespace

std::string gallery_card(const Scene& scene, const Model& model, const Recording& recording,
                         const std::string& base) {
  const std::string file = url(base), title = escaped(scene.name.empty() ? base : scene.name);
  std::string out = fmt::format("<article class=\"card\" id=\"{}\">\n<h2>{}</h2>\n", file, title);
  if (!scene.description.empty()) {
    out += "<p class=\"description\">" + escaped(scene.description) + "</p>\n";
  }
  if (!recording.summary.failure.empty()) {
    out += "<p class=\"failure\">stopped early: " + escaped(recording.summary.failure) + "</p>\n";
  }
  out += fmt::format(
      "<div class=\"views\">\n<div>\n<div class=\"player\">\n"
      "<canvas width=\"1120\" height=\"700\" aria-label=\"animation of {}\"></canvas>\n"
      "<div class=\"controls\"><button type=\"button\" aria-label=\"play\"></button>"
      "<input type=\"range\" min=\"0\" max=\"1\" step=\"any\" value=\"0\" aria-label=\"time\">"
      "<output>0.00 s</output></div>\n</div>\n",
      title);
  out += "<dl>\n" + facts(recording.summary) + "</dl>\n";
  out += fmt::format(
      "<p class=\"files\"><a href=\"{0}.glb\">glTF animation</a><a href=\"{0}.csv\">CSV table</a>"
      "<a href=\"{0}.svg\">SVG plot</a></p>\n</div>\n"
      "<a class=\"plot\" href=\"{0}.svg\"><img src=\"{0}.svg\" alt=\"energy of "
      "{1}\"></a>\n</div>\n",
      file, title);
  // numbers alone, so nothing in it can end the element
  out += "<script type=\"application/json\">" + player_data(scene, model, recording).dump() +
         "</script>\n</article>\n";
  return out;
}

std::string gallery_page(std::span<const std::string> cards) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>Molejo</title>\n<style>\n";
  out += gallery_style;
  out += fmt::format(
      "</style>\n</head>\n<body>\n<header>\n<h1>Molejo</h1>\n"
      "<p>{} simulated {}. Drag a picture to look around; the glTF files play in Blender and any "
      "glTF viewer.</p>\n</header>\n<main>\n",
      cards.size(), cards.size() == 1 ? "scene" : "scenes");
  for (const std::string& card : cards) out += card;
  out += "</main>\n<script>\n";
  out += gallery_script;
  return out + "</script>\n</body>\n</html>\n";
}

}  // namespace molejo
