// The state of a run and its functions over several files. Private to python/.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/python/python.h"
#include "compiler/python/store.h"
#include "compiler/values/arrays.h"

namespace kern::python {

// Where names are looked up from: a file, a class, or a call of a function.
struct Scope {
  Space space{};
  const Scope* parent = nullptr;
  std::uint32_t file = 0;
  bool is_class = false;
  const ast::HostStatement* owner = nullptr; // a function or class
  bool is_call = false;                      // of a function that the program calls
};

using values::FunctionData;

// Says whether the code of a function can be run: that of a lambda, or of a `def` whose body was parsed.
inline bool has_code(const FunctionData& function) {
  return function.statement ? function.statement->code != nullptr
                            : function.def && function.def->name == "lambda";
}
// Says whether what a call of a function does is what its code does.
inline bool can_run(const FunctionData& function) { return has_code(function) && !function.is_delayed; }
inline std::span<const ast::Param> params_of(const FunctionData& function) {
  return function.statement ? function.statement->params : function.def->params;
}

// Says whether a value is a function, a class or a module, which stays what it is wherever it is.
bool is_definition(const Value& value);
// Returns the dict that a value is, or of which it is the keys, values or items.
const values::Dict* dict_of(const Value& value);
// Returns the object that a value is, or that it shows the parts of.
std::optional<ObjectId> object_of(const Value& value);
// Returns where the value of a key is in what a dict holds, which is behind it where no key equals it; nothing where that is
// not known.
std::optional<std::size_t> place_of_key(std::span<const Value> pairs, const Value& key);
bool is_same_content(const Content& a, const Content& b);
// The numbers along an axis that a slice takes: the first one, how far apart, and how many.
struct Taken {
  std::int64_t start, step, count;
};
struct Interpreter;
std::optional<Taken> taken_by(Interpreter& run, const ast::Slice& slice, std::int64_t count);
// Says whether the axes of a view lie in memory the other way round.
bool is_fortran(const values::ArrayForm& form);
// Says whether the numbers of a view lie one behind the other, from its last axis on or from its first.
bool is_contiguous(const values::ArrayForm& form, bool is_fortran);
// Says whether a view is one of which is known alone whose numbers it may change: it has no type.
inline bool is_opaque(const values::ArrayForm& form) { return form.type == types::error; }
// Returns `real` or `imag` of a number.
std::optional<Value> number_attribute(const Value& number, std::string_view name);
// Returns the type of numbers that NumPy means by a name, a text or `np.dtype(...)` of one.
std::optional<Type> dtype_of(const Value& value);
// Says whether a value is a function that is given the class in which it is found.
bool is_class_method(const Value& value);
// Says whether calls of a class, or of what `namedtuple` returns, make tuples whose elements have names.
bool is_named_tuple(const Value& of);
using values::callee_name;
using values::path_name;

// Says whether a name is one of a list.
inline bool is_in(std::span<const std::string_view> list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

// The attribute of a class of which nobody knows what else it has.
inline constexpr std::string_view is_open = "__class__";

// Where ways part that may both be gone, and the condition that nobody can decide.
struct Fork {
  Fork(Span where, Span condition = {}) : where(where), condition(condition) {}
  Span where, condition;
};

// How a block may end, and what is so then.
struct Ends {
  std::optional<Store> next, breaks, continues, returns, raises;
  std::optional<Value> result; // of `returns`
  Span undecided{};            // the first statement that may return or not
};

// The code that runs now: a file, a class or a call.
struct Frame {
  const Scope* scope;
  std::set<std::string_view> globals, nonlocals; // that it declares
  WideInt last_member = 0;                       // of an enumeration, the greatest one
};

// What a call of a function may change, whatever is so when it is called: the names outside of it and the objects, with
// what it makes of them.
struct Summary {
  bool is_made = false, is_open = false;              // it stands for later calls; it is being made
  std::size_t depth = 0;                              // of those that are open, when it was made
  std::size_t lowest = ~std::size_t{0};               // the outermost open one that it is made of
  std::size_t generation = 0;                         // of the outermost one that it was made for
  bool calls_unknown = false;                         // it calls what nobody follows
  std::vector<std::pair<std::uint64_t, Value>> reads; // names by which it reached objects and functions
  std::vector<std::pair<std::uint64_t, Binding>> names;
  std::vector<std::pair<std::uint64_t, Content>> contents;
  std::vector<const FunctionData*> launched;

  void add_read(std::uint64_t key, const Value& value);
};

// Counts one more of what is inside of each other, as long as it lives.
struct Deeper {
  std::size_t& depth;
  explicit Deeper(std::size_t& of) : depth(of) { ++depth; }
  Deeper(const Deeper&) = delete;
  ~Deeper() { --depth; }
};

struct Launches {
  std::vector<Store> stores; // at each place where it may run first
};

// A way that may be gone, by the statement that has it, and what is so behind it: a function that is made there sees that.
struct Branch {
  Span fork;
  Store end;
};

// A name or a part of one, `f` or `cfg.f`, that a function reads of those around it.
using ReadNames = std::vector<const ast::Expr*>;

struct Interpreter {
  const SourceManager& sources;
  std::span<const SourceFile> files;
  Limits limits;
  Arena arena{};
  Store store{};
  Frame* frame = nullptr;
  std::vector<Frame*> frames{};
  bool sets_forms = false;          // the program gives arrays other extents or types
  bool in_doubt = false;            // a statement may raise: something in it is not known
  std::size_t steps = 0, calls = 0; // the work done so far; calls inside of each other
  std::size_t depth = 0;            // of statements and expressions inside of each other, with those of calls
  std::size_t open_loops = 0;       // around this place of which nobody knows how often they run
  std::size_t numbers_made = 0;     // and read, of arrays
  std::deque<Buffer> buffers{};
  std::uint32_t next_space = 0, next_object = 0;
  std::unordered_map<std::string_view, std::uint32_t> name_ids{};
  std::vector<std::string_view> names{};
  std::vector<const Scope*> file_scopes{};
  std::vector<bool> is_started{};
  std::vector<FunctionData*> functions{};
  std::unordered_map<const FunctionData*, Launches> launches{};
  std::unordered_map<std::uint32_t, const Scope*> class_scopes{}; // by their spaces
  std::unordered_map<const FunctionData*, Store>
      frame_ends{};                              // of the code around each, where nobody called it
  std::set<const FunctionData*> cut_functions{}; // made where the code around them was cut
  std::unordered_map<const FunctionData*, std::vector<Branch>> branches{};
  std::vector<const FunctionData*> escaped{};
  std::unordered_map<const FunctionData*, Summary> summaries{}; // of functions whose calls are not followed
  Summary* summary = nullptr;                                   // being made
  std::size_t generation = 0;                                   // of summaries that are made for one another
  bool is_changing_by_escaped = false;
  Space first_own{};           // of the function that is summed up: names of spaces before are not known
  ObjectId first_own_object{}; // what objects before hold is not known
  std::unordered_map<const ast::FunctionDef*, ReadNames> read_names{};
  std::map<std::string, std::uint32_t, std::less<>>
      packages{}; // folders without a file, as files behind all others
  Span here{};    // the statement that runs

  // given.cpp
  struct GivenValue {
    Value value;
    Span where;
    bool is_used = false;
  };
  std::map<std::string, GivenValue, std::less<>> given{}; // by -D: "N", "make.n"
  bool reads_given = false;                               // the text of one is evaluated
  std::string whole_path(const Scope& scope) const;       // with that of its file: "module.make"
  void bind_given(const Scope& scope);
  GivenValue* given_for(const Scope& scope, std::string_view name);

  const Ask* ask = nullptr; // who knows the Foreign of a call
  bool is_past = false;     // the run has ended: what is launched then is so for no reader

  // modules.cpp: what `import *` of modules binds that Kern knows
  struct Star {
    std::string_view module;
    Span where;
  };
  Knows knows{};
  std::unordered_map<std::uint32_t, std::vector<Star>> stars{}; // by files
  std::optional<Found> from_star(std::uint32_t file, std::string_view name);
  Value module_value(std::string_view module, Span span);
  // Returns the dotted name that a value has in a module that Kern knows or in Python's library; "" of another one.
  std::string library_name(const Value& value) const;

  // Says whether so much work was done that no call and no loop is followed any more.
  bool is_exhausted() const { return steps > limits.steps; }
  bool is_limited() const { return is_exhausted() || numbers_made > limits.numbers; }
  // The same of the rounds of a loop: what is known then may be wrong.
  bool is_cut() const { return steps > 16 * limits.steps; }

  // names.cpp
  std::uint32_t name_id(std::string_view name);
  const Scope* new_scope(const Scope* parent, std::uint32_t file, const ast::HostStatement* owner,
                         bool is_class);
  const Binding* summed(std::uint64_t key, const Binding& binding);
  const Binding* own(Space space, std::string_view name);
  void set(Space space, std::string_view name, const Value& value, Span where);
  void bind(std::string_view name, const Value& value, Span where);
  void bind_in(const Scope& scope, std::string_view name, const Value& value, Span where);
  void unbind(std::string_view name);
  void drop(Space space); // its names, which nobody sees any more
  void bind_all_unknown(Space space, Span where);
  std::optional<Found> look_up(const Scope& scope, std::string_view name, bool is_own_code);
  Value read(std::string_view name, Span span);
  std::string path_of(const Scope& scope) const;

  // objects.cpp
  Value unknown(Why why, Span where, std::string_view name = {});
  Value frozen(const Value& value); // as it is now
  Value frozen(const Value& value, std::size_t depth_of_lists, std::size_t& left);
  // What is copied is work too, as memory is kept until the end.
  Value text(std::string_view value) {
    steps += value.size() / 64;
    return values::Text{arena.copy(value)};
  }
  std::span<const Value> kept(const std::vector<Value>& elements) {
    steps += elements.size() / 16;
    return arena.copy(elements);
  }
  Value tuple(const std::vector<Value>& elements) { return values::Tuple{kept(elements), false}; }
  Value new_list(const std::vector<Value>& elements);
  Value new_dict(const std::vector<Value>& pairs);
  const Content& content(ObjectId object) const;
  void set_content(ObjectId object, const Content& content);
  void set_elements(ObjectId object, const std::vector<Value>& elements);
  void append(ObjectId object, std::span<const Value> more); // to a list, or a pair to a dict
  void forget(ObjectId object, Span where);                  // what it holds, if that is not done
  // Says whether the extents and the type of a view are known.
  bool has_form(const values::Array& array) const {
    return array.form->type != types::error && (!sets_forms || content(array.object).is_known);
  }
  std::vector<std::string_view> field_names(const Value& of);
  std::optional<std::span<const Value>> named_elements(const values::TermData& made);
  std::optional<std::span<const Value>> elements_of(const Value& value); // of a tuple, named or not, or list
  std::optional<std::vector<Value>> iterate(const Value& value);         // ranges, dicts, texts too
  std::optional<bool> truth(const Value& value);
  std::optional<Value> asked(std::string_view path, std::span<const Value> args);

  // join.cpp
  Value joined(const Value& a, const Value& b, const Fork& fork) const;
  Store joined(const Store& a, const Store& b, const Fork& fork);
  Binding joined(std::uint64_t key, const Binding* a, const Binding* b, const Fork& fork);
  Content joined(const Content* a, const Content* b, const Fork& fork);
  void merge(std::optional<Store>& into, const std::optional<Store>& other, const Fork& fork);
  void merge(Ends& into, const Ends& other, const Fork& fork); // but for `next`

  // expressions.cpp
  Value evaluate(const ast::Expr& expr);
  bool is_asked = false; // of the next expression its truth alone
  std::optional<bool> truth_of(const ast::Expr& condition);
  Value attribute(const Value& value, std::string_view name, Span span);
  Value subscript(const Value& value, const Value& index, Span span);
  Value comprehension(const ast::Comprehension& expr); // comprehensions.cpp
  Value binary(ast::BinaryOp op, const Value& left, const Value& right, Span span);

  // calls.cpp
  struct Arguments {
    std::vector<Value> positional;
    std::vector<values::NamedValue> keywords;
    bool is_whole = true;            // no `*` or `**` of what is not known
    const ast::Call* call = nullptr; // that has them
  };
  Arguments arguments(const ast::Call& call, std::string_view callee = {});
  Value call(const ast::Call& expr);
  Value call(const Value& callee, const Arguments& args, Span span);
  Value call_function(const FunctionData& function, const Arguments& args, Span span);
  bool is_followed(const FunctionData& function, const Arguments& args) const;
  Value run_function(const FunctionData& function, const Arguments& args, Span span);
  std::optional<Value> run_body(const FunctionData& function, const Arguments& args, Span span);
  Value make_term(const Value& callee, const Arguments& args, bool is_object = false); // that may be changed
  bool is_unparsed(const FunctionData& function, std::size_t index) const;
  void enter(const FunctionData& function, const Arguments& args, Why missing, Span span);

  // module_calls.cpp
  Value call_path(std::string_view path, const Arguments& args, Span span);
  std::optional<Value> call_on_names(std::string_view path, const Arguments& args, Span span);
  std::optional<Value> call_python(std::string_view path, const Arguments& args, Span span);
  Value call_numpy(std::string_view path, const Arguments& args, Span span);

  // methods.cpp
  std::optional<Value> call_method(const Value& object, std::string_view name, const Arguments& args,
                                   Span span);

  // arrays.cpp
  bool may_make(std::size_t numbers); // what a run may read and make in all is limited
  bool may_compute(std::span<const values::Element> operands);
  Value new_array(const values::Numbers& numbers, bool is_fortran = false);
  Value number_or_array(const values::Numbers& numbers, bool is_fortran); // one of no axes is a number
  std::optional<values::Numbers> numbers_from(const Value& value, std::optional<Type> wanted = {});
  std::optional<values::Numbers> numbers_of(const values::Array& array) const;
  std::optional<values::Element> operand_of(const Value& value);
  std::optional<Value> each_of(std::span<const Value> operands, const values::OfNumbers& function);
  std::optional<Value> array_binary(ast::BinaryOp op, const Value& left, const Value& right);
  Value element_or_view(const Value& part);
  bool store_numbers(const values::Array& part, const Value& value);
  std::string print_array(const values::Array& array) const;

  // array_parts.cpp
  std::optional<Value> array_part(const values::Array& array, const ast::Subscript& expr);

  // array_methods.cpp
  Value opaque_view(const values::Array& array);
  std::optional<Value> array_attribute(const values::Array& array, std::string_view name);
  std::optional<Value> array_method(const values::Array& array, std::string_view name, const Arguments& args,
                                    Span span);
  std::optional<Value> number_method(const Value& number, std::string_view name, const Arguments& args);

  // numpy_functions.cpp
  std::optional<Value> numpy_function(std::string_view name, const Arguments& args, Span span);
  std::optional<Value> numpy_attribute(const values::Term& of, std::string_view name);

  // effects.cpp: what is not followed
  Value not_computed(Span where, std::span<const Value> of);
  Value unknown_call(const Arguments& args, Span span);
  void reach(const Value& value, Span span, std::set<std::uint32_t>& seen);
  void reach(const Arguments& args, Span span);
  void reach_members(const values::Class& of, Span span, std::set<std::uint32_t>& seen);
  void reach_by_instance(const values::Class& of, Span span);
  void escape(const FunctionData& function, Span span);
  void change_by_escaped(Span span);
  void launch(const FunctionData& function, bool is_sure);
  std::vector<const FunctionData*> compiled_functions();
  template <class Visit> void each_function_read(const FunctionData& function, const Visit& visit);
  const ReadNames& names_read(const ast::FunctionDef& def);
  void record_launch(const FunctionData& function, bool is_sure, std::set<const FunctionData*>& seen);
  void apply_uses(std::span<const ast::NameUse> uses);

  // summaries.cpp
  Value call_unfollowed(const FunctionData& function, const Arguments& args, Span span);
  void change_by(const FunctionData& function, Span span);
  void sum_up(const FunctionData& function, Span span, Summary& into);

  // statements.cpp
  Ends run_simple(const ast::Stmt& stmt);
  void add(FunctionData* made);
  bool decorate(FunctionData& made, ast::ExprList written, bool& is_eager);
  Value decorated(FunctionData& made, Span span);
  std::span<const Value> defaults_of(std::span<const ast::Param> params);
  void define_function(const ast::HostStatement& statement, const ast::FunctionDef* def);
  void define_generated(const ast::FunctionDef& def);
  void define_class(const ast::HostStatement& statement);

  // classes.cpp
  const Binding* class_member(const Value& of, std::string_view name);

  // assignments.cpp
  void assign(const ast::Expr& target, const Value& value, Span where);
  void store_in(const Value& object, const Value& index, const Value& value, Span span);
  void augment(const ast::AugAssign& stmt);
  void store_attribute(const Value& object, std::string_view name, const Value& value, Span span);

  // imports.cpp
  const Binding* member(const Value& of, std::string_view name); // of a file or class
  void import(const ast::Stmt& stmt);
  void import_all(std::string_view module, std::optional<std::size_t> index, Span where);
  void run_file(std::size_t index);
  std::optional<std::size_t> file_of(std::string_view module);
  Value import_module(std::string_view module, Span where);

  // compound.cpp
  Ends run_block(const ast::Module& block);
  Ends run_statement(const ast::HostStatement& statement, ast::Block items);
  Ends run_compound(const ast::HostStatement& statement);
  Ends run_ifs(const ast::HostStatement& statement);
  Ends run_loop(const ast::HostStatement& statement);
  Ends run_with(std::span<const ast::HostClause> clauses, Span where);
  Ends run_try(std::span<const ast::HostClause> clauses, Span where);

  // python.cpp
  void evaluate_given(std::span<const Given> all);
  void run_uncalled(const Scope& scope, const ast::Module& tree);
};

// ---- modules.cpp ----
bool is_known_module(std::string_view module);
bool is_builtin(std::string_view name); // of Python

// ---- calls.cpp ----
// Says whether a function has a parameter for each argument, and an argument or a default for each parameter.
bool fits(std::span<const ast::Param> params, std::span<const Value> args,
          std::span<const values::NamedValue> keywords);

// ---- classes.cpp ----
// Says whether a class that has it as a base or metaclass may be another one than its code says.
bool remakes(Interpreter& run, const Value& base);
// Says whether the members of an enumeration are not what they are assigned.
bool numbers_otherwise(Interpreter& run, const values::Class& made);

// ---- statements.cpp ----
// Says whether a name is a decorator's that gives a function to Numba or Kern.
bool is_jit(std::string_view path);

// ---- texts.cpp ----
inline constexpr std::size_t longest_text = 1 << 20; // one may be added to itself again and again
// Returns the scalar type that a name of a module is, by the names of Numba.
std::optional<ScalarKind> scalar_named(const Value& value);
std::optional<std::string> text_of(const Value& value);
std::optional<std::string> formatted(std::string_view text, const Interpreter::Arguments& args);
std::optional<std::string> percent(std::string_view format, const Value& value);

} // namespace kern::python
