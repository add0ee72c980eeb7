// Words the errors of kernels that use a function for the host. The advice for each method stands here once,
// for `kernc run` gives it too (ufunc_methods.h).
#include "compiler/check/numpy/host_ufuncs.h"

#include <algorithm>
#include <utility>

#include "compiler/check/ufunc_methods.h"
#include "compiler/diagnostics/names.h"

namespace kern {

static constexpr std::pair<std::string_view, std::string_view> methods[] = {
    {"reduce", "in a kernel write a loop; `total = cuda.Reduce(f)` of the plain function is a kernel that "
               "joins an array"},
    {"accumulate", "write a loop in which each element takes what the one before it has"},
    {"outer", "give each thread a pair, `i, j = cuda.grid(2)`, and store to `out[i, j]`"},
    {"at", "write an atomic, `cuda.atomic.add(x, i, v)`, or a loop in one thread"},
    {"reduceat", "write a loop over each part"},
};

std::string_view ufunc_method_advice(std::string_view method) {
  const auto* found =
      std::ranges::find(methods, method, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(methods) ? std::string_view() : found->second;
}

} // namespace kern

namespace kern::checker {

static std::string_view decorator_of(const FunctionSymbol& function) {
  switch (function.def->generated->kind) {
  case ast::Generated::Kind::Elementwise: return "vectorize";
  case ast::Generated::Kind::Generalized: return "guvectorize";
  case ast::Generated::Kind::Reduction: return "reduce";
  }
  return "";
}

const FunctionSymbol* host_ufunc(const Value& value) {
  const bool is_function =
      value.kind == ValueKind::Function && value.function && value.function->def->generated;
  return is_function ? value.function : nullptr;
}

Value report_host_call(Checker& checker, const FunctionSymbol& function, Span span) {
  checker
      .report(span, diag::host_ufunc, function.def->name, decorator_of(function),
              "a kernel calls a device function, `@cuda.jit(device=True)`, of the same body")
      .note(function.def->name_span, "`{}` is defined here", function.def->name);
  return error_value(span);
}

Value report_host_attribute(Checker& checker, const FunctionSymbol& function, std::string_view name,
                            Span span) {
  std::string_view advice = ufunc_method_advice(name);
  checker
      .report(span, diag::host_ufunc, fmt::format("{}.{}", function.def->name, name), decorator_of(function),
              advice.empty() ? "a kernel has no use for it" : advice)
      .note(function.def->name_span, "`{}` is defined here", function.def->name);
  return error_value(span);
}

} // namespace kern::checker
