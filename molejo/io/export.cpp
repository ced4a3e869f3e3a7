#include "molejo/io/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "molejo/io/columns.h"
#include "molejo/io/file.h"
#include "molejo/io/json_library.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"
#include "molejo/model/scene.h"

namespace molejo {

namespace {

using Json = nlohmann::ordered_json;

// One line; NaN and infinities become null, bytes that are not UTF-8 become U+FFFD.
Json summary_object(const Recording& recording) {
  const Summary& s = recording.summary;
  const ContactCounts contacts = count_contacts(recording);
  Json out;
  out["duration"] = s.duration;
  out["steps"] = s.steps;
  out["rejected_steps"] = s.rejected_steps;
  out["frames"] = s.frames;
  out["projections"] = s.projections;
  out["energy_initial"] = s.energy_initial;
  out["energy_final"] = s.energy_final;
  out["energy_deviation"] = s.energy_deviation;
  out["energy_drift"] = s.energy_drift;
  out["momentum_drift"] = s.momentum_drift;
  out["angular_momentum_drift"] = s.angular_momentum_drift;
  out["constraint_error"] = s.constraint_error;
  out["contacts_begun"] = contacts.begun;
  out["contacts_ended"] = contacts.ended;
  out["impacts"] = s.impacts;
  out["largest_penetration"] = s.largest_penetration;
  out["asleep"] = recording.frames.empty() ? 0 : recording.frames.back().asleep;
  out["work"] = Json::object();  // of each formula force, J
  for (const auto& [name, work] : works(recording)) out["work"][name] = work;
  out["wall_seconds"] = s.wall_seconds;
  out["steps_per_second"] = s.steps_per_second;
  out["hash"] = fmt::format("{:016x}", s.hash);  // as text: a JSON number holds 53 bits
  out["failure"] = s.failure.empty() ? Json(nullptr) : Json(s.failure);
  out["warnings"] = s.warnings;
  return out;
}

}  // namespace

std::vector<std::pair<std::string, double>> works(const Recording& recording) {
  std::vector<std::pair<std::string, double>> all;
  if (recording.frames.empty()) return all;
  const std::string_view ending = ".work";  // which no probe may have
  for (std::size_t i = 0; i < recording.probes.size(); ++i) {
    const std::string& name = recording.probes[i].name;
    if (!name.ends_with(ending)) continue;
    all.emplace_back(name.substr(0, name.size() - ending.size()),
                     recording.frames.back().probes[i]);
  }
  return all;
}

std::string summary_json(const Recording& recording) {
  return summary_object(recording).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json(const Scene& scene, const Model& model, const Recording& recording) {
  Json names = Json::array(), units = Json::array();
  for (const Column& column : columns(model, recording.probes)) {
    names.push_back(column.name), units.push_back(column.unit);
  }
  std::string out = "{\n";
  out += "\"scene\": " + json_line(scene.name) + ",\n";
  out += "\"description\": " + json_line(scene.description) + ",\n";
  out += "\"summary\": " + json_line(summary_object(recording)) + ",\n";
  out += "\"columns\": " + json_line(names) + ",\n";
  out += "\"units\": " + json_line(units) + ",\n";
  out += "\"frames\": [";
  std::vector<double> row;
  for (std::size_t i = 0; i < recording.frames.size(); ++i) {
    check_interrupt();
    fill_row(model, recording.frames[i], row);
    out += (i ? ",\n" : "\n") + json_line(row);
  }
  // the columns of the events are those of contacts_json
  const std::string events = contacts_json(model, recording);
  return out + "\n],\n\"contact_events\": " + events + "}\n";
}

std::string recording_bytes(const std::string& path, const Scene& scene, const Model& model,
                            const Recording& recording, const ForceArrows& arrows) {
  const std::string ending = lower_case_ending(path);
  if (ending == ".glb") return glb(scene, model, recording, arrows);
  if (ending == ".csv") return csv(model, recording);
  if (ending == ".json") return json(scene, model, recording);
  if (ending == ".svg") return svg(scene, model, recording, arrows);
  const std::string endings[] = {".glb", ".csv", ".json", ".svg"};
  throw InputError(path + ": " + unknown_word("ending", ending, endings));
}

void write_recording(const std::string& path, const Scene& scene, const Model& model,
                     const Recording& recording, const ForceArrows& arrows) {
  write_file(path, recording_bytes(path, scene, model, recording, arrows));
}

}  // namespace molejo
