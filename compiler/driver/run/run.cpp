#include "compiler/driver/commands.h"
namespace kern {
ExitCode run_command(Session& session) {
  session.diagnostics.report({}, diag::internal_error, "`kernc run` is not there yet");
  return ExitCode::Bug;
}
} // namespace kern
