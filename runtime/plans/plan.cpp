#include "runtime/plans/plan.h"

#include <algorithm>
#include <string_view>

#include "runtime/api/error.h"

namespace kern::algorithms {

std::int64_t Planner::asked(const char* name, std::int64_t standard) const {
  const std::optional<std::int64_t> value = settings_.number(name);
  if (!value && settings_.has(name))
    runtime::fail(KERN_ARGUMENT_ERROR, "`" + std::string(name) + "` is a number here, as `" + name + "=" +
                                           std::to_string(standard) + "`: launches depend on it");
  return value.value_or(standard);
}

std::int64_t Planner::constant(const char* name, std::int64_t standard) {
  constexpr std::int64_t most = std::int64_t(1) << 20, warp = 32;
  const std::int64_t value = asked(name, standard);
  const bool is_block = std::string_view(name).ends_with("THREADS");
  if (value < 1 || value > most || (is_block && value % warp != 0))
    runtime::fail(KERN_ARGUMENT_ERROR, "`" + std::string(name) + "` is " +
                                           (is_block ? "a multiple of 32, " : "") +
                                           "at least 1 and at most " + std::to_string(most) +
                                           ", and is given as " + std::to_string(value));
  if (!settings_.number(name)) plan_.defines.push_back(std::string(name) + "=" + std::to_string(value));
  return value;
}

Operand Planner::make(std::uint32_t type, std::int64_t rows, std::int64_t columns) {
  plan_.made.push_back({type, rows, columns});
  return {Operand::Kind::Made, plan_.made.size() - 1, 0, 0};
}

Step& Planner::launch(const std::string& kernel, std::int64_t size, std::vector<Operand> operands) {
  plan_.steps.push_back({kernel, size, std::move(operands), {}, false});
  return plan_.steps.back();
}

std::vector<Operand> all_given(std::size_t count) {
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < count; ++i) operands.push_back(given(i));
  return operands;
}

kern_argument argument_of(const Plan& plan, const Operand& operand,
                          std::span<const kern_argument> arguments) {
  switch (operand.kind) {
  case Operand::Kind::Given: return arguments[operand.index];
  case Operand::Kind::Made: {
    const MadeArray& made = plan.made[operand.index];
    const std::int64_t extents[] = {made.rows, made.columns};
    return dense_array(made.type, std::span(extents, made.columns >= 0 ? 2 : 1));
  }
  case Operand::Kind::Number: break;
  }
  kern_argument argument =
      scalar_of(operand.number); // little-endian: its first bytes are those of a smaller type
  argument.type = operand.type;
  return argument;
}

std::string signature_of(const Plan& plan, const Step& step, std::span<const kern_argument> arguments,
                         bool dense) {
  std::string text = step.kernel + "(";
  for (const Operand& operand : step.operands) {
    kern_argument each = argument_of(plan, operand, arguments);
    if (!dense) each.strides[0] = 0; // its type says nothing of it
    text += (text.ends_with('(') ? "" : ", ") + parameter_type(each);
  }
  return text + ")";
}

std::string joined(std::span<const std::string> defines) {
  std::string text;
  for (const std::string& each : defines) text += (text.empty() ? "" : ",") + each;
  return text;
}

std::int64_t parts_of(std::int64_t n, std::int64_t each) {
  return std::max<std::int64_t>(n / each + (n % each != 0), 1);
}

} // namespace kern::algorithms
