// What the page does with a file that was dropped on it: send, open, step, export. The first line
// of the input is the name of the file, the rest is the file.
//
// Nothing but InputError of one line may refuse it; what opens answers, and does not freeze: the
// fuzzer's own deadline ends the run.
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "molejo/model/error.h"
#include "molejo/studio/bench.h"
#include "molejo/studio/training.h"

namespace {

using namespace molejo;

constexpr int uploads_of_a_workspace = 200;  // it keeps what was sent
constexpr ClientKey client = 1;

void require(bool condition) {
  if (!condition) std::abort();
}

void ask(Playback& playback, const std::string& text, double& now) {
  playback.receive(client, text);
  playback.tick(now += 0.1);
}

void use(const std::string& name, Workspace& workspace, Trainings& trainings) {
  const Playback::Outputs outputs = {
      [](const Playback::Clients&, const std::string& text) {
        require(text.find('\n') == std::string::npos);
        parse_json(text, "answer");
      },
      [](const Playback::Clients&, const std::string& text) { parse_json(text, "frame"); },
      [](const Playback::Clients&, int, const std::string&) {}};
  const WorkspaceFile found = workspace.find(name);
  const auto bench = open_bench(
      *kind_of(name),
      {name, found.file, found.path, outputs, {.frames = 100}, {}, &workspace, [] {}, &trainings});
  bench->playback().open(client);
  double now = 0;
  ask(bench->playback(), R"({"do": "subscribe", "binary": true, "contacts": true})", now);
  ask(bench->playback(), R"({"do": "describe"})", now);
  ask(bench->playback(), R"({"do": "step", "frames": 3})", now);
  ask(bench->playback(), R"({"do": "reset"})", now);
  require(!bench->command_line().empty());
  for (const std::string& what : bench->exports()) {
    try {
      bench->prepare_export(what, 0, 0.1).make([](double) {});
    } catch (const InputError&) {  // nothing was recorded
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static std::unique_ptr<Workspace> workspace;
  static int uploads = 0;
  if (uploads++ % uploads_of_a_workspace == 0) workspace = std::make_unique<Workspace>("");
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = input.find('\n');
  if (end == std::string_view::npos) return 0;
  try {
    Trainings trainings(workspace->temporary());
    const std::string name =
        workspace->upload(std::string(input.substr(0, end)), input.substr(end + 1));
    use(name, *workspace, trainings);
  } catch (const InputError& e) {
    require(std::string_view(e.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
