// Signatures in the decorators of functions, as strings, objects and names of either.
#pragma once

#include <optional>
#include <vector>

#include "compiler/check/core/checker.h"
#include "compiler/check/numba/type_makers.h"

namespace kern::checker {

// The prefixes of the names of files that hold the text of an option.
inline constexpr std::string_view define_file = "<-D ", signature_file = "<signature of ";
// Parses Kern text as an expression, in a file of its own called `name`.
const ast::Expr* parse_text(Context& context, std::string name, std::string text);
// Returns the type that an expression means; reports where it means none.
std::optional<Type> type_of_expr(Context& context, FileScope& file, const ast::Expr& expr,
                                 bool is_text = false);
// Evaluates an expression that must be constant.
Value constant_of_expr(Context& context, FileScope& file, const ast::Expr& expr);

// Returns the types that a signature names: a string, a tuple of types, or a call void(types); nothing,
// reported, where it cannot be read.
std::optional<DeclaredTypes> read_signature(Context& context, FileScope& file,
                                            const WrittenSignature& written);
// Says whether a call of a value of Python is of a type or of void, as `void(int32[:])` is, and not of what makes a type.
bool names_result(const values::Value& callee);

// Returns the types of the parameters of a generated kernel by what a signature at a place declares
// (generated_types.cpp); nothing, reported, where no such kernel can have them.
std::optional<std::vector<Type>> generated_types(Context& context, const ast::FunctionDef& kernel,
                                                 const DeclaredTypes& declared, Span place);

// Says whether a function has so many parameters, and reports where it has not; a signature of the command line
// has no place.
bool has_count(Context& context, const FunctionSymbol& function, std::size_t count,
               std::optional<Span> place);

} // namespace kern::checker
