// Makes the n-th call of each kind fail in each scenario, for n = 1, 2, ... until none fails any more, each in a process of
// its own, and runs the scenario once more in that process: it must end with right results, or with a clean error, and be
// whole behind it. `--whole` takes each n, and `--whole=SCENARIO/CALL` those of one call only, otherwise they are some;
// `--only=SCENARIO/CALL/N` is one, in this process.
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "inject.h"
#include "kern/kern.hpp"
#include "scenarios.h"

// The outcome of a scenario, which is the exit code of its process.
enum Outcome { NothingFailed = 10, RightAnyway, CleanError, Wrong, SickAfterwards };

static Outcome run(const Scenario& scenario, Call call, std::uint64_t number) {
  bool is_clean = true;
  Outcome outcome = RightAnyway;
  char text[300] = "";
  if (scenario.prepare) scenario.prepare();
  fail_call(call, number);
  try {
    scenario.run();
  } catch (const WrongResult& error) {
    is_clean = false;
    std::snprintf(text, sizeof text, "%s", error.what());
  } catch (const kern::Error& error) {
    outcome = CleanError;
  } catch (const std::exception& error) {
    outcome = CleanError; // the program's own memory or thread
  }
  const bool has_failed = stop_failing();
  if (!is_clean) {
    std::fprintf(stderr, "  wrong: %s\n", text);
    return Wrong;
  }
  if (!has_failed) return outcome == RightAnyway ? NothingFailed : SickAfterwards;
  try {
    scenario.run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "  afterwards: %s\n", error.what());
    return SickAfterwards;
  }
  return outcome;
}

// A hang is a defect, too. It is long: a machine with two cores that are both at work has stood still for twenty seconds.
constexpr int longest_run = 60'000; // ms

// Prints where each thread of a process stands.
static void print_stacks(pid_t process) {
  const std::string command =
      "gdb -p " + std::to_string(process) + " -batch -ex 'thread apply all bt 30' 2>&1";
  if (std::system(command.c_str()) != 0) std::printf("  there is no gdb to print the stacks\n");
}

// Returns the outcome, or the signal that ended the process, negative; that of one which hangs is SIGKILL.
static int run_in_child(const Scenario& scenario, Call call, std::uint64_t number) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) std::_Exit(run(scenario, call, number));
  const int end = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  pollfd waited{end, POLLIN, 0};
  if (poll(&waited, 1, longest_run) == 0) {
    print_stacks(child);
    kill(child, SIGKILL);
  }
  close(end);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

struct Counts {
  int injected = 0, errors = 0, right = 0, bad = 0;
};

static void count(Counts& counts, const Scenario& scenario, Call call, std::uint64_t number, int outcome) {
  ++counts.injected;
  if (outcome == CleanError) {
    ++counts.errors;
  } else if (outcome == RightAnyway) {
    ++counts.right;
  } else {
    ++counts.bad;
    std::printf("BAD: --only='%s/%s/%llu': %s %d\n", scenario.name, name_of(call),
                static_cast<unsigned long long>(number), outcome < 0 ? "signal" : "outcome",
                outcome < 0 ? -outcome : outcome);
  }
}

static std::string full_name(const Scenario& scenario, Call call) {
  return std::string(scenario.name) + "/" + name_of(call);
}

static int run_one(const std::string& name) {
  for (int i = 0; i < scenario_count; ++i)
    for (int call = 0; call < static_cast<int>(Call::Count); ++call) {
      const std::string head = full_name(scenarios[i], static_cast<Call>(call)) + "/";
      if (!name.starts_with(head)) continue;
      const Outcome outcome =
          run(scenarios[i], static_cast<Call>(call), std::strtoull(name.c_str() + head.size(), nullptr, 10));
      std::printf("outcome %d\n", outcome);
      return outcome <= CleanError ? 0 : 1;
    }
  return 2;
}

int main(int argc, char** argv) {
  const std::string option = argc > 1 ? argv[1] : "";
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (option.starts_with("--only=")) return run_one(option.substr(7));
  const bool is_whole = option.starts_with("--whole");
  const std::string wanted = option.starts_with("--whole=") ? option.substr(8) : "";
  Counts counts;
  for (int i = 0; i < scenario_count; ++i)
    for (int call = 0; call < static_cast<int>(Call::Count); ++call) {
      if (!wanted.empty() && full_name(scenarios[i], static_cast<Call>(call)) != wanted) continue;
      std::uint64_t number = 1;
      while (true) {
        int outcome = run_in_child(scenarios[i], static_cast<Call>(call), number);
        if (outcome == NothingFailed) break;
        count(counts, scenarios[i], static_cast<Call>(call), number, outcome);
        // The first ones one by one, and later ones further and further apart, but not in step with anything.
        number += is_whole ? 1 : 1 + number / scenarios[i].part;
      }
    }
  std::printf("injected %d, clean errors %d, right anyway %d, bad %d\n", counts.injected, counts.errors,
              counts.right, counts.bad);
  return counts.bad == 0 ? 0 : 1;
}
