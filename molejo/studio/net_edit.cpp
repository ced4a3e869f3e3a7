#include "molejo/studio/net_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "molejo/math/index.h"
#include "molejo/math/words.h"
#include "molejo/model/error.h"
#include "molejo/net/property.h"

namespace molejo {

namespace {

constexpr std::size_t most_edits = 10'000;
constexpr double farthest = 1e5;  // on the page

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// A property with another name for a place.
std::string renamed(const std::string& text, const std::string& from, const std::string& to) {
  const bool plain = std::all_of(to.begin(), to.end(), is_word) && !(to[0] >= '0' && to[0] <= '9');
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const bool fits = text.compare(i, from.size(), from) == 0;
    const char before = i == 0 ? ' ' : text[i - 1];
    const char after = i + from.size() < text.size() ? text[i + from.size()] : ' ';
    if (fits && before == '\'' && after == '\'') {
      result += to;
      i += from.size();
    } else if (fits && !is_word(before) && !is_word(after)) {
      result += plain ? to : "'" + to + "'";
      i += from.size();
    } else {
      result += text[i++];
    }
  }
  return result;
}

class Editor {
 public:
  Editor(const Net& net, const NetDrawing& drawing) : result_{net, drawing, {}, {}} {
    for (std::size_t i = 0; i < net.places.size(); ++i) {
      result_.place_was.push_back(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < net.transitions.size(); ++i) {
      result_.transition_was.push_back(static_cast<int>(i));
    }
  }

  void apply(const JsonValue& edit) {
    edit_ = &edit;
    if (!edit.is(JsonValue::Kind::object)) throw InputError("expected an object");
    const std::string op = text("op");
    if (op != "move" && op != "arrange") result_.only_drawing = false;
    if (op == "add") return add();
    if (op == "remove") return remove();
    if (op == "rename") return rename();
    if (op == "set") return set();
    if (op == "arc") return arc();
    if (op == "property") return property();
    if (op == "move") return move();
    if (op == "arrange") {
      result_.arrange = true;
      return;
    }
    const std::vector<std::string> known{"add", "remove",   "rename", "set",
                                         "arc", "property", "move",   "arrange"};
    throw InputError(unknown_word("edit", op, known));
  }

  EditedNet take() { return std::move(result_); }

 private:
  Net& net() { return result_.net; }
  const JsonValue* find(const char* key) const { return edit_->find(key); }

  std::string text(const char* key) const {
    const JsonValue* value = find(key);
    if (!value || !value->is(JsonValue::Kind::string)) {
      throw InputError(fmt::format("'{}': expected a text", key));
    }
    return value->text;
  }
  std::int64_t whole(const char* key, std::int64_t least, std::int64_t most) const {
    const JsonValue* value = find(key);
    const bool is_number = value && value->is(JsonValue::Kind::number);
    const bool fits = is_number && value->number >= static_cast<double>(least) &&
                      value->number <= static_cast<double>(most) &&
                      std::floor(value->number) == value->number;
    if (!fits) {
      throw InputError(fmt::format("'{}'{}: expected a whole number from {} to {}", key,
                                   is_number ? fmt::format(" {:g}", value->number) : "", least,
                                   most));
    }
    return static_cast<std::int64_t>(value->number);
  }
  std::string new_name(const char* key) const {
    const std::string name = text(key);
    if (name.empty() || name.size() > max_net_name) {
      throw InputError(fmt::format("'{}': expected 1 to {} bytes", key, max_net_name));
    }
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
    if (std::any_of(name.begin(), name.end(), is_control)) {
      throw InputError(fmt::format("'{}': a name has no control characters", key));
    }
    return name;
  }
  Fraction delay() const {
    const JsonValue& value = *find("delay");
    std::optional<Fraction> delay;
    if (value.is(JsonValue::Kind::number)) delay = exact_fraction(value.number);
    if (value.is(JsonValue::Kind::string)) delay = parse_fraction(value.text);
    if (!delay) {
      throw InputError(fmt::format("'delay' {:.40}: expected seconds like 0.5 or 1/3, not negative",
                                   value.is(JsonValue::Kind::number)
                                       ? fmt::format("{:g}", value.number)
                                       : "'" + value.text + "'"));
    }
    return *delay;
  }
  DrawingPoint point() const {
    DrawingPoint p;
    for (const auto& [key, x] : {std::pair{"x", &p.x}, {"y", &p.y}}) {
      const JsonValue* value = find(key);
      if (!value || !value->is(JsonValue::Kind::number) || !(std::fabs(value->number) < farthest)) {
        throw InputError(fmt::format("'{}': expected a place on the page", key));
      }
      *x = value->number;
    }
    return p;
  }

  bool is_of_place() const {
    if (!find("place") && !find("transition")) {
      throw InputError("expected a 'place' or a 'transition'");
    }
    return find("place") != nullptr;
  }
  PlaceId place() { return NetNames(net()).place(text("place")); }
  TransitionId transition() { return NetNames(net()).transition(text("transition")); }
  void refuse_second(const std::string& name) {
    const NetNames names(net());
    const bool of_place = names.find_place(name).index >= 0;
    if (of_place || names.find_transition(name).index >= 0) {
      throw InputError(
          fmt::format("there is a {} '{}' already", of_place ? "place" : "transition", name));
    }
  }

  void change(Place& p) {
    if (find("delay")) p.delay = delay();
    if (find("tokens")) p.tokens = whole("tokens", 0, max_tokens);
    if (find("action")) p.action = text("action").substr(0, max_net_name);
    if (find("priority")) throw InputError("'priority': only a transition has one");
    if (find("event")) throw InputError("'event': only a transition has one");
  }
  void change(Transition& t) {
    if (find("priority")) t.priority = static_cast<int>(whole("priority", -1'000'000, 1'000'000));
    if (find("event")) t.event = text("event").substr(0, max_net_name);
    if (find("delay")) throw InputError("'delay': only a place has one");
    if (find("tokens")) throw InputError("'tokens': only a place has them");
  }

  void add() {
    const bool of_place = is_of_place();
    // one that is drawn whole stays so
    if (net().places.size() + net().transitions.size() == max_drawn_nodes) {
      throw InputError(fmt::format("at most {} nodes are drawn", max_drawn_nodes));
    }
    const std::string name = new_name(of_place ? "place" : "transition");
    refuse_second(name);
    const DrawingPoint where = find("x") ? point() : DrawingPoint{60, 60};
    if (of_place) {
      Place p{name};
      change(p);
      net().places.push_back(std::move(p));
      result_.place_was.push_back(-1);
      result_.drawing.places.push_back(where);
    } else {
      Transition t{name};
      change(t);
      net().transitions.push_back(std::move(t));
      result_.transition_was.push_back(-1);
      result_.drawing.transitions.push_back(where);
    }
  }

  // Numbers of places change, and what was refined is not what it was any more.
  void forget_parts() {
    net().refined.clear();
    for (Place& p : net().places) p.part = -1;
    for (Transition& t : net().transitions) t.part = -1;
  }

  template <class T>
  static void erase(std::vector<T>& list, int i) {
    list.erase(list.begin() + i);
  }
  void erase_arc(std::size_t i) {
    erase(net().arcs, static_cast<int>(i));
    erase(result_.drawing.bends, static_cast<int>(i));
  }

  void remove() {
    const bool of_place = is_of_place();
    const int node = of_place ? place().index : transition().index;
    for (std::size_t i = net().arcs.size(); i-- > 0;) {
      Arc& a = net().arcs[i];
      int& end = of_place ? a.place.index : a.transition.index;
      if (end == node) {
        erase_arc(i);
      } else if (end > node) {
        --end;
      }
    }
    forget_parts();
    if (of_place) {
      erase(net().places, node);
      erase(result_.place_was, node);
      erase(result_.drawing.places, node);
    } else {
      erase(net().transitions, node);
      erase(result_.transition_was, node);
      erase(result_.drawing.transitions, node);
    }
  }

  void rename() {
    const bool of_place = is_of_place();
    const std::string to = new_name("to");
    const std::string from = text(of_place ? "place" : "transition");
    std::string& name = of_place ? net().places[at(place().index)].name
                                 : net().transitions[at(transition().index)].name;
    if (to == from) return;
    refuse_second(to);
    name = to;
    for (std::string& property : net().properties) property = renamed(property, from, to);
  }

  void set() {
    if (is_of_place()) {
      change(net().places[at(place().index)]);
    } else {
      change(net().transitions[at(transition().index)]);
    }
  }

  void arc() {
    const std::string kind = find("kind") ? text("kind") : "input";
    const std::vector<std::string> known{"input", "output", "inhibitor", "interrupter"};
    const auto word = std::find(known.begin(), known.end(), kind);
    if (word == known.end()) throw InputError(unknown_word("kind of arc", kind, known));
    const Arc arc{static_cast<ArcKind>(word - known.begin()), place(), transition(),
                  find("weight") ? whole("weight", 0, max_tokens) : 1};
    for (std::size_t i = 0; i < net().arcs.size(); ++i) {
      Arc& a = net().arcs[i];
      if (a.kind != arc.kind || a.place != arc.place || a.transition != arc.transition) continue;
      if (arc.weight == 0) return erase_arc(i);
      a.weight = arc.weight;
      return;
    }
    if (arc.weight == 0) throw InputError("there is no such arc");
    net().arcs.push_back(arc);
    result_.drawing.bends.emplace_back();
  }

  void property() {
    const std::string words = text("text");
    std::vector<std::string>& list = net().properties;
    if (find("remove") && find("remove")->boolean) {
      const auto found = std::find(list.begin(), list.end(), words);
      if (found == list.end()) throw InputError(unknown_word("property", words, list));
      list.erase(found);
      return;
    }
    if (list.size() >= 100) throw InputError("at most 100 properties");
    parse_property(words, net());
    list.push_back(words);
  }

  void move() {
    const bool of_place = is_of_place();
    const int node = of_place ? place().index : transition().index;
    NetDrawing& drawing = result_.drawing;
    (of_place ? drawing.places : drawing.transitions)[at(node)] = point();
    for (std::size_t i = 0; i < net().arcs.size(); ++i) {
      const Arc& a = net().arcs[i];
      if ((of_place ? a.place.index : a.transition.index) == node) drawing.bends[i].clear();
    }
  }

  EditedNet result_;
  const JsonValue* edit_ = nullptr;
};

}  // namespace

EditedNet edit_net(const Net& net, const NetDrawing& drawing, const JsonValue& edits) {
  if (!edits.is(JsonValue::Kind::array) || edits.items.empty() || edits.items.size() > most_edits) {
    throw InputError(fmt::format("'edits': expected a list of 1 to {} changes", most_edits));
  }
  Editor editor(net, drawing);
  for (std::size_t i = 0; i < edits.items.size(); ++i) {
    try {
      editor.apply(edits.items[i]);
    } catch (const std::runtime_error& e) {  // InputError, NetError
      throw InputError(edits.items.size() == 1 ? e.what()
                                               : fmt::format("edit {}: {}", i, e.what()));
    }
  }
  return editor.take();
}

void take_edit(const EditedNet& edited, std::vector<Binding>& bindings,
               std::vector<Cause>& causes) {
  const auto new_index = [](const std::vector<int>& was, int node) {
    return static_cast<int>(std::find(was.begin(), was.end(), node) - was.begin());
  };
  const int places = static_cast<int>(edited.place_was.size());
  const int transitions = static_cast<int>(edited.transition_was.size());
  std::vector<Binding> kept;
  std::vector<int> binding_now;
  for (Binding& b : bindings) {
    if (b.when == Binding::When::place) b.node = new_index(edited.place_was, b.node);
    if (b.when == Binding::When::transition) b.node = new_index(edited.transition_was, b.node);
    const bool gone = (b.when == Binding::When::place && b.node == places) ||
                      (b.when == Binding::When::transition && b.node == transitions);
    binding_now.push_back(gone ? -1 : static_cast<int>(kept.size()));
    if (!gone) kept.push_back(std::move(b));
  }
  bindings = std::move(kept);
  std::vector<Cause> left;
  for (Cause& c : causes) {
    const bool of_place = c.effect == Cause::Effect::put || c.effect == Cause::Effect::finish;
    if (of_place) c.place.index = new_index(edited.place_was, c.place.index);
    if (of_place && c.place.index == places) continue;
    if (c.kind == Cause::Kind::walked) c.binding = binding_now[at(c.binding)];
    if (c.kind == Cause::Kind::walked && c.binding < 0) continue;
    left.push_back(std::move(c));
  }
  causes = std::move(left);
}

}  // namespace molejo
