#include "molejo/math/thread_kept.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

using namespace molejo;

namespace {

std::atomic<int> alive = 0;

struct Counted {
  Counted() { ++alive; }
  ~Counted() { --alive; }
  std::vector<int> numbers;
};

}  // namespace

TEST_CASE("thread kept: each thread finds what it left, until it ends") {
  static const ThreadKept<Counted> kept;
  kept.of_this_thread().numbers = {1, 2, 3};
  const int before = alive;
  std::thread other([&] {
    CHECK(kept.of_this_thread().numbers.empty());
    kept.of_this_thread().numbers = {4};
    CHECK(kept.of_this_thread().numbers == std::vector{4});
    CHECK(alive == before + 1);
  });
  other.join();
  CHECK(alive == before);
  CHECK(kept.of_this_thread().numbers == std::vector{1, 2, 3});
}
