// A statement is an operation, and a builtin some, of which most are the polynomials of a function. What is known is
// a bound, which loops of constant length make of it.
#include "compiler/analysis/operations.h"

#include <algorithm>
#include <optional>

#include "compiler/ir/walk.h"

namespace kern {

static constexpr std::uint64_t of_builtin = 4;
// Device functions may call others only so deep as a program writes; deeper ones are not looked into.
static constexpr int most_depth = 16;

using Count = std::optional<std::uint64_t>;

static Count count_of(const ir::Module& module, const ir::Body& body, int depth);

static Count count_of(const ir::Module& module, const ir::Stmt& stmt, int depth) {
  if (std::holds_alternative<ir::While>(stmt.node)) return std::nullopt;
  if (const auto* call = std::get_if<ir::Call>(&stmt.node))
    return depth < most_depth ? count_of(module, module.function(call->function).body, depth + 1) : Count();
  const auto* assign = std::get_if<ir::Assign>(&stmt.node);
  if (assign && std::holds_alternative<ir::CallPure>(assign->value)) return of_builtin;
  Count inner = 0;
  const auto* branch = std::get_if<ir::If>(&stmt.node);
  ir::visit_bodies(stmt, [&](const ir::Body& body) {
    if (branch && branch->is_rerun && &body == &branch->then_body) return; // seldom runs
    Count more = count_of(module, body, depth);
    inner = inner && more ? Count(std::min<std::uint64_t>(*inner + *more, most_operations)) : Count();
  });
  const auto* loop = std::get_if<ir::For>(&stmt.node);
  if (!inner || !loop) return inner ? Count(*inner + 1) : Count();
  if (loop->count.slot) return std::nullopt;
  std::int64_t rounds = std::clamp<std::int64_t>(ir::int_value(loop->count), 0, most_operations);
  return std::min<std::uint64_t>((*inner + 1) * static_cast<std::uint64_t>(rounds), most_operations);
}

static Count count_of(const ir::Module& module, const ir::Body& body, int depth) {
  std::uint64_t sum = 0;
  for (const ir::Stmt& stmt : body) {
    Count count = count_of(module, stmt, depth);
    if (!count) return std::nullopt;
    sum = std::min<std::uint64_t>(sum + *count, most_operations);
  }
  return sum;
}

std::uint32_t count_operations(const ir::Module& module, const ir::Function& kernel) {
  Count count = count_of(module, kernel.body, 0);
  return count ? static_cast<std::uint32_t>(std::max<std::uint64_t>(*count, 1)) : 0;
}

} // namespace kern
