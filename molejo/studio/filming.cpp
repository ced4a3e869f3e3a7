#include "molejo/studio/filming.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "molejo/io/file.h"
#include "molejo/model/error.h"
#include "molejo/studio/film.h"

namespace molejo {

namespace {

constexpr int most_pictures = 18'000;  // ten minutes of thirty a second
constexpr std::size_t most_queued_bytes = std::size_t{48} << 20;
constexpr std::size_t most_picture_bytes = std::size_t{16} << 30;  // of all pictures
constexpr std::size_t most_film_bytes = std::size_t{256} << 20;
constexpr auto picture_patience = std::chrono::seconds(60);  // for one picture
constexpr auto told_interval = std::chrono::milliseconds(500);

}  // namespace

FilmPlan read_film_plan(const Message& message, const std::string& name) {
  FilmPlan plan;
  plan.name = name;
  plan.pictures = message.whole("pictures", 1, most_pictures);
  plan.width = message.whole("width", 16, 3840);
  plan.height = message.whole("height", 16, 2160);
  plan.fps = message.find("fps") ? message.number_within("fps", 1, 240) : plan.fps;
  for (const auto& [key, size] : {std::pair{"width", plan.width}, {"height", plan.height}}) {
    if (size % 2) throw InputError(fmt::format("'{}': {}: expected an even number", key, size));
  }
  return plan;
}

Film::Film(int job, FilmPlan plan, Workspace& workspace, News& news)
    : job_(job), plan_(std::move(plan)), workspace_(workspace), news_(news) {
  need_program({"ffmpeg"}, "ffmpeg");
  thread_ = std::thread([this] { run(); });
}

Film::~Film() {
  {
    const std::lock_guard lock(mutex_);
    interrupt_.cancel();
    changed_.notify_all();
  }
  thread_.join();
}

bool Film::is_over() const {
  const std::lock_guard lock(mutex_);
  return over_;
}

int Film::add(int frame, std::string_view png) {
  const std::lock_guard lock(mutex_);
  if (over_) throw InputError(fmt::format("film {} is over", job_));
  if (frame != taken_) {
    throw InputError(fmt::format("frame {}: expected frame {}", frame, taken_));
  }
  if (taken_ == plan_.pictures) {
    throw InputError(fmt::format("frame {}: the film has {} pictures", frame, plan_.pictures));
  }
  if (const std::string fault = picture_fault(png, plan_.width, plan_.height); !fault.empty()) {
    throw InputError(fmt::format("frame {}: {}", frame, fault));
  }
  if (all_bytes_ + png.size() > most_picture_bytes) {
    throw InputError(
        fmt::format("frame {}: expected {} bytes of pictures at most", frame, most_picture_bytes));
  }
  const bool room = waiting_.empty() || waiting_bytes_ + png.size() <= most_queued_bytes;
  if (!room) return taken_;
  waiting_.emplace_back(png);
  waiting_bytes_ += png.size();
  all_bytes_ += png.size();
  changed_.notify_all();
  return ++taken_;
}

std::string Film::next() {
  std::unique_lock lock(mutex_);
  const bool came = changed_.wait_for(
      lock, picture_patience, [&] { return interrupt_.is_cancelled() || !waiting_.empty(); });
  check_interrupt();
  if (!came) throw std::runtime_error("the page sent no picture for 60 s");
  std::string picture = std::move(waiting_.front());
  waiting_.pop_front();
  waiting_bytes_ -= picture.size();
  return picture;
}

// The name of the asset.
std::string Film::make() {
  const std::string path = fmt::format("{}/film{}.mp4", workspace_.temporary(), job_);
  FilmWriter writer(path, plan_.fps);
  auto told = std::chrono::steady_clock::now();
  for (int k = 0; k < plan_.pictures; ++k) {
    writer.add(next());
    if (const auto now = std::chrono::steady_clock::now(); now - told >= told_interval) {
      told = now;
      news_.tell(fmt::format("{{\"event\":\"progress\",\"job\":{},\"done\":{:.3g}}}", job_,
                             static_cast<double>(k + 1) / plan_.pictures));
    }
  }
  writer.finish();
  std::string bytes;
  std::error_code error;
  try {
    bytes = read_file(path, most_film_bytes);
  } catch (...) {
    std::filesystem::remove(path, error);
    throw;
  }
  std::filesystem::remove(path, error);
  return workspace_.add_asset(plan_.name, std::move(bytes));
}

void Film::run() {
  const InterruptScope scope(interrupt_);
  std::string news;
  try {
    const std::string asset = make();
    news = fmt::format("{{\"event\":\"done\",\"job\":{},\"asset\":{},\"name\":{}}}", job_,
                       json_quoted(asset), json_quoted(plan_.name));
  } catch (const Interrupted& e) {
    const bool cancelled = e.cause == InterruptCause::cancelled;
    news = fmt::format("{{\"event\":\"failed\",\"job\":{},\"error\":{}}}", job_,
                       json_quoted(cancelled ? "cancelled" : e.what()));
  } catch (const std::exception& e) {
    news = fmt::format("{{\"event\":\"failed\",\"job\":{},\"error\":{}}}", job_,
                       json_quoted(e.what()));
  }
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    waiting_.clear();
  }
  news_.tell(news);
}

// Out of the lock it is waited for.
std::unique_ptr<Film> Filming::take_if(const std::function<bool()>& wanted) {
  const std::lock_guard lock(mutex_);
  return film_ && wanted() ? std::move(film_) : nullptr;
}

void Filming::begin(int job, ClientKey owner, FilmPlan plan) {
  take_if([&] { return film_->is_over(); });
  const std::lock_guard lock(mutex_);
  if (film_) throw InputError(fmt::format("film {} is being made already", film_->job()));
  if (stopped_) throw InputError("the studio stops");
  film_ = std::make_unique<Film>(job, std::move(plan), workspace_, news_);
  owner_ = owner;
}

int Filming::add(int job, int frame, std::string_view png) {
  const std::lock_guard lock(mutex_);
  if (!film_ || film_->job() != job) throw InputError(fmt::format("there is no film {}", job));
  return film_->add(frame, png);
}

void Filming::cancel(int job) {
  if (!take_if([&] { return film_->job() == job; })) {
    throw InputError(fmt::format("'cancel': there is no film {}", job));
  }
}

void Filming::leave(ClientKey client) {
  take_if([&] { return owner_ == client; });
}

void Filming::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  take_if([] { return true; });
}

}  // namespace molejo
