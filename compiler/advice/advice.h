// Writes source texts for messages: what is meant instead of what was written, with as few brackets as Python's precedence allows.
// A text stands for an expression, without brackets around the whole; "..." stands for one that is too long.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/ast/ast.h"
#include "compiler/support/source.h"
#include "compiler/types/types.h"

namespace kern::advice {

// Return an operator with the texts of its operands: `-(a + b)`, `a - (b - c)`.
std::string unary(ast::UnaryOp op, std::string_view operand);
std::string binary(std::string_view left, ast::BinaryOp op, std::string_view right);
// Returns a text that an attribute, an index or arguments may stand behind: `(a + b)` of `a + b`.
std::string primary(std::string_view text);
// Returns an element: `(a or b)[i, j]`.
std::string element(std::string_view array, std::string_view index);
// Returns a call of a function, which may be any expression: `f(x)`, `(f or g)(x)`.
std::string call(std::string_view function, std::string_view args);
// Returns a text cast to a type: `u64(n)`, or `n != 0` for a bool.
std::string cast(std::string_view text, Type type);
// Returns a declaration: `x: f32 = ...`.
std::string declaration(std::string_view name, Type type, std::string_view value = "...");
// Returns the call of an atomic, whose `prefix` is "cuda." in a .py file: `atomic.add(a, (i, j), x)`.
std::string atomic(std::string_view prefix, std::string_view name, std::string_view array,
                   std::string_view index, std::string_view value);
// Returns the indices of an element as an atomic takes them: `i`, and `(i, j)` of several.
std::string index(std::span<const std::string> indices);
// Returns the index in an element of an array as it is written, `i, j` of `m[i, j]`, for an atomic; nothing of any other text.
std::optional<std::string> index_in(std::string_view element, std::string_view array);
// Returns the name in `target op= name`, whose target stands at a place; nothing where another expression stands there.
std::optional<std::string> name_behind(const SourceManager& sources, Span target);
// Returns the source of an expression with another text for a part of it, on one line.
std::string replaced(const SourceManager& sources, Span whole, Span part, std::string_view text);

} // namespace kern::advice
