#include "apps/cli/render.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "apps/cli/command.h"
#include "apps/cli/given.h"
#include "apps/cli/memory.h"
#include "apps/cli/outputs.h"
#include "apps/cli/page.h"
#include "apps/cli/studio.h"
#include "molejo/io/file.h"
#include "molejo/io/temporary_folder.h"
#include "molejo/live/http.h"
#include "molejo/model/error.h"
#include "molejo/studio/catalog.h"
#include "molejo/studio/child.h"
#include "molejo/studio/film.h"
#include "molejo/studio/studio.h"

namespace molejo::cli {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto picture_patience = std::chrono::seconds(60);  // for one picture
constexpr int max_pictures = 100'000;

struct Size {
  int width = 0, height = 0;
};

Size parse_size(const std::string& text) {
  Size size;
  int used = 0;
  if (std::sscanf(text.c_str(), "%5dx%5d%n", &size.width, &size.height, &used) != 2 ||
      used != static_cast<int>(text.size()) || size.width < 16 || size.height < 16 ||
      size.width > 7680 || size.height > 4320) {
    throw InputError(fmt::format(
        "--size: '{:.40}': expected WIDTHxHEIGHT from 16x16 to 7680x4320, as 1280x720", text));
  }
  return size;
}

// Pictures as they come from the page, in order, handed to whoever waits.
class Inbox {
 public:
  void put(int index, std::string picture) {
    const std::lock_guard lock(mutex_);
    pictures_[index] = std::move(picture);
    changed_.notify_all();
  }
  void end(std::string failure) {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    failure_ = std::move(failure);
    changed_.notify_all();
  }
  // The next picture; nothing: there are no more. Throws when none comes.
  std::optional<std::string> next(Child& browser) {
    std::unique_lock lock(mutex_);
    const auto deadline = Clock::now() + picture_patience;
    while (!pictures_.contains(next_)) {
      if (ended_) {
        if (!failure_.empty()) throw std::runtime_error(failure_);
        return std::nullopt;
      }
      check_interrupt();
      if (!browser.runs()) throw std::runtime_error("the browser has ended");
      if (Clock::now() > deadline) throw std::runtime_error("the browser drew nothing for 60 s");
      changed_.wait_for(lock, std::chrono::milliseconds(200));
    }
    std::string picture = std::move(pictures_[next_]);
    pictures_.erase(next_++);
    return picture;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, std::string> pictures_;
  int next_ = 0;
  bool ended_ = false;
  std::string failure_;
};

// Where pictures go: one file, a folder of them, or a film.
class Pictures {
 public:
  Pictures(const std::string& output, double fps) : output_(output) {
    if (output.ends_with(".mp4") || output.ends_with(".gif")) film_.emplace(output, fps);
    if (output.ends_with("/")) fs::create_directories(output);
  }

  void add(const std::string& png) {
    if (film_) {
      film_->add(png);
    } else if (output_.ends_with("/")) {
      write_file(fmt::format("{}{:06d}.png", output_, count_), png);
    } else if (count_ == 0) {
      write_file(output_, png);
    }
    ++count_;
  }
  void finish() {
    if (film_) film_->finish();
  }
  int count() const { return count_; }

 private:
  std::string output_;
  std::optional<FilmWriter> film_;
  int count_ = 0;
};

// A line of progress on a terminal, twice a second.
class Counter {
 public:
  explicit Counter(int all) : all_(all) {}
  ~Counter() {
    if (shown_) fmt::print(stderr, "\r\033[K");
  }
  void tell(int done) {
    const auto now = Clock::now();
    if (!terminal_ || now - last_ < std::chrono::milliseconds(500)) return;
    last_ = now;
    shown_ = true;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const double rate = done / seconds;
    fmt::print(stderr, "\r\033[K{} of {} pictures, {:.1f} a second, {:.0f} s left", done, all_,
               rate, rate > 0 ? (all_ - done) / rate : 0.0);
    std::fflush(stderr);
  }

 private:
  const int all_;
  const bool terminal_ = ::isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

// For env: what the browser throws away at its end, or would, lies in its profile.
std::vector<std::string> browser_words(const std::string& chromium, const std::string& url,
                                       const Size& size, const std::string& profile, bool dark) {
  std::vector<std::string> words{"TMPDIR=" + profile,
                                 chromium,
                                 "--headless=new",
                                 "--use-angle=swiftshader",
                                 "--enable-unsafe-swiftshader",
                                 "--hide-scrollbars",
                                 "--mute-audio",
                                 "--no-first-run",
                                 "--disable-extensions",
                                 "--disable-background-networking",
                                 "--force-device-scale-factor=1",
                                 fmt::format("--window-size={},{}", size.width, size.height),
                                 "--user-data-dir=" + profile};
  if (::geteuid() == 0) words.emplace_back("--no-sandbox");
  if (dark) words.emplace_back("--blink-settings=preferredColorScheme=0");
  words.push_back(url);
  return words;
}

// The address of a page that goes on to `url`. The folder is ours alone, a command line is for all
// to read: so the token of the address stands in the page.
std::string page_that_leads_to(const std::string& url, const std::string& folder) {
  const std::string page = folder + "/start.html";
  write_file(page, "<!doctype html><script>location.replace('" + url + "')</script>");
  return "file://" + page;
}

void check_output_name(const RenderOptions& o) {
  if (o.output.ends_with("/")) return;
  check_output(o.output, {".mp4", ".gif", ".png"}, o.file);
}

void check_camera(const RenderOptions& o) {
  static const std::vector<std::string> sides{"side", "front", "three-quarter", "scene"};
  if (o.camera.empty()) return;
  if (std::find(sides.begin(), sides.end(), o.camera) == sides.end()) {
    throw InputError("--camera: " + unknown_word("place", o.camera, sides));
  }
  if (kind_of(o.file) == FileKind::net) {
    throw InputError("--camera: " + o.file + " is a net, which is drawn flat");
  }
}

}  // namespace

CLI::App* add_render(CLI::App& app, RenderOptions& o) {
  CLI::App* command = app.add_subcommand(
      "render", "Make pictures and films of anything that the studio shows, without a window");
  command->add_option("FILE", o.file, "Any file that the studio opens")->type_name("");
  command
      ->add_option(
          "-o,--output", o.output,
          "File to write: a film .mp4 or .gif, a picture .png, or a folder with a / at its end")
      ->type_name("FILE");
  command->add_option("--size", o.size, "Size in pixels")->capture_default_str()->type_name("WxH");
  command->add_option("--fps", o.fps, "Pictures per second of a film")
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--from", o.from, "Time at which it begins")
      ->capture_default_str()
      ->type_name("S");
  command->add_option("--seconds", o.seconds, "Length of the film")
      ->capture_default_str()
      ->type_name("S");
  command
      ->add_option(
          "--camera", o.camera,
          "Where to look from: side, front, three-quarter or scene, the camera of the file "
          "(default: scene, or three-quarter if the file has no camera)")
      ->type_name("NAME");
  command
      ->add_option("--show", o.show, "What to draw as well: joints, contacts, forces, trails, ...")
      ->type_name("A,B");
  command->add_flag("--dark", o.dark, "Use a dark background");
  command->add_flag("--json", o.json, "Print what was made as one JSON object");
  return command;
}

int render(const RenderOptions& o) {
  const auto number = [](const char* name, double x, double least, double most) {
    if (x >= least && x <= most) return x;
    throw InputError(fmt::format("{}: {:g}: expected {:g} to {:g}", name, x, least, most));
  };
  if (o.output.empty())
    throw InputError("-o FILE is missing: .mp4, .gif, .png or a folder ending in /");
  check_output_name(o);
  check_camera(o);
  const Size size = parse_size(o.size);
  const double fps = number("--fps", o.fps, 1, 240), from = number("--from", o.from, 0, 3600);
  const bool one = o.output.ends_with(".png");
  const double seconds = one ? 0 : number("--seconds", o.seconds, 1 / fps, 3600);
  const int wanted = one ? 1 : std::max(1, static_cast<int>(std::lround(seconds * fps)));
  if (wanted > max_pictures) {
    throw InputError(fmt::format("{} pictures: at most {} are made", wanted, max_pictures));
  }
  const std::string chromium =
      need_program({"chromium", "chromium-browser", "google-chrome"}, "chromium");

  Inbox inbox;
  molejo::StudioOptions own;
  own.page = studio_page();
  own.scenes = o.scenes;
  own.max_memory = max_memory();
  own.roots = given_roots();
  own.on_picture = [&](int index, std::string_view png) { inbox.put(index, std::string(png)); };
  own.on_pictures_end = [&](const std::string& failure) { inbox.end(failure); };
  Pictures pictures(o.output, fps);
  Studio studio(std::move(own), {});
  studio.start(o.file);
  std::string url = fmt::format("{}#bare=1&render={:g},{:g},{},{},{}", studio.url(), from, fps,
                                wanted, size.width, size.height);
  if (!o.camera.empty()) url += "&camera=" + percent_encode(o.camera);
  if (!o.show.empty()) url += "&show=" + percent_encode(o.show);
  const TemporaryFolder folder;
  {
    const std::string start = page_that_leads_to(url, folder.path());
    Child browser(need_program({"env"}, "coreutils"),
                  browser_words(chromium, start, size, folder.path(), o.dark));
    Counter counter(wanted);
    while (pictures.count() < wanted) {
      const std::optional<std::string> picture = inbox.next(browser);
      if (!picture) break;
      pictures.add(*picture);
      counter.tell(pictures.count());
    }
  }
  studio.stop();
  pictures.finish();
  if (o.json) {
    fmt::print("{{\"file\": \"{}\", \"pictures\": {}, \"width\": {}, \"height\": {}}}\n", o.output,
               pictures.count(), size.width, size.height);
  } else {
    fmt::print("{}: {} pictures of {}x{}\n", o.output, pictures.count(), size.width, size.height);
  }
  return success;
}

}  // namespace molejo::cli
