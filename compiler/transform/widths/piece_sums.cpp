// Sums small terms in 32 bits for as many rounds as these hold them, and then in 64 (analysis/piece_sums.h):
//
//     for k = start step d count n: ... ; t: i64 = ...; s = s + t
//         ->   m: i64 = n >> 16; m' = m + 1
//              for at = 0 step 65536 count m':
//                p: i32 = 0; rest: i64 = n - at; rounds: i64 = min(rest, 65536); way: i64 = at * d; first: i64 = start + way
//                for k = first step d count rounds: ... ; t: i64 = ...; t': i32 = i32(t); p = p + t'
//                w: i64 = i64(p); s = s + w
//
// The last piece may have no rounds. Where all of them fit one piece, it stands without the loop around it. What computes the
// terms is left to the pass that narrows.
//
// Not for a GPU: ptxas unrolls a loop in a loop less, and with fewer loads in flight an H200 takes up to 1.8 times as long (sums
// of bytes down columns); a choice between one piece and the loop as it was gives 0.84 (convolution, 15 x 15) to 1.07 (5 x 5).
#include "compiler/transform/widths/piece_loops.h"

#include <bit>
#include <utility>

#include "compiler/ir/definitions.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/assign_new.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

using ir::Body;
using ir::Operand;
using ir::SlotId;
using ir::Stmt;

const Type narrow = types::i32, wide = types::i64;

class Splitter {
public:
  Splitter(ir::Function& function, const std::unordered_map<const Stmt*, PieceLoop>& loops)
      : function_(function), loops_(loops), is_cast_(function.slots.size()) {
    find_casts();
    rewrite(function_.body);
  }

private:
  // Finds Temps that are an integer of another type, converted, and read once: as a term such a one may be an i32.
  void find_casts() {
    const ir::Definitions definitions(function_);
    for (std::size_t index = 0; index < is_cast_.size(); ++index) {
      const auto slot = static_cast<SlotId>(index);
      const ir::Assign* assign = definitions.sole_assign(slot);
      const auto* convert = assign ? std::get_if<ir::Convert>(&assign->value) : nullptr;
      is_cast_[index] = convert && function_.slots[index].kind == ir::Slot::Kind::Temp &&
                        definitions.reads(slot) == 1 && convert->value.type != narrow &&
                        !is_float(convert->value.type);
    }
    for (const ir::InlinedCall& call : function_.inlined)
      for (const ir::InlinedCall::Param& param : call.params)
        if (param.value.slot) is_cast_[static_cast<std::size_t>(*param.value.slot)] = false;
  }

  void rewrite(Body& body) {
    Body result;
    result.reserve(body.size());
    for (Stmt& stmt : body) {
      ir::visit_bodies(stmt, [&](Body& inner) { rewrite(inner); });
      const auto found = loops_.find(&stmt);
      if (found == loops_.end())
        result.push_back(std::move(stmt));
      else
        split(std::move(stmt), found->second, result);
    }
    body = std::move(result);
  }

  void split(Stmt stmt, const PieceLoop& plan, Body& out) {
    if (plan.is_short) return sum_piece(std::move(stmt), plan, out);
    auto& loop = std::get<ir::For>(stmt.node);
    const Stmt place{ir::Break{}, stmt.span, stmt.scope};
    const Operand start = keep(loop.start, stmt, out), count = keep(loop.count, stmt, out);
    const Operand whole = compute(ir::BinaryOp::ShiftRight, count,
                                  std::countr_zero(static_cast<std::uint64_t>(plan.rounds)), place, out);
    const Operand outer = compute(ir::BinaryOp::Add, whole, 1, place, out);
    const Operand at{wide, add_variable(wide, place), 0};
    Body body;
    const Operand rest = assign(ir::Binary{ir::BinaryOp::Subtract, count, at}, wide, place, body);
    const Operand rounds = ir::constant_int(wide, plan.rounds);
    loop.start = first_of(loop, start, at, place, body);
    loop.count = assign(ir::CallPure{Builtin::Min, {rest, rounds}}, wide, place, body);
    loop.stop = stop_of(loop, place, body);
    sum_piece(std::move(stmt), plan, body);
    ir::For pieces{*at.slot, ir::constant_int(wide, 0), rounds, outer, std::move(body)};
    out.push_back({std::move(pieces), place.span, place.scope});
  }

  // Writes a loop with what its pieces begin with, and what becomes of them.
  void sum_piece(Stmt loop, const PieceLoop& plan, Body& out) {
    parts_.clear();
    for (const PieceSum& sum : plan.sums) {
      parts_.emplace(sum.total, add_variable(narrow, loop));
      for (const SlotId step : sum.steps) {
        parts_.emplace(step, step);
        type_of(step) = narrow;
      }
    }
    add_in_pieces(std::get<ir::For>(loop.node).body);
    const Stmt place{ir::Break{}, loop.span, loop.scope};
    auto put = [&](SlotId slot, ir::Expr value) {
      out.push_back({ir::Assign{slot, std::move(value)}, place.span, place.scope});
    };
    for (const PieceSum& sum : plan.sums) put(parts_.at(sum.total), ir::Copy{ir::constant_int(narrow, 0)});
    out.push_back(std::move(loop));
    for (const PieceSum& sum : plan.sums) {
      const Operand piece{narrow, parts_.at(sum.total), 0};
      const Operand added = assign(ir::Convert{piece}, wide, place, out);
      put(sum.total, ir::Binary{ir::BinaryOp::Add, {wide, sum.total, 0}, added});
    }
  }

  // Returns the value of the variable in the first round of a piece: in its own type, where what wraps is in no round.
  Operand first_of(const ir::For& loop, const Operand& start, const Operand& at, const Stmt& place,
                   Body& body) {
    const Type type = loop.start.type;
    Operand way = type == wide ? at : assign(ir::Convert{at}, type, place, body);
    if (ir::int_value(loop.step) != 1)
      way = assign(ir::Binary{ir::BinaryOp::Multiply, way, loop.step}, type, place, body);
    if (!start.slot && start.bits == 0) return way;
    return assign(ir::Binary{ir::BinaryOp::Add, start, way}, type, place, body);
  }

  // Returns where a piece that counts by ones stops.
  std::optional<Operand> stop_of(const ir::For& loop, const Stmt& place, Body& body) {
    if (!loop.stop || loop.start.type != wide || ir::int_value(loop.step) != 1) return std::nullopt;
    return assign(ir::Binary{ir::BinaryOp::Add, loop.start, loop.count}, wide, place, body);
  }

  // ---- The loop's body ----

  void add_in_pieces(Body& body) {
    Body result;
    result.reserve(body.size());
    for (Stmt& stmt : body) {
      ir::visit_bodies(stmt, [&](Body& inner) { add_in_pieces(inner); });
      auto* assign = std::get_if<ir::Assign>(&stmt.node);
      if (assign)
        if (const auto part = parts_.find(assign->slot); part != parts_.end()) {
          assign->slot = part->second;
          ir::visit_operands(assign->value, [&](Operand& operand) {
            if (operand.type == wide) operand = as_narrow(operand, stmt, result);
          });
        }
      result.push_back(std::move(stmt));
    }
    body = std::move(result);
  }

  Operand as_narrow(const Operand& operand, const Stmt& at, Body& before) {
    if (!operand.slot) return ir::constant_int(narrow, ir::int_value(operand));
    if (const auto part = parts_.find(*operand.slot); part != parts_.end()) return {narrow, part->second, 0};
    if (!is_cast_[static_cast<std::size_t>(*operand.slot)])
      return assign(ir::Convert{operand}, narrow, at, before);
    type_of(*operand.slot) = narrow;
    return {narrow, operand.slot, 0};
  }

  // ---- Slots ----

  Type& type_of(SlotId slot) { return function_.slots[static_cast<std::size_t>(slot)].type; }

  SlotId add_variable(Type type, const Stmt& at) {
    function_.slots.push_back({"", type, ir::Slot::Kind::Variable, at.span, at.scope});
    return static_cast<SlotId>(function_.slots.size() - 1);
  }

  Operand assign(ir::Expr value, Type type, const Stmt& at, Body& body) {
    return assign_new(function_, std::move(value), type, at, body);
  }

  Operand compute(ir::BinaryOp op, const Operand& left, std::int64_t right, const Stmt& at, Body& body) {
    return assign(ir::Binary{op, left, ir::constant_int(wide, right)}, wide, at, body);
  }

  // Returns what an operand is in front of a loop.
  Operand keep(const Operand& operand, const Stmt& loop, Body& body) {
    const bool changes = operand.slot && ir::assigns(loop, *operand.slot);
    return changes ? assign(ir::Copy{operand}, operand.type, loop, body) : operand;
  }

  ir::Function& function_;
  const std::unordered_map<const Stmt*, PieceLoop>& loops_;
  std::vector<bool> is_cast_;                // by slot that was there
  std::unordered_map<SlotId, SlotId> parts_; // of the loop that is written: what holds them in 32 bits
};

} // namespace

void sum_in_pieces(ir::Module& module) {
  for (std::size_t id = 0; id < module.functions.size(); ++id) {
    const auto loops = find_piece_loops(module, static_cast<ir::FunctionId>(id));
    if (!loops.empty()) Splitter(module.functions[id], loops);
  }
}

} // namespace kern
