// Functions and classes of the host. Python runs their bodies; kernc does not, but a kernel that stands inside of
// one reads the names around it, and a function that only makes another one of its arguments can be followed.
#include <algorithm>

#include "compiler/check/checker.h"
#include "compiler/check/host_blocks.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/reporting_scope.h"
#include "compiler/support/limits.h"

namespace kern::checker {

// A call of a function of the host is as much work as so many rounds of a loop that is written out.
static constexpr std::size_t steps_of_host_call = 1000;

static std::unique_ptr<FileScope> new_scope(FileScope& parent, const ast::HostStatement& owner) {
  auto scope = std::make_unique<FileScope>();
  scope->file = parent.file;
  scope->rules = parent.rules;
  scope->tree = owner.body;
  scope->parent = &parent;
  scope->owner = &owner;
  scope->path = fmt::format("{}{}{}", parent.path, parent.path.empty() ? "" : ".", owner.name);
  return scope;
}

static void add_children(Context& context, FileScope& scope, const ast::Module& tree) {
  for (const ast::HostStatement& statement : tree.statements) {
    if (statement.is_item || !statement.body) continue;
    bool is_scope = statement.kind == ast::HostStatement::Kind::Function ||
                    statement.kind == ast::HostStatement::Kind::Class;
    if (!is_scope) continue;
    FileScope& child = *scope.children.emplace_back(new_scope(scope, statement));
    bind_names(context, child);
    build_children(context, child);
  }
}

void build_children(Context& context, FileScope& scope) {
  for (const auto& child : scope.children) build_children(context, *child);
  add_children(context, scope, *scope.tree);
}

FileScope& add_block(Context& context, FileScope& scope, const ast::HostStatement& statement) {
  FileScope& block = *scope.children.emplace_back(new_scope(scope, statement));
  block.path = scope.path;
  bind_names(context, block);
  return block;
}

bool is_block(const FileScope& scope) {
  return scope.owner && scope.owner->kind != ast::HostStatement::Kind::Function &&
         scope.owner->kind != ast::HostStatement::Kind::Class;
}

FileScope* scope_inside(FileScope& scope, const ast::HostStatement& host) {
  for (const auto& child : scope.children) {
    if (child->owner == &host) return child.get();
    FileScope* inner = is_block(*child) ? scope_inside(*child, host) : nullptr;
    if (inner) return inner;
  }
  return nullptr;
}

void for_each_scope(FileScope& scope, const std::function<void(FileScope&)>& visit) {
  visit(scope);
  for (const auto& child : scope.children) for_each_scope(*child, visit);
}

std::string define_name(const FileScope& file, std::string_view name) {
  std::string result;
  for (std::string_view part : {std::string_view(file.file->module), std::string_view(file.path)})
    if (!part.empty()) result += fmt::format("{}.", part);
  return result + std::string(name);
}

std::string path_of(const FunctionSymbol& function) {
  const std::string& path = function.file->path;
  return fmt::format("{}{}{}", path, path.empty() ? "" : ".", function.def->name);
}

// ---- Calls of functions of the host ----

namespace {

// A function of the host, and the scope in which it is defined.
struct HostFunction {
  FileScope* scope = nullptr;
  const ast::HostStatement* host = nullptr;
};

HostFunction host_function(Context& context, FileScope& scope, std::string_view name,
                           const NameReader& reader) {
  constexpr int longest_chain = 8; // of imports
  FileScope* owner = &scope;
  Symbol* symbol = find_symbol(context, scope, name, reader, &owner);
  for (int i = 0; i < longest_chain && symbol; ++i) {
    bool is_host = symbol->kind == Symbol::Kind::Host && symbol->reason == HostReason::Function;
    if (is_host || symbol->kind == Symbol::Kind::Function) return {owner, symbol->host};
    bool is_import = symbol->kind == Symbol::Kind::FromImport;
    FileScope* other = is_import ? find_file(context, *owner, symbol->module) : nullptr;
    symbol = other ? find_own_symbol(context, *other, symbol->text, {}) : nullptr;
    owner = other;
  }
  return {};
}

// The arguments of a call by the parameters of its callee; nothing where one is no constant or they do not fit.
std::optional<std::vector<Value>> arguments_of(Checker& checker, const HostFunction& callee,
                                               const ast::Call& call) {
  std::span<const ast::Param> params = callee.host->params;
  std::vector<std::optional<Value>> bound(params.size());
  if (call.args.size() > params.size()) return std::nullopt;
  for (std::size_t i = 0; i < call.args.size(); ++i) bound[i] = checker.evaluate(*call.args[i]);
  for (const ast::Keyword& keyword : call.keywords) {
    auto param = std::ranges::find(params, keyword.name, &ast::Param::name);
    if (param == params.end()) return std::nullopt;
    bound[static_cast<std::size_t>(param - params.begin())] = checker.evaluate(*keyword.value);
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < params.size(); ++i) {
    bool is_normal = params[i].kind == ast::ParamKind::Normal;
    if (!bound[i] && is_normal && params[i].default_value)
      bound[i] = constant_of_expr(checker.context, *callee.scope, *params[i].default_value);
    if (!is_normal || !bound[i] || is_error(*bound[i]) || !is_constant(*bound[i])) return std::nullopt;
    values.push_back(std::move(*bound[i]));
  }
  return values;
}

// Says whether a line of Python begins with a keyword, or has it behind a colon.
bool holds_keyword(std::string_view text, std::string_view keyword) {
  for (std::size_t at = text.find(keyword); at != text.npos; at = text.find(keyword, at + 1)) {
    const std::size_t behind = at + keyword.size();
    const bool ends = behind == text.size() || std::string_view(" \t\r\n;(").find(text[behind]) != text.npos;
    const std::size_t before = text.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
    const bool begins =
        at == 0 || before == text.npos || std::string_view("\n:;").find(text[before]) != text.npos;
    if (ends && begins) return true;
  }
  return false;
}

bool begins_with(std::string_view text, std::string_view keyword) {
  return holds_keyword(text.substr(0, keyword.size() + 1), keyword);
}

} // namespace

Outcome outcome_of(Context& context, FileScope& scope) {
  using Kind = Outcome::Kind;
  for (const ast::HostStatement& statement : scope.tree->statements) {
    if (statement.is_item || statement.kind == ast::HostStatement::Kind::Function ||
        statement.kind == ast::HostStatement::Kind::Class)
      continue;
    const std::string_view text = context.source(statement.span);
    if (text == "return") return {Kind::Returns, nullptr, &scope, statement.span};
    if (begins_with(text, "raise")) return {Kind::Raises, nullptr, &scope, statement.span};
    if (begins_with(text, "return"))
      return {scope.tree->result ? Kind::Returns : Kind::Unknown, scope.tree->result, &scope, statement.span};
    const bool may_return = holds_keyword(text, "return");
    if (!may_return && !holds_keyword(text, "raise")) continue;
    auto choice = std::ranges::find(scope.choices, &statement, &Choice::statement);
    if (choice != scope.choices.end()) decide(context, scope, *choice);
    // A program that runs does not raise there.
    const bool is_decided = choice != scope.choices.end() && choice->is_decided;
    if (!is_decided && may_return) return {Kind::Unknown, nullptr, &scope, statement.span};
    if (!is_decided || !choice->taken) continue;
    const Outcome inner = outcome_of(context, *choice->blocks[*choice->taken]);
    if (inner.kind != Kind::End) return inner;
  }
  return {};
}

FileScope& body_of_host(Context& context, FileScope& scope, const ast::HostStatement& host,
                        const std::vector<Value>& values) {
  std::string key = fmt::format("{}:{}", static_cast<const void*>(&host), key_of(values));
  std::unique_ptr<FileScope>& body = scope.calls[key];
  if (body) return *body;
  body = new_scope(scope, host);
  bind_names(context, *body);
  for (std::size_t i = 0; i < values.size(); ++i) {
    Symbol& symbol = body->symbols[host.params[i].name].front();
    symbol.kind = Symbol::Kind::Constant;
    symbol.state = Symbol::State::Done;
    symbol.value = values[i];
  }
  build_children(context, *body);
  for_each_scope(*body, [&](FileScope& scope) { find_changes(context, scope); });
  for_each_scope(*body, [&](FileScope& scope) {
    for (const auto& function : scope.functions) read_decorators(context, *function);
  });
  return *body;
}

std::optional<Value> call_of_host(Checker& checker, const ast::Call& call) {
  const auto* name = ast::as<ast::Name>(call.callee);
  if (!name || checker.instance || !checker.scope->is_numba()) return std::nullopt;
  Context& context = checker.context;
  HostFunction callee = host_function(context, *checker.scope, name->text, checker.reader_of(name->span));
  if (!callee.host || !callee.host->body || context.open_constants >= limits::host_calls) return std::nullopt;
  std::optional<std::vector<Value>> values = arguments_of(checker, callee, call);
  if (!values) return std::nullopt;
  if (!checker.count_steps(steps_of_host_call, call.span)) return std::nullopt;
  FileScope& body = body_of_host(context, *callee.scope, *callee.host, *values);
  // The result of the first call is kept under `return`, a word that is no name.
  std::vector<Symbol>& results = body.symbols["return"];
  if (results.empty()) {
    results.emplace_back().state = Symbol::State::Evaluating;
    ++context.open_constants;
    const Outcome outcome = outcome_of(context, body);
    Value value =
        outcome.result ? constant_of_expr(context, *outcome.scope, *outcome.result) : error_value(call.span);
    --context.open_constants;
    results.front().value = std::move(value);
    results.front().state = Symbol::State::Done;
  }
  const Symbol& returned = results.front();
  if (returned.state != Symbol::State::Done || is_error(returned.value)) return std::nullopt;
  return read_at(returned.value, call.span);
}

// ---- Functions by their names ----

// Returns the function that a name of a scope is: one that is defined there, or a constant that is one.
static FunctionSymbol* function_of(Context& context, FileScope& scope, std::string_view name) {
  auto found = scope.symbols.find(name);
  if (found == scope.symbols.end()) return nullptr;
  Symbol* last = &found->second.back();
  if (last->choice) {
    Symbol* chosen = find_own_symbol(context, scope, name, {});
    if (chosen && chosen->kind == Symbol::Kind::Function) return chosen->function;
    if (chosen && chosen->choice) return nullptr;
    if (chosen) last = chosen;
  }
  for (std::size_t i = found->second.size(); i-- > 0;)
    if (found->second[i].kind == Symbol::Kind::Function) return found->second[i].function;
  if (!scope.is_numba()) return nullptr;
  bool makes = last->kind == Symbol::Kind::Constant && !last->op && !last->store && last->init &&
               last->init->kind == ast::Kind::Call;
  if (!makes) return nullptr;
  const ReportingScope quiet(context.diagnostics, false);
  Value value = Checker(context, &scope, nullptr).symbol_value(scope, name, *last, last->span);
  return value.kind == ValueKind::Function ? const_cast<FunctionSymbol*>(value.function) : nullptr;
}

std::vector<FunctionSymbol*> functions_named(Context& context, std::string_view name) {
  FileScope& root = *context.files.front();
  if (FunctionSymbol* function = function_of(context, root, name)) return {function};
  std::vector<FunctionSymbol*> found;
  std::size_t dot = name.rfind('.');
  std::string_view last = name.substr(dot == std::string_view::npos ? 0 : dot + 1);
  std::string_view front = dot == std::string_view::npos ? "" : name.substr(0, dot);
  for_each_scope(root, [&](FileScope& scope) {
    if (!scope.parent) return;
    bool ends_so = scope.path.ends_with(fmt::format(".{}", front));
    if (!front.empty() && scope.path != front && !ends_so) return;
    FunctionSymbol* function = is_block(scope) ? nullptr : function_of(context, scope, last);
    if (function) found.push_back(function);
  });
  for (FunctionSymbol* function : found)
    if (path_of(*function) == name) return {function};
  return found;
}

} // namespace kern::checker
