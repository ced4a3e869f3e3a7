// Those who talk with the clients of a Server, on a thread of their own.
//
// Whatever they are busy with, others are not kept waiting: a clerk answers {"do": "status"} from
// what was last known, and ends what is under way for who wants something else to be shown.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "molejo/live/server.h"
#include "molejo/live/session.h"
#include "molejo/math/interrupt.h"

namespace molejo {

// What hears the clients. One thread calls it. All that it does can be interrupted.
class Conversation {
 public:
  virtual ~Conversation() = default;
  virtual void open(ClientKey client) = 0;
  virtual void close(ClientKey client) = 0;
  virtual void receive(ClientKey client, std::string_view text) = 0;
  // As Playback::tick.
  virtual double tick(double now) = 0;
  // The fields of the answer to {"do": "status"}.
  virtual std::string status() const = 0;
  // Has this client asked for something that is answered later? It is heard after that, unless
  // what it says ends it.
  virtual bool owes_answer(ClientKey client) const = 0;
};

struct HostLimits {
  std::size_t waiting_bytes = std::size_t{64} << 20;  // of messages; a quarter of it of one client
  double longest_message = 30;                        // s: what takes longer is given up
};

class Host {
 public:
  // Throws InputError for options that cannot be used, NetworkError when the address cannot be had.
  explicit Host(ServerOptions server, HostLimits limits = {});
  ~Host();

  // Where a conversation sends what it says.
  Playback::Outputs outputs();
  Server& server() { return server_; }

  // Lets clients in. `requests`: see ServerHandlers.
  void start(std::unique_ptr<Conversation> conversation,
             std::function<std::optional<HttpAnswer>(const HttpRequest&)> requests = {});
  // Calls tick soon. Any thread.
  void wake();
  // Ends what is under way, and returns when all is over. Any thread, any number of times.
  void stop();

  int port() const { return server_.port(); }
  const std::string& token() const { return server_.token(); }
  std::string url() const { return server_.url(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Event {
    enum class Kind { open, message, close } kind;
    ClientId client;
    std::string text = {};
    Clock::time_point came = Clock::now();
    std::optional<Asker> status = {};  // asks for no more than that
    bool is_change = false;            // wants something else than what it waits for
    bool ends_work = false;            // and than what is under way
  };
  class Work;

  void post(Event event);
  bool has_room(const Event& event);
  std::deque<Event>::iterator remove(std::deque<Event>::iterator event);
  void work();
  std::deque<Event>::iterator next_event();
  bool take_event(Event& event);
  void tell(const Event& event);
  void note_standing(bool anew);
  void answer_meanwhile();
  void look_at_waiting();

  const HostLimits limits_;
  Server server_;
  std::unique_ptr<Conversation> conversation_;
  std::mutex mutex_;  // guards all below
  std::condition_variable news_, waiting_;
  std::deque<Event> events_;
  std::map<ClientId, std::size_t> bytes_;  // of events_, by client
  std::size_t all_bytes_ = 0;
  std::string standing_;  // the last status
  Interrupt* under_way_ = nullptr;
  bool stopping_ = false, woken_ = false;
  Clock::time_point noted_{};  // when standing_ was; of the worker alone
  std::thread worker_, clerk_;
  std::mutex ending_;
};

// A live run on the network.
class LiveHost {
 public:
  // Throws InputError for a scene or options that cannot be used, NetworkError when the address
  // cannot be had.
  LiveHost(Scene scene, SessionOptions session, ServerOptions server, HostLimits limits = {});

  // Lets clients in; the run goes on when one says so, or at once.
  void start(bool playing);
  void stop() { host_.stop(); }

  int port() const { return host_.port(); }
  const std::string& token() const { return host_.token(); }
  std::string url() const { return host_.url(); }

 private:
  Host host_;
  std::unique_ptr<Session> session_;  // until the start
};

}  // namespace molejo
