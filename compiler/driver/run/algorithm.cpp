#include "compiler/driver/run/algorithm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/session/defines.h"
#include "compiler/driver/session/modules.h"
#include "compiler/support/nearest.h"
#include "runtime/api/error.h"
#include "runtime/plans/lines.h"
#include "runtime/plans/table.h"

namespace kern {

namespace {

// Types are in one order everywhere: that of docs/language.md.
std::uint32_t type_of(ScalarKind kind) { return static_cast<std::uint32_t>(kind); }
ScalarKind kind_of(std::uint32_t type) { return static_cast<ScalarKind>(type); }

kern_argument describe_array(HostArray& array) {
  kern_argument given{};
  given.kind = KERN_ARRAY;
  given.type = type_of(array.element);
  given.writable = 1;
  given.data = array.data();
  given.rank = static_cast<std::uint32_t>(std::min<std::size_t>(array.extents.size(), 8));
  std::copy_n(array.extents.begin(), given.rank, given.extents);
  std::copy_n(array.strides.begin(), given.rank, given.strides);
  return given;
}

kern_argument describe_scalar(const Scalar& scalar) {
  kern_argument given{};
  given.kind = KERN_SCALAR;
  given.type = type_of(scalar.kind.value_or(scalar.standard));
  store_number(kind_of(given.type), given.scalar, scalar.number);
  return given;
}

// Returns a scalar as a word of the command line: "f32:0.5".
std::string scalar_word(const kern_argument& scalar) {
  const ScalarKind kind = kind_of(scalar.type);
  return fmt::format("{}:{}", name_of(kind), to_string(load_number(kind, scalar.scalar), kind));
}

// Sums of integers have 64 bits, but that those of u32 wrap; what else is computed has the type of the elements.
ScalarKind computed_type(ScalarKind element) {
  const ScalarClass is = scalar_class(element);
  const bool is_narrow = is == ScalarClass::Unsigned && bit_width(element) < 32;
  return is == ScalarClass::Signed || is == ScalarClass::Boolean || is_narrow ? ScalarKind::I64 : element;
}

ScalarKind mean_type(ScalarKind element) {
  const ScalarClass is = scalar_class(element);
  const bool is_whole =
      is == ScalarClass::Signed || is == ScalarClass::Unsigned || is == ScalarClass::Boolean;
  return is_whole ? ScalarKind::F64 : element;
}

class Expansion {
public:
  Expansion(Run& run, const algorithms::Algorithm& algorithm, std::string module)
      : run_(run), asked_(algorithm), module_(std::move(module)) {}

  bool expand(std::span<const std::string> words) {
    try {
      settings_ = take_settings();
      algorithm_ = &algorithms::chosen(asked_, settings_);
      if (!knows_names(words)) return false;
      read(words);
      if (run_.wrong() || !make_results()) return false;
      complete_and_plan();
    } catch (const runtime::Error& error) {
      run_.diagnostics().report({}, diag::bad_command_line,
                                fmt::format("`{}`: {}", asked_.name, error.message));
    }
    return !run_.wrong();
  }

private:
  std::span<const algorithms::Parameter> parameters() const { return algorithm_->all(); }

  bool knows_names(std::span<const std::string> words) {
    std::vector<std::string_view> names;
    for (const algorithms::Parameter& each : parameters()) names.push_back(each.name);
    for (const std::string& word : words) {
      const std::string_view name = std::string_view(word).substr(0, word.find('='));
      if (name.size() == word.size() || std::ranges::find(names, name) != names.end()) continue;
      auto builder = run_.diagnostics().report({}, diag::unknown_argument, asked_.name, name);
      if (std::string_view similar = most_similar(name, names); !similar.empty())
        builder.note("did you mean `{}`?", similar);
      builder.note(
          "this calls the algorithm; with --grid it launches a kernel, with all that the kernel takes");
      return false;
    }
    return true;
  }

  // Reads the words as the arguments of a kernel that has the parameters of the algorithm.
  void read(std::span<const std::string> words) {
    std::vector<ast::Param> params;
    for (const algorithms::Parameter& each : parameters())
      params.push_back({.kind = {}, .name = each.name, .span = {}});
    // Results that are not given are made; so are those that a sort in place does without, where one of them is there.
    ast::Generated generated{};
    generated.inputs = parameters().size();
    while (generated.inputs > 0 && is_made(generated.inputs - 1)) --generated.inputs;
    ast::FunctionDef definition(Span{});
    definition.name = asked_.name;
    definition.params = params;
    definition.generated = &generated;
    const auto no_default = [](const ast::Expr&) { return std::optional<std::string>(); };
    run_.given = read_arguments(definition, no_default, Dialect::Kern, words, {}, run_.diagnostics());
  }

  bool is_made(std::size_t index) const {
    return parameters()[index].role == algorithms::Role::Out || index >= algorithm_->needed;
  }

  // Returns the shape of a result that nobody gave; nothing where no argument says it.
  std::optional<std::vector<std::int64_t>> shape_of(std::size_t index) const {
    using algorithms::Size;
    const HostArray* first = run_.given[0].array();
    if (!first) return std::nullopt;
    const Size size = parameters()[index].size;
    switch (size) {
    case Size::One: return {{1}};
    case Size::Two: return {{2}};
    case Size::Any:
    case Size::AnyShape: return std::nullopt;
    case Size::Lines:
    case Size::OfLines: return algorithms::shape_along(size, first->extents, algorithms::axis_set(settings_));
    case Size::N:
    case Size::AtMostN:
    case Size::M:
    case Size::MoreThanM: break;
    }
    for (std::size_t other = 0; other < run_.given.size(); ++other) {
      const HostArray* array = run_.given[other].array();
      if (!array || run_.given[other].is_made || array->extents.empty()) continue;
      const Size same = parameters()[other].size;
      if (size == Size::M && same == Size::MoreThanM) return {{array->size() - 1}};
      const bool is_input = size == Size::AtMostN && same == Size::N;
      if (size == same || is_input) return {{array->size()}};
    }
    return std::nullopt;
  }

  // Of a number in place of an array, which is refused later, it is any.
  ScalarKind element_given(std::size_t index) const {
    const HostArray* array = run_.given[index].array();
    return array ? array->element : ScalarKind::I64;
  }

  ScalarKind element_of(std::size_t index) const {
    switch (parameters()[index].element) {
    case algorithms::Element::OfFirst:
    case algorithms::Element::LikeFirst: return element_given(0);
    case algorithms::Element::OfSecond: return element_given(1);
    case algorithms::Element::Integer:
    case algorithms::Element::Signed:
    case algorithms::Element::Place:
    case algorithms::Element::Bound:
    case algorithms::Element::I64: return ScalarKind::I64;
    case algorithms::Element::U64:
    case algorithms::Element::Word: return ScalarKind::U64;
    case algorithms::Element::F64:
    case algorithms::Element::Real: return ScalarKind::F64;
    case algorithms::Element::Mean:
    case algorithms::Element::Float: return mean_type(element_given(0));
    case algorithms::Element::Computed:
    case algorithms::Element::Any: break;
    }
    const auto values = std::ranges::find(parameters(), std::string_view("x"), &algorithms::Parameter::name);
    return computed_type(element_given(
        values == parameters().end() ? 0 : static_cast<std::size_t>(values - parameters().begin())));
  }

  // Makes what nobody gave: all results, but for those of a sort in place.
  bool make_results() {
    const auto is_given = [&](std::size_t i) { return i < run_.given.size() && !run_.given[i].is_made; };
    bool in_place = algorithm_->needed < parameters().size();
    for (std::size_t i = algorithm_->needed; i < parameters().size(); ++i)
      in_place = in_place && !is_given(i);
    if (in_place) run_.given.resize(algorithm_->needed);
    const bool is_whole = algorithm_->may_be_sized() && run_.given.size() == parameters().size() &&
                          !is_given(run_.given.size() - 1);
    if (is_whole) run_.given.pop_back();
    for (std::size_t i = 0; i < run_.given.size(); ++i) {
      Argument& argument = run_.given[i];
      if (is_given(i)) continue;
      std::optional<std::vector<std::int64_t>> shape = shape_of(i);
      if (!shape || shape->front() < 0) {
        run_.diagnostics().report({}, diag::missing_argument, argument.param);
        continue;
      }
      Result<HostArray> made = make_array(element_of(i), std::move(*shape));
      if (made)
        argument.value = std::move(*made), argument.is_made = false;
      else
        run_.diagnostics().report({}, diag::bad_argument, argument.param, made.error());
    }
    return !run_.wrong();
  }

  void complete_and_plan() {
    std::vector<kern_argument> arguments;
    for (Argument& each : run_.given) {
      if (each.array() && !each.array()->records.descr.empty())
        runtime::fail(KERN_ARGUMENT_ERROR,
                      fmt::format("`{}` is an array of records: kernels take these", each.param));
      arguments.push_back(each.array() ? describe_array(*each.array())
                                       : describe_scalar(std::get<Scalar>(each.value)));
    }
    algorithms::complete_arguments(*algorithm_, arguments, settings_);
    const algorithms::Plan plan = algorithms::make_plan(*algorithm_, arguments, settings_);
    for (std::size_t i = 0; i < run_.given.size(); ++i) {
      HostArray* array = run_.given[i].array();
      if (array) array->is_point = false;
      if (array) take_shape(*array, arguments[i]);
      names_.push_back(array ? run_.given[i].param : scalar_word(arguments[i]));
      if (array) run_.arrays.push_back({run_.given[i].param, array, 1});
    }
    made_.resize(plan.made.size());
    write_stages(plan);
  }

  // Returns what -D says, of which expressions become functions: `-D "KEEP=x > 3"`.
  algorithms::Settings take_settings() {
    std::vector<std::string>& defines = run_.session.options.defines;
    std::vector<std::string> texts;
    std::erase_if(defines, [&](const std::string& define) {
      const bool is_setting = define.find('=') != std::string::npos && !define.starts_with('@');
      if (is_setting) texts.push_back(define);
      return is_setting;
    });
    algorithms::Settings settings(texts);
    std::vector<algorithms::SourceFile> sources;
    std::vector<std::string> known = algorithms::defines_of(settings, sources);
    std::vector<FoundFile> files;
    for (algorithms::SourceFile& each : sources)
      files.push_back({std::move(each.path), std::move(each.text)});
    run_.defines = take_functions_of(files, known);
    defines.insert(defines.end(), known.begin(), known.end());
    return settings;
  }

  // Gives an array the axes that kernels take, for as long as they run.
  void take_shape(HostArray& array, const kern_argument& argument) {
    run_.shapes.push_back({&array, array.extents, array.strides});
    array.extents.assign(argument.extents, argument.extents + argument.rank);
    array.strides.assign(argument.strides, argument.strides + argument.rank);
  }

  // Makes an array of the plan, of zeros, which has a name that nobody can write.
  void make(const algorithms::Plan& plan, std::size_t index) {
    const algorithms::MadeArray& wanted = plan.made[index];
    std::vector<std::int64_t> extents = {wanted.rows};
    if (wanted.columns >= 0) extents.push_back(wanted.columns);
    Result<HostArray> made = make_array(kind_of(wanted.type), extents);
    if (!made) runtime::fail(KERN_ARGUMENT_ERROR, made.error());
    HostArray& kept = run_.kept.emplace_back(std::move(*made));
    made_[index] = fmt::format("made {}", run_.kept.size());
    run_.arrays.push_back({made_[index], &kept, 1, true});
  }

  void clear(const algorithms::Plan& plan, const algorithms::Operand& operand) {
    if (operand.kind == algorithms::Operand::Kind::Made) return make(plan, operand.index);
    HostArray& array = *run_.given[operand.index].array();
    std::memset(array.data(), 0, array.bytes());
  }

  std::string word_of(const algorithms::Plan& plan, const algorithms::Operand& operand) {
    switch (operand.kind) {
    case algorithms::Operand::Kind::Given: return names_[operand.index];
    case algorithms::Operand::Kind::Made:
      if (made_[operand.index].empty()) make(plan, operand.index);
      return made_[operand.index];
    case algorithms::Operand::Kind::Number: break;
    }
    return fmt::format("{}:{}", name_of(kind_of(operand.type)), operand.number);
  }

  // Each launch is a stage; what the command line asks for is done when the last one has run.
  void write_stages(const algorithms::Plan& plan) {
    Options& options = run_.session.options;
    const Options asked = options.stages.front();
    options.stages.clear();
    for (const std::string& define : plan.defines) options.defines.push_back(define);
    for (const algorithms::Step& step : plan.steps) {
      Options& stage = options.stages.emplace_back(asked);
      stage.words.clear();
      if (&step == &plan.steps.front()) stage.words.push_back("std:" + module_of(plan));
      stage.words.push_back(step.kernel);
      (step.counts_threads ? stage.over : stage.grid) = fmt::format("{}", step.size);
      if (&step != &plan.steps.back()) stage.outputs.clear(), stage.prints.clear(), stage.expects.clear();
      for (const algorithms::Operand& each : step.cleared) clear(plan, each);
      for (const algorithms::Operand& each : step.operands) stage.words.push_back(word_of(plan, each));
    }
  }
  std::string module_of(const algorithms::Plan& plan) const {
    return plan.module.empty() ? module_ : plan.module;
  }

  Run& run_;
  const algorithms::Algorithm& asked_;
  const algorithms::Algorithm* algorithm_ = nullptr; // that it is with its settings
  algorithms::Settings settings_;
  std::string module_;
  std::vector<std::string> names_, made_; // of the arguments and of the arrays that are made, as words
};

bool says_its_launch(const Options& stage) {
  return !stage.grid.empty() || !stage.over.empty() || !stage.block.empty();
}

} // namespace

bool expand_algorithm(Run& run) {
  const std::vector<Options>& stages = run.session.options.stages;
  const std::vector<std::string>& words = stages.front().words;
  if (stages.size() > 1 || words.empty() || !words[0].starts_with(stdlib_scheme) ||
      says_its_launch(stages.front()))
    return true;
  const std::string module = words[0].substr(stdlib_scheme.size());
  const bool is_named = words.size() > 1 && algorithms::find_algorithm(module, words[1]);
  const algorithms::Algorithm* found = algorithms::find_algorithm(module, is_named ? words[1] : "");
  const bool names_other = words.size() > 1 && !is_named && names_kernel(words[1]);
  if (names_other) return true;
  if (!found) {
    std::vector<std::string_view> names;
    for (const algorithms::Algorithm& each : algorithms::all_algorithms())
      if (each.module == module) names.push_back(each.name);
    if (names.empty()) return true;
    run.diagnostics().report(
        {}, diag::bad_command_line,
        fmt::format("say which algorithm of `{}` to run: {}", words[0], fmt::join(names, ", ")));
    return false;
  }
  return Expansion(run, *found, module).expand(std::span(words).subspan(is_named ? 2 : 1));
}

} // namespace kern
