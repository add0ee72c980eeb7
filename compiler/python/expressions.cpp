// Expressions of the host. One that is not known is evaluated as far as it goes: its calls may have effects.
#include <algorithm>
#include <array>

#include "compiler/ast/walk.h"
#include "compiler/python/interpreter.h"
#include "compiler/types/names.h"

namespace kern::python {

using values::as;

// Of a Foreign only who knows it says what it is equal to; None it is not.
static std::optional<Value> compare_foreign(Interpreter& run, ast::CompareOp op, const Value& left,
                                            const Value& right) {
  static constexpr std::array<std::pair<ast::CompareOp, std::string_view>, 4> asked = {
      {{ast::CompareOp::Equal, "operator.eq"},
       {ast::CompareOp::NotEqual, "operator.ne"},
       {ast::CompareOp::Is, "operator.is_"},
       {ast::CompareOp::IsNot, "operator.is_not"}}};
  const auto path = std::ranges::find(asked, op, &std::pair<ast::CompareOp, std::string_view>::first);
  const bool is_asked = path != asked.end() && !as<values::None>(left) && !as<values::None>(right);
  return is_asked ? run.asked(path->second, std::array{left, right}) : std::nullopt;
}

static std::optional<bool> compare_values(Interpreter& run, ast::CompareOp op, const Value& left,
                                          const Value& right) {
  if (const std::optional<Value> answer = compare_foreign(run, op, left, right))
    return values::truth_of(*answer);
  const bool are_lists =
      as<values::List>(left) && as<values::List>(right) && op <= ast::CompareOp::GreaterEqual;
  const auto a = are_lists ? run.elements_of(left) : std::nullopt,
             b = are_lists ? run.elements_of(right) : std::nullopt;
  return a && b ? values::compare(op, values::Tuple{*a}, values::Tuple{*b})
                : values::compare(op, left, right);
}

static std::optional<bool> contains(Interpreter& run, const Value& whole, const Value& value) {
  if (const auto* text = as<values::Text>(whole)) {
    const auto* part = as<values::Text>(value);
    return part ? std::optional(text->text.find(part->text) != text->text.npos) : std::nullopt;
  }
  const auto elements = run.iterate(whole);
  if (!elements) return std::nullopt;
  for (const Value& each : *elements) {
    const std::optional<bool> equal = compare_values(run, ast::CompareOp::Equal, value, each);
    if (!equal || *equal) return equal;
  }
  return false;
}

static std::optional<bool> compare(Interpreter& run, ast::CompareOp op, const Value& left,
                                   const Value& right) {
  if (op != ast::CompareOp::In && op != ast::CompareOp::NotIn) return compare_values(run, op, left, right);
  const std::optional<bool> found = contains(run, right, left);
  return found ? std::optional(*found == (op == ast::CompareOp::In)) : std::nullopt;
}

// An array of what the comparison of each number says.
static std::optional<Value> compare_arrays(Interpreter& run, ast::CompareOp op, const Value& left,
                                           const Value& right) {
  const bool has_array = as<values::Array>(left) || as<values::Array>(right);
  if (!has_array || op > ast::CompareOp::GreaterEqual) return std::nullopt;
  return run.each_of(std::array{left, right}, [op](std::span<const Value> x) {
    const std::optional<bool> holds = values::compare(op, x[0], x[1]);
    return holds ? std::optional<Value>(*holds) : std::nullopt;
  });
}

static Value compare_chain(Interpreter& run, const ast::Compare& expr) {
  Value left = run.evaluate(*expr.operands[0]);
  bool is_known = true;
  for (std::size_t i = 0; i < expr.ops.size(); ++i) {
    const Value right = run.evaluate(*expr.operands[i + 1]);
    if (expr.ops.size() == 1)
      if (const auto result = compare_arrays(run, expr.ops[0], left, right)) return *result;
    if (expr.ops.size() == 1)
      if (const auto answer = compare_foreign(run, expr.ops[0], left, right)) return *answer;
    const std::optional<bool> holds = compare(run, expr.ops[i], left, right);
    if (holds == false) return false;
    is_known = is_known && holds;
    left = right;
  }
  return is_known ? Value(true) : run.unknown(Why::NotComputed, expr.span);
}

static Value bool_op(Interpreter& run, const ast::BoolOp& expr, bool is_asked) {
  Value value;
  for (std::size_t i = 0; i < expr.operands.size(); ++i) {
    run.is_asked = is_asked;
    value = run.evaluate(*expr.operands[i]);
    const std::optional<bool> truth = run.truth(value);
    const bool is_last = i + 1 == expr.operands.size();
    if (is_last || (truth && *truth == (expr.op == ast::BoolOpKind::Or))) return value;
    if (truth) continue;
    // The others may be evaluated or not.
    const Store before = run.store;
    std::vector<Value> results{value};
    for (std::size_t k = i + 1; k < expr.operands.size(); ++k) {
      run.is_asked = is_asked;
      results.push_back(run.evaluate(*expr.operands[k]));
    }
    run.store = run.joined(before, run.store, expr.span);
    // Whoever changes the result may change each of them.
    if (!is_asked) run.reach({results, {}}, expr.span);
    return run.unknown(Why::NotComputed, expr.span);
  }
  return value;
}

static Value conditional(Interpreter& run, const ast::Conditional& expr) {
  const std::optional<bool> truth = run.truth_of(*expr.condition);
  if (truth) return run.evaluate(*truth ? *expr.then_value : *expr.else_value);
  const Store before = run.store;
  const Value yes = run.evaluate(*expr.then_value);
  const Store after = std::exchange(run.store, before);
  const Value no = run.evaluate(*expr.else_value);
  run.store = run.joined(after, run.store, expr.span);
  run.in_doubt = true;
  Value value = run.joined(yes, no, expr.span);
  // Whoever changes the result may change either of them.
  if (values::is_unknown(value)) run.reach({{yes, no}, {}}, expr.span);
  return value;
}

static std::vector<Value> elements(Interpreter& run, ast::ExprList list, bool& is_whole) {
  std::vector<Value> result;
  for (const ast::Expr* element : list) {
    const auto* starred = ast::as<ast::Starred>(element);
    if (!starred) {
      result.push_back(run.evaluate(*element));
      continue;
    }
    const auto inner = run.iterate(run.evaluate(*starred->value));
    is_whole = is_whole && inner.has_value();
    if (inner) result.insert(result.end(), inner->begin(), inner->end());
  }
  return result;
}

// A part of a tuple or list, by places that Python cuts to what is there.
static Value sliced(Interpreter& run, const Value& value, const ast::Slice& slice, Span span) {
  const auto whole = run.elements_of(value);
  const auto taken = whole ? taken_by(run, slice, static_cast<std::int64_t>(whole->size())) : std::nullopt;
  if (!taken) return run.not_computed(span, std::span(&value, 1));
  std::vector<Value> part;
  for (std::int64_t i = 0; i < taken->count; ++i)
    part.push_back((*whole)[static_cast<std::size_t>(taken->start + i * taken->step)]);
  return as<values::List>(value) ? run.new_list(part) : run.tuple(part);
}

static Value subscript(Interpreter& run, const ast::Subscript& expr) {
  const Value value = run.evaluate(*expr.value);
  if (const auto* array = as<values::Array>(value)) {
    const auto part = run.array_part(*array, expr);
    const auto is_rest = [](const ast::Expr* index) { return index->kind == ast::Kind::EllipsisLiteral; };
    if (part && std::ranges::any_of(expr.indices, is_rest)) return *part; // a view, of one number too
    if (part) return run.element_or_view(*part);
    const auto is_list = [](const ast::Expr* index) { return index->kind == ast::Kind::List; };
    if (std::ranges::any_of(expr.indices, is_list)) return run.unknown(Why::NotComputed, expr.span); // a copy
    return run.opaque_view(*array);
  }
  const auto* slice = ast::as<ast::Slice>(expr.indices[0]);
  const bool is_term = as<values::Path>(value) || as<values::Term>(value) || as<values::Foreign>(value);
  if (slice && expr.indices.size() == 1 && !is_term) return sliced(run, value, *slice, expr.span);
  std::vector<Value> indices; // of which a slice is none that is known
  for (const ast::Expr* index : expr.indices) indices.push_back(run.evaluate(*index));
  return run.subscript(value, indices.size() == 1 ? indices[0] : run.tuple(indices), expr.span);
}

Value Interpreter::subscript(const Value& value, const Value& index, Span span) {
  if (const auto* dict = as<values::Dict>(value)) {
    const Content& held = content(dict->object);
    if (!held.is_known) return unknown(Why::Changed, held.where);
    for (std::size_t i = 0; i < held.elements.size(); i += 2)
      if (compare_values(*this, ast::CompareOp::Equal, held.elements[i], index) == true)
        return held.elements[i + 1];
    return not_computed(span, std::array{value, index});
  }
  if (const auto* list = as<values::List>(value); list && !content(list->object).is_known)
    return unknown(Why::Changed, content(list->object).where);
  // k[grid, block] is k, for what a launch makes known.
  if (const auto* function = as<values::Function>(value); function && function->data->is_jit) return value;
  if (as<values::Foreign>(value))
    if (const auto answer = asked("operator.getitem", std::array{value, index})) return *answer;
  const auto elements = elements_of(value);
  const std::optional<WideInt> place = values::integer_of(index);
  in_doubt = in_doubt || dict_of(value); // Python raises
  // float32[:] is a type.
  if (as<values::Path>(value) || (as<values::Term>(value) && !elements))
    return make_term(values::Path{"operator.getitem"}, {{value, index}, {}});
  if (!elements || !place) return not_computed(span, std::array{value, index});
  const std::optional<std::size_t> at = values::index_in(*place, elements->size());
  return at ? (*elements)[*at] : unknown(Why::NotComputed, span);
}

Value Interpreter::binary(ast::BinaryOp op, const Value& left, const Value& right, Span span) {
  if (const std::optional<Value> number = values::binary(op, left, right)) return *number;
  if (as<values::Array>(left) || as<values::Array>(right)) {
    const auto result = array_binary(op, left, right);
    return result ? *result : unknown(Why::NotComputed, span);
  }
  const auto* x = as<values::Text>(left);
  // A type stands for its name where -D gives it for a string.
  const auto added = [&](const Value& part) {
    const bool is_text = op == ast::BinaryOp::Add && (as<values::Text>(part) || scalar_named(part));
    return is_text ? text_of(part) : std::nullopt;
  };
  if (const auto front = added(left), back = added(right); front && back)
    return front->size() + back->size() <= (is_exhausted() ? 1 << 12 : longest_text)
               ? text(*front + *back)
               : unknown(Why::NotComputed, span);
  if (op == ast::BinaryOp::Modulo && x) {
    const auto result = percent(x->text, right);
    return result ? text(*result) : not_computed(span, std::array{left, right});
  }
  const bool lists = as<values::List>(left) && as<values::List>(right);
  const bool tuples = as<values::Tuple>(left) && as<values::Tuple>(right);
  if (op == ast::BinaryOp::Add && (lists || tuples)) {
    const auto a = elements_of(left), b = elements_of(right);
    if (!a || !b) return unknown(Why::Changed, span);
    if (a->size() + b->size() > limits.elements) return unknown(Why::NotComputed, span);
    std::vector<Value> all(a->begin(), a->end());
    all.insert(all.end(), b->begin(), b->end());
    return lists ? new_list(all) : tuple(all);
  }
  const std::optional<WideInt> times = values::integer_of(right);
  const WideInt longest = is_exhausted() ? 1 << 12 : 1 << 20; // of a list or text that is repeated
  if (op == ast::BinaryOp::Multiply && times && *times <= longest) {
    std::string repeated;
    if (x && static_cast<WideInt>(x->text.size()) * *times > longest) return unknown(Why::NotComputed, span);
    for (WideInt i = 0; x && i < *times; ++i) repeated += x->text;
    if (x) return text(repeated);
    if (const auto a = elements_of(left)) {
      std::vector<Value> all;
      const std::vector<Value> once(a->begin(), a->end());
      if (static_cast<WideInt>(once.size()) * *times > longest) return unknown(Why::NotComputed, span);
      for (WideInt i = 0; i < *times; ++i) all.insert(all.end(), once.begin(), once.end());
      return as<values::List>(left) ? new_list(all) : tuple(all);
    }
  }
  return not_computed(span, std::array{left, right});
}

Value Interpreter::attribute(const Value& value, std::string_view name, Span span) {
  if (const auto* path = as<values::Path>(value)) {
    const std::string joined = std::string(path->name) + "." + std::string(name);
    // It leads to the names of all files.
    if (joined == "sys.modules")
      for (const Scope* file : file_scopes) bind_all_unknown(file->space, span);
    if (name == "__name__" || name == "name")
      if (const auto scalar = scalar_named(value)) return values::Text{long_name_of(*scalar)};
    if (const Binding* changed = own(module_attributes, arena.copy(std::string_view(joined))))
      return unknown(Why::Changed, changed->where);
    return module_value(joined, span);
  }
  if (as<values::File>(value) || as<values::Class>(value)) {
    // What is summed up has a class for an instance of it.
    if (summary && name == "__class__") return value;
    const Binding* binding = member(value, name);
    if (!binding) return unknown(Why::NotComputed, span);
    if (values::is_unknown(binding->value)) in_doubt = true;
    if (is_class_method(binding->value)) return unknown_call({{binding->value, value}, {}}, span);
    return binding->value;
  }
  if (const auto* array = as<values::Array>(value)) {
    if (const auto result = array_attribute(*array, name)) return *result;
    // It may be a view of it.
    constexpr std::array<std::string_view, 7> reading = {"shape",    "size",   "ndim",   "dtype",
                                                         "itemsize", "nbytes", "strides"};
    if (!is_in(reading, name)) reach({{value}, {}}, span);
  }
  if (const auto* term = as<values::Term>(value)) {
    const auto elements = named_elements(*term->data);
    const std::vector<std::string_view> names =
        elements ? field_names(term->data->callee) : std::vector<std::string_view>{};
    if (const auto found = std::ranges::find(names, name); found != names.end())
      return (*elements)[static_cast<std::size_t>(found - names.begin())];
    if (const auto result = numpy_attribute(*term, name)) return *result;
    return make_term(values::Path{"getattr"}, {{value, values::Text{name}}, {}});
  }
  if (as<values::Foreign>(value))
    if (const auto answer = asked("getattr", std::array<Value, 2>{value, values::Text{name}})) return *answer;
  if (values::is_number(value))
    if (const auto result = number_attribute(value, name)) return *result;
  // A member of an enumeration is its number.
  if (name == "value" && values::is_number(value)) return value;
  // A method may be called by another name, and change it.
  if (as<values::List>(value) || as<values::Dict>(value)) reach({{value}, {}}, span);
  return not_computed(span, std::span(&value, 1));
}

static Value named(Interpreter& run, const ast::NamedExpr& expr) {
  const Value value = run.evaluate(*expr.value);
  // A comprehension has no names but its targets.
  const Scope* scope = run.frame->scope;
  while (scope->parent && !scope->owner) scope = scope->parent;
  if (scope == run.frame->scope)
    run.bind(expr.target->text, value, expr.target->span);
  else
    run.bind_in(*scope, expr.target->text, value, expr.target->span);
  return value;
}

static Value unary(Interpreter& run, const ast::Unary& expr) {
  run.is_asked = expr.op == ast::UnaryOp::Not;
  const Value operand = run.evaluate(*expr.operand);
  if (expr.op == ast::UnaryOp::Not)
    if (const std::optional<bool> known = run.truth(operand)) return !*known;
  const auto negated = [&](std::span<const Value> x) { return values::unary(expr.op, x[0]); };
  const bool is_array = as<values::Array>(operand) && expr.op != ast::UnaryOp::Not;
  const std::optional<Value> value =
      is_array ? run.each_of(std::array{operand}, negated) : values::unary(expr.op, operand);
  return value ? *value : run.not_computed(expr.span, std::span(&operand, 1));
}

static Value sequence(Interpreter& run, const ast::Expr& expr, ast::ExprList parts) {
  bool is_whole = true;
  const std::vector<Value> all = elements(run, parts, is_whole);
  if (!is_whole) return run.not_computed(expr.span, std::array<Value, 1>{values::Tuple{all}});
  return expr.kind == ast::Kind::List ? run.new_list(all) : run.tuple(all);
}

static Value dict(Interpreter& run, const ast::Dict& expr) {
  constexpr std::size_t most = 1 << 12; // of keys that are compared with each other: True is 1
  const Value made = run.new_dict({});
  if (expr.keys.size() > most) run.forget(as<values::Dict>(made)->object, expr.span);
  for (std::size_t i = 0; i < expr.keys.size(); ++i) {
    const Value key = run.evaluate(*expr.keys[i]);
    run.store_in(made, key, run.evaluate(*expr.values[i]), expr.span);
  }
  return made;
}

// Of a term: an array's or list's is evaluated with it.
static Value slice_of(Interpreter& run, const ast::Slice& expr) {
  Interpreter::Arguments parts;
  for (const ast::Expr* part : {expr.start, expr.stop, expr.step})
    parts.positional.push_back(part ? run.evaluate(*part) : Value(values::None{}));
  return run.make_term(values::Path{"slice"}, parts);
}

static Value lambda(Interpreter& run, const ast::Lambda& expr) {
  auto* made = run.arena.make<FunctionData>();
  made->def = expr.function;
  made->scope = run.frame->scope;
  made->defaults = run.defaults_of(expr.function->params);
  run.add(made);
  return values::Function{made};
}

std::optional<bool> Interpreter::truth_of(const ast::Expr& condition) {
  is_asked = true;
  return truth(evaluate(condition));
}

static Value comprehended(Interpreter& run, const ast::Comprehension& expr) {
  const Store before = run.store;
  const Value made = run.comprehension(expr);
  if (!expr.is_generator) return made;
  run.store = run.joined(before, run.store, expr.span); // it runs later, if at all
  return run.unknown_call({{made}, {}}, expr.span);
}

static Value set_display(Interpreter& run, const ast::Set& expr) {
  bool is_whole = true;
  const std::vector<Value> all = elements(run, expr.elements, is_whole);
  if (!is_whole) return run.unknown(Why::NotComputed, expr.span);
  return run.make_term(values::Path{"set"}, {all, {}}, true);
}

Value Interpreter::evaluate(const ast::Expr& expr) {
  const bool is_condition = std::exchange(is_asked, false);
  ++steps;
  const Deeper deeper(depth);
  switch (expr.kind) {
  case ast::Kind::Name: return read(ast::get<ast::Name>(expr).text, expr.span);
  case ast::Kind::IntLiteral: return static_cast<WideInt>(ast::get<ast::IntLiteral>(expr).value);
  case ast::Kind::FloatLiteral: return ast::get<ast::FloatLiteral>(expr).value;
  case ast::Kind::ImaginaryLiteral: return values::Complex{0, ast::get<ast::ImaginaryLiteral>(expr).value};
  case ast::Kind::BoolLiteral: return ast::get<ast::BoolLiteral>(expr).value;
  case ast::Kind::NoneLiteral: return values::None{};
  case ast::Kind::EllipsisLiteral: return values::Ellipsis{};
  case ast::Kind::StringLiteral: return values::Text{ast::get<ast::StringLiteral>(expr).value};
  case ast::Kind::Compare: return compare_chain(*this, ast::get<ast::Compare>(expr));
  case ast::Kind::BoolOp: return bool_op(*this, ast::get<ast::BoolOp>(expr), is_condition);
  case ast::Kind::Conditional: return conditional(*this, ast::get<ast::Conditional>(expr));
  case ast::Kind::Call: return call(ast::get<ast::Call>(expr));
  case ast::Kind::Subscript: return python::subscript(*this, ast::get<ast::Subscript>(expr));
  case ast::Kind::NamedExpr: return named(*this, ast::get<ast::NamedExpr>(expr));
  case ast::Kind::Unary: return unary(*this, ast::get<ast::Unary>(expr));
  case ast::Kind::Binary: {
    const auto& node = ast::get<ast::Binary>(expr);
    const Value left = evaluate(*node.left), right = evaluate(*node.right);
    return binary(node.op, left, right, expr.span);
  }
  case ast::Kind::Attribute: {
    const auto& node = ast::get<ast::Attribute>(expr);
    return attribute(evaluate(*node.value), node.name, expr.span);
  }
  case ast::Kind::Tuple: return sequence(*this, expr, ast::get<ast::Tuple>(expr).elements);
  case ast::Kind::List: return sequence(*this, expr, ast::get<ast::List>(expr).elements);
  case ast::Kind::Dict: return dict(*this, ast::get<ast::Dict>(expr));
  case ast::Kind::Lambda: return lambda(*this, ast::get<ast::Lambda>(expr));
  case ast::Kind::Slice: return slice_of(*this, ast::get<ast::Slice>(expr));
  case ast::Kind::Comprehension: return comprehended(*this, ast::get<ast::Comprehension>(expr));
  case ast::Kind::Set: return set_display(*this, ast::get<ast::Set>(expr));
  case ast::Kind::Starred: break; // nothing that a kernel reads
  case ast::Kind::ExprStmt:
  case ast::Kind::Assign:
  case ast::Kind::AugAssign:
  case ast::Kind::AnnAssign:
  case ast::Kind::If:
  case ast::Kind::While:
  case ast::Kind::For:
  case ast::Kind::Break:
  case ast::Kind::Continue:
  case ast::Kind::Pass:
  case ast::Kind::Delete:
  case ast::Kind::Return:
  case ast::Kind::Assert:
  case ast::Kind::Raise:
  case ast::Kind::FunctionDef:
  case ast::Kind::StructDef:
  case ast::Kind::Import:
  case ast::Kind::FromImport: break; // a statement
  }
  ast::each_part(expr, [&](const ast::Expr& part) { evaluate(part); });
  return unknown(Why::NotComputed, expr.span);
}

} // namespace kern::python
