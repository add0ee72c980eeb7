// Arrays of NumPy: views of the numbers of an object, so that what is stored through one of them is seen by all.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/ast/walk.h"
#include "compiler/ir/print.h"
#include "compiler/python/interpreter.h"
#include "compiler/support/limits.h"
#include "compiler/types/names.h"

namespace kern::python {

using values::Array;
using values::ArrayForm;
using values::as;
using Extents = std::vector<std::int64_t>;

static std::size_t words_of(Type type) { return is_complex(type) ? 2 : 1; }

static std::int64_t count_of(std::span<const std::int64_t> extents) {
  std::int64_t count = 1;
  for (std::int64_t extent : extents)
    if (__builtin_mul_overflow(count, extent, &count)) return -1;
  return count;
}

// Calls `visit` with the place of each element of a view, in C order.
template <class Visit> static void each_place(const ArrayForm& form, const Visit& visit) {
  const std::int64_t count = count_of(form.extents);
  Extents at(form.extents.size(), 0);
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t place = form.first;
    for (std::size_t axis = 0; axis < at.size(); ++axis) place += at[axis] * form.strides[axis];
    visit(static_cast<std::size_t>(place));
    for (std::size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < form.extents[axis]) break;
      at[axis] = 0;
    }
  }
}

static ir::Operand number_at(const Content& held, Type type, std::size_t place) {
  const std::size_t words = words_of(type);
  return {type, std::nullopt, held.bits[place * words], words == 2 ? held.bits[place * words + 1] : 0};
}

static const ArrayForm* form_of(Interpreter& run, Type type, const Extents& extents) {
  Extents strides(extents.size(), 1);
  for (std::size_t axis = strides.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * extents[axis];
  return run.arena.make<ArrayForm>(type, run.arena.copy(extents), run.arena.copy(strides), std::int64_t{0});
}

static Value new_array(Interpreter& run, Type type, const Extents& extents,
                       const std::vector<std::uint64_t>& bits) {
  const ObjectId object{run.next_object++};
  Content made;
  made.type = type;
  made.bits = run.arena.copy(bits);
  run.set_content(object, made);
  return Array{object, form_of(run, type, extents)};
}

// The numbers of nested lists, tuples and arrays, one behind the other.
struct Collected {
  Extents extents;
  std::vector<Value> numbers;
};

static bool collect(Interpreter& run, const Value& value, std::size_t axis, Collected& all, bool& has_leaf) {
  if (const auto* array = as<Array>(value)) {
    const Content& held = run.content(array->object);
    if (!held.is_known) return false;
    const auto inner = array->form->extents;
    if (!has_leaf) all.extents.insert(all.extents.end(), inner.begin(), inner.end());
    has_leaf = true;
    if (!std::equal(all.extents.begin() + static_cast<std::ptrdiff_t>(axis), all.extents.end(), inner.begin(),
                    inner.end()))
      return false;
    each_place(*array->form, [&](std::size_t place) {
      all.numbers.push_back(values::Number{number_at(held, array->form->type, place)});
    });
    return true;
  }
  if (values::is_number(value)) {
    has_leaf = true;
    all.numbers.push_back(value);
    return axis == all.extents.size();
  }
  const auto elements =
      as<values::Range>(value) || run.elements_of(value) ? run.iterate(value) : std::nullopt;
  if (!elements || axis >= static_cast<std::size_t>(limits::array_rank)) return false;
  const auto count = static_cast<std::int64_t>(elements->size());
  if (axis == all.extents.size() && !has_leaf) all.extents.push_back(count);
  if (axis >= all.extents.size() || all.extents[axis] != count) return false;
  return std::ranges::all_of(*elements,
                             [&](const Value& each) { return collect(run, each, axis + 1, all, has_leaf); });
}

static std::optional<Type> common_type(const std::vector<Value>& numbers) {
  std::optional<Type> type;
  for (const Value& number : numbers) {
    const Type own = values::type_of_number(number);
    type = type ? numba_unify(*type, own) : std::optional(own);
    if (!type) return std::nullopt;
  }
  return type ? type : types::f64;
}

static std::optional<Value> array_of(Interpreter& run, const Extents& extents,
                                     const std::vector<Value>& numbers, Type type) {
  std::vector<std::uint64_t> bits;
  for (const Value& number : numbers) {
    const std::optional<ir::Operand> operand = values::number_as(number, type);
    if (!operand) return std::nullopt;
    bits.push_back(operand->bits);
    if (is_complex(type)) bits.push_back(operand->imag);
  }
  return new_array(run, type, extents, bits);
}

static std::optional<Type> dtype_of(const Value& value) {
  const auto* path = as<values::Path>(value);
  const auto* string = as<values::Text>(value);
  const std::string_view name = path     ? path->name.substr(path->name.rfind('.') + 1)
                                : string ? string->text
                                         : "";
  if (name == "int") return types::i64;
  if (name == "float") return types::f64;
  if (name == "complex") return types::c128;
  if (name == "bool") return types::boolean;
  const std::optional<ScalarKind> kind = name.empty() ? std::nullopt : find_numpy_scalar(name);
  return kind ? std::optional(types::scalar(*kind)) : std::nullopt;
}

std::optional<Value> Interpreter::make_array(std::string_view name, const Arguments& args) {
  const std::vector<Value>& given = args.positional;
  const std::size_t dtype_place = name == "full" ? 2 : name == "arange" ? 3 : 1;
  std::optional<Value> dtype;
  if (given.size() > dtype_place) dtype = given[dtype_place];
  for (const values::NamedValue& each : args.keywords) {
    if (each.name != "dtype") return std::nullopt;
    dtype = each.value;
  }
  const std::optional<Type> wanted = dtype && !as<values::None>(*dtype) ? dtype_of(*dtype) : std::nullopt;
  if (given.empty() || !args.is_whole || (dtype && !as<values::None>(*dtype) && !wanted)) return std::nullopt;
  if (name == "array") {
    Collected all;
    bool has_leaf = false;
    if (values::is_number(given[0]) || !collect(*this, given[0], 0, all, has_leaf)) return std::nullopt;
    const std::optional<Type> type = wanted ? wanted : common_type(all.numbers);
    return type ? array_of(*this, all.extents, all.numbers, *type) : std::nullopt;
  }
  if (name == "arange") {
    std::array<WideInt, 3> parts{0, 0, 1};
    const std::size_t count = std::min<std::size_t>(given.size(), 3);
    for (std::size_t i = 0; i < count; ++i) {
      if (values::type_of_number(given[i]) != types::i64 || !values::integer_of(given[i]))
        return std::nullopt;
      parts[count == 1 ? 1 : i] = *values::integer_of(given[i]);
    }
    if (parts[2] == 0) return std::nullopt;
    std::vector<Value> numbers;
    for (WideInt i = parts[0]; parts[2] > 0 ? i < parts[1] : i > parts[1]; i += parts[2]) {
      if (numbers.size() > (1 << 20)) return std::nullopt;
      numbers.emplace_back(i);
    }
    return array_of(*this, {static_cast<std::int64_t>(numbers.size())}, numbers, wanted.value_or(types::i64));
  }
  const bool fills = name == "zeros" || name == "ones" || name == "empty" || name == "full";
  if (!fills || (name == "full" && given.size() < 2)) return std::nullopt;
  Extents extents;
  std::vector<Value> shape{given[0]};
  if (const auto inner = elements_of(given[0])) shape.assign(inner->begin(), inner->end());
  for (const Value& each : shape) {
    const std::optional<WideInt> extent = values::integer_of(each);
    if (!extent || *extent < 0 || *extent > (1 << 20)) return std::nullopt;
    extents.push_back(static_cast<std::int64_t>(*extent));
  }
  const std::int64_t count = count_of(extents);
  if (count < 0 || count > (1 << 20)) return std::nullopt;
  const Value number = name == "full" ? given[1] : Value(static_cast<WideInt>(name == "ones"));
  if (!values::is_number(number)) return std::nullopt;
  const Type type = wanted ? *wanted : name == "full" ? values::type_of_number(number) : types::f64;
  return array_of(*this, extents, std::vector<Value>(static_cast<std::size_t>(count), number), type);
}

std::optional<Value> Interpreter::array_binary(ast::BinaryOp op, const Value& left, const Value& right) {
  Collected a, b;
  bool a_leaf = false, b_leaf = false;
  if (!collect(*this, left, 0, a, a_leaf) || !collect(*this, right, 0, b, b_leaf)) return std::nullopt;
  const bool fits = a.extents == b.extents || a.extents.empty() || b.extents.empty();
  if (!fits || op == ast::BinaryOp::Power) return std::nullopt;
  const Collected& shape = a.extents.empty() ? b : a;
  std::vector<Value> numbers;
  for (std::size_t i = 0; i < shape.numbers.size(); ++i) {
    const auto result =
        values::binary(op, a.numbers[a.extents.empty() ? 0 : i], b.numbers[b.extents.empty() ? 0 : i]);
    if (!result) return std::nullopt;
    numbers.push_back(*result);
  }
  if (numbers.empty()) return std::nullopt;
  return array_of(*this, shape.extents, numbers, values::type_of_number(numbers[0]));
}

// Returns the part of an array that a subscript means: a view.
std::optional<Value> Interpreter::array_part(const Array& array, const ast::Subscript& expr) {
  const ArrayForm& form = *array.form;
  if (expr.indices.size() > form.extents.size()) return std::nullopt;
  Extents extents, strides;
  std::int64_t first = form.first;
  for (std::size_t axis = 0; axis < form.extents.size(); ++axis) {
    const std::int64_t count = form.extents[axis];
    const ast::Expr* index = axis < expr.indices.size() ? expr.indices[axis] : nullptr;
    const auto* slice = ast::as<ast::Slice>(index);
    if (!index || slice) {
      auto bound = [&](const ast::Expr* part, WideInt otherwise) -> std::optional<WideInt> {
        return part ? values::integer_of(evaluate(*part)) : std::optional(otherwise);
      };
      const auto step = bound(slice ? slice->step : nullptr, 1);
      if (!step || *step == 0) return std::nullopt;
      const bool up = *step > 0;
      const auto start = bound(slice ? slice->start : nullptr, up ? 0 : count - 1);
      const auto stop = bound(slice ? slice->stop : nullptr, up ? count : -count - 1);
      if (!start || !stop) return std::nullopt;
      auto clamp = [&](WideInt at) {
        return std::clamp<WideInt>(at < 0 ? at + count : at, up ? 0 : -1, up ? count : count - 1);
      };
      const WideInt from = clamp(*start), to = clamp(*stop);
      const WideInt distance = up ? to - from : from - to, width = up ? *step : -*step;
      extents.push_back(static_cast<std::int64_t>(distance > 0 ? (distance + width - 1) / width : 0));
      strides.push_back(form.strides[axis] * static_cast<std::int64_t>(*step));
      if (extents.back() > 0) first += static_cast<std::int64_t>(from) * form.strides[axis];
      continue;
    }
    const std::optional<WideInt> place = values::integer_of(evaluate(*index));
    if (!place || *place < -count || *place >= count) return std::nullopt;
    first += static_cast<std::int64_t>(*place < 0 ? *place + count : *place) * form.strides[axis];
  }
  return Array{array.object,
               arena.make<ArrayForm>(form.type, arena.copy(extents), arena.copy(strides), first)};
}

Value Interpreter::element_or_view(const Value& part) {
  const auto& array = *as<Array>(part);
  if (!array.form->extents.empty()) return part;
  const Content& held = content(array.object);
  if (!held.is_known) return unknown(Why::Changed, held.where);
  return values::Number{number_at(held, array.form->type, static_cast<std::size_t>(array.form->first))};
}

// Stores numbers into a view; false where they do not fit, or are not known.
bool Interpreter::store_numbers(const Array& part, const Value& value) {
  Collected given;
  bool has_leaf = false;
  const Content held = content(part.object);
  if (!held.is_known || !collect(*this, value, 0, given, has_leaf)) return false;
  const auto extents = part.form->extents;
  const bool fits = given.extents.size() <= extents.size() &&
                    std::equal(given.extents.rbegin(), given.extents.rend(), extents.rbegin());
  if (!fits || given.numbers.empty()) return false;
  std::vector<std::uint64_t> bits(held.bits.begin(), held.bits.end());
  std::size_t next = 0;
  bool is_good = true;
  each_place(*part.form, [&](std::size_t place) {
    const auto number = values::number_as(given.numbers[next++ % given.numbers.size()], part.form->type);
    is_good = is_good && number;
    if (!number) return;
    const std::size_t words = words_of(part.form->type);
    bits[place * words] = number->bits;
    if (words == 2) bits[place * words + 1] = number->imag;
  });
  if (!is_good) return false;
  Content changed = held;
  changed.bits = arena.copy(bits);
  set_content(part.object, changed);
  return true;
}

std::optional<Value> Interpreter::array_attribute(const Array& array, std::string_view name) {
  const ArrayForm& form = *array.form;
  std::vector<Value> shape;
  for (std::int64_t extent : form.extents) shape.emplace_back(static_cast<WideInt>(extent));
  if (name == "shape") return tuple(shape);
  if (name == "size") return Value(static_cast<WideInt>(count_of(form.extents)));
  if (name == "ndim") return Value(static_cast<WideInt>(form.extents.size()));
  if (name != "T") return std::nullopt;
  const Extents extents(form.extents.rbegin(), form.extents.rend()),
      strides(form.strides.rbegin(), form.strides.rend());
  return Array{array.object,
               arena.make<ArrayForm>(form.type, arena.copy(extents), arena.copy(strides), form.first)};
}

std::optional<Value> Interpreter::array_method(const Array& array, std::string_view name,
                                               const Arguments& args, Span span) {
  constexpr std::array<std::string_view, 20> reading = {
      "sum",    "prod",   "mean",   "std",     "var",  "min",    "max",   "any",     "all",  "dot",
      "argmax", "argmin", "tolist", "tobytes", "item", "cumsum", "round", "nonzero", "conj", "argsort"};
  if (std::ranges::find(reading, name) != reading.end() && args.keywords.empty())
    return unknown(Why::NotComputed, span);
  Collected all;
  bool has_leaf = false;
  const bool is_known = collect(*this, array, 0, all, has_leaf);
  if (is_known && (name == "copy" || name == "flatten") && args.positional.empty())
    return array_of(*this,
                    name == "copy" ? all.extents : Extents{static_cast<std::int64_t>(all.numbers.size())},
                    all.numbers, array.form->type);
  if (is_known && name == "astype" && args.positional.size() == 1) {
    const std::optional<Type> type = dtype_of(args.positional[0]);
    return type ? array_of(*this, all.extents, all.numbers, *type) : std::nullopt;
  }
  if (name == "reshape" || name == "ravel") {
    std::vector<Value> shape = args.positional;
    if (shape.size() == 1)
      if (const auto inner = elements_of(shape[0])) shape.assign(inner->begin(), inner->end());
    Extents extents;
    std::int64_t known = 1;
    for (const Value& each : shape) {
      const std::optional<WideInt> extent = values::integer_of(each);
      if (!extent || *extent < -1 || *extent > (1 << 20)) return std::nullopt;
      extents.push_back(static_cast<std::int64_t>(*extent));
      if (*extent >= 0) known *= extents.back();
    }
    const std::int64_t count = count_of(array.form->extents);
    if (name == "ravel") extents = {count};
    for (std::int64_t& extent : extents)
      if (extent < 0 && known > 0) extent = count / known;
    const ArrayForm* plain =
        form_of(*this, array.form->type, {array.form->extents.begin(), array.form->extents.end()});
    const bool is_contiguous = std::ranges::equal(plain->strides, array.form->strides);
    if (count_of(extents) != count || !is_contiguous) return std::nullopt;
    auto* form = arena.make<ArrayForm>(*form_of(*this, array.form->type, extents));
    form->first = array.form->first;
    return Array{array.object, form};
  }
  return std::nullopt;
}

std::optional<values::Numbers> Interpreter::numbers_of(const Array& array) const {
  const Content& held = content(array.object);
  if (!held.is_known) return std::nullopt;
  values::Numbers numbers{array.form->type, {array.form->extents.begin(), array.form->extents.end()}};
  each_place(*array.form, [&](std::size_t place) { numbers.add(number_at(held, array.form->type, place)); });
  return numbers;
}

std::string Interpreter::print_array(const Array& array) const {
  const Content& held = content(array.object);
  if (!held.is_known) return "unknown (changed)";
  std::string text;
  each_place(*array.form, [&](std::size_t place) {
    if (text.size() < 400) text += " " + ir::print(number_at(held, array.form->type, place), {});
  });
  return fmt::format("array {} [{}]{}", to_string(array.form->type), fmt::join(array.form->extents, ", "),
                     text);
}

} // namespace kern::python
