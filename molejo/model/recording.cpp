#include "molejo/model/recording.h"

namespace molejo {

std::size_t bytes_of(const Frame& frame) {
  return sizeof(Frame) + frame.X_WB.size() * sizeof(Pose) +
         static_cast<std::size_t>(frame.state.q.size() + frame.state.v.size()) * sizeof(double) +
         frame.contacts.size() * sizeof(TouchPoint) + frame.probes.size() * sizeof(double);
}

}  // namespace molejo
