// Calls of what Python and the modules that Kern knows have: computed, or said what they may keep and change.
#include <algorithm>
#include <array>
#include <ranges>

#include "compiler/ast/host_modules.h"
#include "compiler/python/interpreter.h"
#include "compiler/values/arithmetic.h"

namespace kern::python {

using values::as;

// Functions of Python that keep and change nothing that they are given.
static constexpr std::array<std::string_view, 33> reading = {
    "len",      "sum",    "min",        "max",        "range", "any",   "all",  "print",   "str",
    "repr",     "id",     "isinstance", "issubclass", "int",   "float", "bool", "complex", "abs",
    "round",    "ord",    "chr",        "hash",       "type",  "hex",   "bin",  "oct",     "format",
    "callable", "divmod", "pow",        "hasattr",    "open",  "input"};
// Those whose result holds the elements of what they are given.
static constexpr std::array<std::string_view, 10> regrouping = {
    "tuple", "list", "sorted", "set", "enumerate", "zip", "iter", "next", "dict", "reversed"};
// What binds names by their texts, or hands out all of them.
std::optional<Value> Interpreter::call_on_names(std::string_view path, const Arguments& args, Span span) {
  const std::vector<Value>& positional = args.positional;
  if (path == "exec" || path == "globals" || path == "vars" || path == "locals" || path == "eval") {
    if (path != "vars" || positional.empty()) bind_all_unknown(file_scopes[frame->scope->file]->space, span);
    return unknown(Why::NotComputed, span);
  }
  if ((path == "setattr" && positional.size() == 3) || (path == "delattr" && positional.size() == 2)) {
    const auto* name = as<values::Text>(positional[1]);
    const auto* of = as<values::Class>(positional[0]);
    const auto* file = as<values::File>(positional[0]);
    const Value value = path == "setattr" ? positional[2] : unknown(Why::Bound, span);
    if (name || !(of || file))
      store_attribute(positional[0], name ? name->text : "?", value, span);
    else
      bind_all_unknown(of ? space_of(*of) : file_scopes[file->index]->space, span);
    return values::None{};
  }
  return std::nullopt;
}

static std::optional<Value> range_of(const std::vector<Value>& positional) {
  std::array<WideInt, 3> parts{0, 0, 1};
  for (std::size_t i = 0; i < positional.size(); ++i) {
    const auto part = values::integer_of(positional[i]);
    if (!part || *part < -(WideInt(1) << 62) || *part > WideInt(1) << 62) return std::nullopt;
    parts[positional.size() == 1 ? 1 : i] = *part;
  }
  if (parts[2] == 0) return std::nullopt;
  return values::Range{static_cast<std::int64_t>(parts[0]), static_cast<std::int64_t>(parts[1]),
                       static_cast<std::int64_t>(parts[2])};
}

// What goes over the elements of one thing.
static std::optional<Value> call_of_elements(Interpreter& run, std::string_view path,
                                             const Interpreter::Arguments& args, Span span) {
  const std::vector<Value>& positional = args.positional;
  if (path == "len" && positional.size() == 1) {
    const auto* array = as<values::Array>(positional[0]);
    if (array && run.has_form(*array) && !array->form->extents.empty())
      return static_cast<WideInt>(array->form->extents[0]);
    if (const auto* string = as<values::Text>(positional[0]))
      return static_cast<WideInt>(string->text.size());
    const auto elements = run.iterate(positional[0]);
    return elements ? Value(static_cast<WideInt>(elements->size())) : run.unknown(Why::NotComputed, span);
  }
  if ((path == "list" || path == "tuple") && positional.size() <= 1) {
    const auto elements = positional.empty() ? std::vector<Value>{} : run.iterate(positional[0]);
    if (elements) return path == "list" ? run.new_list(*elements) : run.tuple(*elements);
    return run.unknown_call(args, span);
  }
  const bool spreads = positional.size() == 1 && (path == "min" || path == "max" || path == "sum");
  if (spreads)
    if (const auto elements = run.iterate(positional[0]); elements && !elements->empty()) {
      if (path != "sum") {
        // One of the elements is the result, which may be changed through it.
        const auto found = values::call(path, *elements);
        return found ? *found : run.unknown_call(args, span);
      }
      Value sum = WideInt(0);
      for (const Value& each : *elements) sum = run.binary(ast::BinaryOp::Add, sum, each, span);
      return sum;
    }
  if ((path == "any" || path == "all") && positional.size() == 1) {
    const auto elements = run.iterate(positional[0]);
    if (!elements) return std::nullopt;
    for (const Value& each : *elements) {
      const std::optional<bool> truth = run.truth(each);
      if (!truth) return run.unknown(Why::NotComputed, span);
      if (*truth == (path == "any")) return *truth;
    }
    return path == "all";
  }
  return std::nullopt;
}

// What Python itself has and python/ computes.
std::optional<Value> Interpreter::call_python(std::string_view path, const Arguments& args, Span span) {
  const std::vector<Value>& positional = args.positional;
  if (std::optional<Value> result = call_of_elements(*this, path, args, span)) return result;
  if (summary && path == "type" && positional.size() == 1 && as<values::Class>(positional[0]))
    return positional[0];
  if (path == "range" && !positional.empty() && positional.size() <= 3)
    return range_of(positional).value_or(unknown(Why::NotComputed, span));
  if (path == "dict" && positional.empty() && args.is_whole) {
    std::vector<Value> pairs;
    for (const values::NamedValue& each : args.keywords)
      pairs.insert(pairs.end(), {values::Text{each.name}, each.value});
    return new_dict(pairs);
  }
  if (path == "divmod" && positional.size() == 2 && values::is_number(positional[0]))
    return tuple({binary(ast::BinaryOp::FloorDivide, positional[0], positional[1], span),
                  binary(ast::BinaryOp::Modulo, positional[0], positional[1], span)});
  const auto* number = positional.size() == 1 ? as<values::Text>(positional[0]) : nullptr;
  if (path == "float" && number) {
    const std::string_view text = number->text;
    const bool is_negative = text.starts_with('-');
    const std::string_view size = text.substr(is_negative || text.starts_with('+'));
    if (size == "inf" || size == "infinity") return is_negative ? -__builtin_inf() : __builtin_inf();
    if (size == "nan") return __builtin_nan("");
  }
  if (path == "str" && positional.size() == 1) {
    if (as<values::Text>(positional[0])) return positional[0];
    if (as<WideInt>(positional[0])) return text(values::print(positional[0]));
  }
  if (path == "print") return values::None{};
  return std::nullopt;
}

Value Interpreter::call_numpy(std::string_view path, const Arguments& args, Span span) {
  const std::string_view name = path.substr(path.rfind('.') + 1);
  const bool is_direct = path.find('.') == path.rfind('.');
  if (is_direct && (name == "dtype" || name == "iinfo" || name == "finfo"))
    return make_term(values::Path{path}, args);
  if (is_direct)
    if (const auto result = numpy_function(name, args, span)) return *result;
  const std::size_t count = args.positional.size();
  const bool has_place = count == 2
                             ? values::ufunc(name, 1) || values::real_function(name, true, std::array{0.5})
                             : count == 3 && (values::ufunc(name, 2) || name == "dot" || name == "matmul");
  const bool has_output =
      has_place || std::ranges::any_of(args.keywords, [](const auto& each) { return each.name == "out"; });
  const bool may_change = ast::changes_arrays(name) || has_output || path.starts_with("numpy.random");
  const bool is_view = ast::views_arrays(name) && !may_change;
  const auto* viewed = args.positional.empty() ? nullptr : as<values::Array>(args.positional[0]);
  const auto holds = [](const Value& value) {
    return as<values::Array>(value) || as<values::List>(value) || as<values::Tuple>(value);
  };
  const bool is_alone = std::ranges::none_of(args.positional | std::views::drop(1), holds) &&
                        std::ranges::none_of(args.keywords, holds, &values::NamedValue::value);
  if (is_view && viewed && is_alone) return opaque_view(*viewed);
  if (may_change || is_view) return unknown_call(args, span);
  return unknown(Why::NotComputed, span);
}

// Says whether a call makes an array of records: by a type that describes fields.
static bool makes_records(std::string_view path, const Interpreter::Arguments& args) {
  static constexpr std::array<std::string_view, 5> makers = {"numpy.array", "numpy.zeros", "numpy.ones",
                                                             "numpy.empty", "numpy.full"};
  if (!is_in(makers, path)) return false;
  const std::size_t place = path == "numpy.full" ? 2 : 1;
  const Value* type = args.positional.size() > place ? &args.positional[place] : nullptr;
  for (const values::NamedValue& each : args.keywords)
    if (each.name == "dtype") type = &each.value;
  if (!type) return false;
  const auto* text = as<values::Text>(*type);
  const auto* term = as<values::Term>(*type);
  // np.dtype(description), np.dtype(dtype=description)
  const Value* dtype = term && !term->data->args.empty() ? term->data->args.data() : nullptr;
  for (const values::NamedValue& each : term ? term->data->keywords : std::span<const values::NamedValue>{})
    if (each.name == "dtype") dtype = &each.value;
  const bool is_scalar = dtype && (as<values::Path>(*dtype) || as<values::Text>(*dtype));
  return as<values::List>(*type) || as<values::Dict>(*type) || (dtype && !is_scalar) ||
         (text && text->text.find(',') != text->text.npos);
}

Value Interpreter::call_path(std::string_view path, const Arguments& args, Span span) {
  const std::string_view module = path.substr(0, path.find('.'));
  if (const auto result = call_on_names(path, args, span)) return *result;
  if (!args.keywords.empty() && module == path && path != "print" && path != "dict")
    return unknown_call(args, span);
  const auto computed = call_python(path, args, span);
  if (computed && !values::is_unknown(*computed)) return *computed;
  if (args.keywords.empty() && args.is_whole)
    if (const auto answer = asked(path, args.positional)) return *answer;
  if (computed) return *computed;
  if (args.keywords.empty())
    if (const auto result = values::call(path, args.positional)) return *result;
  if (module == path && is_in(regrouping, path)) {
    // The result holds the elements, not what holds them.
    Arguments inner;
    for (const Value& each : args.positional) {
      // Of a dict the values too.
      const auto* dict = as<values::Dict>(each);
      const bool is_held = dict && content(dict->object).is_known;
      const std::span<const Value> held = is_held ? content(dict->object).elements : std::span<const Value>{};
      inner.positional.insert(inner.positional.end(), held.begin(), held.end());
      const auto elements = iterate(each);
      if (!elements) return unknown_call(args, span);
      inner.positional.insert(inner.positional.end(), elements->begin(), elements->end());
    }
    return unknown_call(inner, span);
  }
  if (module == path && reads_given) return make_term(values::Path{path}, args);
  if (module == path)
    return is_in(reading, path) && path != "min" && path != "max" ? unknown(Why::NotComputed, span)
                                                                  : unknown_call(args, span);
  if (makes_records(path, args)) return make_term(values::Path{path}, args, true);
  if (module == "numpy") return call_numpy(path, args, span);
  if (module == "numba" || module == "collections" || module == "kern")
    return make_term(values::Path{path}, args);
  if (module == "math" || module == "cmath" || module == "operator") return unknown(Why::NotComputed, span);
  return unknown_call(args, span);
}

} // namespace kern::python
