#include "compiler/check/foreign_values.h"

#include <algorithm>

#include "compiler/check/calls.h"
#include "compiler/check/core/operators.h"
#include "compiler/check/expressions.h"
#include "compiler/check/host_names.h"
#include "compiler/check/instances.h"
#include "compiler/check/names.h"
#include "compiler/check/numba/type_values.h"
#include "compiler/diagnostics/reporting_scope.h"

namespace kern::checker {

namespace {

using values::as;

// Returns a value of the checker as one of python/: constants as they are, others by their numbers.
values::Value handed(Context& context, const Value& value) {
  if (value.kind == ValueKind::None) return values::None{};
  if (value.kind == ValueKind::String) return values::Text{value.text};
  if (value.kind == ValueKind::Function && value.function->data)
    return values::Function{value.function->data};
  if (is_fixed(value)) return value.operand.bits != 0;
  if (is_int_literal(value)) return value.integer;
  HostNames& host = *context.host;
  const auto [known, is_new] =
      host.foreign_numbers.try_emplace(key_of({&value, 1}), static_cast<std::uint32_t>(host.foreign.size()));
  if (is_new) host.foreign.push_back(value);
  return values::Foreign{known->second};
}

// Answers what python/ can't say of a type.
struct Answers {
  Checker& checker;
  Span span;

  Value read(const values::Value& value) {
    return host_value(checker, {&checker.context.host->modules, {value, span}}, "", span);
  }

  std::optional<values::Value> operator()(std::string_view path, std::span<const values::Value> args) {
    const Silence silence(checker);
    if (path == "getattr" && args.size() == 2 && as<values::Text>(args[1]))
      return answer(attribute_of(checker, read(args[0]), as<values::Text>(args[1])->text, span));
    Args given;
    for (const values::Value& each : args) given.positional.push_back(read(each));
    if (std::ranges::any_of(given.positional, is_error)) return std::nullopt;
    // What follows from a type that is not known yet is not known yet.
    if (std::ranges::any_of(given.positional, is_unknown) && path != "bool")
      return handed(checker.context, unknown_value(span));
    const std::vector<Value>& x = given.positional;
    if (path == "len" && x.size() == 1) return length(x[0]);
    if (path == "operator.getitem" && x.size() == 2) return element(x[0], x[1]);
    if (const std::optional<ast::CompareOp> op = x.size() == 2 ? comparison(path) : std::nullopt)
      return answer(compare_values(checker, *op, x[0], x[1], span));
    const Value callee = host_path(checker, path, span);
    return is_error(callee) ? std::nullopt : answer(call_constant(checker, callee, given, span));
  }

  std::optional<values::Value> answer(const Value& value) const {
    return is_error(value) ? std::nullopt : std::optional(handed(checker.context, value));
  }

  static std::optional<ast::CompareOp> comparison(std::string_view path) {
    if (path == "operator.eq") return ast::CompareOp::Equal;
    if (path == "operator.ne") return ast::CompareOp::NotEqual;
    if (path == "operator.is_") return ast::CompareOp::Is;
    return path == "operator.is_not" ? std::optional(ast::CompareOp::IsNot) : std::nullopt;
  }

  // The types of the elements of a tuple.
  static std::vector<Value> elements_of(const Value& type, Span span) {
    if (is_tuple(type)) return type.elements;
    std::vector<Value> elements;
    if (type.kind == ValueKind::Type && is_tuple(type.type))
      for (Type each : type.type->elements) elements.push_back(type_value(each, span));
    return elements;
  }

  std::optional<values::Value> length(const Value& type) const {
    const bool is_known = is_tuple(type) || (type.kind == ValueKind::Type && is_tuple(type.type));
    if (!is_known) return std::nullopt;
    return values::Value(static_cast<WideInt>(elements_of(type, span).size()));
  }

  std::optional<values::Value> element(const Value& type, const Value& index) const {
    const std::vector<Value> elements = elements_of(type, span);
    const std::optional<WideInt> place = constant_integer(index);
    const auto at = place ? values::index_in(*place, elements.size()) : std::nullopt;
    return at ? answer(elements[*at]) : std::nullopt;
  }
};

} // namespace

std::optional<HostFound> call_with_types(Checker& checker, const values::FunctionData& function,
                                         const Args& args) {
  Context& context = checker.context;
  const ReportingScope quiet(context.diagnostics, false); // Python's code: no error of the program
  std::string key = fmt::format("{}:", function.serial);
  std::vector<values::Value> positional;
  std::vector<values::NamedValue> keywords;
  const auto type_of = [&](const Value& argument) -> values::Value {
    const Value type = type_of_argument(checker, argument);
    key += key_of({&type, 1});
    return handed(context, is_error(type) ? unknown_value(argument.span) : type);
  };
  for (const Value& argument : args.positional) positional.push_back(type_of(argument));
  for (const auto& [name, argument] : args.keywords) {
    key += fmt::format("{}=", name);
    keywords.push_back({name, type_of(argument)});
  }
  const auto [known, is_new] = context.host->overload_calls.try_emplace(key);
  if (!is_new) return known->second;
  Checker constants(context, checker.scope, nullptr);
  constants.final = true;
  const python::HostModules& modules = context.host->modules;
  const std::optional<python::Found> found =
      modules.call(function, positional, keywords, Answers{constants, function.statement->name_span});
  if (found) known->second = HostFound{&modules, *found};
  return known->second;
}

} // namespace kern::checker
