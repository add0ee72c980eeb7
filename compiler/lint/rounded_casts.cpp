// Casts of floats that were rounded to an i64 first: a float saturates where it is cast, an integer wraps.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "compiler/advice/advice.h"
#include "compiler/analysis/ranges.h"
#include "compiler/diagnostics/warnings.h"
#include "compiler/ir/definitions.h"
#include "compiler/ir/walk.h"
#include "compiler/lint/lints.h"

namespace kern {
namespace {

using ir::Operand;

// A float that was rounded to an i64: where, unless more is computed with it, and what it is at least, as `max` says.
struct Rounded {
  std::optional<Span> call = {};
  std::optional<std::int64_t> least = {};
};

bool is_constant(const Operand& operand) { return !operand.slot.has_value(); }

// Says whether an operand is a constant that no more than shifts the bounds of a rounded float: no part of a hash.
bool is_small(const Operand& operand) {
  const Wide number = static_cast<std::int64_t>(operand.bits);
  return is_constant(operand) && contains(type_interval(types::i32), {number, number});
}

class RoundedCasts {
public:
  RoundedCasts(const ir::Function& function, const SourceManager& sources)
      : sources_(sources), definitions_(function) {
    ir::walk(function.body, [&](const ir::Stmt& stmt) {
      const auto* assign = std::get_if<ir::Assign>(&stmt.node);
      const auto* compare = assign ? std::get_if<ir::Compare>(&assign->value) : nullptr;
      if (!compare) return;
      for (const Operand& operand : {compare->left, compare->right})
        if (operand.slot) compared_.insert(*operand.slot);
    });
  }

  // Reports the cast of what was rounded, where it is one.
  void check(const ir::Stmt& stmt, const Operand& value, Type type, Diagnostics& diagnostics) const {
    const std::optional<Rounded> rounded = rounded_of(value);
    const std::optional<Span> place = argument_of(stmt.span);
    if (!rounded || !place) return;
    const std::string_view text = sources_.text(*place);
    const bool is_long = text.size() > 100 || text.find_first_of("\n#") != text.npos;
    const std::string words(is_long ? "..." : text);
    diagnostics.report(*place, diag::rounded_cast, to_string(type), bit_width(type->scalar), words,
                       saturating(*rounded, words, *place, type));
  }

private:
  std::optional<Rounded> rounded_of(const Operand& value) const {
    // What is compared is probably held between bounds.
    const ir::Stmt* stmt =
        value.slot && !compared_.contains(*value.slot) ? definitions_.sole(*value.slot) : nullptr;
    const auto* assign = stmt ? std::get_if<ir::Assign>(&stmt->node) : nullptr;
    if (!assign) return std::nullopt;
    if (const auto* copy = std::get_if<ir::Copy>(&assign->value)) return rounded_of(copy->value);
    if (const auto* convert = std::get_if<ir::Convert>(&assign->value))
      return is_float(convert->value.type) ? std::optional(Rounded{stmt->span}) : std::nullopt;
    if (const auto* binary = std::get_if<ir::Binary>(&assign->value)) {
      const bool adds = binary->op == ir::BinaryOp::Add || binary->op == ir::BinaryOp::Subtract;
      const auto& [term, other] = is_constant(binary->left) ? std::tie(binary->right, binary->left)
                                                            : std::tie(binary->left, binary->right);
      std::optional<Rounded> sum = adds && is_small(other) ? rounded_of(term) : std::nullopt;
      if (sum) *sum = {};
      return sum;
    }
    const auto* call = std::get_if<ir::CallPure>(&assign->value);
    if (!call || call->builtin != Builtin::Max || call->args.size() != 2) return std::nullopt;
    const auto& [term, bound] = is_constant(call->args[0]) ? std::tie(call->args[1], call->args[0])
                                                           : std::tie(call->args[0], call->args[1]);
    std::optional<Rounded> greatest = is_constant(bound) ? rounded_of(term) : std::nullopt;
    if (greatest) *greatest = {std::nullopt, static_cast<std::int64_t>(bound.bits)};
    return greatest;
  }

  // Returns what is between the brackets of a cast; nothing where there are none.
  std::optional<Span> argument_of(Span cast) const {
    const std::string_view text = sources_.text(cast);
    const std::size_t open = text.find('(');
    if (open == text.npos || !text.ends_with(')')) return std::nullopt;
    const std::size_t first = text.find_first_not_of(" \n", open + 1);
    const std::size_t last = text.find_last_not_of(" \n", text.size() - 2);
    return Span{cast.file, cast.begin + static_cast<std::uint32_t>(first),
                cast.begin + static_cast<std::uint32_t>(last) + 1};
  }

  static std::string saturating(const Rounded& rounded, std::string_view text, Span place, Type type) {
    const bool is_whole = rounded.call == place;
    for (const auto& [call, nearest] : {std::pair<std::string_view, bool>{"round(", true}, {"int(", false}}) {
      if (!is_whole || !text.starts_with(call)) continue;
      const std::string_view real = text.substr(call.size(), text.size() - call.size() - 1);
      return advice::cast(nearest ? advice::call("rint", real) : std::string(real), type);
    }
    const Interval limits = type_interval(type);
    const bool is_above = rounded.least && *rounded.least >= limits.low;
    const std::string low = is_above
                                ? std::string(text)
                                : fmt::format("max({}, {})", text, static_cast<std::int64_t>(limits.low));
    return advice::cast(fmt::format("min({}, {})", low, static_cast<std::int64_t>(limits.high)), type);
  }

  const SourceManager& sources_;
  ir::Definitions definitions_;
  std::set<ir::SlotId> compared_;
};

// Returns the i64 that a statement casts to a type of fewer than 32 bits; null where it does not.
const Operand* cast_operand(const ir::Function& function, const ir::Stmt& stmt) {
  const auto* assign = std::get_if<ir::Assign>(&stmt.node);
  const auto* convert = assign ? std::get_if<ir::Convert>(&assign->value) : nullptr;
  if (!convert || convert->value.type != types::i64) return nullptr;
  const Type type = function.slots[static_cast<std::size_t>(assign->slot)].type;
  return is_integer(type) && bit_width(type->scalar) < 32 ? &convert->value : nullptr;
}

} // namespace

void report_rounded_casts(LintContext& context) {
  std::set<std::pair<FileId, std::uint32_t>> told; // a place in several instances is one
  for (const ir::Function& function : context.module.functions) {
    std::vector<std::pair<const ir::Stmt*, const Operand*>> casts;
    const ir::Fit* fit = nullptr; // of the statement in front: what it checks does not wrap
    ir::walk(function.body, [&](const ir::Stmt& stmt) {
      const Operand* value = cast_operand(function, stmt);
      const bool is_checked = value && fit && fit->value == *value;
      if (value && !is_checked && told.insert({stmt.span.file, stmt.span.begin}).second)
        casts.emplace_back(&stmt, value);
      fit = std::get_if<ir::Fit>(&stmt.node);
    });
    if (casts.empty()) continue;
    const RoundedCasts rounded(function, context.sources);
    for (const auto& [stmt, value] : casts) {
      const ir::SlotId slot = std::get<ir::Assign>(stmt->node).slot;
      rounded.check(*stmt, *value, function.slots[static_cast<std::size_t>(slot)].type, context.diagnostics);
    }
  }
}

} // namespace kern
