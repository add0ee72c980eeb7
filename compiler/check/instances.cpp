// Instances of functions: found by their arguments, inferred (rounds.cpp), and emitted when the first emitted caller
// (or the module) needs them.

#include "compiler/check/instances.h"
#include "compiler/ast/walk.h"
#include "compiler/check/signatures.h"
#include "compiler/diagnostics/limits.h"
#include "compiler/support/limits.h"

namespace kern::checker {

// ---- The names that a function binds ----

// How a statement assigns a name.
enum class Site : std::uint8_t { Alone, Augmented, Unpacked, Loop };

static void add_site(Instance& instance, std::string_view name, Span span, Site site) {
  auto version = instance.versions.find(name.data());
  Local& local = version == instance.versions.end() ? instance.locals[name] : *version->second;
  if (local.sites == 0) {
    local.name = name;
    local.span = local.type_span = span;
  }
  ++local.sites;
  if (site == Site::Alone) local.is_assigned = true;
  if (site == Site::Unpacked) local.is_unpacked = true;
}

// Returns the name that `p.x`, `p.x[i]` and `p.inner.y` are a part of, where that may be a record of this function: one of
// an array is in memory.
static const ast::Name* record_name(const Instance& instance, const ast::Expr& target) {
  const auto* attribute = ast::as<ast::Attribute>(&target);
  const auto* subscript = ast::as<ast::Subscript>(&target);
  const ast::Expr* owner = attribute ? attribute->value : subscript ? subscript->value : nullptr;
  const auto* name = owner ? ast::as<ast::Name>(owner) : nullptr;
  if (!name) return owner ? record_name(instance, *owner) : nullptr;
  bool is_field = attribute ||
                  (subscript->indices.size() == 1 && subscript->indices[0]->kind == ast::Kind::StringLiteral);
  if (!is_field || instance.function->file->rules.refers_to_records) return nullptr;
  std::span<const ast::Param> params = instance.function->def->params;
  for (std::size_t i = 0; i < params.size(); ++i)
    if (params[i].name == name->text) return is_tuple(instance.args[i]) ? name : nullptr;
  return name;
}

static void collect_target(Instance& instance, const ast::Expr& target, Site site) {
  if (const ast::Name* record = record_name(instance, target)) instance.changed_records.push_back(record);
  Site inner = site == Site::Alone ? Site::Unpacked : site;
  if (const auto* name = ast::as<ast::Name>(&target)) add_site(instance, name->text, name->span, site);
  if (const auto* tuple = ast::as<ast::Tuple>(&target))
    for (const ast::Expr* element : tuple->elements) collect_target(instance, *element, inner);
  if (const auto* list = ast::as<ast::List>(&target))
    for (const ast::Expr* element : list->elements) collect_target(instance, *element, inner);
}

// Finds the names that `:=` assigns.
static void collect_named(Instance& instance, const ast::Expr& expr) {
  if (const auto* named = ast::as<ast::NamedExpr>(&expr)) {
    add_site(instance, named->target->text, named->target->span, Site::Unpacked);
    instance.locals[named->target->text].is_named = true;
  }
  ast::each_part(expr, [&](const ast::Expr& part) { collect_named(instance, part); });
}

static void collect_annotation(Context& context, Instance& instance, const ast::AnnAssign& stmt) {
  const auto* name = ast::as<ast::Name>(stmt.target);
  bool typed = name && instance.function->file->rules.reads_annotations;
  if (!typed) return;
  Local& local = instance.locals[name->text];
  if (local.sites == 0) local.name = name->text, local.span = name->span;
  std::optional<Type> type = type_of_expr(context, *instance.function->file, *stmt.annotation);
  if (!type || !(is_scalar(*type) || is_tuple(*type))) return;
  local.type = *type;
  local.type_span = stmt.annotation->span;
  local.pinned = local.annotated = true;
}

static void collect_locals(Context& context, Instance& instance, ast::Block block) {
  for (const ast::Stmt* stmt : block) {
    ast::each_expr(*stmt, [&](const ast::Expr& expr) { collect_named(instance, expr); });
    if (const auto* assign = ast::as<ast::Assign>(stmt)) {
      Site site = assign->targets.size() == 1 ? Site::Alone : Site::Unpacked;
      for (const ast::Expr* target : assign->targets) collect_target(instance, *target, site);
    } else if (const auto* augmented = ast::as<ast::AugAssign>(stmt)) {
      collect_target(instance, *augmented->target, Site::Augmented);
    } else if (const auto* annotated = ast::as<ast::AnnAssign>(stmt)) {
      if (annotated->value) collect_target(instance, *annotated->target, Site::Alone);
      collect_annotation(context, instance, *annotated);
    } else if (const auto* branch = ast::as<ast::If>(stmt)) {
      collect_locals(context, instance, branch->then_body);
      collect_locals(context, instance, branch->else_body);
    } else if (const auto* loop = ast::as<ast::While>(stmt)) {
      collect_locals(context, instance, loop->body);
      collect_locals(context, instance, loop->else_body);
    } else if (const auto* counted = ast::as<ast::For>(stmt)) {
      collect_target(instance, *counted->target, Site::Loop);
      collect_locals(context, instance, counted->body);
      collect_locals(context, instance, counted->else_body);
    }
  }
}

void collect_names(Context& context, Instance& instance) {
  const FunctionSymbol& function = *instance.function;
  for (const ast::Param& param : function.def->params)
    add_site(instance, param.name, param.span, Site::Alone);
  collect_locals(context, instance, function.def->body);
  for (const ast::Name* record : instance.changed_records)
    if (instance.locals.contains(record->text))
      add_site(instance, record->text, record->span, Site::Augmented);
  instance.result = {};
  instance.result.name = function.def->name;
  instance.result.is_result = true;
  bool typed = function.def->returns && function.file->rules.reads_annotations;
  std::optional<Type> returns =
      typed ? type_of_expr(context, *function.file, *function.def->returns) : std::nullopt;
  if (!returns) return;
  instance.result.type = *returns;
  instance.result.type_span = function.def->returns->span;
  instance.result.pinned = instance.result.annotated = true;
}

// ---- Finding instances ----

// Returns an argument without anything that the key of an instance does not tell apart, since all calls with
// one key share the instance.
static Value parameter_value(const Value& value) {
  if (is_fixed(value)) return value;
  if (value.kind != ValueKind::Runtime && !is_tuple(value)) return value;
  Value result = value.kind == ValueKind::Runtime ? runtime_value({value.type, std::nullopt, 0}, value.span)
                                                  : tuple_like(value.type, value.span);
  for (const Value& element : value.elements) result.elements.push_back(parameter_value(element));
  return result;
}

Instance* find_instance(Context& context, const FunctionSymbol& function, std::vector<Value> args,
                        bool is_kernel, const Instance* caller, Span call_span) {
  // A function that a fast kernel calls is fast as well; an exact kernel has its own instance of it.
  const bool fast_math =
      context.options.fast_math || function.options.kernel.fast_math || (caller && caller->fast_math);
  std::string key = fmt::format("{}{}{}:", is_kernel ? "kernel " : "", fast_math ? "fast " : "",
                                static_cast<const void*>(&function));
  key += key_of(args);
  auto found = context.instances.find(key);
  if (found != context.instances.end()) return found->second.get();
  bool too_many = context.instances.size() >= limits::instances;
  if (too_many || context.active.size() >= limits::instance_depth) {
    auto limit = static_cast<std::int64_t>(too_many ? limits::instances : limits::instance_depth);
    if (context.reported
            .insert({diag::too_many_instances.code, call_span.file, too_many ? 0 : call_span.begin})
            .second) {
      context.diagnostics.report(call_span, diag::too_many_instances, function.def->name, limit);
    }
    return nullptr;
  }
  auto instance = std::make_unique<Instance>();
  instance->key = key;
  instance->function = &function;
  instance->is_kernel = is_kernel;
  instance->fast_math = fast_math;
  for (const Value& value : args) instance->args.push_back(parameter_value(value));
  instance->caller = caller;
  instance->call_span = call_span;
  collect_names(context, *instance);
  return (context.instances[key] = std::move(instance)).get();
}

} // namespace kern::checker
