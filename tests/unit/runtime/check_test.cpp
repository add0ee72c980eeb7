// KERN_CHECK=streams: each kind of use meets each kind of order. What is told does not depend on which stream was faster.
#include <functional>
#include <mutex>

#include "expect.h"
#include "fixture.h"

namespace {

using kern::Buffer;

// Keeps what the runtime says while it lives.
struct Log {
  Log() {
    kern::on_log(
        [](void* context, kern_log_level, const char* text, std::uint64_t) {
          Log& log = *static_cast<Log*>(context);
          std::lock_guard lock(log.mutex);
          log.lines.emplace_back(text);
        },
        this);
  }
  ~Log() { kern::on_log(nullptr); }
  std::vector<std::string> told() {
    std::lock_guard lock(mutex);
    return lines;
  }
  std::mutex mutex;
  std::vector<std::string> lines; // any thread writes them
};

struct StreamCheck : OnDevice {
  StreamCheck() {
    ones.fill(1).wait();
    kern::set("KERN_CHECK", "streams");
  }
  ~StreamCheck() override { kern::set("KERN_CHECK", nullptr); }

  // Returns what is told of the work; each pair of places is told once a process, so each has places of its own.
  std::vector<std::string> told(const std::function<void()>& work) {
    Log log;
    work();
    first.wait();
    second.wait();
    return log.told();
  }

  kern::Stream first{device}, second{device};
  Buffer<float> x = kern::zeros<float>(device, 100), ones{device, 100};
};

// `order` gets the event of the first use, and puts the second stream behind it or not.
struct Ordering {
  const char* name;
  bool is_ordered;
  std::function<void(StreamCheck&, const kern::Event&)> order;
};

const Ordering orderings[] = {
    {"nothing", false, [](StreamCheck&, const kern::Event&) {}},
    {"event", true, [](StreamCheck& test, const kern::Event& event) { test.second.after(event); }},
    {"event of a third stream", true,
     [](StreamCheck& test, const kern::Event& event) {
       kern::Stream third(test.device);
       third.after(event);
       Buffer<float> other(test.device, 100);
       test.second.after(test.library.scale(kern::over(100).on(third), other, 2));
     }},
    {"event of other work", false,
     [](StreamCheck& test, const kern::Event&) {
       kern::Stream third(test.device);
       Buffer<float> other(test.device, 100);
       test.second.after(test.library.scale(kern::over(100).on(third), other, 2));
     }},
    {"the host waits for the event", true, [](StreamCheck&, const kern::Event& event) { event.wait(); }},
    {"the host waits for the stream", true, [](StreamCheck& test, const kern::Event&) { test.first.wait(); }},
    {"the host looks at the event", true,
     [](StreamCheck&, const kern::Event& event) {
       while (!event.wait_for(std::chrono::milliseconds(1))) {}
     }},
    {"a copy that waits for all", true,
     [](StreamCheck& test, const kern::Event&) { static_cast<void>(test.x.read(0)); }},
    {"a fill between", false, // it comes before the second use; nothing puts it behind the first
     [](StreamCheck& test, const kern::Event&) { test.x.fill(1, test.second); }},
    {"a fill that comes behind all", true, [](StreamCheck& test, const kern::Event&) { test.x.fill(1); }},
};

TEST_F(StreamCheck, TellsUsesThatNothingOrders) {
  for (const Ordering& ordering : orderings) {
    SCOPED_TRACE(ordering.name);
    auto lines = told([&] {
      kern::Event event = library.scale(kern::over(100, 1, 1, ordering.name, 10).on(first), x, 2);
      ordering.order(*this, event);
      library.scale(kern::over(100, 1, 1, ordering.name, 20).on(second), x, 2);
    });
    if (ordering.is_ordered) {
      EXPECT_EQ(lines, std::vector<std::string>());
      continue;
    }
    ASSERT_FALSE(lines.empty());
    const std::string place(ordering.name);
    EXPECT_TRUE(contains(lines[0], "on stream " + std::to_string(second.id())));
    EXPECT_TRUE(
        contains(lines[0], place + ":10: kernel `scale` writes `x` on stream " + std::to_string(first.id())));
  }
}

TEST_F(StreamCheck, NamesBothPlacesInTheProgram) {
  const int line = __LINE__;
  auto lines = told([&] {
    library.saxpy(kern::over(100).on(first), 1, ones, x);
    library.saxpy(kern::over(100).on(second), 1, x, ones);
  });
  ASSERT_EQ(lines.size(), 2u);
  auto place = [](int at) { return "check_test.cpp:" + std::to_string(at) + ": kernel `saxpy` "; };
  EXPECT_TRUE(contains(lines[0], place(line + 3) + "reads `x` on stream " + std::to_string(second.id())));
  EXPECT_TRUE(contains(lines[0], place(line + 2) + "writes `y` on stream " + std::to_string(first.id())));
  EXPECT_TRUE(contains(lines[1], "kernel `saxpy` writes `y` on stream " + std::to_string(second.id())));
}

// A use on the second stream without an event behind a write on the first, or before one; and whether it counts.
TEST_F(StreamCheck, KnowsEachKindOfUse) {
  std::vector<float> host(100);
  kern::HostBuffer<float> pinned(device, 100);
  auto prepared = library.prepare_scale(kern::over(100).on(second), x, 2);
  kern::Graph graph = kern::capture(second, [&] { library.scale(kern::over(100).on(second), x, 2); });
  const std::pair<const char*, std::function<void()>> uses[] = {
      {"kernel `saxpy` reads `x`", [&] { library.saxpy(kern::over(100).on(second), 1, x, ones); }},
      {"kernel `scale` writes `x`", [&] { prepared(); }},
      {"a copy from the host writes the buffer", [&] { x.copy_from(host, second); }},
      {"a copy to the host reads the buffer", [&] { x.copy_to(host, second); }},
      {"a copy writes the buffer", [&] { x.copy_from_async(pinned, second); }},
      {"a copy reads the buffer", [&] { x.copy_to_async(pinned, second); }},
      {"a fill writes the buffer", [&] { x.fill(1, second); }},
      {"in a graph", [&] { graph.launch(second); }},
      {"kernel `saxpy` reads `x`",
       [&] { library.saxpy(kern::over(100).on(second), 1, x, kern::inout(host)); }},
  };
  int number = 0;
  for (const auto& [text, use] : uses) {
    SCOPED_TRACE(text);
    auto lines = told([&] {
      library.scale(kern::over(100, 1, 1, "kinds", static_cast<std::uint32_t>(++number)).on(first), x, 2);
      use();
    });
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_TRUE(contains(lines[0], text));
  }
}

TEST_F(StreamCheck, SaysNothingOfWhatIsRight) {
  std::vector<float> host(100);
  EXPECT_EQ(told([&] {
              // Both only read.
              Buffer<float> y(device, 100), z(device, 100);
              library.copy(kern::over(100).on(first), x, y);
              library.copy(kern::over(100).on(second), x, z);
            }),
            std::vector<std::string>());
  EXPECT_EQ(told([&] {
              // Parts, side by side and interleaved.
              library.scale(kern::over(50).on(first), x.view().slice(0, 0, 50), 2);
              library.scale(kern::over(50).on(second), x.view().slice(0, 50, 100), 2);
              first.wait();
              second.wait();
              library.scale(kern::over(50).on(first), x.view().slice(0, 0, 100, 2), 2);
              library.scale(kern::over(50).on(second), x.view().slice(0, 1, 100, 2), 2);
            }),
            std::vector<std::string>());
  EXPECT_EQ(told([&] {
              // Fills come before all that follows, on any stream.
              x.fill(3, first);
              library.scale(kern::over(100).on(second), x, 2);
              x.copy_to(host);
              auto y = kern::zeros<float>(device, 100);
              library.scale(kern::over(100).on(first), y, 2);
            }),
            std::vector<std::string>());
  EXPECT_EQ(told([&] {
              // A capture whose streams join as they should, replayed in order.
              kern::Graph graph = kern::capture(first, [&] {
                second.after(library.scale(kern::over(100).on(first), x, 2));
                first.after(library.scale(kern::over(100).on(second), x, 2));
              });
              second.after(graph.launch(first));
              graph.launch(second);
            }),
            std::vector<std::string>());
  EXPECT_EQ(told([&] {
              kern::for_each_chunk(
                  device, {.rows = 7},
                  [&](const kern::Chunk& chunk, kern::View<float> part) {
                    library.scale(kern::over(7).on(chunk.stream), part, 2);
                  },
                  kern::inout(host));
            }),
            std::vector<std::string>());
}

TEST_F(StreamCheck, LooksIntoCaptures) {
  auto lines = told([&] {
    kern::capture(first, [&] {
      second.after(library.copy(kern::over(100).on(first), ones, x));
      kern::Event other = library.scale(kern::over(100, 1, 1, "captured", 1).on(second), x, 2);
      library.scale(kern::over(100, 1, 1, "captured", 2).on(first), x, 2);
      first.after(other);
    });
  });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(contains(lines[0], "captured:2: kernel `scale` writes `x`"));
}

TEST_F(StreamCheck, TellsAPairOnce) {
  auto lines = told([&] {
    for (int i = 0; i < 5; ++i) {
      library.scale(kern::over(100, 1, 1, "once", 1).on(first), x, 2);
      library.scale(kern::over(100, 1, 1, "once", 1).on(second), x, 2);
    }
  });
  EXPECT_EQ(lines.size(), 1u);
}

TEST(Settings, TakeThePlaceOfTheEnvironment) {
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([] { kern::set("KERN_CHECKS", "streams"); }),
                       "there is no setting `KERN_CHECKS`; there are: KERN_DEVICE, KERN_CPU_THREADS"));
  const std::pair<const char*, const char*> wrong[] = {
      {"KERN_CHECK", "stream"},  {"KERN_CPU_THREADS", "lots"}, {"KERN_CPU_THREADS", "-1"},
      {"KERN_CPU_THREADS", "0"}, {"KERN_WARNINGS", "zzz"},     {"KERN_DEVICE", "gpu"},
      {"KERN_DEVICE", "cuda:"},  {"KERN_CPU", "i386"},         {"KERN_CACHE_MAX_MB", "x"},
      {"KERN_CACHE", "no"},      {"KERN_CACHE_DIR", ""},
  };
  for (const auto& [name, value] : wrong)
    EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { kern::set(name, value); }),
                         std::string(name) + " is `" + value + "`; it takes "));
  kern::set("KERN_DEVICE", "cpu");
  EXPECT_EQ(kern::Device::best().reason(), "KERN_DEVICE is cpu");
  kern::set("KERN_DEVICE", nullptr);
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([] { kern::set(nullptr, "x"); }), "null pointer"));
}

// A variable of the environment that is wrong is told by the first device.
TEST(Settings, OfTheEnvironmentAreChecked) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto program = [] {
    setenv("KERN_CPU_THREADS", "lots", 1);
    setenv("KERN_WARNINGS", "zzz", 1);
    kern::Device::cpu();
    std::exit(0);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(0),
              "kern: warning: KERN_CPU_THREADS is `lots`; it takes a number of threads, 1 to 1024\n"
              "kern: warning: KERN_WARNINGS is `zzz`; it takes on or off");
}

// A variable is refused in the words of kern::set() when it is read; one that is empty is not set.
TEST(Settings, MeanTheSameInTheEnvironment) {
  kern::Device device = kern::Device::cpu();
  setenv("KERN_CPU", "i386", 1);
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { kernels::load(device); }),
                       "KERN_CPU is `i386`; it takes x86-64-v3 or x86-64-v4"));
  setenv("KERN_DEVICE", "cuda:x", 1);
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([] { kern::Device::best(); }),
                       "KERN_DEVICE is `cuda:x`; it takes cpu, cuda or cuda:1"));
  setenv("KERN_CPU", "", 1);
  kernels::load(device);
  setenv("KERN_DEVICE", "", 1);
  kern::Device::best();
  unsetenv("KERN_CPU");
  unsetenv("KERN_DEVICE");
}

TEST(Logs, AreTheProgramsWhereItWantsThem) {
  Log log;
  {
    kern::Device device = test_device();
    kern::Stream stream(device);
    Buffer<float> y = kern::zeros<float>(device, 3);
    kernels::load(device).careless(kern::grid(1).block(4).on(stream), y, 1);
  }
  for (int i = 0; i < 5000 && log.told().empty(); ++i) {
    kern::Stream sweep(test_device());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_EQ(log.told().size(), 1u);
  EXPECT_TRUE(contains(log.told()[0], "nobody waited for a launch that faulted: "));
}

} // namespace
