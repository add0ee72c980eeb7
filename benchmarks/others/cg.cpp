// CG of the NAS Parallel Benchmarks: the kernels of NPB-PYTHON's CG.py as kernc compiles them, with a host in C++ over their header. It
// estimates the smallest eigenvalue of a sparse symmetric matrix by the inverse power method, each step of which is 25 steps
// of conjugate gradients. The matrix is made as the specification says (NAS report RNR-94-007), official results are those of NPB 3, and
// launches, blocks and the part that is timed those of the programs in Python and in CUDA C++. Their first
// iteration, on the CPU and not timed, is left out, because nothing of it is used.
//
//     cg CLASS
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "CG.kern.hpp"
#include "npb.hpp"

namespace {

struct Problem {
  char name;
  int size, nonzeros, iterations;
  double shift, zeta;
};

constexpr std::array problems = {
    Problem{'S', 1400, 7, 15, 10, 8.5971775078648}, Problem{'W', 7000, 8, 15, 12, 10.362595087124},
    Problem{'A', 14000, 11, 15, 20, 17.130235054029}, Problem{'B', 75000, 13, 75, 60, 22.712745482631},
    Problem{'C', 150000, 15, 75, 110, 28.973605592845}};

// The generator of all benchmarks, x' = 5^13 x mod 2^46, from which it makes numbers between 0 and 1. 2^46 divides 2^64, so what a
// product loses is not missed.
class Random {
public:
  double next() {
    state_ = state_ * 1220703125 % (std::uint64_t(1) << 46);
    return std::ldexp(double(state_), -46);
  }

private:
  std::uint64_t state_ = 314159265;
};

struct Entry {
  int column;
  double value;
};

// Makes vector `index`: random values in so many random places, each once, and 0.5 in its own.
std::vector<Entry> random_vector(Random& random, const Problem& problem, int index) {
  const double places = std::bit_ceil(unsigned(problem.size));
  std::vector<Entry> entries;
  auto find = [&](int place) {
    return std::find_if(entries.begin(), entries.end(), [&](Entry entry) { return entry.column == place; });
  };
  while (entries.size() < std::size_t(problem.nonzeros)) {
    const double value = random.next();
    const int place = int(places * random.next());
    if (place < problem.size && find(place) == entries.end()) entries.push_back({place, value});
  }
  if (auto own = find(index); own != entries.end())
    own->value = 0.5;
  else
    entries.push_back({index, 0.5});
  return entries;
}

struct Matrix {
  std::vector<std::int32_t> row_begins, columns;
  std::vector<double> values;
};

// Makes the sum of the outer products of all vectors, whose weights go from 1 down to 0.1, less the shift on the diagonal. Rows
// come one after the other, the entries of each by column.
Matrix make_matrix(const Problem& problem) {
  constexpr double condition = 0.1;
  Random random;
  random.next(); // The benchmark draws one before it begins.
  std::vector<std::vector<Entry>> vectors, rows(problem.size);
  for (int i = 0; i < problem.size; ++i) vectors.push_back(random_vector(random, problem, i));
  const double ratio = std::pow(condition, 1.0 / problem.size);
  double weight = 1;
  for (int i = 0; i < problem.size; ++i, weight *= ratio)
    for (Entry row : vectors[i])
      for (Entry column : vectors[i]) {
        const bool is_own = row.column == i && column.column == i;
        const double value = column.value * (weight * row.value);
        rows[row.column].push_back({column.column, is_own ? value + condition - problem.shift : value});
      }
  Matrix matrix{{0}, {}, {}};
  for (std::vector<Entry>& row : rows) {
    std::stable_sort(row.begin(), row.end(), [](Entry a, Entry b) { return a.column < b.column; });
    int last = -1;
    for (Entry entry : row) {
      if (entry.column == last) {
        matrix.values.back() += entry.value;
        continue;
      }
      matrix.columns.push_back(last = entry.column);
      matrix.values.push_back(entry.value);
    }
    matrix.row_begins.push_back(std::int32_t(matrix.values.size()));
    row = {}; // A large matrix need not be there twice.
  }
  return matrix;
}

// The sums that the blocks of a kernel leave; the host adds them up.
class BlockSums {
public:
  BlockSums(const kern::Device& device, int blocks)
      : on_device(kern::zeros<double>(device, blocks)), on_host_(device, blocks) {}
  // Waits, also for faults.
  double add_up(const kern::Stream& stream) {
    on_device.copy_to_async(on_host_, stream).wait();
    return std::accumulate(on_host_.begin(), on_host_.end(), 0.0);
  }

  kern::Buffer<double> on_device;

private:
  kern::HostBuffer<double> on_host_;
};

struct Result {
  double zeta, seconds;
};

// Does all steps of the method. Every launch is checked once, before the clock starts, and its code is there then: CUDA C++ loads it
// when it is launched first.
Result iterate(const kern::Device& device, const Problem& problem, const Matrix& matrix) {
  const std::int32_t n = problem.size;
  const kern::Stream stream = kern::Stream::of_thread(device);
  const CG::Kernels library = CG::load(device);
  auto columns = kern::copy_of<std::int32_t>(device, matrix.columns);
  auto rows = kern::copy_of<std::int32_t>(device, matrix.row_begins);
  auto a = kern::copy_of<double>(device, matrix.values);
  auto vector = [&](double value) {
    kern::Buffer<double> made(device, n + 2);
    made.fill(value);
    return made;
  };
  auto p = vector(0), q = vector(0), r = vector(0), x = vector(1), z = vector(0);
  auto unused = kern::zeros<double>(device, 1);
  BlockSums sums(device, npb::blocks_for(n, 256)), squares(device, npb::blocks_for(n, 256));
  BlockSums rest(device, npb::blocks_for(n, 512));

  // A thread for each row, or a block; of blocks that add up, each thread has a number in shared memory.
  auto threads = [&](int block) { return kern::grid(npb::blocks_for(n, block)).block(block); };
  auto adding = [&](int block) { return threads(block).shared(block * sizeof(double)); };
  const kern::Launch by_row = kern::grid(n).block(64).shared(64 * sizeof(double));
  const auto start = library.prepare_gpu_kernel_one_gpu(threads(1024), p, q, r, x, z, n);
  const auto square_start = library.prepare_gpu_kernel_two_gpu(adding(256), r, unused, sums.on_device, n);
  const auto multiply_p = library.prepare_gpu_kernel_three_gpu(by_row, columns, rows, a, p, q);
  const auto p_times_q = library.prepare_gpu_kernel_four_gpu(adding(256), unused, p, q, sums.on_device, n);
  const auto move_z = library.prepare_gpu_kernel_five_1_gpu(threads(64), 0, p, z, n);
  const auto move_r = library.prepare_gpu_kernel_five_2_gpu(threads(64), 0, q, r, n);
  const auto square_r = library.prepare_gpu_kernel_six_gpu(adding(256), r, sums.on_device, n);
  const auto turn_p = library.prepare_gpu_kernel_seven_gpu(threads(512), 0, p, r, n);
  const auto multiply_z = library.prepare_gpu_kernel_eight_gpu(by_row, columns, rows, a, r, z);
  const auto square_rest = library.prepare_gpu_kernel_nine_gpu(adding(512), r, x, unused, rest.on_device, n);
  const auto x_times_z = library.prepare_gpu_kernel_ten_1_gpu(adding(256), sums.on_device, x, z, n);
  const auto square_z = library.prepare_gpu_kernel_ten_2_gpu(adding(256), squares.on_device, x, z, n);
  const auto scale = library.prepare_gpu_kernel_eleven_gpu(threads(512), 0, x, z, n);

  // Solves A z = x, and returns the norm of what is left, x - A z.
  auto solve = [&] {
    start();
    square_start();
    double rho = sums.add_up(stream);
    for (int i = 0; i < 25; ++i) {
      multiply_p();
      p_times_q();
      const double alpha = rho / sums.add_up(stream);
      move_z.set<0>(alpha);
      move_z();
      move_r.set<0>(alpha);
      move_r();
      square_r();
      const double last = std::exchange(rho, sums.add_up(stream));
      turn_p.set<0>(rho / last);
      turn_p();
    }
    multiply_z();
    square_rest();
    return std::sqrt(rest.add_up(stream));
  };

  stream.wait(); // The arrays are filled.
  const npb::Clock clock;
  double zeta = 0;
  for (int i = 1; i <= problem.iterations; ++i) {
    const double norm = solve();
    x_times_z();
    square_z();
    const double product = sums.add_up(stream);
    zeta = problem.shift + 1 / product;
    std::printf(" %5d: ||r|| = %.14e, zeta = %.13e\n", i, norm, zeta);
    scale.set<0>(1 / std::sqrt(squares.add_up(stream)));
    scale();
  }
  stream.wait();
  return {zeta, clock.seconds()};
}

} // namespace

int main(int argc, char** argv) {
  const Problem& problem = npb::choose(argc, argv, problems);
  const Matrix matrix = make_matrix(problem);
  const Result result = iterate(kern::Device::best(), problem, matrix);
  return npb::finish(result.seconds, npb::agrees("zeta", result.zeta, problem.zeta, 1e-10));
}
