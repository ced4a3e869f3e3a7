// The parts of molejo check.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/command.h"
#include "molejo/io/file_kind.h"
#include "molejo/io/json_document.h"

namespace molejo::cli {

int check_scene(const CheckOptions& options);

// What a file of another kind holds.
struct Fact {
  std::string key;  // "least_height"
  JsonValue value;
  std::string text;  // of the value, with its unit
};
struct Facts {
  std::string name;
  std::vector<Fact> list;
  std::vector<std::string> warnings;

  void add(const std::string& key, double value, const std::string& unit = "");
  void add(const std::string& key, const std::string& value);
  void add(const std::string& key, bool value);
};
// Throws InputError, NetError: what is wrong with it.
Facts facts_of(FileKind kind, const std::string& file);

}  // namespace molejo::cli
