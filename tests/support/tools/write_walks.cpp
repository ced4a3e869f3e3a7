// Writes the walks of scenes/walks anew: write_walks FOLDER
#include <cstdio>

#include "molejo/io/file.h"
#include "tests/support/made_walks.h"

int main(int argc, char** argv) {
  using namespace molejo;
  if (argc != 2) {
    std::fprintf(stderr, "write_walks FOLDER\n");
    return 2;
  }
  for (const motion::Character& c :
       {test::made_stick_walk(), test::made_stick_idle(), test::made_dog_walk()}) {
    write_file(std::string(argv[1]) + "/" + c.name + ".bvh", test::made_walk_text(c));
  }
  return 0;
}
