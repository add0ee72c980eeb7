// Text to tokens, Python's way: indentation becomes Indent and Dedent, a logical line ends in Newline,
// brackets and a backslash join lines, comments vanish.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diagnostics/diagnostics.h"
#include "compiler/support/source.h"

namespace kern {

enum class TokenKind : std::uint8_t {
#define TOKEN(Kind, Spelling) Kind,
#include "compiler/lex/tokens.def"
};

struct Token {
  TokenKind kind;
  Span span;
};

// Returns the tokens of a file; the last one is EndOfFile. Bad text is reported and skipped.
std::vector<Token> lex(const SourceManager& sources, FileId file, Diagnostics& diagnostics);

// Returns a token kind as messages name it: "`+`", "a name", "the end of the line".
std::string_view describe(TokenKind kind);

// Prints tokens, one a line: `kernc --emit=tokens`.
std::string print(const std::vector<Token>& tokens, const SourceManager& sources);

} // namespace kern
