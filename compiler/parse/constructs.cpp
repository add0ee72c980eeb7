// The Python that is not Kern. Each piece is named, with what to write instead; then its statement is passed
// over, with its block, so that later errors are still found.
#include "compiler/parse/parser.h"

namespace kern {

namespace {

struct Construct {
  TokenKind kind;
  std::string_view what;
  std::string_view instead;
};

} // namespace

static constexpr Construct in_expressions[] = {
    {TokenKind::Lambda, "`lambda`", "write a `@device` function and pass its name"},
    {TokenKind::Yield, "`yield`", "store the values into an array, or call a `@device` function for each"},
    {TokenKind::Await, "`await`", "threads wait for each other with `syncthreads()`"},
    {TokenKind::FString, "an f-string", "`print` takes the values one by one: `print(\"x\", x)`"},
    {TokenKind::Bytes, "a bytes literal", "write its numbers as a tuple: `(0x6B, 0x65)`"},
    {TokenKind::LeftBrace, "a dict or set display", "use a tuple or an array"},
};

static constexpr Construct simple_statements[] = {
    {TokenKind::Global, "`global`", "constants are read without it; what threads share is in an array"},
    {TokenKind::Nonlocal, "`nonlocal`", "return the value from the function that computes it"},
    {TokenKind::Import, "an import inside a function", "write it at the top of the file"},
    {TokenKind::From, "an import inside a function", "write it at the top of the file"},
};

static constexpr Construct compound_statements[] = {
    {TokenKind::Try, "`try`",
     "test with `if` before what may fail; a fault ends its thread and is reported on the host"},
    {TokenKind::With, "`with`", "write its body alone; what a kernel uses ends with the kernel"},
    {TokenKind::Async, "`async`",
     "the threads of a kernel run at the same time already; write a plain `def` or `for`"},
    {TokenKind::Def, "a function inside a function", "move it to the top level as a `@device` function"},
    {TokenKind::At, "a function inside a function", "move it to the top level as a `@device` function"},
    {TokenKind::Class, "a class inside a function", "keep its fields as values of their own, or in a tuple"},
};

template <std::size_t N> static const Construct* find(const Construct (&table)[N], TokenKind kind) {
  for (const Construct& construct : table)
    if (construct.kind == kind) return &construct;
  return nullptr;
}

// Says whether an expression begins here that Kern does not have, and reports it.
bool Parser::refuse_expression() {
  const Construct* construct = find(in_expressions, peek().kind);
  if (construct) not_kern(peek().span, construct->what, construct->instead);
  return construct != nullptr;
}

// The same for a simple statement; `type X = ...` begins with a name.
bool Parser::refuse_simple_statement() {
  if (at(TokenKind::Name) && text(peek()) == "type" && at(TokenKind::Name, 1) &&
      (at(TokenKind::Equal, 2) || at(TokenKind::LeftBracket, 2))) {
    not_kern(peek().span, "a `type` statement", "write a constant at the top level: `Image = u8[:, :]`");
    return true;
  }
  if (at(TokenKind::Name) && text(peek()) == "print" && at(TokenKind::GreaterGreater, 1)) {
    not_kern(cover(peek().span, peek(1).span), "`print >>`", "write `print(x)`");
    return true;
  }
  const Construct* construct = find(simple_statements, peek().kind);
  if (construct) not_kern(peek().span, construct->what, construct->instead);
  return construct != nullptr;
}

// The same for a compound statement, which is passed over.
bool Parser::refuse_compound_statement() {
  if (at_match_statement()) {
    not_kern(peek().span, "a `match` statement", "write `if` and `elif`");
    skip_statement();
    return true;
  }
  const Construct* construct = find(compound_statements, peek().kind);
  if (!construct) return false;
  not_kern(peek().span, construct->what, construct->instead);
  skip_statement();
  return true;
}

// `match` is a plain name unless its line ends in a colon and `case` begins the block below.
bool Parser::at_match_statement() const {
  if (!at(TokenKind::Name) || text(peek()) != "match") return false;
  std::size_t end = 1;
  while (!at(TokenKind::Newline, end) && !at(TokenKind::EndOfFile, end)) ++end;
  return at(TokenKind::Colon, end - 1) && at(TokenKind::Indent, end + 1) && at(TokenKind::Name, end + 2) &&
         text(peek(end + 2)) == "case";
}

} // namespace kern
