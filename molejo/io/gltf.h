// A glTF 2.0 file taken apart: its JSON, its buffers, and the numbers of its accessors.
//
// Every index, offset and count is checked before it is used, and what would be unpacked is bounded
// before it is allocated. Errors are InputError with file, line and JSON pointer. Private to io/.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "molejo/io/json_document.h"

namespace molejo {

class Gltf {
 public:
  // Numbers unpacked from one file at most, all accessors together.
  static constexpr std::size_t max_numbers = std::size_t{32} << 20;
  static constexpr std::size_t max_items = 65'536;  // nodes, accessors, views ...

  // .glb or .gltf, told by its first bytes.
  Gltf(std::string_view bytes, const SourceFile& file);
  Gltf(const Gltf&) = delete;

  const JsonDocument& document() const { return document_; }
  const JsonValue& root() const { return document_.root; }
  [[noreturn]] void fail(const JsonValue& value, const std::string& message) const {
    molejo::fail(document_, value, message);
  }

  // The items of an array of the root, or of another object; none where it is missing.
  const std::vector<JsonValue>& list(std::string_view key) const { return list(root(), key); }
  const std::vector<JsonValue>& list(const JsonValue& object, std::string_view key) const;
  void expect_object(const JsonValue& value) const;

  // Members of an object. Indices are whole and below `count`.
  std::optional<int> index(const JsonValue& object, std::string_view key, std::size_t count) const;
  int need_index(const JsonValue& object, std::string_view key, std::size_t count) const;
  int as_index(const JsonValue& value, std::size_t count) const;
  std::size_t size(const JsonValue& object, std::string_view key, std::size_t otherwise) const;
  std::string text(const JsonValue& object, std::string_view key) const;
  // Exactly `count` finite numbers, or nothing where the key is missing.
  std::optional<std::vector<double>> numbers(const JsonValue& object, std::string_view key,
                                             std::size_t count) const;
  bool uses(const std::string& extension) const;

  struct Numbers {
    int width = 1;  // numbers of an element: 1 to 4, 16 for a matrix
    std::size_t count = 0;
    bool whole = false;  // integers that were not normalised
    std::vector<double> values;
  };
  // `width` 0 takes any.
  Numbers accessor(int index, int width = 0);
  // The bytes of an address in the file: of a file beside it, or data:.
  std::string fetch(const std::string& uri) const;
  // The bytes of a view, unpacked where it was compressed.
  std::string_view view(int index);

 private:
  struct Layout {
    std::size_t component = 0, width = 0, stride = 0, count = 0, offset = 0;
    int type = 0;
    bool normalised = false;
  };
  void read_container(std::string_view bytes);
  std::string_view buffer(int index);
  std::string_view meshopt(const JsonValue& extension, int index);
  Layout layout(const JsonValue& accessor) const;
  void unpack(const JsonValue& where, std::string_view bytes, const Layout& layout,
              std::vector<double>& out) const;
  void apply_sparse(const JsonValue& sparse, const Layout& layout, std::vector<double>& out);

  JsonDocument document_;
  std::optional<std::string> binary_;  // the second chunk of a .glb
  std::map<int, std::string> buffers_, unpacked_;
  std::size_t numbers_ = 0, unpacked_bytes_ = 0;
};

}  // namespace molejo
