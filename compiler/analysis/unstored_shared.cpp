// A size cuts the last block short: threads beyond it have left, or pass by the store. Whoever is within it loads what they
// would have stored. What such a thread itself loads is not asked for: mostly it makes nothing of it.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "compiler/analysis/shared_touches.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/support/overloaded.h"

namespace kern {

namespace {

// Goes through statements in their order, with the loops and conditions around.
class StoreOrder {
public:
  bool is_plain(const ir::Body& body) {
    visit(body);
    return is_plain_;
  }

private:
  void visit(const ir::Body& body) {
    for (const ir::Stmt& stmt : body)
      match(
          stmt.node, [&](const ir::Store& node) { store(node.array); },
          [&](const ir::Load& node) { load(node.array); }, [&](const ir::Atomic& node) { load(node.array); },
          [&](const ir::If& node) { within(stmt, {&node.then_body, &node.else_body}); },
          [&](const ir::While& node) { within(stmt, {&node.head, &node.body}); },
          [&](const ir::For& node) { within(stmt, {&node.body}); },
          [&](const ir::Return&) { is_plain_ = false; },
          [&](const ir::Call& node) {
            if (std::ranges::any_of(node.args, is_shared)) is_plain_ = false;
          },
          [](const auto&) {});
  }

  void within(const ir::Stmt& stmt, std::initializer_list<const ir::Body*> bodies) {
    around_.push_back(&stmt);
    for (const ir::Body* body : bodies) visit(*body);
    around_.pop_back();
  }

  static bool is_shared(const ir::Operand& array) {
    return is_array(array.type) && array.type->space == AddressSpace::Shared;
  }

  void store(const ir::Operand& array) {
    if (!is_shared(array) || first_.contains(*array.slot)) return;
    for (const ir::Stmt* stmt : around_)
      if (!std::holds_alternative<ir::For>(stmt->node)) is_plain_ = false;
    first_[*array.slot] = around_;
  }

  // The loops of the first store are also around what loads from it: who comes here has come there.
  void load(const ir::Operand& array) {
    if (!is_shared(array)) return;
    const auto first = first_.find(*array.slot);
    is_plain_ = is_plain_ && first != first_.end() && first->second.size() <= around_.size() &&
                std::equal(first->second.begin(), first->second.end(), around_.begin());
  }

  std::vector<const ir::Stmt*> around_;
  std::map<ir::SlotId, std::vector<const ir::Stmt*>> first_;
  bool is_plain_ = true;
};

} // namespace

bool may_lack_stores(const ir::Function& kernel) { return !StoreOrder().is_plain(kernel.body); }

bool report_unstored(const SharedTouches& part, const SharedTouches& whole, Diagnostics& diagnostics) {
  const BlockRun& block = part.block();
  if (!block.split()) return false;
  for (const auto& [array, element, load] : part.unstored()) {
    const Touched* stored = whole.first_store(array, element);
    if (!stored || part.may_be_stored(array)) continue;
    const Touched& by = *stored;
    const bool is_before =
        by.touch.function != load.touch.function || by.touch.stmt->span.begin < load.touch.stmt->span.begin;
    if (by.thread == load.thread || by.touch.kind != TouchKind::Store || !is_before) continue;
    if (whole.has_stored(array, load.thread) && !part.has_stored(array, load.thread)) continue;
    const bool has_left = block.has_left(by.thread);
    Diagnostics::Builder builder = diagnostics.report(
        load.touch.stmt->span, diag::unstored_shared, describe_touch(load.touch),
        has_left ? "who would have may have left" : "who would have may pass by the store");
    builder.note(by.touch.stmt->span, "{} does not store {} here",
                 has_left ? "who has left" : "who does not pass the condition", describe_touch(by.touch));
    builder.note(block.split()->span,
                 "this decides who {}: in a block of {} threads, thread {} may {} and thread {} {}",
                 has_left ? "leaves" : "stores", block.threads(), load.thread, has_left ? "stay" : "pass",
                 by.thread, has_left ? "leave" : "not");
    builder.note("{}",
                 has_left ? "let all threads of the block stay, those with nothing to give with a value that "
                            "changes nothing: instead of the `return`, put what needs the condition under it"
                          : "let all threads of the block store, those with nothing to give a value that "
                            "changes nothing: in an `else`, or by a conditional expression");
    return true;
  }
  return false;
}

} // namespace kern
