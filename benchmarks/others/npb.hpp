// What the hosts in C++ of this folder share: the class of the problem, the clock, and the result in the words of the benchmarks, so that
// `run` reads all programs alike.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace npb {

// Returns the row of the class that the first argument names.
template <class Problems> const auto& choose(int argc, char** argv, const Problems& problems) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  for (const auto& problem : problems)
    if (name == std::string_view(&problem.name, 1)) return problem;
  std::fprintf(stderr, "%s: the first argument is none of the classes", argv[0]);
  for (const auto& problem : problems) std::fprintf(stderr, " %c", problem.name);
  std::fprintf(stderr, "\n");
  std::exit(2);
}

// Returns how many blocks have so many threads in all.
inline int blocks_for(int threads, int block) { return (threads + block - 1) / block; }

class Clock {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Prints a result beside the official one, and says whether they agree; what is no number does not.
inline bool agrees(const char* what, double found, double official, double epsilon) {
  const double error = std::abs((found - official) / official);
  std::printf(" %-18s %20.13e %20.13e %20.13e\n", what, found, official, error);
  return error <= epsilon;
}

// Prints what `run` looks for, and returns the exit code.
inline int finish(double seconds, bool verified) {
  std::printf(" Time in seconds = %.6f\n Verification    = %s\n", seconds,
              verified ? "SUCCESSFUL" : "UNSUCCESSFUL");
  return verified ? 0 : 1;
}

} // namespace npb
