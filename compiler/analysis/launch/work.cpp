// A statement counts as so many operations of a vector as its kind takes, and for as many rounds and as large a part of
// the threads as the launch tells. What is the same for all threads, and where a thread stands, costs nothing: it is
// computed once for a vector, or for a block.
#include "compiler/analysis/launch/work.h"

#include <algorithm>
#include <bit>
#include <concepts>

#include "compiler/analysis/launch/spread.h"
#include "compiler/ir/walk.h"
#include "compiler/support/overloaded.h"

namespace kern {

namespace {

using MaybeTerm = std::optional<LaunchTerm>;

// The costs of statements, in operations of vectors; one takes about a third of a nanosecond. Sums and
// products become one. Atomics and prints are run for one thread after the other.
constexpr double of_word = 1, of_sum = 0.5, of_atomic = 40, of_print = 2'000, of_function = 20,
                 of_quotient = 4, of_integer_quotient = 24, of_warp = 8, of_loop = 0.5;
// Rounds of a `while` that are followed, if all of its numbers are constant; and statements of a kernel.
constexpr int most_rounds = 64;
constexpr std::size_t most_statements = 20'000;

template <class Node>
concept IsSimple =
    std::same_as<Node, ir::Unary> || std::same_as<Node, ir::Compare> || std::same_as<Node, ir::Convert> ||
    std::same_as<Node, ir::Select> || std::same_as<Node, ir::Fma>;

class Estimator {
public:
  explicit Estimator(const ir::Function& kernel) : spreads_(kernel) {}

  std::optional<Work> run(const ir::Function& kernel) {
    Expression operations = walk(kernel.body).work.expression();
    if (statements_ > most_statements) return std::nullopt;
    return Work{std::move(operations), is_known_};
  }

private:
  struct Outcome {
    LaunchSum work = {};
    MaybeTerm leaves = LaunchTerm::constant(0); // the part of the threads that have left the kernel
  };

  // Returns the work of a part of the threads; of all of them where that would be too long to say.
  static LaunchSum part_of(const LaunchSum& work, const MaybeTerm& part) {
    std::optional<LaunchSum> product = part ? work.times(*part) : std::nullopt;
    return product ? std::move(*product) : work;
  }
  static MaybeTerm rest_of(const MaybeTerm& part) {
    return combine(ExpressionOp::Subtract, MaybeTerm(LaunchTerm::constant(1)), part);
  }
  static bool is(const MaybeTerm& part, double number) { return part && part->constant_value() == number; }

  Outcome walk(const ir::Body& body) {
    Outcome outcome;
    MaybeTerm reach = LaunchTerm::constant(1);
    for (const ir::Stmt& stmt : body) {
      if (++statements_ > most_statements) break;
      Outcome inner = walk(stmt);
      outcome.work.add(part_of(inner.work, reach));
      if (is(inner.leaves, 0)) continue;
      // All threads are taken to go on if it is not known how many do.
      if (MaybeTerm left = combine(ExpressionOp::Multiply, reach, rest_of(inner.leaves))) reach = left;
      if (is(reach, 0)) break;
    }
    outcome.leaves = rest_of(reach);
    return outcome;
  }

  Outcome walk(const ir::Stmt& stmt) {
    return match(
        stmt.node, [&](const ir::If& node) { return walk_if(node); },
        [&](const ir::For& node) { return Outcome{walk_for(node)}; },
        [&](const ir::While& node) { return Outcome{walk_while(node)}; },
        [&](const ir::Segment& node) { return walk(node.body); },
        [&](const ir::Return&) { return Outcome{{}, LaunchTerm::constant(1)}; },
        [&](const ir::Assign& node) {
          spreads_.assign(node);
          return Outcome{cost_of(node)};
        },
        [&](const auto& node) {
          ir::visit_results(stmt, [&](ir::SlotId slot) { spreads_.forget(slot); });
          return Outcome{cost_of(node)};
        });
  }

  Outcome walk_if(const ir::If& node) {
    MaybeTerm chance = spreads_.chance(node.condition);
    if (node.is_rerun) chance = LaunchTerm::constant(0);
    Spreads::Mark mark = spreads_.mark();
    spreads_.assume(node.condition, true);
    Outcome taken = walk(node.then_body);
    Spreads::Changes taken_changes = spreads_.take_back(mark);
    spreads_.assume(node.condition, false);
    Outcome other = walk(node.else_body);
    Spreads::Changes other_changes = spreads_.take_back(mark);
    if (is(taken.leaves, 1))
      spreads_.apply(other_changes);
    else if (is(other.leaves, 1))
      spreads_.apply(taken_changes);
    else
      spreads_.join(chance, taken_changes, other_changes);
    Outcome outcome{part_of(taken.work, chance)};
    outcome.work.add(part_of(other.work, rest_of(chance)));
    if (is(taken.leaves, 0) && is(other.leaves, 0)) return outcome;
    outcome.leaves = combine(ExpressionOp::Add, combine(ExpressionOp::Multiply, chance, taken.leaves),
                             combine(ExpressionOp::Multiply, rest_of(chance), other.leaves));
    return outcome;
  }

  // Says whether rounds of a loop are left out for what a thread finds.
  static bool is_cut_short(const ir::Body& body) {
    return ir::any(body, [](const ir::Stmt& stmt) {
      return std::holds_alternative<ir::Break>(stmt.node) || std::holds_alternative<ir::Return>(stmt.node);
    });
  }

  // Returns how often a loop goes round, on average.
  MaybeTerm rounds_of(const ir::For& node) const {
    const LaunchTerm nothing = LaunchTerm::constant(0), half = LaunchTerm::constant(0.5);
    std::optional<Spread> start = spreads_.number(node.start), step = spreads_.number(node.step),
                          count = spreads_.number(node.count);
    std::optional<Spread> stop = node.stop ? spreads_.number(*node.stop) : std::nullopt;
    MaybeTerm rounds;
    if (start && stop && step && !step->width) {
      MaybeTerm length = combine(ExpressionOp::Subtract, mean_of(*stop), mean_of(*start));
      // Rounding up is half a step more, on average. Threads that start in one step together leave out nothing.
      if (start->width == step->first && !start->step)
        length = combine(ExpressionOp::Subtract, mean_of(*stop), start->first);
      else if (!is(step->first, 1))
        length = combine(ExpressionOp::Add, length, combine(ExpressionOp::Multiply, step->first, half));
      rounds = combine(ExpressionOp::FloorDivide, length, step->first);
    }
    if (!rounds && count) rounds = mean_of(*count);
    // A size is never negative.
    const bool is_size = rounds && rounds->expression().op == ExpressionOp::Extent;
    return is_size ? rounds : combine(ExpressionOp::Maximum, rounds, nothing);
  }

  // Returns the spread of a loop's variable, which goes evenly from its start on.
  std::optional<Spread> variable_of(const ir::For& node) const {
    std::optional<Spread> start = spreads_.number(node.start), step = spreads_.number(node.step),
                          count = spreads_.number(node.count);
    std::optional<Spread> stop = node.stop ? spreads_.number(*node.stop) : std::nullopt;
    MaybeTerm width;
    if (start && stop && !stop->width)
      width = combine(ExpressionOp::Subtract, stop->first, start->first);
    else if (start && !start->width && count && !count->width && step && is_positive(*step))
      width = combine(ExpressionOp::Multiply, count->first, step->first);
    return width ? std::optional(Spread{start->first, width, step ? step->first : MaybeTerm()})
                 : std::nullopt;
  }
  static bool is_positive(const Spread& spread) {
    return !spread.width && spread.first.constant_value().value_or(0) > 0;
  }

  LaunchSum walk_for(const ir::For& node) {
    MaybeTerm rounds = rounds_of(node);
    std::optional<Spread> variable = variable_of(node);
    spreads_.forget_assigned(node.body);
    spreads_.set(node.variable, {variable, {}});
    LaunchSum round = walk(node.body).work;
    round.add(of_loop);
    spreads_.forget_assigned(node.body);
    spreads_.forget(node.variable);
    std::optional<LaunchSum> all = rounds ? round.times(*rounds) : std::nullopt;
    if (!all || is_cut_short(node.body)) is_known_ = false;
    return all ? std::move(*all) : round;
  }

  // A `while` over constants, as one that halves the width of a tree, is followed round by round.
  LaunchSum walk_while(const ir::While& node) {
    Spreads::Mark mark = spreads_.mark();
    if (!is_cut_short(node.body)) {
      LaunchSum work;
      for (int round = 0; round < most_rounds && statements_ <= most_statements; ++round) {
        work.add(walk(node.head).work);
        work.add(of_loop);
        MaybeTerm chance = spreads_.chance(node.condition);
        if (!is(chance, 0) && !is(chance, 1)) break;
        if (is(chance, 0)) return work;
        work.add(walk(node.body).work);
      }
    }
    spreads_.take_back(mark);
    is_known_ = false;
    auto forget = [&] {
      spreads_.forget_assigned(node.head);
      spreads_.forget_assigned(node.body);
    };
    forget();
    LaunchSum work = walk(node.head).work;
    work.add(walk(node.body).work);
    work.add(of_loop);
    forget();
    return work;
  }

  double cost_of(const ir::Assign& node) const {
    ir::Operand result{};
    result.slot = node.slot;
    if (spreads_.number(result)) return 0;
    return match(
        node.value,
        [](const ir::Binary& binary) {
          if (binary.op == ir::BinaryOp::Divide) return of_quotient;
          if (binary.op != ir::BinaryOp::FloorDivide && binary.op != ir::BinaryOp::Modulo) return of_sum;
          const bool is_power = !binary.right.slot && std::has_single_bit(binary.right.bits);
          return is_power ? of_sum : of_integer_quotient;
        },
        [](const ir::CallPure& call) {
          switch (call.builtin) {
          case Builtin::Abs:
          case Builtin::Min:
          case Builtin::Max: return of_sum;
          case Builtin::Sqrt: return of_quotient;
          default: break;
          }
          const bool is_real =
              !call.args.empty() && is_scalar(call.args[0].type) && !is_integer(call.args[0].type);
          return is_real ? of_function : 1.0;
        },
        [](const IsSimple auto&) { return of_sum; }, [](const auto&) { return 0.0; });
  }
  // Half of what takes a word of 32 bits, and half of it for its size; and half again where the block's own arrays are in
  // the first cache.
  static double of_element(const ir::Operand& array) {
    const double near = array.type->space == AddressSpace::Global ? 1 : 0.5;
    return near * of_word * (0.5 + bit_width(array.type->scalar) / 64.0);
  }
  static double cost_of(const ir::Load& load) { return of_element(load.array); }
  static double cost_of(const ir::Store& store) { return 2 * of_element(store.array); }
  static double cost_of(const ir::Atomic&) { return of_atomic; }
  static double cost_of(const ir::Print&) { return of_print; }
  static double cost_of(const ir::CallEffect& call) {
    return row(call.builtin).effects == Effects::Warp ? of_warp : 1.0;
  }
  double cost_of(const ir::Call&) {
    is_known_ = false;
    return of_function;
  }
  static double cost_of(const auto&) { return 0; } // guards are proved, or hidden behind what memory takes

  Spreads spreads_;
  bool is_known_ = true;
  std::size_t statements_ = 0;
};

} // namespace

std::optional<Work> estimate_work(const ir::Function& kernel) { return Estimator(kernel).run(kernel); }

} // namespace kern
