// The words of one of Bacin's text files, one after the other, each with its line.
//
// White space separates words; '=', '(' and ')' stand alone. Every function throws InputError
// "file:line: ..." when the next word is not what it should be.
#pragma once

#include <array>
#include <sstream>
#include <string>
#include <string_view>

#include "molejo/math/types.h"

namespace molejo {

class BacinWords {
 public:
  struct Word {
    std::string_view text;
    int line = 0;
  };

  BacinWords(std::string text, std::string file);
  BacinWords(const BacinWords&) = delete;
  BacinWords& operator=(const BacinWords&) = delete;

  [[noreturn]] void fail(int line, const std::string& what) const;
  bool at(std::string_view word) const { return word_.text == word; }
  bool at_end() const { return word_.text.empty(); }
  int line() const { return word_.line; }

  // `expected` describes what should follow: "the name of a body".
  Word next(const std::string& expected);
  void expect(std::string_view word);
  std::string name(const std::string& expected);
  double number(const std::string& expected);  // of magnitude up to 1e15
  double positive(const std::string& what);
  Vec3 vector(const std::string& expected);
  std::array<double, 4> parameters(const std::string& expected);
  int count(const std::string& what, int least, int most);
  int counted(const std::string& key, int most);  // key = count

  // begin kind (format of 95-01-09)
  void begin(const std::string& kind);
  // Before each of `count` records: the list must not end early.
  void expect_record(const std::string& key, int index, int count) const;
  // end kind, and nothing after it; the second form stands after `count` records.
  void end(const std::string& kind);
  void end(const std::string& kind, const std::string& key, int count);

  // The word in quotes, cut and made printable.
  static std::string quoted(std::string_view word);

 private:
  [[noreturn]] void fail_word(const Word& word, const std::string& expected) const;
  void advance();

  std::string text_, file_;
  std::size_t position_ = 0;
  int line_ = 1;
  Word word_;
  std::istringstream number_;  // reads numbers the same way in every locale
};

}  // namespace molejo
