#include "molejo/model/settings.h"

#include "molejo/model/enum_words.h"

namespace molejo {

namespace {

constexpr Words<Integrator, 4> integrator_words{
    {{"semi_implicit_euler", Integrator::semi_implicit_euler},
     {"midpoint", Integrator::midpoint},
     {"rk4", Integrator::rk4},
     {"rkf45", Integrator::rkf45}}};

constexpr Words<Formulation, 2> formulation_words{
    {{"reduced", Formulation::reduced}, {"maximal", Formulation::maximal}}};

constexpr Words<Combination, 5> combination_words{{{"geometric_mean", Combination::geometric_mean},
                                                   {"mean", Combination::mean},
                                                   {"smaller", Combination::smaller},
                                                   {"larger", Combination::larger},
                                                   {"product", Combination::product}}};

constexpr Words<Response, 4> response_words{{{"rigid", Response::rigid},
                                             {"penalty", Response::penalty},
                                             {"analytic", Response::analytic},
                                             {"none", Response::none}}};

}  // namespace

std::string_view to_string(Integrator integrator) { return word_of(integrator_words, integrator); }
std::string_view to_string(Formulation formulation) {
  return word_of(formulation_words, formulation);
}

std::string_view to_string(Combination combination) {
  return word_of(combination_words, combination);
}
std::string_view to_string(Response response) { return word_of(response_words, response); }

std::optional<Integrator> parse_integrator(std::string_view word) {
  return value_of(integrator_words, word);
}
std::optional<Formulation> parse_formulation(std::string_view word) {
  return value_of(formulation_words, word);
}
std::optional<Combination> parse_combination(std::string_view word) {
  return value_of(combination_words, word);
}
std::optional<Response> parse_response(std::string_view word) {
  return value_of(response_words, word);
}

}  // namespace molejo
