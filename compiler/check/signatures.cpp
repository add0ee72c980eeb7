// Types and constants that stand outside of function bodies: annotations, signatures as text, values of -D.
#include "compiler/check/signatures.h"

#include "compiler/check/core/checker.h"
#include "compiler/check/core/habits.h"
#include "compiler/check/expressions.h"
#include "compiler/check/host_names.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/reporting_scope.h"
#include "compiler/diagnostics/types.h"
#include "compiler/lex/lex.h"
#include "compiler/parse/parse.h"
#include "compiler/types/names.h"

namespace kern {

bool is_option_text(std::string_view file_name) {
  return file_name.starts_with(checker::define_file) || file_name.starts_with(checker::signature_file);
}

} // namespace kern

namespace kern::checker {

const ast::Expr* parse_text(Context& context, std::string name, std::string text) {
  SourceManager& sources = *context.program.sources;
  FileId file = sources.add(std::move(name), std::move(text));
  std::vector<Token> tokens = lex(sources, file, context.diagnostics);
  return parse_expression(sources, file, tokens, *context.program.arena, context.diagnostics);
}

static HostFound evaluated(Context& context, const FileScope& file, const ast::Expr& expr) {
  const python::HostModules& modules = context.host->modules;
  const python::Found unknown{values::Unknown{values::Why::NotComputed, expr.span}, expr.span};
  return {&modules, modules.evaluate(expr, file.reader, file.index).value_or(unknown)};
}

Value constant_of_expr(Context& context, FileScope& file, const ast::Expr& expr) {
  Checker checker(context, &file, nullptr);
  checker.final = true;
  if (file.is_numba())
    return host_value(checker, evaluated(context, file, expr), context.source(expr.span), expr.span);
  Value value = evaluate(checker, expr);
  if (!checker.body().empty() && !is_error(value)) {
    checker.report(expr.span, diag::not_constant, context.source(expr.span));
    return error_value(expr.span);
  }
  return value;
}

// Returns the namedtuple in a type whose elements have names only.
static std::optional<Type> find_untyped(Type type) {
  if (!is_tuple(type)) return std::nullopt;
  if (type->record && type->record->fields.size() != type->elements.size()) return type;
  for (Type element : type->elements)
    if (std::optional<Type> untyped = find_untyped(element)) return untyped;
  return std::nullopt;
}

static void report_untyped(Checker& checker, Type type, Span span) {
  std::string form = fmt::format("{}(", type->record->name);
  for (std::size_t i = 0; i < type->record->fields.size(); ++i)
    form += fmt::format("{}{}", i > 0 ? ", " : "", checker.rules.numpy_names ? "float32" : "f32");
  checker.report(span, diag::untyped_namedtuple, type->record->name, form + ")");
}

// Returns the type that a value means which is written at a place; reports where it means none.
static std::optional<Type> written_type(Checker& checker, const Value& value, Span span) {
  std::optional<Type> type = type_of_value(checker, value);
  if (std::optional<Type> untyped = type ? find_untyped(*type) : std::nullopt) {
    report_untyped(checker, *untyped, span);
    return std::nullopt;
  }
  if (type) return type;
  const std::string_view text = checker.context.source(span);
  Report error = checker.report(span, diag::not_a_type, text);
  note_hidden_type(checker, error, text);
  return std::nullopt;
}

std::optional<Type> type_of_expr(Context& context, FileScope& file, const ast::Expr& expr, bool is_text) {
  if (const auto* text = ast::as<ast::StringLiteral>(&expr)) {
    const ast::Expr* inner = parse_text(context, "<annotation>", std::string(text->value));
    return inner ? type_of_expr(context, file, *inner, true) : std::nullopt;
  }
  Checker checker(context, &file, nullptr);
  checker.final = true;
  checker.names_types = is_text;
  const Value value = evaluate(checker, expr);
  return is_error(value) ? std::nullopt : written_type(checker, value, expr.span);
}

// Says whether a call is one of a type or of void, as `void(int32[:])` is, and not of a function that makes a type.
static bool is_signature_call(Context& context, FileScope& file, const ast::Call& call) {
  const std::string_view name = context.source(call.callee->span);
  if (std::string_view last = name.substr(name.rfind('.') + 1); last == "void" || last == "none") return true;
  if (call.callee->kind == ast::Kind::NoneLiteral) return true;
  const ReportingScope quiet(context.diagnostics, false);
  const bool is_type = type_of_expr(context, file, *call.callee, true).has_value();
  return is_type;
}

// Reads what a text says: types, a tuple of types, or a call `void(types)`.
static std::optional<DeclaredTypes> read_expr(Context& context, FileScope& file, const ast::Expr& expr,
                                              bool is_text) {
  std::vector<const ast::Expr*> exprs{&expr};
  const auto* call = ast::as<ast::Call>(&expr);
  const bool has_result = call && is_signature_call(context, file, *call);
  if (has_result) exprs.assign(call->args.begin(), call->args.end());
  if (const auto* tuple = ast::as<ast::Tuple>(&expr))
    exprs.assign(tuple->elements.begin(), tuple->elements.end());
  DeclaredTypes declared;
  for (const ast::Expr* each : exprs) {
    std::optional<Type> type = type_of_expr(context, file, *each, is_text);
    if (!type) return std::nullopt;
    declared.params.push_back(*type);
  }
  if (!has_result) return declared;
  const std::string_view result = context.source(call->callee->span);
  const bool is_void = result.substr(result.rfind('.') + 1) == "void";
  declared.result = is_void ? types::none : type_of_expr(context, file, *call->callee, is_text);
  return declared.result ? std::optional(std::move(declared)) : std::nullopt;
}

static std::optional<DeclaredTypes> read_text(Context& context, FileScope& file, std::string_view text,
                                              Span span) {
  const Location place = context.program.sources->locate(span);
  const ast::Expr* expr =
      parse_text(context, fmt::format("<signature in {}:{}>", place.file, place.line), std::string(text));
  return expr ? read_expr(context, file, *expr, true) : std::nullopt;
}

bool names_result(const values::Value& callee) {
  const std::string_view path = values::path_name(callee), name = path.substr(path.rfind('.') + 1);
  return name == "void" || name == "none" || find_numba_scalar(name).has_value();
}

// Reads the same of values of Python.
static std::optional<Type> type_of_host(Context& context, FileScope& file, const values::Value& value,
                                        Span span, const ast::Expr* written) {
  const auto* text = values::as<values::Text>(value);
  if (text) {
    const auto declared = read_text(context, file, text->text, span);
    return declared && declared->params.size() == 1 ? std::optional(declared->params[0]) : std::nullopt;
  }
  Checker checker(context, &file, nullptr);
  checker.final = true;
  const Value read =
      host_value(checker, {&context.host->modules, {value, span, 0}}, context.source(span), span, written);
  return is_error(read) ? std::nullopt : written_type(checker, read, span);
}

static std::optional<DeclaredTypes> read_host(Context& context, FileScope& file,
                                              const WrittenSignature& written) {
  const values::Value& value = written.value.value;
  if (const auto* text = values::as<values::Text>(value))
    return read_text(context, file, text->text, written.span);
  std::span<const values::Value> params(&value, 1);
  if (const auto* tuple = values::as<values::Tuple>(value)) params = tuple->elements;
  const auto* term = values::as<values::Term>(value);
  const bool has_result = term && names_result(term->data->callee);
  if (has_result) params = term->data->args;
  // Where each of them is written.
  ast::ExprList places;
  if (has_result && term->data->call) places = term->data->call->args;
  if (const auto* tuple = written.written ? ast::as<ast::Tuple>(written.written) : nullptr)
    places = tuple->elements;
  if (places.size() != params.size()) places = {};
  DeclaredTypes declared;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const ast::Expr* place = places.empty() ? written.written : places[i];
    std::optional<Type> type =
        type_of_host(context, file, params[i], place ? place->span : written.span, place);
    if (!type) return std::nullopt;
    declared.params.push_back(*type);
  }
  if (!has_result) return declared;
  declared.result = type_of_host(context, file, term->data->callee, written.span, nullptr);
  return declared.result ? std::optional(std::move(declared)) : std::nullopt;
}

// Adds to an error how to give a signature that Python builds in a way which is not followed here.
static void note_built(Context& context, Span signature, std::size_t known) {
  const std::vector<Diagnostic>& all = context.diagnostics.all();
  if (all.size() == known) return;
  const std::string_view code = all.back().row->code;
  const bool has_define = code == diag::host_value.code || code == diag::captured_value.code ||
                          code == diag::import_not_found.code;
  if (has_define) return;
  Diagnostics::Builder(context.diagnostics, static_cast<std::ptrdiff_t>(all.size()) - 1)
      .note(signature,
            "Python builds this signature: give it a name, `@cuda.jit(SIGNATURE)`, and its text by `-D "
            "SIGNATURE='void(float32[:])'`; kernc follows texts that are made of texts, integers and types "
            "by `+`, "
            "`%s`, `%d` and fields without a width, `{{}}`, `{{0}}`, `{{name}}`");
}

std::optional<DeclaredTypes> read_signature(Context& context, FileScope& file,
                                            const WrittenSignature& written) {
  if (!written.expr) {
    const std::size_t known = context.diagnostics.all().size();
    std::optional<DeclaredTypes> declared = read_host(context, file, written);
    if (values::as<values::Unknown>(written.value.value)) note_built(context, written.span, known);
    return declared;
  }
  const auto* text = ast::as<ast::StringLiteral>(written.expr);
  return text ? read_text(context, file, text->value, written.span)
              : read_expr(context, file, *written.expr, false);
}

bool has_count(Context& context, const FunctionSymbol& function, std::size_t count,
               std::optional<Span> place) {
  const ast::FunctionDef& def = *function.def;
  if (count == def.params.size()) return true;
  context.diagnostics
      .report(place, diag::signature_count, def.name, std::int64_t(def.params.size()), std::int64_t(count))
      .note(def.name_span, "`{}` is defined here", def.name);
  return false;
}

} // namespace kern::checker
