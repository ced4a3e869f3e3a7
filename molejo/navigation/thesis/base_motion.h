// What feet and hips of a clip do on flat ground: the curves that the others are made from.
//
//   extended time: the loop goes on both ways, each round a stride further
//   support frame: |p_f - p_f-1| <= factor H s (t_f - t_f-1) / 4     (H s / 120 at 30 frames a
//   second) static and dynamic parts: maximal runs of frames that support, and that do not
//
// Source: Matthey (2022), 4.8.2; the constant is that of his code. Everything is in the world, at
// heading 0: x forwards, y to the left, z over the plane of the lowest joint of any frame.
// H, the height of the rig, is twice the length of its left leg; s its scale.
#pragma once

#include <array>
#include <functional>

#include "molejo/navigation/footfalls.h"
#include "molejo/navigation/thesis/clip_frames.h"
#include "molejo/navigation/thesis/curve.h"

namespace molejo::navigation::thesis {

// Flags of both feet. One supports exactly while the other does not.
using SupportFrames = std::array<std::vector<char>, 2>;

// Who supports where both feet are slow, or neither is. With the slower one the factor decides only
// whether a foot stands at all; with his, the left one, its share grows with the factor.
enum class SupportRule { slower_foot, left_foot };

// `ankles`: N + 1 points each, the last a stride after the first; `times` N + 1 too. A foot
// supports that is slow enough, see above; frames alone among others join those. Throws InputError,
// naming the leg, where one is never slow or never swings.
SupportFrames find_support_frames(const std::array<std::vector<Vec3>, 2>& ankles,
                                  std::span<const double> times, double speed_limit,
                                  const std::array<std::string, 2>& names,
                                  SupportRule rule = SupportRule::slower_foot);

// Frames `first` to `last`, in extended time; the next part begins at `last`.
struct Part {
  long first = 0, last = 0;
  bool is_static = false;
};
// The runs of one foot, the first of them with 0 <= first < N.
std::vector<Part> parts_of(const std::vector<char>& support);

struct BaseMotionOptions {
  double support_factor = 1;
  SupportRule rule = SupportRule::slower_foot;
  bool idle = false;  // both feet always support, and the hips go nowhere
};

class BaseMotion {
 public:
  BaseMotion(const Rig& rig, const Clip& clip, const ClipFrames& frames, const Footfalls& footfalls,
             double scale, const BaseMotionOptions& options);

  const ClipFrames& frames() const { return *frames_; }
  double rig_height() const { return rig_height_; }  // in the world
  double leg_length() const { return rig_height_ / 2; }
  double floor() const { return floor_; }  // of the support plane, along up in the model
  const Vec3& stride() const { return stride_; }

  double time(long frame) const { return frames_->extended_time(frame); }
  Vec3 ankle(int leg, long frame) const;
  Vec3 hip(long frame) const;
  // Between frames, at any extended time.
  Vec3 hip_at(double t) const;
  // The height over the ground at which the ankle stands: its own while it does, between those of
  // the parts before and after while it swings.
  double support_height(int leg, long frame) const;
  const std::vector<char>& support(int leg) const { return support_[index(leg)]; }
  const std::vector<Part>& parts(int leg) const { return parts_[index(leg)]; }
  // The part that goes from this frame on.
  Part part_at(int leg, long frame) const;

 private:
  static std::size_t index(int leg) { return static_cast<std::size_t>(leg); }
  void find_paths(const Rig& rig, const Clip& clip, const std::function<Vec3(double phase)>& way,
                  double scale);
  void find_support_heights();

  const ClipFrames* frames_;
  double rig_height_ = 0, floor_ = 0;
  Vec3 stride_;
  std::array<std::vector<Vec3>, 2> ankles_;
  std::vector<Vec3> hips_;
  SupportFrames support_;
  std::array<std::vector<Part>, 2> parts_;
  std::array<std::vector<double>, 2> heights_;
};

}  // namespace molejo::navigation::thesis
