// PNML, the interchange format of Petri nets: ISO/IEC 15909-2:2011, place/transition nets.
//
// Delays, priorities, events and actions stand in <toolspecific tool="molejo">; inhibitor arcs
// have <type value="inhibitor"/>, as PIPE, TINA and others write them.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "molejo/io/markup.h"
#include "molejo/io/net_file.h"
#include "molejo/io/xml.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr const char* grammar = "http://www.pnml.org/version-2009/grammar/pnml";
constexpr const char* pt_net = "http://www.pnml.org/version-2009/grammar/ptnet";
constexpr XmlLimits limits{std::size_t{256} << 20, 8'000'000};
constexpr int max_reference_chain = 1000;

std::string_view trimmed(std::string_view text) {
  const char* blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
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
    net_.name = trimmed(child_text(net, "name"));
    read_page(net);
    add_nodes();
    for (const XmlElement* arc : arcs_) add_arc(*arc);
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
    const XmlElement* text = label == nullptr ? nullptr : label->child("text");
    return text == nullptr ? "" : text->text;
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
      net_.properties.emplace_back(trimmed(property->text));
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
    ++names_[std::string(trimmed(child_text(element, "name")))];
  }

  // The name where it tells nodes apart, else the id.
  std::string name_of(const XmlElement& element, const std::string& id) const {
    const std::string name(trimmed(child_text(element, "name")));
    if (name.empty() || names_.at(name) > 1) return id;
    // another node may have this name as its id and show that
    const auto other = nodes_.find(name);
    return other != nodes_.end() && other->first != id ? id : name;
  }

  void add_nodes() {
    for (const std::string& id : order_) {
      Node& node = nodes_.at(id);
      const XmlElement& e = *node.element;
      guarded(e, [&] {
        if (node.kind == Kind::place) {
          node.index = builder_.add(read_place(e, name_of(e, id))).index;
        } else {
          node.index = builder_.add(read_transition(e, name_of(e, id))).index;
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
      if (const XmlElement* action = own->child("action")) place.action = trimmed(action->text);
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
    if (const XmlElement* event = own->child("event")) transition.event = trimmed(event->text);
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
  std::unordered_map<std::string, int> names_;   // how many nodes have a name
  std::vector<std::string> order_;               // ids of places and transitions
  std::vector<const XmlElement*> arcs_;
};

class PnmlWriter {
 public:
  std::string text(const Net& net) {
    line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    line("<pnml xmlns=\"{}\">", grammar);
    line("<net id=\"net\" type=\"{}\">", pt_net);
    if (!net.name.empty()) line("<name><text>{}</text></name>", escaped(net.name));
    if (!net.properties.empty()) {
      std::string properties;
      for (const std::string& p : net.properties) {
        properties += fmt::format("<property>{}</property>", escaped(p));
      }
      own(properties);
    }
    line("<page id=\"page\">");
    for (std::size_t i = 0; i < net.places.size(); ++i) write(net.places[i], i);
    for (std::size_t i = 0; i < net.transitions.size(); ++i) write(net.transitions[i], i);
    for (std::size_t i = 0; i < net.arcs.size(); ++i) write(net.arcs[i], i);
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

  void write(const Place& p, std::size_t i) {
    line("<place id=\"p{}\"><name><text>{}</text></name>", i + 1, escaped(p.name));
    if (p.tokens > 0) line("<initialMarking><text>{}</text></initialMarking>", p.tokens);
    std::string inside;
    if (p.delay.numerator > 0) inside += "<delay>" + to_string(p.delay) + "</delay>";
    if (!p.action.empty()) inside += "<action>" + escaped(p.action) + "</action>";
    if (p.awaited) inside += "<await/>";
    if (!inside.empty()) own(inside);
    line("</place>");
  }

  void write(const Transition& t, std::size_t i) {
    line("<transition id=\"t{}\"><name><text>{}</text></name>", i + 1, escaped(t.name));
    std::string inside;
    if (t.priority != 1) inside += fmt::format("<priority>{}</priority>", t.priority);
    if (!t.event.empty()) inside += "<event>" + escaped(t.event) + "</event>";
    if (!inside.empty()) own(inside);
    line("</transition>");
  }

  void write(const Arc& a, std::size_t i) {
    const std::string place = fmt::format("p{}", a.place.index + 1);
    const std::string transition = fmt::format("t{}", a.transition.index + 1);
    const bool puts = a.kind == ArcKind::output;
    line("<arc id=\"a{}\" source=\"{}\" target=\"{}\">", i + 1, puts ? transition : place,
         puts ? place : transition);
    if (a.weight != 1) line("<inscription><text>{}</text></inscription>", a.weight);
    if (a.kind == ArcKind::inhibitor) line("<type value=\"inhibitor\"/>");
    if (a.kind == ArcKind::interrupter) own("<kind>interrupter</kind>");
    line("</arc>");
  }

  std::string out_;
};

}  // namespace

Net parse_pnml(std::string_view text, const std::string& file) {
  const XmlElement root = parse_xml(text, file, limits);
  return PnmlReader(root).run();
}

std::string pnml_text(const Net& net) { return PnmlWriter().text(net); }

}  // namespace molejo
