// Goes over the whole function for one place. That is slow, but only errors ask, and so the checker carries
// no target with it. The type of a local without a declaration follows from its uses.
#include "compiler/check/targets.h"

#include <algorithm>
#include <map>

#include "compiler/advice/advice.h"
#include "compiler/ast/walk.h"
#include "compiler/check/complex.h"
#include "compiler/check/integers.h"
#include "compiler/check/stored_sums.h"
#include "compiler/diagnostics/reporting_scope.h"

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

// Returns the type of a field of a record, or of an array of such; unknown where it is none.
Type field_type(Type owner, std::string_view name) {
  Type record = is_record_array(owner) ? record_type(owner) : owner;
  if (!is_record(record)) return types::unknown;
  auto field = std::ranges::find(record->record->fields, name, &RecordField::name);
  bool is_found = field != record->record->fields.end();
  return is_found ? record->elements[static_cast<std::size_t>(field - record->record->fields.begin())]
                  : types::unknown;
}

// Returns the type of a local, or of an element or field of one; unknown of any other expression.
Type place_type(Checker& checker, const ast::Expr& place) {
  if (const auto* name = ast::as<ast::Name>(&place)) {
    const Local* local = checker.find_local(name->text);
    return local ? local->type : types::unknown;
  }
  if (const auto* attribute = ast::as<ast::Attribute>(&place))
    return field_type(place_type(checker, *attribute->value), attribute->name);
  const auto* subscript = ast::as<ast::Subscript>(&place);
  if (!subscript) return types::unknown;
  Type owner = place_type(checker, *subscript->value);
  if (const auto* text = ast::as<ast::StringLiteral>(subscript->indices.front()))
    return field_type(owner, text->value);
  if (is_array(owner)) return is_record_array(owner) ? record_type(owner) : element_type(owner);
  // An array in a record is a tuple of elements of one type.
  for (std::size_t k = 0; k < subscript->indices.size(); ++k)
    owner = is_tuple(owner) && !owner->elements.empty() ? owner->elements[0] : types::unknown;
  return owner;
}

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
    const Local* local = name ? checker_.find_local(name->text) : nullptr;
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
    const Local* local = checker_.find_local(name);
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
    if (!name || checker_.find_local(name->text)) return plain_value(ValueKind::None, call.span);
    std::size_t errors = checker_.errors;
    const ReportingScope quiet(checker_.context.diagnostics, false);
    Value callee = checker_.evaluate(*name);
    checker_.errors = errors;
    return callee;
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

Type declared_type(Checker& checker, const ast::Expr& target) {
  const auto* name = ast::as<ast::Name>(&target);
  const Local* local = name ? checker.find_local(name->text) : nullptr;
  return local && !local->annotated ? types::unknown : place_type(checker, target);
}

std::optional<Target> target_of(Checker& checker, Span place) {
  bool is_known = checker.final && checker.instance && !checker.scope->is_numba();
  return is_known ? TargetFinder(checker).of_place(place) : std::nullopt;
}

// Returns the type to which an integer is cast beside floats of a type.
static Type cast_type(const Value& integer, Type other, const std::optional<Target>& target) {
  bool is_literal = other == types::float_literal;
  Type type = is_literal ? types::f32 : other;
  if (target && is_float(target->type))
    type = join(type, target->type).value_or(type);
  else if (target && is_literal && bit_width(target->type->scalar) > 16 &&
           !holds(exact_interval(types::f32), interval_of(integer)))
    type = types::f64;
  bool is_half = bit_width(type->scalar) < 32;
  return is_half && !fits_by_type(integer, type) ? types::f32 : type;
}

std::string float_cast(Checker& checker, const Value& integer, Type other) {
  return cast_text(checker, integer, cast_type(integer, other, target_of(checker, integer.span)));
}

std::string float_operand(Checker& checker, const Value& integer, Type other, Span place) {
  std::optional<Target> target = target_of(checker, integer.span);
  Type type = cast_type(integer, other, target);
  std::string cast = cast_text(checker, integer, type);
  if (!target || converts(type, target->type)) return cast;
  const std::optional<StoredSum> sum = stored_sum(checker, place);
  if (target->is_augmented && sum && target->whole == integer.span)
    return sum->assigned(advice::cast(advice::binary(sum->target, sum->op, cast), target->type));
  if (target->is_augmented || target->whole == integer.span) return cast;
  const SourceManager& sources = *checker.context.program.sources;
  return advice::cast(advice::replaced(sources, target->whole, integer.span, cast), target->type);
}

} // namespace kern::checker
