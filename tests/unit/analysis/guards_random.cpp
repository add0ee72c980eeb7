// Random functions over small integer types, where arithmetic wraps at every turn: a guard or a fit that is proved
// must hold in every run.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compiler/analysis/guards/wanted_facts.h"
#include "compiler/analysis/ranges.h"
#include "compiler/ir/param_block.h"
#include "compiler/ir/print.h"
#include "compiler/ir/walk.h"
#include "compiler/types/convert.h"
#include "runtime/common/program.h"
#include "tests/unit/analysis/guard_interpreter.h"
#include "tests/unit/analysis/guard_program.h"

namespace kern::test {
namespace {

class RandomGuards {
public:
  explicit RandomGuards(unsigned seed) : random_(seed) {
    if (pick(2)) p_.f.function().options.block = {8, 1, 1};
    for (const char* name : {"a", "b"}) axes_.push_back({p_.array(name), 0});
    ir::Operand matrix = p_.array("m", 2);
    for (int axis : {0, 1}) axes_.push_back({matrix, axis});
    for (Type type : {types::i8, types::i32, types::i64, types::u8, types::u32})
      params_.push_back(p_.param(type));
    for (std::int64_t extent : {4, 8}) axes_.push_back({p_.local_array({extent}), 0});
    // Few variables meet more often; many types wrap more often.
    few_ = pick(2);
    if (few_)
      for (Type type : {types::i64, types::i64, types::i8}) variables_.push_back(p_.variable(type));
    else
      for (Type type : {types::i8, types::i32, types::i64, types::i64, types::u8, types::u32, types::u64})
        variables_.push_back(p_.variable(type));
    thread_ = p_.call(Builtin::ThreadIndexX, types::i32);
    p_.set(variables_[few_ ? 1 : 2], p_.grid());
    statements(4, false);
  }

  // Runs with random arguments and reports every proved guard that fails.
  void run(unsigned seed) {
    std::vector<bool> proved;
    const GuardProofs proofs = prove_guards(p_.module, p_.f.id);
    for (const GuardProof& proof : proofs.guards) {
      proved.resize(std::max(proved.size(), static_cast<std::size_t>(proof.site) + 1));
      proved[static_cast<std::size_t>(proof.site)] = !proof.proof.empty();
    }
    GuardInterpreter::Ways ways;
    std::size_t next = 0;
    ir::walk(p_.f.function().body, [&](const ir::Stmt& stmt) {
      const auto* assign = std::get_if<ir::Assign>(&stmt.node);
      const auto* select = assign ? std::get_if<ir::Select>(&assign->value) : nullptr;
      if (select && proofs.selects[next]) ways.emplace(select, *proofs.selects[next]);
      next += select != nullptr;
    });
    ways_count += ways.size();
    const Narrow narrow = find_narrow(p_.module, p_.f.id, NarrowFor::Gpu);
    for (int launch = 0; launch < 24; ++launch) {
      GuardInterpreter::Launch arguments = random_launch();
      if (!keeps_facts(arguments)) continue;
      GuardInterpreter interpreter(p_.f.function(), arguments);
      interpreter.narrow = &narrow;
      auto broken = interpreter.run(proved, ways);
      passed += interpreter.guards_passed;
      fits_passed += interpreter.fits_passed;
      narrow_count += interpreter.narrow_runs;
      ASSERT_FALSE(interpreter.was_wide) << "seed " << seed << "\n" << dump();
      ASSERT_FALSE(interpreter.went_another_way) << "seed " << seed << "\n" << dump();
      ASSERT_FALSE(broken) << "seed " << seed << ", site " << static_cast<int>(*broken) << "\n" << dump();
    }
    for (bool each : proved) each ? ++proved_count : ++kept_count;
  }

  // From here on the function is a variant that is taken where the facts hold that would prove its guards;
  // says how many there are.
  std::size_t rely_on_facts() {
    p_.f.function().facts = find_wanted_facts(p_.module, p_.f.id);
    return p_.f.function().facts.size();
  }

  std::size_t passed = 0, fits_passed = 0, proved_count = 0, kept_count = 0, ways_count = 0, narrow_count = 0;

private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  template <class Items> const auto& any(const Items& items) {
    return items[static_cast<std::size_t>(pick(static_cast<int>(std::size(items))))];
  }
  struct Axis {
    ir::Operand array;
    int axis;
  };
  ir::Operand extent(const Axis& axis) { return p_.extent(axis.array, axis.axis); }
  std::string dump() { return ir::print(p_.f.function(), p_.module); }

  GuardInterpreter::Launch random_launch() {
    GuardInterpreter::Launch launch;
    static constexpr std::int64_t extents[] = {
        0, 1, 2, 5, 8, 127, 128, 300, std::int64_t{1} << 31, std::int64_t{1} << 60};
    for (int i = 0; i < 2; ++i) launch.params.push_back({any(extents)});
    static constexpr std::int64_t sides[] = {0, 1, 2, 5, 300, std::int64_t{1} << 30};
    launch.params.push_back({any(sides), any(sides)});
    for (const ir::Operand& param : params_) {
      int bits = bit_width(param.type->scalar);
      bool is_signed_type = is_signed(param.type);
      std::int64_t most = is_signed_type ? static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1)) - 1)
                                         : (std::int64_t{1} << bits) - 1;
      std::int64_t least = is_signed_type ? -most - 1 : 0;
      std::int64_t choices[] = {0, 1, 2, 5, 7, most, most - 1, least, is_signed_type ? -1 : 3, pick(20)};
      launch.params.push_back({any(choices)});
    }
    launch.block_dim = 8;
    launch.thread = pick(8);
    launch.grid_dim = 3;
    launch.block = pick(3);
    if (!p_.f.function().options.block && pick(4) == 0) {
      launch.block_dim = 1024;
      launch.thread = 1023;
      launch.grid_dim = 2147483647;
      launch.block = 2147483646;
    }
    return launch;
  }

  // The parameter block of a launch.
  std::vector<std::uint64_t> block_of(const GuardInterpreter::Launch& launch) {
    std::vector<std::uint64_t> slots;
    for (std::size_t i = 0; i < launch.params.size(); ++i) {
      const bool array = is_array(p_.f.function().slots[i].type);
      if (array) slots.push_back(0);
      for (std::int64_t word : launch.params[i]) slots.push_back(static_cast<std::uint64_t>(word));
      if (array) slots.resize(slots.size() + launch.params[i].size(), 1);
    }
    return slots;
  }
  // Says whether a launch may take the function; most become so by longer arrays, just as long as they must be.
  bool keeps_facts(GuardInterpreter::Launch& launch) {
    const ir::Function& function = p_.f.function();
    const auto exactly = [&](const Expression& expression, const auto& ask) {
      std::vector<std::uint64_t> slots = block_of(launch);
      const auto x = static_cast<std::uint32_t>(launch.block_dim),
                 grid = static_cast<std::uint32_t>(launch.grid_dim);
      return ask(Program(expression, Program::Overflow::HasNoValue),
                 ExpressionInput{slots, {x, 1, 1}, {grid, 1, 1}});
    };
    const auto holds = [&](const Expression& fact) {
      return exactly(
          fact, [](const Program& program, const ExpressionInput& input) { return program.holds(input); });
    };
    const auto number = [&](const Expression& expression) {
      return exactly(expression, [](const Program& program, const ExpressionInput& input) {
        return program.integer(input);
      });
    };
    // What is changed for one fact is asked for by another one.
    for (int round = 0; round < 3; ++round)
      for (const Expression& fact : function.facts) {
        const std::optional<std::int64_t> bound = holds(fact) ? std::nullopt : number(fact.operands[1]);
        if (bound) set(launch, fact.operands[0], *bound);
      }
    // A launch refuses extents whose product is larger.
    Wide most = Wide{1} << 60;
    for (const std::vector<std::int64_t>& param : launch.params) {
      Wide product = 1;
      for (std::int64_t extent : param) product *= std::max<std::int64_t>(extent, 1);
      if (product > most) return false;
    }
    return std::ranges::all_of(function.facts, holds);
  }

  // Gives a number of a launch a value, where it can have that one.
  void set(GuardInterpreter::Launch& launch, const Expression& number, std::int64_t value) {
    const ir::Function& function = p_.f.function();
    if (number.op == ExpressionOp::BlockDim && value >= 1 && value <= 1024) {
      launch.block_dim = value;
      launch.thread = std::min(launch.thread, launch.block_dim - 1);
    }
    if (number.op != ExpressionOp::Extent && number.op != ExpressionOp::Scalar) return;
    for (std::uint32_t param = 0; param < function.param_count; ++param) {
      if (ir::block_slot(function, ir::SlotId(param)) != number.value) continue;
      const Type type = function.slots[param].type;
      const bool fits = is_array(type) ? value >= 0 : contains(type_interval(type), {value, value});
      if (fits) launch.params[param][static_cast<std::size_t>(is_array(type) ? number.axis : 0)] = value;
    }
  }

  ir::Operand operand(Type type) {
    int way = pick(6);
    if (way == 0) return ir::constant_int(type, pick(12) - (is_signed(type) ? 3 : 0));
    if (way == 1 && type == types::i64) return extent(any(axes_));
    ir::Operand slot = way == 2 ? any(params_) : way == 3 ? thread_ : any(variables_);
    return slot.type == type ? slot : p_.convert(type, slot);
  }
  ir::Operand value(Type type) {
    using enum ir::BinaryOp;
    int way = pick(14);
    if (way < 5) return operand(type);
    if (way < 9)
      return p_.op(pick(2) ? Add : Subtract, operand(type),
                   pick(2) ? ir::constant_int(type, 1 + pick(3)) : operand(type));
    ir::Operand constant = ir::constant_int(type, 1 + pick(9));
    if (way == 9) return p_.op(any(std::array{Multiply, ShiftLeft, ShiftRight}), operand(type), constant);
    if (way == 10)
      return p_.op(pick(2) ? FloorDivide : Modulo, operand(type), pick(3) ? constant : operand(type));
    if (way == 11)
      return p_.op(any(std::array{BitAnd, BitOr, BitXor, Multiply}), operand(type), operand(type));
    if (way == 12)
      return p_.call(any(std::array{Builtin::Min, Builtin::Max}), type, {operand(type), operand(type)});
    if (pick(3) == 0)
      return p_.temp(type, ir::Unary{pick(2) ? ir::UnaryOp::Negate : ir::UnaryOp::BitNot, operand(type)});
    if (pick(3) == 0) return p_.call(Builtin::Abs, type, {operand(type)});
    return p_.temp(type, ir::Select{comparison(), operand(type), operand(type)});
  }
  ir::Operand comparison() {
    using enum ir::CompareOp;
    Type type = pick(3) ? types::i64 : any(variables_).type;
    ir::Operand left = operand(type);
    return p_.compare(any(std::array{Less, Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual}), left,
                      pick(3) ? operand(type) : value(type));
  }
  // Returns a comparison, or several as the checker writes `and`, `or` and `not`.
  ir::Operand condition() {
    ir::Operand first = comparison();
    int way = pick(5);
    if (way < 2) return first;
    if (way == 2) return p_.temp(types::boolean, ir::Unary{ir::UnaryOp::Not, first});
    ir::Operand result = p_.variable(types::boolean);
    p_.set(result, first);
    auto second = [&] { p_.set(result, comparison()); };
    way == 3 ? p_.when(first, second) : p_.when(first, [] {}, second);
    return result;
  }
  void guard(const Axis& axis, const ir::Operand& index) { p_.guard(axis.array, index, axis.axis); }
  void guard() {
    Axis axis = any(axes_);
    ir::Operand index = pick(3) ? operand(types::i64) : value(types::i64);
    if (pick(8) == 0) return flat_guard(index);
    if (pick(4) == 0) return flattened_guard();
    if (pick(2)) {
      // As people write it: tested before.
      ir::Operand inside = p_.less(index, extent(pick(6) ? axis : any(axes_)));
      return p_.when(inside, [&] {
        guard(axis, pick(3) ? index : p_.op(ir::BinaryOp::Subtract, index, i64(pick(3) - 1)));
      });
    }
    guard(axis, index);
  }
  // Takes a number apart into the row and the column of the matrix.
  void flat_guard(ir::Operand index) {
    using enum ir::BinaryOp;
    Axis rows = axes_[2], columns = axes_[3];
    ir::Operand size = p_.mul(extent(rows), extent(pick(4) ? columns : any(axes_)));
    p_.when(p_.less(index, size), [&] {
      ir::Operand width = extent(pick(5) ? columns : any(axes_));
      guard(rows, p_.op(FloorDivide, index, width));
      guard(pick(5) ? columns : rows, p_.op(Modulo, index, width));
    });
  }
  // An index as programs flatten them, each coordinate mostly tested: (t * n + u) * m + v, with a quotient or a remainder
  // among the coordinates, counted from the end where it is negative.
  void flattened_guard() {
    using enum ir::BinaryOp;
    const Type type = pick(3) ? types::i64 : types::i32;
    const auto number = [&] {
      const int way = pick(8);
      if (way == 0) return ir::constant_int(type, 1 + pick(6));
      if (way == 1 && type == types::i64) return extent(any(axes_));
      return p_.convert(type, any(params_));
    };
    const auto coordinate = [&] {
      const int way = pick(9);
      ir::Operand place = p_.convert(type, way < 4 ? thread_ : way < 6 ? p_.grid() : any(variables_));
      if (pick(5) == 0) place = p_.op(pick(2) ? FloorDivide : Modulo, place, number());
      if (pick(4) == 0) place = p_.op(pick(2) ? Add : Subtract, place, ir::constant_int(type, 1 + pick(3)));
      if (pick(8) == 0) place = p_.op(Subtract, p_.mul(place, ir::constant_int(type, 2)), number());
      return place;
    };
    flattened_guard(pick(3), coordinate(), number, coordinate);
  }
  template <class Number, class Coordinate> void
  flattened_guard(int depth, const ir::Operand& index, const Number& number, const Coordinate& coordinate) {
    if (depth == 0) {
      const Axis axis = axes_[static_cast<std::size_t>(pick(2))];
      ir::Operand place = index.type == types::i64 ? index : p_.convert(types::i64, index);
      if (pick(3) == 0)
        place = p_.temp(types::i64, ir::Select{p_.less(place, i64(0)), p_.add(place, extent(axis)), place});
      return guard(axis, place);
    }
    const ir::Operand side = number(), next = coordinate();
    const auto inner = [&] {
      flattened_guard(depth - 1, p_.add(p_.mul(index, side), next), number, coordinate);
    };
    if (pick(4) == 0) return inner();
    p_.when(p_.less(next, pick(5) ? side : number()), [&] {
      if (pick(3)) return p_.when(p_.less(index, number()), inner);
      inner();
    });
  }
  // Writes the trip count as the checker does: from distances that may wrap, and in one of its forms not even
  // right; then the loop runs another number of times, and what is proved must hold all the same.
  ir::Operand trip_count(ir::Operand start, ir::Operand stop, ir::Operand step) {
    using enum ir::BinaryOp;
    bool down = !step.slot && ir::int_value(step) < 0;
    ir::Operand first = p_.convert(types::i64, start), last = p_.convert(types::i64, stop);
    ir::Operand low = down ? last : first, high = down ? first : last;
    ir::Operand wide = step.slot ? p_.convert(types::i64, step) : i64(std::abs(ir::int_value(step)));
    ir::Operand distance = p_.sub(high, low);
    if (pick(3) == 0) return p_.op(FloorDivide, p_.sub(p_.add(distance, wide), i64(1)), wide);
    ir::Operand count = p_.add(p_.op(FloorDivide, p_.sub(distance, i64(1)), wide), i64(1));
    if (pick(6) == 0) return p_.add(count, i64(pick(3)));
    return p_.temp(types::i64, ir::Select{p_.less(low, high), count, i64(0)});
  }
  // What fits is used in its type, by what follows.
  void fit() {
    ir::Operand from = any(variables_), to = any(variables_);
    if (from.type == types::i64 && pick(2)) from = value(types::i64);
    if (!keeps_value(from.type, to.type)) p_.set(to, p_.fit(from, to.type));
  }
  void counted_loop(int depth) {
    Type type = pick(2) ? types::i64 : any(variables_).type;
    ir::Operand start = operand(type), stop = operand(type), variable = p_.variable(type);
    ir::Operand step = pick(3) ? ir::constant_int(type, pick(4) + 1) : operand(type);
    if (pick(4) == 0 && is_signed(type)) step = ir::constant_int(type, -1 - pick(3));
    ir::Operand count = pick(8) ? trip_count(start, stop, step) : operand(types::i64);
    variables_.push_back(variable);
    p_.count(variable, start, step, count, [&] { statements(depth - 1, true); });
  }
  void conditional_loop(int depth) {
    ir::Operand variable = any(variables_);
    p_.set(variable, value(variable.type));
    p_.loop([&] { return condition(); },
            [&] {
              statements(depth - 1, true);
              p_.set(variable, value(variable.type));
              if (pick(2))
                p_.set(variable, p_.op(pick(2) ? ir::BinaryOp::Add : ir::BinaryOp::Subtract, variable,
                                       ir::constant_int(variable.type, 1 + pick(3))));
            });
  }
  void statements(int depth, bool in_loop) {
    for (int i = 0, n = 1 + pick(4); i < n; ++i) statement(depth, in_loop);
  }
  void statement(int depth, bool in_loop) {
    int way = pick(depth > 0 ? 16 : 7);
    ir::Operand variable = any(variables_);
    if (way == 0 || (few_ && in_loop && way == 1))
      return p_.set(variable, p_.op(pick(3) ? ir::BinaryOp::Add : ir::BinaryOp::Subtract, variable,
                                    ir::constant_int(variable.type, 1 + pick(2))));
    if (way <= 2) return p_.set(variable, value(variable.type));
    if (way == 3 && pick(2)) return fit();
    if (way <= 5) return guard();
    if (way == 6) {
      if (in_loop && few_ && pick(2))
        return p_.when(comparison(), [&] {
          p_.set(variable, p_.add(variable, ir::constant_int(variable.type, 1)));
          p_.write(pick(2) ? continue_() : break_());
        });
      if (pick(4) == 0) return p_.write(stmt(ir::Check{condition(), ir::SiteId{}, {}}));
      return p_.when(condition(),
                     [&] { p_.write(in_loop && pick(3) ? (pick(2) ? break_() : continue_()) : return_()); });
    }
    if (way <= 11) {
      auto inner = [&] { statements(depth - 1, in_loop); };
      return pick(2) ? p_.when(condition(), inner) : p_.when(condition(), inner, inner);
    }
    way <= 13 ? counted_loop(depth) : conditional_loop(depth);
  }

  std::mt19937 random_;
  bool few_ = false;
  GuardProgram p_;
  std::vector<Axis> axes_;
  std::vector<ir::Operand> params_, variables_;
  ir::Operand thread_;
};

TEST(GuardsRandom, ProvedGuardsNeverFail) {
  const char* more = std::getenv("KERN_GUARD_SEEDS"); // to search longer than a test may
  unsigned seeds = more ? static_cast<unsigned>(std::atoi(more)) : 1500;
  std::size_t passed = 0, fits = 0, proved = 0, kept = 0, ways = 0;
  for (unsigned seed = 0; seed < seeds && !HasFatalFailure(); ++seed) {
    RandomGuards random(seed);
    random.run(seed);
    passed += random.passed;
    fits += random.fits_passed;
    proved += random.proved_count;
    ways += random.ways_count;
    kept += random.kept_count;
  }
  // The test says something only if guards are proved, and run.
  EXPECT_GT(proved * 10, kept);
  EXPECT_GT(passed, 10 * seeds);
  EXPECT_GT(fits, seeds);
  EXPECT_GT(ways, 0U);
  RecordProperty("proved", static_cast<int>(proved));
  if (more) std::printf("proved %zu, kept %zu, passed %zu, selects %zu\n", proved, kept, passed, ways);
}

// With facts of the launch more is proved, and holds in each run of a launch that keeps them.
TEST(GuardsRandom, ProvedGuardsOfVariantsNeverFail) {
  const char* more = std::getenv("KERN_GUARD_SEEDS");
  unsigned seeds = more ? static_cast<unsigned>(std::atoi(more)) : 1000;
  std::size_t passed = 0, facts = 0, proved = 0, with_facts = 0, narrow = 0;
  for (unsigned seed = 0; seed < seeds && !HasFatalFailure(); ++seed) {
    RandomGuards general(seed), variant(seed);
    std::size_t count = variant.rely_on_facts();
    if (count == 0) continue;
    facts += count;
    general.run(seed);
    variant.run(seed);
    passed += variant.passed;
    narrow += variant.narrow_count;
    proved += general.proved_count;
    with_facts += variant.proved_count;
  }
  EXPECT_GT(facts, seeds / 10);
  EXPECT_GT(with_facts, proved);
  EXPECT_GT(passed, seeds);
  EXPECT_GT(narrow, seeds);
  if (more)
    std::printf("facts %zu, proved %zu, with facts %zu, passed %zu, narrow %zu\n", facts, proved, with_facts,
                passed, narrow);
}

} // namespace
} // namespace kern::test
