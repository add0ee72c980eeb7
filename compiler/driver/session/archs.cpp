// A name is the CPU's where it says x86 or native; all others are taken for GPUs, which know their own names.
#include "compiler/driver/session/archs.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace kern {

static bool is_cpu_name(const std::string& name) { return name.starts_with("x86") || name == "native"; }

// 90 of "sm_90a"
static int generation(const std::string& name) {
  std::size_t digits = name.find_first_of("0123456789");
  return digits == std::string::npos ? 0 : std::atoi(name.c_str() + digits);
}

std::vector<std::string> named_archs(const Options& options, Target target) {
  std::vector<std::string> lists = options.archs, names;
  if (!options.arch.empty()) lists.push_back(options.arch);
  for (const std::string& list : lists) {
    std::istringstream words(list);
    for (std::string name; std::getline(words, name, ',');)
      if (is_cpu_name(name) == (target == Target::Cpu) && std::ranges::find(names, name) == names.end())
        names.push_back(name);
  }
  if (target == Target::Cuda) std::ranges::stable_sort(names, {}, generation);
  return names;
}

} // namespace kern
