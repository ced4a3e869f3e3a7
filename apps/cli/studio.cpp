#include "apps/cli/studio.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>

#include "apps/cli/command.h"
#include "apps/cli/given.h"
#include "apps/cli/memory.h"
#include "apps/cli/page.h"
#include "apps/cli/stop_signal.h"
#include "apps/cli/token.h"
#include "molejo/model/error.h"
#include "molejo/studio/bench.h"
#include "molejo/studio/studio.h"

namespace molejo::cli {

namespace {

namespace fs = std::filesystem;

constexpr int usual_port = 8420;

// At the port given, else at the usual one, else where there is room.
std::unique_ptr<Studio> make_studio(const molejo::StudioOptions& own, ServerOptions server,
                                    std::optional<int> port) {
  server.port = port.value_or(usual_port);
  try {
    return std::make_unique<Studio>(own, server);
  } catch (const NetworkError&) {
    if (port) throw;
  }
  server.port = 0;
  return std::make_unique<Studio>(own, server);
}

// The folder given, else the user's own for what programs keep; empty: there is none.
std::string find_trainings(const std::string& given) {
  if (!given.empty()) return fs::absolute(given).string();
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  if (state && *state == '/') return std::string(state) + "/molejo/trainings";
  return home && *home == '/' ? std::string(home) + "/.local/state/molejo/trainings" : "";
}

void tell_how_to_resume(const std::string& motion) {
  std::string gait = motion;
  gait.replace(gait.rfind(".motion.json"), std::string::npos, ".gait.json");
  fmt::print(
      "the training is kept; to go on:\n  molejo studio {0}\n  molejo train {0} -o {1} --resume\n",
      shell_word(motion), shell_word(gait));
}

}  // namespace

CLI::App* add_studio(CLI::App& app, StudioOptions& options) {
  CLI::App* studio = app.add_subcommand(
      "studio", "Serve the studio: a page in the browser where everything is live");
  studio->add_option("FILE", options.file, "File to open first, of any kind that Molejo reads")
      ->type_name("");
  studio
      ->add_option("--port", options.port,
                   "Port to listen on; 0 takes any free one (default: 8420, or any free one if "
                   "that is taken)")
      ->type_name("N");
  studio->add_option("--scenes", options.scenes, "Folder that the gallery shows")
      ->type_name("FOLDER");
  studio
      ->add_option("--trainings", options.trainings,
                   "Folder where trainings are kept, so that they can be resumed (default: "
                   "~/.local/state/molejo/trainings)")
      ->type_name("FOLDER");
  studio
      ->add_option("--address", options.address,
                   "Address to listen on; any other than loopback lets other machines connect")
      ->capture_default_str()
      ->type_name("ADDRESS");
  studio
      ->add_option("--token-file", options.token_file,
                   "File that holds the token (default: $MOLEJO_TOKEN, or a random one)")
      ->type_name("FILE");
  studio
      ->add_option("--origin", options.origins,
                   "Origin whose pages may connect besides those of this machine, such as "
                   "https://a.org; may be "
                   "repeated")
      ->type_name("ORIGIN")
      ->allow_extra_args(false);
  return studio;
}

int studio(const StudioOptions& options) {
  molejo::StudioOptions own;
  own.page = studio_page();
  own.scenes = options.scenes.empty() ? own_scenes() : options.scenes;
  own.trainings = find_trainings(options.trainings);
  own.max_memory = max_memory();
  own.roots = given_roots();
  if (options.file.empty() && own.scenes.empty()) {
    throw InputError("no folder of scenes here: give --scenes FOLDER or a FILE to open");
  }
  ServerOptions server;
  server.address = options.address;
  server.token = given_token(options.token_file);
  server.origins = options.origins;
  server.close_timeout = std::chrono::milliseconds(500);  // Ctrl-C is obeyed soon
  const std::unique_ptr<Studio> studio = make_studio(own, server, options.port);
  std::string file = options.file;
  if (file.empty()) {
    file = studio->start_with_gallery();
  } else {
    studio->start(file);
  }
  const TokenNote note(studio->port(), studio->token());
  fmt::print("{} runs in the studio; open this address in a browser, Ctrl-C ends it:\n  {}\n", file,
             studio->url());
  std::fflush(stdout);
  wait_for_stop_signal();
  studio->stop();
  for (const std::string& motion : studio->interrupted()) tell_how_to_resume(motion);
  return success;
}

}  // namespace molejo::cli
