// Makes the n-th call of each kind fail in each scenario, for n = 1, 2, ... until none fails any more, each in a process of
// its own, and runs the scenario once more in that process: it must end with right results, or with a clean error, and be
// whole behind it. `--whole` takes each n, otherwise they are some; `--only=SCENARIO/CALL/N` is one, in this process.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "inject.h"
#include "kern/kern.hpp"
#include "scenarios.h"

// What came of a scenario; the exit code of its process.
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

// Returns the outcome, or the signal that ended the process, negative.
static int run_in_child(const Scenario& scenario, Call call, std::uint64_t number) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20); // a hang is a defect, too
    std::_Exit(run(scenario, call, number));
  }
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

static int run_one(const std::string& name) {
  for (int i = 0; i < scenario_count; ++i)
    for (int call = 0; call < static_cast<int>(Call::Count); ++call) {
      const std::string head = std::string(scenarios[i].name) + "/" + name_of(static_cast<Call>(call)) + "/";
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
  const bool is_whole = option == "--whole";
  Counts counts;
  for (int i = 0; i < scenario_count; ++i)
    for (int call = 0; call < static_cast<int>(Call::Count); ++call) {
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
