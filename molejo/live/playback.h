// Who watches a timeline, and how it goes on with the clock: play, pause, step, cancel, speed,
// seek, branch, reset, subscribe (docs/live.md). Steps are taken a few at a time, so that others
// are heard, and answered when all are. What is shown, and what else can be done with it, is told
// by who derives from it. JSON in, JSON or binary frames out; knows nothing of sockets.
//
// Belongs to one thread; whoever reads the network hands the messages over to it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "molejo/io/columns.h"
#include "molejo/live/message.h"
#include "molejo/live/timeline.h"

namespace molejo {

struct PlaybackOptions {
  double most_frames_per_second = 60;  // sent to a client, in wall time
  double most_work_per_tick = 0.05;    // s of wall time, so that messages are heard
};

class Playback {
 public:
  using ClientKey = molejo::ClientKey;
  using Clients = std::vector<ClientKey>;
  // Where answers and frames go. Of each stream of frames only the latest matters; 0 is text.
  struct Outputs {
    std::function<void(const Clients&, const std::string& text)> reply;
    std::function<void(const Clients&, const std::string& text)> frame;
    std::function<void(const Clients&, int stream, const std::string& bytes)> binary = {};
  };

  Playback(PlaybackOptions options, Outputs outputs);
  virtual ~Playback() = default;
  Playback(const Playback&) = delete;
  Playback& operator=(const Playback&) = delete;

  void open(ClientKey client) { clients_[client] = {}; }
  void close(ClientKey client);
  // One message of a client: its answer is sent.
  void receive(ClientKey client, std::string_view text);
  // The same of a message that was read; nothing: it is answered later. Throws InputError.
  std::optional<std::string> execute(const Message& message);
  // Has this client asked for something that is not answered yet?
  bool owes_answer(ClientKey client) const {
    return stepping_ && stepping_->asker.client == client;
  }

  // Goes on as far as the wall clock (seconds, any origin) demands, and sends what is due. Returns
  // the seconds until it wants to be called again; negative: not before a message comes.
  double tick(double now);

  void play();
  void pause();
  bool is_playing() const { return playing_; }
  // Watches on with the clients of another one, as far as they asked for the same.
  void take_clients(Playback& other);

  // What answers say: the fields of an object, without braces.
  virtual std::string describe() const = 0;
  std::string status() const;

 protected:
  struct Subscription {
    bool frames = false, contacts = false, binary = false;
    std::vector<std::string> plots;
    double least_interval = 0, last_sent = -1e9;  // wall seconds
    double last_status = -1e9;
    bool any() const { return frames || contacts || !plots.empty(); }
  };
  struct BinaryFrame {
    int stream = 1;
    std::string bytes;
  };

  virtual const Timeline& timeline() const = 0;
  Timeline& timeline() { return const_cast<Timeline&>(std::as_const(*this).timeline()); }
  // More about the state, beginning with a comma.
  virtual std::string more_status() const { return {}; }
  // Fields of a text frame beside the status, beginning with a comma.
  virtual std::string frame_fields(const Subscription&) const { return {}; }
  virtual std::vector<BinaryFrame> binary_frames(const Subscription&) const { return {}; }
  // The columns that words for plots name. Throws InputError for unknown ones.
  virtual std::vector<std::string> plot_columns(const std::vector<std::string>& words) const;
  // At most so many of the recorded frames from one time to another, evenly; values in the order of
  // plot_columns.
  virtual std::vector<PlotRow> plot_rows(const std::vector<std::string>&, double from, double to,
                                         std::size_t most) const;
  // After every tick, with the wall clock: what happens beside the frames. Returns seconds until
  // it wants to be called again, negative: never.
  virtual double look_around(double) { return -1; }

  void add_word(const std::string& word, Execute act) { words_[word] = std::move(act); }
  // What is shown is another place in the run: time counts from there.
  void show_anew();
  void changed() { changed_ = status_due_ = true; }
  void forget_plots();
  // To all clients; it arrives.
  void tell_all(const std::string& text) const;
  const Outputs& outputs() const { return outputs_; }

 private:
  std::optional<std::string> step(const Message& message);
  void step_on();
  void end_stepping();
  void set_speed(const Message& message);
  std::string subscribe(const Message& message);
  std::string series(const Message& message) const;
  Advance advanced(Timeline::Clock::time_point until);
  Timeline::Clock::time_point end_of_work() const;
  bool advance_to(double now, double& wait);
  void send_frames(double now, bool to_all);

  PlaybackOptions options_;
  Outputs outputs_;
  std::map<std::string, Execute> words_;
  std::map<ClientKey, Subscription> clients_;
  struct Stepping {
    Asker asker;
    int left = 0;  // frames
  };
  std::optional<Stepping> stepping_;
  bool playing_ = false;
  double speed_ = 1;                        // simulated seconds per second; 0: as fast as it can
  double clock_wall_ = 0, clock_time_ = 0;  // when the clock was last set
  bool clock_is_set_ = false;
  double rate_ = 0;  // simulated seconds per second, measured
  double rate_wall_ = 0, rate_time_ = 0;
  std::string fault_;    // that ended the run
  bool changed_ = true;  // what is shown, since it was last sent
  bool status_due_ = true;
};

}  // namespace molejo
