#include "runtime/algorithms/joined.h"

#include "runtime/api/error.h"

namespace kern::algorithms {

// Puts the result behind the names that a value reads.
static Formula with_result(Formula formula) {
  formula.names.push_back({"result", false, true});
  return formula;
}

JoinedKernel::JoinedKernel(Joining joining)
    : joining_(std::move(joining)), named_(with_result(joining_.value)), names_(names_of(named_)),
      instances_("<" + std::string(kernel_name(joining_.join)) + " " + joining_.value.text + ", " +
                     joining_.combine + ">",
                 names_) {}

Shape JoinedKernel::shape_of(std::span<kern_argument> arguments) const {
  check_arguments(named_, arguments);
  const std::span<kern_argument> sources = arguments.first(arguments.size() - 1);
  Shape shape = common_shape(joining_.value, sources);
  if (shape.extents.empty())
    runtime::fail(KERN_ARGUMENT_ERROR, "there is no array to go over: this call is given numbers alone");
  for (kern_argument& source : sources) source.writable = 0;
  return shape;
}

void JoinedKernel::check_made(const kern_argument& result, std::int64_t along, const char* how) const {
  const bool is_scan = joining_.join == Join::Scan;
  if (!is_flat({{result.extents, result.extents + result.rank}, {}}, std::span(&result, 1)))
    runtime::fail(KERN_ARGUMENT_ERROR, std::string("the result of a ") + (is_scan ? "scan" : "reduction") +
                                           " is an array without gaps");
  if (along == 0 && !is_scan && joining_.start.empty())
    runtime::fail(KERN_ARGUMENT_ERROR,
                  std::string("a reduction of no elements has no result: give it a start") + how);
}

} // namespace kern::algorithms
