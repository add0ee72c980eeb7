// What is said of values: their types in words, and where these come from.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Says whether a value is the one that is being unpacked; returns its source then, else its own.
bool is_unpacked(const Checker& checker, const Value& value);
std::string_view source_of(const Checker& checker, const Value& value);
// Adds where the type of a value comes from, if it is that of a local or of an array's elements.
bool note_origin(Checker& checker, Report& report, const Value& value, std::optional<Type> wanted = {});
bool note_origin(Checker& checker, Report& report, Span place, Type type);
void note_operands(Checker& checker, Report& report, const Value& left, const Value& right);
// Adds how the number of a character is written, for each that is a string of one.
void note_characters(Checker& checker, Report& report, std::span<const Value> values);
std::optional<Type> type_of(const Reporter& reporter, const Value& value); // of what a slot can hold
std::string describe(const Reporter& reporter, const Value& value); // "i32", "the literal 3", "a function"

} // namespace kern::checker
