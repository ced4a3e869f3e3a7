#include "molejo/io/walk_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "molejo/io/csv_field.h"
#include "molejo/math/interrupt.h"

namespace molejo {

namespace {

using navigation::FootState;
using navigation::Rig;

// Of a point above the ground below it.
double height_above(const motion::Ground& ground, const Vec3& p) {
  const auto below = ground.at(p.x, p.y);
  return below ? p.z - below->height : NAN;
}

}  // namespace

std::vector<Column> walk_columns(const std::string& name, const Rig& rig) {
  std::vector<Column> list{{".x", "m"},         {".y", "m"},       {".z", "m"},
                           {".heading", "rad"}, {".speed", "m/s"}, {".hips", "m"}};
  for (const navigation::Leg& leg : rig.legs) {
    for (const char* what : {".x", ".y", ".z", ".height", ".down", ".slip"}) {
      const bool flag = std::string_view(what) == ".down";
      list.push_back({"." + leg.name + what, flag ? "" : "m"});
    }
  }
  for (Column& column : list) column.name = name + column.name;
  return list;
}

WalkMeter::WalkMeter(const Rig& rig, const motion::Ground& ground, double fps)
    : rig_(rig), ground_(ground), fps_(fps), joints_(rig.skeleton.joints.size()) {
  const navigation::Standing standing(ground);
  feet_.assign(rig.legs.size(), {standing, standing});
}

void WalkMeter::see(const navigation::TrackFrame& frame) {
  const Vec3& p = frame.position;
  // who has only begun stands still
  const double speed = values_.empty() ? 0 : fps_ * std::hypot(p.x - values_[0], p.y - values_[1]);
  motion::model_transforms(rig_.skeleton, frame.pose, frame.placement, joints_);
  const auto at = [&](int joint) { return joints_[static_cast<std::size_t>(joint)]; };
  values_ = {p.x, p.y, p.z, frame.heading, speed, at(rig_.hips).origin.z - p.z};
  for (std::size_t i = 0; i < rig_.legs.size(); ++i) {
    const navigation::Leg& leg = rig_.legs[i];
    const FootState& state = frame.feet[i];
    // soles are placed by the pose, as quality_of does
    const motion::Affine X_WF = at(leg.foot());
    const Vec3 heel = X_WF * leg.sole.heel, toe = X_WF * leg.sole.toe, &o = X_WF.origin;
    const bool down = state.heel_down || state.toe_down;
    auto& [heel_stance, toe_stance] = feet_[i];
    if (!down) heel_stance.take(), toe_stance.take();
    heel_stance.see(state.heel_down, heel);
    toe_stance.see(state.toe_down, toe);
    const double height = std::min(height_above(ground_, heel), height_above(ground_, toe));
    const double slip = std::max(heel_stance.slip(), toe_stance.slip());
    values_.insert(values_.end(), {o.x, o.y, o.z, height, down ? 1.0 : 0.0, slip});
  }
}

std::string walk_csv(const navigation::WalkRecord& record, const motion::Ground& ground,
                     double begin) {
  std::string out = "t";
  std::vector<WalkMeter> meters;
  for (const navigation::CharacterTrack& track : record.characters) {
    meters.emplace_back(track.rig, ground, record.fps);
    for (const Column& column : walk_columns(track.name, track.rig)) {
      out += "," + csv_field(column.name);
    }
  }
  for (int k = 0; k < record.frames(); ++k) {
    check_interrupt();
    fmt::format_to(std::back_inserter(out), "\n{}", begin + record.time(k));
    for (std::size_t i = 0; i < meters.size(); ++i) {
      meters[i].see(record.characters[i].frames[static_cast<std::size_t>(k)]);
      for (const double x : meters[i].values()) {
        fmt::format_to(std::back_inserter(out), ",{}", x);
      }
    }
  }
  return out + "\n";
}

}  // namespace molejo
