// A model and its frames as the page gets them.
//
// The description holds the tree of joints, so that poses follow from the coordinates alone:
//
//   p_M = P.p + P.R (X_PF.p + sum_k slides_k c_k)    R = P.R R(X_PF.q) turn    p = p_M - R p_BM
//
// with turn a product of rotations about `turns`, or the quaternion of a ball joint. A frame is
// then 16 bytes and four for each coordinate, little endian:
//
//   u8 type, u8 flags, u16 count, u32 frame, f64 t, f32 values...
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "molejo/io/json_document.h"
#include "molejo/model/recording.h"

namespace molejo {

struct Camera;

// Streams of binary frames, and the type that their first byte tells.
enum class FrameType { coordinates = 1, contacts = 2, plots = 3, walkers = 4, feet = 6 };
inline constexpr std::size_t frame_head_bytes = 16;

// As JSON.
std::string describe_model(const Model& model);
// Another one than that of a scene which says nothing of it.
bool is_given(const Camera& camera);
// Nothing where none is given: whoever draws then looks from where all is seen. One that goes along
// is meant for where the figure stands.
JsonValue describe_camera(const Camera& camera, bool goes_along = false);
JsonValue pose_json(const Pose& X);
JsonValue vector_json(const Vec3& v);

// Writers of frames.
class FrameBytes {
 public:
  FrameBytes(FrameType type, std::size_t count, std::int64_t number, double t);
  void add(double value);        // as f32
  void add(const Vec3& v);       // three of them
  void add_short(double value);  // -1 to 1 as i16
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

std::string coordinates_frame(const State& state, std::int64_t number);
std::string contacts_frame(const Frame& frame, std::int64_t number);
std::string values_frame(std::span<const double> values, double t, std::int64_t number);

}  // namespace molejo
