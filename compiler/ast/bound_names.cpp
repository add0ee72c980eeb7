// A target binds the names in it; the objects whose elements and attributes it sets keep their names.
#include "compiler/ast/bound_names.h"

#include "compiler/ast/walk.h"

namespace kern::ast {

static void each_in_target(const Expr& target, const VisitName& visit) {
  if (const auto* name = as<Name>(&target)) visit(name->text, name->span);
  if (const auto* starred = as<Starred>(&target)) each_in_target(*starred->value, visit);
  const auto* tuple = as<Tuple>(&target);
  const auto* list = as<List>(&target);
  for (const Expr* each : tuple ? tuple->elements : list ? list->elements : ExprList{})
    each_in_target(*each, visit);
}

// (name := value), in any part of an expression.
static void each_in_expr(const Expr& expr, const VisitName& visit) {
  if (const auto* named = as<NamedExpr>(&expr)) visit(named->target->text, named->target->span);
  each_part(expr, [&](const Expr& part) { each_in_expr(part, visit); });
}

static void each_in_stmt(const Stmt& stmt, const VisitName& visit) {
  each_expr(stmt, [&](const Expr& part) { each_in_expr(part, visit); });
  ExprList targets;
  if (const auto* assign = as<Assign>(&stmt)) targets = assign->targets;
  if (const auto* removal = as<Delete>(&stmt)) targets = removal->targets;
  for (const Expr* target : targets) each_in_target(*target, visit);
  if (const auto* augmented = as<AugAssign>(&stmt)) each_in_target(*augmented->target, visit);
  if (const auto* annotated = as<AnnAssign>(&stmt)) each_in_target(*annotated->target, visit);
  if (const auto* function = as<FunctionDef>(&stmt)) visit(function->name, function->name_span);
  if (const auto* record = as<StructDef>(&stmt)) visit(record->name, record->name_span);
  if (const auto* import = as<Import>(&stmt)) visit(import->alias, import->span);
  if (const auto* from = as<FromImport>(&stmt))
    for (const ImportedName& name : from->names) visit(name.alias, name.span);
}

void each_bound_name(const Module& block, const VisitName& visit) {
  for (const Stmt* item : block.items) each_in_stmt(*item, visit);
  for (const HostStatement& statement : block.statements) each_bound_name(statement, visit);
}

void each_bound_name(const HostStatement& statement, const VisitName& visit) {
  if (!statement.is_item && !statement.name.empty()) visit(statement.name, statement.name_span);
  for (const Stmt* simple : statement.simple) each_in_stmt(*simple, visit);
  for (const NameUse& use : statement.uses)
    if (use.kind == NameUse::Kind::Bind) visit(use.name, use.span);
  for (const HostClause& clause : statement.clauses) {
    if (clause.subject) each_in_expr(*clause.subject, visit);
    if (clause.target) each_in_target(*clause.target, visit);
    for (const NameUse& use : clause.uses)
      if (use.kind == NameUse::Kind::Bind) visit(use.name, use.span);
    each_bound_name(*clause.code, visit);
  }
}

} // namespace kern::ast
