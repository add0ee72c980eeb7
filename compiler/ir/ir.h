// The intermediate representation: monomorphic functions, every name resolved, every conversion written,
// builtins identified, the dialect's choices made. Control flow stays structured; values live in typed
// mutable slots; operands are flat (a slot or a constant), so an expression has neither effects nor control
// flow. Tuples are gone: a tuple is its elements. Complex numbers are gone as well, but as elements of arrays and
// parameters of kernels: one is its two parts. A subscript is one guard per axis and an access; `and`,
// `or`, conditional and chained expressions are ifs. An array value is {base, extents, strides in elements}
// with static element type, rank and address space.
//
// Everything here is a plain value: copying a Function or a Module copies it whole, and a pass edits a copy
// or in place. Nothing in a module points at a part of one; analyses that map statements by their address are
// of one copy.
// Meanings that every phase relies on:
//   integers wrap; shifts use the low bits of their count; FloorDivide and Modulo follow Python's sign (a
//   Check for zero stands before them where the dialect wants one, otherwise x // 0 and x % 0 are 0); Convert
//   from float to integer saturates and gives 0 for NaN; comparisons are of one type; floats compare ordered,
//   NotEqual unordered; a slot holds zero until its first assignment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "compiler/builtins/builtins.h"
#include "compiler/support/source.h"
#include "compiler/types/types.h"
#include "kern/expression.h"

namespace kern::ir {

enum class SlotId : std::uint32_t {};
enum class FunctionId : std::uint32_t {};
enum class SiteId : std::uint32_t {};
enum class SharedId : std::uint32_t {};
enum class ConstantId : std::uint32_t {};
// Whose code or variable something is: 0 is the function's own, n what came with its n-th inlined call.
enum class ScopeId : std::uint32_t {};

// Returns the place of what an id names, in the list that has all of its kind.
template <class Id>
  requires std::is_enum_v<Id>
constexpr std::size_t index_of(Id id) {
  return static_cast<std::size_t>(id);
}

// A variable, a parameter or a temporary of a function; a scalar or an array.
struct Slot {
  enum class Kind : std::uint8_t {
    Param,
    Variable, // assigned any number of times
    Temp,     // assigned exactly once, before every use, in the same or an enclosing body
  };
  std::string name; // as written; "" for a Temp
  Type type;
  Kind kind;
  Span span; // of its first appearance
  ScopeId scope{};
};

// A slot, or a scalar constant: integers sign- or zero-extended to 64 bits, floats as the bits of an f64,
// bool 0 or 1; of a complex number `bits` is the real part, and `imag` the other one.
struct Operand {
  Type type = types::error;
  std::optional<SlotId> slot;
  std::uint64_t bits = 0;
  std::uint64_t imag = 0;
  bool operator==(const Operand&) const = default;
};

// Return a constant operand of a scalar type.
Operand constant_int(Type type, std::int64_t value);
Operand constant_float(Type type, double value);
Operand constant_bool(bool value);
Operand constant_complex(Type type, double real, double imag);
// Rounds to a float type, to nearest even, once.
double round_to_type(Type type, double value);
// Return the value of a constant operand.
std::int64_t int_value(const Operand& constant);
double float_value(const Operand& constant);
// Returns a part of a complex one, 0 the real and 1 the imaginary one, as a constant of the part's type.
Operand part_of(const Operand& constant, int part);

enum class UnaryOp : std::uint8_t { Negate, BitNot, Not };
enum class BinaryOp : std::uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide, // floats only
  FloorDivide,
  Modulo,
  ShiftLeft,
  ShiftRight,
  BitAnd,
  BitOr,
  BitXor,
};
enum class CompareOp : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

// ---- Expressions: the right-hand side of an Assign; pure ----

// a
struct Copy {
  Operand value;
};
// -a, ~a, not a
struct Unary {
  UnaryOp op;
  Operand value;
};
// a + b; both and the result are of one type (shifts: the count may be another integer type)
struct Binary {
  BinaryOp op;
  Operand left, right;
};
// a < b; the result is bool
struct Compare {
  CompareOp op;
  Operand left, right;
};
// a as a value of the type of the slot that is assigned
struct Convert {
  Operand value;
};
// then_value if condition else else_value; both are evaluated already
struct Select {
  Operand condition, then_value, else_value;
};
// a * b + c, rounded once
struct Fma {
  Operand a, b, c;
};
// A builtin with effects Pure or Thread
struct CallPure {
  Builtin builtin;
  std::vector<Operand> args;
};
// The extent of an axis, i64
struct Extent {
  Operand array;
  int axis;
};
// The stride of an axis in elements, i64
struct Stride {
  Operand array;
  int axis;
};
// How many bytes the address of the first element lies beyond a multiple of `bytes`, a power of 2; i64
struct Misalignment {
  Operand array;
  int bytes;
};

// One axis of the array that a View is taken of.
struct ViewAxis {
  enum class Kind : std::uint8_t {
    Index, // the axis goes; `start` is the index, guarded before
    Range, // the axis stays: `count` elements from `start`, `step` apart; clamped before, count >= 0
  };
  Kind kind;
  Operand start, count, step; // i64; count and step of a Range only
};
// A part of an array, without copying
struct View {
  Operand array;
  std::vector<ViewAxis> axes;
  // Selects only the real (0) or the imaginary (1) parts of complex elements, as an array of floats.
  std::optional<int> part = {};
};
// The elements of an array from its first one on, by other extents and strides: what is transposed, reshaped
// or has an axis more. No index that is in range leaves the array. Where the slot's elements are of another
// type they are the array's bits: of wider ones the first lies where such an element may, and so do those that a stride away
struct Restride {
  Operand array;
  std::vector<Operand> extents, strides; // i64; strides in elements of the slot's type
};
// The shared array with that id; extents are i64, constants unless it is dynamic: then they are values of the
// launch, as those of an aliased one are
struct SharedArray {
  SharedId id;
  std::vector<Operand> extents;
};
// A fresh array of this thread, filled with zeros each time the statement runs
struct LocalArray {
  std::vector<std::int64_t> extents;
};
// The constant array with that id
struct ConstantArray {
  ConstantId id;
};

using Expr = std::variant<Copy, Unary, Binary, Compare, Convert, Select, Fma, CallPure, Extent, Stride,
                          Misalignment, View, Restride, SharedArray, LocalArray, ConstantArray>;

// ---- Statements ----

struct Stmt;
using Body = std::vector<Stmt>;

// slot = expr
struct Assign {
  SlotId slot;
  Expr value;
};
// The request of an access to the caches of a GPU, by the names of PTX: loads take ca to cv, stores take cg,
// cs and the last two. It changes no value, and no other target knows it.
enum class CacheHint : std::uint8_t { None, Ca, Cg, Cs, Lu, Cv, Wb, Wt };
std::string_view name(CacheHint hint); // "" where there is none

// slot = array[indices], which are guarded before; i64, or i32 where every place in the array, and each sum of
// products of an index and a stride on the way there, fits one (CUDA form only: the pass narrow_gpu)
struct Load {
  SlotId slot;
  Operand array;
  std::vector<Operand> indices;
  bool is_polled = false; // a loop waits for it to change: it is loaded each time
  CacheHint hint = CacheHint::None;
};
// array[indices] = value
struct Store {
  Operand array;
  std::vector<Operand> indices;
  Operand value;
  CacheHint hint = CacheHint::None;
};
// slot = atomic builtin on array[indices]; args are what follows the index in its signature
struct Atomic {
  std::optional<SlotId> slot;
  Builtin builtin;
  Operand array;
  std::vector<Operand> indices, args;
};
// slot = builtin with effects Block, Warp, Fence or Effect
struct CallEffect {
  std::optional<SlotId> slot;
  Builtin builtin;
  std::vector<Operand> args;
  std::optional<SiteId> site = {}; // of a barrier inside of a Segment
};
// results = function(args), tuples flattened on both sides
struct Call {
  std::vector<SlotId> results;
  FunctionId function;
  std::vector<Operand> args;
};
// print(...): texts and args alternate, starting with a text (perhaps empty)
struct Print {
  std::vector<std::string> texts;
  std::vector<Operand> args;
  SiteId site;
};

// The state of a guard: whether its test is needed, proved or asserted.
enum class GuardState : std::uint8_t {
  Kept,   // tested where it stands
  Empty,  // likewise, but fails only where the axis has no element: that is all there is to test
  Proved, // never fails; nothing is emitted
  Shadow, // proved, and emitted as an assertion that must never fire
};
// The place at which the condition of a guard is tested (transform/defer_guards.cpp).
enum class GuardForm : std::uint8_t {
  InPlace,  // where the guard stands
  Hoisted,  // before the loop, for all of its iterations
  Deferred, // behind the loop; `index` is one that reads element 0 instead of none
};
// Faults unless 0 <= index < extent(array, axis); index is i64
struct Guard {
  Operand array;
  int axis;
  Operand index;
  SiteId site;
  GuardState state = GuardState::Kept;
  std::string proof = {};
  GuardForm form = GuardForm::InPlace;
  Span loop = {}; // before or behind which it is tested
};
// Faults unless an integer type holds value, which is an integer of any type: what stands before a Convert to a type
// that may not hold it
struct Fit {
  Operand value;
  Type type;
  SiteId site;
  GuardState state = GuardState::Kept; // never Empty
  std::string proof = {};
  GuardForm form = GuardForm::InPlace; // never Hoisted
  Span loop = {};                      // behind which it is tested
};
// Faults with the site's kind unless the condition holds; the contract's index where it is one
struct Check {
  Operand condition;
  SiteId site;
  std::optional<std::uint32_t> contract;
};

// if condition: ... else: ...
struct If {
  Operand condition;
  Body then_body, else_body;
  // `then_body` holds a loop as it was written, for when its copy met something bad: it is seldom run, and
  // passes leave it as it is.
  bool is_rerun = false;
};
// while: runs `head`, which computes `condition`, then `body` while it is true; `continue` goes to `head`
struct While {
  Body head;
  Operand condition;
  Body body;
};
// for: `count` (i64, at most 0 for none) times, variable = start + k * step at the start of the k-th; the
// body may assign the variable without changing what follows. In a variable narrower than 64 bits that never
// wraps. With `stop` (i64) this is range(start, stop, step), whose step is positive, and `count` says the
// same. `unroll` is a wish, which changes no result: how many rounds stand one behind the other; 0 where the program
// has none
struct For {
  SlotId variable;
  Operand start, step, count;
  Body body;
  std::optional<Operand> stop = {};
  std::uint32_t unroll = 0;
};
// The value of `unroll` for all rounds, whose number is a constant
inline constexpr std::uint32_t unroll_all = UINT32_MAX;
struct Break {};
struct Continue {};
// return values; the thread leaves a kernel
struct Return {
  std::vector<Operand> values;
};

// CPU form only (transform/segments.cpp): code between block barriers, run for every vector of the block's
// threads before what follows; of a kernel whose threads meet Apart, all of it
struct Segment {
  Body body;
};

struct Stmt {
  using Node = std::variant<Assign, Load, Store, Atomic, CallEffect, Call, Print, Guard, Fit, Check, If,
                            While, For, Break, Continue, Return, Segment>;
  Node node;
  Span span;
  ScopeId scope{};

  // Defined in stmt.cpp: copying and destroying seventeen kinds is much code, which each file that holds a
  // list of statements would have again.
  Stmt() = default;
  Stmt(Node what, Span where, ScopeId whose = {});
  Stmt(const Stmt&);
  Stmt(Stmt&&) noexcept;
  Stmt& operator=(const Stmt&);
  Stmt& operator=(Stmt&&) noexcept;
  ~Stmt();
};

// ---- Functions and modules ----

// assert at the head of a kernel: checked on the host once per launch.
struct Contract {
  kern::Expression condition; // over the kernel's parameters, blockDim and gridDim
  SiteId site;
};

// A number of the launch that one variant of a kernel is made for: what an integer or bool parameter is given, or the
// threads of a block along an axis.
struct Specialization {
  std::optional<SlotId> param; // nothing: the block
  int axis = 0;                // of the block
  std::int64_t value = 0;      // of a u64 its bits
};

struct KernelOptions {
  std::optional<std::array<std::int64_t, 3>> block; // @kernel(block=(x, y, z))
  std::int64_t max_threads = 0;                     // launch_bounds; 0 where not given
  std::int64_t min_blocks = 0;
  std::int64_t max_registers = 0;
  bool fast_math = false;
  std::vector<Specialization> specializations = {};
};

// How the threads of a block that have not left come to a barrier of the block.
enum class Meeting : std::uint8_t {
  Together, // all by the same way
  Leaving,  // likewise, while others of their warp may still be on another way out
  Apart,    // each by its own way: nothing is proved
};

// A call whose callee stands in its place, for debuggers.
struct InlinedCall {
  // A parameter, or one of the parts of a tuple, and what holds it: the callee's own slot, or the argument.
  struct Param {
    std::string name;
    Operand value;
  };
  std::string name, symbol; // of the callee
  Span function;            // its name in its definition
  Span call;                // what hands over its results is placed there
  std::optional<Span> last; // its only return, where it has one
  ScopeId caller{};         // 0, or that of an earlier one
  std::vector<Param> params;
};

struct Function {
  std::string name;   // as written
  std::string symbol; // as exported: docs/abi.md, Names
  bool is_kernel = false;
  bool is_uniform = false;   // of the standard library: its results are the same in all threads of a block
  bool is_recursive = false; // one depth of a function that calls itself: transform/recursion.cpp
  std::vector<Slot> slots;   // the parameters come first
  std::uint32_t param_count = 0;
  std::vector<Type> results; // empty for a kernel
  Body body;
  KernelOptions options;
  Meeting meeting = Meeting::Together; // of a kernel
  std::vector<Contract> contracts;
  // The facts that a launch has tested before it takes this variant of a kernel, beside those that the types
  // of the parameters state; and the symbol of the kernel that this is another variant of.
  std::vector<kern::Expression> facts;
  std::string variant_of = {};
  std::vector<InlinedCall> inlined;
  std::string doc;
  Span span; // of the name in its definition
  std::optional<SiteId>
      start_site{}; // of a kernel whose launches may be stopped: of threads that do not begin
};

// A parameter of the source with the slots it became: a scalar or an array one, a tuple several.
struct KernelParam {
  std::string name;
  Type type;
  std::uint32_t first_slot;
};

enum class FaultKind : std::uint8_t {
#define FAULT(Kind, Code, Text) Kind,
#include "kern/faults.def"
};

// The test of a Fit, as that of an index: what it adds to the value, and what the sum is below then, both without a sign; in
// 64 bits, which is what faults are told, or in those of the value. The kind is that of the site: how the value is had back.
struct FitTest {
  std::uint64_t offset, extent;
  FaultKind kind;
};
// Returns how an integer of a type is tested for another one, which does not hold all of its values.
FitTest fit_test(Type value, Type type);
inline FaultKind fit_kind(Type value, Type type) { return fit_test(value, type).kind; }

// A place that can fault, or print; inlining copies it and adds the call.
struct Site {
  FaultKind kind;
  Span span;
  std::string array; // the array as written ("y", "tile"); the message of an assert
  std::string
      param; // the kernel's parameter that it may be a view of; "" where there is none or it is not one
  std::vector<Span> calls; // innermost first
  FunctionId function{};   // that holds it before inlining
};

struct SharedDecl {
  std::string name;
  ScalarKind element;
  std::vector<std::int64_t> extents;     // static; empty for a dynamic one
  std::vector<kern::Expression> dynamic; // the extents over the kernel's parameters, for the host
  bool aliased = false;                  // Numba's shared.array(0, T)
  std::int64_t alignment = 16;           // bytes
  Span span;
};

struct ConstantDecl {
  std::string name;
  ScalarKind element;
  std::vector<std::int64_t> extents;
  std::vector<std::uint64_t> values; // as an Operand's bits, in C order; two for a complex element
};

struct Module {
  TypeTable types;
  std::vector<Function> functions;
  std::vector<std::vector<KernelParam>> params; // of each function, parallel to `functions`
  std::vector<Site> sites;
  std::vector<SharedDecl> shared;
  std::vector<ConstantDecl> constants;
  // A thread with a bad index goes on: it reads zero and writes nothing. A guard then proves nothing.
  bool clamps = false;
  bool cancellable = false; // a launch may be told to end (transform/polls.cpp)

  Function& function(FunctionId id) { return functions[static_cast<std::size_t>(id)]; }
  const Function& function(FunctionId id) const { return functions[static_cast<std::size_t>(id)]; }
};

} // namespace kern::ir
