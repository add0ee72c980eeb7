// Finds the names of a formula. It is no parser: the compiler reads the text as well, and says what is wrong with it, where.
#include "runtime/algorithms/formula.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "runtime/api/error.h"

namespace kern::algorithms {

namespace {

struct Token {
  std::string_view text;
  int depth; // of brackets around it
  bool is_name() const { return std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_'; }
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The operators with an `=` in them, longest first.
constexpr std::array<std::string_view, 19> operators = {
    "//=", "**=", ">>=", "<<=", "==", "!=", "<=", ">=", ":=", "+=",
    "-=",  "*=",  "/=",  "%=",  "&=", "|=", "^=", "->", "="};
constexpr std::array<std::string_view, 5> comparisons = {"==", "!=", "<=", ">=", "->"};

// Words of the language, modules and what a formula has of its own.
constexpr std::array<std::string_view, 17> words = {"and",    "or",   "not",   "in",   "is",   "if",
                                                    "else",   "True", "False", "None", "math", "cmath",
                                                    "lambda", "np",   "numpy", "std",  "i"};

bool is_assignment(std::string_view token) {
  return token.ends_with('=') && std::ranges::find(comparisons, token) == comparisons.end() && token != ":=";
}

std::vector<Token> tokens_of(std::string_view statement) {
  std::vector<Token> tokens;
  int depth = 0;
  for (std::size_t at = 0; at < statement.size();) {
    const char c = statement[at];
    std::size_t length = 1;
    if (std::isspace(static_cast<unsigned char>(c))) {
      ++at;
      continue;
    }
    if (is_word(c)) {
      while (at + length < statement.size() &&
             (is_word(statement[at + length]) ||
              // The point of a number is a part of it, that of an attribute is none of its name.
              (statement[at + length] == '.' && std::isdigit(static_cast<unsigned char>(c)))))
        ++length;
    } else if (c == '\'' || c == '"') {
      while (at + length < statement.size() && statement[at + length] != c) ++length;
      length = std::min(length + 1, statement.size() - at);
    } else {
      for (std::string_view symbol : operators)
        if (statement.substr(at).starts_with(symbol)) {
          length = symbol.size();
          break;
        }
    }
    const bool closes = c == ')' || c == ']' || c == '}';
    depth -= closes;
    tokens.push_back({statement.substr(at, length), depth});
    depth += c == '(' || c == '[' || c == '{';
    at += length;
  }
  return tokens;
}

class Finder {
public:
  // Notes the names of a statement, and returns whether it assigns to one of the arguments.
  bool visit(std::string_view statement) {
    const std::vector<Token> tokens = tokens_of(statement);
    std::size_t begin = 0; // of what is read
    bool is_result = false;
    const bool declares = tokens.size() > 1 && tokens[0].is_name() && tokens[1].text == ":";
    if (declares) own_.emplace_back(tokens[0].text);
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      if (tokens[at].depth != 0 || !is_assignment(tokens[at].text)) continue;
      if (!declares) is_result = assign(statement, tokens, begin, at) || is_result;
      begin = at + 1;
    }
    for (std::size_t at = begin; at < tokens.size(); ++at)
      if (stands_for_argument(tokens, at)) note(read_, tokens[at].text);
    // What is changed in place is read as well, and comes where it would if it were written out: `y = y + x`.
    for (std::string_view name : std::exchange(changed_, {})) note(read_, name);
    return is_result;
  }

  std::vector<Name> names() const {
    std::vector<Name> all;
    for (const std::string& name : read_) all.push_back({name, true, is_in(written_, name)});
    for (const std::string& name : written_)
      if (!is_in(read_, name)) all.push_back({name, false, true});
    return all;
  }

private:
  static bool is_in(const std::vector<std::string>& list, std::string_view name) {
    return std::ranges::find(list, name) != list.end();
  }
  static void note(std::vector<std::string>& list, std::string_view name) {
    if (!is_in(list, name)) list.emplace_back(name);
  }

  bool stands_for_argument(const std::vector<Token>& tokens, std::size_t at) const {
    const std::string_view text = tokens[at].text;
    if (!tokens[at].is_name() || std::ranges::find(words, text) != words.end() || is_in(own_, text))
      return false;
    const std::string_view before = at > 0 ? tokens[at - 1].text : "";
    const std::string_view behind = at + 1 < tokens.size() ? tokens[at + 1].text : "";
    return before != "." && behind != "(" && !(behind == "=" && tokens[at].depth > 0);
  }

  // Notes what is assigned to, from a token to the operator at `end`.
  bool assign(std::string_view statement, const std::vector<Token>& tokens, std::size_t begin,
              std::size_t end) {
    bool is_result = false;
    for (std::size_t at = begin; at < end; ++at) {
      const std::string_view text = tokens[at].text;
      if (text == "," || text == "(" || text == ")") continue;
      if (!tokens[at].is_name())
        runtime::fail(KERN_ARGUMENT_ERROR, "a formula assigns to names, which stand for whole arrays: `" +
                                               std::string(statement) + "`");
      if (is_in(own_, text)) continue;
      is_result = true;
      note(written_, text);
      if (tokens[end].text != "=") changed_.push_back(text);
    }
    return is_result;
  }

  std::vector<std::string> read_, written_, own_;
  std::vector<std::string_view> changed_; // by the statement at hand
};

std::vector<std::string_view> statements_of(std::string_view text) {
  std::vector<std::string_view> statements;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(";\n"), text.size());
    std::string_view statement = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!statement.empty() && std::isspace(static_cast<unsigned char>(statement.front())))
      statement.remove_prefix(1);
    while (!statement.empty() && std::isspace(static_cast<unsigned char>(statement.back())))
      statement.remove_suffix(1);
    if (!statement.empty()) statements.push_back(statement);
  }
  return statements;
}

} // namespace

std::vector<std::string> names_of(const Formula& formula) {
  std::vector<std::string> names;
  for (const Name& name : formula.names) names.push_back(name.text);
  return names;
}

Formula parse_assignments(std::string_view text) {
  Formula formula;
  Finder finder;
  bool has_result = false;
  for (std::string_view statement : statements_of(text)) {
    has_result = finder.visit(statement) || has_result;
    formula.text += std::string(statement) + "\n";
  }
  if (!has_result)
    runtime::fail(KERN_ARGUMENT_ERROR,
                  "the formula `" + std::string(text) + "` assigns nothing: write `y = ` before it");
  formula.names = finder.names();
  return formula;
}

Formula parse_expression(std::string_view text) {
  Formula formula;
  Finder finder;
  const std::vector<std::string_view> statements = statements_of(text);
  if (statements.size() != 1 || finder.visit(statements[0]))
    runtime::fail(KERN_ARGUMENT_ERROR, "one expression is needed, and `" + std::string(text) + "` is none");
  formula.text = statements[0];
  formula.names = finder.names();
  return formula;
}

} // namespace kern::algorithms
