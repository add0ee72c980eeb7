// Types and constants that stand outside of function bodies: annotations, signatures as text, values of -D.
#include "compiler/check/signatures.h"

#include <algorithm>

#include "compiler/check/checker.h"
#include "compiler/check/habits.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/reporting_scope.h"
#include "compiler/diagnostics/types.h"
#include "compiler/lex/lex.h"
#include "compiler/parse/parse.h"

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

Value constant_of_expr(Context& context, FileScope& file, const ast::Expr& expr) {
  Checker checker(context, &file, nullptr);
  checker.final = true;
  Value value = checker.evaluate(expr);
  if (!checker.body->empty() && !is_error(value)) {
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
    form += fmt::format("{}{}", i > 0 ? ", " : "", checker.scope->is_numba() ? "float32" : "f32");
  checker.report(span, diag::untyped_namedtuple, type->record->name, form + ")");
}

std::optional<Type> type_of_expr(Context& context, FileScope& file, const ast::Expr& expr, bool is_text) {
  if (const auto* text = ast::as<ast::StringLiteral>(&expr)) {
    const ast::Expr* inner = parse_text(context, "<annotation>", std::string(text->value));
    return inner ? type_of_expr(context, file, *inner, true) : std::nullopt;
  }
  Checker checker(context, &file, nullptr);
  checker.final = true;
  checker.names_types = is_text;
  Value value = checker.evaluate(expr);
  if (is_error(value)) return std::nullopt;
  std::optional<Type> type = type_of_value(checker, value);
  if (std::optional<Type> untyped = type ? find_untyped(*type) : std::nullopt) {
    report_untyped(checker, *untyped, expr.span);
    return std::nullopt;
  }
  if (type) return type;
  Report error = checker.report(expr.span, diag::not_a_type, context.source(expr.span));
  note_hidden_type(checker, error, context.source(expr.span));
  return std::nullopt;
}

// Says whether a call is one of a type or of void, as `void(int32[:])` is, and not of a function that makes a signature.
static bool is_signature_call(Context& context, FileScope& file, const ast::Call& call, bool is_text) {
  const std::string_view name = context.source(call.callee->span);
  if (std::string_view last = name.substr(name.rfind('.') + 1); last == "void" || last == "none") return true;
  if (call.callee->kind == ast::Kind::NoneLiteral) return true;
  const ReportingScope quiet(context.diagnostics, false);
  const bool is_type = type_of_expr(context, file, *call.callee, is_text).has_value();
  return is_type;
}

// Returns the string that an expression makes, "void({}[:])".format(T); nothing where it is none, or is not known.
static std::optional<std::string> made_string(Context& context, FileScope& file, const ast::Expr& expr) {
  const auto* call = ast::as<ast::Call>(&expr);
  const bool may_be = call ? call->callee->kind == ast::Kind::Attribute : expr.kind == ast::Kind::Binary;
  if (!may_be || !file.is_numba()) return std::nullopt;
  const ReportingScope quiet(context.diagnostics, false);
  const Value value = constant_of_expr(context, file, expr);
  return value.kind == ValueKind::String ? std::optional(std::string(value.text)) : std::nullopt;
}

// Follows a signature that is written as a string, or is a constant of the module, to the expression with the
// types, and sets `is_text` where a string was among these, and `file` to where the names in it are looked
// up; null where the text cannot be parsed, which is reported. A string may name a constant that is a string
// again: each constant is followed once.
static const ast::Expr* plain_signature(Context& context, FileScope*& file, const ast::Expr& expr,
                                        bool& is_text) {
  const ast::Expr* signature = &expr;
  std::vector<const Symbol*> followed;
  while (signature) {
    const auto* text = ast::as<ast::StringLiteral>(signature);
    std::optional<std::string> string =
        text ? std::string(text->value) : made_string(context, *file, *signature);
    if (string) {
      Location place = context.program.sources->locate(signature->span);
      signature = parse_text(context, fmt::format("<signature in {}:{}>", place.file, place.line), *string);
      is_text = true;
      continue;
    }
    const auto* name = ast::as<ast::Name>(signature);
    if (!name) break;
    FileScope* owner = file;
    const Symbol* found = find_symbol(context, *file, name->text,
                                      Checker(context, file, nullptr).reader_of(name->span), &owner);
    while (found && found->kind == Symbol::Kind::FromImport && std::ranges::count(followed, found) == 0) {
      followed.push_back(found);
      FileScope* other = find_file(context, *owner, found->module);
      found = other ? find_symbol(context, *other, found->text, {}, &(owner = other)) : nullptr;
    }
    bool is_signature =
        found && found->kind == Symbol::Kind::Constant && !found->op && found->path.empty() && found->init;
    const auto* made = is_signature ? ast::as<ast::Call>(found->init) : nullptr;
    is_signature = is_signature && (!made || is_signature_call(context, *owner, *made, is_text) ||
                                    made_string(context, *owner, *made));
    if (!is_signature || std::ranges::count(followed, found) > 0) break;
    followed.push_back(found);
    signature = found->init;
    file = owner;
  }
  return signature;
}

// Adds to an error how to give a signature that Python builds in a way which is not followed here.
static void note_built(Context& context, const ast::Expr& signature, std::size_t known) {
  const std::vector<Diagnostic>& all = context.diagnostics.all();
  if (all.size() == known) return;
  const std::string_view code = all.back().row->code;
  const bool has_define = code == diag::host_value.code || code == diag::captured_value.code ||
                          code == diag::import_not_found.code;
  if (has_define) return;
  Diagnostics::Builder(context.diagnostics, static_cast<std::ptrdiff_t>(all.size()) - 1)
      .note(signature.span,
            "Python builds this signature: give it a name, `@cuda.jit(SIGNATURE)`, and its text by `-D "
            "SIGNATURE='void(float32[:])'`");
}

std::optional<DeclaredTypes> read_signature(Context& context, FileScope& around, const ast::Expr& written) {
  bool is_text = false;
  FileScope* home = &around;
  const ast::Expr* plain = plain_signature(context, home, written, is_text);
  if (!plain) return std::nullopt;
  const ast::Expr& expr = *plain;
  FileScope& file = *home;
  std::vector<const ast::Expr*> exprs{&expr};
  const auto* call = ast::as<ast::Call>(&expr);
  const bool has_result = call && is_signature_call(context, file, *call, is_text);
  if (has_result) exprs.assign(call->args.begin(), call->args.end());
  if (const auto* tuple = ast::as<ast::Tuple>(&expr))
    exprs.assign(tuple->elements.begin(), tuple->elements.end());
  const bool is_built = !exprs.empty() && exprs.front() == &expr && !is_text && file.is_numba() &&
                        (call || expr.kind == ast::Kind::Binary);
  DeclaredTypes declared;
  for (const ast::Expr* each : exprs) {
    const std::size_t known = context.diagnostics.all().size();
    std::optional<Type> type = type_of_expr(context, file, *each, is_text);
    if (!type && is_built) note_built(context, expr, known);
    if (!type) return std::nullopt;
    declared.params.push_back(*type);
  }
  if (!has_result) return declared;
  const std::string_view result = context.source(call->callee->span);
  const bool is_void = result.substr(result.rfind('.') + 1) == "void";
  declared.result = is_void ? types::none : type_of_expr(context, file, *call->callee, is_text);
  return declared.result ? std::optional(std::move(declared)) : std::nullopt;
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
