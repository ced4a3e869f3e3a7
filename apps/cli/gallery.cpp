// molejo gallery: every file of a folder that moves or can be drawn, shown on one page.
#include "molejo/io/gallery.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <set>

#include "apps/cli/command.h"
#include "apps/cli/gallery_cards.h"
#include "apps/cli/outputs.h"
#include "molejo/io/file.h"
#include "molejo/model/error.h"
#include "molejo/net/net.h"

namespace molejo::cli {

namespace {

namespace fs = std::filesystem;

// In the order of the studio's gallery; behind them what cannot be read, whose fault is told when
// it is tried. Characters alone have no card: walks show them.
std::vector<CatalogEntry> find_files(const std::string& folder) {
  std::vector<CatalogEntry> found = catalog(folder);
  std::set<std::string> known;
  for (const CatalogEntry& entry : found) known.insert(entry.file);
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto at = fs::recursive_directory_iterator(folder, options, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(".")) at.disable_recursion_pending();
    const std::string file = fs::relative(at->path(), folder, error).generic_string();
    const auto kind = name.starts_with(".") ? std::nullopt : kind_of(name);
    if (kind && at->is_regular_file(error) && !known.contains(file)) {
      found.push_back({file, *kind, "others", at->path().stem().string(), "", ""});
    }
  }
  std::erase_if(found, [](const CatalogEntry& e) { return e.kind == FileKind::character; });
  if (found.empty()) {
    throw InputError(folder + ": holds nothing to show (" + known_endings() + ")");
  }
  return found;
}

// "bacin-e1" for bacin/e1/e1.cfg: the way from the folder, without repeating itself. With the
// ending where another file is called so.
std::string base_name(const std::string& file, std::set<std::string>& known) {
  fs::path way = file;
  way.replace_extension();
  std::string base, last;
  for (const fs::path& part : way) {
    if (part == last) continue;
    last = part.string();
    base += (base.empty() ? "" : "-") + last;
  }
  if (!known.insert(base).second) base += "-" + ending(file).substr(1);
  known.insert(base);
  return base;
}

}  // namespace

int gallery(const GalleryOptions& options) {
  const std::vector<CatalogEntry> files = find_files(options.scenes);
  std::error_code error;
  fs::create_directories(options.out, error);
  const std::string page = (fs::path(options.out) / "index.html").string();
  check_output(page, {".html"}, options.scenes);

  // one bad file must not hide the others
  int code = success;
  std::vector<GalleryCard> cards;
  std::set<std::string> bases;
  for (const CatalogEntry& entry : files) {
    const GallerySource source{entry, (fs::path(options.scenes) / entry.file).string(),
                               base_name(entry.file, bases), options.out};
    const auto start = std::chrono::steady_clock::now();
    try {
      MadeCard made = make_card(source);
      const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
      const std::string& failure = made.card.failure;
      fmt::print("  {:<34} {:>6.2f} s  {}{}\n", source.base, wall.count(), made.told,
                 failure.empty() ? "" : ", stopped early: " + failure);
      if (!failure.empty()) code = std::max<int>(code, numeric_failure);
      cards.push_back(std::move(made.card));
    } catch (const NotInstalled& absent) {
      fmt::print("  {:<34} left out: {} is not installed; run scripts/install_deps --test\n",
                 source.base, absent.file);
    } catch (const InputError& problem) {
      fmt::print(stderr, "molejo: {}\n", problem.what());
      code = std::max<int>(code, bad_input);
    } catch (const NetError& problem) {
      fmt::print(stderr, "molejo: {}: {}\n", source.path, problem.what());
      code = std::max<int>(code, bad_input);
    } catch (const std::exception& problem) {
      fmt::print(stderr, "molejo: {}: internal error: {}\n", source.path, problem.what());
      code = internal_error;
    }
    std::fflush(stdout);
  }
  write_file(page, gallery_page(cards));
  fmt::print("{} cards, and the files that they link, in {}. Look at them all in\n  file://{}\n",
             cards.size(), options.out, fs::absolute(page).lexically_normal().string());
  return code;
}

}  // namespace molejo::cli
