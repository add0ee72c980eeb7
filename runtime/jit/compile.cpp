// Compiles a request as kernc would, by the driver's own functions, so that options and messages are the
// same.
#include "runtime/jit/compile.h"

#include <algorithm>

#include "compiler/diagnostics/emit.h"
#include "compiler/driver/jit/object.h"
#include "compiler/driver/session/kernels.h"
#include "compiler/driver/session/messages.h"
#include "runtime/cpu/float_environment.h"
#include "runtime/jit/translate.h"
#include "runtime/jit/written.h"

namespace kern::jit {

static std::unique_ptr<JitObject> make_object(Compilation& compilation, const Request& request,
                                              const Options& options, const kern_device* device) {
  if (!has_kernels(compilation, request.name)) return nullptr;
  const bool is_cuda = kern_device_get_kind(device) == KERN_DEVICE_CUDA;
  const ir::Module* module = is_cuda ? compilation.module_for(Target::Cuda) : compilation.transformed();
  if (!module) return nullptr;
  TargetOptions target = target_options(options, is_cuda ? Target::Cuda : Target::Cpu);
  target.arch = arch_of(device);
  return make_jit_object(compilation, target, all_kernels(*module, target.target, target.lanes.lanes));
}

static void tell(const Diagnostics& diagnostics, const SourceManager& sources, Result& result) {
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    runtime::Diagnostic& plain = result.told.emplace_back();
    plain.is_error = diagnostic.severity == Severity::Error;
    plain.code = diagnostic.row->code;
    plain.message = diagnostic.message;
    plain.text = message_text(diagnostic, sources, {});
    if (!diagnostic.span) continue;
    Location location = sources.locate(*diagnostic.span);
    plain.file = location.file;
    plain.line = location.line;
    plain.column = location.column;
  }
}

static void refuse(const Diagnostics& diagnostics, const SourceManager& sources, ExitCode code,
                   Result& result) {
  std::string text = messages_text(diagnostics, sources, {});
  while (text.ends_with('\n')) text.pop_back();
  // An error because the machine lacks something (device math, memory) is no mistake of the source.
  auto is_memory = [](const Diagnostic& found) { return found.row->code == diag::no_code_memory.code; };
  kern_error_kind kind = std::ranges::any_of(diagnostics.all(), is_memory) ? KERN_OUT_OF_MEMORY
                         : code == ExitCode::NoDevice                      ? KERN_DEVICE_ERROR
                                                                           : KERN_COMPILE_ERROR;
  result.error = {kind, std::move(text), {}, 0, 0, result.told};
}

static void make(kern_device* device, const Request& request, Result& result) {
  Diagnostics of_options;
  SourceManager no_sources;
  const Options options = kernc_options(request, of_options);
  CompileOptions translated = compiler_options(request, options, of_options);
  tell(of_options, no_sources, result);
  if (of_options.has_errors()) {
    refuse(of_options, no_sources, ExitCode::WrongUse, result);
    return;
  }
  auto found = std::make_shared<Found>();
  translated.find_module = noting(std::move(translated.find_module), found);
  Compilation compilation(std::move(translated));
  set_source(compilation, request);
  std::unique_ptr<JitObject> object = make_object(compilation, request, options, device);
  tell(compilation.diagnostics(), compilation.sources(), result);
  if (!object) {
    refuse(compilation.diagnostics(), compilation.sources(), compilation.exit_code(), result);
    return;
  }
  kern_module* module = nullptr;
  if (kern_error* error = load_jit_object(device, std::move(object), &module))
    result.error = runtime::take_error(error);
  result.module.reset(module);
  if (module) runtime::set_written(module, written_request(request, std::move(found), device));
}

Result compile(kern_device* device, const Request& request) {
  cpu::FloatEnvironment environment; // constants are computed here
  Result result;
  try {
    make(device, request, result);
  } catch (const LlvmNotReady& error) {
    result.error = {KERN_OUT_OF_MEMORY, error.what(), {}, 0, 0};
  }
  return result;
}

} // namespace kern::jit
