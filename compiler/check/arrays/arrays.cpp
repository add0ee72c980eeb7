// shared.array, local.array and const.array_like. A shared array is declared once an instance, however often
// the statement runs; one whose shape is known only at the launch carries its extents as expressions for the
// host.
#include "compiler/builtins/signature.h"
#include "compiler/check/arrays/builtin_calls.h"
#include "compiler/check/arrays/host_numbers.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/dtypes.h"
#include "compiler/check/core/habits.h"
#include "compiler/check/core/host.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/report.h"
#include "compiler/check/core/tuples.h"
#include "compiler/check/numba/type_makers.h"
#include "compiler/check/records/records.h"
#include "compiler/diagnostics/limits.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/limits.h"

namespace kern::checker {

namespace {

struct ArrayArgs {
  Value shape;
  const ast::Expr* shape_expr = nullptr;
  Type element = types::error;
  std::int64_t alignment = 16;
};

const ast::Expr* argument_expr(const ast::Call& expr, std::size_t index) {
  return index < expr.args.size() ? expr.args[index] : expr.keywords[index - expr.args.size()].value;
}

// Returns the type of an array's elements that a value names; nothing where it names none.
std::optional<Type> element_of(Checker& checker, const Value& value) {
  std::optional<Type> type = type_of_value(checker, value);
  if (!type) return std::nullopt;
  if (is_scalar(*type) || is_literal(*type) || is_record(*type)) return type;
  return is_tuple(*type) ? tuple_element(checker, *type) : std::nullopt;
}

std::optional<ArrayArgs> read_args(Checker& checker, Builtin builtin, const ast::Call& expr,
                                   const BuiltinMatch& match, const std::vector<Value>& values) {
  ArrayArgs args;
  for (const BoundArgument& bound : match.arguments) {
    if (!bound.argument) continue;
    const Value value =
        bound.param == 1 ? as_dtype(checker, values[*bound.argument]) : values[*bound.argument];
    if (bound.param == 0) {
      args.shape = value;
      args.shape_expr = argument_expr(expr, *bound.argument);
    } else if (bound.param == 1) {
      std::optional<Type> element = element_of(checker, value);
      if (!element) {
        bool is_type = value.kind == ValueKind::Type && is_tuple(value.type);
        Report error = checker.report(value.span, diag::not_an_element_type,
                                      is_type ? "`" + to_string(value.type) + "`" : describe(checker, value));
        note_hidden_type(checker, error, checker.context.source(value.span));
        return std::nullopt;
      }
      args.element = *element;
    } else {
      std::optional<WideInt> alignment = constant_integer(value);
      bool fits = alignment && *alignment >= 1 && *alignment <= 1024 && (*alignment & (*alignment - 1)) == 0;
      if (!fits) {
        checker.report(value.span, diag::bad_alignment, checker.context.source(value.span));
        return std::nullopt;
      }
      args.alignment = std::max<std::int64_t>(args.alignment, static_cast<std::int64_t>(*alignment));
    }
  }
  std::size_t rank = is_tuple(args.shape) ? args.shape.elements.size() : 1;
  bool is_point = rank == 0 && checker.rules.numpy_names && !is_record(args.element);
  if ((rank == 0 && !is_point) ||
      rank + is_record(args.element) > static_cast<std::size_t>(limits::array_rank)) {
    checker.report(args.shape.span, diag::bad_rank, row(builtin).name, std::int64_t(limits::array_rank));
    return std::nullopt;
  }
  return args;
}

std::vector<Value> values_of_shape(const Value& shape) {
  return is_tuple(shape) ? shape.elements : std::vector<Value>{shape};
}

// Returns constant extents; nothing where one is not constant, or wrong, which is reported.
std::optional<std::vector<std::int64_t>> constant_extents(Checker& checker, const Value& shape, bool& wrong) {
  std::vector<std::int64_t> extents;
  for (const Value& value : values_of_shape(shape)) {
    std::optional<WideInt> extent = constant_integer(value);
    if (is_error(value)) wrong = true;
    if (!extent) return std::nullopt;
    if (*extent < 0 || *extent > (WideInt(1) << 40)) {
      checker.report(value.span, diag::bad_extent, static_cast<std::int64_t>(*extent));
      wrong = true;
      return std::nullopt;
    }
    extents.push_back(static_cast<std::int64_t>(*extent));
  }
  return extents;
}

// The type of an array of elements or of records, and the extent of the axis that it has beyond those it is written
// with: how many words a record has, 1 of an array without axes.
struct ArrayType {
  Type type;
  std::optional<std::int64_t> words;
};

ArrayType array_type(Checker& checker, Type element, int rank, AddressSpace space) {
  TypeTable& types = checker.context.module.types;
  if (rank == 0) return {types.point(element->scalar, space), 1};
  if (!is_record(element)) return {types.array(element->scalar, rank, space, Layout::COrder), std::nullopt};
  Type type = types.record_array(element, rank, space);
  return {type, size_in_memory(element) * 8 / bit_width(type->scalar)};
}

bool check_bytes(Checker& checker, const std::vector<std::int64_t>& extents, Type element, std::int64_t limit,
                 std::string_view name, Span span) {
  WideInt bytes = size_in_memory(element);
  for (std::int64_t extent : extents) {
    bytes *= extent;
    if (bytes > limit) break;
  }
  if (bytes <= limit) return true;
  checker.report(span, diag::array_too_large, name, limit);
  return false;
}

// Returns the words for the array in messages: the name that it is assigned to is not known here, so its
// shape's place.
std::string array_name(const ir::Function& function, std::size_t index) {
  return fmt::format("{}.shared{}", function.name, index);
}

ir::SharedId declare_shared(Checker& checker, const ast::Call& expr, ir::SharedDecl decl) {
  for (const auto& [node, id] : checker.shared_ids)
    if (node == &expr) return id;
  std::vector<ir::SharedDecl>& shared = checker.context.module.shared;
  if (decl.name.empty()) decl.name = array_name(checker.function(), shared.size());
  shared.push_back(std::move(decl));
  auto id = static_cast<ir::SharedId>(shared.size() - 1);
  checker.shared_ids.emplace_back(&expr, id);
  return id;
}

Value dynamic_shared(Checker& checker, const ast::Call& expr, const ArrayArgs& args) {
  const ArrayType array = array_type(
      checker, args.element, static_cast<int>(values_of_shape(args.shape).size()), AddressSpace::Shared);
  ir::SharedDecl decl{checker.target_name, array.type->scalar, {}, {}, false, args.alignment, expr.span};
  std::vector<ir::Operand> extents;
  std::vector<Value> values = values_of_shape(args.shape);
  for (const Value& value : values) {
    if (is_unknown(value)) return unknown_value(expr.span);
    std::optional<ir::Operand> extent = is_number(value) ? as_index(checker, value) : std::nullopt;
    if (!is_number(value)) checker.report(value.span, diag::not_an_integer, describe(checker, value));
    if (!extent) return error_value(expr.span);
    extents.push_back(*extent);
  }
  bool in_kernel = checker.instance && checker.instance->is_kernel;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::optional<kern::Expression> host = in_kernel ? host_extent(checker, extents[i]) : std::nullopt;
    if (!host) {
      want_versions(checker);
      Report error = checker.report(args.shape_expr->span, diag::shape_not_constant,
                                    checker.context.source(args.shape_expr->span),
                                    "is known neither to the compiler nor at the launch");
      if (!in_kernel)
        error.note("a shape that only the launch knows is possible in a kernel, not in a device function");
      return error_value(expr.span);
    }
    decl.dynamic.push_back(std::move(*host));
  }
  if (array.words) {
    extents.push_back(ir::constant_int(types::i64, *array.words));
    decl.dynamic.push_back(*host_extent(checker, extents.back()));
  }
  ir::SharedId id = declare_shared(checker, expr, std::move(decl));
  return runtime_value(checker.temp(array.type, ir::SharedArray{id, std::move(extents)}, expr.span),
                       expr.span);
}

// Returns the extent of shared.array(0, T): what the launch gives a block, in elements.
ir::Operand aliased_extent(Checker& checker, Type element, Span span) {
  ir::Operand bytes = checker.temp(types::i64, ir::CallPure{Builtin::DynamicSharedBytes, {}}, span);
  ir::Operand size = ir::constant_int(types::i64, size_in_memory(element));
  return size.bits == 1 ? bytes : checker.binary(ir::BinaryOp::FloorDivide, bytes, size, span);
}

Value shared_array(Checker& checker, const ast::Call& expr, const ArrayArgs& args) {
  bool wrong = false;
  std::optional<std::vector<std::int64_t>> extents = constant_extents(checker, args.shape, wrong);
  if (wrong) return error_value(expr.span);
  if (!extents) return dynamic_shared(checker, expr, args);
  bool aliased = extents->size() == 1 && extents->front() == 0;
  const ArrayType array =
      array_type(checker, args.element, static_cast<int>(extents->size()), AddressSpace::Shared);
  std::vector<std::int64_t> written = *extents;
  if (array.words) extents->push_back(*array.words);
  ir::SharedDecl decl{checker.target_name, array.type->scalar, *extents, {}, aliased,
                      args.alignment,      expr.span};
  ir::SharedArray node{{}, {}};
  for (std::int64_t extent : *extents) node.extents.push_back(ir::constant_int(types::i64, extent));
  if (aliased) {
    decl.extents.clear();
    node.extents[0] = aliased_extent(checker, args.element, expr.span);
  }
  if (!aliased &&
      !check_bytes(checker, written, args.element, limits::shared_bytes, "a shared array", expr.span))
    return error_value(expr.span);
  node.id = declare_shared(checker, expr, std::move(decl));
  Value value = runtime_value(checker.temp(array.type, std::move(node), expr.span), expr.span);
  if (!aliased) value.extents = written;
  return value;
}

Value local_array(Checker& checker, const ast::Call& expr, const ArrayArgs& args) {
  bool wrong = false;
  std::optional<std::vector<std::int64_t>> extents = constant_extents(checker, args.shape, wrong);
  if (wrong) return error_value(expr.span);
  if (!extents) {
    for (const Value& value : values_of_shape(args.shape))
      if (is_unknown(value)) return unknown_value(expr.span);
    want_versions(checker);
    checker.report(args.shape.span, diag::shape_not_constant, checker.context.source(args.shape_expr->span),
                   "is not known to the compiler, as that of a local array must be");
    return error_value(expr.span);
  }
  if (!check_bytes(checker, *extents, args.element, limits::local_bytes, "a local array", expr.span))
    return error_value(expr.span);
  const ArrayType array =
      array_type(checker, args.element, static_cast<int>(extents->size()), AddressSpace::Local);
  std::vector<std::int64_t> written = *extents;
  if (array.words) extents->push_back(*array.words);
  Value value = runtime_value(checker.temp(array.type, ir::LocalArray{*extents}, expr.span), expr.span);
  value.extents = written;
  return value;
}

Value constant_like(Checker& checker, const ast::Call& expr, const Value& value) {
  const bool is_constant = value.kind == ValueKind::Runtime && is_array(value.type);
  if (is_constant && value.type->space == AddressSpace::Constant) return read_at(value, expr.span);
  std::optional<ConstantTable> table = constant_table(checker, value);
  if (is_tuple(value) && is_constant_array(value) && value.elements.empty())
    table = ConstantTable{{0}, {}, value.type};
  if (!table || table->extents.size() > static_cast<std::size_t>(limits::array_rank)) {
    if (!is_error(value)) checker.report(value.span, diag::no_constant_array, describe(checker, value));
    return error_value(expr.span);
  }
  Type element = default_type(table->type);
  Value result = runtime_value(
      constant_array(checker, *table, element, std::string(checker.context.source(value.span)), expr.span),
      expr.span);
  result.extents = table->extents;
  return result;
}

} // namespace

Value make_array(Checker& checker, Builtin builtin, const ast::Call& expr, const BuiltinMatch& match,
                 const std::vector<Value>& values) {
  if (builtin == Builtin::ConstArrayLike) return constant_like(checker, expr, values[0]);
  std::optional<ArrayArgs> args = read_args(checker, builtin, expr, match, values);
  if (!args) return error_value(expr.span);
  if (is_literal(args->element)) args->element = default_type(args->element);
  return builtin == Builtin::SharedArray ? shared_array(checker, expr, *args)
                                         : local_array(checker, expr, *args);
}

} // namespace kern::checker
