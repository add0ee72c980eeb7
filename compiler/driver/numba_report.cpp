// Each kernel is checked in a compilation of its own, without types, so that the errors of one are not those of
// another. Names that only Python computes are what `-D` gives; any other error is a construct that Kern lacks.
#include "compiler/driver/numba_report.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "compiler/ast/definitions.h"
#include "compiler/diagnostics/driver.h"
#include "compiler/diagnostics/names.h"
#include "compiler/driver/kernels.h"

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
  if (code == diag::host_value.code || code == diag::captured_value.code) return name_in(diagnostic.message);
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
    // What no value mends counts more than what one does.
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

// Checks one kernel, by its path, in a compilation of its own; false where the file cannot be read any more.
bool report_kernel(Session& session, const CompileOptions& options, const Program& program,
                   const std::string& file, const std::string& path, Span place,
                   std::vector<Entry>& entries) {
  std::unique_ptr<Compilation> alone = open_source(session, options, file);
  if (!alone) return false;
  alone->set_only(path);
  alone->module();
  Entry entry{file, path, program.sources->locate(place).line, Verdict::Compiles, {}, {}, {}, {}, {}};
  judge(entry, *alone);
  entries.push_back(std::move(entry));
  return true;
}

// Kernels inside of other definitions that could not be parsed, at any depth.
void add_refused(std::vector<Entry>& entries, const Program& program, const ast::Module& tree,
                 const std::string& outer, const std::string& file) {
  for (const ast::HostStatement& statement : tree.statements) {
    if (statement.is_item) continue;
    std::string path = outer + std::string(statement.name);
    if (!outer.empty() && statement.is_jit && !statement.why.empty()) {
      Location place = program.sources->locate(statement.name_span);
      Entry entry{file, path, place.line, Verdict::Unsupported, {}, {}, {}, {}, {}};
      entry.code = diag::inner_refused.code;
      entry.cause = diag::inner_refused.name;
      entry.message = fmt::format("`{}` cannot be compiled: {}", path, statement.why);
      entry.place = fmt::format("{}:{}:{}", place.file, place.line, place.column);
      entries.push_back(std::move(entry));
    }
    if (statement.body)
      add_refused(entries, program, *statement.body, statement.name.empty() ? outer : path + ".", file);
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
  const ast::Module& tree = *program->files.front().tree;
  std::vector<ast::Definition> kernels;
  for (const ast::Stmt* item : tree.items)
    if (const auto* function = ast::as<ast::FunctionDef>(item))
      kernels.push_back({std::string(function->name), function});
  for (ast::Definition& inner : ast::inner_definitions(tree)) kernels.push_back(std::move(inner));
  for (const ast::Definition& each : kernels)
    if (is_kernel(*program, *each.function) &&
        !report_kernel(session, options, *program, file, each.path, each.function->name_span, entries))
      return false;
  add_refused(entries, *program, tree, "", file);
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
  CompileOptions options = compile_options(session.options, session.diagnostics);
  if (session.diagnostics.has_errors()) return ExitCode::WrongUse;
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
