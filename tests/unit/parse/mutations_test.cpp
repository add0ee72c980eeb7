// Any text, however broken, gives tokens, a tree and errors at places inside the file.
#include <gtest/gtest.h>

#include <random>

#include "compiler/diagnostics/render.h"
#include "tests/unit/parse/parsed.h"

namespace kern {
namespace {

constexpr std::string_view sample = R"(# 'é'
"""A module."""
import numpy as np
from a.b import (c as d, e)
TILE, N = 16, 0x_ff + 1_0.5e-3j
Image: type = u8[:, ::1]

@struct
class P:
    x: f32
    y: f32

@device
def g(x: f32, k=2.0, *rest) -> f32:
    """Says "so"."""
    return x ** -k if x < k <= 3 else not x

@cuda.jit(block=(TILE, 1))
def f(src: f32[:, :], dst):
    tile = shared.array((TILE, TILE + 1), f32); i = 0
    col, *row = grid(2)
    for i, j in enumerate(range(0, N, 2)):
        while True and i is not None or j not in row:
            if src[i, j:2, ...] == 1: break
            elif f(*row, k=1): continue
            else:
                dst[i] += tile[(i,
                    j)] \
                    // 3
    assert col >= 0, 'a' "b\n\x41"
    x: i32 = -1; y = z = x
    raise ValueError("no")

if __name__ == "__main__":
    print(f"{x!r:>{w}}", {1: [y for y in z]}, lambda: (yield))
)";

void expect_sound(const std::string& text) {
  for (TopLevel top_level : {TopLevel::Strict, TopLevel::Host}) {
    Parsed parsed(text, top_level);
    ASSERT_NE(parsed.module, nullptr);
    EXPECT_FALSE(ast::print(*parsed.module).empty());
    for (const Diagnostic& diagnostic : parsed.diagnostics.all()) {
      ASSERT_TRUE(diagnostic.span && diagnostic.span->begin <= diagnostic.span->end) << text;
      ASSERT_LE(diagnostic.span->end, text.size()) << text;
      EXPECT_FALSE(render(diagnostic, parsed.sources, {}).empty());
    }
  }
}

TEST(mutations, the_sample_is_python) {
  EXPECT_EQ(Parsed(std::string(sample), TopLevel::Host).messages(), "");
}

TEST(mutations, truncated_anywhere) {
  for (std::size_t size = 0; size < sample.size(); ++size) expect_sound(std::string(sample.substr(0, size)));
}

TEST(mutations, without_any_one_character) {
  for (std::size_t at = 0; at < sample.size(); ++at) expect_sound(std::string(sample).erase(at, 1));
}

TEST(mutations, seeded) {
  static constexpr std::string_view pieces[] = {
      "(",       ")",      "[",    "]",      "{",      "}",     "\n", "\n    ", "\t",        "\\", "\"",
      "'",       "\"\"\"", "f'{",  "#",      ":",      "=",     ":=", "def ",   "class ",    "@",  "else:",
      "lambda ", "\xFF",   "\xC3", "é",      "“",      "0x",    "1_", "*",      "**",        ",",  ";",
      "->",      "!",      "&&",   "return", "import", "async", "\r", "\f",     "match x:\n"};
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text(sample);
    for (std::size_t count = 1 + random() % 6; count > 0; --count) {
      std::size_t at = random() % (text.size() + 1);
      switch (random() % 4) {
      case 0: text.erase(at, random() % 20); break;
      case 1: text.insert(at, pieces[random() % std::size(pieces)]); break;
      case 2: text.insert(at, 1, static_cast<char>(random())); break;
      case 3: text.insert(at, sample.substr(random() % sample.size(), random() % 60)); break;
      }
    }
    expect_sound(text);
  }
}

} // namespace
} // namespace kern
