#include "molejo/live/playback.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "molejo/math/interrupt.h"
#include "molejo/model/error.h"

namespace molejo {

namespace {

constexpr int max_steps_at_once = 100'000;
constexpr std::size_t max_plots = 100;
constexpr int most_points = 5'000, usual_points = 1'000;
constexpr std::size_t most_numbers = 400'000;  // of an answer
constexpr double status_interval = 0.2;        // s of wall time, beside binary frames

std::string column_list(const std::vector<std::string>& columns) {
  std::string list;
  for (const std::string& name : columns) list += (list.empty() ? "" : ",") + json_quoted(name);
  return fmt::format("\"columns\":[{}]", list);
}

}  // namespace

Playback::Playback(PlaybackOptions options, Outputs outputs)
    : options_(options), outputs_(std::move(outputs)) {
  add_word("describe", [this](const Message&) { return describe(); });
  add_word("status", [this](const Message&) { return status(); });
  add_word("play", [this](const Message&) { return play(), status(); });
  add_word("pause", [this](const Message&) { return pause(), status(); });
  add_word("step", [this](const Message& c) { return step(c); });
  add_word("cancel", [this](const Message&) { return end_stepping(), status(); });
  add_word("speed", [this](const Message& c) { return set_speed(c), status(); });
  add_word("seek", [this](const Message& c) {
    timeline().seek(c.number("t"));
    return show_anew(), status();
  });
  add_word("branch", [this](const Message&) { return timeline().branch(), show_anew(), status(); });
  add_word("reset", [this](const Message&) { return timeline().reset(), show_anew(), status(); });
  add_word("subscribe", [this](const Message& c) { return subscribe(c); });
  add_word("series", [this](const Message& c) { return series(c); });
  add_word("unsubscribe", [this](const Message& c) {
    clients_[c.client] = {};
    return std::string();
  });
}

void Playback::close(ClientKey client) {
  if (owes_answer(client)) stepping_.reset();
  clients_.erase(client);
}

void Playback::receive(ClientKey client, std::string_view text) {
  const auto now = answer(text, client, [this](const Message& c) { return execute(c); });
  if (now) outputs_.reply({client}, *now);
}

std::optional<std::string> Playback::execute(const Message& message) {
  const std::string word = message.word();
  const auto found = words_.find(word);
  if (found != words_.end()) return found->second(message);
  std::vector<std::string> known;
  for (const auto& [name, act] : words_) known.push_back(name);
  throw InputError(unknown_word("command", word, known));
}

void Playback::play() {
  playing_ = true;
  show_anew();
}

void Playback::pause() {
  end_stepping();
  playing_ = false;
  changed();  // to those who lag, too
}

void Playback::show_anew() {
  end_stepping();
  clock_is_set_ = false;
  changed();
}

std::optional<std::string> Playback::step(const Message& message) {
  const int frames = message.find("frames") ? message.whole("frames", 1, max_steps_at_once) : 1;
  pause();
  stepping_ = {message.asker(), frames};
  // most are few, and answered at once
  step_on();
  if (stepping_ && stepping_->left > 0) return {};
  stepping_.reset();
  return status();
}

// Makes some of the frames that were asked for.
void Playback::step_on() {
  const auto until = end_of_work();
  changed();
  while (stepping_->left > 0) {
    const Advance made = advanced(until);
    if (made == Advance::over) stepping_->left = 0;
    if (made == Advance::shown) --stepping_->left;
    if (made == Advance::not_yet || Timeline::Clock::now() > until) return;
  }
}

// Whatever is left of it is told.
void Playback::end_stepping() {
  if (!stepping_) return;
  const std::string text = status();
  outputs_.reply({stepping_->asker.client}, stepping_->asker.ok(text));
  stepping_.reset();
}

void Playback::set_speed(const Message& message) {
  const double speed = message.number("value");
  if (!(speed >= 0 && speed <= 1000)) {
    throw InputError("'value': expected 0 (as fast as it can) to 1000");
  }
  speed_ = speed;
  show_anew();
}

std::vector<std::string> Playback::plot_columns(const std::vector<std::string>& words) const {
  if (!words.empty()) throw InputError("'plots': there is nothing to plot here");
  return {};
}

std::vector<PlotRow> Playback::plot_rows(const std::vector<std::string>&, double, double,
                                         std::size_t) const {
  return {};
}

std::string Playback::subscribe(const Message& message) {
  Subscription subscription;
  subscription.frames = message.flag_or("frames", true);
  subscription.contacts = message.flag_or("contacts", false);
  subscription.binary = message.flag_or("binary", false);
  subscription.plots = message.texts("plots", max_plots);
  const std::vector<std::string> columns = plot_columns(subscription.plots);
  const double rate = message.number_or("rate", options_.most_frames_per_second);
  if (!(rate > 0)) throw InputError("'rate': expected frames per second");
  subscription.least_interval = 1 / std::min(rate, options_.most_frames_per_second);
  clients_[message.client] = subscription;
  changed();
  return columns.empty() ? "" : column_list(columns);
}

// The curves of what was recorded.
std::string Playback::series(const Message& message) const {
  const std::vector<std::string> words = message.texts("plots", max_plots);
  if (words.empty()) throw InputError("'plots': expected names of columns");
  const std::vector<std::string> columns = plot_columns(words);
  const int points =
      message.find("points") ? message.whole("points", 1, most_points) : usual_points;
  const std::vector<PlotRow> rows =
      plot_rows(words, message.number_or("from", timeline().begin()),
                message.number_or("to", timeline().end()),
                std::min(static_cast<std::size_t>(points),
                         most_numbers / std::max<std::size_t>(columns.size(), 1)));
  std::string t, values;
  for (const PlotRow& row : rows) t += fmt::format("{}{:.9g}", t.empty() ? "" : ",", row.t);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    values += i > 0 ? ",[" : "[";
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double x = rows[k].values[i];
      if (k > 0) values += ',';
      values += std::isfinite(x) ? fmt::format("{:.7g}", x) : "null";
    }
    values += ']';
  }
  return fmt::format("{},\"t\":[{}],\"values\":[{}]", column_list(columns), t, values);
}

void Playback::take_clients(Playback& other) {
  other.end_stepping();
  clients_ = std::move(other.clients_);
  other.clients_.clear();
  forget_plots();
  show_anew();
}

void Playback::forget_plots() {
  for (auto& [client, subscription] : clients_) subscription.plots.clear();
}

void Playback::tell_all(const std::string& text) const {
  Clients all;
  for (const auto& [client, subscription] : clients_) all.push_back(client);
  outputs_.reply(all, text);
}

std::string Playback::status() const {
  const Timeline& line = timeline();
  const std::string failure = fault_.empty() ? line.failure() : fault_;
  std::string warnings;
  for (const std::string& warning : line.warnings()) {
    warnings += (warnings.empty() ? ",\"warnings\":[" : ",") + json_quoted(warning);
  }
  if (!warnings.empty()) warnings += ']';
  return fmt::format(
      "\"t\":{:.9g},\"frame\":{},\"playing\":{},\"speed\":{:g},\"rate\":{:.3g},"
      "\"begin\":{:.9g},\"end\":{:.9g}{}{}{}{}",
      line.time(), line.number(), playing_, speed_, rate_, line.begin(), line.end(), more_status(),
      stepping_ && stepping_->left > 0 ? fmt::format(",\"frames_left\":{}", stepping_->left) : "",
      failure.empty() ? "" : fmt::format(",\"failure\":{}", json_quoted(failure)), warnings);
}

// To those whose turn it is; clients that want the same share one copy.
void Playback::send_frames(double now, bool to_all) {
  std::map<std::string, Clients> wishes;
  Clients told;
  for (auto& [client, s] : clients_) {
    if (!s.any()) continue;
    if (s.binary && (status_due_ || now - s.last_status >= status_interval)) {
      s.last_status = now;
      told.push_back(client);
    }
    if (!to_all && now - s.last_sent < s.least_interval - 1e-9) continue;
    s.last_sent = now;
    std::string wish = fmt::format("{}{}{}", s.binary, s.frames, s.contacts);
    for (const std::string& plot : s.plots) wish += "\n" + plot;
    wishes[wish].push_back(client);
  }
  for (const auto& [wish, list] : wishes) {
    const Subscription& s = clients_[list[0]];
    if (!s.binary) {
      outputs_.frame(list, "{" + status() + frame_fields(s) + "}");
    } else if (outputs_.binary) {
      for (const BinaryFrame& f : binary_frames(s)) outputs_.binary(list, f.stream, f.bytes);
    }
  }
  if (!told.empty()) outputs_.frame(told, "{\"event\":\"status\"," + status() + "}");
  status_due_ = false;
}

Timeline::Clock::time_point Playback::end_of_work() const {
  return Timeline::Clock::now() + std::chrono::duration_cast<Timeline::Clock::duration>(
                                      std::chrono::duration<double>(options_.most_work_per_tick));
}

// One frame more; what goes wrong is told as the failure of the run.
Advance Playback::advanced(Timeline::Clock::time_point until) {
  try {
    fault_.clear();
    return timeline().show_next(until);
  } catch (const Interrupted& e) {
    // somebody wants to be heard
    if (e.cause == InterruptCause::cancelled) return Advance::not_yet;
    fault_ = e.what();
  } catch (const std::exception&) {
    fault_ = told_error();
  }
  return Advance::over;
}

// Makes the frames that are due; true: it could not keep up.
bool Playback::advance_to(double now, double& wait) {
  Timeline& line = timeline();
  if (!clock_is_set_) {
    clock_is_set_ = true;
    clock_wall_ = rate_wall_ = now;
    clock_time_ = rate_time_ = line.time();
  }
  const double due = speed_ == 0 ? std::numeric_limits<double>::infinity()
                                 : clock_time_ + (now - clock_wall_) * speed_;
  using WorkClock = Timeline::Clock;
  const WorkClock::time_point begin = WorkClock::now(), until = end_of_work();
  const auto spent = [&] {
    return std::chrono::duration<double>(WorkClock::now() - begin).count();
  };
  bool late = false;
  while (!late && line.time() + line.interval() <= due + 1e-9) {
    const Advance made = advanced(until);
    if (made == Advance::over) {
      pause();
      break;
    }
    changed_ = changed_ || made == Advance::shown;
    late = made == Advance::not_yet || WorkClock::now() > until;
  }
  if (now - rate_wall_ > 0.5) {
    rate_ = (line.time() - rate_time_) / (now - rate_wall_);
    rate_wall_ = now, rate_time_ = line.time();
  }
  // what cannot keep up goes on from where it is: it does not hurry later
  if (late && speed_ > 0) {
    clock_wall_ = now + spent();
    clock_time_ = line.time();
  }
  wait = late || speed_ == 0 ? 0 : std::max(0.0, (line.time() + line.interval() - due) / speed_);
  return late;
}

double Playback::tick(double now) {
  double wait = -1;
  if (playing_) {
    advance_to(now, wait);
  } else {
    rate_ = 0;
  }
  if (stepping_) {
    step_on();
    if (stepping_->left == 0) end_stepping();
  }
  if (changed_) send_frames(now, !playing_ && !stepping_);
  changed_ = false;
  if (!playing_) wait = stepping_ ? 0 : -1;
  const double other = look_around(now);
  if (other < 0) return wait;
  return wait < 0 ? other : std::min(wait, other);
}

}  // namespace molejo
