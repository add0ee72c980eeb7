// A size cuts the last block short: threads beyond it have left, or pass by the store. Whoever is within it loads what they
// would have stored. What such a thread itself loads is not asked for: mostly it makes nothing of it.
#include <fmt/format.h>

#include "compiler/analysis/shared_touches.h"
#include "compiler/diagnostics/warnings.h"

namespace kern {

bool report_unstored(const SharedTouches& part, const SharedTouches& whole, Diagnostics& diagnostics) {
  const BlockRun& block = part.block();
  if (!block.split()) return false;
  for (const auto& [array, element, load] : part.unstored()) {
    const auto stored = whole.stored().find({array, element});
    if (stored == whole.stored().end() || part.may_be_stored(array)) continue;
    const Touched& by = stored->second;
    const bool is_before =
        by.touch.function != load.touch.function || by.touch.stmt->span.begin < load.touch.stmt->span.begin;
    if (by.thread == load.thread || by.touch.kind != TouchKind::Store || !is_before) continue;
    if (whole.has_stored(array, load.thread) && !part.has_stored(array, load.thread)) continue;
    const bool has_left = block.has_left(by.thread);
    Diagnostics::Builder builder = diagnostics.report(
        load.touch.stmt->span, diag::unstored_shared, describe_touch(load.touch),
        has_left ? "who would have may have left" : "who would have may pass by the store");
    builder.note(by.touch.stmt->span, "{} does not store {} here",
                 has_left ? "who has left" : "who does not pass the condition", describe_touch(by.touch));
    builder.note(block.split()->span,
                 "this decides who {}: in a block of {} threads, thread {} may {} and thread {} {}",
                 has_left ? "leaves" : "stores", block.threads(), load.thread, has_left ? "stay" : "pass",
                 by.thread, has_left ? "leave" : "not");
    builder.note("{}",
                 has_left ? "let all threads of the block stay, those with nothing to give with a value that "
                            "changes nothing: instead of the `return`, put what needs the condition under it"
                          : "let all threads of the block store, those with nothing to give a value that "
                            "changes nothing: in an `else`, or by a conditional expression");
    return true;
  }
  return false;
}

} // namespace kern
