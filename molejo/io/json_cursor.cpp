#include "molejo/io/json_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "molejo/math/expression.h"
#include "molejo/math/interrupt.h"
#include "molejo/math/words.h"
#include "molejo/model/error.h"

namespace molejo {

using JsonKind = JsonValue::Kind;

namespace {

// The numbers of a scope, as the constants of an expression.
class ScopeNames : public Names {
 public:
  explicit ScopeNames(const Scope& scope) : scope_(scope) {}

  std::optional<Symbol> find(std::string_view name) const override {
    const auto found = std::find(scope_.names().begin(), scope_.names().end(), name);
    if (found == scope_.names().end()) return std::nullopt;
    const auto i = static_cast<std::size_t>(found - scope_.names().begin());
    return Symbol{.constant = std::array{scope_.values()[i], 0.0, 0.0}};
  }
  std::vector<std::string> all() const override { return scope_.names(); }

 private:
  const Scope& scope_;
};

}  // namespace

void Scope::forget(const std::string& name) {
  texts_.erase(name);
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) return;
  values_.erase(values_.begin() + (found - names_.begin()));
  names_.erase(found);
}

void Scope::set(const std::string& name, double value) {
  forget(name);
  names_.push_back(name);
  values_.push_back(value);
}

void Scope::set(const std::string& name, std::string text) {
  forget(name);
  texts_.emplace(name, std::move(text));
}

const std::string* Scope::text(std::string_view name) const {
  const auto found = texts_.find(name);
  return found == texts_.end() ? nullptr : &found->second;
}

std::vector<std::string> Scope::all_names() const {
  std::vector<std::string> all = names_;
  for (const auto& [name, text] : texts_) all.push_back(name);
  return all;
}

JsonCursor JsonCursor::at(const JsonValue& value) const {
  return {*document_, value, *scope_, *instance_};
}

void JsonCursor::fail(const std::string& message) const {
  const std::string in = instance_->empty() ? "" : " (in instance '" + *instance_ + "')";
  molejo::fail(*document_, *value_, message + in);
}

bool JsonCursor::is_number() const {
  return value_->is(JsonKind::number) || (is_string() && value_->text.starts_with('='));
}

void JsonCursor::expect_object() const {
  if (!is_object()) fail("expected an object {...}");
}

void JsonCursor::expect_keys(std::span<const std::string> known) const {
  check_interrupt();
  expect_object();
  for (std::size_t i = 0; i < value_->keys.size(); ++i) {
    const std::string& key = value_->keys[i];
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    at(value_->items[i]).fail(unknown_word("key", key, known));
  }
  if (value_ == &document_->root) document_->is_ours = true;
}

std::optional<JsonCursor> JsonCursor::find(std::string_view key) const {
  const JsonValue* item = value_->find(key);
  return item ? std::optional(at(*item)) : std::nullopt;
}

JsonCursor JsonCursor::need(std::string_view key) const {
  expect_object();
  const JsonValue* item = value_->find(key);
  if (!item) fail(fmt::format("key '{}' is missing", key));
  return at(*item);
}

std::string_view JsonCursor::only_one(std::initializer_list<std::string_view> keys) const {
  std::string_view found;
  for (const std::string_view key : keys) {
    if (!has(key)) continue;
    if (!found.empty()) {
      find(key)->fail(fmt::format("'{}' and '{}' exclude each other", found, key));
    }
    found = key;
  }
  return found;
}

void JsonCursor::expect_array(std::size_t longest) const {
  if (!is_array()) fail("expected a list [...]");
  if (size() > longest) fail(fmt::format("{} entries, at most {} are allowed", size(), longest));
}

double JsonCursor::computed(std::string_view expression, std::size_t column) const {
  try {
    return evaluate_number(expression, ScopeNames(*scope_));
  } catch (const ExpressionError& e) {
    // the column in the whole string, not in the part that is the expression
    const std::string_view what = e.what();
    fail(fmt::format("column {}: {}", column + e.column, what.substr(what.find(": ") + 2)));
  }
}

double JsonCursor::number() const {
  if (value_->is(JsonKind::number)) return value_->number;
  if (!is_number()) fail("expected a number or \"=expression\"");
  const double x = computed(std::string_view(value_->text).substr(1), 1);
  if (std::isnan(x)) fail("the expression has no value (0/0, sqrt(-1) or the like)");
  if (std::isinf(x)) fail("the expression is infinite, expected a number");
  return x;
}

double JsonCursor::positive() const {
  const double x = number();
  if (!(x > 0)) fail("must be greater than zero");
  return below_all_bounds(x);
}

double JsonCursor::not_negative() const {
  const double x = number();
  if (!(x >= 0)) fail("must not be negative");
  return below_all_bounds(x);
}

double JsonCursor::below_all_bounds(double x) const {
  constexpr double largest = 1e30;
  if (x > largest) fail(fmt::format("must be {} at most", largest));
  return x;
}

double JsonCursor::within(const Bounds& bounds) const {
  const double x = number();
  if (!bounds.hold(x)) fail(expectation(bounds));
  return x;
}

double JsonCursor::between(double lowest, double highest) const {
  const double x = number();
  if (!(x >= lowest && x <= highest)) fail(fmt::format("must be from {} to {}", lowest, highest));
  return x;
}

int JsonCursor::whole(int lowest, int highest) const {
  const double x = number();
  if (x != std::floor(x)) fail("expected a whole number");
  if (x < lowest || x > highest) fail(fmt::format("must be from {} to {}", lowest, highest));
  return static_cast<int>(x);
}

int JsonCursor::whole(const Bounds& bounds) const {
  return whole(static_cast<int>(bounds.least), static_cast<int>(bounds.most));
}

bool JsonCursor::boolean() const {
  if (!value_->is(JsonKind::boolean)) fail("expected true or false");
  return value_->boolean;
}

std::string JsonCursor::text() const {
  if (!is_string()) fail("expected a text \"...\"");
  return value_->text;
}

// what stands for {expression} in a name
std::string JsonCursor::filled(std::string_view expression, std::size_t column) const {
  if (const std::string* text = scope_->text(expression)) return *text;
  const double x = computed(expression, column);
  constexpr double largest = 1e15;
  if (!(std::fabs(x) < largest) || x != std::floor(x)) {
    fail(fmt::format("{{{}}} gives {}, expected a whole number", expression, x));
  }
  return std::to_string(static_cast<long long>(x));
}

std::string JsonCursor::word() const {
  const std::string& source = (text(), value_->text);
  std::string result;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    const bool doubled = i + 1 < source.size() && source[i + 1] == c;
    if ((c == '{' || c == '}') && doubled) {
      result += c;
      ++i;
    } else if (c == '{') {
      const std::size_t end = source.find('}', i);
      if (end == std::string::npos) {
        fail(fmt::format("column {}: '{{' without '}}'; write '{{{{' for the character", i + 1));
      }
      result += filled(std::string_view(source).substr(i + 1, end - i - 1), i + 1);
      i = end;
    } else if (c == '}') {
      fail(fmt::format("column {}: '}}' without '{{'; write '}}}}' for the character", i + 1));
    } else {
      result += c;
    }
    constexpr std::size_t longest = 65536;
    if (result.size() > longest) fail("the text becomes too long");
  }
  return result;
}

std::string JsonCursor::name() const {
  std::string result = word();
  if (result.empty()) fail("a name must not be empty");
  if (result.size() > max_name_length) {
    fail(fmt::format("a name has at most {} characters", max_name_length));
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; };
  if (std::any_of(result.begin(), result.end(), is_control)) {
    fail("a name must not have control characters");
  }
  return result;
}

std::vector<double> JsonCursor::numbers(std::size_t count) const {
  if (!is_array()) fail(fmt::format("expected a list of {} numbers", count));
  if (size() != count) fail(fmt::format("{} entries, expected {}", size(), count));
  std::vector<double> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back((*this)[i].number());
  return result;
}

Vec3 JsonCursor::vec3() const {
  if (!is_array() || size() != 3) fail("expected a vector of 3 numbers [x, y, z]");
  return {(*this)[0].number(), (*this)[1].number(), (*this)[2].number()};
}

Vec3 unit_vector(const Vec3& v) {
  // scaled first, so that the square neither overflows nor vanishes
  const double largest = max_abs(v);
  const Vec3 u{v.x / largest, v.y / largest, v.z / largest};
  const double length = norm(u);
  return {u.x / length, u.y / length, u.z / length};
}

Vec3 JsonCursor::direction() const {
  const Vec3 v = vec3();
  if (v == Vec3{}) fail("a direction must not be zero");
  return unit_vector(v);
}

void JsonCursor::read(std::string_view key, double& target) const {
  if (const auto item = find(key)) target = item->number();
}
void JsonCursor::read_positive(std::string_view key, double& target) const {
  if (const auto item = find(key)) target = item->positive();
}
void JsonCursor::read_not_negative(std::string_view key, double& target) const {
  if (const auto item = find(key)) target = item->not_negative();
}
void JsonCursor::read_between(std::string_view key, double lowest, double highest,
                              double& target) const {
  if (const auto item = find(key)) target = item->between(lowest, highest);
}
void JsonCursor::read_within(std::string_view key, const Bounds& bounds, double& target) const {
  if (const auto item = find(key)) target = item->within(bounds);
}
void JsonCursor::read(std::string_view key, bool& target) const {
  if (const auto item = find(key)) target = item->boolean();
}
void JsonCursor::read(std::string_view key, Vec3& target) const {
  if (const auto item = find(key)) target = item->vec3();
}
void JsonCursor::read(std::string_view key, std::string& target) const {
  if (const auto item = find(key)) target = item->text();
}

}  // namespace molejo
