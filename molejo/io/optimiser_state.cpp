#include "molejo/io/optimiser_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "molejo/io/file.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr int largest_count = 1'000'000'000;
constexpr double largest_whole = 9007199254740992.0;  // 2^53
constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

// writing

JsonValue real(double x) {
  if (std::isfinite(x)) return x;
  return std::string(std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

template <class Range>
JsonValue reals(const Range& range) {
  JsonValue list = JsonValue::array();
  for (const double x : range) list.items.push_back(real(x));
  return list;
}

JsonValue word(std::uint64_t x) { return fmt::format("0x{:016x}", x); }

// evaluations; the largest stands for no bound
JsonValue limit_json(std::int64_t x) {
  return x == no_limit ? JsonValue() : JsonValue(static_cast<double>(x));
}

JsonValue columns(const MatX& M, bool lower_only) {
  JsonValue list = JsonValue::array();
  for (Eigen::Index j = 0; j < M.cols(); ++j) {
    for (Eigen::Index i = lower_only ? j : 0; i < M.rows(); ++i)
      list.items.push_back(real(M(i, j)));
  }
  return list;
}

JsonValue to_json(const Random& random) {
  JsonValue object = JsonValue::object();
  JsonValue& words = object.add("words", JsonValue::array());
  for (const std::uint64_t w : random.words) words.items.push_back(word(w));
  if (random.has_spare) object.add("spare", real(random.spare));
  return object;
}

const std::vector<std::string> weight_words = {"classic", "positive", "active"};
const std::vector<std::string> kind_words = {"ipop", "bipop"};

JsonValue to_json(const CmaSettings& s) {
  JsonValue object = JsonValue::object();
  object.add("population", static_cast<double>(s.population));
  object.add("sigma", real(s.sigma));
  object.add("weights", weight_words[static_cast<std::size_t>(s.weights)]);
  object.add("diagonal", JsonValue::of(s.diagonal));
  object.add("seed", word(s.seed));
  object.add("target", real(s.target));
  object.add("tol_x", real(s.tol_x));
  object.add("tol_fun", real(s.tol_fun));
  object.add("condition", real(s.condition));
  object.add("stagnation", JsonValue::of(s.stagnation));
  object.add("max_generations", static_cast<double>(s.max_generations));
  object.add("max_evaluations", limit_json(s.max_evaluations));
  return object;
}

JsonValue to_json(const MultiplierSettings& s) {
  JsonValue object = JsonValue::object();
  object.add("cma", to_json(s.cma));
  object.add("tolerance", reals(s.tolerance));
  object.add("scaled", JsonValue::of(s.scaled));
  object.add("penalty", real(s.penalty));
  object.add("runs", static_cast<double>(s.runs));
  object.add("sigma_decay", real(s.sigma_decay));
  object.add("sigma_floor", real(s.sigma_floor));
  object.add("run_0_until_easy", JsonValue::of(s.run_0_until_easy));
  object.add("penalty_in_run_0", JsonValue::of(s.penalty_in_run_0));
  object.add("stop_at_first", JsonValue::of(s.stop_at_first));
  object.add("max_evaluations", limit_json(s.max_evaluations));
  return object;
}

JsonValue to_json(const RestartSettings& s) {
  JsonValue object = JsonValue::object();
  object.add("cma", to_json(s.cma));
  object.add("kind", kind_words[static_cast<std::size_t>(s.kind)]);
  object.add("restarts", static_cast<double>(s.restarts));
  object.add("growth", real(s.growth));
  object.add("max_evaluations", limit_json(s.max_evaluations));
  return object;
}

// reading

enum class Allow { finite, infinite, anything };

double read_real(const JsonCursor& at, Allow allow = Allow::finite) {
  if (at.value().is(JsonValue::Kind::number)) return at.value().number;
  if (at.is_string() && allow != Allow::finite) {
    if (at.text() == "inf") return std::numeric_limits<double>::infinity();
    if (at.text() == "-inf") return -std::numeric_limits<double>::infinity();
    if (at.text() == "nan" && allow == Allow::anything) {
      return std::numeric_limits<double>::quiet_NaN();
    }
  }
  at.fail(allow == Allow::finite ? "expected a number" : "expected a number, \"inf\" or \"-inf\"");
}

double read_positive(const JsonCursor& at) {
  const double x = read_real(at);
  if (!(x > 0)) at.fail("expected a positive number");
  return x;
}

int read_whole(const JsonCursor& at, int lowest, int highest) {
  const double x = read_real(at);
  if (!(x >= lowest && x <= highest) || x != std::floor(x)) {
    at.fail(fmt::format("expected a whole number from {} to {}", lowest, highest));
  }
  return static_cast<int>(x);
}

std::vector<double> read_list(const JsonCursor& at, std::size_t size, Allow allow = Allow::finite) {
  if (!at.is_array() || at.size() != size) {
    at.fail(fmt::format("expected a list of {} numbers", size));
  }
  std::vector<double> list(size);
  for (std::size_t i = 0; i < size; ++i) list[i] = read_real(at[i], allow);
  return list;
}

VecX read_vector(const JsonCursor& at, Eigen::Index size, Allow allow = Allow::finite) {
  const std::vector<double> list = read_list(at, static_cast<std::size_t>(size), allow);
  return Eigen::Map<const VecX>(list.data(), size);
}

std::int64_t read_count(const JsonCursor& at) {
  if (at.is_null()) return no_limit;
  const double x = read_real(at);
  if (!(x >= 0) || x > largest_whole || x != std::floor(x)) {
    at.fail("expected a whole number that is not negative, or null");
  }
  return static_cast<std::int64_t>(x);
}

std::uint64_t read_word(const JsonCursor& at) {
  const std::string text = at.is_string() ? at.text() : "";
  constexpr std::string_view digits = "0123456789abcdef";
  std::uint64_t x = 0;
  bool good = text.size() == 18 && text.compare(0, 2, "0x") == 0;
  for (std::size_t i = 2; good && i < text.size(); ++i) {
    const std::size_t digit = digits.find(text[i]);
    good = digit != std::string_view::npos;
    x = x << 4 | digit;
  }
  if (!good) at.fail("expected \"0x\" and 16 hexadecimal digits");
  return x;
}

int read_saved_choice(const JsonCursor& at, std::string_view kind,
                      std::span<const std::string> words) {
  const std::string text = at.is_string() ? at.text() : "";
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) at.fail(unknown_word(kind, text, words));
  return static_cast<int>(found - words.begin());
}

// the names of an enumeration whose members are numbered from 0 to `last`
template <class Enum>
std::vector<std::string> names_up_to(Enum last) {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) names.emplace_back(name(static_cast<Enum>(i)));
  return names;
}

Random read_random(const JsonCursor& at) {
  at.expect_object();
  Random random(1);
  const JsonCursor words = at.need("words");
  if (!words.is_array() || words.size() != random.words.size()) words.fail("expected four words");
  bool any = false;
  for (std::size_t i = 0; i < random.words.size(); ++i) {
    random.words[i] = read_word(words[i]);
    any = any || random.words[i] != 0;
  }
  if (!any) words.fail("expected a word that is not zero");
  random.has_spare = at.has("spare");
  if (random.has_spare) random.spare = read_real(at.need("spare"));
  return random;
}

CmaSettings read_cma_settings(const JsonCursor& at) {
  at.expect_object();
  CmaSettings s;
  const JsonCursor population = at.need("population");
  s.population = read_whole(population, 0, 1 << 20);
  if (s.population == 1) population.fail("expected 0, or 2 and more");
  s.sigma = read_positive(at.need("sigma"));
  s.weights = static_cast<CmaWeights>(
      read_saved_choice(at.need("weights"), "kind of weights", weight_words));
  s.diagonal = at.need("diagonal").boolean();
  s.seed = read_word(at.need("seed"));
  s.target = read_real(at.need("target"), Allow::infinite);
  s.tol_x = read_real(at.need("tol_x"));
  s.tol_fun = read_real(at.need("tol_fun"));
  s.condition = read_positive(at.need("condition"));
  s.stagnation = at.need("stagnation").boolean();
  s.max_generations = read_whole(at.need("max_generations"), 0, largest_count);
  s.max_evaluations = read_count(at.need("max_evaluations"));
  return s;
}

MultiplierSettings read_multiplier_settings(const JsonCursor& at) {
  at.expect_object();
  MultiplierSettings s;
  s.cma = read_cma_settings(at.need("cma"));
  const JsonCursor tolerance = at.need("tolerance");
  s.tolerance = read_list(tolerance, tolerance.size());
  for (std::size_t i = 0; i < s.tolerance.size(); ++i) read_positive(tolerance[i]);
  s.scaled = at.need("scaled").boolean();
  s.penalty = read_real(at.need("penalty"));
  s.runs = read_whole(at.need("runs"), 0, largest_count);
  s.sigma_decay = read_positive(at.need("sigma_decay"));
  s.sigma_floor = read_positive(at.need("sigma_floor"));
  s.run_0_until_easy = at.need("run_0_until_easy").boolean();
  s.penalty_in_run_0 = at.need("penalty_in_run_0").boolean();
  s.stop_at_first = at.need("stop_at_first").boolean();
  s.max_evaluations = read_count(at.need("max_evaluations"));
  return s;
}

RestartSettings read_restart_settings(const JsonCursor& at) {
  at.expect_object();
  RestartSettings s;
  s.cma = read_cma_settings(at.need("cma"));
  if (s.cma.population == 0) at.need("cma").need("population").fail("expected 2 and more");
  s.kind =
      static_cast<RestartKind>(read_saved_choice(at.need("kind"), "kind of restarts", kind_words));
  s.restarts = read_whole(at.need("restarts"), 0, 1000);
  const JsonCursor growth = at.need("growth");
  s.growth = read_real(growth);
  if (!(s.growth >= 1)) growth.fail("expected 1 or more");
  s.max_evaluations = read_count(at.need("max_evaluations"));
  return s;
}

// a point within no bounds, and its outputs; `needed` of them are finite
Solution read_solution(const JsonCursor& at, std::size_t unknowns, std::size_t outputs,
                       std::size_t needed, bool may_be_empty) {
  at.expect_object();
  Solution solution;
  solution.x = read_list(at.need("x"), unknowns);
  const JsonCursor list = at.need("outputs");
  if (may_be_empty && list.is_array() && list.size() == 0) return solution;
  solution.outputs = read_list(list, outputs, Allow::anything);
  for (std::size_t i = 0; i < needed; ++i) read_real(list[i]);
  return solution;
}

void read_bounds(const JsonCursor& at, std::size_t n, CmaState& state) {
  const JsonCursor lower = at.need("lower"), upper = at.need("upper");
  if (lower.is_array() && lower.size() == 0 && upper.is_array() && upper.size() == 0) return;
  state.lower = read_list(lower, n, Allow::infinite);
  state.upper = read_list(upper, n, Allow::infinite);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < n; ++i) {
    const double a = state.lower[i], b = state.upper[i];
    const bool none = a == -infinity && b == infinity;
    const bool both = std::isfinite(a) && std::isfinite(b) && a < b && std::isfinite(b - a);
    if (!none && !both) upper[i].fail("expected a bound above the lower one, or none of both");
  }
}

// C, B and D
void read_shape(const JsonCursor& at, Eigen::Index n, CmaState& state) {
  const JsonCursor C = at.need("C"), D = at.need("D");
  const auto size = static_cast<std::size_t>(n);
  state.D = read_vector(D, n);
  for (std::size_t i = 0; i < size; ++i) read_positive(D[i]);
  if (state.settings.diagonal) {
    state.C = read_vector(C, n);
    for (std::size_t i = 0; i < size; ++i) read_positive(C[i]);
    return;
  }
  const std::vector<double> triangle = read_list(C, size * (size + 1) / 2);
  const std::vector<double> full = read_list(at.need("B"), size * size);
  state.B = Eigen::Map<const MatX>(full.data(), n, n);
  state.C = MatX::Zero(n, n);
  std::size_t next = 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = j; i < n; ++i) state.C(i, j) = triangle[next++];
  }
}

constexpr std::string_view optimiser_format_key = "optimiser_state";

std::string document_text(std::string_view kind, JsonValue state) {
  JsonValue root = JsonValue::object();
  root.add(std::string(optimiser_format_key), std::string(kind));
  for (std::size_t i = 0; i < state.items.size(); ++i) {
    root.add(state.keys[i], std::move(state.items[i]));
  }
  return pretty_text(root) + "\n";
}

template <class Read>
auto parsed(std::string_view text, const std::string& file, const std::string& kind, Read read) {
  const JsonDocument document = parse_json(text, file);
  const Scope scope;
  const std::string instance;
  const JsonCursor root(document, document.root, scope, instance);
  root.expect_object();
  const JsonCursor format = root.need(optimiser_format_key);
  const std::array<std::string, 1> kinds = {kind};
  read_saved_choice(format, "kind of state", kinds);
  return read(root);
}

}  // namespace

JsonValue to_json(const Solution& solution) {
  JsonValue object = JsonValue::object();
  object.add("x", reals(solution.x));
  object.add("outputs", reals(solution.outputs));
  return object;
}

Solution read_solution(const JsonCursor& at, std::size_t unknowns, std::size_t outputs) {
  return read_solution(at, unknowns, outputs, 0, true);
}

JsonValue to_json(const CmaState& s) {
  JsonValue object = JsonValue::object();
  object.add("settings", to_json(s.settings));
  object.add("stop", std::string(name(s.stop)));
  object.add("generation", static_cast<double>(s.generation));
  object.add("decomposed", static_cast<double>(s.decomposed));
  object.add("evaluations", limit_json(s.evaluations));
  object.add("best_value", real(s.best_value));
  object.add("sigma", real(s.sigma));
  object.add("fading", real(s.fading));
  object.add("random", to_json(s.random));
  object.add("best", reals(s.best));
  object.add("lower", reals(s.lower));
  object.add("upper", reals(s.upper));
  object.add("mean", reals(s.mean));
  object.add("path_sigma", reals(s.path_sigma));
  object.add("path_c", reals(s.path_c));
  object.add("best_history", reals(s.best_history));
  object.add("median_history", reals(s.median_history));
  object.add("D", reals(s.D));
  object.add("C", columns(s.C, !s.settings.diagonal));
  if (!s.settings.diagonal) object.add("B", columns(s.B, false));
  return object;
}

CmaState read_cma_state(const JsonCursor& at) {
  at.expect_object();
  CmaState s;
  s.settings = read_cma_settings(at.need("settings"));
  const JsonCursor mean = at.need("mean");
  mean.expect_array(max_unknowns);
  if (mean.size() == 0) mean.fail("expected at least one number");
  const auto n = static_cast<Eigen::Index>(mean.size());
  s.mean = read_vector(mean, n);
  const JsonCursor population = at.need("settings").need("population");
  if (s.settings.population < 2) population.fail("expected 2 or more");
  if (n * s.settings.population > 1 << 24) population.fail("expected fewer for so many unknowns");
  s.stop = static_cast<CmaStop>(
      read_saved_choice(at.need("stop"), "reason to stop", names_up_to(CmaStop::no_effect)));
  s.generation = read_whole(at.need("generation"), 0, largest_count);
  s.decomposed = read_whole(at.need("decomposed"), 0, s.generation);
  s.evaluations = read_count(at.need("evaluations"));
  if (s.evaluations == no_limit) at.need("evaluations").fail("expected a number");
  s.best_value = read_real(at.need("best_value"), Allow::infinite);
  s.sigma = read_positive(at.need("sigma"));
  const JsonCursor fading = at.need("fading");
  s.fading = read_real(fading);
  if (!(s.fading >= 0 && s.fading <= 1)) fading.fail("expected a number from 0 to 1");
  s.random = read_random(at.need("random"));
  s.best = read_vector(at.need("best"), n);
  read_bounds(at, mean.size(), s);
  s.path_sigma = read_vector(at.need("path_sigma"), n);
  s.path_c = read_vector(at.need("path_c"), n);
  const auto length =
      static_cast<std::size_t>(history_length(static_cast<int>(n), s.settings.population));
  s.best_history = read_list(at.need("best_history"), length, Allow::infinite);
  s.median_history = read_list(at.need("median_history"), length, Allow::infinite);
  read_shape(at, n, s);
  return s;
}

JsonValue to_json(const MultiplierState& s) {
  JsonValue object = JsonValue::object();
  object.add("settings", to_json(s.settings));
  object.add("phase", std::string(name(s.phase)));
  object.add("run", static_cast<double>(s.run));
  object.add("evaluations", limit_json(s.evaluations));
  object.add("outputs", static_cast<double>(s.outputs));
  object.add("lambda", reals(s.lambda));
  object.add("solution", to_json(s.solution));
  if (s.valid) object.add("valid", to_json(*s.valid));
  object.add("cma", to_json(s.cma));
  return object;
}

MultiplierState read_multiplier_state(const JsonCursor& at) {
  at.expect_object();
  MultiplierState s;
  s.settings = read_multiplier_settings(at.need("settings"));
  s.phase = static_cast<MultiplierPhase>(
      read_saved_choice(at.need("phase"), "phase", names_up_to(MultiplierPhase::budget_done)));
  s.run = read_whole(at.need("run"), 0, 1'000'000);
  s.evaluations = read_count(at.need("evaluations"));
  if (s.evaluations == no_limit) at.need("evaluations").fail("expected a number");
  const std::size_t constraints = s.settings.tolerance.size();
  s.outputs = read_whole(at.need("outputs"), 2 + static_cast<int>(constraints), 1 << 24);
  s.lambda = read_list(at.need("lambda"), constraints);
  s.cma = read_cma_state(at.need("cma"));
  const auto n = static_cast<std::size_t>(s.cma.mean.size());
  const auto outputs = static_cast<std::size_t>(s.outputs);
  s.solution = read_solution(at.need("solution"), n, outputs, 2 + constraints, true);
  if (at.has("valid")) {
    s.valid = read_solution(at.need("valid"), n, outputs, 2 + constraints, false);
  }
  return s;
}

JsonValue to_json(const RestartState& s) {
  JsonValue object = JsonValue::object();
  object.add("settings", to_json(s.settings));
  object.add("over", JsonValue::of(s.over));
  object.add("run", static_cast<double>(s.run));
  object.add("grown", static_cast<double>(s.grown));
  object.add("small", JsonValue::of(s.small));
  object.add("evaluations", limit_json(s.evaluations));
  object.add("used_by_grown", limit_json(s.used_by_grown));
  object.add("used_by_small", limit_json(s.used_by_small));
  object.add("random", to_json(s.random));
  object.add("best_value", real(s.best_value));
  object.add("best", reals(s.best));
  object.add("start", reals(s.start));
  object.add("cma", to_json(s.cma));
  return object;
}

RestartState read_restart_state(const JsonCursor& at) {
  at.expect_object();
  RestartState s;
  s.settings = read_restart_settings(at.need("settings"));
  s.over = at.need("over").boolean();
  s.run = read_whole(at.need("run"), 0, largest_count);
  s.grown = read_whole(at.need("grown"), 0, 1001);
  s.small = at.need("small").boolean();
  s.evaluations = read_count(at.need("evaluations"));
  s.used_by_grown = read_count(at.need("used_by_grown"));
  s.used_by_small = read_count(at.need("used_by_small"));
  for (const char* key : {"evaluations", "used_by_grown", "used_by_small"}) {
    if (at.need(key).is_null()) at.need(key).fail("expected a number");
  }
  s.random = read_random(at.need("random"));
  s.best_value = read_real(at.need("best_value"), Allow::infinite);
  s.cma = read_cma_state(at.need("cma"));
  s.best = read_vector(at.need("best"), s.cma.mean.size());
  s.start = read_list(at.need("start"), static_cast<std::size_t>(s.cma.mean.size()));
  return s;
}

std::string optimiser_text(const CmaState& state) { return document_text("cma", to_json(state)); }
std::string optimiser_text(const MultiplierState& state) {
  return document_text("multipliers", to_json(state));
}
std::string optimiser_text(const RestartState& state) {
  return document_text("restarts", to_json(state));
}

CmaState parse_cma_state(std::string_view text, const std::string& file) {
  return parsed(text, file, "cma", read_cma_state);
}
MultiplierState parse_multiplier_state(std::string_view text, const std::string& file) {
  return parsed(text, file, "multipliers", read_multiplier_state);
}
RestartState parse_restart_state(std::string_view text, const std::string& file) {
  return parsed(text, file, "restarts", read_restart_state);
}

void save_state(const std::string& path, const MultiplierState& state) {
  write_file(path, optimiser_text(state));
}

MultiplierState load_multiplier_state(const SourceFile& file) {
  return parse_multiplier_state(file.read(), file.name());
}

}  // namespace molejo
