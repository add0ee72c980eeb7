// Words of what is computed in 64 bits: random programs do what they did.
#include <gtest/gtest.h>

#include <random>

#include "compiler/ir/verify.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/transform.h"
#include "tests/unit/ir_builder.h"
#include "tests/unit/ir_interpreter.h"

namespace kern {
namespace {

using namespace kern::test;

// Programs of words, long temporaries that are made of them and of each other, and words of those, in nested
// bodies: what an outer body made is used in inner ones, after what it was made of has changed.
class RandomWords {
public:
  RandomWords(unsigned seed, FunctionBuilder& f) : random_(seed), f_(f) {
    for (Type type : {types::u32, types::i32, types::u8, types::i16}) words_.push_back(f.param("", type));
    for (Type type : {types::i64, types::u64}) longs_.push_back(f.variable("", type));
  }

  ir::Body body(int depth) {
    ir::Body result;
    const std::size_t known = longs_.size();
    for (int i = 0, n = 6 + pick(6); i < n; ++i) add(result, depth);
    longs_.resize(known);
    return result;
  }

private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  template <class T> const T& one_of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(pick(static_cast<int>(values.size())))];
  }

  ir::Operand long_of(Type type) {
    std::vector<ir::Operand> fitting{
        ir::constant_int(type, static_cast<std::int64_t>(random_()) << pick(33))};
    for (const ir::Operand& each : longs_)
      if (each.type == type) fitting.insert(fitting.end(), 3, each);
    return one_of(fitting);
  }

  ir::Expr long_value(Type type) {
    static const std::vector<ir::BinaryOp> ops{
        ir::BinaryOp::Add,       ir::BinaryOp::Subtract,   ir::BinaryOp::Multiply, ir::BinaryOp::Multiply,
        ir::BinaryOp::BitAnd,    ir::BinaryOp::BitOr,      ir::BinaryOp::BitXor,   ir::BinaryOp::ShiftLeft,
        ir::BinaryOp::ShiftLeft, ir::BinaryOp::ShiftRight, ir::BinaryOp::Modulo};
    if (pick(3) == 0) return ir::Convert{one_of(words_)};
    if (pick(8) == 0) return ir::Unary{pick(2) ? ir::UnaryOp::Negate : ir::UnaryOp::BitNot, long_of(type)};
    const ir::BinaryOp op = one_of(ops);
    const bool shifts = op == ir::BinaryOp::ShiftLeft || op == ir::BinaryOp::ShiftRight;
    ir::Operand right =
        shifts && pick(4) ? ir::constant_int(pick(2) ? type : types::i32, pick(70) - 3) : long_of(type);
    return ir::Binary{op, long_of(type), right};
  }

  void add(ir::Body& out, int depth) {
    const int kind = pick(depth > 0 ? 12 : 10);
    if (kind < 5) {
      const Type type = pick(2) ? types::u64 : types::i64;
      // Most are temporaries; a variable is assigned again and again.
      const bool is_new = pick(6) != 0;
      ir::Operand result = is_new
                               ? f_.slot("", type, pick(4) ? ir::Slot::Kind::Temp : ir::Slot::Kind::Variable)
                               : longs_[type == types::i64 ? 0 : 1];
      out.push_back(assign(result, long_value(type)));
      if (is_new) longs_.push_back(result);
    } else if (kind < 8) {
      out.push_back(assign(one_of(words_), ir::Convert{one_of(longs_)}));
    } else if (kind < 10) {
      out.push_back(stmt(ir::Print{{"", "", ""}, {one_of(words_), one_of(longs_)}, {}}));
    } else if (kind == 10) {
      ir::Operand condition = f_.temp(types::boolean), left = one_of(words_);
      out.push_back(compare(condition, ir::CompareOp::Less, left, ir::constant_int(left.type, pick(100))));
      ir::Body then_body = body(depth - 1);
      out.push_back(if_(condition, std::move(then_body), body(depth - 1)));
    } else {
      ir::Operand variable = f_.variable("", types::i32);
      out.push_back(for_(variable, i32(pick(9)), i32(1), i64(pick(4)), body(depth - 1)));
    }
  }

  std::mt19937 random_;
  FunctionBuilder& f_;
  std::vector<ir::Operand> words_, longs_;
};

TEST(Words, of_random_programs_are_what_they_were) {
  std::size_t narrowed = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    ir::Module original, changed;
    for (ir::Module* module : {&original, &changed}) {
      module->sites.emplace_back(); // of every print
      FunctionBuilder f(*module, "k", true);
      f.function().body = RandomWords(seed, f).body(3);
    }
    narrow_words(changed);
    ASSERT_EQ(ir::verify(changed), std::vector<std::string>{}) << "seed " << seed;
    narrowed += changed.functions[0].slots.size() - original.functions[0].slots.size();
    for (std::int64_t arg : {-1, 0, 77, 0x5EED5EED}) {
      Interpreter before(original), after(changed);
      after.steps_left *= 3;
      std::vector<std::int64_t> args;
      for (int param = 0; param < 4; ++param)
        args.push_back(
            wrap(original.functions[0].slots[static_cast<std::size_t>(param)].type, arg * (param + 1)));
      before.run(ir::FunctionId{0}, args);
      if (before.steps_left <= 0) continue;
      after.run(ir::FunctionId{0}, args);
      ASSERT_EQ(before.trace, after.trace) << "seed " << seed << ", argument " << arg;
    }
  }
  EXPECT_GT(narrowed, 3000U);
}

} // namespace
} // namespace kern
