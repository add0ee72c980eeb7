// Lets calls of a .kern function with different float literals share an instance: where the body does nothing
// with a literal but convert it to one float type, a number of that type is passed instead of it.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Says whether a value of a parameter is one of whose readings note is to be taken.
bool takes_shared_type(const Value& value);

// Notes what a literal becomes, where it is what was read of a parameter.
void note_reading(Checker& checker, const Value& value, Type type);

// Finds behind a round what the literals became that the instance is for.
void find_literal_types(const Checker& checker, Instance& instance);

} // namespace kern::checker
