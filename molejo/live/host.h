// Those who talk with the clients of a Server, on a thread of their own.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "molejo/live/server.h"
#include "molejo/live/session.h"

namespace molejo {

// What hears the clients. One thread calls it.
class Conversation {
 public:
  virtual ~Conversation() = default;
  virtual void open(ClientKey client) = 0;
  virtual void close(ClientKey client) = 0;
  virtual void receive(ClientKey client, std::string_view text) = 0;
  // As Playback::tick.
  virtual double tick(double now) = 0;
};

class Host {
 public:
  // Throws InputError for options that cannot be used, NetworkError when the address cannot be had.
  explicit Host(ServerOptions server);
  ~Host();

  // Where a conversation sends what it says.
  Playback::Outputs outputs();
  Server& server() { return server_; }

  // Lets clients in. `requests`: see ServerHandlers.
  void start(std::unique_ptr<Conversation> conversation,
             std::function<std::optional<HttpAnswer>(const HttpRequest&)> requests = {});
  // Calls tick soon. Any thread.
  void wake();
  // Returns when all is over. Any thread, any number of times.
  void stop();

  int port() const { return server_.port(); }
  const std::string& token() const { return server_.token(); }
  std::string url() const { return server_.url(); }

 private:
  struct Event {
    enum class Kind { open, message, close } kind;
    ClientId client;
    std::string text;
  };
  void post(Event event);
  void tell(const Event& event);
  void work();

  Server server_;
  std::unique_ptr<Conversation> conversation_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<Event> events_;
  bool stopping_ = false, woken_ = false;
  std::thread worker_;
};

// A live run on the network.
class LiveHost {
 public:
  // Throws InputError for a scene or options that cannot be used, NetworkError when the address
  // cannot be had.
  LiveHost(Scene scene, SessionOptions session, ServerOptions server);

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
