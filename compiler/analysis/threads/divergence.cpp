// Builds the graph in one walk in program order.
//
// Rules beyond "a value differs if what it is computed from does":
//   * after an if, a slot that its arms leave with two values depends on the condition;
//   * a loop's control depends on its condition, and on the control of each of its breaks: later iterations
//     are run by the threads that stayed. The values it leaves behind depend on the same. After a continue,
//     the rest of the iteration depends on its control, and what the next iteration finds too;
//   * a return in a device function works like a break of the whole function; in a kernel the thread leaves,
//     and what follows is about the threads that are still there (at a barrier of the grid there must be
//     all);
//   * a load gives one value at one address, unless the kernel writes that memory or it is shared; a load of
//     shared memory gives one value where it is quiet. Two parameters count as different memory;
//   * what a barrier returns (votes, uniform) is the same for all that meet there;
//   * lanes of a warp differ less than threads of a block: arithmetic of their numbers tells where they agree
//     (lane_forms.h).
#include "compiler/analysis/threads/divergence.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compiler/analysis/threads/divergence_state.h"
#include "compiler/analysis/threads/loop_steps.h"
#include "compiler/analysis/threads/shuffles.h"
#include "compiler/builtins/builtins.h"
#include "compiler/ir/walk.h"
#include "compiler/support/overloaded.h"

namespace kern::divergence {

namespace {

using ir::Body;
using ir::Operand;
using ir::SlotId;
using ir::Stmt;

// A bound on hostile input: past so many edges, ways out of loops are no longer followed value by value.
constexpr std::size_t edge_budget = 8'000'000;

class Builder : State {
public:
  Builder(const ir::Function& function, const Context& context) : State(function), context_(context) {}

  Graph build() {
    graph_.nodes.emplace_back(Node::Kind::Value); // `uniform`
    add_params();
    for (std::size_t i = 0; i < function_.results.size(); ++i)
      graph_.results.push_back(new_value(function_.results[i], Node::Kind::Merge, nullptr, std::nullopt));
    visit(function_.body);
    return std::move(graph_);
  }

private:
  struct Loop {
    const Stmt* stmt;
    NodeId exit;                   // depends on what decides who leaves
    std::vector<SlotId> slots;     // that the loop assigns and that live longer than an iteration
    std::vector<Value> headers;    // their values at the start of an iteration
    std::vector<Value> leaving;    // their values after the loop
    std::vector<NodeId> continues; // the control of each continue
    NodeId gone = uniform;         // who left the kernel before a round
    NodeId gone_below = uniform;   // the same without the last lanes of a warp, if those left together
    NodeId outer_below = uniform;  // the `control_below_` around it
    bool left = false;             // there is a way out
  };

  void add_params() {
    for (std::size_t i = 0; i < function_.param_count; ++i) {
      const auto slot = static_cast<SlotId>(i);
      Value value;
      if (!function_.is_kernel)
        value = new_value(function_.slots[i].type, Node::Kind::Param, nullptr, slot);
      else if (i < context_.written.size() && context_.written[i])
        value.contents = add(Node::Kind::Source, nullptr, slot, Cause::Written);
      graph_.params.push_back(value);
      assign(slot, value);
    }
  }

  // ---- Statements ----

  void visit(const Body& body) {
    for (const Stmt& stmt : body) {
      const std::size_t continues = loops_.empty() ? 0 : loops_.back().continues.size();
      const std::size_t returns = returns_.size();
      visit(stmt);
      if (!loops_.empty()) narrow(loops_.back().continues, continues, stmt);
      narrow(returns_, returns, stmt);
    }
  }

  // Makes control behind a statement depend on the ways out in it: only the threads that took none of them go
  // on.
  void narrow(const std::vector<NodeId>& ways_out, std::size_t known, const Stmt& stmt) {
    if (ways_out.size() == known) return;
    deps_.assign(ways_out.begin() + static_cast<std::ptrdiff_t>(known), ways_out.end());
    deps_.push_back(control_);
    control_ = control_below_ = derive(Node::Kind::Control, stmt, std::nullopt);
  }

  void visit(const Stmt& stmt) {
    match(
        stmt.node, [&](const ir::Assign& node) { assign(node.slot, evaluate(node, stmt)); },
        [&](const ir::Load& node) { visit_load(node, stmt); },
        [&](const ir::Store& node) { visit_store(node); },
        [&](const ir::Atomic& node) { visit_atomic(node, stmt); },
        [&](const ir::CallEffect& node) { visit_effect(node, stmt); },
        [&](const ir::Call& node) { visit_call(node, stmt); },
        [&](const ir::If& node) { visit_if(node, stmt); },
        [&](const ir::While& node) { visit_while(node, stmt); },
        [&](const ir::For& node) { visit_for(node, stmt); }, [&](const ir::Break&) { leave_loop(); },
        [&](const ir::Continue&) { next_iteration(); },
        [&](const ir::Return& node) { visit_return(node, stmt); },
        [&](const ir::Segment& node) { visit(node.body); },
        [&](const auto&) { ir::visit_operands(stmt, [&](const Operand& operand) { read(operand); }); });
  }

  // Why a pure builtin differs by itself.
  Cause cause_of(Effects effects) const {
    if (effects == Effects::Thread) return Cause::Thread;
    return effects == Effects::PerBlock && context_.scope == Scope::Grid ? Cause::Block : Cause::None;
  }

  Value evaluate(const ir::Assign& assign, const Stmt& stmt) {
    const auto kind = Node::Kind::Value;
    Value value;
    if (const auto* copy = std::get_if<ir::Copy>(&assign.value)) {
      const Value from = read(copy->value);
      value.base = derive(kind, stmt, assign.slot, {from.base});
      value.extents = derive(kind, stmt, assign.slot, {from.extents});
      value.contents = from.contents;
    } else if (const auto* select = std::get_if<ir::Select>(&assign.value)) {
      const Value a = read(select->then_value), b = read(select->else_value);
      const NodeId condition = read(select->condition).base;
      value = merge(a, b, condition, stmt, assign.slot);
    } else if (const auto* view = std::get_if<ir::View>(&assign.value)) {
      value = evaluate_view(*view, stmt, assign.slot);
    } else if (const auto* form = std::get_if<ir::Restride>(&assign.value)) {
      const Value array = read(form->array);
      depend_on(form->extents);
      depend_on(form->strides);
      deps_.push_back(array.extents);
      value.extents = derive(kind, stmt, assign.slot);
      value.base = derive(kind, stmt, assign.slot, {array.base});
      value.contents = array.contents;
    } else if (const auto* extent = std::get_if<ir::Extent>(&assign.value)) {
      value.base = derive(kind, stmt, assign.slot, {read(extent->array).extents});
    } else if (const auto* stride = std::get_if<ir::Stride>(&assign.value)) {
      value.base = derive(kind, stmt, assign.slot, {read(stride->array).extents});
    } else if (const auto* address = std::get_if<ir::Misalignment>(&assign.value)) {
      value.base = derive(kind, stmt, assign.slot, {read(address->array).base});
    } else if (const auto* shared = std::get_if<ir::SharedArray>(&assign.value)) {
      depend_on(shared->extents);
      value.extents = derive(kind, stmt, assign.slot);
      value.contents = add(Node::Kind::Source, &stmt, assign.slot, Cause::Shared);
    } else if (std::holds_alternative<ir::LocalArray>(assign.value)) {
      value.contents = local_memory(stmt);
    } else {
      ir::visit_operands(assign.value, [&](const Operand& operand) { depend_on(operand); });
      const auto* call = std::get_if<ir::CallPure>(&assign.value);
      if (call)
        if (const Cause cause = cause_of(row(call->builtin).effects); cause != Cause::None)
          deps_.push_back(add(Node::Kind::Source, &stmt, assign.slot, cause));
      value.base = derive(kind, stmt, assign.slot);
    }
    if (context_.forms) {
      note_last_lanes(assign);
      const auto form = context_.forms->evaluate(assign.value, function_.slots[index_of(assign.slot)].type,
                                                 [&](const Operand& operand) { return form_of(operand); });
      if (form) take_form(value, *form);
    }
    return value;
  }

  // ---- Lanes of a warp ----

  std::optional<LaneForm> form_of(const Operand& operand) const {
    if (!operand.slot)
      return is_integer(operand.type) ? std::optional(LaneForms::constant(ir::int_value(operand)))
                                      : std::nullopt;
    const Value& value = slots_[*operand.slot];
    if (value.form != 0) return forms_[value.form - 1];
    return value.base == uniform ? std::optional(LaneForms::same()) : std::nullopt;
  }

  // Returns for which answer a condition picks the last lanes of each warp, or none, or all; nothing where that is
  // not known.
  std::optional<bool> last_lanes_where(const Operand& condition) const {
    const auto found = condition.slot ? last_lanes_.find(*condition.slot) : last_lanes_.end();
    return found == last_lanes_.end() ? std::nullopt : std::optional(found->second);
  }

  void note_last_lanes(const ir::Assign& assign) {
    last_lanes_.erase(assign.slot);
    if (function_.slots[index_of(assign.slot)].kind != ir::Slot::Kind::Temp) return;
    if (const auto* unary = std::get_if<ir::Unary>(&assign.value)) {
      const std::optional<bool> of = last_lanes_where(unary->value);
      if (unary->op == ir::UnaryOp::Not && of) last_lanes_[assign.slot] = !*of;
    }
    const auto* compare = std::get_if<ir::Compare>(&assign.value);
    if (!compare || !is_integer(compare->left.type)) return;
    const std::optional<LaneForm> left = form_of(compare->left), right = form_of(compare->right);
    const std::optional<bool> holds = left && right ? last_lanes(compare->op, *left, *right) : std::nullopt;
    if (holds) last_lanes_[assign.slot] = *holds;
  }

  void take_form(Value& value, const LaneForm& form) {
    forms_.push_back(form);
    value.form = static_cast<std::uint32_t>(forms_.size());
    if (form.is_uniform()) value.base = uniform;
  }

  // Adds a shuffle, or a call of what holds one, by whom it may miss. One that reads lanes below misses none where only
  // the last ones of a warp have left.
  void add_shuffle(const Stmt& stmt, std::vector<Value> args) {
    const Missing missing = context_.missing(stmt);
    const auto* effect = std::get_if<ir::CallEffect>(&stmt.node);
    const bool reads_below = effect && effect->builtin == Builtin::ShflUpSync;
    const NodeId gone = reads_below ? gone_below_ : gone_;
    const NodeId control =
        derive(Node::Kind::Control, stmt, std::nullopt,
               {missing.by_branches ? control_ : uniform, missing.by_returns ? gone : uniform});
    graph_.sinks.push_back({&stmt, control, std::move(args)});
  }

  // Returns whether what a collective of a warp returns is the same in all lanes that take part.
  bool is_joint(const ir::CallEffect& call) {
    switch (call.builtin) {
    case Builtin::AllSync:
    case Builtin::AnySync:
    case Builtin::EqSync:
    case Builtin::BallotSync: return read(call.args[0]).base == uniform;
    case Builtin::ShflSync: return read(call.args[2]).base == uniform;
    default: return false; // the enumerators are the rows of the table of builtins
    }
  }

  Value evaluate_view(const ir::View& view, const Stmt& stmt, SlotId slot) {
    const Value array = read(view.array);
    Value value{uniform, uniform, array.contents};
    for (const ir::ViewAxis& axis : view.axes) {
      if (axis.kind != ir::ViewAxis::Kind::Range) continue;
      depend_on(axis.count);
      depend_on(axis.step);
    }
    deps_.push_back(array.extents);
    value.extents = derive(Node::Kind::Value, stmt, slot);
    for (const ir::ViewAxis& axis : view.axes) depend_on(axis.start);
    deps_.insert(deps_.end(), {array.base, array.extents});
    value.base = derive(Node::Kind::Value, stmt, slot);
    return value;
  }

  // The elements of all local arrays of this function: they differ if anything that differs is put into one.
  NodeId local_memory(const Stmt& stmt) {
    if (local_ == uniform) local_ = add(Node::Kind::Merge, &stmt, std::nullopt);
    return local_;
  }

  // Makes `deps_` depend on where an access goes.
  void depend_on_place(const Operand& array, const std::vector<Operand>& indices) {
    const Value value = read(array);
    depend_on(indices);
    deps_.insert(deps_.end(), {value.base, value.extents});
  }

  void visit_load(const ir::Load& load, const Stmt& stmt) {
    depend_on_place(load.array, load.indices);
    if (!context_.quiet.loads.contains(&stmt)) deps_.push_back(read(load.array).contents);
    assign(load.slot, {derive(Node::Kind::Value, stmt, load.slot)});
  }

  void visit_store(const ir::Store& store) {
    depend_on_place(store.array, store.indices);
    depend_on(store.value);
    deps_.push_back(control_);
    change_local(store.array);
  }

  void visit_atomic(const ir::Atomic& atomic, const Stmt& stmt) {
    depend_on_place(atomic.array, atomic.indices);
    depend_on(atomic.args);
    deps_.push_back(control_);
    change_local(atomic.array);
    if (atomic.slot) assign(*atomic.slot, {add(Node::Kind::Source, &stmt, atomic.slot, Cause::Atomic)});
  }

  // A local array's elements now depend on `deps_`, which it empties.
  void change_local(const Operand& array) {
    std::vector<NodeId> deps = std::exchange(deps_, {});
    if (array.type->space != AddressSpace::Local) return;
    const NodeId contents = slots_[*array.slot].contents;
    for (NodeId dep : deps) {
      if (local_ != uniform) edge(dep, local_);
      if (contents != local_ && contents != uniform) edge(dep, contents);
    }
  }

  void visit_effect(const ir::CallEffect& call, const Stmt& stmt) {
    for (const Operand& arg : call.args) read(arg);
    const Effects effects = row(call.builtin).effects;
    graph_.has_grid_barrier |= effects == Effects::Grid;
    if (context_.scope == Scope::Warp) {
      if (is_shuffle(call.builtin)) add_shuffle(stmt, {});
    } else if (effects == (context_.scope == Scope::Grid ? Effects::Grid : Effects::Block)) {
      graph_.sinks.push_back({&stmt, control_, {}});
    }
    if (!call.slot) return;
    const bool is_same = effects == Effects::Grid ||
                         (effects == Effects::Block && context_.scope != Scope::Grid) ||
                         (context_.scope == Scope::Warp && is_joint(call));
    if (is_same) return assign(*call.slot, {});
    if (call.builtin == Builtin::Uniform) return assign(*call.slot, agreed_value(call, stmt));
    const Cause cause = effects == Effects::Block ? Cause::Barrier : Cause::Warp;
    assign(*call.slot, {add(Node::Kind::Source, &stmt, call.slot, cause)});
  }

  // Returns the result of uniform() for the grid: the threads of a block agree on it, but it differs between
  // blocks if the operand differs between threads.
  Value agreed_value(const ir::CallEffect& call, const Stmt& stmt) {
    depend_on(call.args);
    return {derive(Node::Kind::Value, stmt, call.slot)};
  }

  void visit_call(const ir::Call& call, const Stmt& stmt) {
    const Summary& callee = context_.summary(call.function);
    std::vector<Value> args;
    for (const Operand& arg : call.args) {
      args.push_back(read(arg));
      if (context_.quiet.args.contains({&stmt, args.size() - 1})) args.back().contents = uniform;
    }
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      const Operand& arg = call.args[i];
      if (!is_array(arg.type) || arg.type->space != AddressSpace::Local) continue;
      if (!context_.param_written(call.function, i)) continue;
      deps_.push_back(add(Node::Kind::Source, &stmt, arg.slot, Cause::Local));
      change_local(arg);
    }
    for (std::size_t i = 0; i < call.results.size() && i < callee.results.size(); ++i) {
      Value value;
      NodeId* const targets[] = {&value.base, &value.extents, &value.contents};
      for (std::size_t facet = 0; facet < facets; ++facet)
        *targets[facet] = call_result(callee.results[i][facet], args, stmt, call.results[i]);
      if (callee.claims && !is_array(function_.slots[index_of(call.results[i])].type)) value = {};
      assign(call.results[i], value);
    }
    if (context_.forms) take_forms(call);
    if (!callee.has_barrier) return;
    if (context_.scope == Scope::Warp)
      add_shuffle(stmt, std::move(args));
    else
      graph_.sinks.push_back({&stmt, control_, std::move(args)});
  }

  // Arithmetic of the number of a thread is often a function of its own.
  void take_forms(const ir::Call& call) {
    std::vector<std::optional<LaneForm>> forms;
    for (const Operand& arg : call.args) forms.push_back(form_of(arg));
    forms = context_.forms->results(context_.callee(call.function), forms);
    for (std::size_t i = 0; i < call.results.size() && i < forms.size(); ++i) {
      if (!forms[i]) continue;
      Value value = slots_[call.results[i]];
      take_form(value, *forms[i]);
      assign(call.results[i], value);
    }
  }

  NodeId call_result(const Summary::Result& result, const std::vector<Value>& args, const Stmt& stmt,
                     SlotId slot) {
    if (result.diverges) deps_.push_back(add(Node::Kind::Source, &stmt, slot, Cause::Callee));
    for (std::uint32_t facet : result.facets) deps_.push_back(parts(args[facet / facets])[facet % facets]);
    return derive(Node::Kind::Value, stmt, slot);
  }

  void visit_return(const ir::Return& node, const Stmt& stmt) {
    for (std::size_t i = 0; i < node.values.size(); ++i) {
      edges(read(node.values[i]), graph_.results[i]);
      for (NodeId facet : parts(graph_.results[i]))
        if (facet != uniform) edge(control_, facet);
    }
    reached_ = false;
    if (function_.is_kernel) return leave_kernel(stmt);
    returns_.push_back(control_);
    for (Loop& loop : loops_) edge(control_, loop.exit);
  }

  // From here on, and in later rounds of the loops around, some may be missing.
  void leave_kernel(const Stmt& stmt) {
    if (context_.scope != Scope::Warp) return;
    const NodeId here = derive(Node::Kind::Gone, stmt, std::nullopt, {control_});
    const NodeId below = derive(Node::Kind::Gone, stmt, std::nullopt, {control_below_});
    for (Loop& loop : loops_) {
      edge(here, loop.gone);
      edge(below, loop.gone_below);
    }
    gone_ = derive(Node::Kind::Gone, stmt, std::nullopt, {gone_, here});
    gone_below_ = derive(Node::Kind::Gone, stmt, std::nullopt, {gone_below_, below});
  }

  // ---- Control flow ----

  // Two values that are each uniform, chosen by a condition that is not, differ: so the condition always
  // counts.
  Value merge(const Value& a, const Value& b, NodeId condition, const Stmt& stmt, SlotId slot) {
    Value value;
    value.base = derive(Node::Kind::Merge, stmt, slot, {a.base, b.base, condition});
    if (!is_array(function_.slots[index_of(slot)].type)) return value;
    value.extents = derive(Node::Kind::Merge, stmt, slot, {a.extents, b.extents, condition});
    value.contents = derive(Node::Kind::Merge, stmt, slot, {a.contents, b.contents});
    return value;
  }

  void visit_if(const ir::If& node, const Stmt& stmt) {
    const NodeId condition = read(node.condition).base;
    const NodeId outer = control_;
    const bool reached = reached_;
    const std::size_t height = slots_.mark();
    if (condition != uniform) control_ = derive(Node::Kind::Control, stmt, std::nullopt, {outer, condition});
    const NodeId inner = control_, outer_below = control_below_;
    const std::optional<bool> last_lanes = last_lanes_where(node.condition);
    const auto below = [&](bool holds) {
      if (last_lanes == holds) return outer_below;
      return derive(Node::Kind::Control, stmt, std::nullopt, {outer_below, condition});
    };
    control_below_ = below(true);
    visit(node.then_body);
    Changes then_changes = take_back(height);
    const bool then_reached = std::exchange(reached_, reached);
    control_ = inner;
    control_below_ = below(false);
    visit(node.else_body);
    Changes else_changes = take_back(height);
    const bool else_reached = std::exchange(reached_, reached);
    control_ = outer;
    control_below_ = outer_below;
    reached_ = then_reached || else_reached;
    if (!then_reached || !else_reached) return slots_.apply(then_reached ? then_changes : else_changes);
    slots_.apply(
        flow::joined(then_changes, else_changes, [&](SlotId slot, const Value& taken, const Value& other) {
          return merge(taken, other, condition, stmt, slot);
        }));
  }

  void visit_while(const ir::While& node, const Stmt& stmt) {
    const NodeId outer = control_;
    const std::size_t height = enter_loop(stmt);
    visit(node.head);
    edge(read(node.condition).base, loops_.back().exit);
    if (node.condition.slot || !node.condition.bits) leave_with_values();
    visit(node.body);
    end_loop(height, outer);
  }

  void visit_for(const ir::For& node, const Stmt& stmt) {
    const NodeId outer = control_;
    const NodeId count = read(node.count).base, start = read(node.start).base, step = read(node.step).base;
    const std::size_t height = enter_loop(stmt);
    edge(count, loops_.back().exit);
    leave_with_values();
    Value variable{derive(Node::Kind::Value, stmt, node.variable, {start, step})};
    if (context_.forms) {
      const auto first = form_of(node.start), by = form_of(node.step);
      const auto form = first && by ? context_.forms->progression(*first, *by) : std::nullopt;
      if (form) take_form(variable, *form);
    }
    assign(node.variable, variable);
    visit(node.body);
    end_loop(height, outer);
  }

  // Starts a loop; returns the height of the log before it.
  std::size_t enter_loop(const Stmt& stmt) {
    const std::size_t height = slots_.mark();
    Loop loop{&stmt, add(Node::Kind::Control, &stmt, std::nullopt), assigned_in(stmt), {}, {}, {}};
    for (SlotId slot : loop.slots) {
      const Type type = function_.slots[index_of(slot)].type;
      loop.headers.push_back(new_value(type, Node::Kind::Header, &stmt, slot));
      loop.leaving.push_back(new_value(type, Node::Kind::Merge, &stmt, slot));
      edges(slots_[slot], loop.headers.back());
      for (NodeId facet : parts(loop.leaving.back()))
        if (facet != uniform) edge(loop.exit, facet);
      Value header = loop.headers.back();
      if (const std::optional<LaneForm> form = header_form(stmt, slot)) take_form(header, *form);
      assign(slot, header);
    }
    const NodeId control = add(Node::Kind::Control, &stmt, std::nullopt);
    edge(control_, control);
    edge(loop.exit, control);
    loop.outer_below = control_below_;
    control_ = control_below_ = control;
    if (context_.scope == Scope::Warp) {
      loop.gone = add(Node::Kind::Gone, &stmt, std::nullopt);
      edge(gone_, loop.gone);
      gone_ = loop.gone;
      loop.gone_below = add(Node::Kind::Gone, &stmt, std::nullopt);
      edge(gone_below_, loop.gone_below);
      gone_below_ = loop.gone_below;
    }
    loops_.push_back(std::move(loop));
    return height;
  }

  // Returns the form at the start of any round of a slot that rounds only add to, the same in all lanes: the lanes of
  // a warp that are in a loop have come to the same round.
  std::optional<LaneForm> header_form(const Stmt& loop, SlotId slot) {
    if (!context_.forms || !is_integer(function_.slots[index_of(slot)].type)) return std::nullopt;
    std::optional<LaneForm> form = form_of({function_.slots[index_of(slot)].type, slot, 0});
    if (!form) return std::nullopt;
    const LoopSteps steps(function_, loop);
    if (!steps.adds_only(slot)) return std::nullopt;
    const LoopSteps::Known known = [&](const Operand& operand) { return form_of(operand); };
    for (const LoopSteps::Step& step : steps.of(slot)) {
      const std::optional<LaneForm> by = steps.form(*context_.forms, step.by, known);
      form = by ? context_.forms->progression(*form, *by) : std::nullopt;
      if (!form) return std::nullopt;
    }
    return form;
  }

  std::vector<SlotId> assigned_in(const Stmt& loop) {
    std::vector<SlotId> slots;
    std::set<SlotId> seen;
    auto note = [&](SlotId slot) {
      if (function_.slots[index_of(slot)].kind != ir::Slot::Kind::Temp && seen.insert(slot).second)
        slots.push_back(slot);
    };
    ir::visit_results(loop, note);
    ir::visit_bodies(loop, [&](const Body& body) {
      ir::walk(body, [&](const Stmt& stmt) { ir::visit_results(stmt, note); });
    });
    return slots;
  }

  bool within_budget() const { return graph_.edges.size() < edge_budget; }

  // The present values are what some threads leave the innermost loop with.
  void leave_with_values() {
    Loop& loop = loops_.back();
    if (!reached_) return;
    loop.left = true;
    if (!within_budget())
      return edge(add(Node::Kind::Source, loop.stmt, std::nullopt, Cause::TooLarge), loop.exit);
    for (std::size_t i = 0; i < loop.slots.size(); ++i) edges(slots_[loop.slots[i]], loop.leaving[i]);
  }

  void leave_loop() {
    leave_with_values();
    if (reached_) edge(control_, loops_.back().exit);
    reached_ = false;
  }

  void next_iteration() {
    if (reached_) {
      loops_.back().continues.push_back(control_);
      repeat_with_values();
    }
    reached_ = false;
  }

  // The present values are what some threads start the next iteration with.
  void repeat_with_values() {
    Loop& loop = loops_.back();
    if (!reached_) return;
    if (!within_budget())
      return loop.continues.push_back(add(Node::Kind::Source, loop.stmt, std::nullopt, Cause::TooLarge));
    for (std::size_t i = 0; i < loop.slots.size(); ++i) edges(slots_[loop.slots[i]], loop.headers[i]);
  }

  void end_loop(std::size_t height, NodeId outer) {
    repeat_with_values();
    Loop loop = std::move(loops_.back());
    loops_.pop_back();
    if (!loop.continues.empty()) {
      deps_ = loop.continues;
      const NodeId by_which_way = derive(Node::Kind::Control, *loop.stmt, std::nullopt);
      for (const Value& header : loop.headers)
        for (NodeId facet : parts(header))
          if (facet != uniform) edge(by_which_way, facet);
    }
    take_back(height);
    for (std::size_t i = 0; i < loop.slots.size(); ++i) assign(loop.slots[i], loop.leaving[i]);
    control_ = outer;
    control_below_ = loop.outer_below;
    reached_ = loop.left;
  }

  const Context& context_;
  std::vector<Loop> loops_;
  std::vector<NodeId> returns_; // of what threads that stay are compared with: the control of each
  NodeId control_ = uniform;
  NodeId control_below_ = uniform; // the same without conditions that hold for the last lanes of a warp
  NodeId gone_ = uniform;          // who left the kernel before
  NodeId gone_below_ = uniform;    // the same without those who were the last lanes of a warp
  NodeId local_ = uniform;
  std::vector<LaneForm> forms_;
  std::map<SlotId, bool> last_lanes_; // of conditions: the answer that picks the last lanes
  bool reached_ = true;
};

} // namespace

Graph build(const ir::Function& function, const Context& context) {
  return Builder(function, context).build();
}

} // namespace kern::divergence
