// The walks of scenes/walks: a person and a dog made of formulas, for those without motion capture.
//
//   stance   the sole rolls over the heel, lies flat, rolls over the ball; what stands does not
//   slip swing    the ankle goes on smoothly to the next print
//
// Legs follow by the cosine law. 30 frames per second, loops closed up to the way; y up, looking
// along z, metres. Proportions and phases of the person: Winter, Biomechanics and Motor Control of
// Human Movement (2009); of the dog: a walk in lateral sequence (Hildebrand 1968).
#pragma once

#include "molejo/motion/character.h"

namespace molejo::test {

motion::Character made_stick_walk();
motion::Character made_stick_idle();
motion::Character made_dog_walk();

// As BVH, with four decimals.
std::string made_walk_text(const motion::Character& character);

}  // namespace molejo::test
