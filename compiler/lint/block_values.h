// Values in the threads of one block, as a run of it knows them: numbers where they follow from the threads' own
// numbers and constants, else where they come from. Private to lint/.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "compiler/ir/ir.h"

namespace kern {

// A number in each thread. Copies share them.
class Lanes {
public:
  Lanes() = default;
  // `number_of(lane)` is called in the order of threads.
  template <class Function> Lanes(std::size_t count, const Function& number_of)
      : count_(count), numbers_(std::make_shared<std::int64_t[]>(count)) {
    for (std::size_t lane = 0; lane < count; ++lane) numbers_[lane] = number_of(lane);
  }
  bool empty() const { return count_ == 0; }
  std::int64_t operator[](std::size_t lane) const { return numbers_[lane]; }
  std::span<const std::int64_t> all() const { return {numbers_.get(), count_}; }

private:
  std::size_t count_ = 0;
  std::shared_ptr<std::int64_t[]> numbers_;
};

struct BlockValue {
  enum class Kind : std::uint8_t {
    Known,   // a number in each thread
    Uniform, // one for all of them, which is not known
    Data,    // what memory holds: any number in any thread
    Range,   // a bool: whether a thread's own number is in a range that is not known
    Mixed,   // anything else
  };
  Kind kind = Kind::Known;
  std::int64_t number = 0; // Known: in all threads, unless there are `lanes`; Uniform: its name
  bool is_negated = false; // Uniform: the answer to a test is the opposite
  bool is_assumed = false; // Known: where what is not known is larger than everything
  Lanes lanes;             // Known: where threads differ
  bool is_part = false;    // Known: made of the size that cuts the block short

  bool is_known() const { return kind == Kind::Known; }
  bool is_one_number() const { return is_known() && lanes.empty(); }
  // Says whether all threads have the same one.
  bool is_uniform() const { return kind == Kind::Uniform || is_one_number(); }
  std::int64_t in(std::size_t lane) const { return lanes.empty() ? number : lanes[lane]; }
};

// A use of a number that a launch assumes for one which is not known, together with a thread's own number or
// a constant: other numbers would tell more.
struct LaunchUse {
  enum class Kind : std::uint8_t { Modulus, Mask, Shift, Limit, Equal };
  Kind kind;
  std::int64_t number;
  std::int64_t constant = 0; // Equal: what it is compared with
  auto operator<=>(const LaunchUse&) const = default;
};

// Numbers of a launch that stand for ones which are not known are at least this, but for those that are meant to be small.
inline constexpr std::int64_t least_launch_number = 4096;

// Computes with them. Equal expressions over the same names have the same name.
class BlockArithmetic {
public:
  explicit BlockArithmetic(std::size_t threads) : threads_(threads) {}

  static BlockValue known(std::int64_t number) { return {BlockValue::Kind::Known, number, false, false, {}}; }
  // Returns a number that stands for one which is not known.
  static BlockValue assumed(std::int64_t number) {
    return {BlockValue::Kind::Known, number, false, true, {}};
  }
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

  // Gives one of the names that a thread's own number is compared with a number, with which half of the
  // threads pass the test: the first name, or the one that is `part` other names behind it. Later names that
  // the same number, or one at a fixed distance from it, is compared with are not known then. If `few` are to
  // pass, the threads with the least number do.
  void split(std::size_t part, bool few = false) {
    splits_ = part;
    splits_few_ = few;
  }
  std::size_t parts() const { return ranges_.size(); }
  bool has_split() const { return split_.has_value(); }
  // From here on uses of assumed numbers are noted.
  void note_uses() { notes_ = true; }
  const std::vector<LaunchUse>& uses() const { return uses_; }
  // Returns what a value is, where it has become a number.
  BlockValue resolve(const BlockValue& value) const;

private:
  template <class Operation> BlockValue each(const BlockValue& left, const BlockValue& right, Type type,
                                             const Operation& operation) const;
  BlockValue compute(ir::BinaryOp op, const BlockValue& left, const BlockValue& right, Type type) const;
  std::int64_t key_of(const BlockValue& value) const;
  void note(LaunchUse use);
  std::optional<BlockValue> use(ir::BinaryOp op, const BlockValue& own, const BlockValue& limit);
  bool is_along(const BlockValue& own, const std::vector<std::int64_t>& other) const;
  BlockValue compare_range(ir::CompareOp op, const BlockValue& own, const BlockValue& limit, Type type);

  std::size_t threads_;
  std::int64_t names_ = 0;
  std::map<std::array<std::int64_t, 4>, std::int64_t> named_;
  std::optional<std::size_t> splits_;
  bool splits_few_ = false;
  bool notes_ = false;
  std::vector<LaunchUse> uses_;
  std::optional<std::pair<std::int64_t, std::int64_t>> split_; // the name, and its number
  std::map<std::int64_t, std::vector<std::int64_t>> ranges_;   // by name: what was compared with it first
};

} // namespace kern
