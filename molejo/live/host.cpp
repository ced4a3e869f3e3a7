#include "molejo/live/host.h"

#include <chrono>

namespace molejo {

namespace {

using Clock = std::chrono::steady_clock;

// Messages that wait for a run that is busy; whoever sends more is told so.
constexpr std::size_t most_waiting = 10'000;

double seconds_now() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

Session::ClientKey key(ClientId client) { return static_cast<Session::ClientKey>(client); }

}  // namespace

LiveHost::LiveHost(Scene scene, SessionOptions session, ServerOptions server)
    : server_(std::move(server)),
      session_(std::move(scene), std::move(session),
               {[this](Session::ClientKey client, const std::string& text) {
                  server_.send(ClientId{client}, text);
                },
                [this](const std::vector<Session::ClientKey>& clients, const std::string& text) {
                  std::vector<ClientId> ids;
                  for (const Session::ClientKey client : clients) ids.push_back(ClientId{client});
                  server_.send_frame(ids, 0, text);
                }}) {}

LiveHost::~LiveHost() { stop(); }

void LiveHost::start(bool playing) {
  if (playing) session_.play();
  worker_ = std::thread([this] { work(); });
  server_.start({.on_open =
                     [this](ClientId client) {
                       post({Event::Kind::open, client, {}});
                     },
                 .on_message =
                     [this](ClientId client, const std::string& text) {
                       post({Event::Kind::message, client, text});
                     },
                 .on_close =
                     [this](ClientId client, const CloseReason&) {
                       post({Event::Kind::close, client, {}});
                     }});
}

void LiveHost::post(Event event) {
  {
    const std::lock_guard lock(mutex_);
    if (event.kind != Event::Kind::message || events_.size() < most_waiting) {
      events_.push_back(std::move(event));
      news_.notify_one();
      return;
    }
  }
  server_.send(event.client, R"({"error":"the run is busy: too many messages are waiting"})");
}

void LiveHost::work() {
  double wait = 0;
  while (true) {
    std::deque<Event> events;
    {
      std::unique_lock lock(mutex_);
      const auto awake = [&] { return stopping_ || !events_.empty(); };
      if (wait < 0) {
        news_.wait(lock, awake);
      } else if (wait > 0) {
        news_.wait_for(lock, std::chrono::duration<double>(wait), awake);
      }
      if (stopping_) return;
      std::swap(events, events_);
    }
    for (const Event& event : events) {
      switch (event.kind) {
        case Event::Kind::open:
          session_.open(key(event.client));
          break;
        case Event::Kind::close:
          session_.close(key(event.client));
          break;
        case Event::Kind::message:
          session_.receive(key(event.client), event.text);
      }
    }
    wait = session_.tick(seconds_now());
  }
}

void LiveHost::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    news_.notify_one();
  }
  server_.stop();
  if (worker_.joinable()) worker_.join();
}

}  // namespace molejo
