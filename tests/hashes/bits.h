// One number for many: the same bits give the same number.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "molejo/model/recording.h"
#include "molejo/motion/skeleton.h"

namespace molejo::test {

// 64-bit FNV-1a.
class Bits {
 public:
  void add(std::uint64_t word) {
    for (int i = 0; i < 8; ++i) take(static_cast<unsigned char>(word >> (8 * i)));
  }
  void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }
  void add(const Vec3& p) { add(p.x), add(p.y), add(p.z); }
  void add(const std::string& text) {
    for (const char c : text) take(static_cast<unsigned char>(c));
  }
  void add(const motion::SkeletonPose& pose) {
    for (int j = 0; j < pose.joints(); ++j) {
      const Quat q = pose.rotation(j);
      add(pose.translation(j)), add(Vec3{q.x, q.y, q.z}), add(q.w);
    }
  }
  void add(const Recording& recording) {
    for (const Frame& frame : recording.frames) add(hash(frame.state));
  }
  std::uint64_t value() const { return value_; }

 private:
  void take(unsigned char byte) { value_ = (value_ ^ byte) * 1099511628211u; }
  std::uint64_t value_ = 14695981039346656037u;
};

}  // namespace molejo::test
