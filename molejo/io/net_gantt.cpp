#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "molejo/io/markup.h"
#include "molejo/io/net_draw.h"

namespace molejo {

namespace {

constexpr double row_height = 18, chart_bar = 12, chart_left = 190, chart_top = 46,
                 chart_right = 20, chart_bottom = 34;
constexpr double chart_width = 900;
constexpr std::size_t most_rows = 400, most_bars = 50'000, most_lines = 2'000;

// 1, 2 or 5 times a power of ten, so that about ten fit.
double tick_step(double length) {
  const double rough = std::max(length, 1e-9) / 10;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

class Chart {
 public:
  Chart(const Net& net, const NetTrace& trace) : net_(net), trace_(trace) {
    end_ = trace.frames * trace.ticks_per_frame;
    for (const NetEvent& e : trace.events) end_ = std::max(end_, e.tick);
    end_ = std::max<std::int64_t>(end_, 1);
    row_.assign(net.places.size(), -1);
    // actions first in the order of their first bar, then conditions
    for (const Service& s : trace.services) give_row(s.place);
    for (const Stay& s : trace.stays) give_row(s.place);
  }

  std::string text() {
    const double height = chart_top + row_height * static_cast<double>(rows_.size()) + chart_bottom;
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "width=\"{0:.0f}\" height=\"{1:.0f}\">",
        chart_left + chart_width + chart_right, height);
    out_ +=
        "<style>text{font:11px sans-serif;fill:#222}.r{text-anchor:end}.k{text-anchor:middle;"
        "fill:#667}.s{fill:#1d4e89}.x{fill:#9a3412}.y{fill:#c7d7ea}.f{stroke:#99a;stroke-width:.6;"
        "stroke-dasharray:2 3}.g{stroke:#dde}.b{fill:#f5f7fa}</style>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
    add("<text x=\"8\" y=\"18\" font-weight=\"bold\">{}</text>",
        escaped(net_.name.empty() ? "Gantt chart" : net_.name));
    add_axis(height);
    add_rows();
    add_firings(height);
    add_bars();
    if (hidden_ > 0) {
      add("<text x=\"8\" y=\"{:.0f}\">and {} more places</text>", height - 8, hidden_);
    }
    return std::move(out_) + "</svg>\n";
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<Args>(args)...);
    out_ += '\n';
  }
  void give_row(PlaceId place) {
    int& row = row_[static_cast<std::size_t>(place.index)];
    if (row != -1) return;
    if (rows_.size() == most_rows) {
      row = -2;
      ++hidden_;
      return;
    }
    row = static_cast<int>(rows_.size());
    rows_.push_back(place);
  }
  double x(std::int64_t tick) const {
    return chart_left + chart_width * static_cast<double>(tick) / static_cast<double>(end_);
  }
  double y(std::size_t row) const { return chart_top + row_height * static_cast<double>(row); }

  void add_axis(double height) {
    const double seconds = static_cast<double>(end_) / static_cast<double>(trace_.ticks_per_second);
    const double step = tick_step(seconds);
    for (int i = 0; i * step <= seconds * (1 + 1e-12); ++i) {
      const double at = chart_left + chart_width * i * step / seconds;
      const double frame = std::round(i * step * trace_.frame_rate.value() * 100) / 100;
      add("<line class=\"g\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2:.1f}\"/>", at,
          chart_top - 4, height - chart_bottom);
      add("<text class=\"k\" x=\"{:.1f}\" y=\"{:.0f}\">{:g} s</text>", at, chart_top - 18,
          i * step);
      add("<text class=\"k\" x=\"{:.1f}\" y=\"{:.0f}\">{:g}</text>", at, chart_top - 7, frame);
    }
    add("<text class=\"r\" x=\"{:.0f}\" y=\"{:.0f}\" fill=\"#667\">frame</text>", chart_left - 8,
        chart_top - 7);
  }

  void add_rows() {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Place& p = net_.places[static_cast<std::size_t>(rows_[r].index)];
      if (r % 2 == 0) {
        add("<rect class=\"b\" x=\"0\" y=\"{:.1f}\" width=\"{:.0f}\" height=\"{}\"/>", y(r),
            chart_left + chart_width, row_height);
      }
      std::string label = p.name + (p.action.empty() ? "" : ": " + p.action);
      constexpr std::size_t longest = 30;
      if (label.size() > longest) {
        std::size_t cut = longest;
        while (cut > 0 && (static_cast<unsigned char>(label[cut]) & 0xc0) == 0x80) --cut;
        label = label.substr(0, cut) + "\u2026";
      }
      add("<text class=\"r\" x=\"{:.0f}\" y=\"{:.1f}\">{}</text>", chart_left - 8, y(r) + 13,
          escaped(label));
    }
  }

  void add_firings(double height) {
    std::size_t lines = 0;
    std::int64_t last = -1;
    for (const NetEvent& e : trace_.events) {
      if (e.kind != NetEventKind::fire || e.tick == last || lines >= most_lines) continue;
      last = e.tick;
      ++lines;
      add("<line class=\"f\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2:.1f}\"/>", x(e.tick),
          chart_top, height - chart_bottom);
    }
  }

  void add_bar(PlaceId place, std::int64_t start, std::int64_t end, const char* kind) {
    const int row = row_[static_cast<std::size_t>(place.index)];
    if (row < 0 || bars_++ >= most_bars) return;
    const std::int64_t until = end < 0 ? end_ : end;
    add("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"/>", kind,
        x(start), y(static_cast<std::size_t>(row)) + (row_height - chart_bar) / 2,
        std::max(1.0, x(until) - x(start) - 0.5), chart_bar);
  }
  void add_bars() {
    for (const Stay& s : trace_.stays) add_bar(s.place, s.start, s.end, "y");
    for (const Service& s : trace_.services) {
      add_bar(s.place, s.start, s.end, s.interrupted ? "x" : "s");
    }
  }

  const Net& net_;
  const NetTrace& trace_;
  std::int64_t end_ = 1;
  std::vector<int> row_;  // of a place: -1 none, -2 no room
  std::vector<PlaceId> rows_;
  std::size_t hidden_ = 0, bars_ = 0;
  std::string out_;
};

}  // namespace

std::string gantt_svg(const Net& net, const NetTrace& trace) { return Chart(net, trace).text(); }

}  // namespace molejo
