// The film that a page is drawing: it says how many pictures there will be, sends them one after
// the other, and the last one makes the film. One at a time, since all look at one timeline.
//
//   {"do": "film", "pictures", "width", "height", "fps"}   ->   {"job": 7}
//   POST /film?job=7&frame=0   PNG                         ->   {"next": 1}
//
// "next" is the picture to send next: the same again when ffmpeg lags behind.
//
//   {"event": "progress" | "done" | "failed", "job": 7, ...}    as of other exports
//   {"do": "film", "cancel": 7}
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "molejo/live/message.h"
#include "molejo/math/interrupt.h"
#include "molejo/studio/jobs.h"
#include "molejo/studio/workspace.h"

namespace molejo {

struct FilmPlan {
  std::string name;  // of the file
  int pictures = 0;
  int width = 0, height = 0;  // pixels
  double fps = 30;
};

// What a page asks for. Throws InputError.
FilmPlan read_film_plan(const Message& message, const std::string& name);

// Pictures wait here for a thread that hands them to ffmpeg: who brings them never does.
class Film {
 public:
  // Throws InputError where there is no ffmpeg. Both others must outlive it.
  Film(int job, FilmPlan plan, Workspace& workspace, News& news);
  // Ends it with its encoder.
  ~Film();

  int job() const { return job_; }
  bool is_over() const;
  // Which picture to bring next. Throws InputError for one that is none, of another size, or not
  // the next one.
  int add(int frame, std::string_view png);

 private:
  std::string next();
  std::string make();
  void run();

  const int job_;
  const FilmPlan plan_;
  Workspace& workspace_;
  News& news_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;
  std::size_t waiting_bytes_ = 0, all_bytes_ = 0;
  int taken_ = 0;
  bool over_ = false;
  Interrupt interrupt_;
  std::thread thread_;
};

// Any thread.
class Filming {
 public:
  // Both must outlive it.
  Filming(Workspace& workspace, News& news) : workspace_(workspace), news_(news) {}

  // Throws InputError where there is no ffmpeg, or a film is being made already.
  void begin(int job, ClientKey owner, FilmPlan plan);
  // As Film::add. Throws InputError where there is no such film.
  int add(int job, int frame, std::string_view png);
  void cancel(int job);
  // Who has gone brings no more pictures.
  void leave(ClientKey client);
  // None is made any more.
  void stop();

 private:
  std::unique_ptr<Film> take_if(const std::function<bool()>& wanted);

  Workspace& workspace_;
  News& news_;
  std::mutex mutex_;
  std::unique_ptr<Film> film_;
  ClientKey owner_ = 0;
  bool stopped_ = false;
};

}  // namespace molejo
