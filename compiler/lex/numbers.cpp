// Numbers in every form of Python: 1_000, 0xFF, 0o17, 0b1, 1., .5, 1e-3, 2j.
#include <charconv>
#include <cstdlib>
#include <system_error>

#include "compiler/lex/literals.h"

namespace kern {

static bool is_digit(char c, int base) {
  if (base == 16 && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))) return true;
  return c >= '0' && c < '0' + (base < 10 ? base : 10);
}

static bool is_word(char c) {
  bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
  return letter || c == '_' || is_digit(c, 10);
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

namespace {

// Walks over the text of one number.
struct NumberScanner {
  std::string_view text;
  std::size_t position = 0;
  std::string_view problem = {};

  char at(std::size_t offset = 0) const {
    return position + offset < text.size() ? text[position + offset] : '\0';
  }

  // digits = digit ("_"? digit)*; returns how many bytes it took
  std::size_t digits(int base) {
    std::size_t begin = position;
    while (is_digit(at(), base) || at() == '_') {
      if (at() == '_' && (!is_digit(at(1), base) || (position == begin && base == 10)))
        problem = "a `_` stands between two digits";
      ++position;
    }
    return position - begin;
  }

  // prefixed = "0" ("x" | "o" | "b") digits
  TokenKind prefixed(int base) {
    position += 2;
    if (digits(base) == 0) problem = "digits are missing after its first two characters";
    return TokenKind::Int;
  }

  // decimal = digits ("." digits?)? (("e" | "E") ("+" | "-")? digits)? ("j" | "J")? | "." digits ...
  TokenKind decimal() {
    TokenKind kind = TokenKind::Int;
    std::size_t whole = digits(10);
    if (at() == '.') {
      ++position;
      kind = TokenKind::Float;
      if (is_digit(at(), 10)) digits(10);
    }
    std::size_t sign = at(1) == '+' || at(1) == '-';
    if (lower(at()) == 'e' && is_digit(at(1 + sign), 10)) {
      position += 1 + sign;
      digits(10);
      kind = TokenKind::Float;
    }
    if (lower(at()) == 'j') {
      ++position;
      return TokenKind::Imaginary;
    }
    bool zeros = text.substr(0, whole).find_first_not_of("0_") == std::string_view::npos;
    if (kind == TokenKind::Int && text[0] == '0' && !zeros)
      problem = "a decimal number begins with another digit than 0; octal is written `0o17`";
    return kind;
  }

  // Takes what is glued to the number; only a keyword operator may be, as in `1if x else 2`.
  void tail() {
    std::size_t begin = position;
    while (is_word(at())) ++position;
    std::string_view word = text.substr(begin, position - begin);
    for (std::string_view keyword : {"", "and", "else", "for", "if", "in", "is", "not", "or"}) {
      if (word != keyword) continue;
      position = begin;
      return;
    }
    if (!problem.empty()) return;
    problem = is_digit(word[0], 10) ? "its last digits do not belong to its base"
                                    : "a literal has no suffix; for a type of its own write `f32(1)`";
  }
};

} // namespace

NumberScan scan_number(std::string_view text) {
  NumberScanner scanner{text};
  char base = text[0] == '0' ? lower(scanner.at(1)) : '\0';
  TokenKind kind = base == 'x'   ? scanner.prefixed(16)
                   : base == 'o' ? scanner.prefixed(8)
                   : base == 'b' ? scanner.prefixed(2)
                                 : scanner.decimal();
  scanner.tail();
  return {scanner.problem.empty() ? kind : TokenKind::Invalid, scanner.position, scanner.problem};
}

static std::string without_underscores(std::string_view text) {
  std::string digits;
  for (char c : text)
    if (c != '_') digits.push_back(c);
  return digits;
}

std::optional<std::uint64_t> int_value(std::string_view text) {
  char prefix = text.size() > 1 ? lower(text[1]) : '\0';
  int base = prefix == 'x' ? 16 : prefix == 'o' ? 8 : prefix == 'b' ? 2 : 10;
  std::string digits = without_underscores(base == 10 ? text : text.substr(2));
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

double float_value(std::string_view text) {
  std::string digits = without_underscores(text);
  double value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  // from_chars leaves the value alone where it is out of range; strtod tells infinity from zero.
  if (error == std::errc::result_out_of_range) return std::strtod(digits.c_str(), nullptr);
  return value;
}

} // namespace kern
