// Gives code of .py files what python/ says that a name is, and says why where nobody knows.
#include <algorithm>
#include <cctype>

#include "compiler/ast/walk.h"
#include "compiler/check/host_names.h"
#include "compiler/check/names.h"
#include "compiler/check/overload_names.h"
#include "compiler/check/scopes.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/reporting_scope.h"
#include "compiler/diagnostics/types.h"

namespace kern::checker {

namespace {

using values::as;

// Notes what the clauses of a statement make of a name, where nobody knows which of them runs; false where it is not known.
bool note_clauses(Report& error, const values::Unknown& unknown, std::string_view name) {
  if (!unknown.doubt || unknown.doubt->bound.empty()) return false;
  for (Span bound : unknown.doubt->bound)
    error.note(bound, "`{}` is bound here, in a block of which kernc does not know whether it runs", name);
  if (unknown.doubt->condition != Span{})
    error.note(unknown.doubt->condition,
               "that depends on this: where `-D` makes a constant of it, it is known");
  return true;
}

std::string define_name(Checker& checker, std::string_view path) {
  const std::size_t dot = path.find('.');
  const std::string name = checker.context.host->modules.define_name(
      checker.scope->reader, checker.scope->index, path.substr(0, dot));
  return dot == path.npos ? name : name + std::string(path.substr(dot));
}

// Says whether what is wrong in a term is said: it describes a type that a kernel uses.
bool is_type_call(const values::Value& value) {
  const auto* term = as<values::Term>(value);
  const std::string_view path = term ? values::path_name(term->data->callee) : "";
  return path.starts_with("numba.") || path.ends_with(".dtype") || path.ends_with("make_c_struct");
}

void report_host_function(Checker& checker, const values::FunctionData& data, std::string_view name,
                          Span span) {
  const ast::HostStatement& statement = *data.statement;
  Report error = checker.report(span, diag::host_function, name);
  const bool is_intrinsic = std::ranges::any_of(data.decorators, [](const values::Value& decorator) {
    return values::path_name(decorator).ends_with(".intrinsic");
  });
  if (is_intrinsic)
    error.note(statement.name_span, "`@intrinsic` writes LLVM's code, which is not read here; write a device "
                                    "function of what it computes");
  else
    error.note(statement.name_span, "it is passed over as host code{}{}", statement.why.empty() ? "" : ": ",
               statement.why);
}

// Reports a name that the file of a -D does not have; false of another one.
bool report_given(Checker& checker, std::string_view define, std::string_view missing, Span span) {
  for (const Define& each : checker.context.options.defines) {
    if ((each.name != define && !define.ends_with(fmt::format(".{}", each.name))) || !each.file ||
        each.value != missing)
      continue;
    report_not_in_module(checker, missing, each.file->name, span);
    return true;
  }
  return false;
}

} // namespace

void report_unknown(Checker& checker, const HostFound& found, std::string_view name, Span span) {
  const auto& unknown = *as<values::Unknown>(found.found.value);
  const std::string define = define_name(checker, name);
  const std::string_view doubt = unknown.doubt ? unknown.doubt->name : "";
  switch (unknown.why) {
  case values::Why::Captured: {
    const std::string_view param = checker.context.source(unknown.where);
    const std::string_view captured = param.substr(0, param.find_first_of(" :=,)"));
    checker
        .report(span, diag::captured_value, captured, doubt,
                captured_define(checker, fmt::format("{}.{}", doubt, captured), span))
        .note(unknown.where, "`{}` is a parameter of `{}` here", captured, doubt);
    return;
  }
  case values::Why::Missing:
    if (report_given(checker, define, doubt, span)) return;
    if (find_file(checker.context, *checker.scope, doubt)) {
      checker.report(span, diag::host_value, name, define)
          .note(found.found.where, "`{}` is imported from `{}` here, which does not bind it before", name,
                doubt);
      return;
    }
    report_not_found(checker, name, doubt, define, span)
        .note(found.found.where, "`{}` is imported from `{}` here", name, doubt);
    return;
  case values::Why::Bound:
  case values::Why::Changed:
  case values::Why::Launched:
  case values::Why::NotComputed: break;
  }
  Report error = checker.report(span, diag::host_value, name, define);
  if (checker.called == span) error.note("a function is given as `-D {}=FILE.py:FUNCTION`", define);
  if (unknown.why == values::Why::NotComputed)
    error.note(found.found.where, "`{}` is defined here", name);
  else if (unknown.why == values::Why::Changed)
    error.note(unknown.where, "`{}` may be changed from here on", name);
  else if (unknown.why == values::Why::Launched)
    error.note(found.found.where,
               "`{}` is bound again here, where a kernel that reads it may have been compiled with "
               "what it was before",
               name);
  else if (!note_clauses(error, unknown, name))
    error.note(unknown.where, "`{}` may be bound here, by code that kernc does not run", name);
}

// Reports the first part of an expression of Python of which nobody knows what it is, a name or what is computed of known ones;
// false where there is none.
static bool report_unknown_part(Checker& checker, const ast::Expr& expr) {
  const python::HostModules& modules = checker.context.host->modules;
  if (const auto* name = ast::as<ast::Name>(&expr)) return is_error(read_name(checker, *name));
  const auto* call = ast::as<ast::Call>(&expr);
  bool any = false;
  ast::each_part(expr, [&](const ast::Expr& written) {
    // A method is none without its object.
    const auto* method = call && &written == call->callee ? ast::as<ast::Attribute>(call->callee) : nullptr;
    const ast::Expr& part = method ? *method->value : written;
    if (any || part.kind == ast::Kind::Slice) return;
    any = part.kind == ast::Kind::Name && report_unknown_part(checker, part);
    if (any) return;
    const auto value = modules.evaluate(part, checker.scope->reader, checker.scope->index);
    if (!value || !as<values::Unknown>(value->value)) return;
    any = true;
    if (!report_unknown_part(checker, part))
      checker.report(part.span, diag::not_constant, checker.context.source(part.span));
  });
  return any;
}

static bool is_dotted_name(std::string_view text) {
  const auto is_part = [](char c) {
    return c == '.' || c == '_' || std::isalnum(static_cast<unsigned char>(c)) ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  return std::ranges::all_of(text, is_part);
}

Value host_value(Checker& checker, const HostFound& found, std::string_view name, Span span,
                 const ast::Expr* written) {
  const values::Value& value = found.found.value;
  const bool is_name = is_dotted_name(name);
  if (as<values::Unknown>(value)) {
    if (written && report_unknown_part(checker, *written)) return error_value(span);
    if (is_name)
      report_unknown(checker, found, name, span);
    else
      checker.report(span, diag::not_constant, name);
    return error_value(span);
  }
  const auto* function = as<values::Function>(value);
  if (function && !function->data->def) {
    report_host_function(checker, *function->data, name, span);
    return error_value(span);
  }
  if (function && checker.instance && has_overload(checker.context, *function->data)) {
    checker.report(span, diag::overloaded_function, name);
    return error_value(span);
  }
  // What these are is said where they stand: a name of a module may be code of the kernel that reads it.
  if (const auto* path = as<values::Path>(value)) return host_path(checker, path->name, span);
  if (as<values::Member>(value)) return constant_value(checker, found, name, span);
  Checker constants(checker.context, checker.scope, nullptr);
  constants.final = true;
  Value result;
  {
    const bool reports = checker.is_heard() && is_type_call(value);
    const ReportingScope scope(checker.context.diagnostics, reports);
    result = constant_value(constants, found, name, span);
  }
  if (!is_error(result)) return result;
  if (constants.errors() > 0 && is_type_call(value)) {
    checker.count_error();
    return result;
  }
  if (!is_name) {
    checker.report(span, diag::not_constant, name);
    return result;
  }
  Report error = checker.report(span, diag::host_value, name, define_name(checker, name));
  const auto* term = as<values::Term>(value);
  if (term && values::path_name(term->data->callee).ends_with("declare_device"))
    error.note(
        found.found.where,
        "`declare_device` names a function of code that is linked, which kernc does not do: write it in "
        "Python, and give `FILE.py:FUNCTION`");
  else
    error.note(found.found.where, "`{}` is defined here", name);
  return result;
}

const HostFound& host_class(const Checker& checker, const Value& of) {
  return checker.context.host->found[static_cast<std::size_t>(of.integer)];
}

Value host_class_attribute(Checker& checker, const Value& of, std::string_view name, Span span) {
  const HostFound& host = host_class(checker, of);
  const std::optional<python::Found> found = host.modules->attribute(host.found, name);
  if (found) return host_value(checker, {host.modules, *found}, checker.context.source(span), span);
  const auto* made = as<values::Class>(host.found.value);
  Report error = checker.report(span, diag::host_class, checker.context.source(of.span));
  if (made) error.note(made->statement->name_span, "it has no constant `{}`", name);
  return error_value(span);
}

std::optional<Type> named_tuple_type(Checker& checker, const Value& of) {
  if (of.kind == ValueKind::Type && is_tuple(of.type) && of.type->record && !is_record(of.type))
    return of.type;
  const HostFound* host = of.kind == ValueKind::HostClass ? &host_class(checker, of) : nullptr;
  const auto* made = host ? as<values::Class>(host->found.value) : nullptr;
  if (!made) return std::nullopt;
  const std::vector<std::string_view> fields = host->modules->field_names(host->found);
  if (fields.empty()) return std::nullopt;
  TypeTable& types = checker.context.module.types;
  return types.named({}, types.names(made->statement->name, fields));
}

} // namespace kern::checker
