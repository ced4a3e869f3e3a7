#include "molejo/math/expression.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <locale>
#include <numbers>
#include <sstream>

#include "molejo/math/pack.h"
#include "molejo/math/words.h"

namespace molejo {

namespace {

struct Function {
  std::string_view name;
  Operation operation;
  int arguments;  // -1: one or more
};
constexpr std::array<Function, 14> functions{{{"sin", Operation::sin, 1},
                                              {"cos", Operation::cos, 1},
                                              {"tan", Operation::tan, 1},
                                              {"asin", Operation::asin, 1},
                                              {"acos", Operation::acos, 1},
                                              {"atan", Operation::atan, 1},
                                              {"atan2", Operation::atan2, 2},
                                              {"sqrt", Operation::sqrt, 1},
                                              {"abs", Operation::abs, 1},
                                              {"min", Operation::min, -1},
                                              {"max", Operation::max, -1},
                                              {"floor", Operation::floor, 1},
                                              {"exp", Operation::exp, 1},
                                              {"log", Operation::log, 1}}};

const Function* find_function(std::string_view name) {
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [&](const Function& f) { return f.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

// text -> tokens

enum class TokenKind { number, name, symbol, end };
struct Token {
  TokenKind kind = TokenKind::end;
  std::size_t column = 1;
  std::string_view text;
  double number = 0;

  bool is(char c) const { return kind == TokenKind::symbol && text[0] == c; }
  bool is_deg() const { return kind == TokenKind::name && text == "deg"; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    Token token;
    token.column = at_ + 1;
    if (at_ == text_.size()) return token;
    const char c = text_[at_];
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
      return number(token);
    }
    if (is_letter(c)) {
      const std::size_t from = at_;
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
      token.kind = TokenKind::name;
      token.text = text_.substr(from, at_ - from);
      return token;
    }
    if (std::string_view("+-*/^(),").find(c) == std::string_view::npos) {
      throw ExpressionError(token.column, "unexpected character " + shown(c));
    }
    token.kind = TokenKind::symbol;
    token.text = text_.substr(at_++, 1);
    return token;
  }

 private:
  static std::string shown(char c) {
    if (c > ' ' && c < 127) return std::string("'") + c + "'";
    return "code " + std::to_string(static_cast<unsigned char>(c));
  }

  // digits [. digits] [e [sign] digits]
  Token number(Token token) {
    const std::size_t from = at_;
    const auto digits = [&] {
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    };
    digits();
    if (at_ < text_.size() && text_[at_] == '.') ++at_, digits();
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      std::size_t exponent = at_ + 1;
      if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) ++exponent;
      if (exponent < text_.size() && is_digit(text_[exponent])) at_ = exponent, digits();
    }
    token.kind = TokenKind::number;
    token.text = text_.substr(from, at_ - from);
    // the classic locale: a decimal point is a point everywhere
    std::istringstream in{std::string(token.text)};
    in.imbue(std::locale::classic());
    in >> token.number;
    if (!(std::fabs(token.number) < std::numeric_limits<double>::max())) {
      throw ExpressionError(token.column, "number too large");
    }
    return token;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// tokens -> code

// How tightly an operator holds what stands on its left; what is on its right is parsed with the
// second number (one higher for operators that group to the left).
struct Binding {
  int left = 0, right = 0;
  Operation operation = Operation::add;
};
constexpr int sign_binding = 30;

Binding binary(const Token& token) {
  if (token.kind != TokenKind::symbol) return {};
  switch (token.text[0]) {
    case '+':
      return {10, 11, Operation::add};
    case '-':
      return {10, 11, Operation::subtract};
    case '*':
      return {20, 21, Operation::multiply};
    case '/':
      return {20, 21, Operation::divide};
    case '^':
      return {40, sign_binding, Operation::power};
    default:
      return {};
  }
}

class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> names)
      : lexer_(text), names_(names), token_(lexer_.next()) {}

  ExpressionCode parse() {
    operand(0);
    if (token_.kind != TokenKind::end) throw unexpected("an operator or the end");
    return std::move(code_);
  }

 private:
  // parses what binds at least as tightly as `binding` and leaves its value on the stack
  void operand(int binding) {
    if (++nesting_ > max_expression_nesting) {
      throw ExpressionError(token_.column, "nested deeper than " +
                                               std::to_string(max_expression_nesting) + " levels");
    }
    prefix();
    for (;;) {
      if (token_.is_deg()) {
        emit(Operation::degrees, 0, 0);
        advance();
        continue;
      }
      const Binding b = binary(token_);
      if (b.left == 0 || b.left < binding) break;
      advance();
      operand(b.right);
      emit(b.operation, 0, -1);
    }
    --nesting_;
  }

  void prefix() {
    const Token token = token_;
    if (token.is('-') || token.is('+')) {
      advance();
      operand(sign_binding);
      if (token.is('-')) emit(Operation::negate, 0, 0);
    } else if (token.is('(')) {
      advance();
      operand(0);
      expect(')');
    } else if (token.kind == TokenKind::number) {
      advance();
      constant(token.number);
    } else if (token.kind == TokenKind::name && !token.is_deg()) {
      advance();
      named(token);
    } else {
      throw unexpected("a number, a name or '('");
    }
  }

  void named(const Token& name) {
    if (token_.is('(')) return call(name);
    if (name.text == "pi") return constant(std::numbers::pi);
    const auto found = std::find(names_.begin(), names_.end(), name.text);
    if (found != names_.end()) {
      const auto index = static_cast<std::size_t>(found - names_.begin());
      return emit(Operation::variable, index, 1);
    }
    if (const Function* f = find_function(name.text)) {
      throw ExpressionError(name.column,
                            "function '" + std::string(f->name) + "' needs '(' after it");
    }
    std::vector<std::string> known(names_.begin(), names_.end());
    known.emplace_back("pi");
    throw ExpressionError(name.column, unknown_word("name", name.text, known));
  }

  void call(const Token& name) {
    const Function* function = find_function(name.text);
    if (!function) {
      std::vector<std::string> known;
      for (const Function& f : functions) known.emplace_back(f.name);
      throw ExpressionError(name.column, unknown_word("function", name.text, known));
    }
    expect('(');
    int arguments = 1;
    operand(0);
    for (; token_.is(','); ++arguments) {
      advance();
      operand(0);
    }
    expect(')');
    if (function->arguments >= 0 && arguments != function->arguments) {
      throw ExpressionError(name.column, "function '" + std::string(function->name) + "' takes " +
                                             std::to_string(function->arguments) + ", given " +
                                             std::to_string(arguments));
    }
    emit(function->operation, static_cast<std::size_t>(arguments), 1 - arguments);
  }

  void constant(double value) {
    code_.constants.push_back(value);
    emit(Operation::constant, code_.constants.size() - 1, 1);
  }

  // `growth`: how many values the stack has more afterwards
  void emit(Operation operation, std::size_t operand, int growth) {
    stack_ += growth;
    if (stack_ > max_expression_stack || operand > std::numeric_limits<std::uint16_t>::max()) {
      throw ExpressionError(token_.column, "too many values at once");
    }
    code_.instructions.push_back({operation, static_cast<std::uint16_t>(operand)});
  }

  void advance() { token_ = lexer_.next(); }
  void expect(char c) {
    if (!token_.is(c)) throw unexpected(std::string("'") + c + "'");
    advance();
  }
  ExpressionError unexpected(const std::string& expected) const {
    const std::string found = token_.kind == TokenKind::end
                                  ? "the expression ends"
                                  : "unexpected '" + std::string(token_.text.substr(0, 40)) + "'";
    return {token_.column, found + ", expected " + expected};
  }

  Lexer lexer_;
  std::span<const std::string> names_;
  Token token_;
  ExpressionCode code_;
  int nesting_ = 0, stack_ = 0;
};

// one operation on the top of the stack

double apply(Operation operation, double a) {
  switch (operation) {
    case Operation::negate:
      return -a;
    case Operation::degrees:
      return radians(a);
    case Operation::sin:
      return sincos(a).sin;
    case Operation::cos:
      return sincos(a).cos;
    case Operation::tan:
      return std::tan(a);
    case Operation::asin:
      return std::asin(a);
    case Operation::acos:
      return std::acos(a);
    case Operation::atan:
      return std::atan(a);
    case Operation::sqrt:
      return std::sqrt(a);
    case Operation::abs:
      return std::fabs(a);
    case Operation::floor:
      return std::floor(a);
    case Operation::exp:
      return std::exp(a);
    default:
      assert(operation == Operation::log);
      return std::log(a);
  }
}

double apply(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::power:
      return std::pow(a, b);
    default:
      assert(operation == Operation::atan2);
      return std::atan2(a, b);
  }
}

bool takes_two(Operation operation) {
  return (operation >= Operation::add && operation <= Operation::power) ||
         operation == Operation::atan2;
}

}  // namespace

ExpressionError::ExpressionError(std::size_t at_column, const std::string& text)
    : std::runtime_error("column " + std::to_string(at_column) + ": " + text), column(at_column) {}

ExpressionCode parse_expression(std::string_view text, std::span<const std::string> names) {
  if (text.size() > max_expression_length) {
    throw ExpressionError(1,
                          "longer than " + std::to_string(max_expression_length) + " characters");
  }
  return Parser(text, names).parse();
}

double evaluate(const ExpressionCode& code, std::span<const double> values) {
  std::array<double, max_expression_stack> stack;
  std::size_t top = 0;  // values on the stack
  for (const auto [operation, operand] : code.instructions) {
    if (operation == Operation::constant) {
      stack[top++] = code.constants[operand];
    } else if (operation == Operation::variable) {
      assert(operand < values.size());
      stack[top++] = values[operand];
    } else if (operation == Operation::min || operation == Operation::max) {
      double best = stack[top - operand];
      for (std::size_t i = top - operand + 1; i < top; ++i) {
        const bool better = operation == Operation::min ? stack[i] < best : stack[i] > best;
        if (better || std::isnan(stack[i])) best = stack[i];
      }
      top -= operand;
      stack[top++] = best;
    } else if (takes_two(operation)) {
      --top;
      stack[top - 1] = apply(operation, stack[top - 1], stack[top]);
    } else {
      stack[top - 1] = apply(operation, stack[top - 1]);
    }
  }
  return stack[0];
}

bool is_free_name(std::string_view text) {
  if (text.empty() || is_digit(text[0])) return false;
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
  return plain && text != "pi" && text != "deg" && !find_function(text);
}

double radians(double degrees) { return degrees * (std::numbers::pi / 180); }

}  // namespace molejo
