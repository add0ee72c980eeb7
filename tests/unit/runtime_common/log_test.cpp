// Tests that lines of the runtime go to one function at a time, which may wait for threads that say things
// themselves.
#include "runtime/common/log.h"

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

// Takes the lines while it lives.
class Log {
public:
  explicit Log(std::function<void(const std::string&)> function) : function_(std::move(function)) {
    kern::set_log([](void* self, kern_log_level, const char* text,
                     std::uint64_t) { static_cast<Log*>(self)->function_(text); },
                  this);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log() { kern::set_log(nullptr, nullptr); }

private:
  std::function<void(const std::string&)> function_;
};

void say(const std::string& text) { kern::log(KERN_LOG_WARNING, text); }

TEST(Log, WaitsForNoThreadWhoseLinesItTakes) {
  std::vector<std::string> lines;
  {
    const Log log([&](const std::string& text) {
      lines.push_back(text);
      if (lines.size() == 1) std::thread([] { say("of another thread"); }).join();
    });
    say("first");
    say("last");
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"first", "of another thread", "last"}));
}

TEST(Log, TakesLinesThatItCausesItself) {
  std::vector<std::string> lines;
  {
    const Log log([&](const std::string& text) {
      if (text == "first") say("second");
      lines.push_back(text);
    });
    say("first");
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"first", "second"}));
}

// A program that has set another function may take down what the one before used.
TEST(Log, IsNotCalledAnyMoreOnceAnotherIsSet) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<bool> is_there = true, was_there = true;
    std::thread saying;
    testing::internal::CaptureStderr();
    {
      const Log log([&](const std::string&) {
        std::this_thread::yield();
        if (!is_there) was_there = false;
      });
      saying = std::thread([] {
        for (int i = 0; i < 20; ++i) say("line");
      });
      say("line");
    }
    is_there = false;
    saying.join();
    testing::internal::GetCapturedStderr();
    ASSERT_TRUE(was_there);
  }
}

TEST(Log, MaySetAnotherItself) {
  std::vector<std::string> lines;
  const Log log([&](const std::string& text) {
    lines.push_back(text);
    kern::set_log(nullptr, nullptr);
  });
  testing::internal::CaptureStderr();
  say("first");
  say("second");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "kern: warning: second\n");
  EXPECT_EQ(lines, std::vector<std::string>{"first"});
}

// Not one line of many threads is lost, and none comes while another is handed over.
TEST(Log, TakesOneLineAtATime) {
  constexpr int thread_count = 4, each = 500;
  std::atomic<int> inside = 0, most = 0;
  std::size_t lines = 0;
  {
    const Log log([&](const std::string&) {
      most = std::max(most.load(), ++inside);
      ++lines;
      --inside;
    });
    std::vector<std::thread> threads;
    for (int i = 0; i < thread_count; ++i)
      threads.emplace_back([] {
        for (int k = 0; k < each; ++k) say("line");
      });
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(most, 1);
  EXPECT_EQ(lines, thread_count * each);
}

TEST(Log, KeepsWhatItsFunctionDidNotTake) {
  const Log log([](const std::string&) { throw 1; });
  testing::internal::CaptureStderr();
  say("line");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "kern: warning: line\n");
}

} // namespace
