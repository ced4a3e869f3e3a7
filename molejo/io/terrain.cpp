#include "molejo/io/terrain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "molejo/io/json_place.h"
#include "molejo/io/png.h"
#include "molejo/io/scene.h"
#include "molejo/io/scene_elements.h"
#include "molejo/io/terrain_relief.h"
#include "molejo/math/angles.h"
#include "molejo/math/expression.h"
#include "molejo/model/formula_error.h"

namespace molejo {

namespace {

constexpr double smallest_side = 1e-6;

double coordinate(const JsonCursor& at) { return at.between(-farthest_terrain, farthest_terrain); }

Domain read_domain(const JsonCursor& at) {
  const JsonCursor from = at.need("from"), to = at.need("to");
  from.numbers(2), to.numbers(2);
  const Domain d{coordinate(from[0]), coordinate(to[0]), coordinate(from[1]), coordinate(to[1])};
  if (!(d.x1 - d.x0 >= smallest_side && d.y1 - d.y0 >= smallest_side)) {
    to.fail("expected more than 'from' along x and along y");
  }
  return d;
}

// [low, high], not decreasing.
void read_range(const JsonCursor& at, double lowest, double highest, double (&range)[2]) {
  at.numbers(2);
  range[0] = at[0].between(lowest, highest);
  range[1] = at[1].between(range[0], highest);
}

std::uint64_t read_seed(const JsonCursor& at) {
  const auto seed = at.find("seed");
  return seed ? static_cast<std::uint64_t>(seed->whole(0, 2'000'000'000)) : 1;
}

motion::Relief read_noise(const JsonCursor& at, const Domain& domain) {
  const std::vector<std::string> keys{"amplitude", "feature", "roughness", "octaves", "seed"};
  at.expect_keys(keys);
  NoiseSettings n;
  n.amplitude = at.need("amplitude").between(0, highest_terrain);
  n.feature = at.need("feature").between(1e-3, farthest_terrain);
  at.read_between("roughness", 0, 1, n.roughness);
  if (const auto octaves = at.find("octaves")) n.octaves = octaves->whole(1, 12);
  n.seed = read_seed(at);
  return noise_relief(domain, n);
}

motion::Relief read_bumps(const JsonCursor& at, const Domain& domain, int& bumps) {
  const std::vector<std::string> keys{"count", "height", "width", "seed"};
  at.expect_keys(keys);
  BumpSettings b;
  b.count = at.need("count").whole(1, max_terrain_bumps);
  bumps += b.count;
  if (bumps > max_terrain_bumps) {
    at.need("count").fail(fmt::format("more than {} bumps in all terrains", max_terrain_bumps));
  }
  read_range(at.need("height"), -highest_terrain, highest_terrain, b.strength);
  read_range(at.need("width"), 1e-3, farthest_terrain, b.width);
  b.seed = read_seed(at);
  return bump_relief(domain, b);
}

void read_piece(const JsonCursor& at, std::vector<motion::Piece>& pieces) {
  const std::vector<std::string> keys{"length", "rise", "climb", "slope_deg", "count"};
  at.expect_keys(keys);
  motion::Piece piece;
  piece.length = at.need("length").between(1e-3, farthest_terrain);
  at.read_between("rise", -highest_terrain, highest_terrain, piece.rise);
  const std::string_view climb = at.only_one({"climb", "slope_deg"});
  if (climb == "climb") at.read_between("climb", -highest_terrain, highest_terrain, piece.climb);
  if (climb == "slope_deg") {
    const SinCos<double> sc = sincos(at.need("slope_deg").between(-85, 85) * degree);
    piece.climb = piece.length * sc.sin / sc.cos;
  }
  const auto count = at.find("count");
  const int copies = count ? count->whole(1, static_cast<int>(max_terrain_pieces)) : 1;
  if (pieces.size() + static_cast<std::size_t>(copies) > max_terrain_pieces) {
    at.fail(fmt::format("more than {} pieces", max_terrain_pieces));
  }
  pieces.insert(pieces.end(), static_cast<std::size_t>(copies), piece);
}

void read_steps(const JsonCursor& at, Terrain& terrain) {
  const JsonCursor list = at.need("steps");
  list.expect_array(max_terrain_pieces);
  if (list.size() == 0) list.fail("expected one piece or more");
  std::vector<motion::Piece> once, pieces;
  for (std::size_t i = 0; i < list.size(); ++i) read_piece(list[i], once);
  const auto repeat = at.find("repeat");
  const int times = repeat ? repeat->whole(1, static_cast<int>(max_terrain_pieces)) : 1;
  if (once.size() * static_cast<std::size_t>(times) > max_terrain_pieces) {
    repeat->fail(fmt::format("more than {} pieces", max_terrain_pieces));
  }
  for (int i = 0; i < times; ++i) pieces.insert(pieces.end(), once.begin(), once.end());

  const JsonCursor from = at.need("from");
  from.numbers(2);
  const double x0 = coordinate(from[0]), y0 = coordinate(from[1]);
  const double width = at.need("width").between(1e-3, farthest_terrain);
  double x = x0, z = 0;
  for (const motion::Piece& piece : pieces) {
    if (x > x0) terrain.breaks.push_back(x);
    x += piece.length, z += piece.rise + piece.climb;
    if (!(x - x0 <= farthest_terrain && std::fabs(z) <= highest_terrain)) {
      list.fail(fmt::format("goes farther than {:g} m or higher than {:g} m", farthest_terrain,
                            highest_terrain));
    }
  }
  terrain.relief = motion::piecewise_relief(x0, y0, y0 + width, pieces);
}

// [x, y] or one number for both.
std::array<double, 2> read_pair(const JsonCursor& at, double lowest, double highest) {
  if (at.is_number()) {
    const double x = at.between(lowest, highest);
    return {x, x};
  }
  at.numbers(2);
  return {at[0].between(lowest, highest), at[1].between(lowest, highest)};
}

void read_extent(const JsonCursor& at, HeightField& field) {
  const std::array<double, 2> size = read_pair(at.need("size"), 1e-3, farthest_terrain);
  field.dx = size[0] / (field.columns - 1), field.dy = size[1] / (field.rows - 1);
}

void count_heights(const JsonCursor& at, std::size_t more, std::size_t& heights) {
  heights += more;
  if (heights > max_scene_heights) {
    at.fail(fmt::format("more than {} heights in all terrains", max_scene_heights));
  }
}

// Rows as on a map: the first one at +y, x to the right.
HeightField read_grid(const JsonCursor& at, std::size_t& heights) {
  const JsonCursor rows = at.need("grid");
  rows.expect_array(max_scene_heights);
  if (rows.size() < 2) rows.fail("expected two or more rows");
  HeightField field;
  field.rows = static_cast<int>(rows.size());
  for (std::size_t r = rows.size(); r-- > 0;) {
    rows[r].expect_array(max_scene_heights);
    if (rows[r].size() < 2) rows[r].fail("expected two or more heights in a row");
    if (rows[r].size() != rows[0].size()) {
      rows[r].fail(
          fmt::format("{} heights, but the first row has {}", rows[r].size(), rows[0].size()));
    }
    count_heights(rows, rows[r].size(), heights);
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      field.heights.push_back(rows[r][c].between(-highest_terrain, highest_terrain));
    }
  }
  field.columns = static_cast<int>(rows[0].size());
  read_extent(at, field);
  return field;
}

HeightField read_image(const JsonCursor& at, std::size_t& heights) {
  const JsonCursor name = at.need("image"), range = at.need("height");
  double low = 0, high = 0;
  if (range.is_number()) {
    high = range.between(-highest_terrain, highest_terrain);
  } else {
    range.numbers(2);
    low = range[0].between(-highest_terrain, highest_terrain);
    high = range[1].between(-highest_terrain, highest_terrain);
  }
  const GreyImage image =
      placed(name, [&] { return read_png(file_beside(name), max_scene_heights - heights); });
  if (image.width < 2 || image.height < 2) name.fail("the image has less than 2 x 2 pixels");
  count_heights(name, image.pixels.size(), heights);
  HeightField field;
  field.columns = image.width, field.rows = image.height;
  for (int r = image.height - 1; r >= 0; --r) {
    for (int c = 0; c < image.width; ++c) {
      const double white =
          image.pixels[static_cast<std::size_t>(r) * static_cast<std::size_t>(image.width) +
                       static_cast<std::size_t>(c)];
      field.heights.push_back(low * (1 - white) + high * white);
    }
  }
  read_extent(at, field);
  return field;
}

constexpr std::array<std::string_view, 6> relief_kinds{"elevation", "noise", "bumps",
                                                       "steps",     "grid",  "image"};

// One of them, or the name of a file of them.
bool looks_like_terrain(const JsonValue& value) {
  if (value.is(JsonValue::Kind::string)) return value.text.ends_with(".json");
  return std::any_of(relief_kinds.begin(), relief_kinds.end(),
                     [&](std::string_view kind) { return value.find(kind) != nullptr; });
}

void read_placement(const JsonCursor& at, Terrain& terrain) {
  for (const char* key : {"orientation", "rotation", "heading_deg"}) {
    if (const auto turned = at.find(key)) {
      turned->fail("terrains are not turned: their heights are a function of x and y");
    }
  }
  if (const auto offset = at.find("offset")) {
    offset->numbers(3);
    terrain.offset = {coordinate((*offset)[0]), coordinate((*offset)[1]),
                      (*offset)[2].between(-highest_terrain, highest_terrain)};
  }
  if (const auto scale = at.find("scale")) {
    constexpr double least = 1e-4, most = 1e4;
    if (scale->is_number()) {
      const double s = scale->between(least, most);
      terrain.scale = {s, s, s};
    } else {
      scale->numbers(3);
      terrain.scale = {(*scale)[0].between(least, most), (*scale)[1].between(least, most),
                       (*scale)[2].between(least, most)};
    }
  }
  if (const auto color = at.find("color")) terrain.color = read_color(*color, {});
  if (const auto cells = at.find("cells")) {
    constexpr double most = static_cast<double>(max_terrain_cells);
    const std::array<double, 2> n = read_pair(*cells, 1, most);
    terrain.cells = {static_cast<int>(n[0]), static_cast<int>(n[1])};
  }
}

}  // namespace

Terrain TerrainReader::read(const JsonCursor& at) {
  at.expect_object();
  std::vector<std::string> keys{
      "name",  "description", "offset", "scale",  "color",       "cells",    "elevation",
      "noise", "bumps",       "steps",  "grid",   "image",       "from",     "to",
      "size",  "height",      "width",  "repeat", "heading_deg", "rotation", "orientation"};
  at.expect_keys(keys);
  const std::string_view kind =
      at.only_one({"elevation", "noise", "bumps", "steps", "grid", "image"});
  if (kind.empty()) at.fail("expected elevation, noise, bumps, steps, grid or image");
  const auto refuse = [&](std::initializer_list<const char*> strangers) {
    for (const char* key : strangers) {
      if (const auto x = at.find(key)) x->fail(fmt::format("does not belong to '{}'", kind));
    }
  };
  Terrain terrain;
  if (const auto name = at.find("name")) terrain.name = name->name();
  read_placement(at, terrain);
  if (kind == "grid" || kind == "image") {
    refuse({"from", "to", "width", "repeat"});
    if (kind == "grid") refuse({"height"});
    terrain.relief =
        motion::grid_relief(kind == "grid" ? read_grid(at, heights_) : read_image(at, heights_));
    return terrain;
  }
  refuse({"size", "height"});
  if (kind == "steps") {
    refuse({"to"});
    read_steps(at, terrain);
    return terrain;
  }
  refuse({"width", "repeat"});
  const Domain domain = read_domain(at);
  if (kind == "elevation") {
    const JsonCursor formula = at.need("elevation");
    const std::string text = formula.word();
    terrain.relief =
        placed(formula, [&] { return expression_relief(domain, text, formula.scope()); });
  } else {
    terrain.relief = kind == "noise" ? read_noise(at.need("noise"), domain)
                                     : read_bumps(at.need("bumps"), domain, bumps_);
  }
  return terrain;
}

std::vector<Terrain> TerrainReader::read_all(const JsonCursor& at) {
  std::vector<Terrain> all;
  const auto read_one = [&](const JsonCursor& item) {
    if (item.is_string()) {
      // files that name files that name themselves
      if (files_ >= 4) item.fail("terrain files within each other too deeply");
      const SourceFile file = file_beside(item);
      ++files_;
      std::vector<Terrain> more = placed(item, [&] {
        const JsonDocument document = parse_json(file.read(max_json_bytes), file);
        const Scope scope;
        const std::string instance;
        return read_all({document, document.root, scope, instance});
      });
      --files_;
      all.insert(all.end(), more.begin(), more.end());
    } else {
      all.push_back(read(item));
    }
    if (all.size() > max_terrains) at.fail(fmt::format("more than {} terrains", max_terrains));
  };
  if (at.is_object() && at.has("terrains")) {
    const std::vector<std::string> keys{"name", "description", "terrains"};
    at.expect_keys(keys);
    return read_all(at.need("terrains"));
  }
  if (!at.is_array()) {
    read_one(at);
    return all;
  }
  at.expect_array(max_terrains);
  if (at.size() == 0) at.fail("expected one terrain or more");
  // a list has no keys by which it could be known
  if (std::all_of(at.value().items.begin(), at.value().items.end(), looks_like_terrain)) {
    at.document().is_ours = true;
  }
  for (std::size_t i = 0; i < at.size(); ++i) read_one(at[i]);
  return all;
}

std::vector<Terrain> parse_terrains(std::string_view text, const SourceFile& file) {
  const JsonDocument document = parse_json(text, file);
  const Scope scope;
  const std::string instance;
  return TerrainReader().read_all({document, document.root, scope, instance});
}

std::vector<Terrain> load_terrains(const SourceFile& file) {
  return parse_terrains(file.read(max_json_bytes), file);
}

Terrain formula_terrain(const std::string& expression, double half_size, const std::string& name) {
  Terrain terrain;
  terrain.name = "formula";
  try {
    terrain.relief =
        expression_relief({-half_size, half_size, -half_size, half_size}, expression, Scope());
  } catch (const ExpressionError& e) {
    throw FormulaError(fmt::format("{}: '{:.80}': {}", name, expression, e.what()), e.column);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: '{:.80}': {}", name, expression, e.what()));
  }
  return terrain;
}

motion::Ground ground_of(const std::vector<Terrain>& terrains) {
  motion::Ground ground;
  for (const Terrain& t : terrains) ground.add(t.relief, t.offset, t.scale);
  return ground;
}

}  // namespace molejo
