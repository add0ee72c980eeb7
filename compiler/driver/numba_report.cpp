// A file is parsed once, and then each of its kernels is checked alone, without types, so that the errors of one are not
// those of another. Names that only Python computes are what `-D` gives; any other error is a construct that Kern lacks.
#include "compiler/driver/numba_report.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "compiler/ast/definitions.h"
#include "compiler/ast/walk.h"
#include "compiler/diagnostics/driver.h"
#include "compiler/diagnostics/names.h"
#include "compiler/driver/session/kernels.h"
#include "compiler/driver/session/modules.h"
#include "compiler/lex/lex.h"

namespace kern {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

enum class Verdict : std::uint8_t { Compiles, NeedsValues, Unsupported };
constexpr std::string_view verdict_names[] = {"compiles", "needs values", "unsupported"};

struct Entry {
  std::string file, kernel; // "" where the file cannot be read as a whole
  std::uint32_t line = 0;
  Verdict verdict = Verdict::Compiles;
  std::vector<std::string> values;         // names that -D gives
  std::string code, message, place, cause; // of the first error; of its place the line
};

// Files in the order of their names, so that a report is the same on every machine. Hidden folders, those of
// environments among them, are passed over.
std::vector<std::string> files_below(const std::string& path, std::string& why) {
  std::vector<std::string> files;
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  fs::recursive_directory_iterator it(path, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    std::error_code unknown;
    bool is_folder = it->is_directory(unknown);
    if (is_folder && (name.starts_with('.') || name == "site-packages" || name == "__pycache__"))
      it.disable_recursion_pending();
    else if (!is_folder && it->path().extension() == ".py")
      files.push_back(it->path().string());
  }
  if (error) why = error.message();
  std::ranges::sort(files);
  return files;
}

// Returns NAME of "... give it with `-D NAME=VALUE`".
std::optional<std::string> wanted_value(const Diagnostic& diagnostic) {
  auto name_in = [](std::string_view text) -> std::optional<std::string> {
    std::size_t begin = text.find("`-D ");
    if (begin == text.npos) return std::nullopt;
    text.remove_prefix(begin + 4);
    return std::string(text.substr(0, text.find('=')));
  };
  const std::string_view code = diagnostic.row->code;
  if (code == diag::host_value.code || code == diag::captured_value.code ||
      code == diag::import_not_found.code)
    return name_in(diagnostic.message);
  if (diagnostic.row->code != diag::undefined_name.code) return std::nullopt;
  for (const Note& note : diagnostic.notes)
    if (std::optional<std::string> name = name_in(note.text)) return name;
  return std::nullopt;
}

void judge(Entry& entry, Compilation& compilation) {
  for (const Diagnostic& diagnostic : compilation.diagnostics().all()) {
    if (diagnostic.severity != Severity::Error) continue;
    std::optional<std::string> value = wanted_value(diagnostic);
    if (value && std::ranges::find(entry.values, *value) == entry.values.end())
      entry.values.push_back(*value);
    // An error that no value mends counts more than one that a value does.
    bool is_first = entry.code.empty() || (!value && entry.verdict == Verdict::NeedsValues);
    entry.verdict = std::max(entry.verdict, value ? Verdict::NeedsValues : Verdict::Unsupported);
    if (!is_first) continue;
    entry.code = diagnostic.row->code;
    entry.cause = diagnostic.row->name;
    entry.message = diagnostic.message;
    if (!diagnostic.span) continue;
    Location place = compilation.sources().locate(*diagnostic.span);
    entry.place = fmt::format("{}:{}:{}", place.file, place.line, place.column);
  }
}

// Checks one kernel of a file, by its path.
Entry judge_kernel(Compilation& whole, const std::string& path, Span place) {
  whole.diagnostics() = Diagnostics(whole.options().warnings);
  whole.set_only(path);
  whole.module();
  const SourceManager& sources = whole.sources();
  Entry entry{
      sources.file(place.file).name, path, sources.locate(place).line, Verdict::Compiles, {}, {}, {}, {}, {}};
  judge(entry, whole);
  return entry;
}

// ---- The functions that are given to Numba ----

// A function that `cuda.jit(f)` or `cuda.jit(...)(f)` is given, wherever that stands.
struct JitCall {
  std::string_view name;
  Span place;
};

struct JitCalls {
  const SourceManager& sources;
  std::span<const Token> tokens;

  bool at(std::size_t i, TokenKind kind) const { return i < tokens.size() && tokens[i].kind == kind; }
  std::string_view text(std::size_t i) const { return sources.text(tokens[i].span); }

  std::size_t behind_brackets(std::size_t open) const {
    std::size_t depth = 0, i = open;
    for (; i < tokens.size(); ++i) {
      depth += at(i, TokenKind::LeftParen) || at(i, TokenKind::LeftBracket) || at(i, TokenKind::LeftBrace);
      bool closes =
          at(i, TokenKind::RightParen) || at(i, TokenKind::RightBracket) || at(i, TokenKind::RightBrace);
      if (closes && --depth == 0) return i + 1;
    }
    return i;
  }

  // Returns the place of the name that is the first argument of a call.
  std::optional<std::size_t> first_name(std::size_t open) const {
    bool is_name = at(open, TokenKind::LeftParen) && at(open + 1, TokenKind::Name) &&
                   (at(open + 2, TokenKind::RightParen) || at(open + 2, TokenKind::Comma));
    return is_name ? std::optional(open + 1) : std::nullopt;
  }

  std::vector<JitCall> find() const {
    std::vector<JitCall> calls;
    for (std::size_t i = 2; i + 2 < tokens.size(); ++i) {
      bool is_jit = at(i, TokenKind::Name) && text(i) == "jit" && at(i - 1, TokenKind::Dot) &&
                    text(i - 2) == "cuda" && at(i + 1, TokenKind::LeftParen);
      if (!is_jit) continue;
      std::size_t end = behind_brackets(i + 1);
      bool is_device = false;
      for (std::size_t k = i + 1; k < end; ++k)
        is_device |= at(k, TokenKind::Name) && text(k) == "device" && !at(k + 2, TokenKind::False);
      std::optional<std::size_t> given = first_name(end);
      if (!given) given = first_name(i + 1);
      if (given && !is_device) calls.push_back({text(*given), tokens[*given].span});
    }
    return calls;
  }
};

// Returns the dotted path of the functions and classes around a place, with a dot behind each.
std::string path_around(const ast::Module& tree, Span place) {
  for (const ast::HostStatement& statement : tree.statements) {
    if (place.begin < statement.span.begin || place.end > statement.span.end) continue;
    std::string path = statement.name.empty() ? "" : std::string(statement.name) + ".";
    ast::each_block(statement, [&](const ast::Module& block) { path += path_around(block, place); });
    return path;
  }
  return "";
}

// Returns the function that a name means in the functions round a place: the innermost of that name.
const ast::Definition* meant_by(std::span<const ast::Definition> all, std::string path,
                                std::string_view name) {
  for (;;) {
    for (const ast::Definition& each : all)
      if (each.making == ast::Making::Def && each.path == path + std::string(name)) return &each;
    if (path.empty()) return nullptr;
    std::size_t dot = path.rfind('.', path.size() - 2);
    path.resize(dot == std::string::npos ? 0 : dot + 1);
  }
}

// Returns all functions of a file that have a name.
std::vector<ast::Definition> definitions_of(const ast::Module& tree) {
  std::vector<ast::Definition> all;
  for (const ast::Stmt* item : tree.items)
    if (const auto* function = ast::as<ast::FunctionDef>(item))
      all.push_back({std::string(function->name), function, ast::Making::Def, function->name_span});
  for (ast::Definition& inner : ast::inner_definitions(tree)) all.push_back(std::move(inner));
  return all;
}

// Returns those that are kernels, each with where it is given to Numba.
std::vector<ast::Definition> kernels_of(const Program& program, std::span<const ast::Definition> all) {
  const ast::Module& tree = *program.files.front().tree;
  std::vector<ast::Definition> kernels;
  for (const ast::Definition& each : all) {
    bool is_decorated = each.making == ast::Making::Def || each.making == ast::Making::Result;
    if (each.making == ast::Making::Kernel || (is_decorated && is_kernel(program, *each.function)))
      kernels.push_back(each);
  }
  Diagnostics unread;
  std::vector<Token> tokens = lex(*program.sources, tree.file, unread);
  for (const JitCall& call : JitCalls{*program.sources, tokens}.find()) {
    const ast::Definition* given = meant_by(all, path_around(tree, call.place), call.name);
    std::uint32_t line = program.sources->locate(call.place).line;
    bool is_known = !given || std::ranges::any_of(kernels, [&](const ast::Definition& each) {
      bool is_named = each.function == given->function && program.sources->locate(each.place).line == line;
      return is_named || each.path == given->path;
    });
    if (!is_known) kernels.push_back({given->path, given->function, ast::Making::Def, call.place});
  }
  std::ranges::stable_sort(kernels, {}, [](const ast::Definition& each) { return each.place.begin; });
  return kernels;
}

// Checks a kernel by its name; where a name is bound in a way that only Python follows, the function itself.
void report_kernel(Compilation& whole, std::span<const ast::Definition> all, const ast::Definition& kernel,
                   std::vector<Entry>& entries) {
  Entry entry = judge_kernel(whole, kernel.path, kernel.place);
  bool is_unnamed = entry.code == diag::unknown_function.code || entry.code == diag::several_functions.code;
  if (is_unnamed && kernel.making == ast::Making::Result) return;
  if (is_unnamed && kernel.making == ast::Making::Kernel)
    for (const ast::Definition& each : all)
      if (each.making == ast::Making::Def && each.function == kernel.function)
        entry = judge_kernel(whole, each.path, kernel.place);
  entry.kernel = kernel.path;
  entries.push_back(std::move(entry));
}

// Kernels inside of other definitions that could not be parsed, at any depth.
void add_refused(std::vector<Entry>& entries, const Program& program, const ast::Module& tree,
                 const std::string& outer, const std::string& file) {
  for (const ast::HostStatement& statement : tree.statements) {
    if (statement.is_item) continue;
    std::string path = outer + std::string(statement.name);
    const Diagnostics reasons = program.refused.within(statement.span);
    const bool is_kernel = !outer.empty() || reasons.has_errors();
    if (is_kernel && statement.is_jit && !statement.why.empty()) {
      Location place = program.sources->locate(statement.name_span);
      Entry entry{file, path, place.line, Verdict::Unsupported, {}, {}, {}, {}, {}};
      entry.code = diag::inner_refused.code;
      entry.cause = diag::inner_refused.name;
      entry.message = fmt::format("`{}` cannot be compiled: {}", path, statement.why);
      entry.place = fmt::format("{}:{}:{}", place.file, place.line, place.column);
      entries.push_back(std::move(entry));
    }
    ast::each_block(statement, [&](const ast::Module& block) {
      add_refused(entries, program, block, statement.name.empty() ? outer : path + ".", file);
    });
  }
}

bool report_file(Session& session, const CompileOptions& options, const std::string& file,
                 std::vector<Entry>& entries) {
  std::unique_ptr<Compilation> whole = open_source(session, options, file);
  if (!whole) return false;
  const Program* program = whole->program();
  if (!program) {
    Entry entry{file, "", 1, Verdict::Compiles, {}, {}, {}, {}, {}};
    judge(entry, *whole);
    entries.push_back(std::move(entry));
    return true;
  }
  const std::vector<ast::Definition> all = definitions_of(*program->files.front().tree);
  for (const ast::Definition& each : kernels_of(*program, all)) report_kernel(*whole, all, each, entries);
  add_refused(entries, *program, *program->files.front().tree, "", file);
  return true;
}

std::size_t count(const std::vector<Entry>& entries, Verdict verdict) {
  return static_cast<std::size_t>(std::ranges::count(entries, verdict, &Entry::verdict));
}

std::string text_of(const std::vector<Entry>& entries, std::size_t files) {
  std::string text;
  std::map<std::string, std::size_t> causes;
  for (const Entry& entry : entries) {
    std::string name = entry.kernel.empty() ? "(the whole file)" : entry.kernel;
    text += fmt::format("{}:{}: {}: {}", entry.file, entry.line, name,
                        verdict_names[static_cast<std::size_t>(entry.verdict)]);
    for (const std::string& value : entry.values) text += fmt::format(" -D {}=VALUE", value);
    if (entry.verdict == Verdict::Unsupported) {
      text += fmt::format(": {}: {} ({})", entry.place, entry.message, entry.code);
      ++causes[fmt::format("{} {}", entry.code, entry.cause)];
    }
    text += '\n';
  }
  text += fmt::format("\nfiles {}, kernels {}: ", files, entries.size());
  for (Verdict verdict : {Verdict::Compiles, Verdict::NeedsValues, Verdict::Unsupported})
    text += fmt::format("{}{} {}", verdict == Verdict::Compiles ? "" : ", ",
                        verdict_names[static_cast<std::size_t>(verdict)], count(entries, verdict));
  text += '\n';
  std::vector<std::pair<std::size_t, std::string>> most;
  for (const auto& [cause, times] : causes) most.emplace_back(times, cause);
  std::ranges::sort(most, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  for (const auto& [times, cause] : most) text += fmt::format("{:>6} {}\n", times, cause);
  return text;
}

std::string json_of(const std::vector<Entry>& entries, std::size_t files) {
  Json report;
  report["files"] = files;
  report["kernels"] = Json::array();
  for (const Entry& entry : entries) {
    Json kernel;
    kernel["file"] = entry.file;
    kernel["kernel"] = entry.kernel;
    kernel["line"] = entry.line;
    kernel["verdict"] = verdict_names[static_cast<std::size_t>(entry.verdict)];
    kernel["values"] = entry.values;
    if (!entry.code.empty())
      kernel["error"] = {{"code", entry.code}, {"message", entry.message}, {"place", entry.place}};
    report["kernels"].push_back(std::move(kernel));
  }
  for (Verdict verdict : {Verdict::Compiles, Verdict::NeedsValues, Verdict::Unsupported})
    report["totals"][std::string(verdict_names[static_cast<std::size_t>(verdict)])] = count(entries, verdict);
  // A path may have bytes that are no UTF-8; they are replaced.
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

ExitCode report_numba(Session& session) {
  // Python is started in the folder of a project, or in its `src`, and finds its packages there.
  Options with_folders = session.options;
  for (const std::string& word : session.options.words)
    for (const std::string& folder : {word, word + "/src"}) {
      std::error_code unknown;
      if (fs::is_directory(folder, unknown)) with_folders.include_dirs.push_back(folder);
    }
  CompileOptions options = compile_options(with_folders, session.diagnostics);
  if (session.diagnostics.has_errors()) return ExitCode::WrongUse;
  options.find_module = remember_found(std::move(options.find_module));
  std::vector<Entry> entries;
  std::size_t files = 0;
  for (const std::string& word : session.options.words) {
    std::string why;
    for (const std::string& file : files_below(word, why))
      files += report_file(session, options, file, entries);
    if (!why.empty()) session.diagnostics.report({}, diag::cannot_read_file, word, why);
  }
  bool as_json = session.options.diagnostics == "json";
  session.streams.out << (as_json ? json_of(entries, files) : text_of(entries, files));
  return session.diagnostics.has_errors() ? ExitCode::WrongUse : ExitCode::Done;
}

} // namespace kern
