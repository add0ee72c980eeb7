// Reports what becomes of the kernels of a whole project of `.py` files: `kernc check --numba-report
// PATH...`.
#pragma once

#include "compiler/driver/session/commands.h"

namespace kern {

// Checks each kernel of the files, and of the `.py` files in the folders, that the words of the session name, and
// writes a line for each with totals: as text, or as JSON with --diagnostics=json.
ExitCode report_numba(Session& session);

} // namespace kern
