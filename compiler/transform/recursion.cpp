// A GPU's stack has no guard: a thread that overflows it takes the device from the process. So a function that calls
// itself, directly or in a circle of functions, is written out once for each depth of the calls,
//
//     fact'0 calls fact'1 calls ... fact'63, which faults where it would call itself
//
// and whoever makes machine code of it knows how much stack a thread needs. What follows sees no circles.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "compiler/builtins/builtins.h"
#include "compiler/diagnostics/names.h"
#include "compiler/ir/walk.h"
#include "compiler/support/limits.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

using ir::FunctionId;
using ir::Stmt;

// Finds the circles of calls by Tarjan's algorithm: `circles[f]` are the members of the circle that f is in, f itself
// among them; empty where there is none.
class Circles {
public:
  explicit Circles(const ir::Module& module) : calls_(module.functions.size()) {
    members.resize(calls_.size());
    for (std::size_t i = 0; i < calls_.size(); ++i)
      ir::walk(module.functions[i].body, [&](const Stmt& stmt) {
        if (const auto* call = std::get_if<ir::Call>(&stmt.node))
          calls_[i].push_back(index_of(call->function));
      });
    nodes_.resize(calls_.size());
    for (std::size_t i = 0; i < calls_.size(); ++i)
      if (nodes_[i].order == 0) search(i);
  }

  std::vector<std::vector<std::size_t>> members;

  const std::vector<std::size_t>& calls_of(std::size_t function) const { return calls_[function]; }

private:
  struct Node {
    std::size_t order = 0, lowest = 0;
    bool is_open = false;
  };
  struct Step {
    std::size_t function, next;
  };

  void open(std::size_t function, std::vector<Step>& path) {
    nodes_[function] = {++order_, order_, true};
    stack_.push_back(function);
    path.push_back({function, 0});
  }

  void search(std::size_t root) {
    std::vector<Step> path;
    open(root, path);
    while (!path.empty()) {
      const std::size_t at = path.back().function;
      if (path.back().next < calls_[at].size()) {
        const std::size_t callee = calls_[at][path.back().next++];
        if (nodes_[callee].order == 0)
          open(callee, path);
        else if (nodes_[callee].is_open)
          nodes_[at].lowest = std::min(nodes_[at].lowest, nodes_[callee].order);
        continue;
      }
      path.pop_back();
      if (!path.empty()) {
        std::size_t& lowest = nodes_[path.back().function].lowest;
        lowest = std::min(lowest, nodes_[at].lowest);
      }
      if (nodes_[at].lowest == nodes_[at].order) close(at);
    }
  }

  void close(std::size_t head) {
    const auto begin = std::ranges::find(stack_, head);
    const std::vector<std::size_t> circle(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    for (std::size_t member : circle) nodes_[member].is_open = false;
    if (circle.size() == 1 && std::ranges::find(calls_[head], head) == calls_[head].end()) return;
    for (std::size_t member : circle) members[member] = circle;
  }

  std::vector<std::vector<std::size_t>> calls_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> stack_;
  std::size_t order_ = 0;
};

// A call whose result nobody gives: what follows is never reached, and still reads it.
void fault_instead(ir::Module& module, FunctionId id, Stmt& stmt) {
  for (ir::SlotId result : std::get<ir::Call>(stmt.node).results)
    module.function(id).slots[static_cast<std::size_t>(result)].kind = ir::Slot::Kind::Variable;
  auto site = static_cast<ir::SiteId>(module.sites.size());
  module.sites.push_back({ir::FaultKind::TooDeep, stmt.span, "", "", {}, id});
  stmt.node = ir::Check{ir::constant_bool(false), site, {}};
}

class Unroller {
public:
  Unroller(ir::Module& module, Diagnostics& diagnostics)
      : module_(module), diagnostics_(diagnostics), circles_(module) {}

  void run() {
    const std::size_t count = module_.functions.size();
    std::vector<bool> is_done(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<std::size_t>& circle = circles_.members[i];
      if (circle.empty() || is_done[i]) continue;
      for (std::size_t member : circle) is_done[member] = true;
      if (may_unroll(circle)) unroll(circle);
    }
  }

private:
  // Threads that meet must do so in code that is put into the kernel, which a function of many depths is not.
  bool may_unroll(const std::vector<std::size_t>& circle) {
    std::size_t statements = 0;
    bool is_fine = true;
    std::vector<bool> seen(module_.functions.size());
    for (std::size_t member : circle) {
      ir::walk(module_.functions[member].body,
               [&](const Stmt& stmt) { statements += std::holds_alternative<ir::Fit>(stmt.node) ? 0 : 1; });
      is_fine = find_meeting(member, module_.functions[member], seen) && is_fine;
    }
    const ir::Function& first = module_.functions[*std::ranges::min_element(circle)];
    if (is_fine && statements * limits::recursion_depth > limits::ir_statements) {
      diagnostics_.report(first.span, diag::recursion_too_large, first.name, statements,
                          limits::recursion_depth, limits::ir_statements);
      return false;
    }
    return is_fine;
  }

  // Reports what threads meet in, in the function or in one that it calls; false where there is something.
  bool find_meeting(std::size_t id, const ir::Function& recursive, std::vector<bool>& seen) {
    if (seen[id]) return true;
    seen[id] = true;
    bool is_fine = true;
    ir::walk(module_.functions[id].body, [&](const Stmt& stmt) {
      const auto* effect = std::get_if<ir::CallEffect>(&stmt.node);
      if (!effect || !is_fine) return;
      const Effects effects = row(effect->builtin).effects;
      if (!is_barrier(effects) && effects != Effects::Warp) return;
      is_fine = false;
      diagnostics_.report(stmt.span, diag::meeting_in_recursion, row(effect->builtin).name, recursive.name)
          .note(recursive.span, "`{}` is defined here", recursive.name);
    });
    for (std::size_t callee : circles_.calls_of(id))
      is_fine = find_meeting(callee, recursive, seen) && is_fine;
    return is_fine;
  }

  void unroll(const std::vector<std::size_t>& circle) {
    // Maps each member to its copy for the next depth.
    std::vector<FunctionId> next(module_.functions.size());
    std::vector<std::size_t> level = circle;
    for (std::size_t member : circle) module_.functions[member].is_recursive = true;
    for (std::size_t depth = 1; depth < limits::recursion_depth; ++depth) {
      std::vector<std::size_t> deeper;
      for (std::size_t i = 0; i < circle.size(); ++i) {
        next[circle[i]] = static_cast<FunctionId>(module_.functions.size());
        deeper.push_back(module_.functions.size());
        add_copy(level[i], depth);
      }
      for (std::size_t id : level)
        each_inner_call(id, [&](Stmt& stmt) {
          auto& call = std::get<ir::Call>(stmt.node);
          call.function = next[index_of(call.function)];
        });
      level = std::move(deeper);
    }
    for (std::size_t id : level)
      each_inner_call(id, [&](Stmt& stmt) { fault_instead(module_, static_cast<FunctionId>(id), stmt); });
  }

  template <class Visit> void each_inner_call(std::size_t id, const Visit& visit) {
    const std::size_t origin = origins_.contains(id) ? origins_.at(id) : id;
    ir::walk(module_.functions[id].body, [&](Stmt& stmt) {
      const auto* call = std::get_if<ir::Call>(&stmt.node);
      if (call && std::ranges::find(circles_.members[origin], index_of(call->function)) !=
                      circles_.members[origin].end())
        visit(stmt);
    });
  }

  // Copies a function whose calls into the circle still go to its first depth.
  void add_copy(std::size_t id, std::size_t depth) {
    const auto copy_id = static_cast<FunctionId>(module_.functions.size());
    ir::Function copy = module_.functions[id];
    const std::string& first = module_.functions[origins_.contains(id) ? origins_.at(id) : id].symbol;
    copy.symbol = first + "$$" + std::to_string(depth);
    ir::walk(copy.body, [&](Stmt& stmt) {
      auto renew = [&](ir::SiteId& site) {
        ir::Site own = module_.sites[static_cast<std::size_t>(site)];
        own.function = copy_id;
        site = static_cast<ir::SiteId>(module_.sites.size());
        module_.sites.push_back(std::move(own));
      };
      if (auto* guard = std::get_if<ir::Guard>(&stmt.node)) renew(guard->site);
      if (auto* fit = std::get_if<ir::Fit>(&stmt.node)) renew(fit->site);
      if (auto* check = std::get_if<ir::Check>(&stmt.node)) renew(check->site);
      if (auto* print = std::get_if<ir::Print>(&stmt.node)) renew(print->site);
    });
    origins_[index_of(copy_id)] = origins_.contains(id) ? origins_.at(id) : id;
    module_.functions.push_back(std::move(copy));
    module_.params.push_back(module_.params[id]);
  }

  ir::Module& module_;
  Diagnostics& diagnostics_;
  Circles circles_;
  std::unordered_map<std::size_t, std::size_t> origins_; // of a copy: the function as it was written
};

} // namespace

void unroll_recursion(ir::Module& module, Diagnostics& diagnostics) { Unroller(module, diagnostics).run(); }

} // namespace kern
