// Comprehensions: their elements are evaluated at once, in a scope of their own. Those of a generator are known only where
// a call takes them at once as well.
#include "compiler/python/interpreter.h"

namespace kern::python {

namespace {

struct Comprehension {
  Interpreter& run;
  const ast::Comprehension& expr;
  std::vector<Value> made; // of a dict: keys and values in turn
  bool is_known = true;

  void add() {
    if (expr.key) made.push_back(run.evaluate(*expr.key));
    made.push_back(run.evaluate(*expr.element));
  }

  // Evaluates what may be left out, or be there several times: its effects may be so or not.
  template <class Part> void maybe(const Part& part) {
    is_known = false;
    for (int i = 0; i < 32; ++i) {
      const Store before = run.store;
      part();
      run.store = run.joined(before, run.store, expr.span);
      if (run.store == before) break;
    }
  }

  void go(std::size_t index) {
    if (index == expr.clauses.size()) return add();
    go_over(index, run.evaluate(*expr.clauses[index].iterable));
  }

  void go_over(std::size_t index, const Value& over) {
    const ast::ComprehensionClause& clause = expr.clauses[index];
    const auto elements = run.iterate(over);
    if (!elements) {
      run.reach({{over}, {}}, expr.span);
      return maybe([&] {
        run.assign(*clause.target, run.unknown(Why::Bound, clause.target->span), clause.target->span);
        ask(index, 0);
      });
    }
    for (const Value& element : *elements) {
      if (run.is_exhausted()) {
        is_known = false;
        return;
      }
      run.assign(*clause.target, element, clause.target->span);
      ask(index, 0);
    }
  }

  void ask(std::size_t index, std::size_t condition) {
    const ast::ComprehensionClause& clause = expr.clauses[index];
    if (condition == clause.conditions.size()) return go(index + 1);
    const std::optional<bool> holds = run.truth_of(*clause.conditions[condition]);
    if (holds == true) return ask(index, condition + 1);
    if (!holds) maybe([&] { ask(index, condition + 1); });
  }
};

} // namespace

Value Interpreter::comprehension(const ast::Comprehension& expr) {
  // What it goes over first is evaluated outside.
  const Value over = evaluate(*expr.clauses.front().iterable);
  Frame inner{new_scope(frame->scope, frame->scope->file, nullptr, false), {}, {}, {}};
  Frame* const outer = std::exchange(frame, &inner);
  frames.push_back(&inner);
  Comprehension parts{*this, expr, {}};
  parts.go_over(0, over);
  frames.pop_back();
  frame = outer;
  if (parts.is_known && !expr.key) return new_list(parts.made);
  if (!parts.is_known) {
    // Whoever changes the result may change its elements.
    reach({parts.made, {}}, expr.span);
    return unknown(Why::NotComputed, expr.span);
  }
  const Value dict = new_dict({});
  for (std::size_t i = 0; i < parts.made.size(); i += 2)
    store_in(dict, parts.made[i], parts.made[i + 1], expr.span);
  return dict;
}

} // namespace kern::python
