// The other places of a function where an integer meets floats as it does in an error. What is computed of a value that an
// error was reported of is not reported again: such places are written with the first, or they would be found one by one.
#include <set>

#include "compiler/ast/walk.h"
#include "compiler/check/checker.h"
#include "compiler/check/integers.h"
#include "compiler/check/targets.h"

namespace kern::checker {

namespace {

constexpr std::size_t most_places = 4;

bool computes(ast::BinaryOp op) {
  return op == ast::BinaryOp::Add || op == ast::BinaryOp::Subtract || op == ast::BinaryOp::Multiply ||
         op == ast::BinaryOp::Divide;
}

class LikePlaces {
public:
  LikePlaces(Checker& checker, std::string_view name, Span first) : checker_(checker), name_(name) {
    std::size_t before = 0;
    do {
      before = wrong_.size();
      ast::each_stmt(checker_.instance->function->def->body,
                     [&](const ast::Stmt& stmt) { follow(stmt, first); });
    } while (wrong_.size() != before);
  }

  // Notes the places behind one.
  void note(Report& report, Span first) {
    ast::each_stmt(checker_.instance->function->def->body, [&](const ast::Stmt& stmt) {
      const auto* augmented = ast::as<ast::AugAssign>(&stmt);
      if (augmented && computes(augmented->op) && is_made_of(*augmented->value))
        add(report, first, stmt.span, *augmented->value, *augmented->target);
      ast::each_expr(stmt, [&](const ast::Expr& expr) { walk(report, first, expr); });
    });
    if (count_ > most_places) report.note("and {} more", count_ - most_places);
  }

private:
  void walk(Report& report, Span first, const ast::Expr& expr) {
    const auto* binary = ast::as<ast::Binary>(&expr);
    bool is_right = binary && is_made_of(*binary->right), is_left = binary && is_made_of(*binary->left);
    if (binary && computes(binary->op) && is_left != is_right)
      add(report, first, expr.span, is_right ? *binary->right : *binary->left,
          is_right ? *binary->left : *binary->right);
    ast::each_part(expr, [&](const ast::Expr& part) { walk(report, first, part); });
  }

  void add(Report& report, Span first, Span place, const ast::Expr& integer, const ast::Expr& other) {
    bool is_later = place.file == first.file && place.begin > first.begin;
    Type type = float_of(other);
    if (!is_later || type == types::unknown || !mentions_wrong(other) || ++count_ > most_places) return;
    Value value =
        runtime_value(checker_.variable(checker_.find_local(name_)->type, integer.span), integer.span);
    report.note(place, "`{}` meets {} here too: write `{}`", name_, to_string(type),
                float_operand(checker_, value, type));
  }

  // Follows what a statement makes of a value that an error is reported of.
  void follow(const ast::Stmt& stmt, Span first) {
    auto take = [&](const ast::Expr& target, const ast::Expr& value) {
      const auto* name = ast::as<ast::Name>(&target);
      const Local* local = name ? checker_.find_local(name->text) : nullptr;
      bool is_first =
          stmt.span.file == first.file && stmt.span.begin <= first.begin && first.end <= stmt.span.end;
      if (local && !local->annotated && (is_first || mentions_wrong(value))) wrong_.insert(name->text);
    };
    if (const auto* assign = ast::as<ast::Assign>(&stmt); assign && assign->targets.size() == 1)
      take(*assign->targets[0], *assign->value);
    if (const auto* augmented = ast::as<ast::AugAssign>(&stmt)) take(*augmented->target, *augmented->value);
  }

  bool mentions_wrong(const ast::Expr& expr) const {
    const auto* name = ast::as<ast::Name>(&expr);
    bool found = name && wrong_.contains(name->text);
    ast::each_part(expr, [&](const ast::Expr& part) { found = found || mentions_wrong(part); });
    return found;
  }

  // Says whether an expression is the integer, or it with literals.
  bool is_made_of(const ast::Expr& expr) const {
    if (const auto* name = ast::as<ast::Name>(&expr)) return name->text == name_;
    if (const auto* unary = ast::as<ast::Unary>(&expr)) return is_made_of(*unary->operand);
    const auto* binary = ast::as<ast::Binary>(&expr);
    if (!binary || !computes(binary->op) || binary->op == ast::BinaryOp::Divide) return false;
    auto is_number = [](const ast::Expr* part) { return part->kind == ast::Kind::IntLiteral; };
    return (is_made_of(*binary->left) && is_number(binary->right)) ||
           (is_number(binary->left) && is_made_of(*binary->right));
  }

  static Type only_float(Type type) { return is_scalar(type) && is_float(type) ? type : types::unknown; }

  // Returns the float type that an expression has for sure; unknown of any other.
  Type float_of(const ast::Expr& expr) const {
    if (const auto* name = ast::as<ast::Name>(&expr)) {
      const Local* local = checker_.find_local(name->text);
      return local ? only_float(local->type) : types::unknown;
    }
    if (const auto* subscript = ast::as<ast::Subscript>(&expr)) {
      const auto* array = ast::as<ast::Name>(subscript->value);
      const Local* local = array ? checker_.find_local(array->text) : nullptr;
      bool is_element = local && is_array(local->type) && subscript->indices.size() == local->type->rank;
      return is_element ? only_float(element_type(local->type)) : types::unknown;
    }
    if (const auto* unary = ast::as<ast::Unary>(&expr)) return float_of(*unary->operand);
    const auto* binary = ast::as<ast::Binary>(&expr);
    if (!binary || !computes(binary->op)) return types::unknown;
    Type left = float_of(*binary->left), right = float_of(*binary->right);
    if (left == types::unknown || right == types::unknown) return left == types::unknown ? right : left;
    return join(left, right).value_or(types::unknown);
  }

  Checker& checker_;
  std::string_view name_;
  std::set<std::string_view> wrong_; // locals
  std::size_t count_ = 0;
};

} // namespace

// Returns the name of the local that an integer is made of; "" where there is none, or another.
static std::string_view only_local(const Checker& checker, const Value& integer) {
  std::string_view text = checker.context.source(integer.span);
  std::size_t begin = text.find_first_not_of("0123456789 -+*(");
  if (begin == std::string_view::npos) return "";
  std::string_view name = text.substr(begin, text.find_first_of(" -+*)", begin) - begin);
  return name.find_first_of("([{.") == std::string_view::npos ? name : "";
}

void note_like_places(Checker& checker, Report& report, const Value& integer, Span first) {
  if (!checker.final || !checker.instance || !checker.context.diagnostics.enabled()) return;
  std::string_view name = only_local(checker, integer);
  if (!name.empty() && checker.find_local(name)) LikePlaces(checker, name, first).note(report, first);
}

} // namespace kern::checker
