// Narrowing by demanded bits: a word of what is computed in 64 bits is computed in 32, where words are all it
// is made of and the long value is needed too.
//
//     a: u64 = u64(x); p = a * b; low = u32(p); high = u32(p >> 32)
//         ->   a: u64 = u64(x); a' = x; p = a * b; p' = a' * b'; low = p'; high = u32(p >> 32)
//
// Truncation distributes over + - * & | ^ ~ and shifts to the left. LLVM does so too where nobody else reads
// the long value; else it keeps that alive: in a vector it is two registers and a multiplication of 64 bits,
// and a loop carries it as such (Philox with AVX2: 0.41 of the time).
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compiler/ir/definitions.h"
#include "compiler/ir/walk.h"
#include "compiler/support/overloaded.h"
#include "compiler/transform/transform.h"

namespace kern {
namespace {

using ir::Body;
using ir::Operand;
using ir::SlotId;
using ir::Stmt;

const Type word = types::u32;

bool is_word(Type type) { return is_integer(type) && bit_width(type->scalar) <= 32; }
bool is_long(Type type) { return is_integer(type) && bit_width(type->scalar) == 64; }

// The definition of a long value that is computed from words, or from long values that words make. All of
// them are assigned once, so that a word that is computed right after the long value stays the word of it.
struct Long {
  ir::Expr value;
  bool is_widened; // of a word: there is nothing to narrow
  bool is_wanted = false;
  std::optional<Operand> narrow{}; // once it has been computed
};

class Narrower {
public:
  explicit Narrower(ir::Function& function) : function_(function), definitions_(function) {}

  void run() {
    find(function_.body);
    if (any_wanted_) rewrite(function_.body);
  }

private:
  Type type_of(SlotId slot) const { return function_.slots[static_cast<std::size_t>(slot)].type; }

  // ---- What to narrow ----

  // Walks in program order. A body that ends takes what it assigns out of sight, so a long value that is in
  // sight is assigned before the place at hand, in the same body or an outer one.
  void find(const Body& body) {
    std::vector<SlotId> assigned;
    for (const Stmt& stmt : body) {
      if (const auto* assign = std::get_if<ir::Assign>(&stmt.node)) {
        if (is_shared_word(*assign)) want(*std::get<ir::Convert>(assign->value).value.slot);
        if (is_made_of_words(*assign)) {
          longs_.emplace(assign->slot,
                         Long{assign->value, std::holds_alternative<ir::Convert>(assign->value)});
          in_sight_.insert(assign->slot);
          assigned.push_back(assign->slot);
        }
      }
      ir::visit_bodies(stmt, [&](const Body& inner) { find(inner); });
    }
    for (SlotId slot : assigned) in_sight_.erase(slot);
  }

  bool is_made_of_words(const ir::Assign& assign) const {
    if (!is_long(type_of(assign.slot)) || definitions_.writes(assign.slot) != 1) return false;
    return match(
        assign.value, [](const ir::Convert& e) { return is_word(e.value.type); },
        [&](const ir::Binary& e) { return narrows(e) && made_of_words(e.left) && made_of_words(e.right); },
        [&](const ir::Unary& e) { return e.op != ir::UnaryOp::Not && made_of_words(e.value); },
        [](const auto&) { return false; });
  }

  bool made_of_words(const Operand& operand) const {
    return !operand.slot || in_sight_.contains(*operand.slot);
  }

  // Says whether the low word of the result follows from those of the operands. The count of a shift must be
  // known: beyond a word nothing is left of the value.
  static bool narrows(const ir::Binary& e) {
    switch (e.op) {
    case ir::BinaryOp::Add:
    case ir::BinaryOp::Subtract:
    case ir::BinaryOp::Multiply:
    case ir::BinaryOp::BitAnd:
    case ir::BinaryOp::BitOr:
    case ir::BinaryOp::BitXor: return true;
    case ir::BinaryOp::ShiftLeft: return !e.right.slot && (e.right.bits & 63) < 32;
    case ir::BinaryOp::Divide:
    case ir::BinaryOp::FloorDivide:
    case ir::BinaryOp::Modulo:
    case ir::BinaryOp::ShiftRight: return false;
    }
    return false;
  }

  // Whether an assignment takes the low bits of a long value that others read too.
  bool is_shared_word(const ir::Assign& assign) const {
    const Operand* source = word_source(assign);
    return source && definitions_.reads(*source->slot) > 1 && in_sight_.contains(*source->slot) &&
           !longs_.at(*source->slot).is_widened;
  }

  const Operand* word_source(const ir::Assign& assign) const {
    const auto* convert = std::get_if<ir::Convert>(&assign.value);
    bool truncates =
        convert && convert->value.slot && is_long(convert->value.type) && is_word(type_of(assign.slot));
    return truncates ? &convert->value : nullptr;
  }

  void want(SlotId slot) {
    any_wanted_ = true;
    Long& found = longs_.at(slot);
    if (std::exchange(found.is_wanted, true) || found.is_widened) return;
    ir::visit_operands(found.value, [&](const Operand& operand) {
      if (operand.slot && longs_.contains(*operand.slot)) want(*operand.slot);
    });
  }

  // ---- Narrowing ----

  void rewrite(Body& body) {
    Body result;
    result.reserve(body.size());
    std::vector<SlotId> narrowed;
    for (Stmt& stmt : body) {
      ir::visit_bodies(stmt, [&](Body& inner) { rewrite(inner); });
      auto* assign = std::get_if<ir::Assign>(&stmt.node);
      if (const Operand* source = assign ? word_source(*assign) : nullptr)
        if (std::optional<Operand> narrow = narrow_of(*source->slot))
          assign->value = as_type(*narrow, type_of(assign->slot));
      std::optional<SlotId> slot = assign ? std::optional(assign->slot) : std::nullopt;
      result.push_back(std::move(stmt));
      auto found = slot ? longs_.find(*slot) : longs_.end();
      if (found == longs_.end() || !found->second.is_wanted) continue;
      result.push_back(narrow(found->second, result.back()));
      narrowed.push_back(*slot);
    }
    for (SlotId slot : narrowed) longs_.at(slot).narrow.reset();
    body = std::move(result);
  }

  std::optional<Operand> narrow_of(SlotId slot) const {
    auto found = longs_.find(slot);
    return found == longs_.end() ? std::nullopt : found->second.narrow;
  }

  static ir::Expr as_type(const Operand& value, Type type) {
    if (value.type == type) return ir::Copy{value};
    return ir::Convert{value};
  }

  // The statement that computes the word of a long value, right after that.
  Stmt narrow(Long& found, const Stmt& at) {
    ir::Expr value = found.value;
    if (const auto* convert = std::get_if<ir::Convert>(&found.value)) {
      value = as_type(convert->value, word);
    } else {
      ir::visit_operands(value, [&](Operand& operand) {
        operand = operand.slot ? *longs_.at(*operand.slot).narrow
                               : ir::constant_int(word, static_cast<std::int64_t>(operand.bits));
      });
    }
    found.narrow = Operand{word, static_cast<SlotId>(function_.slots.size())};
    function_.slots.push_back({"", word, ir::Slot::Kind::Temp, at.span});
    return {ir::Assign{*found.narrow->slot, std::move(value)}, at.span, at.scope};
  }

  ir::Function& function_;
  ir::Definitions definitions_; // of the slots that were there
  std::unordered_map<SlotId, Long> longs_;
  std::unordered_set<SlotId> in_sight_;
  bool any_wanted_ = false;
};

} // namespace

void narrow_words(ir::Module& module) {
  for (ir::Function& function : module.functions) Narrower(function).run();
}

} // namespace kern
