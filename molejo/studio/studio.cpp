#include "molejo/studio/studio.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <set>

#include "molejo/live/files.h"
#include "molejo/model/error.h"
#include "molejo/studio/bench.h"
#include "molejo/studio/filming.h"
#include "molejo/studio/jobs.h"
#include "molejo/studio/opener.h"
#include "molejo/studio/training.h"
#include "molejo/studio/workspace.h"

namespace molejo {

// How the memory of a studio is divided. What files need once they are open is the rest.
struct StudioShares {
  explicit StudioShares(std::size_t all)
      : history(all / 4),
        contacts(all / 4),
        unsent(all / 8),
        assets(all / 8),
        waiting(all / 16),
        description(all / 32) {}
  std::size_t history, contacts, unsent, assets, waiting, description;
};

namespace {

namespace fs = std::filesystem;

// What the gallery begins with, where it has that.
constexpr const char* usual_file = "scenes/gaits/basic_run_closed.gait.json";

ServerOptions with_uploads(ServerOptions server, const StudioShares& shares) {
  server.max_body_bytes = max_upload_bytes;
  // descriptions are long
  server.max_unsent_bytes = shares.unsent;
  server.outbox.max_reply_bytes = std::max(server.outbox.max_reply_bytes, shares.unsent / 2);
  return server;
}

HttpAnswer text_answer(std::string content_type, std::string body) {
  return {200, std::move(content_type), std::make_shared<const std::string>(std::move(body))};
}

HttpAnswer refusal(const InputError& e) {
  HttpAnswer no =
      text_answer("application/json", fmt::format("{{\"error\":{}}}", json_quoted(e.what())));
  no.status = 400;
  return no;
}

// Where the page asks for its parts, it asks with the token.
void put_token(std::string& page, const std::string& token) {
  constexpr std::string_view mark = "{token}";
  for (std::size_t at = 0; (at = page.find(mark, at)) != std::string::npos; at += token.size()) {
    page.replace(at, mark.size(), token);
  }
}

// A whole number from a query.
int number_in(const HttpRequest& request, const char* key) {
  const std::string text = request.head.parameter(key).value_or("");
  const bool number =
      !text.empty() && text.size() < 9 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!number) throw InputError(fmt::format("{}: expected a number", key));
  return std::stoi(text);
}

}  // namespace

// What clients say and hear. All words that it does not know itself are for what is open.
class Studio::Conversation : public molejo::Conversation {
 public:
  Conversation(Workspace& workspace, Trainings& trainings, Filming& filming, News& news,
               Playback::Outputs outputs, HistoryLimits history, const StudioShares& shares,
               std::function<void()> wake)
      : workspace_(workspace),
        trainings_(trainings),
        filming_(filming),
        news_(news),
        outputs_(std::move(outputs)),
        history_(history),
        shares_(shares),
        wake_(std::move(wake)),
        jobs_(wake_, shares.history),
        opener_(wake_, {.most_bytes = shares.description}) {}

  void open(ClientKey client) override {
    clients_.insert(client);
    bench_->playback().open(client);
  }
  void close(ClientKey client) override {
    clients_.erase(client);
    filming_.leave(client);
    bench_->playback().close(client);
  }
  void receive(ClientKey client, std::string_view text) override {
    const auto now = answer(text, client, [this](const Message& c) { return execute(c); });
    if (now) outputs_.reply({client}, *now);
  }
  double tick(double now) override {
    for (const std::string& line : jobs_.news()) tell_all(line);
    for (const std::string& line : news_.take()) tell_all(line);
    if (std::optional<Opener::Opened> opened = opener_.take()) show(std::move(*opened));
    return bench_->playback().tick(now);
  }
  std::string status() const override {
    const std::string& opening = opener_.opening();
    return bench_->playback().status() +
           (opening.empty() ? "" : ",\"opening\":" + json_quoted(opening));
  }
  bool owes_answer(ClientKey client) const override {
    return opener_.owes_answer(client) || bench_->playback().owes_answer(client);
  }

  // The first file: it is played.
  void open_now(const std::string& name) {
    bench_ = open_bench(kind_of_file(name), bench_options(name));
    name_ = name;
    bench_->playback().play();
  }

 private:
  FileKind kind_of_file(const std::string& name) const {
    const std::optional<FileKind> kind = kind_of(workspace_.find(name).path);
    if (kind) return *kind;
    throw InputError(
        fmt::format("{:.120}: expected a file of the kinds {}", name, known_endings()));
  }

  BenchOptions bench_options(const std::string& name) {
    WorkspaceFile found = workspace_.find(name);
    return {name,       std::move(found.file),          std::move(found.path), outputs_,
            history_,   {.contacts = shares_.contacts}, &workspace_,           wake_,
            &trainings_};
  }

  // Played as soon as it is there; what is open plays on meanwhile.
  std::nullopt_t open_file(const Message& message) {
    const std::string name = message.text("file");
    const FileKind kind = kind_of_file(name);
    give_up_opening(opener_.begin(message.asker(), kind, bench_options(name)));
    return std::nullopt;
  }

  void give_up_opening(const std::optional<Asker>& asker) {
    if (asker) outputs_.reply({asker->client}, asker->error("given up: another file is wanted"));
  }

  // All are told.
  void show(Opener::Opened opened) {
    if (!opened.bench) {
      outputs_.reply({opened.asker.client}, opened.asker.error(opened.text));
      return;
    }
    opened.bench->playback().take_clients(bench_->playback());
    std::swap(bench_, opened.bench);
    opener_.dispose(std::move(opened.bench));
    name_ = opened.name;
    tell_all("{\"event\":\"opened\"," + opened.text + "}");
    outputs_.reply({opened.asker.client}, opened.asker.ok(opened.text));
  }

  std::string describe() { return bench_->playback().describe() + "," + exports_of(*bench_); }

  std::optional<std::string> execute(const Message& message) {
    const std::string word = message.word();
    if (word == "status") return status();
    if (word == "open") return open_file(message);
    if (word == "gallery") return "\"files\":" + workspace_.gallery();
    if (word == "describe") return describe();
    if (word == "exports") return exports_of(*bench_);
    if (word == "export") return begin_export(message);
    if (word == "film") return film(message);
    if (word == "command_line") return "\"command_line\":" + json_quoted(bench_->command_line());
    if (word == "cancel" && message.find("job")) {
      if (jobs_.cancel(message.whole("job", 1, std::numeric_limits<int>::max()))) return "";
      throw InputError("'job': no export of this number is under way");
    }
    if (word == "cancel" && !opener_.opening().empty()) {
      give_up_opening(opener_.cancel());
      return status();
    }
    // another scene is opened, not loaded into this one
    if (word == "load" && message.find("file")) return open_file(message);
    return bench_->playback().execute(message);
  }

  std::string film(const Message& message) {
    if (message.find("cancel")) {
      filming_.cancel(message.whole("cancel", 1, std::numeric_limits<int>::max()));
      return {};
    }
    const int job = ++job_count_;
    filming_.begin(job, message.client, read_film_plan(message, stem_of(name_) + ".mp4"));
    return fmt::format("\"job\":{}", job);
  }

  std::string begin_export(const Message& message) {
    const std::string what = message.text("what");
    check_export(*bench_, what);
    const Export work =
        bench_->prepare_export(what, message.number_or("from", 0), message.number_or("to", 1e300));
    const int job = ++job_count_;
    const auto make = [job, work, this](const Jobs::Tell& tell) {
      const auto progress = [&](double done) {
        tell(fmt::format("{{\"event\":\"progress\",\"job\":{},\"done\":{:.3g}}}", job, done));
      };
      try {
        const std::string asset = workspace_.add_asset(work.name, work.make(progress));
        progress(1);
        tell(fmt::format("{{\"event\":\"done\",\"job\":{},\"asset\":{},\"name\":{}}}", job,
                         json_quoted(asset), json_quoted(work.name)));
      } catch (const std::exception&) {
        tell(fmt::format("{{\"event\":\"failed\",\"job\":{},\"error\":{}}}", job,
                         json_quoted(told_error())));
      }
    };
    if (!jobs_.add(job, make, work.bytes)) throw InputError("too many exports are waiting");
    return fmt::format("\"job\":{}", job);
  }

  void tell_all(const std::string& text) {
    outputs_.reply({clients_.begin(), clients_.end()}, text);
  }

  Workspace& workspace_;
  Trainings& trainings_;
  Filming& filming_;
  News& news_;
  Playback::Outputs outputs_;
  HistoryLimits history_;
  const StudioShares shares_;
  std::function<void()> wake_;
  std::unique_ptr<Bench> bench_;
  std::string name_;  // of the file that is open
  std::set<ClientKey> clients_;
  int job_count_ = 0;
  Jobs jobs_;
  Opener opener_;
};

struct Studio::Parts {
  const StudioShares shares;
  std::map<std::string, std::pair<std::string, SharedBytes>> page;  // type and bytes by path
  Workspace workspace;
  std::vector<std::string> roots;
  Trainings trainings;
  std::mutex stopping;
  std::vector<std::string> interrupted;  // motions
  Host host;
  News news;
  Filming filming;
  std::unique_ptr<Studio::Conversation> conversation;  // until the start
  decltype(StudioOptions::on_picture) on_picture;
  decltype(StudioOptions::on_pictures_end) on_pictures_end;

  Parts(StudioOptions options, ServerOptions server)
      : shares(options.max_memory),
        workspace(options.scenes, shares.assets),
        roots(options.roots),
        trainings(options.trainings.empty() ? workspace.temporary() : options.trainings),
        host(with_uploads(std::move(server), shares), {.waiting_bytes = shares.waiting}),
        news([this] { host.wake(); }),
        filming(workspace, news),
        on_picture(std::move(options.on_picture)),
        on_pictures_end(std::move(options.on_pictures_end)) {
    for (PageFile& file : options.page) {
      if (file.path == "/index.html") put_token(file.bytes, percent_encode(host.token()));
      page[file.path] = {std::string(content_type(file.path)),
                         std::make_shared<const std::string>(std::move(file.bytes))};
    }
    HistoryLimits history = options.history;
    history.bytes = std::min(history.bytes, shares.history);
    conversation =
        std::make_unique<Studio::Conversation>(workspace, trainings, filming, news, host.outputs(),
                                               history, shares, [this] { host.wake(); });
  }

  std::optional<HttpAnswer> respond(const HttpRequest& request) {
    const std::string path(request.head.path());
    if (request.head.method == "POST") {
      try {
        if (path == "/picture" && on_picture) return take_picture(request);
        if (path == "/film") return take_film_picture(request);
        if (path == "/upload") return take(request);
      } catch (const InputError& e) {
        return refusal(e);
      }
      throw HttpError(404, "files are sent to /upload");
    }
    const auto file = page.find(path == "/" ? "/index.html" : path);
    if (file != page.end()) {
      return HttpAnswer{200, file->second.first, file->second.second};
    }
    if (path == "/gallery.json") return text_answer("application/json", workspace.gallery());
    const std::optional<std::string> plain = percent_decode(path);
    if (SharedBytes picture = plain ? workspace.thumb(*plain) : nullptr) {
      return HttpAnswer{200, "image/png", std::move(picture)};
    }
    if (SharedBytes bytes = plain ? workspace.asset(*plain) : nullptr) {
      return HttpAnswer{200, std::string(content_type(path)), std::move(bytes)};
    }
    return std::nullopt;
  }

  HttpAnswer take_picture(const HttpRequest& request) {
    if (const auto failed = request.head.parameter("failed")) {
      on_pictures_end(*failed);
      return text_answer("text/plain", "");
    }
    on_picture(number_in(request, "frame"), request.body);
    return text_answer("text/plain", "");
  }

  HttpAnswer take_film_picture(const HttpRequest& request) {
    const int next =
        filming.add(number_in(request, "job"), number_in(request, "frame"), request.body);
    return text_answer("application/json", fmt::format("{{\"next\":{}}}", next));
  }

  HttpAnswer take(const HttpRequest& request) {
    const std::string name = request.head.parameter("name").value_or("");
    const std::string file = workspace.upload(name, request.body);
    return text_answer("application/json",
                       fmt::format("{{\"file\":{},\"kind\":\"{}\"}}", json_quoted(file),
                                   to_string(*kind_of(file))));
  }
};

Studio::Studio(StudioOptions options, ServerOptions server)
    : parts_(std::make_unique<Parts>(std::move(options), std::move(server))) {}

Studio::~Studio() { stop(); }

void Studio::start(const std::string& file) {
  Workspace& workspace = parts_->workspace;
  std::error_code error;
  const bool is_path = fs::exists(file, error);
  const auto is_in_gallery = [&] {
    try {
      const std::string path = workspace.find(file).path;
      return !is_path || fs::equivalent(path, file, error);
    } catch (const InputError&) {
      return false;
    }
  };
  // a file of the gallery keeps its name there
  std::string name = file;
  if (!is_in_gallery()) {
    if (!fs::is_regular_file(file, error)) throw InputError(file + ": no such file");
    name = workspace.give(file, parts_->roots);
  }
  parts_->conversation->open_now(name);
  let_clients_in();
}

std::string Studio::start_with_gallery() {
  const Workspace& workspace = parts_->workspace;
  std::vector<std::string> files = workspace.files();
  const auto usual = std::find(files.begin(), files.end(), usual_file);
  if (usual != files.end()) std::rotate(files.begin(), usual, usual + 1);
  std::string trouble = workspace.folder() + ": no file here can be opened";
  for (const std::string& file : files) {
    try {
      parts_->conversation->open_now(file);
      let_clients_in();
      return file;
    } catch (const InputError& e) {
      if (file == files.front()) trouble += fmt::format("; the first: {}", e.what());
    }
  }
  throw InputError(trouble);
}

void Studio::let_clients_in() {
  parts_->host.start(std::move(parts_->conversation),
                     [this](const HttpRequest& request) { return parts_->respond(request); });
}

void Studio::stop() {
  const std::lock_guard lock(parts_->stopping);
  const std::vector<TrainingFiles> trained = parts_->trainings.cancel();
  parts_->filming.stop();
  parts_->host.stop();
  parts_->trainings.end();
  std::error_code error;
  for (const TrainingFiles& files : trained) {
    if (fs::exists(files.checkpoint, error)) {
      parts_->interrupted.push_back(files.motion);
    }
  }
}

std::vector<std::string> Studio::interrupted() const {
  const std::lock_guard lock(parts_->stopping);
  return parts_->interrupted;
}

int Studio::port() const { return parts_->host.port(); }
const std::string& Studio::token() const { return parts_->host.token(); }
std::string Studio::live_url() const { return parts_->host.url(); }

std::string Studio::url() const {
  const std::string live = live_url();
  return "http" + live.substr(2, live.find('/', 5) - 2) + "/" + live.substr(live.find('?'));
}

}  // namespace molejo
