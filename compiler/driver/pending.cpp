// Phases that are not in this tree yet: each says so. A phase's own file takes the place of its lines here.
#include "compiler/analysis/access.h"
#include "compiler/analysis/guards.h"
#include "compiler/analysis/uniformity.h"
#include "compiler/check/check.h"
#include "compiler/check/load.h"
#include "compiler/emit/emit.h"
#include "compiler/ir/verify.h"
#include "compiler/parse/parse.h"
#include "compiler/transform/transform.h"

namespace kern {

[[maybe_unused]] static void say(Diagnostics& diagnostics, std::string_view phase) {
  diagnostics.report({}, diag::internal_error, fmt::format("the phase `{}` is not there yet", phase));
}

#if !__has_include("compiler/check/load.cpp")
Program load_program(SourceManager& sources, FileId root, std::optional<Dialect> dialect, const FindModule&,
                     Diagnostics& diagnostics) {
  Program program{&sources, std::make_unique<Arena>(), {}};
  Dialect chosen = dialect.value_or(dialect_of(sources.file(root).name));
  std::vector<Token> tokens = lex(sources, root, diagnostics);
  TopLevel top_level = chosen == Dialect::Numba ? TopLevel::Lenient : TopLevel::Strict;
  const ast::Module* tree = parse(sources, root, tokens, top_level, *program.arena, diagnostics);
  program.files.push_back({"", chosen, tree, {}});
  return program;
}
#endif
#if !__has_include("compiler/check/check.cpp")
ir::Module check(const Program&, const CheckOptions&, Diagnostics& diagnostics) {
  return say(diagnostics, "check"), ir::Module();
}
#endif
#if !__has_include("compiler/ir/verify.cpp")
namespace ir {
std::vector<std::string> verify(const Module&) { return {}; }
} // namespace ir
#endif
#if !__has_include("compiler/analysis/uniformity.cpp")
void check_barriers(const ir::Module&, bool, Diagnostics&) {}
#endif
#if !__has_include("compiler/analysis/guards.cpp")
std::string print_guards(const ir::Module&, const SourceManager&) { return "not there yet\n"; }
#endif
#if !__has_include("compiler/analysis/access.cpp")
std::vector<ParamAccess> analyze_access(const ir::Module& module, ir::FunctionId function) {
  return std::vector<ParamAccess>(module.function(function).param_count,
                                  ParamAccess{true, true, false, false});
}
#endif
#if !__has_include("compiler/transform/contract.cpp")
void contract(ir::Module&) {}
#endif
#if !__has_include("compiler/transform/inline.cpp")
void inline_calls(ir::Module&, Diagnostics&) {}
#endif
#if !__has_include("compiler/transform/place_guards.cpp")
void place_guards(ir::Module&, GuardMode) {}
#endif
#if !__has_include("compiler/transform/segments.cpp")
void cut_segments(ir::Module&) {}
#endif
#if !__has_include("compiler/emit/emit.cpp")
std::optional<std::string> emit(const ir::Module&, const SourceManager&, const TargetOptions&, OutputKind,
                                Diagnostics& diagnostics, EmitTimes*) {
  return say(diagnostics, "emit"), std::nullopt;
}
DeviceMathLibrary find_device_math() { return {}; }
#endif
#if !__has_include("compiler/emit/jit.cpp")
std::unique_ptr<CpuModule> compile_for_cpu(const ir::Module&, const SourceManager&, const TargetOptions&,
                                           Diagnostics& diagnostics, EmitTimes*) {
  return say(diagnostics, "emit"), nullptr;
}
#endif

} // namespace kern
