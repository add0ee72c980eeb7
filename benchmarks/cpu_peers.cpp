// The examples' computations as plain C++ loops with OpenMP: what a kernel's speed on the CPU is compared
// with. usage: cpu_peers NAME SIZE...   prints the median microseconds of one run. As `kernc run --time`
// does, every run finds the arrays as they were at first.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

using Sizes = std::vector<long>;
using Run = std::function<void()>;

template <class T> using Array = std::shared_ptr<T[]>;

// An array, and what was in it before the first run.
struct Kept {
  void* data;
  std::vector<char> first;
};
static std::vector<Kept> kept;

// Makes an array whose values lie between 0 and 1 (or 0 and 255).
template <class T> static Array<T> filled(long count) {
  Array<T> array(static_cast<T*>(std::aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64)), std::free);
  kept.push_back({array.get(), std::vector<char>(count * sizeof(T))});
  std::uint32_t state = 1;
  for (long i = 0; i < count; ++i) {
    state = state * 1664525 + 1013904223;
    array[i] = std::is_integral_v<T> ? static_cast<T>(state >> 24) : static_cast<T>((state >> 8) * 0x1p-24);
  }
  return array;
}

static Run doublify(const Sizes& n) {
  auto a = filled<float>(n[0]);
  return [=] {
#pragma omp parallel for
    for (long i = 0; i < n[0]; ++i) a[i] *= 2;
  };
}

static Run saxpy(const Sizes& n) {
  auto x = filled<float>(n[0]), y = filled<float>(n[0]);
  return [=, a = 0.001f] {
#pragma omp parallel for
    for (long i = 0; i < n[0]; ++i) y[i] = a * x[i] + y[i];
  };
}

static Run add(const Sizes& n) {
  auto a = filled<float>(n[0]), b = filled<float>(n[0]), c = filled<float>(n[0]);
  return [=] {
#pragma omp parallel for
    for (long i = 0; i < n[0]; ++i) c[i] = a[i] + b[i];
  };
}

static Run matmul(const Sizes& n) {
  long size = n[0];
  auto a = filled<float>(size * size), b = filled<float>(size * size), c = filled<float>(size * size);
  return [=] {
#pragma omp parallel for
    for (long i = 0; i < size; ++i) {
      for (long j = 0; j < size; ++j) c[i * size + j] = 0;
      for (long k = 0; k < size; ++k)
        for (long j = 0; j < size; ++j) c[i * size + j] += a[i * size + k] * b[k * size + j];
    }
  };
}

static Run transpose(const Sizes& n) {
  long rows = n[0], columns = n[1];
  auto source = filled<float>(rows * columns), result = filled<float>(rows * columns);
  return [=] {
#pragma omp parallel for collapse(2)
    for (long i0 = 0; i0 < rows; i0 += 32)
      for (long j0 = 0; j0 < columns; j0 += 32)
        for (long j = j0; j < std::min(j0 + 32, columns); ++j)
          for (long i = i0; i < std::min(i0 + 32, rows); ++i) result[j * rows + i] = source[i * columns + j];
  };
}

static Run sum(const Sizes& n) {
  auto x = filled<float>(n[0]), out = filled<float>(1);
  return [=] {
    float total = 0;
#pragma omp parallel for simd reduction(+ : total)
    for (long i = 0; i < n[0]; ++i) total += x[i];
    out[0] = total;
  };
}

static Run histogram(const Sizes& n) {
  auto data = filled<std::uint8_t>(n[0]);
  auto bins = filled<std::int32_t>(256);
  return [=] {
    std::int32_t* counts = bins.get();
#pragma omp parallel for reduction(+ : counts[ : 256])
    for (long i = 0; i < n[0]; ++i) ++counts[data[i]];
  };
}

static Run stencil2d(const Sizes& n) {
  long height = n[0], width = n[1];
  auto u = filled<float>(height * width), v = filled<float>(height * width);
  return [=] {
#pragma omp parallel for
    for (long i = 1; i < height - 1; ++i)
      for (long j = 1; j < width - 1; ++j) {
        const float* at = &u[i * width + j];
        v[i * width + j] = 0.25f * (at[-width] + at[width] + at[-1] + at[1]);
      }
  };
}

static Run stencil3d(const Sizes& n) {
  long depth = n[0], height = n[1], width = n[2];
  auto u = filled<float>(depth * height * width), v = filled<float>(depth * height * width);
  return [=] {
#pragma omp parallel for collapse(2)
    for (long i = 1; i < depth - 1; ++i)
      for (long j = 1; j < height - 1; ++j)
        for (long k = 1; k < width - 1; ++k) {
          long here = (i * height + j) * width + k, plane = height * width;
          const float* at = &u[here];
          v[here] = 0.4f * at[0] + 0.1f * (at[-plane] + at[plane] + at[-width] + at[width] + at[-1] + at[1]);
        }
  };
}

static Run mandelbrot(const Sizes& n) {
  long height = n[0], width = n[1], limit = n[2];
  auto count = filled<std::int32_t>(height * width);
  float step = 3.0f / static_cast<float>(width);
  return [=] {
#pragma omp parallel for schedule(dynamic, 4)
    for (long i = 0; i < height; ++i)
      for (long j = 0; j < width; ++j) {
        float cr = -2.2f + static_cast<float>(j) * step, ci = -1.2f + static_cast<float>(i) * step, zr = 0,
              zi = 0;
        int k = 0;
        while (k < limit && zr * zr + zi * zi < 4) {
          float next = zr * zr - zi * zi + cr;
          zi = 2 * zr * zi + ci;
          zr = next;
          ++k;
        }
        count[i * width + j] = k;
      }
  };
}

// Bytes may alias anything, so the rows of these two are named once, outside of the inner loop.
static Run sobel(const Sizes& n) {
  long height = n[0], width = n[1];
  auto source = filled<std::uint8_t>(height * width), result = filled<std::uint8_t>(height * width);
  return [=] {
#pragma omp parallel for
    for (long i = 1; i < height - 1; ++i) {
      const std::uint8_t *a = &source[(i - 1) * width], *b = a + width, *c = b + width;
      std::uint8_t* __restrict out = &result[i * width];
      for (long j = 1, end = width - 1; j < end; ++j) {
        int gx = a[j + 1] + 2 * b[j + 1] + c[j + 1] - a[j - 1] - 2 * b[j - 1] - c[j - 1];
        int gy = c[j - 1] + 2 * c[j] + c[j + 1] - a[j - 1] - 2 * a[j] - a[j + 1];
        out[j] =
            static_cast<std::uint8_t>(std::min(std::sqrt(static_cast<float>(gx * gx + gy * gy)), 255.0f));
      }
    }
  };
}

static Run gaussian_blur(const Sizes& n) {
  long height = n[0], width = n[1];
  auto source = filled<std::uint8_t>(height * width * 3), result = filled<std::uint8_t>(height * width * 3);
  return [=] {
    static constexpr int weights[] = {1, 4, 6, 4, 1};
#pragma omp parallel for
    for (long i = 0; i < height; ++i) {
      const std::uint8_t* in = source.get();
      std::uint8_t* __restrict out = &result[i * width * 3];
      for (long j = 0, last = width - 1, bottom = height - 1, row = width * 3; j <= last; ++j)
        for (long channel = 0; channel < 3; ++channel) {
          int total = 0;
          for (long dy = -2; dy <= 2; ++dy) {
            long y = std::clamp(i + dy, 0L, bottom);
            for (long dx = -2; dx <= 2; ++dx)
              total += weights[dy + 2] * weights[dx + 2] *
                       in[y * row + std::clamp(j + dx, 0L, last) * 3 + channel];
          }
          out[j * 3 + channel] = static_cast<std::uint8_t>((total + 128) / 256);
        }
    }
  };
}

static float normal_cdf(float d) {
  float k = 1 / (1 + 0.2316419f * std::fabs(d));
  float tail = 0.3989422804f * std::exp(-0.5f * d * d) *
               (k * (0.319381530f +
                     k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1 - tail : tail;
}

static Run black_scholes(const Sizes& n) {
  auto call = filled<float>(n[0]), put = filled<float>(n[0]), spot = filled<float>(n[0]),
       strike = filled<float>(n[0]), years = filled<float>(n[0]);
  for (long i = 0; i < n[0]; ++i) spot[i] += 0.5f, strike[i] += 0.5f, years[i] += 0.5f;
  return [=, rate = 0.02f, volatility = 0.3f] {
#pragma omp parallel for
    for (long i = 0; i < n[0]; ++i) {
      float root = std::sqrt(years[i]);
      float d1 = (std::log(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) /
                 (volatility * root);
      float d2 = d1 - volatility * root;
      float discounted = strike[i] * std::exp(-rate * years[i]);
      call[i] = spot[i] * normal_cdf(d1) - discounted * normal_cdf(d2);
      put[i] = discounted * normal_cdf(-d2) - spot[i] * normal_cdf(-d1);
    }
  };
}

static Run nbody(const Sizes& n) {
  auto position = filled<float>(n[0] * 3), mass = filled<float>(n[0]), acceleration = filled<float>(n[0] * 3);
  return [=] {
#pragma omp parallel for
    for (long i = 0; i < n[0]; ++i) {
      float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
      for (long j = 0; j < n[0]; ++j) {
        float dx = position[3 * j] - position[3 * i], dy = position[3 * j + 1] - position[3 * i + 1],
              dz = position[3 * j + 2] - position[3 * i + 2];
        float inverse = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
        float pull = mass[j] * inverse * inverse * inverse;
        ax += dx * pull, ay += dy * pull, az += dz * pull;
      }
      acceleration[3 * i] = ax, acceleration[3 * i + 1] = ay, acceleration[3 * i + 2] = az;
    }
  };
}

static Run softmax(const Sizes& n) {
  long rows = n[0], columns = n[1];
  auto x = filled<float>(rows * columns), y = filled<float>(rows * columns);
  return [=] {
#pragma omp parallel for
    for (long i = 0; i < rows; ++i) {
      const float* in = &x[i * columns];
      float* out = &y[i * columns];
      float top = -INFINITY, total = 0;
      for (long j = 0; j < columns; ++j) top = std::max(top, in[j]);
      for (long j = 0; j < columns; ++j) total += std::exp(in[j] - top);
      for (long j = 0; j < columns; ++j) out[j] = std::exp(in[j] - top) / total;
    }
  };
}

// A sparse matrix with `each` values in every row, in columns spread by a multiplicative hash, as bench.py
// makes it.
static Run spmv(const Sizes& n) {
  long rows = n[0], each = n[1];
  auto first = filled<std::int32_t>(rows + 1), columns = filled<std::int32_t>(rows * each);
  auto values = filled<float>(rows * each), x = filled<float>(rows), y = filled<float>(rows);
  for (long i = 0; i <= rows; ++i) first[i] = static_cast<std::int32_t>(i * each);
  for (long i = 0; i < rows * each; ++i) columns[i] = static_cast<std::int32_t>(i * 7919 % rows);
  return [=] {
#pragma omp parallel for
    for (long i = 0; i < rows; ++i) {
      float total = 0;
      for (std::int32_t p = first[i]; p < first[i + 1]; ++p) total += values[p] * x[columns[p]];
      y[i] = total;
    }
  };
}

static Run conv1d(const Sizes& n) {
  auto a = filled<float>(n[0] + 32), weights = filled<float>(32), out = filled<float>(n[0]);
  return [=] {
#pragma omp parallel for
    for (long i = 0; i < n[0]; ++i) {
      float total = 0;
      for (long j = 0; j < 32; ++j) total += a[i + j] * weights[j];
      out[i] = total;
    }
  };
}

static Run monte_carlo_pi(const Sizes& n) {
  auto hits = filled<std::uint64_t>(1);
  return [=] {
    std::uint64_t inside = 0;
#pragma omp parallel for reduction(+ : inside)
    for (long thread = 0; thread < n[0]; ++thread)
      for (long draw = 0; draw < n[1]; ++draw) {
        std::uint32_t c[4] = {static_cast<std::uint32_t>(draw), 0, static_cast<std::uint32_t>(thread), 0},
                      k[2] = {42, 0};
        for (int round = 0; round < 10; ++round) {
          std::uint64_t p = std::uint64_t{0xD2511F53} * c[0], q = std::uint64_t{0xCD9E8D57} * c[2];
          std::uint32_t next[4] = {
              static_cast<std::uint32_t>(q >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(q),
              static_cast<std::uint32_t>(p >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(p)};
          std::copy(next, next + 4, c);
          k[0] += 0x9E3779B9, k[1] += 0xBB67AE85;
        }
        float u[4];
        for (int i = 0; i < 4; ++i) u[i] = static_cast<float>(c[i] >> 8) * 0x1p-24f;
        inside += u[0] * u[0] + u[1] * u[1] < 1;
        inside += u[2] * u[2] + u[3] * u[3] < 1;
      }
    hits[0] = inside;
  };
}

// Returns where the element with number `linear`, in C order of `shape`, lies in a storage with these
// strides: for tensors of any number of axes.
static long place(long linear, const std::vector<int>& shape, const std::vector<int>& strides) {
  long position = 0;
  for (int axis = static_cast<int>(shape.size()) - 1; axis >= 0; --axis) {
    position += linear % shape[axis] * strides[axis];
    linear /= shape[axis];
  }
  return position;
}

// a[n, m] + b[m], broadcast by a stride of 0.
static Run broadcast_add(const Sizes& n) {
  int rows = static_cast<int>(n[0]), columns = static_cast<int>(n[1]);
  auto a = filled<float>(n[0] * n[1]), b = filled<float>(n[1]), out = filled<float>(n[0] * n[1]);
  std::vector<int> shape = {rows, columns}, dense = {columns, 1}, repeated = {0, 1};
  return [=] {
    long count = 1;
    for (int extent : shape) count *= extent;
#pragma omp parallel for
    for (long i = 0; i < count; ++i)
      out[place(i, shape, dense)] = a[place(i, shape, dense)] + b[place(i, shape, repeated)];
  };
}

int main(int argc, char** argv) {
  const std::map<std::string, Run (*)(const Sizes&)> peers = {{"doublify", doublify},
                                                              {"saxpy", saxpy},
                                                              {"add", add},
                                                              {"matmul", matmul},
                                                              {"transpose", transpose},
                                                              {"sum", sum},
                                                              {"histogram", histogram},
                                                              {"stencil2d", stencil2d},
                                                              {"stencil3d", stencil3d},
                                                              {"mandelbrot", mandelbrot},
                                                              {"sobel", sobel},
                                                              {"gaussian_blur", gaussian_blur},
                                                              {"black_scholes", black_scholes},
                                                              {"nbody", nbody},
                                                              {"softmax", softmax},
                                                              {"spmv", spmv},
                                                              {"conv1d", conv1d},
                                                              {"monte_carlo_pi", monte_carlo_pi},
                                                              {"broadcast_add", broadcast_add}};
  if (argc < 3 || !peers.contains(argv[1])) return std::fputs("usage: cpu_peers NAME SIZE...\n", stderr), 2;
  Sizes sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(std::atol(argv[i]));
  Run run = peers.at(argv[1])(sizes);

  using Clock = std::chrono::steady_clock;
  for (Kept& array : kept) std::memcpy(array.first.data(), array.data, array.first.size());
  run();
  std::vector<double> times;
  double sum = 0;
  while (times.size() < 5 || (sum < 1e6 && times.size() < 1000)) {
    for (const Kept& array : kept) std::memcpy(array.data, array.first.data(), array.first.size());
    auto start = Clock::now();
    run();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    sum += times.back();
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  std::printf("%.3f\n", times[times.size() / 2]);
}
