#include "molejo/physics/command_kernel.h"

namespace molejo {

template struct Command<Pack4>;
template Acting<Pack4> acting(const Model&, const Command<Pack4>&);

}  // namespace molejo
