// Numba's rules: shapes broadcast as NumPy's do; of several signatures the first counts to which every input converts
// safely. A kernel of `@guvectorize` has one axis for all of its calls, so what stands in front of the axes that the
// layout names becomes one.
#include "compiler/driver/run/generated.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/run/fill.h"
#include "compiler/types/names.h"
#include "compiler/types/signatures.h"

namespace kern {

using Kind = ast::Generated::Kind;
using Extents64 = std::vector<std::int64_t>;

static bool holds(const Number& number, ScalarKind kind) {
  std::uint64_t words[2];
  return (is_float(types::scalar(kind)) || number.kind != Number::Kind::Real) &&
         store_number(kind, words, number);
}

// Numbers without a type take the types that can hold them, those of a list as well.
static bool converts(const Argument& argument, ScalarKind to) {
  if (const HostArray* array = argument.array()) {
    if (!argument.text.starts_with('[') || argument.is_earlier()) return converts_safely(array->element, to);
    for (std::int64_t i = 0; i < array->size(); ++i)
      if (!holds(load_number(array->element, array->at(i)), to)) return false;
    return true;
  }
  const Scalar& scalar = std::get<Scalar>(argument.value);
  if (scalar.kind) return converts_safely(*scalar.kind, to);
  return holds(scalar.number, to);
}

// The scalar that a type is, or whose arrays it is: of "nb.float32[:, :]".
static std::optional<ScalarKind> scalar_of(std::string_view type) {
  type = type.substr(0, type.find('['));
  std::size_t dot = type.rfind('.');
  return find_scalar(dot == std::string_view::npos ? type : type.substr(dot + 1));
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

  std::string types_text() {
    std::vector<std::string> list;
    for (const Argument& input : inputs()) {
      const HostArray* array = input.array();
      const Scalar* scalar = array ? nullptr : &std::get<Scalar>(input.value);
      list.emplace_back(long_name_of(array ? array->element : scalar->kind.value_or(scalar->standard)));
    }
    return fmt::format("{}", fmt::join(list, ", "));
  }

  // Returns the types of the parameters; empty where an error was reported.
  std::vector<ScalarKind> choose_types() {
    std::vector<ScalarKind> kinds;
    if (generated.signatures.empty()) {
      for (const Argument& input : inputs()) {
        const HostArray* array = input.array();
        const Scalar* scalar = array ? nullptr : &std::get<Scalar>(input.value);
        kinds.push_back(array ? array->element : scalar->kind.value_or(scalar->standard));
      }
      return kinds;
    }
    std::vector<std::string> known;
    for (std::span<const std::string_view> signature : generated.signatures) {
      kinds.clear();
      for (std::string_view type : signature)
        if (std::optional<ScalarKind> kind = scalar_of(type)) kinds.push_back(*kind);
      if (kinds.size() != signature.size()) return choose_untyped();
      if (generated.kind == Kind::Elementwise) std::rotate(kinds.begin(), kinds.begin() + 1, kinds.end());
      bool fits = true;
      for (std::size_t i = 0; i < generated.inputs; ++i)
        fits = fits && converts(stage.arguments[i], kinds[i]);
      if (fits) return kinds;
      known.push_back(
          fmt::format("({})", fmt::join(signature.subspan(generated.kind == Kind::Elementwise), ", ")));
    }
    run.diagnostics().report({}, diag::no_signature, stage.definition->name, types_text(),
                             fmt::format("{}", fmt::join(known, ", ")));
    return {};
  }

  // Types by names that only the program knows: as if none were written.
  std::vector<ScalarKind> choose_untyped() {
    ast::Generated plain = generated;
    plain.signatures = {};
    return Completer{run, stage, plain}.choose_types();
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

  // The type of what the function returns for inputs of these types.
  ScalarKind result_of(const std::vector<ScalarKind>& kinds, std::size_t rank) {
    Compilation trial(run.compile_options);
    const SourceFile& source = stage.compilation->sources().file(FileId{0});
    trial.set_source(source.name, std::string(source.text));
    Signature signature{std::string(stage.definition->name), {}};
    std::string axes = "[:";
    for (std::size_t axis = 1; axis < rank; ++axis) axes += ", :";
    for (ScalarKind kind : kinds) signature.params.push_back(std::string(long_name_of(kind)) + axes + "]");
    signature.params.push_back("float64" + axes + "]");
    trial.set_signatures({signature});
    trial.set_only(stage.definition->name);
    const ir::Module* module = trial.module();
    if (module)
      for (const ir::Function& function : module->functions)
        if (function.name == generated.function->name && function.results.size() == 1 &&
            is_scalar(function.results[0]))
          return function.results[0]->scalar;
    return ScalarKind::F64; // what is wrong is reported when the kernel itself is checked
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
    std::vector<ScalarKind> kinds = choose_types();
    std::optional<Extents64> shape = common_shape();
    if (kinds.empty() || !shape) return;
    if (shape->empty()) shape->push_back(1);
    for (std::size_t i = 0; i < generated.inputs; ++i)
      if (!convert(i, kinds[i], *shape)) return;
    Argument& out = stage.arguments.back();
    if (!out.is_made) return;
    if (kinds.size() == generated.inputs) kinds.push_back(result_of(kinds, shape->size()));
    make(out, kinds.back(), *shape);
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
    std::vector<ScalarKind> kinds = choose_types();
    std::optional<Extents64> front = common_shape();
    if (kinds.empty() || !front) return;
    for (std::size_t i = 0; i < stage.arguments.size(); ++i) {
      Argument& argument = stage.arguments[i];
      if (i < generated.inputs ? !convert(i, kinds[i], *front) : !make_result(i, kinds, *front)) return;
      HostArray& array = *argument.array();
      stage.shapes.push_back({i, array.extents});
      Extents64 flat{product(*front)};
      flat.insert(flat.end(), array.extents.end() - static_cast<std::ptrdiff_t>(core_rank(i)),
                  array.extents.end());
      if (is_packed(array))
        set_shape(array, std::move(flat));
      else if (array.extents != flat)
        return wrong(argument, "its elements do not lie one behind the other, in C order");
    }
  }

  bool make_result(std::size_t i, const std::vector<ScalarKind>& kinds, const Extents64& front) {
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
    if (i >= kinds.size()) return wrong(argument, "nothing says its type; give the array"), false;
    return make(argument, kinds[i], std::move(extents));
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
