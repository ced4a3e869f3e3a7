// Plots as SVG: one panel of energies, then one for each unit among the chosen coordinates.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "molejo/io/columns.h"
#include "molejo/io/export.h"
#include "molejo/io/markup.h"
#include "molejo/io/plot_style.h"
#include "molejo/io/stills.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/scene.h"

namespace molejo {

namespace {

using namespace plot_style;

// layout in pixels
constexpr double page_width = 720, page_left = 88, page_right = 150, page_top = 54,
                 page_bottom = 62;
constexpr double panel_height = 220, panel_gap = 36, stills_height = 360;
constexpr double plot_width = page_width - page_left - page_right;
constexpr double line_height = 22;

constexpr const char* grid_color = "#e4e7eb";

struct Series {
  std::string name;
  std::string color;
  double stroke = 1.8;
  std::vector<double> values;
};

struct Panel {
  std::string quantity;  // "energy"
  std::string unit;      // "J"
  std::vector<Series> series;
};

// Numbers so large that differences overflow are drawn as gaps, like NaN.
bool drawable(double x) { return std::fabs(x) < 1e300; }

struct Axis {
  double low = 0, high = 1, step = 0.25;
  int exponent = 0;  // labels are multiples of 10^exponent
  int decimals = 2;

  std::string label(double value) const {
    std::string text = fmt::format("{:.{}f}", value * std::pow(10.0, -exponent), decimals);
    if (text.find_first_not_of("-0.") == std::string::npos) text.erase(0, text.find('0'));
    return text.front() == '-' ? "\xE2\x88\x92" + text.substr(1) : text;  // a true minus sign
  }
};

// The step 1, 2 or 5 times a power of ten that cuts the span into about `parts`.
double nice_step(double span, double parts) {
  const double power = std::pow(10.0, std::floor(std::log10(span / parts)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power * parts >= span * 0.999) return factor * power;
  }
  return 10 * power;
}

Axis axis_for(double low, double high, double parts, bool widen) {
  // no axis is narrower than its labels can tell apart
  const double largest = std::max(std::fabs(low), std::fabs(high));
  const double narrowest = largest > 0 ? 1e-3 * largest : 1;
  if (high - low < narrowest) {
    const double middle = low + (high - low) / 2;
    low = middle - narrowest / 2, high = middle + narrowest / 2;
  }
  Axis axis{low, high, nice_step(high - low, parts)};
  if (widen) {
    axis.low = std::floor(low / axis.step + 1e-9) * axis.step;
    axis.high = std::ceil(high / axis.step - 1e-9) * axis.step;
  }
  const int order = static_cast<int>(
      std::floor(std::log10(std::max(std::fabs(axis.low), std::fabs(axis.high))) + 1e-9));
  if (order >= 5 || order < -2) {
    axis.exponent = static_cast<int>(std::floor(order / 3.0)) * 3;
  }
  const int step_order = static_cast<int>(std::floor(std::log10(axis.step) + 1e-9));
  axis.decimals = std::max(0, axis.exponent - step_order);
  return axis;
}

std::string with_power(const std::string& unit, int exponent) {
  if (exponent == 0) return unit;
  constexpr std::array digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string power;
  for (const char c : std::to_string(exponent)) {
    power += c == '-' ? "⁻" : digits[static_cast<std::size_t>(c - '0')];
  }
  return "10" + power + (unit.empty() ? "" : " " + unit);
}

std::string quantity_of(const Column& column) {
  const std::string& unit = column.unit;
  struct Pair {
    const char *unit, *quantity;
  };
  for (const Pair& p :
       {Pair{"J", "energy"}, Pair{"m", "position"}, Pair{"rad", "angle"}, Pair{"m/s", "velocity"},
        Pair{"rad/s", "angular velocity"}, Pair{"N s", "momentum"},
        Pair{"N m s", "angular momentum"}, Pair{"m, rad", "constraint error"}, Pair{"s", "time"},
        Pair{"N", "force"}, Pair{"W", "power"}, Pair{"kg", "mass"}}) {
    if (unit == p.unit) return p.quantity;
  }
  for (const char* part : {".qw", ".qx", ".qy", ".qz"}) {
    if (column.name.ends_with(part)) return "quaternion";
  }
  return "value";
}

std::vector<Panel> panels(const Scene& scene, const Model& model, const Recording& recording) {
  const std::vector<Column> names = columns(model, recording.probes);
  const std::vector<std::size_t> chosen = find_columns(names, scene.plot);
  std::vector<Panel> out(1);
  out[0] = {"energy",
            "J",
            {{"kinetic", "#d55e00", 1.8, {}},
             {"gravity", "#0072b2", 1.8, {}},
             {"elastic", "#009e73", 1.8, {}},
             {"total", "#24292f", 2.4, {}}}};
  for (const std::size_t c : chosen) {
    const auto same_unit = [&](const Panel& p) { return p.unit == names[c].unit; };
    auto panel = std::find_if(out.begin() + 1, out.end(), same_unit);
    if (panel == out.end()) {
      out.push_back({quantity_of(names[c]), names[c].unit, {}});
      panel = out.end() - 1;
    }
    const char* color = series_colors[panel->series.size() % series_colors.size()];
    panel->series.push_back({names[c].name, color, 1.8, {}});
  }
  std::vector<double> row;
  for (const Frame& frame : recording.frames) {
    check_interrupt();
    fill_row(model, frame, row);
    for (std::size_t k = 0; k < 4; ++k) out[0].series[k].values.push_back(row[1 + k]);
    std::vector<std::size_t> next(out.size(), 0);
    for (const std::size_t c : chosen) {
      for (std::size_t p = 1; p < out.size(); ++p) {
        if (out[p].unit == names[c].unit) out[p].series[next[p]++].values.push_back(row[c]);
      }
    }
  }
  // springs that are not there need no line
  const std::vector<double>& elastic = out[0].series[2].values;
  if (std::all_of(elastic.begin(), elastic.end(), [](double e) { return e == 0; })) {
    out[0].series.erase(out[0].series.begin() + 2);
  }
  return out;
}

class PlotPage {
 public:
  // `stills` is drawn from y = top on and is `stills_height` high, without it the plots move up.
  PlotPage(const Scene& scene, const std::string& stills, const std::vector<Panel>& panels,
           std::vector<double> times)
      : times_(std::move(times)) {
    double low = 0, high = 1;
    find_range(times_, low, high);
    time_ = axis_for(low, high, 6, false);
    const double first = stills.empty() ? page_top : page_top + stills_height + panel_gap;
    const double height = first + page_bottom + panel_height * static_cast<double>(panels.size()) +
                          panel_gap * static_cast<double>(panels.size() - 1);
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" "
        "viewBox=\"0 0 {0:g} {1:g}\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', "
        "Helvetica, Arial, sans-serif\" font-size=\"15\" fill=\"{2}\">\n",
        page_width, height, ink);
    const std::string title = escaped(scene.name.empty() ? "Energy" : scene.name);
    add("<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", title);
    add("<text x=\"{:g}\" y=\"34\" font-size=\"18\" font-weight=\"600\">{}</text>\n", page_left,
        title);
    out_ += stills;
    for (std::size_t i = 0; i < panels.size(); ++i) {
      const double y = first + static_cast<double>(i) * (panel_height + panel_gap);
      draw(panels[i], y, i + 1 == panels.size());
    }
    out_ += "</svg>\n";
  }

  std::string take() { return std::move(out_); }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  static void find_range(const std::vector<double>& values, double& low, double& high) {
    bool any = false;
    for (const double v : values) {
      if (!drawable(v)) continue;
      low = any ? std::min(low, v) : v, high = any ? std::max(high, v) : v;
      any = true;
    }
  }

  double x_of(double t) const {
    return page_left + (t - time_.low) / (time_.high - time_.low) * plot_width;
  }

  void draw(const Panel& panel, double y0, bool with_time_labels) {
    std::vector<double> all;
    for (const Series& s : panel.series) all.insert(all.end(), s.values.begin(), s.values.end());
    double low = 0, high = 1;
    find_range(all, low, high);
    const Axis axis = axis_for(low, high, 5, true);
    draw_frame(panel, axis, y0, with_time_labels);
    const auto y_of = [&](double v) {
      return y0 + panel_height - (v - axis.low) / (axis.high - axis.low) * panel_height;
    };
    // the first names lie on top; the thick total is the lowest and shines through
    for (auto s = panel.series.rbegin(); s != panel.series.rend(); ++s) draw_line(*s, y_of);
    draw_legend(panel, y0);
  }

  void draw_frame(const Panel& panel, const Axis& axis, double y0, bool with_time_labels) {
    const double y1 = y0 + panel_height;
    const auto ticks = [](const Axis& a, const auto& each) {
      const double first = std::ceil(a.low / a.step - 1e-9),
                   last = std::floor(a.high / a.step + 1e-9);
      for (double i = first; i <= last; i += 1) each(i * a.step);
    };
    ticks(axis, [&](double v) {
      const double y = y1 - (v - axis.low) / (axis.high - axis.low) * panel_height;
      add("<path d=\"M{:.1f} {:.1f}h{:g}\" stroke=\"{}\"/>\n", page_left, y, plot_width,
          grid_color);
      add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", page_left - 9, y + 5.2,
          axis.label(v));
    });
    ticks(time_, [&](double t) {
      add("<path d=\"M{:.1f} {:.1f}v{:g}\" stroke=\"{}\"/>\n", x_of(t), y0, panel_height,
          grid_color);
      if (!with_time_labels) return;
      add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x_of(t), y1 + 22,
          time_.label(t));
    });
    add("<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" fill=\"none\" stroke=\"{}\"/>\n", page_left, y0,
        y1, page_left + plot_width, faint_ink);

    const std::string unit = with_power(panel.unit, axis.exponent);
    add("<text transform=\"translate(22 {:.1f}) rotate(-90)\" text-anchor=\"middle\" "
        "fill=\"{}\">{}</text>\n",
        (y0 + y1) / 2, faint_ink, panel.quantity + (unit.empty() ? "" : " (" + unit + ")"));
    if (with_time_labels) {
      add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"{}\">time ({})</text>\n",
          page_left + plot_width / 2, y1 + 47, faint_ink, with_power("s", time_.exponent));
    }
  }

  // Of the points that fall into one column of pixels the lowest and the highest are enough.
  std::vector<std::size_t> visible_points(const std::vector<double>& values) const {
    std::vector<std::size_t> kept;
    if (values.size() <= 3 * static_cast<std::size_t>(plot_width)) {
      for (std::size_t i = 0; i < values.size(); ++i) kept.push_back(i);
      return kept;
    }
    for (std::size_t i = 0; i < values.size();) {
      const double column = std::floor(x_of(times_[i]));
      std::size_t lowest = i, highest = i, end = i;
      for (; end < values.size() && !(std::floor(x_of(times_[end])) > column); ++end) {
        if (!(values[end] >= values[lowest])) lowest = end;
        if (!(values[end] <= values[highest])) highest = end;
      }
      kept.push_back(std::min(lowest, highest));
      if (lowest != highest) kept.push_back(std::max(lowest, highest));
      i = end;
    }
    return kept;
  }

  template <class Y>
  void draw_line(const Series& series, const Y& y_of) {
    std::string path;
    bool pen_down = false;
    for (const std::size_t i : visible_points(series.values)) {
      const bool draws = drawable(series.values[i]) && drawable(times_[i]);
      if (draws) {
        fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", pen_down ? 'L' : 'M',
                       x_of(times_[i]), y_of(series.values[i]));
      }
      pen_down = draws;
    }
    if (path.empty()) return;
    add("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\" "
        "stroke-linejoin=\"round\"/>\n",
        path, series.color, series.stroke);
  }

  void draw_legend(const Panel& panel, double y0) {
    constexpr auto most = static_cast<std::size_t>(panel_height / line_height);
    const double x = page_left + plot_width + 16;
    for (std::size_t i = 0; i < std::min(most, panel.series.size()); ++i) {
      const double y = y0 + 12 + line_height * static_cast<double>(i);
      if (i + 1 == most && panel.series.size() > most) {
        add("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\">and {} more</text>\n", x, y + 5, faint_ink,
            panel.series.size() - i);
        return;
      }
      const Series& s = panel.series[i];
      add("<path d=\"M{:.1f} {:.1f}h18\" stroke=\"{}\" stroke-width=\"{:g}\"/>\n", x, y, s.color,
          s.stroke + 0.8);
      add("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 25, y + 5, escaped(shortened(s.name)));
    }
  }

  // What fits beside the plot, cut between characters.
  static std::string shortened(const std::string& name) {
    constexpr std::size_t longest = 13;
    if (name.size() <= longest) return name;
    std::size_t end = longest - 1;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
    while (end > 0 && name[end - 1] == ' ') --end;
    return name.substr(0, end) + "…";
  }

  std::vector<double> times_;
  Axis time_;
  std::string out_;
};

}  // namespace

std::string svg(const Scene& scene, const Model& model, const Recording& recording,
                const ForceArrows& arrows) {
  std::vector<double> times;
  for (const Frame& frame : recording.frames) times.push_back(frame.state.t);
  const std::string strip = stills(
      scene, model, recording,
      {.x = 0, .y = page_top, .width = page_width, .height = stills_height, .arrows = arrows});
  return PlotPage(scene, strip, panels(scene, model, recording), std::move(times)).take();
}

}  // namespace molejo
