#include "molejo/io/net_state_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "molejo/math/index.h"
#include "molejo/math/words.h"

namespace molejo {

namespace {

constexpr std::size_t most_states = 20'000;
constexpr std::size_t most_changes = 200'000;
const std::vector<std::string> machine_keys{"name",   "description", "start",
                                            "states", "transitions", "layers"};
const std::vector<std::string> layer_keys{"name", "start", "states", "transitions"};
const std::vector<std::string> state_keys{"name", "action", "duration"};
const std::vector<std::string> change_keys{"name",      "from",    "to",      "exit_time",
                                           "condition", "trigger", "priority"};

Fraction seconds(const JsonCursor& value) {
  const auto result =
      value.is_number() ? exact_fraction(value.number()) : parse_fraction(value.text());
  if (!result) value.fail("expected seconds from 0 to 1e9 with at most 9 decimals, or \"1/3\"");
  return *result;
}

Fraction product(const Fraction& a, const Fraction& b, const JsonCursor& at) {
  const Fraction x(a.numerator, b.denominator), y(b.numerator, a.denominator);
  const auto n = static_cast<__int128>(x.numerator) * y.numerator;
  const auto d = static_cast<__int128>(x.denominator) * y.denominator;
  if (n > largest_part || d > largest_part) at.fail("the time of the exit is not a short fraction");
  return {static_cast<std::int64_t>(n), static_cast<std::int64_t>(d)};
}

struct MachineState {
  std::string name;
  Fraction duration;            // of the action; 0: none is given
  std::vector<Fraction> exits;  // distinct times after which transitions may leave, ascending
};

struct Change {
  JsonCursor at;
  std::string name, event;
  int from = 0, to = 0, priority = 1;
  std::optional<Fraction> exit;  // nothing: at any time
};

class LayerReader {
 public:
  LayerReader(const JsonCursor& layer, const std::string& prefix, NetBuilder& builder)
      : layer_(layer), prefix_(prefix), builder_(builder) {}

  void run() {
    read_states();
    read_changes();
    add_places();
    for (const Change& c : changes_) add_transition(c);
  }

 private:
  void read_states() {
    const JsonCursor list = layer_.need("states");
    list.expect_array(most_states);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const JsonCursor item = list[i];
      MachineState state;
      std::string action;
      if (item.is_string()) {
        state.name = item.name();
      } else {
        item.expect_keys(state_keys);
        state.name = item.need("name").name();
        if (const auto duration = item.find("duration")) state.duration = seconds(*duration);
        if (const auto given = item.find("action")) action = given->word();
      }
      if (find(state.name) >= 0) item.fail(fmt::format("state '{}' is given twice", state.name));
      index_.emplace(state.name, static_cast<int>(i));
      names_.push_back(state.name);
      states_.push_back(state);
      actions_.push_back(action);
    }
    if (states_.empty()) list.fail("expected at least one state");
    if (const auto start = layer_.find("start")) start_ = need(*start);
  }

  int find(const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? -1 : found->second;
  }
  int need(const JsonCursor& word) const {
    const int state = find(word.name());
    if (state < 0) word.fail(unknown_word("state", word.name(), names_));
    return state;
  }

  void read_changes() {
    const auto list = layer_.find("transitions");
    if (!list) return;
    list->expect_array(most_changes);
    for (std::size_t i = 0; i < list->size(); ++i) {
      const JsonCursor item = (*list)[i];
      item.expect_keys(change_keys);
      const JsonCursor from = item.need("from");
      const int to = need(item.need("to"));
      if (from.name() != "any") {
        read_change(item, need(from), to, false);
        continue;
      }
      // from every state but the target itself
      for (int s = 0; s < static_cast<int>(states_.size()); ++s) {
        if (s != to) read_change(item, s, to, true);
        if (changes_.size() > most_changes) item.fail("too many transitions from any state");
      }
    }
  }

  void read_change(const JsonCursor& item, int from, int to, bool any) {
    Change change{item, {}, {}, from, to, 1, {}};
    const std::string &source = names_[at(from)], &target = names_[at(to)];
    change.name = source + "_to_" + target;
    if (const auto name = item.find("name")) {
      change.name = name->name() + (any ? "_" + source : "");
    }
    // several ways between the same states are numbered
    if (const int n = ++ways_[change.name]; n > 1 && !item.has("name")) {
      change.name += "_" + std::to_string(n);
    }
    if (const auto priority = item.find("priority")) {
      change.priority = priority->whole(-1'000'000'000, 1'000'000'000);
    }
    item.only_one({"trigger", "condition"});
    if (const auto trigger = item.find("trigger")) change.event = trigger->name();
    if (const auto condition = item.find("condition")) change.event = "when " + condition->name();
    MachineState& state = states_[at(from)];
    if (const auto exit = item.find("exit_time")) {
      // as in game engines: a fraction of the action, where it has a duration
      const Fraction part = seconds(*exit);
      change.exit = state.duration == Fraction() ? part : product(part, state.duration, *exit);
    } else if (change.event.empty()) {
      if (state.duration == Fraction()) {
        item.fail("expected a trigger, a condition, an exit_time or a duration of the state");
      }
      change.exit = state.duration;
    }
    if (change.exit) state.exits.push_back(*change.exit);
    changes_.push_back(std::move(change));
  }

  void add_places() {
    for (std::size_t s = 0; s < states_.size(); ++s) {
      MachineState& state = states_[s];
      std::vector<Fraction>& exits = state.exits;
      std::sort(exits.begin(), exits.end());
      exits.erase(std::unique(exits.begin(), exits.end()), exits.end());
      for (std::size_t k = 0; k < std::max<std::size_t>(1, exits.size()); ++k) {
        Place place;
        place.name = prefix_ + state.name + (k == 0 ? "" : "_exit" + std::to_string(k + 1));
        place.delay = exits.empty() ? state.duration : exits[k];
        place.tokens = static_cast<int>(s) == start_ ? 1 : 0;
        if (k == 0) place.action = actions_[s];
        // an action without an end is cut short by whatever leaves the state
        place.awaited = k == 0 && !place.action.empty() && place.delay == Fraction();
        guarded(layer_, [&] { places_.push_back(builder_.add(std::move(place))); });
        if (k == 0) first_place_.push_back(places_.size() - 1);
      }
    }
  }

  void add_transition(const Change& c) {
    const MachineState& from = states_[at(c.from)];
    guarded(c.at, [&] {
      const TransitionId t = builder_.add(Transition{prefix_ + c.name, c.priority, c.event});
      // takes the state and its timers: those that it needs when their wait is over
      for (std::size_t k = 0; k < std::max<std::size_t>(1, from.exits.size()); ++k) {
        const bool waits = c.exit && !(*c.exit < from.exits[k]);
        builder_.connect(waits ? ArcKind::input : ArcKind::interrupter,
                         places_[first_place_[at(c.from)] + k], t);
      }
      const std::size_t timers = std::max<std::size_t>(1, states_[at(c.to)].exits.size());
      for (std::size_t k = 0; k < timers; ++k) {
        builder_.connect(ArcKind::output, places_[first_place_[at(c.to)] + k], t);
      }
    });
  }

  template <class F>
  static void guarded(const JsonCursor& where, F&& f) {
    try {
      f();
    } catch (const NetError& error) {
      where.fail(error.what());
    }
  }

  JsonCursor layer_;
  std::string prefix_;
  NetBuilder& builder_;
  int start_ = 0;
  std::vector<std::string> names_, actions_;
  std::unordered_map<std::string, int> index_, ways_;
  std::vector<MachineState> states_;
  std::vector<Change> changes_;
  std::vector<PlaceId> places_;           // with timers behind their state
  std::vector<std::size_t> first_place_;  // of a state
};

}  // namespace

Net read_state_machine(const JsonCursor& file) {
  file.expect_keys(machine_keys);
  Net net;
  NetBuilder builder(net);
  if (const auto name = file.find("name")) net.name = name->text();
  file.only_one({"states", "layers"});
  if (file.has("states")) {
    LayerReader(file, "", builder).run();
    return net;
  }
  const JsonCursor layers = file.need("layers");
  layers.expect_array(1000);
  if (layers.size() == 0) layers.fail("expected at least one layer");
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers[i].expect_keys(layer_keys);
    LayerReader(layers[i], layers[i].need("name").name() + "_", builder).run();
  }
  return net;
}

}  // namespace molejo
