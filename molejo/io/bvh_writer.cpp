// BVH of a skeleton and one clip. The format knows no scales and no rotations at rest: with all its
// angles zero a figure stands in its reference pose, in axes of the model.
//
//   offset  p_j0 - p_p0       rotation  D_p^T D_j, D = R R_0^T: what turned a joint from there
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "molejo/io/character_file.h"
#include "molejo/math/index.h"
#include "molejo/math/interrupt.h"
#include "molejo/math/same_bits.h"
#include "molejo/model/error.h"
#include "molejo/motion/edit.h"
#include "molejo/motion/sampler.h"

namespace molejo {

namespace {

// Angles in degrees of R = Rz Rx Ry, the middle one within a quarter turn.
Vec3 angles_zxy(const Mat3& R) {
  const double sine = std::clamp(R.r2.y, -1.0, 1.0);
  const double cosine = std::sqrt(R.r2.x * R.r2.x + R.r2.z * R.r2.z);
  const double x = arc_tangent(sine, cosine);
  double y = 0, z = 0;
  if (cosine > 1e-9) {
    y = arc_tangent(-R.r2.x, R.r2.z);
    z = arc_tangent(-R.r0.y, R.r1.y);
  } else {
    z = arc_tangent(R.r1.x, R.r0.x);
  }
  constexpr double degrees = 57.29577951308232;
  return Vec3{x, y, z} * degrees;
}

class BvhWriter {
 public:
  BvhWriter(const motion::Character& character, const motion::Clip& clip, const BvhOptions& options)
      : skeleton_(character.skeleton),
        reference_(motion::bind_pose(character)),
        reference_rotations_(motion::model_rotations(skeleton_, reference_)),
        sampler_(skeleton_, clip),
        children_(skeleton_.children()),
        options_(options) {
    times_ = motion::uniform_times(clip.start(), clip.end(), options.fps);
    const double last =
        clip.start() + std::floor((clip.end() - clip.start()) * options.fps + 1e-6) / options.fps;
    // frames are evenly spaced: an end between two of them is left out
    while (times_.size() > 1 && times_.back() > last + 1e-9) times_.pop_back();
    for (int j = 0; j < skeleton_.size(); ++j) {
      if (skeleton_[j].parent < 0) roots_.push_back(j);
    }
    moving_.assign(skeleton_.joints.size(), false);
    turned_.resize(skeleton_.joints.size());
    rest_ = offsets(reference_);
  }

  std::string write() {
    if (times_.size() * at(skeleton_.size()) * 6 > max_clip_numbers) {
      throw InputError(fmt::format("{} frames of {} joints: more than are written", times_.size(),
                                   skeleton_.size()));
    }
    find_moving();
    out_ = "HIERARCHY\n";
    for (const int root : roots_) write_joints(root);
    fmt::format_to(std::back_inserter(out_), "MOTION\nFrames: {}\nFrame Time: {:.9g}\n",
                   times_.size(), 1 / options_.fps);
    motion::ClipCursor cursor = sampler_.cursor();
    motion::SkeletonPose pose(skeleton_);
    for (const double t : times_) {
      sampler_.sample(t, cursor, pose);
      write_frame(pose);
      check_interrupt();
    }
    return std::move(out_);
  }

 private:
  // Arrows from parent to joint as the parent's turn D sees them, and the turns in `turned_`.
  std::vector<Vec3> offsets(const motion::SkeletonPose& pose) {
    const std::vector<motion::Affine> X = motion::model_transforms(skeleton_, pose);
    const std::vector<Quat> q = motion::model_rotations(skeleton_, pose);
    std::vector<Vec3> result;
    for (int j = 0; j < skeleton_.size(); ++j) {
      turned_[at(j)] = q[at(j)] * conjugate(reference_rotations_[at(j)]);
      const int parent = skeleton_[j].parent;
      result.push_back(parent < 0 ? X[at(j)].origin
                                  : transpose_times(matrix(turned_[at(parent)]),
                                                    X[at(j)].origin - X[at(parent)].origin));
    }
    return result;
  }

  // Only joints whose arrow really changes get positions.
  void find_moving() {
    motion::ClipCursor cursor = sampler_.cursor();
    motion::SkeletonPose pose(skeleton_);
    double size = 0;
    for (const Vec3& v : rest_) size = std::max(size, max_abs(v));
    for (const double t : times_) {
      sampler_.sample(t, cursor, pose);
      const std::vector<Vec3> now = offsets(pose);
      for (std::size_t j = 0; j < now.size(); ++j) {
        if (max_abs(now[j] - rest_[j]) > 1e-6 * size) moving_[j] = true;
      }
    }
    for (const int root : roots_) moving_[at(root)] = true;
  }

  static std::string bvh_name(const std::string& name) {
    std::string out = name;
    for (char& c : out) {
      if (c == ' ' || c == '{' || c == '}') c = '_';
    }
    return out.empty() ? "joint" : out;
  }

  bool is_end(int j) const {
    const std::string& name = skeleton_[j].name;
    const int parent = skeleton_[j].parent;
    return parent >= 0 && children_[at(j)].empty() && !moving_[at(j)] &&
           children_[at(parent)].size() == 1 && name == skeleton_[parent].name + "_end";
  }

  // Depth first without recursion: what is still to be written, or a brace to close.
  void write_joints(int root) {
    std::vector<std::pair<int, int>> stack{{root, 0}};  // joint (-1: close), depth
    while (!stack.empty()) {
      const auto [j, depth] = stack.back();
      stack.pop_back();
      const std::string indent(at(std::min(depth, 100)), '\t');
      auto out = std::back_inserter(out_);
      if (j < 0) {
        fmt::format_to(out, "{}}}\n", indent);
        continue;
      }
      const Vec3& o = rest_[at(j)];
      const bool end = is_end(j);
      if (end) {
        fmt::format_to(out, "{}End Site\n", indent);
      } else {
        fmt::format_to(out, "{}{} {}\n", indent, depth == 0 ? "ROOT" : "JOINT",
                       bvh_name(skeleton_[j].name));
      }
      fmt::format_to(out, "{0}{{\n{0}\tOFFSET {1:.9g} {2:.9g} {3:.9g}\n", indent, o.x, o.y, o.z);
      if (!end) {
        order_.push_back(j);
        fmt::format_to(out, "{}\tCHANNELS {}Zrotation Xrotation Yrotation\n", indent,
                       moving_[at(j)] ? "6 Xposition Yposition Zposition " : "3 ");
        if (children_[at(j)].empty()) {
          // every chain ends in an end site
          fmt::format_to(out, "{0}\tEnd Site\n{0}\t{{\n{0}\t\tOFFSET 0 0 0\n{0}\t}}\n", indent);
        }
      }
      stack.emplace_back(-1, depth);
      for (auto c = children_[at(j)].rbegin(); c != children_[at(j)].rend(); ++c) {
        stack.emplace_back(*c, depth + 1);
      }
    }
  }

  void write_frame(const motion::SkeletonPose& pose) {
    const std::vector<Vec3> now = offsets(pose);
    auto out = std::back_inserter(out_);
    for (const int j : order_) {
      if (moving_[at(j)]) {
        const Vec3& p = now[at(j)];
        fmt::format_to(out, "{:.9g} {:.9g} {:.9g} ", p.x, p.y, p.z);
      }
      const int parent = skeleton_[j].parent;
      const Quat above = parent < 0 ? Quat{} : turned_[at(parent)];
      const Vec3 a = angles_zxy(matrix(motion::safe_unit(conjugate(above) * turned_[at(j)])));
      fmt::format_to(out, "{:.9g} {:.9g} {:.9g}{}", a.z, a.x, a.y, j == order_.back() ? "\n" : " ");
    }
  }

  const motion::Skeleton& skeleton_;
  motion::SkeletonPose reference_;
  std::vector<Quat> reference_rotations_, turned_;
  motion::ClipSampler sampler_;
  std::vector<std::vector<int>> children_;
  BvhOptions options_;
  std::vector<double> times_;
  std::vector<int> roots_, order_;
  std::vector<bool> moving_;
  std::vector<Vec3> rest_;
  std::string out_;
};

}  // namespace

std::string bvh_text(const motion::Character& character, const motion::Clip& clip,
                     const BvhOptions& options) {
  return BvhWriter(character, clip, options).write();
}

}  // namespace molejo
