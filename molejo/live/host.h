// A live run on the network: the clients of a Server talk to one Session, on a thread of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "molejo/live/server.h"
#include "molejo/live/session.h"

namespace molejo {

class LiveHost {
 public:
  // Throws InputError for a scene or options that cannot be used, NetworkError when the address
  // cannot be had.
  LiveHost(Scene scene, SessionOptions session, ServerOptions server);
  ~LiveHost();

  // Lets clients in; the run goes on when one says so, or at once.
  void start(bool playing);
  // Returns when all is over. Any thread, any number of times.
  void stop();

  int port() const { return server_.port(); }
  std::string url() const { return server_.url(); }

 private:
  struct Event {
    enum class Kind { open, message, close } kind;
    ClientId client;
    std::string text;
  };
  void post(Event event);
  void work();

  Server server_;
  Session session_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<Event> events_;
  bool stopping_ = false;
  std::thread worker_;
};

}  // namespace molejo
