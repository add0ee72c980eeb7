// Each reading of a parameter has a number, which the value keeps as long as nothing else is made of it: what folds a
// literal, compares or returns it leaves a reading without a type.
#include "compiler/check/shared_literals.h"

#include <algorithm>

namespace kern::checker {

bool takes_shared_type(const Value& value) { return is_literal(value) && value.type == types::float_literal; }

void note_reading(Checker& checker, const Value& value, Type type) {
  if (value.reading == 0) return;
  Type& met = checker.literal_readings[value.reading - 1].type;
  met = met == types::unknown || met == type ? type : types::error;
}

void find_literal_types(const Checker& checker, Instance& instance) {
  instance.literal_types.assign(instance.args.size(), types::unknown);
  for (std::size_t i = 0; i < instance.args.size(); ++i) {
    const Local* param = &instance.locals[instance.function->def->params[i].name];
    Type type = types::unknown;
    for (const LiteralReading& reading : checker.literal_readings) {
      if (reading.param != param) continue;
      bool is_new = type == types::unknown || reading.type == type;
      type = is_new && reading.type != types::unknown ? reading.type : types::error;
    }
    if (type == types::f32 || type == types::f64) instance.literal_types[i] = type;
  }
}

// Returns the calls that differ from one in literals alone.
static LiteralFamily& family_of(Checker& checker, const FunctionSymbol& callee, std::vector<Value> values) {
  for (Value& value : values)
    if (takes_shared_type(value)) value = unknown_value(value.span);
  bool fast = checker.instance->fast_math;
  return checker.context.literal_families[fmt::format("{}{}:{}", fast ? "fast " : "",
                                                      static_cast<const void*>(&callee), key_of(values))];
}

std::vector<Value> share_literals(Checker& checker, const FunctionSymbol& callee,
                                  const std::vector<Value>& values, Span span) {
  if (callee.file->is_numba() || std::ranges::none_of(values, takes_shared_type)) return values;
  LiteralFamily& family = family_of(checker, callee, values);
  std::string key = key_of(values);
  if (family.key.empty()) {
    family.key = key;
    family.first = find_instance(checker.context, callee, values, false, checker.instance, span);
  }
  family.has_several = family.has_several || family.key != key;
  bool is_known = family.first && family.first->literal_types.size() == values.size() &&
                  family.first->state >= Instance::State::Inferred;
  if (!is_known) return values;
  std::vector<Value> shared = values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Type type = family.first->literal_types[i];
    if (type == types::unknown || !takes_shared_type(values[i]) || !literal_fits(values[i].real, type))
      continue;
    if (family.has_several)
      shared[i] = checker.convert_value(values[i], type, Purpose::Argument);
    else
      note_reading(checker, values[i], type);
  }
  return shared;
}

} // namespace kern::checker
