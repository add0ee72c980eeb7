// Arrays of NumPy: views of the numbers of an object, so that what is stored through one of them is seen by all.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/ast/walk.h"
#include "compiler/ir/print.h"
#include "compiler/python/interpreter.h"
#include "compiler/support/limits.h"
#include "compiler/values/fold.h"

namespace kern::python {

using values::Array;
using values::ArrayForm;
using values::as;
using values::Extents;
using values::Numbers;
using Words = std::vector<std::uint64_t>;

const Words& Buffer::at(std::size_t version) {
  if (version == changes.size()) return words;
  const auto [found, is_new] = older.try_emplace(version);
  if (is_new) found->second = words;
  for (std::size_t i = changes.size(); is_new && i-- > version;)
    found->second[changes[i].place] = changes[i].before;
  return found->second;
}

bool is_fortran(const ArrayForm& form) {
  for (std::size_t axis = 0, before = form.extents.size(); axis < form.extents.size(); ++axis) {
    if (form.extents[axis] < 2) continue;
    if (before < axis && std::abs(form.strides[before]) < std::abs(form.strides[axis])) return true;
    before = axis;
  }
  return false;
}

// Nobody may read these numbers, so a run makes no more than take no time.
bool Interpreter::may_make(std::size_t numbers) {
  numbers_made += std::min(numbers, limits.numbers);
  return numbers_made <= limits.numbers;
}

bool Interpreter::may_compute(std::span<const values::Element> operands) {
  constexpr std::size_t cost = 8; // of a number that is computed, beside one that is made
  const std::optional<std::int64_t> count = values::count_of(values::broadcast(operands));
  return count && may_make(cost * static_cast<std::size_t>(*count));
}

Value Interpreter::new_array(const Numbers& numbers, bool is_fortran) {
  const ObjectId object{next_object++};
  Content made;
  buffers.push_back({is_fortran ? values::transposed(numbers).bits : numbers.bits});
  made.buffer = &buffers.back();
  set_content(object, made);
  const auto step = static_cast<std::int64_t>(values::words_of(numbers.type));
  const Extents& extents = numbers.extents;
  const Extents strides = values::strides_of(extents, step, is_fortran);
  return Array{object, arena.make<ArrayForm>(numbers.type, arena.copy(extents), arena.copy(strides))};
}

Value Interpreter::number_or_array(const Numbers& numbers, bool is_fortran) {
  return numbers.extents.empty() ? Value(values::Number{numbers.at(0)}) : new_array(numbers, is_fortran);
}

// ---- Values as numbers ----

// Calls `visit` with the place of each number of a view, in C order.
template <class Visit> static void each_place(const ArrayForm& form, const Visit& visit) {
  values::Walk walk{form.extents, {form.strides.begin(), form.strides.end()}, form.first};
  for (auto rest = values::count_of(form.extents).value_or(0); rest > 0; --rest, walk.next())
    visit(static_cast<std::size_t>(walk.place));
}

static void add_number(Numbers& numbers, const Words& words, std::size_t place) {
  // A view may take integers of another type.
  const bool is_whole = is_integer(numbers.type);
  numbers.bits.push_back(is_whole ? values::wrapped(numbers.type, words[place]).bits : words[place]);
  if (is_complex(numbers.type)) numbers.bits.push_back(words[place + 1]);
}

std::optional<Numbers> Interpreter::numbers_of(const Array& array) const {
  const Content& held = content(array.object);
  if (!held.buffer || is_opaque(*array.form)) return std::nullopt;
  const Words& words = held.buffer->at(held.version);
  Numbers numbers{array.form->type, {array.form->extents.begin(), array.form->extents.end()}};
  each_place(*array.form, [&](std::size_t place) { add_number(numbers, words, place); });
  return numbers;
}

static std::optional<Numbers> numbers_of_range(const values::Range& range) {
  const WideInt step = range.step, distance = WideInt(range.stop) - range.start;
  const WideInt count = std::max<WideInt>((distance + step - (step > 0 ? 1 : -1)) / step, 0);
  Numbers numbers{types::i64, {static_cast<std::int64_t>(count)}};
  if (!values::count_of(numbers.extents)) return std::nullopt;
  for (WideInt i = 0; i < count; ++i) numbers.add(values::constant_of(types::i64, range.start + i * step));
  return numbers;
}

// The numbers of nested lists, tuples and arrays, one behind the other.
struct Collected {
  Interpreter& run;
  Extents extents{};
  std::vector<Value> numbers{};
  bool has_leaf = false; // `extents` are whole

  bool add(const Value& value, std::size_t axis) {
    if (values::is_number(value)) {
      has_leaf = true;
      numbers.push_back(value);
      return axis == extents.size();
    }
    const auto* range = as<values::Range>(value);
    const auto* array = as<Array>(value);
    if (range || array) return add_all(range ? numbers_of_range(*range) : run.numbers_of(*array), axis);
    const auto elements = run.elements_of(value);
    if (!elements || axis >= static_cast<std::size_t>(limits::array_rank)) return false;
    const auto count = static_cast<std::int64_t>(elements->size());
    if (axis == extents.size() && !has_leaf) extents.push_back(count);
    if (axis >= extents.size() || extents[axis] != count) return false;
    const std::vector<Value> all(elements->begin(), elements->end());
    return std::ranges::all_of(all, [&](const Value& each) { return add(each, axis + 1); });
  }

  bool add_all(const std::optional<Numbers>& inner, std::size_t axis) {
    if (!inner) return false;
    if (!has_leaf) extents.insert(extents.end(), inner->extents.begin(), inner->extents.end());
    has_leaf = true;
    const auto own = extents.begin() + static_cast<std::ptrdiff_t>(std::min(axis, extents.size()));
    if (!std::equal(own, extents.end(), inner->extents.begin(), inner->extents.end())) return false;
    for (std::size_t i = 0; i < inner->size(); ++i) numbers.emplace_back(values::Number{inner->at(i)});
    return true;
  }
};

std::optional<Numbers> Interpreter::numbers_from(const Value& value, std::optional<Type> wanted) {
  const auto* range = as<values::Range>(value);
  const auto* array = as<Array>(value);
  if (range || array) {
    const std::optional<Numbers> numbers = range ? numbers_of_range(*range) : numbers_of(*array);
    if (!numbers || !may_make(numbers->size())) return std::nullopt;
    return wanted ? values::converted(*numbers, *wanted) : numbers;
  }
  Collected all{*this};
  if (!all.add(value, 0) || !values::count_of(all.extents) || !may_make(all.numbers.size()))
    return std::nullopt;
  std::optional<Type> type = wanted;
  for (const Value& number : all.numbers) {
    const Type own = values::type_of_number(number);
    if (!wanted) type = type ? values::promoted(*type, own) : std::optional(own);
    if (!type) return std::nullopt;
  }
  Numbers result{type.value_or(types::f64), all.extents};
  for (const Value& number : all.numbers) {
    const std::optional<ir::Operand> operand = values::number_as(number, result.type);
    if (!operand) return std::nullopt;
    result.add(*operand);
  }
  return result;
}

std::optional<values::Element> Interpreter::operand_of(const Value& value) {
  if (values::is_number(value)) return value;
  std::optional<Numbers> numbers = numbers_from(value);
  return numbers ? std::optional<values::Element>(std::move(*numbers)) : std::nullopt;
}

// NumPy lays a result out as its operands are, where they agree.
static bool is_fortran(std::span<const Value> operands) {
  bool is_any = false;
  for (const Value& operand : operands) {
    const auto* array = as<Array>(operand);
    if (array && array->form->extents.size() < 2) continue;
    if (!array && values::is_number(operand)) continue;
    if (!array || !is_fortran(*array->form)) return false;
    is_any = true;
  }
  return is_any;
}

std::optional<Value> Interpreter::each_of(std::span<const Value> operands,
                                          const values::OfNumbers& function) {
  std::vector<values::Element> elements;
  for (const Value& operand : operands) {
    std::optional<values::Element> element = operand_of(operand);
    if (!element) return std::nullopt;
    elements.push_back(std::move(*element));
  }
  if (!may_compute(elements)) return std::nullopt;
  const std::optional<Numbers> result = values::each_of(elements, function);
  if (!result) return std::nullopt;
  return number_or_array(*result, python::is_fortran(operands));
}

std::optional<Value> Interpreter::array_binary(ast::BinaryOp op, const Value& left, const Value& right) {
  const std::optional<values::Element> a = operand_of(left), b = operand_of(right);
  if (!a || !b || !may_compute(std::array{*a, *b})) return std::nullopt;
  const std::optional<Numbers> result = values::array_binary(op, *a, *b);
  if (!result) return std::nullopt;
  return number_or_array(*result, python::is_fortran(std::array{left, right}));
}

Value Interpreter::element_or_view(const Value& part) {
  const auto& array = *as<Array>(part);
  if (!array.form->extents.empty() || is_opaque(*array.form)) return part;
  const std::optional<Numbers> number = numbers_of(array);
  return number ? values::Number{number->at(0)} : unknown(Why::Changed, content(array.object).where);
}

// Stores numbers into a view; false where they do not fit, or are not known.
bool Interpreter::store_numbers(const Array& part, const Value& value) {
  Content held = content(part.object);
  const ArrayForm& form = *part.form;
  const Value only = values::is_number(value) ? tuple({value}) : value;
  const std::optional<Numbers> given =
      held.buffer && !is_opaque(form) ? numbers_from(only, form.type) : std::nullopt;
  if (!given) return false;
  // Like an operand of an operator whose result has the form of the view.
  const auto count = values::count_of(form.extents).value_or(0);
  Extents own = given->extents;
  while (own.size() > form.extents.size() && own.front() == 1) own.erase(own.begin());
  const Numbers target{
      types::boolean, {form.extents.begin(), form.extents.end()}, Words(static_cast<std::size_t>(count), 0)};
  const auto numbers =
      values::each_of(std::array<values::Element, 2>{target, Numbers{form.type, own, given->bits}},
                      [](std::span<const Value> x) { return std::optional(x[1]); });
  if (!numbers || numbers->extents != target.extents) return false;
  const std::size_t words = values::words_of(form.type);
  Buffer* buffer = held.buffer;
  const bool is_newest = held.version == buffer->changes.size();
  if (!is_newest || numbers->bits.size() > buffer->words.size() / 4 + 4) {
    if (!may_make(buffer->words.size())) return false;
    buffer = &buffers.emplace_back(Buffer{buffer->at(held.version)});
  }
  const bool notes = buffer == held.buffer;
  std::size_t next = 0;
  each_place(form, [&](std::size_t place) {
    for (std::size_t word = 0; word < words; ++word) {
      std::uint64_t& target_word = buffer->words[place + word];
      if (notes) buffer->changes.push_back({place + word, target_word});
      target_word = numbers->bits[next++];
    }
  });
  held.buffer = buffer;
  held.version = buffer->changes.size();
  set_content(part.object, held);
  return true;
}

std::string Interpreter::print_array(const Array& array) const {
  const std::optional<Numbers> numbers = numbers_of(array);
  if (!numbers) return is_opaque(*array.form) ? "unknown (not computed)" : "unknown (changed)";
  if (numbers->extents.empty()) return values::print(values::Number{numbers->at(0)});
  std::string text;
  for (std::size_t i = 0; i < numbers->size() && text.size() < 400; ++i)
    text += " " + ir::print(numbers->at(i), {});
  return fmt::format("array {} [{}]{}", to_string(array.form->type), fmt::join(array.form->extents, ", "),
                     text);
}

} // namespace kern::python
