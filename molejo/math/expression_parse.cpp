#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <locale>
#include <numbers>
#include <sstream>
#include <utility>

#include "molejo/math/characters.h"
#include "molejo/math/expression_syntax.h"
#include "molejo/math/words.h"

namespace molejo {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_reserved(std::string_view word) {
  return word == "pi" || word == "and" || word == "or" || word == "not";
}

// A decimal number without sign, in the classic locale.
double decimal(std::string_view text) {
  // up to 15 digits and a small power of ten are exact, so that one division rounds correctly
  std::uint64_t digits = 0;
  std::size_t count = 0, after_point = 0;
  bool point = false, simple = true;
  for (const char c : text) {
    if (c == '.') {
      point = true;
    } else if (is_digit(c)) {
      digits = 10 * digits + static_cast<std::uint64_t>(c - '0');
      after_point += point ? 1 : 0;
      simple = simple && ++count <= 15;
    } else {
      simple = false;
    }
    if (!simple) break;
  }
  constexpr double tens[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                             1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  if (simple) return static_cast<double>(digits) / tens[after_point];
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  double value = 0;
  in >> value;
  return value;
}

enum class TokenKind { number, name, symbol, end };
struct Token {
  TokenKind kind = TokenKind::end;
  std::size_t begin = 0, end = 0;
  std::string_view text{};
  double number = 0;
  std::string name{};     // parts joined, quotes removed
  bool is_plain = false;  // one word without quotes

  bool is(std::string_view symbol) const { return kind == TokenKind::symbol && text == symbol; }
  bool is_word(std::string_view word) const {
    return kind == TokenKind::name && is_plain && name == word;
  }
};

class Lexer {
 public:
  Lexer(std::string_view text, std::size_t first_column, const TextPlace& place)
      : text_(text), first_column_(first_column), place_(place) {}

  ExpressionError error(std::size_t at, const std::string& message) const {
    TextPlace place = place_;
    place.column = static_cast<std::uint32_t>(first_column_ + at);
    return {place, message};
  }
  std::uint32_t column(const Token& token) const {
    return static_cast<std::uint32_t>(first_column_ + token.begin);
  }
  std::string_view text() const { return text_; }
  void go_to(std::size_t at) { at_ = at; }

  Token next() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    Token token;
    token.begin = at_;
    if (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
        number(token);
      } else if (is_letter_or_underscore(c) || c == '\'') {
        name(token);
      } else {
        symbol(token);
      }
      token.text = text_.substr(token.begin, at_ - token.begin);
    }
    token.end = at_;
    return token;
  }

 private:
  char peek(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  // digits [. digits] [e [sign] digits]
  void number(Token& token) {
    const auto digits = [&] {
      while (is_digit(peek(0))) ++at_;
    };
    digits();
    if (peek(0) == '.') ++at_, digits();
    if (peek(0) == 'e' || peek(0) == 'E') {
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (is_digit(peek(1 + sign))) at_ += 1 + sign, digits();
    }
    token.kind = TokenKind::number;
    token.number = decimal(text_.substr(token.begin, at_ - token.begin));
    if (!(std::fabs(token.number) < std::numeric_limits<double>::max())) {
      throw error(token.begin, "number too large");
    }
  }

  void name(Token& token) {
    token.kind = TokenKind::name;
    token.is_plain = true;
    for (;;) {
      const std::size_t from = at_;
      if (peek(0) == '\'') {
        const std::size_t close = text_.find('\'', at_ + 1);
        if (close == std::string_view::npos) throw error(at_, "the name has no closing quote");
        if (close == at_ + 1) throw error(at_, "a name must not be empty");
        token.name += text_.substr(at_ + 1, close - at_ - 1);
        token.is_plain = false;
        at_ = close + 1;
      } else {
        while (is_letter_or_underscore(peek(0)) || is_digit(peek(0))) ++at_;
        token.name += text_.substr(from, at_ - from);
      }
      if (peek(0) != '.' || !(is_letter_or_underscore(peek(1)) || peek(1) == '\'')) return;
      token.name += '.';
      token.is_plain = false;
      ++at_;
    }
  }

  void symbol(Token& token) {
    token.kind = TokenKind::symbol;
    constexpr std::array<std::string_view, 6> pairs{"<=", ">=", "==", "!=", "&&", "||"};
    const std::string_view pair = text_.substr(at_, 2);
    if (std::find(pairs.begin(), pairs.end(), pair) != pairs.end()) {
      at_ += 2;
      return;
    }
    const char c = text_[at_];
    if (c == '=') throw error(at_, "unexpected '='; a comparison is written '=='");
    if (std::string_view("+-*/^%()[],?:<>!.").find(c) == std::string_view::npos) {
      throw error(at_, "unexpected character " + shown(c));
    }
    ++at_;
  }
  static std::string shown(char c) {
    if (c > ' ' && c < 127) return std::string("'") + c + "'";
    return "code " + std::to_string(static_cast<unsigned char>(c));
  }

  std::string_view text_;
  std::size_t first_column_, at_ = 0;
  TextPlace place_;
};

// How tightly an operator holds what stands on its left; what is on its right is parsed with the
// second number (one higher for operators that group to the left).
struct Binding {
  int left = 0, right = 0;
  Operation operation = Operation::add;
  bool swapped = false;
  std::string_view call{};
};
constexpr int conditional_binding = 2, not_binding = 8, comparison_binding = 10, sign_binding = 40;

Binding binary(const Token& token) {
  if (token.is_word("or") || token.is("||")) return {4, 5, Operation::add, false, or_call};
  if (token.is_word("and") || token.is("&&")) return {6, 7, Operation::add, false, and_call};
  if (token.kind != TokenKind::symbol) return {};
  struct Row {
    std::string_view symbol;
    Binding binding;
  };
  constexpr int compare = comparison_binding;
  static constexpr Row rows[] = {{"<", {compare, compare + 1, Operation::less}},
                                 {"<=", {compare, compare + 1, Operation::less_equal}},
                                 {">", {compare, compare + 1, Operation::less, true}},
                                 {">=", {compare, compare + 1, Operation::less_equal, true}},
                                 {"==", {compare, compare + 1, Operation::equal}},
                                 {"!=", {compare, compare + 1, Operation::not_equal}},
                                 {"+", {20, 21, Operation::add}},
                                 {"-", {20, 21, Operation::subtract}},
                                 {"*", {30, 31, Operation::multiply}},
                                 {"/", {30, 31, Operation::divide}},
                                 {"%", {30, 31, Operation::modulo}},
                                 {"^", {50, sign_binding, Operation::power}}};
  for (const Row& row : rows) {
    if (row.symbol == token.text) return row.binding;
  }
  return {};
}

class Parser {
 public:
  Parser(std::string_view text, std::size_t first_column, const TextPlace& place,
         const std::function<bool(std::string_view)>& is_known)
      : lexer_(text, first_column, place), is_known_(is_known), token_(lexer_.next()) {}

  std::vector<SyntaxNode> parse() {
    operand(0);
    if (token_.kind != TokenKind::end) throw unexpected("an operator or the end");
    return std::move(nodes_);
  }

 private:
  // parses what binds at least as tightly as `binding`
  void operand(int binding) {
    if (++nesting_ > max_expression_nesting) {
      throw lexer_.error(
          token_.begin, "nested deeper than " + std::to_string(max_expression_nesting) + " levels");
    }
    prefix();
    bool compared = false;
    for (;;) {
      if (token_.is("?") && binding <= conditional_binding) {
        conditional();
        continue;
      }
      const Token sign = token_;
      const Binding b = binary(sign);
      if (b.left == 0 || b.left < binding) break;
      if (b.left == comparison_binding && std::exchange(compared, true)) {
        throw lexer_.error(sign.begin, "comparisons do not chain: write a < b and b < c");
      }
      advance();
      operand(b.right);
      SyntaxNode& node = emit(b.call.empty() ? NodeKind::operation : NodeKind::call, sign);
      node.operation = b.operation;
      node.swapped = b.swapped;
      node.name = b.call;
      node.count = 2;
    }
    --nesting_;
  }

  // after the condition: "? a : b"
  void conditional() {
    const Token sign = token_;
    advance();
    operand(conditional_binding);
    expect(":");
    operand(conditional_binding);
    call_node(sign, std::string(if_call), 3);
  }

  void prefix() {
    const Token token = token_;
    if (token.is("-") || token.is("+") || token.is("!") || token.is_word("not")) {
      advance();
      operand(token.kind == TokenKind::name ? not_binding : sign_binding);
      if (token.is("+")) return;
      emit(NodeKind::operation, token).operation =
          token.is("-") ? Operation::negate : Operation::logical_not;
      return;
    }
    primary(token);
    while (token_.is(".")) component();
    unit();
  }

  void primary(const Token& token) {
    if (token.is("(")) {
      advance();
      operand(0);
      expect(")");
    } else if (token.is("[")) {
      advance();
      operand(0);
      expect(",");
      operand(0);
      expect(",");
      operand(0);
      expect("]");
      emit(NodeKind::vector, token);
    } else if (token.kind == TokenKind::number) {
      advance();
      emit(NodeKind::number, token).number = token.number;
    } else if (token.kind == TokenKind::name && (!token.is_plain || !is_operator(token))) {
      advance();
      named(token);
    } else {
      throw unexpected("a number, a name or '('");
    }
  }
  bool is_operator(const Token& token) const {
    // "deg" alone was never a name
    return token.name == "and" || token.name == "or" || token.name == "not" ||
           (token.name == "deg" && !is_known_("deg"));
  }

  void named(const Token& name) {
    if (token_.is("(")) return call(name);
    if (name.is_word("pi")) {
      emit(NodeKind::number, name).number = std::numbers::pi;
    } else {
      emit(NodeKind::name, name).name = name.name;
    }
  }

  void call(const Token& name) {
    expect("(");
    int arguments = 1;
    operand(0);
    for (; token_.is(","); ++arguments) {
      advance();
      operand(0);
    }
    expect(")");
    call_node(name, name.name, arguments);
  }

  void component() {
    advance();
    if (token_.kind != TokenKind::name || !token_.is_plain || token_.name.size() != 1 ||
        token_.name[0] < 'x' || token_.name[0] > 'z') {
      throw unexpected("x, y or z");
    }
    emit(NodeKind::component, token_).count = token_.name[0] - 'x';
    advance();
  }

  void unit() {
    if (token_.kind != TokenKind::name || !is_letter_or_underscore(token_.text[0])) return;
    const UnitText read = read_unit(lexer_.text().substr(token_.begin), is_known_);
    if (read.length == 0) return;
    emit(NodeKind::unit, token_).unit = read.unit;
    lexer_.go_to(token_.begin + read.length);
    advance();
  }

  SyntaxNode& emit(NodeKind kind, const Token& token) {
    SyntaxNode& node = nodes_.emplace_back();
    node.kind = kind;
    node.column = lexer_.column(token);
    return node;
  }
  void call_node(const Token& at, std::string name, int arguments) {
    SyntaxNode& node = emit(NodeKind::call, at);
    node.name = std::move(name);
    node.count = arguments;
  }

  void advance() { token_ = lexer_.next(); }
  void expect(std::string_view symbol) {
    if (!token_.is(symbol)) throw unexpected("'" + std::string(symbol) + "'");
    advance();
  }
  ExpressionError unexpected(const std::string& expected) const {
    const std::string found = token_.kind == TokenKind::end
                                  ? "the expression ends"
                                  : "unexpected '" + std::string(token_.text.substr(0, 40)) + "'";
    return lexer_.error(token_.begin, found + ", expected " + expected);
  }

  Lexer lexer_;
  const std::function<bool(std::string_view)>& is_known_;
  Token token_;
  std::vector<SyntaxNode> nodes_;
  int nesting_ = 0;
};

}  // namespace

ExpressionError::ExpressionError(const TextPlace& at, const std::string& text)
    : std::runtime_error("column " + std::to_string(at.column) + ": " + without_nuls(text)),
      place(at),
      column(at.column) {}

std::vector<SyntaxNode> parse_expression(std::string_view text, std::size_t first_column,
                                         TextPlace place,
                                         const std::function<bool(std::string_view)>& is_known) {
  if (text.size() > max_expression_length) {
    place.column = static_cast<std::uint32_t>(first_column);
    throw ExpressionError(place,
                          "longer than " + std::to_string(max_expression_length) + " characters");
  }
  return Parser(text, first_column, place, is_known).parse();
}

Definition read_definition(std::string_view line, std::string_view scope) {
  if (line.size() > max_expression_length) {
    throw ExpressionError({},
                          "longer than " + std::to_string(max_expression_length) + " characters");
  }
  // what stands before the first '='
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) {
    throw ExpressionError({}, "a definition is written 'name = expression'");
  }
  Lexer lexer(line.substr(0, equals), 1, {});
  Token token = lexer.next();
  const auto need_name = [&] {
    if (token.kind == TokenKind::name && token.is_plain && is_free_name(token.name)) {
      return token.name;
    }
    throw lexer.error(token.begin, "expected a name that can be defined");
  };
  Definition result;
  result.name = need_name();
  result.scope = scope;
  token = lexer.next();
  if (token.is("(")) {
    result.is_function = true;
    do {
      token = lexer.next();
      result.parameters.push_back(need_name());
      token = lexer.next();
    } while (token.is(","));
    if (!token.is(")")) throw lexer.error(token.begin, "expected ',' or ')'");
    token = lexer.next();
  }
  if (token.kind != TokenKind::end) throw lexer.error(token.begin, "expected '='");
  result.text = line.substr(equals + 1);
  result.first_column = equals + 2;
  return result;
}

bool is_free_name(std::string_view text) {
  if (text.empty() || is_digit(text[0])) return false;
  const bool plain = std::all_of(text.begin(), text.end(),
                                 [](char c) { return is_letter_or_underscore(c) || is_digit(c); });
  return plain && !is_reserved(text) && text != "deg";
}

}  // namespace molejo
