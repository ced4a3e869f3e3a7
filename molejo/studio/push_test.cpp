#include "molejo/studio/push_test.h"

#include <fmt/format.h>

#include <memory>

#include "molejo/locomotion/push_battery.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr std::size_t most_bytes_of_tests = std::size_t{64} << 20;  // of those that wait

std::string push_event(const char* name, int settled, const PushBattery& battery) {
  std::string list;
  for (const double x : battery.impulse) {
    list += fmt::format("{}{:.4g}", list.empty() ? "" : ",", x);
  }
  return fmt::format(
      "{{\"event\":\"{}\",\"settled\":{},\"of\":{},\"directions\":{},\"phases\":{},"
      "\"mass\":{:.6g},\"push_seconds\":{:g},\"most\":{:g},\"least\":{:.4g},\"impulse\":[{}]}}",
      name, settled, battery.impulse.size(), battery.directions, battery.phases, battery.mass,
      battery.seconds, battery.most, battery.least(), list);
}

}  // namespace

PushTest::PushTest(std::function<void()> wake) : jobs_(std::move(wake), most_bytes_of_tests) {}

PushTest::~PushTest() { forget(); }

void PushTest::begin(const GaitFile& gait, const Message& message) {
  const int directions = message.find("directions") ? message.whole("directions", 3, 32) : 8;
  const int phases = message.find("phases") ? message.whole("phases", 1, 16) : 4;
  if (running_) throw InputError("it is being pushed already");
  const int number = ++number_;
  running_ = true;
  known_.clear();
  jobs_.news();  // of one that was forgotten
  auto file = std::make_shared<const GaitFile>(gait);
  const auto push = [this, number, file, directions, phases](const Jobs::Tell& tell) {
    const auto counts = [&] { return number_ == number; };
    if (!counts()) return;
    const Character character = make_character(file->motion.scene, file->motion.motion.figure);
    const GaitProblem problem(character, file->motion.motion);
    PushBatterySettings settings;
    settings.directions = directions, settings.phases = phases;
    settings.goes_on = [&](const PushBattery& so_far, int settled) {
      if (counts()) tell(push_event("pushing", settled, so_far));
      return counts();
    };
    const Feedback* feedback = file->feedback ? &file->feedback->feedback : nullptr;
    const PushBattery battery = push_battery(problem, file->unknowns, feedback, settings);
    if (counts()) tell(push_event("pushes", directions * phases, battery));
  };
  jobs_.add(number, push, 0);
}

void PushTest::forget() {
  jobs_.cancel(number_++);
  running_ = false;
  known_.clear();
}

std::vector<std::string> PushTest::news() {
  std::vector<std::string> list = jobs_.news();
  if (!running_ || list.empty()) return {};
  known_ = list.back();
  running_ = known_.find("\"event\":\"pushes\"") == std::string::npos;
  return list;
}

}  // namespace molejo
