// kernc run: parse, read the arguments, give their types to parameters that have none, check, decide the
// launch, compile with the facts that hold for it, run, report. Of several stages each is checked so far before
// any runs.
#include <algorithm>
#include <set>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/run/algorithm.h"
#include "compiler/driver/run/generated.h"
#include "compiler/driver/run/select.h"
#include "compiler/driver/run/stages.h"
#include "compiler/driver/session/kernels.h"
#include "compiler/driver/session/messages.h"
#include "compiler/driver/session/modules.h"

namespace kern {

static void parse_limits(Run& run) {
  const Options& options = run.session.options;
  auto wrong_use = [&](const std::string& text) {
    run.diagnostics().report({}, diag::bad_command_line, text);
  };
  auto tolerance = [&](const char* option, const std::string& text) {
    Result<Number> number = parse_number(text);
    if (number && number->kind != Number::Kind::Complex && as_real(*number) >= 0) return as_real(*number);
    wrong_use(fmt::format("{} takes a number that is not negative, and not `{}`", option, text));
    return 0.0;
  };
  run.tolerance = {tolerance("--rtol", options.rtol), tolerance("--atol", options.atol)};
  if (options.timeout.empty()) return;
  Result<Duration> limit = parse_duration(options.timeout);
  if (limit)
    run.timeout = {*limit, options.timeout};
  else
    wrong_use(limit.error());
}

// Says whether the parts between dots are names: "make.k".
static bool is_path(std::string_view word) {
  bool begins = true;
  for (char c : word) {
    if (begins && (c == '.' || (c >= '0' && c <= '9'))) return false;
    begins = c == '.';
  }
  return !begins;
}

bool names_kernel(const std::string& word) {
  static constexpr std::string_view values[] = {"True", "False", "true", "false", "inf", "nan"};
  bool value = std::find(std::begin(values), std::end(values), word) != std::end(values);
  return !value && !word.empty() && !(word[0] >= '0' && word[0] <= '9') &&
         word.find_first_of("=:@-+[/") == std::string::npos && is_path(word);
}

// Says whether a file has a kernel whose name is that of a value, as `nan` is.
static bool defines_kernel(const Program& program, std::string_view name) {
  return std::ranges::any_of(program.files.front().tree->items, [&](const ast::Stmt* item) {
    const auto* function = ast::as<ast::FunctionDef>(item);
    return function && function->name == name && is_kernel(program, *function);
  });
}

// Reads the file, for the first stage; later ones compile the same text, each for its own kernel.
static std::unique_ptr<Compilation> open_program(Run& run, const std::string& file) {
  if (run.compilations.empty()) {
    run.compile_options = compile_options(run.session.options, run.diagnostics());
    run.compile_options.cancellable |= run.timeout.limit.has_value();
    std::vector<Define>& defines = run.compile_options.check.defines;
    defines.insert(defines.end(), run.defines.begin(), run.defines.end());
    if (run.wrong()) return nullptr;
    return open_source(run.session, run.compile_options, file);
  }
  auto compilation = std::make_unique<Compilation>(run.compile_options);
  compilation->set_source_of(*run.compilations.front());
  return compilation;
}

// Splits off FILE and KERNEL, reads and parses; the words that are left are the arguments.
static std::optional<std::vector<std::string>> open_stage(Run& run, Stage& stage) {
  const std::vector<std::string>& words = stage.options.words;
  const std::vector<std::string>& first_words = run.session.options.stages.front().words;
  if (first_words.empty()) {
    run.diagnostics().report({}, diag::bad_command_line, "give the file to run");
    return std::nullopt;
  }
  bool is_first = stage.number == 1;
  std::size_t next = is_first ? 1 : 0;
  std::string name;
  if (words.size() > next && names_kernel(words[next])) name = words[next++];
  std::unique_ptr<Compilation> compilation = open_program(run, first_words[0]);
  if (!compilation) return std::nullopt;
  stage.compilation = run.compilations.emplace_back(std::move(compilation)).get();
  const Program* program = stage.compilation->program();
  if (!program) return std::nullopt;
  if (name.empty() && words.size() > next && defines_kernel(*program, words[next])) name = words[next++];
  if (!is_first && name.empty()) {
    run.diagnostics().report(
        {}, diag::bad_command_line,
        words.empty() ? "--then: give the kernel of the next stage"
                      : fmt::format("--then: give the kernel of the next stage before `{}`", words[0]));
    return std::nullopt;
  }
  std::string file = first_words[0] == "-" ? run.session.options.stdin_name : first_words[0];
  stage.name = std::move(name);
  stage.definition =
      select_kernel(*program, file, stage.name, run.diagnostics(), stage.compilation->diagnostics());
  if (!stage.definition) return std::nullopt;
  return std::vector<std::string>(words.begin() + static_cast<std::ptrdiff_t>(next), words.end());
}

static bool is_defined(const Compilation& compilation, const std::string& name) {
  const std::vector<Define>& defines = compilation.options().check.defines;
  return std::ranges::any_of(defines, [&](const Define& define) { return define.name == name; });
}

// Reads the arguments, of which those of arrays that begin here are known to the stages behind it.
static void read_stage_arguments(Run& run, Stage& stage, std::span<const std::string> words) {
  const Program& program = *stage.compilation->program();
  auto default_text = [&](const ast::Expr& expr) {
    return constant_text(program, stage.compilation->options().check, expr);
  };
  // A parameter that -D gives a value is none that the launch passes.
  std::vector<std::string> all(words.begin(), words.end());
  for (const ast::Param& param : stage.definition->params)
    for (std::string_view name : {std::string_view(stage.name), stage.definition->name})
      if (!name.empty() && is_defined(*stage.compilation, fmt::format("{}.{}", name, param.name))) {
        all.push_back(fmt::format("{}=None", param.name));
        break;
      }
  std::vector<EarlierArray> earlier; // of two with one name the later one is found first
  for (const NamedArray& each : run.arrays) earlier.insert(earlier.begin(), {each.name, each.array});
  stage.arguments = read_arguments(*stage.definition, default_text, program.files.front().dialect, all,
                                   earlier, run.diagnostics());
  complete_arguments(run, stage);
  for (Argument& argument : stage.arguments)
    if (argument.array() && !argument.is_earlier())
      run.arrays.push_back({argument.param, argument.array(), stage.number});
}

static ExitCode make_stage(Run& run, Stage& stage) {
  std::optional<std::vector<std::string>> words = open_stage(run, stage);
  if (!words) {
    bool in_source = stage.compilation && stage.compilation->diagnostics().has_errors();
    return in_source ? stage.compilation->exit_code() : ExitCode::WrongUse;
  }
  read_stage_arguments(run, stage, *words);
  if (stage.compilation->diagnostics().has_errors()) return stage.compilation->exit_code();
  if (run.wrong()) return ExitCode::WrongUse;
  const Program& program = *stage.compilation->program();
  if (std::optional<Signature> signature =
          needed_signature(program, *stage.definition, stage.name, stage.arguments))
    stage.compilation->set_signatures({*signature});
  stage.compilation->set_only(stage.name);
  return prepare(run, stage);
}

// Writes what was found so far; what two stages find alike is said once.
static void write_messages(Run& run, const Stage* wrong) {
  Session& session = run.session;
  for (; session.written < session.diagnostics.all().size(); ++session.written) {
    Diagnostic diagnostic = session.diagnostics.all()[session.written];
    if (wrong && run.has_stages())
      diagnostic.notes.push_back({std::nullopt, "this is " + stage_text(run, *wrong)});
    session.write(diagnostic, session.no_sources);
  }
  std::set<std::string> said;
  for (const std::unique_ptr<Compilation>& compilation : run.compilations) {
    if (compilation == run.compilations.front()) session.write(*compilation);
    for (const Diagnostic& diagnostic : compilation->diagnostics().all()) {
      std::string text = message_text(diagnostic, compilation->sources(), {});
      if (said.insert(text).second && compilation != run.compilations.front())
        session.write(diagnostic, compilation->sources());
    }
  }
}

ExitCode run_command(Session& session) {
  Run run{session};
  parse_limits(run);
  ExitCode code = run.wrong() || !expand_algorithm(run) ? ExitCode::WrongUse : ExitCode::Done;
  const Stage* wrong = nullptr;
  for (const Options& options : session.options.stages) {
    if (code != ExitCode::Done) break;
    Stage& stage = *run.stages.emplace_back(std::make_unique<Stage>(options, run.stages.size() + 1));
    code = make_stage(run, stage);
    if (code != ExitCode::Done) wrong = &stage;
  }
  if (code == ExitCode::Done) code = compile(run);
  // A warning of the code that was made may be an error, by -Werror.
  for (const std::unique_ptr<Compilation>& compilation : run.compilations)
    if (code == ExitCode::Done) code = compilation->exit_code();
  write_messages(run, wrong);
  if (code == ExitCode::Done) code = perform(run);
  for (const std::unique_ptr<Compilation>& compilation : run.compilations) session.write_times(*compilation);
  return code;
}

} // namespace kern
