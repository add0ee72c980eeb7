// A size cuts the last block short: threads beyond it have left, or pass by the store. Whoever is within it loads what they
// would have stored. What such a thread itself loads is not asked for: mostly it makes nothing of it.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "compiler/diagnostics/warnings.h"
#include "compiler/lint/lints.h"
#include "compiler/lint/shared_touches.h"
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
          [&](const ir::Load& node) { load(node.array); },
          [&](const ir::Atomic& node) {
            node.builtin == Builtin::AtomicStore ? store(node.array) : load(node.array);
          },
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

// Returns how a touch that finds what nobody stored is spoken of.
static std::string_view found_by(const Touched& touched) {
  return touched.touch.kind == TouchKind::Atomic ? "changed by an atomic" : "loaded";
}

// Reports what is loaded, or changed, where another thread's store is missing.
static void report_missing(const BlockRun& block, const Touched& load, const Touched& by,
                           Diagnostics& diagnostics) {
  const bool has_left = block.has_left(by.thread);
  Diagnostics::Builder builder = diagnostics.report(
      load.touch.stmt->span, diag::unstored_shared, describe_touch(load.touch), found_by(load),
      has_left ? "who would have may have left" : "who would have may pass by the store");
  builder.note(by.touch.stmt->span, "{} does not store {} here",
               has_left ? "who has left" : "who does not pass the condition", describe_touch(by.touch));
  builder.note(block.split()->span,
               "this decides who {}: in a block of {} threads, thread {} may {} and thread {} {}",
               has_left ? "leaves" : "stores", block.threads(), load.thread, has_left ? "stay" : "pass",
               by.thread, has_left ? "leave" : "not");
  builder.note("{}", has_left
                         ? "let all threads of the block stay, those with nothing to give with a value that "
                           "changes nothing: instead of the `return`, put what needs the condition under it"
                         : "let all threads of the block store, those with nothing to give a value that "
                           "changes nothing: in an `else`, or by a conditional expression");
}

// Returns the store of the whole block that a load in a part of it misses; null where it is none that is asked for.
static const Touched* missed_store(const SharedTouches& part, const SharedTouches& whole, std::uint32_t array,
                                   const Touched& load, const Touched* stored) {
  if (!stored || part.may_be_stored(array) || stored->thread == load.thread) return nullptr;
  const bool is_before = stored->touch.function != load.touch.function ||
                         stored->touch.stmt->span.begin < load.touch.stmt->span.begin;
  const bool is_own = whole.has_stored(array, load.thread) && !part.has_stored(array, load.thread);
  return is_before && !is_own ? stored : nullptr;
}

bool report_unstored(const SharedTouches& part, const SharedTouches& whole, LintContext& context) {
  const BlockRun& block = part.block();
  if (!block.split()) return false;
  for (const auto& [array, element, load] : part.unstored()) {
    const Touched* by = missed_store(part, whole, array, load, whole.first_store(array, element));
    if (!by) continue;
    report_missing(block, load, *by, context.diagnostics);
    return true;
  }
  // Data may pick any element, also one that only a missing thread stores.
  for (const auto& [array, load] : part.picked_by_data()) {
    const Touched* by =
        missed_store(part, whole, array, load, whole.stored_only_here(array, part, load.thread));
    if (!by) continue;
    report_missing(block, load, *by, context.diagnostics);
    return true;
  }
  return false;
}

// Says whether a touch finds nothing in another run either: it is not made there, or no store is known to be.
static bool is_unstored_in(const SharedTouches& run, std::uint32_t array,
                           std::optional<std::int64_t> element) {
  if (!run.knows_all_stores(array)) return false;
  return element ? !run.first_store(array, *element) : !run.any_store(array);
}

// Returns the first element that an atomic may change by data and that no thread of a known block stores.
static std::optional<std::int64_t> picked_unstored(const SharedTouches& run, const SharedTouches* other,
                                                   const ir::SharedDecl& declared, std::uint32_t array,
                                                   const Touch& touch) {
  const bool is_sure = run.block().has_known_block() && !run.block().was_given_up();
  if (!is_sure || declared.extents.size() != 1) return std::nullopt;
  const std::optional<Interval> picked = picked_elements(touch);
  if (!picked) return std::nullopt;
  const Wide end = std::min<Wide>(picked->high + 1, declared.extents[0]);
  for (auto at = static_cast<std::int64_t>(std::max<Wide>(picked->low, 0)); at < end; ++at)
    if (is_unstored_in(run, array, at) && (!other || is_unstored_in(*other, array, at))) return at;
  return std::nullopt;
}

// Says how all elements of an array get a value at first.
static std::string filling_advice(const ir::SharedDecl& array, const Touched& touched,
                                  std::string_view prefix) {
  if (touched.touch.kind != TouchKind::Atomic)
    return fmt::format("let threads store to `{}` what is loaded here, and write `{}syncthreads()` behind it",
                       array.name, prefix);
  if (array.extents.size() == 1 && array.extents[0] == 1)
    return fmt::format(
        "let one thread store what the atomics begin with, `if {0}threadIdx.x == 0: {1}[0] = 0`, and write "
        "`{0}syncthreads()` behind it",
        prefix, array.name);
  if (array.extents.size() != 1)
    return fmt::format(
        "let the threads of the block store to each element of `{}` what the atomics begin with, and write "
        "`{}syncthreads()` behind it",
        array.name, prefix);
  return fmt::format(
      "let the threads of the block store what the atomics begin with, `for k in range({0}threadIdx.x, {1}, "
      "{0}blockDim.x): {2}[k] = 0`, and write `{0}syncthreads()` behind it",
      prefix, array.extents[0], array.name);
}

bool report_unset_flag(const SharedTouches& without, const SharedTouches& run, LintContext& context) {
  for (const auto& [array, element, load] : without.unstored()) {
    const Touched* store = run.first_store(array, element);
    const auto* stored = store ? std::get_if<ir::Store>(&store->touch.stmt->node) : nullptr;
    // A flag is a constant: a thread that stores its own number is often sure to be there, such as the one
    // with the least value.
    const bool is_flag = stored && !stored->value.slot && run.knows_all_stores(array) &&
                         load.touch.kind == TouchKind::Load && !load.touch.is_in_open_loop &&
                         (load.touch.function != store->touch.function ||
                          store->touch.stmt->span.begin < load.touch.stmt->span.begin);
    if (!is_flag) continue;
    const std::string text = describe_touch(store->touch);
    Diagnostics::Builder builder =
        context.diagnostics.report(load.touch.stmt->span, diag::unstored_shared, describe_touch(load.touch),
                                   found_by(load), "the condition before the store may hold for none");
    builder.note(store->touch.stmt->span, "{} is stored here, where data say so", text);
    builder.note("let one thread store what it is otherwise, before and for all, and write `{}syncthreads()` "
                 "behind it",
                 context.prefix);
    return true;
  }
  return false;
}

bool report_never_stored(const SharedTouches& run, const SharedTouches* other, LintContext& context) {
  std::map<std::uint32_t, std::pair<Touched, std::optional<std::int64_t>>>
      found; // of each array the first one
  const auto add = [&](std::uint32_t array, std::optional<std::int64_t> element, const Touched& touched) {
    const Touched* store = run.any_store(array);
    // How far stores go that are by the number of threads, is known of a block of a known size.
    const bool counts = store ? element && run.block().has_known_block() : true;
    if (!counts || !is_unstored_in(run, array, element) || (other && !is_unstored_in(*other, array, element)))
      return;
    const auto [known, is_new] = found.try_emplace(array, touched, element);
    const bool is_earlier = touched.touch.function == known->second.first.touch.function &&
                            touched.touch.stmt->span.begin < known->second.first.touch.stmt->span.begin;
    if (!is_new && is_earlier) known->second = {touched, element};
  };
  for (const auto& [array, element, touched] : run.unstored()) add(array, element, touched);
  for (const auto& [array, touched] : run.picked_by_data())
    add(array,
        run.any_store(array) ? picked_unstored(run, other, context.module.shared[array], array, touched.touch)
                             : std::nullopt,
        touched);
  for (const auto& [array, first] : found) {
    const Touched& touched = first.first;
    const Touched* store = run.any_store(array);
    const ir::SharedDecl& declared = context.module.shared[array];
    const bool is_by_data = std::ranges::any_of(run.picked_by_data(), [&](const auto& picked) {
      return picked.first == array && picked.second.touch.stmt == touched.touch.stmt;
    });
    const std::string block = fmt::format("in a block of {} threads", run.block().threads());
    Diagnostics::Builder builder = context.diagnostics.report(
        touched.touch.stmt->span, diag::unstored_shared, describe_touch(touched.touch), found_by(touched),
        !store ? "shared memory is not zeroed"
        : is_by_data
            ? fmt::format("{} `{}[{}]`, which data may pick, is left out", block, declared.name,
                          *first.second)
            : fmt::format("{}, thread {} comes to an element that is left out", block, touched.thread));
    if (store) {
      builder.note(store->touch.stmt->span, "what is stored here leaves it out");
      if (is_by_data) builder.note("{}", filling_advice(declared, touched, context.prefix));
      continue;
    }
    builder.note(declared.span, "what `{}` holds at first is whatever was there before", declared.name);
    builder.note("{}", filling_advice(declared, touched, context.prefix));
  }
  return !found.empty();
}

} // namespace kern
