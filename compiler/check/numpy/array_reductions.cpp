// Each reduction is a row of a table and a loop over the elements in C order. The types are Numba's: integers
// are added in 64 bits, and a mean is a float64.
#include "compiler/check/numpy/array_reductions.h"
#include "compiler/check/arrays/places.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/report.h"
#include "compiler/check/core/tuples.h"

#include <algorithm>

#include "compiler/diagnostics/types.h"

namespace kern::checker {

namespace {

enum class Kind : std::uint8_t { Sum, Product, Mean, Variance, Deviation, Extreme, Place, Test, Count };

struct Row {
  std::string_view name;
  Kind kind;
  bool is_greatest = false; // of Extreme and Place; of Test: all of them
  bool skips_nan = false;
  bool is_method = true;
};
constexpr Row rows[] = {
    {"sum", Kind::Sum},
    {"prod", Kind::Product},
    {"mean", Kind::Mean},
    {"var", Kind::Variance},
    {"std", Kind::Deviation},
    {"min", Kind::Extreme},
    {"max", Kind::Extreme, true},
    {"argmin", Kind::Place},
    {"argmax", Kind::Place, true},
    {"any", Kind::Test},
    {"all", Kind::Test, true},
    {"amin", Kind::Extreme, false, false, false},
    {"amax", Kind::Extreme, true, false, false},
    {"count_nonzero", Kind::Count, false, false, false},
    {"nansum", Kind::Sum, false, true, false},
    {"nanprod", Kind::Product, false, true, false},
    {"nanmean", Kind::Mean, false, true, false},
    {"nanvar", Kind::Variance, false, true, false},
    {"nanstd", Kind::Deviation, false, true, false},
    {"nanmin", Kind::Extreme, false, true, false},
    {"nanmax", Kind::Extreme, true, true, false},
};

struct Reducer {
  Checker& checker;
  const Row& row;
  const Value& array;
  Span span;
  Type element = element_type(array.type);

  ir::Operand start(Type type, ir::Operand value) {
    ir::Operand variable = checker.variable(type, span);
    checker.assign(*variable.slot, value, span);
    return variable;
  }

  void set(ir::Operand variable, ir::Operand value) { checker.assign(*variable.slot, value, span); }

  ir::Operand compare(ir::CompareOp op, ir::Operand a, ir::Operand b) {
    return checker.compare(op, a, b, span);
  }

  ir::Operand either(ir::Operand a, ir::Operand b) { return checker.binary(ir::BinaryOp::BitOr, a, b, span); }

  ir::Operand is_nan(ir::Operand value) { return compare(ir::CompareOp::NotEqual, value, value); }

  // Visits the elements in C order.
  void each(const std::function<void(ir::Operand)>& visit) {
    Place place;
    place.ok = true;
    place.array = array.operand;
    for (int axis = 0; axis < array.type->rank; ++axis)
      place.indices.push_back(checker.variable(types::i64, span));
    std::function<void(int)> loop = [&](int axis) {
      if (axis == array.type->rank) return visit(load(checker, place, span).operand);
      ir::Operand count = checker.extent(array.operand, axis, span);
      ir::Body inner = checker.body_of([&] { loop(axis + 1); });
      const ir::SlotId slot = *place.indices[static_cast<std::size_t>(axis)].slot;
      checker.emit(ir::For{slot, number(0), number(1), count, std::move(inner)}, span);
    };
    loop(0);
  }

  // Returns the first element, which must be there.
  ir::Operand first() {
    Value value = array;
    for (int axis = 0; axis < array.type->rank; ++axis)
      value = element_at(checker, value, int_value(0, array.span), array.span);
    return value.operand;
  }

  // Integers are added in 64 bits.
  Type total_type() const {
    if (is_float(element)) return element;
    return is_boolean(element) || is_signed(element) ? types::i64 : types::u64;
  }

  // Returns what is joined of the elements, each as `of` makes it, and how many of them count.
  std::pair<ir::Operand, ir::Operand> total(Type type, ir::BinaryOp op, int neutral,
                                            const std::function<ir::Operand(ir::Operand)>& of) {
    ir::Operand begin =
        is_float(type) ? ir::constant_float(type, neutral) : ir::constant_int(type, std::int64_t{neutral});
    ir::Operand result = start(type, begin), count = start(types::i64, number(0));
    each([&](ir::Operand value) {
      ir::Operand joined = checker.binary(op, result, of(cast(checker, value, type, span)), span);
      ir::Operand more = checker.binary(ir::BinaryOp::Add, count, number(1), span);
      const bool skips = row.skips_nan && is_float(element);
      ir::Operand skipped = skips ? is_nan(value) : ir::constant_bool(false);
      set(result, skips ? checker.select(skipped, result, joined, span) : joined);
      if (row.skips_nan) set(count, skips ? checker.select(skipped, count, more, span) : more);
    });
    return {result, row.skips_nan ? count : array_size(checker, array, span).operand};
  }

  ir::Operand total(Type type, ir::BinaryOp op, int neutral) {
    return total(type, op, neutral, [](ir::Operand value) { return value; }).first;
  }

  ir::Operand quotient(std::pair<ir::Operand, ir::Operand> sum_and_count) {
    ir::Operand sum = cast(checker, sum_and_count.first, types::f64, span);
    ir::Operand count = cast(checker, sum_and_count.second, types::f64, span);
    return checker.binary(ir::BinaryOp::Divide, sum, count, span);
  }

  // The sum is one of the elements' type, the quotient a float64.
  ir::Operand mean() {
    const Type type = is_float(element) ? element : types::f64;
    return quotient(total(type, ir::BinaryOp::Add, 0, [](ir::Operand value) { return value; }));
  }

  ir::Operand variance() {
    ir::Operand middle = mean();
    return quotient(total(types::f64, ir::BinaryOp::Add, 0, [&](ir::Operand value) {
      ir::Operand apart = checker.binary(ir::BinaryOp::Subtract, value, middle, span);
      return checker.binary(ir::BinaryOp::Multiply, apart, apart, span);
    }));
  }

  // A NaN is the result, or where it is skipped gives way to what comes.
  ir::Operand is_better(ir::Operand value, ir::Operand best) {
    auto order = row.is_greatest ? ir::CompareOp::Greater : ir::CompareOp::Less;
    ir::Operand is_beyond = compare(order, value, best);
    if (!is_float(element)) return is_beyond;
    if (row.skips_nan) return either(is_beyond, is_nan(best));
    ir::Operand is_number = compare(ir::CompareOp::Equal, best, best);
    return either(is_beyond, checker.binary(ir::BinaryOp::BitAnd, is_nan(value), is_number, span));
  }

  ir::Operand extreme() {
    ir::Operand best = start(element, first());
    each([&](ir::Operand value) { set(best, checker.select(is_better(value, best), value, best, span)); });
    return best;
  }

  ir::Operand place() {
    ir::Operand best = start(element, first()), found = start(types::i64, number(0)),
                at = start(types::i64, number(0));
    each([&](ir::Operand value) {
      ir::Operand better = is_better(value, best);
      set(found, checker.select(better, at, found, span));
      set(best, checker.select(better, value, best, span));
      set(at, checker.binary(ir::BinaryOp::Add, at, number(1), span));
    });
    return found;
  }

  ir::Operand truth(ir::Operand value) {
    if (is_boolean(element)) return value;
    ir::Operand zero = is_float(element) ? ir::constant_float(element, 0) : ir::constant_int(element, 0);
    return compare(ir::CompareOp::NotEqual, value, zero);
  }

  ir::Operand test() {
    ir::Operand result = start(types::boolean, ir::constant_bool(row.is_greatest));
    auto op = row.is_greatest ? ir::BinaryOp::BitAnd : ir::BinaryOp::BitOr;
    each([&](ir::Operand value) { set(result, checker.binary(op, result, truth(value), span)); });
    return result;
  }

  ir::Operand count() {
    ir::Operand result = start(types::i64, number(0));
    each([&](ir::Operand value) {
      ir::Operand one = cast(checker, truth(value), types::i64, span);
      set(result, checker.binary(ir::BinaryOp::Add, result, one, span));
    });
    return result;
  }

  ir::Operand run() {
    switch (row.kind) {
    case Kind::Sum: return total(total_type(), ir::BinaryOp::Add, 0);
    case Kind::Product: return total(total_type(), ir::BinaryOp::Multiply, 1);
    case Kind::Mean: return mean();
    case Kind::Variance: return variance();
    case Kind::Deviation: return checker.pure(Builtin::Sqrt, types::f64, {variance()}, span);
    case Kind::Extreme: return extreme();
    case Kind::Place: return place();
    case Kind::Test: return test();
    case Kind::Count: return count();
    }
    return {};
  }
};

} // namespace

std::string_view reduction_name(std::string_view name, bool as_method) {
  const auto* row = std::ranges::find(rows, name, &Row::name);
  return row == std::end(rows) || (as_method && !row->is_method) ? "" : row->name;
}

Value call_reduction(Checker& checker, std::string_view name, const Value& given, Span span) {
  Value array = given;
  if (is_tuple(given))
    if (std::optional<ConstantTable> table = constant_table(checker, given))
      array = runtime_value(constant_array(checker, *table, default_type(table->type),
                                           std::string(checker.context.source(given.span)), span),
                            given.span);
  const Row& row = *std::ranges::find(rows, name, &Row::name);
  bool orders = row.kind == Kind::Extreme || row.kind == Kind::Place;
  bool fits = is_array(array) && !is_complex(element_type(array.type)) &&
              !(orders && is_boolean(element_type(array.type)));
  if (!fits) {
    checker.report(
        given.span, diag::builtin_arguments,
        fmt::format("`{}` takes an array of integers or floats, not {}", name, describe(checker, given)));
    return error_value(span);
  }
  return runtime_value(Reducer{checker, row, array, span}.run(), span);
}

} // namespace kern::checker
