#include "molejo/io/command_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "molejo/math/interrupt.h"

namespace molejo {

namespace {

constexpr std::size_t shown_letters = 64, most_letters = 1000;

std::string_view without_spaces(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// The fields of a line; those in quotes without them (io/csv_field.h).
std::vector<std::string> command_fields(std::string_view line, const std::string& place) {
  std::vector<std::string> fields{""};
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      if (fields.size() > max_command_values) throw InputError(place + "too many fields");
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (quoted) throw InputError(place + "a quote that is not closed");
  for (std::string& field : fields) field = without_spaces(field);
  return fields;
}

double command_number(const std::string& field, const std::string& place) {
  const bool has_plus = field.starts_with('+') && !field.starts_with("+-");
  const char* first = field.data() + (has_plus ? 1 : 0);
  const char* last = field.data() + field.size();
  double x = 0;
  const auto [stop, error] = std::from_chars(first, last, x);
  if (error != std::errc() || stop != last || !(std::fabs(x) < 1e100)) {
    throw InputError(fmt::format("{}'{}': expected a number", place,
                                 without_nuls(field.substr(0, shown_letters))));
  }
  return x;
}

bool take_ending(std::string& name, std::string_view ending) {
  if (name.size() <= ending.size() || !name.ends_with(ending)) return false;
  name.resize(name.size() - ending.size());
  return true;
}

}  // namespace

CommandTable::Column CommandTable::column_of(const std::string& name, const Model& model) {
  Column column{.name = name};
  std::string owner = name;
  for (int axis = 0; axis < 3; ++axis) {
    const std::string ending{'.', "xyz"[axis]};
    const std::pair<const char*, Part> parts[] = {
        {".force", Part::body_force}, {".torque", Part::torque}, {".point", Part::point}};
    for (const auto& [word, part] : parts) {
      if (!take_ending(owner, word + ending)) continue;
      const BodyId body = model.body(owner);
      const auto at = std::find(bodies_.begin(), bodies_.end(), body);
      column.part = part, column.axis = axis;
      column.target = static_cast<std::size_t>(at - bodies_.begin());
      if (at == bodies_.end()) bodies_.push_back(body);
      return column;
    }
  }
  // freedoms are numbered by one digit
  int number = -1;
  if (const char last = owner.back(); last >= '0' && last <= '9') {
    number = last - '0';
    owner.pop_back();
  }
  const std::pair<const char*, Part> parts[] = {{".force", Part::force},
                                                {".position", Part::position},
                                                {".velocity", Part::velocity},
                                                {".stiffness", Part::stiffness},
                                                {".damping", Part::damping}};
  for (const auto& [word, part] : parts) {
    if (!take_ending(owner, word)) continue;
    const JointRange joint = joint_range(model, owner);
    if (number < 0 && joint.count != 1) {
      throw InputError(fmt::format("joint '{}' has {} freedoms: expected '{}{}0', ...", owner,
                                   joint.count, owner, word));
    }
    column.part = part;
    column.target = freedom(model, owner, std::max(number, 0));
    return column;
  }
  throw InputError(
      "expected t, JOINT.force, JOINT.position, .velocity, .stiffness or .damping, or "
      "BODY.force.x, BODY.torque.x or BODY.point.x");
}

void CommandTable::read_row(const std::vector<std::string>& fields, const std::string& place) {
  if (fields.size() != columns_.size() + 1) {
    throw InputError(fmt::format("{}{} fields: expected {}, as in the first line", place,
                                 fields.size(), columns_.size() + 1));
  }
  const double t = command_number(fields[0], place + "column 't': ");
  if (!times_.empty() && !(t > times_.back())) {
    throw InputError(
        fmt::format("{}column 't': {:g}: expected a time after {:g}", place, t, times_.back()));
  }
  if (values_.size() + columns_.size() > max_command_values ||
      times_.size() >= max_command_values) {
    throw InputError(fmt::format("{}more than {} values", place, max_command_values));
  }
  times_.push_back(t);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    const std::string& field = fields[i + 1];
    if (field.empty()) {
      values_.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const std::string where = fmt::format("{}column '{}': ", place, column.name);
    values_.push_back(command_number(field, where));
    const bool is_gain = column.part == Part::stiffness || column.part == Part::damping;
    if (is_gain && values_.back() < 0) {
      throw InputError(fmt::format("{}{:g}: expected no less than 0", where, values_.back()));
    }
  }
}

CommandTable::CommandTable(std::string_view text, const std::string& file, const Model& model)
    : nothing_(model) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  bool has_head = false;
  std::set<std::tuple<Part, std::size_t, int>> known;
  for (int line = 1; !text.empty(); ++line) {
    check_interrupt();
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = without_spaces(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (row.empty()) continue;
    const std::string place = fmt::format("{}:{}: ", file, line);
    const std::vector<std::string> fields = command_fields(row, place);
    if (has_head) {
      read_row(fields, place);
      continue;
    }
    has_head = true;
    if (fields[0] != "t") {
      throw InputError(fmt::format("{}'{}': expected 't' as the first column", place,
                                   without_nuls(fields[0].substr(0, shown_letters))));
    }
    // a freedom has five columns, a body nine
    const std::size_t most = 5 * nothing_.forces.size() + 9 * model.bodies.size();
    if (fields.size() - 1 > most) {
      throw InputError(fmt::format("{}{} columns: there are {} things to command", place,
                                   fields.size() - 1, most));
    }
    for (std::size_t i = 1; i < fields.size(); ++i) {
      const std::string shown = without_nuls(fields[i].substr(0, shown_letters));
      const auto fail = [&](const std::string& why) {
        throw InputError(fmt::format("{}column '{}': {}", place, shown, why));
      };
      if (fields[i].empty() || fields[i].size() > most_letters) fail("expected a name");
      check_interrupt();
      try {
        const Column column = column_of(fields[i], model);
        if (!known.insert({column.part, column.target, column.axis}).second) fail("is there twice");
        columns_.push_back(column);
      } catch (const InputError& error) {
        if (std::string_view(error.what()).starts_with(place)) throw;
        fail(error.what());
      }
    }
  }
  if (!has_head) throw InputError(file + ": expected a line of column names, the first one 't'");
}

void CommandTable::fill(double t, Command<double>& command) const {
  constexpr double same_time = 1e-9;  // of steps that are sums
  command = nothing_;
  const auto after = std::upper_bound(times_.begin(), times_.end(), t + same_time);
  if (after == times_.begin()) return;
  for (const BodyId body : bodies_) command.wrenches.push_back({body, {}, {}, {}});
  const auto row = static_cast<std::size_t>(after - times_.begin() - 1);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const double x = values_[row * columns_.size() + i];
    if (std::isnan(x)) continue;
    const Column& column = columns_[i];
    if (column.part == Part::force) {
      command.forces[column.target] = x;
    } else if (column.part < Part::body_force) {
      MotorTarget<double>& motor = command.motors[column.target];
      motor.on = 1;
      (column.part == Part::position    ? motor.position
       : column.part == Part::velocity  ? motor.velocity
       : column.part == Part::stiffness ? motor.stiffness
                                        : motor.damping) = x;
    } else {
      Wrench<double>& wrench = command.wrenches[column.target];
      Vec3& vector = column.part == Part::body_force ? wrench.force
                     : column.part == Part::torque   ? wrench.torque
                                                     : wrench.p;
      vector[column.axis] = x;
    }
  }
  // who is not pushed may sleep
  std::erase_if(command.wrenches,
                [](const Wrench<double>& w) { return w.force == Vec3{} && w.torque == Vec3{}; });
}

CommandTable load_command_table(const SourceFile& file, const Model& model) {
  return CommandTable(file.read(max_command_bytes), file.name(), model);
}

}  // namespace molejo
