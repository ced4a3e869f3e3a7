// A formula of a scene as it was written.
#pragma once

#include <string>

namespace molejo {

// A text in the language of docs/expressions.md that is evaluated while the scene runs.
struct SceneFormula {
  std::string text;   // empty: none
  std::string scope;  // names are looked for in here first: "arm", of an instance or an actor
  std::string place;  // where it was written, for errors
  bool empty() const { return text.empty(); }
  bool operator==(const SceneFormula& b) const { return text == b.text && scope == b.scope; }
};

}  // namespace molejo
