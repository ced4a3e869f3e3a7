#include "tests/net/known_nets.h"

#include <sstream>

namespace molejo::test {

namespace {

// Places and transitions by their names: rule("t", "a b", "c") fires t: a + b -> c.
class Sketch {
 public:
  explicit Sketch(std::string name) : builder_(net_) { net_.name = std::move(name); }

  void place(const std::string& name, std::int64_t tokens = 0) {
    builder_.add(Place{.name = name, .tokens = tokens});
  }
  void rule(const std::string& name, const std::string& takes, const std::string& puts) {
    const TransitionId t = builder_.add(Transition{.name = name});
    std::string word;
    for (std::istringstream in(takes); in >> word;) {
      builder_.connect(ArcKind::input, builder_.names().place(word), t);
    }
    for (std::istringstream out(puts); out >> word;) {
      builder_.connect(ArcKind::output, builder_.names().place(word), t);
    }
  }
  Net net() { return std::move(net_); }

 private:
  Net net_;
  NetBuilder builder_;
};

}  // namespace

Net kanban(int n) {
  Sketch s("Kanban " + std::to_string(n));
  for (const char* cell : {"1", "2", "3", "4"}) {
    const std::string c = cell;
    s.place("kanban" + c, n);
    s.place("machine" + c);
    s.place("back" + c);
    s.place("out" + c);
    s.rule("good" + c, "machine" + c, "out" + c);
    s.rule("bad" + c, "machine" + c, "back" + c);
    s.rule("redo" + c, "back" + c, "machine" + c);
  }
  s.rule("enter", "kanban1", "machine1");
  s.rule("split", "out1 kanban2 kanban3", "kanban1 machine2 machine3");
  s.rule("join", "out2 out3 kanban4", "kanban2 kanban3 machine4");
  s.rule("leave", "out4", "kanban4");
  return s.net();
}

Net flexible_manufacturing(int n) {
  Sketch s("FMS " + std::to_string(n));
  // parts 1 and 2 are machined, then shipped or joined to a part 12; part 3 shares machine 2
  for (const char* part : {"1", "2"}) {
    const std::string p = part;
    s.place("P" + p, n);
    for (const char* stage : {"waits", "machined", "done", "shipped", "pairs"}) {
      s.place("P" + p + stage);
    }
    s.place("M" + p, p == "1" ? 3 : 1);
    s.rule("load" + p, "P" + p, "P" + p + "waits");
    s.rule("begin" + p, "P" + p + "waits M" + p, "P" + p + "machined");
    s.rule("end" + p, "P" + p + "machined", "P" + p + "done M" + p);
    s.rule("ship" + p, "P" + p + "done", "P" + p + "shipped");
    s.rule("pair" + p, "P" + p + "done", "P" + p + "pairs");
    s.rule("again" + p, "P" + p + "shipped", "P" + p);
  }
  s.place("P3", n);
  s.place("P3machined");
  s.place("P3shipped");
  s.rule("begin3", "P3", "P3machined");
  s.rule("end3", "P3machined M2", "P3shipped M2");
  s.rule("again3", "P3shipped", "P3");
  for (const char* stage : {"", "waits", "machined", "shipped"}) {
    s.place(std::string("P12") + stage);
  }
  s.place("M3", 2);
  s.rule("join", "P1pairs P2pairs", "P12");
  s.rule("load12", "P12", "P12waits");
  s.rule("begin12", "P12waits M3", "P12machined");
  s.rule("end12", "P12machined", "P12shipped M3");
  s.rule("again12", "P12shipped", "P1 P2");
  return s.net();
}

Net mapk(int n) {
  Sketch s("MAPK " + std::to_string(n));
  // n = 8 is the published start
  const std::pair<const char*, int> start[] = {{"RasGTP", 1}, {"Raf", 4},    {"MEK", 2},
                                               {"ERK", 3},    {"Phase1", 3}, {"Phase2", 2},
                                               {"Phase3", 3}};
  for (const auto& [name, tokens] : start) s.place(name, tokens * n / 4);
  for (const char* name : {"RafP", "MEKP", "MEKPP", "ERKP", "ERKPP"}) s.place(name);
  // enzyme + substrate <-> complex -> enzyme + product
  const auto catalysis = [&](const std::string& from, const std::string& enzyme,
                             const std::string& to) {
    const std::string both = from + "_" + enzyme;
    s.place(both);
    s.rule("bind_" + both, from + " " + enzyme, both);
    s.rule("free_" + both, both, from + " " + enzyme);
    s.rule("make_" + both, both, to + " " + enzyme);
  };
  catalysis("Raf", "RasGTP", "RafP");
  catalysis("RafP", "Phase1", "Raf");
  catalysis("MEK", "RafP", "MEKP");
  catalysis("MEKP", "RafP", "MEKPP");
  catalysis("MEKP", "Phase2", "MEK");
  catalysis("MEKPP", "Phase2", "MEKP");
  catalysis("ERK", "MEKPP", "ERKP");
  catalysis("ERKP", "MEKPP", "ERKPP");
  catalysis("ERKP", "Phase3", "ERK");
  catalysis("ERKPP", "Phase3", "ERKP");
  return s.net();
}

Net philosophers(int n) {
  Sketch s("Philosophers " + std::to_string(n));
  const auto named = [](const char* what, int i) { return what + std::to_string(i); };
  for (int i = 0; i < n; ++i) {
    s.place(named("think", i), 1);
    s.place(named("left", i));
    s.place(named("right", i));
    s.place(named("eat", i));
    s.place(named("fork", i), 1);
  }
  for (int i = 0; i < n; ++i) {
    const std::string own = named("fork", i), other = named("fork", (i + 1) % n);
    s.rule(named("take_left", i), named("think", i) + " " + own, named("left", i));
    s.rule(named("take_right", i), named("think", i) + " " + other, named("right", i));
    s.rule(named("then_right", i), named("left", i) + " " + other, named("eat", i));
    s.rule(named("then_left", i), named("right", i) + " " + own, named("eat", i));
    s.rule(named("stop", i), named("eat", i), named("think", i) + " " + own + " " + other);
  }
  return s.net();
}

}  // namespace molejo::test
