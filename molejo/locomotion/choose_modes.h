// Which modes may help, when only those of the sketch are marked.
//
// A pulse of one mode has an effect on balance that linear theory gives in closed form: every mode
// that its torque excites follows x'' + 2 xi w x' + w^2 x = f / m. Six numbers, in tolerances of
// the motion, along forward, left and up:
//
//   on the ground  velocity of the centre of mass, and mean spin (angular momentum over the inertia
//                  of the whole figure), when the pulse ends: only now can they be changed
//   in the air     place of the landing feet from the centre of mass, and turn of the torso, when
//                  the phase ends: momenta stay, only the pose to land with can be chosen
//
// Sketched modes i of amplitude a_i throw the figure off by a_i e_i. Forward and up is where they
// shall carry it; what goes to the left and turns about forward and up is undone by the image of
// the step, where there is one. The rest of it, P e_i, and errors of one tolerance in each number
// are to be met by amplitudes u of other modes with effects E, of least
//
//   mean |d + E u|^2 + |u / a|^2,   d ~ (0, S),   S = 1 + sum a_i^2 P e_i e_i^T P,   a = sum |a_i|
//
// which leaves trace((1 + a^2 E E^T)^-1 S). Modes are taken one by one, each the one that leaves
// least, until the next would take away less than a two-hundredth of trace S.
#pragma once

#include "molejo/locomotion/gait_problem.h"

namespace molejo {

// In the thesis's rows two to five were allowed beside the priority ones, three in the mean.
inline constexpr int most_others = 3;

// Rows: what amplitudes of the motion's basis stand for; columns: the six numbers above, at the
// amplitude 1. With pulses of half their phase, as the search begins.
MatX balance_effects(const Character& character, const Motion& motion, const std::vector<int>& feet,
                     bool ground, const Modes& modes);

// `marks.others` and the modes chosen, from the lower half of the palette, up to `most_others`
// together. Rising. Modes that do not exist are left to others to complain about.
std::vector<int> choose_modes(const Motion& motion, const PhaseMarks& marks, const MatX& effects);

// The motion with `choose_others` replaced by what is chosen. Throws InputError for feet that the
// character does not have.
Motion with_chosen_modes(const Character& character, Motion motion);

}  // namespace molejo
