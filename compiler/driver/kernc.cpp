// The first word chooses the command; a word that is no command is a file to compile.
#include <cerrno>
#include <cstring>

#include "compiler/diagnostics/driver.h"
#include "compiler/driver/session/commands.h"
#include "kern/version.h"

namespace kern {

static ExitCode with_options(Command command, std::span<const std::string> words, Session& session) {
  session.options = parse_options(command, words, session.diagnostics);
  if (session.options.help) {
    session.streams.out << (command == Command::Compile ? help_text() : help_text(command));
    return ExitCode::Done;
  }
  ExitCode code = ExitCode::WrongUse;
  if (!session.diagnostics.has_errors()) {
    switch (command) {
    case Command::Compile: code = compile_command(session); break;
    case Command::Check: code = check_command(session); break;
    case Command::Run: code = run_command(session); break;
    case Command::Embedded: break; // of programs, not of kernc
    }
  }
  session.flush();
  return code;
}

static ExitCode run_command(std::span<const std::string> words, Session& session) {
  Streams& streams = session.streams;
  if (words.empty()) {
    streams.err << help_text();
    return ExitCode::WrongUse;
  }
  std::string first = words[0];
  std::vector<std::string> rest(words.begin() + 1, words.end());
  if (first == "check") return with_options(Command::Check, rest, session);
  if (first == "run") return with_options(Command::Run, rest, session);
  if (first == "help") return help_command(rest, streams);
  if (first == "explain") return explain_command(rest, streams);
  if (first == "builtins") return builtins_command(rest, streams);
  if (first == "devices") return devices_command(rest, streams);
  if (first == "doctor") return doctor_command(rest, streams);
  if (first == "cache") return cache_command(rest, streams);
  if (first == "--version") {
    streams.out << "kernc " KERN_VERSION_STRING "\n";
    return ExitCode::Done;
  }
  return with_options(Command::Compile, words, session);
}

ExitCode run_kernc(std::span<const std::string> words, Streams& streams) {
  Session session{streams, {}, Diagnostics(), {}};
  const ExitCode code = run_command(words, session);
  if (streams.out.rdbuf()->pubsync() == 0) return code;
  session.diagnostics.report({}, diag::cannot_write_file, "<stdout>", std::strerror(errno));
  session.flush();
  return code == ExitCode::Done ? ExitCode::WrongUse : code;
}

} // namespace kern
