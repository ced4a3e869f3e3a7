// host PLUGIN FILE SECONDS: a program that knows nothing of Molejo loads a plugin that does.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

int main(int count, char** arguments) {
  if (count != 4) return 3;
  void* plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  void* function = plugin ? dlsym(plugin, "hash_of_scene") : nullptr;
  if (!function) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const auto hash_of_scene =
      reinterpret_cast<unsigned long long (*)(const char*, double)>(function);
  std::printf("%016llx\n", hash_of_scene(arguments[2], std::atof(arguments[3])));
  return 0;
}
