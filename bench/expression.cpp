#include "bench/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/table.h"
#include "molejo/math/expression.h"
#ifdef BENCH_MUPARSER
#include <muParser.h>
#endif

namespace bench {

namespace {

using molejo::ExpressionProgram;
using molejo::ExpressionWorkspace;

struct Task {
  std::string name;
  std::vector<std::string> formulas;
};

std::vector<Task> tasks() {
  std::vector<Task> all{
      {"spring, damper, drive", {"-k*(x - x0) - d*v + F*sin(w*t + p)"}},
      {"sums and products", {"a*x + b*y - c*(x - y) + 2*x*y - 0.5"}},
      {"quotients", {"(a + b)*(a - b)/(x + 3) + (y - 2)*(c + 1)*x"}},
      {"gravitation", {"-k*x/(x*x + y*y + v*v)/sqrt(x*x + y*y + v*v)"}},
      {"condition", {"x > a ? k*(x - a) + d*v : c*(a - x) - d*y"}},
  };
  // as many forces as bodies have in a scene, each with names of its own
  Task many{"300 springs", {}};
  for (int i = 0; i < 300; ++i) {
    many.formulas.push_back(fmt::format("-k*(x{0} - x0) - d*v{0} + F*(w*t + p)*(x{0} - v{0})", i));
  }
  all.push_back(many);
  return all;
}

// Every name that occurs, with a value.
class TaskNames : public molejo::Names {
 public:
  TaskNames() {
    for (const char* name : {"k", "x", "x0", "d", "v", "F", "w", "t", "p", "a", "b", "c", "y"}) {
      add(name);
    }
    for (int i = 0; i < 300; ++i) add(fmt::format("x{}", i)), add(fmt::format("v{}", i));
  }
  std::optional<molejo::Symbol> find(std::string_view name) const override {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return molejo::Symbol{.slot = static_cast<std::uint32_t>(found - names.begin())};
  }
  std::vector<std::string> all() const override { return names; }

  std::vector<std::string> names;
  std::vector<double> values;

 private:
  void add(const std::string& name) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    names.push_back(name);
    values.push_back(0.3 + 0.37 * static_cast<double>(names.size() % 17));
  }
};

// one of all values is read and one changes, so that nothing can be left out
class Entry {
 public:
  Entry(const Task& task, TaskNames& names) : names_(names) {
    std::vector<molejo::Formula> outputs;
    for (const std::string& formula : task.formulas) outputs.push_back({.text = formula});
    program_ = molejo::compile({}, outputs, names);
    work_ = ExpressionWorkspace(program_);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      parts_.push_back(molejo::part_of(program_, {&k, 1}));
    }
  }
  double run(int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
      names_.values[1] += 1e-9;
      molejo::evaluate(program_, names_.values.data(), work_);
      sum += molejo::output(program_, 0, work_);
    }
    return sum;
  }
  double run_with_gradients(int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
      names_.values[1] += 1e-9;
      molejo::evaluate(program_, names_.values.data(), work_);
      for (const ExpressionProgram& part : parts_) sum += molejo::gradient(part, 0, 0, work_)[0];
    }
    return sum;
  }
  int operations() const { return static_cast<int>(program_.code.size()); }
  std::vector<double> values() {
    molejo::evaluate(program_, names_.values.data(), work_);
    std::vector<double> all;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      all.push_back(molejo::output(program_, k, work_));
    }
    return all;
  }

 private:
  TaskNames& names_;
  ExpressionProgram program_;
  ExpressionWorkspace work_;
  std::vector<ExpressionProgram> parts_;
};

#ifdef BENCH_MUPARSER
class MuParserEntry {
 public:
  MuParserEntry(const Task& task, TaskNames& names)
      : names_(names), parsers_(task.formulas.size()) {
    for (std::size_t k = 0; k < parsers_.size(); ++k) {
      for (std::size_t i = 0; i < names.names.size(); ++i) {
        // only what occurs: its table of names is a map
        if (task.formulas[k].find(names.names[i]) != std::string::npos) {
          parsers_[k].DefineVar(names.names[i], &names.values[i]);
        }
      }
      parsers_[k].SetExpr(task.formulas[k]);
      parsers_[k].Eval();  // compiles
    }
  }
  double run(int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
      names_.values[1] += 1e-9;
      for (mu::Parser& parser : parsers_) sum += parser.Eval();
    }
    return sum;
  }
  std::vector<double> values() {
    std::vector<double> all;
    for (mu::Parser& parser : parsers_) all.push_back(parser.Eval());
    return all;
  }

 private:
  TaskNames& names_;
  std::vector<mu::Parser> parsers_;
};
#endif

volatile double sink = 0;

template <class Run>
void keep_best(double& best, int count, double unit, Run run) {
  const double took = unit * microseconds([&] { sink = run(); }) / count;
  if (best == 0 || took < best) best = took;
}

std::string compare(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::fabs(a[i] - b[i]) <= 1e-13 * (1 + std::fabs(b[i])))) {
      return fmt::format("formula {}: {} and {}", i, a[i], b[i]);
    }
  }
  return "";
}

ExpressionRace race(const Task& task, const Effort& effort) {
  TaskNames names;
  ExpressionRace result{.name = task.name, .formulas = static_cast<int>(task.formulas.size())};
  Entry molejo(task, names);
  result.operations = molejo.operations();
  const int count = std::max(1, 4000 / result.formulas);
  const int passes = effort.rounds * effort.passes * 10;
#ifdef BENCH_MUPARSER
  MuParserEntry muparser(task, names);
  result.complaint = compare(molejo.values(), muparser.values());
  result.muparser = result.muparser_compilation = 0;
#endif
  for (int pass = 0; pass < passes; ++pass) {
    keep_best(result.molejo, count, 1e3, [&] { return molejo.run(count); });
    keep_best(result.gradient, count, 1e3, [&] { return molejo.run_with_gradients(count); });
    if (pass % 10 == 0) {
      keep_best(result.compilation, 1, 1, [&] { return Entry(task, names).operations(); });
    }
#ifdef BENCH_MUPARSER
    keep_best(*result.muparser, count, 1e3, [&] { return muparser.run(count); });
    if (pass % 10 == 0) {
      keep_best(*result.muparser_compilation, 1, 1,
                [&] { return MuParserEntry(task, names).run(1); });
    }
#endif
  }
  return result;
}

}  // namespace

std::vector<ExpressionRace> race_expressions(const Effort& effort) {
  std::vector<ExpressionRace> races;
  for (const Task& task : tasks()) races.push_back(race(task, effort));
  return races;
}

std::string expression_text(const std::vector<ExpressionRace>& races) {
  if (races.empty()) return "";
  std::vector<Row> rows{{"formula", "operations", "Molejo, ns", "with gradient, ns", "muParser, ns",
                         "compiled, us", "muParser's, us", "same value"}};
  for (const ExpressionRace& r : races) {
    rows.push_back({r.name, std::to_string(r.operations), three_digits(r.molejo),
                    three_digits(r.gradient), three_digits(r.muparser), three_digits(r.compilation),
                    three_digits(r.muparser_compilation),
                    r.complaint.empty() ? "yes" : r.complaint});
  }
  return "\n## Formulas\n\nOne evaluation of everything; the best pass.\n\n" + table(rows);
}

std::string expression_json(const std::vector<ExpressionRace>& races) {
  nlohmann::json out = nlohmann::json::array();
  for (const ExpressionRace& r : races) {
    nlohmann::json row{{"formula", r.name},
                       {"operations", r.operations},
                       {"nanoseconds", r.molejo},
                       {"nanoseconds_with_gradient", r.gradient},
                       {"microseconds_compilation", r.compilation}};
    if (r.muparser) row["nanoseconds_muparser"] = *r.muparser;
    out.push_back(row);
  }
  return out.dump();
}

}  // namespace bench
