#include "molejo/motion/role_shape.h"

#include <algorithm>
#include <cmath>

namespace molejo::motion {

namespace {

using enum Role;

// Two chains of joints, left and right.
struct Pair {
  int parting = -1;
  std::vector<int> a, b;  // from the first joint below where they part
};

class ShapeReader {
 public:
  ShapeReader(const Skeleton& skeleton, std::span<const Affine> X, const Roles& known)
      : skeleton_(skeleton), X_(X), known_(known), children_(skeleton.children()) {
    shape_.joints.fill(-1);
    low_ = high_ = X_[0].origin.y;
    for (const Affine& x : X_)
      low_ = std::min(low_, x.origin.y), high_ = std::max(high_, x.origin.y);
  }

  BodyShape read() {
    if (skeleton_.size() > most_joints || !(high_ > low_)) return shape_;
    int hips_joint = known_[hips];
    if (known_[left_upper_leg] < 0 || known_[right_upper_leg] < 0) {
      const Pair legs = lowest_pair();
      if (legs.parting < 0) return shape_;
      if (hips_joint < 0) hips_joint = legs.parting;
      take_legs(legs);
    }
    shape_.joints[at(hips)] = hips_joint;
    if (hips_joint >= 0) read_upper_body(hips_joint);
    return shape_;
  }

 private:
  static constexpr int most_joints = 2'000;
  double height() const { return high_ - low_; }
  const Vec3& p(int j) const { return X_[at(j)].origin; }

  std::vector<int> leaves() const {
    std::vector<int> result;
    for (int j = 0; j < skeleton_.size(); ++j) {
      if (children_[at(j)].empty()) result.push_back(j);
    }
    return result;
  }

  // The way from below `top` to `end`, joints left out that lie where the last one was.
  std::vector<int> chain(int top, int end) const {
    std::vector<int> all;
    for (int j = end; j >= 0 && j != top; j = skeleton_[j].parent) all.insert(all.begin(), j);
    std::vector<int> kept;
    for (std::size_t i = 0; i < all.size(); ++i) {
      // of joints at one place the last turns the bone
      const bool same = i + 1 < all.size() && norm(p(all[i + 1]) - p(all[i])) < 0.01 * height();
      if (!same) kept.push_back(all[i]);
    }
    return kept;
  }

  // Are they each other's image in an upright plane?
  bool alike(int a, int b, int parting) const {
    const Vec3 middle = p(parting);
    const Vec3 x = p(a) - middle, y = p(b) - middle;
    const double scale = std::max(norm(x), norm(y));
    const Vec3 across{x.x - y.x, 0, x.z - y.z}, along{x.x + y.x, 0, x.z + y.z};
    return std::fabs(x.y - y.y) < 0.15 * scale && norm(across) > 0.02 * height() &&
           std::fabs(dot(along, across)) <
               0.25 * norm(across) * std::max(norm(along), norm(across));
  }

  // Among pairs of like ends, the one that reaches lowest and parts highest.
  Pair lowest_pair() const {
    std::vector<int> ends;
    for (const int leaf : leaves()) {
      if (p(leaf).y < low_ + 0.15 * height()) ends.push_back(leaf);
    }
    Pair best;
    double best_length = 0;
    for (std::size_t i = 0; i < ends.size() && i < 60; ++i) {
      for (std::size_t k = i + 1; k < ends.size() && k < 60; ++k) {
        const int parting = common_ancestor(skeleton_, ends[i], ends[k]);
        if (parting < 0 || !alike(ends[i], ends[k], parting)) continue;
        const double length = p(parting).y - low_;
        const std::vector<int> a = chain(parting, ends[i]), b = chain(parting, ends[k]);
        if (a.size() < 2 || a.size() != b.size() || length <= best_length) continue;
        best = {parting, a, b}, best_length = length;
      }
    }
    return best;
  }

  // Left is where the toes say, or +x as in glTF, whose models look along +z.
  bool a_is_left(const std::vector<int>& a, const std::vector<int>& b) const {
    const Vec3 across = p(a[0]) - p(b[0]);
    Vec3 front{0, 0, 1};
    if (a.size() > 3) {
      const Vec3 toe = p(a.back()) - p(a[2]) + p(b.back()) - p(b[2]);
      const Vec3 flat{toe.x, 0, toe.z};
      if (norm(flat) > 0.02 * height()) front = flat;
    }
    const Vec3 left = cross(Vec3{0, 1, 0}, front);
    return dot(across, left) > 0;
  }

  void take(const std::vector<int>& c, std::size_t from, std::initializer_list<Role> roles) {
    std::size_t i = from;
    for (const Role role : roles) {
      if (i < c.size()) shape_.joints[at(role)] = c[i++];
    }
  }

  void take_legs(const Pair& legs) {
    const bool first = a_is_left(legs.a, legs.b);
    const std::vector<int>& l = first ? legs.a : legs.b;
    const std::vector<int>& r = first ? legs.b : legs.a;
    take(l, 0, {left_upper_leg, left_lower_leg, left_foot, left_toes});
    take(r, 0, {right_upper_leg, right_lower_leg, right_foot, right_toes});
    across_ = p(l[0]) - p(r[0]);
  }

  void read_upper_body(int hips_joint) {
    if (known_[left_upper_leg] >= 0 && known_[right_upper_leg] >= 0) {
      across_ = p(known_[left_upper_leg]) - p(known_[right_upper_leg]);
    }
    // the head: the highest end below the hips near the middle plane
    int top = known_[head];
    const double width = norm(across_);
    const Vec3 unit = width > 0 ? across_ / width : Vec3{1, 0, 0};
    for (const int leaf : leaves()) {
      if (known_[head] >= 0 || !skeleton_.descends(leaf, hips_joint) || leaf == hips_joint)
        continue;
      const bool central = std::fabs(dot(p(leaf) - p(hips_joint), unit)) < 0.08 * height();
      if (central && p(leaf).y > p(hips_joint).y && (top < 0 || p(leaf).y > p(top).y)) top = leaf;
    }
    if (top < 0) return;
    std::vector<int> trunk = chain(hips_joint, top);
    if (trunk.empty()) return;
    const int parting = read_arms(hips_joint, trunk, unit);
    // above the arms come neck and head, and perhaps an end that marks the crown
    const auto arms = std::find(trunk.begin(), trunk.end(), parting);
    const auto above =
        arms == trunk.end() ? trunk.size() : static_cast<std::size_t>(trunk.end() - arms) - 1;
    if (known_[head] < 0 && above > 2 && trunk.size() > 3) trunk.pop_back();
    shape_.joints[at(head)] = trunk.back();
    if (trunk.size() > 2) shape_.joints[at(neck)] = trunk[trunk.size() - 2];
  }

  // Where they part from the trunk, or -1.
  int read_arms(int hips_joint, const std::vector<int>& trunk, const Vec3& unit) {
    // ends far out on both sides that leave the trunk at one joint
    int out[2] = {-1, -1};
    double reach[2] = {0.1 * height(), 0.1 * height()};
    for (const int leaf : leaves()) {
      if (!skeleton_.descends(leaf, hips_joint)) continue;
      const bool from_trunk = std::any_of(trunk.begin(), trunk.end(), [&](int t) {
        return skeleton_.descends(leaf, t) && t != leaf;
      });
      if (!from_trunk) continue;
      const double side = dot(p(leaf) - p(hips_joint), unit);
      const std::size_t s = side > 0 ? 0 : 1;
      if (std::fabs(side) > reach[s]) reach[s] = std::fabs(side), out[s] = leaf;
    }
    if (out[0] < 0 || out[1] < 0) return -1;
    const int parting = common_ancestor(skeleton_, out[0], out[1]);
    for (const bool left : {true, false}) {
      std::vector<int> c = chain(parting, out[left ? 0 : 1]);
      // a hand is where fingers part, or the fourth joint
      std::size_t hand = std::min<std::size_t>(c.size() - 1, 3);
      for (std::size_t i = 2; i < c.size(); ++i) {
        if (children_[at(c[i])].size() >= 3) {
          hand = i;
          break;
        }
      }
      if (hand < 2) continue;
      take(c, hand - 2,
           left ? std::initializer_list<Role>{left_upper_arm, left_lower_arm, left_hand}
                : std::initializer_list<Role>{right_upper_arm, right_lower_arm, right_hand});
      if (hand > 2) shape_.joints[at(left ? left_shoulder : right_shoulder)] = c[hand - 3];
    }
    return parting;
  }

  const Skeleton& skeleton_;
  std::span<const Affine> X_;
  const Roles& known_;
  std::vector<std::vector<int>> children_;
  double low_ = 0, high_ = 0;
  Vec3 across_;
  BodyShape shape_;
};

}  // namespace

int common_ancestor(const Skeleton& skeleton, int a, int b) {
  while (a != b && a >= 0 && b >= 0) {
    if (a > b) {
      a = skeleton[a].parent;
    } else {
      b = skeleton[b].parent;
    }
  }
  return a == b ? a : -1;
}

std::vector<int> main_chain(const Skeleton& skeleton, std::span<const Affine> X, int joint) {
  const auto children = skeleton.children();
  // length of the longest way down from each joint
  std::vector<double> reach(skeleton.joints.size(), 0);
  std::vector<int> next(skeleton.joints.size(), -1);
  for (int j = skeleton.size() - 1; j > joint; --j) {
    const int parent = skeleton[j].parent;
    if (parent < 0) continue;
    const double way = reach[at(j)] + norm(X[at(j)].origin - X[at(parent)].origin);
    if (way > reach[at(parent)] || next[at(parent)] < 0) {
      reach[at(parent)] = way, next[at(parent)] = j;
    }
  }
  std::vector<int> chain{joint};
  const double least = 0.02 * reach[at(joint)];
  for (int j = next[at(joint)]; j >= 0; j = next[at(j)]) {
    if (norm(X[at(j)].origin - X[at(chain.back())].origin) > least) chain.push_back(j);
  }
  return chain;
}

BodyShape body_shape(const Skeleton& skeleton, std::span<const Affine> X, const Roles& known) {
  return ShapeReader(skeleton, X, known).read();
}

}  // namespace molejo::motion
