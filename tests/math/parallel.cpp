#include "molejo/math/parallel.h"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace molejo;

TEST_CASE("parallel: every item is done once, for any number of threads") {
  for (int threads : {0, 1, 2, 7, 100}) {
    std::vector<int> done(53, 0);
    parallel_for(53, threads, [&](int i) { done[static_cast<std::size_t>(i)] += i + 1; });
    for (int i = 0; i < 53; ++i) CHECK(done[static_cast<std::size_t>(i)] == i + 1);
  }
  parallel_for(0, 4, [](int) { FAIL("nothing to do"); });
}

TEST_CASE("parallel: the first failure by index is told, after all others have ended") {
  std::atomic<int> finished{0};
  try {
    parallel_for(20, 4, [&](int i) {
      if (i == 7 || i == 13) throw std::runtime_error(std::to_string(i));
      ++finished;
    });
    FAIL("no exception");
  } catch (const std::runtime_error& e) {
    CHECK(std::string(e.what()) == "7");
  }
  CHECK(finished == 18);
}

TEST_CASE("parallel: calls with the same worker never overlap, and workers are below the threads") {
  for (const int threads : {1, 2, 3, 8}) {
    std::vector<std::atomic<int>> inside(static_cast<std::size_t>(threads));
    std::atomic<int> overlaps{0}, done{0};
    parallel_for_workers(200, threads, [&](int worker, int) {
      REQUIRE(worker >= 0);
      REQUIRE(worker < threads);
      if (++inside[static_cast<std::size_t>(worker)] != 1) ++overlaps;
      std::this_thread::yield();
      --inside[static_cast<std::size_t>(worker)];
      ++done;
    });
    CHECK(overlaps == 0);
    CHECK(done == 200);
  }
  CHECK(thread_count(3) == 3);
  CHECK(thread_count(0) >= 1);
}
