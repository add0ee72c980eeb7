// Each warning asks another analysis and then leaves out what is mostly meant: a warning that is mostly wrong
// is worse than none.
#include "compiler/analysis/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "compiler/analysis/assignment.h"
#include "compiler/analysis/describe.h"
#include "compiler/analysis/shape.h"
#include "compiler/analysis/uniformity.h"
#include "compiler/analysis/updates.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/ir/walk.h"

namespace kern {
namespace {

using ir::Operand;
using ir::SlotId;
using ir::Stmt;

std::size_t index_of(SlotId slot) { return static_cast<std::size_t>(slot); }

// ---- -Wunset ----

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
    // Of the parts of a complex number, which are assigned together, the first one is told.
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

// ---- -Wrace and -Wcoalesce ----

// The fewest elements between neighbours that are worth a word.
constexpr std::int64_t far_apart = 8;

class AccessChecker {
public:
  AccessChecker(const ir::Module& module, ir::FunctionId id, const SourceManager& sources,
                Diagnostics& diagnostics)
      : function_(module.function(id)), describe_(function_), uniformity_(analyze_uniformity(module, id)),
        updates_(function_, describe_, uniformity_, sources), diagnostics_(diagnostics) {
    LaneFacts facts{32};
    facts.contiguous = facts.small_grid = true;
    shapes_ = analyze_shapes(module, id, facts);
  }

  void run() {
    visit(function_.body);
    for (auto& [key, found] : found_) report(key, found);
  }

private:
  struct Found {
    Span span;
    std::string element, advice;
    int count = 0;
    Span last; // place
  };
  enum class Cause : std::uint8_t { Race, Update, Distance };
  // Causes come in the order of the program: by the place of the first access.
  using Key = std::pair<std::uint32_t, Cause>; // the array's slot

  void visit(const ir::Body& body) {
    const bool outer = picked_;
    for (const Stmt& stmt : body) {
      if (const auto* load = std::get_if<ir::Load>(&stmt.node))
        check_distance(load->array, load->indices, stmt);
      if (const auto* store = std::get_if<ir::Store>(&stmt.node)) {
        check_distance(store->array, store->indices, stmt);
        check_race(*store, stmt);
      }
      if (const auto* branch = std::get_if<ir::If>(&stmt.node)) {
        visit_branch(*branch);
        continue;
      }
      ir::visit_bodies(stmt, [&](const ir::Body& inner) { visit(inner); });
      // Threads come out of such a loop one at a time (a lock), or in an order that they agreed on.
      picked_ = picked_ || ends_by_atomic(stmt);
    }
    picked_ = outer;
  }

  void visit_branch(const ir::If& branch) {
    const bool outer = picked_;
    picked_ = outer || picks(branch.condition, true);
    const ir::Expr* condition = expression(branch.condition);
    const auto* test = condition ? std::get_if<ir::Compare>(condition) : nullptr;
    if (test) under_.push_back(*test);
    visit(branch.then_body);
    if (test) under_.pop_back();
    picked_ = outer || picks(branch.condition, false);
    visit(branch.else_body);
    picked_ = outer;
    // Who goes on after `if threadIdx.x != 0: return` was picked too.
    if (ir::ends_in_jump(branch.then_body)) picked_ = picked_ || picks(branch.condition, false);
    if (ir::ends_in_jump(branch.else_body)) picked_ = picked_ || picks(branch.condition, true);
  }

  // Says whether an atomic may decide how long a loop runs.
  static bool ends_by_atomic(const Stmt& loop) {
    auto is_atomic = [](const Stmt& stmt) { return std::holds_alternative<ir::Atomic>(stmt.node); };
    const auto* repeated = std::get_if<ir::While>(&loop.node);
    if (repeated && ir::any(repeated->head, is_atomic)) return true;
    return ir::is_loop(loop) && ir::any(loop, is_atomic) &&
           ir::any(loop, [](const Stmt& stmt) { return std::holds_alternative<ir::Break>(stmt.node); });
  }

  // Says whether a condition may hold (or not hold) for one thread only. A test of a range, like `i < n`,
  // does not do that; of what is not understood it is assumed.
  bool picks(const Operand& condition, bool holds) const {
    if (shapes_.of(condition).kind == Shape::Kind::Uniform) return false;
    const ir::Assign* assign = describe_.definitions().sole_assign(*condition.slot);
    const auto* test = assign ? std::get_if<ir::Compare>(&assign->value) : nullptr;
    if (!test) return true;
    if (test->op == ir::CompareOp::Equal) return holds;
    if (test->op == ir::CompareOp::NotEqual) return !holds;
    auto small = [](const Operand& operand) {
      return !operand.slot && is_integer(operand.type) && std::abs(ir::int_value(operand)) <= 1;
    };
    return small(test->left) || small(test->right);
  }

  const ir::Expr* expression(const Operand& operand) const {
    const ir::Assign* assign = operand.slot ? describe_.definitions().sole_assign(*operand.slot) : nullptr;
    return assign ? &assign->value : nullptr;
  }

  // Shapes know numbers, uniformity what is called and local memory too.
  bool is_uniform(const Operand& value) const {
    return shapes_.of(value).kind == Shape::Kind::Uniform || uniformity_.block_uniform[index_of(*value.slot)];
  }

  void check_race(const ir::Store& store, const Stmt& stmt) {
    const bool shared_by_threads =
        store.array.type->space == AddressSpace::Global || store.array.type->space == AddressSpace::Shared;
    if (picked_ || !shared_by_threads || has_one_thread()) return;
    const ArrayShape& array = shapes_.arrays[index_of(*store.array.slot)];
    if (array.base.kind != Shape::Kind::Uniform) return;
    const bool is_one = shapes_.element(store.array, store.indices).kind == Shape::Kind::Uniform;
    if (!is_one && !updates_.is_picked_by_data(store)) return;
    const bool updates = updates_.updates(store);
    if (is_one && !updates && is_uniform(store.value)) return;
    const std::optional<std::string> atomic = updates_.atomic(store, under_);
    if (!is_one && !updates && !atomic) return;
    const std::string advice = atomic    ? fmt::format("write `{}`", *atomic)
                               : !is_one ? "use an atomic, or an element for each thread"
                               : updates ? "combine the values of the threads, by `reduce` of the standard "
                                           "library, and let one thread store the result"
                                         : "let one thread store it: `if threadIdx.x == 0:`";
    add(store.array, is_one ? Cause::Race : Cause::Update, stmt.span,
        describe_.element(whole(store.array), store.indices), advice);
  }

  bool has_one_thread() const {
    const auto& block = function_.options.block;
    return block && (*block)[0] * (*block)[1] * (*block)[2] == 1;
  }

  void check_distance(const Operand& array, const std::vector<Operand>& indices, const Stmt& stmt) {
    if (array.type->space != AddressSpace::Global) return;
    const Shape last = shapes_.of(indices.back());
    const std::string element = describe_.element(whole(array), indices);
    if (last.kind == Shape::Kind::Linear && std::abs(last.step) >= far_apart)
      return add(array, Cause::Distance, stmt.span, element,
                 fmt::format("they are {} elements from one to the next", std::abs(last.step)));
    // A loop over the last axis, as over the channels of a pixel, is no mistake; another index of the thread
    // there is.
    const Operand& index = indices.back();
    const bool of_thread = index.slot && !uniformity_.block_uniform[index_of(*index.slot)];
    if (last.kind != Shape::Kind::Uniform || !of_thread) return;
    for (std::size_t axis = 0; axis + 1 < indices.size(); ++axis)
      if (shapes_.of(indices[axis]).kind == Shape::Kind::Linear)
        return add(array, Cause::Distance, stmt.span, element, "let `threadIdx.x` run along the last index");
  }

  // Returns the array of complex elements that an array of parts is a view of; another one as it is.
  Operand whole(const Operand& array) const {
    const ir::Expr* made = expression(array);
    const auto* view = made ? std::get_if<ir::View>(made) : nullptr;
    return view && view->part ? view->array : array;
  }

  // Both parts of an element are read and written at one place.
  void add(const Operand& array, Cause cause, Span span, std::string element, std::string advice) {
    const Key key{static_cast<std::uint32_t>(*whole(array).slot), cause};
    for (auto& [known, found] : found_) {
      if (known != key) continue;
      const bool is_same = !(whole(array) == array) && found.last == span;
      found.count += !is_same;
      found.last = span;
      return;
    }
    found_.push_back({key, {span, std::move(element), std::move(advice), 1, span}});
  }

  void report(const Key& key, const Found& found) {
    const std::string element = fmt::format("`{}`", found.element);
    Diagnostics::Builder builder = report(key.second, found.span, element, found.advice);
    if (found.count > 1) builder.note("places in this function with the same cause: {}", found.count);
  }

  Diagnostics::Builder report(Cause cause, Span span, const std::string& element, const std::string& advice) {
    switch (cause) {
    case Cause::Race: return diagnostics_.report(span, diag::race, element, advice);
    case Cause::Update: return diagnostics_.report(span, diag::lost_update, element, advice);
    case Cause::Distance: break;
    }
    return diagnostics_.report(span, diag::coalesce, element, advice);
  }

  const ir::Function& function_;
  Describer describe_;
  Shapes shapes_;
  Uniformity uniformity_;
  Updates updates_;
  std::vector<ir::Compare> under_; // the comparisons that hold here
  std::vector<std::pair<Key, Found>> found_;
  bool picked_ = false; // only some threads come here, perhaps one
  Diagnostics& diagnostics_;
};

// One thread a block is meant so.
void check_block(const ir::Function& kernel, Diagnostics& diagnostics) {
  if (!kernel.options.block) return;
  std::int64_t threads = 1, warp = 32;
  for (std::int64_t extent : *kernel.options.block) threads *= extent;
  if (threads > 1 && threads % warp != 0)
    diagnostics.report(kernel.span, diag::partial_warp, threads, warp - threads % warp);
}

} // namespace

void report_warnings(const ir::Module& module, const SourceManager& sources, Diagnostics& diagnostics) {
  report_shuffles(module, diagnostics);
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    UnsetFinder(module.functions[i], diagnostics).run();
    if (!module.functions[i].is_kernel) continue;
    AccessChecker(module, static_cast<ir::FunctionId>(i), sources, diagnostics).run();
    check_block(module.functions[i], diagnostics);
  }
}

} // namespace kern
