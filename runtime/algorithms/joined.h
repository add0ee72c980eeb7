// What the kernels of reductions and scans have in common: their names, and what is looked at before a launch.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/algorithms/instances.h"
#include "runtime/algorithms/join.h"
#include "runtime/algorithms/line_kernel.h"

namespace kern::algorithms {

class JoinedKernel : public LineKernel {
public:
  const std::vector<std::string>& arguments() const override { return names_; }

protected:
  explicit JoinedKernel(Joining joining);
  // Returns the shape of the sources, which are the arguments but for the last one, and sees to it that they are only read.
  Shape shape_of(std::span<kern_argument> arguments) const;
  // Refuses a result with gaps, and one of no elements without a start; `along`: how many elements each result is made of, `how`
  // says behind the words how a start is given.
  void check_made(const kern_argument& result, std::int64_t along, const char* how) const;
  const Joining& joining() const { return joining_; }
  const Formula& named() const { return named_; }
  Instances& instances() { return instances_; }

private:
  Joining joining_;
  Formula named_; // the value, with the result behind its names
  std::vector<std::string> names_;
  Instances instances_;
};

} // namespace kern::algorithms
