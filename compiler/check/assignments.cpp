// Assignments: names, elements, slices, and tuples of them. The value is evaluated first, then each target
// from left to right; of `a[i] += x` the target is evaluated once, before x.
#include <algorithm>
#include <array>

#include "compiler/advice/advice.h"
#include "compiler/check/arrays/elementwise.h"
#include "compiler/check/arrays/places.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/habits.h"
#include "compiler/check/core/integers.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/core/report.h"
#include "compiler/check/core/tuples.h"
#include "compiler/check/expressions.h"
#include "compiler/check/names.h"
#include "compiler/check/numpy/numpy.h"
#include "compiler/check/records/records.h"
#include "compiler/check/signatures.h"
#include "compiler/check/statements.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/split.h"

namespace kern::checker {

// Adds the slots that a target assigns.
static void add_written(Checker& checker, const ast::Expr& target, std::vector<ir::SlotId>& slots) {
  const auto* tuple = ast::as<ast::Tuple>(&target);
  const auto* list = ast::as<ast::List>(&target);
  for (const ast::Expr* element : tuple ? tuple->elements : list ? list->elements : ast::ExprList{})
    add_written(checker, *element, slots);
  if (const Local* local = assigned_local(checker, target))
    slots.insert(slots.end(), local->now.slots.begin(), local->now.slots.end());
}

static bool reads_any(const Value& value, const std::vector<ir::SlotId>& slots) {
  auto is_read = [&](const ir::Operand& operand) {
    return operand.slot && std::find(slots.begin(), slots.end(), *operand.slot) != slots.end();
  };
  return is_read(value.operand) || std::any_of(value.indices.begin(), value.indices.end(), is_read) ||
         std::any_of(value.elements.begin(), value.elements.end(),
                     [&](const Value& element) { return reads_any(element, slots); });
}

// a, b = b, a: what an earlier target overwrites is copied before.
static void copy_overwritten(Checker& checker, std::vector<Value>& values, ast::ExprList targets) {
  std::vector<ir::SlotId> written;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (reads_any(values[i], written)) copy_leaves(checker, values[i]);
    add_written(checker, *targets[i], written);
  }
}

void check_assign(Checker& checker, const ast::Assign& stmt) {
  const auto* name = ast::as<ast::Name>(stmt.targets.front());
  checker.target_name = name ? std::string(name->text) : "";
  // A record that goes to another place in memory is copied as it lies there.
  bool is_copied = std::ranges::none_of(stmt.targets, [&](const ast::Expr* target) {
    return target->kind == ast::Kind::Tuple || target->kind == ast::Kind::List ||
           assigned_local(checker, *target);
  });
  Value value = is_copied ? evaluate_place(checker, *stmt.value) : evaluate(checker, *stmt.value);
  if (value.kind == ValueKind::Rows) value = rows_view(checker, value);
  checker.target_name.clear();
  if (value.kind == ValueKind::None && stmt.value->kind == ast::Kind::Call) {
    checker.report(stmt.value->span, diag::no_value,
                   checker.context.source(ast::get<ast::Call>(*stmt.value).callee->span));
    return;
  }
  bool single = stmt.targets.size() == 1;
  std::vector<ir::SlotId> written;
  for (const ast::Expr* target : stmt.targets.first(stmt.targets.size() - 1))
    add_written(checker, *target, written);
  if (reads_any(value, written)) copy_leaves(checker, value);
  for (const ast::Expr* target : stmt.targets) assign_target(checker, *target, value, *target, single);
}

// del a, b: a name stands for nothing from here on, until it is assigned again.
void check_delete(Checker& checker, const ast::Delete& stmt) {
  for (const ast::Expr* target : stmt.targets) {
    const auto* name = ast::as<ast::Name>(target);
    Local* local = name ? find_local(checker, name->text) : nullptr;
    if (!local) {
      checker.report(target->span, diag::cannot_delete, checker.context.source(target->span));
      continue;
    }
    read_local(checker, *local, target->span);
    checker.paths.remove(*local, target->span);
  }
}

void check_ann_assign(Checker& checker, const ast::AnnAssign& stmt) {
  const auto* name = ast::as<ast::Name>(stmt.target);
  // Where a call collects the names of a function, nothing is reported.
  const Local* local = name ? find_local(checker, name->text) : nullptr;
  if (checker.final && local && !local->annotated && checker.rules.reads_annotations)
    type_of_expr(checker.context, *checker.scope, *stmt.annotation);
  if (!stmt.value) return;
  Value value = evaluate(checker, *stmt.value);
  // The type is pinned when the locals are collected; other targets have their own.
  assign_target(checker, *stmt.target, value, name ? static_cast<const ast::Node&>(*name) : *stmt.target,
                true);
}

static std::optional<std::vector<Value>> unpack(Checker& checker, const Value& value, std::size_t count,
                                                Span span) {
  if (is_error(value)) return std::nullopt;
  if (is_unknown(value)) return std::vector<Value>(count, unknown_value(span));
  if (is_tuple(value)) {
    if (value.elements.size() == count) return value.elements;
    checker.report(span, diag::unpack_count, static_cast<std::int64_t>(value.elements.size()),
                   static_cast<std::int64_t>(count));
    return std::nullopt;
  }
  bool is_plain = is_array(value) && !is_point(value.type);
  if (!is_plain && (!is_record_array(value) || is_record_reference(value))) {
    checker.report(value.span, diag::cannot_unpack, describe(checker, value));
    return std::nullopt;
  }
  // a, b, c = row: the row must have as many elements.
  ir::Operand length = checker.extent(value.operand, 0, span);
  ir::Operand wanted = ir::constant_int(types::i64, static_cast<std::int64_t>(count));
  checker.check_condition(checker.compare(ir::CompareOp::Equal, length, wanted, span),
                          ir::FaultKind::UnpackLength, span,
                          fmt::format("`{}` does not have {} elements, one for each name",
                                      checker.context.source(value.span), count));
  std::vector<Value> elements;
  for (std::size_t k = 0; k < count; ++k)
    elements.push_back(element_at(checker, value, int_value(WideInt(k), span), span));
  return elements;
}

static void assign_tuple(Checker& checker, ast::ExprList targets, const Value& value, Span span) {
  for (const ast::Expr* target : targets)
    if (target->kind == ast::Kind::Starred) {
      checker.unsupported(target->span, "`*` in a target");
      return;
    }
  std::optional<std::vector<Value>> elements = unpack(checker, value, targets.size(), span);
  if (!elements) return;
  if (is_array(value))
    for (std::size_t i = 0; i < targets.size(); ++i) (*elements)[i].span = targets[i]->span;
  copy_overwritten(checker, *elements, targets);
  std::optional<Unpacked> outer = std::exchange(checker.unpacked, {});
  std::string whole = outer ? outer->text : short_text(checker.context.source(value.span));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Value& element = (*elements)[i];
    // The elements of `a, b = x, y` are named as they are written.
    bool is_written = element.span.file == value.span.file && element.span.begin >= value.span.begin &&
                      element.span.end <= value.span.end && element.span != value.span;
    bool is_part = !is_written || is_array(value);
    if (is_part)
      checker.unpacked = {advice::element(whole, std::to_string(i)), element.span, targets[i]->span,
                          outer ? outer->whole : value.span};
    assign_target(checker, *targets[i], element, *targets[i], false);
    checker.unpacked.reset();
  }
}

// Returns where the target of an assignment is that is no name; nothing where it is none, which is reported.
static std::optional<Place> target_place(Checker& checker, const ast::Expr& target) {
  const auto* subscript = ast::as<ast::Subscript>(&target);
  const auto* attribute = ast::as<ast::Attribute>(&target);
  const ast::Expr* owner = subscript ? subscript->value : attribute ? attribute->value : nullptr;
  const ast::Expr* root = owner;
  while (const auto* inner = root ? ast::as<ast::Attribute>(root) : nullptr) root = inner->value;
  // An attribute of something else than a variable, as `threadIdx.x`, has no place.
  const auto* root_name = attribute && root ? ast::as<ast::Name>(root) : nullptr;
  if (root_name && !find_local(checker, root_name->text)) {
    checker.report(target.span, diag::not_assignable, checker.context.source(target.span));
    return std::nullopt;
  }
  Value base = owner ? evaluate_place(checker, *owner) : error_value(target.span);
  if (owner && is_error(base)) return std::nullopt;
  std::optional<std::string_view> name = attribute   ? std::optional(attribute->name)
                                         : subscript ? field_name(checker, base, subscript->indices)
                                                     : std::nullopt;
  bool is_owner = is_record_place(base) || is_record_array(base);
  if (name && is_owner) return field_place(checker, base, *name, target.span);
  if (name && is_unknown(base)) {
    Place place;
    place.unknown = true;
    return place;
  }
  bool is_any = is_array(base) || is_unknown(base) || (is_record_array(base) && !is_record_reference(base));
  if (!subscript || !is_any) {
    Report error = checker.report(target.span, diag::not_assignable, checker.context.source(target.span));
    if (subscript) advise_array(checker, error, base);
    return std::nullopt;
  }
  return place_of(checker, base, subscript->indices, *subscript->value, target.span);
}

void assign_target(Checker& checker, const ast::Expr& target, const Value& value, const ast::Node& site,
                   bool consume) {
  if (const auto* tuple = ast::as<ast::Tuple>(&target))
    return assign_tuple(checker, tuple->elements, value, target.span);
  if (const auto* list = ast::as<ast::List>(&target))
    return assign_tuple(checker, list->elements, value, target.span);
  Local* local = assigned_local(checker, target);
  if (target.kind == ast::Kind::Name) {
    if (local) assign_local(checker, *local, value, site, value.span, consume);
    return;
  }
  if (local) {
    if (std::optional<RecordPart> part = record_part(checker, *local, target, nullptr))
      part->assign(value, site);
    return;
  }
  std::optional<Place> place = target_place(checker, target);
  if (!place) return;
  store(checker, *place, value, target.span);
}

// Whether a value that was added to one of a type should have been converted before: the sum does not become
// that type, and neither does the value. Into an integer the result is converted: a quotient by another divisor
// is another one, and so is a sum with the fraction cut off.
static bool should_be_converted(const Value& added, const Value& sum, Type type) {
  auto fits = [&](const Value& value) {
    bool is_known = value.kind == ValueKind::Runtime && is_number(value) && !is_literal(value.type);
    return !is_known || converts(value.type, type) || goes_into(value, type);
  };
  return is_scalar(type) && !is_literal(type) && !is_integer(type) && !fits(sum) && !fits(added);
}

// a[i:j] op= x, of every element.
static void change_elements(Checker& checker, const ast::AugAssign& stmt, ir::Operand array,
                            const Value& right) {
  if (is_error(right) || is_unknown(right)) return;
  if (!is_number(right) && !is_array(right)) {
    checker.report(right.span, diag::wrong_type, describe(checker, right), to_string(array.type));
    return;
  }
  auto combine = [&](const Value& old, const std::vector<Value>& values) {
    return binary(checker, stmt.op, old, values[0], stmt.span);
  };
  for_each_element(checker, array, std::array{right}, stmt.target->span, combine);
}

// x op= y: the same rule as x = x op y; x is evaluated once, before y.
void check_aug_assign(Checker& checker, const ast::AugAssign& stmt) {
  const ast::Expr& target = *stmt.target;
  const auto* name = ast::as<ast::Name>(&target);
  Local* local = assigned_local(checker, target);
  std::optional<RecordPart> part =
      local && !name ? record_part(checker, *local, target, stmt.value) : std::nullopt;
  std::optional<Place> place = local || name ? std::nullopt : target_place(checker, target);
  if (place && place->ok && place->is_view)
    return change_elements(checker, stmt, place->array, evaluate(checker, *stmt.value));
  Value old = name    ? read_name(checker, *name)
              : part  ? part->value
              : place ? load(checker, *place, target.span)
                      : error_value(target.span);
  Value right = evaluate(checker, *stmt.value);
  if (!name && !part && !place) return;
  if (name && is_array(old)) return change_elements(checker, stmt, old.operand, right);
  Value result = binary(checker, stmt.op, old, right, stmt.span);
  if (!name && !checker.rules.casts_numbers && should_be_converted(right, result, old.type)) {
    convert(checker, right, old.type, {Purpose::Store, target.span});
    return;
  }
  if (part)
    part->assign(result, target);
  else if (place)
    store(checker, *place, result, target.span);
  else if (local)
    assign_local(checker, *local, result, target, stmt.span);
}

} // namespace kern::checker
