// Reading whole files, and those that make one wait.
#include "molejo/io/file.h"

#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "molejo/io/staged_file.h"
#include "molejo/math/interrupt.h"
#include "tests/support/empty_folder.h"
#include "tests/support/error_text.h"

using namespace molejo;
using namespace molejo::test;

namespace {

// Cancels the work of another thread and wakes it by a signal until that has ended, as Ctrl-C does.
template <class Work>
std::string told_when_interrupted(Work&& work) {
  struct sigaction wake {
  }, before{};
  wake.sa_handler = [](int) {};
  ::sigaction(SIGUSR1, &wake, &before);
  Interrupt interrupt;
  std::atomic<bool> over = false;
  std::string told;
  std::thread worker([&] {
    const InterruptScope scope(interrupt);
    try {
      work();
    } catch (const Interrupted& e) {
      told = e.what();
    } catch (const InputError& e) {
      told = std::string("InputError: ") + e.what();
    }
    over = true;
  });
  // a signal alone ends nothing
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ::pthread_kill(worker.native_handle(), SIGUSR1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_FALSE(over);
  interrupt.cancel();
  while (!over) {
    ::pthread_kill(worker.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  worker.join();
  ::sigaction(SIGUSR1, &before, nullptr);
  return told;
}

}  // namespace

TEST_CASE("file: who waits for the other end of a pipe can be interrupted") {
  const EmptyFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(told_when_interrupted([&] { read_file(pipe); }) == "interrupted");
  CHECK(told_when_interrupted([&] { write_file(pipe, "text"); }) == "interrupted");
  // somebody holds it, and says nothing
  const std::fstream other(pipe);
  CHECK(told_when_interrupted([&] { read_file(pipe); }) == "interrupted");
}

TEST_CASE("file: a pipe is read to its end") {
  const EmptyFolder folder;
  const std::string pipe = folder / "pipe", text(300'000, 'm');
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(pipe) << text; });
  CHECK(read_file(pipe) == text);
  writer.join();
}

TEST_CASE("file: what cannot be read says why, and the limit is kept") {
  const EmptyFolder folder;
  write_file(folder / "a", "12345");
  CHECK(read_file(folder / "a", 5) == "12345");
  CHECK(error_text([&] { read_file(folder / "a", 4); }) ==
        (folder / "a") + ": larger than 4 bytes");
  CHECK(error_text([&] { read_file(folder / "b"); }) == (folder / "b") + ": no such file");
  CHECK(error_text([&] { read_file(folder.path()); }) ==
        folder.path() + ": is a folder, expected a file");
}

TEST_CASE("file: an error that quotes a NUL is told to its end") {
  const std::string name("a\0b.json", 8);
  CHECK(error_text([&] { throw InputError(name + ": no such file"); }) == "a?b.json: no such file");
}
