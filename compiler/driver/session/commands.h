// The commands of kernc, and what they share. Each returns the exit code; what they say goes through Session.
#pragma once

#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostics.h"
#include "compiler/diagnostics/render.h"
#include "compiler/driver/session/compilation.h"
#include "compiler/driver/session/options.h"
#include "compiler/driver/session/streams.h"

namespace kern {

// One command: its options, its own diagnostics (files, options, arguments), and how things are said.
struct Session {
  Streams& streams;
  Options options;
  Diagnostics diagnostics; // of E08xx; those of a source are in its Compilation
  SourceManager no_sources;

  // Writes the session's own diagnostics that were not written yet.
  void flush();
  // Writes the diagnostics of a compilation.
  void write(Compilation& compilation);
  // Writes one diagnostic.
  void write(const Diagnostic& diagnostic, const SourceManager& sources);
  // Writes what each phase took, where --time-report asks for it.
  void write_times(const Compilation& compilation);

  std::size_t written = 0;
};

ExitCode compile_command(Session& session);
ExitCode check_command(Session& session);
ExitCode run_command(Session& session);
ExitCode help_command(const std::vector<std::string>& words, Streams& streams);
ExitCode explain_command(const std::vector<std::string>& words, Streams& streams);
ExitCode builtins_command(const std::vector<std::string>& words, Streams& streams);
ExitCode doctor_command(const std::vector<std::string>& words, Streams& streams);
ExitCode devices_command(const std::vector<std::string>& words, Streams& streams);
ExitCode cache_command(const std::vector<std::string>& words, Streams& streams);

// Reads FILE (`-` is the standard input) into a new compilation with the session's options; nothing where an
// error was reported.
std::unique_ptr<Compilation> open_source(Session& session, const std::string& file);
// The same with options that were made before.
std::unique_ptr<Compilation> open_source(Session& session, CompileOptions options, const std::string& file);
// Returns the options that --sig, -D, -I, --dialect and kin make; what is wrong is reported.
CompileOptions compile_options(const Options& options, Diagnostics& diagnostics);
// Returns what --target, --arch, -O, -g and kin make.
TargetOptions target_options(const Options& options, Target target);

} // namespace kern
