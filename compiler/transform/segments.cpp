// Cuts kernels into segments: what one vector of threads may run from end to end before the next vector
// starts. A CPU runs a block one vector at a time, so code between two barriers must be a loop of its own
// over the vectors.
//
// A kernel whose threads meet Apart becomes one Segment, barriers and all, with a Site for each barrier.
// Every other kernel comes out so:
//   * Without a block barrier the body is one Segment, even if it is empty. A device function is left as it
//     is: after inlining none holds a barrier.
//   * With barriers, each body outside Segments holds only: Segment; a CallEffect of a Block builtin; If,
//     While and For that hold a Block builtin at any depth; a Break or Continue of such a loop; and an If
//     that holds one of those. All of it runs in lockstep: every live thread takes the same way, so there are
//     no masks here. A Segment never holds any of it.
//   * Conditions, counts and arguments outside Segments are constants, or slots computed by the Segments
//     before. Where they are not proved block-uniform, the live threads' values are compared: disagreement is
//     a fault, for which the module gets a Site that has the span of the statement. The vote barriers take
//     each thread's own value.
//   * A Return is always inside a Segment: its thread leaves. When no thread lives, nothing is left to do, in
//     or out of loops.
//   * A lockstep For counts in a fresh i64 slot from 0 by 1, which nothing else assigns, and its count is a
//     constant or a slot that the loop does not assign. The program's variable is computed from it by the
//     first Segment of the body.
//   * A Temp is used in one Segment only; those that were used in several, or outside, have become Variables.
//     analysis/flow/crossing.h says which Variables live across segments.
#include <map>
#include <tuple>
#include <utility>

#include "compiler/analysis/threads/uniformity.h"
#include "compiler/builtins/builtins.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

using ir::Body;
using ir::Operand;
using ir::SlotId;
using ir::Stmt;

bool is_block_barrier(const Stmt& stmt) {
  const auto* call = std::get_if<ir::CallEffect>(&stmt.node);
  return call && is_barrier(row(call->builtin).effects);
}

bool holds_barrier(const Stmt& stmt) { return ir::any(stmt, is_block_barrier); }

// Says whether a statement is, or holds, a Break or Continue of a loop around it.
bool jumps_out(const Stmt& stmt) {
  auto jumps = [](const Stmt& inner) {
    return std::holds_alternative<ir::Break>(inner.node) || std::holds_alternative<ir::Continue>(inner.node);
  };
  return ir::any(stmt, jumps, [](const Stmt& inner) { return !ir::is_loop(inner); });
}

class Cutter {
public:
  explicit Cutter(ir::Function& function) : function_(function) {}

  // Cuts a body; `in_loop` says that a Break in it leaves a lockstep loop.
  Body cut(Body body, bool in_loop) {
    Body result, pending;
    for (Stmt& stmt : body) {
      if (!holds_barrier(stmt) && !(in_loop && jumps_out(stmt))) {
        pending.push_back(std::move(stmt));
        continue;
      }
      if (auto* loop = std::get_if<ir::For>(&stmt.node)) count_from_zero(*loop, stmt, pending);
      flush(pending, result);
      cut_inside(stmt, in_loop);
      result.push_back(std::move(stmt));
    }
    flush(pending, result);
    return result;
  }

private:
  static void flush(Body& pending, Body& result) {
    if (pending.empty()) return;
    const Span span = pending.front().span;
    const ir::ScopeId scope = pending.front().scope;
    result.push_back({ir::Segment{std::exchange(pending, {})}, span, scope});
  }

  void cut_inside(Stmt& stmt, bool in_loop) {
    const bool loop = ir::is_loop(stmt);
    ir::visit_bodies(stmt, [&](Body& body) { body = cut(std::move(body), loop || in_loop); });
  }

  SlotId add_slot(Type type, ir::Slot::Kind kind, Span span) {
    function_.slots.push_back({"", type, kind, span});
    return static_cast<SlotId>(function_.slots.size() - 1);
  }

  // Appends `temp = expr` and returns the temp.
  Operand compute(Type type, ir::Expr expr, const Stmt& at, Body& body) {
    SlotId slot = add_slot(type, ir::Slot::Kind::Temp, at.span);
    body.push_back({ir::Assign{slot, std::move(expr)}, at.span, at.scope});
    return {type, slot};
  }

  // Copies an operand before the loop if the loop assigns it: a loop reads its operands once.
  void keep(Operand& operand, const ir::For& loop, const Stmt& at, Body& before) {
    if (!operand.slot) return;
    if (operand.slot == loop.variable || ir::assigns(loop.body, *operand.slot))
      operand = compute(operand.type, ir::Copy{operand}, at, before);
  }

  // Makes a loop count in a slot of its own, and compute the program's variable at the start of its body.
  void count_from_zero(ir::For& loop, const Stmt& at, Body& before) {
    for (Operand* operand : {&loop.start, &loop.step, &loop.count}) keep(*operand, loop, at, before);
    const SlotId counter = add_slot(types::i64, ir::Slot::Kind::Variable, at.span);
    const Type type = function_.slots[static_cast<std::size_t>(loop.variable)].type;
    const Operand zero = ir::constant_int(type, 0), one = ir::constant_int(type, 1);
    Body head;
    Operand value{types::i64, counter};
    if (type != types::i64) value = compute(type, ir::Convert{value}, at, head);
    if (loop.step != one)
      value = compute(type, ir::Binary{ir::BinaryOp::Multiply, value, loop.step}, at, head);
    if (loop.start != zero) value = compute(type, ir::Binary{ir::BinaryOp::Add, loop.start, value}, at, head);
    head.push_back({ir::Assign{loop.variable, ir::Copy{value}}, at.span, at.scope});
    loop.body.insert(loop.body.begin(), std::make_move_iterator(head.begin()),
                     std::make_move_iterator(head.end()));
    loop.variable = counter;
    loop.start = ir::constant_int(types::i64, 0);
    loop.step = ir::constant_int(types::i64, 1);
    loop.stop.reset();
  }

  ir::Function& function_;
};

// Makes a Variable of each Temp that is seen from two segments, or from one and outside.
class TempPromoter {
public:
  explicit TempPromoter(ir::Function& function)
      : function_(function), seen_in_(function.slots.size(), unseen) {}

  void run() { visit(function_.body, outside); }

private:
  static constexpr int unseen = -1, outside = 0;

  void see(SlotId id, int place) {
    int& seen = seen_in_[static_cast<std::size_t>(id)];
    if (seen == unseen) seen = place;
    ir::Slot& slot = function_.slots[static_cast<std::size_t>(id)];
    if ((seen != place || place == outside) && slot.kind == ir::Slot::Kind::Temp)
      slot.kind = ir::Slot::Kind::Variable;
  }

  void visit(const Body& body, int place) {
    for (const Stmt& stmt : body) {
      ir::visit_operands(stmt, [&](const Operand& operand) {
        if (operand.slot) see(*operand.slot, place);
      });
      ir::visit_results(stmt, [&](SlotId slot) { see(slot, place); });
      const int inner = std::holds_alternative<ir::Segment>(stmt.node) ? ++segments_ : place;
      ir::visit_bodies(stmt, [&](const Body& nested) { visit(nested, inner); });
    }
  }

  ir::Function& function_;
  std::vector<int> seen_in_;
  int segments_ = 0;
};

// Returns the operand that all threads have to agree on to go the same way; null if a statement asks for
// none.
const Operand* decision(const Stmt& stmt) {
  if (const auto* branch = std::get_if<ir::If>(&stmt.node)) return &branch->condition;
  if (const auto* loop = std::get_if<ir::While>(&stmt.node)) return &loop->condition;
  if (const auto* loop = std::get_if<ir::For>(&stmt.node)) return &loop->count;
  return nullptr;
}

// Adds the sites of the statements outside Segments on which threads may disagree.
void add_sites(ir::Module& module, ir::FunctionId kernel, const Body& body,
               const std::vector<bool>& block_uniform) {
  for (const Stmt& stmt : body) {
    if (std::holds_alternative<ir::Segment>(stmt.node)) continue;
    const Operand* decides = decision(stmt);
    if (decides && decides->slot && !block_uniform[static_cast<std::size_t>(*decides->slot)])
      module.sites.push_back({ir::FaultKind::BarrierDivergence, stmt.span, "", "", {}, kernel});
    ir::visit_bodies(stmt, [&](const Body& inner) { add_sites(module, kernel, inner, block_uniform); });
  }
}

// Copies of one barrier, of a function that is inlined or a loop that is unrolled, are one place to wait at.
void add_places(ir::Module& module, ir::FunctionId id) {
  std::map<std::tuple<FileId, std::uint32_t, std::uint32_t>, ir::SiteId> known;
  ir::walk(module.function(id).body, [&](Stmt& stmt) {
    if (!is_block_barrier(stmt)) return;
    const auto [place, is_new] = known.try_emplace({stmt.span.file, stmt.span.begin, stmt.span.end},
                                                   static_cast<ir::SiteId>(module.sites.size()));
    if (is_new) module.sites.push_back({ir::FaultKind::BarrierPlaces, stmt.span, "", "", {}, id});
    std::get<ir::CallEffect>(stmt.node).site = place->second;
  });
}

void cut_kernel(ir::Module& module, ir::FunctionId id) {
  ir::Function& kernel = module.functions[static_cast<std::size_t>(id)];
  const bool apart = kernel.meeting == ir::Meeting::Apart;
  if (apart) add_places(module, id);
  if (apart || !ir::any(kernel.body, is_block_barrier)) {
    Body body;
    body.push_back({ir::Segment{std::move(kernel.body)}, kernel.span});
    kernel.body = std::move(body);
    return;
  }
  kernel.body = Cutter(kernel).cut(std::move(kernel.body), false);
  TempPromoter(kernel).run();
  add_sites(module, id, kernel.body, analyze_uniformity(module, id).block_uniform);
}

} // namespace

void cut_segments(ir::Module& module) {
  for (std::size_t id = 0; id < module.functions.size(); ++id)
    if (module.functions[id].is_kernel) cut_kernel(module, static_cast<ir::FunctionId>(id));
}

} // namespace kern
