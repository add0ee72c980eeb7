// Numba types an argument before it compiles the callee, and keeps the literal beside the type: where the body needs
// a constant, the function is compiled once more for the value. The syntax of the body says where that is.
#include "compiler/check/constant_params.h"
#include "compiler/check/host_names.h"

#include <algorithm>
#include <set>

#include "compiler/check/core/convert.h"
#include "compiler/check/core/shared_literals.h"
#include "compiler/check/instances.h"
#include "compiler/check/scopes.h"

namespace kern::checker {

namespace {

constexpr int deepest_calls = 16;

// The parameters that were looked at: functions may call each other in circles.
using Seen = std::set<std::pair<const ast::FunctionDef*, std::size_t>>;

struct ParamWalk {
  Context* context;
  const FunctionSymbol& function;
  std::string_view name;
  int depth; // of calls above
  Seen* seen = nullptr;
  bool found = false;
  std::vector<std::string_view> indexed = {}; // what it is an index into

  bool mentions(const ast::Expr* expr) const {
    if (!expr) return false;
    if (const auto* read = ast::as<ast::Name>(expr)) return read->text == name;
    if (const auto* unary = ast::as<ast::Unary>(expr)) return mentions(unary->operand);
    if (const auto* binary = ast::as<ast::Binary>(expr))
      return mentions(binary->left) || mentions(binary->right);
    if (const auto* call = ast::as<ast::Call>(expr)) return any(call->args);
    if (const auto* tuple = ast::as<ast::Tuple>(expr)) return any(tuple->elements);
    return false;
  }

  bool any(ast::ExprList exprs) const {
    return std::ranges::any_of(exprs, [&](const ast::Expr* expr) { return mentions(expr); });
  }

  void call(const ast::Call& call) {
    const auto* attribute = ast::as<ast::Attribute>(call.callee);
    bool makes = attribute && attribute->name == "array";
    if (makes) {
      found = found || any(call.args);
      for (const ast::Keyword& keyword : call.keywords) found = found || mentions(keyword.value);
    }
    const auto* callee = ast::as<ast::Name>(call.callee);
    if (callee && depth < deepest_calls) inner_call(call, *callee);
  }

  const FunctionSymbol* called_function(std::string_view name) const {
    FileScope& scope = *function.file;
    if (!scope.is_numba()) {
      const Symbol* symbol = find_symbol(*context, scope, name);
      return symbol ? symbol->function : nullptr;
    }
    const std::optional<HostFound> found = find_host_name(*context, scope, name);
    const auto* callee = found ? values::as<values::Function>(found->found.value) : nullptr;
    return callee && callee->data->def ? &function_symbol(*context, *callee->data) : nullptr;
  }

  // Finds whether a function that is called with the parameter needs it as a constant.
  void inner_call(const ast::Call& call, const ast::Name& callee) {
    const FunctionSymbol* called = called_function(callee.text);
    if (!called) return;
    const FunctionSymbol& inner = *called;
    for (std::size_t i = 0; i < inner.def->params.size() && !found; ++i) {
      const ast::Expr* arg = i < call.args.size() ? call.args[i] : nullptr;
      for (const ast::Keyword& keyword : call.keywords)
        if (keyword.name == inner.def->params[i].name) arg = keyword.value;
      if (!mentions(arg) || !seen->insert({inner.def, i}).second) continue;
      ParamWalk walk{context, inner, inner.def->params[i].name, depth + 1, seen};
      walk.block(inner.def->body);
      found = walk.found;
    }
  }

  void list(ast::ExprList exprs) {
    for (const ast::Expr* expr : exprs) visit(expr);
  }

  void visit(const ast::Expr* expr) {
    if (!expr || found) return;
    if (const auto* unary = ast::as<ast::Unary>(expr)) return visit(unary->operand);
    if (const auto* binary = ast::as<ast::Binary>(expr)) {
      visit(binary->left);
      return visit(binary->right);
    }
    if (const auto* compare = ast::as<ast::Compare>(expr)) return list(compare->operands);
    if (const auto* both = ast::as<ast::BoolOp>(expr)) return list(both->operands);
    if (const auto* choice = ast::as<ast::Conditional>(expr)) {
      visit(choice->condition);
      visit(choice->then_value);
      return visit(choice->else_value);
    }
    if (const auto* tuple = ast::as<ast::Tuple>(expr)) return list(tuple->elements);
    if (const auto* subscript = ast::as<ast::Subscript>(expr)) {
      const auto* base = ast::as<ast::Name>(subscript->value);
      if (base && any(subscript->indices)) indexed.push_back(base->text);
      visit(subscript->value);
      return list(subscript->indices);
    }
    if (const auto* attribute = ast::as<ast::Attribute>(expr)) return visit(attribute->value);
    if (const auto* made = ast::as<ast::Call>(expr)) {
      call(*made);
      list(made->args);
      for (const ast::Keyword& keyword : made->keywords) visit(keyword.value);
    }
  }

  void block(ast::Block statements) {
    for (const ast::Stmt* stmt : statements) statement(*stmt);
  }

  void statement(const ast::Stmt& stmt) {
    if (found) return;
    if (const auto* expr = ast::as<ast::ExprStmt>(&stmt)) return visit(expr->value);
    if (const auto* assign = ast::as<ast::Assign>(&stmt)) {
      list(assign->targets);
      return visit(assign->value);
    }
    if (const auto* augmented = ast::as<ast::AugAssign>(&stmt)) return visit(augmented->value);
    if (const auto* annotated = ast::as<ast::AnnAssign>(&stmt)) return visit(annotated->value);
    if (const auto* branch = ast::as<ast::If>(&stmt)) {
      visit(branch->condition);
      block(branch->then_body);
      return block(branch->else_body);
    }
    if (const auto* loop = ast::as<ast::While>(&stmt)) {
      visit(loop->condition);
      return block(loop->body);
    }
    if (const auto* counted = ast::as<ast::For>(&stmt)) {
      visit(counted->iterable);
      return block(counted->body);
    }
    if (const auto* result = ast::as<ast::Return>(&stmt)) visit(result->value);
  }
};

} // namespace

bool indexes_tuple(const FunctionSymbol& function, std::size_t param, const std::vector<Value>& args) {
  std::span<const ast::Param> params = function.def->params;
  if (std::ranges::none_of(args, [](const Value& arg) { return is_tuple(arg); })) return false;
  // No function that is called matters here.
  ParamWalk walk{nullptr, function, params[param].name, deepest_calls};
  walk.block(function.def->body);
  for (std::size_t i = 0; i < args.size() && i < params.size(); ++i)
    if (is_tuple(args[i]) && std::ranges::find(walk.indexed, params[i].name) != walk.indexed.end())
      return true;
  return false;
}

bool needs_constant(Context& context, const FunctionSymbol& function, std::size_t param) {
  auto [known, is_new] = context.constant_params.try_emplace({function.def, param}, false);
  if (!is_new) return known->second;
  Seen seen{{function.def, param}};
  ParamWalk walk{&context, function, function.def->params[param].name, 0, &seen};
  walk.block(function.def->body);
  return context.constant_params[{function.def, param}] = walk.found;
}

// Returns the calls that differ from one in literals alone.
static LiteralFamily& family_of(Checker& checker, const FunctionSymbol& callee, std::vector<Value> values) {
  for (Value& value : values)
    if (takes_shared_type(value)) value = unknown_value(value.span);
  bool fast = checker.instance->fast_math;
  return checker.context.literal_families[fmt::format("{}{}:{}", fast ? "fast " : "",
                                                      static_cast<const void*>(&callee), key_of(values))];
}

std::vector<Value> share_literals(Checker& checker, const FunctionSymbol& callee,
                                  const std::vector<Value>& values, Span span) {
  if (callee.file->rules.types_literals || std::ranges::none_of(values, takes_shared_type)) return values;
  LiteralFamily& family = family_of(checker, callee, values);
  std::string key = key_of(values);
  if (family.key.empty()) {
    family.key = key;
    family.first = find_instance(checker.context, callee, values, false, checker.instance, span);
  }
  family.has_several = family.has_several || family.key != key;
  bool is_known = family.first && family.first->literal_types.size() == values.size() &&
                  family.first->state >= Instance::State::Inferred;
  if (!is_known) return values;
  std::vector<Value> shared = values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Type type = family.first->literal_types[i];
    if (type == types::unknown || !takes_shared_type(values[i]) || !literal_fits(values[i].real(), type))
      continue;
    if (family.has_several)
      shared[i] = convert_value(checker, values[i], type, Purpose::Argument);
    else
      note_reading(checker, values[i], type);
  }
  return shared;
}

} // namespace kern::checker
