// A figure that can walk, for readers of files that name one.
#pragma once

namespace molejo {

// Two legs that swing, as BVH.
inline constexpr const char* walker_figure = R"(HIERARCHY
ROOT Hips
{ OFFSET 0 0.9 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 JOINT LeftUpLeg { OFFSET 0.1 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT LeftLeg { OFFSET 0 -0.45 0.01 CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT LeftFoot { OFFSET 0 -0.43 -0.01 CHANNELS 3 Zrotation Xrotation Yrotation
    End Site { OFFSET 0 -0.05 0.16 } } } }
 JOINT RightUpLeg { OFFSET -0.1 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT RightLeg { OFFSET 0 -0.45 0.01 CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT RightFoot { OFFSET 0 -0.43 -0.01 CHANNELS 3 Zrotation Xrotation Yrotation
    End Site { OFFSET 0 -0.05 0.16 } } } } }
MOTION
Frames: 5
Frame Time: 0.25
0 0.90 0.0 0 0 0  0 -25 0  0 5 0  0 0 0  0 25 0  0 10 0  0 0 0
0 0.88 0.2 0 0 0  0 0 0    0 5 0  0 0 0  0 0 0   0 50 0  0 0 0
0 0.90 0.4 0 0 0  0 25 0   0 10 0 0 0 0  0 -25 0 0 5 0   0 0 0
0 0.88 0.6 0 0 0  0 0 0    0 50 0 0 0 0  0 0 0   0 5 0   0 0 0
0 0.90 0.8 0 0 0  0 -25 0  0 5 0  0 0 0  0 25 0  0 10 0  0 0 0
)";

}  // namespace molejo
