#include "compiler/check/core/stored_sums.h"
#include "compiler/check/core/report.h"

#include "compiler/advice/advice.h"
#include "compiler/ast/walk.h"
#include "compiler/support/split.h"

namespace kern::checker {

std::string StoredSum::text() const { return advice::binary(target, op, operand); }

std::string StoredSum::text_in(Type type) const {
  return advice::binary(advice::cast(target, type), op, operand);
}

std::string StoredSum::assigned(std::string_view value) const {
  return fmt::format("{} = {}", target, value);
}

std::optional<StoredSum> stored_sum(const Checker& checker, Span place) {
  std::optional<StoredSum> found;
  if (!checker.final || !checker.instance) return found;
  ast::each_stmt(checker.instance->function->def->body, [&](const ast::Stmt& stmt) {
    const auto* sum = ast::as<ast::AugAssign>(&stmt);
    auto text = [&](const ast::Expr& expr) { return short_text(checker.context.source(expr.span)); };
    if (sum && sum->span == place) found = {text(*sum->target), text(*sum->value), sum->op};
  });
  return found;
}

std::string cast_text(const Checker& checker, const Value& value, Type type) {
  return advice::cast(short_text(source_of(checker, value)), type);
}

} // namespace kern::checker
