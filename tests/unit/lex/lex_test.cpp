// Texts and the kinds of their tokens.
#include <gtest/gtest.h>

#include "compiler/lex/lex.h"

namespace kern {
namespace {

struct Lexed {
  std::string kinds; // separated by blanks, without EndOfFile
  std::string codes;
};

Lexed lexed(std::string text) {
  SourceManager sources;
  Diagnostics diagnostics;
  FileId file = sources.add("test.kern", std::move(text));
  std::vector<Token> tokens = lex(sources, file, diagnostics);
  EXPECT_EQ(tokens.back().kind, TokenKind::EndOfFile);
  Lexed result;
  std::string lines = print(tokens, sources);
  for (std::size_t begin = 0; begin < lines.size(); begin = lines.find('\n', begin) + 1) {
    std::string line = lines.substr(begin, lines.find('\n', begin) - begin);
    line.erase(0, line.find(' ') + 1);
    std::string kind = line.substr(0, line.find(' '));
    if (kind != "EndOfFile") result.kinds += (result.kinds.empty() ? "" : " ") + kind;
  }
  for (const Diagnostic& diagnostic : diagnostics.all())
    (result.codes += result.codes.empty() ? "" : " ") += diagnostic.row->code;
  return result;
}

struct Case {
  std::string text, kinds;
};

TEST(lex, kinds) {
  const Case cases[] = {
      // lines
      {"", ""},
      {"\n\n  # only a comment\n\t\n", ""},
      {"x", "Name Newline"},
      {"x\r\ny\ry", "Name Newline Name Newline Name Newline"},
      {"\xEF\xBB\xBFx\n", "Name Newline"},
      {"x # c\n", "Name Newline"},
      {"\fx\n", "Name Newline"},
      {"x \\\n  y\n", "Name Name Newline"},
      {"x \\\r\n  y\n", "Name Name Newline"},
      {"(x\n\n  # c\n y)\n", "LeftParen Name Name RightParen Newline"},
      {"{[x]\n}\n", "LeftBrace LeftBracket Name RightBracket RightBrace Newline"},
      // blocks
      {"a\n  b\n\n  c\nd\n", "Name Newline Indent Name Newline Name Newline Dedent Name Newline"},
      {"a\n  b\n    c", "Name Newline Indent Name Newline Indent Name Newline Dedent Dedent"},
      {"a\n\tb\n        c\n", "Name Newline Indent Name Newline Name Newline Dedent"}, // refused below
      // names and keywords
      {"défi 变量 _x1 Ω\n", "Name Name Name Name Newline"},
      {"if ifs not_ in None match case type _ print\n",
       "If Name Name In None Name Name Name Name Name Newline"},
      // numbers
      {"0 1_000 0xFF 0XfF 0o17 0b1_0 00\n", "Int Int Int Int Int Int Int Newline"},
      {"1. .5 1.5 1e3 1E-3 1_0.0_1e+1_0 09.5 1.e2\n",
       "Float Float Float Float Float Float Float Float Newline"},
      {"1j 1.5J 010j .5j 1e3j\n", "Imaginary Imaginary Imaginary Imaginary Imaginary Newline"},
      {"1if 1else 0xfor 1.\n", "Int If Int Else Int Or Float Newline"},
      {"1..x ... .. 1...\n", "Float Dot Name Ellipsis Dot Dot Float Dot Dot Newline"},
      // strings
      {"'a' \"b\" '' \"\" 'a\\'b' r'\\\\' 'a\\\nb'\n",
       "String String String String String String String Newline"},
      {"'''a\n'b''c''' \"\"\"\"a\"\"\"\n", "String String Newline"},
      {"u'a' R'a' b'a' Br'a' f'a' rF'a' fb'a'\n",
       "String String Bytes Bytes FString FString Name String Newline"},
      {"f'{x}' f'{{' f'{x:>{w}}' f'{x[\"a\"]}' f\"{f'{x}'}\"\n",
       "FString FString FString FString FString Newline"},
      {"f'{x['a']}' f'{x!r:'>10}' f'''{x:\n}'''\n", "FString FString FString Newline"},
      // punctuation, the longest first
      {"**= ** *= * //= // /= / >>= >> >= > -> -= -\n",
       "StarStarEqual StarStar StarEqual Star SlashSlashEqual SlashSlash SlashEqual Slash "
       "GreaterGreaterEqual "
       "GreaterGreater GreaterEqual Greater Arrow MinusEqual Minus Newline"},
      {":= : == = != ! && &= & || |= | ? ~ ^ ^= @ @= % %= <<= << <= <\n",
       "ColonEqual Colon EqualEqual Equal BangEqual Bang AmpersandAmpersand AmpersandEqual Ampersand BarBar "
       "BarEqual Bar Question Tilde Caret CaretEqual At AtEqual Percent PercentEqual LessLessEqual LessLess "
       "LessEqual Less Newline"},
  };
  for (const Case& row : cases) EXPECT_EQ(lexed(row.text).kinds, row.kinds) << row.text;
}

TEST(lex, errors) {
  const Case cases[] = {
      {"x $ y\n", "E0101"},
      {std::string("x \0 y\n", 6), "E0101"},
      {"“x”\n", "E0101 E0101"},
      {"a\u00A0b\n", "E0101"},
      {"x \xFF\xFE y\n", "E0102"},
      {"x\xC3\n", "E0102"},
      {"'\xFF' # \xFF\n", ""}, // a string is decoded where it is used; a comment never
      {"'abc\n", "E0103"},
      {"'abc\\", "E0103"},
      {"'''abc\n", "E0103"},
      {"f'{x\n\n", "E0103"},
      {"08\n", "E0104"},
      {"1__0 1_ 0x 0b2 1.0f 1_.5 0_ 1.real\n", "E0104 E0104 E0104 E0104 E0104 E0104 E0104 E0104"},
      {"a\n    b\n  c\n", "E0105"},
      {"a\n\tb\n        c\n", "E0106"},
      {"a\n        b\n\tc\n", "E0106"},
      {"x \\ y\n", "E0107"},
      {"x \\", "E0107"},
      {"99999999999999999999999 f'' b''\n", ""}, // the parser refuses these in Kern code
      {"(]})\n", ""},                            // and brackets that do not match
  };
  for (const Case& row : cases) EXPECT_EQ(lexed(row.text).codes, row.kinds) << row.text;
}

// A bracket that is left open does not take the rest of the file with it.
TEST(lex, reads_on_below_an_open_bracket) {
  EXPECT_EQ(lexed("(a\nb\n").kinds, "LeftParen Name Newline Name Newline");
  EXPECT_EQ(lexed("x\n  (a\n  b\nc\n").kinds,
            "Name Newline Indent LeftParen Name Newline Name Newline Dedent Name Newline");
  EXPECT_EQ(lexed("(a,\n  b\ndef f\n").kinds, "LeftParen Name Comma Name Newline Def Name Newline");
  EXPECT_EQ(lexed("(a\n)\nb\n").kinds, "LeftParen Name RightParen Newline Name Newline");
  EXPECT_EQ(lexed("(a,\nb)\n").kinds, "LeftParen Name Comma Name RightParen Newline");
  EXPECT_EQ(lexed("(\n  $\nb\n").codes, "E0101");
}

TEST(lex, prints_places_and_text) {
  SourceManager sources;
  Diagnostics diagnostics;
  FileId file = sources.add("test.kern", "é = 'a\\\nb'\n");
  EXPECT_EQ(print(lex(sources, file, diagnostics), sources), "1:1 Name `é`\n"
                                                             "1:3 Equal `=`\n"
                                                             "1:5 String `'a\\\\nb'`\n"
                                                             "2:3 Newline\n"
                                                             "3:1 EndOfFile\n");
}

TEST(lex, a_source_has_a_largest_size) { EXPECT_EQ(lexed(std::string((16u << 20) + 1, ' ')).codes, "E0502"); }

} // namespace
} // namespace kern
