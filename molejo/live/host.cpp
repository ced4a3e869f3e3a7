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

ClientKey key(ClientId client) { return static_cast<ClientKey>(client); }

class SessionConversation : public Conversation {
 public:
  explicit SessionConversation(std::unique_ptr<Session> session) : session_(std::move(session)) {}
  void open(ClientKey client) override { session_->open(client); }
  void close(ClientKey client) override { session_->close(client); }
  void receive(ClientKey client, std::string_view text) override {
    session_->receive(client, text);
  }
  double tick(double now) override { return session_->tick(now); }

 private:
  std::unique_ptr<Session> session_;
};

}  // namespace

Host::Host(ServerOptions server) : server_(std::move(server)) {}

Host::~Host() {
  stop();
  conversation_.reset();  // what it does in the background calls wake() until then
}

Playback::Outputs Host::outputs() {
  const auto ids = [](const Playback::Clients& clients) {
    std::vector<ClientId> list;
    for (const ClientKey client : clients) list.push_back(ClientId{client});
    return list;
  };
  return {
      [this](ClientKey client, const std::string& text) { server_.send(ClientId{client}, text); },
      [this, ids](const Playback::Clients& clients, const std::string& text) {
        server_.send_frame(ids(clients), 0, text);
      },
      [this, ids](const Playback::Clients& clients, int stream, const std::string& bytes) {
        server_.send_frame(ids(clients), stream, bytes, Payload::binary);
      }};
}

void Host::start(std::unique_ptr<Conversation> conversation,
                 std::function<std::optional<HttpAnswer>(const HttpRequest&)> requests) {
  conversation_ = std::move(conversation);
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
                     },
                 .on_request = std::move(requests)});
}

void Host::post(Event event) {
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

void Host::work() {
  double wait = 0;
  while (true) {
    std::deque<Event> events;
    {
      std::unique_lock lock(mutex_);
      const auto awake = [&] { return stopping_ || woken_ || !events_.empty(); };
      if (wait < 0) {
        news_.wait(lock, awake);
      } else if (wait > 0) {
        news_.wait_for(lock, std::chrono::duration<double>(wait), awake);
      }
      if (stopping_) return;
      woken_ = false;
      std::swap(events, events_);
    }
    for (const Event& event : events) tell(event);
    try {
      wait = conversation_->tick(seconds_now());
    } catch (const std::exception&) {
      wait = 1;  // whatever it was, the others are still heard
    }
  }
}

void Host::tell(const Event& event) {
  try {
    switch (event.kind) {
      case Event::Kind::open:
        return conversation_->open(key(event.client));
      case Event::Kind::close:
        return conversation_->close(key(event.client));
      case Event::Kind::message:
        return conversation_->receive(key(event.client), event.text);
    }
  } catch (const std::exception&) {
    server_.close(event.client, {CloseCode::internal_error, "internal error"});
  }
}

void Host::wake() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  news_.notify_one();
}

void Host::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    news_.notify_one();
  }
  server_.stop();
  if (worker_.joinable()) worker_.join();
}

LiveHost::LiveHost(Scene scene, SessionOptions session, ServerOptions server)
    : host_(std::move(server)),
      session_(std::make_unique<Session>(std::move(scene), std::move(session), host_.outputs())) {}

void LiveHost::start(bool playing) {
  if (playing) session_->play();
  host_.start(std::make_unique<SessionConversation>(std::move(session_)));
}

}  // namespace molejo
