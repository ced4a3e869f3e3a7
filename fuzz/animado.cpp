// A script from one input: texts separated by the byte 0x1e, the main file and then those that it
// may name a, b, c and d.
//
// Nothing but InputError may leave the reader, and what was read must build or be refused.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "molejo/io/animado.h"
#include "molejo/model/build.h"
#include "molejo/model/error.h"
#include "molejo/model/scene.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> texts(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == 0x1e) {
      texts.emplace_back();
    } else {
      texts.back() += static_cast<char>(data[i]);
    }
  }
  const molejo::AnimadoSource source = [&](const std::string& file) -> std::optional<std::string> {
    const char* const names[] = {"main.dat", "a", "b", "c", "d"};
    for (std::size_t i = 0; i < std::size(names) && i < texts.size(); ++i) {
      if (file == names[i]) return texts[i];
    }
    return std::nullopt;
  };
  try {
    const molejo::Scene scene = molejo::parse_animado(source, "main.dat");
    molejo::build(scene);
  } catch (const molejo::InputError&) {
  }
  return 0;
}
