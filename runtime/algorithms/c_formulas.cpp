// The C interface of one-line kernels.
#include "kern/algorithms.h"
#include "runtime/algorithms/instances.h"
#include "runtime/algorithms/line_kernel.h"
#include "runtime/api/handles.h"

using namespace kern;
using algorithms::LineKernel;
using runtime::full, runtime::guarded, runtime::place_of;

struct kern_formula : Counted<HandleKind::Formula> {
  std::unique_ptr<LineKernel> kernel;
};

static std::string_view text_of(const char* text, std::uint64_t bytes, const char* what) {
  if (!text) runtime::refuse_null(what);
  return {text, bytes};
}

static void keep(std::unique_ptr<LineKernel> kernel, kern_formula*& place) {
  auto made = std::make_unique<kern_formula>();
  made->kernel = std::move(kernel);
  place = made.release();
}

kern_error* kern_elementwise(const char* text, std::uint64_t bytes, kern_formula** formula) {
  return guarded([&] {
    kern_formula*& place = place_of(formula);
    keep(algorithms::make_elementwise(text_of(text, bytes, "the text of a formula")), place);
  });
}

static kern_error* make_join(auto&& make, const char* value, std::uint64_t value_bytes, const char* combine,
                             std::uint64_t combine_bytes, const char* start, std::uint64_t start_bytes,
                             kern_formula** formula) {
  return guarded([&] {
    kern_formula*& place = place_of(formula);
    keep(make(text_of(value, value_bytes, "the text of a value"),
              text_of(combine, combine_bytes, "the text of an operation"),
              start ? std::string_view(start, start_bytes) : std::string_view()),
         place);
  });
}

kern_error* kern_reduction(const char* value, std::uint64_t value_bytes, const char* combine,
                           std::uint64_t combine_bytes, const char* start, std::uint64_t start_bytes,
                           kern_formula** formula) {
  return make_join(algorithms::make_reduction, value, value_bytes, combine, combine_bytes, start, start_bytes,
                   formula);
}

kern_error* kern_reduction_along(std::int32_t axis, const char* value, std::uint64_t value_bytes,
                                 const char* combine, std::uint64_t combine_bytes, const char* start,
                                 std::uint64_t start_bytes, kern_formula** formula) {
  auto make = [&](std::string_view of, std::string_view operation, std::string_view begin) {
    return algorithms::make_reduction_along(axis, of, operation, begin);
  };
  return make_join(make, value, value_bytes, combine, combine_bytes, start, start_bytes, formula);
}

kern_error* kern_scanning(const char* value, std::uint64_t value_bytes, const char* combine,
                          std::uint64_t combine_bytes, const char* start, std::uint64_t start_bytes,
                          kern_formula** formula) {
  return make_join(algorithms::make_scan, value, value_bytes, combine, combine_bytes, start, start_bytes,
                   formula);
}

kern_formula* kern_formula_retain(kern_formula* formula) { return runtime::retain(formula); }
void kern_formula_release(kern_formula* formula) { runtime::release(formula); }

std::uint64_t kern_formula_argument_count(const kern_formula* formula) {
  return runtime::is_there(formula) ? formula->kernel->arguments().size() : 0;
}

const char* kern_formula_argument_name(const kern_formula* formula, std::uint64_t index) {
  return index < kern_formula_argument_count(formula) ? formula->kernel->arguments()[index].c_str() : "";
}

kern_error* kern_formula_launch(kern_formula* formula, const kern_launch_options* options,
                                const kern_argument* arguments, std::uint64_t count, kern_event** event) {
  return guarded([&] {
    full(formula, "formula");
    if (count > 0 && !arguments) runtime::refuse_null("the arguments of a formula");
    formula->kernel->launch(algorithms::whole_options(options), {arguments, arguments + count}, event);
  });
}
