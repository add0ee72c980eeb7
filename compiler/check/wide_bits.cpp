// Programs that rely on 32 bits: of a number that narrower integers make, bits are shifted out of a word that it is not, or a
// hash is made that goes on to 64 bits. What was declared, cast or stored as an i64 is meant to be one.
#include "compiler/check/wide_bits.h"

#include <algorithm>

#include "compiler/ast/walk.h"
#include "compiler/check/integers.h"
#include "compiler/check/texts.h"
#include "compiler/diagnostics/warnings.h"

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

bool is_name(const ast::Expr* expr, std::string_view name) {
  const auto* read = ast::as<ast::Name>(expr);
  return read && read->text == name;
}

bool is_mixer(const ast::Expr* expr) {
  const auto* literal = ast::as<ast::IntLiteral>(expr);
  return literal && literal->value >= least_mixer && (literal->value & 1) == 1;
}

// What a function does with the bits of one local that is an i64 only because of what it is made of.
class LocalBits {
public:
  LocalBits(Checker& checker, std::string_view name) : checker_(checker), name_(name) {}

  void find(ast::Block body) {
    ast::each_stmt(body, [&](const ast::Stmt& stmt) {
      if (stmt.kind == ast::Kind::For || stmt.kind == ast::Kind::While) loops_.push_back(stmt.span);
      visit(stmt);
      ast::each_expr(stmt, [&](const ast::Expr& expr) { find_rotation(expr); });
    });
    bool scrambles = falls_ && (multiplied_ || raised_);
    std::optional<Span> place = rises_      ? rises_
                                : rotates_  ? rotates_
                                : scrambles ? falls_
                                : reduced_  ? std::nullopt
                                            : repeated_;
    if (place) warn(checker_, *place);
  }

private:
  // Visits `name op= value`, and `name = name op value` as the same.
  void visit(const ast::Stmt& stmt) {
    if (const auto* augmented = ast::as<ast::AugAssign>(&stmt);
        augmented && is_name(augmented->target, name_))
      return change(augmented->op, augmented->value, stmt.span);
    const auto* assign = ast::as<ast::Assign>(&stmt);
    const bool is_own = assign && assign->targets.size() == 1 && is_name(assign->targets[0], name_);
    const auto* value = is_own ? ast::as<ast::Binary>(assign->value) : nullptr;
    if (!value) return;
    if (mentions(value->left)) change(value->op, value->right, stmt.span);
    // `h * 31 + y`, `y ^ h * 31`
    bool adds = value->op == ast::BinaryOp::Add || value->op == ast::BinaryOp::BitXor;
    for (const ast::Expr* part : {value->left, value->right}) {
      const ast::Binary* product = adds ? operation(part, ast::BinaryOp::Multiply) : nullptr;
      if (product && mentions(product->left)) change(product->op, product->right, stmt.span);
      if (product && mentions(product->right)) change(product->op, product->left, stmt.span);
    }
  }

  void change(ast::BinaryOp op, const ast::Expr* value, Span span) {
    if (op == ast::BinaryOp::Multiply && is_mixer(value)) {
      bool repeats = std::ranges::any_of(
          loops_, [&](Span loop) { return loop.begin <= span.begin && span.end <= loop.end; });
      multiplied_ = true;
      if (repeats && !repeated_) repeated_ = span;
    }
    if (op == ast::BinaryOp::Modulo || op == ast::BinaryOp::BitAnd) reduced_ = true;
    const ast::Binary* up = operation(value, ast::BinaryOp::ShiftLeft);
    const ast::Binary* down = operation(value, ast::BinaryOp::ShiftRight);
    bool raises = up && is_name(up->left, name_);
    if (op == ast::BinaryOp::Add && raises) raised_ = true;
    if (op != ast::BinaryOp::BitXor) return;
    if (raises && !rises_) rises_ = span;
    if (down && is_name(down->left, name_) && !falls_) falls_ = span;
  }

  // `x << a | x >> b`
  void find_rotation(const ast::Expr& expr) {
    const auto* either = ast::as<ast::Binary>(&expr);
    bool joins = either && (either->op == ast::BinaryOp::BitOr || either->op == ast::BinaryOp::BitXor ||
                            either->op == ast::BinaryOp::Add);
    auto shifts = [&](const ast::Expr* part, ast::BinaryOp op) {
      const ast::Binary* shift = operation(part, op);
      return shift && is_name(shift->left, name_);
    };
    bool rotates = joins && ((shifts(either->left, ast::BinaryOp::ShiftLeft) &&
                              shifts(either->right, ast::BinaryOp::ShiftRight)) ||
                             (shifts(either->left, ast::BinaryOp::ShiftRight) &&
                              shifts(either->right, ast::BinaryOp::ShiftLeft)));
    if (rotates && !rotates_) rotates_ = expr.span;
    ast::each_part(expr, [&](const ast::Expr& part) { find_rotation(part); });
  }

  // Says whether an expression is the local, or combines it with something by `^`, `+` or `|`.
  bool mentions(const ast::Expr* expr) const {
    if (is_name(expr, name_)) return true;
    const auto* binary = ast::as<ast::Binary>(expr);
    bool combines = binary && (binary->op == ast::BinaryOp::BitXor || binary->op == ast::BinaryOp::Add);
    return combines && (is_name(binary->left, name_) || is_name(binary->right, name_));
  }

  Checker& checker_;
  std::string_view name_;
  std::optional<Span> rises_, falls_; // `x ^= x << k`, `x ^= x >> k`
  std::optional<Span> rotates_;       // `x << a | x >> b`
  std::optional<Span> repeated_;      // a loop multiplies it with what hashes multiply with
  std::vector<Span> loops_;
  bool multiplied_ = false, raised_ = false, reduced_ = false; // by such a literal; `x += x << k`; `x %= y`
};

} // namespace

void warn_shifted_out(Checker& checker, const ast::Binary& node, const Value& left) {
  bool counts = checker.final && has_exact_integers(checker) && node.op == ast::BinaryOp::ShiftRight &&
                is_made_wider(left) && operation(node.left, ast::BinaryOp::ShiftLeft);
  if (counts) warn(checker, node.span);
}

void warn_wide_hashes(Checker& checker, ast::Block body) {
  if (!has_exact_integers(checker)) return;
  std::vector<const Local*> made;
  for (const auto& [name, local] : checker.instance->locals)
    if (!local.annotated && local.type == types::i64 && local.is_made && !local.is_plain)
      made.push_back(&local);
  std::ranges::sort(made, {}, [](const Local* local) { return local->span.begin; });
  for (const Local* local : made) LocalBits(checker, local->name).find(body);
}

} // namespace kern::checker
