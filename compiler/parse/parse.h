// Tokens to a syntax tree. There is always a tree: what cannot be parsed is reported and left out.
#pragma once

#include <span>

#include "compiler/ast/ast.h"
#include "compiler/diagnostics/diagnostics.h"
#include "compiler/lex/lex.h"
#include "compiler/support/arena.h"

namespace kern {

enum class TopLevel : std::uint8_t {
  Strict, // .kern: anything but imports, constants, structs and functions is an error
  Host    // .py: it is host code, which python/ runs and which is never an error
};

// Parses one file. The tree lives in `arena`. What is wrong in a kernel at the top level of a .py file goes to `refused`,
// where there is one: the kernels beside it do not need it.
const ast::Module* parse(const SourceManager& sources, FileId file, std::span<const Token> tokens,
                         TopLevel top_level, Arena& arena, Diagnostics& diagnostics,
                         Diagnostics* refused = nullptr);

// Parses one expression, as `-D NAME=VALUE` and the types of `--sig` need it; null where it is none.
const ast::Expr* parse_expression(const SourceManager& sources, FileId file, std::span<const Token> tokens,
                                  Arena& arena, Diagnostics& diagnostics);

} // namespace kern
