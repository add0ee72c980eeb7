// Heat flows through a plate until it hardly changes. One stream computes; a second one brings the plate to
// the host after each round, and the host looks at it while the next round is under way. Events say what
// waits for what.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "stencil2d.kern.hpp"

using Plate = std::vector<float>;
static constexpr std::int64_t n = 64;
static constexpr int steps_of_a_round = 100;

static float difference(const Plate& a, const Plate& b) {
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// The same in plain C++, on one core.
static Plate computed_here(Plate u, int rounds) {
  Plate v = u;
  for (int step = 0; step < rounds * steps_of_a_round; ++step, std::swap(u, v))
    for (std::int64_t i = n; i < n * (n - 1); ++i)
      if (i % n > 0 && i % n < n - 1) v[i] = 0.25f * (u[i - n] + u[i + n] + u[i - 1] + u[i + 1]);
  return u;
}

int main() {
  kern::Device device = kern::Device::best();
  auto library = stencil2d::load(device);
  kern::Stream compute(device), copy(device);
  Plate start(n * n);
  std::fill_n(start.begin(), n, 1.0f); // one edge is hot; edges keep their heat
  kern::Buffer<float, 2> u(device, kern::extents(n, n)), v(device, kern::extents(n, n));
  u.copy_from(start);
  v.copy_from(start);

  std::array<Plate, 3> plates = {start, start, start};
  std::array<kern::Event, 3> copied;
  int round = 0;
  for (float change = 1; change > 1e-3f; ++round) {
    kern::Event stepped;
    for (int step = 0; step < steps_of_a_round; ++step) {
      // The second step writes the buffer that the last round left to the copy.
      if (step == 1) compute.after(copied[(round + 2) % 3]);
      stepped = library.stencil2d(kern::over(n, n).on(compute), u, v);
      std::swap(u, v);
    }
    copy.after(stepped);
    copied[round % 3] = u.copy_to_async(plates[round % 3], copy);
    if (round < 2) continue;
    copied[(round + 2) % 3].wait();
    change = difference(plates[(round + 2) % 3], plates[(round + 1) % 3]);
  }
  copy.wait();
  float error = difference(plates[(round + 2) % 3], computed_here(start, round));
  std::printf("on %s: steady after %d steps, differs from plain C++ by %g\n", device.name().c_str(),
              round * steps_of_a_round, error);
  return error <= 1e-6f ? 0 : 1;
}
