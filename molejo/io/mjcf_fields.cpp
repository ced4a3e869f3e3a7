// Height fields among the assets: a grey image, numbers in the file, or a flat grid. MuJoCo
// stretches the heights to 0 ... 1 before it scales them; rows are as on a map, the first at +y.
#include <algorithm>
#include <filesystem>

#include "molejo/io/mjcf_parts.h"
#include "molejo/io/png.h"
#include "molejo/io/scene.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

int grid_count(const XmlElement& element, const char* attribute) {
  const XmlValue value = element.require(attribute);
  const double x = value.number();
  if (!(x >= 2 && x <= static_cast<double>(max_scene_heights)) ||
      x != static_cast<double>(static_cast<int>(x))) {
    value.fail("expected a whole number from 2 to " + std::to_string(max_scene_heights));
  }
  return static_cast<int>(x);
}

GreyImage image_of(const XmlValue& file, const MjcfReading& reading) {
  try {
    return read_png(mjcf_asset(file, reading), max_scene_heights);
  } catch (const InputError& error) {
    file.fail(error.what());
  }
}

// Stretched to 0 ... 1, the row at -y first.
void set_heights(const std::vector<double>& rows_from_top, double scale, HeightField& field) {
  const auto [low, high] = std::minmax_element(rows_from_top.begin(), rows_from_top.end());
  const double span = *high - *low;
  const auto columns = static_cast<std::size_t>(field.columns);
  for (auto r = static_cast<std::size_t>(field.rows); r-- > 0;) {
    for (std::size_t c = 0; c < columns; ++c) {
      const double above = rows_from_top[r * columns + c] - *low;
      field.heights.push_back(span > 0 ? scale * above / span : 0);
    }
  }
}

HeightField load_field(const XmlElement& element, const MjcfReading& reading) {
  HeightField field;
  std::vector<double> rows_from_top;
  if (const auto file = element.find("file")) {
    GreyImage image = image_of(*file, reading);
    if (image.width < 2 || image.height < 2) file->fail("expected 2 x 2 pixels or more");
    field.columns = image.width;
    field.rows = image.height;
    rows_from_top = std::move(image.pixels);
  } else {
    field.columns = grid_count(element, "ncol");
    field.rows = grid_count(element, "nrow");
    const std::size_t count =
        static_cast<std::size_t>(field.columns) * static_cast<std::size_t>(field.rows);
    if (count > max_scene_heights) {
      element.fail("more than " + std::to_string(max_scene_heights) + " heights");
    }
    const auto elevation = element.find("elevation");
    rows_from_top = elevation ? elevation->numbers(count, count) : std::vector<double>(count, 0.0);
  }
  // half the extents, the height of the highest point, the thickness below zero
  const XmlValue size = element.require("size");
  const std::vector<double> s = size.numbers(4, 4);
  if (!(s[0] > 0 && s[1] > 0 && s[2] > 0)) size.fail("expected positive numbers");
  field.dx = 2 * s[0] / (field.columns - 1);
  field.dy = 2 * s[1] / (field.rows - 1);
  set_heights(rows_from_top, s[2], field);
  return field;
}

}  // namespace

SourceFile mjcf_asset(const XmlValue& file, const MjcfReading& reading) {
  std::string path = file.text();
  if (reading.compiler.strip_path) path.erase(0, path.find_last_of("/\\") + 1);
  return reading.file.beside((std::filesystem::path(reading.compiler.mesh_folder) / path).string());
}

const HeightField& mjcf_field(const XmlValue& name, MjcfReading& reading) {
  auto loaded = reading.fields.find(name.text());
  if (loaded == reading.fields.end()) {
    const auto found = reading.field_elements.find(name.text());
    if (found == reading.field_elements.end()) {
      std::vector<std::string> known;
      for (const auto& entry : reading.field_elements) known.push_back(entry.first);
      name.fail(unknown_word("hfield", shown(name.text()), known));
    }
    loaded = reading.fields.emplace(name.text(), load_field(*found->second, reading)).first;
  }
  reading.heights += loaded->second.heights.size();
  if (reading.heights > max_scene_heights) {
    name.fail("more than " + std::to_string(max_scene_heights) + " heights in all");
  }
  return loaded->second;
}

}  // namespace molejo
