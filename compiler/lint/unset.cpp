// Reads of a variable to which nothing was assigned on some path.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/analysis/describe.h"
#include "compiler/analysis/flow/assignment.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/ir/walk.h"
#include "compiler/lint/lints.h"

namespace kern {
namespace {

using ir::Operand;
using ir::SlotId;
using ir::Stmt;

// Finds reads of a variable under conditions that none of its assignments is limited to. Kernels often test
// the same thing twice, around a barrier: what `if i < n:` assigned, another `if i < n:` may read.
class UnsetFinder {
public:
  UnsetFinder(const ir::Function& function, Diagnostics& diagnostics)
      : function_(function), unset_(find_unset_reads(function)), describe_(function),
        uses_(function.slots.size()), diagnostics_(diagnostics) {}

  void run() {
    if (std::none_of(unset_.begin(), unset_.end(), [](const auto& read) { return read.has_value(); })) return;
    visit(function_.body);
    // The parts of a complex number are assigned together, so only the first one is told.
    std::optional<std::pair<std::string, Span>> last;
    for (std::size_t i = 0; i < unset_.size(); ++i) {
      const ir::Slot& slot = function_.slots[i];
      if (!unset_[i] || slot.name.empty()) continue;
      for (const Use& read : uses_[i].reads) {
        if (is_covered(read, uses_[i].assignments)) continue;
        std::string name = describe_({slot.type, SlotId(i)});
        const bool is_part = name.ends_with(".real") || name.ends_with(".imag");
        if (is_part) name.resize(name.size() - std::string_view(".real").size());
        const bool is_told = is_part && last == std::pair(name, read.span);
        if (!is_told) diagnostics_.report(read.span, diag::unset, name);
        last = std::pair(std::move(name), read.span);
        break;
      }
    }
  }

private:
  using Conditions = std::set<std::string>;
  struct Use {
    Span span;
    std::vector<std::string> conditions; // that hold there, outer first
  };
  struct Uses {
    std::vector<Use> reads, assignments;
  };

  static bool is_covered(const Use& read, const std::vector<Use>& assignments) {
    const Conditions held(read.conditions.begin(), read.conditions.end());
    return std::any_of(assignments.begin(), assignments.end(), [&](const Use& assignment) {
      if (assignment.span.begin > read.span.begin) return false;
      return std::all_of(assignment.conditions.begin(), assignment.conditions.end(),
                         [&](const std::string& condition) { return held.contains(condition); });
    });
  }

  bool is_wanted(SlotId slot) const {
    return unset_[index_of(slot)] && !function_.slots[index_of(slot)].name.empty();
  }

  void visit(const ir::Body& body) {
    for (const Stmt& stmt : body) {
      ir::visit_operands(stmt, [&](const Operand& operand) {
        if (operand.slot && is_wanted(*operand.slot))
          uses_[index_of(*operand.slot)].reads.push_back({stmt.span, conditions_});
      });
      const bool loop = ir::is_loop(stmt);
      const auto* branch = std::get_if<ir::If>(&stmt.node);
      // Each loop is a condition of its own: that it runs at all.
      if (loop) conditions_.push_back(fmt::format("loop {}", ++loops_));
      ir::visit_results(stmt, [&](SlotId slot) {
        if (is_wanted(slot)) uses_[index_of(slot)].assignments.push_back({stmt.span, conditions_});
      });
      bool first = true;
      ir::visit_bodies(stmt, [&](const ir::Body& inner) {
        if (branch)
          conditions_.push_back((std::exchange(first, false) ? "" : "not ") + describe_(branch->condition));
        visit(inner);
        if (branch) conditions_.pop_back();
      });
      if (loop) conditions_.pop_back();
    }
  }

  const ir::Function& function_;
  std::vector<std::optional<Span>> unset_;
  Describer describe_;
  std::vector<Uses> uses_; // by slot
  std::vector<std::string> conditions_;
  int loops_ = 0;
  Diagnostics& diagnostics_;
};

} // namespace

void report_unset(LintContext& context) {
  for (const ir::Function& function : context.module.functions)
    UnsetFinder(function, context.diagnostics).run();
}

} // namespace kern
