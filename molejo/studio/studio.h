// The studio: one process that serves a page and everything it shows, one workspace for all who
// look (docs/studio.md).
//
//   /                 the page          /gallery.json      what can be opened
//   /live             WebSocket         /asset/...         what was made
//   POST /upload      what was dropped on the page
//   POST /film        a picture of the film that it makes (filming.h)
//   POST /picture     what it has drawn, for those who asked (molejo render)
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "molejo/live/host.h"

namespace molejo {

struct PageFile {
  std::string path;   // "/index.html"
  std::string bytes;  // {token} stands for the token in index.html
};

struct StudioOptions {
  std::vector<PageFile> page;
  std::string scenes;          // folder of the gallery; empty: none
  std::string trainings = {};  // folder where they are kept; empty: they end with the studio
  std::vector<std::string> roots = {};  // folders that the file it starts with may name files of
  HistoryLimits history = {};
  std::size_t max_memory = std::size_t{1} << 30;  // bytes, of which each part has its share
  // Who wants pictures: the page was asked to send some (web/src/render.ts). Called on the network
  // thread; the end with an empty text, or what went wrong.
  std::function<void(int index, std::string_view png)> on_picture = {};
  std::function<void(const std::string& failure)> on_pictures_end = {};
};

class Studio {
 public:
  // Throws InputError for a folder or options that cannot be used, NetworkError when the address
  // cannot be had.
  Studio(StudioOptions options, ServerOptions server);
  ~Studio();

  // Opens a file: a path, or a name such as "scenes/chain.json" of the gallery where there is no
  // such path; plays it, and lets clients in. Throws InputError.
  void start(const std::string& file);
  // The same with a file of the gallery: the run that is closed, where it has that, else the first
  // that can be opened. Its name.
  std::string start_with_gallery();
  // Any thread, any number of times. A training that is under way is ended.
  void stop();
  // Motions whose training was ended by the stop, where they are kept to be resumed.
  std::vector<std::string> interrupted() const;

  int port() const;
  const std::string& token() const;
  std::string url() const;       // of the page, with the token
  std::string live_url() const;  // of the WebSocket, with the token

 private:
  class Conversation;
  struct Parts;
  void let_clients_in();

  std::unique_ptr<Parts> parts_;
};

}  // namespace molejo
