// Calls. A function of the host runs with the values of its arguments, known or not; one of a module that Kern knows is
// computed, or kept as a term for check/ to read.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "compiler/python/interpreter.h"

namespace kern::python {

using values::as;

bool is_class_method(const Value& value) {
  const auto* function = as<values::Function>(value);
  return function && std::ranges::any_of(function->data->decorators,
                                         [](const Value& each) { return path_name(each) == "classmethod"; });
}

// Says whether a call of a name gives Numba a function.
static bool compiles(std::string_view path) { return is_jit(path) || path == "numba.cuda.compile"; }

Interpreter::Arguments Interpreter::arguments(const ast::Call& call, std::string_view callee) {
  // Functions and methods of Python that take the elements of a generator at once.
  static constexpr std::array<std::string_view, 12> taking = {
      "list", "tuple", "set", "dict", "sorted", "sum", "min", "max", "any", "all", "join", "extend"};
  Arguments result;
  result.call = &call;
  for (const ast::Expr* arg : call.args) {
    const auto* starred = ast::as<ast::Starred>(arg);
    if (!starred) {
      const auto* made = is_in(taking, callee) ? ast::as<ast::Comprehension>(arg) : nullptr;
      const Store before = store;
      result.positional.push_back(made ? comprehension(*made) : evaluate(*arg));
      // Or all up to one.
      if (made && (callee == "any" || callee == "all")) store = joined(before, store, arg->span);
      continue;
    }
    const Value whole = evaluate(*starred->value);
    const auto inner = iterate(whole);
    result.is_whole = result.is_whole && inner;
    if (inner) result.positional.insert(result.positional.end(), inner->begin(), inner->end());
    if (!inner) result.positional.push_back(whole);
  }
  for (const ast::Keyword& keyword : call.keywords) {
    const Value value = evaluate(*keyword.value);
    const auto* dict = as<values::Dict>(value);
    const bool unpacks = keyword.name.empty() && dict && content(dict->object).is_known;
    if (!unpacks) {
      result.is_whole = result.is_whole && !keyword.name.empty();
      result.keywords.push_back({keyword.name, value});
      continue;
    }
    const std::span<const Value> pairs = content(dict->object).elements;
    for (std::size_t i = 0; i < pairs.size(); i += 2)
      if (const auto* name = as<values::Text>(pairs[i]))
        result.keywords.push_back({name->text, pairs[i + 1]});
  }
  return result;
}

Value Interpreter::call(const ast::Call& expr) {
  if (const auto* member = ast::as<ast::Attribute>(expr.callee)) {
    const Value object = evaluate(*member->value);
    const bool is_namespace =
        as<values::Path>(object) || as<values::File>(object) || as<values::Class>(object);
    if (!is_namespace && !as<values::Function>(object)) {
      Arguments args = arguments(expr, member->name);
      if (const auto result = call_method(object, member->name, args, expr.span)) return *result;
      // What it returns is an argument, or what the dict holds.
      if (as<values::Dict>(object) && member->name == "get") {
        reach(args, expr.span);
        return not_computed(expr.span, std::array{object});
      }
      args.positional.push_back(object);
      return unknown_call(args, expr.span);
    }
    const Binding* found = class_member(object, member->name);
    const bool takes_class = found && is_class_method(found->value);
    const Value callee = as<values::Function>(object) ? object
                         : takes_class                ? found->value
                                                      : attribute(object, member->name, expr.callee->span);
    Arguments args = arguments(expr);
    if (takes_class) args.positional.insert(args.positional.begin(), object);
    // k.forall(n) is k again, what others of its methods return nobody knows.
    if (as<values::Function>(object) && (member->name == "forall" || member->name == "specialize"))
      return object;
    if (as<values::Function>(object)) {
      args.positional.push_back(object);
      return unknown_call(args, expr.span);
    }
    return call(callee, args, expr.span);
  }
  const Value callee = evaluate(*expr.callee);
  return call(callee, arguments(expr, path_name(callee)), expr.span);
}

// Says whether Numba makes a kernel of a function, whose calls return nothing.
static bool is_kernel(const FunctionData& function) {
  return !function.is_device && std::ranges::any_of(function.decorators, [](const Value& each) {
    return callee_name(each) == "numba.cuda.jit";
  });
}

Value Interpreter::call(const Value& callee, const Arguments& args, Span span) {
  const auto* function = as<values::Function>(callee);
  const Value* given = args.positional.size() == 1 ? args.positional.data() : nullptr;
  const auto* made_of = given ? as<values::Function>(*given) : nullptr;
  if (function && function->data->is_jit) {
    std::set<std::uint32_t> seen;
    for (const Value& arg : args.positional)
      if (!as<values::Function>(arg)) reach(arg, span, seen);
    launch(*function->data, true);
    return is_kernel(*function->data) ? Value(values::None{}) : unknown(Why::NotComputed, span);
  }
  if (function && function->data->is_wrapped) return unknown_call(args, span);
  if (function) return call_function(*function->data, args, span);
  const std::string_view path = callee_name(callee);
  // What nobody knows is given to Numba.
  if (given && values::is_unknown(*given) && as<values::Term>(callee) && compiles(path)) return *given;
  if (made_of && compiles(path)) {
    auto* made = arena.make<FunctionData>(*made_of->data);
    made->is_jit = true;
    made->of = made_of->data;
    made->made_in = frame->scope;
    const Arguments options{{}, args.keywords, true, args.call};
    std::vector<Value> decorators{args.keywords.empty() ? callee : make_term(callee, options)};
    made->decorators = arena.copy(decorators);
    add(made);
    return values::Function{made};
  }
  if (as<values::Path>(callee)) return call_path(path, args, span);
  if (as<values::Term>(callee)) {
    if (is_named_tuple(callee)) reach(args, span); // its elements are what lists hold now
    // A method of an object, by another name.
    reach({{callee}, {}}, span);
    return make_term(callee, args);
  }
  if (const auto* of = as<values::Class>(callee)) {
    if (of->statement->is_enum)
      return given && values::is_number(*given) ? *given : unknown(Why::NotComputed, span);
    if (is_named_tuple(*of)) {
      reach(args, span); // its elements are what lists hold now
      return make_term(callee, args);
    }
    reach_by_instance(*of, span);
  }
  return unknown_call(args, span);
}

// Says whether a parameter is behind a `*` that Kern has none of: of such a list the names alone are known.
bool Interpreter::is_unparsed(const FunctionData& function, std::size_t index) const {
  const std::span<const ast::Param> params = params_of(function);
  const ast::Param& param = params[index];
  if (param.kind == ast::ParamKind::VarArgs || !function.statement) return false;
  const ast::Param* before = index > 0 ? &params[index - 1] : nullptr;
  const Span last = !before                 ? function.statement->name_span
                    : before->default_value ? before->default_value->span
                    : before->annotation    ? before->annotation->span
                                            : before->span;
  return sources.text({param.span.file, last.end, param.span.begin}).find('*') != std::string_view::npos;
}

bool fits(std::span<const ast::Param> params, std::span<const Value> args,
          std::span<const values::NamedValue> keywords) {
  const bool has_rest = !params.empty() && params.back().kind == ast::ParamKind::VarArgs;
  const std::size_t places = params.size() - has_rest;
  if (!has_rest && args.size() > places) return false;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const auto given = std::ranges::count(keywords, params[i].name, &values::NamedValue::name) +
                       (i < places && i < args.size());
    if (given > (i < places) || (i < places && given == 0 && !params[i].default_value)) return false;
  }
  return std::ranges::all_of(keywords, [&](const values::NamedValue& each) {
    return std::ranges::find(params, each.name, &ast::Param::name) != params.end();
  });
}

void Interpreter::enter(const FunctionData& function, const Arguments& args, Why missing, Span span) {
  const std::span<const ast::Param> params = params_of(function);
  const auto stars = [&](const ast::Param& param) {
    const Span name = param.span;
    const std::string_view front =
        sources.text({name.file, name.begin - std::min(name.begin, 2U), name.begin});
    return front == "**" ? 2 : param.kind == ast::ParamKind::VarArgs || front.ends_with('*') ? 1 : 0;
  };
  std::vector<Value> others; // by names that no parameter has, with those
  for (const values::NamedValue& each : args.keywords)
    if (std::ranges::none_of(params, [&](const auto& it) { return it.name == each.name && stars(it) == 0; }))
      others.insert(others.end(), {values::Text{each.name}, each.value});
  if (!args.is_whole) reach(args, span); // any parameter may be any of them
  const bool is_known = args.is_whole && missing != Why::Captured;
  std::size_t defaults = 0; // before the parameter
  bool by_name = false;     // alone
  for (std::size_t i = 0; i < params.size(); ++i) {
    Value value = values::Unknown{missing, span};
    by_name = by_name || is_unparsed(function, i);
    const bool has_default = params[i].default_value && defaults++ < function.defaults.size();
    if (missing == Why::Captured) value = unknown(missing, params[i].span, path_of(*frame->scope));
    const int count = stars(params[i]);
    const auto first = static_cast<std::ptrdiff_t>(std::min(i, args.positional.size()));
    if (count > 0 && is_known)
      value = count == 2 ? new_dict(others) : tuple({args.positional.begin() + first, args.positional.end()});
    else if (count == 0 && i < args.positional.size() && args.is_whole && !by_name)
      value = args.positional[i];
    else if (count == 0 && has_default && is_known)
      value = function.defaults[defaults - 1];
    for (const values::NamedValue& keyword : args.keywords)
      if (keyword.name == params[i].name && count == 0) value = keyword.value;
    bind(params[i].name, value, params[i].span);
  }
  in_doubt = in_doubt || !fits(params, args.positional, args.keywords); // Python raises
}

Value Interpreter::call_function(const FunctionData& function, const Arguments& args, Span span) {
  if (!can_run(function)) {
    escape(function, span);
    return unknown_call(args, span);
  }
  if (!is_followed(function, args)) return call_unfollowed(function, args, span);
  return run_function(function, args, span);
}

// Says whether a call is run where it stands: not in the rounds of a loop of which nobody knows how many there are, and not
// inside of a call of the same function where nobody knows whether it ends.
bool Interpreter::is_followed(const FunctionData& function, const Arguments& args) const {
  if (summary || open_loops > 0 || calls >= limits.calls || depth >= limits.depth || is_exhausted())
    return false;
  const bool recurs = std::ranges::any_of(frames, [&](const Frame* each) {
    return each->scope->is_call && each->scope->owner && each->scope->owner == function.statement;
  });
  return !recurs || (args.is_whole && std::ranges::none_of(args.positional, values::is_unknown));
}

Value Interpreter::run_function(const FunctionData& function, const Arguments& args, Span span) {
  // One that only raises is not called by a program that runs.
  const std::optional<Value> result = run_body(function, args, span);
  return result ? *result : unknown(Why::NotComputed, span);
}

// Returns what a function returns; nothing where it only raises.
std::optional<Value> Interpreter::run_body(const FunctionData& function, const Arguments& args, Span span) {
  const ast::HostStatement* statement = function.statement;
  Scope* scope = const_cast<Scope*>(new_scope(function.scope, function.scope->file, statement, false));
  scope->is_call = true;
  Frame inner{scope, {}, {}, {}};
  Frame* const outer = std::exchange(frame, &inner);
  frames.push_back(&inner);
  ++calls;
  const std::size_t functions_before = functions.size(), classes_before = class_scopes.size();
  enter(function, args, Why::NotComputed, span);
  std::optional<Value> result = values::None{};
  if (!statement) {
    result = evaluate(*ast::get<ast::Return>(*function.def->body[0]).value);
  } else {
    Ends ends = run_block(*statement->code);
    if (ends.raises) in_doubt = true;
    if (ends.returns) result = ends.result.value_or(Value(values::None{}));
    const Span place = ends.undecided.end > 0 ? ends.undecided : span;
    if (ends.next && ends.returns) result = joined(*result, values::None{}, place);
    merge(ends.returns, ends.next, span);
    if (ends.returns)
      store = *ends.returns;
    else if (ends.raises)
      store = *ends.raises, result.reset();
  }
  --calls;
  frames.pop_back();
  frame = outer;
  // Nobody sees its names any more, unless a function or class was made there.
  if (functions.size() == functions_before && class_scopes.size() == classes_before) drop(scope->space);
  if (result && values::is_unknown(*result)) in_doubt = true;
  return result;
}

} // namespace kern::python
