#include "molejo/locomotion/rollout_kernel.h"

namespace molejo {

template class RolloutRun<Pack4>;

}  // namespace molejo
