#include "molejo/model/scene.h"

#include <array>
#include <cassert>
#include <utility>

namespace molejo {

namespace {

template <class Enum, std::size_t N>
using Words = std::array<std::pair<std::string_view, Enum>, N>;

constexpr Words<JointType, 9> joint_type_words{{{"fixed", JointType::fixed},
                                                {"revolute", JointType::revolute},
                                                {"prismatic", JointType::prismatic},
                                                {"cylindrical", JointType::cylindrical},
                                                {"universal", JointType::universal},
                                                {"spherical", JointType::spherical},
                                                {"planar", JointType::planar},
                                                {"point_in_plane", JointType::point_in_plane},
                                                {"free", JointType::free}}};

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

template <class Enum, std::size_t N>
std::string_view word_of(const Words<Enum, N>& words, Enum value) {
  for (const auto& [word, v] : words) {
    if (v == value) return word;
  }
  assert(false);
  return {};
}

template <class Enum, std::size_t N>
std::optional<Enum> value_of(const Words<Enum, N>& words, std::string_view word) {
  for (const auto& [w, value] : words) {
    if (w == word) return value;
  }
  return std::nullopt;
}

}  // namespace

Freedoms freedoms(JointType type) {
  switch (type) {
    case JointType::fixed:
      return {0, 0};
    case JointType::revolute:
      return {0, 1};
    case JointType::prismatic:
      return {1, 0};
    case JointType::cylindrical:
      return {1, 1};
    case JointType::universal:
      return {0, 2};
    case JointType::spherical:
      return {0, 3};
    case JointType::planar:
      return {2, 1};
    case JointType::point_in_plane:
      return {2, 3};
    case JointType::free:
      return {3, 3};
  }
  assert(false);
  return {};
}

std::string_view to_string(JointType type) { return word_of(joint_type_words, type); }
std::string_view to_string(Integrator integrator) { return word_of(integrator_words, integrator); }
std::string_view to_string(Formulation formulation) {
  return word_of(formulation_words, formulation);
}

std::string_view to_string(Combination combination) {
  return word_of(combination_words, combination);
}
std::string_view to_string(Response response) { return word_of(response_words, response); }

std::optional<JointType> parse_joint_type(std::string_view word) {
  return value_of(joint_type_words, word);
}
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
