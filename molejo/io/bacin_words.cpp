#include "molejo/io/bacin_words.h"

#include <charconv>
#include <cmath>
#include <locale>

#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr const char* input_date = "95-01-09";
constexpr const char* frame_date = "95-06-03";
constexpr double largest_number = 1e15;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool stands_alone(char c) { return c == '=' || c == '(' || c == ')'; }

}  // namespace

BacinWords::BacinWords(std::string text, std::string file)
    : text_(std::move(text)), file_(std::move(file)) {
  number_.imbue(std::locale::classic());
  advance();
}

void BacinWords::advance() {
  while (position_ < text_.size() && is_space(text_[position_])) {
    if (text_[position_++] == '\n') ++line_;
  }
  const std::size_t start = position_;
  while (position_ < text_.size() && !is_space(text_[position_])) {
    if (stands_alone(text_[position_])) {
      if (position_ == start) ++position_;
      break;
    }
    ++position_;
  }
  word_ = {std::string_view(text_).substr(start, position_ - start), line_};
}

void BacinWords::fail(int line, const std::string& what) const {
  throw InputError(file_ + ":" + std::to_string(line) + ": " + what);
}

void BacinWords::fail_word(const Word& word, const std::string& expected) const {
  fail(word.line, quoted(word.text) + ", expected " + expected);
}

std::string BacinWords::quoted(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string shown = "'";
  for (char c : word.substr(0, longest)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown + (word.size() > longest ? "...'" : "'");
}

BacinWords::Word BacinWords::next(const std::string& expected) {
  if (at_end()) fail(word_.line, "the file ends, expected " + expected);
  const Word word = word_;
  advance();
  return word;
}

void BacinWords::expect(std::string_view expected) {
  const Word word = next(quoted(expected));
  if (word.text != expected) fail_word(word, quoted(expected));
}

std::string BacinWords::name(const std::string& expected) {
  const Word word = next(expected);
  if (stands_alone(word.text[0])) fail_word(word, expected);
  return std::string(word.text);
}

double BacinWords::number(const std::string& expected) {
  const Word word = next(expected);
  double value = 0;
  number_.clear();
  number_.str(std::string(word.text));
  if (!(number_ >> value) || number_.peek() != std::char_traits<char>::eof()) {
    fail_word(word, expected + ", a number");
  }
  if (!(std::fabs(value) <= largest_number)) {
    fail_word(word, expected + ", a number of magnitude up to 1e15");
  }
  return value;
}

double BacinWords::positive(const std::string& what) {
  const Word word = word_;
  const double value = number("the " + what);
  if (!(value > 0)) fail_word(word, "a " + what + " above zero");
  return value;
}

Vec3 BacinWords::vector(const std::string& expected) {
  const double x = number(expected), y = number(expected), z = number(expected);
  return {x, y, z};
}

std::array<double, 4> BacinWords::parameters(const std::string& expected) {
  std::array<double, 4> values{};
  for (double& value : values) value = number(expected);
  return values;
}

int BacinWords::count(const std::string& what, int least, int most) {
  const Word word = next("the " + what);
  int value = 0;
  const char* end = word.text.data() + word.text.size();
  const auto [stop, error] = std::from_chars(word.text.data(), end, value);
  if (error != std::errc() || stop != end || value < least || value > most) {
    fail_word(word, "the " + what + ", a whole number from " + std::to_string(least) + " to " +
                        std::to_string(most));
  }
  return value;
}

int BacinWords::counted(const std::string& key, int most) {
  expect(key);
  expect("=");
  return count("number of " + key, 0, most);
}

void BacinWords::begin(const std::string& kind) {
  expect("begin");
  expect(kind);
  expect("(");
  expect("format");
  expect("of");
  const Word date = next("the date of the format");
  if (kind == "state" && date.text == frame_date) {
    fail(date.line,
         "this is a frame that was written (format of 95-06-03), expected an initial state "
         "(format of 95-01-09)");
  }
  if (date.text != input_date) {
    fail(date.line, "unknown format date " + quoted(date.text) + ", expected " + input_date);
  }
  expect(")");
}

void BacinWords::expect_record(const std::string& key, int index, int count) const {
  if (!at("end") && !at_end()) return;
  fail(word_.line,
       key + " = " + std::to_string(count) + ", but only " + std::to_string(index) + " are listed");
}

void BacinWords::end(const std::string& kind, const std::string& key, int count) {
  if (!at("end") && !at_end()) {
    fail_word(word_, "'end " + kind + "' after " + std::to_string(count) + " " + key);
  }
  end(kind);
}

void BacinWords::end(const std::string& kind) {
  expect("end");
  expect(kind);
  if (!at_end()) fail_word(word_, "nothing after 'end " + kind + "'");
}

}  // namespace molejo
