// The bound of a math function stands in the text of its row: "within 4 ulp".
#include "compiler/driver/run/compare.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "compiler/builtins/builtins.h"
#include "compiler/ir/reachable.h"

namespace kern {

static constexpr double growth = 16, any_order = 4096;

static bool is_inexact(ScalarKind kind) {
  return scalar_class(kind) == ScalarClass::Float || scalar_class(kind) == ScalarClass::Complex;
}

// Returns N of "within N ulp".
static std::optional<int> bound_of(const BuiltinRow& row) {
  constexpr std::string_view before = "within ", after = " ulp";
  std::size_t at = row.doc.find(before);
  if (at == row.doc.npos) return std::nullopt;
  std::string_view rest = row.doc.substr(at + before.size());
  int bound = 0;
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), bound);
  std::string_view behind = rest.substr(static_cast<std::size_t>(end - rest.data()));
  if (error != std::errc() || !behind.starts_with(after)) return std::nullopt;
  return bound;
}

static void allow(Allowance& allowance, double relative, std::string why) {
  if (relative <= allowance.relative) return;
  allowance = {relative, std::move(why)};
}

Allowance device_allowance(const ir::Module& module, const ir::Function& kernel) {
  Allowance allowance;
  auto pure = [&](const ir::CallPure& call) {
    std::optional<int> bound = bound_of(row(call.builtin));
    if (!bound || call.args.empty()) return;
    allow(allowance, growth * *bound * epsilon(call.args.front().type->scalar),
          fmt::format("{} is within {} ulp", row(call.builtin).name, *bound));
  };
  auto atomic = [&](const ir::Atomic& access) {
    ScalarKind element = access.array.type->scalar;
    bool adds = access.builtin == Builtin::AtomicAdd || access.builtin == Builtin::AtomicSub;
    if (adds && is_inexact(element))
      allow(allowance, any_order * epsilon(element),
            fmt::format("{} adds floats in any order", row(access.builtin).name));
  };
  ScalarKind narrowest = ScalarKind::F64;
  for (std::uint32_t i = 0; i < kernel.param_count; ++i) {
    ScalarKind kind = kernel.slots[i].type->scalar;
    if (is_inexact(kind) && epsilon(kind) > epsilon(narrowest)) narrowest = kind;
  }
  bool fast_math = kernel.options.fast_math;
  ir::walk_reachable(module, kernel.body, [&](const ir::Stmt& stmt) {
    if (const auto* call = std::get_if<ir::Call>(&stmt.node))
      fast_math |= module.function(call->function).options.fast_math;
    if (const auto* access = std::get_if<ir::Atomic>(&stmt.node)) atomic(*access);
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    if (const auto* call = assign ? std::get_if<ir::CallPure>(&assign->value) : nullptr) pure(*call);
  });
  if (fast_math) allow(allowance, any_order * epsilon(narrowest), "fast math reorders");
  return allowance;
}

std::string describe(const Allowance& allowance, ScalarKind element) {
  if (allowance.relative == 0 || !is_inexact(element)) return "bit for bit";
  return fmt::format("within {:.2g} of its largest value ({})",
                     std::max(allowance.relative, 2 * epsilon(element)), allowance.why);
}

// Two NaNs are equal: which of them an operation makes is nowhere defined.
static bool is_equal(const HostArray& first, const HostArray& second, std::int64_t index, double distance) {
  const char *left = first.at(index), *right = second.at(index);
  if (std::memcmp(left, right, first.element_bytes()) == 0) return true;
  if (!is_inexact(first.element)) return false;
  Number a = load_number(first.element, left), b = load_number(second.element, right);
  auto close = [&](double x, double y) {
    bool same = x == y && std::signbit(x) == std::signbit(y);
    return same || (std::isnan(x) && std::isnan(y)) || (distance > 0 && std::fabs(x - y) <= distance);
  };
  return close(a.real, b.real) && close(a.imaginary, b.imaginary);
}

static double largest(const HostArray& array) {
  double greatest = 0;
  for (std::int64_t i = 0; i < array.size(); ++i) {
    double magnitude = std::fabs(as_real(load_number(array.element, array.at(i))));
    if (std::isfinite(magnitude)) greatest = std::max(greatest, magnitude);
  }
  return greatest;
}

std::string device_difference(const HostArray& first, const HostArray& second, const Allowance& allowance) {
  double distance = 0;
  if (allowance.relative > 0 && is_inexact(first.element))
    distance =
        std::max(allowance.relative, 2 * epsilon(first.element)) * std::max(largest(first), largest(second));
  std::int64_t count = 0, at = -1;
  double greatest = 0;
  for (std::int64_t i = 0; i < first.size(); ++i) {
    if (is_equal(first, second, i, distance)) continue;
    if (count++ == 0) at = i;
    greatest = std::max(greatest, std::fabs(as_real(load_number(first.element, first.at(i))) -
                                            as_real(load_number(second.element, second.at(i)))));
  }
  if (count == 0) return "";
  auto text = [&](const HostArray& array) {
    return to_string(load_number(array.element, array.at(at)), array.element);
  };
  return fmt::format("at {} it is {} and {}; {} of {} elements differ, by at most {:.6g}",
                     first.index_text(at), text(first), text(second), count, first.size(), greatest);
}

} // namespace kern
