// System calls that fail, or after which nothing follows: runs a program and counts the calls of
// all its threads.
//
//   trace COUNT_FILE CALLS count COMMAND...            how many there are
//   trace COUNT_FILE CALLS at N ERROR COMMAND...       the Nth fails with this number
//   trace COUNT_FILE CALLS from N ERROR COMMAND...     all from the Nth on
//   trace COUNT_FILE CALLS kill N COMMAND...           the program is killed before the Nth
//
// Calls count from the one on that memory.cpp makes when main() begins: it must be preloaded.
// CALLS are numbers of system calls with commas between them, or "all". The exit code is that of
// the command, 128 more than its signal when one ended it.
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>

namespace {

constexpr long main_begins = 999'999;

enum class Act { count, at, from, kill };

struct Plan {
  std::set<long> calls;  // empty: all
  Act act = Act::count;
  long number = 0, error = 0;
};

struct Thread {
  bool inside = false;  // a call has begun
  bool fails = false;
};

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "trace: %s: %s\n", what, std::strerror(errno));
  std::exit(125);
}

Plan read_plan(char**& words) {
  Plan plan;
  const std::string calls = *words++;
  if (calls != "all") {
    for (char* at = const_cast<char*>(calls.c_str()); *at;) {
      plan.calls.insert(std::strtol(at, &at, 10));
      if (*at == ',') ++at;
    }
  }
  const std::string act = *words++;
  plan.act = act == "at"     ? Act::at
             : act == "from" ? Act::from
             : act == "kill" ? Act::kill
                             : Act::count;
  if (plan.act != Act::count) plan.number = std::atol(*words++);
  if (plan.act == Act::at || plan.act == Act::from) plan.error = std::atol(*words++);
  return plan;
}

class Tracer {
 public:
  Tracer(Plan plan, pid_t child) : plan_(std::move(plan)), child_(child) {}

  int run() {
    int status = 0;
    while (true) {
      const pid_t thread = ::waitpid(-1, &status, __WALL);
      if (thread < 0) give_up("waitpid");
      if (WIFEXITED(status) || WIFSIGNALED(status)) {
        threads_.erase(thread);
        if (thread != child_) continue;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
      int signal = WSTOPSIG(status);
      if (signal == (SIGTRAP | 0x80)) {
        if (!begin_or_end(thread)) continue;
        signal = 0;
      } else if (signal == SIGTRAP || (signal == SIGSTOP && !threads_.contains(thread))) {
        signal = 0;  // an event of ours, or a new thread
      }
      threads_.try_emplace(thread);
      ::ptrace(PTRACE_SYSCALL, thread, nullptr, static_cast<long>(signal));
    }
  }
  long count() const { return count_; }

 private:
  // False: all is over.
  bool begin_or_end(pid_t thread) {
    Thread& t = threads_[thread];
    t.inside = !t.inside;
    user_regs_struct registers{};
    if (::ptrace(PTRACE_GETREGS, thread, nullptr, &registers) != 0) return true;
    if (!t.inside) {
      if (t.fails) {
        registers.rax = static_cast<unsigned long long>(-plan_.error);
        ::ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
      }
      return true;
    }
    const long call = static_cast<long>(registers.orig_rax);
    t.fails = false;
    if (call == main_begins) began_ = true;
    if (!began_ || call == main_begins) return true;
    if (!plan_.calls.empty() && !plan_.calls.contains(call)) return true;
    ++count_;
    if (plan_.act == Act::kill && count_ == plan_.number) {
      ::kill(child_, SIGKILL);
      return false;
    }
    if ((plan_.act == Act::at && count_ == plan_.number) ||
        (plan_.act == Act::from && count_ >= plan_.number)) {
      t.fails = true;
      registers.orig_rax = static_cast<unsigned long long>(-1);
      ::ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
    }
    return true;
  }

  Plan plan_;
  pid_t child_;
  bool began_ = false;
  long count_ = 0;
  std::map<pid_t, Thread> threads_;
};

}  // namespace

int main(int, char** words) {
  const char* file = *++words;
  ++words;
  const Plan plan = read_plan(words);
  const pid_t child = ::fork();
  if (child == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    ::execvp(words[0], words);
    ::_exit(127);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) give_up("start");
  const long options =
      PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC;
  if (::ptrace(PTRACE_SETOPTIONS, child, nullptr, options) != 0) give_up("ptrace");
  ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
  Tracer tracer(plan, child);
  const int code = tracer.run();
  if (std::FILE* out = std::fopen(file, "w")) {
    std::fprintf(out, "%ld\n", tracer.count());
    std::fclose(out);
  }
  return code;
}
