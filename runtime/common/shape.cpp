// Decisions about a launch that need no device.
#include "runtime/common/shape.h"

#include <fmt/format.h>

namespace kern {

std::array<std::uint64_t, 3> default_block(const std::array<bool, 3>& axes, std::uint64_t most_threads,
                                           std::uint64_t threads) {
  using Block = std::array<std::uint64_t, 3>;
  Block block = axes[2]   ? Block{8, threads < 64 ? 4u : 8u, threads < 64 ? 1 : threads / 64}
                : axes[1] ? Block{16, threads / 16, 1}
                          : Block{threads, 1, 1};
  for (std::size_t axis = 3; axis-- > 0 && most_threads > 0;)
    while (block[0] * block[1] * block[2] > most_threads && block[axis] > 1) block[axis] /= 2;
  return block;
}

std::string value_text(const std::optional<ExpressionValue>& value) {
  if (!value) return "nothing (a division by zero)";
  return value->is_real ? fmt::format("{}", value->real) : fmt::format("{}", value->integer);
}

// The value of an operand, as a number without a sign where the comparison takes it for one.
static std::string operand_text(const Expression& condition, std::size_t index,
                                const ExpressionInput& input) {
  std::optional<ExpressionValue> value = evaluate(condition.operands[index], input);
  bool is_unsigned = value && !value->is_real && condition.type == ExpressionType::U64;
  return is_unsigned ? fmt::format("{}", static_cast<std::uint64_t>(value->integer)) : value_text(value);
}

std::string broken_contract_text(const Expression& condition, const std::string& words,
                                 std::span<const std::string> names, const ExpressionInput& input) {
  std::optional<ExpressionValue> value = evaluate(condition, input);
  if (value && (value->is_real ? value->real != 0 : value->integer != 0)) return "";
  if (condition.op == ExpressionOp::Constant) return words;
  std::string compared = to_string(condition, names);
  std::string text = fmt::format("`{}`", compared);
  bool is_comparison = condition.op >= ExpressionOp::Equal && condition.op <= ExpressionOp::GreaterEqual;
  if (is_comparison && condition.operands.size() == 2)
    text += fmt::format(" with {} on the left and {} on the right", operand_text(condition, 0, input),
                        operand_text(condition, 1, input));
  return words == compared ? text : fmt::format("{} ({})", words, text);
}

} // namespace kern
