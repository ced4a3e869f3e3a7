// Nets: markings per second and frames per second, beside the goals of the project.
//
//   molejo_bench_net FOLDER     scenes/nets of the repository
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>

#include "molejo/io/file.h"
#include "molejo/io/net_file.h"
#include "molejo/net/run.h"
#include "molejo/net/state_space.h"
#include "molejo/net/structure.h"

namespace {

using namespace molejo;

// Of this process, so that others on the machine do not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void explore(const std::string& file, std::uint64_t expected) {
  const Net net = load_net(SourceFile::given(file));
  const double start = cpu_seconds();
  const StateSpace space(net, {.bounds = semiflow_bounds(net, place_semiflows(net))});
  const double time = cpu_seconds() - start;
  std::printf("%-18s %9lu markings%s  %6.2f s  %5.2f million markings/s  %5.1f bytes/marking\n",
              net.name.c_str(), static_cast<unsigned long>(space.size()),
              space.size() == expected ? "" : " (WRONG)", time,
              static_cast<double>(space.size()) / time / 1e6,
              static_cast<double>(space.bytes()) / static_cast<double>(space.size()));
}

// Mean and longest time of a frame.
void play_frames(const char* what, const Net& net, int frames, Fraction rate) {
  double start = cpu_seconds();
  NetRun run(net, {.frame_rate = rate});
  std::printf("%s: %zu places, %zu transitions, set up in %.2f s\n", what, net.places.size(),
              net.transitions.size(), cpu_seconds() - start);
  double longest = 0, sum = 0;
  std::size_t events = 0, calls = 0;
  for (int i = 0; i < frames; ++i) {
    start = cpu_seconds();
    run.advance();
    const double time = cpu_seconds() - start;
    longest = std::max(longest, time);
    sum += time;
    events += run.events().size();
    calls += run.calls().size();
  }
  std::printf(
      "  %.3f ms a frame, longest %.3f ms: %.0f frames/s; %.0f events and %.0f actions a frame\n",
      1e3 * sum / frames, 1e3 * longest, frames / sum, static_cast<double>(events) / frames,
      static_cast<double>(calls) / frames);
}

Net ball_ring(const std::string& folder, int actors) {
  std::string text = read_file(folder + "/ball_ring.net.json");
  const std::string word = "\"actors\": 4";
  text.replace(text.find(word), word.size(), "\"actors\": " + std::to_string(actors));
  return parse_net_json(text, "ring");
}

// Every place serves a token in every frame, and every frame every transition fires.
Net busy_net(int places) {
  Net net;
  NetBuilder builder(net);
  for (int i = 0; i < places; ++i) {
    const PlaceId p =
        builder.add(Place{.name = "p" + std::to_string(i), .delay = Fraction(1, 24), .tokens = 1});
    const TransitionId t = builder.add(Transition{.name = "t" + std::to_string(i)});
    builder.connect(ArcKind::input, p, t);
    builder.connect(ArcKind::output, p, t);
  }
  return net;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "scenes/nets";
  explore(folder + "/kanban_5.pnml", 2'546'432);
  explore(folder + "/fms_5.pnml", 2'895'018);
  explore(folder + "/mapk_8.pnml", 6'110'643);
  explore(folder + "/philosophers_10.pnml", 59'049);
  play_frames("ball ring of 1470 actors", ball_ring(folder, 1470), 400, 24);
  play_frames("100,000 places, all busy", busy_net(100'000), 100, 24);
  play_frames("ball ring of 10,000 actors", ball_ring(folder, 10'000), 400, 24);
}
