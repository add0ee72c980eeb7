// kernc FILE: one compilation, any number of outputs. Everything is made before anything is written, so an
// error leaves every file as it was; the GPU's outputs come before the CPU's, so that what a pass of a target
// numbers does not depend on the order in which outputs are asked for.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/aot/header.h"
#include "compiler/driver/aot/manifest.h"
#include "compiler/driver/aot/names.h"
#include "compiler/driver/aot/object.h"
#include "compiler/driver/numba_report.h"
#include "compiler/driver/resources.h"
#include "compiler/driver/session/commands.h"
#include "compiler/driver/session/kernels.h"
#include "compiler/driver/session/modules.h"
#include "compiler/driver/session/output.h"
#include "compiler/support/nearest.h"

namespace kern {

namespace {

enum class Form : std::uint8_t {
  Tokens,
  Ast,
  Ir,
  Guards,
  Llvm,
  Bitcode,
  Ptx,
  Cubin,
  Resources,
  Assembly,
  Manifest,
  Object,
  Header,
  CHeader
};

struct FormRow {
  Form form;
  std::string_view name, suffix;
  std::optional<Target> target = {}; // where only one target has it
};

constexpr FormRow forms[] = {
    {Form::Tokens, "tokens", ".tokens"},
    {Form::Ast, "ast", ".ast"},
    {Form::Ir, "ir", ".ir"},
    {Form::Guards, "guards", ".guards"},
    {Form::Llvm, "llvm", ".ll"},
    {Form::Bitcode, "bc", ".bc"},
    {Form::Ptx, "ptx", ".ptx", Target::Cuda},
    {Form::Cubin, "cubin", ".cubin", Target::Cuda},
    {Form::Resources, "resources", ".resources", Target::Cuda},
    {Form::Assembly, "asm", ".s", Target::Cpu},
    {Form::Manifest, "manifest", ".json", Target::Cpu}, // of both
    {Form::Object, "obj", ".o", Target::Cpu},
    {Form::Header, "header", ".hpp"},
    {Form::CHeader, "c-header", ".h"},
};

// One file to write.
struct Output {
  const FormRow* form;
  std::string path; // "-": the standard output
  std::string bytes = {};
};

} // namespace

static std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (char c : text)
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

static const FormRow* find_form(Session& session, const std::string& name) {
  std::vector<std::string_view> names;
  for (const FormRow& row : forms) {
    if (row.name == name) return &row;
    names.push_back(row.name);
  }
  auto builder = session.diagnostics.report({}, diag::bad_option_value, "--emit", name,
                                            fmt::format("{}", fmt::join(names, ", ")));
  if (std::string_view similar = most_similar(name, names); !similar.empty())
    builder.note("did you mean `{}`?", similar);
  return nullptr;
}

static const FormRow* form_of_path(Session& session, const std::string& path) {
  Form standard = session.options.target == "cpu" ? Form::Assembly : Form::Ptx;
  for (const FormRow& row : forms)
    if (path == "-" ? row.form == standard : path.ends_with(row.suffix)) return &row;
  session.diagnostics.report({}, diag::unknown_suffix, path);
  return nullptr;
}

// Pairs forms with paths: the n-th kind of --emit with the n-th -o; without -o, kinds go to the standard
// output; without --emit, the suffix says.
static std::vector<Output> wanted_outputs(Session& session) {
  const Options& options = session.options;
  std::vector<Output> outputs;
  std::vector<std::string> kinds;
  for (const std::string& list : options.emit)
    for (std::string& kind : split(list)) kinds.push_back(std::move(kind));
  for (const std::string& kind : kinds)
    if (const FormRow* form = find_form(session, kind)) outputs.push_back({form, "-"});
  if (kinds.empty())
    for (const std::string& path : options.outputs)
      if (const FormRow* form = form_of_path(session, path)) outputs.push_back({form, path});
  if (kinds.empty() || options.outputs.empty() || session.diagnostics.has_errors()) return outputs;
  if (kinds.size() != options.outputs.size()) {
    session.diagnostics.report({}, diag::outputs_do_not_pair, kinds.size(), options.outputs.size());
    return outputs;
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].path = options.outputs[i];
  return outputs;
}

// The target of --target; a GPU where it is not given.
static Target named_target(const Session& session) {
  return session.options.target == "cpu" ? Target::Cpu : Target::Cuda;
}

static Target target_of(const Session& session, const FormRow& form) {
  return form.target ? *form.target : named_target(session);
}

static std::vector<Pass> wanted_passes(Session& session) {
  std::vector<Pass> wanted;
  std::vector<std::string_view> names;
  for (std::size_t pass = 0; pass < std::size(pass_names); ++pass)
    if (session.options.target.empty() || is_for(Pass(pass), named_target(session)))
      names.push_back(pass_names[pass]);
  for (const std::string& list : session.options.passes)
    for (const std::string& name : split(list)) {
      auto found = std::find(std::begin(pass_names), std::end(pass_names), name);
      if (std::ranges::find(names, name) != names.end())
        wanted.push_back(static_cast<Pass>(found - std::begin(pass_names)));
      else
        session.diagnostics.report({}, diag::bad_option_value, "--passes", name,
                                   fmt::format("{}", fmt::join(names, ", ")));
    }
  return wanted;
}

static bool is_code(Form form) { return form >= Form::Llvm; }
static bool is_library(Form form) { return form >= Form::Manifest; }

// The parts that the outputs for ahead-of-time libraries are made of.
struct LibraryParts {
  std::string name; // the namespace
  std::string file; // without its folders
  Manifest manifest;
  GpuCode gpu; // where an object is wanted
};

static std::optional<LibraryParts> make_library_parts(Compilation& compilation, const Session& session,
                                                      const std::string& file, bool with_code) {
  const Options& options = session.options;
  std::optional<Manifest> manifest =
      make_manifest(compilation, target_options(options, Target::Cpu).lanes.lanes);
  if (!manifest) return std::nullopt;
  const std::string& source = file == "-" ? options.stdin_name : file;
  LibraryParts parts{
      library_namespace(options, file), source.substr(source.rfind('/') + 1), std::move(*manifest), {}};
  if (!with_code) return parts;
  std::optional<GpuCode> gpu = make_gpu_code(compilation, options);
  if (!gpu) return std::nullopt;
  parts.gpu = std::move(*gpu);
  return parts;
}

// Adds the sites that the passes of each target find.
static std::optional<std::string> complete_manifest(Compilation& compilation, Manifest manifest) {
  for (Target target : {Target::Cuda, Target::Cpu})
    if (!compilation.module_for(target)) return std::nullopt;
  manifest.sites = manifest_sites(compilation.sites(), compilation.sources());
  return to_json(manifest);
}

static std::optional<std::string> make(Compilation& compilation, const Session& session, const FormRow& form,
                                       std::span<const Pass> passes, const LibraryParts& parts) {
  TargetOptions target = target_options(session.options, target_of(session, form));
  switch (form.form) {
  case Form::Tokens: return compilation.tokens();
  case Form::Ast: return compilation.ast();
  case Form::Ir: {
    bool is_of_target = passes.empty() && !session.options.target.empty();
    return is_of_target ? compilation.ir(target.target) : compilation.ir(passes);
  }
  case Form::Guards:
    return session.options.target.empty() ? compilation.guards() : compilation.guards(target.target);
  case Form::Llvm: return compilation.emit(target, OutputKind::Llvm);
  case Form::Bitcode: return compilation.emit(target, OutputKind::Bitcode);
  case Form::Ptx: return compilation.emit(target, OutputKind::Ptx);
  case Form::Cubin: return compilation.emit(target, OutputKind::Cubin);
  case Form::Resources: return make_resources(compilation, session.options);
  case Form::Assembly: return compilation.emit(target, OutputKind::Assembly);
  case Form::Manifest: return complete_manifest(compilation, parts.manifest);
  case Form::Object: {
    std::optional<std::string> manifest = complete_manifest(compilation, parts.manifest);
    if (!manifest) return std::nullopt;
    return make_object(compilation, session.options, parts.name, parts.gpu, std::move(*manifest));
  }
  case Form::Header: return make_header(parts.manifest, parts.name, object_symbol(parts.name), parts.file);
  case Form::CHeader: return make_c_header(parts.manifest, parts.name, object_symbol(parts.name), parts.file);
  }
  return std::nullopt;
}

// Returns a file's name as a word of a make rule; "" where make has no way to write it.
static std::string make_word(std::string_view name, bool is_target) {
  const std::string_view never = is_target ? "\n;=\t%" : "\n;=",
                         never_last = is_target ? " \t\r\v\f\\&" : " \t\r\v\f\\";
  if (name.empty() || name.find_first_of(never) != name.npos ||
      never_last.find(name.back()) != never_last.npos)
    return "";
  const std::string_view escaped = is_target ? " #:" : " \t#:|";
  std::string word;
  std::size_t slashes = 0; // before the character: they count where it is escaped
  for (char c : name) {
    if (escaped.find(c) != escaped.npos) word.append(slashes + 1, '\\');
    slashes = c == '\\' ? slashes + 1 : 0;
    if (c == '$') word += '$';
    word += c;
  }
  return word;
}

// Returns the files that a compilation has read. Texts that are none (the stdlib, a value of -D, a signature)
// have names in angle brackets.
static std::vector<std::string> read_files(const Session& session, const Compilation& compilation) {
  std::vector<std::string> names;
  const SourceManager& sources = compilation.sources();
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (const std::string& name = sources.file(FileId(i)).name;
        !name.starts_with('<') && name != session.options.stdin_name)
      names.push_back(name);
  names.insert(names.end(), compilation.options().define_files.begin(),
               compilation.options().define_files.end());
  return names;
}

static std::string depfile(Session& session, const std::vector<std::string>& read,
                           const std::vector<Output>& outputs, const std::string& path) {
  std::string text;
  auto add = [&](std::string_view before, const std::string& name, bool is_target) {
    const std::string word = make_word(name, is_target);
    if (word.empty())
      session.diagnostics.report({}, diag::cannot_write_file, path,
                                 fmt::format("a rule of make has no way to name `{}`", name));
    text += (text.empty() ? "" : before);
    text += word;
  };
  const std::string& target = session.options.depfile_target;
  if (!target.empty()) add("", target, true);
  for (const Output& output : outputs)
    if (target.empty() && output.path != "-") add(" ", output.path, true);
  text += ":";
  for (const std::string& name : read) add(" \\\n  ", name, false);
  return text + "\n";
}

static bool write_outputs(Session& session, const std::vector<std::string>& read,
                          const std::vector<Output>& outputs, const std::string& rule_path) {
  OutputFiles files;
  for (const std::string& name : read) files.read(name);
  auto add = [&](const std::string& path, std::string_view bytes) {
    std::string why = files.add(path, bytes);
    if (!why.empty()) session.diagnostics.report({}, diag::cannot_write_file, path, why);
  };
  for (const Output& output : outputs)
    if (output.path != "-") add(output.path, output.bytes);
  if (!rule_path.empty()) add(rule_path, depfile(session, read, outputs, rule_path));
  std::string failed, why;
  if (!session.diagnostics.has_errors()) why = files.commit(failed);
  if (!why.empty()) session.diagnostics.report({}, diag::cannot_write_file, failed, why);
  if (session.diagnostics.has_errors()) return false;
  for (const Output& output : outputs)
    if (output.path == "-") session.streams.out << output.bytes;
  return true;
}

// Returns where the rule goes; "" where none is wanted, or where it lacks a name or a target.
static std::string depfile_path(Session& session, const std::vector<Output>& outputs) {
  const Options& options = session.options;
  if (!options.depfile && options.depfile_path.empty()) return "";
  auto file =
      std::find_if(outputs.begin(), outputs.end(), [](const Output& output) { return output.path != "-"; });
  bool has_name = !options.depfile_path.empty() || file != outputs.end();
  bool has_target = !options.depfile_target.empty() || file != outputs.end();
  if (!has_name)
    session.diagnostics.report({}, diag::bad_command_line,
                               "-MD needs a file of -o to name its own by; or give -MF");
  else if (!has_target)
    session.diagnostics.report({}, diag::bad_command_line,
                               "-MF needs a file of -o as the target of its rule; or give -MT");
  if (!has_name || !has_target) return "";
  return options.depfile_path.empty() ? file->path + ".d" : options.depfile_path;
}

static ExitCode check(Session& session, Compilation& compilation) {
  compilation.module();
  session.write(compilation);
  session.write_times(compilation);
  return compilation.exit_code();
}

static ExitCode check_only(Session& session, Compilation& compilation, const std::string& file) {
  ExitCode code = check(session, compilation);
  // A program that reads diagnostics as JSON from here wants no other lines.
  if (code == ExitCode::Done && session.options.diagnostics != "json")
    session.streams.err << fmt::format("kernc: `{}` is sound; nothing is written without -o or --emit\n",
                                       file);
  return code;
}

ExitCode compile_command(Session& session) {
  if (session.options.words.size() != 1) {
    session.diagnostics.report({}, diag::bad_command_line,
                               session.options.words.empty() ? "give the file to compile" : "give one file");
    return ExitCode::WrongUse;
  }
  std::vector<Output> outputs = wanted_outputs(session);
  std::vector<Pass> passes = wanted_passes(session);
  std::string rule_path = depfile_path(session, outputs);
  if (const std::string& path = session.options.library_namespace; !path.empty())
    if (std::string why = namespace_error(path); !why.empty())
      session.diagnostics.report({}, diag::bad_command_line, "`--namespace=" + path + "`: " + why);
  if (session.diagnostics.has_errors()) return ExitCode::WrongUse;
  const std::string& file = session.options.words.front();
  CompileOptions options = compile_options(session.options, session.diagnostics);
  options.cancellable |= std::ranges::find(passes, Pass::Polls) != passes.end();
  if (session.diagnostics.has_errors()) return ExitCode::WrongUse;
  std::unique_ptr<Compilation> compilation = open_source(session, std::move(options), file);
  if (!compilation) return ExitCode::WrongUse;
  if (outputs.empty() && rule_path.empty()) return check_only(session, *compilation, file);

  std::vector<Output*> order;
  for (Output& output : outputs) order.push_back(&output);
  std::stable_partition(order.begin(), order.end(),
                        [&](Output* output) { return target_of(session, *output->form) == Target::Cuda; });
  bool made = outputs.empty() ? compilation->program() != nullptr : true;
  auto wants = [&](auto is) {
    return std::any_of(outputs.begin(), outputs.end(),
                       [&](const Output& output) { return is(output.form->form); });
  };
  if (wants(is_code) && !has_kernels(*compilation, file)) made = false;
  LibraryParts parts;
  if (made && wants(is_library)) {
    bool with_code = wants([](Form form) { return form == Form::Object; });
    std::optional<LibraryParts> found = make_library_parts(*compilation, session, file, with_code);
    made = found.has_value();
    if (made) parts = std::move(*found);
  }
  for (Output* output : order) {
    if (!made) break;
    std::optional<std::string> bytes = make(*compilation, session, *output->form, passes, parts);
    if (bytes)
      output->bytes = std::move(*bytes);
    else
      made = false;
  }
  session.write(*compilation);
  session.write_times(*compilation);
  if (!made) return compilation->exit_code();
  return write_outputs(session, read_files(session, *compilation), outputs, rule_path) ? ExitCode::Done
                                                                                       : ExitCode::WrongUse;
}

ExitCode check_command(Session& session) {
  if (session.options.words.empty()) {
    session.diagnostics.report({}, diag::bad_command_line, "give the files to check");
    return ExitCode::WrongUse;
  }
  if (session.options.numba_report) return report_numba(session);
  CompileOptions options = compile_options(session.options, session.diagnostics);
  if (session.diagnostics.has_errors()) return ExitCode::WrongUse;
  ExitCode code = ExitCode::Done;
  for (const std::string& file : session.options.words) {
    std::unique_ptr<Compilation> compilation = open_source(session, options, file);
    code = std::max(code, compilation ? check(session, *compilation) : ExitCode::WrongUse);
  }
  return code;
}

} // namespace kern
