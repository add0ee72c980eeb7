// Objects of threads go with them, also of those that are joined only when the process ends.
#include "runtime/common/per_thread.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>

using kern::PerThread;

namespace {

struct Loud {
  const char* text = "gone";
  ~Loud() { std::fprintf(stderr, "%s\n", text); }
};

std::thread* worker = nullptr;
std::promise<void> may_end;

void exit_with_a_worker() {
  PerThread<Loud>::prepare();
  std::atexit([] {
    may_end.set_value();
    worker->join();
    delete worker;
  });
  std::promise<void> made;
  worker = new std::thread([&made] {
    PerThread<Loud>::get().text = "the worker's is gone";
    made.set_value();
    may_end.get_future().wait();
  });
  made.get_future().wait();
  std::exit(0);
}

} // namespace

TEST(PerThread, GoesWithAThreadThatIsJoinedAtTheEnd) {
  EXPECT_EXIT(exit_with_a_worker(), testing::ExitedWithCode(0), "the worker's is gone");
}

TEST(PerThread, IsOneForEachThread) {
  Loud* own = &PerThread<Loud>::get();
  own->text = "the main thread's is gone";
  Loud* other = nullptr;
  std::thread([&] { other = &PerThread<Loud>::get(); }).join();
  EXPECT_EQ(own, &PerThread<Loud>::get());
  EXPECT_NE(own, other);
}
