// PNML, the interchange format of Petri nets: ISO/IEC 15909-2:2011, place/transition nets.
//
// Delays, priorities, events and actions stand in <toolspecific tool="molejo">; inhibitor arcs
// have <type value="inhibitor"/>, as PIPE, TINA and others write them.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "molejo/io/markup.h"
#include "molejo/io/net_file.h"
#include "molejo/io/xml.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr const char* grammar = "http://www.pnml.org/version-2009/grammar/pnml";
constexpr const char* pt_net = "http://www.pnml.org/version-2009/grammar/ptnet";
constexpr XmlLimits pnml_limits{std::size_t{256} << 20, 8'000'000};
constexpr int max_reference_chain = 1000;

std::string_view trimmed(std::string_view text) {
  const char* blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// The text of an element; blanks at its ends count where the file says so.
std::string text_of(const XmlElement* element) {
  if (element == nullptr) return {};
  const auto space = element->find("xml:space");
  return space && space->text() == "preserve" ? element->text : std::string(trimmed(element->text));
}
// The same as markup.
std::string marked_up(const char* element, const std::string& text) {
  if (trimmed(text) == text) return fmt::format("<{0}>{1}</{0}>", element, escaped(text));
  // a text of blanks alone would be dropped
  std::string inside = escaped(text);
  if (inside.front() == ' ') inside.replace(0, 1, "&#32;");
  return fmt::format("<{0} xml:space=\"preserve\">{1}</{0}>", element, inside);
}

// The names that nodes with these ids and labels have in a net: the label where it tells the node
// apart from all others, else the id. A label that is shown as an id by another gives way too.
std::vector<std::string> node_names(const std::vector<std::string>& ids,
                                    const std::vector<std::string>& labels) {
  std::unordered_map<std::string, std::vector<std::size_t>> with_label;
  for (std::size_t i = 0; i < labels.size(); ++i) with_label[labels[i]].push_back(i);
  std::vector<std::string> names = labels;
  std::vector<std::size_t> by_id;
  for (const auto& [label, nodes] : with_label) {
    if (label.empty() || nodes.size() > 1) by_id.insert(by_id.end(), nodes.begin(), nodes.end());
  }
  std::vector<std::uint8_t> taken(ids.size(), 0);
  for (const std::size_t i : by_id) taken[i] = 1;
  for (std::size_t k = 0; k < by_id.size(); ++k) {
    names[by_id[k]] = ids[by_id[k]];
    const auto clash = with_label.find(ids[by_id[k]]);
    if (clash == with_label.end()) continue;
    for (const std::size_t i : clash->second) {
      if (taken[i] == 0) by_id.push_back(i);
      taken[i] = 1;
    }
  }
  return names;
}

class PnmlReader {
 public:
  explicit PnmlReader(const XmlElement& root) : root_(root), builder_(net_) {}

  Net run() {
    check_root();
    const std::vector<const XmlElement*> nets = root_.all("net");
    if (nets.empty()) root_.fail("expected a <net>");
    if (nets.size() > 1) nets[1]->fail("a second net; expected one in a file");
    const XmlElement& net = *nets.front();
    const XmlValue type = net.require("type");
    if (type.text() != pt_net) type.fail(fmt::format("expected type=\"{}\"", pt_net));
    net_.name = child_text(net, "name");
    read_page(net);
    add_nodes();
    for (const XmlElement* arc : arcs_) add_arc(*arc);
    if (const XmlElement* own = own_part(net)) read_parts(*own);
    if (net_.places.empty() && net_.transitions.empty()) {
      net.fail("a net has at least one place or transition");
    }
    return std::move(net_);
  }

 private:
  enum class Kind { place, transition, place_reference, transition_reference };
  struct Node {
    Kind kind = Kind::place;
    const XmlElement* element = nullptr;
    int index = -1;  // in the net
  };

  void check_root() const {
    if (root_.name != "pnml") {
      const std::size_t colon = root_.name.find(':');
      const bool prefixed =
          colon != std::string::npos && std::string_view(root_.name).substr(colon + 1) == "pnml";
      root_.fail(prefixed ? "a namespace prefix; expected <pnml xmlns=\"...\">"
                          : "expected <pnml>");
    }
    const XmlValue space = root_.require("xmlns");
    if (space.text() != grammar) space.fail(fmt::format("expected xmlns=\"{}\"", grammar));
  }

  static std::string child_text(const XmlElement& element, const char* name) {
    const XmlElement* label = element.child(name);
    return label == nullptr ? "" : text_of(label->child("text"));
  }

  void read_page(const XmlElement& page) {
    static const std::vector<std::string> known{
        "place", "transition", "arc",      "referencePlace", "referenceTransition",
        "page",  "name",       "graphics", "toolspecific"};
    for (const XmlElement& e : page.children) {
      if (e.name == "page") {
        read_page(e);
      } else if (e.name == "place") {
        remember(e, Kind::place);
      } else if (e.name == "transition") {
        remember(e, Kind::transition);
      } else if (e.name == "referencePlace") {
        remember(e, Kind::place_reference);
      } else if (e.name == "referenceTransition") {
        remember(e, Kind::transition_reference);
      } else if (e.name == "arc") {
        arcs_.push_back(&e);
      } else if (e.name == "toolspecific") {
        if (const XmlElement* own = own_part(page); own == &e) read_properties(e);
      } else if (std::find(known.begin(), known.end(), e.name) == known.end()) {
        e.fail(unknown_word("element", shown(e.name), known));
      }
    }
  }

  void read_properties(const XmlElement& own) {
    for (const XmlElement* property : own.all("property")) {
      net_.properties.push_back(text_of(property));
    }
  }

  // Which places were refined, and what belongs to them.
  void read_parts(const XmlElement& own) {
    const std::vector<const XmlElement*> parts = own.all("refined");
    const auto count = static_cast<std::int64_t>(parts.size());
    for (const XmlElement* part : parts) {
      RefinedPlace r;
      r.name = part->require("name").text();
      if (const auto net = part->find("net")) r.net = net->text();
      if (const auto outer = part->find("part")) {
        const auto before = static_cast<std::int64_t>(net_.refined.size());
        r.part =
            static_cast<int>(whole(*part, outer->text(), 0, std::max<std::int64_t>(0, before - 1)));
        if (before == 0) outer->fail("no refined place comes before");
      }
      for (const auto& [key, list] : {std::pair{"start", &r.start}, {"end", &r.end}}) {
        for (const XmlElement* ref : part->all(key)) {
          const auto found = nodes_.find(text_of(ref));
          if (found == nodes_.end() || found->second.kind != Kind::place) {
            ref->fail("'" + shown(ref->text) + "': no place has this id");
          }
          list->push_back({found->second.index});
        }
      }
      net_.refined.push_back(std::move(r));
    }
    for (const auto& [id, node] : nodes_) {
      const XmlElement* tool = own_part(*node.element);
      const XmlElement* part = tool == nullptr ? nullptr : tool->child("part");
      if (part == nullptr || node.index < 0) continue;
      if (count == 0) part->fail("no place is refined");
      const int number = static_cast<int>(whole(*part, part->text, 0, count - 1));
      if (node.kind == Kind::place) net_.places[static_cast<std::size_t>(node.index)].part = number;
      if (node.kind == Kind::transition) {
        net_.transitions[static_cast<std::size_t>(node.index)].part = number;
      }
    }
  }

  void remember(const XmlElement& element, Kind kind) {
    const XmlValue id = element.require("id");
    if (id.text().empty()) id.fail("expected an id");
    if (id.text().size() > max_net_name) {
      id.fail(
          fmt::format("an id of {} bytes; at most {} are allowed", id.text().size(), max_net_name));
    }
    if (!is_markup_text(id.text()) || !is_markup_text(child_text(element, "name"))) {
      element.fail("its id or name is not UTF-8 text");
    }
    if (!nodes_.emplace(id.text(), Node{kind, &element, -1}).second) {
      id.fail("the id is given twice");
    }
    if (kind != Kind::place && kind != Kind::transition) return;
    order_.push_back(id.text());
    labels_.push_back(child_text(element, "name"));
  }

  void add_nodes() {
    const std::vector<std::string> names = node_names(order_, labels_);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      Node& node = nodes_.at(order_[i]);
      const XmlElement& e = *node.element;
      NodeOrigin origin{order_[i], {}};
      if (names[i] != labels_[i]) origin.label = labels_[i];
      guarded(e, [&] {
        if (node.kind == Kind::place) {
          Place place = read_place(e, names[i]);
          place.origin = std::move(origin);
          node.index = builder_.add(std::move(place)).index;
        } else {
          Transition transition = read_transition(e, names[i]);
          transition.origin = std::move(origin);
          node.index = builder_.add(std::move(transition)).index;
        }
      });
    }
  }

  static const XmlElement* own_part(const XmlElement& element) {
    for (const XmlElement& e : element.children) {
      if (e.name != "toolspecific") continue;
      const auto tool = e.find("tool");
      if (tool && tool->text() == "molejo") return &e;
    }
    return nullptr;
  }

  static std::int64_t whole(const XmlElement& at, std::string_view text, std::int64_t lowest,
                            std::int64_t highest) {
    text = trimmed(text);
    const bool negative = !text.empty() && text.front() == '-';
    const std::string_view digits = text.substr(negative ? 1 : 0);
    std::int64_t value = 0;
    const bool plain = !digits.empty() && digits.size() <= 10 &&
                       digits.find_first_not_of("0123456789") == std::string_view::npos;
    for (const char c : plain ? digits : std::string_view()) value = value * 10 + (c - '0');
    if (negative) value = -value;
    if (plain && value >= lowest && value <= highest) return value;
    at.fail(
        fmt::format("'{}': expected a whole number from {} to {}", shown(text), lowest, highest));
  }

  static Place read_place(const XmlElement& e, std::string name) {
    Place place{.name = std::move(name)};
    if (const XmlElement* marking = e.child("initialMarking")) {
      place.tokens = whole(*marking, child_text(e, "initialMarking"), 0, max_tokens);
    }
    if (const XmlElement* own = own_part(e)) {
      if (const XmlElement* delay = own->child("delay")) {
        const auto seconds = parse_fraction(trimmed(delay->text));
        if (!seconds) delay->fail("'" + shown(trimmed(delay->text)) + "': expected seconds");
        place.delay = *seconds;
      }
      if (const XmlElement* action = own->child("action")) place.action = text_of(action);
      place.awaited = own->child("await") != nullptr;
    }
    if (!place.action.empty() && place.delay == Fraction() && !place.awaited) {
      e.fail("an action needs a <delay> or <await/>");
    }
    return place;
  }

  static Transition read_transition(const XmlElement& e, std::string name) {
    Transition transition{.name = std::move(name)};
    const XmlElement* own = own_part(e);
    if (own == nullptr) return transition;
    if (const XmlElement* priority = own->child("priority")) {
      transition.priority =
          static_cast<int>(whole(*priority, priority->text, -max_tokens, max_tokens));
    }
    if (const XmlElement* event = own->child("event")) transition.event = text_of(event);
    return transition;
  }

  // The node at an end of an arc, through references.
  const Node& end_of(const XmlElement& arc, const char* which) const {
    XmlValue at = arc.require(which);
    for (int i = 0; i < max_reference_chain; ++i) {
      const auto found = nodes_.find(at.text());
      if (found == nodes_.end()) at.fail("no node has this id");
      const Node& node = found->second;
      if (node.kind == Kind::place || node.kind == Kind::transition) return node;
      at = node.element->require("ref");
      const auto next = nodes_.find(at.text());
      const auto is_place = [](Kind k) { return k == Kind::place || k == Kind::place_reference; };
      if (next != nodes_.end() && is_place(next->second.kind) != is_place(node.kind)) {
        at.fail("a reference to a node of the other kind");
      }
    }
    at.fail("references that lead nowhere");
  }

  static ArcKind kind_of(const XmlElement& arc) {
    if (const XmlElement* type = arc.child("type")) {
      const std::vector<std::string> words{"normal", "inhibitor"};
      if (type->require("value").word("arc type", words) == 1) return ArcKind::inhibitor;
    }
    const XmlElement* own = own_part(arc);
    const XmlElement* kind = own == nullptr ? nullptr : own->child("kind");
    if (kind == nullptr) return ArcKind::input;
    if (trimmed(kind->text) != "interrupter") {
      kind->fail("'" + shown(kind->text) + "': expected interrupter");
    }
    return ArcKind::interrupter;
  }

  void add_arc(const XmlElement& arc) {
    const Node& source = end_of(arc, "source");
    const Node& target = end_of(arc, "target");
    if (source.kind == target.kind) {
      arc.fail(
          fmt::format("from a {0} to a {0}", source.kind == Kind::place ? "place" : "transition"));
    }
    const bool takes = source.kind == Kind::place;
    const ArcKind kind = kind_of(arc);
    if (!takes && kind != ArcKind::input) arc.fail("only arcs from a place may be of this kind");
    std::int64_t weight = 1;
    if (arc.child("inscription") != nullptr) {
      weight = whole(arc, child_text(arc, "inscription"), 1, max_tokens);
    }
    guarded(arc, [&] {
      builder_.join(takes ? kind : ArcKind::output, {takes ? source.index : target.index},
                    {takes ? target.index : source.index}, weight);
    });
  }

  template <class F>
  static void guarded(const XmlElement& at, F&& f) {
    try {
      f();
    } catch (const NetError& error) {
      at.fail(error.what());
    }
  }

  const XmlElement& root_;
  Net net_;
  NetBuilder builder_;
  std::unordered_map<std::string, Node> nodes_;  // by id
  std::vector<std::string> order_, labels_;      // ids and names of places and transitions
  std::vector<const XmlElement*> arcs_;
};

class PnmlWriter {
 public:
  explicit PnmlWriter(const Net& net) : net_(net) {
    choose_ids();
    choose_labels();
  }

  std::string text() {
    line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    line("<pnml xmlns=\"{}\">", grammar);
    line("<net id=\"{}\" type=\"{}\">", fresh("net"), pt_net);
    if (!net_.name.empty()) line("<name>{}</name>", marked_up("text", net_.name));
    write_own();
    line("<page id=\"{}\">", fresh("page"));
    for (std::size_t i = 0; i < net_.places.size(); ++i) write(net_.places[i], i);
    for (std::size_t i = 0; i < net_.transitions.size(); ++i) write(net_.transitions[i], i);
    for (std::size_t i = 0; i < net_.arcs.size(); ++i) write(net_.arcs[i], i);
    line("</page>\n</net>\n</pnml>");
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<Args>(args)...);
    out_ += '\n';
  }
  void own(const std::string& inside) {
    line("<toolspecific tool=\"molejo\" version=\"1\">{}</toolspecific>", inside);
  }

  // An id that nobody has.
  std::string fresh(std::string id) {
    while (!used_.insert(id).second) id += "_";
    return id;
  }

  // Those that the nodes had, places before transitions.
  void choose_ids() {
    const auto take = [&](const NodeOrigin& origin) {
      const bool own_id = !origin.id.empty() && used_.insert(origin.id).second;
      ids_.push_back(own_id ? origin.id : "");
    };
    for (const Place& p : net_.places) take(p.origin);
    for (const Transition& t : net_.transitions) take(t.origin);
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const bool of_place = i < net_.places.size();
      const std::size_t number = of_place ? i + 1 : i + 1 - net_.places.size();
      if (ids_[i].empty()) ids_[i] = fresh((of_place ? "p" : "t") + std::to_string(number));
    }
  }

  // Those that the nodes had, as long as they lead to their names again; else the names.
  void choose_labels() {
    std::vector<std::string> names;
    const auto take = [&](const auto& node) {
      names.push_back(node.name);
      labels_.push_back(node.origin.label.value_or(node.name));
    };
    for (const Place& p : net_.places) take(p);
    for (const Transition& t : net_.transitions) take(t);
    if (node_names(ids_, labels_) != names) labels_ = names;
  }

  void write_own() {
    std::string inside;
    for (const std::string& p : net_.properties) inside += marked_up("property", p);
    for (const RefinedPlace& r : net_.refined) {
      inside += fmt::format("<refined name=\"{}\" net=\"{}\"", escaped(r.name), escaped(r.net));
      if (r.part >= 0) inside += fmt::format(" part=\"{}\"", r.part);
      inside += ">";
      for (const auto& [key, list] : {std::pair{"start", &r.start}, {"end", &r.end}}) {
        for (const PlaceId p : *list) {
          if (p.index >= 0) inside += marked_up(key, ids_[static_cast<std::size_t>(p.index)]);
        }
      }
      inside += "</refined>";
    }
    if (!inside.empty()) own(inside);
  }

  static std::string part_of(int part) {
    return part < 0 ? "" : fmt::format("<part>{}</part>", part);
  }

  void write(const Place& p, std::size_t i) {
    line("<place id=\"{}\"><name>{}</name>", escaped(ids_[i]), marked_up("text", labels_[i]));
    if (p.tokens > 0) line("<initialMarking><text>{}</text></initialMarking>", p.tokens);
    std::string inside;
    if (p.delay.numerator > 0) inside += "<delay>" + to_string(p.delay) + "</delay>";
    if (!p.action.empty()) inside += marked_up("action", p.action);
    if (p.awaited) inside += "<await/>";
    inside += part_of(p.part);
    if (!inside.empty()) own(inside);
    line("</place>");
  }

  void write(const Transition& t, std::size_t i) {
    const std::size_t node = net_.places.size() + i;
    line("<transition id=\"{}\"><name>{}</name>", escaped(ids_[node]),
         marked_up("text", labels_[node]));
    std::string inside;
    if (t.priority != 1) inside += fmt::format("<priority>{}</priority>", t.priority);
    if (!t.event.empty()) inside += marked_up("event", t.event);
    inside += part_of(t.part);
    if (!inside.empty()) own(inside);
    line("</transition>");
  }

  void write(const Arc& a, std::size_t i) {
    const std::string place = escaped(ids_[static_cast<std::size_t>(a.place.index)]);
    const std::string transition =
        escaped(ids_[net_.places.size() + static_cast<std::size_t>(a.transition.index)]);
    const bool puts = a.kind == ArcKind::output;
    line("<arc id=\"{}\" source=\"{}\" target=\"{}\">", fresh("a" + std::to_string(i + 1)),
         puts ? transition : place, puts ? place : transition);
    if (a.weight != 1) line("<inscription><text>{}</text></inscription>", a.weight);
    if (a.kind == ArcKind::inhibitor) line("<type value=\"inhibitor\"/>");
    if (a.kind == ArcKind::interrupter) own("<kind>interrupter</kind>");
    line("</arc>");
  }

  const Net& net_;
  std::unordered_set<std::string> used_;
  std::vector<std::string> ids_, labels_;  // of places, then of transitions
  std::string out_;
};

}  // namespace

Net parse_pnml(std::string_view text, const std::string& file) {
  const XmlElement root = parse_xml(text, file, pnml_limits);
  return PnmlReader(root).run();
}

std::string pnml_text(const Net& net) { return PnmlWriter(net).text(); }

}  // namespace molejo
