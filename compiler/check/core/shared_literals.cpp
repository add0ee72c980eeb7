// Each reading of a parameter has a number, which the value keeps as long as nothing else is made of it: what folds a
// literal, compares or returns it leaves a reading without a type.
#include "compiler/check/core/shared_literals.h"

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

} // namespace kern::checker
