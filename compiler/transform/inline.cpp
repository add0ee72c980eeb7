// Inlines, callees before callers: a function that may reach a block or warp collective always (segments and
// masks are cut in kernels only), one that is called once, and a small one, as far as limits::ir_statements
// allows. The depths of a recursion stay apart: inside of each other they would nest as deep.
//
// An inlined body has its own copies of the callee's slots. A parameter that the callee never assigns gives
// way to the argument: facts about the caller's slots then hold inside. A variable that may be read before it
// is assigned is zeroed each time. Shared arrays keep their id: they are one per instance and block, not one
// per call.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "compiler/analysis/flow/assignment.h"
#include "compiler/analysis/memory/access.h"
#include "compiler/builtins/builtins.h"
#include "compiler/diagnostics/limits.h"
#include "compiler/ir/walk.h"
#include "compiler/support/limits.h"
#include "compiler/transform/return_once.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

using ir::Body;
using ir::FunctionId;
using ir::Operand;
using ir::SiteId;
using ir::SlotId;
using ir::Stmt;

constexpr std::size_t small_function = 60; // statements

// Fits do not count: a program has more or fewer of them by the types that it declares.
std::size_t size_of(const Stmt& stmt) { return std::holds_alternative<ir::Fit>(stmt.node) ? 0 : 1; }

std::size_t depth_of(const Body& body) {
  std::size_t depth = 0;
  for (const Stmt& stmt : body)
    ir::visit_bodies(stmt, [&](const Body& inner) { depth = std::max(depth, 1 + depth_of(inner)); });
  return depth;
}

// Copies a callee's body to one place of a caller.
class Splicer {
public:
  Splicer(ir::Module& module, FunctionId callee, ir::Function& caller)
      : module_(module), callee_(module.function(callee)), caller_(caller) {}

  // Appends the callee's statements to `out`, given which of its slots it assigns and which must start as
  // zero.
  void splice(const ir::Call& call, Span span, const std::vector<bool>& assigned,
              const std::vector<bool>& zeroed, Body& out) {
    call_ = span;
    // A callee that leaves no code behind needs no scope, so that there are never more scopes than
    // statements.
    if (has_code()) first_scope_ = caller_.inlined.size() + 1;
    bind(call, assigned, zeroed, out);
    if (first_scope_) add_scopes();
    Body body = callee_.body;
    std::optional<ir::Return> last;
    rename(body);
    if (!body.empty()) {
      if (auto* found = std::get_if<ir::Return>(&body.back().node)) {
        last = std::move(*found);
        body.pop_back();
      }
    }
    out.insert(out.end(), std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
    if (last)
      give_back(call.results, std::move(last->values), out);
    else
      leave_unassigned(call.results);
  }

private:
  SlotId add_slot(ir::Slot slot) {
    caller_.slots.push_back(std::move(slot));
    return static_cast<SlotId>(caller_.slots.size() - 1);
  }

  // Decides what each slot of the callee is in the caller.
  void bind(const ir::Call& call, const std::vector<bool>& assigned, const std::vector<bool>& zeroed,
            Body& out) {
    for (std::size_t i = 0; i < callee_.slots.size(); ++i) {
      ir::Slot slot = callee_.slots[i];
      const bool param = i < callee_.param_count;
      if (param && !assigned[i]) {
        slots_.push_back(call.args[i]);
        continue;
      }
      if (param) slot.kind = ir::Slot::Kind::Variable;
      slot.scope = scope_of(slot.scope);
      const Type type = slot.type;
      const SlotId copy = add_slot(std::move(slot));
      slots_.push_back({type, copy});
      if (param) out.push_back({ir::Assign{copy, ir::Copy{call.args[i]}}, call_});
      if (zeroed[i] && is_scalar(type))
        out.push_back({ir::Assign{copy, ir::Copy{Operand{type, std::nullopt, 0}}}, call_});
    }
  }

  bool has_code() const {
    const Body& body = callee_.body;
    return body.size() > 1 || (body.size() == 1 && !std::holds_alternative<ir::Return>(body.front().node));
  }

  // The scope in the caller of what has that one in the callee.
  ir::ScopeId scope_of(ir::ScopeId scope) const {
    return first_scope_ ? ir::ScopeId(first_scope_ + index_of(scope)) : ir::ScopeId{};
  }

  // Returns the place of the callee's only return; nothing for several, which are one by now, at the
  // function's name.
  std::optional<Span> only_return() const {
    const Stmt& last = callee_.body.back();
    bool is_written = std::holds_alternative<ir::Return>(last.node) && last.span != callee_.span;
    return is_written ? std::optional(last.span) : std::nullopt;
  }

  // Makes a scope of the call, and takes over those of what the callee has inlined.
  void add_scopes() {
    ir::InlinedCall own{callee_.name, callee_.symbol, callee_.span, call_, only_return(), {}, {}};
    for (std::size_t i = 0; i < callee_.param_count; ++i)
      own.params.push_back({callee_.slots[i].name, slots_[i]});
    caller_.inlined.push_back(std::move(own));
    for (ir::InlinedCall inner : callee_.inlined) {
      inner.caller = scope_of(inner.caller);
      for (ir::InlinedCall::Param& param : inner.params)
        if (param.value.slot) param.value = slots_[index_of(*param.value.slot)];
      caller_.inlined.push_back(std::move(inner));
    }
  }

  void rename(Body& body) {
    ir::walk(body, [&](Stmt& stmt) {
      stmt.scope = scope_of(stmt.scope);
      ir::visit_operands(stmt, [&](Operand& operand) {
        if (operand.slot) operand = slots_[index_of(*operand.slot)];
      });
      ir::visit_results(stmt, [&](SlotId& slot) { slot = *slots_[index_of(slot)].slot; });
      if (auto* guard = std::get_if<ir::Guard>(&stmt.node)) guard->site = copy_site(guard->site);
      if (auto* fit = std::get_if<ir::Fit>(&stmt.node)) fit->site = copy_site(fit->site);
      if (auto* check = std::get_if<ir::Check>(&stmt.node)) check->site = copy_site(check->site);
      if (auto* print = std::get_if<ir::Print>(&stmt.node)) print->site = copy_site(print->site);
    });
  }

  SiteId copy_site(SiteId id) {
    auto [found, is_new] = sites_.try_emplace(id, static_cast<SiteId>(module_.sites.size()));
    if (is_new) {
      ir::Site site = module_.sites[index_of(id)];
      site.calls.push_back(call_);
      module_.sites.push_back(std::move(site));
    }
    return found->second;
  }

  // Assigns the results, all at once: a value may be a slot that an earlier result overwrites (`a, b =
  // swap(a, b)`).
  void give_back(const std::vector<SlotId>& results, std::vector<Operand> values, Body& out) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto end = results.begin() + static_cast<std::ptrdiff_t>(i);
      if (!values[i].slot || std::find(results.begin(), end, *values[i].slot) == end) continue;
      const SlotId kept = add_slot({"", values[i].type, ir::Slot::Kind::Temp, call_});
      out.push_back({ir::Assign{kept, ir::Copy{values[i]}}, call_, scope_of({})});
      values[i].slot = kept;
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      out.push_back({ir::Assign{results[i], ir::Copy{values[i]}}, call_, scope_of({})});
  }

  // The callee never returns, so what follows is never reached, and still reads the results.
  void leave_unassigned(const std::vector<SlotId>& results) {
    for (SlotId result : results) caller_.slots[index_of(result)].kind = ir::Slot::Kind::Variable;
  }

  ir::Module& module_;
  const ir::Function& callee_;
  ir::Function& caller_;
  Span call_;
  std::size_t first_scope_ = 0; // in the caller, of the callee's own code; 0 where it has none
  std::vector<Operand> slots_;
  std::unordered_map<SiteId, SiteId> sites_;
};

class Inliner {
public:
  Inliner(ir::Module& module, Diagnostics& diagnostics)
      : module_(module), diagnostics_(diagnostics), facts_(module.functions.size()) {}

  void run() {
    for (std::size_t i = 0; i < module_.functions.size(); ++i)
      if (module_.functions[i].is_kernel) count_calls(i);
    for (std::size_t i = 0; i < module_.functions.size(); ++i)
      if (module_.functions[i].is_kernel) visit(i);
    drop_unused();
    name_params();
  }

private:
  enum class State : std::uint8_t { New, Entered, Done };
  struct Facts {
    bool counted = false;
    State state = State::New;
    std::size_t calls = 0; // places that call it
    std::size_t size = 0, depth = 0;
    bool collective = false;
    bool wanted = false;                // inlined wherever it is called, if it fits
    std::vector<bool> assigned, zeroed; // by slot
  };

  void count_calls(std::size_t id) {
    if (std::exchange(facts_[id].counted, true)) return;
    ir::walk(module_.functions[id].body, [&](const Stmt& stmt) {
      const auto* call = std::get_if<ir::Call>(&stmt.node);
      if (!call) return;
      ++facts_[index_of(call->function)].calls;
      count_calls(index_of(call->function));
    });
  }

  // Inlines into a function, after everything it calls.
  void visit(std::size_t id) {
    Facts& facts = facts_[id];
    if (facts.state != State::New) return;
    facts.state = State::Entered;
    ir::Function& function = module_.functions[id];
    ir::walk(function.body, [&](const Stmt& stmt) {
      facts.size += size_of(stmt);
      if (const auto* call = std::get_if<ir::Call>(&stmt.node)) {
        visit(index_of(call->function));
        facts.collective |= facts_[index_of(call->function)].collective;
      } else if (const auto* effect = std::get_if<ir::CallEffect>(&stmt.node)) {
        const Effects effects = row(effect->builtin).effects;
        facts.collective |= is_barrier(effects) || effects == Effects::Warp;
      }
    });
    expand(function, facts, function.body, 0);
    if (!function.is_kernel) prepare(function, facts);
    facts.state = State::Done;
  }

  // Makes a function ready to be inlined, and gathers what that needs.
  void prepare(ir::Function& function, Facts& facts) {
    facts.wanted =
        !function.is_recursive && (facts.collective || facts.calls == 1 || facts.size <= small_function);
    if (facts.wanted) return_once(function);
    facts.assigned.resize(function.slots.size());
    facts.size = 0;
    ir::walk(function.body, [&](const Stmt& stmt) {
      facts.size += size_of(stmt);
      ir::visit_results(stmt, [&](SlotId slot) { facts.assigned[index_of(slot)] = true; });
    });
    facts.depth = depth_of(function.body);
    for (const std::optional<Span>& read : find_unset_reads(function))
      facts.zeroed.push_back(read.has_value());
  }

  void expand(ir::Function& caller, Facts& facts, Body& body, std::size_t depth) {
    Body result;
    result.reserve(body.size());
    for (Stmt& stmt : body) {
      ir::visit_bodies(stmt, [&](Body& inner) { expand(caller, facts, inner, depth + 1); });
      const auto* call = std::get_if<ir::Call>(&stmt.node);
      if (!call || !may_inline(caller, facts, *call, stmt.span, depth)) {
        result.push_back(std::move(stmt));
        continue;
      }
      const Facts& callee = facts_[index_of(call->function)];
      facts.size += callee.size + call->args.size() + call->results.size();
      Splicer(module_, call->function, caller)
          .splice(*call, stmt.span, callee.assigned, callee.zeroed, result);
    }
    body = std::move(result);
  }

  // Decides a call; what must be inlined and cannot is an error.
  bool may_inline(const ir::Function& caller, const Facts& facts, const ir::Call& call, Span span,
                  std::size_t depth) {
    const Facts& callee = facts_[index_of(call.function)];
    if (callee.state != State::Done || !callee.wanted) return false;
    // Fast math holds for whole functions: one that asks for it itself stays apart from an exact caller. A
    // callee that must be inlined becomes exact, which is never wrong.
    const bool keeps_apart =
        module_.function(call.function).options.fast_math != caller.options.fast_math && !callee.collective;
    if (keeps_apart) return false;
    const bool fits =
        facts.size + callee.size + call.args.size() + call.results.size() <= limits::ir_statements &&
        depth + callee.depth <= limits::ir_nesting;
    if (!fits && callee.collective)
      diagnostics_.report(span, diag::inlined_too_large, module_.function(call.function).name, caller.name,
                          limits::ir_statements, limits::ir_nesting);
    return fits;
  }

  // Drops every function that no kernel reaches, and numbers the others anew.
  void drop_unused() {
    std::vector<bool> used(module_.functions.size());
    for (std::size_t i = 0; i < used.size(); ++i)
      if (module_.functions[i].is_kernel) mark_used(i, used);
    std::vector<FunctionId> renamed(used.size());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) continue;
      renamed[i] = static_cast<FunctionId>(kept);
      if (kept != i) {
        module_.functions[kept] = std::move(module_.functions[i]);
        module_.params[kept] = std::move(module_.params[i]);
      }
      ++kept;
    }
    module_.functions.resize(kept);
    module_.params.resize(kept);
    for (ir::Site& site : module_.sites) site.function = renamed[index_of(site.function)];
    for (ir::Function& function : module_.functions) {
      ir::walk(function.body, [&](Stmt& stmt) {
        if (auto* call = std::get_if<ir::Call>(&stmt.node))
          call->function = renamed[index_of(call->function)];
      });
    }
  }

  // Says in the sites of kernels which parameter the array is a view of, now that calls are gone.
  void name_params() {
    for (std::size_t i = 0; i < module_.functions.size(); ++i) {
      const ir::Function& kernel = module_.functions[i];
      if (!kernel.is_kernel) continue;
      const auto views = analyze_views(module_, static_cast<FunctionId>(i));
      ir::walk(kernel.body, [&](const Stmt& stmt) {
        const auto* guard = std::get_if<ir::Guard>(&stmt.node);
        if (!guard) return;
        const std::vector<SlotId>& params = views[index_of(*guard->array.slot)];
        std::string& name = module_.sites[index_of(guard->site)].param;
        if (name.empty() && params.size() == 1) name = kernel.slots[index_of(params.front())].name;
      });
    }
  }

  void mark_used(std::size_t id, std::vector<bool>& used) const {
    if (used[id]) return;
    used[id] = true;
    ir::walk(module_.functions[id].body, [&](const Stmt& stmt) {
      if (const auto* call = std::get_if<ir::Call>(&stmt.node)) mark_used(index_of(call->function), used);
    });
  }

  ir::Module& module_;
  Diagnostics& diagnostics_;
  std::vector<Facts> facts_;
};

} // namespace

void inline_calls(ir::Module& module, Diagnostics& diagnostics) { Inliner(module, diagnostics).run(); }

} // namespace kern
