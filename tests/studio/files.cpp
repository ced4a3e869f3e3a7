// What the studio gives away and takes in, and what not.
#include <doctest/doctest.h>

#include <filesystem>

#include "molejo/io/file.h"
#include "molejo/studio/catalog.h"
#include "molejo/studio/workspace.h"
#include "tests/studio/studio_client.h"

using namespace molejo;
using namespace molejo::test;

TEST_CASE("studio: the page and the gallery are served") {
  LoopbackStudio studio("scenes/pendulum.json");
  CHECK(studio.url() ==
        "http://127.0.0.1:" + std::to_string(studio.port()) + "/?token=" + studio.token());
  // the page asks for its parts with the token
  CHECK(body_of(http(studio, "GET", "/")) ==
        "<title>page</title><script src=\"app.js?token=" + studio.token() + "\">");
  CHECK(http(studio, "GET", "/").find("Content-Type: text/html") != std::string::npos);
  CHECK(body_of(http(studio, "GET", "/app.js")) == "1");
  CHECK(body_of(http(studio, "HEAD", "/app.js")).empty());
  const JsonValue gallery = parse_json(body_of(http(studio, "GET", "/gallery.json")), "g").root;
  std::map<std::string, std::string> topics, kinds;
  for (const JsonValue& item : gallery.items) {
    topics[item.find("file")->text] = item.find("topic")->text;
    kinds[item.find("file")->text] = item.find("kind")->text;
    CHECK(!item.find("title")->text.empty());
  }
  CHECK(topics.at("scenes/chain.json") == "bodies");
  CHECK(topics.at("scenes/stack.json") == "contact");
  CHECK(topics.at("scenes/magnetic_pendulum.json") == "forces");
  CHECK(topics.at("scenes/nets/jump.net.json") == "nets");
  CHECK(topics.at("scenes/walks/stick_a.walk.json") == "terrain");
  CHECK(kinds.at("scenes/gaits/basic_run.motion.json") == "motion");
  CHECK(kinds.at("scenes/walks/stick_walk.bvh") == "character");
  CHECK(kinds.count("scenes/terrains/hills.terrain.json") == 0);
}

TEST_CASE("studio: a scene shows the picture that lies in thumbs/") {
  const std::filesystem::path folder = std::filesystem::path(binary_dir()) / "catalog_with_thumbs";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "thumbs" / "deep");
  std::filesystem::create_directories(folder / "deep");
  write_file((folder / "a.json").string(), "{\"name\": \"A\"}");
  write_file((folder / "deep" / "b.json").string(), "{\"name\": \"B\"}");
  write_file((folder / "thumbs" / "deep" / "b.json.png").string(), "picture");
  const std::vector<CatalogEntry> entries = catalog(folder.string());
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].thumb.empty());
  CHECK(entries[1].thumb == "thumbs/deep/b.json.png");
  const JsonValue list = parse_json(catalog_json(entries, "scenes/"), "g").root;
  CHECK(list.items[0].find("thumb")->is(JsonValue::Kind::null));
  CHECK(list.items[1].find("thumb")->text == "/thumbs/deep/b.json.png");
  const Workspace workspace(folder.string());
  REQUIRE(workspace.thumb("/thumbs/deep/b.json.png"));
  CHECK(*workspace.thumb("/thumbs/deep/b.json.png") == "picture");
  CHECK_FALSE(workspace.thumb("/thumbs/../a.json"));
}

TEST_CASE("studio: no name leads out of the workspace") {
  LoopbackStudio studio("scenes/pendulum.json");
  for (const char* path :
       {"/../CMakeLists.txt", "/%2e%2e/CMakeLists.txt", "/scenes/chain.json",
        "/asset/1/../../etc/passwd", "/asset/1", "/upload/1/x", "/.git/config"}) {
    CAPTURE(path);
    CHECK(http(studio, "GET", path).substr(0, 12) == "HTTP/1.1 404");
  }
  Visitor visitor(studio);
  for (const char* file :
       {"../CMakeLists.txt", "scenes/../CMakeLists.txt", "scenes/../../etc/passwd", "/etc/passwd",
        "scenes//chain.json", "scenes/./chain.json", "scenes/.hidden.json", "upload/1/../2/x.json",
        "upload/../x.json", "given/../x.json", "given/", "scenes/", "", "scenes\\chain.json"}) {
    CAPTURE(file);
    JsonValue message = JsonValue::object();
    message.add("do", std::string("open"));
    message.add("file", std::string(file));
    CHECK(visitor.error(compact_text(message, std::string::npos)).find("no such file here") !=
          std::string::npos);
  }
}

TEST_CASE("studio: a file that is sent can be opened, others are refused with a reason") {
  LoopbackStudio studio("scenes/pendulum.json");
  const std::string scene = read_file(source_dir() + "/scenes/double_pendulum.json");
  const auto post = [&](const std::string& name, const std::string& body) {
    return parse_json(body_of(http(studio, "POST", "/upload?name=" + name, body)), "answer").root;
  };
  const JsonValue taken = post("mine.json", scene);
  REQUIRE(taken.find("file"));
  CHECK(taken.find("kind")->text == "scene");
  Visitor visitor(studio);
  const JsonValue opened =
      visitor.must(R"({"do": "open", "file": ")" + taken.find("file")->text + "\"}");
  CHECK(number(*opened.find("describe")->find("model"), "coordinates") == 2);

  const auto refused = [&](const std::string& name, const std::string& body) {
    const JsonValue answer = post(name, body);
    return answer.find("error") ? answer.find("error")->text : "no error";
  };
  CHECK(refused("..%2fx.json", scene).find("plain name") != std::string::npos);
  CHECK(refused(".x.json", scene).find("plain name") != std::string::npos);
  CHECK(refused("x.exe", scene).find("expected a file of the kinds") != std::string::npos);
  CHECK(refused("x.json", "").find("0 bytes") != std::string::npos);
  // files that name those of the gallery as these name each other
  for (const char* name : {"shows/walk.show.json", "gaits/basic_run_closed.gait.json"}) {
    const std::string bytes = read_file(source_dir() + "/scenes/" + name);
    const JsonValue kept = post(std::filesystem::path(name).filename().string(), bytes);
    REQUIRE(kept.find("file"));
    visitor.must(R"({"do": "open", "file": ")" + kept.find("file")->text + "\"}");
  }
  // it lies beside them for what it names, not for those who open files
  CHECK(visitor.error(R"({"do": "open", "file": "upload/characters/humanoid.json"})")
            .find("no such file here") != std::string::npos);
  // what is sent but cannot be read is told when it is opened
  const JsonValue broken = post("broken.json", "{\"bodies\": 3}");
  REQUIRE(broken.find("file"));
  CHECK(visitor.error(R"({"do": "open", "file": ")" + broken.find("file")->text + "\"}")
            .find("bodies") != std::string::npos);
}

TEST_CASE("studio: bodies of requests are bounded before they are read") {
  LoopbackStudio studio("scenes/pendulum.json");
  const auto status = [&](const std::string& headers,
                          const std::string& target = "/upload?name=a.json") {
    return http(studio, "POST", target, "", headers).substr(9, 3);
  };
  CHECK(status("Content-Length: 33554433\r\n") == "413");
  CHECK(status("Content-Length: 99999999999999999999\r\n") == "411");
  CHECK(status("Content-Length: -1\r\n") == "411");
  CHECK(status("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n") == "411");
  CHECK(status("Content-Length: 0\r\n", "/elsewhere") == "404");
  CHECK(status("Content-Length: 0\r\nOrigin: https://elsewhere.org\r\n") == "403");
  // the largest that is taken
  const std::string big = "{}" + std::string((32 << 20) - 2, ' ');
  CHECK(http(studio, "POST", "/upload?name=big.json", big).substr(9, 3) == "200");
}

TEST_CASE("studio: nothing is answered without the token, and all says what browsers may do") {
  LoopbackStudio studio("scenes/pendulum.json");
  const std::string token = studio.token(), none = "Authorization: none\r\n";
  CHECK(token.size() >= 32);
  for (const std::string path : {"/", "/index.html", "/app.js", "/gallery.json", "/live",
                                 "/asset/1/a.glb", "/thumbs/chain.json.png", "/nowhere"}) {
    CAPTURE(path);
    for (const std::string& headers :
         {none, bearer("0123456789abcdef"), bearer(token + "a"), bearer(token.substr(1))}) {
      CHECK(http(studio, "GET", path, "", headers).substr(9, 3) == "401");
      CHECK(http(studio, "HEAD", path, "", headers).substr(9, 3) == "401");
    }
    CHECK(http(studio, "GET", path + "?token=" + token, "", none).substr(9, 3) != "401");
    CHECK(http(studio, "GET", path).substr(9, 3) != "401");
  }
  CHECK(http(studio, "POST", "/upload?name=a.json", "{}", none).substr(9, 3) == "401");
  CHECK(http(studio, "POST", "/upload?token=" + token + "&name=a.json", "{}", none).substr(9, 3) ==
        "200");
  const std::string live = studio.live_url();
  CHECK(refusal(live.substr(0, live.find('?'))).find("401") != std::string::npos);
  CHECK(refusal(live) == "");

  for (const auto& [path, headers] : std::vector<std::pair<std::string, std::string>>{
           {"/", ""}, {"/", none}, {"/app.js", ""}, {"/nowhere", ""}}) {
    const std::string answer = http(studio, "GET", path, "", headers);
    CAPTURE(answer);
    for (const char* line :
         {"\r\nContent-Security-Policy: default-src 'none'; script-src 'self';",
          "; frame-ancestors 'none'\r\n", "\r\nX-Frame-Options: DENY\r\n",
          "\r\nReferrer-Policy: no-referrer\r\n", "\r\nX-Content-Type-Options: nosniff\r\n",
          "\r\nCross-Origin-Opener-Policy: same-origin\r\n",
          "\r\nCross-Origin-Resource-Policy: same-origin\r\n", "\r\nCache-Control: no-store\r\n"}) {
      CAPTURE(line);
      CHECK(answer.find(line) != std::string::npos);
    }
    CHECK(answer.find("unsafe") == std::string::npos);
  }
}

TEST_CASE("studio: what was shown can be exported") {
  LoopbackStudio studio("scenes/double_pendulum.json");
  Visitor visitor(studio);
  visitor.must(R"({"do": "pause"})");
  visitor.must(R"({"do": "reset"})");
  visitor.must(R"({"do": "step", "frames": 30})");
  const auto exported = [&](const std::string& what, const std::string& more = "") {
    const double job =
        number(visitor.must(R"({"do": "export", "what": ")" + what + "\"" + more + "}"), "job");
    const JsonValue done = visitor.event("done");
    CHECK(number(done, "job") == job);
    CHECK(done.find("name")->text == "double_pendulum." + what);
    return body_of(http(studio, "GET", done.find("asset")->text));
  };
  CHECK(exported("glb").substr(0, 4) == "glTF");
  CHECK(exported("svg").find("<svg") != std::string::npos);
  const std::string table = exported("csv", R"(, "from": 0.2, "to": 0.5)");
  const double fps = number(visitor.must(R"({"do": "describe"})"), "fps");
  const auto rows = std::count(table.begin(), table.end(), '\n') - 1;
  CHECK(rows == static_cast<long>(std::floor(0.5 * fps + 1e-6) - std::ceil(0.2 * fps - 1e-6)) + 1);
  CHECK(visitor.error(R"({"do": "export", "what": "exe"})").find("glb, csv or svg") !=
        std::string::npos);
  CHECK(visitor.error(R"({"do": "export", "what": "csv", "from": 90})").find("nothing") !=
        std::string::npos);
}

TEST_CASE("studio: each kind says what it exports, and all of that can be had") {
  const std::map<std::string, std::string> all{
      {"scenes/double_pendulum.json", "glb csv svg"},
      {"scenes/gaits/basic_run_closed.gait.json", "glb csv svg"},
      {"scenes/gaits/basic_run.motion.json", "glb csv svg motion"},
      {"scenes/shows/walk.show.json", "glb csv json pnml svg gantt events"},
      {"scenes/nets/jump.net.json", "json pnml svg gantt events"},
      {"scenes/walks/stick_a.walk.json", "glb bvh csv"},
      {"scenes/walks/stick_walk.bvh", "glb bvh csv"},
  };
  const std::map<std::string, std::string> beginnings{
      {"glb", "glTF"},   {"csv", "t,"},     {"bvh", "HIERARCHY"}, {"net", "{"},
      {"pnml", "<?xml"}, {"gantt", "<svg"}, {"svg", "<svg"},      {"motion", "{"}};
  LoopbackStudio studio("scenes/pendulum.json");
  Visitor visitor(studio);
  for (const auto& [file, expected] : all) {
    CAPTURE(file);
    const JsonValue opened = visitor.must(R"({"do": "open", "file": ")" + file + "\"}");
    visitor.must(R"({"do": "pause"})");
    visitor.must(R"({"do": "step", "frames": 5})");
    std::string list;
    for (const JsonValue& what : opened.find("describe")->find("exports")->items) {
      list += (list.empty() ? "" : " ") + what.text;
      CAPTURE(what.text);
      visitor.must(R"({"do": "export", "what": ")" + what.text + "\"}");
      const std::string bytes =
          body_of(http(studio, "GET", visitor.event("done").find("asset")->text));
      CHECK(!bytes.empty());
      const auto begins = beginnings.find(what.text);
      if (begins != beginnings.end())
        CHECK(bytes.substr(0, begins->second.size()) == begins->second);
    }
    CHECK(list == expected);
    CHECK(visitor.must(R"({"do": "exports"})").find("exports")->items.size() ==
          opened.find("describe")->find("exports")->items.size());
    const std::string last = expected.substr(expected.rfind(' ') + 1);
    const std::string error = visitor.error(R"({"do": "export", "what": "exe"})");
    CHECK(error.find("'what': 'exe': expected ") == 0);
    CHECK(error.find(" or " + last) != std::string::npos);
  }
}
