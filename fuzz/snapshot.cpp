// Any bytes as the file of a snapshot, and any bytes in the place of one of a run, a net, a gait, a
// stage or a show: nothing but SnapshotError of one line may leave the reader, and what was
// accepted is played on for a few frames.
//
// The first byte tells of what. If it is below 128 the rest is changes of a good snapshot, five
// bytes each: a place and what to put there. Else the rest is the snapshot.
#include <cstdint>
#include <cstdlib>

#include "molejo/director/director.h"
#include "molejo/io/load.h"
#include "molejo/io/motion.h"
#include "molejo/io/net_file.h"
#include "molejo/io/show.h"
#include "molejo/io/walk_scene.h"
#include "molejo/locomotion/feedback.h"
#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"
#include "molejo/physics/world.h"

namespace {

using namespace molejo;

constexpr double patience = 1;  // s: who was accepted may be slow

[[noreturn]] void complain(const char* text) {
  std::fprintf(stderr, "%s\n", text);
  std::abort();
}

// Something that can be restored, and plays.
struct Thing {
  virtual ~Thing() = default;
  virtual void play(int frames) = 0;
  virtual void save_to(Snapshot& snapshot) const = 0;
  virtual void restore_from(const Snapshot& snapshot) = 0;
};

std::string shipped(const char* file) { return std::string(MOLEJO_SOURCE_DIR "/scenes/") + file; }

struct RunThing : Thing {
  RunThing(const char* file, int frames) : run(made(file)) { play(frames); }
  static Run made(const char* file) {
    Scene scene = load_scene(SourceFile::given(shipped(file)));
    scene.settings.budget.contacts = std::size_t{16} << 20;
    return Run(build(scene), scene.settings);
  }
  void play(int frames) override {
    Frame frame;
    std::vector<ContactEvent> events;
    for (int n = 0; n < frames && run.next_frame(frame, events); ++n) {
      if (!frame.state.q.allFinite() || !frame.state.v.allFinite()) complain("not finite");
    }
  }
  void save_to(Snapshot& snapshot) const override { save(run, snapshot); }
  void restore_from(const Snapshot& snapshot) override { restore(snapshot, run); }
  Run run;
};

struct NetThing : Thing {
  NetThing() { play(200); }
  void play(int frames) override {
    for (int n = 0; n < frames && run.advance(); ++n) {
    }
  }
  void save_to(Snapshot& snapshot) const override { save(run, snapshot); }
  void restore_from(const Snapshot& snapshot) override { restore(snapshot, run); }
  Net net = load_net(SourceFile::given(shipped("nets/ball_game.net.json")));
  NetRun run{net, {.most_firings_at_once = 1000}};
};

struct GaitThing : Thing {
  GaitThing() { play(5); }
  void play(int frames) override {
    for (int n = 0; n < 20 * frames && player.advance(); ++n) {
    }
  }
  void save_to(Snapshot& snapshot) const override { save(player, snapshot); }
  void restore_from(const Snapshot& snapshot) override { restore(snapshot, player); }
  GaitFile file = load_gait(SourceFile::given(shipped("gaits/basic_run_closed.gait.json")));
  Character character = make_character(file.motion.scene, file.motion.motion.figure);
  GaitProblem problem{character, file.motion.motion};
  GaitPlayer player{
      problem, file.unknowns, {}, feedback_hook(problem, file.unknowns, file.feedback->feedback)};
};

struct StageThing : Thing {
  explicit StageThing(const char* file)
      : scene(load_walk_scene(SourceFile::given(shipped(file)))), stage(make_stage(scene)) {
    play(40);
  }
  void play(int frames) override {
    for (int n = 0; n < frames; ++n) stage.advance(1 / scene.fps);
  }
  void save_to(Snapshot& snapshot) const override { save(stage, snapshot); }
  void restore_from(const Snapshot& snapshot) override { restore(snapshot, stage); }
  WalkScene scene;
  navigation::Stage stage;
};

struct ShowThing : Thing {
  ShowThing() { play(30); }
  void play(int frames) override {
    Frame frame;
    std::vector<ContactEvent> contacts;
    for (int n = 0; n < frames && director.next_frame(frame, contacts); ++n) {
    }
  }
  void save_to(Snapshot& snapshot) const override { save(director, snapshot); }
  void restore_from(const Snapshot& snapshot) override { restore(snapshot, director); }
  Show show = load_show(SourceFile::given(shipped("shows/stumble.show.json")));
  Director director{show};
};

struct Subject {
  std::unique_ptr<Thing> thing;
  Snapshot good;
};

std::vector<Subject>& subjects() {
  static std::vector<Subject> all = [] {
    std::vector<Subject> list;
    const auto add = [&](std::unique_ptr<Thing> thing) {
      Subject& s = list.emplace_back();
      s.thing = std::move(thing);
      s.thing->save_to(s.good);
    };
    add(std::make_unique<RunThing>("dominoes.json", 40));
    add(std::make_unique<RunThing>("newtons_cradle.json", 20));
    add(std::make_unique<RunThing>("animado_floor.json", 20));
    add(std::make_unique<RunThing>("ragdoll.json", 30));
    add(std::make_unique<NetThing>());
    add(std::make_unique<GaitThing>());
    add(std::make_unique<StageThing>("walks/stick_a.walk.json"));
    add(std::make_unique<StageThing>("walks/stick_fall.walk.json"));
    add(std::make_unique<ShowThing>());
    return list;
  }();
  return all;
}

Snapshot changed(const Snapshot& good, std::span<const std::uint8_t> edits) {
  Snapshot snapshot = good;
  for (; edits.size() >= 5; edits = edits.subspan(5)) {
    const std::size_t place = std::size_t{edits[0]} | std::size_t{edits[1]} << 8 |
                              std::size_t{edits[2]} << 16 | std::size_t{edits[3]} << 24;
    snapshot.bytes[place % snapshot.bytes.size()] = edits[4];
  }
  return snapshot;
}

void check_line(const std::exception& e) {
  if (std::string_view(e.what()).find('\n') != std::string_view::npos) complain("two lines");
}

void take(Subject& subject, const Snapshot& snapshot) {
  try {
    subject.thing->restore_from(snapshot);
  } catch (const SnapshotError& e) {
    check_line(e);
    return;
  } catch (const InputError& e) {
    check_line(e);
    return;
  }
  Interrupt interrupt(patience);
  const InterruptScope scope(interrupt);
  try {
    subject.thing->play(3);
  } catch (const Interrupted&) {
  }
  subject.thing->restore_from(subject.good);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Snapshot read = parse_snapshot(text);
    if (snapshot_text(read) != text) complain("another text");
  } catch (const SnapshotError& e) {
    check_line(e);
  }
  if (size == 0) return 0;
  Subject& subject = subjects()[data[0] % 128 % subjects().size()];
  const std::span<const std::uint8_t> rest(data + 1, size - 1);
  if (data[0] < 128) {
    take(subject, changed(subject.good, rest));
  } else {
    Snapshot raw = subject.good;
    raw.bytes.assign(rest.begin(), rest.end());
    take(subject, raw);
  }
  return 0;
}
