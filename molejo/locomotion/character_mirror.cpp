// The mirror image of a character. A reflection S at the sagittal plane takes a point p to S p and
// a rotation about a to a rotation about -S a, since axial vectors change their sign.
#include <cassert>
#include <cmath>

#include "molejo/locomotion/character.h"
#include "molejo/math/index.h"
#include "molejo/model/kinematics.h"
#include "molejo/model/scene.h"

namespace molejo {

namespace {

constexpr double symmetry_slack = 1e-6;  // of lengths, relative masses and directions

class MirrorFinder {
 public:
  explicit MirrorFinder(const Character& c) : c_(c), kinematics_(c.model) {
    update_poses(c.model, c.rest.q.data(), kinematics_);
  }

  Mirror find() {
    if (!c_.scene->character || c_.scene->character->mirror.empty()) {
      return {false, "no mirrored bodies are named", {}, {}, {}};
    }
    const Model& model = c_.model;
    for (int i = 0; i < model.body_count(); ++i) m_.body.push_back(i);
    for (const MirrorPair& pair : c_.scene->character->mirror) {
      const int left = model.body(pair.left).index, right = model.body(pair.right).index;
      m_.body[at(left)] = right, m_.body[at(right)] = left;
    }
    m_.freedom.assign(at(model.nv), -1);
    m_.sign.assign(at(model.nv), 0);
    for (int i = 0; i < model.body_count(); ++i) {
      if (!pair_freedoms(i)) {
        m_.asymmetry = "the joints of " + names(i) + " are no images of each other";
        m_.freedom.clear(), m_.sign.clear();
        return m_;
      }
    }
    for (int i = 0; i < model.body_count() && m_.asymmetry.empty(); ++i) compare(i);
    m_.symmetric = m_.asymmetry.empty();
    return m_;
  }

 private:
  std::string names(int i) const {
    const std::string& a = c_.model.bodies[at(i)].name;
    const std::string& b = c_.model.bodies[at(m_.body[at(i)])].name;
    return a == b ? "'" + a + "'" : "'" + a + "' and '" + b + "'";
  }
  Vec3 reflected(const Vec3& p) const { return p - c_.left * (2 * dot(c_.left, p)); }

  // Each freedom of the joint above body i finds the one along the image of its axis.
  bool pair_freedoms(int i) {
    const Link &a = c_.model.links[at(i)], &b = c_.model.links[at(m_.body[at(i)])];
    if (a.translations != b.translations || a.rotations != b.rotations) return false;
    if ((a.parent < 0 ? -1 : m_.body[at(a.parent)]) != b.parent) return false;
    for (int k = 0; k < a.translations + a.rotations; ++k) {
      const bool turns = k >= a.translations;
      const Vec3 image = reflected(kinematics_.axes[at(a.v + k)]) * (turns ? -1.0 : 1.0);
      const int first = turns ? b.translations : 0;
      const int last = turns ? b.translations + b.rotations : b.translations;
      for (int n = first; n < last; ++n) {
        const double along = dot(image, kinematics_.axes[at(b.v + n)]);
        if (std::fabs(along) < 1 - symmetry_slack) continue;
        m_.freedom[at(a.v + k)] = b.v + n;
        m_.sign[at(a.v + k)] = along > 0 ? 1 : -1;
      }
      if (m_.freedom[at(a.v + k)] < 0) return false;
    }
    return true;
  }

  void compare(int i) {
    const int j = m_.body[at(i)];
    const Link &a = c_.model.links[at(i)], &b = c_.model.links[at(j)];
    if (c_.model.bodies[at(i)].immobile) return;
    const BodyMotion<double>&ka = kinematics_.bodies[at(i)], &kb = kinematics_.bodies[at(j)];
    const auto differ = [&](const char* what) {
      m_.asymmetry = std::string(what) + " of " + names(i) + " are no images of each other";
    };
    if (std::fabs(a.mass - b.mass) > symmetry_slack * a.mass) differ("the masses");
    if (norm(reflected(ka.p) - kb.p) > symmetry_slack) differ("the joint points");
    if (norm(reflected(ka.com) - kb.com) > symmetry_slack) differ("the centres of mass");
    const Mat3 Ia = full(rotated(ka.R, a.I_BC)), Ib = full(rotated(kb.R, b.I_BC));
    for (int k = 0; k < 3; ++k) {
      // I b for the axes of the world, S I S for the image
      Vec3 axis;
      axis[k] = 1;
      const Vec3 image = reflected(Ia * reflected(axis));
      if (norm(image - Ib * axis) > symmetry_slack * (Ia.r0.x + Ia.r1.y + Ia.r2.z))
        differ("the inertias");
    }
    for (int k = 0; k < a.translations + a.rotations; ++k) compare_drives(a.v + k, i);
  }

  void compare_drives(int v, int body) {
    const Drive& a = c_.model.drives[at(v)];
    const Drive& b = c_.model.drives[at(m_.freedom[at(v)])];
    const bool turned = m_.sign[at(v)] < 0;
    const auto same = [](double x, double y) {
      return std::fabs(x - y) <= symmetry_slack * (1 + std::fabs(x));
    };
    const auto same_end = [&](const std::optional<double>& x, const std::optional<double>& y,
                              double sign) {
      return x.has_value() == y.has_value() && (!x || same(*x, sign * *y));
    };
    const bool alike = same(a.stiffness, b.stiffness) && same(a.damping, b.damping) &&
                       same_end(a.lower, turned ? b.upper : b.lower, turned ? -1 : 1) &&
                       same_end(a.upper, turned ? b.lower : b.upper, turned ? -1 : 1);
    if (!alike) m_.asymmetry = "the drives of " + names(body) + " are no images of each other";
  }

  const Character& c_;
  Kinematics<double> kinematics_;
  Mirror m_;
};

}  // namespace

Mirror make_mirror(const Character& character) { return MirrorFinder(character).find(); }

State mirrored(const Character& character, const State& state) {
  const Mirror& m = character.mirror;
  assert(!m.freedom.empty());
  State image = state;
  for (std::size_t i = 0; i < m.freedom.size(); ++i) {
    image.v[m.freedom[i]] = m.sign[i] * state.v[static_cast<int>(i)];
  }
  for (std::size_t i = 0; i < character.model.links.size(); ++i) {
    const Link& a = character.model.links[i];
    const Link& b = character.model.links[at(m.body[i])];
    // a quaternion keeps w, its vector part goes as the freedoms
    const int lead = a.rotations == 3 ? 1 : 0;
    if (lead > 0) image.q[b.q + b.translations] = state.q[a.q + a.translations];
    for (int k = 0; k < a.translations + a.rotations; ++k) {
      const int to = m.freedom[at(a.v + k)] - b.v;
      const auto place = [&](const Link& l, int n) {
        return l.q + n + (n >= l.translations ? lead : 0);
      };
      image.q[place(b, to)] = m.sign[at(a.v + k)] * state.q[place(a, k)];
    }
  }
  return image;
}

VecX mirrored(const Character& character, const VecX& x) {
  const Mirror& m = character.mirror;
  assert(!m.freedom.empty());
  const bool only_internal = x.size() == character.internal;
  assert(only_internal || x.size() == character.model.nv);
  const int first = only_internal ? character.first_internal : 0;
  VecX image(x.size());
  for (int i = 0; i < static_cast<int>(x.size()); ++i) {
    image[m.freedom[at(first + i)] - first] = m.sign[at(first + i)] * x[i];
  }
  return image;
}

}  // namespace molejo
