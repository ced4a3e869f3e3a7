// Typed access to a value of a JSON document; every wrong value ends in an InputError that names
// file, line, pointer, value and expectation.
//
// Where a number is wanted, "=2*length" is computed with the names of the scope. Where a name is
// wanted, "link{i-1}" has the expression replaced by its whole value, or {name} by the text of
// that parameter; "{{" and "}}" stand for the braces themselves.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "molejo/io/json_document.h"
#include "molejo/math/types.h"
#include "molejo/model/bounds.h"

namespace molejo {

inline constexpr std::size_t max_name_length = 200;  // with those of all instances around it

// The parameters that are visible at some place of the document.
class Scope {
 public:
  void set(const std::string& name, double value);
  void set(const std::string& name, std::string text);

  const std::vector<std::string>& names() const { return names_; }  // of numbers
  const std::vector<double>& values() const { return values_; }
  const std::string* text(std::string_view name) const;
  // Names of numbers and texts.
  std::vector<std::string> all_names() const;

 private:
  void forget(const std::string& name);

  std::vector<std::string> names_;
  std::vector<double> values_;
  std::map<std::string, std::string, std::less<>> texts_;
};

// v / |v| without overflow; v must not be zero.
Vec3 unit_vector(const Vec3& v);

class JsonCursor {
 public:
  // All three must outlive the cursor. `instance` names the instance that is being expanded, for
  // errors; empty outside of instances.
  JsonCursor(const JsonDocument& document, const JsonValue& value, const Scope& scope,
             const std::string& instance)
      : document_(&document), value_(&value), scope_(&scope), instance_(&instance) {}

  const JsonDocument& document() const { return *document_; }
  const JsonValue& value() const { return *value_; }
  const Scope& scope() const { return *scope_; }
  const std::string& instance() const { return *instance_; }
  // The same scope at another value.
  JsonCursor at(const JsonValue& value) const;

  [[noreturn]] void fail(const std::string& message) const;

  bool is_number() const;  // a number or "=expression"
  bool is_string() const { return value_->is(JsonValue::Kind::string); }
  bool is_array() const { return value_->is(JsonValue::Kind::array); }
  bool is_object() const { return value_->is(JsonValue::Kind::object); }
  bool is_null() const { return value_->is(JsonValue::Kind::null); }

  // Objects.
  void expect_keys(std::span<const std::string> known) const;  // refuses any other
  bool has(std::string_view key) const { return value_->find(key) != nullptr; }
  std::optional<JsonCursor> find(std::string_view key) const;
  JsonCursor need(std::string_view key) const;
  // At most one of these keys: the one that is there, or nothing.
  std::string_view only_one(std::initializer_list<std::string_view> keys) const;
  void expect_object() const;

  // Arrays.
  std::size_t size() const { return value_->items.size(); }
  JsonCursor operator[](std::size_t i) const { return at(value_->items[i]); }
  void expect_array(std::size_t longest) const;

  // Values.
  double number() const;
  double positive() const;
  double not_negative() const;
  double between(double lowest, double highest) const;  // both included
  double within(const Bounds& bounds) const;
  int whole(int lowest, int highest) const;
  int whole(const Bounds& bounds) const;
  bool boolean() const;
  std::string text() const;  // as it stands
  std::string word() const;  // with {expressions} replaced
  std::string name() const;  // the same, not empty, without control characters
  Vec3 vec3() const;
  Vec3 direction() const;  // not zero; normalised
  std::vector<double> numbers(std::size_t count) const;

  // Reads `key` into `target` when it is there.
  void read(std::string_view key, double& target) const;
  void read_positive(std::string_view key, double& target) const;
  void read_not_negative(std::string_view key, double& target) const;
  void read_between(std::string_view key, double lowest, double highest, double& target) const;
  void read_within(std::string_view key, const Bounds& bounds, double& target) const;
  void read(std::string_view key, bool& target) const;
  void read(std::string_view key, Vec3& target) const;
  void read(std::string_view key, std::string& target) const;

 private:
  double below_all_bounds(double x) const;
  double computed(std::string_view expression, std::size_t column) const;
  std::string filled(std::string_view expression, std::size_t column) const;

  const JsonDocument* document_;
  const JsonValue* value_;
  const Scope* scope_;
  const std::string* instance_;
};

}  // namespace molejo
