// Records that locals of a .kern file hold: `p.x = v`, `p.f[i, j] += v`, `p.inner[i].y = v`. The target is followed once from the
// local down to the part, so that each index is evaluated once; then the local is assigned a record with another part.
#include <algorithm>

#include "compiler/ast/walk.h"
#include "compiler/check/arrays/computed_parts.h"
#include "compiler/check/arrays/places.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/report.h"
#include "compiler/check/expressions.h"
#include "compiler/check/records/records.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/types.h"

namespace kern::checker {

namespace {

// Returns the local that a target is a part of: `p.x`, `p.x[i]`, `p.inner.y`.
Local* root_of(Checker& checker, const ast::Expr& target) {
  if (const auto* name = ast::as<ast::Name>(&target)) return find_local(checker, name->text);
  if (const auto* attribute = ast::as<ast::Attribute>(&target)) return root_of(checker, *attribute->value);
  if (const auto* subscript = ast::as<ast::Subscript>(&target)) return root_of(checker, *subscript->value);
  return nullptr;
}

Type type_of_local(Checker& checker, const Local& local) {
  if (local.now.known) return type_of(checker, *local.now.known).value_or(types::error);
  return local.type == types::unknown ? local.now.joined : local.type;
}

// A step from a record or tuple to a part of it.
struct Step {
  Value whole;
  Type part = types::error;
  std::size_t index = 0;           // of the part
  std::optional<TupleParts> parts; // where the index is computed: it is the one at `place`
  ir::Operand place;
};

struct Path {
  Checker& checker;
  const ast::Expr& target;
  std::vector<Step> steps = {};
  Value value = {}; // what the steps lead to

  bool refuse() {
    Report error = checker.report(target.span, diag::not_assignable, checker.context.source(target.span));
    if (is_tuple(value) && !is_record(value.type))
      error.note(value.span, "`{}` is {}", checker.context.source(value.span), describe(checker, value));
    return false;
  }

  void go(std::size_t index, Span span) {
    Value part = read_at(value.elements[index], span);
    Type type =
        is_record(value.type) ? value.type->elements[index] : type_of(checker, part).value_or(types::error);
    steps.push_back({std::move(value), type, index, std::nullopt, {}});
    value = std::move(part);
  }

  bool go_to_field(std::string_view name, Span span) {
    if (!is_tuple(value) || !is_tuple(value.type)) return refuse();
    if (value.type->record->is_named_tuple) {
      checker.report(target.span, diag::named_tuple_field, value.type->record->name);
      return false;
    }
    std::optional<std::size_t> index = find_field(checker, value.type, name, span);
    if (index) go(*index, span);
    return index.has_value();
  }

  bool go_to_constant(const Value& index, const ast::Subscript& expr) {
    if (!is_tuple(value) || (is_tuple(value.type) && value.type->record->is_named_tuple)) return refuse();
    const std::optional<std::size_t> place =
        constant_place(checker, index, value.elements.size(), expr, target.span);
    if (place) go(*place, expr.span);
    return place.has_value();
  }

  bool go_to_computed(const std::vector<Value>& indices, const ast::Subscript& expr) {
    std::optional<TupleParts> parts = parts_of_tuple(checker, value, indices.size());
    if (!parts) {
      checker.report(target.span, diag::computed_tuple_index, checker.context.source(expr.value->span));
      return false;
    }
    std::optional<ir::Operand> place = place_of_part(checker, *parts, indices, *expr.value, expr.span);
    if (!place) return false;
    Value part = chosen_part(checker, *parts, *place, expr.span);
    Type type = parts->type;
    steps.push_back({std::move(value), type, 0, std::move(parts), *place});
    value = std::move(part);
    return true;
  }

  bool go_to_element(const ast::Subscript& expr) {
    std::vector<Value> indices;
    for (const ast::Expr* each : expr.indices) {
      if (each->kind == ast::Kind::Slice) return refuse();
      indices.push_back(evaluate(checker, *each));
    }
    bool is_constant = true;
    for (const Value& index : indices) {
      if (is_error(index) || is_unknown(index) || !check_index(checker, index)) return false;
      is_constant = is_constant && constant_integer(index);
    }
    if (!is_constant) return is_tuple(value) ? go_to_computed(indices, expr) : refuse();
    return std::ranges::all_of(indices, [&](const Value& index) { return go_to_constant(index, expr); });
  }

  // Follows an expression; false where it is wrong, which is reported, or has no type yet.
  bool follow(const ast::Expr& expr) {
    const auto* attribute = ast::as<ast::Attribute>(&expr);
    const auto* subscript = ast::as<ast::Subscript>(&expr);
    if (!attribute && !subscript) {
      value = evaluate(checker, expr);
      return !is_error(value) && !is_unknown(value);
    }
    if (!follow(attribute ? *attribute->value : *subscript->value)) return false;
    if (is_unknown(value) || has_unknown(value)) return false;
    if (attribute) return go_to_field(attribute->name, expr.span);
    if (std::optional<std::string_view> name = field_name(checker, value, subscript->indices))
      return go_to_field(*name, expr.span);
    return go_to_element(*subscript);
  }

  // Returns the whole with another part at the end of the steps.
  Value with(Value part) {
    for (std::size_t at = steps.size(); at-- > 0;) {
      Step& step = steps[at];
      part = field_value(checker, part, step.part);
      if (is_error(part)) return part;
      if (step.parts) {
        part = with_chosen_part(checker, *step.parts, step.place, part, target.span);
        continue;
      }
      step.whole.elements[step.index] = std::move(part);
      part = std::move(step.whole);
    }
    return part;
  }
};

// Says whether a local is a record of a .py file, which is an argument by value and not changed; reports it.
bool is_argument(Checker& checker, const Local& local, const ast::Expr& target) {
  if (!checker.rules.refers_to_records || !is_record(type_of_local(checker, local))) return false;
  checker.report(target.span, diag::record_argument, local.name);
  return true;
}

// Returns where an expression gives a name another value; nothing where it does not.
std::optional<Span> find_assigned(const ast::Expr& expr, std::string_view name) {
  const auto* named = ast::as<ast::NamedExpr>(&expr);
  if (named && named->target->text == name) return named->span;
  std::optional<Span> found;
  ast::each_part(expr, [&](const ast::Expr& part) {
    if (!found) found = find_assigned(part, name);
  });
  return found;
}

// Says whether `:=` gives the local another record between the target's and the assignment to its part, which nobody would
// see then; reports it.
bool is_lost(Checker& checker, const Local& local, const ast::Expr& target, const ast::Expr* operand) {
  std::optional<Span> place = find_assigned(target, local.name);
  if (!place && operand) place = find_assigned(*operand, local.name);
  if (!place) return false;
  checker.report(target.span, diag::not_assignable, checker.context.source(target.span))
      .note(*place, "`{}` is another record from here on, and a change of the old one would be lost",
            local.name);
  return true;
}

} // namespace

Local* assigned_local(Checker& checker, const ast::Expr& target) {
  Local* root = root_of(checker, target);
  if (!root || target.kind == ast::Kind::Name) return root;
  Type type = type_of_local(checker, *root);
  return is_tuple(type) && type->record ? root : nullptr;
}

std::optional<RecordPart> record_part(Checker& checker, Local& local, const ast::Expr& target,
                                      const ast::Expr* operand) {
  if (is_argument(checker, local, target) || is_lost(checker, local, target, operand)) return std::nullopt;
  Path path{checker, target};
  if (!path.follow(target) || is_error(path.value)) return std::nullopt;
  RecordPart part{path.value, {}};
  part.assign = [&local, path = std::move(path)](const Value& value, const ast::Node& site) mutable {
    if (is_error(value) || is_unknown(value)) return;
    Value changed = path.with(value);
    if (!is_error(changed)) assign_local(path.checker, local, changed, site, changed.span);
  };
  return part;
}

} // namespace kern::checker
