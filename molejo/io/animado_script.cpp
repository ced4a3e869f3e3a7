#include "molejo/io/animado_script.h"

#include <filesystem>
#include <map>

#include "molejo/io/bacin_words.h"
#include "molejo/math/expression.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr std::string_view script_blanks = " \t\r\v\f";

std::string_view trimmed_line(std::string_view text) {
  const std::size_t first = text.find_first_not_of(script_blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(script_blanks) - first + 1);
}

std::string printable(std::string_view word) { return BacinWords::quoted(word); }

class ScriptReader {
 public:
  explicit ScriptReader(const AnimadoSource& source) : source_(source) {}

  void read(const std::string& file, int actor) {
    const std::string text = text_at(source_, {"", file, place_});
    bytes_ += text.size();
    if (bytes_ > max_script_bytes) {
      fail("with " + printable(file) + " the script is larger than " +
           std::to_string(max_script_bytes) + " bytes");
    }
    if (++files_ > max_script_files) {
      fail("more than " + std::to_string(max_script_files) + " files");
    }
    const std::string outer = place_;
    chain_.push_back(file);
    for (const TextLine& line : lines_of(text)) {
      place_ = file + ":" + std::to_string(line.number);
      read_line(line.text, actor);
    }
    chain_.pop_back();
    place_ = outer;
  }

  Script script;

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(place_.empty() ? what : place_ + ": " + what);
  }

  void read_line(std::string_view line, int& actor) {
    const std::size_t end = line.find_first_of(script_blanks);
    const std::string word(line.substr(0, end));
    const std::string rest(end == std::string_view::npos ? "" : trimmed_line(line.substr(end)));
    if (++lines_ > max_script_lines) {
      fail("more than " + std::to_string(max_script_lines) + " lines");
    }
    if (word == "INCLUDE") {
      include(rest, actor);
    } else if (word == "ACTOR") {
      actor = add_actor(rest);
    } else if (word == "FILE" || word == "FOLLOW") {
      set_file(word, rest, actor);
    } else {
      add_name(word, rest, actor);
    }
  }

  // Of the folder of the file that names it.
  std::string beside(const std::string& word, const std::string& path) const {
    if (path.empty()) fail(word + ": expected a path after it");
    const std::filesystem::path folder = std::filesystem::path(chain_.back()).parent_path();
    return (folder / path).lexically_normal().string();
  }

  void include(const std::string& path, int actor) {
    const std::string file = beside("INCLUDE", path);
    std::string chain;
    bool again = false;
    for (const std::string& open : chain_) {
      again = again || open == file;
      if (again) chain += open + " -> ";
    }
    if (again) fail("files include each other: " + chain + file);
    if (chain_.size() >= static_cast<std::size_t>(max_script_nesting)) {
      fail("includes are nested deeper than " + std::to_string(max_script_nesting));
    }
    read(file, actor);
  }

  int add_actor(const std::string& name) {
    check_length(name);
    if (!is_free_name(name) || name == "world" || name == "total" || name == "t") {
      fail("ACTOR " + printable(name) + ": expected a name of letters, digits and underscores");
    }
    if (script.actors.size() >= max_script_actors) {
      fail("more than " + std::to_string(max_script_actors) + " actors");
    }
    const auto [at, is_new] = actors_.emplace(name, place_);
    if (!is_new) fail("actor '" + name + "' is there already, at " + at->second);
    script.actors.push_back({name, place_, {}, {}, {}});
    return static_cast<int>(script.actors.size()) - 1;
  }

  void set_file(const std::string& word, const std::string& path, int actor) {
    if (actor < 0) fail(word + ": expected after ACTOR");
    ScriptActor& a = script.actors[static_cast<std::size_t>(actor)];
    std::optional<ScriptLine>& target = word == "FILE" ? a.output : a.follow;
    if (target) fail("actor '" + a.name + "' has a " + word + " already, at " + target->place);
    if (word == "FOLLOW") {
      target = ScriptLine{"", beside(word, path), place_};
      return;
    }
    if (!is_table_name(path)) {
      fail("FILE " + printable(path) + ": expected the name of a file, without a folder");
    }
    target = ScriptLine{"", path, place_};
  }

  void check_length(const std::string& name) const {
    if (name.size() <= max_script_name) return;
    fail(printable(name) + ": a name has at most " + std::to_string(max_script_name) +
         " characters");
  }

  void add_name(const std::string& name, const std::string& text, int actor) {
    check_length(name);
    if (!is_free_name(name) || name == "t") {
      fail(printable(name) +
           ": expected INCLUDE, ACTOR, FILE, FOLLOW or a name that can be defined");
    }
    if (text.empty()) fail(printable(name) + ": expected an expression after it");
    if (text.size() > max_expression_length) {
      fail(printable(name) + ": its expression is longer than " +
           std::to_string(max_expression_length) + " characters");
    }
    const auto [at, is_new] = names_.emplace(std::pair(actor, name), place_);
    if (!is_new) fail(printable(name) + " is there already, at " + at->second);
    (actor < 0 ? script.globals : script.actors[static_cast<std::size_t>(actor)].lines)
        .push_back({name, text, place_});
  }

  const AnimadoSource& source_;
  std::vector<std::string> chain_;  // files that are open
  std::string place_;               // of the line that is read
  std::size_t bytes_ = 0, files_ = 0, lines_ = 0;
  std::map<std::string, std::string> actors_;  // and their places
  std::map<std::pair<int, std::string>, std::string> names_;
};

}  // namespace

std::string text_at(const AnimadoSource& source, const ScriptLine& file) {
  const std::string place = file.place.empty() ? "" : file.place + ": ";
  std::optional<std::string> text;
  try {
    text = source(file.text);
  } catch (const InputError& error) {
    throw InputError(place + error.what());
  }
  if (!text) throw InputError(place + "no such file " + printable(file.text));
  return std::move(*text);
}

std::vector<TextLine> lines_of(std::string_view text) {
  std::vector<TextLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    line = trimmed_line(line.substr(0, line.find('#')));
    if (!line.empty()) lines.push_back({line, number});
  }
  return lines;
}

Script read_script(const AnimadoSource& source, const std::string& file) {
  ScriptReader reader(source);
  reader.read(std::filesystem::path(file).lexically_normal().string(), -1);
  if (reader.script.actors.empty()) throw InputError(file + ": a script without an ACTOR");
  return std::move(reader.script);
}

}  // namespace molejo
