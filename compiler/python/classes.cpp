// Classes: the order in which Python looks for what one inherits, and what others may make of it: decorators, a metaclass, a
// base that is told of it.
#include <algorithm>
#include <array>
#include <optional>

#include "compiler/parse/parse.h"
#include "compiler/python/interpreter.h"

namespace kern::python {

using values::as;

namespace {

// What the tree leaves out of the head of a class.
struct Head {
  std::vector<const ast::Expr*> decorators;
  const ast::Call* call = nullptr; // by its look: K(Base, metaclass=M)
  bool is_known = true;            // all of it could be parsed
};

Head head_of(Interpreter& run, const ast::HostStatement& statement) {
  const ast::Module& code = *statement.code;
  const Span whole = statement.span;
  const std::uint32_t end = code.statements.empty() ? whole.end : code.statements.front().span.begin;
  const std::string_view text = run.sources.text({whole.file, whole.begin, end});
  Head head;
  const bool has_bases = !statement.bases.empty() || text.find('(') == text.npos;
  if (text.starts_with("class") && text.find('=') == text.npos && has_bases) return head;
  Diagnostics aside;
  std::vector<Token> part;
  const auto parsed = [&] {
    part.push_back({TokenKind::EndOfFile, part.empty() ? whole : part.back().span});
    const ast::Expr* expr = parse_expression(run.sources, whole.file, part, run.arena, aside);
    head.is_known = head.is_known && expr;
    part.clear();
    return expr;
  };
  for (const Token& token : lex(run.sources, whole.file, aside)) {
    const bool is_start = token.kind == TokenKind::At || token.kind == TokenKind::Dedent ||
                          token.kind == TokenKind::Indent || token.kind == TokenKind::Newline;
    if (token.span.begin < whole.begin || (is_start && part.empty())) continue;
    if (token.kind == TokenKind::Colon && token.span.begin >= statement.name_span.end) break;
    if (token.kind == TokenKind::Newline && token.span.begin < statement.name_span.begin)
      head.decorators.push_back(parsed());
    else if (token.kind != TokenKind::Class)
      part.push_back(token);
  }
  head.call = ast::as<ast::Call>(parsed());
  return head;
}

} // namespace

// Returns the classes behind one, in the order in which Python looks into them; nothing where there is no such order.
static std::optional<std::vector<Value>> linearized(std::span<const Value> bases) {
  std::vector<std::vector<Value>> lists;
  for (const Value& base : bases) {
    lists.push_back({base});
    if (const auto* of = as<values::Class>(base))
      lists.back().insert(lists.back().end(), of->bases.begin(), of->bases.end());
  }
  lists.emplace_back(bases.begin(), bases.end());
  std::vector<Value> result;
  while (std::erase_if(lists, [](const auto& list) { return list.empty(); }), !lists.empty()) {
    const auto is_free = [&](const std::vector<Value>& candidate) {
      return std::ranges::none_of(lists, [&](const auto& list) {
        return std::any_of(list.begin() + 1, list.end(),
                           [&](const Value& each) { return values::is_same(each, candidate.front()); });
      });
    };
    const auto next = std::ranges::find_if(lists, is_free);
    if (next == lists.end()) return std::nullopt;
    result.push_back(next->front());
    for (std::vector<Value>& list : lists)
      if (values::is_same(list.front(), result.back())) list.erase(list.begin());
  }
  return result;
}

const Binding* Interpreter::class_member(const Value& of, std::string_view name) {
  const auto* made = as<values::Class>(of);
  if (!made) return nullptr;
  if (const Binding* found = own(space_of(*made), name)) return found;
  for (const Value& base : made->bases) {
    const auto* inner = as<values::Class>(base);
    if (!inner) return nullptr; // it may have the name itself
    if (const Binding* found = own(space_of(*inner), name)) return found;
  }
  return nullptr;
}

// Says whether a class whose base or metaclass that is may be another one than its code says.
static bool remakes(Interpreter& run, const Value& base) {
  return run.class_member(base, "__init_subclass__") || run.class_member(base, "__class__") ||
         (values::is_unknown(base) && run.library_name(base).empty());
}

static bool numbers_otherwise(Interpreter& run, const values::Class& made) {
  static constexpr std::array<std::string_view, 3> makers = {"__new__", "__init__", "_generate_next_value_"};
  const auto is_enum = [](const Value& each) {
    const auto* of = as<values::Class>(each);
    return of && of->statement->is_enum;
  };
  return (is_enum(made) || std::ranges::any_of(made.bases, is_enum)) &&
         std::ranges::any_of(makers, [&](std::string_view name) { return run.class_member(made, name); });
}

// Says whether a decorator leaves what a class has as it is.
static bool keeps_class(Interpreter& run, const ast::Expr* decorator) {
  static constexpr std::array<std::string_view, 5> keeping = {"dataclasses.dataclass",
                                                              "functools.total_ordering", "enum.unique",
                                                              "typing.final", "typing.runtime_checkable"};
  const auto* call = decorator ? ast::as<ast::Call>(decorator) : nullptr;
  const auto is_slots = [](const ast::Keyword& each) { return each.name == "slots" || each.name.empty(); };
  return decorator && is_in(keeping, run.library_name(run.evaluate(call ? *call->callee : *decorator))) &&
         !(call && std::ranges::any_of(call->keywords, is_slots));
}

void Interpreter::define_class(const ast::HostStatement& statement) {
  const Span span = statement.name_span;
  if (!statement.code) return bind(statement.name, unknown(Why::NotComputed, span), span);
  const Head head = head_of(*this, statement);
  std::vector<Value> decorators;
  for (const ast::Expr* each : head.decorators)
    decorators.push_back(each ? evaluate(*each) : unknown(Why::NotComputed, span));
  Arguments args = head.call ? arguments(*head.call) : Arguments{};
  for (const ast::Expr* base : head.call ? ast::ExprList{} : statement.bases)
    args.positional.push_back(evaluate(*base));
  Frame inner{new_scope(frame->scope, frame->scope->file, &statement, true), {}, {}, {}};
  Frame* const outer = std::exchange(frame, &inner);
  frames.push_back(&inner);
  const Ends ends = run_block(*statement.code);
  if (ends.next) store = *ends.next;
  frames.pop_back();
  frame = outer;
  class_scopes.emplace(static_cast<std::uint32_t>(inner.scope->space), inner.scope);
  const auto order = linearized(args.positional);
  const values::Class made{ObjectId{static_cast<std::uint32_t>(inner.scope->space)}, &statement,
                           arena.copy(order.value_or(std::vector<Value>{}))};
  Arguments remaking{{made}, {}};
  for (const Value& base : args.positional)
    if (remakes(*this, base)) remaking.positional.push_back(base);
  for (const values::NamedValue& each : args.keywords)
    if (library_name(each.value).empty()) remaking.positional.push_back(each.value);
  const bool is_remade = remaking.positional.size() > 1 || !args.is_whole || !head.is_known || !order;
  if (is_remade) {
    unknown_call(remaking, span);
    set(inner.scope->space, "__class__", unknown(Why::NotComputed, span), span);
  }
  if (is_remade || numbers_otherwise(*this, made)) bind_all_unknown(inner.scope->space, span);
  Value result = made;
  for (std::size_t i = decorators.size(); i-- > 0;) {
    if (keeps_class(*this, head.decorators[i])) continue;
    const Value given = call(decorators[i], {{result}, {}}, span);
    const bool is_known = !values::is_unknown(given) && !as<values::Term>(given);
    if (is_known)
      result = given;
    else
      bind_all_unknown(inner.scope->space, span);
  }
  bind(statement.name, result, span);
}

} // namespace kern::python
