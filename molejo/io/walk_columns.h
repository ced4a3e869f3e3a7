// The numbers of a walk by name: one table for its CSV and its plots.
//
//   per character   NAME.x NAME.y NAME.z      where it stands on the ground, m
//                   NAME.heading               where it looks, rad from x
//                   NAME.speed                 over the ground, m/s
//                   NAME.hips                  of the hips above the ground, m
//   per leg         NAME.LEG.x .y .z           the joint of its foot, m
//                   NAME.LEG.height            of the lowest point of the sole above the ground, m
//                   NAME.LEG.down              1 while it shall stand, else 0
//                   NAME.LEG.slip              along the ground since it came down, m
#pragma once

#include <span>

#include "molejo/io/columns.h"
#include "molejo/navigation/standing.h"
#include "molejo/navigation/track.h"

namespace molejo {

// Of one character.
std::vector<Column> walk_columns(const std::string& name, const navigation::Rig& rig);

// Reads frames of one character in their order.
class WalkMeter {
 public:
  // Both must outlive it.
  WalkMeter(const navigation::Rig& rig, const motion::Ground& ground, double fps);
  void see(const navigation::TrackFrame& frame);
  // Of the frame that was seen last, in the order of walk_columns.
  const std::vector<double>& values() const { return values_; }

 private:
  const navigation::Rig& rig_;
  const motion::Ground& ground_;
  double fps_;
  struct Foot {
    navigation::Standing heel, toe;
  };
  std::vector<Foot> feet_;
  std::vector<motion::Affine> joints_;
  std::vector<double> values_;
};

// A line a frame; `begin` is the time of the first one.
std::string walk_csv(const navigation::WalkRecord& record, const motion::Ground& ground,
                     double begin);

}  // namespace molejo
