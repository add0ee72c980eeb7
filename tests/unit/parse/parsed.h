// A text, parsed, with all that its tree refers to.
#pragma once

#include <string>

#include <fmt/format.h>

#include "compiler/ast/print.h"
#include "compiler/lex/lex.h"
#include "compiler/parse/parse.h"

namespace kern {

struct Parsed {
  SourceManager sources;
  Diagnostics diagnostics;
  Arena arena;
  const ast::Module* module = nullptr;

  // Lexes and parses a text as one file.
  explicit Parsed(std::string text, TopLevel top_level = TopLevel::Strict) {
    FileId file = sources.add("test.kern", std::move(text));
    std::vector<Token> tokens = lex(sources, file, diagnostics);
    module = parse(sources, file, tokens, top_level, arena, diagnostics);
  }
  Parsed(const Parsed&) = delete;

  // Returns the codes reported, in their order, separated by blanks.
  std::string codes() const {
    std::string out;
    for (const Diagnostic& diagnostic : diagnostics.all())
      (out += out.empty() ? "" : " ") += diagnostic.row->code;
    return out;
  }

  // Returns what was reported, a line each: "line:column text".
  std::string messages() const {
    std::string out;
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      Location place = sources.locate(diagnostic.span.value_or(Span{}));
      out += fmt::format("{}:{} {}\n", place.line, place.column, diagnostic.message);
    }
    return out;
  }
};

} // namespace kern
