// Snapshots (math/snapshot.h) as files.
#pragma once

#include "molejo/io/file_scope.h"
#include "molejo/math/snapshot.h"

namespace molejo {

// Both throw InputError that names the file.
Snapshot load_snapshot(const SourceFile& file);
void write_snapshot(const std::string& path, const Snapshot& snapshot);

// restore(snapshot, thing), with the file in front of what is said.
template <class Thing>
void restore_from(const SourceFile& file, Thing& thing) {
  const Snapshot snapshot = load_snapshot(file);
  try {
    restore(snapshot, thing);
  } catch (const SnapshotError& e) {
    throw InputError(file.name() + ": " + e.what());
  }
}

}  // namespace molejo
