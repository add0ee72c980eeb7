// Numba's rules: shapes broadcast as NumPy's do; of several signatures the one counts that has the types of
// the inputs. Where none has them Kern takes the first to which every input converts safely. A kernel of
// `@guvectorize` has one axis for all of its calls, so what stands in front of the axes that the layout names
// becomes one.
#include "compiler/driver/run/generated.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/check/generated_types.h"
#include "compiler/diagnostics/driver.h"
#include "compiler/driver/run/fill.h"
#include "compiler/types/names.h"
#include "compiler/types/signatures.h"

namespace kern {

using Kind = ast::Generated::Kind;
using Extents64 = std::vector<std::int64_t>;
using Types = std::vector<GeneratedParam>;

static bool holds(const Number& number, ScalarKind kind) {
  std::uint64_t words[2];
  return (is_float(types::scalar(kind)) || number.kind != Number::Kind::Real) &&
         store_number(kind, words, number);
}

static bool is_untyped_list(const Argument& argument) {
  return argument.text.starts_with('[') && !argument.is_earlier();
}

// Numbers without a type take the types that can hold them, those of a list as well.
static bool converts(const Argument& argument, ScalarKind to) {
  if (const HostArray* array = argument.array()) {
    if (!is_untyped_list(argument)) return converts_safely(array->element, to);
    for (std::int64_t i = 0; i < array->size(); ++i)
      if (!holds(load_number(array->element, array->at(i)), to)) return false;
    return true;
  }
  const Scalar& scalar = std::get<Scalar>(argument.value);
  if (scalar.kind) return converts_safely(*scalar.kind, to);
  return holds(scalar.number, to);
}

static ScalarKind type_of(const Argument& argument) {
  if (const HostArray* array = argument.array()) return array->element;
  const Scalar& scalar = std::get<Scalar>(argument.value);
  return scalar.kind.value_or(scalar.standard);
}

static bool has_type(const Argument& argument, ScalarKind kind) { return type_of(argument) == kind; }

// The same, where a number without a type is of any that can hold it.
static bool may_have_type(const Argument& argument, ScalarKind kind) {
  const bool is_typed =
      argument.array() ? !is_untyped_list(argument) : std::get<Scalar>(argument.value).kind.has_value();
  return is_typed ? has_type(argument, kind) : converts(argument, kind);
}

static bool broadcast(Extents64& shape, std::span<const std::int64_t> other) {
  if (shape.size() < other.size()) shape.insert(shape.begin(), other.size() - shape.size(), 1);
  std::size_t front = shape.size() - other.size();
  for (std::size_t axis = 0; axis < other.size(); ++axis) {
    std::int64_t& extent = shape[front + axis];
    if (extent != other[axis] && extent != 1 && other[axis] != 1) return false;
    if (extent == 1) extent = other[axis];
  }
  return true;
}

// Gives elements that lie one behind the other another shape.
static void set_shape(HostArray& array, Extents64 extents) {
  array.strides = packed_strides(extents);
  array.extents = std::move(extents);
}

static std::int64_t product(std::span<const std::int64_t> extents) {
  std::int64_t result = 1;
  for (std::int64_t extent : extents) result *= extent;
  return result;
}

namespace {

struct Completer {
  Run& run;
  Stage& stage;
  const ast::Generated& generated = *stage.definition->generated;

  std::span<Argument> inputs() { return {stage.arguments.data(), generated.inputs}; }
  std::size_t core_rank(std::size_t i) const {
    return generated.layout.empty() ? 0 : generated.layout[i].size();
  }

  void wrong(const Argument& argument, const std::string& why) {
    run.diagnostics().report(
        {}, diag::bad_argument,
        argument.text.empty() ? argument.param : fmt::format("{}={}", argument.param, argument.text), why);
  }

  static Extents64 shape_of(const Argument& argument) {
    const HostArray* array = argument.array();
    return array ? array->extents : Extents64{};
  }

  static std::string text_of(std::span<const ScalarKind> inputs) {
    std::vector<std::string_view> list;
    for (ScalarKind kind : inputs) list.push_back(long_name_of(kind));
    return fmt::format("{}", fmt::join(list, ", "));
  }

  // Returns the types of the inputs in one signature.
  std::vector<ScalarKind> inputs_of(const Types& types) const {
    std::vector<ScalarKind> inputs;
    for (std::size_t i = 0; i < generated.inputs; ++i) inputs.push_back(types[i].element);
    return inputs;
  }

  // Returns the types of the parameters; nothing where an error was reported.
  std::optional<Types> choose_types() {
    std::vector<ScalarKind> given;
    for (const Argument& input : inputs()) given.push_back(type_of(input));
    Compilation& compilation = *stage.compilation;
    std::optional<std::vector<Types>> all =
        generated_types(*compilation.program(), compilation.options().check, *stage.definition, given,
                        compilation.diagnostics());
    if (!all) return std::nullopt;
    for (auto* fits : {has_type, may_have_type, converts})
      for (const Types& types : *all) {
        const std::vector<ScalarKind> wanted = inputs_of(types);
        if (!std::ranges::equal(inputs(), wanted, fits)) continue;
        // Of several for the same inputs the last one counts.
        return *std::ranges::find(all->rbegin(), all->rend(), wanted,
                                  [&](const Types& other) { return inputs_of(other); });
      }
    std::vector<std::string> known;
    for (const Types& types : *all) known.push_back(fmt::format("({})", text_of(inputs_of(types))));
    run.diagnostics().report({}, diag::no_signature, stage.definition->name, text_of(given),
                             fmt::format("{}", fmt::join(known, ", ")));
    return std::nullopt;
  }

  // Replaces an input by one of that type and shape, where it is another one: the axes in front of the last `core`
  // broadcast to `front`, which becomes one axis where there are names for the others.
  bool convert(std::size_t i, ScalarKind kind, const Extents64& front) {
    Argument& argument = stage.arguments[i];
    std::size_t core = core_rank(i);
    Extents64 own = shape_of(argument);
    Extents64 whole = front;
    whole.insert(whole.end(), own.end() - static_cast<std::ptrdiff_t>(core), own.end());
    HostArray* array = argument.array();
    if (array && array->element == kind && own == whole &&
        (generated.kind == Kind::Elementwise || is_packed(*array)))
      return true;
    Result<HostArray> made = make_array(kind, whole);
    if (!made) return wrong(argument, made.error()), false;
    std::int64_t count = made->size();
    for (std::int64_t k = 0; k < count; ++k) {
      Number number = array ? load_number(array->element, place_of(*array, whole, k))
                            : std::get<Scalar>(argument.value).number;
      store_number(kind, made->at(k), number);
    }
    argument.value = std::move(*made);
    return true;
  }

  // Returns the address of the element that number `index` of the broadcast shape is.
  static const char* place_of(const HostArray& array, const Extents64& shape, std::int64_t index) {
    std::int64_t offset = 0;
    std::size_t front = shape.size() - array.extents.size();
    for (std::size_t axis = shape.size(); axis-- > 0; index /= shape[axis])
      if (axis >= front && array.extents[axis - front] > 1)
        offset += index % shape[axis] * array.strides[axis - front];
    return array.data() + offset * static_cast<std::int64_t>(array.element_bytes());
  }

  static bool is_packed(const HostArray& array) {
    const Extents64 packed = packed_strides(array.extents);
    for (std::size_t axis = 0; axis < packed.size(); ++axis)
      if (array.extents[axis] != 1 && array.strides[axis] != packed[axis]) return false;
    return true;
  }

  // Makes an array for a result that was not given.
  bool make(Argument& argument, ScalarKind kind, Extents64 extents) {
    Result<HostArray> made = make_array(kind, std::move(extents));
    if (!made) return wrong(argument, made.error()), false;
    argument.value = std::move(*made);
    argument.is_made = false;
    return true;
  }

  // Makes one shape of those in front of the axes that the layout names.
  std::optional<Extents64> common_shape() {
    Extents64 front;
    for (std::size_t i = 0; i < stage.arguments.size(); ++i) {
      const Argument& argument = stage.arguments[i];
      if (argument.is_made) continue;
      Extents64 own = shape_of(argument);
      if (own.size() < core_rank(i)) {
        wrong(argument,
              fmt::format("it has {} axes, and the layout names {} of it", own.size(), core_rank(i)));
        return std::nullopt;
      }
      if (broadcast(front, std::span(own).first(own.size() - core_rank(i)))) continue;
      wrong(argument, "its shape does not broadcast with those before it");
      return std::nullopt;
    }
    return front;
  }

  void complete_elementwise() {
    std::optional<Types> types = choose_types();
    std::optional<Extents64> shape = common_shape();
    if (!types || !shape) return;
    if (shape->empty()) shape->push_back(1);
    for (std::size_t i = 0; i < generated.inputs; ++i)
      if (!convert(i, (*types)[i].element, *shape)) return;
    if (Argument& out = stage.arguments.back(); out.is_made) make(out, types->back().element, *shape);
  }

  // The extent of an axis by its name, or by the number that the layout has there.
  std::optional<std::int64_t> extent_of(std::string_view name) {
    for (std::size_t i = 0; i < stage.arguments.size(); ++i)
      for (std::size_t axis = 0; axis < core_rank(i) && !stage.arguments[i].is_made; ++axis)
        if (generated.layout[i][axis] == name) {
          Extents64 own = shape_of(stage.arguments[i]);
          return own[own.size() - core_rank(i) + axis];
        }
    return std::nullopt;
  }

  void complete_generalized() {
    std::optional<Types> types = choose_types();
    std::optional<Extents64> front = common_shape();
    if (!types || !front) return;
    for (std::size_t i = 0; i < stage.arguments.size(); ++i) {
      Argument& argument = stage.arguments[i];
      if (i < generated.inputs ? !convert(i, (*types)[i].element, *front) : !make_result(i, *types, *front))
        return;
      HostArray& array = *argument.array();
      stage.shapes.push_back({i, array.extents});
      Extents64 flat{product(*front)};
      flat.insert(flat.end(), array.extents.end() - static_cast<std::ptrdiff_t>(core_rank(i)),
                  array.extents.end());
      const bool has_one_each = i < generated.inputs && (*types)[i].rank > static_cast<int>(flat.size());
      if (has_one_each) flat.push_back(1);
      if (is_packed(array))
        set_shape(array, std::move(flat));
      else if (array.extents != flat)
        return wrong(argument, "its elements do not lie one behind the other, in C order");
    }
  }

  bool make_result(std::size_t i, const Types& types, const Extents64& front) {
    Argument& argument = stage.arguments[i];
    if (!argument.is_made) {
      if (argument.array()) return true;
      wrong(argument, "it is a result: give an array, or leave it out");
      return false;
    }
    Extents64 extents = front;
    for (std::string_view name : generated.layout[i]) {
      std::optional<std::int64_t> extent = extent_of(name);
      if (!extent)
        return wrong(argument, fmt::format("no input has the axis `{}`; give the array", name)), false;
      extents.push_back(*extent);
    }
    if (i >= types.size()) return wrong(argument, "nothing says its type; give the array"), false;
    return make(argument, types[i].element, std::move(extents));
  }

  void complete_reduction() {
    HostArray* x = stage.arguments[0].array();
    if (!x) return wrong(stage.arguments[0], "a reduction takes an array");
    if (x->extents.size() != 1) return wrong(stage.arguments[0], "a reduction takes an array of one axis");
    Argument &res = stage.arguments[1], &init = stage.arguments[2], &turn = stage.arguments[3];
    if (res.is_made && !make(res, x->element, {1})) return;
    if (init.is_made)
      init.value = Scalar{Number{}, std::nullopt, x->element}, init.text = "0", init.is_made = false;
    // No thread runs where there is nothing to join.
    auto* first = std::get_if<Scalar>(&init.value);
    HostArray* result = res.array();
    if (first && result && x->size() == 0 && result->size() > 0)
      store_number(result->element, result->at(0), first->number);
    if (turn.is_made) make(turn, ScalarKind::I32, {1});
  }
};

} // namespace

void complete_arguments(Run& run, Stage& stage) {
  if (!stage.definition->generated || run.wrong()) return;
  Completer completer{run, stage};
  switch (completer.generated.kind) {
  case Kind::Elementwise: return completer.complete_elementwise();
  case Kind::Generalized: return completer.complete_generalized();
  case Kind::Reduction: return completer.complete_reduction();
  }
}

void restore_shapes(Stage& stage) {
  for (auto& [param, extents] : stage.shapes) set_shape(*stage.arguments[param].array(), std::move(extents));
  stage.shapes.clear();
}

} // namespace kern
