// Statements without a block, and definitions. A function is a value of its own each time that its `def` runs, for it sees
// the names of that time.
#include <algorithm>
#include <array>

#include "compiler/ast/walk.h"
#include "compiler/python/interpreter.h"

namespace kern::python {

using values::as;

// `del`.
static void remove(Interpreter& run, const ast::Delete& stmt) {
  for (const ast::Expr* target : stmt.targets) {
    if (const auto* name = ast::as<ast::Name>(target))
      run.unbind(name->text);
    else if (const auto* item = ast::as<ast::Subscript>(target))
      run.reach({{run.evaluate(*item->value)}, {}}, stmt.span);
    else if (const auto* member = ast::as<ast::Attribute>(target))
      run.store_attribute(run.evaluate(*member->value), member->name, run.unknown(Why::Bound, stmt.span),
                          member->span);
  }
}

// A class has the annotations of its names, in their order.
static void annotate(Interpreter& run, const ast::Name& name, const ast::Expr& annotation) {
  constexpr std::string_view annotations = "__annotations__";
  const Space space = run.frame->scope->space;
  const Binding* known = run.own(space, annotations);
  const Value dict = known ? known->value : run.new_dict({});
  const ObjectId object = as<values::Dict>(dict)->object;
  const std::span<const Value> before = run.content(object).elements;
  std::vector<Value> pairs(before.begin(), before.end());
  pairs.insert(pairs.end(), {values::Text{name.text}, run.evaluate(annotation)});
  Content changed;
  changed.elements = run.arena.copy(pairs);
  run.set_content(object, changed);
  run.set(space, annotations, dict, name.span);
}

// `f = wrap(f)`: a decorator of which nobody knows what it does is passed over, as one above the function is.
static std::optional<Value> wrapped_function(Interpreter& run, const ast::Assign& stmt) {
  const auto* call = ast::as<ast::Call>(stmt.value);
  const bool has_form = call && call->args.size() == 1 && call->keywords.empty() && stmt.targets.size() == 1;
  const auto* given = has_form ? ast::as<ast::Name>(call->args[0]) : nullptr;
  const auto* target = has_form ? ast::as<ast::Name>(stmt.targets[0]) : nullptr;
  if (!given || !target || given->text != target->text) return std::nullopt;
  const std::optional<Found> found = run.look_up(*run.frame->scope, given->text, true);
  const auto* function = found ? as<values::Function>(found->value) : nullptr;
  if (!function || !function->data->def) return std::nullopt;
  auto* made = run.arena.make<FunctionData>(*function->data);
  made->of = function->data;
  made->made_in = run.frame->scope;
  made->wrapped_by = call->callee;
  run.add(made);
  return values::Function{made};
}

constexpr WideInt no_member = WideInt(1) << 100; // behind it nobody knows what `auto` gives

// Returns one more than the member before, of flags the next bit.
static Value next_member(const Frame& frame) {
  const bool is_flag = std::ranges::any_of(frame.scope->owner->bases, [](const ast::Expr* base) {
    return ast::dotted_name(*base).ends_with("Flag");
  });
  const WideInt last = frame.last_member;
  if (last == no_member) return values::Unknown{Why::NotComputed, frame.scope->owner->name_span};
  WideInt bit = 1;
  while (bit <= last) bit *= 2;
  return is_flag ? bit : last + 1;
}

Ends Interpreter::run_simple(const ast::Stmt& stmt) {
  Ends ends;
  if (const auto* node = ast::as<ast::Assign>(&stmt)) {
    // RED = auto(), in an enumeration.
    const auto* made = ast::as<ast::Call>(node->value);
    const std::string_view callee = made ? sources.text(made->callee->span) : "";
    const bool counts =
        frame->scope->is_class && frame->scope->owner->is_enum && (callee == "auto" || callee == "enum.auto");
    Value value = counts ? next_member(*frame) : evaluate(*node->value);
    if (values::is_unknown(value))
      if (const std::optional<Value> wrapped = wrapped_function(*this, *node)) value = *wrapped;
    // Of which one `auto` goes on differs between versions of Python where they do not ascend.
    const auto* number = as<WideInt>(value);
    frame->last_member = number && *number >= frame->last_member ? *number : no_member;
    for (const ast::Expr* target : node->targets) assign(*target, value, stmt.span);
  } else if (const auto* augmented = ast::as<ast::AugAssign>(&stmt)) {
    augment(*augmented);
  } else if (const auto* annotated = ast::as<ast::AnnAssign>(&stmt)) {
    if (annotated->value) assign(*annotated->target, evaluate(*annotated->value), stmt.span);
    frame->last_member = no_member;
    const auto* name = ast::as<ast::Name>(annotated->target);
    if (frame->scope->is_class && name) annotate(*this, *name, *annotated->annotation);
  } else if (const auto* expr = ast::as<ast::ExprStmt>(&stmt)) {
    evaluate(*expr->value);
  } else if (ast::as<ast::Import>(&stmt) || ast::as<ast::FromImport>(&stmt)) {
    import(stmt);
  } else if (const auto* removal = ast::as<ast::Delete>(&stmt)) {
    remove(*this, *removal);
  } else if (const auto* result = ast::as<ast::Return>(&stmt)) {
    ends.result = result->value ? evaluate(*result->value) : Value(values::None{});
    ends.returns = store;
    return ends;
  } else if (ast::as<ast::Break>(&stmt)) {
    ends.breaks = store;
    return ends;
  } else if (ast::as<ast::Continue>(&stmt)) {
    ends.continues = store;
    return ends;
  } else if (const auto* raise = ast::as<ast::Raise>(&stmt)) {
    if (raise->value) evaluate(*raise->value);
    ends.raises = store;
    return ends;
  } else if (const auto* check = ast::as<ast::Assert>(&stmt)) {
    if (truth_of(*check->condition) == false) {
      ends.raises = store;
      return ends;
    }
  } else if (const auto* def = ast::as<ast::StructDef>(&stmt)) {
    bind(def->name, values::Unknown{Why::NotComputed, def->name_span}, def->name_span);
  } else if (const auto* function = ast::as<ast::FunctionDef>(&stmt)) {
    define_generated(*function);
  }
  ends.next = store;
  return ends;
}

bool is_jit(std::string_view path) {
  static constexpr std::array<std::string_view, 5> jits = {"numba.cuda.jit", "numba.jit", "numba.njit",
                                                           "kern.kernel", "kern.device"};
  return is_in(jits, path);
}

// Says whether a value is a decorator that gives a function to Numba, and whether it names types, so that the function is
// compiled where it stands.
static bool is_jit(const Value& value, bool& is_device, bool& is_eager) {
  const auto* term = as<values::Term>(value);
  const bool jits = is_jit(callee_name(value));
  if (!jits || !term) return jits;
  is_eager = !term->data->args.empty();
  for (const values::NamedValue& each : term->data->keywords) {
    if (each.name == "device" && values::truth_of(each.value) == true) is_device = true;
    if (each.name == "signature") is_eager = true;
  }
  return true;
}

void Interpreter::add(FunctionData* made) {
  made->serial = static_cast<std::uint32_t>(functions.size());
  functions.push_back(made);
}

// Says whether a decorator leaves a function what it is for who calls it.
static bool is_plain_decorator(std::string_view path) {
  return path == "staticmethod" || path == "classmethod" || path == "property" || path == "functools.wraps" ||
         path.starts_with("numba.extending.");
}

// Evaluates the decorators of a function; returns whether it is known what each of them does.
bool Interpreter::decorate(FunctionData& made, ast::ExprList written, bool& is_eager) {
  bool is_known = true;
  std::vector<Value> decorators;
  for (const ast::Expr* decorator : written) {
    decorators.push_back(evaluate(*decorator));
    const bool jits = is_jit(decorators.back(), made.is_device, is_eager);
    made.is_jit = made.is_jit || jits;
    is_known = is_known && (jits || is_plain_decorator(callee_name(decorators.back())));
  }
  made.decorators = arena.copy(decorators);
  return is_known;
}

// Calls the decorators of a function that are functions of the program. One of which nobody knows what it returns is passed over,
// for kernels; the host calls something else then.
Value Interpreter::decorated(FunctionData& made, Span span) {
  Value value = values::Function{&made};
  for (std::size_t i = made.decorators.size(); i-- > 0;) {
    const auto* decorator = as<values::Function>(made.decorators[i]);
    bool is_device = false, is_eager = false;
    if (is_jit(made.decorators[i], is_device, is_eager) ||
        is_plain_decorator(callee_name(made.decorators[i])))
      continue;
    Arguments args;
    args.positional.push_back(value);
    const Value result = decorator ? call_function(*decorator->data, args, span)
                                   : Value(values::Unknown{Why::NotComputed, span});
    if (as<values::Function>(result))
      value = result;
    else
      made.is_wrapped = true;
  }
  escape(made, span);
  return value;
}

std::span<const Value> Interpreter::defaults_of(std::span<const ast::Param> params) {
  std::vector<Value> defaults;
  for (const ast::Param& param : params)
    if (param.default_value) defaults.push_back(evaluate(*param.default_value));
  return arena.copy(defaults);
}

void Interpreter::define_function(const ast::HostStatement& statement, const ast::FunctionDef* def) {
  auto* made = arena.make<FunctionData>();
  made->statement = &statement;
  made->def = def;
  made->scope = frame->scope;
  const std::string_view text = sources.text(statement.span);
  made->is_delayed = text.starts_with("async") || text.find("yield") != text.npos;
  bool is_eager = false, is_known = true;
  if (def) {
    is_known = decorate(*made, def->decorators, is_eager);
  } else {
    if (!statement.uses.empty()) apply_uses(statement.uses);
    decorate(*made, statement.decorators, is_eager);
    made->is_jit = statement.is_jit;
    is_known = text.starts_with("def");
  }
  made->defaults = defaults_of(def ? def->params : statement.params);
  add(made);
  Value value = values::Function{made};
  if (!is_known) value = decorated(*made, statement.span);
  bind(def ? def->name : statement.name, value, statement.name_span);
  if (is_eager) launch(*made, true);
}

// A function that no statement of the host is.
void Interpreter::define_generated(const ast::FunctionDef& def) {
  auto* made = arena.make<FunctionData>();
  made->def = &def;
  made->scope = frame->scope;
  bool is_eager = false;
  decorate(*made, def.decorators, is_eager);
  made->is_jit = true;
  add(made);
  bind(def.name, values::Function{made}, def.name_span);
}

// Says whether a decorator, or what a call of it returns, leaves a class as it is.
static bool keeps_class(Interpreter& run, const ast::Expr& decorator) {
  static constexpr std::array<std::string_view, 5> keeping = {"dataclasses.dataclass",
                                                              "functools.total_ordering", "enum.unique",
                                                              "typing.final", "typing.runtime_checkable"};
  const auto* call = ast::as<ast::Call>(&decorator);
  return run.sources.text(decorator.span).find("slots") == std::string_view::npos &&
         is_in(keeping, run.library_name(run.evaluate(call ? *call->callee : decorator)));
}

void Interpreter::define_class(const ast::HostStatement& statement) {
  const Span span = statement.name_span;
  if (!statement.code) return bind(statement.name, unknown(Why::NotComputed, span), span);
  std::vector<Value> decorators;
  for (const ast::Expr* each : statement.decorators) decorators.push_back(evaluate(*each));
  const auto* call = statement.head ? ast::as<ast::Call>(statement.head) : nullptr;
  const Arguments args = call ? arguments(*call) : Arguments{};
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
  const bool is_remade = makers.positional.size() > 1 || !args.is_whole || !statement.head;
  if (is_remade) unknown_call(makers, span);
  if (is_remade || numbers_otherwise(*this, made)) forget_it();
  Value result = made;
  for (std::size_t i = decorators.size(); i-- > 0;) {
    if (keeps_class(*this, *statement.decorators[i])) continue;
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
