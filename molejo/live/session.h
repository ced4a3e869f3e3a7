// The messages of a live run (docs/live.md): JSON in, JSON out. Knows nothing of sockets.
//
//   {"do": "play", "id": 7}   ->   {"id": 7, "ok": true, ...}   or   {"id": 7, "error": "..."}
//
// A session belongs to one thread; whoever reads the network hands the messages over to it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "molejo/live/live_run.h"

namespace molejo {

struct SessionOptions {
  std::string folder;  // scenes that clients may load lie in here; empty: none
  HistoryLimits history;
  double most_frames_per_second = 60;  // sent to a client, in wall time
  double most_work_per_tick = 0.05;    // s of wall time, so that messages are heard
};

class Session {
 public:
  using ClientKey = std::uint64_t;
  // Where answers and frames go.
  struct Outputs {
    std::function<void(ClientKey, const std::string& text)> reply;
    std::function<void(const std::vector<ClientKey>&, const std::string& text)> frame;
  };
  Session(Scene scene, SessionOptions options, Outputs outputs);

  void open(ClientKey client);
  void close(ClientKey client);
  // One message of a client.
  void receive(ClientKey client, std::string_view text);

  // Goes on as far as the wall clock (seconds, any origin) demands, and sends what is due. Returns
  // the seconds until it wants to be called again; negative: not before a message comes.
  double tick(double now);

  void play();
  const LiveRun& run() const { return *run_; }
  bool is_playing() const { return playing_; }

 private:
  struct Subscription {
    bool frames = false, contacts = false;
    std::vector<std::string> plots;
    double least_interval = 0, last_sent = -1e9;  // wall seconds
  };
  struct Command;
  struct Word;
  static const std::vector<Word>& words();
  std::string execute(const Command& command);
  void pause();
  void step(const Command& command);
  void set_speed(const Command& command);
  void replace(const Command& command);
  void push(const Command& command);
  void subscribe(const Command& command);
  void load(const Command& command);
  // What answers say.
  std::string describe() const;
  std::string status() const;
  std::string nothing() const { return {}; }

  void show_anew();
  void send_frame(double now, bool to_all);
  std::string frame_text(const Subscription& subscription) const;
  void restart_clock();

  SessionOptions options_;
  Outputs outputs_;
  std::unique_ptr<LiveRun> run_;
  std::map<ClientKey, Subscription> clients_;
  bool playing_ = false;
  double speed_ = 1;  // simulated seconds per second; 0: as fast as it can
  double now_ = 0;
  double clock_wall_ = 0, clock_time_ = 0;  // when the clock was last set
  bool clock_is_set_ = false;
  double rate_ = 0;  // simulated seconds per second, measured
  double rate_wall_ = 0, rate_time_ = 0;
  bool changed_ = true;  // what is shown, since it was last sent
};

}  // namespace molejo
