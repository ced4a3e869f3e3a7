#include "molejo/studio/net_foresight.h"

#include <fmt/format.h>

#include <algorithm>

#include "molejo/model/error.h"

namespace molejo {

namespace {

NetTrace soon(const Net& net, const RunSettings& settings) {
  return play(net, settings,
              static_cast<std::int64_t>(foreseen_seconds * settings.frame_rate.value()));
}

}  // namespace

RunSettings run_settings(const Net& net, Fraction frame_rate, std::uint64_t seed, bool await) {
  RunSettings settings;
  settings.frame_rate = frame_rate;
  settings.seed = seed;
  settings.await = await;
  settings.times = times_of(net);
  settings.most_firings_at_once = usual_firings_at_once(net);
  return settings;
}

void refuse_endless(const Net& net, const Net& before, const RunSettings& settings) {
  if (!net.is_timed()) return;  // goes one firing at a time
  const NetTrace trace = soon(net, settings);
  if (trace.stopped != RunStop::endless) return;
  if (before.is_timed() && soon(before, settings).stopped == RunStop::endless) return;
  // those of the last instant, in their order
  std::string names;
  double t = 0;
  std::vector<int> seen;
  for (auto e = trace.events.rbegin(); e != trace.events.rend() && seen.size() < 4; ++e) {
    if (e->kind != NetEventKind::fire) continue;
    if (std::find(seen.begin(), seen.end(), e->node) != seen.end()) break;
    t = trace.seconds(e->tick);
    const std::string& name = net.transitions[static_cast<std::size_t>(e->node)].name;
    names = "'" + name + "'" + (seen.empty() ? "" : ", ") + names;
    seen.push_back(e->node);
  }
  throw InputError(
      fmt::format("from {:g} s on {} would fire for ever without time passing; expected a place "
                  "with a delay between",
                  t, names));
}

}  // namespace molejo
