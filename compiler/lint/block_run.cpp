// Threads run a statement together, under a mask. A loop whose end is not known runs for two rounds, so that what is
// wrong from one to the next shows.
#include "compiler/lint/block_run.h"

#include <algorithm>
#include <utility>

#include "compiler/builtins/builtins.h"
#include "compiler/ir/reachable.h"
#include "compiler/ir/walk.h"
#include "compiler/support/overloaded.h"

namespace kern {

using Kind = BlockValue::Kind;

static constexpr std::int64_t rounds_of_unknown = 2, most_rounds = 512;
static constexpr std::int64_t threads_of_unknown = 64;
// A loop that only loads is left after so many rounds: enough to come to what another warp has stored.
static constexpr std::int64_t rounds_of_loads = 36;

// Returns the extents of the block: those that the kernel fixes, else some of 64 threads along the axes that it uses.
// For a launch functions of other files do not count: the library's are made for blocks of any shape.
static std::array<std::int64_t, 3> block_of(const ir::Module& module, const ir::Function& kernel,
                                            bool is_launch) {
  if (kernel.options.block) return *kernel.options.block;
  int axes = 1;
  ir::walk_reachable(module, kernel.body, [&](const ir::Stmt& stmt) {
    if (is_launch && stmt.span.file != kernel.span.file) return;
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    const auto* call = assign ? std::get_if<ir::CallPure>(&assign->value) : nullptr;
    if (call && call->builtin == Builtin::ThreadIndexY) axes = std::max(axes, 2);
    if (call && call->builtin == Builtin::ThreadIndexZ) axes = 3;
  });
  if (axes == 1) return {threads_of_unknown, 1, 1};
  return axes == 2 ? std::array<std::int64_t, 3>{8, 8, 1} : std::array<std::int64_t, 3>{4, 4, 4};
}

static std::size_t threads_of(const std::array<std::int64_t, 3>& extents) {
  std::int64_t threads = 1;
  for (const std::int64_t extent : extents) threads *= std::clamp<std::int64_t>(extent, 1, 1024);
  return static_cast<std::size_t>(std::min<std::int64_t>(threads, 1024));
}

BlockRun::BlockRun(const ir::Module& module, const ir::Function& kernel, Policy policy,
                   const TouchListener& listener, const BlockLaunch* launch, std::size_t part)
    : module_(module), kernel_(kernel), policy_(policy), listener_(listener), launch_(launch),
      block_(block_of(module, kernel, launch != nullptr)), block_threads_(threads_of(block_)),
      threads_(block_threads_ * (launch ? threads_of(launch->grid) : 1)), arithmetic_(threads_) {
  if (policy == Policy::Part || policy == Policy::Rest) arithmetic_.split(part, policy == Policy::Rest);
  if (launch) arithmetic_.note_uses();
}

void BlockRun::run() {
  places_.push_back({RunPlace::Kind::Start, 0, &kernel_, nullptr, 0});
  active_.assign(threads_, true);
  left_.assign(threads_, false);
  Frame frame{&kernel_,
              std::vector<BlockValue>(kernel_.slots.size()),
              std::vector<Array>(kernel_.slots.size()),
              {},
              {},
              Mask(threads_, false)};
  frame_ = &frame;
  for (std::size_t i = 0; i < kernel_.param_count; ++i) {
    if (is_array(kernel_.slots[i].type))
      frame.arrays[i] = parameter(i);
    else
      frame.slots[i] = parameter_number(i, -1);
  }
  exec(kernel_.body);
}

bool BlockRun::any_active() const { return std::find(active_.begin(), active_.end(), true) != active_.end(); }

bool BlockRun::is_everybody() const {
  for (std::size_t lane = 0; lane < threads_; ++lane)
    if (!active_[lane] && !left_[lane]) return false;
  return true;
}

std::uint32_t BlockRun::enter(RunPlace::Kind kind, const ir::Stmt& stmt, std::int64_t number) {
  places_.push_back({kind, place_, frame_->function, &stmt, number});
  return std::exchange(place_, static_cast<std::uint32_t>(places_.size() - 1));
}

std::set<std::int64_t> BlockRun::conditions(std::uint32_t place) const {
  std::set<std::int64_t> found;
  for (; place != 0; place = places_[place].outer)
    if (places_[place].kind == RunPlace::Kind::Condition) found.insert(places_[place].number);
  return found;
}

bool BlockRun::may_both_be(std::uint32_t a, std::uint32_t b) const {
  const std::set<std::int64_t> first = conditions(a), second = conditions(b);
  return std::ranges::includes(first, second) || std::ranges::includes(second, first);
}

// ---- Statements ----

void BlockRun::exec(const ir::Body& body) {
  for (const ir::Stmt& stmt : body) {
    if (is_stopped() || !any_active()) return;
    exec(stmt);
  }
}

void BlockRun::exec(const ir::Stmt& stmt) {
  steps_ += threads_ / 8 + 1;
  match(
      stmt.node,
      [&](const ir::Assign& node) {
        const Type type = frame_->function->slots[index_of(node.slot)].type;
        if (!is_array(type)) return assign(node.slot, evaluate(node, type, stmt));
        // Nothing is known of a variable that may be either of two arrays.
        const bool is_sure = is_everybody() || frame_->arrays[index_of(node.slot)].extents.empty();
        Array made = evaluate_array(node.value, type);
        if (unsure_ > 0 || !is_sure) made.memory.reset();
        frame_->arrays[index_of(node.slot)] = std::move(made);
      },
      [&](const ir::Load& node) {
        touch(TouchKind::Load, node.array, node.indices, stmt);
        const AddressSpace space = node.array.type->space;
        const bool is_uniform = std::ranges::all_of(
            node.indices, [&](const ir::Operand& index) { return value(index).is_uniform(); });
        assign(node.slot, space == AddressSpace::Local ? arithmetic_.of(Kind::Mixed)
                          : is_uniform                 ? arithmetic_.fresh()
                                                       : arithmetic_.of(Kind::Data));
      },
      [&](const ir::Store& node) { touch(TouchKind::Store, node.array, node.indices, stmt); },
      [&](const ir::Atomic& node) {
        touch(TouchKind::Atomic, node.array, node.indices, stmt);
        if (node.slot) assign(*node.slot, arithmetic_.of(Kind::Mixed));
      },
      [&](const ir::CallEffect& node) { exec_effect(node); },
      [&](const ir::Call& node) { exec_call(node, stmt); }, [&](const ir::If& node) { exec_if(node, stmt); },
      [&](const ir::While& node) { exec_while(node, stmt); },
      [&](const ir::For& node) { exec_for(node, stmt); },
      [&](const ir::Break&) {
        if (unsure_ > 0 || loops_.empty()) {
          tainted_ = true;
          return;
        }
        for (std::size_t lane = 0; lane < threads_; ++lane)
          if (active_[lane]) loops_.back()->broken[lane] = true;
        active_.assign(threads_, false);
      },
      [&](const ir::Continue&) {
        if (unsure_ > 0 || loops_.empty()) {
          tainted_ = true;
          return;
        }
        for (std::size_t lane = 0; lane < threads_; ++lane)
          if (active_[lane]) loops_.back()->continued[lane] = true;
        active_.assign(threads_, false);
      },
      [&](const ir::Return& node) { exec_return(node); }, [&](const ir::Segment& node) { exec(node.body); },
      [](const auto&) {});
}

// Says how a condition comes out that no thread's own number decides.
bool BlockRun::decide(const ir::If& branch, const BlockValue& condition) {
  const bool then_jumps = ir::ends_in_jump(branch.then_body), else_jumps = ir::ends_in_jump(branch.else_body);
  const bool ends_loop = then_jumps && !loops_.empty() &&
                         std::holds_alternative<ir::Break>(branch.then_body.back().node) &&
                         loops_.back()->round + 1 >= rounds_of_unknown;
  const auto choose = [&] {
    if (ends_loop) return true;
    if (then_jumps != else_jumps) return else_jumps;
    has_choices_ = has_choices_ || !branch.else_body.empty();
    return policy_ != Policy::Else || branch.else_body.empty();
  };
  if (policy_ == Policy::Without && condition.kind == Kind::Data && !then_jumps && !else_jumps) return false;
  if (condition.kind != Kind::Uniform) return choose() || (condition.kind == Kind::Range && !then_jumps);
  const auto [found, is_new] = decisions_.try_emplace(condition.number, false);
  if (is_new) found->second = choose() != condition.is_negated;
  return found->second != condition.is_negated;
}

void BlockRun::exec_branch(const ir::If& branch, bool holds, const BlockValue& condition,
                           const ir::Stmt& stmt) {
  const bool is_condition = condition.kind == Kind::Uniform;
  const std::uint32_t outer =
      is_condition ? enter(RunPlace::Kind::Condition, stmt,
                           condition.number * 2 + static_cast<std::int64_t>(holds != condition.is_negated))
                   : place_;
  exec(holds ? branch.then_body : branch.else_body);
  place_ = outer;
}

void BlockRun::exec_if(const ir::If& branch, const ir::Stmt& stmt) {
  const BlockValue condition = value(branch.condition);
  if (condition.is_assumed || !condition.is_uniform()) divergent_.insert(&stmt);
  if (condition.is_one_number()) return exec(condition.number != 0 ? branch.then_body : branch.else_body);
  if (!condition.is_known()) {
    const bool is_guard = ir::ends_in_jump(branch.then_body) || ir::ends_in_jump(branch.else_body);
    if (condition.kind == Kind::Mixed || (condition.kind == Kind::Range && !is_guard))
      return exec_unsure(stmt);
    return exec_branch(branch, decide(branch, condition), condition, stmt);
  }
  Mask others(threads_, false);
  for (std::size_t lane = 0; lane < threads_; ++lane) {
    others[lane] = active_[lane] && condition.lanes[lane] == 0;
    active_[lane] = active_[lane] && condition.lanes[lane] != 0;
  }
  under_part_ += condition.is_part;
  exec(branch.then_body);
  std::swap(active_, others);
  exec(branch.else_body);
  under_part_ -= condition.is_part;
  for (std::size_t lane = 0; lane < threads_; ++lane) active_[lane] = active_[lane] || others[lane];
}

// Runs what is under a condition of which it is not known for whom it holds.
void BlockRun::exec_unsure(const ir::Stmt& stmt) {
  ++unsure_;
  ir::visit_bodies(stmt, [&](const ir::Body& body) { exec(body); });
  --unsure_;
  skip(stmt);
}

// Forgets what a statement assigns.
void BlockRun::skip(const ir::Stmt& stmt) {
  const bool loads =
      ir::any(stmt, [](const ir::Stmt& inner) { return std::holds_alternative<ir::Load>(inner.node); });
  const auto forget = [&](ir::SlotId slot) {
    const Type type = frame_->function->slots[index_of(slot)].type;
    frame_->arrays[index_of(slot)].memory.reset();
    if (!is_array(type))
      frame_->slots[index_of(slot)] = arithmetic_.of(is_float(type) && loads ? Kind::Data : Kind::Mixed);
  };
  ir::visit_results(stmt, forget);
  ir::visit_bodies(stmt, [&](const ir::Body& body) {
    ir::walk(body, [&](const ir::Stmt& inner) { ir::visit_results(inner, forget); });
  });
}

// Says whether a loop does nothing that counts here but compute.
bool BlockRun::is_plain(const ir::Stmt& loop) {
  const auto [found, is_new] = plain_.try_emplace(&loop, false);
  if (is_new)
    found->second = !ir::any(loop, [&](const ir::Stmt& stmt) {
      const auto* load = std::get_if<ir::Load>(&stmt.node);
      const auto* store = std::get_if<ir::Store>(&stmt.node);
      return (load && is_told(load->array) && !launch_) || (store && is_told(store->array)) ||
             std::holds_alternative<ir::Atomic>(stmt.node) || std::holds_alternative<ir::Call>(stmt.node) ||
             std::holds_alternative<ir::CallEffect>(stmt.node) ||
             std::holds_alternative<ir::Return>(stmt.node);
    });
  return found->second;
}

// Says whether a loop does nothing to the memory that is told of but load from it.
bool BlockRun::only_loads(const ir::Stmt& loop) {
  const auto [found, is_new] = only_loads_.try_emplace(&loop, false);
  if (is_new)
    found->second = !ir::any(loop, [&](const ir::Stmt& stmt) {
      const auto* store = std::get_if<ir::Store>(&stmt.node);
      return (store && is_told(store->array)) || std::holds_alternative<ir::Atomic>(stmt.node) ||
             std::holds_alternative<ir::Call>(stmt.node) ||
             std::holds_alternative<ir::CallEffect>(stmt.node) ||
             std::holds_alternative<ir::Return>(stmt.node);
    });
  return found->second;
}

// Runs one round, after which those that are still in the loop are active.
void BlockRun::exec_round(const ir::Body& body, const ir::Stmt& stmt, Loop& loop) {
  const std::uint32_t outer = enter(RunPlace::Kind::Round, stmt, loop.round);
  exec(body);
  place_ = outer;
  for (std::size_t lane = 0; lane < threads_; ++lane) active_[lane] = active_[lane] || loop.continued[lane];
  loop.continued.assign(threads_, false);
  ++loop.round;
}

void BlockRun::exec_while(const ir::While& node, const ir::Stmt& stmt) {
  if (is_plain(stmt)) return skip(stmt);
  Loop loop{Mask(threads_, false), Mask(threads_, false)};
  Mask done(threads_, false);
  loops_.push_back(&loop);
  while (any_active() && !is_stopped()) {
    exec(node.head);
    const BlockValue condition = value(node.condition);
    const bool is_unknown = !condition.is_known() || condition.is_assumed;
    if (is_unknown || !condition.lanes.empty()) divergent_.insert(&stmt);
    if (condition.kind == Kind::Uniform) divergent_.erase(&stmt);
    if (condition.kind == Kind::Mixed) {
      loops_.pop_back();
      exec_unsure(stmt);
      loops_.push_back(&loop);
      break;
    }
    const bool is_over = loop.round >= (is_unknown ? rounds_of_unknown : most_rounds);
    if (is_over && !is_unknown) steps_ = most_steps + 1;
    for (std::size_t lane = 0; lane < threads_; ++lane) {
      const bool leaves = is_over || (condition.is_known() && condition.in(lane) == 0);
      done[lane] = done[lane] || (active_[lane] && leaves);
      active_[lane] = active_[lane] && !leaves;
    }
    open_loops_ += is_unknown;
    if (any_active()) exec_round(node.body, stmt, loop);
    open_loops_ -= is_unknown;
  }
  loops_.pop_back();
  for (std::size_t lane = 0; lane < threads_; ++lane)
    active_[lane] = active_[lane] || done[lane] || loop.broken[lane];
}

// Returns a name for whether a loop runs at all: loops of one count do so together.
std::int64_t BlockRun::loop_name(const BlockValue& count) {
  if (count.kind == Kind::Uniform) return count.number;
  return count.is_one_number() ? arithmetic_.named({-2, count.number, 0, 0}).number
                               : arithmetic_.fresh().number;
}

void BlockRun::exec_for(const ir::For& node, const ir::Stmt& stmt) {
  if (is_plain(stmt)) return skip(stmt);
  BlockValue start = value(node.start);
  const BlockValue step = value(node.step), count = value(node.count);
  const BlockValue stop = node.stop ? value(*node.stop) : count;
  const bool is_unknown = !count.is_known() || (launch_ && count.is_assumed);
  // A loop that starts at data mostly runs over a part of the thread's own: from `start[i]` to
  // `start[i + 1]`.
  if (launch_ && start.kind == Kind::Data) start = arithmetic_.of(Kind::Mixed);
  if (!count.is_uniform()) divergent_.insert(&stmt);
  const bool runs = !is_unknown || count.kind == Kind::Uniform || count.kind == Kind::Data ||
                    (start.is_known() && (stop.kind == Kind::Uniform || stop.kind == Kind::Data)) ||
                    (launch_ && count.is_known());
  if (!runs) return exec_unsure(stmt);
  Loop loop{Mask(threads_, false), Mask(threads_, false)};
  Mask done(threads_, false);
  loops_.push_back(&loop);
  const Type type = frame_->function->slots[index_of(node.variable)].type;
  const std::uint32_t outer =
      is_unknown ? enter(RunPlace::Kind::Condition, stmt, loop_name(count) * 2) : place_;
  const bool is_short = only_loads(stmt);
  bool is_cut = false;
  while (any_active() && !is_stopped()) {
    if (loop.round >= most_rounds * 8) steps_ = most_steps + 1;
    for (std::size_t lane = 0; lane < threads_; ++lane) {
      const bool cuts = is_short && !is_unknown && loop.round >= rounds_of_loads;
      is_cut = is_cut || cuts;
      const std::int64_t most = is_unknown ? rounds_of_unknown : most_rounds * 8;
      const bool leaves =
          cuts || loop.round >= std::min(most, count.is_known() ? count.in(lane) : rounds_of_unknown);
      done[lane] = done[lane] || (active_[lane] && leaves);
      active_[lane] = active_[lane] && !leaves;
    }
    if (!any_active()) break;
    const BlockValue advance =
        arithmetic_.binary(ir::BinaryOp::Multiply, step, arithmetic_.known(loop.round), types::i64);
    assign(node.variable,
           arithmetic_.convert(arithmetic_.binary(ir::BinaryOp::Add, start, advance, types::i64), types::i64,
                               type));
    open_loops_ += is_unknown;
    exec_round(node.body, stmt, loop);
    open_loops_ -= is_unknown;
  }
  place_ = outer;
  loops_.pop_back();
  for (std::size_t lane = 0; lane < threads_; ++lane)
    active_[lane] = active_[lane] || done[lane] || loop.broken[lane];
  if (is_cut) skip(stmt);
}

void BlockRun::exec_call(const ir::Call& call, const ir::Stmt& stmt) {
  const ir::Function& callee = module_.function(call.function);
  steps_ += callee.slots.size() / 4;
  Frame frame{&callee,
              std::vector<BlockValue>(callee.slots.size()),
              std::vector<Array>(callee.slots.size()),
              std::vector<BlockValue>(callee.results.size(), arithmetic_.of(Kind::Mixed)),
              std::vector<Array>(callee.results.size()),
              Mask(threads_, false)};
  for (std::size_t i = 0; i < call.args.size() && i < callee.param_count; ++i) {
    if (is_array(callee.slots[i].type))
      frame.arrays[i] = array(call.args[i]);
    else
      frame.slots[i] = value(call.args[i]);
  }
  const std::uint32_t outer = enter(RunPlace::Kind::Call, stmt, 0);
  Frame* const caller = std::exchange(frame_, &frame);
  std::vector<Loop*> loops;
  std::swap(loops, loops_);
  const int unsure = unsure_;
  exec(callee.body);
  unsure_ = unsure;
  place_ = outer;
  for (std::size_t lane = 0; lane < threads_; ++lane) active_[lane] = active_[lane] || frame.returned[lane];
  frame_ = caller;
  std::swap(loops, loops_);
  for (std::size_t i = 0; i < call.results.size() && i < frame.results.size(); ++i) {
    const ir::SlotId slot = call.results[i];
    if (is_array(caller->function->slots[index_of(slot)].type))
      caller->arrays[index_of(slot)] = frame.array_results[i];
    else
      assign(slot, frame.results[i]);
  }
}

void BlockRun::exec_return(const ir::Return& last) {
  // The result of several returns, or of one under a condition, is not known.
  const bool is_first =
      std::find(frame_->returned.begin(), frame_->returned.end(), true) == frame_->returned.end();
  for (std::size_t i = 0; i < last.values.size(); ++i) {
    const ir::Operand& operand = last.values[i];
    if (is_array(operand.type))
      frame_->array_results[i] = is_first ? array(operand) : Array{};
    else
      frame_->results[i] = is_first && unsure_ == 0 ? value(operand) : arithmetic_.of(Kind::Mixed);
  }
  if (unsure_ > 0) {
    // All threads come back from a device function, but it is not known which of them run what is left of it.
    if (frame_->function->is_kernel)
      tainted_ = true;
    else
      ++unsure_;
    return;
  }
  for (std::size_t lane = 0; lane < threads_; ++lane) {
    frame_->returned[lane] = frame_->returned[lane] || active_[lane];
    if (frame_->function->is_kernel) left_[lane] = left_[lane] || active_[lane];
  }
  active_.assign(threads_, false);
}

void BlockRun::exec_effect(const ir::CallEffect& call) {
  const Effects effects = row(call.builtin).effects;
  if (is_barrier(effects)) ++epoch_;
  if (effects == Effects::Grid) ++grid_epoch_;
  // Collectives of a warp order what its threads do, where it is known which threads those are.
  if (effects == Effects::Warp) ++(kernel_.options.block ? warp_epoch_ : epoch_);
  if (!call.slot) return;
  const Type type = frame_->function->slots[index_of(*call.slot)].type;
  if (is_barrier(effects)) {
    const bool is_known =
        call.builtin == Builtin::Uniform && !call.args.empty() && value(call.args[0]).is_one_number();
    return assign(*call.slot, is_known ? value(call.args[0]) : arithmetic_.fresh());
  }
  assign(*call.slot, arithmetic_.of(is_float(type) ? Kind::Data : Kind::Mixed));
}

} // namespace kern
