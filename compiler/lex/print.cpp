// Tokens as text: in messages, and for `--emit=tokens`.
#include <fmt/format.h>

#include "compiler/lex/lex.h"

namespace kern {

static constexpr std::string_view descriptions[] = {
#define TOKEN(Kind, Description) Description,
#include "compiler/lex/tokens.def"
};

static constexpr std::string_view names[] = {
#define TOKEN(Kind, Description) #Kind,
#include "compiler/lex/tokens.def"
};

std::string_view describe(TokenKind kind) { return descriptions[static_cast<std::size_t>(kind)]; }

std::string print(const std::vector<Token>& tokens, const SourceManager& sources) {
  std::string out;
  for (const Token& token : tokens) {
    Location place = sources.locate(token.span);
    fmt::format_to(std::back_inserter(out), "{}:{} {}", place.line, place.column,
                   names[static_cast<std::size_t>(token.kind)]);
    bool has_text = token.kind != TokenKind::Newline && token.kind != TokenKind::Indent &&
                    token.span.begin < token.span.end;
    if (has_text) out += " `";
    for (char c : has_text ? sources.text(token.span) : std::string_view()) {
      if (c == '\n')
        out += "\\n";
      else
        out += c;
    }
    out += has_text ? "`\n" : "\n";
  }
  return out;
}

} // namespace kern
