// A device in a child of the process that opened it: threads and driver contexts stay with the parent.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "expect.h"
#include "fixture.h"

static constexpr std::int64_t size = 1 << 20;

struct Fork : OnDevice {
  // Runs a function in a child, where what it returns must be true.
  static bool holds_in_child(auto&& function) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      _exit(function() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  kern::Buffer<float> x = kern::zeros<float>(device, size), y = kern::zeros<float>(device, size);
};

TEST_F(Fork, RefusesWorkOfTheChild) {
  kern::Stream stream(device);
  for (int round = 0; round < 20; ++round) library.saxpy(kern::over(size).on(stream), 1.0f, x, y);
  EXPECT_TRUE(holds_in_child([&] {
    auto told = [&](const kern::Stream& on) {
      return thrown_by<kern::Error>([&] { library.saxpy(kern::over(size).on(on), 1.0f, x, y).wait(); });
    };
    return contains(told(stream), "not survive fork: open the device in the process that uses it");
  }));
  stream.wait();
}

TEST_F(Fork, ChildOpensItsOwn) {
  if (is_cuda()) GTEST_SKIP() << "CUDA itself does not survive fork";
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer lets no child start threads";
#endif
  library.saxpy(kern::over(size), 1.0f, x, y).wait();
  EXPECT_TRUE(holds_in_child([] {
    kern::Device own = test_device();
    auto ones = kern::copy_of<float>(own, std::vector<float>(size, 1.0f));
    auto sums = kern::zeros<float>(own, size);
    kernels::load(own).saxpy(kern::over(size), 2.0f, ones, sums).wait();
    return sums.read(size - 1) == 2.0f;
  }));
}
