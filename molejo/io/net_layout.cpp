#include "molejo/io/net_layout.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace molejo {

namespace {

constexpr double layer_distance = 90, row_distance = 64, bend_distance = 26, margin = 60;
constexpr int sweeps = 24;

struct Node {
  int layer = 0;
  int position = 0;  // within the layer
  double y = 0;
  bool bend = false;
};

// A link between neighbouring layers, left to right.
struct Link {
  int from, to;
};

double space_between(const Node& a, const Node& b) {
  if (a.bend && b.bend) return bend_distance;
  return a.bend || b.bend ? (bend_distance + row_distance) / 2 : row_distance;
}

class Layering {
 public:
  explicit Layering(const Net& net)
      : net_(net), count_(net.places.size() + net.transitions.size()) {
    for (const Arc& a : net.arcs) {
      const int place = a.place.index;
      const int transition = static_cast<int>(net.places.size()) + a.transition.index;
      const bool puts = a.kind == ArcKind::output;
      arcs_.push_back(puts ? Link{transition, place} : Link{place, transition});
    }
    nodes_.resize(count_);
    turned_.assign(arcs_.size(), 0);
  }

  NetLayout run() {
    turn_cycles();
    choose_layers();
    add_bends();
    order_layers();
    choose_rows();
    return result();
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  // Depth first from the nodes that nothing leads to, then from marked places: an arc back to the
  // path is turned.
  void turn_cycles() {
    std::vector<std::vector<int>> out(count_);
    std::vector<int> incoming(count_, 0);
    for (std::size_t a = 0; a < arcs_.size(); ++a) {
      out[at(arcs_[a].from)].push_back(static_cast<int>(a));
      ++incoming[at(arcs_[a].to)];
    }
    std::vector<int> order;
    for (int pass = 0; pass < 3; ++pass) {
      for (int n = 0; n < static_cast<int>(count_); ++n) {
        const bool marked = at(n) < net_.places.size() && net_.places[at(n)].tokens > 0;
        const int rank = incoming[at(n)] == 0 ? 0 : marked ? 1 : 2;
        if (rank == pass) order.push_back(n);
      }
    }
    enum : std::uint8_t { unseen, on_path, done };
    std::vector<std::uint8_t> colour(count_, unseen);
    std::vector<std::pair<int, std::size_t>> path;
    for (const int start : order) {
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
          std::swap(arcs_[at(arc)].from, arcs_[at(arc)].to);
          turned_[at(arc)] = 1;
        } else if (colour[at(to)] == unseen) {
          colour[at(to)] = on_path;
          path.push_back({to, 0});
        }
      }
    }
  }

  // The longest way from the left; then nodes without predecessors move next to their successors.
  void choose_layers() {
    std::vector<std::vector<int>> out(count_);
    std::vector<int> missing(count_, 0), order;
    for (const Link& a : arcs_) {
      out[at(a.from)].push_back(a.to);
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
    std::vector<std::uint8_t> has_input(count_, 0);
    for (const Link& a : arcs_) has_input[at(a.to)] = 1;
    for (auto n = order.rbegin(); n != order.rend(); ++n) {
      if (has_input[at(*n)] != 0 || out[at(*n)].empty()) continue;
      int least = nodes_[at(out[at(*n)].front())].layer;
      for (const int to : out[at(*n)]) least = std::min(least, nodes_[at(to)].layer);
      nodes_[at(*n)].layer = std::max(0, least - 1);
    }
  }

  void add_bends() {
    chains_.resize(arcs_.size());
    constexpr std::size_t most_bends = 200'000;
    for (std::size_t a = 0; a < arcs_.size(); ++a) {
      const Link link = arcs_[a];
      const int from = nodes_[at(link.from)].layer, to = nodes_[at(link.to)].layer;
      int last = link.from;
      for (int layer = from + 1; layer < to && nodes_.size() < most_bends; ++layer) {
        const int bend = static_cast<int>(nodes_.size());
        nodes_.push_back({layer, 0, 0, true});
        chains_[a].push_back(bend);
        links_.push_back({last, bend});
        last = bend;
      }
      links_.push_back({last, link.to});
    }
    left_.resize(nodes_.size());
    right_.resize(nodes_.size());
    for (const Link& l : links_) {
      right_[at(l.from)].push_back(l.to);
      left_[at(l.to)].push_back(l.from);
    }
    int layers = 0;
    for (const Node& n : nodes_) layers = std::max(layers, n.layer + 1);
    layers_.resize(at(layers));
    for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
      nodes_[at(n)].position = static_cast<int>(layers_[at(nodes_[at(n)].layer)].size());
      layers_[at(nodes_[at(n)].layer)].push_back(n);
    }
  }

  static double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  }

  long crossings() const {
    long count = 0;
    for (const std::vector<int>& layer : layers_) {
      // pairs of links from this layer that swap their order: counted by a tree of sums
      std::vector<std::pair<int, int>> ends;
      for (const int n : layer) {
        for (const int to : right_[at(n)])
          ends.push_back({nodes_[at(n)].position, nodes_[at(to)].position});
      }
      std::sort(ends.begin(), ends.end());
      int widest = 1;
      for (const auto& [a, b] : ends) widest = std::max(widest, b + 1);
      std::vector<long> tree(at(widest) + 1, 0);
      for (auto e = ends.rbegin(); e != ends.rend(); ++e) {
        for (int i = e->second; i > 0; i -= i & -i) count += tree[at(i)];
        for (int i = e->second + 1; i <= widest; i += i & -i) ++tree[at(i)];
      }
    }
    return count;
  }

  void order_layers() {
    std::vector<std::vector<int>> best = layers_;
    long fewest = crossings();
    for (int sweep = 0; sweep < sweeps && fewest > 0; ++sweep) {
      const bool forward = sweep % 2 == 0;
      for (std::size_t i = 1; i < layers_.size(); ++i) {
        std::vector<int>& layer = layers_[forward ? i : layers_.size() - 1 - i];
        std::vector<std::pair<double, int>> keyed;
        for (const int n : layer) {
          std::vector<double> around;
          for (const int m : forward ? left_[at(n)] : right_[at(n)]) {
            around.push_back(nodes_[at(m)].position);
          }
          keyed.push_back({around.empty() ? nodes_[at(n)].position : median(around), n});
        }
        std::stable_sort(keyed.begin(), keyed.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t k = 0; k < layer.size(); ++k) {
          layer[k] = keyed[k].second;
          nodes_[at(layer[k])].position = static_cast<int>(k);
        }
      }
      if (const long now = crossings(); now < fewest) {
        fewest = now;
        best = layers_;
      }
    }
    layers_ = best;
    for (const std::vector<int>& layer : layers_) {
      for (std::size_t k = 0; k < layer.size(); ++k) {
        nodes_[at(layer[k])].position = static_cast<int>(k);
      }
    }
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
    for (int sweep = 0; sweep < sweeps; ++sweep) {
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

  NetLayout result() const {
    NetLayout layout;
    double top = 0, bottom = 0;
    for (const Node& n : nodes_) {
      top = std::min(top, n.y);
      bottom = std::max(bottom, n.y);
    }
    const auto point = [&](int n) {
      return DrawingPoint{margin + layer_distance * nodes_[at(n)].layer,
                          std::round(margin + nodes_[at(n)].y - top)};
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
    layout.width = 2 * margin + layer_distance * static_cast<double>(layers_.size() - 1);
    layout.height = 2 * margin + bottom - top;
    return layout;
  }

  const Net& net_;
  std::size_t count_;
  std::vector<Link> arcs_;  // of the net, perhaps turned
  std::vector<std::uint8_t> turned_;
  std::vector<Node> nodes_;               // places, transitions, bends
  std::vector<std::vector<int>> chains_;  // bends of an arc
  std::vector<Link> links_;
  std::vector<std::vector<int>> left_, right_;
  std::vector<std::vector<int>> layers_;
};

}  // namespace

NetLayout layout(const Net& net) {
  assert(net.places.size() + net.transitions.size() <= max_drawn_nodes);
  if (net.places.empty() && net.transitions.empty()) return {};
  return Layering(net).run();
}

}  // namespace molejo
