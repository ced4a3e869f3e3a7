// What makes things happen in the net of a show.
#include <fmt/format.h>

#include <algorithm>

#include "molejo/io/show_parts.h"
#include "molejo/math/quoted_list.h"
#include "molejo/math/words.h"

namespace molejo {

ActionReader::ActionReader(const ShowBodies& bodies, const JsonDocument& document,
                           const Scope& parameters)
    : bodies_(bodies), notes_(document) {
  const auto offer = [&](SceneDefinition d) {
    const std::vector<SceneDefinition>& known = bodies_.scene.definitions;
    const auto same = [&](const SceneDefinition& other) {
      return other.name == d.name && other.formula.scope == d.formula.scope;
    };
    if (is_free_name(d.name) && std::none_of(known.begin(), known.end(), same)) {
      offered_.push_back(std::move(d));
    }
  };
  for (const SceneProbe& probe : bodies_.scene.probes) {
    const std::size_t dot = probe.name.rfind('.');
    SceneDefinition d;
    d.name = dot == std::string::npos ? probe.name : probe.name.substr(dot + 1);
    d.formula = probe.formula;
    offer(std::move(d));
  }
  for (std::size_t i = 0; i < parameters.names().size(); ++i) {
    SceneDefinition d;
    d.name = parameters.names()[i];
    d.value = parameters.values()[i];
    offer(std::move(d));
  }
}

void ActionReader::add_condition(const JsonCursor& at, const std::string& name) {
  Surroundings around;
  around.formulas = &notes_;
  if (!is_formula(at)) at.fail("expected a formula, such as \"ball.z < 0.5\"");
  SceneFormula formula = read_formula(at, around);
  define_offered(
      [&](const SceneDefinition& d) { return formula.text.find(d.name) != std::string::npos; });
  bodies_.scene.probes.push_back({name, std::move(formula)});
}

void ActionReader::add_condition(SceneFormula formula, const std::string& name) {
  define_offered([](const SceneDefinition&) { return true; });
  bodies_.scene.probes.push_back({name, std::move(formula)});
}

template <class F>
void ActionReader::define_offered(F&& is_meant) {
  std::erase_if(offered_, [&](const SceneDefinition& d) {
    const bool meant = is_meant(d);
    if (meant) bodies_.scene.definitions.push_back(d);
    return meant;
  });
}

namespace {

class CauseReader {
 public:
  CauseReader(const std::string& file, ActionReader& actions, const NetNames& names, Show& show)
      : file_(file), actions_(actions), names_(names), show_(show) {}

  int read(const JsonCursor& top) {
    if (const auto causes = top.find("causes")) {
      causes->expect_array(10'000);
      for (std::size_t i = 0; i < causes->size(); ++i) read_cause((*causes)[i]);
    }
    read_conditions();
    warn();
    return conditions_;
  }

 private:
  void read_cause(const JsonCursor& at) {
    const std::vector<std::string> keys{"contact", "parting", "least_impulse", "when",
                                        "arrival", "to",      "within",        "at",
                                        "raise",   "hold",    "put",           "finish"};
    at.expect_keys(keys);
    Cause cause;
    const std::string_view kind = at.only_one({"contact", "when", "arrival", "at"});
    if (kind.empty()) at.fail("expected contact, when, arrival or at");
    if (kind == "contact") {
      const JsonCursor pair = at.need("contact");
      pair.expect_array(2);
      if (pair.size() == 0) pair.fail("expected one body or two");
      cause.a = actions_.body(pair[0], -1);
      cause.any = pair.size() == 1;
      if (!cause.any) cause.b = actions_.body(pair[1], -1);
      at.read("parting", cause.parting);
      at.read_between("least_impulse", 0, 1e12, cause.least_impulse);
    } else if (kind == "when") {
      cause.kind = Cause::Kind::condition;
      cause.probe = conditions_;
      actions_.add_condition(at.need("when"), fmt::format("directed_when_{}", ++conditions_));
    } else if (kind == "arrival") {
      cause.kind = Cause::Kind::arrival;
      cause.a = actions_.body(at.need("arrival"), -1);
      cause.target = actions_.target(at.need("to"), -1);
      cause.within = at.need("within").between(0, 1e6);
    } else {
      cause.kind = Cause::Kind::times;
      const JsonCursor times = at.need("at");
      times.expect_array(10'000);
      for (std::size_t i = 0; i < times.size(); ++i) {
        cause.at.push_back(read_fraction(times[i], 0, 100'000));
        if (i > 0 && cause.at[i] < cause.at[i - 1]) times[i].fail("times must not decrease");
      }
    }
    refuse_strangers(at, kind);
    read_effect(at, cause);
    show_.causes.push_back(std::move(cause));
  }

  // Events that begin with "when ", as those of state machines: unless a cause names one, its
  // formula holds it as long as it is true.
  void read_conditions() {
    constexpr std::string_view when = "when ";
    const std::string scope = show_.figures.size() == 1 ? show_.figures[0].name : "";
    for (const std::string& event : unraised_events(show_.net, show_.causes)) {
      if (!event.starts_with(when)) continue;
      Cause cause;
      cause.kind = Cause::Kind::condition;
      cause.effect = Cause::Effect::hold;
      cause.event = event;
      cause.probe = conditions_;
      const std::string place =
          fmt::format("{}: /net: condition of {}", file_, transitions_of(event));
      actions_.add_condition({event.substr(when.size()), scope, place},
                             fmt::format("directed_when_{}", ++conditions_));
      show_.causes.push_back(std::move(cause));
    }
  }

  std::string transitions_of(const std::string& event) const {
    std::vector<std::string> names;
    for (const Transition& t : show_.net.transitions) {
      if (t.event == event) names.push_back(t.name);
    }
    return quoted_list(names);
  }

  // Events that nobody raises are probably misspelt.
  void warn() {
    std::vector<std::string> raised;
    for (const Cause& c : show_.causes) {
      const bool known = std::find(raised.begin(), raised.end(), c.event) != raised.end();
      if (!c.event.empty() && !known) raised.push_back(c.event);
    }
    for (const std::string& event : unraised_events(show_.net, show_.causes)) {
      const std::string near = nearest_word(event, raised);
      const std::string others = !near.empty()
                                     ? fmt::format("did you mean '{}', which one does?", near)
                                 : raised.empty() ? "no cause raises any event"
                                                  : "the causes raise " + quoted_list(raised);
      show_.warnings.push_back(
          fmt::format("{}: no cause raises the event '{}' of {}, which cannot fire; {}", file_,
                      event, transitions_of(event), others));
    }
  }

  // Words of another kind of cause.
  static void refuse_strangers(const JsonCursor& at, std::string_view kind) {
    const auto refuse = [&](const char* key, const char* owner) {
      if (kind == owner) return;
      if (const auto x = at.find(key)) x->fail(fmt::format("belongs to '{}'", owner));
    };
    refuse("parting", "contact");
    refuse("least_impulse", "contact");
    refuse("to", "arrival");
    refuse("within", "arrival");
  }

  void read_effect(const JsonCursor& at, Cause& cause) const {
    const std::string_view effect = at.only_one({"raise", "hold", "put", "finish"});
    if (effect.empty()) at.fail("expected raise, hold, put or finish");
    const JsonCursor word = at.need(effect);
    if (effect == "put" || effect == "finish") {
      cause.effect = effect == "put" ? Cause::Effect::put : Cause::Effect::finish;
      try {
        cause.place = names_.place(word.word());
      } catch (const NetError& error) {
        word.fail(error.what());
      }
      if (effect == "finish" &&
          !show_.net.places[static_cast<std::size_t>(cause.place.index)].awaited) {
        word.fail("this place is not awaited: it ends by its delay");
      }
      return;
    }
    cause.effect = effect == "raise" ? Cause::Effect::raise : Cause::Effect::hold;
    if (effect == "hold" && cause.kind != Cause::Kind::condition &&
        cause.kind != Cause::Kind::arrival) {
      word.fail("only what lasts can be held: 'when' or 'arrival'");
    }
    cause.event = word.word();
    std::vector<std::string> known;
    for (const Transition& t : show_.net.transitions) {
      if (!t.event.empty()) known.push_back(t.event);
    }
    if (std::find(known.begin(), known.end(), cause.event) == known.end()) {
      word.fail(unknown_word("event", cause.event, known));
    }
  }

  const std::string& file_;
  ActionReader& actions_;
  const NetNames& names_;
  Show& show_;
  int conditions_ = 0;
};

}  // namespace

int read_causes(const JsonCursor& top, const std::string& file, ActionReader& actions,
                const NetNames& names, Show& show) {
  return CauseReader(file, actions, names, show).read(top);
}

}  // namespace molejo
