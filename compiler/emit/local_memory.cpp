// LLVM keeps of a place its line and column: the statement that begins there is looked for in the IR.
#include "compiler/emit/local_memory.h"

#include <llvm/IR/DebugInfoMetadata.h>

#include <algorithm>

#include "compiler/diagnostics/emit.h"
#include "compiler/ir/walk.h"

namespace kern::emitting {

namespace {

struct Place {
  Span span;
  const ir::Slot* array = nullptr; // that the statement makes
};

std::optional<Place> find_place(const llvm::DebugLoc& wanted, const ir::Module& module,
                                const SourceManager& sources) {
  if (!wanted) return std::nullopt;
  const llvm::StringRef file = wanted->getFilename();
  std::optional<Place> found;
  for (const ir::Function& function : module.functions) {
    ir::walk(function.body, [&](const ir::Stmt& stmt) {
      if (stmt.span == Span{} || (found && found->array)) return;
      const Location at = sources.locate(stmt.span);
      const bool is_there =
          at.line == wanted.getLine() && at.column == wanted.getCol() && at.file.ends_with(file);
      if (!is_there) return;
      const auto* assign = std::get_if<ir::Assign>(&stmt.node);
      const bool makes = assign && std::holds_alternative<ir::LocalArray>(assign->value);
      if (makes || !found) found = Place{stmt.span};
      if (makes) found->array = &function.slots[static_cast<std::size_t>(assign->slot)];
    });
    if (found && found->array) return found;
  }
  return found;
}

std::string_view reason(Keeps why) {
  switch (why) {
  case Keeps::Index:
    return "an index of it is no constant, even when all loops of constant bound are unrolled";
  case Keeps::Rounds: return "a loop counts its index, and how often that runs is no constant";
  case Keeps::Unrolled: return "a loop counts its index, and `unroll` says that it stays a loop";
  case Keeps::Address: return "it is handed to what is compiled apart";
  case Keeps::Size: return "it has more bytes than a thread has registers";
  case Keeps::Length: return "the loops that count its indices are too long to be unrolled";
  }
  return "";
}

std::string_view remark(Keeps why) {
  switch (why) {
  case Keeps::Index: return "this is the access";
  case Keeps::Rounds:
  case Keeps::Unrolled:
  case Keeps::Length: return "this is the loop";
  case Keeps::Address: return "it is handed on here";
  case Keeps::Size: return "";
  }
  return "";
}

} // namespace

void report_local_memory(std::span<const InMemory> arrays, const ir::Module& module,
                         const SourceManager& sources, Diagnostics& diagnostics) {
  if (!diagnostics.wants(diag::local_memory)) return;
  for (const InMemory& each : arrays) {
    std::optional<Place> array = find_place(each.array, module, sources);
    if (!array) continue;
    const bool is_reported = std::ranges::any_of(diagnostics.all(), [&](const Diagnostic& one) {
      return one.row->code == diag::local_memory.code && one.span == array->span;
    });
    if (is_reported) continue;
    const std::string_view name =
        array->array && !array->array->name.empty() ? array->array->name : sources.text(array->span);
    auto warning = diagnostics.report(array->span, diag::local_memory, name, std::string(reason(each.why)));
    if (std::optional<Place> place = find_place(each.place, module, sources))
      warning.note(place->span, "{}", remark(each.why));
  }
}

} // namespace kern::emitting
