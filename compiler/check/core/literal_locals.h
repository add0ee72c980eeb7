// Locals that are assigned literals alone: their type follows from what they meet.
#pragma once

#include "compiler/builtins/signature.h"
#include "compiler/check/core/checker.h"

namespace kern::checker {

// ---- literal_locals.cpp ----
// Marks what is read of a local as a number whose type follows from that local, or waits.
void mark_read(const Checker& checker, Value& value, Local& local);
// Notes that two operands meet, and that a value meets a type: of an element, a declaration, a parameter.
void note_operands_meet(Checker& checker, const Value& left, const Value& right, bool binds = true);
void note_meeting(Checker& checker, const Value& value, Type type, Span place, bool binds = true);
void note_arguments_meet(Checker& checker, Builtin builtin, const BuiltinMatch& match,
                         const std::vector<Value>& values, Span span);
// Notes the literals that a local is assigned.
void note_literals_of(Local& local, const Value& value);
// Returns the result of an operation on locals that have no type yet; nothing where there is none of them.
std::optional<Value> undecided(Checker& checker, Type type, std::span<const Value* const> operands,
                               Span span);
std::optional<Value> undecided_operation(Checker& checker, ast::BinaryOp op, Type type, const Value& left,
                                         const Value& right, Span span);
std::optional<Value> undecided_call(Checker& checker, Builtin builtin, const BuiltinMatch& match,
                                    const std::vector<Value>& values, Span span);
// Lets a result whose type is that of an operand come from the same locals: for the notes of errors.
void keep_literal_locals(const Checker& checker, Value& result, std::span<const Value* const> operands);

// ---- literal_notes.cpp ----
// Warns where a word is compared as if it could be negative.
void warn_never_negative(Checker& checker, ir::CompareOp op, const Value& left, const Value& right,
                         Span span);
// Adds why a number has the type of a local of literals, and the declaration of another.
bool note_literal_locals(Checker& checker, Report& report, const Value& value, std::optional<Type> wanted);

// Settles the types of locals that only ever met literals, those first that met a type; says whether any was.
bool decide_literals(Context& context, Instance& instance);
// Says whether the numbers of a range of literals are all of an integer type.
bool range_fits(const Value& range, Type type);
// Marks the parts of a value that have the type of a literal: it follows from elsewhere.
void mark_waiting(Value& value);
// Says whether a part of a value of the running program has no type yet but that of a literal.
bool has_open_part(const Value& value);

} // namespace kern::checker
