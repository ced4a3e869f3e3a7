// Bacin's files from one input: texts separated by the byte 0x1e, in the order .cfg .bds .ste .ctr
// .for and then the shape. Every shape name finds that one shape; an empty .ctr or .for is absent.
//
// Nothing but InputError may leave the reader, and what was read must build or be refused.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "molejo/io/bacin_files.h"
#include "molejo/model/build.h"
#include "molejo/model/error.h"

namespace {

constexpr char separator = 0x1e;

std::vector<std::string> parts(const std::string& input) {
  std::vector<std::string> list(1);
  for (const char c : input) {
    if (c == separator) {
      list.emplace_back();
    } else {
      list.back() += c;
    }
  }
  list.resize(6);
  return list;
}

bool ends_with(const std::string& text, const std::string& ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> texts = parts(std::string(data, data + size));
  const molejo::BacinSource source = [&](const std::string& file) -> std::optional<std::string> {
    const char* endings[] = {".cfg", ".bds", ".ste", ".ctr", ".for", ".shp"};
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!ends_with(file, endings[i])) continue;
      if (i >= 3 && i < 5 && texts[i].empty()) return std::nullopt;
      return texts[i];
    }
    return std::nullopt;
  };
  try {
    const molejo::BacinFiles files = molejo::parse_bacin_files(source, "s");
    // what is written reads back to the same text
    const auto written = molejo::bacin_texts(files);
    const molejo::BacinSource again = [&](const std::string& file) -> std::optional<std::string> {
      const auto found = written.find(file);
      if (found == written.end()) return std::nullopt;
      return found->second;
    };
    if (molejo::bacin_texts(molejo::parse_bacin_files(again, "s")) != written) __builtin_trap();
    molejo::build(molejo::scene_of(files));
  } catch (const molejo::InputError&) {
  }
  return 0;
}
