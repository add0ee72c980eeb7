#include "compiler/check/host_names.h"

#include "compiler/ast/walk.h"
#include "compiler/check/host_numbers.h"
#include "compiler/check/inner_functions.h"
#include "compiler/diagnostics/reporting_scope.h"
#include "compiler/support/limits.h"

namespace kern::checker {

// Returns what -D gives, by the index of its file where it is a name of one.
static std::vector<python::Given> given_by_options(Context& context) {
  std::vector<python::Given> given;
  const ReportingScope quiet(context.diagnostics, false);
  for (const Define& define : context.options.defines) {
    if (!define.file) {
      const ast::Expr* value =
          parse_text(context, fmt::format("{}{}>", define_file, define.name), define.value);
      if (value) given.push_back({define.name, value});
      continue;
    }
    for (std::size_t i = 0; i < context.program.files.size(); ++i)
      if (context.program.sources->file(context.program.files[i].tree->file).name == define.file->name)
        given.push_back({define.name, nullptr, i, define.value});
  }
  return given;
}

void run_host_code(Context& context) {
  std::vector<python::SourceFile> files;
  for (const ProgramFile& file : context.program.files)
    files.push_back({file.tree, file.dialect == Dialect::Numba, file.imports, file.module});
  if (std::ranges::none_of(files, &python::SourceFile::is_python)) return;
  context.host =
      std::make_unique<HostNames>(python::run(*context.program.sources, files, given_by_options(context)));
}

namespace {

using values::as;

// Makes values of the checker of what was found at one moment.
struct Reader {
  Checker& checker;
  std::size_t moment;
  Span span;
  std::size_t count = 0; // of the elements read so far

  std::optional<Value> elements(const values::Value& value, ValueKind kind) {
    const auto elements = checker.context.host->modules.elements(moment, value);
    if (!elements) return std::nullopt;
    Value result = plain_value(kind, span);
    for (const values::Value& each : *elements) {
      // Tuples that hold the same one twice may be larger than the memory of the machine.
      std::optional<Value> element = ++count <= limits::table_elements ? read(each) : std::nullopt;
      if (!element) return std::nullopt;
      result.elements.push_back(std::move(*element));
    }
    return result;
  }

  std::optional<Value> read(const values::Value& value) {
    if (as<values::None>(value)) return plain_value(ValueKind::None, span);
    if (as<values::Ellipsis>(value)) return plain_value(ValueKind::Ellipsis, span);
    if (const auto* truth = as<bool>(value)) return bool_value(*truth, span);
    if (const auto* integer = as<WideInt>(value)) return int_value(*integer, span);
    if (const auto* real = as<double>(value)) return float_value(*real, span);
    if (const auto* z = as<values::Complex>(value)) return complex_value({z->real, z->imag}, span);
    if (const auto* number = as<values::Number>(value)) return runtime_value(number->bits, span);
    if (const auto* text = as<values::Text>(value)) return text_value(ValueKind::String, text->text, span);
    if (as<values::Tuple>(value) || as<values::List>(value)) return elements(value, ValueKind::Tuple);
    if (as<values::Dict>(value)) return elements(value, ValueKind::Dict);
    if (const auto* array = as<values::Array>(value)) {
      std::optional<Numbers> numbers = checker.context.host->modules.numbers(moment, *array);
      if (!numbers) return std::nullopt;
      if (numbers->extents.empty()) return runtime_value(numbers->at(0), span);
      return array_value(checker, std::move(*numbers), span);
    }
    return std::nullopt;
  }
};

std::optional<python::Found> find(const python::HostModules& modules, const ast::FunctionDef& reader,
                                  std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == path.npos) return modules.find(reader, path);
  const std::optional<python::Found> of = find(modules, reader, path.substr(0, dot));
  const bool has_names = of && (as<values::Class>(of->value) || as<values::File>(of->value));
  return has_names ? modules.attribute(*of, path.substr(dot + 1)) : std::nullopt;
}

} // namespace

std::optional<Value> host_name_value(Checker& checker, const ast::Expr& expr) {
  if (!checker.context.host || !checker.instance || !checker.scope->is_numba()) return std::nullopt;
  const std::string path = ast::dotted_name(expr);
  const std::string_view first = std::string_view(path).substr(0, path.find('.'));
  if (path.empty() || checker.find_local(first) || inner_function(checker, first, expr.span))
    return std::nullopt;
  const ast::FunctionDef* reader = checker.instance->function->def;
  const auto [known, is_new] = checker.context.host->values.try_emplace({reader, path});
  if (is_new)
    if (const auto found = find(checker.context.host->modules, *reader, path))
      known->second = Reader{checker, found->moment, found->where}.read(found->value);
  return known->second ? std::optional(read_at(*known->second, expr.span)) : std::nullopt;
}

} // namespace kern::checker
