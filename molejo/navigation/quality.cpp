#include "molejo/navigation/quality.h"

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/navigation/standing.h"

namespace molejo::navigation {

namespace {

constexpr double degrees = 57.29577951308232, millimetres = 1000;

double angle_between(const Quat& a, const Quat& b) { return norm(log_quat(conjugate(a) * b)); }

// Where the soles and the hips are in each frame, of the adapted or the unadapted poses.
struct Places {
  std::vector<std::vector<Sole>> soles;  // of each leg, then each frame
  std::vector<Vec3> hips;
};

Places places_of(const CharacterTrack& track, bool adapted) {
  const Rig& rig = track.rig;
  Places places;
  places.soles.resize(rig.legs.size());
  std::vector<Affine> X(rig.skeleton.joints.size());
  for (const TrackFrame& frame : track.frames) {
    const Affine& X_WM = adapted ? frame.placement : frame.unadapted_placement;
    model_transforms(rig.skeleton, adapted ? frame.pose : frame.unadapted, X_WM, X);
    for (std::size_t leg = 0; leg < rig.legs.size(); ++leg) {
      const Affine& X_WF = X[at(rig.legs[leg].foot())];
      places.soles[leg].push_back({X_WF * rig.legs[leg].sole.heel, X_WF * rig.legs[leg].sole.toe});
    }
    places.hips.push_back(X[at(rig.hips)].origin);
  }
  return places;
}

void measure_slip(const CharacterTrack& track, const Places& places, const Ground& ground,
                  QualityFigures& q) {
  double sum = 0;
  for (std::size_t leg = 0; leg < places.soles.size(); ++leg) {
    Standing heel(ground), toe(ground);
    bool standing = false;
    const auto end_stance = [&] {
      const double slip = std::max(heel.take(), toe.take());
      ++q.stances;
      sum += slip;
      q.slip_most = std::max(q.slip_most, millimetres * slip);
    };
    for (std::size_t k = 0; k < track.frames.size(); ++k) {
      const FootState& foot = track.frames[k].feet[leg];
      const bool down = foot.heel_down || foot.toe_down;
      if (standing && !down) end_stance();
      standing = down;
      heel.see(foot.heel_down, places.soles[leg][k].heel);
      toe.see(foot.toe_down, places.soles[leg][k].toe);
    }
    if (standing) end_stance();
  }
  if (q.stances > 0) q.slip_mean = millimetres * sum / q.stances;
}

// Gives whether every standing point had ground below it.
bool measure_contact(const CharacterTrack& track, const Places& places, const Ground& ground,
                     QualityFigures& q) {
  bool complete = true;
  const auto see = [&](const Vec3& p, bool down, double& penetration, double& hovering) {
    const auto below = ground.at(p.x, p.y);
    complete = complete && (below || !down);
    // who swings above the ground is free
    if (!below || (!down && p.z >= below->height)) return;
    const std::optional<double> d = ground_distance(ground, p);
    penetration = std::max(penetration, -millimetres * *d);
    if (down) hovering = std::max(hovering, millimetres * *d);
  };
  for (std::size_t leg = 0; leg < places.soles.size(); ++leg) {
    for (std::size_t k = 0; k < track.frames.size(); ++k) {
      const FootState& foot = track.frames[k].feet[leg];
      const Sole& sole = places.soles[leg][k];
      see(sole.heel, foot.heel_down, q.penetration_heel, q.hovering_heel);
      see(sole.toe, foot.toe_down, q.penetration_toe, q.hovering_toe);
    }
  }
  return complete;
}

void measure_angles(const CharacterTrack& track, bool adapted, double fps, QualityFigures& q) {
  const auto pose = [&](std::size_t k) -> const SkeletonPose& {
    return adapted ? track.frames[k].pose : track.frames[k].unadapted;
  };
  double squares = 0;
  long count = 0;
  for (const Leg& leg : track.rig.legs) {
    for (std::size_t i = 0; i < leg.chain.size(); ++i) {
      const int j = leg.chain[i];
      double& peak = i == 0 ? q.hip_speed : j == leg.foot() ? q.ankle_speed : q.knee_speed;
      // the fastest of the clip, over a frame
      const std::vector<double>& fastest = track.rig.fastest_turn;
      const double clip = i < fastest.size() ? degrees * fastest[i] / fps : 0;
      for (std::size_t k = 0; k < track.frames.size(); ++k, ++count) {
        const double off =
            degrees * angle_between(track.frames[k].unadapted.rotation(j), pose(k).rotation(j));
        squares += off * off;
        q.deviation_most = std::max(q.deviation_most, off);
        if (k == 0) continue;
        const double change = degrees * angle_between(pose(k - 1).rotation(j), pose(k).rotation(j));
        q.angle_jump = std::max(q.angle_jump, change);
        if (clip > 0) q.angle_jump_ratio = std::max(q.angle_jump_ratio, change / clip);
        peak = std::max(peak, change * fps);
      }
    }
  }
  if (count > 0) q.deviation_rms = std::sqrt(squares / static_cast<double>(count));
}

void measure_jerk(const Places& places, double fps, QualityFigures& q) {
  const std::vector<Vec3>& p = places.hips;
  double squares = 0;
  for (std::size_t k = 3; k < p.size(); ++k) {
    const Vec3 third = p[k] - p[k - 1] * 3.0 + p[k - 2] * 3.0 - p[k - 3];
    const double jerk = norm(third) * fps * fps * fps;
    squares += jerk * jerk;
    q.jerk_most = std::max(q.jerk_most, jerk);
  }
  if (p.size() > 3) q.jerk_rms = std::sqrt(squares / static_cast<double>(p.size() - 3));
}

// Does the ground at (x, y) reach up to z?
bool is_inside(const Ground& ground, double x, double y, double z) {
  const auto g = ground.at(x, y);
  return g && g->height > z;
}

}  // namespace

std::optional<double> ground_distance(const Ground& ground, const Vec3& p) {
  const auto below = ground.at(p.x, p.y);
  if (!below) return std::nullopt;
  const double above = p.z - below->height;
  const bool inside = above < 0;
  double nearest = std::fabs(above);
  if (nearest < 1e-4) return above;
  constexpr int directions = 16;
  for (int i = 0; i < directions; ++i) {
    const SinCos<double> sc = sincos(2 * 3.141592653589793 * i / directions);
    const auto other = [&](double r) {
      return is_inside(ground, p.x + r * sc.cos, p.y + r * sc.sin, p.z) != inside;
    };
    // the first of some rings that is on the other side, then between it and the one before
    constexpr int rings = 8;
    double near = 0, far = 0;
    for (int k = 1; k <= rings && far == 0; ++k) {
      const double r = nearest * k / rings;
      if (other(r))
        far = r;
      else
        near = r;
    }
    if (far == 0) continue;
    for (int k = 0; k < 20; ++k) {
      const double middle = 0.5 * (near + far);
      (other(middle) ? far : near) = middle;
    }
    nearest = far;
  }
  return inside ? -nearest : nearest;
}

Quality quality_of(const CharacterTrack& track, const Ground& ground, double fps) {
  Quality quality;
  quality.name = track.name;
  for (const bool adapted : {true, false}) {
    QualityFigures& q = adapted ? quality.adapted : quality.unadapted;
    const Places places = places_of(track, adapted);
    measure_slip(track, places, ground, q);
    const bool complete = measure_contact(track, places, ground, q);
    if (adapted) quality.off_ground = !complete;
    measure_angles(track, adapted, fps, q);
    measure_jerk(places, fps, q);
  }
  for (std::size_t k = 1; k < track.frames.size(); ++k) {
    const Vec3 d = track.frames[k].position - track.frames[k - 1].position;
    quality.way += std::sqrt(d.x * d.x + d.y * d.y);
    quality.blocked += track.frames[k].blocked ? 1 / fps : 0;
  }
  return quality;
}

FrameCost frame_cost(const WalkCost& cost) {
  if (cost.frames <= 0) return {};
  const double f = 1e6 / static_cast<double>(cost.frames);
  return {cost.sampling * f, cost.trajectories * f, cost.inverse_kinematics * f, cost.matrices * f};
}

}  // namespace molejo::navigation
