// Collects the meanings of a file's names: bindings.cpp those that its statements give them, changes.cpp the
// changes that functions of the host may make at any time. names_order.cpp finds a name among them.
#pragma once

#include "compiler/ast/definitions.h"
#include "compiler/check/checker.h"

namespace kern::checker {

// Returns a name that only the host knows, for a reason.
Symbol host_symbol(HostReason reason, Span span, std::uint32_t place, std::string_view text = {});
bool is_import(const Symbol& symbol);
// Says whether two bindings make the same of a name: scripts repeat their imports and settings.
bool is_same(const Symbol& a, const Symbol& b);
// Says whether two names are imported from the same place, by packages that have each other's names too.
bool is_same_import(const Symbol& a, const Symbol& b);
// Returns what a file binds a name to, in the order of its statements; null where it never does.
std::vector<Symbol>* versions_of(FileScope& file, std::string_view name);
// Says whether a name is a list or dict, or holds one: its elements may be changed behind it.
bool is_list(FileScope& file, std::string_view name);
// Says whether a use that may change what a name is, or a part of it, changes a list: the name's own, or an
// element of it.
bool changes_list(FileScope& file, std::string_view name, const ast::NameUse& use);

// The ways in which a use may handle an array.
enum class Handling : std::uint8_t { Reads, Views, Changes };
// Says whether a use may change an object, or give it another name.
Handling handling_of(FileScope& file, const ast::NameUse& use);

} // namespace kern::checker
