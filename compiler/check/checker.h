// The checker of one function instance (or of one constant of a module): it evaluates expressions to values
// and writes statements of the IR. Each group of methods has a file of its own, named in the comment above
// it. Private to check/.
#pragma once

#include <fmt/core.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/builtins/signature.h"
#include "compiler/check/check.h"
#include "compiler/check/declared_types.h"
#include "compiler/check/instance.h"
#include "compiler/check/overloads.h"

namespace kern::checker {

struct HostNames; // host_names.h

struct Checker;
struct Context;
struct Target; // targets.h

// What operations on values and calls ask of the code above them, which goes over trees.
struct Hooks {
  void (*infer)(Context&, Instance&);          // rounds.h
  ir::FunctionId (*emit)(Context&, Instance&); // rounds.h
  std::optional<Target> (*find_target)(Checker&, Span place);
  // Calls a function of the module cmath; nothing where the standard library is not there.
  std::optional<Value> (*call_complex)(Checker&, std::string_view function, std::vector<Value> args, Span);
};

// The state that all checkers of a compilation share.
struct Context {
  const Program& program;
  const CheckOptions& options;
  Diagnostics& diagnostics;
  const Hooks& hooks;
  ir::Module module;
  std::vector<std::unique_ptr<FileScope>> files;
  std::map<std::string, std::unique_ptr<Instance>> instances;
  std::unique_ptr<HostNames> host; // what names of .py files are; null where there is none
  std::vector<Instance*> active;   // being inferred or emitted, outer first
  // Rounds that found something new in an instance of a circle of calls that is not its head.
  std::size_t circle_changes = 0;
  std::set<std::tuple<std::string_view, FileId, std::uint32_t>> reported;
  std::map<std::pair<const ast::FunctionDef*, std::size_t>, bool> constant_params; // see constant_params.h
  std::map<std::string, LiteralFamily> literal_families;                           // see shared_literals.h
  std::map<const FunctionSymbol*, std::vector<DeclaredTypes>> declared_types;      // see declared_types.h
  std::optional<std::vector<Overload>> overloads; // of all files, once a call asked for them
  std::deque<ir::ConstantDecl> tables;            // what values of kind Table are, but those of -D
  std::set<std::vector<Local*>> literal_lists;    // see Value::literals
  std::string_view constant_name; // of the constant of a module being evaluated, for the names of records
  std::size_t open_constants = 0; // being evaluated, each for the one before it
  std::size_t statements = 0;     // of the functions emitted so far
  std::size_t steps = 0;          // of the work done so far, in rounds that are thrown away too
  std::optional<Span> too_large;  // where either was more than the limit

  Context(const Program& loaded, const CheckOptions& wanted, Diagnostics& sink, const Hooks& above);
  ~Context();
  std::string_view source(Span span) const { return program.sources->text(span); }
};

// A diagnostic being reported; when it goes, it adds which instance it is about.
class Report {
public:
  Report(Diagnostics::Builder builder, const Instance* instance) : builder_(builder), instance_(instance) {}
  Report(const Report&) = delete;
  ~Report();
  template <class... Args> Report& note(Span span, fmt::format_string<Args...> text, Args&&... args) {
    builder_.note(span, text, std::forward<Args>(args)...);
    return *this;
  }
  template <class... Args> Report& note(fmt::format_string<Args...> text, Args&&... args) {
    builder_.note(text, std::forward<Args>(args)...);
    return *this;
  }
  bool is_kept() const { return builder_.is_kept(); }

private:
  Diagnostics::Builder builder_;
  const Instance* instance_;
};

// Why a value must become another type, for the words of errors.
struct Purpose {
  enum Kind : std::uint8_t { Operand, Assignment, Store, Argument, Param, Return, Index };
  Kind kind;
  // What the value meets or goes into: the other operand, the local, the element, the name of the declared parameter.
  Span place;

  Purpose(Kind why, Span where = {}) : kind(why), place(where) {}
};

// The rounds of a loop over a value: how many there are, and the element of the k-th.
struct Iteration {
  std::optional<std::size_t> fixed_count;           // of a tuple: the loop is unrolled
  std::optional<ir::Operand> bound;                 // i64, of what is zipped with a tuple: it may end before
  ir::Operand count;                                // i64, where nothing is fixed
  std::function<Value(const Value& index)> element; // index: i64, or a literal where the count is fixed
};

// The parts of a slice that are written, evaluated.
struct SliceBounds {
  bool ok = true;
  bool unknown = false;
  std::optional<Value> start, stop, step;
};

// One part of a subscript, evaluated.
struct IndexPart {
  Span span;
  std::optional<Value> index;
  const ast::Slice* slice = nullptr; // or a whole axis, where there is neither
  SliceBounds bounds;
  ir::Operand place;   // of an index, once it is guarded
  bool is_new = false; // an axis of extent 1 that the array does not have
};

// The places that a slice of constants takes: `count` of them from `start` on, `step` apart.
struct ConstantSlice {
  std::int64_t start, step, count;
};

// A tuple, perhaps nested, as an array of constants.
struct ConstantTable {
  std::vector<std::int64_t> extents;
  std::vector<Value> numbers; // in C order
  Type type = types::unknown; // what they join to
};

// An element of a tuple or a row whose elements are assigned to several targets.
struct Unpacked {
  std::string text; // "best[1]"
  Span span;        // of its value: that of the whole, or of the target
  Span target;
  Span whole; // where the tuple or row is read
};

struct ConstantFrame;

struct Checker {
  Context& context;
  FileScope* scope;
  Instance* instance;                   // null for a constant of a module
  const ConstantFrame* frame = nullptr; // the function that is run for it (constant_calls.h)
  const Rules& rules;
  bool names_types = false; // of the text of a signature: types need no import
  bool final = false;       // the round whose IR and diagnostics are kept
  ir::Function function;
  ir::Body* body;
  std::vector<const ir::Body*> outer_bodies; // around it, outermost first
  int depth = 0;                             // conditional bodies around this place
  std::size_t statements = 0;                // emitted, and rounds of unrolled loops
  std::size_t errors = 0;                    // found, reported or not
  bool overflowed = false;
  std::vector<Local*> known_here;       // locals with a `known`, in the order of assignment
  std::map<const Local*, Span> deleted; // by `del` on every path to this place
  std::vector<std::pair<const ast::Node*, ir::SharedId>> shared_ids;
  struct Loop {
    bool has_break = false;
    std::optional<ir::SlotId> stop_flag; // set by a break: of an unrolled loop, and of one with an `else`
  };
  std::vector<Loop> loops;
  std::optional<ir::SlotId> stop_flag;      // of the loop that is checked next
  std::vector<Span> widening;               // literals that made arithmetic of f32 one of f64 (-Wwiden)
  std::string target_name;                  // of the assignment being checked, for the names of shared arrays
  ir::CacheHint hint = ir::CacheHint::None; // of the next access (`_cache_hint`)
  std::optional<Unpacked> unpacked;         // being assigned
  std::vector<LiteralReading> literal_readings;
  bool returns_value = false;
  Span called;                     // the callee being evaluated
  std::optional<Span> bare_return; // the first `return` without a value

  Checker(Context& shared, FileScope* file, Instance* of);
  ~Checker();

  template <class... Args>
  Report report(Span span, const DiagnosticKind<Args...>& kind, std::type_identity_t<Args>... args) {
    Diagnostics& diagnostics = context.diagnostics;
    errors += kind.severity == Severity::Error;
    const Instance* called = kind.severity == Severity::Error ? library_call(span) : nullptr;
    if (called && diagnostics.enabled())
      return report_library_call(*called, span, fmt::format(fmt::runtime(kind.text), args...));
    bool fresh = diagnostics.enabled() && context.reported.insert({kind.code, span.file, span.begin}).second;
    if (!fresh) return {Diagnostics::Builder(diagnostics, -1), nullptr};
    return {diagnostics.report(span, kind, args...), instance};
  }
  // Returns the function of the standard library that the program called, where an error stands in one.
  const Instance* library_call(Span span) const;
  // Reports at the place of the program what is wrong in the library with its arguments.
  Report report_library_call(const Instance& called, Span span, std::string message);
  // Adds where the type of a value comes from, if it is that of a local or of an array's elements.
  bool note_origin(Report& report, const Value& value, std::optional<Type> wanted = {});
  bool note_origin(Report& report, Span place, Type type);
  // Says whether a value is the one that is being unpacked; returns its source then, else its own.
  bool is_unpacked(const Value& value) const { return unpacked && unpacked->span == value.span; }
  std::string_view source_of(const Value& value) const {
    return is_unpacked(value) ? unpacked->text : context.source(value.span);
  }
  void note_operands(Report& report, const Value& left, const Value& right);
  // Adds how the number of a character is written, for each that is a string of one.
  void note_characters(Report& report, std::span<const Value> values);
  // Reports that something has no IR yet.
  Value unsupported(Span span, std::string_view what);

  // ---- emit.cpp: statements and operands; casts.cpp ----
  // Counts a statement, or a round that may leave none; false, reported, where there are too many.
  bool count_statement(Span span);
  // Counts work that may leave no statement; false, reported, where it is too much.
  bool count_steps(std::size_t steps, Span span);
  void emit(decltype(ir::Stmt::node) node, Span span);
  ir::SlotId new_slot(std::string name, Type type, ir::Slot::Kind kind, Span span);
  ir::Operand slot_operand(ir::SlotId slot) const;
  ir::Operand temp(Type type, ir::Expr expr, Span span);
  ir::Operand variable(Type type, Span span); // unnamed, assigned more than once
  void assign(ir::SlotId slot, ir::Operand value, Span span);
  void retarget(ir::SlotId slot, ir::Operand value, Span span);  // assign, where nobody else reads `value`
  ir::Body body_of(const std::function<void()>& write);          // what is written meanwhile
  ir::Body conditional_body(const std::function<void()>& write); // the same, and known values end with it
  // Those fold constants; the operands of a binary one are of one type.
  ir::Operand unary(ir::UnaryOp op, ir::Operand value, Span span);
  ir::Operand binary(ir::BinaryOp op, ir::Operand left, ir::Operand right, Span span);
  ir::Operand pure(Builtin builtin, Type type, std::vector<ir::Operand> args, Span span);
  ir::Operand compare(ir::CompareOp op, ir::Operand left, ir::Operand right, Span span);
  ir::Operand select(ir::Operand condition, ir::Operand yes, ir::Operand no, Span span);
  ir::Operand cast(ir::Operand value, Type type, Span span);       // any scalar to any scalar, by the dialect
  ir::Operand plain_cast(ir::Operand value, Type type, Span span); // as the IR converts; folds constants
  ir::Operand extent(ir::Operand array, int axis, Span span);
  ir::SiteId site(ir::FaultKind kind, Span span, std::string array, const ir::Operand* base = nullptr);
  void check_condition(ir::Operand condition, ir::FaultKind kind, Span span, std::string words);

  // ---- convert.cpp: values to operands of a type; report.cpp: types and words for what values are ----
  std::optional<Type> type_of(const Value& value); // of what a slot can hold
  std::string describe(const Value& value);        // "i32", "the literal 3", "a function"
  ir::Operand convert(const Value& value, Type type, Purpose purpose);
  // Computes what is deferred in a type of floats (power.cpp).
  ir::Operand convert_deferred(const Value& value, Type type, Purpose purpose);
  Value convert_value(const Value& value, Type type, Purpose purpose); // tuples too
  ir::Operand as_operand(const Value& value);                          // in its own or default type
  bool check_index(const Value& value);                                // reports what is no integer
  std::optional<ir::Operand> as_index(const Value& value);             // i64; reports what is no integer
  std::optional<ir::Operand> as_condition(const Value& value);         // bool, by truth
  std::optional<bool> constant_truth(const Value& value);
  Value explicit_cast(Type type, const Value& value, Span span, bool from_python_name = false);
  void flatten(const Value& value, std::vector<ir::Operand>& leaves);

  // ---- joined_types.cpp ----
  std::optional<Type> join_types(Type a, Type b); // of the ends of a conditional
  // Returns what assignments of a local have in common: a bool beside literals says nothing.
  std::optional<Type> join_assigned(Type a, Type b);
  Type default_deep(Type type); // of literals, those in tuples too

  // ---- locals.cpp; find_local in checker.cpp ----
  Local* find_local(std::string_view name);
  Value read_local(Local& local, Span span);
  Value read_slots(Local& local, Span span); // whether or not it is deleted
  void assign_local(Local& local, const Value& value, const ast::Node& site, Span span, bool consume = true);
  void note_assignment(Local& local, const Value& value, const ast::Node& site, Span span);
  void bind(Local& local, const Value& value, const ast::Node& site);
  bool fits_slot(const Local& local, const Value& value);
  void copy_leaves(Value& value); // what it is now, whatever is assigned later
  Value slots_value(Local& local, Type type, Span span);
  Value store_converted(Local& local, const Value& value, Span span, bool consume); // in the local's type
  // Says whether a value goes into a type; `rounds`: also an integer into a float that rounds it.
  bool converts_deep(const Value& value, Type type, bool rounds = true);
  void forget_known(int outer_depth);

  // ---- literal_locals.cpp, literal_notes.cpp ----
  // Marks what is read of a local as a number whose type follows from that local, or waits.
  void mark_read(Value& value, Local& local) const;
  // Notes that two operands meet, and that a value meets a type: of an element, a declaration, a parameter.
  void note_operands_meet(const Value& left, const Value& right, bool binds = true);
  void note_meeting(const Value& value, Type type, Span place, bool binds = true);
  void note_arguments_meet(Builtin builtin, const BuiltinMatch& match, const std::vector<Value>& values,
                           Span span);
  // Notes the literals that a local is assigned.
  void note_literals_of(Local& local, const Value& value);
  // Returns the result of an operation on locals that have no type yet; nothing where there is none of them.
  std::optional<Value> undecided(Type type, std::span<const Value* const> operands, Span span);
  std::optional<Value> undecided_operation(ast::BinaryOp op, Type type, const Value& left, const Value& right,
                                           Span span);
  std::optional<Value> undecided_call(Builtin builtin, const BuiltinMatch& match,
                                      const std::vector<Value>& values, Span span);
  // Lets a result whose type is that of an operand come from the same locals: for the notes of errors.
  void keep_literal_locals(Value& result, std::span<const Value* const> operands) const;
  // Warns where a word is compared as if it could be negative.
  void warn_never_negative(ir::CompareOp op, const Value& left, const Value& right, Span span);
  // Adds why a number has the type of a local of literals, and the declaration of another.
  bool note_literal_locals(Report& report, const Value& value, std::optional<Type> wanted);

  // ---- names.cpp ----
  Value read_name(const ast::Name& name);
  std::optional<std::uint32_t> place_of(Span span) const;
  // Returns what to write behind `-D` for a captured value, by how it is used.
  std::string captured_define(const std::string& name, Span span) const;
  Value symbol_value(FileScope& file, std::string_view name, Symbol& symbol, Span span);
  Value imported_value(FileScope& file, const Symbol& symbol, Span span);
  Value host_attribute(const Value& module, std::string_view name, Span span);
  std::optional<Value> host_name(std::string_view module, std::string_view name, Span span);
  std::optional<Value> vocabulary(std::string_view path, Span span);
  void report_undefined(std::string_view name, Span span);
  void report_not_in_module(std::string_view name, std::string_view module, Span span);

  // ---- expressions.cpp ----
  Value evaluate(const ast::Expr& expr);
  Value evaluate_node(const ast::Expr& expr);
  Value evaluate_place(const ast::Expr& expr); // a record of an array as where it is
  Value bounded(Value tuple);                  // itself; an error where it is too large
  Value evaluate_conditional(const ast::Conditional& expr);
  Value evaluate_bool_op(const ast::BoolOp& expr);
  Value evaluate_condition(const ast::Expr& expr);
  Value evaluate_compare(const ast::Compare& expr);
  Value evaluate_named(const ast::NamedExpr& expr); // assignments.cpp
  Value merge(Span span, ir::Operand condition, const std::function<Value()>& yes,
              const std::function<Value()>& no);

  // ---- operators.cpp ----
  Value unary(ast::UnaryOp op, const Value& operand, Span span);
  Value binary(ast::BinaryOp op, const Value& left, const Value& right, Span span);
  void note_widening(std::span<const Value* const> operands, Type type);
  void report_widening();
  Value typed_binary(ast::BinaryOp op, const Value& left, const Value& right, Span span);
  Value arithmetic(ast::BinaryOp op, const Value& left, const Value& right, Span span);
  ir::Operand convert_through(const Value& value, Type type, Type computed, Span other = {});
  // ---- power.cpp, literals.cpp ----
  Value power(const Value& left, const Value& right, Span span);
  Value literal_operation(ast::BinaryOp op, const Value& left, const Value& right, Span span);
  Value literal_unary(ast::UnaryOp op, const Value& operand, Span span);
  // ---- compare.cpp ----
  Value compare_values(ast::CompareOp op, const Value& left, const Value& right, Span span);

  // ---- subscripts.cpp ----
  Value evaluate_subscript(const ast::Subscript& expr);
  Value dict_item(const Value& dict, const ast::Subscript& expr);
  // An element (its indices guarded) or a view (`array`, then no indices).
  struct Place {
    bool ok = false;
    bool unknown = false; // of a type not inferred yet
    bool is_view = false;
    ir::Operand array;
    std::vector<ir::Operand> indices;
    Type field = types::unknown; // of a scalar in a record of the array, which is at byte `offset`
    std::int64_t offset = 0;
    bool is_record = false; // a record of the array, or one in it: at byte `offset`, of type `record`
    Type record = types::unknown;
    bool is_field() const { return field != types::unknown; }
  };
  // Returns the type of what is at a place.
  static Type type_at(const Place& place) {
    return place.is_field() ? place.field : element_type(place.array.type);
  }
  Place place_of(const Value& array, std::span<const ast::Expr* const> indices, const ast::Expr& base_expr,
                 Span span);
  // The place that an index means, and the fault that its site reports.
  struct IndexPlace {
    ir::Operand place; // i64
    ir::FaultKind fault;
  };
  bool counts_from_end(const Value& index) const; // where it is negative
  IndexPlace array_index(ir::Operand array, int axis, const Value& index);
  // Says whether a constant index may be right, as far as the extent is constant too; reports where not.
  bool check_constant_index(const Value& array, int axis, const Value& index, const ast::Expr& base_expr);
  ir::Operand guarded_index(ir::Operand array, int axis, const Value& index, const ast::Expr& base_expr);
  Value load(const Place& place, Span span);
  Value array_type(const Value& element, const ast::Subscript& expr);
  // Returns the type of an array by what each slice says, Any of `:` and COrder of `::1`; nothing is no slice of a type.
  Value array_type(const Value& element, std::span<const std::optional<Layout>> slices, Span span);

  SliceBounds evaluate_bounds(const ast::Slice& slice);

  // ---- slices.cpp ----
  ir::ViewAxis slice_axis(ir::Operand array, int axis, const SliceBounds& bounds, Span span);
  // Returns which places a slice takes; nothing, reported, where its bounds are not constant.
  std::optional<ConstantSlice> constant_slice(const SliceBounds& bounds, std::int64_t extent, Span span);

  // ---- tuples.cpp ----
  Value tuple_subscript(const Value& base, const ast::Subscript& expr);
  std::optional<ConstantTable> constant_table(const Value& tuple);
  ir::Operand constant_array(const ConstantTable& table, Type element, std::string name, Span span);
  ir::Operand load_constant_element(const Value& element, Type type);
  Value rows_view(const Value& rows);

  // ---- attributes.cpp ----
  Value evaluate_attribute(const ast::Attribute& expr);
  Value attribute(const Value& value, std::string_view name, Span span);
  Value array_extent(const Value& array, int axis, Span span);
  Value array_size(const Value& array, Span span);

  // The arguments of a call, evaluated.
  struct Args {
    std::vector<Value> positional;
    std::vector<std::pair<std::string_view, Value>> keywords;
    std::vector<Span> keyword_spans;
  };

  // ---- array_forms.cpp: what has the elements of an array, without copying ----
  // Returns a.T, a.flat or a method; nothing where it is none.
  std::optional<Value> array_form(const Value& array, std::string_view name, Span span);
  Value call_array_method(const Value& method, const Args& args, Span span);
  Value with_new_axes(const Value& array, const std::vector<int>& before, Span span);

  // ---- plain_functions.cpp, ufuncs.cpp: of Python, NumPy and arrays ----
  // Returns a function of a module ("numpy"), or of Python ("") by its name; nothing where it is none.
  std::optional<Value> plain_function(std::string_view module, std::string_view name, Span span);
  // Returns a method of numbers; nothing where it is none.
  std::optional<Value> number_method(const Value& number, std::string_view name, Span span);
  Value call_method(const Value& method, const Args& args, Span span);
  Value call_ufunc(std::string_view name, const Args& args, Span span);

  // ---- elementwise.cpp ----
  // Stores what `compute` makes of each element of an array and of those of the operands at its place.
  void for_each_element(ir::Operand target, std::span<const Value> operands, Span span,
                        const std::function<Value(const Value&, const std::vector<Value>&)>& compute);
  Value fold_array(Builtin builtin, const Value& array, const std::optional<Value>& start, Span span);

  // ---- dtypes.cpp ----
  // Returns the type that a string names, as NumPy has it; any other value as it is.
  Value as_dtype(const Value& value);

  // ---- statements.cpp, assignments.cpp ----
  bool check_block(ast::Block block); // says whether control can reach its end
  bool check_statement(const ast::Stmt& stmt);
  void check_effect(const ast::Expr& expr); // of an expression that is a statement
  bool check_if(const ast::If& stmt);
  bool check_while(const ast::While& stmt);
  bool check_while_rounds(const ast::While& stmt);
  void check_jump(const ast::Stmt& stmt);
  bool check_return(const ast::Return& stmt);
  void check_assert(const ast::Assert& stmt);
  void check_raise(const ast::Raise& stmt);
  void check_assign(const ast::Assign& stmt);
  void check_delete(const ast::Delete& stmt);
  void check_aug_assign(const ast::AugAssign& stmt);
  void check_ann_assign(const ast::AnnAssign& stmt);
  void assign_target(const ast::Expr& target, const Value& value, const ast::Node& site, bool consume);
  std::optional<std::vector<Value>> unpack(const Value& value, std::size_t count, Span span);
  Value element_at(const Value& array, const Value& index,
                   Span span); // along the first axis; its indices are guarded
  std::optional<Place> target_place(const ast::Expr& target);
  void store(const Place& place, const Value& value, Span span);
  void store_into_view(const Place& place, const Value& value, Span span);

  // ---- loops.cpp; iterables.cpp: what they go over; ranges.cpp ----
  // Checks a loop, whose rounds `check_rounds` writes, with its `else`.
  bool check_loop(ast::Block block, ast::Block else_body, Span span,
                  const std::function<bool()>& check_rounds);
  Loop next_loop() { return {false, std::exchange(stop_flag, {})}; }
  bool check_for(const ast::For& stmt);
  bool check_for_rounds(const ast::For& stmt);
  bool check_for_range(const ast::For& stmt, Value range);
  bool check_for_tuple(const ast::For& stmt, const Iteration& iteration, std::size_t count);
  void bind_target(const ast::Expr& target, const Value& element, bool jumps, std::vector<Local*>& bound);
  void check_loop_body(ast::Block block, ir::Body& inner, const std::function<void()>& prologue);
  std::optional<Iteration> iterate(const Value& iterable);
  std::optional<Iteration> iterate_reversed(const Value& value);
  std::optional<Iteration> iterate_enumerate(const Value& value);
  std::optional<Iteration> iterate_zip(const Value& value);
  struct Range {
    Type type = types::error;
    ir::Operand start, step, count;
    std::optional<ir::Operand> stop; // i64, where the step is known to be positive; not of u64
    std::uint64_t most = any_bits;   // of its numbers, see most_bits()
  };
  // The numbers of a range of literals are of the type that is given.
  std::optional<Range> range_of(const Value& range, std::optional<Type> of_literals = {});
  ir::Operand steps_in(ir::Operand distance, ir::Operand width, Span span);
  // The facts about a distance and the step over it, both of which are i64s.
  struct StepFacts {
    bool near;  // the distance does not wrap
    bool turns; // nor does the negative of the step, where it goes down
  };
  ir::Operand steps_over(ir::Operand distance, ir::Operand step, ir::Operand up, const StepFacts& facts,
                         Span span);
  // The facts about the arguments of a range.
  struct RangeFacts {
    bool ascends; // the step is not negative
    bool narrow;  // they have fewer than 64 bits
    StepFacts steps;
  };
  ir::Operand trip_count(ir::Operand start, ir::Operand stop, ir::Operand step, const RangeFacts& facts,
                         Span span);
  ir::Operand trip_count_unsigned(ir::Operand start, ir::Operand stop, ir::Operand step, Span span);
  ir::Operand frozen(ir::Operand operand, Span span);
  void emit_for(ir::SlotId slot, ir::Operand start, ir::Operand step, ir::Operand count, ir::Body inner,
                Span span, std::optional<ir::Operand> stop = {}, std::uint32_t unroll = 0);

  // ---- calls.cpp ----
  Value evaluate_call(const ast::Call& expr);
  std::optional<Args> evaluate_args(const ast::Call& expr);
  Value call_function(const FunctionSymbol& callee, const Args& args, Span span);
  Value call_with(const FunctionSymbol& callee, const std::vector<Value>& given, Span span);
  Value call_type_maker(const Value& maker, const Args& args, Span span); // type_makers.cpp
  Value emit_call(Instance& called, const std::vector<Value>& values, Span span);
  std::optional<std::vector<Value>> bind_params(const FunctionSymbol& callee, const Args& args, Span span);
  Value default_value(const FunctionSymbol& callee, const ast::Param& param);

  // ---- builtins.cpp: by their signatures ----
  Value builtin_value(Builtin builtin, Span span); // threadIdx.x, laneid, math.pi
  Value call_builtin(Builtin builtin, const ast::Call& expr, const Args& args);
  Value call_by_signature(Builtin builtin, const Args& given, Span span);
  Value match_and_call(Builtin builtin, const Args& args, Span span);
  // In a .kern file an integer among arguments of one type takes that of the floats beside it.
  Args arguments_beside_floats(Builtin builtin, Args args);
  Value call_atomic(Builtin builtin, const ast::Call& expr, const Args& args);
  std::optional<BuiltinMatch> match_builtin(Builtin builtin, const Args& args, Span span);
  ir::Operand builtin_operand(Builtin builtin, const BoundArgument& bound, const std::vector<Value>& values,
                              Span other = {});
  Value fold_variadic(Builtin builtin, const std::vector<ir::Operand>& operands,
                      const std::vector<Value>& values, Type type, Span span);

  // ---- intrinsics.cpp: what other IR is written for; arrays.cpp ----
  Value call_sequence(Builtin builtin, const Value& items, const std::optional<Value>& start,
                      Span span); // sequences.cpp: sum, any, all, reversed
  Value call_syntax(Builtin builtin, const ast::Call& expr, const Args& args);
  Value make_array(Builtin builtin, const ast::Call& expr, const BuiltinMatch& match,
                   const std::vector<Value>& values);
};

// Says whether an expression is Python's: it stands outside of functions, in a .py file.
inline bool is_python(const Checker& checker) { return checker.scope->is_numba() && !checker.instance; }

// Returns where a name is bound outside of functions; nothing where it is not (checker.cpp).
std::optional<Span> bound_outside(const Checker& checker, std::string_view name);

// Asks for versions of all variables where what must be a constant is none: of one that is assigned several times the
// assignment that is read there may be one (versions.h).
void want_versions(const Checker& checker);

// ---- merge.cpp ----
// Returns the end of a conditional whose condition is constant: the type is what both ends join to. An end that has no number to
// give says nothing.
Value joined_with(Checker& checker, Value taken, const Value& other, Span span);

// ---- ufuncs.cpp ----
// Returns the name of one of NumPy's functions of numbers and arrays, as text that stays; "" where it is none.
std::string_view ufunc_name(std::string_view name);
// Says whether a call of one is of arrays.
bool takes_arrays(std::string_view name, const Checker::Args& args);

// ---- instances.cpp, instance_names.cpp, rounds.cpp, literal_locals.cpp ----
// Finds the names that a function binds.
void collect_names(Context& context, Instance& instance);
// Returns the instance for these arguments; null where a limit was met, which is reported.
Instance* find_instance(Context& context, const FunctionSymbol& function, std::vector<Value> args,
                        bool is_kernel, const Instance* caller, Span call_span);
// Returns text that tells arguments apart as instances do.
std::string key_of(std::span<const Value> args);
// Settles the types of locals that only ever met literals, those first that met a type; says whether any was.
bool decide_literals(Context& context, Instance& instance);
// Says whether the numbers of a range of literals are all of an integer type.
bool range_fits(const Value& range, Type type);
// Marks the parts of a value that have the type of a literal: it follows from elsewhere.
void mark_waiting(Value& value);
// Says whether a part of a value of the running program has no type yet but that of a literal.
bool has_open_part(const Value& value);
// Returns the symbol of one instance among several: "scale$f32$i32".
std::string instance_symbol(const Instance& instance);

// ---- scopes.cpp ----
void build_scopes(Context& context);
// Adds a file that is loaded later, which imports none.
FileScope& add_file(Context& context, const ProgramFile& program_file);
FileScope* find_file(Context& context, const FileScope& from, std::string_view module);
// Returns the dotted name of what is below a package: "a.b" of "a" and "b", ".b" of "." and "b".
std::string module_below(std::string_view package, std::string_view name);

// Returns what a name is of a .kern file for code at a place of its top level, or for functions: by its own items or its
// `import *`; null where nothing binds it.
Symbol* find_symbol(Context& context, FileScope& file, std::string_view name,
                    std::optional<std::uint32_t> place = {});
// Returns the functions of the root file that a name means: one at its top level, else those inside of others
// whose path is or ends in the name.
std::vector<FunctionSymbol*> functions_named(Context& context, std::string_view name);
// Returns how messages and the command line name a function: "k", "make.k".
std::string path_of(Context& context, const FunctionSymbol& function);

// ---- host_names.cpp ----
// Returns the symbol of a function of a .py file, made where it is new.
FunctionSymbol& function_symbol(Context& context, const values::FunctionData& data);
// Returns what a dotted name of a module is which Kern knows ("numba.cuda.grid", "len"), for whoever reads it (names.cpp).
Value host_path(Checker& checker, std::string_view path, Span span);
// Reports a name of a module that is not there; `define` is what `-D` calls it (names.cpp).
Report report_not_found(Checker& checker, std::string_view name, std::string_view module,
                        const std::string& define, Span span);

// ---- decorators.cpp ----
void read_decorators(Context& context, FunctionSymbol& function);
// Warns of the decorators of a function that kernc does not know, once.
void report_unknown_decorators(Context& context, const FunctionSymbol& function);
// Says whether no function that is defined later takes its name.
bool is_last_definition(Context& context, const FunctionSymbol& function);
const FunctionSymbol* lambda_function(FileScope& file, const ast::Lambda& lambda);

// ---- signatures.cpp, type_makers.cpp ----
// The prefixes of the names of files that hold the text of an option.
inline constexpr std::string_view define_file = "<-D ", signature_file = "<signature of ";
// Parses Kern text as an expression, in a file of its own called `name`.
const ast::Expr* parse_text(Context& context, std::string name, std::string text);
// Returns the type that an expression means; reports where it means none.
std::optional<Type> type_of_expr(Context& context, FileScope& file, const ast::Expr& expr,
                                 bool is_text = false);
// Returns the type that a value means as one: a type, None, a tuple of types.
std::optional<Type> type_of_value(Checker& checker, const Value& value);
// Returns what a name of `numba.types` is that is no scalar: None, or what makes a type of its arguments.
std::optional<Value> type_maker(std::string_view name, Span span);
// Evaluates an expression that must be constant.
Value constant_of_expr(Context& context, FileScope& file, const ast::Expr& expr);

} // namespace kern::checker
