#pragma once
namespace molejo {

struct Twice {
  int of_net = 0;
};

}  // namespace molejo
