// Measures what a program that compiles at run time pays for a kernel: each file is compiled to CPU code or
// PTX again and again in this process, by the clock; to PTX with all variants, as a launch asks for it. CPU
// code is that of a launch as most are: arrays in C order of less than 2^30 bytes, less than 2^30 threads
// along an axis; without line info, as is all code that is made in the process that runs it. Prints a line a
// file: its name, the first compilation and the median of the later ones, in milliseconds.
//
// usage: compile_time cuda|x86-64-v3|x86-64-v4 REPEATS FILE...
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "compiler/driver/aot/object.h"
#include "compiler/driver/session/compilation.h"

static double compile(const std::string& name, const std::string& text, const kern::TargetOptions& target) {
  auto begin = std::chrono::steady_clock::now();
  kern::Compilation compilation({});
  compilation.set_source(name, text);
  kern::GpuCode code;
  bool is_done = target.target == kern::Target::Cpu
                     ? compilation.emit(target, kern::OutputKind::Object).has_value()
                     : kern::make_ptx(compilation, target, code);
  if (!is_done) {
    fmt::print(stderr, "compile_time: {} does not compile\n", name);
    std::exit(1);
  }
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
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
