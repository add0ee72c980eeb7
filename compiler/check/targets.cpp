// Goes over the whole function for one place. That is slow, but only errors ask, and so the checker carries
// no target with it. The type of a local without a declaration follows from its uses.
#include "compiler/check/targets.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/expressions.h"
#include "compiler/check/signatures.h"

#include <map>

#include "compiler/ast/walk.h"

namespace kern::checker {

namespace {

// The destination of an expression: a place of a declared type, or a local without a declaration.
struct Goal {
  Type type = types::unknown;
  std::string_view local;
  Span whole;
  bool is_augmented = false;

  bool is_none() const { return type == types::unknown && local.empty(); }
};

// Visits the expressions of a function with what each of them goes into.
class TargetFinder {
public:
  explicit TargetFinder(Checker& checker) : checker_(checker) {}

  std::optional<Target> of_place(Span place) {
    Goal found;
    each([&](const ast::Expr& expr, const Goal& goal) {
      if (expr.span == place) found = goal;
    });
    if (found.is_none()) return std::nullopt;
    if (!found.local.empty()) {
      each([&](const ast::Expr& expr, const Goal& goal) {
        const auto* read = ast::as<ast::Name>(&expr);
        if (read && !goal.is_none()) uses_[read->text].push_back(goal);
      });
      found.type = type_of_local(found.local);
    }
    if (found.type == types::unknown) return std::nullopt;
    return Target{found.type, found.whole, found.is_augmented};
  }

private:
  template <class Visit> void each(const Visit& visit) {
    ast::each_stmt(checker_.instance->function->def->body, [&](const ast::Stmt& stmt) {
      const auto* assign = ast::as<ast::Assign>(&stmt);
      if (assign && assign->targets.size() == 1)
        return walk(*assign->value, into(*assign->targets[0], *assign->value, false), visit);
      if (const auto* annotated = ast::as<ast::AnnAssign>(&stmt); annotated && annotated->value)
        return walk(*annotated->value, into(*annotated->target, *annotated->value, false), visit);
      if (const auto* augmented = ast::as<ast::AugAssign>(&stmt))
        return walk(*augmented->value, into(*augmented->target, *augmented->value, true), visit);
      if (const auto* result = ast::as<ast::Return>(&stmt); result && result->value) {
        const Local& local = checker_.instance->result;
        return walk(*result->value, local.annotated ? number(local.type, *result->value) : Goal{}, visit);
      }
      ast::each_expr(stmt, [&](const ast::Expr& expr) { walk(expr, {}, visit); });
    });
  }

  static Goal number(Type type, const ast::Expr& whole, bool is_augmented = false) {
    if (!is_scalar(type) || !(is_integer(type) || is_float(type) || is_complex(type))) return {};
    return {is_complex(type) ? part_type(type) : type, "", whole.span, is_augmented};
  }

  Goal into(const ast::Expr& target, const ast::Expr& value, bool is_augmented) {
    const auto* name = ast::as<ast::Name>(&target);
    const Local* local = name ? find_local(checker_, name->text) : nullptr;
    if (local && !local->annotated) return {types::unknown, name->text, value.span, is_augmented};
    return number(declared_type(checker_, target), value, is_augmented);
  }

  // Returns the float type for a local without a declaration, no wider than what is made of it needs.
  Type type_of_local(std::string_view name) {
    auto [known, is_new] = types_.try_emplace(name, types::unknown);
    if (!is_new) return known->second;
    Type widest = types::unknown;
    for (const Goal& goal : uses_[name]) {
      Type type = goal.local.empty() ? goal.type : type_of_local(goal.local);
      bool counts = is_scalar(type) && is_float(type) && bit_width(type->scalar) >= 32;
      if (counts && (widest == types::unknown || bit_width(type->scalar) > bit_width(widest->scalar)))
        widest = type;
    }
    const Local* local = find_local(checker_, name);
    Type own = local && is_scalar(local->type) && (is_integer(local->type) || is_float(local->type))
                   ? local->type
                   : types::unknown;
    bool is_used = widest != types::unknown && (own == types::unknown || !is_float(own) ||
                                                bit_width(own->scalar) > bit_width(widest->scalar));
    // An integer local has its type without the float in question, so that type does not count.
    Type type = is_used ? widest : is_float(own) ? own : types::unknown;
    types_.insert_or_assign(name, type);
    return type;
  }

  template <class Visit> void walk(const ast::Expr& expr, const Goal& goal, const Visit& visit) {
    visit(expr, goal);
    if (const auto* call = ast::as<ast::Call>(&expr)) return walk_call(*call, goal, visit);
    if (const auto* choice = ast::as<ast::Conditional>(&expr)) {
      walk(*choice->condition, {}, visit);
      walk(*choice->then_value, goal, visit);
      return walk(*choice->else_value, goal, visit);
    }
    if (const auto* named = ast::as<ast::NamedExpr>(&expr))
      return walk(*named->value, into(*named->target, *named->value, false), visit);
    const auto* binary = ast::as<ast::Binary>(&expr);
    bool is_shift =
        binary && (binary->op == ast::BinaryOp::ShiftLeft || binary->op == ast::BinaryOp::ShiftRight);
    bool goes_on = (binary && !is_shift) || ast::as<ast::Unary>(&expr);
    ast::each_part(expr, [&](const ast::Expr& part) { walk(part, goes_on ? goal : Goal{}, visit); });
  }

  template <class Visit> void walk_call(const ast::Call& call, const Goal& goal, const Visit& visit) {
    const auto* attribute = ast::as<ast::Attribute>(call.callee);
    Value callee = callee_of(call);
    std::string_view module = attribute ? checker_.context.source(attribute->value->span) : "";
    bool passes =
        callee.kind == ValueKind::Builtin || module == "math" || module == "np" || module == "cmath";
    for (std::size_t i = 0; i < call.args.size(); ++i) {
      const ast::Expr& arg = *call.args[i];
      Goal own = passes ? goal : Goal{};
      if (callee.kind == ValueKind::Type) own = number(callee.type, arg);
      if (callee.kind == ValueKind::Function && i < callee.function->def->params.size())
        own = parameter(*callee.function, callee.function->def->params[i], arg);
      // The value of an atomic stands behind the index.
      if (Type array = place_type(checker_, *call.args[0]); module == "atomic" && i > 1)
        own = is_array(array) && !is_record_array(array) ? number(element_type(array), arg) : Goal{};
      walk(arg, own, visit);
    }
    for (const ast::Keyword& keyword : call.keywords) walk(*keyword.value, {}, visit);
  }

  // Returns the callee of a call, evaluated in silence: its errors are reported where the call is checked.
  Value callee_of(const ast::Call& call) {
    const auto* name = ast::as<ast::Name>(call.callee);
    if (!name || find_local(checker_, name->text)) return plain_value(ValueKind::None, call.span);
    const Silence silence(checker_);
    return evaluate(checker_, *name);
  }

  Goal parameter(const FunctionSymbol& function, const ast::Param& param, const ast::Expr& arg) {
    if (!param.annotation || param.kind != ast::ParamKind::Normal) return {};
    std::optional<Type> type = type_of_expr(checker_.context, *function.file, *param.annotation);
    return type ? number(*type, arg) : Goal{};
  }

  Checker& checker_;
  std::map<std::string_view, std::vector<Goal>> uses_; // where a name is read
  std::map<std::string_view, Type> types_;             // of locals without a declaration
};

} // namespace

std::optional<Target> find_target(Checker& checker, Span place) {
  return TargetFinder(checker).of_place(place);
}

} // namespace kern::checker
