#pragma once
namespace molejo {

struct Twice {
  int of_math = 0;
};

}  // namespace molejo
