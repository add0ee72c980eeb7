// f(a, k=v): casts, functions of the program (an instance for these arguments) and builtins.
#include <algorithm>
#include <utility>

#include "compiler/check/arrays/builtin_calls.h"
#include "compiler/check/calls.h"
#include "compiler/check/constant_calls.h"
#include "compiler/check/constant_params.h"
#include "compiler/check/core/complex.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/core/literal_locals.h"
#include "compiler/check/core/locals.h"
#include "compiler/check/core/report.h"
#include "compiler/check/core/stored_sums.h"
#include "compiler/check/declared_types.h"
#include "compiler/check/decorators.h"
#include "compiler/check/expressions.h"
#include "compiler/check/host_names.h"
#include "compiler/check/inner_functions.h"
#include "compiler/check/instances.h"
#include "compiler/check/numpy/host_ufuncs.h"
#include "compiler/check/numpy/numpy.h"
#include "compiler/check/overloads.h"
#include "compiler/check/records/records.h"
#include "compiler/check/signatures.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/types.h"

namespace kern::checker {

static Value emit_call(Checker& checker, Instance& called, const std::vector<Value>& values, Span span);

std::optional<Args> evaluate_args(Checker& checker, const ast::Call& expr) {
  Args args;
  bool ok = true;
  for (const ast::Expr* arg : expr.args) {
    const auto* starred = ast::as<ast::Starred>(arg);
    Value value = evaluate(checker, starred ? *starred->value : *arg);
    if (is_error(value)) ok = false;
    if (!starred) {
      args.positional.push_back(std::move(value));
    } else if (is_tuple(value)) {
      for (Value& element : value.elements) args.positional.push_back(std::move(element));
    } else if (!is_error(value)) {
      if (!is_unknown(value)) checker.report(value.span, diag::cannot_unpack, describe(checker, value));
      ok = false;
    }
  }
  for (const ast::Keyword& keyword : expr.keywords) {
    Value value = evaluate(checker, *keyword.value);
    if (is_error(value)) ok = false;
    args.keywords.emplace_back(keyword.name, std::move(value));
    args.keyword_spans.push_back(keyword.span);
  }
  if (!ok) return std::nullopt;
  return args;
}

// Returns an element of a vector or tuple that is made: a number is cast, a tuple or record is one already.
static Value made_element(Checker& checker, Type type, const Value& value) {
  return is_tuple(type) ? convert_value(checker, value, type, Purpose::Store)
                        : explicit_cast(checker, type, value, value.span);
}

// float32x3(a, b, c), float32x4(pair, b, c): as many numbers as the vector has, each converted. A tuple whose elements
// are tuples gets them whole.
static Value make_vector(Checker& checker, const Value& callee, const Args& args, Span span) {
  std::vector<Value> numbers;
  const bool is_flat = std::ranges::none_of(callee.type->elements, [](Type each) { return is_tuple(each); });
  for (const Value& arg : args.positional) {
    if (is_unknown(arg)) return unknown_value(span);
    if (is_tuple(arg) && is_flat)
      numbers.insert(numbers.end(), arg.elements.begin(), arg.elements.end());
    else
      numbers.push_back(arg);
  }
  std::span<const Type> types = callee.type->elements;
  if (numbers.size() != types.size() || !args.keywords.empty()) {
    checker.report(span, diag::vector_elements, callee.text, std::int64_t(types.size()),
                   std::int64_t(numbers.size()));
    return error_value(span);
  }
  Value result = tuple_value({}, span);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    result.elements.push_back(made_element(checker, types[i], numbers[i]));
    if (is_error(result.elements.back())) return error_value(span);
  }
  return result;
}

// Gives the fields that a call leaves out what their class says.
static void add_defaults(Checker& checker, const Value& of, Type type, Args& args) {
  const std::vector<RecordField>& fields = type->record->fields;
  for (std::size_t i = args.positional.size(); i < fields.size(); ++i) {
    const std::string_view name = fields[i].name;
    const bool is_given =
        std::ranges::any_of(args.keywords, [&](const auto& keyword) { return keyword.first == name; });
    const HostFound& host = host_class(checker, of);
    const auto otherwise = host.modules->attribute(host.found, name);
    if (is_given || !otherwise) continue;
    args.keywords.emplace_back(name, host_value(checker, {host.modules, *otherwise}, name, of.span));
    args.keyword_spans.push_back(of.span);
  }
}

// Calls a type: a record, a vector or a complex number of parts, or a cast.
static Value call_type(Checker& checker, const Value& callee, const Args& args, Span span) {
  if (is_tuple(callee.type) && callee.type->record) return make_record(checker, callee.type, args, span);
  if (is_tuple(callee.type)) return make_vector(checker, callee, args, span);
  if (is_complex(callee.type) && args.keywords.empty() && args.positional.size() <= 2)
    return construct_complex(checker, callee.text.empty() ? std::optional(callee.type) : std::nullopt,
                             args.positional, span);
  if (args.positional.size() == 1 && args.keywords.empty())
    return explicit_cast(checker, callee.type, args.positional[0], span, !callee.text.empty());
  checker.report(span, diag::cast_argument_count, checker.context.source(callee.span),
                 std::int64_t(args.positional.size()));
  return error_value(span);
}

Value call_constant(Checker& checker, const Value& callee, const Args& args, Span span) {
  if (callee.kind == ValueKind::Type) return call_type(checker, callee, args, span);
  if (callee.kind == ValueKind::TypeMaker) return call_type_maker(checker, callee, args, span);
  return callee.kind == ValueKind::Method ? call_method(checker, callee, args, span) : error_value(span);
}

// Calls what the callee of an expression is, with its arguments.
static Value call_value(Checker& checker, const ast::Call& expr, Value callee, Args& args) {
  if (callee.kind == ValueKind::Type) return call_type(checker, callee, args, expr.span);
  // Loops over tuples are written out anyway.
  if (callee.kind == ValueKind::Prefix && callee.text == "literal_unroll" && args.positional.size() == 1)
    return args.positional[0];
  if (callee.kind == ValueKind::TypeMaker) return call_type_maker(checker, callee, args, expr.span);
  if (const FunctionSymbol* ufunc = checker.instance ? host_ufunc(callee) : nullptr)
    return report_host_call(checker, *ufunc, expr.span);
  if (callee.kind == ValueKind::Function) {
    if (!add_captured(checker, *callee.function, args, expr.span)) return error_value(expr.span);
    return call_function(checker, *callee.function, args, expr.span);
  }
  // In a .kern file a literal has no type yet, and on numbers the builtin does the same as the ufunc.
  bool is_ufunc = callee.kind == ValueKind::Builtin && !ufunc_name(callee.text).empty() && checker.instance;
  if (is_ufunc && (checker.rules.types_literals || takes_arrays(callee.text, args))) {
    callee.kind = ValueKind::Method;
    return call_method(checker, callee, args, expr.span);
  }
  if (callee.kind == ValueKind::Builtin) return call_builtin(checker, callee.builtin, expr, args);
  if (callee.kind == ValueKind::Method) return call_method(checker, callee, args, expr.span);
  if (is_unknown(callee)) return unknown_value(expr.span);
  auto error = checker.report(expr.span, diag::not_callable, describe(checker, callee));
  const std::string_view name = checker.context.source(expr.callee->span);
  if (const Local* local = find_local(checker, name); local && local->type_span != Span{})
    error.note(local->type_span, "`{}` is a variable of this function, whose type comes from here", name);
  return error_value(expr.span);
}

Value evaluate_call(Checker& checker, const ast::Call& expr) {
  if (std::optional<Value> made = call_of_overload(checker, expr)) return *made;
  Span outer_callee = std::exchange(checker.called, expr.callee->span);
  Value callee = evaluate(checker, *expr.callee);
  checker.called = outer_callee;
  std::optional<Value> tuple_class;
  if (callee.kind == ValueKind::HostClass) {
    const std::optional<Type> named = named_tuple_type(checker, callee);
    if (!named) {
      checker.report(expr.callee->span, diag::host_class, checker.context.source(expr.callee->span));
      return error_value(expr.span);
    }
    tuple_class = std::exchange(callee, type_value(*named, expr.callee->span));
  }
  if (is_error(callee)) {
    evaluate_args(checker, expr);
    return callee;
  }
  std::optional<Args> args = evaluate_args(checker, expr);
  if (!args) return error_value(expr.span);
  if (tuple_class) add_defaults(checker, *tuple_class, callee.type, *args);
  return call_value(checker, expr, std::move(callee), *args);
}

static Value default_value(Checker& checker, const FunctionSymbol& callee, const ast::Param& param) {
  if (!callee.data) return constant_of_expr(checker.context, *callee.file, *param.default_value);
  std::size_t place = 0; // among those that have one
  for (const ast::Param& each : callee.def->params) {
    if (&each == &param) break;
    place += each.default_value != nullptr;
  }
  const Span span = param.default_value->span;
  if (place >= callee.data->defaults.size()) return error_value(span);
  Checker constants(checker.context, callee.file, nullptr);
  return host_value(constants, {&checker.context.host->modules, {callee.data->defaults[place], span}},
                    checker.context.source(span), span);
}

// Finds the value of each parameter: positional ones, then named ones, then defaults; *args takes the rest.
std::optional<std::vector<Value>> bind_params(Checker& checker, const FunctionSymbol& callee,
                                              const Args& args, Span span) {
  std::span<const ast::Param> params = callee.def->params;
  std::vector<std::optional<Value>> bound(params.size());
  std::size_t next = 0;
  for (std::size_t i = 0;
       i < params.size() && params[i].kind == ast::ParamKind::Normal && next < args.positional.size(); ++i)
    bound[i] = args.positional[next++];
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (params[i].kind != ast::ParamKind::VarArgs) continue;
    bound[i] = tuple_value(
        {args.positional.begin() + static_cast<std::ptrdiff_t>(next), args.positional.end()}, span);
    next = args.positional.size();
  }
  auto declared = [&](Report&& error) {
    error.note(callee.def->name_span, "`{}` is defined here", callee.def->name);
  };
  if (next < args.positional.size()) {
    declared(checker.report(span, diag::too_many_call_arguments, callee.def->name,
                            std::int64_t(params.size()), std::int64_t(args.positional.size())));
    return std::nullopt;
  }
  for (std::size_t k = 0; k < args.keywords.size(); ++k) {
    std::size_t i = 0;
    while (i < params.size() && params[i].name != args.keywords[k].first) ++i;
    if (i == params.size()) {
      declared(checker.report(args.keyword_spans[k], diag::unknown_keyword, callee.def->name,
                              args.keywords[k].first));
      return std::nullopt;
    }
    if (bound[i]) {
      declared(checker.report(args.keyword_spans[k], diag::argument_twice, params[i].name));
      return std::nullopt;
    }
    bound[i] = args.keywords[k].second;
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (!bound[i] && params[i].default_value) bound[i] = default_value(checker, callee, params[i]);
    if (!bound[i]) {
      declared(checker.report(span, diag::missing_call_argument, callee.def->name, params[i].name));
      return std::nullopt;
    }
    values.push_back(std::move(*bound[i]));
  }
  return values;
}

// Converts an argument to the type of an annotated parameter. An array keeps its own address space, and what
// is known of its strides.
static std::optional<Value> annotated_argument(Checker& checker, const FunctionSymbol& callee,
                                               const ast::Param& param, const Value& value) {
  std::optional<Type> type = type_of_expr(checker.context, *callee.file, *param.annotation);
  if (!type) return std::nullopt;
  if (is_unknown(value)) return value;
  if (is_record_array(*type) && is_record_array(value)) {
    bool same =
        record_type(*type) == record_type(value.type) && written_rank(*type) == written_rank(value.type);
    if (same) return value;
  }
  if (is_array(*type) && is_array(value) && !is_record_array(*type)) {
    bool same = value.type->scalar == (*type)->scalar && value.type->rank == (*type)->rank &&
                is_point(value.type) == is_point(*type);
    if (same && ((*type)->layout == Layout::Any || value.type->layout == Layout::COrder)) return value;
  }
  bool fits = is_tuple(*type) ? is_tuple(value) && converts_deep(checker, value, *type)
                              : is_number(value) && is_scalar(*type) && converts_deep(checker, value, *type);
  if (fits) {
    note_meeting(checker, value, *type, value.span);
    Span name{param.span.file, param.span.begin,
              param.span.begin + static_cast<std::uint32_t>(param.name.size())};
    Value converted = convert_value(checker, value, *type, {Purpose::Param, name});
    // A declared bool is a value of the running program.
    if (is_fixed(converted)) converted.operand = checker.temp(*type, ir::Copy{converted.operand}, value.span);
    return is_error(converted) ? std::nullopt : std::optional(converted);
  }
  Report error = checker.report(value.span, diag::call_argument_type, param.name, to_string(*type),
                                describe(checker, value));
  error.note(param.span, "`{}` is declared here", param.name);
  if (is_complex_number(value) && is_scalar(*type) && !is_complex(*type))
    error.note("a complex number becomes a real one by `.real`, `.imag` or `abs`");
  else if (is_number(value) && is_scalar(*type))
    error.note("convert it: `{}`", cast_text(checker, value, *type));
  return std::nullopt;
}

static std::optional<Value> argument(Checker& checker, const FunctionSymbol& callee, std::size_t index,
                                     const std::vector<Value>& values) {
  const Value& value = values[index];
  const ast::Param& param = callee.def->params[index];
  bool typed =
      param.annotation && param.kind == ast::ParamKind::Normal && callee.file->rules.reads_annotations;
  std::optional<Value> passed =
      typed ? annotated_argument(checker, callee, param, value) : std::optional(value);
  // A constant that the callee needs as one stays one: the instance is of its value.
  std::optional<WideInt> constant = passed && is_number(*passed) ? constant_integer(*passed) : std::nullopt;
  bool is_needed = constant && !is_boolean(passed->type) &&
                   (needs_constant(checker.context, callee, index) || indexes_tuple(callee, index, values));
  if (is_needed) return int_value(*constant, value.span);
  // Literals stay literals in the callee; in the Numba dialect they have a type from the start.
  if (typed || !is_number(value)) return passed;
  bool stays = is_literal(value) && !callee.file->rules.types_literals;
  if (stays || value.kind == ValueKind::Runtime) return value;
  return runtime_value(as_operand(checker, value), value.span);
}

// Collects the run-time leaves of an argument, which the instance has as parameters.
static void flatten_argument(Checker& checker, const Value& value, std::vector<ir::Operand>& leaves) {
  if (is_tuple(value)) {
    for (const Value& element : value.elements) flatten_argument(checker, element, leaves);
    return;
  }
  if (value.kind == ValueKind::Runtime && !is_fixed(value)) leaves.push_back(value.operand);
}

static Value call_with(Checker& checker, const FunctionSymbol& callee, const std::vector<Value>& given,
                       Span span) {
  const std::vector<Value> values = share_literals(checker, callee, given, span);
  Instance* called = find_instance(checker.context, callee, values, false, checker.instance, span);
  if (!called) return error_value(span);
  if (checker.final && callee.file->is_numba()) report_unknown_decorators(checker.context, callee);
  if (checker.final) return emit_call(checker, *called, values, span);
  checker.context.hooks.infer(checker.context, *called);
  Type type = called->result.type;
  if (type == types::none) return plain_value(ValueKind::None, span);
  if (type == types::unknown) return unknown_value(span);
  Value result = value_of_leaves(type, span, [&](Type leaf) {
    return checker.slot_operand(checker.new_slot("", leaf, ir::Slot::Kind::Temp, span));
  });
  mark_waiting(result);
  return result;
}

Value call_function(Checker& checker, const FunctionSymbol& callee, const Args& args, Span span) {
  if (!checker.instance) {
    if (std::optional<Value> value = fold_complex_call(checker, callee, args.positional, span)) return *value;
    if (std::optional<Value> value = constant_call(checker, callee, args, span)) return *value;
    checker.report(span, diag::not_constant, checker.context.source(span));
    return error_value(span);
  }
  std::optional<std::vector<Value>> values = bind_params(checker, callee, args, span);
  if (!values) return error_value(span);
  for (std::size_t i = 0; i < values->size(); ++i) {
    if (is_error((*values)[i])) return error_value(span);
    std::optional<Value> value = argument(checker, callee, i, *values);
    if (!value) return error_value(span);
    (*values)[i] = std::move(*value);
  }
  for (const Value& value : *values)
    if (has_unknown(value)) return unknown_value(span);
  const DeclaredTypes* declared = declared_types(checker, callee, *values);
  for (std::size_t i = 0; declared && i < values->size(); ++i) {
    (*values)[i] = as_declared(checker, declared->params[i], (*values)[i]);
    if (is_error((*values)[i])) return error_value(span);
  }
  Value result = call_with(checker, callee, *values, span);
  bool has_result = declared && declared->result && !has_unknown(result) && !is_error(result);
  return has_result ? as_declared(checker, *declared->result, result) : result;
}

static bool holds_local_array(Type type) {
  if (is_tuple(type)) return std::ranges::any_of(type->elements, holds_local_array);
  return is_array(type) && type->space == AddressSpace::Local;
}

// Says whether a function of the circle of calls that this call closes returns a local array: each has the
// stack of its own depth.
static bool returns_local_array(const Context& context, const Instance& called) {
  auto first = std::ranges::find(context.active, &called);
  return std::any_of(first, context.active.end(),
                     [](const Instance* each) { return holds_local_array(each->result.type); });
}

static Value emit_call(Checker& checker, Instance& called, const std::vector<Value>& values, Span span) {
  bool recurs = called.state == Instance::State::Emitting;
  if (recurs && !called.function->file->rules.recurses) {
    Span name = called.function->def->name_span;
    bool fresh = checker.context.reported.insert({diag::recursion.code, name.file, name.begin}).second;
    if (fresh) checker.report(span, diag::recursion, called.function->def->name);
    return error_value(span);
  }
  if (recurs && returns_local_array(checker.context, called))
    return checker.unsupported(span, "a local array as the result of a function that calls itself");
  ir::FunctionId id = checker.context.hooks.emit(checker.context, called);
  Type type = called.result.type;
  if (type == types::unknown) return error_value(span);
  ir::Call call{{}, id, {}};
  for (const Value& value : values) flatten_argument(checker, value, call.args);
  Value result = plain_value(ValueKind::None, span);
  if (type != types::none)
    result = value_of_leaves(type, span, [&](Type leaf) {
      call.results.push_back(checker.new_slot("", leaf, ir::Slot::Kind::Temp, span));
      return checker.slot_operand(call.results.back());
    });
  checker.emit(std::move(call), span);
  return result;
}

} // namespace kern::checker
