// Programs that rely on 32 bits: of a number that narrower integers make, bits are shifted out of a word that it is not, or a
// hash is made that goes on to 64 bits. What was declared, cast or stored as an i64 is meant to be one.
#include "compiler/check/core/wide_bits.h"

#include <algorithm>

#include "compiler/ast/walk.h"
#include "compiler/check/core/integers.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/support/split.h"

namespace kern::checker {

namespace {

// A literal that hashes multiply with is odd and no smaller.
constexpr WideInt least_mixer = 31;

void warn(Checker& checker, Span span) {
  checker.report(span, diag::wide_bits, short_text(checker.context.source(span)));
}

const ast::Binary* operation(const ast::Expr* expr, ast::BinaryOp op) {
  const auto* binary = ast::as<ast::Binary>(expr);
  return binary && binary->op == op ? binary : nullptr;
}

// Returns the name that an expression is; "" of another one.
std::string_view name_of(const ast::Expr* expr) {
  const auto* name = ast::as<ast::Name>(expr);
  return name ? name->text : std::string_view();
}

// Returns the name that an operator shifts; "" where it does not shift one.
std::string_view shifted_name(const ast::Expr* expr, ast::BinaryOp op) {
  const ast::Binary* shift = operation(expr, op);
  return shift ? name_of(shift->left) : std::string_view();
}

bool is_mixer(const ast::Expr* expr) {
  const auto* literal = ast::as<ast::IntLiteral>(expr);
  return literal && literal->value >= least_mixer && (literal->value & 1) == 1;
}

// What a function does with the bits of one local.
struct Bits {
  const Local* local;
  std::optional<Span> rises = {}, falls = {}; // `x ^= x << k`, `x ^= x >> k`
  std::optional<Span> rotates = {};           // `x << a | x >> b`
  std::optional<Span> repeated = {};          // a loop multiplies it with what hashes multiply with
  bool is_multiplied = false, is_raised = false, rests = false; // by such a literal; `x += x << k`; `x %= y`

  // Returns where it is used as the 32 bits of an int are.
  std::optional<Span> place() const {
    if (rises) return rises;
    if (rotates) return rotates;
    if (falls && (is_multiplied || is_raised)) return falls;
    return rests ? std::nullopt : repeated;
  }
};

// Finds it for the locals that are i64s only because of what they are made of, in one walk.
class BitsFinder {
public:
  explicit BitsFinder(const Checker& checker) {
    for (const auto& [name, local] : checker.instance->locals)
      if (!local.annotated && local.type == types::i64 && local.is_made && !local.is_plain)
        found_.emplace(name, Bits{&local});
  }

  // Returns where such locals are used so, in the order in which the locals appear.
  std::vector<Span> find(ast::Block body) {
    if (found_.empty()) return {};
    ast::each_stmt(body, [&](const ast::Stmt& stmt) {
      if (stmt.kind == ast::Kind::For || stmt.kind == ast::Kind::While)
        loop_end_ = std::max(loop_end_, stmt.span.end);
      visit(stmt);
      ast::each_expr(stmt, [&](const ast::Expr& expr) { find_rotation(expr); });
    });
    std::vector<const Bits*> used;
    for (const auto& [name, bits] : found_)
      if (bits.place()) used.push_back(&bits);
    std::ranges::sort(used, {}, [](const Bits* bits) { return bits->local->span.begin; });
    std::vector<Span> places;
    for (const Bits* bits : used) places.push_back(*bits->place());
    return places;
  }

private:
  Bits* bits_of(std::string_view name) {
    auto found = found_.find(name);
    return found == found_.end() ? nullptr : &found->second;
  }

  // Visits `name op= value`, and `name = name op value` as the same.
  void visit(const ast::Stmt& stmt) {
    if (const auto* augmented = ast::as<ast::AugAssign>(&stmt)) {
      if (Bits* bits = bits_of(name_of(augmented->target)))
        change(*bits, augmented->op, augmented->value, stmt.span);
      return;
    }
    const auto* assign = ast::as<ast::Assign>(&stmt);
    Bits* bits = assign && assign->targets.size() == 1 ? bits_of(name_of(assign->targets[0])) : nullptr;
    const auto* value = bits ? ast::as<ast::Binary>(assign->value) : nullptr;
    if (!value) return;
    const std::string_view name = bits->local->name;
    if (mentions(value->left, name)) change(*bits, value->op, value->right, stmt.span);
    // `h * 31 + y`, `y ^ h * 31`
    bool adds = value->op == ast::BinaryOp::Add || value->op == ast::BinaryOp::BitXor;
    for (const ast::Expr* part : {value->left, value->right}) {
      const ast::Binary* product = adds ? operation(part, ast::BinaryOp::Multiply) : nullptr;
      if (product && mentions(product->left, name)) change(*bits, product->op, product->right, stmt.span);
      if (product && mentions(product->right, name)) change(*bits, product->op, product->left, stmt.span);
    }
  }

  void change(Bits& bits, ast::BinaryOp op, const ast::Expr* value, Span span) {
    if (op == ast::BinaryOp::Multiply && is_mixer(value)) {
      bits.is_multiplied = true;
      // What a loop around it ends behind stands in it.
      if (span.end <= loop_end_ && !bits.repeated) bits.repeated = span;
    }
    if (op == ast::BinaryOp::Modulo || op == ast::BinaryOp::BitAnd) bits.rests = true;
    bool rises = shifted_name(value, ast::BinaryOp::ShiftLeft) == bits.local->name;
    if (op == ast::BinaryOp::Add && rises) bits.is_raised = true;
    if (op != ast::BinaryOp::BitXor) return;
    if (rises && !bits.rises) bits.rises = span;
    bool falls = shifted_name(value, ast::BinaryOp::ShiftRight) == bits.local->name;
    if (falls && !bits.falls) bits.falls = span;
  }

  // `x << a | x >> b`
  void find_rotation(const ast::Expr& expr) {
    const auto* either = ast::as<ast::Binary>(&expr);
    bool joins = either && (either->op == ast::BinaryOp::BitOr || either->op == ast::BinaryOp::BitXor ||
                            either->op == ast::BinaryOp::Add);
    for (bool first : {true, false}) {
      if (!joins) break;
      std::string_view up = shifted_name(first ? either->left : either->right, ast::BinaryOp::ShiftLeft);
      std::string_view down = shifted_name(first ? either->right : either->left, ast::BinaryOp::ShiftRight);
      Bits* bits = up == down ? bits_of(up) : nullptr;
      if (bits && !bits->rotates) bits->rotates = expr.span;
    }
    ast::each_part(expr, [&](const ast::Expr& part) { find_rotation(part); });
  }

  // Says whether an expression is a local, or combines it with something by `^` or `+`.
  static bool mentions(const ast::Expr* expr, std::string_view name) {
    if (name_of(expr) == name) return true;
    const auto* binary = ast::as<ast::Binary>(expr);
    bool combines = binary && (binary->op == ast::BinaryOp::BitXor || binary->op == ast::BinaryOp::Add);
    return combines && (name_of(binary->left) == name || name_of(binary->right) == name);
  }

  std::unordered_map<std::string_view, Bits> found_;
  std::uint32_t loop_end_ = 0; // of the loops so far, which are visited before what stands in them
};

} // namespace

void warn_shifted_out(Checker& checker, const ast::Binary& node, const Value& left) {
  bool counts = checker.final && has_exact_integers(checker) && node.op == ast::BinaryOp::ShiftRight &&
                is_made_wider(left) && operation(node.left, ast::BinaryOp::ShiftLeft);
  if (counts) warn(checker, node.span);
}

void warn_wide_hashes(Checker& checker, ast::Block body) {
  if (!has_exact_integers(checker)) return;
  for (Span place : BitsFinder(checker).find(body)) warn(checker, place);
}

} // namespace kern::checker
