// LLVM's own rules for a module. What breaks one is a bug of ours, and the passes after it may do anything:
// crash, or make code of no meaning.
#include "compiler/emit/verify_module.h"

#include <fmt/format.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/diagnostics/driver.h"

namespace kern::emitting {

// One broken rule often shows in every copy of the code: the first ones say enough.
static constexpr int most_lines = 20;

bool verify_module(const llvm::Module& module, std::string_view phase, Diagnostics& diagnostics) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (!llvm::verifyModule(module, &out)) return true;
  auto builder = diagnostics.report(std::nullopt, diag::internal_error,
                                    fmt::format("LLVM's verifier refuses the code after {}", phase));
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n', most_lines, false);
  if (lines.size() > most_lines) lines.pop_back();
  for (llvm::StringRef line : lines) builder.note("{}", line.trim().str());
  return false;
}

} // namespace kern::emitting
