// Wrong on purpose: scripts/check_layers must find these.
#include "molejo/io/file.h"
std::string a(const std::string& path) { return molejo::read_file(path); }
bool b(const std::string& path) { return std::filesystem::exists(path); }
std::ifstream c(const char* path) { return std::ifstream(path); }
int d(const char* path) { return ::open(path, 0); }
