// The syntax tree, as the parser made it: arena-allocated and const from then on. It holds what was written,
// nothing that was found out. A node's comment shows its syntax.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <string_view>

#include "compiler/support/source.h"

namespace kern::ast {

enum class Kind : std::uint8_t {
#define EXPR(K, Syntax) K,
#define STMT(K, Syntax) K,
#include "compiler/ast/nodes.def"
};

struct Node {
  Kind kind;
  Span span;
};

struct Expr : Node {};
struct Stmt : Node {};

// Returns the node as a T, or null where it is of another kind.
template <class T> const T* as(const Node* node) {
  return node && node->kind == T::node_kind ? static_cast<const T*>(node) : nullptr;
}
// Returns the node as a T, which it must be.
template <class T> const T& get(const Node& node) {
  assert(node.kind == T::node_kind);
  return static_cast<const T&>(node);
}

using ExprList = std::span<const Expr* const>;
using Block = std::span<const Stmt* const>;

enum class UnaryOp : std::uint8_t { Negative, Positive, Invert, Not };
enum class BinaryOp : std::uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  FloorDivide,
  Modulo,
  Power,
  MatrixMultiply,
  ShiftLeft,
  ShiftRight,
  BitAnd,
  BitOr,
  BitXor,
};
enum class CompareOp : std::uint8_t {
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Is,
  IsNot,
  In,
  NotIn
};
enum class BoolOpKind : std::uint8_t { And, Or };

// Return the operator as it is written: "+", "not", "<=", "and".
std::string_view spelling(UnaryOp op);
std::string_view spelling(BinaryOp op);
std::string_view spelling(CompareOp op);
std::string_view spelling(BoolOpKind op);
// Returns a node kind's name, as `--emit=ast` prints it.
std::string_view name(Kind kind);

#define KERN_AST_NODE(K, Base)                                                                               \
  static constexpr Kind node_kind = Kind::K;                                                                 \
  explicit K(Span where) : Base{{Kind::K, where}} {}

// x
struct Name : Expr {
  KERN_AST_NODE(Name, Expr)
  std::string_view text; // Unicode NFKC is not applied: names compare by their bytes
};

// 255, 0xFF, 0b11, 1_000
struct IntLiteral : Expr {
  KERN_AST_NODE(IntLiteral, Expr)
  std::uint64_t value = 0; // one that does not fit 64 bits is an error of the lexer
};

// 1.5, 1e-3
struct FloatLiteral : Expr {
  KERN_AST_NODE(FloatLiteral, Expr)
  double value = 0;
};

// 2j
struct ImaginaryLiteral : Expr {
  KERN_AST_NODE(ImaginaryLiteral, Expr)
  double value = 0;
};

// True, False
struct BoolLiteral : Expr {
  KERN_AST_NODE(BoolLiteral, Expr)
  bool value = false;
};

// None
struct NoneLiteral : Expr {
  KERN_AST_NODE(NoneLiteral, Expr)
};

// ...
struct EllipsisLiteral : Expr {
  KERN_AST_NODE(EllipsisLiteral, Expr)
};

// 'text'; adjacent ones joined, escapes resolved
struct StringLiteral : Expr {
  KERN_AST_NODE(StringLiteral, Expr)
  std::string_view value;
};

// (target := value)
struct NamedExpr : Expr {
  KERN_AST_NODE(NamedExpr, Expr)
  const Name* target = nullptr;
  const Expr* value = nullptr;
};

// -x, +x, ~x, not x
struct Unary : Expr {
  KERN_AST_NODE(Unary, Expr)
  UnaryOp op{};
  const Expr* operand = nullptr;
};

// x + y
struct Binary : Expr {
  KERN_AST_NODE(Binary, Expr)
  BinaryOp op{};
  Span op_span;
  const Expr* left = nullptr;
  const Expr* right = nullptr;
};

// a < b <= c: operands is one longer than ops
struct Compare : Expr {
  KERN_AST_NODE(Compare, Expr)
  ExprList operands;
  std::span<const CompareOp> ops;
};

// a and b and c: at least two operands
struct BoolOp : Expr {
  KERN_AST_NODE(BoolOp, Expr)
  BoolOpKind op{};
  ExprList operands;
};

// then_value if condition else else_value
struct Conditional : Expr {
  KERN_AST_NODE(Conditional, Expr)
  const Expr* condition = nullptr;
  const Expr* then_value = nullptr;
  const Expr* else_value = nullptr;
};

// name=value, in a call; `**value` has no name, and stands outside of functions of a .py file only
struct Keyword {
  std::string_view name;
  Span span;
  const Expr* value = nullptr;
};

// f(a, *t, k=v)
struct Call : Expr {
  KERN_AST_NODE(Call, Expr)
  const Expr* callee = nullptr;
  ExprList args;
  std::span<const Keyword> keywords;
};

// a[i, j:k]: each index an expression or a Slice; a tuple without parentheses is several indices
struct Subscript : Expr {
  KERN_AST_NODE(Subscript, Expr)
  const Expr* value = nullptr;
  ExprList indices;
};

// i:j:k, each part null where it is not written
struct Slice : Expr {
  KERN_AST_NODE(Slice, Expr)
  const Expr* start = nullptr;
  const Expr* stop = nullptr;
  const Expr* step = nullptr;
};

// a.shape
struct Attribute : Expr {
  KERN_AST_NODE(Attribute, Expr)
  const Expr* value = nullptr;
  std::string_view name;
  Span name_span;
};

// (a, b), and a, b
struct Tuple : Expr {
  KERN_AST_NODE(Tuple, Expr)
  ExprList elements;
};

// [a, b]
struct List : Expr {
  KERN_AST_NODE(List, Expr)
  ExprList elements;
};

// {a, b}
struct Set : Expr {
  KERN_AST_NODE(Set, Expr)
  ExprList elements;
};

// *t
struct Starred : Expr {
  KERN_AST_NODE(Starred, Expr)
  const Expr* value = nullptr;
};

// {a: b, c: d}
struct Dict : Expr {
  KERN_AST_NODE(Dict, Expr)
  ExprList keys;
  ExprList values;
};

// for target in iterable if condition
struct ComprehensionClause {
  const Expr* target = nullptr;
  const Expr* iterable = nullptr;
  ExprList conditions;
};
// [element for ... for ...], (element for ...), {key: element for ...}
struct Comprehension : Expr {
  KERN_AST_NODE(Comprehension, Expr)
  const Expr* key = nullptr; // of a dict
  const Expr* element = nullptr;
  std::span<const ComprehensionClause> clauses;
  bool is_generator = false; // stands in round brackets
};

struct FunctionDef;

// lambda x, y=1: x + y, as a function whose body returns the expression
struct Lambda : Expr {
  KERN_AST_NODE(Lambda, Expr)
  const FunctionDef* function = nullptr;
};

// f(x)
struct ExprStmt : Stmt {
  KERN_AST_NODE(ExprStmt, Stmt)
  const Expr* value = nullptr;
};

// a = b = value: targets from left to right
struct Assign : Stmt {
  KERN_AST_NODE(Assign, Stmt)
  ExprList targets;
  const Expr* value = nullptr;
};

// a += value
struct AugAssign : Stmt {
  KERN_AST_NODE(AugAssign, Stmt)
  const Expr* target = nullptr;
  BinaryOp op{};
  Span op_span;
  const Expr* value = nullptr;
};

// a: f32 = value; the value is null where there is none
struct AnnAssign : Stmt {
  KERN_AST_NODE(AnnAssign, Stmt)
  const Expr* target = nullptr;
  const Expr* annotation = nullptr;
  const Expr* value = nullptr;
};

// if c: ... else: ...; an elif is an If alone in else_body
struct If : Stmt {
  KERN_AST_NODE(If, Stmt)
  const Expr* condition = nullptr;
  Block then_body;
  Block else_body;
};

// while c: ... else: ...
struct While : Stmt {
  KERN_AST_NODE(While, Stmt)
  const Expr* condition = nullptr;
  Block body;
  Block else_body;
};

// for target in iterable: ... else: ...
struct For : Stmt {
  KERN_AST_NODE(For, Stmt)
  const Expr* target = nullptr;
  const Expr* iterable = nullptr;
  Block body;
  Block else_body;
};

// break
struct Break : Stmt {
  KERN_AST_NODE(Break, Stmt)
};

// continue
struct Continue : Stmt {
  KERN_AST_NODE(Continue, Stmt)
};

// pass
struct Pass : Stmt {
  KERN_AST_NODE(Pass, Stmt)
};

// del a, b
struct Delete : Stmt {
  KERN_AST_NODE(Delete, Stmt)
  ExprList targets;
};

// return value; the value is null where there is none
struct Return : Stmt {
  KERN_AST_NODE(Return, Stmt)
  const Expr* value = nullptr;
};

// assert c, message; the message is null where there is none
struct Assert : Stmt {
  KERN_AST_NODE(Assert, Stmt)
  const Expr* condition = nullptr;
  const Expr* message = nullptr;
};

// raise ValueError(message); the value is null where there is none
struct Raise : Stmt {
  KERN_AST_NODE(Raise, Stmt)
  const Expr* value = nullptr;
};

enum class ParamKind : std::uint8_t { Normal, VarArgs }; // VarArgs: *args

// a: T = d
struct Param {
  ParamKind kind{};
  std::string_view name;
  Span span;
  const Expr* annotation = nullptr;    // null where there is none
  const Expr* default_value = nullptr; // null where there is none
};

struct FunctionDef;

// The origin of a kernel that a decorator of Numba generated: what it calls and what the decorator was given.
struct Generated {
  enum class Kind : std::uint8_t {
    Elementwise, // @vectorize
    Generalized, // @guvectorize
    Reduction,   // @cuda.reduce
  };
  Kind kind{};
  const FunctionDef* function = nullptr; // that the kernel calls
  // The names of the axes of each parameter of a generalized one, and how many of the parameters are inputs.
  std::span<const std::span<const std::string_view>> layout;
  std::size_t inputs = 0;
};

// @decorators def name(params) -> returns: body; the docstring stays the first statement of the body
struct FunctionDef : Stmt {
  KERN_AST_NODE(FunctionDef, Stmt)
  ExprList decorators;
  std::string_view name;
  Span name_span;
  std::span<const Param> params;
  const Expr* returns = nullptr;
  Block body;
  const Generated* generated = nullptr; // of a kernel that nobody wrote
};

// @struct class name: fields
struct StructDef : Stmt {
  KERN_AST_NODE(StructDef, Stmt)
  ExprList decorators;
  std::string_view name;
  Span name_span;
  Block body; // AnnAssign, and a docstring
};

// import a.b as c: `module` "a.b", `alias` "c", or "a" where none is written
struct Import : Stmt {
  KERN_AST_NODE(Import, Stmt)
  std::string_view module;
  std::string_view alias;
  bool is_renamed = false; // `as` is written
};

// name as alias, in a from-import; "*" for all
struct ImportedName {
  std::string_view name;
  std::string_view alias;
  Span span;
};

// from a.b import c as d, e; a leading dot of a relative import stays in `module`
struct FromImport : Stmt {
  KERN_AST_NODE(FromImport, Stmt)
  std::string_view module;
  Span module_span;
  std::span<const ImportedName> names;
};

#undef KERN_AST_NODE

// What host code that could not be parsed does with a name, as far as its tokens tell.
struct NameUse {
  enum class Kind : std::uint8_t {
    Mention,      // may change an object behind it
    SetAttribute, // name.attribute = ...; "*" of `setattr(name, ...)`
    Bind,         // binds it, in whatever way; the name "*" stands for any name
  };
  Kind kind{};
  std::string_view name;
  std::string_view attribute; // that is set; of a mention the one behind the name
  Span span;
};

struct Module;

// One clause of a compound statement of the host.
struct HostClause {
  enum class Kind : std::uint8_t { If, Else, Try, Except, Finally, With, For, While, Case };
  Kind kind{};
  Span head;
  // What `if` and `while` ask, a `for` goes over and a `with` enters, and of the first `case` what `match` asks, where it
  // could be parsed.
  const Expr* subject = nullptr;
  const Expr* target = nullptr;  // of `for`, and behind `as` of `with`
  std::span<const NameUse> uses; // of a head that could not be parsed, and of `case`
  const Module* code = nullptr;  // its statements
};

// A statement of a .py file, whether it is an item or host code.
struct HostStatement {
  enum class Kind : std::uint8_t { Plain, Function, Class };
  Kind kind{};
  Span span;
  std::string_view name; // of a function or class
  Span name_span;
  bool is_item = false;                // stands in Module::items too
  bool is_jit = false;                 // a function that its decorators give to Numba
  std::string_view why;                // a function is no item
  std::span<const NameUse> uses;       // where it could not be parsed, or its head
  Block simple;                        // a simple statement that is no item, where it could be parsed
  const Module* code = nullptr;        // inside of a function or class
  std::span<const HostClause> clauses; // of another compound statement
  std::span<const Param> params;       // of a function
  ExprList decorators;                 // of a function that is no item, or a class, where all could be parsed
  const Expr* head =
      nullptr;    // `A(B, metaclass=M)` of a class, or `A`; null where it or a decorator could not be parsed
  ExprList bases; // of a class
  bool is_enum = false;                          // a class whose base is an enumeration
  std::span<const std::string_view> outer_names; // of `global` and `nonlocal`
  bool is_nonlocal = false;
};

// One file, or a block of host code: imports, constants (Assign, AnnAssign; in a .py file AugAssign too), structs and
// functions, in their order. `statements` are all of a .py file, for the order in which names are bound.
struct Module {
  FileId file{};
  Block items;
  std::span<const HostStatement> statements;
};

} // namespace kern::ast
