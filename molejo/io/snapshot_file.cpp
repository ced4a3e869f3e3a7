#include "molejo/io/snapshot_file.h"

#include "molejo/io/file.h"

namespace molejo {

Snapshot load_snapshot(const SourceFile& file) {
  const std::string text = file.read();
  try {
    return parse_snapshot(text);
  } catch (const SnapshotError& e) {
    throw InputError(file.name() + ": " + e.what());
  }
}

void write_snapshot(const std::string& path, const Snapshot& snapshot) {
  write_file(path, snapshot_text(snapshot));
}

}  // namespace molejo
