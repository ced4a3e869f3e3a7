#include "bench/engines.h"

#include <dlfcn.h>

#include "peers_found.h"

namespace bench {

Engines load_engines() {
  Engines engines{
      .all = {molejo_engine()}, .four_worlds = molejo_four_worlds_engine(), .skipped = {}};
  for (const PeerModule& peer : peers_found) {
    if (peer.name == nullptr) break;
    void* module = peer.own_namespace ? dlmopen(LM_ID_NEWLM, peer.path, RTLD_NOW | RTLD_LOCAL)
                                      : dlopen(peer.path, RTLD_NOW | RTLD_LOCAL);
    void* entry = module == nullptr ? nullptr : dlsym(module, "bench_engine");
    if (entry == nullptr) {
      engines.skipped.push_back(std::string(peer.name) + " (" + dlerror() + ")");
      continue;
    }
    engines.all.push_back(reinterpret_cast<decltype(&bench_engine)>(entry)());
  }
  for (const char* sentence : peers_skipped)
    if (sentence != nullptr) engines.skipped.emplace_back(sentence);
  return engines;
}

}  // namespace bench
