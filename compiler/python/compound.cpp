// Statements that have blocks. Where nobody knows which way is gone, all of them are, and what they leave is joined.
#include <algorithm>

#include "compiler/ast/bound_names.h"
#include "compiler/ast/walk.h"
#include "compiler/python/interpreter.h"

namespace kern::python {

using ast::HostClause;
using Kind = HostClause::Kind;

// Calls `visit` with each statement of a block and the items that it is.
template <class Visit> static void each_statement(const ast::Module& block, const Visit& visit) {
  ast::Block items = block.items;
  for (const ast::HostStatement& statement : block.statements) {
    std::size_t count = 0;
    while (count < items.size() && items[count]->span.begin < statement.span.end) ++count;
    if (!visit(statement, items.subspan(0, count))) return;
    items = items.subspan(count);
  }
}

Ends Interpreter::run_block(const ast::Module& block) {
  Ends all;
  bool goes_on = true;
  each_statement(block, [&](const ast::HostStatement& statement, ast::Block items) {
    const Ends ends = run_statement(statement, items);
    merge(all, ends, statement.span);
    goes_on = ends.next.has_value();
    if (goes_on) store = *ends.next;
    return goes_on;
  });
  // What no statement is, as of a text that was parsed for a kernel.
  const std::uint32_t last = block.statements.empty() ? 0 : block.statements.back().span.end;
  for (const ast::Stmt* item : block.items) {
    const auto* def = ast::as<ast::FunctionDef>(item);
    const bool is_behind = block.statements.empty() || item->span.begin >= last;
    if (!goes_on || !is_behind) continue;
    if (def)
      define_generated(*def);
    else
      run_simple(*item);
  }
  if (goes_on) all.next = store;
  return all;
}

Ends Interpreter::run_statement(const ast::HostStatement& statement, ast::Block items) {
  here = statement.span;
  Ends ends;
  for (std::string_view name : statement.outer_names)
    (statement.is_nonlocal ? frame->nonlocals : frame->globals).insert(name);
  ++steps;
  const Deeper deeper(depth);
  if (statement.kind == ast::HostStatement::Kind::Function) {
    // With what a decorator generated of it.
    for (const ast::Stmt* item : items) {
      const auto* def = ast::as<ast::FunctionDef>(item);
      if (!def)
        run_simple(*item);
      else if (def->generated)
        define_generated(*def);
      else
        define_function(statement, def);
    }
    if (items.empty()) define_function(statement, nullptr);
  } else if (statement.kind == ast::HostStatement::Kind::Class && items.empty()) {
    define_class(statement);
  } else if (!items.empty() || !statement.simple.empty()) {
    for (const ast::Stmt* item : items.empty() ? statement.simple : items) {
      const Ends inner = run_simple(*item);
      merge(ends, inner, statement.span);
      if (!inner.next) return ends;
      store = *inner.next;
    }
  } else if (!statement.clauses.empty()) {
    return run_compound(statement);
  } else if (!statement.is_item && statement.outer_names.empty()) {
    // It has no tree: nobody knows where it goes on.
    const std::string_view text = sources.text(statement.span);
    apply_uses(statement.uses);
    const auto may = [&](std::string_view keyword) { return text.find(keyword) != text.npos; };
    if (may("return") || may("yield")) {
      ends.returns = store;
      ends.result = unknown(Why::NotComputed, statement.span);
    }
    if (may("break")) ends.breaks = store;
    if (may("continue")) ends.continues = store;
  }
  ends.next = store;
  return ends;
}

// Says whether what a `with` enters may go on behind it where its block raises.
static bool may_swallow(Interpreter& run, const ast::Expr& manager) {
  if (const auto* several = ast::as<ast::Tuple>(&manager))
    return std::ranges::any_of(several->elements,
                               [&](const ast::Expr* each) { return may_swallow(run, *each); });
  const auto* call = ast::as<ast::Call>(&manager);
  const auto* item = ast::as<ast::Subscript>(&manager); // cuda.gpus[0]
  const ast::Expr& written = call ? *call->callee : item ? *item->value : manager;
  const std::string name = ast::dotted_name(written).empty() ? "" : run.library_name(run.evaluate(written));
  return name.empty() || name.starts_with("contextlib.") || name.find("test") != name.npos;
}

Ends Interpreter::run_with(std::span<const HostClause> clauses, Span where) {
  const HostClause& clause = clauses.front();
  Arguments manager;
  if (clause.subject) {
    manager.positional.push_back(evaluate(*clause.subject));
    reach(manager, clause.head);
    if (clause.target) assign(*clause.target, unknown(Why::Bound, clause.head), clause.head);
  } else {
    apply_uses(clause.uses);
  }
  const bool swallows = !clause.subject || may_swallow(*this, *clause.subject);
  Ends ends = run_try(clauses, where);
  if (!swallows) return ends;
  merge(ends.next, ends.raises, where);
  if (ends.next) {
    store = *ends.next;
    unknown_call(manager, clause.head);
    ends.next = store;
  }
  return ends;
}

Ends Interpreter::run_compound(const ast::HostStatement& statement) {
  const std::span<const HostClause> clauses = statement.clauses;
  switch (clauses.front().kind) {
  case Kind::For:
  case Kind::While: return run_loop(statement);
  case Kind::Try: return run_try(clauses, statement.span);
  case Kind::With: return run_with(clauses, statement.span);
  case Kind::Case: {
    Ends all;
    if (const ast::Expr* asked = clauses.front().subject)
      evaluate(*asked);
    else
      apply_uses(statement.uses);
    const Store before = store;
    for (const HostClause& clause : clauses) {
      store = before;
      apply_uses(clause.uses);
      const Ends ends = run_block(*clause.code);
      merge(all, ends, statement.span);
      merge(all.next, ends.next, statement.span);
    }
    merge(all.next, before, statement.span);
    in_doubt = true;
    return all;
  }
  case Kind::If:
  case Kind::Else:
  case Kind::Except:
  case Kind::Finally: return run_ifs(statement);
  }
  return {};
}

Ends Interpreter::run_ifs(const ast::HostStatement& statement) {
  const Span where = statement.span;
  Ends all;
  Fork fork = where;
  for (const HostClause& clause : statement.clauses) {
    std::optional<bool> holds = true;
    if (clause.kind == Kind::If && !clause.subject) apply_uses(clause.uses);
    if (clause.kind == Kind::If) holds = clause.subject ? truth_of(*clause.subject) : std::nullopt;
    if (holds == false) continue;
    if (!holds && fork.condition.end == 0)
      fork.condition = clause.subject ? clause.subject->span : clause.head;
    const Store before = store;
    const std::size_t first_made = functions.size();
    const Ends ends = run_block(*clause.code);
    const std::optional<Store>& end = ends.next ? ends.next : ends.returns;
    for (std::size_t i = first_made; i < functions.size() && !holds && end; ++i)
      branches[functions[i]].push_back({where, *end});
    merge(all, ends, fork);
    merge(all.next, ends.next, fork);
    if (holds) return all;
    in_doubt = true;
    store = before;
  }
  merge(all.next, store, fork);
  return all;
}

// Repeats a loop on what all of its rounds leave, until nothing changes, where nobody knows how often it runs.
template <class Round> static void repeat(Interpreter& run, const ast::HostStatement& statement,
                                          const Value& over, const Round& round) {
  const HostClause& clause = statement.clauses.front();
  run.in_doubt = true;
  // What it goes over may be changed by the names of its elements.
  const auto elements = values::as<values::Array>(over) ? std::nullopt : run.iterate(over);
  if (elements) run.reach({*elements, {}}, statement.span);
  // Inside of another such loop what it binds is not known from the start, so that one round is enough most times.
  if (run.open_loops > 0)
    ast::each_bound_name(statement, [&](std::string_view name, Span span) {
      const Binding* known = run.own(run.frame->scope->space, name);
      if (known && !is_definition(known->value) && !values::is_unknown(known->value))
        run.bind(name, values::Unknown{Why::Bound, span}, known->where);
    });
  ++run.open_loops;
  for (int i = 0; i < 32; ++i) {
    const Store before = run.store;
    const std::uint64_t first_new = run.next_object;
    if (clause.kind == Kind::For && clause.target && clause.subject)
      run.assign(*clause.target, run.unknown(Why::Bound, clause.head), clause.head);
    else if (clause.subject)
      run.evaluate(*clause.subject);
    else
      run.apply_uses(clause.uses);
    // It may end wherever its head is evaluated.
    run.store = run.joined(before, run.store, statement.span);
    const Store head = run.store;
    if (const std::optional<Store> after = round())
      run.store = run.joined(head, *after, statement.span);
    else
      run.store = head;
    // What a round made is seen by nobody where it changed no name and no object from before.
    if (run.store.names == before.names) run.store.contents.erase_from(run.arena, first_new);
    if (run.store == before || run.is_cut()) break;
  }
  --run.open_loops;
}

// Says whether an object holds what it held, and nothing was stored into it.
static bool is_same_object(const Content& a, const Content& b) {
  return a.is_known == b.is_known && a.elements.data() == b.elements.data() &&
         a.elements.size() == b.elements.size() && a.buffer == b.buffer && a.version == b.version;
}

Ends Interpreter::run_loop(const ast::HostStatement& statement) {
  const HostClause& clause = statement.clauses.front();
  const Span where = statement.span;
  const bool is_for = clause.kind == Kind::For;
  Ends all;
  std::optional<Store> broken, current;
  const Value over = is_for && clause.subject ? evaluate(*clause.subject) : Value(values::Unknown{});
  auto elements = is_for && clause.subject ? iterate(over) : std::nullopt;
  current = store;
  auto round = [&]() -> std::optional<Store> {
    Ends ends = run_block(*clause.code);
    merge(broken, ends.breaks, where);
    merge(ends.next, ends.continues, where);
    const std::optional<Store> next = ends.next;
    ends.breaks.reset(), ends.continues.reset();
    merge(all, ends, where);
    return next;
  };
  bool is_decided = elements && elements->size() <= limits.elements && !is_exhausted();
  if (is_decided) {
    // Its statements may change what it goes over.
    const std::optional<ObjectId> object = object_of(over);
    Content held = object ? content(*object) : Content{};
    for (std::size_t i = 0;; ++i) {
      if (object && !is_same_object(held, content(*object))) {
        held = content(*object);
        elements = iterate(over);
        is_decided = elements.has_value();
      }
      if (!elements || i >= elements->size()) break;
      assign(*clause.target, (*elements)[i], clause.head);
      current = round();
      if (!current) break;
      store = *current;
      if (is_exhausted()) is_decided = false;
      if (!is_decided) break;
    }
  } else if (!is_for && clause.subject) {
    std::optional<bool> holds = true;
    while (!is_exhausted() && (holds = truth_of(*clause.subject)) == true) {
      current = round();
      if (!current) break;
      store = *current;
    }
    is_decided = !current || holds == false;
    if (current) current = store;
  }
  if (!is_decided && current) {
    repeat(*this, statement, over, round);
    current = store;
  }
  if (current) {
    store = *current;
    const bool has_else = statement.clauses.size() > 1;
    const Ends ends = has_else ? run_block(*statement.clauses[1].code) : Ends{store, {}, {}, {}, {}, {}};
    merge(all, ends, where);
    merge(all.next, ends.next, where);
  }
  merge(all.next, broken, where);
  return all;
}

Ends Interpreter::run_try(std::span<const HostClause> clauses, Span where) {
  Ends all;
  const bool doubt_before = in_doubt;
  std::optional<Store> doubtful, next;
  bool goes_on = true;
  each_statement(*clauses.front().code, [&](const ast::HostStatement& statement, ast::Block items) {
    const Store before = store;
    in_doubt = false;
    Ends ends = run_statement(statement, items);
    if (in_doubt) merge(doubtful, before, where), merge(doubtful, ends.next, where);
    merge(doubtful, ends.raises, where);
    ends.raises.reset();
    merge(all, ends, where);
    goes_on = ends.next.has_value();
    if (goes_on) store = *ends.next;
    return goes_on;
  });
  if (goes_on) next = store;
  in_doubt = doubt_before || doubtful.has_value();
  const bool handles_all = std::ranges::any_of(clauses, [&](const HostClause& clause) {
    const std::string_view head = sources.text(clause.head);
    return clause.kind == Kind::Except &&
           (head.starts_with("except:") || head.starts_with("except Exception") ||
            head.starts_with("except BaseException"));
  });
  if (!handles_all) merge(all.raises, doubtful, where);
  for (const HostClause& clause : clauses.subspan(1)) {
    const bool handles = clause.kind == Kind::Except && doubtful, is_else = clause.kind == Kind::Else && next;
    if (!handles && !is_else) continue;
    store = handles ? *doubtful : *next;
    if (is_else) next.reset();
    const std::string_view head = sources.text(clause.head);
    if (const std::size_t as = head.rfind(" as "); handles && as != head.npos) {
      std::string_view name = head.substr(as + 4);
      name = name.substr(0, name.find_first_of(" :"));
      bind(name, unknown(Why::Bound, clause.head), clause.head);
    }
    const Ends ends = run_block(*clause.code);
    merge(all, ends, where);
    merge(handles ? all.next : next, ends.next, where);
  }
  merge(all.next, next, where);
  const HostClause& last = clauses.back();
  if (last.kind != Kind::Finally) return all;
  // It runs however the statement ends.
  Ends ends;
  ends.result = all.result;
  for (std::optional<Store> Ends::* way :
       {&Ends::next, &Ends::breaks, &Ends::continues, &Ends::returns, &Ends::raises}) {
    if (!(all.*way)) continue;
    store = *(all.*way);
    Ends behind = run_block(*last.code);
    merge(ends.*way, std::exchange(behind.next, std::nullopt), where);
    merge(ends, behind, where);
  }
  return ends;
}

} // namespace kern::python
