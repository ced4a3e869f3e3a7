#include "molejo/live/host.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>

namespace molejo {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// Messages that wait for a run that is busy; whoever sends more is told so.
constexpr std::size_t most_waiting = 10'000;
constexpr std::size_t longest_word = 1000;  // bytes of a message that is looked into at once
constexpr auto status_patience = 60ms;      // then it is answered from what was last known
constexpr auto word_patience = 1s;          // then what is under way is ended
constexpr auto look_interval = 25ms;
constexpr auto most_talk = 50ms;  // without a tick

// Who says one of these need not wait for what it asked for before: it wants something else. What
// is under way is ended for the first few.
constexpr std::array<std::string_view, 9> words_of_change = {
    "cancel", "pause", "reset", "open", "load", "seek", "branch", "play", "step"};
constexpr std::size_t words_that_end_work = 5;

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
  std::string status() const override { return session_->status(); }
  bool owes_answer(ClientKey client) const override { return session_->owes_answer(client); }

 private:
  std::unique_ptr<Session> session_;
};

}  // namespace

// What the worker does now, as long as it lives.
class Host::Work {
 public:
  Work(Host& host, Interrupt& interrupt) : host_(host), scope_(interrupt) {
    const std::lock_guard lock(host_.mutex_);
    host_.under_way_ = &interrupt;
    if (host_.stopping_) interrupt.cancel();
  }
  ~Work() {
    const std::lock_guard lock(host_.mutex_);
    host_.under_way_ = nullptr;
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

 private:
  Host& host_;
  InterruptScope scope_;
};

Host::Host(ServerOptions server, HostLimits limits) : limits_(limits), server_(std::move(server)) {}

Host::~Host() { stop(); }

Playback::Outputs Host::outputs() {
  const auto ids = [](const Playback::Clients& clients) {
    std::vector<ClientId> list;
    for (const ClientKey client : clients) list.push_back(ClientId{client});
    return list;
  };
  return {[this, ids](const Playback::Clients& clients, const std::string& text) {
            server_.send(ids(clients), text);
          },
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
  note_standing(true);
  worker_ = std::thread([this] { work(); });
  clerk_ = std::thread([this] { answer_meanwhile(); });
  server_.start({.on_open =
                     [this](ClientId client) {
                       post({Event::Kind::open, client});
                     },
                 .on_message =
                     [this](ClientId client, const std::string& text) {
                       post({Event::Kind::message, client, text});
                     },
                 .on_close =
                     [this](ClientId client, const CloseReason&) {
                       post({Event::Kind::close, client});
                     },
                 .on_request = std::move(requests)});
}

void Host::post(Event event) {
  if (event.kind == Event::Kind::message && event.text.size() <= longest_word) {
    answer(event.text, key(event.client), [&](const Message& message) {
      const std::string word = message.word();
      if (word == "status") event.status = message.asker();
      const auto found = std::find(words_of_change.begin(), words_of_change.end(), word);
      event.is_change = found != words_of_change.end();
      event.ends_work = found < words_of_change.begin() + words_that_end_work;
      return std::nullopt;
    });
  }
  const std::lock_guard lock(mutex_);
  if (event.kind == Event::Kind::message && !has_room(event)) {
    server_.send(event.client,
                 event.status ? event.status->ok(standing_ + ",\"busy\":true")
                              : R"({"error":"the run is busy: too many messages are waiting"})");
    return;
  }
  all_bytes_ += event.text.size();
  bytes_[event.client] += event.text.size();
  events_.push_back(std::move(event));
  news_.notify_one();
  waiting_.notify_one();
}

// Of short messages it is enough that they are not too many. With the lock held.
bool Host::has_room(const Event& event) {
  const std::size_t size = event.text.size();
  return events_.size() < most_waiting &&
         (size <= longest_word || (all_bytes_ + size <= limits_.waiting_bytes &&
                                   bytes_[event.client] + size <= limits_.waiting_bytes / 4));
}

// With the lock held.
std::deque<Host::Event>::iterator Host::remove(std::deque<Event>::iterator event) {
  all_bytes_ -= event->text.size();
  bytes_[event->client] -= event->text.size();
  return events_.erase(event);
}

// The first of those who may be heard. With the lock held.
std::deque<Host::Event>::iterator Host::next_event() {
  return std::find_if(events_.begin(), events_.end(), [&](const Event& e) {
    return e.kind != Event::Kind::message || e.is_change ||
           !conversation_->owes_answer(key(e.client));
  });
}

bool Host::take_event(Event& event) {
  const std::lock_guard lock(mutex_);
  const auto next = next_event();
  if (stopping_ || next == events_.end()) return false;
  event = *next;
  remove(next);
  if (event.kind == Event::Kind::close) {
    // what it still wanted to say, nobody waits for
    for (auto e = events_.begin(); e != events_.end();) {
      e = e->client == event.client ? remove(e) : std::next(e);
    }
    bytes_.erase(event.client);
  }
  return true;
}

void Host::work() {
  double wait = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      const auto awake = [&] { return stopping_ || woken_ || next_event() != events_.end(); };
      if (wait < 0) {
        news_.wait(lock, awake);
      } else if (wait > 0) {
        news_.wait_for(lock, std::chrono::duration<double>(wait), awake);
      }
      if (stopping_) return;
      woken_ = false;
    }
    const Clock::time_point begun = Clock::now();
    bool heard = false;
    for (Event event; Clock::now() - begun < most_talk && take_event(event); heard = true) {
      tell(event);
    }
    if (heard) note_standing(true);
    try {
      Interrupt interrupt;
      const Work work(*this, interrupt);
      wait = conversation_->tick(seconds_now());
    } catch (const std::exception&) {
      wait = 1;  // whatever it was, the others are still heard
    }
    note_standing(false);
  }
}

void Host::tell(const Event& event) {
  try {
    Interrupt interrupt(limits_.longest_message);
    const Work work(*this, interrupt);
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

// For who asks while the worker is busy.
void Host::note_standing(bool anew) {
  if (!anew && Clock::now() - noted_ < look_interval) return;
  try {
    std::string text = conversation_->status();
    const std::lock_guard lock(mutex_);
    standing_ = std::move(text);
    noted_ = Clock::now();
  } catch (const std::exception&) {
    // the one before will do
  }
}

void Host::answer_meanwhile() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    waiting_.wait(lock, [this] { return stopping_ || !events_.empty(); });
    waiting_.wait_for(lock, look_interval, [this] { return stopping_; });
    try {
      if (!stopping_) look_at_waiting();
    } catch (const std::exception&) {
      // no memory for an answer: later, perhaps
    }
  }
}

// With the lock held.
void Host::look_at_waiting() {
  const Clock::time_point now = Clock::now();
  for (auto e = events_.begin(); e != events_.end();) {
    if (e->ends_work && under_way_ && now - e->came > word_patience) under_way_->cancel();
    if (!e->status || now - e->came < status_patience) {
      ++e;
      continue;
    }
    server_.send(e->client, e->status->ok(standing_ + ",\"busy\":true"));
    e = remove(e);
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
    if (under_way_) under_way_->cancel();
    news_.notify_one();
    waiting_.notify_one();
  }
  server_.stop();
  const std::lock_guard lock(ending_);
  if (worker_.joinable()) worker_.join();
  if (clerk_.joinable()) clerk_.join();
  conversation_.reset();  // with what it does in the background
}

LiveHost::LiveHost(Scene scene, SessionOptions session, ServerOptions server, HostLimits limits)
    : host_(std::move(server), limits),
      session_(std::make_unique<Session>(std::move(scene), std::move(session), host_.outputs())) {}

void LiveHost::start(bool playing) {
  if (playing) session_->play();
  host_.start(std::make_unique<SessionConversation>(std::move(session_)));
}

}  // namespace molejo
