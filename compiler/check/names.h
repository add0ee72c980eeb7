// Names to values.
#pragma once

#include "compiler/check/core/checker.h"

namespace kern::checker {

Value read_name(Checker& checker, const ast::Name& name);
// Returns what to write behind `-D` for a captured value, by how it is used.
std::string captured_define(const Checker& checker, const std::string& name, Span span);
Value symbol_value(Checker& checker, FileScope& file, std::string_view name, Symbol& symbol, Span span);
Value host_attribute(Checker& checker, const Value& module, std::string_view name, Span span);
std::optional<Value> host_name(Checker& checker, std::string_view module, std::string_view name, Span span);
std::optional<Value> vocabulary(Checker& checker, std::string_view path, Span span);
void report_not_in_module(Checker& checker, std::string_view name, std::string_view module, Span span);

// Returns what a dotted name of a module is which Kern knows ("numba.cuda.grid", "len"), for whoever reads it.
Value host_path(Checker& checker, std::string_view path, Span span);
// Reports a name of a module that is not there; `define` is what `-D` calls it.
Report report_not_found(Checker& checker, std::string_view name, std::string_view module,
                        const std::string& define, Span span);

} // namespace kern::checker
