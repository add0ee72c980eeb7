// Values in the threads of one block, as a run of it knows them: numbers where they follow from the threads' own
// numbers and constants, else where they come from. Private to analysis/.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

struct BlockValue {
  enum class Kind : std::uint8_t {
    Known,   // a number in each thread
    Uniform, // one for all of them, which is not known
    Data,    // what memory holds: any number in any thread
    Range,   // a bool: whether a thread's own number is in a range that is not known
    Mixed,   // anything else
  };
  Kind kind = Kind::Known;
  std::int64_t number = 0;         // Known: in all threads, unless there are `lanes`; Uniform: its name
  bool is_negated = false;         // Uniform: the answer to a test is the opposite
  bool is_assumed = false;         // Known: where what is not known is larger than everything
  std::vector<std::int64_t> lanes; // Known: where threads differ

  bool is_known() const { return kind == Kind::Known; }
  bool is_one_number() const { return is_known() && lanes.empty(); }
  // Says whether all threads have the same one.
  bool is_uniform() const { return kind == Kind::Uniform || is_one_number(); }
  std::int64_t in(std::size_t lane) const { return lanes.empty() ? number : lanes[lane]; }
};

// Computes with them. Equal expressions over the same names have the same name.
class BlockArithmetic {
public:
  explicit BlockArithmetic(std::size_t threads) : threads_(threads) {}

  static BlockValue known(std::int64_t number) { return {BlockValue::Kind::Known, number, false, false, {}}; }
  static BlockValue of(BlockValue::Kind kind) { return {kind, 0, false, false, {}}; }
  // Returns a value for all threads that equals no other one.
  BlockValue fresh() { return {BlockValue::Kind::Uniform, ++names_, false, false, {}}; }
  // Returns the one of that name, made of up to three numbers.
  BlockValue named(std::array<std::int64_t, 4> key);

  BlockValue constant(const ir::Operand& operand);
  BlockValue unary(ir::UnaryOp op, const BlockValue& value, Type type);
  BlockValue binary(ir::BinaryOp op, const BlockValue& left, const BlockValue& right, Type type);
  BlockValue compare(ir::CompareOp op, const BlockValue& left, const BlockValue& right, Type type);
  BlockValue convert(const BlockValue& value, Type from, Type to);
  BlockValue extremum(bool is_max, const BlockValue& left, const BlockValue& right);
  // Returns what is known of a value that is computed from others in any way.
  BlockValue computed(const std::vector<BlockValue>& from);

  // From here on a name that a thread's own number is compared with becomes a number with which half of the threads
  // pass the test, once; later ones are unknown.
  void split_next() { splits_ = true; }
  bool has_split() const { return split_.has_value(); }
  // Returns what a value is, where it has become a number.
  BlockValue resolve(const BlockValue& value) const;

private:
  template <class Operation> BlockValue each(const BlockValue& left, const BlockValue& right, Type type,
                                             const Operation& operation) const;
  std::int64_t key_of(const BlockValue& value) const;
  BlockValue compare_range(ir::CompareOp op, const BlockValue& own, const BlockValue& limit, Type type);

  std::size_t threads_;
  std::int64_t names_ = 0;
  std::map<std::array<std::int64_t, 4>, std::int64_t> named_;
  bool splits_ = false;
  std::optional<std::pair<std::int64_t, std::int64_t>> split_; // the name, and its number
};

} // namespace kern
