// What a loop may go over, as rounds: arrays, tuples, enumerate, zip and reversed of them.
#include <algorithm>

#include "compiler/check/arrays/iteration.h"
#include "compiler/check/arrays/places.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/core/report.h"
#include "compiler/check/records/records.h"
#include "compiler/diagnostics/types.h"

namespace kern::checker {

static Value copied(Checker& checker, Value value) {
  copy_leaves(checker, value);
  return value;
}

static std::optional<Iteration> iterate_reversed(Checker& checker, const Value& value) {
  std::optional<Iteration> inner = iterate(checker, value.elements[0]);
  if (!inner) return std::nullopt;
  Iteration result = *inner;
  ir::Operand last =
      checker.binary(ir::BinaryOp::Subtract, inner->count, ir::constant_int(types::i64, 1), value.span);
  result.element = [&checker, inner, last, span = value.span](const Value& index) {
    Value place =
        runtime_value(checker.binary(ir::BinaryOp::Subtract, last, as_operand(checker, index), span), span);
    return inner->element(place);
  };
  return result;
}

static std::optional<Iteration> iterate_enumerate(Checker& checker, const Value& value) {
  std::optional<Iteration> inner = iterate(checker, value.elements[0]);
  if (!inner) return std::nullopt;
  Iteration result = *inner;
  result.element = [&checker, inner, first = copied(checker, value.elements[1]),
                    span = value.span](const Value& index) {
    Value count = binary(checker, ast::BinaryOp::Add, index, first, span);
    return tuple_value({count, inner->element(index)}, span);
  };
  return result;
}

static std::optional<Iteration> iterate_zip(Checker& checker, const Value& value) {
  std::vector<Iteration> parts;
  Iteration result;
  for (const Value& element : value.elements) {
    std::optional<Iteration> part = iterate(checker, element);
    if (!part) return std::nullopt;
    if (part->fixed_count)
      result.fixed_count = std::min(result.fixed_count.value_or(*part->fixed_count), *part->fixed_count);
    parts.push_back(std::move(*part));
  }
  std::optional<ir::Operand> count; // of those that are no tuples
  for (const Iteration& part : parts) {
    std::optional<ir::Operand> own = part.fixed_count ? part.bound : part.count;
    if (!own) continue;
    bool shorter = count.has_value();
    count = shorter ? checker.select(checker.compare(ir::CompareOp::Less, *own, *count, value.span), *own,
                                     *count, value.span)
                    : *own;
  }
  if (parts.empty()) result.fixed_count = 0;
  if (result.fixed_count)
    result.bound = count;
  else
    result.count = *count;
  result.element = [&checker, parts, span = value.span](const Value& index) {
    Value tuple = tuple_value({}, span);
    for (const Iteration& part : parts) tuple.elements.push_back(part.element(index));
    return bounded(checker, std::move(tuple));
  };
  return result;
}

std::optional<Iteration> iterate(Checker& checker, const Value& value) {
  Span span = value.span;
  if (is_tuple(value)) {
    Iteration result;
    result.fixed_count = value.elements.size();
    result.element = [elements = copied(checker, value).elements](const Value& index) {
      return elements[static_cast<std::size_t>(index.integer)];
    };
    return result;
  }
  bool is_plain = is_array(value) && !is_point(value.type);
  if (is_plain || (is_record_array(value) && !is_record_reference(value))) {
    Iteration result;
    Value array = value;
    array.operand = frozen(checker, value.operand, span);
    result.count = checker.extent(array.operand, 0, span);
    result.element = [&checker, array, span](const Value& index) {
      return element_at(checker, array, index, span);
    };
    return result;
  }
  if (value.kind == ValueKind::Range) {
    std::optional<Range> range = range_of(checker, value);
    if (!range) return std::nullopt;
    range->start = frozen(checker, range->start, span);
    range->step = frozen(checker, range->step, span);
    range->count = frozen(checker, range->count, span);
    Iteration result;
    result.count = range->count;
    result.element = [&checker, range, span](const Value& index) {
      ir::Operand k = cast(checker, as_operand(checker, index), range->type, span);
      ir::Operand offset = checker.binary(ir::BinaryOp::Multiply, k, range->step, span);
      Value element = runtime_value(checker.binary(ir::BinaryOp::Add, offset, range->start, span), span);
      element.most = range->most;
      return element;
    };
    return result;
  }
  if (value.kind == ValueKind::Reversed) return iterate_reversed(checker, value);
  if (value.kind == ValueKind::Enumerate) return iterate_enumerate(checker, value);
  if (value.kind == ValueKind::Zip) return iterate_zip(checker, value);
  if (!is_error(value) && !is_unknown(value))
    checker.report(span, diag::not_iterable, describe(checker, value));
  return std::nullopt;
}

} // namespace kern::checker
