// Looks for statements that a function's code has many times: a loop over a tuple wrote them out, or inlining
// did. Such statements have one place in the source.
#include "compiler/emit/large.h"

#include <algorithm>
#include <map>

#include "compiler/diagnostics/emit.h"
#include "compiler/emit/optimize.h"
#include "compiler/ir/walk.h"

namespace kern::emitting {

namespace {

using Place = std::tuple<FileId, std::uint32_t, std::uint32_t>;

struct Repeated {
  Span span;
  std::size_t times = 0;
};

// Returns the place whose statements are there most often, of equals the longest. One expression makes several
// statements, so only those of one kind are counted together.
Repeated most_repeated(const ir::Function& function) {
  std::map<std::pair<Place, std::size_t>, std::size_t> counts;
  Repeated most;
  ir::walk(function.body, [&](const ir::Stmt& stmt) {
    if (stmt.span == Span{}) return;
    Place place{stmt.span.file, stmt.span.begin, stmt.span.end};
    std::size_t kind = stmt.node.index() * 64;
    if (const auto* assign = std::get_if<ir::Assign>(&stmt.node)) kind += assign->value.index();
    std::size_t times = ++counts[{place, kind}];
    auto length = [](Span span) { return span.end - span.begin; };
    bool more = times > most.times || (times == most.times && length(stmt.span) > length(most.span));
    if (more) most = {stmt.span, times};
  });
  return most;
}

const ir::Function* find_function(const ir::Module& module, std::string_view symbol) {
  auto found = std::ranges::find(module.functions, symbol, &ir::Function::symbol);
  return found == module.functions.end() ? nullptr : &*found;
}

bool is_reported(const Diagnostics& diagnostics, std::optional<Span> span) {
  return std::ranges::any_of(diagnostics.all(), [&](const Diagnostic& one) {
    return one.row->code == diag::large.code && one.span == span;
  });
}

void report(const llvm::Function& code, Target target, const ir::Module& module, const SourceManager& sources,
            Diagnostics& diagnostics) {
  constexpr std::size_t often = 16;
  const std::string symbol = code.getName().str();
  const ir::Function* function = find_function(module, symbol);
  std::optional<Span> span = function ? std::optional(function->span) : std::nullopt;
  if (is_reported(diagnostics, span)) return;
  auto warning = diagnostics.report(span, diag::large, function ? function->name : symbol, size_of(code),
                                    most_instructions(target));
  Repeated repeated = function ? most_repeated(*function) : Repeated{};
  if (repeated.times < often) return;
  std::string_view text = sources.text(repeated.span);
  text = text.substr(0, std::min(text.find('\n'), std::size_t{60}));
  warning.note(
      repeated.span,
      "`{}` is in its code {} times: loops over tuples around it are written out, and its function is "
      "put where it is called; a loop over a `range` is not",
      printable(text), repeated.times);
}

} // namespace

void report_large(const llvm::Module& code, Target target, const ir::Module& module,
                  const SourceManager& sources, Diagnostics& diagnostics) {
  for (const llvm::Function& function : code)
    if (is_large(function, target)) report(function, target, module, sources, diagnostics);
}

} // namespace kern::emitting
