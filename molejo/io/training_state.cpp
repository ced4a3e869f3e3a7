#include "molejo/io/training_state.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "molejo/io/file.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr std::string_view training_format_key = "training_state";
constexpr double largest_saved_number = 9e15;

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::int64_t read_whole(const JsonCursor& at) {
  const double x = at.between(0, largest_saved_number);
  const auto whole = static_cast<std::int64_t>(x);
  if (static_cast<double>(whole) != x) at.fail("expected a whole number");
  return whole;
}

// The search leaves out the state of the joints, but for that of the thesis.
void check_search(const JsonCursor& at, const MultiplierState& search, const GaitProblem& problem) {
  const GaitOutputs outputs = gait_outputs(problem);
  const int joints = problem.motion().training.thesis ? 0 : outputs.joints;
  if (search.cma.mean.size() != problem.size() - joints || search.outputs != outputs.count() ||
      search.lambda.size() != static_cast<std::size_t>(outputs.cycle)) {
    at.fail("expected the search for a gait of this motion");
  }
}

std::vector<double> read_polished(const JsonCursor& at, std::size_t unknowns) {
  at.expect_array(unknowns);
  return at.numbers(at.size() == 0 ? 0 : unknowns);
}

// As long as it is, where nothing says how long it should be.
std::size_t length(const JsonCursor& list) {
  list.expect_array(max_json_bytes);
  return list.size();
}

Solution read_whole_solution(const JsonCursor& at, const GaitProblem* problem) {
  if (!problem) return read_solution(at, length(at.need("x")), length(at.need("outputs")));
  return read_solution(at, static_cast<std::size_t>(problem->size()),
                       static_cast<std::size_t>(gait_outputs(*problem).count()));
}

}  // namespace

std::string training_text(const SavedTraining& training) {
  const TrainingState& s = training.state;
  JsonValue top = JsonValue::object();
  top.add(std::string(training_format_key), std::string("gait"));
  top.add("motion", hash_text(training.motion));
  top.add("seed", static_cast<double>(s.seed));
  top.add("seconds", training.seconds);
  top.add("restart", static_cast<double>(s.restart));
  top.add("evaluations", static_cast<double>(s.evaluations));
  top.add("over", JsonValue::of(s.over));
  JsonValue& polished = top.add("polished", JsonValue::array());
  for (const double x : s.polished) polished.items.emplace_back(x);
  if (!s.best.x.empty()) top.add("best", to_json(s.best));
  if (s.valid) top.add("valid", to_json(*s.valid));
  if (s.search) top.add("search", to_json(*s.search));
  return pretty_text(top) + "\n";
}

namespace {

// Without a problem: of whatever motion it is.
SavedTraining parse(std::string_view text, const SourceFile& file, const GaitProblem* problem,
                    std::uint64_t motion) {
  const JsonDocument document = parse_json(text, file);
  const Scope scope;
  const std::string instance;
  const JsonCursor top(document, document.root, scope, instance);
  const std::vector<std::string> keys = {std::string(training_format_key),
                                         "motion",
                                         "seed",
                                         "seconds",
                                         "restart",
                                         "evaluations",
                                         "over",
                                         "polished",
                                         "best",
                                         "valid",
                                         "search"};
  top.expect_keys(keys);
  const JsonCursor format = top.need(training_format_key);
  if (format.text() != "gait") format.fail("expected \"gait\"");
  const JsonCursor saved_motion = top.need("motion");
  if (problem && saved_motion.text() != hash_text(motion)) {
    saved_motion.fail("the motion or its character has changed since; train it anew");
  }
  SavedTraining training;
  training.motion = std::strtoull(saved_motion.text().c_str(), nullptr, 16);
  training.seconds = top.need("seconds").between(0, 1e12);
  TrainingState& s = training.state;
  s.seed = static_cast<std::uint64_t>(read_whole(top.need("seed")));
  s.restart = top.need("restart").whole(0, 1'000'000'000);
  s.evaluations = read_whole(top.need("evaluations"));
  s.over = top.need("over").boolean();
  if (const auto best = top.find("best")) s.best = read_whole_solution(*best, problem);
  if (const auto valid = top.find("valid")) {
    s.valid = read_whole_solution(*valid, problem);
    if (s.valid->outputs.empty()) valid->fail("expected outputs");
  }
  if (const auto search = top.find("search")) {
    s.search = read_multiplier_state(*search);
    if (problem) check_search(*search, *s.search, *problem);
  }
  const JsonCursor polished = top.need("polished");
  const std::size_t searched = s.search  ? static_cast<std::size_t>(s.search->cma.mean.size())
                               : problem ? static_cast<std::size_t>(problem->size())
                                         : length(polished);
  s.polished = read_polished(polished, searched);
  return training;
}

}  // namespace

SavedTraining parse_training(std::string_view text, const SourceFile& file,
                             const GaitProblem& problem, std::uint64_t motion) {
  return parse(text, file, &problem, motion);
}

SavedTraining load_any_training(const SourceFile& file) {
  return parse(file.read(max_json_bytes), file, nullptr, 0);
}

void check_evaluations(const GaitProblem& problem, const Training& training,
                       const std::string& place) {
  const std::int64_t allowed = problem.motion().training.evaluations;
  const std::int64_t least = training.generation_evaluations();
  if (allowed >= least) return;
  throw InputError(fmt::format("{}: {} simulations, expected {} or more: one generation takes {}",
                               place, allowed, least, least));
}

bool save_found(const std::string& path, const GaitFile& gait) {
  const auto holds_valid_gait = [&] {
    const SourceFile file = SourceFile::given(path);
    try {
      return file.exists() && parse_gait(file.read(max_json_bytes), file).valid;
    } catch (const InputError&) {
      return false;  // no gait
    }
  };
  if (!gait.valid && holds_valid_gait()) return false;
  save_gait(path, gait);
  return true;
}

Checkpoint::Checkpoint(const std::string& gait) : lock_(gait), path_(gait + ".part") {
  if (!exists()) return;
  const std::string text = SourceFile::given(path_).read(max_json_bytes);
  if (text.find('"' + std::string(training_format_key) + '"') == std::string::npos) {
    throw InputError(path_ + ": is no training; it must have another name");
  }
}

bool Checkpoint::exists() const { return SourceFile::given(path_).exists(); }

SavedTraining Checkpoint::load(const GaitProblem& problem, std::uint64_t motion) const {
  const SourceFile file = SourceFile::given(path_);
  return parse_training(file.read(max_json_bytes), file, problem, motion);
}

std::string Checkpoint::save(const SavedTraining& training) const {
  try {
    write_file(path_, training_text(training));
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

void Checkpoint::remove() const {
  std::error_code error;
  std::filesystem::remove(path_, error);
}

}  // namespace molejo
