// Files that are whole or not there: what a write keeps, what it follows, what it leaves.
#include "molejo/io/staged_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "molejo/io/file.h"
#include "molejo/io/file_lock.h"
#include "molejo/io/temporary_folder.h"
#include "tests/support/empty_folder.h"
#include "tests/support/error_text.h"

namespace molejo {

namespace {

namespace fs = std::filesystem;
using test::EmptyFolder;
using test::error_text;
using Names = std::vector<std::string>;

mode_t mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

// In a process of its own, killed when it has done its part; or ended with what `part` returns.
int in_child(const std::function<int()>& part, bool killed) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int code = part();
    if (killed) ::raise(SIGKILL);
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// Rights mean little to root.
int as_nobody(const std::function<int()>& part) {
  return in_child(
      [&] {
        if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 99;
        return part();
      },
      false);
}

}  // namespace

TEST_CASE("a new file has the mode that the umask leaves") {
  const EmptyFolder folder;
  const mode_t before = ::umask(027);
  write_file(folder / "a", "text");
  ::umask(077);
  write_file(folder / "b", "text");
  ::umask(before);
  CHECK(mode_of(folder / "a") == 0640);
  CHECK(mode_of(folder / "b") == 0600);
  CHECK(folder.names() == Names{"a", "b"});
}

TEST_CASE("a file that is written again keeps its mode and owner") {
  const EmptyFolder folder;
  const std::string file = folder / "a";
  for (const mode_t mode : {0600U, 0644U, 0664U, 0666U, 0755U, 0200U}) {
    write_file(file, "old");
    REQUIRE(::chmod(file.c_str(), mode) == 0);
    const bool given = ::chown(file.c_str(), 12345, 23456) == 0;  // only root can
    write_file(file, "new");
    struct stat status {};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777U) == mode);
    CHECK(status.st_uid == (given ? 12345 : ::geteuid()));
    CHECK(status.st_gid == (given ? 23456 : ::getegid()));
    if (::geteuid() == 0) CHECK(read_file(file) == "new");
  }
  CHECK(folder.names() == Names{"a"});
}

TEST_CASE("who writes a stranger's file again lends no rights, and gives none to another group") {
  if (::geteuid() != 0) return;  // only root has files of strangers
  const EmptyFolder folder;
  REQUIRE(::chmod((folder / "").c_str(), 0777) == 0);
  const std::string file = folder / "a";
  for (const gid_t group : {65534U, 23456U}) {
    CAPTURE(group);
    fs::remove(file);
    write_file(file, "old");
    REQUIRE(::chown(file.c_str(), 12345, group) == 0);
    REQUIRE(::chmod(file.c_str(), 06777) == 0);
    CHECK(as_nobody([&] {
            write_file(file, "new");
            return 0;
          }) == 0);
    struct stat status {};
    REQUIRE(::stat(file.c_str(), &status) == 0);
    CHECK(status.st_uid == 65534);
    CHECK(status.st_gid == 65534);
    CHECK((status.st_mode & 07777U) == (group == 65534 ? 0777 : 0707));
    CHECK(read_file(file) == "new");
  }
}

TEST_CASE("the file of another name is not touched by a write, whatever it is called") {
  const EmptyFolder folder;
  const Names others{"a.new", "a.part", "a.tmp", "a~", ".a", ".molejo-", ".molejo-mine"};
  for (const std::string& name : others) write_file(folder / name, "mine");
  for (int i = 0; i < 2; ++i) write_file(folder / "a", "text");
  for (const std::string& name : others) CHECK(read_file(folder / name) == "mine");
  CHECK(folder.names().size() == others.size() + 1);
}

TEST_CASE("a link stays a link, and what it leads to is written") {
  const EmptyFolder folder;
  fs::create_directory(folder / "deep");
  fs::create_symlink("deep/file", folder / "near");        // to nothing yet
  fs::create_symlink(folder / "near", folder / "far");     // over another link
  fs::create_symlink("../near", folder / "deep" + "/up");  // from another folder
  int round = 0;
  for (const std::string name : {"near", "far", "deep/up", "near"}) {
    const std::string text = std::to_string(++round);
    write_file(folder / name, text);
    CHECK(read_file(folder / "deep/file") == text);
    CHECK(fs::is_symlink(folder / name));
    CHECK(fs::is_regular_file(fs::symlink_status(folder / "deep/file")));
  }
  CHECK(folder.names() == Names{"deep", "far", "near"});
  fs::create_symlink("round", folder / "round");
  CHECK(error_text([&] { write_file(folder / "round", "x"); }) ==
        folder / "round: cannot be written: Too many levels of symbolic links");
}

TEST_CASE("an old file stays whole until the new one is in its place") {
  const EmptyFolder folder;
  for (const std::string old : {"", "old"}) {
    if (!old.empty()) write_file(folder / "a", old);
    const Names before = folder.names();
    const auto unchanged = [&] {
      return fs::exists(folder / "a") ? read_file(folder / "a") == old : old.empty();
    };
    {
      StagedFile file(folder / "a");
      file.write("ne");
      CHECK(unchanged());
      file.write("w");
      file.sync();
      CHECK(unchanged());
    }
    CHECK(unchanged());
    CHECK(folder.names() == before);
    StagedFile file(folder / "a");
    file.write("new");
    file.sync();
    file.place();
    CHECK(read_file(folder / "a") == "new");
    fs::remove(folder / "a");
  }
}

TEST_CASE("another program writes a staged file by its door") {
  const EmptyFolder folder;
  StagedFile file(folder / "a");
  std::ofstream(file.door()) << "through the door";
  file.sync();
  file.place();
  file.settle();
  CHECK(read_file(folder / "a") == "through the door");
}

TEST_CASE(
    "what a killed writer has left is removed by the next one, what a live one writes is not") {
  const EmptyFolder folder;
  std::ofstream(folder / "a") << "old";
  const std::string left = folder / ".molejo-0123456789abcdef";
  std::ofstream(left) << "half";
  const std::string live = folder / ".molejo-fedcba9876543210";
  std::ofstream(live) << "half";
  const int held = ::open(live.c_str(), O_RDWR);
  REQUIRE(::flock(held, LOCK_EX) == 0);
  const int code = in_child([&] { return write_file(folder / "a", "new"), 7; }, false);
  CHECK(code == 7);
  CHECK(folder.names() == Names{".molejo-fedcba9876543210", "a"});
  CHECK(read_file(folder / "a") == "new");
  ::close(held);
}

TEST_CASE("a pipe gets all that is written, and a device says why it does not") {
  const EmptyFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string text(300'000, 'x');
  std::string read;
  std::thread reader([&] { read = read_file(pipe); });
  write_file(pipe, text);
  reader.join();
  CHECK(read == text);
  CHECK(fs::is_fifo(pipe));

  fs::create_symlink("/dev/full", folder / "full");
  CHECK(error_text([&] { write_file(folder / "full", "x"); }) ==
        folder / "full: cannot be written: No space left on device");
  fs::create_symlink("/dev/null", folder / "null");
  write_file(folder / "null", text);
  CHECK(fs::is_symlink(folder / "null"));

  // whoever stops to read ends a write with an error, not the process
  std::thread quitter([&] { ::close(::open(pipe.c_str(), O_RDONLY)); });
  CHECK(error_text([&] { write_file(pipe, text); }) == pipe + ": cannot be written: Broken pipe");
  quitter.join();
  CHECK(folder.names() == Names{"full", "null", "pipe"});
}

TEST_CASE("what is open is written by its name in /dev, not replaced") {
  const EmptyFolder folder;
  const int open = ::open((folder / "a").c_str(), O_RDWR | O_CREAT, 0600);
  const std::string name = "/proc/self/fd/" + std::to_string(open);
  fs::create_symlink(name, folder / "link");
  write_file(folder / "link", "one ");
  write_file(name, "two");
  CHECK(read_file(folder / "a") == "one two");
  struct stat by_number {
  }, by_name{};
  ::fstat(open, &by_number);
  ::stat((folder / "a").c_str(), &by_name);
  CHECK(by_number.st_ino == by_name.st_ino);
  ::close(open);
}

TEST_CASE("where a file cannot be written one line says why") {
  const EmptyFolder folder;
  write_file(folder / "a", "x");
  CHECK(error_text([&] { write_file(folder / "missing/b", "x"); }) ==
        folder / "missing/b: no such folder '" + folder / "missing'");
  CHECK(error_text([&] { write_file(folder / "a/b", "x"); }) ==
        folder / "a/b: no such folder '" + folder / "a'");
  CHECK(error_text([&] { write_file(folder.path(), "x"); }) ==
        folder.path() + ": is a folder, expected a file");
  const std::string longest = folder / std::string(300, 'n');
  CHECK(error_text([&] { write_file(longest, "x"); }) ==
        longest + ": cannot be written: File name too long");

  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  REQUIRE(::chmod((folder / "a").c_str(), 0444) == 0);
  CHECK(as_nobody([&] {
          const std::string text = error_text([&] { write_file(folder / "a", "y"); });
          return text == folder / "a: cannot be written: Permission denied" ? 5 : 6;
        }) == 5);
  REQUIRE(::chmod((folder / "a").c_str(), 0666) == 0);
  REQUIRE(::chmod(folder.path().c_str(), 0555) == 0);
  CHECK(as_nobody([&] {
          const std::string text = error_text([&] { write_file(folder / "a", "y"); });
          return text == folder / "a: the folder '" + folder.path() + "' is not writable" ? 5 : 6;
        }) == 5);
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  CHECK(read_file(folder / "a") == "x");
}

TEST_CASE("a disk without room leaves the old file and nothing else") {
  const EmptyFolder folder;
  write_file(folder / "a", "old");
  // as full as a disk can be without one: no file may be longer than a limit
  const int code = in_child(
      [&] {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{1000, 1000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const std::string text =
            error_text([&] { write_file(folder / "a", std::string(5000, 'x')); });
        return text == folder / "a: cannot be written: File too large" ? 5 : 6;
      },
      false);
  CHECK(code == 5);
  CHECK(read_file(folder / "a") == "old");
  CHECK(folder.names() == Names{"a"});
}

TEST_CASE("of a set of files none is touched before all are written") {
  const EmptyFolder folder;
  write_file(folder / "a", "old");
  {
    FileSet set;
    set.add(folder / "a", "new");
    set.add(folder / "b", "new");
    CHECK_THROWS_AS(set.add(folder / "missing/c", "new"), InputError);
  }
  CHECK(folder.names() == Names{"a"});
  CHECK(read_file(folder / "a") == "old");
  fs::create_symlink("/dev/full", folder / "z");
  {
    FileSet set;
    set.add(folder / "a", "new");
    set.add(folder / "z", "new");
    CHECK_THROWS_AS(set.commit(), InputError);
  }
  CHECK(read_file(folder / "a") == "old");
  FileSet set;
  for (int i = 0; i < 1000; ++i)
    set.add(folder / std::to_string(i), "new");  // more than may be open
  set.commit();
  CHECK(folder.names().size() == 1002);
}

TEST_CASE("two who write one file at once leave one of their files, whole") {
  const EmptyFolder folder;
  const auto write_often = [&](char letter) {
    for (int i = 0; i < 200; ++i) write_file(folder / "a", std::string(5000, letter));
  };
  std::thread other([&] { write_often('x'); });
  write_often('y');
  other.join();
  const std::string text = read_file(folder / "a");
  CHECK((text == std::string(5000, 'x') || text == std::string(5000, 'y')));
  CHECK(folder.names() == Names{"a"});
}

TEST_CASE("a lock keeps another process out until its owner ends, however that ends") {
  const EmptyFolder folder;
  const std::string file = folder / "run.gait.json";
  fs::create_symlink("run.gait.json", folder / "link");
  const auto try_it = [&](const std::string& path, const std::string& said) {
    return in_child([&] { return error_text([&] { const FileLock lock(path); }) == said ? 5 : 6; },
                    false);
  };
  {
    const FileLock lock(file);
    const std::string mine = ": process " + std::to_string(::getpid()) +
                             " is working for it; wait for its end or choose another name";
    CHECK(try_it(file, file + mine) == 5);
    CHECK(try_it(folder / "link", folder / "link" + mine) == 5);
    CHECK(try_it(folder / "other", "no error") == 5);
  }
  CHECK(folder.names() == Names{"link"});
  CHECK(in_child([&] { return new FileLock(file), 0; }, true) == -SIGKILL);
  CHECK(folder.names() == Names{"link", "run.gait.json.lock"});
  CHECK(try_it(file, "no error") == 5);
  CHECK(folder.names() == Names{"link"});
}

TEST_CASE("a file that only looks like a lock is not touched") {
  const EmptyFolder folder;
  write_file(folder / "a.lock", "my notes");
  CHECK(error_text([&] { const FileLock lock(folder / "a"); }) ==
        folder / "a: " + folder / "a.lock is no lock of Molejo; it must have another name");
  CHECK(read_file(folder / "a.lock") == "my notes");
}

TEST_CASE("a temporary folder is private, and those of killed processes go with the next one") {
  const EmptyFolder folder;
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  fs::create_directory(folder / "molejo-1-mine");
  std::string name;
  {
    const TemporaryFolder made;
    CHECK(mode_of(made.path()) == 0700);
    write_file(made.path() + "/x", "x");
    // who looks now finds it in use
    CHECK(in_child([&] { return TemporaryFolder(), 0; }, false) == 0);
    CHECK(fs::exists(made.path() + "/x"));
  }
  CHECK(folder.names() == Names{"molejo-1-mine"});
  const auto leave = [] {
    const auto* made = new TemporaryFolder;
    fs::create_directories(made->path() + "/a/b");
    fs::create_directory_symlink("/", made->path() + "/a/root");
    return 0;
  };
  CHECK(in_child(leave, true) == -SIGKILL);
  CHECK(folder.names().size() == 2);
  CHECK(in_child(leave, true) == -SIGKILL);
  CHECK(folder.names().size() == 2);
  { const TemporaryFolder made; }
  CHECK(folder.names() == Names{"molejo-1-mine"});
  ::unsetenv("TMPDIR");
}

}  // namespace molejo
