// Options without effect: which values ask for what kernc does anyway, and what to do instead of the others.
#include "compiler/check/numba/ignored_options.h"

#include <algorithm>

#include "compiler/diagnostics/warnings.h"

namespace kern::checker {

namespace {

// Values that need no warning; None, which is the default of every option, needs none either.
enum class Quiet : std::uint8_t {
  Always,
  WhereFalse, // and where empty
  WhereTrue,
  WhereLiteral, // a bool or a string: not the cost model of an inliner
};

struct IgnoredOption {
  std::string_view name;
  Quiet quiet;
  std::string_view instead = {};
};

constexpr IgnoredOption ignored_options[] = {
    {"cache", Quiet::Always},
    {"lineinfo", Quiet::Always},
    {"inline", Quiet::WhereLiteral, "kernc decides what is inlined"},
    {"forceinline", Quiet::WhereFalse, "kernc decides what is inlined"},
    {"debug", Quiet::WhereFalse, "faults are always checked; `kernc -g` asks for debug information"},
    {"opt", Quiet::WhereTrue, "`kernc -O0` switches optimisation off"},
    {"boundscheck", Quiet::WhereTrue, "`kernc --guards=off` leaves the checks out"},
    {"nopython", Quiet::WhereTrue, "a kernel has no object mode"},
    {"link", Quiet::WhereFalse, "nothing is linked; write what the kernel calls as a `@device` function"},
    {"lto", Quiet::WhereFalse, "a kernel is always optimised together with what it calls"},
    {"extensions", Quiet::WhereFalse, "arguments are passed as they are; convert them before the launch"},
    {"abi", Quiet::WhereFalse, "kernels are called as docs/abi.md says"},
    {"abi_info", Quiet::WhereFalse, "kernels are called as docs/abi.md says"},
    {"cc", Quiet::WhereFalse, "`kernc --arch` names the GPU: `--arch=sm_90`"},
    {"shared_memory_carveout", Quiet::WhereFalse, "the driver divides the memory"},
};

// Returns whether Python takes a value for true; nothing where it is not known, as only the host needs to be able to
// evaluate it.
std::optional<bool> truth_of(const Value& value) {
  if (is_literal(value) || is_fixed(value)) return constant_real(value).value_or(0) != 0;
  if (value.kind == ValueKind::String) return !value.text.empty();
  return is_tuple(value) ? std::optional(!value.elements.empty()) : std::nullopt;
}

bool is_quiet(Quiet quiet, const Value& value) {
  if (value.kind == ValueKind::None) return true;
  switch (quiet) {
  case Quiet::Always: return true;
  case Quiet::WhereFalse: return truth_of(value) == false;
  case Quiet::WhereTrue: return truth_of(value) == true;
  case Quiet::WhereLiteral: return value.kind == ValueKind::String || is_fixed(value);
  }
  return false;
}

} // namespace

void report_no_effect(Context& context, Span span, std::string_view what, std::string_view instead) {
  if (context.reported.insert({diag::option.code, span.file, span.begin}).second)
    context.diagnostics.report(span, diag::option, what, instead);
}

bool read_ignored_option(Context& context, std::string_view name, Span written, const Value& value) {
  const auto* known = std::find_if(std::begin(ignored_options), std::end(ignored_options),
                                   [&](const IgnoredOption& option) { return option.name == name; });
  if (known == std::end(ignored_options)) return false;
  if (!is_quiet(known->quiet, value))
    report_no_effect(context, written, fmt::format("`{}`", context.source(written)), known->instead);
  return true;
}

} // namespace kern::checker
