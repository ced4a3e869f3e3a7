#include <fmt/format.h>

#include <cmath>

#include "molejo/io/markup.h"
#include "molejo/io/net_draw.h"
#include "molejo/io/net_layout.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr double place_radius = 16, bar_width = 7, bar_height = 34;

// The way of an arc with rounded bends; ends at the border of the nodes, not at their middles.
class ArcPath {
 public:
  explicit ArcPath(const Arc& arc, std::vector<DrawingPoint> bends) : bends_(std::move(bends)) {
    const bool place_first = arc.kind != ArcKind::output;
    cut(bends_.front(), bends_[1], place_first);
    cut(bends_.back(), bends_[bends_.size() - 2], !place_first);
  }

  std::string path() const {
    std::string d = fmt::format("M{:.1f} {:.1f}", bends_[0].x, bends_[0].y);
    for (std::size_t i = 1; i < bends_.size(); ++i) {
      // horizontal at the bends: a smooth line through the layers
      const DrawingPoint a = bends_[i - 1], b = bends_[i];
      const bool straight = bends_.size() == 2;
      const double half = (b.x - a.x) / 2;
      d += straight ? fmt::format("L{:.1f} {:.1f}", b.x, b.y)
                    : fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", a.x + half, a.y,
                                  b.x - half, b.y, b.x, b.y);
    }
    return d;
  }
  DrawingPoint middle() const {
    const std::size_t i = (bends_.size() - 1) / 2;
    return {(bends_[i].x + bends_[i + 1].x) / 2, (bends_[i].y + bends_[i + 1].y) / 2};
  }

 private:
  // Moves an end from the middle of its node to its border, towards the next point.
  void cut(DrawingPoint& end, const DrawingPoint& next, bool is_place) const {
    const double dx = next.x - end.x, dy = next.y - end.y;
    const double length = std::hypot(dx, dy);
    if (length < 1e-9) return;
    if (bends_.size() > 2) {
      end.x += (dx > 0 ? 1 : -1) * (is_place ? place_radius + 1 : bar_width / 2 + 1);
      return;
    }
    const double border = is_place ? place_radius + 1 : bar_width / 2 + 2;
    const double scale = is_place ? border / length : border / std::max(std::fabs(dx), 1e-9);
    end.x += dx * std::min(1.0, scale);
    end.y += dy * std::min(1.0, scale);
  }

  std::vector<DrawingPoint> bends_;
};

// Up to six dots, or a number.
std::string token_marks(const DrawingPoint& p, std::int64_t tokens) {
  constexpr double spots[6][6][2] = {{{0, 0}},
                                     {{-5, 0}, {5, 0}},
                                     {{0, -5}, {-5, 4}, {5, 4}},
                                     {{-5, -5}, {5, -5}, {-5, 5}, {5, 5}},
                                     {{-6, -6}, {6, -6}, {0, 0}, {-6, 6}, {6, 6}},
                                     {{-5, -7}, {5, -7}, {-5, 0}, {5, 0}, {-5, 7}, {5, 7}}};
  if (tokens == 0) return "";
  if (tokens > 6) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"n\">{}</text>", p.x, p.y + 4,
                       tokens);
  }
  std::string text;
  for (std::int64_t i = 0; i < tokens; ++i) {
    const auto& spot = spots[tokens - 1][i];
    text +=
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>", p.x + spot[0], p.y + spot[1]);
  }
  return text;
}

std::string shortened(const std::string& name) {
  constexpr std::size_t longest = 22;
  if (name.size() <= longest) return name;
  std::size_t end = longest - 1;  // not inside a character
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  return name.substr(0, end) + "\u2026";
}

constexpr const char* net_style =
    "<style>text{font:11px sans-serif;text-anchor:middle;fill:#222}"
    ".d{font-size:9px;fill:#667}.e{font-size:9px;fill:#9a3412}"
    ".a{fill:none;stroke:#556;stroke-width:1.2}.i{stroke-dasharray:4 3}"
    ".p{fill:#fff;stroke:#1d4e89;stroke-width:1.6}.c{stroke:#667}"
    ".t{fill:#222}.v{fill:#9a3412}.w{font-size:10px;fill:#1d4e89}</style>\n"
    "<defs><marker id=\"m\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" "
    "orient=\"auto\"><path d=\"M0 1L7 4L0 7z\" fill=\"#556\"/></marker>"
    "<marker id=\"o\" markerWidth=\"8\" markerHeight=\"8\" refX=\"6\" refY=\"4\" orient=\"auto\">"
    "<circle cx=\"4\" cy=\"4\" r=\"2.6\" fill=\"#fff\" stroke=\"#556\"/></marker></defs>\n";

}  // namespace

std::string net_svg(const Net& net) {
  if (net.places.size() + net.transitions.size() > max_drawn_nodes) {
    throw InputError(fmt::format("a net of {} nodes is not drawn; at most {} are",
                                 net.places.size() + net.transitions.size(), max_drawn_nodes));
  }
  const NetLayout at = layout(net);
  std::string out;
  const auto add = [&]<class... Args>(fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(out), form, std::forward<Args>(args)...);
    out += '\n';
  };
  add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" "
      "height=\"{:.0f}\">",
      at.width, at.height, at.width, at.height);
  out += net_style;
  add("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>");
  if (!net.name.empty()) add("<title>{}</title>", escaped(net.name));
  for (std::size_t i = 0; i < net.arcs.size(); ++i) {
    const Arc& a = net.arcs[i];
    const ArcPath path(a, at.bends[i]);
    add("<path class=\"a{}\" d=\"{}\" marker-end=\"url(#{})\"/>",
        a.kind == ArcKind::interrupter ? " i" : "", path.path(),
        a.kind == ArcKind::inhibitor ? "o" : "m");
    if (a.weight == 1) continue;
    const DrawingPoint middle = path.middle();
    add("<text class=\"w\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", middle.x, middle.y - 4, a.weight);
  }
  for (std::size_t i = 0; i < net.places.size(); ++i) {
    const Place& p = net.places[i];
    const DrawingPoint c = at.places[i];
    add("<g><title>{}{}</title><circle class=\"p{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>{}",
        escaped(p.name), p.action.empty() ? "" : ": " + escaped(p.action),
        p.delay.numerator == 0 ? " c" : "", c.x, c.y, place_radius, token_marks(c, p.tokens));
    add("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", c.x, c.y - place_radius - 5,
        escaped(shortened(p.name)));
    if (p.delay.numerator > 0) {
      add("<text class=\"d\" x=\"{:.1f}\" y=\"{:.1f}\">{} s{}</text>", c.x, c.y + place_radius + 11,
          to_string(p.delay), p.awaited ? "+" : "");
    }
    out += "</g>\n";
  }
  for (std::size_t i = 0; i < net.transitions.size(); ++i) {
    const Transition& t = net.transitions[i];
    const DrawingPoint c = at.transitions[i];
    add("<g><rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>",
        t.event.empty() ? "t" : "v", c.x - bar_width / 2, c.y - bar_height / 2, bar_width,
        bar_height);
    const std::string priority = t.priority == 1 ? "" : fmt::format(" ({})", t.priority);
    add("<text x=\"{:.1f}\" y=\"{:.1f}\">{}{}</text>", c.x, c.y - bar_height / 2 - 5,
        escaped(shortened(t.name)), priority);
    if (!t.event.empty()) {
      add("<text class=\"e\" x=\"{:.1f}\" y=\"{:.1f}\">[{}]</text>", c.x, c.y + bar_height / 2 + 11,
          escaped(shortened(t.event)));
    }
    out += "</g>\n";
  }
  return out + "</svg>\n";
}

}  // namespace molejo
