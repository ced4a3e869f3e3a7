// Any text as the choice of a character's joints, in a file or on the command line: joints of the
// skeleton, or an InputError of one line.
#include <cstdint>
#include <cstdlib>

#include "fuzz/walker_figure.h"
#include "molejo/io/character_file.h"
#include "molejo/io/character_report.h"
#include "molejo/model/error.h"

namespace {

using namespace molejo;

template <class Action>
void attempt(Action action) {
  try {
    action();
  } catch (const InputError& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const motion::Skeleton skeleton = parse_bvh(walker_figure, "figure.bvh").skeleton;
  const std::string text(data, data + size);
  const auto check = [](int joint) {
    if (joint < -1 || joint >= skeleton.size()) std::abort();
  };
  attempt([&] {
    for (const auto& [role, joint] : parse_role_choices(text, "roles.json", skeleton)) check(joint);
  });
  const std::string argument = text.substr(0, text.find('\n'));
  attempt([&] { check(parse_role_choice(argument, skeleton).second); });
  return 0;
}
