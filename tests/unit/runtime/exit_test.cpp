// Launches from destructors of statics and thread-locals, and faults that nobody collected when the process ends. Each
// runs in a process of its own.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "endless.kern.hpp"
#include "fixture.h"

namespace {

// Uses the library as a program would.
void use(const char* where) {
  kern::Device device = test_device();
  auto library = kernels::load(device);
  std::vector<float> host(100, 1);
  kern::Buffer<float> x = kern::zeros<float>(device, 100);
  x.fill(3);
  library.scale(kern::over(100), x, 2).wait();
  library.saxpy(kern::over(100), 1, x, kern::inout(host));
  kern::Buffer<std::int64_t> a = kern::zeros<std::int64_t>(device, 64),
                             b = kern::zeros<std::int64_t>(device, 64);
  library.add_neighbours(kern::grid(2).block(32), a, b, 2, -1).wait();
  std::fprintf(stderr, "%s: %g\n", where, static_cast<double>(host[99]));
}

struct Saver {
  explicit Saver(const char* name) : where(name) {}
  ~Saver() { use(where); }
  const char* where;
};

// Puts a launch that faults on a stream, and forgets it.
void fault() {
  kern::Device device = test_device();
  kern::Buffer<float> y = kern::zeros<float>(device, 3);
  kernels::load(device).careless(kern::grid(1).block(4), y, 1);
}

struct Exit : testing::Test {
  Exit() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(Exit, StaticsMayLaunch) {
  if (is_cuda()) GTEST_SKIP() << "the driver ends before";
  auto program = [] {
    static Saver saver("static");
    use("main");
    std::exit(0);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0), "main: 7\nstatic: 7");
}

TEST_F(Exit, ThreadLocalsMayLaunch) {
  auto program = [] {
    std::thread([] {
      thread_local Saver saver("thread");
      static_cast<void>(saver.where[0]);
      use("before");
    }).join();
    std::thread([] {
      use("first");
      thread_local Saver saver("second");
      static_cast<void>(saver.where[0]);
    }).join();
    thread_local Saver saver("main");
    static_cast<void>(saver.where[0]);
    std::exit(0);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0), "before: 7\nthread: 7\nfirst: 7\nsecond: 7\nmain: 7");
}

TEST_F(Exit, FaultsThatNobodyCollectedAreTold) {
  for (int i = 0; i < 10; ++i) {
    auto program = [] {
      fault();
      std::exit(5);
    };
    EXPECT_EXIT(program(), testing::ExitedWithCode(5),
                "kern: nobody waited for a launch that faulted: .*kernel `careless`");
  }
}

TEST_F(Exit, FaultsOfStaticsAreTold) {
  if (is_cuda()) GTEST_SKIP() << "the driver ends before";
  struct Careless {
    ~Careless() { fault(); }
  };
  auto program = [] {
    static Careless careless;
    use("main");
    std::exit(0);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0),
              "main: 7\nkern: nobody waited for a launch that faulted");
}

// All of them together get 2 s: each of its own would be 80 s.
TEST_F(Exit, LaunchesThatGoOnAreLeft) {
  if (is_cuda()) GTEST_SKIP() << "the fake driver's launches are done at once";
  auto begin = [] {
    static kern::Device device = kern::Device::cpu();
    static std::vector<kern::Stream> streams;
    static kern::Buffer<std::int32_t> never = kern::zeros<std::int32_t>(device, 1);
    const auto library = kernels::load(device);
    for (int i = 0; i < 40; ++i) library.await_one(kern::grid(1).on(streams.emplace_back(device)), never);
    std::exit(7);
  };
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EXIT(begin(), testing::ExitedWithCode(7), "");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(40));
}

// Nobody is told that they were cancelled. What is left to go on has not come when the process ends.
TEST_F(Exit, LaunchesThatCanBeAreCancelled) {
  if (is_cuda()) GTEST_SKIP() << "the fake driver's launches are done at once";
  auto program = [] {
    static kern::Event last[2];
    std::atexit([] { // called behind what Kern does at the end, which is entered later
      kern::Status ignored;
      for (const kern::Event& event : last)
        if (!event.wait_for(ignored, std::chrono::seconds(0))) std::_Exit(9);
      std::_Exit(7);
    });
    static kern::Device device = kern::Device::cpu();
    static kern::Stream first(device), second(device);
    static kern::Buffer<std::int32_t> x = kern::zeros<std::int32_t>(device, 1000);
    const auto library = endless::load(device);
    for (int i = 0; i < 2; ++i) library.spin(kern::over(1000).on(first), x);
    last[0] = library.spin(kern::over(1000).on(first), x);
    last[1] = library.nest(kern::over(1000).on(second), std::int64_t(1) << 40, x);
    std::exit(8);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(7), "^$");
}

TEST_F(Exit, ChildrenLeakNothing) {
  if (is_cuda()) GTEST_SKIP() << "CUDA itself does not survive fork";
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer lets no child start threads";
#endif
  // A child inherits locks of malloc from threads of its parent that start just then: the address sanitizer of GCC 12 frees
  // none of its own. Such a child ends by its alarm, and there is another one.
#if defined(__SANITIZE_ADDRESS__)
  constexpr int most_children = 4;
#else
  constexpr int most_children = 1;
#endif
  auto program = [] {
    use("parent");
    int status = 0;
    for (int i = 0; i < most_children; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        alarm(30);
        use("child");
        std::exit(0);
      }
      waitpid(child, &status, 0);
      if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGALRM) break;
    }
    std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0), "parent: 7\nchild: 7");
}

} // namespace
