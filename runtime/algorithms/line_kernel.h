// One-line kernels: what is launched of a text, for any arguments that suit it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kern/runtime.h"

namespace kern::algorithms {

class LineKernel {
public:
  LineKernel() = default;
  LineKernel(const LineKernel&) = delete;
  LineKernel& operator=(const LineKernel&) = delete;
  virtual ~LineKernel() = default;
  // Returns the names that stand for the arguments of a launch, in their order.
  virtual const std::vector<std::string>& arguments() const = 0;
  // Puts a launch on a stream; any thread may. `event` may be null.
  virtual void launch(kern_launch_options options, std::vector<kern_argument> arguments,
                      kern_event** event) = 0;
};

// Makes one of assignments: `y = a * x + y`.
std::unique_ptr<LineKernel> make_elementwise(std::string_view text);
// Makes one of a value, `x * y`, an operation of `a` and `b`, and a start, or none where that is empty.
std::unique_ptr<LineKernel> make_reduction(std::string_view value, std::string_view combine,
                                           std::string_view start);
// Makes one along an axis, of as many results as the arrays have elements without it.
std::unique_ptr<LineKernel> make_reduction_along(std::int32_t axis, std::string_view value,
                                                 std::string_view combine, std::string_view start);
// Makes one that gives each element what the operation makes of the values up to it; with a start, of that and those before it.
std::unique_ptr<LineKernel> make_scan(std::string_view value, std::string_view combine,
                                      std::string_view start);

} // namespace kern::algorithms
