// Finds the arrays that -o, --print and --expect name. A stage sees the arrays that it and those before it
// were given.
#include <algorithm>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/run/fill.h"
#include "compiler/driver/run/stages.h"
#include "compiler/support/nearest.h"

namespace kern {

struct Place {
  std::string name;
  HostArray* array;
  std::string rest; // the path, or what stands in the brackets
};

// The array that an argument is, by its name.
static std::string_view name_of_array(const Run& run, const HostArray* array) {
  auto found = std::ranges::find(run.arrays, array, &NamedArray::array);
  return found == run.arrays.end() ? std::string_view() : found->name;
}

static void report_no_array(Run& run, const Stage& stage, const std::string& option, std::string_view name,
                            std::span<const std::string_view> names) {
  const Argument* argument = nullptr;
  for (const Argument& each : stage.arguments)
    if (each.param == name) argument = &each;
  if (argument && !argument->array()) {
    run.diagnostics().report({}, diag::bad_array_place, option,
                             fmt::format("parameter `{}` is no array", name));
    return;
  }
  auto builder = run.has_stages()
                     ? run.diagnostics().report({}, diag::unknown_array, name, stage.number)
                     : run.diagnostics().report({}, diag::unknown_argument, stage.definition->name, name);
  if (argument)
    builder.note("parameter `{}` of `{}` is the array `{}`", name, stage.definition->name,
                 name_of_array(run, argument->array()));
  else if (std::string_view similar = most_similar(name, names); !similar.empty())
    builder.note("did you mean `{}`?", similar);
}

static std::optional<Place> find_place(Run& run, const Stage& stage, const std::string& option,
                                       std::string_view name, std::string rest) {
  std::vector<std::string_view> names;
  const NamedArray* found = nullptr;
  for (const NamedArray& each : run.arrays) {
    if (each.stage > stage.number) continue;
    if (each.is_made) continue;
    names.push_back(each.name);
    if (each.name == name) found = &each;
  }
  if (found) return Place{found->name, found->array, std::move(rest)};
  if (!run.has_stages())
    for (const Argument& argument : stage.arguments)
      if (!argument.array()) names.push_back(argument.param);
  report_no_array(run, stage, option, name, names);
  return std::nullopt;
}

// place = NAME "=" PATH
static std::optional<Place> path_place(Run& run, const Stage& stage, std::string_view option,
                                       const std::string& text) {
  std::size_t equal = text.find('=');
  std::string path = equal == std::string::npos ? "" : text.substr(equal + 1);
  std::string shown = fmt::format("{} {}", option, text);
  if (!path.ends_with(".npy") && !path.ends_with(".png")) {
    run.diagnostics().report({}, diag::bad_array_place, shown, "write NAME=PATH with a .npy or .png file");
    return std::nullopt;
  }
  return find_place(run, stage, shown, std::string_view(text).substr(0, equal), path);
}

// place = NAME ["[" ranges "]"]
static std::optional<Place> range_place(Run& run, const Stage& stage, const std::string& text) {
  std::size_t open = text.find('[');
  std::string shown = "--print " + text;
  if (open == std::string::npos) return find_place(run, stage, shown, text, "");
  if (text.ends_with(']'))
    return find_place(run, stage, shown, std::string_view(text).substr(0, open),
                      text.substr(open + 1, text.size() - open - 2));
  run.diagnostics().report({}, diag::bad_array_place, shown, "write NAME or NAME[A:B]");
  return std::nullopt;
}

void swap_shapes(Run& run) {
  for (ShownShape& each : run.shapes)
    std::swap(each.array->extents, each.extents), std::swap(each.array->strides, each.strides);
}

void check_places(Run& run, const Stage& stage) {
  swap_shapes(run);
  for (const std::string& text : stage.options.outputs) path_place(run, stage, "-o", text);
  for (const std::string& text : stage.options.expects) path_place(run, stage, "--expect", text);
  for (const std::string& text : stage.options.prints)
    if (std::optional<Place> place = range_place(run, stage, text)) {
      Result<std::string> elements = elements_text(place->rest, *place->array);
      if (!elements) run.diagnostics().report({}, diag::bad_array_place, "--print " + text, elements.error());
    }
  swap_shapes(run);
}

bool asks_for_arrays(const Stage& stage) {
  const Options& options = stage.options;
  return !options.outputs.empty() || !options.prints.empty() || !options.expects.empty();
}

bool add_outputs(Run& run, const Stage& stage, OutputFiles& files) {
  for (const std::string& text : stage.options.outputs) {
    std::optional<Place> place = path_place(run, stage, "-o", text);
    if (!place) return false;
    Result<std::string> bytes = array_file_bytes(*place->array, place->rest);
    if (!bytes) {
      run.diagnostics().report({}, diag::bad_array_place, "-o " + text, bytes.error());
      return false;
    }
    std::string why = files.add(place->rest, *bytes);
    if (!why.empty()) run.diagnostics().report({}, diag::cannot_write_file, place->rest, why);
  }
  return !run.wrong();
}

bool commit_outputs(Run& run, OutputFiles& files) {
  std::string failed, why = files.commit(failed);
  if (!why.empty()) run.diagnostics().report({}, diag::cannot_write_file, failed, why);
  return !run.wrong();
}

void write_elements(Run& run, const Stage& stage) {
  for (const std::string& text : stage.options.prints)
    if (std::optional<Place> place = range_place(run, stage, text))
      if (Result<std::string> elements = elements_text(place->rest, *place->array))
        run.session.streams.out << text << " = " << *elements << "\n";
}

bool meets_expectations(Run& run, const Stage& stage) {
  bool same = true;
  for (const std::string& text : stage.options.expects) {
    std::optional<Place> place = path_place(run, stage, "--expect", text);
    if (!place) continue;
    Result<HostArray> expected = read_array_file(place->rest);
    if (!expected) {
      run.diagnostics().report({}, diag::bad_array_place, "--expect " + text, expected.error());
      continue;
    }
    read_as(*expected, place->array->element);
    std::string found = difference(*place->array, *expected, run.tolerance);
    if (found.empty()) continue;
    same = false;
    run.session.streams.err << fmt::format("kernc: `{}` differs from `{}`: {}\n", place->name, place->rest,
                                           found);
  }
  return same;
}

void write_summaries(Run& run) {
  for (const NamedArray& each : run.arrays) {
    bool written = false;
    if (each.is_made) continue;
    for (const std::unique_ptr<Stage>& stage : run.stages)
      for (std::size_t i = 0; i < stage->arguments.size(); ++i)
        written |= stage->arguments[i].array() == each.array && stage->writes(i);
    if (written) run.session.streams.out << summary(each.name, *each.array);
  }
}

} // namespace kern
