// Literals: where a number ends, and what numbers and strings mean. The lexer asks the first; the parser,
// which alone knows that a literal stands in Kern code and not in host code, asks the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/lex/lex.h"

namespace kern {

struct NumberScan {
  TokenKind kind;           // Int, Float or Imaginary; Invalid where there is a problem
  std::size_t length;       // in bytes
  std::string_view problem; // in words, empty where there is none
};

// Finds the end of the number that a text begins with: its first character is a digit, or a point before a
// digit.
NumberScan scan_number(std::string_view text);

// Returns the value of an Int token; null where it does not fit 64 bits.
std::optional<std::uint64_t> int_value(std::string_view text);

// Returns the value of a Float token or, without its j, of an Imaginary one; infinite where it is too large.
double float_value(std::string_view text);

// The text that a String token stands for, as UTF-8, or what is wrong with the token and where.
struct StringValue {
  std::string text;
  std::string_view problem;      // in words, empty where there is none
  std::size_t problem_begin = 0; // in bytes from the token's begin
  std::size_t problem_length = 0;
};

// Takes the quotes off a String token and resolves its escapes.
StringValue string_value(std::string_view token);

} // namespace kern
