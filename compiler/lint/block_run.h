// Runs a kernel for the threads of one block, as far as their own numbers decide what they do, and tells who
// touches which element of shared memory between which barriers. Every run is one that a launch may give:
// what is not known is larger than every index, conditions on data come out as a policy says. Where no such
// choice is sure, nothing is told. If a launch is given it runs all its blocks, and tells of global memory
// instead. Private to lint/.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/analysis/threads/special_register.h"
#include "compiler/ir/ir.h"
#include "compiler/lint/block_values.h"

namespace kern {

enum class TouchKind : std::uint8_t { Load, Store, Atomic };

// A statement that touches shared memory, at one time.
struct Touch {
  TouchKind kind;
  const ir::Function* function;
  const ir::Stmt* stmt;
  std::uint32_t place;             // of BlockRun::places()
  std::uint32_t epoch, warp_epoch; // how many barriers, and barriers of warps, came before
  std::uint32_t grid_epoch = 0;    // barriers of the grid
  bool is_under_part = false;      // Policy::Part: under a test of the size that cuts the block short
  bool has_data = false;           // of a launch: data pick the element within the row that is told
  bool is_in_open_loop = false;    // of rounds that are not known: later ones are not told
};

// Says whether an element has a value behind a statement, whatever it was before: atomics but an exchange change what is there.
bool sets_element(const ir::Stmt& stmt);

// A launch that may be: how many blocks, and numbers for what is not known.
struct BlockLaunch {
  std::array<std::int64_t, 3> grid{1, 1, 1};
  // Maps each integer parameter (axis -1) and each extent of an array parameter, by slot, to its number.
  std::map<std::pair<std::uint32_t, int>, std::int64_t> numbers;
};

// How a run came somewhere: the calls, the rounds of loops and the conditions on what is not known.
struct RunPlace {
  enum class Kind : std::uint8_t { Start, Call, Round, Condition };
  Kind kind;
  std::uint32_t outer;
  const ir::Function* function; // that holds the statement
  const ir::Stmt* stmt;         // the call, the loop or the `if`
  std::int64_t number;          // of the round; of the condition, with its answer as the lowest bit
};

// A listener that a run reports its touches to. An element is a number for each array and place in it. Arrays
// of shared memory have the numbers of their declarations; those of global memory follow, each by its
// parameter's slot. A thread is numbered in its block, or in its grid, block by block, if the run is of a
// launch.
struct TouchListener {
  std::function<void(const Touch&, std::uint32_t array, const std::vector<std::int64_t>& elements,
                     const std::vector<std::uint16_t>& threads)>
      known;
  // Data picks the elements.
  std::function<void(const Touch&, std::uint32_t array, const std::vector<std::uint16_t>& threads)> by_data;
  // A store that may be, to an array, or to any.
  std::function<void(const ir::Stmt& stmt, std::optional<std::uint32_t> array)> unsure_store = {};
};

class BlockRun {
public:
  enum class Policy : std::uint8_t {
    Then, // conditions on data hold
    Else, // they do not, where something else is done then
    Part, // the same as Then; of one size that a thread's number is compared with half of the threads are beyond
    Rest,    // the same as Part; all threads are but the first
    Without, // the same as Then, but conditions on what memory holds do not hold, unless threads jump by them
  };

  BlockRun(const ir::Module& module, const ir::Function& kernel, Policy policy, const TouchListener& listener,
           const BlockLaunch* launch = nullptr, std::size_t part = 0);

  void run();
  std::size_t threads() const { return threads_; }
  std::array<std::int64_t, 3> block_extents() const { return block_; }
  const std::vector<LaunchUse>& uses() const { return arithmetic_.uses(); }
  bool has_known_block() const { return kernel_.options.block.has_value(); }
  const std::vector<RunPlace>& places() const { return places_; }
  // Says whether it is sure that one launch comes to both places: what is asked for one holds for the other.
  bool may_both_be(std::uint32_t a, std::uint32_t b) const;
  // Says whether threads may come differently to what an `if` or a loop holds.
  bool is_divergent(const ir::Stmt& stmt) const { return divergent_.contains(&stmt); }
  // Returns the test that half of the threads do not pass; null where there was none.
  const ir::Stmt* split() const { return split_; }
  // Returns how many sizes a thread's number was compared with.
  std::size_t parts() const { return arithmetic_.parts(); }
  bool has_left(std::uint16_t thread) const { return left_[thread]; }
  // Says whether the run was given up before the end of the kernel.
  bool was_given_up() const { return is_stopped(); }
  // Says whether Policy::Else would do something else.
  bool has_choices() const { return has_choices_; }

private:
  // Returns the conditions on what is not known that hold at a place, by their numbers.
  std::set<std::int64_t> conditions(std::uint32_t place) const;
  using Mask = std::vector<std::uint8_t>; // a byte a thread: bits of a vector are slower by far
  // One axis of the array in memory that a value is a view of.
  struct Axis {
    std::optional<int> axis; // of the view that runs along it; else it is at `start`
    BlockValue start;
    std::int64_t step = 1;
  };
  struct Array {
    std::optional<std::uint32_t> memory; // its number; none where it is not known, or is not told of
    std::int64_t part = 0;
    std::vector<Axis> axes;
    std::vector<std::int64_t> bounds; // of the whole array, along each of `axes`
    std::vector<BlockValue> extents;
  };
  struct Frame {
    const ir::Function* function;
    std::vector<BlockValue> slots;
    std::vector<Array> arrays;
    std::vector<BlockValue> results;
    std::vector<Array> array_results;
    Mask returned;
  };
  struct Loop {
    Mask broken, continued;
    std::int64_t round = 0;
  };

  // ---- Statements ----
  void exec(const ir::Body& body);
  void exec(const ir::Stmt& stmt);
  void exec_if(const ir::If& branch, const ir::Stmt& stmt);
  void exec_branch(const ir::If& branch, bool holds, const BlockValue& condition, const ir::Stmt& stmt);
  void exec_unsure(const ir::Stmt& stmt);
  void exec_while(const ir::While& loop, const ir::Stmt& stmt);
  void exec_for(const ir::For& loop, const ir::Stmt& stmt);
  std::int64_t loop_name(const BlockValue& count);
  void exec_round(const ir::Body& body, const ir::Stmt& stmt, Loop& loop);
  void exec_call(const ir::Call& call, const ir::Stmt& stmt);
  void exec_return(const ir::Return& last);
  void exec_effect(const ir::CallEffect& call);
  void skip(const ir::Stmt& stmt);
  bool is_plain(const ir::Stmt& loop);
  bool only_loads(const ir::Stmt& loop);
  bool decide(const ir::If& branch, const BlockValue& condition);

  // ---- Values ----
  BlockValue value(const ir::Operand& operand);
  BlockValue evaluate(const ir::Assign& assign, Type type, const ir::Stmt& stmt);
  BlockValue call_value(const ir::CallPure& call);
  BlockValue register_value(const SpecialRegister& read);
  BlockValue thread_value(std::size_t axis) const;
  BlockValue block_value(std::size_t axis) const;
  Array parameter(std::size_t slot);
  BlockValue parameter_number(std::size_t slot, int axis);
  const Array& array(const ir::Operand& operand) const;
  Array evaluate_array(const ir::Expr& expr, Type type);
  Array view(const ir::View& view);
  void assign(ir::SlotId slot, const BlockValue& value);
  void tell_unsure(const ir::Stmt& stmt, std::optional<std::uint32_t> memory) const;
  void touch(TouchKind kind, const ir::Operand& array, const std::vector<ir::Operand>& indices,
             const ir::Stmt& stmt);

  bool is_stopped() const { return steps_ > most_steps || tainted_; }
  bool any_active() const;
  bool is_everybody() const; // that has not left
  bool is_told(const ir::Operand& array) const {
    return array.type->space == (launch_ ? AddressSpace::Global : AddressSpace::Shared);
  }
  std::uint32_t enter(RunPlace::Kind kind, const ir::Stmt& stmt, std::int64_t number);

  static constexpr std::size_t most_steps = 100'000;

  const ir::Module& module_;
  const ir::Function& kernel_;
  Policy policy_;
  const TouchListener& listener_;
  const BlockLaunch* launch_;
  std::array<std::int64_t, 3> block_{1, 1, 1};
  std::size_t block_threads_ = 1, threads_ = 1; // of a block, and of all blocks
  BlockArithmetic arithmetic_;
  Frame* frame_ = nullptr;
  std::vector<Loop*> loops_;
  Mask active_, left_;
  int under_part_ = 0;   // tests of the size that cuts the block short that are around
  int open_loops_ = 0;   // loops around of rounds that are not known
  int unsure_ = 0;       // of the conditions around: who comes here is not known
  bool tainted_ = false; // nor from here on
  std::uint32_t place_ = 0, epoch_ = 0, warp_epoch_ = 0, grid_epoch_ = 0;
  std::size_t steps_ = 0;
  const ir::Stmt* split_ = nullptr;
  bool has_choices_ = false;
  // Holds the access that is reported, so that its memory is used again: the threads, their elements, and
  // which threads are within the array.
  struct {
    std::vector<std::uint16_t> threads;
    std::vector<std::int64_t> elements;
    Mask inside;
  } touching_;
  std::vector<RunPlace> places_;
  std::unordered_set<const ir::Stmt*> divergent_;
  std::unordered_map<const ir::Stmt*, bool> plain_, only_loads_;
  std::unordered_map<std::int64_t, bool> decisions_; // by the name of a condition
};

} // namespace kern
