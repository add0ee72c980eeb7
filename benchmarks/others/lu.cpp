// LU of the NAS Parallel Benchmarks: the kernels of NPB-PYTHON's LU.py as kernc compiles them, with a host in C++ over their header. It
// solves five coupled equations of a flow on a cube by symmetric successive over-relaxation: each step sweeps through the cube's
// diagonal planes, up and down, a small launch for each. Coefficients are those of the specification (NAS report RNR-94-007), official
// results those of NPB 3, and launches, blocks, shared memory and the part that is timed those of the programs in Python and in
// CUDA C++. With a second word, `graph`, a step is two launches of graphs instead of some 600 of kernels.
//
//     lu CLASS [graph]
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "LU.kern.hpp"
#include "npb.hpp"

namespace {

using Five = std::array<double, 5>;

// Five norms of the residual, five of the error, and the integral over a surface.
using Results = std::array<double, 11>;

constexpr Results results_s = {1.6196343210976702e-02, 2.1976745164821318e-03, 1.5179927653399185e-03,
                               1.5029584435994323e-03, 3.4264073155896461e-02, 6.4223319957960924e-04,
                               8.4144342047347926e-05, 5.8588269616485186e-05, 5.8474222595157350e-05,
                               1.3103347914111294e-03, 7.8418928865937083e+00};
constexpr Results results_w = {0.1236511638192e+02, 0.1317228477799e+01, 0.2550120713095e+01,
                               0.2326187750252e+01, 0.2826799444189e+02, 0.4867877144216e+00,
                               0.5064652880982e-01, 0.9281818101960e-01, 0.8570126542733e-01,
                               0.1084277417792e+01, 0.1161399311023e+02};
constexpr Results results_a = {7.7902107606689367e+02, 6.3402765259692870e+01, 1.9499249727292479e+02,
                               1.7845301160418537e+02, 1.8384760349464247e+03, 2.9964085685471943e+01,
                               2.8194576365003349e+00, 7.3473412698774742e+00, 6.7139225687777051e+00,
                               7.0715315688392578e+01, 2.6030925604886277e+01};
constexpr Results results_b = {3.5532672969982736e+03, 2.6214750795310692e+02, 8.8333721850952190e+02,
                               7.7812774739425265e+02, 7.3087969592545314e+03, 1.1401176380212709e+02,
                               8.1098963655421574e+00, 2.8480597317698308e+01, 2.5905394567832939e+01,
                               2.6054907504857413e+02, 4.7887162703308227e+01};
constexpr Results results_c = {1.03766980323537846e+04, 8.92212458801008552e+02, 2.56238814582660871e+03,
                               2.19194343857831427e+03, 1.78078057261061185e+04, 2.15986399716949279e+02,
                               1.55789559239863600e+01, 5.41318863077207766e+01, 4.82262643154045421e+01,
                               4.55902910043250358e+02, 6.66404553572181300e+01};

struct Problem {
  char name;
  int size, steps;
  double time_step;
  Results results;
};

constexpr std::array problems = {
    Problem{'S', 12, 50, 0.5, results_s}, Problem{'W', 33, 300, 1.5e-3, results_w},
    Problem{'A', 64, 250, 2.0, results_a}, Problem{'B', 102, 250, 2.0, results_b},
    Problem{'C', 162, 250, 2.0, results_c}};

// The exact solution: a column for each of the five, whose rows are 1, then x, y, z, then their squares, cubes and fourth powers.
constexpr std::array<Five, 13> exact = {{{2, 1, 2, 2, 5},
                                         {0, 0, 2, 2, 4},
                                         {0, 0, 0, 0, 3},
                                         {4, 0, 0, 0, 2},
                                         {5, 1, 0, 0, 0.1},
                                         {3, 2, 2, 2, 0.4},
                                         {0.5, 3, 3, 3, 0.3},
                                         {0.02, 0.01, 0.04, 0.03, 0.05},
                                         {0.01, 0.03, 0.03, 0.05, 0.04},
                                         {0.03, 0.02, 0.05, 0.04, 0.03},
                                         {0.5, 0.4, 0.3, 0.2, 0.1},
                                         {0.4, 0.3, 0.5, 0.1, 0.3},
                                         {0.3, 0.5, 0.4, 0.3, 0.2}}};
// Diffusion along x and y, and along z; and the fourth-order dissipation.
constexpr double diffusion = 0.75, z_diffusion = 1, dissipation = 0.25, over_relaxation = 1.2;

// Launches that were checked once: a step has hundreds.
using Launches = std::vector<std::function<void()>>;

void put(const Launches& launches) {
  for (const auto& launch : launches) launch();
}

class Solver {
public:
  Solver(const kern::Device& device, const Problem& problem)
      : steps_(problem.steps), n_(problem.size), time_step_(problem.time_step),
        stream_(kern::Stream::of_thread(device)), library_(LU::load(device)), u_(cells(device, 5)),
        rsd_(cells(device, 5)), frct_(cells(device, 5)), rho_i_(cells(device, 1)), qs_(cells(device, 1)),
        sums_(kern::zeros<double>(device, 5 * (n_ - 2) * (n_ - 2))), exact_(device, kern::extents(13, 5)),
        constants_(device, 23) {
    exact_.copy_from({exact[0].data(), 65});
    set_constants();
    prepare_sweep();
    prepare_residual();
  }

  // Makes a graph of each of the two halves of a step.
  void use_graphs() {
    for (Launches* half : {&sweep_, &residual_}) {
      kern::Graph graph = kern::capture(stream_, [&] { put(*half); });
      *half = {[this, graph] { graph.launch(stream_); }};
    }
  }

  // Sets u to the exact solution on the faces of the cube, and inside to what lies between them.
  void set_up() {
    const kern::Launch face = threads(n_ * n_);
    library_.setbv_gpu_kernel_3(face, u_, n_, n_, n_, exact_);
    library_.setbv_gpu_kernel_2(face, u_, n_, n_, n_, exact_);
    library_.setbv_gpu_kernel_1(face, u_, n_, n_, n_, exact_);
    library_.setiv_gpu_kernel(lines(n_ - 2), u_, n_, n_, n_, exact_);
  }

  // Makes the forcing term, under which the exact solution is one.
  void force() {
    const double d = diffusion, dz = z_diffusion;
    const kern::Launch along = lines(std::min(n_, 32), 14);
    library_.erhs_gpu_kernel_1(threads(n_ * n_ * n_), frct_, rsd_, n_, n_, n_, exact_);
    library_.erhs_gpu_kernel_2(along, frct_, rsd_, n_, n_, n_, t1_, t2_, t3_, d, d, d, d, d, dissipation);
    library_.erhs_gpu_kernel_3(along, frct_, rsd_, n_, n_, n_, t1_, t2_, t3_, d, d, d, d, d, dissipation);
    library_.erhs_gpu_kernel_4(along, frct_, rsd_, n_, n_, n_, t1_, t2_, t3_, dz, dz, dz, dz, dz,
                               dissipation);
  }

  // Does so many steps, and returns the seconds that they took. Norms are asked for in the last of all steps, and before the first;
  // the benchmark's test whether the residual is small enough to stop is never met.
  double step(int steps) {
    put(residual_);
    residual_norms();
    const npb::Clock clock;
    for (int i = 1; i <= steps; ++i) {
      put(sweep_);
      if (i == steps_) residual_norms();
      put(residual_);
      if (i == steps_) residuals_ = residual_norms();
    }
    stream_.wait();
    return clock.seconds();
  }

  // Returns the norms of how far u is from the exact solution.
  Five error_norms() {
    library_.error_gpu_kernel(lines(std::min(n_ - 2, 32), 5), u_, sums_, n_, n_, n_, exact_);
    return norms();
  }

  // Returns the integral over the surface of a part of the cube.
  double surface_integral() {
    const kern::Launch face = kern::grid(n_, n_).block(8, 8).shared(3 * 8 * 8 * sizeof(double));
    auto from = [&](int face) { return sums_.view().slice(0, face * n_ * n_, sums_.size()); };
    library_.pintgr_gpu_kernel_1(face, u_, sums_, n_, n_, n_, h_, h_);
    library_.pintgr_gpu_kernel_2(face, u_, from(1), n_, n_, n_, h_, h_);
    library_.pintgr_gpu_kernel_3(face, u_, from(2), n_, n_, n_, h_, h_);
    library_.pintgr_gpu_kernel_4(one_block(1024, 1), sums_, 3 * n_ * n_);
    return first_sums()[0];
  }

  const Five& residuals() const { return residuals_; }

private:
  kern::Buffer<double> cells(const kern::Device& device, int numbers) const {
    return kern::zeros<double>(device, numbers * n_ * n_ * n_);
  }
  kern::Launch threads(int count) const { return kern::grid(npb::blocks_for(count, 32)).block(32); }
  // A block for each line of inner points, with so many numbers a thread in shared memory.
  kern::Launch lines(int block, int numbers = 0) const {
    return kern::grid(n_ - 2, n_ - 2).block(block).shared(block * numbers * sizeof(double));
  }
  kern::Launch one_block(int block, int numbers) const {
    return kern::grid(1).block(block).shared(block * numbers * sizeof(double));
  }

  void set_constants() {
    std::vector<double> values = {time_step_, over_relaxation, t1_, t2_, t1_, t2_, t1_, t2_};
    values.insert(values.end(), 10, diffusion);
    values.insert(values.end(), 5, z_diffusion);
    constants_.copy_from(values);
  }

  // Waits, also for faults.
  Five first_sums() {
    Five sums;
    sums_.view().slice(0, 0, 5).copy_to(sums);
    return sums;
  }
  Five norms() {
    library_.norm_gpu_kernel(one_block(512, 5), sums_, (n_ - 2) * (n_ - 2));
    Five squares = first_sums();
    for (double& square : squares) square = std::sqrt(square / (double(n_ - 2) * (n_ - 2) * (n_ - 2)));
    return squares;
  }
  Five residual_norms() {
    library_.l2norm_gpu_kernel(lines(std::min(n_ - 2, 64), 5), rsd_, sums_, n_, n_, n_);
    return norms();
  }

  // The points of a diagonal plane depend on those of the planes before it only: i + j + k is the same.
  kern::Launch plane_launch(int plane, int& first_k, int& first_j) const {
    const int last = n_ - 3, last_k = std::min(plane, last);
    first_k = std::max(0, plane - 2 * last);
    first_j = std::max(0, plane - last_k - last);
    return kern::grid(last_k - first_k + 1).block(std::min(plane, last) - first_j + 1);
  }
  void prepare_sweep() {
    const int last_plane = 3 * (n_ - 3);
    int k, j;
    sweep_.push_back(
        library_.prepare_ssor_gpu_kernel_1(lines(std::max(n_ - 2, 512)), rsd_, n_, n_, n_, time_step_));
    for (int plane = 0; plane <= last_plane; ++plane) {
      const kern::Launch launch = plane_launch(plane, k, j);
      sweep_.push_back(library_.prepare_jacld_blts_gpu_kernel(launch, plane, k, j, u_, rho_i_, qs_, rsd_, n_,
                                                              n_, n_, constants_));
    }
    for (int plane = last_plane; plane >= 0; --plane) {
      const kern::Launch launch = plane_launch(plane, k, j);
      sweep_.push_back(library_.prepare_jacu_buts_gpu_kernel(launch, plane, k, j, u_, rho_i_, qs_, rsd_, n_,
                                                             n_, n_, constants_));
    }
    const double factor = 1 / (over_relaxation * (2 - over_relaxation));
    sweep_.push_back(
        library_.prepare_ssor_gpu_kernel_2(lines(std::max(n_ - 2, 1024)), u_, rsd_, factor, n_, n_, n_));
  }
  void prepare_residual() {
    const double d = diffusion, dz = z_diffusion;
    const kern::Launch along = lines(std::min(n_, 32), 20);
    residual_ = {
        library_.prepare_rhs_gpu_kernel_1(threads(n_ * n_ * n_), u_, rsd_, frct_, qs_, rho_i_, n_, n_, n_),
        library_.prepare_rhs_gpu_kernel_2(along, u_, rsd_, qs_, rho_i_, n_, n_, n_, t1_, t2_, t3_, d, d, d, d,
                                          d, dissipation),
        library_.prepare_rhs_gpu_kernel_3(along, u_, rsd_, qs_, rho_i_, n_, n_, n_, t1_, t2_, t3_, d, d, d, d,
                                          d, dissipation),
        library_.prepare_rhs_gpu_kernel_4(along, u_, rsd_, qs_, rho_i_, n_, n_, n_, t1_, t2_, t3_, dz, dz, dz,
                                          dz, dz, dissipation)};
  }

  int steps_;
  std::int32_t n_;
  double time_step_;
  // The distance of points, and what differences along an axis are multiplied by.
  double h_ = 1.0 / (n_ - 1), t1_ = 1 / (h_ * h_), t2_ = 1 / (2 * h_), t3_ = 1 / h_;
  kern::Stream stream_;
  LU::Kernels library_;
  // Arrays have the names that they have in the kernels.
  kern::Buffer<double> u_, rsd_, frct_, rho_i_, qs_, sums_;
  kern::Buffer<double, 2> exact_;
  kern::Buffer<double> constants_;
  Launches sweep_, residual_;
  Five residuals_{};
};

bool verify(const Results& official, const Five& residuals, const Five& errors, double surface) {
  bool verified = npb::agrees("surface integral", surface, official[10], 1e-8);
  for (int m = 0; m < 5; ++m) {
    verified &= npb::agrees("norm of a residual", residuals[m], official[m], 1e-8);
    verified &= npb::agrees("norm of an error", errors[m], official[5 + m], 1e-8);
  }
  return verified;
}

} // namespace

int main(int argc, char** argv) {
  const Problem& problem = npb::choose(argc, argv, problems);
  Solver solver(kern::Device::best(), problem);
  if (argc > 2 && std::string_view(argv[2]) == "graph") solver.use_graphs();
  solver.set_up();
  solver.force();
  solver.step(1); // Not timed: all code and memory is used once.
  solver.set_up();
  const double seconds = solver.step(problem.steps);
  const Five errors = solver.error_norms();
  return npb::finish(seconds, verify(problem.results, solver.residuals(), errors, solver.surface_integral()));
}
