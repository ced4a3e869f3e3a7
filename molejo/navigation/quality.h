// How good a walk is, from its record and the ground alone: the same figures for any solver and for
// the unadapted clip.
//
//   slip          largest distance of a standing point of the sole (heel, toe) from where it was
//                 when it came down, along the ground, per stance
//   penetration   distance of heel or toe to the nearest way out of the ground, in any frame
//   hovering      distance of heel or toe to the ground while it shall stand
//   angles        of the joints from hip to ankle; toes are left to the clip
//   jerk          third difference of the hips' place, times fps^3
//
// Soles are placed by the poses, not by what a walker says of them. Millimetres, degrees, seconds,
// in the world. Who shall stand is told by the record, and holds for the unadapted clip as well.
#pragma once

#include "molejo/navigation/track.h"

namespace molejo::navigation {

struct QualityFigures {
  int stances = 0;
  double slip_most = 0, slip_mean = 0;                    // mm
  double penetration_heel = 0, penetration_toe = 0;       // mm, most
  double hovering_heel = 0, hovering_toe = 0;             // mm, most
  double knee_speed = 0, hip_speed = 0, ankle_speed = 0;  // deg/s, peaks of leg joints
  double angle_jump = 0;        // deg, largest of a leg joint from frame to frame
  double angle_jump_ratio = 0;  // of each kind of joint against its fastest in the clip; most
  double deviation_rms = 0, deviation_most = 0;  // deg, leg joints from the clip
  double jerk_most = 0, jerk_rms = 0;            // m/s^3, of the hips
};

struct Quality {
  std::string name;
  QualityFigures adapted, unadapted;
  double way = 0;           // m over the ground
  double blocked = 0;       // s
  bool off_ground = false;  // some standing point had no ground below it
};

// Distance of a point to the surface of the ground, m: negative inside. Found upwards and in
// sixteen directions sideways, so that the wall of a step is no deep hole. Nothing where there is
// no ground.
std::optional<double> ground_distance(const Ground& ground, const Vec3& p);

Quality quality_of(const CharacterTrack& track, const Ground& ground, double fps);

// Microseconds per frame of each subsystem.
struct FrameCost {
  double sampling = 0, trajectories = 0, inverse_kinematics = 0, matrices = 0;
  double sum() const { return sampling + trajectories + inverse_kinematics + matrices; }
};
FrameCost frame_cost(const WalkCost& cost);

}  // namespace molejo::navigation
