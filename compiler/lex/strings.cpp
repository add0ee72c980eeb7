// The meaning of a string's text: quotes off, escapes resolved, line ends as "\n".
#include "compiler/lex/literals.h"
#include "compiler/support/utf8.h"

namespace kern {

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

namespace {

// Resolves the text between the quotes, from `position` on.
struct Unescaper {
  std::string_view body;
  std::size_t position = 0;
  StringValue value = {};

  void fail(std::size_t begin, std::string_view problem) {
    if (!value.problem.empty()) return;
    value.problem = problem;
    value.problem_begin = begin;
    value.problem_length = position - begin;
  }

  void append_code_point(std::size_t begin, char32_t code) {
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
      return fail(begin, "it names no character of Unicode");
    append_utf8(value.text, code);
  }

  // \xhh, \uhhhh, \Uhhhhhhhh
  void hexadecimal(std::size_t begin, std::size_t count) {
    char32_t code = 0;
    for (std::size_t i = 0; i < count; ++i, ++position) {
      int digit = position < body.size() ? hex_digit(body[position]) : -1;
      if (digit < 0) return fail(begin, "hexadecimal digits are missing");
      code = code << 4 | static_cast<char32_t>(digit);
    }
    append_code_point(begin, code);
  }

  // \o, \oo, \ooo
  void octal(std::size_t begin) {
    char32_t code = 0;
    std::size_t end = begin + 4;
    while (position < body.size() && position < end && body[position] >= '0' && body[position] <= '7')
      code = code << 3 | static_cast<char32_t>(body[position++] - '0');
    append_code_point(begin, code);
  }

  // A line end, however it is written, is "\n".
  void line_end() {
    position += body.substr(position).starts_with("\r\n") ? 2 : 1;
    value.text.push_back('\n');
  }

  void escape() {
    static constexpr std::string_view letters = "abfnrtv\\'\"", meanings = "\a\b\f\n\r\t\v\\'\"";
    std::size_t begin = position++;
    char c = body[position];
    if (c == '\n' || c == '\r') {
      line_end();
      value.text.pop_back(); // a joined line
      return;
    }
    if (c >= '0' && c <= '7') return octal(begin);
    ++position;
    if (std::size_t letter = letters.find(c); letter != std::string_view::npos) {
      value.text.push_back(meanings[letter]);
      return;
    }
    if (c == 'x') return hexadecimal(begin, 2);
    if (c == 'u') return hexadecimal(begin, 4);
    if (c == 'U') return hexadecimal(begin, 8);
    if (c == 'N')
      return fail(begin, "Kern knows no names of characters; write the character or `\\u` and its number");
    value.text.append({'\\', c}); // as Python keeps it
    if (static_cast<unsigned char>(c) >= 0x80) value.text.pop_back(), --position;
  }

  void run(bool raw) {
    while (position < body.size()) {
      char c = body[position];
      if (c == '\r' || c == '\n') {
        line_end();
      } else if (c == '\\' && !raw && position + 1 < body.size()) {
        escape();
      } else {
        CodePoint point = decode_utf8(body.substr(position));
        value.text.append(body.substr(position, point.length));
        position += point.length;
        if (!point.valid) fail(position - 1, "this byte is no UTF-8");
      }
    }
  }
};

} // namespace

StringValue string_value(std::string_view token) {
  std::size_t prefix = token.find_first_of("'\"");
  bool raw = token.substr(0, prefix).find_first_of("rR") != std::string_view::npos;
  bool triple =
      token.size() >= prefix + 6 && token[prefix + 1] == token[prefix] && token[prefix + 2] == token[prefix];
  std::size_t open = prefix + (triple ? 3 : 1);
  Unescaper unescaper{token.substr(open, token.size() - open - (triple ? 3 : 1))};
  unescaper.run(raw);
  unescaper.value.problem_begin += open;
  return std::move(unescaper.value);
}

} // namespace kern
