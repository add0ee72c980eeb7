// What a loop has added to a sum is a number of its own: where each assignment to the sum, or to a Temp on the way to it,
// is another one of these plus or minus a term, all of them differ from what the sum was before the loop by what was added
// since. So it does not matter in which order they are assigned, or under which conditions. Each of these statements runs at most
// once a round, and adds at most the size of its term.
#include "compiler/transform/widths/piece_loops.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "compiler/analysis/guards/small_values.h"
#include "compiler/analysis/threads/kernel_lanes.h"
#include "compiler/analysis/threads/shape.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/widths/narrow.h"

namespace kern {

namespace {

// A loop around pieces of fewer rounds takes what they gain, and fewer rounds are added as fast in 64 bits.
constexpr Wide least_piece = 128, least_rounds = 4;
constexpr Wide most_piece = Wide{1} << 30;
constexpr Wide largest = (Wide{1} << 31) - 1; // that an i32 holds, with either sign

// A loop that may be split, as far as its statements tell.
struct Candidate {
  const ir::Stmt* stmt = nullptr;
  std::vector<PieceSum> sums;
};

// A statement of a loop's body, and whether it stands in a branch there.
struct Placed {
  const ir::Stmt* stmt = nullptr;
  bool is_conditional = false;
};

const ir::For& loop_of(const Candidate& candidate) { return std::get<ir::For>(candidate.stmt->node); }

bool is_in(const PieceSum& sum, const ir::Operand& operand) {
  return operand.slot && (*operand.slot == sum.total || sum.steps.contains(*operand.slot));
}

// Returns the term that an expression adds to a part of a sum, or takes from it; null where it adds none.
const ir::Operand* term_of(const PieceSum& sum, const ir::Expr& value) {
  const auto* binary = std::get_if<ir::Binary>(&value);
  if (!binary) return nullptr;
  return is_in(sum, binary->left) ? &binary->right : &binary->left;
}

// Says whether an expression is a part of a sum, more or less a term that is none.
bool keeps_sum(const PieceSum& sum, const ir::Expr& value) {
  if (const auto* copy = std::get_if<ir::Copy>(&value)) return is_in(sum, copy->value);
  if (const auto* select = std::get_if<ir::Select>(&value))
    return is_in(sum, select->then_value) && is_in(sum, select->else_value);
  const auto* binary = std::get_if<ir::Binary>(&value);
  if (!binary) return false;
  if (binary->op == ir::BinaryOp::Add) return is_in(sum, binary->left) != is_in(sum, binary->right);
  return binary->op == ir::BinaryOp::Subtract && is_in(sum, binary->left) && !is_in(sum, binary->right);
}

class Finder {
public:
  explicit Finder(const ir::Function& function) : function_(function), is_shown_(function.slots.size()) {
    for (const ir::InlinedCall& call : function.inlined)
      for (const ir::InlinedCall::Param& param : call.params)
        if (param.value.slot) is_shown_[index_of(*param.value.slot)] = true;
    find(function.body);
  }

  std::vector<Candidate> candidates;

private:
  void find(const ir::Body& body) {
    for (const ir::Stmt& stmt : body) {
      const auto* branch = std::get_if<ir::If>(&stmt.node);
      ir::visit_bodies(stmt, [&](const ir::Body& inner) {
        if (!branch || !branch->is_rerun || &inner != &branch->then_body) find(inner);
      });
      if (const auto* loop = std::get_if<ir::For>(&stmt.node)) find(*loop, stmt);
    }
  }

  void find(const ir::For& loop, const ir::Stmt& stmt) {
    const bool is_split = loop.unroll == ir::unroll_all && loop.count.slot;
    if (loop.step.slot || is_split || ir::any(loop.body, is_hindering)) return;
    body_.clear();
    place(loop.body, false);
    Candidate candidate{&stmt, {}};
    for (const Placed& placed : body_) {
      const auto* assign = std::get_if<ir::Assign>(&placed.stmt->node);
      if (!assign || !is_total(assign->slot) || assign->slot == loop.variable) continue;
      auto is_known = [&](const PieceSum& sum) { return sum.total == assign->slot; };
      if (std::ranges::any_of(candidate.sums, is_known)) continue;
      if (auto sum = sum_of(assign->slot)) candidate.sums.push_back(std::move(*sum));
    }
    if (!candidate.sums.empty()) candidates.push_back(std::move(candidate));
  }

  // Finds inner loops, ways out of the loop, and what threads may meet in: which proofs rest on loops as they are written, is
  // for others to say.
  static bool is_hindering(const ir::Stmt& stmt) {
    const auto* call = std::get_if<ir::CallEffect>(&stmt.node);
    return ir::is_loop(stmt) || std::holds_alternative<ir::Break>(stmt.node) ||
           std::holds_alternative<ir::Call>(stmt.node) || std::holds_alternative<ir::Segment>(stmt.node) ||
           (call && call->builtin != Builtin::GoesOn);
  }

  bool is_total(ir::SlotId slot) const {
    const ir::Slot& declaration = function_.slots[index_of(slot)];
    return declaration.type == types::i64 && declaration.kind == ir::Slot::Kind::Variable;
  }

  void place(const ir::Body& body, bool is_conditional) {
    for (const ir::Stmt& stmt : body) {
      body_.push_back({&stmt, is_conditional});
      ir::visit_bodies(stmt, [&](const ir::Body& inner) { place(inner, true); });
    }
  }

  std::optional<PieceSum> sum_of(ir::SlotId total) const {
    PieceSum sum{total, {}};
    bool is_worth_it = false;
    // A Temp is assigned before it is read.
    for (const Placed& placed : body_) {
      bool reads = false, writes = false;
      ir::visit_operands(*placed.stmt,
                         [&](const ir::Operand& operand) { reads = reads || is_in(sum, operand); });
      ir::visit_results(*placed.stmt, [&](ir::SlotId slot) { writes = writes || slot == total; });
      if (!reads && !writes) continue;
      const auto* assign = std::get_if<ir::Assign>(&placed.stmt->node);
      if (!assign || !reads || !keeps_sum(sum, assign->value)) return std::nullopt;
      if (!writes && !is_step(assign->slot)) return std::nullopt;
      if (!writes) sum.steps.insert(assign->slot);
      const ir::Operand* term = term_of(sum, assign->value);
      is_worth_it = is_worth_it || (term && (placed.is_conditional || is_computed(*term)));
    }
    return is_worth_it ? std::optional(std::move(sum)) : std::nullopt;
  }

  bool is_step(ir::SlotId slot) const {
    return function_.slots[index_of(slot)].kind == ir::Slot::Kind::Temp && !is_shown_[index_of(slot)];
  }

  // Says whether a round gives a term: what is the same in each is multiplied by their number, if each adds it.
  bool is_computed(const ir::Operand& term) const {
    return term.slot && std::ranges::any_of(body_, [&](const Placed& placed) {
             bool gives = false;
             ir::visit_results(*placed.stmt, [&](ir::SlotId slot) { gives = gives || slot == *term.slot; });
             return gives;
           });
  }

  const ir::Function& function_;
  std::vector<bool> is_shown_; // to a debugger, as the argument of an inlined call
  std::vector<Placed> body_;   // of the loop that is looked at
};

// What the walk has found of a sum.
struct Bound {
  Wide size = 0;         // the most that a round adds to it, or takes from it
  bool is_small = true;  // each value of it fits an i32: it needs no pieces
  bool is_narrow = true; // what computes its terms does not need 64 bits
};

class Judge {
public:
  Judge(const ir::Function& function, SmallValues small)
      : small_(std::move(small)), is_narrow_(function.slots.size(), true) {
    find_narrow(function);
  }

  // Returns how a loop sums, with the sums that are worth it.
  std::optional<PieceLoop> judge(Candidate candidate) const {
    const ir::For& loop = loop_of(candidate);
    PieceLoop result;
    Wide most = 1;
    for (PieceSum& sum : candidate.sums) {
      const Bound bound = bound_of(sum, loop.body);
      if (bound.is_small || !bound.is_narrow || bound.size * least_piece > largest) continue;
      most = std::max(most, bound.size);
      result.sums.push_back(std::move(sum));
    }
    if (result.sums.empty()) return std::nullopt;
    const auto fitting = static_cast<std::uint64_t>(std::min(largest / most, most_piece));
    result.rounds = static_cast<std::int64_t>(std::bit_floor(fitting));
    const Wide count = range_of(loop.count).high;
    result.is_short = count <= result.rounds;
    if (result.is_short) return count < least_rounds ? std::nullopt : std::optional(std::move(result));
    // All rounds of a constant number are in no piece.
    return loop.unroll == ir::unroll_all ? std::nullopt : std::optional(std::move(result));
  }

private:
  Bound bound_of(const PieceSum& sum, const ir::Body& body) const {
    Bound bound;
    ir::walk(body, [&](const ir::Stmt& stmt) {
      const auto* assign = std::get_if<ir::Assign>(&stmt.node);
      if (!assign || (assign->slot != sum.total && !sum.steps.contains(assign->slot))) return;
      bound.is_small = bound.is_small && small_.results.contains(assign);
      const ir::Operand* term = term_of(sum, assign->value);
      if (!term) return;
      const Interval range = range_of(*term);
      bound.size += std::max(range.high, -range.low);
      bound.is_narrow = bound.is_narrow && (!term->slot || is_narrow_[index_of(*term->slot)]);
    });
    return bound;
  }

  // Nothing is known of what no thread reaches, and where the walk was given up.
  Interval range_of(const ir::Operand& operand) const {
    if (!operand.slot) return {ir::int_value(operand), ir::int_value(operand)};
    const auto found = small_.ranges.find(&operand);
    return found == small_.ranges.end() ? type_interval(types::i64) : found->second;
  }

  // Finds i64s that are computed of words and small values alone. Vectors would have to be packed otherwise, which costs
  // what the sum gains.
  void find_narrow(const ir::Function& function) {
    for (bool more = true; std::exchange(more, false);)
      ir::walk(function.body, [&](const ir::Stmt& stmt) {
        const auto* assign = std::get_if<ir::Assign>(&stmt.node);
        ir::visit_results(stmt, [&](ir::SlotId slot) {
          if (!is_narrow_[index_of(slot)] || function.slots[index_of(slot)].type != types::i64) return;
          if (assign && stays_narrow(*assign)) return;
          is_narrow_[index_of(slot)] = false;
          more = true;
        });
      });
  }

  bool stays_narrow(const ir::Assign& assign) const {
    if (!small_.results.contains(&assign)) return false;
    return is_narrowed(assign.value, [&](const ir::Operand& operand) {
      return !operand.slot || is_narrow_[index_of(*operand.slot)];
    });
  }

  SmallValues small_;
  std::vector<bool> is_narrow_; // by slot
};

} // namespace

std::unordered_map<const ir::Stmt*, PieceLoop> find_piece_loops(const ir::Module& module, ir::FunctionId id) {
  const ir::Function& function = module.function(id);
  std::vector<Candidate> candidates = Finder(function).candidates;
  std::unordered_map<const ir::Stmt*, PieceLoop> result;
  if (candidates.empty()) return result;
  // Single threads add 64 bits as fast, and take twice as long for a few rounds.
  const LaneFacts facts = kernel_lanes(module, function, LaneFacts{.lanes = 16});
  if (facts.lanes == 1) return result;
  // Lanes that leave one by one have masks in the outer loop as well, which costs them more than they gain.
  const Shapes shapes = analyze_shapes(module, id, LaneFacts{.lanes = 16});
  std::erase_if(candidates,
                [&](const Candidate& candidate) { return shapes.control(*candidate.stmt).varying; });
  if (candidates.empty()) return result;
  const Judge judge(function, find_small_values(module, function));
  for (Candidate& candidate : candidates) {
    const ir::Stmt* stmt = candidate.stmt;
    if (auto loop = judge.judge(std::move(candidate))) result.emplace(stmt, std::move(*loop));
  }
  return result;
}

} // namespace kern
