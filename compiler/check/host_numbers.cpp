// Goes over the numbers of an array one by one with the operators of single numbers, so that an array has the
// types and values that NumPy gives its elements. Each number counts as a step of the compilation.
#include "compiler/check/host_numbers.h"

#include <algorithm>

#include "compiler/check/python.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/limits.h"
#include "compiler/values/fold.h"

namespace kern::checker {

Extents extents_of(const Value& value) {
  if (value.kind == ValueKind::Table) return value.table->extents;
  Extents extents;
  for (const Value* at = &value; is_tuple(*at); at = &at->elements.front()) {
    extents.push_back(static_cast<std::int64_t>(at->elements.size()));
    if (at->elements.empty()) break;
  }
  return extents;
}

Type type_of_number(const Value& number) {
  if (is_complex_literal(number)) return types::c128;
  if (is_literal(number)) return is_int_literal(number) ? types::i64 : types::f64;
  return number.type;
}

// ---- Between values and numbers ----

// Appends what is below an axis; false where it is not regular or does not convert.
static bool append(const Value& value, std::size_t axis, Numbers& numbers) {
  if (value.kind == ValueKind::Table) {
    const Extents& inner = value.table->extents;
    if (axis == numbers.extents.size())
      numbers.extents.insert(numbers.extents.end(), inner.begin(), inner.end());
    if (!std::equal(numbers.extents.begin() + static_cast<std::ptrdiff_t>(axis), numbers.extents.end(),
                    inner.begin(), inner.end()))
      return false;
    const Numbers from{value.type, inner, value.table->values};
    for (std::size_t i = 0; i < from.size(); ++i) {
      std::optional<ir::Operand> number = operand_as(from.at(i), numbers.type);
      if (!number) return false;
      numbers.add(*number);
    }
    return true;
  }
  if (!is_tuple(value)) {
    std::optional<ir::Operand> number = number_as(value, numbers.type);
    if (number) numbers.add(*number);
    return number && axis == numbers.extents.size();
  }
  auto count = static_cast<std::int64_t>(value.elements.size());
  if (axis == numbers.extents.size()) {
    if (numbers.size() > 0) return false;
    numbers.extents.push_back(count);
  }
  if (numbers.extents[axis] != count) return false;
  return std::ranges::all_of(value.elements,
                             [&](const Value& element) { return append(element, axis + 1, numbers); });
}

std::optional<Numbers> numbers_as(const Value& value, Type type) {
  Numbers numbers{type};
  return append(value, 0, numbers) ? std::optional(std::move(numbers)) : std::nullopt;
}

Numbers numbers_of(const Value& array) {
  if (array.kind == ValueKind::Table) return {array.type, array.table->extents, array.table->values};
  Numbers numbers{array.type, extents_of(array)};
  append(array, 0, numbers);
  return numbers;
}

// Makes a nested tuple of the numbers from `next` on.
static Value nested(const Numbers& numbers, std::size_t axis, std::size_t& next, Span span) {
  if (axis == numbers.extents.size()) return runtime_value(numbers.at(next++), span);
  Value array = tuple_value({}, span);
  array.type = numbers.type;
  for (std::int64_t i = 0; i < numbers.extents[axis]; ++i)
    array.elements.push_back(nested(numbers, axis + 1, next, span));
  return array;
}

Value array_value(Checker& checker, Numbers numbers, Span span) {
  std::size_t next = 0;
  if (numbers.size() <= limits::table_elements) return nested(numbers, 0, next, span);
  Value value = plain_value(ValueKind::Table, span);
  value.type = numbers.type;
  value.extents = numbers.extents;
  value.table = &checker.context.tables.emplace_back(
      ir::ConstantDecl{"", numbers.type->scalar, std::move(numbers.extents), std::move(numbers.bits)});
  return value;
}

std::optional<std::int64_t> count_of(const Extents& extents) {
  std::int64_t size = 1;
  for (std::int64_t extent : extents)
    if (extent < 0 || __builtin_mul_overflow(size, extent, &size)) return std::nullopt;
  bool fits =
      size <= limits::module_array_elements && extents.size() <= static_cast<std::size_t>(limits::array_rank);
  return fits ? std::optional(size) : std::nullopt;
}

// ---- Operators ----

namespace {

// An operand of an operator: numbers, the elements of a regular nested tuple, which may have no type, or one number.
struct Elements {
  Extents extents;
  Numbers numbers;
  std::vector<Value> values;

  Value at(std::size_t index, Span span) const {
    return values.empty() ? runtime_value(numbers.at(index), span) : values[index];
  }
};

bool collect(const Value& value, std::size_t axis, Elements& elements) {
  if (!is_tuple(value)) {
    elements.values.push_back(value);
    return axis == elements.extents.size();
  }
  bool fits = axis < elements.extents.size() &&
              elements.extents[axis] == static_cast<std::int64_t>(value.elements.size());
  return fits && std::ranges::all_of(value.elements, [&](const Value& element) {
           return collect(element, axis + 1, elements);
         });
}

std::optional<Elements> elements_of(const Value& value) {
  Elements elements{extents_of(value), {}, {}};
  if (is_constant_array(value))
    elements.numbers = numbers_of(value);
  else if (!collect(value, 0, elements))
    return std::nullopt;
  return elements;
}

// How far apart the elements of an operand are along the axes of the result.
std::optional<Extents> strides_in(const Extents& own, const Extents& result) {
  Extents strides(result.size(), 0);
  std::int64_t step = 1;
  for (std::size_t k = 1; k <= own.size(); ++k) {
    std::int64_t extent = own[own.size() - k];
    if (extent != result[result.size() - k] && extent != 1) return std::nullopt;
    strides[result.size() - k] = extent == 1 ? 0 : step;
    step *= extent;
  }
  return strides;
}

Extents broadcast(const Extents& a, const Extents& b) {
  Extents result(std::max(a.size(), b.size()), 1);
  for (const Extents* each : {&a, &b})
    for (std::size_t k = 1; k <= each->size(); ++k)
      if ((*each)[each->size() - k] != 1) result[result.size() - k] = (*each)[each->size() - k];
  return result;
}

// Goes over all indices in C order.
template <class Visit> bool for_each_index(const Extents& extents, Visit visit) {
  std::int64_t count = 1;
  for (std::int64_t extent : extents) count *= extent;
  Extents at(extents.size(), 0);
  for (std::int64_t n = 0; n < count; ++n) {
    if (!visit(at)) return false;
    for (std::size_t axis = extents.size(); axis-- > 0;) {
      if (++at[axis] < extents[axis]) break;
      at[axis] = 0;
    }
  }
  return true;
}

std::size_t place_of(const Extents& index, const Extents& strides) {
  std::int64_t place = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) place += index[axis] * strides[axis];
  return static_cast<std::size_t>(place);
}

// Appends a result, which says what type all have.
bool add_result(Numbers& numbers, const Value& result) {
  if (!is_constant_number(result)) return false;
  if (numbers.bits.empty()) numbers.type = type_of_number(result);
  std::optional<ir::Operand> number = number_as(result, numbers.type);
  if (number) numbers.add(*number);
  return number.has_value();
}

} // namespace

Value array_unary(Checker& checker, ast::UnaryOp op, const Value& operand, Span span) {
  Numbers from = numbers_of(operand), result{from.type, from.extents};
  if (!checker.count_steps(from.size(), span)) return error_value(span);
  for (std::size_t i = 0; i < from.size(); ++i)
    if (!add_result(result, checker.unary(op, runtime_value(from.at(i), span), span)))
      return error_value(span);
  return array_value(checker, std::move(result), span);
}

Value array_binary(Checker& checker, ast::BinaryOp op, const Value& left, const Value& right, Span span) {
  std::optional<Elements> a = elements_of(left), b = elements_of(right);
  std::optional<Extents> a_strides, b_strides;
  Numbers result{is_constant_array(left) ? left.type : right.type};
  if (a && b) {
    result.extents = broadcast(a->extents, b->extents);
    a_strides = strides_in(a->extents, result.extents);
    b_strides = strides_in(b->extents, result.extents);
  }
  std::optional<std::int64_t> count = count_of(result.extents);
  if (!a_strides || !b_strides || !count) {
    checker.report(span, diag::not_constant, checker.context.source(span));
    return error_value(span);
  }
  if (!checker.count_steps(static_cast<std::size_t>(*count), span)) return error_value(span);
  const bool raises = op == ast::BinaryOp::Power && is_constant_array(left) && is_number(right);
  bool ok = for_each_index(result.extents, [&](const Extents& index) {
    Value x = a->at(place_of(index, *a_strides), span), y = b->at(place_of(index, *b_strides), span);
    if (raises)
      if (std::optional<ir::Operand> power = numpy_array_power(x, y))
        return add_result(result, runtime_value(*power, span));
    return add_result(result, checker.binary(op, x, y, span));
  });
  return ok ? array_value(checker, std::move(result), span) : error_value(span);
}

Numbers transposed(const Numbers& numbers) {
  Numbers result{numbers.type, {numbers.extents.rbegin(), numbers.extents.rend()}};
  Extents strides(result.extents.size(), 1);
  for (std::size_t axis = 1; axis < strides.size(); ++axis)
    strides[axis] = strides[axis - 1] * numbers.extents[strides.size() - axis];
  for_each_index(result.extents, [&](const Extents& index) {
    result.add(numbers.at(place_of(index, strides)));
    return true;
  });
  return result;
}

// ---- Subscripts ----

Value array_part(Checker& checker, const Value& array, const ast::Subscript& expr,
                 const std::vector<Value>& indices) {
  Numbers from = numbers_of(array);
  if (indices.size() > from.extents.size()) {
    checker.report(expr.span, diag::not_subscriptable, to_string(array.type));
    return error_value(expr.span);
  }
  Extents strides(from.extents.size(), 1);
  for (std::size_t axis = strides.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * from.extents[axis];
  Numbers part{from.type};
  Extents steps;
  std::int64_t first = 0;
  for (std::size_t axis = 0; axis < from.extents.size(); ++axis) {
    const std::int64_t count = from.extents[axis];
    const auto* slice = axis < indices.size() ? ast::as<ast::Slice>(expr.indices[axis]) : nullptr;
    if (axis >= indices.size() || slice) {
      std::optional<ConstantSlice> taken =
          slice ? constant_slice(checker, *slice, count) : ConstantSlice{0, 1, count};
      if (!taken) return error_value(expr.span);
      first += taken->start * strides[axis];
      part.extents.push_back(taken->count);
      steps.push_back(taken->step * strides[axis]);
      continue;
    }
    WideInt index = *constant_integer(indices[axis]);
    bool from_end = index < 0 && checker.counts_from_end(indices[axis]);
    if (index < (from_end ? -count : 0) || index >= count) {
      checker.report(expr.span, diag::tuple_index,
                     fmt::format("`{}`", checker.context.source(expr.value->span)), count);
      return error_value(expr.span);
    }
    first += static_cast<std::int64_t>(index < 0 ? index + count : index) * strides[axis];
  }
  for_each_index(part.extents, [&](const Extents& index) {
    part.add(from.at(static_cast<std::size_t>(first) + place_of(index, steps)));
    return true;
  });
  return array_value(checker, std::move(part), expr.span);
}

// ---- In functions ----

static Value read_numbers(Checker& checker, const ir::ConstantDecl& array, Type type, Extents extents,
                          Span span) {
  Context& context = checker.context;
  const std::string_view name = context.source(span);
  std::vector<ir::ConstantDecl>& constants = context.module.constants;
  auto found = std::ranges::find_if(constants, [&](const ir::ConstantDecl& other) {
    return other.name == name && other.element == array.element && other.extents == array.extents &&
           other.values == array.values;
  });
  const auto id = static_cast<ir::ConstantId>(found - constants.begin());
  if (found == constants.end())
    constants.push_back({std::string(name), array.element, array.extents, array.values});
  Value value = runtime_value(checker.temp(type, ir::ConstantArray{id}, span), span);
  value.extents = std::move(extents);
  return value;
}

Value read_table(Checker& checker, const Value& array, Span span) {
  if (is_array(array.type)) return read_numbers(checker, *array.table, array.type, array.extents, span);
  Extents extents = extents_of(array);
  if (extents.size() > static_cast<std::size_t>(limits::array_rank))
    return checker.unsupported(span, fmt::format("an array of more than {} axes", limits::array_rank));
  Type type = checker.context.module.types.array(array.type->scalar, static_cast<int>(extents.size()),
                                                 AddressSpace::Constant, Layout::COrder);
  if (array.kind == ValueKind::Table)
    return read_numbers(checker, *array.table, type, std::move(extents), span);
  Numbers numbers = numbers_of(array);
  return read_numbers(checker, {"", array.type->scalar, extents, std::move(numbers.bits)}, type, extents,
                      span);
}

bool needs_array(Checker& checker, const Value& array, const ast::Subscript& expr) {
  if (!checker.instance || !is_tuple(array) || !is_constant_array(array)) return false;
  bool has_slice = false, is_computed = false, needs = false;
  for (const ast::Expr* index : expr.indices) {
    has_slice = has_slice || index->kind == ast::Kind::Slice;
    needs = needs || index->kind == ast::Kind::Tuple || index->kind == ast::Kind::NoneLiteral ||
            index->kind == ast::Kind::EllipsisLiteral;
    if (index->kind == ast::Kind::Name) needs = needs || is_tuple(checker.evaluate(*index));
  }
  if (needs || !has_slice) return needs;
  // Asked in a body that is thrown away: the indices are evaluated where they count.
  auto ask = [&](const ast::Expr* part) {
    if (part) is_computed = is_computed || !is_constant(checker.evaluate(*part));
  };
  (void)checker.body_of([&] {
    for (const ast::Expr* index : expr.indices) {
      const auto* slice = ast::as<ast::Slice>(index);
      if (!slice) ask(index);
      for (const ast::Expr* bound :
           {slice ? slice->start : nullptr, slice ? slice->stop : nullptr, slice ? slice->step : nullptr})
        ask(bound);
    }
  });
  return is_computed;
}

} // namespace kern::checker
