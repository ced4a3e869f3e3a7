#include "molejo/io/net_trace.h"

#include "molejo/io/json_cursor.h"
#include "molejo/math/index.h"

namespace molejo {

namespace {

const std::vector<std::string> step_keys{"time", "fire", "finish", "put"};

JsonValue time_json(const Fraction& t) {
  const auto again = exact_fraction(t.value());
  return again && *again == t ? JsonValue(t.value()) : JsonValue(to_string(t));
}

Fraction read_time(const JsonCursor& at) {
  const auto time = at.is_string() ? parse_instant(at.text()) : exact_fraction(at.number());
  if (time) return *time;
  at.fail("expected seconds with at most 9 decimals, or a fraction like \"7/3\"");
}

TraceStep read_step(const JsonCursor& at, const NetNames& names) {
  TraceStep step;
  const auto guarded = [](const JsonCursor& word, auto&& find) {
    try {
      return find(word.text());
    } catch (const NetError& error) {
      word.fail(error.what());
    }
  };
  const auto transition = [&](const std::string& name) { return names.transition(name); };
  const auto place = [&](const std::string& name) { return names.place(name); };
  if (!at.is_object()) {
    step.transition = guarded(at, transition);
    return step;
  }
  at.expect_keys(step_keys);
  at.only_one({"fire", "finish", "put"});
  if (const auto word = at.find("fire")) step.transition = guarded(*word, transition);
  if (const auto word = at.find("finish")) step.finished = guarded(*word, place);
  if (const auto word = at.find("put")) step.put = guarded(*word, place);
  if (const auto time = at.find("time")) step.time = read_time(*time);
  const bool has_word = at.has("fire") || at.has("finish") || at.has("put");
  if (!has_word && !step.time) at.fail("expected fire, finish, put or a time");
  return step;
}

// Where the steps stand.
JsonCursor find_steps(const JsonCursor& top) {
  if (top.is_array()) return top;
  if (const auto trace = top.find("trace")) return *trace;
  // a trace of a property that holds shows that something is possible
  for (const bool holds : {false, true}) {
    for (const char* list : {"watched", "properties"}) {
      const auto properties = top.find(list);
      for (std::size_t i = 0; properties && i < properties->size(); ++i) {
        const JsonCursor property = (*properties)[i];
        const auto verdict = property.find("verdict");
        const auto trace = property.find("trace");
        if (trace && (verdict && verdict->text() == "holds") == holds) return *trace;
      }
    }
  }
  for (const char* part : {"runs", "untimed"}) {
    const auto found = top.find(part);
    if (!found) continue;
    if (const auto trace = found->find("deadlock_trace")) return *trace;
  }
  top.fail("holds no trace: no property with a counterexample, and no deadlock");
}

}  // namespace

JsonValue step_json(const Net& net, const TraceStep& s) {
  JsonValue item = JsonValue::object();
  if (s.time) item.add("time", time_json(*s.time));
  const auto add = [&](const char* word, const auto& nodes, int node) {
    if (node >= 0) item.add(word, JsonValue(nodes[at(node)].name));
  };
  add("fire", net.transitions, s.transition.index);
  add("finish", net.places, s.finished.index);
  add("put", net.places, s.put.index);
  return item;
}

JsonValue steps_json(const Net& net, const std::vector<TraceStep>& steps) {
  JsonValue list = JsonValue::array();
  for (const TraceStep& s : steps) {
    if (!s.time && s.transition.index >= 0) {
      list.items.emplace_back(net.transitions[at(s.transition.index)].name);
    } else {
      list.items.push_back(step_json(net, s));
    }
  }
  return list;
}

std::vector<TraceStep> parse_trace(std::string_view text, const std::string& file, const Net& net) {
  const JsonDocument document = parse_json(text, file);
  const Scope scope;
  const std::string instance;
  const JsonCursor list = find_steps({document, document.root, scope, instance});
  list.expect_array(max_trace_steps);
  const NetNames names(net);
  std::vector<TraceStep> steps;
  for (std::size_t i = 0; i < list.size(); ++i) steps.push_back(read_step(list[i], names));
  return steps;
}

std::vector<TraceStep> load_trace(const SourceFile& file, const Net& net) {
  return parse_trace(file.read(max_json_bytes), file.name(), net);
}

}  // namespace molejo
