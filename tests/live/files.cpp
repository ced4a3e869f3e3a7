// The served folder: what is in it is served, nothing else is.
#include "molejo/live/files.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/support/loopback.h"
#include "tests/support/places.h"

using namespace molejo;
using namespace molejo::test;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

// a folder with files, links out of it and a secret beside it
std::string prepare_folder(const std::string& name) {
  const fs::path base = fs::path(binary_dir()) / "tests" / "live" / name;
  fs::remove_all(base);
  const fs::path root = base / "page";
  fs::create_directories(root / "sub");
  fs::create_directories(root / "empty");
  write(base / "secret.txt", "secret");
  write(root / "index.html", "<p>index</p>");
  write(root / "sub" / "index.html", "<p>sub</p>");
  write(root / "a b.js", "script");
  write(root / ".hidden", "hidden");
  write(root / "nothing.css", "");
  fs::create_symlink(base / "secret.txt", root / "link.txt");
  fs::create_symlink(root / "index.html", root / "inner.html");
  fs::create_directory_symlink(base, root / "out");
  mkfifo((root / "pipe").c_str(), 0600);
  return root.string();
}

void ask(RawSocket& socket, const Server& server, const std::string& target,
         const std::string& method = "GET", const std::string& headers = "") {
  socket.send(fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\n{}{}\r\n", method, target,
                          bearer(server.token()), headers));
}

std::string request(const Server& server, const std::string& target,
                    const std::string& method = "GET", const std::string& headers = "") {
  RawSocket socket(server.port());
  ask(socket, server, target, method, headers);
  return socket.receive();
}

int status(const std::string& answer) { return std::stoi(answer.substr(9, 3)); }
std::string body(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

}  // namespace

TEST_CASE("files: pages are served with their types") {
  const std::string folder = prepare_folder("served");
  EchoServer echo({.folder = folder});
  const Server& server = echo.server;
  const std::string index = request(server, "/");
  CHECK(status(index) == 200);
  CHECK(body(index) == "<p>index</p>");
  CHECK(index.find("Content-Type: text/html; charset=utf-8\r\n") != std::string::npos);
  CHECK(index.find("Content-Length: 12\r\n") != std::string::npos);
  CHECK(body(request(server, "/index.html?version=3")) == "<p>index</p>");
  CHECK(body(request(server, "/sub/")) == "<p>sub</p>");
  CHECK(body(request(server, "/%61%20b.js")) == "script");
  CHECK(request(server, "/a%20b.js").find("text/javascript") != std::string::npos);
  const std::string empty = request(server, "/nothing.css");
  CHECK(status(empty) == 200);
  CHECK(body(empty) == "");

  const std::string head = request(server, "/", "HEAD");
  CHECK(status(head) == 200);
  CHECK(head.find("Content-Length: 12\r\n") != std::string::npos);
  CHECK(body(head) == "");
  CHECK(status(request(server, "/", "POST")) == 405);
  CHECK(status(request(server, "/", "GET", "Origin: http://evil.example\r\n")) == 403);
}

TEST_CASE("files: nothing outside the folder is served") {
  const std::string folder = prepare_folder("guarded");
  EchoServer echo({.folder = folder});
  for (const char* target : {"/../secret.txt",
                             "/sub/../../secret.txt",
                             "/%2e%2e/secret.txt",
                             "/%2E%2E%2Fsecret.txt",
                             "/..%2fsecret.txt",
                             "/sub/..%2f..%2fsecret.txt",
                             "/..\\secret.txt",
                             "/%2e%2e%5csecret.txt",
                             "/%252e%252e/secret.txt",
                             "/./index.html",
                             "//etc/passwd",
                             "/%2fetc/passwd",
                             "/sub//index.html",
                             "/link.txt",
                             "/inner.html",
                             "/out/secret.txt",
                             "/out/page/index.html",
                             "/pipe",
                             "/.hidden",
                             "/%00",
                             "/index.html%00.js",
                             "/%",
                             "/%zz",
                             "/sub",
                             "/empty/",
                             "/empty",
                             "/index.html/",
                             "/index.html/x",
                             "/missing",
                             "/\xff",
                             "/?/../../secret.txt/"}) {
    CAPTURE(target);
    const std::string answer = request(echo.server, target);
    if (std::string(target) == "/?/../../secret.txt/") {
      CHECK(body(answer) == "<p>index</p>");
      continue;
    }
    const int code = status(answer);
    CHECK((code == 404 || code == 400));
    CHECK(answer.find("secret") == std::string::npos);
    CHECK(answer.find("hidden") == std::string::npos);
  }

  // without a folder nothing is
  EchoServer bare;
  CHECK(status(request(bare.server, "/")) == 404);
  EchoServer missing({.folder = folder + "/no/such/folder"});
  CHECK(status(request(missing.server, "/")) == 404);
}

TEST_CASE("files: a large file arrives whole, beside a live client, whoever reads it slowly") {
  const std::string folder = prepare_folder("large");
  std::string large;
  for (int i = 0; large.size() < 5'000'000; ++i) large += std::to_string(i) + ",";
  write(fs::path(folder) / "large.csv", large);
  EchoServer echo({.folder = folder, .pong_timeout = 300ms});
  RawSocket stalled(echo.server.port());
  ask(stalled, echo.server, "/large.csv");
  Client client(echo.server.url());
  CHECK(body(request(echo.server, "/large.csv")) == large);
  client.send("alive");
  CHECK(receive_text(client) == "alive");

  // the one that stalls is given up before it has all
  std::this_thread::sleep_for(700ms);
  CHECK(stalled.receive().size() < large.size());
}

TEST_CASE("files: a file that grows while it is sent comes as long as was promised") {
  const fs::path path = fs::path(prepare_folder("grown")) / "log.csv";
  constexpr std::size_t size = 24'000'000;  // more than waits between the two ends
  write(path, std::string(size, ','));
  EchoServer echo({.folder = path.parent_path()});
  RawSocket socket(echo.server.port());
  ask(socket, echo.server, "/log.csv");
  const std::string begun = socket.receive(1000);
  CHECK(begun.find("Content-Length: 24000000\r\n") != std::string::npos);
  std::ofstream(path, std::ios::app) << std::string(1000, '!');
  const std::string sent = body(begun + socket.receive());
  CHECK(sent.size() == size);
  CHECK(sent.find('!') == std::string::npos);
}

TEST_CASE("files: a reader that goes away is an error of a write, not a signal") {
  const std::string folder = prepare_folder("deserted");
  write(fs::path(folder) / "large.csv", std::string(5'000'000, ','));
  EchoServer echo({.folder = folder});
  struct sigaction disposition {};
  sigaction(SIGPIPE, nullptr, &disposition);
  REQUIRE((disposition.sa_handler == SIG_DFL));  // it would kill us
  for (int i = 0; i < 20; ++i) {
    RawSocket socket(echo.server.port());
    ask(socket, echo.server, "/large.csv");
  }
  CHECK(body(request(echo.server, "/large.csv")).size() == 5'000'000);
}

TEST_CASE("files: the ending of a name tells its type") {
  CHECK(content_type("a.html") == "text/html; charset=utf-8");
  CHECK(content_type("A.HTML") == "text/html; charset=utf-8");
  CHECK(content_type("a.html.glb") == "model/gltf-binary");
  CHECK(content_type("molejo.wasm") == "application/wasm");
  CHECK(content_type("html") == "application/octet-stream");
  CHECK(content_type(".html") == "application/octet-stream");
}
