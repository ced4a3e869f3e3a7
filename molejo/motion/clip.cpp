#include "molejo/motion/clip.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "molejo/motion/slerp_kernel.h"

namespace molejo::motion {

const char* to_string(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::step:
      return "step";
    case Interpolation::linear:
      return "linear";
    case Interpolation::cubic_spline:
      return "cubic_spline";
  }
  return "";
}

const char* to_string(Channel channel) {
  switch (channel) {
    case Channel::translation:
      return "translation";
    case Channel::rotation:
      return "rotation";
    case Channel::scale:
      return "scale";
  }
  return "";
}

double Clip::start() const {
  double first = std::numeric_limits<double>::infinity();
  for (const Track& track : tracks) first = std::min(first, times_of(track).front());
  return tracks.empty() ? 0 : first;
}

double Clip::end() const {
  double last = -std::numeric_limits<double>::infinity();
  for (const Track& track : tracks) last = std::max(last, times_of(track).back());
  return tracks.empty() ? 0 : last;
}

Quat slerp(const Quat& a, const Quat& b, double u) {
  const double d = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
  const Quat near = d < 0 ? Quat{-b.w, -b.x, -b.y, -b.z} : b;
  const SlerpWeights<double> w = slerp_weights(std::fabs(d), u);
  return {w.a * a.w + w.b * near.w, w.a * a.x + w.b * near.x, w.a * a.y + w.b * near.y,
          w.a * a.z + w.b * near.z};
}

void evaluate(const Clip& clip, const Track& track, double t, double out[4]) {
  const std::vector<double>& times = clip.times_of(track);
  const int n = width(track.channel);
  const bool cubic = track.interpolation == Interpolation::cubic_spline;
  const std::ptrdiff_t per_key = cubic ? 3 * n : n, value = cubic ? n : 0;
  const auto next = std::upper_bound(times.begin(), times.end(), t);
  const std::ptrdiff_t k = std::max<std::ptrdiff_t>(next - times.begin() - 1, 0);
  const double* at = track.values.data() + k * per_key;
  const bool between = next != times.begin() && next != times.end();
  if (!between || track.interpolation == Interpolation::step) {
    std::copy_n(at + value, n, out);
  } else {
    const double step = next[0] - next[-1], u = (t - next[-1]) / step;
    const double* after = at + per_key;
    if (cubic) {
      const double u2 = u * u, u3 = u2 * u;
      for (int i = 0; i < n; ++i) {
        out[i] = (2 * u3 - 3 * u2 + 1) * at[n + i] + step * (u3 - 2 * u2 + u) * at[2 * n + i] +
                 (3 * u2 - 2 * u3) * after[n + i] + step * (u3 - u2) * after[i];
      }
    } else if (track.channel == Channel::rotation) {
      const Quat q = slerp(safe_unit({at[0], at[1], at[2], at[3]}),
                           safe_unit({after[0], after[1], after[2], after[3]}), u);
      out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z;
    } else {
      for (int i = 0; i < n; ++i) out[i] = at[i] + u * (after[i] - at[i]);
    }
  }
  if (track.channel == Channel::rotation) {
    const Quat q = safe_unit({out[0], out[1], out[2], out[3]});
    out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z;
  }
}

void evaluate(const Clip& clip, const Skeleton& skeleton, double t, SkeletonPose& pose) {
  for (int j = 0; j < skeleton.size(); ++j) pose.set(j, skeleton[j].rest);
  for (const Track& track : clip.tracks) {
    double x[4] = {};
    evaluate(clip, track, t, x);
    switch (track.channel) {
      case Channel::translation:
        pose.set_translation(track.joint, {x[0], x[1], x[2]});
        break;
      case Channel::rotation:
        pose.set_rotation(track.joint, {x[0], x[1], x[2], x[3]});
        break;
      case Channel::scale:
        pose.set_scale(track.joint, {x[0], x[1], x[2]});
        break;
    }
  }
}

}  // namespace molejo::motion
