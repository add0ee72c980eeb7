// Starts every command: options become the compiler's own, FILE becomes a compilation.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/session/archs.h"
#include "compiler/driver/session/commands.h"
#include "compiler/driver/session/defines.h"
#include "compiler/driver/session/messages.h"
#include "compiler/driver/session/modules.h"
#include "compiler/driver/session/signature.h"
#include "compiler/driver/session/specialization.h"
#include "compiler/support/limits.h"
#include "compiler/support/nearest.h"

namespace kern {

static RenderOptions render_options(const Session& session) {
  const Options& options = session.options;
  bool quiet = std::getenv("NO_COLOR") && *std::getenv("NO_COLOR");
  bool color =
      options.color == "always" || (options.color != "never" && session.streams.err_is_terminal && !quiet);
  return {options.diagnostics == "json" ? DiagnosticFormat::Json : DiagnosticFormat::Text, color};
}

void Session::write(const Diagnostic& diagnostic, const SourceManager& sources) {
  streams.err << message_text(diagnostic, sources, render_options(*this));
}

void Session::flush() {
  const std::vector<Diagnostic>& all = diagnostics.all();
  for (; written < all.size(); ++written) write(all[written], no_sources);
}

void Session::write(Compilation& compilation) {
  flush();
  streams.err << messages_text(compilation.diagnostics(), compilation.sources(), render_options(*this));
}

void Session::write_times(const Compilation& compilation) {
  if (!options.time_report) return;
  double total = 0;
  for (const PhaseTime& time : compilation.times()) {
    streams.err << fmt::format("{:>12} {:>10.3f} ms\n", time.phase, time.milliseconds);
    total += time.milliseconds;
  }
  streams.err << fmt::format("{:>12} {:>10.3f} ms\n", "total", total);
}

// Reports a name that is no warning's, with the one that it resembles, or with all of them.
static void check_warning(const std::string& name, std::string_view prefix, Diagnostics& diagnostics) {
  std::vector<std::string_view> names;
  for (const DiagnosticRow* row : all_diagnostics())
    if (is_warning(*row)) names.push_back(row->name);
  if (std::ranges::find(names, name) != names.end()) return;
  auto builder = diagnostics.report({}, diag::unknown_warning, name);
  if (std::string_view similar = most_similar(name, names); !similar.empty())
    builder.note("did you mean `-W{}{}`?", prefix, similar);
  else
    builder.note("the warnings are {}; `-Wno-NAME` switches one off", fmt::join(names, ", "));
}

static WarningOptions warning_options(const Options& options, Diagnostics& diagnostics) {
  WarningOptions result;
  for (const std::string& text : options.warnings) {
    std::string name = text;
    if (name == "error") {
      result.all_as_errors = true;
      continue;
    }
    bool off = name.starts_with("no-"), error = name.starts_with("error=");
    name = name.substr(off ? 3 : error ? 6 : 0);
    std::ranges::replace(name, '-', '_'); // as other compilers spell names
    check_warning(name, off ? "no-" : error ? "error=" : "", diagnostics);
    std::vector<std::string>& list = off ? result.disabled : error ? result.as_errors : result.enabled;
    list.push_back(name);
  }
  return result;
}

// The last `=` separates: it may be in the name of a folder on this machine.
static std::vector<PrefixMapping> prefix_map(const Options& options, Diagnostics& diagnostics) {
  std::vector<PrefixMapping> result;
  for (const std::string& text : options.prefix_map) {
    std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0)
      diagnostics.report({}, diag::bad_command_line,
                         fmt::format("--file-prefix-map takes OLD=NEW, not `{}`", text));
    else
      result.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return result;
}

CompileOptions compile_options(const Options& options, Diagnostics& diagnostics) {
  CompileOptions result;
  if (!options.dialect.empty()) result.dialect = options.dialect == "numba" ? Dialect::Numba : Dialect::Kern;
  result.check.negative_index_faults = options.negative_index == "fault";
  result.check.fast_math = options.fast_math;
  for (const std::string& text : options.defines)
    parse_define(text, result.check, result.define_files, diagnostics);
  for (const std::string& text : options.signatures) {
    std::optional<Signature> signature = parse_signature(text);
    if (signature)
      result.check.signatures.push_back(std::move(*signature));
    else
      diagnostics.report({}, diag::bad_signature, text);
  }
  for (const std::string& text : options.specializations)
    if (std::optional<SpecializationRequest> request = parse_specialization(text, diagnostics))
      result.specializations.push_back(std::move(*request));
  result.warnings = warning_options(options, diagnostics);
  result.guards = options.guards == "shadow" ? GuardMode::Shadow
                  : options.guards == "off"  ? GuardMode::Off
                                             : GuardMode::On;
  result.clamps = options.on_fault == "clamp";
  result.cancellable = options.cancellable;
  result.loops = options.loops == "all"    ? LoopGuards::Every
                 : options.loops == "none" ? LoopGuards::None
                                           : LoopGuards::Cuda;
  result.contract = options.fp_contract == "on";
  result.check.keeps_constants = options.line_info == "full";
  result.for_debugger = options.optimization == "0" && options.line_info == "full";
  result.prefix_map = prefix_map(options, diagnostics);
  result.find_module = find_on_disk(options.include_dirs);
  return result;
}

TargetOptions target_options(const Options& options, Target target) {
  TargetOptions result;
  result.target = target;
  // A name that only the other target has goes to this one, which refuses it with the names that it has.
  for (Target named : {target, target == Target::Cpu ? Target::Cuda : Target::Cpu})
    if (std::vector<std::string> names = named_archs(options, named); result.arch.empty() && !names.empty())
      result.arch = names.front();
  result.optimization = options.optimization == "0" ? 0 : 3;
  result.line_info = options.line_info == "none"   ? LineInfo::None
                     : options.line_info == "full" ? LineInfo::Full
                                                   : LineInfo::Lines;
  result.lanes.lanes = options.lanes.empty() ? default_lanes : std::stoi(options.lanes);
  result.lanes_are_chosen = !options.lanes.empty();
  result.fast_math = options.fast_math;
  return result;
}

std::unique_ptr<Compilation> open_source(Session& session, const std::string& file) {
  CompileOptions options = compile_options(session.options, session.diagnostics);
  if (session.diagnostics.has_errors()) return nullptr;
  return open_source(session, std::move(options), file);
}

std::unique_ptr<Compilation> open_source(Session& session, CompileOptions options, const std::string& file) {
  std::string name = file, text;
  const bool is_library = file.starts_with(stdlib_scheme);
  if (file == "-") {
    name = session.options.stdin_name;
    // A little more than a source may have: enough to say that it is too large, and by how much if that is
    // little.
    constexpr std::size_t most_over = 4096;
    text.resize(limits::source_bytes + most_over);
    session.streams.in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(session.streams.in.gcount()));
    text.shrink_to_fit();
  } else if (is_library) {
    std::optional<FoundFile> found = find_by_scheme(file);
    if (!found) {
      session.diagnostics.report({}, diag::cannot_read_file, file, no_stdlib_module());
      return nullptr;
    }
    name = std::move(found->name);
    text = std::move(found->text);
  } else {
    std::string why;
    std::optional<std::string> bytes = read_file(file, why, limits::source_bytes + 1);
    if (!bytes) {
      session.diagnostics.report({}, diag::cannot_read_file, file, why);
      return nullptr;
    }
    text = std::move(*bytes);
  }
  auto compilation = std::make_unique<Compilation>(std::move(options));
  compilation->set_source(std::move(name), std::move(text), is_library);
  return compilation;
}

} // namespace kern
