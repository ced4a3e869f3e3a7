#include "molejo/io/layer_order.h"

#include <algorithm>
#include <utility>

#include "molejo/math/index.h"

namespace molejo {

namespace {

constexpr int ordering_sweeps = 24;
constexpr long most_swap_work = 40'000'000;  // pairs of links: some tenths of a second

class Ordering {
 public:
  Ordering(std::vector<std::vector<int>>& layers, const std::vector<std::vector<int>>& left,
           const std::vector<std::vector<int>>& right)
      : layers_(layers), left_(left), right_(right), position_(left.size()) {
    for (const std::vector<int>& layer : layers_) number(layer);
  }

  // From the order of the file and from that of a walk along the arcs: the better one stays.
  long run() {
    std::vector<std::vector<int>> best = layers_;
    long fewest = crossings();
    for (const bool walked : {false, true}) {
      if (walked) order_by_walk();
      for (int sweep = 0; sweep < ordering_sweeps && fewest > 0; ++sweep) {
        sweep_medians(sweep % 2 == 0);
        if (sweep % 4 == 3) swap_neighbours();
        if (const long now = crossings(); now < fewest) {
          fewest = now;
          best = layers_;
        }
      }
    }
    layers_ = best;
    return fewest;
  }

 private:
  long crossings() const {
    long count = 0;
    for (const std::vector<int>& layer : layers_) {
      // pairs of links from this layer that swap their order: counted by a tree of sums
      std::vector<std::pair<int, int>> ends;
      for (const int n : layer) {
        for (const int to : right_[at(n)]) ends.push_back({position_[at(n)], position_[at(to)]});
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

  void number(const std::vector<int>& layer) {
    for (std::size_t k = 0; k < layer.size(); ++k) {
      position_[at(layer[k])] = static_cast<int>(k);
    }
  }

  // Nodes in the order in which a walk in depth meets them.
  void order_by_walk() {
    std::vector<int> met(position_.size(), -1), stack;
    int count = 0;
    for (const std::vector<int>& layer : layers_) {
      for (const int start : layer) {
        stack.push_back(start);
        while (!stack.empty()) {
          const int n = stack.back();
          stack.pop_back();
          if (met[at(n)] >= 0) continue;
          met[at(n)] = count++;
          for (const auto* around : {&left_[at(n)], &right_[at(n)]}) {
            stack.insert(stack.end(), around->begin(), around->end());
          }
        }
      }
    }
    for (std::vector<int>& layer : layers_) {
      std::sort(layer.begin(), layer.end(), [&](int a, int b) { return met[at(a)] < met[at(b)]; });
      number(layer);
    }
  }

  void sweep_medians(bool forward) {
    for (std::size_t i = 1; i < layers_.size(); ++i) {
      std::vector<int>& layer = layers_[forward ? i : layers_.size() - 1 - i];
      std::vector<std::pair<double, int>> keyed;
      for (const int n : layer) {
        std::vector<double> around;
        for (const int m : forward ? left_[at(n)] : right_[at(n)]) {
          around.push_back(position_[at(m)]);
        }
        keyed.push_back({around.empty() ? position_[at(n)] : median(around), n});
      }
      std::stable_sort(keyed.begin(), keyed.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      for (std::size_t k = 0; k < layer.size(); ++k) layer[k] = keyed[k].second;
      number(layer);
    }
  }

  // Crossings of the links of two neighbours when the first is above the second, less those when
  // it is below.
  long gain(int first, int second) {
    long difference = 0;
    for (const auto* sides : {&left_, &right_}) {
      const std::vector<int>& a = (*sides)[at(first)];
      const std::vector<int>& b = (*sides)[at(second)];
      swap_work_ += static_cast<long>(a.size() * b.size());
      for (const int m : a) {
        for (const int k : b) {
          const int p = position_[at(m)], q = position_[at(k)];
          difference += p > q ? 1 : p < q ? -1 : 0;
        }
      }
    }
    return difference;
  }

  void swap_neighbours() {
    bool swapped = true;
    for (int pass = 0; swapped && pass < 8 && swap_work_ < most_swap_work; ++pass) {
      swapped = false;
      for (std::vector<int>& layer : layers_) {
        for (std::size_t k = 0; k + 1 < layer.size(); ++k) {
          if (gain(layer[k], layer[k + 1]) <= 0) continue;
          std::swap(layer[k], layer[k + 1]);
          std::swap(position_[at(layer[k])], position_[at(layer[k + 1])]);
          swapped = true;
        }
      }
    }
  }

  std::vector<std::vector<int>>& layers_;
  const std::vector<std::vector<int>>& left_;
  const std::vector<std::vector<int>>& right_;
  std::vector<int> position_;  // of a node within its layer
  long swap_work_ = 0;
};

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

long order_layers(std::vector<std::vector<int>>& layers, const std::vector<std::vector<int>>& left,
                  const std::vector<std::vector<int>>& right) {
  return Ordering(layers, left, right).run();
}

}  // namespace molejo
