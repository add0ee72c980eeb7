// Work split over all GPUs; where there is none, over two CPU devices, each with threads of its own. Launches
// return at once, so every device works while the others do; the host waits when it copies the results.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "black_scholes.kern.hpp"

static std::vector<kern::Device> all_devices() {
  std::vector<kern::Device> devices;
  if (kern::Device::best().is_cpu())
    return {kern::Device::cpu({.threads = 2}), kern::Device::cpu({.threads = 2})};
  for (unsigned ordinal = 0;; ++ordinal) {
    kern::Status status;
    kern::Device device = kern::Device::cuda(status, ordinal);
    if (!status.ok()) return devices;
    devices.push_back(device);
  }
}

// The options that one device prices, and what it found.
struct Share {
  kern::Buffer<float> call, put, spot, strike, years;
  std::size_t begin, size;

  Share(const kern::Device& device, std::size_t from, std::size_t count)
      : call(device, count), put(device, count), spot(device, count), strike(device, count),
        years(device, count), begin(from), size(count) {}
};

int main() {
  constexpr std::size_t options = 1'000'000;
  constexpr float rate = 0.02f, volatility = 0.3f;
  std::vector<float> spot(options), strike(options, 95.0f), years(options, 2.0f), call(options), put(options);
  for (std::size_t i = 0; i < options; ++i) spot[i] = 50.0f + 100.0f * static_cast<float>(i) / options;

  std::vector<kern::Device> devices = all_devices();
  std::vector<Share> shares;
  for (std::size_t i = 0, begin = 0; i < devices.size(); ++i) {
    std::size_t end = options * (i + 1) / devices.size(), size = end - begin;
    Share& share = shares.emplace_back(devices[i], begin, size);
    share.spot.copy_from({spot.data() + begin, size});
    share.strike.copy_from({strike.data() + begin, size});
    share.years.copy_from({years.data() + begin, size});
    black_scholes::black_scholes(kern::over(size), share.call, share.put, share.spot, share.strike,
                                 share.years, rate, volatility);
    begin = end;
  }
  for (const Share& share : shares) {
    share.call.copy_to({call.data() + share.begin, share.size});
    share.put.copy_to({put.data() + share.begin, share.size});
  }

  // Whatever the model: a call less a put is the spot less the discounted strike.
  float error = 0;
  for (std::size_t i = 0; i < options; ++i)
    error = std::max(error, std::abs(call[i] - put[i] - (spot[i] - strike[i] * std::exp(-rate * years[i]))));
  std::printf("%zu options on %zu devices, the first %s; parity holds within %g\n", options, devices.size(),
              devices.front().name().c_str(), error);
  return error < 1e-3f ? 0 : 1;
}
