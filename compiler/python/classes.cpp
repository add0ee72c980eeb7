// Classes, and what others may make of them: decorators, a metaclass, a base that is told of it.
#include <algorithm>
#include <array>

#include "compiler/parse/parse.h"
#include "compiler/python/interpreter.h"

namespace kern::python {

using values::as;

// Says that nobody knows what a class has, but for what it defines.
static constexpr std::string_view is_open = "__class__";

// Returns what the tree leaves out of the head of a class: its decorators, and what is behind `class`, which looks like a call.
// Null is what could not be parsed. Nothing where it has bases alone.
static std::vector<const ast::Expr*> head_of(Interpreter& run, const ast::HostStatement& statement) {
  const Span whole = statement.span;
  const auto& inner = statement.code->statements;
  const std::string_view text =
      run.sources.text({whole.file, whole.begin, inner.empty() ? whole.end : inner.front().span.begin});
  const bool has_bases = !statement.bases.empty() || text.find('(') == text.npos;
  if (text.starts_with("class") && text.find('=') == text.npos && has_bases) return {};
  std::vector<const ast::Expr*> parts;
  Diagnostics aside;
  std::vector<Token> part;
  const auto [tokens, is_new] = run.tokens.try_emplace(whole.file);
  if (is_new) tokens->second = lex(run.sources, whole.file, aside);
  for (const Token& token : tokens->second) {
    using Kind = TokenKind;
    const bool is_end = token.kind == Kind::Colon && token.span.begin >= statement.name_span.end;
    const bool ends = is_end || token.kind == Kind::Newline || token.kind == Kind::Class ||
                      token.kind == Kind::At || token.kind == Kind::Indent || token.kind == Kind::Dedent;
    if (token.span.begin < whole.begin) continue;
    if (!ends) part.push_back(token);
    if (!ends || part.empty()) continue;
    part.push_back({Kind::EndOfFile, token.span});
    parts.push_back(parse_expression(run.sources, whole.file, std::exchange(part, {}), run.arena, aside));
    if (is_end) break;
  }
  return parts;
}

const Binding* Interpreter::class_member(const Value& of, std::string_view name) {
  const auto* made = as<values::Class>(of);
  if (!made) return nullptr;
  if (const Binding* found = own(space_of(*made), name)) return found;
  const Span where = made->statement->name_span;
  const Binding nobody_knows{values::Unknown{Why::NotComputed, where}, where};
  steps += made->bases.size() > 1; // which may have bases in common again and again
  if (is_cut() || own(space_of(*made), is_open)) return arena.make<Binding>(nobody_knows);
  const Binding* first = nullptr;
  for (const Value& base : made->bases) {
    const auto* inner = as<values::Class>(base);
    if (!inner && !first) return nullptr; // it may have the name
    const Binding* found = class_member(base, name);
    if (found && &base == &made->bases.front() && found == own(space_of(*inner), name)) return found;
    // Where bases have a base in common, one that another one has may come first.
    if (found && first && found != first) return arena.make<Binding>(nobody_knows);
    if (found) first = found;
  }
  return first;
}

// Says whether a class that has it as a base or metaclass may be another one than its code says.
static bool remakes(Interpreter& run, const Value& base) {
  return run.class_member(base, "__init_subclass__") ||
         (values::is_unknown(base) && run.library_name(base).empty());
}

// Says whether the members of an enumeration are not what they are assigned.
static bool numbers_otherwise(Interpreter& run, const values::Class& made) {
  static constexpr std::array<std::string_view, 3> makers = {"__new__", "__init__", "_generate_next_value_"};
  const auto is_enum = [](const Value& each) {
    return as<values::Class>(each) && as<values::Class>(each)->statement->is_enum;
  };
  return (is_enum(made) || std::ranges::any_of(made.bases, is_enum)) &&
         std::ranges::any_of(makers, [&](std::string_view name) { return run.class_member(made, name); });
}

// Says whether a decorator, or what a call of it returns, leaves a class as it is.
static bool keeps_class(Interpreter& run, const ast::Expr* decorator) {
  static constexpr std::array<std::string_view, 5> keeping = {"dataclasses.dataclass",
                                                              "functools.total_ordering", "enum.unique",
                                                              "typing.final", "typing.runtime_checkable"};
  const auto* call = decorator ? ast::as<ast::Call>(decorator) : nullptr;
  return decorator && run.sources.text(decorator->span).find("slots") == std::string_view::npos &&
         is_in(keeping, run.library_name(run.evaluate(call ? *call->callee : *decorator)));
}

void Interpreter::define_class(const ast::HostStatement& statement) {
  const Span span = statement.name_span;
  if (!statement.code) return bind(statement.name, unknown(Why::NotComputed, span), span);
  std::vector<const ast::Expr*> written = head_of(*this, statement);
  const ast::Expr* head = written.empty() ? nullptr : written.back();
  const bool is_parsed = written.empty() || head;
  if (!written.empty()) written.pop_back();
  std::vector<Value> decorators;
  for (const ast::Expr* each : written)
    decorators.push_back(each ? evaluate(*each) : unknown(Why::NotComputed, span));
  const auto* call = head ? ast::as<ast::Call>(head) : nullptr;
  Arguments args = call ? arguments(*call) : Arguments{};
  for (const ast::Expr* base : call ? ast::ExprList{} : statement.bases)
    args.positional.push_back(evaluate(*base));
  Frame inner{new_scope(frame->scope, frame->scope->file, &statement, true), {}, {}, {}};
  const Space space = inner.scope->space;
  Frame* const outer = std::exchange(frame, &inner);
  frames.push_back(&inner);
  const Ends ends = run_block(*statement.code);
  if (ends.next) store = *ends.next;
  frames.pop_back();
  frame = outer;
  class_scopes.emplace(static_cast<std::uint32_t>(space), inner.scope);
  const values::Class made{ObjectId{static_cast<std::uint32_t>(space)}, &statement,
                           arena.copy(args.positional)};
  const auto forget_it = [&] {
    bind_all_unknown(space, span);
    set(space, is_open, unknown(Why::NotComputed, span), span);
  };
  Arguments makers{{made}, {}};
  for (const Value& base : args.positional)
    if (remakes(*this, base)) makers.positional.push_back(base);
  for (const values::NamedValue& each : args.keywords)
    if (library_name(each.value).empty()) makers.positional.push_back(each.value);
  const bool is_remade = makers.positional.size() > 1 || !args.is_whole || !is_parsed;
  if (is_remade) unknown_call(makers, span);
  if (is_remade || numbers_otherwise(*this, made)) forget_it();
  Value result = made;
  for (std::size_t i = decorators.size(); i-- > 0;) {
    if (keeps_class(*this, written[i])) continue;
    const Value given = this->call(decorators[i], {{result}, {}}, span);
    const bool is_known = !values::is_unknown(given) && !as<values::Term>(given);
    if (is_known)
      result = given;
    else
      forget_it();
  }
  bind(statement.name, result, span);
}

} // namespace kern::python
