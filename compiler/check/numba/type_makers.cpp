// The types of `numba.types` that are made by a call: `Array(float32, 1, 'C')`, `UniTuple(float64, 2)`.
#include <algorithm>
#include <array>

#include "compiler/check/core/args.h"
#include "compiler/check/core/checker.h"
#include "compiler/check/numba/type_makers.h"
#include "compiler/diagnostics/names.h"
#include "compiler/diagnostics/types.h"
#include "compiler/support/limits.h"

namespace kern::checker {

namespace {

using Make = std::optional<Type> (*)(Checker&, const Args&);

// Returns an argument by its place or its name.
const Value* argument(const Args& args, std::size_t place, std::string_view name) {
  if (place < args.positional.size()) return &args.positional[place];
  for (const auto& [keyword, value] : args.keywords)
    if (keyword == name) return &value;
  return nullptr;
}

std::optional<std::int64_t> count(const Value* value, std::int64_t least, std::int64_t most) {
  std::optional<WideInt> number = value ? constant_integer(*value) : std::nullopt;
  if (!number || *number < least || *number > most) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<Type> type_argument(Checker& checker, const Args& args) {
  const Value* dtype = argument(args, 0, "dtype");
  return dtype ? type_of_value(checker, *dtype) : std::nullopt;
}

// Array(dtype, ndim, layout)
std::optional<Type> make_array_type(Checker& checker, const Args& args) {
  std::optional<Type> element = type_argument(checker, args);
  const bool of_records = element && is_record(*element);
  std::optional<std::int64_t> rank =
      count(argument(args, 1, "ndim"), of_records, limits::array_rank - of_records);
  const Value* layout = argument(args, 2, "layout");
  bool is_layout = layout && layout->kind == ValueKind::String &&
                   (layout->text == "C" || layout->text == "F" || layout->text == "A");
  if (!element || (!is_scalar(*element) && !of_records) || !rank || !is_layout) return std::nullopt;
  TypeTable& types = checker.context.module.types;
  if (of_records) return types.record_array(*element, static_cast<int>(*rank));
  if (*rank == 0) return types.point((*element)->scalar);
  return types.array((*element)->scalar, static_cast<int>(*rank), AddressSpace::Global,
                     layout->text == "C" ? Layout::COrder : Layout::Any);
}

// UniTuple(dtype, count)
std::optional<Type> make_uniform_tuple(Checker& checker, const Args& args) {
  std::optional<Type> type = type_argument(checker, args);
  std::optional<std::int64_t> size = count(argument(args, 1, "count"), 0, limits::tuple_elements);
  if (!type || *type == types::none || !size) return std::nullopt;
  std::vector<Type> elements(static_cast<std::size_t>(*size), *type);
  return checker.context.module.types.tuple(elements);
}

// Tuple((T, U)), Tuple([T, U])
std::optional<Type> make_tuple(Checker& checker, const Args& args) {
  const Value* elements = argument(args, 0, "types");
  if (!elements || !is_tuple(*elements)) return std::nullopt;
  return type_of_value(checker, *elements);
}

// A pointer of Numba says nothing of its extent; an array brings it, so that indices can be checked.
std::optional<Type> make_pointer(Checker& checker, const Args& args) {
  std::optional<Type> element = type_argument(checker, args);
  if (!element || !is_scalar(*element)) return std::nullopt;
  return checker.context.module.types.array((*element)->scalar, 1, AddressSpace::Global, Layout::COrder);
}

struct Maker {
  std::string_view name;
  Make make; // null of a type that Kern does not have
  std::string_view form;
};

constexpr std::array<Maker, 8> makers = {{
    {"Array", make_array_type,
     "`Array(float32, 2, 'C')`: the type of the elements, up to 8 axes, 'C', 'F' or 'A'"},
    {"UniTuple", make_uniform_tuple,
     "`UniTuple(float64, 2)`: the type of the elements and how many there are"},
    {"Tuple", make_tuple, "`Tuple((float64, int64))`: the types of the elements"},
    {"CPointer", make_pointer, "`CPointer(float64)`: the type of the elements"},
    {"Optional", nullptr,
     "the type alone, or `none`: what a kernel is given has one of them each time, and an instance of its "
     "own"},
    {"optional", nullptr,
     "the type alone, or `none`: what a kernel is given has one of them each time, and an instance of its "
     "own"},
    {"Omitted", nullptr, "the type of the parameter's default"},
    {"Record", nullptr, "an array for each field"},
}};

// Any other name stands for many types, so there is none to make.
constexpr Maker class_of_types = {"", nullptr, "one of its types"};

const Maker& maker_named(std::string_view name) {
  const auto* found = std::ranges::find(makers, name, &Maker::name);
  return found == makers.end() ? class_of_types : *found;
}

} // namespace

std::optional<Type> type_of_value(Checker& checker, const Value& value) {
  if (value.kind == ValueKind::Type) return value.type;
  if (value.kind == ValueKind::None) return types::none;
  if (!is_tuple(value)) return std::nullopt;
  std::vector<Type> elements;
  for (const Value& element : value.elements) {
    std::optional<Type> type = type_of_value(checker, element);
    if (!type || *type == types::none) return std::nullopt;
    elements.push_back(*type);
  }
  // A namedtuple that is called with types keeps its names.
  return checker.context.module.types.named(elements, is_tuple(value.type) ? value.type->record : nullptr);
}

std::optional<Value> type_maker(std::string_view name, Span span) {
  if (name == "none" || name == "void" || name == "NoneType") return plain_value(ValueKind::None, span);
  const auto* found = std::ranges::find(makers, name, &Maker::name);
  if (found == makers.end()) return std::nullopt;
  Value value = plain_value(ValueKind::TypeMaker, span);
  value.text = found->name;
  return value;
}

Value call_type_maker(Checker& checker, const Value& maker, const Args& args, Span span) {
  const Maker& how = maker_named(maker.text);
  if (!how.make) {
    checker.report(span, diag::signature_word, maker.text, how.form);
    return error_value(span);
  }
  if (std::optional<Type> type = how.make(checker, args)) return type_value(*type, span);
  checker.report(span, diag::type_maker_arguments, checker.context.source(span), how.form);
  return error_value(span);
}

} // namespace kern::checker
