#include "molejo/io/push_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "molejo/io/json_document.h"
#include "molejo/io/markup.h"
#include "molejo/io/plot_style.h"
#include "molejo/math/pack.h"

namespace molejo {

namespace {

using namespace plot_style;

// layout in pixels
constexpr double push_plot_width = 720, push_plot_height = 640, centre_x = 290, centre_y = 350,
                 circle_radius = 220;
constexpr double legend_x = 560;
constexpr const char* circle_color = "#d0d7de";

struct PlotPoint {
  double x, y;
};

// Forward is up, left is left.
PlotPoint place(double turn, double distance) {
  const SinCos<double> t = sincos(turn);
  return {centre_x - distance * t.sin, centre_y - distance * t.cos};
}

double angle(const PushBattery& b, int direction) {
  return 6.283185307179586 * direction / b.directions;
}

class Plot {
 public:
  Plot(const std::string& title, const PushBattery& battery) : battery_(battery) {
    const double largest = *std::max_element(battery.impulse.begin(), battery.impulse.end());
    end_ = std::max(1.2, std::ceil(largest * 5 + 0.5) / 5);
    add(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" width="{}" height="{}" )"
        R"(font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif" )"
        R"(font-size="13" fill="{}">)",
        push_plot_width, push_plot_height, push_plot_width, push_plot_height, ink);
    add(R"(<rect width="{}" height="{}" fill="#ffffff"/>)", push_plot_width, push_plot_height);
    add(R"(<text x="28" y="38" font-size="19" font-weight="600">{}</text>)", escaped(title));
    add(R"(<text x="28" y="60" fill="{}">Largest push survived: force on the torso for {:g} s, up )"
        R"({:g} s later; {:.1f} kg</text>)",
        faint_ink, battery.seconds, battery.after, battery.mass);
  }

  std::string text() {
    shared_area();
    rings();
    spokes();
    for (int p = 0; p < battery_.phases; ++p) phase_line(p);
    legend();
    add("</svg>");
    return std::move(svg_);
  }

 private:
  template <class... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(svg_), format, std::forward<T>(values)...);
    svg_ += '\n';
  }
  double scaled(double impulse) const { return circle_radius * impulse / end_; }

  void rings() {
    const double step = end_ > 2 ? 0.5 : 0.25;
    for (double r = step; r < end_ + 1e-9; r += step) {
      const bool reference = std::fabs(r - 0.5) < 1e-9 || std::fabs(r - 1) < 1e-9;
      add(R"(<circle cx="{}" cy="{}" r="{:.2f}" fill="none" stroke="{}" stroke-width="{}"{}/>)",
          centre_x, centre_y, scaled(r), reference ? faint_ink : circle_color, reference ? 1.3 : 1,
          reference ? R"( stroke-dasharray="5 4")" : "");
    }
    for (const double r : {0.5, 1.0}) {
      // between two spokes, where no line has a corner
      const PlotPoint at = place(-0.39269908, scaled(r));
      add(R"(<text x="{:.1f}" y="{:.1f}" font-size="12" fill="{}" paint-order="stroke" )"
          R"(stroke="#ffffff" stroke-width="4">{:.1f}</text>)",
          at.x + 3, at.y - 4, faint_ink, r);
    }
  }

  void spokes() {
    for (int d = 0; d < battery_.directions; ++d) {
      const PlotPoint end = place(angle(battery_, d), circle_radius);
      add(R"(<line x1="{}" y1="{}" x2="{:.2f}" y2="{:.2f}" stroke="{}"/>)", centre_x, centre_y,
          end.x, end.y, circle_color);
    }
    add(R"(<text x="{}" y="{}" text-anchor="middle">forward</text>)", centre_x,
        centre_y - circle_radius - 12);
    add(R"(<text x="{}" y="{}" text-anchor="middle">back</text>)", centre_x,
        centre_y + circle_radius + 24);
    add(R"(<text x="{}" y="{}" text-anchor="end">left</text>)", centre_x - circle_radius - 10,
        centre_y + 4);
    add(R"(<text x="{}" y="{}">right</text>)", centre_x + circle_radius + 10, centre_y + 4);
  }

  void shared_area() {
    add(R"(<path d="{}" fill="#0072b2" fill-opacity="0.12" stroke="none"/>)",
        path([&](int d) { return battery_.least(d); }));
  }

  void phase_line(int p) {
    const char* color = series_colors[static_cast<std::size_t>(p) % series_colors.size()];
    add(R"(<path d="{}" fill="none" stroke="{}" stroke-width="2" stroke-linejoin="round"/>)",
        path([&](int d) { return battery_.at(d, p); }), color);
    for (int d = 0; d < battery_.directions; ++d) {
      const PlotPoint at = place(angle(battery_, d), scaled(battery_.at(d, p)));
      add(R"(<circle cx="{:.2f}" cy="{:.2f}" r="3" fill="{}"/>)", at.x, at.y, color);
    }
  }

  template <class F>
  std::string path(F&& impulse) const {
    std::string d;
    for (int k = 0; k < battery_.directions; ++k) {
      const PlotPoint at = place(angle(battery_, k), scaled(impulse(k)));
      fmt::format_to(std::back_inserter(d), "{}{:.2f} {:.2f}", k == 0 ? "M" : "L", at.x, at.y);
    }
    return d + "Z";
  }

  void legend() {
    double y = 150;
    add(R"(<text x="{}" y="{}" font-weight="600">Push begins at</text>)", legend_x, y);
    for (int p = 0; p < battery_.phases; ++p) {
      y += 22;
      const char* color = series_colors[static_cast<std::size_t>(p) % series_colors.size()];
      add(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}" stroke-width="2"/>)", legend_x,
          y - 4, legend_x + 22, y - 4, color);
      add(R"(<circle cx="{}" cy="{}" r="3" fill="{}"/>)", legend_x + 11, y - 4, color);
      add(R"(<text x="{}" y="{}">{:.0f} % of a step</text>)", legend_x + 30, y,
          100.0 * p / battery_.phases);
    }
    y += 22;
    add(R"(<rect x="{}" y="{}" width="22" height="12" fill="#0072b2" fill-opacity="0.12"/>)",
        legend_x, y - 10);
    add(R"(<text x="{}" y="{}">at any of them</text>)", legend_x + 30, y);
    y += 40;
    add(R"(<text x="{}" y="{}" font-weight="600">Rings, N s/kg</text>)", legend_x, y);
    for (const double r : {0.5, 1.0}) {
      y += 22;
      add(R"(<text x="{}" y="{}" fill="{}">{:.1f}: {:.0f} N</text>)", legend_x, y, faint_ink, r,
          battery_.force(r));
    }
    y += 20;
    add(R"(<text x="{}" y="{}" fill="{}">(SIMBICON's walk)</text>)", legend_x, y, faint_ink);
    y += 40;
    add(R"(<text x="{}" y="{}" font-weight="600">Least of all</text>)", legend_x, y);
    y += 22;
    add(R"(<text x="{}" y="{}">{:.2f} N s/kg, {:.0f} N</text>)", legend_x, y, battery_.least(),
        battery_.force(battery_.least()));
  }

  const PushBattery& battery_;
  double end_ = 1;
  std::string svg_;
};

}  // namespace

std::string push_plot(const std::string& title, const PushBattery& battery) {
  return Plot(title, battery).text();
}

std::string push_table(const PushBattery& b) {
  JsonValue top = JsonValue::object();
  top.add("mass", b.mass);
  top.add("push_seconds", b.seconds);
  top.add("seconds_after", b.after);
  top.add("most", b.most);
  top.add("least", b.least());
  top.add("least_force", b.force(b.least()));
  JsonValue& list = top.add("directions", JsonValue::array());
  for (int d = 0; d < b.directions; ++d) {
    JsonValue row = JsonValue::object();
    row.add("degrees", 360.0 * d / b.directions);
    row.add("least", b.least(d));
    JsonValue& impulses = row.add("impulse", JsonValue::array());
    JsonValue& forces = row.add("force", JsonValue::array());
    for (int p = 0; p < b.phases; ++p) {
      impulses.items.emplace_back(b.at(d, p));
      forces.items.emplace_back(b.force(b.at(d, p)));
    }
    list.items.push_back(std::move(row));
  }
  return pretty_text(top);
}

}  // namespace molejo
