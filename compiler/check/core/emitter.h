// Writes the IR of a function.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/check/core/reporter.h"
#include "compiler/values/fold.h"

namespace kern::checker {

// Returns an i64, as indices and extents are.
inline ir::Operand number(std::int64_t value) { return ir::constant_int(types::i64, value); }

// Writes statements into the innermost body that is open; all of them are counted, and what can be computed now is.
class Emitter : public Reporter {
public:
  using Reporter::Reporter;
  Emitter(const Emitter&) = delete;

  // ---- What is written ----
  const ir::Function& function() const { return function_; }
  const ir::Slot& slot(ir::SlotId id) const { return function_.slots[static_cast<std::size_t>(id)]; }
  const ir::Body& body() const { return *body_; }
  std::vector<const ir::Body*> open_bodies() const;      // innermost last
  std::size_t statements() const { return statements_; } // and rounds of unrolled loops
  bool overflowed() const { return overflowed_; }        // there were too many: nothing is written any more
  // Takes the function, with which the work is done.
  ir::Function finish() { return std::move(function_); }
  // Makes parameters of the slots that there are.
  void end_parameters() { function_.param_count = static_cast<std::uint32_t>(function_.slots.size()); }
  // Makes of the check that was written last one that the host makes.
  void make_contract(kern::Expression condition);

  // ---- Statements ----
  // Counts a statement, or a round that may leave none; false, reported, where there are too many.
  bool count_statement(Span span);
  // Counts work that may leave no statement; false, reported, where it is too much.
  bool count_steps(std::size_t steps, Span span);
  void emit(decltype(ir::Stmt::node) node, Span span);
  ir::SlotId new_slot(std::string name, Type type, ir::Slot::Kind kind, Span span);
  ir::Operand slot_operand(ir::SlotId id) const { return {slot(id).type, id}; }
  ir::Operand temp(Type type, ir::Expr expr, Span span);
  ir::Operand variable(Type type, Span span); // unnamed, assigned more than once
  void assign(ir::SlotId slot, ir::Operand value, Span span);
  void retarget(ir::SlotId slot, ir::Operand value, Span span); // assign, where nobody else reads `value`
  ir::Body body_of(const std::function<void()>& write);         // what is written meanwhile
  void write_into(ir::Body& inner, const std::function<void()>& write);
  void append(ir::Body body); // statements that were counted
  void hint_next_access(ir::CacheHint hint) { hint_ = hint; }

  // ---- Operations, those of constants folded; the operands of a binary one are of one type ----
  ir::Operand unary(ir::UnaryOp op, ir::Operand value, Span span);
  ir::Operand binary(ir::BinaryOp op, ir::Operand left, ir::Operand right, Span span);
  ir::Operand pure(Builtin builtin, Type type, std::vector<ir::Operand> args, Span span);
  ir::Operand compare(ir::CompareOp op, ir::Operand left, ir::Operand right, Span span);
  ir::Operand select(ir::Operand condition, ir::Operand yes, ir::Operand no, Span span);
  ir::Operand plain_cast(ir::Operand value, Type type, Span span); // as the IR converts
  ir::Operand extent(ir::Operand array, int axis, Span span);

  // ---- Faults ----
  ir::SiteId site(ir::FaultKind kind, Span span, std::string array, const ir::Operand* base = nullptr);
  void check_condition(ir::Operand condition, ir::FaultKind kind, Span span, std::string words);

private:
  bool overflow(const DiagnosticKind<std::int64_t>& kind, std::size_t limit, Span span);

  ir::Function function_;
  ir::Body* body_ = &function_.body;
  std::vector<const ir::Body*> outer_bodies_; // around it, outermost first
  std::size_t statements_ = 0;
  bool overflowed_ = false;
  ir::CacheHint hint_ = ir::CacheHint::None; // of the next access (`_cache_hint`)
};

} // namespace kern::checker
