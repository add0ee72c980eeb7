// Runs an object of an older release with the runtime of today.
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "kernels.kern.hpp"

template <class Action> static void expect_error(const char* what, Action action) {
  try {
    action();
    std::printf("%s: no error\n", what);
  } catch (const kern::Error& error) {
    std::printf("%s: %s\n", what, error.what());
  }
}

static void run(const kern::Device& device) {
  kernels::Kernels lib = kernels::load(device);
  std::vector<float> x(1000), y(1000, 1), few(10);
  std::iota(x.begin(), x.end(), 0.0F);
  lib.saxpy(kern::over(1000), 2, kern::in(x), kern::inout(y)).wait();
  std::printf("saxpy %g %g\n", y[1], y[999]);

  std::vector<std::int32_t> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<std::int64_t> sums(16);
  lib.sums(kern::grid(16), kern::in(numbers), kern::out(sums)).wait();
  std::printf("sums %lld %lld\n", static_cast<long long>(sums[0]), static_cast<long long>(sums[15]));

  std::vector<std::uint8_t> image(6), turned(6);
  std::iota(image.begin(), image.end(), std::uint8_t(0));
  lib.turned(kern::over(2, 3), kern::View(image.data(), kern::extents(2, 3)),
             kern::View(turned.data(), kern::extents(3, 2)))
      .wait();
  std::printf("turned %d %d %d %d %d %d\n", turned[0], turned[1], turned[2], turned[3], turned[4], turned[5]);

  numbers[400] = 4000;
  expect_error("gather",
               [&] { lib.gather(kern::over(1000), kern::in(x), kern::in(numbers), kern::out(y)).wait(); });
  expect_error("contract", [&] { lib.saxpy(kern::over(10), 2, kern::in(x), kern::inout(few)).wait(); });
  lib.said(kern::grid(1).block(2), 5).wait();
}

int main() {
  kern::Device device = kern::Device::best();
  try {
    run(device);
  } catch (const kern::DeviceError& error) {
    std::printf("refused: %s\n", error.what());
    return 3;
  }
  kern_object newer = kern_object_kernels;
  ++newer.abi_version;
  expect_error("newer", [&] { kern::Module(device, newer); });
}
