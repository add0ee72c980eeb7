// Variants of kernels by facts that the launch tests (docs/abi.md, Variants). A GPU's code comes twice: under
// every fact that gains something, and under none.
//
//     kernel vecadd(a: f32[:], b: f32[:], c: f32[:])
//         ->   kernel vecadd(a: f32[::1], b: f32[::1], c: f32[::1])     fact a.strides[0] == 1, ...
//                                                                       fact a.shape[0] >= c.shape[0], ...
//              kernel vecadd$v1(a: f32[:], b: f32[:], c: f32[:])
//
// The pass stands in front of all that guards become, so that later passes treat each variant as a kernel of
// its own. Facts that nothing of its code rests on are left out, since each launch pays for each. Sites keep
// their numbers, so a fault is the same place in either variant.
#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include "compiler/analysis/guards/guards.h"
#include "compiler/analysis/guards/wanted_facts.h"
#include "compiler/ir/definitions.h"
#include "compiler/ir/param_block.h"
#include "compiler/ir/walk.h"
#include "compiler/support/limits.h"
#include "compiler/transform/transform.h"
#include "compiler/transform/widths/narrow.h"

namespace kern {
namespace {

// Two variants of a kernel take twice as long to compile; the longest of the examples has a hundred
// statements, of the NAS Parallel Benchmarks 4,600.
constexpr std::size_t most_statements = 20'000;
// Bounds the facts that a launch compares: each takes it a nanosecond or two.
constexpr std::size_t most_facts = 48;

bool is_zero(const ir::Operand& operand) { return !operand.slot && operand.bits == 0; }

// Which array parameters gain by a stride that is known: those that are used at an index other than 0, or as
// a whole.
std::vector<bool> find_strided(const ir::Function& kernel) {
  std::vector<bool> strided(kernel.slots.size());
  ir::walk(kernel.body, [&](const ir::Stmt& stmt) {
    const std::optional<ir::Element> element = ir::element_of(stmt);
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    bool asks_extent = std::holds_alternative<ir::Guard>(stmt.node) ||
                       (assign && std::holds_alternative<ir::Extent>(assign->value));
    if (asks_extent) return;
    ir::visit_operands(stmt, [&](const ir::Operand& operand) {
      bool is_first = element && &operand == &element->array && is_zero(element->indices.back());
      if (operand.slot && is_array(operand.type) && !is_first) strided[index_of(*operand.slot)] = true;
    });
  });
  return strided;
}

void retype(ir::Function& kernel, std::uint32_t param, Type type) {
  kernel.slots[param].type = type;
  auto change = [&](ir::Operand& operand) {
    if (operand.slot == ir::SlotId(param)) operand.type = type;
  };
  ir::walk(kernel.body, [&](ir::Stmt& stmt) { ir::visit_operands(stmt, change); });
  for (ir::InlinedCall& call : kernel.inlined)
    for (ir::InlinedCall::Param& held : call.params) change(held.value);
}

Expression stride_is_one(const ir::Function& kernel, std::uint32_t param) {
  const int last = kernel.slots[param].type->rank - 1;
  return ir::binary_expression(ExpressionOp::Equal,
                               ir::axis_expression(kernel, ir::SlotId(param), ExpressionOp::Stride, last),
                               ir::constant_expression(1));
}

// Makes the last axis of each array contiguous where that gains.
void assume_contiguous(ir::Module& module, ir::Function& kernel) {
  const ir::Definitions definitions(kernel);
  const std::vector<bool> strided = find_strided(kernel);
  for (std::uint32_t param = 0; param < kernel.param_count; ++param) {
    Type type = kernel.slots[param].type;
    bool gains = is_array(type) && type->layout != Layout::COrder && strided[param];
    // A parameter that is assigned may hold another array by then.
    if (!gains || definitions.writes(ir::SlotId(param)) != 0) continue;
    kernel.facts.push_back(stride_is_one(kernel, param));
    retype(kernel, param, module.types.array(type->scalar, type->rank, type->space, Layout::COrder));
  }
}

// So few blocks along x that their threads are numbered within 32 bits, however large blocks are.
Expression grid_is_small() {
  return ir::binary_expression(ExpressionOp::LessEqual, ir::launch_expression(ExpressionOp::GridDim, 0),
                               ir::constant_expression(limits::small_grid / limits::launch_threads));
}

std::size_t count_proved(const GuardProofs& proofs) {
  return static_cast<std::size_t>(
      std::ranges::count_if(proofs.guards, [](const GuardProof& guard) { return !guard.proof.empty(); }));
}

// Adds that the grid is small where that proves more.
void assume_small_grid(ir::Module& module, ir::FunctionId id) {
  ir::Function& kernel = module.function(id);
  const bool reads_block = ir::any(std::as_const(kernel.body), [](const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* call = assign ? std::get_if<ir::CallPure>(&assign->value) : nullptr;
    return call && call->builtin == Builtin::BlockIndexX;
  });
  if (!reads_block || kernel.facts.size() >= most_facts) return;
  const GuardProofs before = prove_guards(module, id);
  const std::size_t proved = count_proved(before);
  if (proved == before.guards.size()) return;
  kernel.facts.push_back(grid_is_small());
  if (count_proved(prove_guards(module, id)) == proved) kernel.facts.pop_back();
}

// That a scalar of 64 bits fits an i32, as two facts.
std::array<Expression, 2> fits_i32(const ir::Function& kernel, std::uint32_t param) {
  using Limits = std::numeric_limits<std::int32_t>;
  const Expression scalar = ir::scalar_expression(kernel, ir::SlotId(param));
  return {ir::binary_expression(ExpressionOp::LessEqual, scalar, ir::constant_expression(Limits::max())),
          ir::binary_expression(ExpressionOp::GreaterEqual, scalar, ir::constant_expression(Limits::min()))};
}

std::size_t count_narrow(const ir::Module& module, ir::FunctionId id) {
  return find_narrow(module, id, NarrowFor::Gpu).counters;
}

// Adds that scalars fit 32 bits where a loop that counts up to them then counts in 32.
void assume_small_scalars(ir::Module& module, ir::FunctionId id) {
  ir::Function& kernel = module.function(id);
  const std::vector<Expression> without = kernel.facts;
  std::vector<std::uint32_t> params;
  for (std::uint32_t param = 0; param < kernel.param_count; ++param)
    if (kernel.slots[param].type == types::i64) params.push_back(param);
  auto assume = [&] {
    kernel.facts = without;
    for (std::uint32_t param : params)
      for (Expression& fact : fits_i32(kernel, param)) kernel.facts.push_back(std::move(fact));
    return count_narrow(module, id);
  };
  const bool has_room = without.size() + 2 * params.size() <= most_facts;
  if (params.empty() || !has_room || !has_counters(kernel)) return;
  const std::size_t before = count_narrow(module, id), most = assume();
  if (most == before) params.clear();
  for (std::size_t i = params.size(); i-- > 0 && params.size() > 1;) {
    const std::uint32_t tried = params[i];
    params.erase(params.begin() + static_cast<std::ptrdiff_t>(i));
    if (assume() != most) params.insert(params.begin() + static_cast<std::ptrdiff_t>(i), tried);
  }
  assume();
}

// Adds that the places in an array fit 32 bits where that gains.
void assume_small_spans(ir::Function& kernel) {
  for (std::uint32_t param : find_narrowable_params(kernel)) {
    std::vector<Expression> facts = span_facts(kernel, param);
    if (kernel.facts.size() + facts.size() > most_facts) return;
    kernel.facts.insert(kernel.facts.end(), facts.begin(), facts.end());
  }
}

// Returns that the extents which a kernel reads of arrays of several axes are small, each once.
std::vector<Expression> small_extents(const ir::Function& kernel) {
  std::vector<Expression> facts;
  std::vector<std::pair<std::size_t, int>> seen;
  ir::walk(kernel.body, [&](const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* extent = assign ? std::get_if<ir::Extent>(&assign->value) : nullptr;
    if (!extent || extent->array.type->rank < 2) return;
    const std::pair read{index_of(*extent->array.slot), extent->axis};
    if (read.first >= kernel.param_count || std::ranges::find(seen, read) != seen.end()) return;
    seen.push_back(read);
    facts.push_back(small_extent_fact(kernel, static_cast<std::uint32_t>(read.first), read.second));
  });
  return facts;
}

// Adds that extents of arrays of several axes, and then that the grid, are small where more is compared in 32
// bits for it.
void assume_small_extents(ir::Module& module, ir::FunctionId id) {
  ir::Function& kernel = module.function(id);
  const std::vector<Expression> extents = small_extents(kernel);
  if (extents.empty()) return;
  std::size_t narrow = find_narrow(module, id, NarrowFor::Gpu).compares.size();
  for (const std::vector<Expression>& wanted : {extents, {grid_is_small()}}) {
    const std::size_t before = kernel.facts.size();
    std::ranges::copy_if(wanted, std::back_inserter(kernel.facts),
                         [&](const Expression& fact) { return !has_fact(kernel, fact); });
    const bool has_room = kernel.facts.size() <= most_facts && kernel.facts.size() != before;
    const std::size_t now = has_room ? find_narrow(module, id, NarrowFor::Gpu).compares.size() : 0;
    if (now <= narrow) kernel.facts.resize(before);
    narrow = std::max(narrow, now);
  }
}

// Says whether a number that a fact bounds from above is needed for a proof: what a range rests on in turn, a proof does not
// name.
bool needs_bound(ir::Module& module, ir::FunctionId id, std::size_t fact, std::size_t proved) {
  std::vector<Expression>& facts = module.function(id).facts;
  const Expression bound = facts[fact];
  const ExpressionOp op = bound.operands[0].op;
  if (bound.op != ExpressionOp::LessEqual || (op != ExpressionOp::Extent && op != ExpressionOp::Scalar))
    return false;
  // A fact that always holds keeps the places of the others.
  facts[fact] =
      ir::binary_expression(ExpressionOp::LessEqual, ir::constant_expression(0), ir::constant_expression(0));
  const bool is_needed = count_proved(prove_guards(module, id)) < proved;
  facts[fact] = bound;
  return is_needed;
}

// Adds what proves guards that are kept without.
void assume_extents(ir::Module& module, ir::FunctionId id) {
  ir::Function& kernel = module.function(id);
  std::vector<Expression> wanted = find_wanted_facts(module, id);
  const std::size_t first = kernel.facts.size();
  if (wanted.empty()) return;
  kernel.facts.insert(kernel.facts.end(), wanted.begin(), wanted.end());
  std::vector<bool> used(kernel.facts.size());
  std::fill_n(used.begin(), first, true);
  const GuardProofs proofs = prove_guards(module, id);
  for (std::uint32_t fact : proofs.facts) used[fact] = true;
  for (const GuardProof& guard : proofs.guards)
    for (std::uint32_t fact : guard.facts) used[fact] = true;
  const std::size_t proved = count_proved(proofs);
  for (std::size_t fact = first; fact < used.size(); ++fact)
    used[fact] = used[fact] || needs_bound(module, id, fact, proved);
  // What scalars are at least and at most is part of how far products reach, and no proof tells each of them.
  const bool uses_any =
      std::ranges::find(used.begin() + static_cast<std::ptrdiff_t>(first), used.end(), true) != used.end();
  std::size_t next = 0;
  std::erase_if(kernel.facts, [&](const Expression& fact) {
    const ExpressionOp op = fact.operands[0].op;
    const bool is_bound =
        op == ExpressionOp::Scalar || (op == ExpressionOp::BlockDim && fact.op == ExpressionOp::GreaterEqual);
    return !used[next++] && !(uses_any && is_bound);
  });
  kernel.facts.resize(std::min(kernel.facts.size(), std::max(first, most_facts)));
}

} // namespace

void make_variants(ir::Module& module) {
  const std::size_t count = module.functions.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!module.functions[i].is_kernel) continue;
    std::size_t statements = 0;
    ir::walk(module.functions[i].body, [&](const ir::Stmt&) { ++statements; });
    if (statements > most_statements && module.functions[i].options.specializations.empty()) continue;
    ir::Function general = module.functions[i];
    general.options.specializations.clear();
    apply_specializations(module.functions[i]);
    assume_contiguous(module, module.functions[i]);
    assume_extents(module, ir::FunctionId(i));
    assume_small_grid(module, ir::FunctionId(i));
    assume_small_scalars(module, ir::FunctionId(i));
    assume_small_spans(module.functions[i]);
    assume_small_extents(module, ir::FunctionId(i));
    if (module.functions[i].facts.empty()) {
      module.functions[i] = std::move(general);
      continue;
    }
    general.variant_of = general.symbol;
    general.symbol += "$v1";
    module.functions.push_back(std::move(general));
    std::vector<ir::KernelParam> params = module.params[i];
    module.params.push_back(std::move(params));
  }
}

} // namespace kern
