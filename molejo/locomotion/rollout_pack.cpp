#include "molejo/locomotion/rollout_kernel.h"
#include "molejo/math/instructions.h"

namespace molejo {

template class RolloutRun<Pack4>;

namespace MOLEJO_SET {

void run_four(RolloutRun<Pack4>& four, std::span<const Gait* const> gaits,
              std::span<RolloutResult> results, std::span<const std::span<const GaitPush>> pushes) {
  four.run(gaits, results, pushes, {});
}

}  // namespace MOLEJO_SET

}  // namespace molejo
