// Molejo's own form of nets: places and transitions, nets with parameters, instances of them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "molejo/io/assembly.h"
#include "molejo/io/json_cursor.h"
#include "molejo/io/net_file.h"
#include "molejo/io/net_state_machine.h"
#include "molejo/model/error.h"
#include "molejo/net/refine.h"

namespace molejo {

namespace {

constexpr std::size_t most_entries = 1'000'000;  // of a list in the file
constexpr int deepest = 32;                      // nets in nets
constexpr int most_copies = 100'000;

const std::vector<std::string> net_file_keys{"name",   "description", "parameters", "nets",
                                             "places", "transitions", "instances",  "properties"};
const std::vector<std::string> net_keys{"description", "parameters", "places", "transitions",
                                        "instances",   "start",      "end"};
const std::vector<std::string> place_keys{"name",  "delay",  "tokens",    "action",
                                          "await", "refine", "parameters"};
const std::vector<std::string> transition_keys{"name",    "priority",  "in",   "out",
                                               "inhibit", "interrupt", "event"};
const std::vector<std::string> instance_keys{"net", "name", "count", "parameters", "first", "last"};

// A net that places may stand for, read with certain values of its parameters.
struct Part {
  std::string name;
  Net net;
  std::vector<std::string> start, end;
};

Fraction read_delay(const JsonCursor& value) {
  const std::string expected = "expected seconds from 0 to 1e9 with at most 9 decimals, or \"1/3\"";
  std::optional<Fraction> delay;
  if (value.is_number()) {
    delay = exact_fraction(value.number());
  } else {
    delay = parse_fraction(value.text());
  }
  if (!delay) value.fail(expected);
  return *delay;
}

class NetReader {
 public:
  explicit NetReader(const JsonCursor& top) : top_(top) {
    const auto nets = top.find("nets");
    if (!nets) return;
    nets->expect_object();
    for (std::size_t i = 0; i < nets->size(); ++i) {
      (*nets)[i].expect_keys(net_keys);
    }
  }

  Net whole() {
    Net net = Group(*this, top_).read();
    if (const auto name = top_.find("name")) net.name = name->text();
    if (const auto properties = top_.find("properties")) {
      properties->expect_array(10'000);
      for (std::size_t i = 0; i < properties->size(); ++i) {
        net.properties.push_back((*properties)[i].word());
      }
    }
    return net;
  }

 private:
  // The places and transitions of the file or of one net, with all copies inside.
  class Group {
   public:
    Group(NetReader& reader, const JsonCursor& cursor)
        : reader_(reader), cursor_(cursor), builder_(net_) {}

    Net read() {
      read_level(cursor_, {""});
      for (const PendingArc& arc : arcs_) connect(arc);
      if (refinements_.empty()) return std::move(net_);
      std::vector<Refinement> refinements;
      for (const auto& [place, part] : refinements_) {
        refinements.push_back({place, &part->net, part->start, part->end, part->name});
      }
      try {
        return refine(net_, refinements);
      } catch (const NetError& error) {
        cursor_.fail(error.what());
      }
    }

   private:
    struct PendingArc {
      ArcKind kind;
      TransitionId transition;
      std::string place;
      std::int64_t weight;
      std::size_t prefixes;  // index into prefixes_
      const JsonValue* at;
    };

    void read_level(const JsonCursor& level, std::vector<std::string> prefixes) {
      const std::size_t chain = prefixes_.size();
      prefixes_.push_back(prefixes);
      if (const auto places = level.find("places")) {
        places->expect_array(most_entries);
        for (std::size_t i = 0; i < places->size(); ++i) {
          read_place((*places)[i], prefixes.back());
        }
      }
      if (const auto transitions = level.find("transitions")) {
        transitions->expect_array(most_entries);
        for (std::size_t i = 0; i < transitions->size(); ++i) {
          read_transition((*transitions)[i], prefixes.back(), chain);
        }
      }
      if (const auto instances = level.find("instances")) {
        instances->expect_array(most_entries);
        for (std::size_t i = 0; i < instances->size(); ++i) {
          read_instance((*instances)[i], prefixes);
        }
      }
    }

    void read_place(const JsonCursor& item, const std::string& prefix) {
      item.expect_keys(place_keys);
      Place place;
      place.name = prefix + item.need("name").name();
      if (const auto delay = item.find("delay")) place.delay = read_delay(*delay);
      if (const auto tokens = item.find("tokens")) {
        place.tokens = tokens->whole(0, static_cast<int>(max_tokens));
      }
      if (const auto action = item.find("action")) place.action = action->word();
      item.read("await", place.awaited);
      if (!place.action.empty() && place.delay == Fraction() && !place.awaited &&
          !item.has("refine")) {
        item.fail("an action needs a delay, or \"await\": true");
      }
      const auto refined = item.find("refine");
      if (refined) {
        for (const char* other : {"delay", "action", "await"}) {
          if (item.has(other)) item.need(other).fail("the place is refined: its net says that");
        }
        refinements_.emplace_back(place.name, reader_.part(*refined, item));
      } else if (item.has("parameters")) {
        item.need("parameters").fail("parameters without \"refine\"");
      }
      guarded(item, [&] { builder_.add(std::move(place)); });
    }

    void read_transition(const JsonCursor& item, const std::string& prefix, std::size_t chain) {
      item.expect_keys(transition_keys);
      Transition t;
      t.name = prefix + item.need("name").name();
      if (const auto priority = item.find("priority")) {
        t.priority = priority->whole(-1'000'000'000, 1'000'000'000);
      }
      if (const auto event = item.find("event")) t.event = event->name();
      TransitionId id;
      guarded(item, [&] { id = builder_.add(std::move(t)); });
      read_arcs(item, "in", ArcKind::input, id, chain);
      read_arcs(item, "interrupt", ArcKind::interrupter, id, chain);
      read_arcs(item, "inhibit", ArcKind::inhibitor, id, chain);
      read_arcs(item, "out", ArcKind::output, id, chain);
    }

    // "P1", ["P1", "P2"] or {"P1": 2}
    void read_arcs(const JsonCursor& item, const char* key, ArcKind kind, TransitionId t,
                   std::size_t chain) {
      const auto list = item.find(key);
      if (!list) return;
      const auto add = [&](const JsonCursor& at, std::string place, std::int64_t weight) {
        arcs_.push_back({kind, t, std::move(place), weight, chain, &at.value()});
        if (arcs_.size() > max_net_arcs) at.fail("more arcs than a net may have");
      };
      if (list->is_string()) return add(*list, list->name(), 1);
      if (list->is_array()) {
        for (std::size_t i = 0; i < list->size(); ++i) add((*list)[i], (*list)[i].name(), 1);
        return;
      }
      if (!list->is_object()) list->fail("expected a place, a list of places or {place: weight}");
      for (std::size_t i = 0; i < list->size(); ++i) {
        JsonValue key_value(list->value().keys[i]);
        key_value.line = (*list)[i].value().line;
        const std::string name = list->at(key_value).name();
        add((*list)[i], name, (*list)[i].whole(1, static_cast<int>(max_tokens)));
      }
    }

    void connect(const PendingArc& arc) {
      const std::vector<std::string>& prefixes = prefixes_[arc.prefixes];
      // in the own copy first, then in what surrounds it
      for (auto prefix = prefixes.rbegin(); prefix != prefixes.rend(); ++prefix) {
        const PlaceId place = builder_.names().find_place(*prefix + arc.place);
        if (place.index < 0) continue;
        return guarded(cursor_.at(*arc.at),
                       [&] { builder_.connect(arc.kind, place, arc.transition, arc.weight); });
      }
      guarded(cursor_.at(*arc.at), [&] { builder_.names().place(arc.place); });
    }

    void read_instance(const JsonCursor& item, const std::vector<std::string>& prefixes) {
      item.expect_keys(instance_keys);
      const JsonCursor word = item.need("net");
      const auto [name, net] = reader_.find(word);
      const auto given_count = item.find("count");
      const int count = given_count ? given_count->whole(0, most_copies) : 1;
      const auto nested = reader_.enter(name, word);
      for (int i = 0; i < count; ++i) {
        Scope around = item.scope();
        around.set("i", static_cast<double>(i));
        around.set("count", static_cast<double>(count));
        const JsonCursor here(item.document(), item.value(), around, item.instance());
        std::string own = name + (count > 1 ? std::to_string(i) : "");
        if (const auto given = here.find("name")) own = given->name();
        const Scope scope = reader_.inner_scope(here, *net, i, count);
        const std::string path = prefixes.back() + own + "_";
        std::vector<std::string> inner = prefixes;
        inner.push_back(path);
        if (path.size() > max_net_name) here.fail("the names inside become too long");
        read_level(JsonCursor(item.document(), *net, scope, path), inner);
      }
    }

    template <class F>
    void guarded(const JsonCursor& at, F&& f) const {
      try {
        f();
      } catch (const NetError& error) {
        at.fail(error.what());
      }
    }

    NetReader& reader_;
    JsonCursor cursor_;
    Net net_;
    NetBuilder builder_;
    std::vector<std::vector<std::string>> prefixes_;
    std::vector<PendingArc> arcs_;
    std::vector<std::pair<std::string, std::shared_ptr<const Part>>> refinements_;
  };

  std::pair<std::string, const JsonValue*> find(const JsonCursor& word) {
    const std::string name = word.name();
    const auto nets = top_.find("nets");
    const std::vector<std::string> none;
    const JsonValue* net = nets ? nets->value().find(name) : nullptr;
    if (net == nullptr) word.fail(unknown_word("net", name, nets ? nets->value().keys : none));
    return {name, net};
  }

  // Counts the nets that are being read, so that none contains itself.
  struct Nesting {
    explicit Nesting(std::vector<std::string>& the_names) : names(&the_names) {}
    Nesting(Nesting&& other) noexcept : names(std::exchange(other.names, nullptr)) {}
    ~Nesting() {
      if (names != nullptr) names->pop_back();
    }
    std::vector<std::string>* names;
  };
  Nesting enter(const std::string& name, const JsonCursor& word) {
    if (std::find(nesting_.begin(), nesting_.end(), name) != nesting_.end()) {
      std::string path;
      for (const std::string& outer : nesting_) path += outer + " > ";
      word.fail(fmt::format("the net contains itself: {}{}", path, name));
    }
    if (nesting_.size() >= deepest) word.fail(fmt::format("nested deeper than {} nets", deepest));
    nesting_.push_back(name);
    return Nesting(nesting_);
  }

  // The parameters of a net as its user gives them; a default may use those before it.
  Scope inner_scope(const JsonCursor& user, const JsonValue& net, int i, int count) {
    expanded_ += count_values(net);
    if (expanded_ > max_expanded_values) {
      user.fail(fmt::format("the net grows beyond {} values", max_expanded_values));
    }
    std::vector<JsonCursor> given;
    if (const auto map = user.find("parameters")) given.push_back(*map);
    if (const auto map = user.find("first"); map && i == 0) given.push_back(*map);
    if (const auto map = user.find("last"); map && i == count - 1) given.push_back(*map);
    const JsonValue* defaults = net.find("parameters");
    const std::vector<std::string> none;
    const std::vector<std::string>& known = defaults != nullptr ? defaults->keys : none;
    for (const JsonCursor& map : given) map.expect_keys(known);

    Scope scope = top_.scope();
    scope.set("i", static_cast<double>(i));
    scope.set("count", static_cast<double>(count));
    if (known.size() > max_parameters) user.fail("too many parameters");
    for (std::size_t k = 0; k < known.size(); ++k) {
      const JsonCursor standard(top_.document(), defaults->items[k], scope, user.instance());
      std::optional<JsonCursor> value = standard;
      for (const JsonCursor& map : given) {
        if (const auto own = map.find(known[k])) value = own;
      }
      if (value->is_null()) user.fail(fmt::format("parameter '{}' must be given", known[k]));
      if (value->is_number()) {
        scope.set(known[k], value->number());
      } else {
        scope.set(known[k], value->word());
      }
    }
    return scope;
  }

  // The net that a place stands for; equal ones are read once.
  std::shared_ptr<const Part> part(const JsonCursor& word, const JsonCursor& user) {
    const auto [name, net] = find(word);
    const auto nested = enter(name, word);
    const Scope scope = inner_scope(user, *net, 0, 1);
    std::string key = name;
    for (const double x : scope.values()) key += fmt::format("\n{}", x);
    for (const std::string& parameter : scope.all_names()) {
      if (const std::string* text = scope.text(parameter)) key += "\n" + *text;
    }
    std::shared_ptr<const Part>& known = parts_[key];
    if (known) return known;
    const JsonCursor cursor(top_.document(), *net, scope, user.instance());
    auto fresh = std::make_shared<Part>();
    fresh->name = name;
    fresh->net = Group(*this, cursor).read();
    for (auto [which, list] : {std::pair{"start", &fresh->start}, {"end", &fresh->end}}) {
      const JsonCursor names = cursor.need(which);
      names.expect_array(10'000);
      for (std::size_t i = 0; i < names.size(); ++i) list->push_back(names[i].name());
    }
    return parts_[key] = std::move(fresh);
  }

  JsonCursor top_;
  std::map<std::string, std::shared_ptr<const Part>> parts_;
  std::vector<std::string> nesting_;
  std::size_t expanded_ = 0;
};

}  // namespace

Net parse_net_json(std::string_view text, const SourceFile& file) {
  const JsonDocument document = parse_json(text, file);
  Scope scope;
  const std::string outside;
  const JsonCursor unscoped(document, document.root, scope, outside);
  unscoped.expect_object();
  if (unscoped.has("states") || unscoped.has("layers")) return read_state_machine(unscoped);
  unscoped.expect_keys(net_file_keys);
  if (const auto parameters = unscoped.find("parameters")) read_parameters(*parameters, scope);
  const JsonCursor top(document, document.root, scope, outside);
  Net net = NetReader(top).whole();
  if (net.places.empty() && net.transitions.empty()) {
    top.fail("a net has at least one place or transition");
  }
  return net;
}

}  // namespace molejo
