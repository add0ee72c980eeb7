// kernc help, explain, builtins: what the tables say, for people.
#include <algorithm>

#include "compiler/builtins/builtins.h"
#include "compiler/diagnostics/driver.h"
#include "compiler/driver/session/commands.h"
#include "compiler/driver/session/messages.h"
#include "compiler/support/nearest.h"

namespace kern {

static ExitCode wrong_use(Streams& streams, const Diagnostic& diagnostic) {
  streams.err << "kernc: " << render(diagnostic, SourceManager(), {});
  return ExitCode::WrongUse;
}

static ExitCode fail(Streams& streams, const Diagnostics& diagnostics) {
  return wrong_use(streams, diagnostics.all().front());
}

ExitCode help_command(const std::vector<std::string>& words, Streams& streams) {
  if (words.empty()) {
    streams.out << help_text();
    return ExitCode::Done;
  }
  for (auto [name, command] : {std::pair("run", Command::Run), std::pair("check", Command::Check)})
    if (words.size() == 1 && words[0] == name) {
      streams.out << help_text(command);
      return ExitCode::Done;
    }
  Diagnostics diagnostics;
  diagnostics.report({}, diag::bad_command_line,
                     "write `kernc help`, `kernc help run` or `kernc help check`");
  return fail(streams, diagnostics);
}

ExitCode explain_command(const std::vector<std::string>& words, Streams& streams) {
  Diagnostics diagnostics;
  if (words.size() != 1) {
    diagnostics.report({}, diag::bad_command_line, "give one code, as in `kernc explain E0101`");
    return fail(streams, diagnostics);
  }
  std::vector<std::string_view> names;
  for (const DiagnosticRow* row : all_diagnostics()) {
    names.push_back(row->code);
    // A warning is known by its flag too.
    if (row->code != words[0] && row->name != words[0]) continue;
    std::string_view text = row->explanation;
    while (text.starts_with('\n')) text.remove_prefix(1);
    streams.out << fmt::format("{}[{}]: {}\n\n{}", row->severity == Severity::Error ? "error" : "warning",
                               row->code, pattern_text(row->text), text);
    return ExitCode::Done;
  }
  auto builder = diagnostics.report({}, diag::unknown_code, words[0]);
  if (std::string_view similar = most_similar(words[0], names); !similar.empty())
    builder.note("did you mean `{}`?", similar);
  return fail(streams, diagnostics);
}

ExitCode builtins_command(const std::vector<std::string>& words, Streams& streams) {
  bool found = false;
  std::vector<std::string_view> names;
  for (const BuiltinRow& builtin : all_builtins()) {
    if (builtin.name.starts_with('_')) continue; // for the checker alone
    names.push_back(builtin.name);
    if (!words.empty() && builtin.name.find(words[0]) == std::string_view::npos) continue;
    found = true;
    streams.out << fmt::format("{}\n    {}\n", builtin.signature, builtin.doc);
  }
  if (found) return ExitCode::Done;
  Diagnostics diagnostics;
  auto builder = diagnostics.report({}, diag::unknown_builtin, words[0]);
  if (std::string_view similar = most_similar(words[0], names); !similar.empty())
    builder.note("did you mean `{}`?", similar);
  return fail(streams, diagnostics);
}

} // namespace kern
