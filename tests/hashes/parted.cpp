// Every shipped file that runs is saved in the middle, as bytes, and goes on elsewhere: loaded
// anew, on another thread. Frames, contacts, probes, poses and traces are those of the run that
// went on where it was, to the last bit.
#include <doctest/doctest.h>

#include <sstream>
#include <thread>

#include "molejo/director/director.h"
#include "molejo/io/file.h"
#include "molejo/io/load.h"
#include "molejo/io/motion.h"
#include "molejo/io/net_file.h"
#include "molejo/io/net_report.h"
#include "molejo/io/show.h"
#include "molejo/io/walk_scene.h"
#include "molejo/locomotion/feedback.h"
#include "molejo/physics/world.h"
#include "tests/hashes/bits.h"
#include "tests/hashes/witness.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// A file that is played frame by frame.
class Played {
 public:
  virtual ~Played() = default;
  virtual bool next(Bits& bits) = 0;  // false: it is over
  virtual void save_to(Snapshot& snapshot) const = 0;
  virtual void restore_from(const Snapshot& snapshot) = 0;
};

// Calls save and restore of what has them.
template <class Thing>
class PlayedThing : public Played {
 public:
  void save_to(Snapshot& snapshot) const override { save(thing(), snapshot); }
  void restore_from(const Snapshot& snapshot) override {
    restore(snapshot, const_cast<Thing&>(thing()));
  }

 protected:
  virtual const Thing& thing() const = 0;
};

void add(const Frame& frame, Bits& bits) {
  bits.add(hash(frame.state));
  bits.add(frame.energy.total());
  bits.add(frame.angular_momentum);
  bits.add(static_cast<std::uint64_t>(frame.asleep));
  for (const double x : frame.probes) bits.add(x);
  for (const TouchPoint& p : frame.contacts) bits.add(p.point), bits.add(p.force), bits.add(p.gap);
}

void add(const std::vector<ContactEvent>& events, Bits& bits) {
  for (const ContactEvent& e : events) {
    bits.add(e.t), bits.add(e.point), bits.add(e.normal), bits.add(e.impulse);
    bits.add(static_cast<std::uint64_t>(e.phase));
    bits.add(static_cast<std::uint64_t>(1000 * e.a.index + e.b.index));
  }
}

class PlayedScene : public PlayedThing<Run> {
 public:
  PlayedScene(const std::string& path, double seconds) : run_(run_of(path, seconds)) {}
  bool next(Bits& bits) override {
    Frame frame;
    std::vector<ContactEvent> events;
    const bool made = run_.next_frame(frame, events);
    add(events, bits);
    if (made) add(frame, bits);
    bits.add(static_cast<std::uint64_t>(run_.summary().steps));
    for (const std::string& warning : run_.summary().warnings) bits.add(warning);
    return made;
  }

 private:
  // what it is made of is gone when it runs
  static Run run_of(const std::string& path, double seconds) {
    Scene scene = load_scene(SourceFile::given(path));
    scene.settings.duration = seconds;
    return Run(build(scene), scene.settings);
  }
  const Run& thing() const override { return run_; }
  Run run_;
};

class PlayedGait : public PlayedThing<GaitPlayer> {
 public:
  PlayedGait(const std::string& path, double seconds)
      : file_(load_gait(SourceFile::given(path))),
        character_(make_character(file_.motion.scene, file_.motion.motion.figure)),
        problem_(character_, file_.motion.motion),
        player_(problem_, file_.unknowns, options(seconds), between()) {}
  bool next(Bits& bits) override {
    bool goes_on = true;
    for (int i = 0; i < 7 && goes_on; ++i) goes_on = player_.advance();
    bits.add(player_.time());
    for (const Frame& frame : player_.take_frames()) add(frame, bits);
    const ReplayReport r = player_.report();
    bits.add(r.distance), bits.add(r.energy), bits.add(r.duty_factor), bits.add(r.peak_force);
    bits.add(r.worst_cyclic_error);
    return goes_on;
  }

 private:
  static ReplayOptions options(double seconds) {
    ReplayOptions options;
    options.seconds = seconds;
    // a push in the middle of a cycle, across the place where it is parted
    options.pushes = {{0, {}, {0, 5, 0}, 0.2 * seconds, 0.9 * seconds}};
    return options;
  }
  BetweenCycles between() const {
    if (!file_.feedback) return {};
    return feedback_hook(problem_, file_.unknowns, file_.feedback->feedback);
  }
  const GaitPlayer& thing() const override { return player_; }
  GaitFile file_;
  Character character_;
  GaitProblem problem_;
  GaitPlayer player_;
};

class PlayedShow : public PlayedThing<Director> {
 public:
  PlayedShow(const std::string& path, const std::string& seconds)
      : show_(load_show(SourceFile::given(path))), director_(show_, settings(seconds)) {}
  bool next(Bits& bits) override {
    Frame frame;
    std::vector<ContactEvent> contacts;
    const bool made = director_.next_frame(frame, contacts);
    add(contacts, bits);
    if (made) add(frame, bits);
    for (const auto& walker : director_.ensemble().walkers()) bits.add(walker->pose());
    bits.add(trace_csv(show_.net, director_.trace(), false));
    bits.add(director_.ensemble().report().out_of_reach);
    bits.add(static_cast<std::uint64_t>(director_.ensemble().summary().steps));
    for (const Watched& w : director_.watched()) bits.add(w.violations);
    return made;
  }

 private:
  static DirectSettings settings(const std::string& seconds) {
    DirectSettings settings;
    settings.duration = parse_fraction(seconds);
    return settings;
  }
  const Director& thing() const override { return director_; }
  Show show_;
  Director director_;
};

class PlayedWalk : public PlayedThing<navigation::Stage> {
 public:
  PlayedWalk(const std::string& path, double seconds)
      : scene_(load_walk_scene(SourceFile::given(path))),
        stage_(make_stage(scene_)),
        left_(static_cast<int>(seconds * scene_.fps)) {}
  bool next(Bits& bits) override {
    if (left_-- == 0) return false;
    stage_.advance(1 / scene_.fps);
    for (int i = 0; i < stage_.size(); ++i) {
      const navigation::Walker& walker = stage_.walker(i);
      bits.add(walker.position()), bits.add(walker.heading()), bits.add(walker.pose());
      bits.add(walker.placement().origin), bits.add(walker.unadapted());
      for (const navigation::FootState& f : walker.feet()) bits.add(f.target), bits.add(f.heel);
    }
    return true;
  }
  // who goes on elsewhere is told how long
  void set_left(int left) { left_ = left; }
  int left() const { return left_; }

 private:
  const navigation::Stage& thing() const override { return stage_; }
  WalkScene scene_;
  navigation::Stage stage_;
  int left_;
};

class PlayedNet : public PlayedThing<NetRun> {
 public:
  explicit PlayedNet(const std::string& path)
      : net_(load_net(SourceFile::given(path))), run_(net_, {.most_firings_at_once = 10'000}) {}
  bool next(Bits& bits) override {
    if (!run_.advance()) return false;
    for (const NetEvent& e : run_.events()) {
      bits.add(static_cast<std::uint64_t>(e.tick)), bits.add(static_cast<std::uint64_t>(e.node));
    }
    bits.add(static_cast<std::uint64_t>(run_.calls().size()));
    bits.add(run_.future_hash());
    return true;
  }

 private:
  const NetRun& thing() const override { return run_; }
  Net net_;
  NetRun run_;
};

std::unique_ptr<Played> load(const std::string& file, const std::string& seconds) {
  const std::string path = source_dir() + "/scenes/" + file;
  const std::string about = topic(file);
  // longer than their hashes tell: until somebody has fallen
  if (about == "shows") return std::make_unique<PlayedShow>(path, "8");
  if (about == "walks") return std::make_unique<PlayedWalk>(path, 6);
  const double duration = std::stod(seconds);
  if (about == "locomotion") return std::make_unique<PlayedGait>(path, duration);
  if (about == "nets") return std::make_unique<PlayedNet>(path);
  return std::make_unique<PlayedScene>(path, duration);
}

// Frame after frame, at most so many; how many there were.
constexpr int most_frames = 600;
int play(Played& played, int most, Bits& bits) {
  int frames = 0;
  while (frames < most && played.next(bits)) ++frames;
  return frames;
}

// The same with a change of place after some of them: to bytes, and on with another thread.
void part(const std::string& file, const std::string& seconds, std::unique_ptr<Played>& played,
          Bits& bits, int frames) {
  play(*played, frames, bits);
  Snapshot snapshot;
  played->save_to(snapshot);
  const std::string text = snapshot_text(snapshot);
  std::thread elsewhere([&] {
    std::unique_ptr<Played> other = load(file, seconds);
    other->restore_from(parse_snapshot(text));
    if (auto* walk = dynamic_cast<PlayedWalk*>(other.get())) {
      walk->set_left(dynamic_cast<PlayedWalk&>(*played).left());
    }
    played = std::move(other);
  });
  elsewhere.join();
}

void check(const std::string& about) {
  std::istringstream table(read_file(source_dir() + "/tests/hashes/hashes.txt"));
  for (Witness line; table >> line.file >> line.seconds >> line.hash;) {
    if (topic(line.file) != about || line.seconds == "-" || !can_run(line.file)) continue;
    CAPTURE(line.file);
    Bits whole, parted;
    const int frames = play(*load(line.file, line.seconds), most_frames, whole);
    if (about != "nets") REQUIRE(frames >= 3);  // some nets fire without end
    std::unique_ptr<Played> played = load(line.file, line.seconds);
    part(line.file, line.seconds, played, parted, frames / 3);
    part(line.file, line.seconds, played, parted, frames / 2 - frames / 3);
    play(*played, most_frames - frames / 2, parted);
    CHECK(whole.value() == parted.value());
  }
}

}  // namespace

TEST_CASE("parted: scenes go on from a snapshot with the same bits") { check("scenes"); }
TEST_CASE("parted: gaits go on from a snapshot with the same bits") { check("locomotion"); }
TEST_CASE("parted: shows go on from a snapshot with the same bits") { check("shows"); }
TEST_CASE("parted: walks go on from a snapshot with the same bits") { check("walks"); }
TEST_CASE("parted: nets go on from a snapshot with the same bits") { check("nets"); }
