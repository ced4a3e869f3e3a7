#include "molejo/io/net_layout.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "molejo/io/layer_order.h"
#include "molejo/math/index.h"

namespace molejo {

namespace {

constexpr double bend_distance = 26, layout_margin = 60, name_gap = 14;
constexpr int layout_sweeps = 24, layout_pulls = 6;

struct LayoutNode {
  int layer = 0;
  double y = 0;
  bool bend = false;
};

// A link between neighbouring layers, left to right.
struct LayoutLink {
  int from, to;
};

// Letters, not bytes of UTF-8.
std::size_t letters(const std::string& name) {
  return static_cast<std::size_t>(std::count_if(name.begin(), name.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

class Layering {
 public:
  Layering(const Net& net, const LayoutSettings& settings)
      : net_(net), settings_(settings), count_(net.places.size() + net.transitions.size()) {
    for (const Arc& a : net.arcs) {
      const int place = a.place.index;
      const int transition = static_cast<int>(net.places.size()) + a.transition.index;
      const bool puts = a.kind == ArcKind::output;
      arcs_.push_back(puts ? LayoutLink{transition, place} : LayoutLink{place, transition});
    }
    nodes_.resize(count_);
    turned_.assign(arcs_.size(), 0);
  }

  NetLayout result() const {
    NetLayout layout;
    double top = 0, bottom = 0;
    for (const LayoutNode& n : nodes_) {
      top = std::min(top, n.y);
      bottom = std::max(bottom, n.y);
    }
    const std::vector<double> x = columns(bottom - top);
    const auto point = [&](int n) {
      return DrawingPoint{x[at(nodes_[at(n)].layer)],
                          std::round(layout_margin + nodes_[at(n)].y - top)};
    };
    for (int n = 0; n < static_cast<int>(count_); ++n) {
      (at(n) < net_.places.size() ? layout.places : layout.transitions).push_back(point(n));
    }
    for (std::size_t a = 0; a < arcs_.size(); ++a) {
      std::vector<DrawingPoint> bends{point(arcs_[a].from)};
      for (const int bend : chains_[a]) bends.push_back(point(bend));
      bends.push_back(point(arcs_[a].to));
      if (turned_[a] != 0) std::reverse(bends.begin(), bends.end());
      layout.bends.push_back(std::move(bends));
    }
    layout.width = layout_margin + x.back();
    layout.height = 2 * layout_margin + bottom - top;
    return layout;
  }

  // What is left to be seen: crossings and the pieces of arcs.
  long run(bool in_breadth) {
    if (in_breadth) {
      turn_cycles_in_breadth();
    } else {
      turn_cycles_in_depth();
    }
    choose_layers();
    add_bends();
    const long crossings = order_layers(layers_, left_, right_);
    choose_rows();
    return crossings + static_cast<long>(links_.size());
  }

 private:
  // Nodes that nothing leads to, then marked places, then the others.
  std::vector<int> starts(const std::vector<std::vector<int>>& in) const {
    std::vector<int> order;
    for (int pass = 0; pass < 3; ++pass) {
      for (int n = 0; n < static_cast<int>(count_); ++n) {
        const bool marked = at(n) < net_.places.size() && net_.places[at(n)].tokens > 0;
        const int rank = in[at(n)].empty() ? 0 : marked ? 1 : 2;
        if (rank == pass) order.push_back(n);
      }
    }
    return order;
  }

  void turn(std::size_t arc) {
    std::swap(arcs_[arc].from, arcs_[arc].to);
    turned_[arc] = 1;
  }

  // Depth first: an arc back to the path is turned. Follows one token on its way.
  void turn_cycles_in_depth() {
    std::vector<std::vector<int>> in(count_), out(count_);
    for (std::size_t a = 0; a < arcs_.size(); ++a) {
      out[at(arcs_[a].from)].push_back(static_cast<int>(a));
      in[at(arcs_[a].to)].push_back(static_cast<int>(a));
    }
    enum : std::uint8_t { unseen, on_path, done };
    std::vector<std::uint8_t> colour(count_, unseen);
    std::vector<std::pair<int, std::size_t>> path;
    for (const int start : starts(in)) {
      if (colour[at(start)] != unseen) continue;
      path.push_back({start, 0});
      colour[at(start)] = on_path;
      while (!path.empty()) {
        auto& [node, next] = path.back();
        if (next == out[at(node)].size()) {
          colour[at(node)] = done;
          path.pop_back();
          continue;
        }
        const int arc = out[at(node)][next++];
        const int to = arcs_[at(arc)].to;
        if (colour[at(to)] == on_path) {
          turn(at(arc));
        } else if (colour[at(to)] == unseen) {
          colour[at(to)] = on_path;
          path.push_back({to, 0});
        }
      }
    }
  }

  // Breadth first: an arc to a node that is met earlier is turned. Many tokens side by side.
  void turn_cycles_in_breadth() {
    std::vector<std::vector<int>> in(count_), out(count_);
    for (const LayoutLink& a : arcs_) {
      out[at(a.from)].push_back(a.to);
      in[at(a.to)].push_back(a.from);
    }
    std::vector<int> met(count_, -1), queue;
    const std::vector<int> order = starts(in);
    const auto is_first = [&](int n) {
      return in[at(n)].empty() || (at(n) < net_.places.size() && net_.places[at(n)].tokens > 0);
    };
    for (const int start : order) {
      if (is_first(start)) queue.push_back(start), met[at(start)] = 0;
    }
    std::size_t next = 0;
    for (const int start : order) {
      if (met[at(start)] < 0) queue.push_back(start), met[at(start)] = 0;
      for (; next < queue.size(); ++next) {
        for (const int to : out[at(queue[next])]) {
          if (met[at(to)] < 0) queue.push_back(to), met[at(to)] = met[at(queue[next])] + 1;
        }
      }
    }
    // nodes of one distance in the order in which they were met
    std::vector<int> rank(count_);
    for (std::size_t i = 0; i < queue.size(); ++i) rank[at(queue[i])] = static_cast<int>(i);
    for (std::size_t a = 0; a < arcs_.size(); ++a) {
      const auto [from, to] = arcs_[a];
      if (std::pair(met[at(from)], rank[at(from)]) > std::pair(met[at(to)], rank[at(to)])) turn(a);
    }
  }

  // The longest way from the left; then nodes move within their freedom to where their arcs are
  // shorter.
  void choose_layers() {
    std::vector<std::vector<int>> in(count_), out(count_);
    std::vector<int> missing(count_, 0), order;
    for (const LayoutLink& a : arcs_) {
      out[at(a.from)].push_back(a.to);
      in[at(a.to)].push_back(a.from);
      ++missing[at(a.to)];
    }
    for (int n = 0; n < static_cast<int>(count_); ++n) {
      if (missing[at(n)] == 0) order.push_back(n);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const int to : out[at(order[i])]) {
        nodes_[at(to)].layer = std::max(nodes_[at(to)].layer, nodes_[at(order[i])].layer + 1);
        if (--missing[at(to)] == 0) order.push_back(to);
      }
    }
    for (int pull = 0; pull < layout_pulls; ++pull) {
      std::reverse(order.begin(), order.end());  // first from the right
      for (const int n : order) {
        int& layer = nodes_[at(n)].layer;
        if (out[at(n)].size() > in[at(n)].size()) {
          int right = nodes_[at(out[at(n)].front())].layer;
          for (const int to : out[at(n)]) right = std::min(right, nodes_[at(to)].layer);
          layer = right - 1;
        } else if (in[at(n)].size() > out[at(n)].size()) {
          int left = 0;
          for (const int from : in[at(n)]) left = std::max(left, nodes_[at(from)].layer + 1);
          layer = left;
        }
      }
    }
    // the leftmost may have moved
    int first = nodes_.empty() ? 0 : nodes_[0].layer;
    for (const LayoutNode& n : nodes_) first = std::min(first, n.layer);
    for (LayoutNode& n : nodes_) n.layer -= first;
  }

  void add_bends() {
    chains_.resize(arcs_.size());
    constexpr std::size_t most_bends = 200'000;
    for (std::size_t a = 0; a < arcs_.size(); ++a) {
      const LayoutLink link = arcs_[a];
      const int from = nodes_[at(link.from)].layer, to = nodes_[at(link.to)].layer;
      int last = link.from;
      for (int layer = from + 1; layer < to && nodes_.size() < most_bends; ++layer) {
        const int bend = static_cast<int>(nodes_.size());
        nodes_.push_back({layer, 0, true});
        chains_[a].push_back(bend);
        links_.push_back({last, bend});
        last = bend;
      }
      links_.push_back({last, link.to});
    }
    left_.resize(nodes_.size());
    right_.resize(nodes_.size());
    for (const LayoutLink& l : links_) {
      right_[at(l.from)].push_back(l.to);
      left_[at(l.to)].push_back(l.from);
    }
    int layers = 0;
    for (const LayoutNode& n : nodes_) layers = std::max(layers, n.layer + 1);
    layers_.resize(at(layers));
    for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
      layers_[at(nodes_[at(n)].layer)].push_back(n);
    }
  }

  double space_between(const LayoutNode& a, const LayoutNode& b) const {
    if (a.bend && b.bend) return bend_distance;
    return a.bend || b.bend ? (bend_distance + settings_.row_distance) / 2 : settings_.row_distance;
  }

  // Moves the nodes of a layer towards the wanted rows, keeping order and distance: groups that
  // would overlap are moved together to their mean.
  void place_layer(const std::vector<int>& layer, const std::vector<double>& wanted) {
    struct Group {
      double sum;  // of wanted rows, each less its offset in the group
      std::size_t count;
      std::size_t first;
      double length;  // from the first to the last node
    };
    std::vector<Group> groups;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      groups.push_back({wanted[i], 1, i, 0});
      while (groups.size() > 1) {
        Group& b = groups.back();
        Group& a = groups[groups.size() - 2];
        const double gap =
            space_between(nodes_[at(layer[b.first - 1])], nodes_[at(layer[b.first])]);
        const double a_row = a.sum / static_cast<double>(a.count);
        const double b_row = b.sum / static_cast<double>(b.count);
        if (b_row >= a_row + a.length + gap) break;
        a.sum += b.sum - static_cast<double>(b.count) * (a.length + gap);
        a.count += b.count;
        a.length += gap + b.length;
        groups.pop_back();
      }
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      double y = groups[g].sum / static_cast<double>(groups[g].count);
      const std::size_t end = g + 1 < groups.size() ? groups[g + 1].first : layer.size();
      for (std::size_t i = groups[g].first; i < end; ++i) {
        if (i > groups[g].first) y += space_between(nodes_[at(layer[i - 1])], nodes_[at(layer[i])]);
        nodes_[at(layer[i])].y = y;
      }
    }
  }

  void choose_rows() {
    for (const std::vector<int>& layer : layers_) {
      double y = 0;
      for (std::size_t k = 0; k < layer.size(); ++k) {
        if (k > 0) y += space_between(nodes_[at(layer[k - 1])], nodes_[at(layer[k])]);
        nodes_[at(layer[k])].y = y;
      }
      for (const int n : layer) nodes_[at(n)].y -= y / 2;
    }
    for (int sweep = 0; sweep < layout_sweeps; ++sweep) {
      const int side = sweep % 3;  // from the left, from the right, from both
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        const std::vector<int>& layer = layers_[side == 1 ? layers_.size() - 1 - i : i];
        std::vector<double> wanted;
        for (const int n : layer) {
          std::vector<double> around;
          if (side != 1) {
            for (const int m : left_[at(n)]) around.push_back(nodes_[at(m)].y);
          }
          if (side != 0) {
            for (const int m : right_[at(n)]) around.push_back(nodes_[at(m)].y);
          }
          wanted.push_back(around.empty() ? nodes_[at(n)].y : median(around));
        }
        place_layer(layer, wanted);
      }
    }
  }

  // Of each layer: far enough from the one before for the names of both.
  // Where there is room for names, a tall drawing is made wider: arcs are less steep.
  std::vector<double> columns(double height) const {
    std::vector<double> width(layers_.size(), 0), x(layers_.size(), layout_margin);
    for (std::size_t n = 0; n < count_; ++n) {
      const std::string& name = n < net_.places.size()
                                    ? net_.places[n].name
                                    : net_.transitions[n - net_.places.size()].name;
      double& widest = width[at(nodes_[n].layer)];
      const std::size_t shown = std::min(letters(name), settings_.most_letters);
      widest = std::max(widest, settings_.letter_width * static_cast<double>(shown));
    }
    for (std::size_t i = 1; i < x.size(); ++i) {
      const double names = std::ceil((width[i - 1] + width[i]) / 2 + name_gap);
      x[i] = x[i - 1] + std::max(settings_.layer_distance, names);
    }
    const double wider = std::clamp(0.8 * height / (x.back() - layout_margin + 1), 1.0, 2.2);
    for (double& column : x) {
      if (settings_.letter_width > 0)
        column = std::round(layout_margin + wider * (column - layout_margin));
    }
    return x;
  }

  const Net& net_;
  LayoutSettings settings_;
  std::size_t count_;
  std::vector<LayoutLink> arcs_;  // of the net, perhaps turned
  std::vector<std::uint8_t> turned_;
  std::vector<LayoutNode> nodes_;         // places, transitions, bends
  std::vector<std::vector<int>> chains_;  // bends of an arc
  std::vector<LayoutLink> links_;
  std::vector<std::vector<int>> left_, right_;
  std::vector<std::vector<int>> layers_;
};

}  // namespace

NetLayout layout(const Net& net, const LayoutSettings& settings) {
  assert(net.places.size() + net.transitions.size() <= max_drawn_nodes);
  if (net.places.empty() && net.transitions.empty()) return {};
  Layering deep(net, settings), broad(net, settings);
  const long cost_of_deep = deep.run(false), cost_of_broad = broad.run(true);
  return cost_of_broad < cost_of_deep ? broad.result() : deep.result();
}

}  // namespace molejo
