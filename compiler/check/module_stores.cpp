// The elements that a store means are found by taking the same part of an array of the places 0, 1, 2, ...
#include "compiler/check/module_stores.h"

#include <algorithm>

#include "compiler/check/host_numbers.h"
#include "compiler/support/limits.h"

namespace kern::checker {

namespace {

// The statements of a loop that one of the top level may run, those of the loops in it counted too.
constexpr std::size_t most_statements = 1 << 16;

// Returns the constant indices of a subscript; nothing where one is none.
std::optional<std::vector<Value>> indices_of(Checker& checker, const ast::Subscript& element) {
  std::vector<Value> indices;
  for (const ast::Expr* index : element.indices) {
    const bool is_slice = index->kind == ast::Kind::Slice;
    indices.push_back(is_slice ? int_value(0, index->span) : checker.evaluate(*index));
    if (is_error(indices.back()) || !constant_integer(indices.back())) return std::nullopt;
  }
  return indices;
}

// Returns the numbers that are stored, for each of the places one.
std::optional<Numbers> stored_numbers(const Value& value, Type type, const Extents& extents,
                                      std::size_t count) {
  if (is_constant_number(value)) {
    std::optional<ir::Operand> number = number_as(value, type);
    if (!number) return std::nullopt;
    Numbers numbers{type, extents};
    for (std::size_t i = 0; i < count; ++i) numbers.add(*number);
    return numbers;
  }
  std::optional<Numbers> row = numbers_as(value, type);
  if (!row || row->extents.size() > extents.size()) return std::nullopt;
  // One of fewer axes is repeated along those in front.
  const bool fits = std::equal(row->extents.rbegin(), row->extents.rend(), extents.rbegin());
  if (!fits || (row->size() == 0) != (count == 0)) return std::nullopt;
  Numbers numbers{type, extents};
  for (std::size_t i = 0; i < count; ++i) numbers.add(row->at(i % row->size()));
  return numbers;
}

// NumPy stores what an operator gives into an array of a narrower kind only where it is written as an assignment.
bool keeps_kind(Type from, Type to) {
  const auto rank = [](Type type) {
    return is_boolean(type) ? 0 : is_complex(type) ? 3 : is_float(type) ? 2 : 1;
  };
  return rank(from) <= rank(to);
}

Value store_numbers(Checker& checker, const Value& array, const ast::Subscript& element, const Value& value,
                    std::optional<ast::BinaryOp> op) {
  Numbers numbers = numbers_of(array);
  std::optional<std::vector<Value>> indices = indices_of(checker, element);
  if (!indices) return error_value(element.span);
  Numbers places{types::i64, numbers.extents};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    places.add(ir::constant_int(types::i64, static_cast<std::int64_t>(i)));
  const Value part =
      array_part(checker, array_value(checker, std::move(places), element.span), element, *indices);
  if (is_error(part)) return part;
  const bool is_number = is_constant_number(part);
  const Extents extents = is_number ? Extents{} : extents_of(part);
  const Numbers where = is_number ? Numbers{} : numbers_of(part);
  const std::size_t count = is_number ? 1 : where.size();
  auto place = [&](std::size_t i) {
    const Value at = is_number ? part : runtime_value(where.at(i), element.span);
    return static_cast<std::size_t>(*constant_integer(at));
  };
  Value stored = value;
  if (op) {
    const Value before = array_part(checker, array, element, *indices);
    stored = is_number ? checker.binary(*op, before, value, element.span)
                       : array_binary(checker, *op, before, value, element.span);
    if (is_error(stored)) return stored;
    const Type type = is_constant_number(stored) ? type_of_number(stored) : stored.type;
    if (!is_number && !keeps_kind(type, numbers.type)) return error_value(element.span);
  }
  std::optional<Numbers> given = stored_numbers(stored, numbers.type, extents, count);
  if (!given) return error_value(element.span);
  const std::size_t words = is_complex(numbers.type) ? 2 : 1;
  for (std::size_t i = 0; i < count; ++i)
    std::copy_n(given->bits.begin() + static_cast<std::ptrdiff_t>(i * words), words,
                numbers.bits.begin() + static_cast<std::ptrdiff_t>(place(i) * words));
  return array_value(checker, std::move(numbers), element.span);
}

// Returns the place of the element of a list that an index means.
std::optional<std::size_t> list_place(const Value& list, const Value& index) {
  const auto count = static_cast<WideInt>(list.elements.size());
  std::optional<WideInt> number = constant_integer(index);
  if (!number || *number < -count || *number >= count) return std::nullopt;
  return static_cast<std::size_t>(*number < 0 ? *number + count : *number);
}

Value store_element(Checker& checker, Value object, const ast::Subscript& element, const Value& value,
                    std::optional<ast::BinaryOp> op) {
  if (is_constant_array(object)) return store_numbers(checker, object, element, value, op);
  const bool is_plain_list = is_tuple(object) && object.type == types::error;
  const bool has_slice = element.indices.size() != 1 || element.indices[0]->kind == ast::Kind::Slice;
  if (has_slice || (!is_plain_list && object.kind != ValueKind::Dict)) return error_value(element.span);
  const Value index = checker.evaluate(*element.indices[0]);
  if (is_error(index)) return index;
  std::optional<std::size_t> place;
  if (is_plain_list) {
    place = list_place(object, index);
  } else {
    for (std::size_t i = 0; i + 1 < object.elements.size(); i += 2)
      if (same_constant(object.elements[i], index)) place = i + 1;
    if (!place && !op) {
      object.elements.push_back(index);
      object.elements.push_back(value);
      return object;
    }
  }
  if (!place) return error_value(element.span);
  object.elements[*place] = op ? checker.binary(*op, object.elements[*place], value, element.span) : value;
  return is_error(object.elements[*place]) ? error_value(element.span) : object;
}

Value before_statement(Context& context, FileScope& file, std::string_view name, const Symbol& symbol) {
  Symbol* before = find_own_symbol(context, file, name, {symbol.span.begin, nullptr});
  if (!before || before == &symbol || before->kind != Symbol::Kind::Constant) return error_value(symbol.span);
  return Checker(context, &file, nullptr).symbol_value(file, name, *before, symbol.span);
}

// Runs the rounds of a loop. A name that it binds or stores into is one of its own scope.
struct Rounds {
  Context& context;
  FileScope& file; // around the loop
  FileScope scope{};
  std::size_t statements = 0;

  Value evaluate(const ast::Expr& expr) { return constant_of_expr(context, scope, expr); }

  void set(std::string_view name, Value value) {
    std::vector<Symbol>& versions = scope.symbols[name];
    if (versions.empty()) versions.emplace_back();
    Symbol& symbol = versions.front();
    symbol.kind = Symbol::Kind::Constant;
    symbol.state = Symbol::State::Done;
    symbol.span = value.span;
    symbol.value = std::move(value);
  }

  bool bind(const ast::Expr& target, const Value& value) {
    if (const auto* name = ast::as<ast::Name>(&target)) {
      set(name->text, value);
      return true;
    }
    const auto* tuple = ast::as<ast::Tuple>(&target);
    if (!tuple || !is_tuple(value) || value.elements.size() != tuple->elements.size()) return false;
    for (std::size_t i = 0; i < value.elements.size(); ++i)
      if (!bind(*tuple->elements[i], value.elements[i])) return false;
    return true;
  }

  bool store(const ast::Expr& target, const ast::Expr& init, std::optional<ast::BinaryOp> op,
             const Symbol& loop) {
    const Value value = evaluate(init);
    if (is_error(value)) return false;
    Checker checker(context, &scope, nullptr);
    checker.final = true;
    if (const auto* name = ast::as<ast::Name>(&target)) {
      const Value result = op ? checker.binary(*op, evaluate(target), value, target.span) : value;
      // An array keeps its other names.
      if (is_error(result) || !is_constant_number(result)) return false;
      set(name->text, result);
      return true;
    }
    const auto& element = ast::get<ast::Subscript>(target);
    const std::string_view name = ast::get<ast::Name>(*element.value).text;
    if (!scope.symbols.contains(name)) set(name, before_statement(context, file, name, loop));
    Value result = store_element(checker, scope.symbols[name].front().value, element, value, op);
    if (is_error(result) || !checker.body->empty()) return false;
    set(name, std::move(result));
    return true;
  }

  bool run(ast::Block body, const Symbol& loop) {
    return std::all_of(body.begin(), body.end(), [&](const ast::Stmt* stmt) {
      if (++statements > most_statements) return false;
      if (const auto* inner = ast::as<ast::For>(stmt)) return run_loop(*inner, loop);
      if (const auto* assign = ast::as<ast::Assign>(stmt))
        return store(*assign->targets.front(), *assign->value, {}, loop);
      if (const auto* augmented = ast::as<ast::AugAssign>(stmt))
        return store(*augmented->target, *augmented->value, augmented->op, loop);
      const auto* branch = ast::as<ast::If>(stmt);
      if (!branch) return stmt->kind == ast::Kind::Pass;
      std::optional<WideInt> condition = constant_integer(evaluate(*branch->condition));
      return condition && run(*condition != 0 ? branch->then_body : branch->else_body, loop);
    });
  }

  bool run_loop(const ast::For& stmt, const Symbol& loop) {
    const Value iterable = evaluate(*stmt.iterable);
    auto round = [&](const Value& element) { return bind(*stmt.target, element) && run(stmt.body, loop); };
    if (iterable.kind == ValueKind::Range) {
      std::optional<WideInt> start = constant_integer(iterable.elements[0]),
                             stop = constant_integer(iterable.elements[1]),
                             step = constant_integer(iterable.elements[2]);
      if (!start || !stop || !step || *step == 0) return false;
      for (WideInt i = *start; *step > 0 ? i < *stop : i > *stop; i += *step)
        if (++statements > most_statements || !round(int_value(i, stmt.span))) return false;
      return true;
    }
    // The elements of an array have its type; those of a list are as they were written.
    if (!is_tuple(iterable) || !is_constant(iterable)) return false;
    return std::all_of(iterable.elements.begin(), iterable.elements.end(), round);
  }
};

} // namespace

Value stored_value(Context& context, FileScope& file, std::string_view name, const Symbol& symbol) {
  Value object = before_statement(context, file, name, symbol);
  const Value value = constant_of_expr(context, file, *symbol.init);
  if (is_error(object) || is_error(value)) return error_value(symbol.span);
  Checker checker(context, &file, nullptr);
  checker.final = true;
  Value result =
      store_element(checker, std::move(object), ast::get<ast::Subscript>(*symbol.store), value, symbol.op);
  return checker.body->empty() ? result : error_value(symbol.span);
}

Value filled_value(Context& context, FileScope& file, std::string_view name, const Symbol& symbol) {
  Rounds rounds{context, file};
  rounds.scope.file = file.file;
  rounds.scope.tree = file.tree;
  rounds.scope.rules = file.rules;
  rounds.scope.parent = &file;
  rounds.scope.path = file.path;
  rounds.scope.is_round = true;
  if (!rounds.run_loop(*symbol.loop, symbol)) return error_value(symbol.span);
  const auto found = rounds.scope.symbols.find(name);
  return found != rounds.scope.symbols.end() ? found->second.front().value
                                             : before_statement(context, file, name, symbol);
}

} // namespace kern::checker
