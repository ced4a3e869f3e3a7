#include "molejo/studio/net_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "molejo/io/net_trace.h"
#include "molejo/math/index.h"
#include "molejo/studio/net_sentences.h"

namespace molejo {

namespace {

using Sign = Finding::Sign;
using Group = Finding::Group;

}  // namespace

NetFindings find_out(const Net& given, std::uint64_t max_markings, int own) {
  const auto start = std::chrono::steady_clock::now();
  NetFindings findings;
  Net net = given;
  // what cannot be read (any more) is a finding of its own
  std::erase_if(net.properties, [&](const std::string& text) {
    try {
      parse_property(text, net);
      return false;
    } catch (const NetError& e) {
      findings.sentences.push_back({Sign::bad, Group::asked, e.what(), -1, {}, {}, text});
      return true;
    }
  });
  AnalysisSettings settings;
  // a marking of a large net is dear: some seconds in all
  constexpr std::uint64_t most_work = 2'000'000'000;
  const std::uint64_t size = net.places.size() + net.transitions.size() + net.arcs.size();
  settings.space.max_states = std::min(max_markings, most_work / std::max<std::uint64_t>(1, size));
  settings.space.max_memory = std::uint64_t{192} << 20;
  settings.timed.max_states = std::min<std::uint64_t>(max_markings / 4, 200'000);
  settings.timed.max_memory = std::uint64_t{96} << 20;
  settings.structure.work = 30'000'000;
  settings.structure.siphon_steps = 2'000;
  settings.properties = {deadlock_question};
  settings.open.max_states = std::min<std::uint64_t>(max_markings / 16, 20'000);
  try {
    Analysis analysis = analyse(net, settings);
    if (own < 0) own = static_cast<int>(net.transitions.size());
    for (PropertyResult& r : analysis.properties) {
      tell_outside(net, static_cast<std::size_t>(own), r.trace);
    }
    tell_findings(net, own, analysis, findings);
  } catch (const NetError& e) {
    findings.sentences.push_back({Sign::unknown, Group::asked, e.what(), -1, {}, {}});
    findings.complete = false;
  }
  findings.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return findings;
}

JsonValue findings_json(const Net& net, const NetFindings& findings) {
  constexpr const char* signs[] = {"good", "bad", "unknown", "remark"};
  constexpr const char* groups[] = {"asked", "end",  "tokens",  "firing",
                                    "time",  "sums", "returns", "siphons"};
  // of a trace the beginning is told; it is played whole
  constexpr std::size_t most_steps = 1000, most_names = 2000;
  const auto names = [](const std::vector<int>& nodes, const auto& all) {
    JsonValue list = JsonValue::array();
    for (const int i : nodes) {
      if (list.items.size() < most_names) list.items.emplace_back(all[at(i)].name);
    }
    return list;
  };
  JsonValue json = JsonValue::object();
  JsonValue& sentences = json.add("sentences", JsonValue::array());
  for (const Finding& f : findings.sentences) {
    JsonValue& item = sentences.items.emplace_back(JsonValue::object());
    item.add("sign", std::string(signs[static_cast<int>(f.sign)]));
    item.add("group", std::string(groups[static_cast<int>(f.group)]));
    item.add("text", f.text);
    if (f.trace >= 0) item.add("trace", f.trace);
    if (!f.places.empty()) item.add("places", names(f.places, net.places));
    if (!f.transitions.empty()) item.add("transitions", names(f.transitions, net.transitions));
    if (!f.property.empty()) item.add("property", f.property);
  }
  JsonValue& traces = json.add("traces", JsonValue::array());
  JsonValue lengths = JsonValue::array();
  for (const std::vector<TraceStep>& steps : findings.traces) {
    JsonValue& list = traces.items.emplace_back(JsonValue::array());
    for (std::size_t i = 0; i < std::min(steps.size(), most_steps); ++i) {
      list.items.push_back(step_json(net, steps[i]));
    }
    lengths.items.emplace_back(static_cast<double>(steps.size()));
  }
  json.add("trace_lengths", std::move(lengths));
  json.add("markings", static_cast<double>(findings.markings));
  json.add("complete", JsonValue::of(findings.complete));
  json.add("seconds", findings.seconds);
  return json;
}

}  // namespace molejo
