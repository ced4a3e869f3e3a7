// A push battery as a polar plot (.svg) and as a table (.json).
//
// Seen from above, forward is up; the distance from the centre is the largest impulse per mass that
// was survived in that direction. A line for each phase, the area that all of them share, and rings
// to compare with.
#pragma once

#include <string>

#include "molejo/locomotion/push_battery.h"

namespace molejo {

std::string push_plot(const std::string& title, const PushBattery& battery);
std::string push_table(const PushBattery& battery);

}  // namespace molejo
