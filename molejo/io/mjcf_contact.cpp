// Which bodies touch. MuJoCo asks every two geoms:
//
//   contype_1 & conaffinity_2 or contype_2 & conaffinity_1
//
// Here bodies with equal masks are a group, and groups that do not touch are a pair with the
// response `none`. What <exclude> names follows, then <pair>, since of several pairs the last
// counts.
#include "molejo/io/mjcf_parts.h"
#include "molejo/io/scene.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

using Masks = std::pair<std::uint32_t, std::uint32_t>;  // contype, conaffinity

bool touch(const Masks& a, const Masks& b) {
  return (a.first & b.second) != 0 || (b.first & a.second) != 0;
}

class ContactReader {
 public:
  explicit ContactReader(MjcfReading& reading) : reading_(reading), scene_(reading.scene) {}

  void read(const std::vector<const XmlElement*>& sections) {
    std::vector<const XmlElement*> excludes, pairs;
    for (const XmlElement* section : sections) {
      for (const XmlElement* e : section->all("exclude")) excludes.push_back(e);
      for (const XmlElement* e : section->all("pair")) pairs.push_back(e);
    }
    // a geom whose masks let it touch nothing may still be named by a pair
    for (const XmlElement* pair : pairs) {
      for (const char* end : {"geom1", "geom2"}) shape(geom(pair->require(end))).collides = true;
    }
    group_bodies();
    for (const XmlElement* exclude : excludes) read_exclude(*exclude);
    for (const XmlElement* pair : pairs) read_pair(*pair);
    if (left_out_ > 0) {
      reading_.warnings.add(std::to_string(left_out_) + " rules of contact beyond the first " +
                            std::to_string(max_contact_pairs) + " were left out");
    }
  }

 private:
  Shape& shape(const MjcfCollider& collider) {
    return scene_.bodies[reading_.body_index.at(collider.body)].shapes[collider.shape];
  }

  const MjcfCollider& geom(const XmlValue& name) {
    const auto found = reading_.geom_index.find(name.text());
    if (found != reading_.geom_index.end()) return reading_.colliders[found->second];
    std::vector<std::string> known;
    for (const auto& entry : reading_.geom_index) known.push_back(entry.first);
    name.fail(unknown_word("geom", shown(name.text()), known));
  }

  // The name of the body here; nothing: the world without geoms.
  std::string body(const XmlValue& name) {
    if (name.text() == "world") return reading_.ground;
    if (reading_.body_index.count(name.text()) != 0) return name.text();
    std::vector<std::string> known;
    for (const auto& entry : reading_.body_index) known.push_back(entry.first);
    name.fail(unknown_word("body", shown(name.text()), known));
  }

  void add(const SceneContactPair& pair) {
    if (scene_.contact_pairs.size() == max_contact_pairs) {
      ++left_out_;
    } else {
      scene_.contact_pairs.push_back(pair);
    }
  }
  void part(const std::string& a, const std::string& b) {
    SceneContactPair pair;
    pair.a = a, pair.b = b, pair.response = Response::none;
    add(pair);
  }

  // The masks of each body that collides.
  std::map<std::string, Masks> masks_of_bodies() {
    std::map<std::string, Masks> masks;
    for (const MjcfCollider& c : reading_.colliders) {
      if (!shape(c).collides) continue;
      const Masks own{c.contype, c.conaffinity};
      const auto [at, is_new] = masks.emplace(c.body, own);
      if (is_new || at->second == own) continue;
      const Masks both{at->second.first | own.first, at->second.second | own.second};
      at->second = both;
      const XmlElement* element = reading_.body_elements[reading_.body_index.at(c.body)];
      const std::string sentence =
          "geoms of one body have different contype or conaffinity: each has those of all";
      if (element != nullptr) {
        reading_.warnings.add(*element, sentence);
      } else {
        reading_.warnings.add(sentence);
      }
    }
    return masks;
  }

  void group_bodies() {
    std::map<Masks, std::vector<std::string>> classes;
    for (const auto& [name, masks] : masks_of_bodies()) classes[masks].push_back(name);
    // a handful of layers is usual; hundreds are no layers any more
    constexpr std::size_t most_classes = 32;
    if (classes.size() > most_classes) {
      reading_.warnings.add("more than " + std::to_string(most_classes) +
                            " different contype and conaffinity were left out: all bodies touch");
      return;
    }
    for (auto a = classes.begin(); a != classes.end(); ++a) {
      for (auto b = a; b != classes.end(); ++b) {
        if (touch(a->first, b->first) || (a == b && a->second.size() < 2)) continue;
        part(group(a->first, a->second), group(b->first, b->second));
      }
    }
  }

  // Gives the bodies their group when it is first needed.
  std::string group(const Masks& masks, const std::vector<std::string>& bodies) {
    std::string name =
        "contype_" + std::to_string(masks.first) + "_conaffinity_" + std::to_string(masks.second);
    while (reading_.body_index.count(name) != 0) name += "_";
    for (const std::string& b : bodies) scene_.bodies[reading_.body_index.at(b)].group = name;
    return name;
  }

  void read_exclude(const XmlElement& element) {
    element.find("name");
    const std::string a = body(element.require("body1")), b = body(element.require("body2"));
    if (!a.empty() && !b.empty()) part(a, b);
  }

  void read_pair(const XmlElement& element) {
    const MjcfElement with_class = reading_.with_defaults(element, MjcfDefaults::main);
    element.find("name");
    const MjcfCollider& a = geom(element.require("geom1"));
    const MjcfCollider& b = geom(element.require("geom2"));
    SceneContactPair pair;
    pair.a = a.body, pair.b = b.body;
    if (const auto friction = with_class.find("friction")) {
      pair.friction = friction->numbers(1, 5)[0];
      if (!(*pair.friction >= 0)) friction->fail("expected zero or more");
    }
    if (with_class.number("condim", 3) == 1) pair.friction = 0;
    for (const MjcfCollider* c : {&a, &b}) {
      const SceneBody& holder = scene_.bodies[reading_.body_index.at(c->body)];
      if (holder.shapes.size() < 2) continue;
      reading_.warnings.add(element, "a <pair> of geoms is one of all shapes of their bodies");
      break;
    }
    add(pair);
  }

  MjcfReading& reading_;
  Scene& scene_;
  std::size_t left_out_ = 0;
};

}  // namespace

void read_mjcf_contact(const std::vector<const XmlElement*>& sections, MjcfReading& reading) {
  ContactReader(reading).read(sections);
}

}  // namespace molejo
