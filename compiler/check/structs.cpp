// The types that structs of .kern files declare.
#include "compiler/check/expressions.h"
#include "compiler/check/records/records.h"

#include "compiler/diagnostics/names.h"

namespace kern::checker {

// Returns a field of a struct from its annotation: `f32`, `Vec`, `f32[3]`, `f32[4, 4]`.
static std::optional<RecordField> struct_field(Checker& checker, const ast::AnnAssign& stmt) {
  RecordField field{std::string(ast::get<ast::Name>(*stmt.target).text), types::error, {}, 0};
  const ast::Expr* annotation = stmt.annotation;
  const auto* subscript = ast::as<ast::Subscript>(annotation);
  Value type = evaluate(checker, subscript ? *subscript->value : *annotation);
  if (is_error(type)) return std::nullopt;
  bool fits = type.kind == ValueKind::Type && (is_scalar(type.type) || is_record(type.type));
  if (!fits) {
    checker.report(annotation->span, diag::field_type, checker.context.source(annotation->span));
    return std::nullopt;
  }
  field.type = type.type;
  if (!subscript) return field;
  for (const ast::Expr* index : subscript->indices) {
    if (index->kind == ast::Kind::Slice) {
      checker.report(index->span, diag::field_extent, checker.context.source(index->span));
      return std::nullopt;
    }
    std::optional<std::vector<std::int64_t>> extents = field_extents(checker, evaluate(checker, *index));
    if (!extents) return std::nullopt;
    field.extents.insert(field.extents.end(), extents->begin(), extents->end());
  }
  return field;
}

std::optional<Type> struct_type(Checker& checker, FileScope& file, const ast::StructDef& def) {
  Checker inner(checker.context, &file, nullptr);
  inner.final = true;
  inner.names_types = true;
  std::vector<RecordField> fields;
  bool ok = true;
  for (const ast::Stmt* stmt : def.body) {
    const auto* annotated = ast::as<ast::AnnAssign>(stmt);
    if (!annotated) continue;
    std::optional<RecordField> field = struct_field(inner, *annotated);
    if (field)
      fields.push_back(std::move(*field));
    else
      ok = false;
  }
  if (!ok) return std::nullopt;
  if (fields.empty()) {
    checker.report(def.name_span, diag::record_without_fields, def.name);
    return std::nullopt;
  }
  std::int64_t alignment = 1, size = lay_out(fields, true, alignment);
  return checker.context.module.types.record(def.name, std::move(fields), size, alignment);
}

} // namespace kern::checker
