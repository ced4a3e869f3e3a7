// Names in a formula over a plane: x and y in metres, and the parameters around it.
#pragma once

#include <array>

#include "molejo/io/json_cursor.h"
#include "molejo/math/expression.h"

namespace molejo {

class PlaneNames : public Names {
 public:
  explicit PlaneNames(const Scope& scope) : scope_(scope) {}
  std::optional<Symbol> find(std::string_view name) const override {
    const Dimension metre = *dimension_of("m");
    if (name == "x") return Symbol{.slot = 0, .unit = metre};
    if (name == "y") return Symbol{.slot = 1, .unit = metre};
    for (std::size_t i = 0; i < scope_.names().size(); ++i) {
      if (scope_.names()[i] == name) {
        return Symbol{.constant = std::array{scope_.values()[i], 0.0, 0.0}};
      }
    }
    return std::nullopt;
  }
  std::vector<std::string> all() const override {
    std::vector<std::string> names = scope_.names();
    names.insert(names.end(), {"x", "y"});
    return names;
  }

 private:
  const Scope& scope_;
};

}  // namespace molejo
