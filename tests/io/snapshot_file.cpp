#include "molejo/io/snapshot_file.h"

#include <doctest/doctest.h>

#include "molejo/physics/world.h"
#include "tests/support/empty_folder.h"
#include "tests/support/error_text.h"
#include "tests/support/models.h"

using namespace molejo;
using namespace molejo::test;

namespace {

Run stack_after(int frames) {
  const Scene scene = shipped_scene("stack");
  Run run(build(scene), scene.settings);
  Frame frame;
  std::vector<ContactEvent> events;
  for (int n = 0; n < frames; ++n) run.next_frame(frame, events);
  return run;
}

}  // namespace

TEST_CASE("snapshot file: a run goes on from a file") {
  const EmptyFolder folder;
  const std::string path = folder / "stack.snapshot";
  Run run = stack_after(30), other = stack_after(0);
  Snapshot snapshot;
  save(run, snapshot);
  write_snapshot(path, snapshot);
  restore_from(SourceFile::given(path), other);
  CHECK(hash(other.state()) == hash(run.state()));
}

TEST_CASE("snapshot file: bad ones are refused with their name") {
  const EmptyFolder folder;
  const std::string path = folder / "bad.snapshot";
  Run run = stack_after(1);
  const auto refused = [&] {
    return error_text([&] { restore_from(SourceFile::given(path), run); });
  };
  write_file(path, "{}");
  CHECK(refused() == path + ": no snapshot: it does not begin with 'molejo snapshot'");
  Snapshot net;
  net.kind = SnapshotKind::net;
  write_snapshot(path, net);
  CHECK(refused() == path + ": snapshot: of a net, expected one of a run");
}
