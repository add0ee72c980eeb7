// Reads a text token by token, since what a message writes has source texts and no tree: brackets, strings and numbers are
// passed over, and of the operators that are left the loosest counts.
#include "compiler/check/brackets.h"

#include <algorithm>
#include <cctype>

namespace kern::checker {

namespace {

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Reader {
public:
  explicit Reader(std::string_view text) : text_(text) {}

  Binding loosest() {
    while (at_ < text_.size()) read();
    return loosest_;
  }

private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  // An operand ends here.
  void end(std::size_t place) { at_ = place, is_operand_ = true; }

  void take(Binding binding, std::size_t length) {
    loosest_ = std::min(loosest_, binding);
    at_ += length;
    is_operand_ = false;
  }

  void read() {
    char c = peek();
    if (std::isspace(static_cast<unsigned char>(c)) != 0)
      ++at_;
    else if (c == '\'' || c == '"')
      end(end_of_string(at_));
    else if (c == '(' || c == '[' || c == '{')
      end(end_of_brackets());
    else if (is_digit(c) || (c == '.' && is_digit(peek(1))))
      end(end_of_number());
    else if (is_letter(c))
      read_word();
    else
      read_operator(c);
  }

  std::size_t end_of_string(std::size_t place) const {
    char quote = text_[place++];
    while (place < text_.size() && text_[place] != quote) place += text_[place] == '\\' ? 2 : 1;
    return std::min(place + 1, text_.size());
  }

  std::size_t end_of_brackets() const {
    int depth = 0;
    for (std::size_t place = at_; place < text_.size();) {
      char c = text_[place];
      if (c == '\'' || c == '"') {
        place = end_of_string(place);
        continue;
      }
      depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
      ++place;
      if (depth == 0) return place;
    }
    return text_.size();
  }

  std::size_t end_of_number() const {
    bool is_hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    std::size_t place = at_;
    while (place < text_.size()) {
      char c = text_[place], before = place > at_ ? text_[place - 1] : '\0';
      bool is_sign = (c == '+' || c == '-') && (before == 'e' || before == 'E') && !is_hex;
      if (!is_letter(c) && c != '.' && !is_sign) break;
      ++place;
    }
    return place;
  }

  void read_word() {
    std::size_t place = at_;
    while (place < text_.size() && is_letter(text_[place])) ++place;
    std::string_view word = text_.substr(at_, place - at_);
    if (word == "if" || word == "else" || word == "lambda") return take(Binding::Choice, word.size());
    if (word == "or") return take(Binding::Or, word.size());
    if (word == "and") return take(Binding::And, word.size());
    if (word == "not" && !is_operand_) return take(Binding::Not, word.size());
    if (word == "not" || word == "in" || word == "is") return take(Binding::Comparison, word.size());
    end(place);
  }

  void read_operator(char c) {
    bool is_double = peek(1) == c;
    switch (c) {
    case '+':
    case '-': return take(is_operand_ ? Binding::Sum : Binding::Sign, 1);
    case '~': return take(Binding::Sign, 1);
    case '*': return take(is_double ? Binding::Power : Binding::Product, is_double ? 2 : 1);
    case '/':
    case '%':
    case '@': return take(Binding::Product, is_double ? 2 : 1);
    case '<':
    case '>':
      return take(is_double ? Binding::Shift : Binding::Comparison, is_double || peek(1) == '=' ? 2 : 1);
    case '=':
    case '!': return take(Binding::Comparison, 2);
    case '&': return take(Binding::BitAnd, 1);
    case '^': return take(Binding::BitXor, 1);
    case '|': return take(Binding::BitOr, 1);
    case ':':
    case ',': return take(Binding::Choice, 1);
    default: ++at_; // a dot
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_operand_ = false; // what was read last
  Binding loosest_ = Binding::Primary;
};

} // namespace

Binding binding_of(ast::BinaryOp op) {
  switch (op) {
  case ast::BinaryOp::BitOr: return Binding::BitOr;
  case ast::BinaryOp::BitXor: return Binding::BitXor;
  case ast::BinaryOp::BitAnd: return Binding::BitAnd;
  case ast::BinaryOp::ShiftLeft:
  case ast::BinaryOp::ShiftRight: return Binding::Shift;
  case ast::BinaryOp::Add:
  case ast::BinaryOp::Subtract: return Binding::Sum;
  case ast::BinaryOp::Multiply:
  case ast::BinaryOp::Divide:
  case ast::BinaryOp::FloorDivide:
  case ast::BinaryOp::Modulo:
  case ast::BinaryOp::MatrixMultiply: return Binding::Product;
  case ast::BinaryOp::Power: return Binding::Power;
  }
  return Binding::Primary;
}

Binding binding_of(std::string_view text) {
  // A text that is too long for a message may be anything.
  return text == "..." ? Binding::Choice : Reader(text).loosest();
}

std::string bracketed(std::string_view text, Binding least) {
  std::string result(text);
  return binding_of(text) < least ? "(" + result + ")" : result;
}

// Beside a shift, sums and products are bracketed too: which of them binds more tightly is not known by heart.
static Binding least_beside(ast::BinaryOp op, Binding least) {
  return binding_of(op) == Binding::Shift ? Binding::Sign : least;
}

static Binding next(Binding binding) { return static_cast<Binding>(static_cast<int>(binding) + 1); }

// A power takes the one to its right first, and a sign stands before it.
std::string left_operand(std::string_view text, ast::BinaryOp op) {
  return bracketed(text, op == ast::BinaryOp::Power ? Binding::Primary : least_beside(op, binding_of(op)));
}

std::string right_operand(std::string_view text, ast::BinaryOp op) {
  return bracketed(text, op == ast::BinaryOp::Power ? Binding::Sign : least_beside(op, next(binding_of(op))));
}

} // namespace kern::checker
