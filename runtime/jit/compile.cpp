// The bridge from the runtime to the compiler, and the only place that knows both: options become the
// compiler's, its diagnostics an error of the runtime, its code an object that the runtime loads.
#include <algorithm>
#include <cstring>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/jit/object.h"
#include "compiler/driver/kernels.h"
#include "compiler/driver/messages.h"
#include "compiler/driver/modules.h"
#include "compiler/driver/signature.h"
#include "kern/jit.h"
#include "runtime/api/error.h"
#include "runtime/cpu/float_environment.h"

namespace kern {

using Told = std::vector<runtime::Diagnostic>;

static std::span<const char* const> list_of(const kern_texts& texts) { return {texts.data, texts.count}; }

static kern_compile_options known_options(const kern_compile_options* options) {
  kern_compile_options known{};
  if (options) std::memcpy(&known, options, std::min<std::size_t>(options->struct_size, sizeof known));
  if (!known.name) known.name = "<source>";
  return known;
}

// A define is a value here: it names no file, so that values may come from wherever sources come from.
static void add_define(const std::string& text, std::vector<Define>& defines, Diagnostics& diagnostics) {
  std::size_t equal = text.find('=');
  if (equal == std::string::npos || equal == 0)
    diagnostics.report({}, diag::bad_define, text, "give NAME=VALUE");
  else if (text[0] == '@' || text[equal + 1] == '@')
    diagnostics.report({}, diag::bad_define, text, "the JIT reads no files for values");
  else
    defines.push_back({text.substr(0, equal), text.substr(equal + 1)});
}

static CompileOptions compiler_options(const kern_compile_options& options, Diagnostics& diagnostics) {
  CompileOptions result;
  if (options.dialect != KERN_DIALECT_OF_NAME)
    result.dialect = options.dialect == KERN_DIALECT_NUMBA ? Dialect::Numba : Dialect::Kern;
  for (const char* text : list_of(options.defines)) add_define(text, result.check.defines, diagnostics);
  for (const char* text : list_of(options.signatures)) {
    if (std::optional<Signature> signature = parse_signature(text))
      result.check.signatures.push_back(std::move(*signature));
    else
      diagnostics.report({}, diag::bad_signature, text);
  }
  result.clamps = options.clamp != 0;
  result.for_debugger = result.check.keeps_constants = options.debug != 0;
  std::vector<std::string> folders;
  for (const char* folder : list_of(options.folders)) folders.emplace_back(folder);
  if (!folders.empty()) result.find_module = find_in_folders(std::move(folders));
  return result;
}

static std::unique_ptr<JitObject> make_object(Compilation& compilation, const kern_compile_options& options,
                                              const kern_device* device) {
  if (!has_kernels(compilation, options.name)) return nullptr;
  TargetOptions target;
  target.target = kern_device_get_kind(device) == KERN_DEVICE_CUDA ? Target::Cuda : Target::Cpu;
  const bool is_cuda = target.target == Target::Cuda;
  const ir::Module* module = is_cuda ? compilation.module_for(Target::Cuda) : compilation.transformed();
  if (!module) return nullptr;
  target.arch = arch_of(device);
  if (options.debug) {
    target.optimization = 0;
    target.line_info = LineInfo::Full;
  }
  return make_jit_object(compilation, target, all_kernels(*module, target.target));
}

// Adds what was reported to `told`, and hands it to whoever listens.
static void tell(const Diagnostics& diagnostics, const SourceManager& sources,
                 const kern_compile_options& options, Told& told) {
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    runtime::Diagnostic& plain = told.emplace_back();
    plain.is_error = diagnostic.severity == Severity::Error;
    plain.code = diagnostic.row->code;
    plain.message = diagnostic.message;
    plain.text = message_text(diagnostic, sources, {});
    if (diagnostic.span) {
      Location location = sources.locate(*diagnostic.span);
      plain.file = location.file;
      plain.line = location.line;
      plain.column = location.column;
    }
    kern_diagnostic view = plain.view();
    if (options.on_diagnostic) options.on_diagnostic(options.context, &view);
  }
}

static kern_error* error_of(std::string text, ExitCode code, Told told) {
  while (text.ends_with('\n')) text.pop_back();
  // What the machine lacks (device math) is no mistake of the source.
  kern_error_kind kind = code == ExitCode::NoDevice ? KERN_DEVICE_ERROR : KERN_COMPILE_ERROR;
  return runtime::make_error({kind, std::move(text), {}, 0, 0, std::move(told)});
}

} // namespace kern

using namespace kern;

// Says what a caller of the C interface left out; null where everything is there.
static const char* missing(const kern_device* device, const char* source, std::uint64_t bytes,
                           kern_module* const* module) {
  if (!device) return "the device is empty: it was never made, could not be made, or was moved from";
  if (!source && bytes > 0) return "the source is a null pointer";
  return module ? nullptr : "the place for the module is a null pointer";
}

static kern_error* compile(kern_device* device, const char* source, std::uint64_t bytes,
                           const kern_compile_options* options, kern_module** module) {
  cpu::FloatEnvironment environment; // constants are computed here
  if (const char* why = missing(device, source, bytes, module))
    return runtime::make_error({KERN_ARGUMENT_ERROR, why, {}, 0, 0});
  kern_compile_options known = known_options(options);
  Told told;
  Diagnostics of_options;
  SourceManager no_sources;
  CompileOptions translated = compiler_options(known, of_options);
  tell(of_options, no_sources, known, told);
  if (of_options.has_errors())
    return error_of(messages_text(of_options, no_sources, {}), ExitCode::WrongUse, std::move(told));
  Compilation compilation(std::move(translated));
  compilation.set_source(known.name, bytes > 0 ? std::string(source, bytes) : std::string());
  std::unique_ptr<JitObject> object = make_object(compilation, known, device);
  tell(compilation.diagnostics(), compilation.sources(), known, told);
  if (!object)
    return error_of(messages_text(compilation.diagnostics(), compilation.sources(), {}),
                    compilation.exit_code(), std::move(told));
  return load_jit_object(device, std::move(object), module);
}

kern_error* kern_compile(kern_device* device, const char* source, std::uint64_t bytes,
                         const kern_compile_options* options, kern_module** module) {
  try {
    return compile(device, source, bytes, options, module);
  } catch (...) {
    return runtime::caught_error();
  }
}
