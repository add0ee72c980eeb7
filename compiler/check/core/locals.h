// Reading and assigning the names that a function binds.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

// Returns what is written meanwhile into a body that may be passed by.
ir::Body conditional_body(Checker& checker, const std::function<void()>& write);

// ---- checker.cpp ----
Local* find_local(Checker& checker, std::string_view name);

// ---- locals.cpp ----
// Returns the name of a part of a tuple: "t.0", of a record "p.x".
std::string part_name(std::string_view whole, Type type, std::size_t index);
Value read_local(Checker& checker, Local& local, Span span);
void assign_local(Checker& checker, Local& local, const Value& value, const ast::Node& site, Span span,
                  bool consume = true);
void note_assignment(Checker& checker, Local& local, const Value& value, const ast::Node& site, Span span);
void bind(Checker& checker, Local& local, const Value& value, const ast::Node& site);
bool fits_slot(Checker& checker, const Local& local, const Value& value);
void copy_leaves(Checker& checker, Value& value); // what it is now, whatever is assigned later
Value slots_value(Checker& checker, Local& local, Type type, Span span);
// Says whether a value goes into a type; `rounds`: also an integer into a float that rounds it.
bool converts_deep(Checker& checker, const Value& value, Type type, bool rounds = true);

// Returns where a name is bound outside of functions; nothing where it is not (checker.cpp).
std::optional<Span> bound_outside(const Checker& checker, std::string_view name);

// Asks for versions of all variables where what must be a constant is none: of one that is assigned several times the
// assignment that is read there may be one (versions.h).
void want_versions(const Checker& checker);

} // namespace kern::checker
