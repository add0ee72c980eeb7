// Assignments to names, to elements of what an object holds, and to attributes.
#include <algorithm>
#include <array>

#include "compiler/python/interpreter.h"

namespace kern::python {

using values::as;

static void store_item(Interpreter& run, const ast::Subscript& target, const Value& value) {
  const Value object = run.evaluate(*target.value);
  if (const auto* array = as<values::Array>(object)) {
    const auto part = run.array_part(*array, target);
    if (part && run.store_numbers(*as<values::Array>(*part), value)) return;
    run.in_doubt = true;
    return run.forget(array->object, target.span);
  }
  const bool is_plain = target.indices.size() == 1 && target.indices[0]->kind != ast::Kind::Slice;
  const Value index = is_plain ? run.evaluate(*target.indices[0]) : Value(values::Unknown{});
  run.store_in(object, index, value, target.span);
}

// Stores an element of a list or dict.
void Interpreter::store_in(const Value& object, const Value& index, const Value& value, Span span) {
  const auto* list = as<values::List>(object);
  const auto* dict = as<values::Dict>(object);
  if (!list && !dict) {
    // Nobody knows which object that is; the value is reached through it from now on.
    in_doubt = true;
    return reach({{object, value}, {}}, span);
  }
  const ObjectId id = list ? list->object : dict->object;
  if (!content(id).is_known) {
    forget(id, span);
    return reach({{value}, {}}, span);
  }
  const std::span<const Value> held = content(id).elements;
  const std::optional<WideInt> at = list ? values::integer_of(index) : std::nullopt;
  const std::optional<std::size_t> place = dict ? place_of_key(held, index)
                                           : at ? values::index_in(*at, held.size())
                                                : std::nullopt;
  if (!place) {
    in_doubt = true;
    forget(id, span);
    return reach({{value}, {}}, span);
  }
  if (*place > held.size()) return append(id, std::array{index, value});
  std::vector<Value> changed(held.begin(), held.end());
  changed[*place] = value;
  set_elements(id, changed);
}

void Interpreter::store_attribute(const Value& object, std::string_view name, const Value& value, Span span) {
  if (const auto* of = as<values::Class>(object))
    return bind_in(*class_scopes.at(static_cast<std::uint32_t>(of->object)), name, value, span);
  if (const auto* file = as<values::File>(object))
    return bind_in(*file_scopes[file->index], name, value, span);
  if (const auto* path = as<values::Path>(object)) {
    const std::string joined = std::string(path->name) + "." + std::string(name);
    return set(module_attributes, arena.copy(std::string_view(joined)), value, span);
  }
  in_doubt = true; // it may have no such attribute
  sets_forms = sets_forms || as<values::Array>(object);
  reach({{object, value}, {}}, span);
}

static void assign_all(Interpreter& run, ast::ExprList targets, const Value& value, Span where) {
  const auto elements = run.iterate(value);
  const auto is_starred = [](const ast::Expr* target) { return ast::as<ast::Starred>(target) != nullptr; };
  const auto star = std::ranges::find_if(targets, is_starred);
  const bool has_star = star != targets.end();
  const std::size_t fixed = targets.size() - has_star;
  const bool fits = elements && (has_star ? elements->size() >= fixed : elements->size() == fixed);
  std::size_t next = 0;
  for (const ast::Expr* target : targets) {
    if (!fits) run.reach({{value}, {}}, where);
    const auto* starred = ast::as<ast::Starred>(target);
    if (!starred) {
      run.assign(*target, fits ? (*elements)[next++] : run.unknown(Why::NotComputed, where), where);
      continue;
    }
    if (!fits) {
      run.assign(*starred->value, run.unknown(Why::NotComputed, where), where);
      continue;
    }
    const std::size_t count = elements->size() - fixed;
    const auto begin = elements->begin() + static_cast<std::ptrdiff_t>(next);
    run.assign(*starred->value, run.new_list({begin, begin + static_cast<std::ptrdiff_t>(count)}), where);
    next += count;
  }
}

void Interpreter::assign(const ast::Expr& target, const Value& value, Span where) {
  if (const auto* name = ast::as<ast::Name>(&target)) return bind(name->text, value, name->span);
  if (const auto* tuple = ast::as<ast::Tuple>(&target))
    return assign_all(*this, tuple->elements, value, where);
  if (const auto* list = ast::as<ast::List>(&target)) return assign_all(*this, list->elements, value, where);
  if (const auto* item = ast::as<ast::Subscript>(&target)) return store_item(*this, *item, value);
  if (const auto* member = ast::as<ast::Attribute>(&target))
    return store_attribute(evaluate(*member->value), member->name, value, member->span);
}

// Appends the elements of what is added to a list, which all see that have it.
static void extend(Interpreter& run, const values::List& list, const ast::AugAssign& stmt,
                   const Value& operand) {
  const auto more = run.iterate(operand);
  if (!more || !run.content(list.object).is_known) return run.forget(list.object, stmt.span);
  run.append(list.object, *more);
  run.assign(*stmt.target, list, stmt.span);
}

void Interpreter::augment(const ast::AugAssign& stmt) {
  const Value before = evaluate(*stmt.target), operand = evaluate(*stmt.value);
  // An array is changed in place, where NumPy takes the result for its type.
  if (const auto* array = as<values::Array>(before)) {
    const Value result = binary(stmt.op, before, operand, stmt.span);
    const auto* made = as<values::Array>(result);
    const auto rank = [](Type type) {
      return is_boolean(type) ? 0 : is_complex(type) ? 3 : is_float(type) ? 2 : 1;
    };
    const bool is_one = values::is_number(result); // of an array without axes
    const bool keeps = (made || is_one) && rank(made ? made->form->type : values::type_of_number(result)) <=
                                               rank(array->form->type);
    if (!keeps || !store_numbers(*array, result)) forget(array->object, stmt.span);
    if (ast::as<ast::Name>(stmt.target)) assign(*stmt.target, before, stmt.span);
    return;
  }
  const auto* list = as<values::List>(before);
  if (list && stmt.op == ast::BinaryOp::Add) return extend(*this, *list, stmt, operand);
  const auto* term = as<values::Term>(before);
  if (list || as<values::Dict>(before) || (term && term->data->object))
    return reach({{before}, {}}, stmt.span);
  assign(*stmt.target, binary(stmt.op, before, operand, stmt.span), stmt.span);
}

} // namespace kern::python
