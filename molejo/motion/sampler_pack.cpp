#include "molejo/math/index.h"
#include "molejo/math/instructions.h"
#include "molejo/motion/sampler.h"
#include "molejo/motion/slerp_kernel.h"

namespace molejo::motion::MOLEJO_SET {

[[gnu::flatten]] void interpolate(const ClipSampler::Group& group, const ClipSampler::Place& where,
                                  SkeletonPose& pose) {
  const std::size_t lanes = group.lanes;
  const auto n = at(width(group.channel));
  const bool cubic = group.interpolation == Interpolation::cubic_spline;
  const bool step = group.interpolation == Interpolation::step;
  const bool turns = group.channel == Channel::rotation;
  // after the last key of a STEP track its value holds
  const std::size_t key = at(where.key) + (step && where.u >= 1 ? 1 : 0);
  const double* a = group.rows.data() + key * (cubic ? 3 : 1) * n * lanes;
  const double* b = a + (step ? 0 : (cubic ? 3 : 1) * n * lanes);
  const double u = where.u, u2 = u * u, u3 = u2 * u;
  const double h00 = 2 * u3 - 3 * u2 + 1, h10 = where.step * (u3 - 2 * u2 + u);
  const double h01 = 3 * u2 - 2 * u3, h11 = where.step * (u3 - u2);
  double* out = pose.row(first_row(group.channel));
  const auto stride = at(pose.stride());

  for (std::size_t lane = 0; lane < lanes; lane += 4) {
    Pack4 x[4];
    if (cubic) {
      for (std::size_t i = 0; i < n; ++i) {
        x[i] = h00 * load_pack(a + (n + i) * lanes + lane) +
               h10 * load_pack(a + (2 * n + i) * lanes + lane) +
               h01 * load_pack(b + (n + i) * lanes + lane) + h11 * load_pack(b + i * lanes + lane);
      }
    } else if (turns && !step) {
      Pack4 d(0.0), p[4], q[4];
      for (std::size_t i = 0; i < 4; ++i) {
        p[i] = load_pack(a + i * lanes + lane), q[i] = load_pack(b + i * lanes + lane);
        d += p[i] * q[i];
      }
      const SlerpWeights<Pack4> w = slerp_weights(d, Pack4(u));
      for (std::size_t i = 0; i < 4; ++i) x[i] = w.a * p[i] + w.b * q[i];
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        const Pack4 p = load_pack(a + i * lanes + lane);
        x[i] = step ? p : p + u * (load_pack(b + i * lanes + lane) - p);
      }
    }
    if (turns && cubic) {
      const Pack4 square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
      const Pack4 fine(1e-60);
      const Pack4 f = select(square > fine, 1.0 / square_root(maximum(square, fine)), Pack4(0.0));
      x[0] = select(square > fine, x[0] * f, Pack4(1.0));
      for (int i = 1; i < 4; ++i) x[i] = x[i] * f;
    }
    if (const int j = group.adjacent[lane / 4]; j >= 0) {
      for (std::size_t i = 0; i < n; ++i) store_pack(out + i * stride + at(j), x[i]);
    } else {
      for (int k = 0; k < 4; ++k) {
        const int joint = group.joints[lane + at(k)];
        if (joint < 0) break;
        for (std::size_t i = 0; i < n; ++i) out[i * stride + at(joint)] = x[i][k];
      }
    }
  }
}

}  // namespace molejo::motion::MOLEJO_SET
