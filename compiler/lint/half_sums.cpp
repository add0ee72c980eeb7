// Sums of f16 and bf16 in a loop, which rounds them in each round: where ones are less than half of the last digit, the sum
// stays what it is.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "compiler/advice/advice.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/ir/definitions.h"
#include "compiler/lint/lints.h"
#include "compiler/support/split.h"

namespace kern {
namespace {

using ir::Operand;
using ir::Stmt;

bool is_half(Type type) { return type == types::f16 || type == types::bf16; }

// The most calls that are told.
constexpr std::size_t most_calls = 4;

// `total + term`, which is computed in f32 and rounded.
struct Sum {
  Span span;
  Operand total, term;
  bool is_difference;
};

// Says whether a text calls something: brackets open behind a name, or behind brackets.
bool has_call(std::string_view text) {
  const auto is_callee = [](char last) {
    return std::isalnum(static_cast<unsigned char>(last)) || last == '_' || last == ']' || last == ')';
  };
  for (std::size_t at = 1; at < text.size(); ++at)
    if (text[at] == '(' && is_callee(text[at - 1])) return true;
  return false;
}

// The function that is looked at, and the calls by which a kernel came to it, the innermost first.
struct Where {
  const ir::Function& function;
  std::vector<Note> calls;
  ir::Definitions definitions{function};
  Nesting nesting{function};

  const ir::Expr* expression(const Operand& operand) const {
    const ir::Assign* assign = operand.slot ? definitions.sole_assign(*operand.slot) : nullptr;
    return assign ? &assign->value : nullptr;
  }

  // Returns what is widened to an operand; another operand as it is.
  Operand widened(const Operand& operand) const {
    const ir::Expr* made = expression(operand);
    const auto* convert = made ? std::get_if<ir::Convert>(made) : nullptr;
    return convert ? convert->value : operand;
  }

  std::optional<Sum> sum_of(const ir::Expr& value) const {
    const auto* copy = std::get_if<ir::Copy>(&value);
    if (const ir::Expr* copied = copy ? expression(copy->value) : nullptr) return sum_of(*copied);
    const auto* rounded = std::get_if<ir::Convert>(&value);
    const ir::Expr* made = rounded ? expression(rounded->value) : nullptr;
    const auto* binary = made ? std::get_if<ir::Binary>(made) : nullptr;
    const bool subtracts = binary && binary->op == ir::BinaryOp::Subtract;
    if (!binary || (binary->op != ir::BinaryOp::Add && !subtracts)) return std::nullopt;
    const Span span = definitions.sole(*rounded->value.slot)->span;
    return Sum{span, widened(binary->left), widened(binary->right), subtracts};
  }

  // Returns the loops around a statement, the innermost first. A round of a loop over a tuple is none: its sum is short.
  std::vector<const Stmt*> loops_around(const Stmt& stmt) const {
    std::vector<const Stmt*> loops;
    for (const Stmt* outer = nesting.of(stmt).outer; outer; outer = nesting.of(*outer).outer) {
      const auto* counted = std::get_if<ir::For>(&outer->node);
      const bool is_round = counted && counted->count == ir::constant_int(types::i64, 1);
      if (ir::is_loop(*outer) && !is_round) loops.push_back(outer);
    }
    return loops;
  }

  // Says whether an operand is the same in each round of the innermost of some loops.
  bool is_steady(const Operand& operand, std::size_t loops) const {
    if (!operand.slot || definitions.writes(*operand.slot) == 0) return true;
    const Stmt* made = definitions.sole(*operand.slot);
    if (!made) return false;
    const std::size_t around = loops_around(*made).size() + (ir::is_loop(*made) ? 1 : 0);
    if (around < loops) return true;
    const bool is_temp = function.slots[static_cast<std::size_t>(*operand.slot)].name.empty();
    bool is_pure =
        std::holds_alternative<ir::Assign>(made->node) || std::holds_alternative<ir::Load>(made->node);
    ir::visit_operands(*made, [&](const Operand& part) { is_pure = is_pure && is_steady(part, loops); });
    return is_temp && is_pure;
  }
};

class HalfSums {
public:
  explicit HalfSums(LintContext& context) : context_(context), module_(context.module) {}

  // Looks at a function, and at what it calls where that is called first.
  void visit(const ir::Function& function, std::vector<Note> calls = {}) {
    if (!seen_.insert(&function).second) return;
    const bool has_halves = std::ranges::any_of(function.slots, is_half, &ir::Slot::type);
    std::optional<Where> where;
    if (has_halves && is_kern(context_, function)) where.emplace(Where{function, calls});
    ir::walk(function.body, [&](const Stmt& stmt) {
      const auto* assign = std::get_if<ir::Assign>(&stmt.node);
      const auto* store = std::get_if<ir::Store>(&stmt.node);
      if (where && assign) check(*where, *assign, stmt);
      if (where && store) check(*where, *store, stmt);
      const auto* call = std::get_if<ir::Call>(&stmt.node);
      if (!call || seen_.contains(&module_.function(call->function))) return;
      const ir::Function& callee = module_.function(call->function);
      std::vector<Note> inner = calls;
      inner.insert(inner.begin(), {stmt.span, fmt::format("in `{}`, called here", callee.name)});
      inner.resize(std::min(inner.size(), most_calls));
      visit(callee, std::move(inner));
    });
  }

private:
  void check(const Where& where, const ir::Assign& assign, const Stmt& stmt) {
    const ir::Slot& slot = where.function.slots[static_cast<std::size_t>(assign.slot)];
    const std::optional<Sum> sum = is_half(slot.type) ? where.sum_of(assign.value) : std::nullopt;
    const bool is_own =
        sum && (sum->total.slot == assign.slot || (!sum->is_difference && sum->term.slot == assign.slot));
    const std::vector<const Stmt*> loops = is_own ? where.loops_around(stmt) : std::vector<const Stmt*>();
    if (loops.empty()) return;
    // The loop of `sum` has its place.
    if (slot.name.empty() && loops.front()->span == sum->span) report_total(where, *sum, slot.type);
    // A field of a record has no declaration of its own.
    const bool is_variable = !slot.name.empty() && slot.name.find('.') == slot.name.npos;
    if (is_variable && is_alone(*sum, slot.name) && locals_.insert({slot.span.file, slot.span.begin}).second)
      report(where, sum->span, slot.name, slot.type,
             fmt::format("declare `{}`", advice::declaration(slot.name, types::f32)), &slot);
  }

  // Says whether a sum is all of `name += x`, or of the value in `name = name + x`.
  bool is_alone(const Sum& sum, std::string_view name) const {
    const std::string_view text = context_.sources.text(sum.span);
    const std::string_view op = trimmed(text.substr(text.starts_with(name) ? name.size() : 0));
    if (op.starts_with("+=") || op.starts_with("-=")) return true;
    const std::uint32_t line = context_.sources.locate(sum.span).line;
    const std::uint32_t begin = context_.sources.file(sum.span.file).line_starts[line - 1];
    std::string_view before = context_.sources.text({sum.span.file, begin, sum.span.begin});
    before = trimmed(before.substr(before.find_last_of(":;") + 1));
    before = before.substr(0, before.find_last_not_of(" (") + 1);
    return before.ends_with('=') && trimmed(before.substr(0, before.size() - 1)) == name;
  }

  // Looks at `a[i] += x`, whose place is evaluated once.
  void check(const Where& where, const ir::Store& store, const Stmt& stmt) {
    const ir::Expr* stored = is_half(store.value.type) ? where.expression(store.value) : nullptr;
    const std::optional<Sum> sum = stored ? where.sum_of(*stored) : std::nullopt;
    const std::vector<const Stmt*> loops = sum ? where.loops_around(stmt) : std::vector<const Stmt*>();
    // All elements of an array are changed by a loop that has the place of the array.
    if (loops.empty() || loops.front()->span == stmt.span) return;
    const Stmt* made = sum->total.slot ? where.definitions.sole(*sum->total.slot) : nullptr;
    const auto* load = made ? std::get_if<ir::Load>(&made->node) : nullptr;
    const bool is_own = load && load->array == store.array && load->indices == store.indices &&
                        sum->span.begin == stmt.span.begin;
    const std::string_view text = context_.sources.text(stmt.span);
    // What a call gives is mostly another element in each round.
    if (is_own && !has_call(text) && std::ranges::all_of(store.indices, [&](const Operand& index) {
          return where.is_steady(index, loops.size());
        }))
      report(where, sum->span, short_text(text), store.value.type,
             "add to a local that starts as `f32(0)`, and store it behind the loop");
  }

  // `sum(values, start)`
  void report_total(const Where& where, const Sum& sum, Type type) {
    const Stmt* load = sum.term.slot ? where.definitions.sole(*sum.term.slot) : nullptr;
    if (!load) return;
    const auto text = [&](Span span) { return context_.sources.text(span); };
    std::string_view rest = text({sum.span.file, load->span.end, sum.span.end - 1});
    rest.remove_prefix(std::min(rest.find_first_not_of(") "), rest.size()));
    std::string_view start = rest.starts_with(',') ? split_at_commas(rest.substr(1)).front() : "0";
    if (start.starts_with("start=")) start.remove_prefix(std::string_view("start=").size());
    report(where, sum.span, short_text(text(sum.span)), type,
           fmt::format("write `sum({}, f32({}))`", short_text(text(load->span)), short_text(start)));
  }

  void report(const Where& where, Span span, std::string_view name, Type type, std::string_view advice,
              const ir::Slot* local = nullptr) {
    if (!places_.insert({span.file, span.begin}).second) return;
    Diagnostics::Builder builder = context_.diagnostics.report(span, diag::half_sum, name, to_string(type),
                                                               type == types::f16 ? 2048 : 256, advice);
    if (local) builder.note(local->span, "`{}` starts here", local->name);
    for (const Note& call : where.calls) builder.note(*call.span, "{}", call.text);
  }

  LintContext& context_;
  const ir::Module& module_;
  std::set<const ir::Function*> seen_;
  std::set<std::pair<FileId, std::uint32_t>> places_, locals_; // that were told
};

} // namespace

void report_half_sums(LintContext& context) {
  HalfSums sums(context);
  for (const bool is_kernel : {true, false})
    for (const ir::Function& function : context.module.functions)
      if (function.is_kernel == is_kernel) sums.visit(function);
}

} // namespace kern
