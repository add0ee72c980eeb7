// Tests the text that a user sees, to the column.
#include <gtest/gtest.h>

#include "compiler/diagnostics/lex.h"
#include "compiler/diagnostics/render.h"

namespace kern {
namespace {

constexpr auto& row = diag::unexpected_character; // any row will do: "`{0}` begins no token of Kern"

// Renders one error at a range of bytes.
std::string rendered(std::string text, std::uint32_t begin, std::uint32_t end, RenderOptions options = {}) {
  SourceManager sources;
  FileId file = sources.add("f.kern", std::move(text));
  Diagnostics diagnostics;
  diagnostics.report(Span{file, begin, end}, row, "x");
  return render(diagnostics.all()[0], sources, options);
}

constexpr std::string_view head = ": error[E0101]: `x` begins no token of Kern\n";

TEST(render, underlines_the_span) {
  EXPECT_EQ(rendered("one\ntwo + three\n", 10, 15), "f.kern:2:7" + std::string(head) +
                                                        "    2 | two + three\n"
                                                        "      |       ^~~~~\n");
}

TEST(render, widens_tabs) {
  EXPECT_EQ(rendered("\ta\tb", 3, 4), "f.kern:1:4" + std::string(head) +
                                          "    1 |     a   b\n"
                                          "      |         ^\n");
}

TEST(render, counts_wide_characters_twice) {
  EXPECT_EQ(rendered("'漢字' + é + b", 16, 17), "f.kern:1:12" + std::string(head) +
                                                    "    1 | '漢字' + é + b\n"
                                                    "      |              ^\n");
}

TEST(render, replaces_what_a_terminal_should_not_see) {
  EXPECT_EQ(rendered("a\xFF\x1B\r\n", 3, 4), "f.kern:1:4" + std::string(head) +
                                                 "    1 | a\uFFFD\uFFFD\n"
                                                 "      |    ^\n");
}

TEST(render, shows_an_empty_span_and_the_end_of_a_file) {
  EXPECT_EQ(rendered("ab\n", 2, 2), "f.kern:1:3" + std::string(head) + "    1 | ab\n      |   ^\n");
  EXPECT_EQ(rendered("", 0, 0), "f.kern:1:1" + std::string(head) + "    1 | \n      | ^\n");
}

TEST(render, ends_the_underline_with_the_line) {
  EXPECT_EQ(rendered("abc\ndef\n", 1, 6), "f.kern:1:2" + std::string(head) + "    1 | abc\n      |  ^~\n");
}

TEST(render, cuts_long_lines) {
  std::string text = rendered(std::string(5000, 'a'), 2500, 2501);
  EXPECT_LT(text.size(), 500u);
  EXPECT_NE(text.find("    1 | ...aaa"), std::string::npos);
}

TEST(render, puts_notes_at_their_places) {
  SourceManager sources;
  FileId file = sources.add("f.kern", "ab\ncd\n");
  Diagnostics diagnostics;
  diagnostics.report(Span{file, 3, 4}, row, "x").note(Span{file, 0, 2}, "here {}", 1).note("and nowhere");
  EXPECT_EQ(render(diagnostics.all()[0], sources, {}), "f.kern:2:1" + std::string(head) +
                                                           "    2 | cd\n"
                                                           "      | ^\n"
                                                           "f.kern:1:1: note: here 1\n"
                                                           "    1 | ab\n"
                                                           "      | ^~\n"
                                                           "note: and nowhere\n");
}

TEST(render, needs_no_place) {
  SourceManager sources;
  Diagnostics diagnostics;
  diagnostics.report(std::nullopt, row, "x");
  EXPECT_EQ(render(diagnostics.all()[0], sources, {}), std::string(head).substr(2));
}

TEST(render, colors) {
  std::string text = rendered("ab", 0, 2, {.color = true});
  EXPECT_NE(text.find("\x1b[1;31merror[E0101]: \x1b[0m"), std::string::npos);
  EXPECT_NE(text.find("\x1b[1;32m^~\x1b[0m"), std::string::npos);
}

TEST(render, json_is_one_object_a_line) {
  EXPECT_EQ(rendered("one\ntwo\n", 4, 7, {.format = DiagnosticFormat::Json}),
            R"({"severity":"error","code":"E0101","name":"unexpected_character",)"
            R"("message":"`x` begins no token of Kern","file":"f.kern","line":2,"column":1,)"
            R"("end_line":2,"end_column":4,"notes":[]})"
            "\n");
}

TEST(render, json_survives_malformed_text) {
  SourceManager sources;
  FileId file = sources.add("f.kern", "a");
  Diagnostics diagnostics;
  diagnostics.report(Span{file, 0, 1}, row, "\xFF");
  std::string text = render(diagnostics.all()[0], sources, {.format = DiagnosticFormat::Json});
  EXPECT_NE(text.find(R"(`\\xff` begins)"), std::string::npos);
}

} // namespace
} // namespace kern
