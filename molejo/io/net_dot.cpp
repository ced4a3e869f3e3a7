#include <fmt/format.h>

#include "molejo/io/net_draw.h"

namespace molejo {

namespace {

// A quoted string of the DOT language: only quotes and backslashes are special.
std::string dot_quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

}  // namespace

std::string net_dot(const Net& net) {
  std::string out =
      "digraph " + dot_quoted(net.name.empty() ? "net" : net.name) + " {\n  rankdir=LR;\n";
  const auto add = [&]<class... Args>(fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(out), form, std::forward<Args>(args)...);
    out += '\n';
  };
  for (std::size_t i = 0; i < net.places.size(); ++i) {
    const Place& p = net.places[i];
    std::string label = p.name;
    if (p.tokens > 0) label += fmt::format(" [{}]", p.tokens);
    if (p.delay.numerator > 0) label += fmt::format(" {} s", to_string(p.delay));
    add("  p{} [shape=circle, label={}];", i, dot_quoted(label));
  }
  for (std::size_t i = 0; i < net.transitions.size(); ++i) {
    const Transition& t = net.transitions[i];
    std::string label = t.name;
    if (t.priority != 1) label += fmt::format(" ({})", t.priority);
    if (!t.event.empty()) label += " [" + t.event + "]";
    add("  t{} [shape=box, height=0.4, width=0.1, label=\"\", xlabel={}];", i, dot_quoted(label));
  }
  for (const Arc& a : net.arcs) {
    const std::string place = fmt::format("p{}", a.place.index);
    const std::string transition = fmt::format("t{}", a.transition.index);
    const bool puts = a.kind == ArcKind::output;
    std::string attributes = a.weight == 1 ? "" : fmt::format("label={}", a.weight);
    const auto also = [&](const char* text) {
      attributes += (attributes.empty() ? "" : ", ") + std::string(text);
    };
    if (a.kind == ArcKind::inhibitor) also("arrowhead=odot");
    if (a.kind == ArcKind::interrupter) also("style=dashed");
    add("  {} -> {}{};", puts ? transition : place, puts ? place : transition,
        attributes.empty() ? "" : " [" + attributes + "]");
  }
  return out + "}\n";
}

}  // namespace molejo
