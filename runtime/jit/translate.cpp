// Options of a program become those of kernc, by its own table, so that each means the same in both.
#include "runtime/jit/translate.h"

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/session/archs.h"
#include "compiler/driver/session/defines.h"
#include "compiler/driver/session/modules.h"
#include "compiler/emit/archs.h"

namespace kern::jit {

static void append(std::vector<std::string>& list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

Options kernc_options(const Request& request, Diagnostics& diagnostics) {
  Options options = parse_options(Command::Embedded, request.words, diagnostics);
  for (const std::string& word : options.words)
    diagnostics.report({}, diag::bad_command_line,
                       "`" + word + "` is no option: a value stands behind `=`, as in `--lanes=32`");
  if (options.help) diagnostics.report({}, diag::unknown_option, "--help");
  for (Target target : {Target::Cpu, Target::Cuda})
    for (const std::string& name : named_archs(options, target)) check_arch(name, target, diagnostics);
  append(options.defines, request.defines);
  append(options.signatures, request.signatures);
  append(options.include_dirs, request.folders);
  if (request.dialect != KERN_DIALECT_OF_NAME)
    options.dialect = request.dialect == KERN_DIALECT_NUMBA ? "numba" : "kern";
  if (request.clamp) options.on_fault = "clamp";
  if (request.cancellable) options.cancellable = true;
  if (request.debug) {
    options.optimization = "0";
    options.line_info = "full";
  }
  return options;
}

CompileOptions compiler_options(const Request& request, const Options& options, Diagnostics& diagnostics) {
  Options known = options;
  std::vector<FoundFile> files;
  for (const auto& [path, text] : request.imports) files.push_back({path, text});
  const std::vector<Define> imported = take_functions_of(files, known.defines);
  for (const std::string& text : known.defines)
    if (names_file(text))
      diagnostics.report({}, diag::bad_define, text, "the JIT reads no files for values that are no imports");
  const bool is_word = request.source.find_first_of(" \n") == request.source.npos;
  if (is_word && request.source.starts_with(stdlib_scheme) && !find_by_scheme(request.source))
    diagnostics.report({}, diag::cannot_read_file, request.source, no_stdlib_module());
  std::erase_if(known.defines, names_file);
  CompileOptions result = compile_options(known, diagnostics);
  result.check.defines.insert(result.check.defines.end(), imported.begin(), imported.end());
  result.find_module = find_in_folders(known.include_dirs, std::move(files));
  return result;
}

void set_source(Compilation& compilation, const Request& request) {
  if (std::optional<FoundFile> module = find_by_scheme(request.source))
    compilation.set_source(std::move(module->name), std::move(module->text), /*is_library=*/true);
  else
    compilation.set_source(request.name, request.source);
}

} // namespace kern::jit
