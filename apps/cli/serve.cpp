// molejo serve: a scene that runs live; molejo send: a word to it from the shell.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "apps/cli/command.h"
#include "apps/cli/given.h"
#include "apps/cli/memory.h"
#include "apps/cli/stop_signal.h"
#include "apps/cli/token.h"
#include "molejo/io/json_document.h"
#include "molejo/io/load.h"
#include "molejo/live/client.h"
#include "molejo/live/host.h"
#include "molejo/model/error.h"

namespace molejo::cli {

namespace {

// "play" stands for {"do": "play"}.
std::string whole_message(const std::string& text) {
  if (!text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos) {
    return fmt::format("{{\"do\": \"{}\"}}", text);
  }
  return text;
}

// Of an address on this machine, 0 of any other.
int loopback_port(const std::string& url) {
  for (const char* host : {"ws://127.0.0.1:", "ws://localhost:", "ws://[::1]:"}) {
    if (url.starts_with(host)) return std::atoi(url.c_str() + std::string_view(host).size());
  }
  return 0;
}

bool is_answer(const std::string& text) {
  const JsonDocument document = parse_json(text, "answer");
  return document.root.find("ok") || document.root.find("error");
}

}  // namespace

int serve(const ServeOptions& options) {
  Scene scene = load_scene(given(options.scene));
  print_warnings(scene.warnings);
  SessionOptions session;
  session.history.bytes = max_memory() / 4;
  session.budget = run_budget();
  const std::string folder = options.folder.empty()
                                 ? std::filesystem::absolute(options.scene).parent_path().string()
                                 : options.folder;
  session.files = FileScope({{"", folder}});
  ServerOptions server;
  server.address = options.address;
  server.port = options.port;
  server.token = given_token(options.token_file);
  server.origins = options.origins;
  server.close_timeout = std::chrono::milliseconds(500);  // Ctrl-C is obeyed soon
  server.max_unsent_bytes = max_memory() / 8;
  LiveHost host(std::move(scene), std::move(session), std::move(server),
                {.waiting_bytes = max_memory() / 16});
  host.start(!options.paused);
  const TokenNote note(host.port(), host.token());
  fmt::print("{} runs at {}\n", options.scene, host.url());
  std::fflush(stdout);
  wait_for_stop_signal();
  host.stop();
  return success;
}

int send(const SendOptions& options) {
  const bool is_port =
      options.url.find_first_not_of("0123456789") == std::string::npos && options.url.size() < 6;
  const std::string url =
      is_port ? fmt::format("ws://127.0.0.1:{}/live", options.url) : options.url;
  std::string token = given_token(options.token_file);
  if (token.empty()) token = noted_token(loopback_port(url));
  Client client(url, {.token = token});
  const auto wait = std::chrono::milliseconds(static_cast<int>(options.wait * 1000));
  int code = success;
  const auto next = [&]() -> std::string {
    const auto message = client.receive(wait);
    if (!message) throw NetworkError(fmt::format("{}: no answer within {:g} s", url, options.wait));
    return message->payload;
  };
  int frames = 0;
  for (const std::string& text : options.messages) {
    client.send(whole_message(text));
    while (true) {
      const std::string answer = next();
      if (is_answer(answer)) {
        fmt::print("{}\n", answer);
        if (parse_json(answer, "answer").root.find("error")) code = bad_input;
        break;
      }
      if (frames < options.frames) fmt::print("{}\n", answer), ++frames;
    }
  }
  for (; frames < options.frames; ++frames) fmt::print("{}\n", next());
  client.close();
  return code;
}

}  // namespace molejo::cli
