#include "molejo/io/animado.h"
#include "molejo/io/json_place.h"
#include "molejo/io/scene_elements.h"
#include "molejo/io/scene_keys.h"
#include "molejo/math/expression.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

MotionKey read_key(const JsonCursor& cursor) {
  cursor.expect_keys(scene_keys(SceneObject::path_key));
  MotionKey key;
  key.t = cursor.need("t").number();
  const Pose X = read_pose(cursor);
  key.p = X.p;
  key.orientation = quaternion(X.R);
  const std::string_view angular = cursor.only_one({"angular_velocity", "angular_velocity_deg"});
  if (angular.empty() && !cursor.has("velocity")) return key;
  MotionKey::Velocity v;
  cursor.read("velocity", v.linear);
  if (!angular.empty()) v.angular = cursor.need(angular).vec3();
  if (angular == "angular_velocity_deg") {
    v.angular = {radians(v.angular.x), radians(v.angular.y), radians(v.angular.z)};
  }
  key.velocity = v;
  return key;
}

// The same key seen from the world.
MotionKey seen_from_world(const Pose& X_WI, MotionKey key) {
  if (X_WI == Pose{}) return key;
  key.p = X_WI * key.p;
  key.orientation = normalized(quaternion(X_WI.R) * key.orientation);
  if (key.velocity) {
    key.velocity = {X_WI.R * key.velocity->linear, X_WI.R * key.velocity->angular};
  }
  return key;
}

}  // namespace

MotionPath read_follow(const JsonCursor& cursor, const Pose& X_WI) {
  return placed(cursor, [&] {
    std::vector<MotionKey> keys;
    if (cursor.is_string()) {
      const SourceFile table = file_beside(cursor);
      keys = parse_motion_table(table.read(), cursor.name()).keys();
    } else {
      cursor.expect_array(max_motion_keys);
      for (std::size_t i = 0; i < cursor.size(); ++i) keys.push_back(read_key(cursor[i]));
    }
    for (MotionKey& key : keys) key = seen_from_world(X_WI, key);
    return MotionPath(std::move(keys));
  });
}

}  // namespace molejo
