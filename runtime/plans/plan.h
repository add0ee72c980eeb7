// What a call of an algorithm of the library does: launches of a module's kernels, over the arguments of the call and over arrays
// that it makes for itself. Made without a device, so that a program's call and `kernc run std:sort` launch the same.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kern/runtime.h"
#include "runtime/plans/arrays.h"
#include "runtime/plans/settings.h"

namespace kern::algorithms {

// An array that a call makes, of any contents.
struct MadeArray {
  std::uint32_t type; // a kern_type
  std::int64_t rows;
  std::int64_t columns; // -1: it has one axis
};

// What a launch passes to a kernel.
struct Operand {
  enum class Kind : std::uint8_t { Given, Made, Number };
  Kind kind = Kind::Given;
  std::size_t index = 0;  // among the arguments, or the arrays that are made
  std::uint32_t type = 0; // of a number, a kern_type of an integer
  std::int64_t number = 0;
};

struct Step {
  std::string kernel;
  std::int64_t size = 1; // in blocks
  std::vector<Operand> operands;
  std::vector<Operand> cleared; // arrays without gaps that are filled with zeros before
  bool counts_threads = false;  // the size is one of threads, of a kernel that takes any block
};

struct Plan {
  std::string module;               // of the library: "sort"
  std::vector<std::string> defines; // of its constants: "ITEMS=12"
  std::vector<MadeArray> made;
  std::vector<Step> steps;
};

// Builds a plan from what is given. The constants that say how large a tile is are chosen here, by the types, and set in the
// module, so that no number stands in two places.
class Planner {
public:
  // `kernel` is that of an algorithm of one launch.
  Planner(const char* module, const char* kernel, std::span<const kern_argument> arguments,
          const Settings& settings, bool is_sized)
      : kernel_(kernel), arguments_(arguments), settings_(settings), is_sized_(is_sized) {
    plan_.module = module;
    if (is_sized) kernel_ += "_sized";
  }
  const std::string& kernel() const { return kernel_; }
  // Says whether the last argument is how many elements count, known on the device: the kernels for that have names of their own.
  bool is_sized() const { return is_sized_; }
  const kern_argument& argument(std::size_t index) const { return arguments_[index]; }
  std::size_t count() const { return arguments_.size(); }
  // Returns the number of elements of an argument of one axis.
  std::int64_t size(std::size_t index) const { return arguments_[index].extents[0]; }
  // Returns what the caller set a constant to, an integer, else the standard.
  std::int64_t asked(const char* name, std::int64_t standard) const;
  // The same, and sets it in the module; `name` may be one of a module that it imports, "scan.ITEMS".
  std::int64_t constant(const char* name, std::int64_t standard);
  void define(std::string text) { plan_.defines.push_back(std::move(text)); }
  bool is_set(const char* name) const { return settings_.has(name); }
  // Returns what the caller set a constant to, a tuple of integers; nothing where it is none.
  std::optional<std::vector<std::int64_t>> asked_tuple(const char* name) const {
    return settings_.numbers(name);
  }
  Operand make(std::uint32_t type, std::int64_t rows, std::int64_t columns = -1);
  Step& launch(const std::string& kernel, std::int64_t size, std::vector<Operand> operands);
  Plan take() { return std::move(plan_); }

private:
  std::string kernel_;
  std::span<const kern_argument> arguments_;
  const Settings& settings_;
  bool is_sized_;
  Plan plan_;
};

inline Operand given(std::size_t index) { return {Operand::Kind::Given, index, 0, 0}; }
inline Operand number(std::uint32_t type, std::int64_t value) {
  return {Operand::Kind::Number, 0, type, value};
}
// Returns the operands that are the arguments as they were given.
std::vector<Operand> all_given(std::size_t count);
// Returns what a launch passes; of an array that is made, without its memory.
kern_argument argument_of(const Plan& plan, const Operand& operand, std::span<const kern_argument> arguments);
// Returns the signature of a step's kernel. Dense: the elements of all arrays of the call lie side by side, which the kernel is told;
// else it is not, as an instance is found by its types alone.
std::string signature_of(const Plan& plan, const Step& step, std::span<const kern_argument> arguments,
                         bool dense);
// Returns definitions as one text: "THREADS=512,ITEMS=16".
std::string joined(std::span<const std::string> defines);
inline constexpr std::int64_t most_grid = (std::int64_t(1) << 31) - 1; // blocks of a launch along x
// Returns how many parts of `each` there are in n, at least 1.
std::int64_t parts_of(std::int64_t n, std::int64_t each);

} // namespace kern::algorithms
