// What a program that compiles at run time pays for a kernel: each file compiled to CPU code or PTX again and
// again in this process, as --time-report adds its phases up. CPU code is that of a launch as most are:
// arrays in C order of less than 2^30 bytes, less than 2^30 threads along an axis; without line info, as is
// all code that is made in the process that runs it. Prints a line a file: its name, the first compilation
// and the median of the later ones, in milliseconds.
//
// usage: compile_time cuda|x86-64-v3|x86-64-v4 REPEATS FILE...
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "compiler/driver/compilation.h"

static double compile(const std::string& name, const std::string& text, const kern::TargetOptions& target) {
  kern::Compilation compilation({});
  compilation.set_source(name, text);
  bool cpu = target.target == kern::Target::Cpu;
  if (!compilation.emit(target, cpu ? kern::OutputKind::Object : kern::OutputKind::Ptx)) {
    fmt::print(stderr, "compile_time: {} does not compile\n", name);
    std::exit(1);
  }
  double total = 0;
  for (const kern::PhaseTime& time : compilation.times()) total += time.milliseconds;
  return total;
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: compile_time cuda|x86-64-v3|x86-64-v4 REPEATS FILE...\n");
    return 2;
  }
  kern::TargetOptions target;
  std::string where = argv[1];
  target.target = where == "cuda" ? kern::Target::Cuda : kern::Target::Cpu;
  if (where != "cuda") {
    target.arch = where;
    target.line_info = kern::LineInfo::None;
    target.lanes.lanes = kern::default_lanes;
    target.lanes.contiguous = target.lanes.small_grid = target.lanes.small_arrays = true;
  }
  for (int i = 3; i < argc; ++i) {
    std::ifstream file(argv[i]);
    std::string text(std::istreambuf_iterator<char>(file), {});
    double first = compile(argv[i], text, target);
    std::vector<double> times;
    for (int k = 0; k < std::atoi(argv[2]); ++k) times.push_back(compile(argv[i], text, target));
    std::sort(times.begin(), times.end());
    fmt::print("{} {:.2f} {:.2f}\n", argv[i], first, times[times.size() / 2]);
  }
}
