// Each rule by which a guard is proved, beside the twin in which it must stay.
#include <gtest/gtest.h>

#include "tests/unit/analysis/guard_program.h"

namespace kern::test {
namespace {

TEST(Guards, TestedIndex) {
  GuardProgram p;
  ir::Operand y = p.array("y"), x = p.array("x"), i = p.grid();
  p.guard(y, i); // nothing is known yet
  p.when(p.less(i, p.extent(x)), [&] { p.guard(x, i); });
  p.guard(y, i); // the first guard passed
  p.guard(x, i); // the test is over
  EXPECT_EQ(p.outcome(), "kppk");
}

TEST(Guards, ReassignedAfterTheTest) {
  GuardProgram p;
  ir::Operand y = p.array("y"), i = p.variable(types::i64);
  p.set(i, p.grid());
  p.when(p.less(i, p.extent(y)), [&] {
    p.guard(y, i);
    p.set(i, p.add(i, i64(1)));
    p.guard(y, i);
    p.set(i, p.sub(i, i64(1)));
    p.guard(y, i);
  });
  EXPECT_EQ(p.outcome(), "pkp");
}

TEST(Guards, EarlyReturn) {
  GuardProgram p;
  ir::Operand y = p.array("y"), i = p.grid();
  p.when(p.compare(ir::CompareOp::GreaterEqual, i, p.extent(y)), [&] { p.write(return_()); });
  p.guard(y, i);
  p.guard(y, p.add(i, i64(1)));
  EXPECT_EQ(p.outcome(), "pk");
}

TEST(Guards, SignedIndexNeedsALowerBound) {
  for (bool lower : {false, true}) {
    GuardProgram p;
    ir::Operand y = p.array("y"), n = p.param(types::i32), i = p.convert(types::i64, n);
    auto access = [&] { p.when(p.less(i, p.extent(y)), [&] { p.guard(y, i); }); };
    if (lower)
      p.when(p.compare(ir::CompareOp::GreaterEqual, n, i32(0)), access);
    else
      access();
    EXPECT_EQ(p.outcome(), lower ? "p" : "k");
  }
}

TEST(Guards, NarrowArithmeticMayWrap) {
  for (Type type : {types::i32, types::i64}) {
    GuardProgram p;
    ir::Operand y = p.array("y"), n = p.param(type);
    ir::Operand next = p.add(n, ir::constant_int(type, 1));
    p.when(p.compare(ir::CompareOp::GreaterEqual, n, ir::constant_int(type, 0)), [&] {
      p.when(p.less(p.convert(types::i64, next), p.extent(y)), [&] {
        p.guard(y, next); // n may be the largest value, and n + 1 negative
        p.guard(y, n);
      });
    });
    EXPECT_EQ(p.outcome(), "kk");
  }
}

TEST(Guards, Stencil) {
  GuardProgram p;
  ir::Operand u = p.array("u"), i = p.grid(), inside = p.variable(types::boolean);
  ir::Operand first = p.less(i64(0), i);
  p.set(inside, first);
  p.when(first, [&] { p.set(inside, p.less(i, p.sub(p.extent(u), i64(1)))); });
  p.when(inside, [&] {
    for (int shift : {-1, 0, 1, 2, -2}) p.guard(u, p.add(i, i64(shift)));
  });
  EXPECT_EQ(p.outcome(), "pppkk");
}

TEST(Guards, OrProvesNothing) {
  GuardProgram p;
  ir::Operand u = p.array("u"), i = p.grid(), either = p.variable(types::boolean);
  ir::Operand n = p.param(types::i64), first = p.less(i, n);
  p.set(either, first);
  p.when(first, [] {}, [&] { p.set(either, p.less(i, p.extent(u))); });
  p.when(either, [&] { p.guard(u, i); });
  EXPECT_EQ(p.outcome(), "k");
}

TEST(Guards, NegatedOrProvesBoth) {
  GuardProgram p;
  ir::Operand u = p.array("u"), i = p.param(types::i64), out = p.variable(types::boolean);
  ir::Operand first = p.less(i, i64(0));
  p.set(out, first);
  p.when(first, [] {}, [&] { p.set(out, p.compare(ir::CompareOp::GreaterEqual, i, p.extent(u))); });
  p.when(out, [&] { p.write(return_()); });
  p.guard(u, i);
  EXPECT_EQ(p.outcome(), "p");
}

TEST(Guards, TileIndices) {
  GuardProgram p;
  p.f.function().options.block = {32, 8, 1};
  ir::Operand tile = p.local_array({32, 33});
  ir::Operand tx = p.call(Builtin::ThreadIndexX, types::i32), ty = p.call(Builtin::ThreadIndexY, types::i32);
  ir::Operand j = p.variable(types::i64);
  p.count(j, i64(0), i64(8), i64(4), [&] {
    ir::Operand row = p.add(p.convert(types::i64, ty), j);
    p.guard(tile, row, 0);
    p.guard(tile, p.convert(types::i64, tx), 1);
    p.guard(tile, p.add(row, i64(1)), 0);
    p.guard(tile, p.add(p.convert(types::i64, tx), i64(1)), 1);
  });
  EXPECT_EQ(p.outcome(), "ppkp");
}

TEST(Guards, GridStride) {
  GuardProgram p;
  ir::Operand x = p.array("x"), i = p.variable(types::i64), start = p.grid(), step = p.grid_size();
  // count = (stop - start + step - 1) // step
  ir::Operand span = p.sub(p.add(p.sub(p.extent(x), start), step), i64(1));
  p.count(i, start, step, p.op(ir::BinaryOp::FloorDivide, span, step), [&] {
    p.guard(x, i);
    p.guard(x, p.add(i, i64(1)));
  });
  EXPECT_EQ(p.outcome(), "pk");
}

TEST(Guards, WhileWithStride) {
  GuardProgram p;
  ir::Operand x = p.array("x"), i = p.variable(types::i64), step = p.grid_size();
  p.set(i, p.grid());
  p.loop([&] { return p.less(i, p.extent(x)); },
         [&] {
           p.guard(x, i);
           p.set(i, p.add(i, step));
         });
  EXPECT_EQ(p.outcome(), "p");
}

TEST(Guards, LoopCarriedIndex) {
  GuardProgram p;
  ir::Operand x = p.array("x"), i = p.variable(types::i64), n = p.param(types::i64);
  p.set(i, p.grid());
  p.when(p.less(i, p.extent(x)), [&] {
    p.loop([&] { return p.less(n, i64(3)); },
           [&] {
             p.guard(x, i); // true for the first iteration only
             p.set(i, p.add(i, i64(1)));
           });
  });
  EXPECT_EQ(p.outcome(), "k");
}

TEST(Guards, Halving) {
  GuardProgram p;
  p.f.function().options.block = {256, 1, 1};
  ir::Operand s = p.local_array({256}), w = p.variable(types::i64);
  ir::Operand t = p.convert(types::i64, p.call(Builtin::ThreadIndexX, types::i32));
  p.set(w, i64(128));
  p.loop([&] { return p.less(i64(0), w); },
         [&] {
           p.when(p.less(t, w), [&] {
             p.guard(s, p.add(t, w));
             p.guard(s, p.add(p.add(t, w), i64(1)));
           });
           p.set(w, p.op(ir::BinaryOp::FloorDivide, w, i64(2)));
         });
  EXPECT_EQ(p.outcome(), "pk");
}

TEST(Guards, BinarySearch) {
  GuardProgram p;
  ir::Operand x = p.array("x"), low = p.variable(types::i64), high = p.variable(types::i64);
  ir::Operand way = p.param(types::i64);
  p.set(low, i64(0));
  p.set(high, p.extent(x));
  p.loop([&] { return p.less(low, high); },
         [&] {
           ir::Operand middle = p.op(ir::BinaryOp::FloorDivide, p.add(low, high), i64(2));
           p.guard(x, middle);
           p.when(
               p.less(middle, way), [&] { p.set(low, p.add(middle, i64(1))); }, [&] { p.set(high, middle); });
         });
  EXPECT_EQ(p.outcome(), "p");
}

TEST(Guards, Clamp) {
  GuardProgram p;
  ir::Operand x = p.array("x"), i = p.param(types::i64), n = p.extent(x);
  ir::Operand clamped =
      p.call(Builtin::Min, types::i64, {p.call(Builtin::Max, types::i64, {i, i64(0)}), p.sub(n, i64(1))});
  p.guard(x, clamped); // x may be empty
  p.when(p.less(i64(0), n), [&] { p.guard(x, clamped); });
  EXPECT_EQ(p.outcome(), "kp");
}

TEST(Guards, BothBranchesInRange) {
  GuardProgram p;
  ir::Operand x = p.array("x"), i = p.grid(), left = p.variable(types::i64);
  p.when(p.less(i, p.extent(x)), [&] {
    p.set(left, i64(0));
    p.when(p.less(i64(0), i), [&] { p.set(left, p.sub(i, i64(1))); });
    p.guard(x, left);
    p.guard(x, p.add(left, i64(1)));
  });
  EXPECT_EQ(p.outcome(), "pk");
}

TEST(Guards, LoopVariableWrapsInItsType) {
  for (std::int64_t rounds : {128, 129}) {
    GuardProgram p;
    ir::Operand x = p.array("x"), i = p.variable(types::i8);
    p.count(i, ir::constant_int(types::i8, 0), ir::constant_int(types::i8, 1), i64(rounds), [&] {
      ir::Operand wide = p.convert(types::i64, i);
      p.when(p.less(wide, p.extent(x)), [&] { p.guard(x, wide); });
    });
    EXPECT_EQ(p.outcome(), rounds == 128 ? "p" : "k");
  }
}

TEST(Guards, StrideOfTheFirstRoundOnly) {
  for (int more : {1, 2}) {
    GuardProgram p;
    ir::Operand table = p.local_array({20}), i = p.variable(types::i64), k = p.variable(types::i64);
    // i is k for as long as both ways add 1.
    p.count(k, i64(0), i64(1), i64(20), [&] {
      p.guard(table, i);
      ir::Operand early = p.less(i, i64(3));
      p.when(early, [&] { p.set(i, p.add(i, i64(1))); }, [&] { p.set(i, p.add(i, i64(more))); });
    });
    EXPECT_EQ(p.outcome(), more == 1 ? "p" : "k");
  }
}

TEST(Guards, ContinueGoesBackToo) {
  for (bool skips : {false, true}) {
    GuardProgram p;
    ir::Operand table = p.local_array({20}), x = p.array("x"), i = p.variable(types::i64),
                k = p.variable(types::i64);
    p.count(k, i64(0), i64(1), i64(20), [&] {
      p.guard(table, i);
      p.set(i, p.add(i, i64(1)));
      p.when(p.less(p.extent(x), k), [&] {
        if (skips) p.set(i, p.add(i, i64(1)));
        p.write(continue_());
      });
    });
    EXPECT_EQ(p.outcome(), skips ? "k" : "p");
  }
}

TEST(Guards, BreakLeavesWithItsOwnValue) {
  for (bool breaks : {false, true}) {
    GuardProgram p;
    ir::Operand table = p.local_array({8}), i = p.variable(types::i64), n = p.param(types::i64);
    p.loop([&] { return p.less(i, i64(16)); },
           [&] {
             if (breaks) p.when(p.less(n, i), [&] { p.write(break_()); });
             p.set(i, p.add(i, i64(1)));
           });
    // Without the break i is at least 16 here.
    p.guard(table, p.sub(p.call(Builtin::Min, types::i64, {i, i64(20)}), i64(16)));
    EXPECT_EQ(p.outcome(), breaks ? "k" : "p");
  }
}

// The first place of a value: set only where the loop is left, or also where it goes on.
TEST(Guards, ResultOfASearch) {
  for (bool goes_on : {false, true}) {
    GuardProgram p;
    ir::Operand x = p.array("x"), k = p.variable(types::i64), result = p.variable(types::i64),
                n = p.param(types::i64);
    p.set(result, i64(-1));
    p.count(k, i64(0), i64(1), p.extent(x), [&] {
      p.when(p.less(n, k), [&] {
        p.set(result, p.add(k, i64(goes_on ? 1 : 0)));
        if (goes_on) p.when(p.less(n, i64(5)), [&] { p.write(continue_()); });
        p.write(break_());
      });
    });
    p.when(p.compare(ir::CompareOp::GreaterEqual, result, i64(0)), [&] { p.guard(x, result); });
    EXPECT_EQ(p.outcome(), goes_on ? "k" : "p");
  }
}

TEST(Guards, SwappedArrays) {
  for (std::int64_t other : {16, 8}) {
    GuardProgram p;
    ir::Operand a = p.local_array({16}), b = p.local_array({other});
    ir::Operand from = p.f.variable("from", a.type), to = p.f.variable("to", a.type),
                swap = p.f.variable("swap", a.type);
    ir::Operand k = p.variable(types::i64);
    p.set(from, a);
    p.set(to, b);
    p.count(k, i64(0), i64(1), i64(16), [&] {
      p.guard(from, k);
      p.guard(to, k);
      p.set(swap, from);
      p.set(from, to);
      p.set(to, swap);
    });
    EXPECT_EQ(p.outcome(), other == 16 ? "pp" : "kk");
  }
}

TEST(Guards, EqualExtents) {
  using enum ir::CompareOp;
  for (ir::CompareOp op : {Equal, LessEqual, GreaterEqual, NotEqual}) {
    GuardProgram p;
    ir::Operand x = p.array("x"), y = p.array("y"), i = p.grid();
    p.write(stmt(ir::Check{p.compare(op, p.extent(x), p.extent(y)), ir::SiteId{}, {}}));
    p.when(p.less(i, p.extent(x)), [&] { p.guard(y, i); });
    EXPECT_EQ(p.outcome(), op == Equal || op == LessEqual ? "p" : "k");
  }
}

TEST(Guards, ReassignedArray) {
  for (bool again : {false, true}) {
    GuardProgram p;
    ir::Operand x = p.array("x"), y = p.array("y"), z = p.f.variable("z", x.type), i = p.grid();
    p.set(z, x);
    p.when(p.less(i, p.extent(z)), [&] {
      if (again) p.set(z, y);
      p.guard(z, i);
    });
    EXPECT_EQ(p.outcome(), again ? "k" : "p");
  }
}

TEST(Guards, UnsignedDifference) {
  for (bool ordered : {false, true}) {
    GuardProgram p;
    ir::Operand x = p.array("x"), a = p.param(types::u32), b = p.param(types::u32);
    ir::Operand small = p.less(p.convert(types::i64, a), p.extent(x));
    p.when(small, [&] {
      auto access = [&] { p.guard(x, p.sub(a, b)); };
      ordered ? p.when(p.compare(ir::CompareOp::LessEqual, b, a), access) : access();
    });
    EXPECT_EQ(p.outcome(), ordered ? "p" : "k");
  }
}

TEST(Guards, RemaindersAndMasks) {
  using enum ir::BinaryOp;
  GuardProgram p;
  ir::Operand table = p.local_array({16}), n = p.param(types::i64), m = p.param(types::i64);
  p.guard(table, p.op(Modulo, n, i64(16)));  // never negative, as in Python
  p.guard(table, p.op(Modulo, n, i64(-16))); // never positive
  p.guard(table, p.op(Modulo, n, i64(17)));
  p.guard(table, p.op(BitAnd, n, i64(15)));
  p.guard(table, p.op(BitAnd, n, i64(9)));
  p.guard(table, p.op(BitAnd, n, m));
  p.guard(table, p.op(ShiftRight, n, i64(60))); // negative for a negative n
  p.guard(table, p.op(ShiftRight, p.op(BitAnd, n, i64(255)), i64(4)));
  p.guard(table, p.op(FloorDivide, p.op(BitAnd, n, i64(255)), i64(16)));
  p.guard(table, p.op(FloorDivide, p.op(BitAnd, n, i64(255)), i64(-16)));
  p.guard(table, p.op(BitXor, p.op(BitAnd, n, i64(15)), i64(5)));
  p.guard(table, p.op(BitOr, p.op(BitAnd, n, i64(15)), m));
  EXPECT_EQ(p.outcome(), "pkkppkkppkpk");
}

TEST(Guards, RemainderByAnExtent) {
  GuardProgram p;
  ir::Operand x = p.array("x"), n = p.param(types::i64), length = p.extent(x);
  ir::Operand place = p.op(ir::BinaryOp::Modulo, n, length);
  p.guard(x, place); // n % 0 is 0, and x may be empty
  p.when(p.less(i64(0), length), [&] {
    p.guard(x, place); // what the remainder is was not known then
    p.guard(x, p.op(ir::BinaryOp::Modulo, n, length));
  });
  EXPECT_EQ(p.outcome(), "kpp");
}

TEST(Guards, FlatIndexOfAMatrix) {
  using enum ir::BinaryOp;
  for (bool same : {false, true}) {
    GuardProgram p;
    ir::Operand x = p.array("x", 2), y = p.array("y", 2), i = p.grid();
    p.when(p.less(i, p.mul(p.extent(x, 0), p.extent(x, 1))), [&] {
      ir::Operand width = p.extent(same ? x : y, 1);
      p.guard(x, p.op(FloorDivide, i, width), 0);
      p.guard(x, p.op(Modulo, i, width), 1);
      p.guard(x, p.op(FloorDivide, i, p.extent(x, 0)), 0);
    });
    EXPECT_EQ(p.outcome(), same ? "ppk" : "kkk");
  }
}

TEST(Guards, FlatIndexPutTogether) {
  for (bool same : {false, true}) {
    GuardProgram p;
    ir::Operand x = p.array("x", 2), flat = p.array("flat"), column = p.grid(), row = p.param(types::i64);
    ir::Operand size = p.mul(p.extent(x, 0), p.extent(x, 1));
    p.write(stmt(ir::Check{p.compare(ir::CompareOp::Equal, p.extent(flat), size), ir::SiteId{}, {}}));
    p.when(p.compare(ir::CompareOp::GreaterEqual, row, i64(0)), [&] {
      p.when(p.less(column, p.extent(x, 1)), [&] {
        p.when(p.less(row, p.extent(x, 0)), [&] {
          p.guard(flat, p.add(p.mul(row, p.extent(x, same ? 1 : 0)), column));
          p.guard(flat, p.add(p.mul(row, p.extent(x, 1)), p.add(column, i64(1))));
        });
      });
    });
    EXPECT_EQ(p.outcome(), same ? "pk" : "kk");
  }
}

TEST(Guards, ByteAsIndex) {
  for (Type type : {types::u8, types::i8}) {
    GuardProgram p;
    ir::Operand table = p.local_array({256}), n = p.param(type);
    p.guard(table, n);
    EXPECT_EQ(p.outcome(), type == types::u8 ? "p" : "k");
  }
}

TEST(Guards, FitOfABoundedValue) {
  GuardProgram p;
  ir::Operand n = p.param(types::i64);
  p.fit(p.op(ir::BinaryOp::BitAnd, n, i64(255)), types::u8);
  p.fit(p.op(ir::BinaryOp::BitAnd, n, i64(256)), types::u8);
  p.fit(p.op(ir::BinaryOp::Modulo, n, i64(10)), types::i8);
  p.fit(p.op(ir::BinaryOp::Modulo, n, i64(129)), types::i8);
  p.fit(p.call(Builtin::Min, types::i64, {n, i64(255)}), types::u8); // may be negative
  ir::Operand low = p.call(Builtin::Max, types::i64, {n, i64(0)});
  p.fit(p.call(Builtin::Min, types::i64, {low, i64(255)}), types::u8);
  p.fit(p.call(Builtin::Min, types::i64, {low, i64(256)}), types::u8);
  EXPECT_EQ(p.outcome(), "pkpkkpk");
}

// What a fit has tested is known behind it, unless the thread goes on or nothing was tested.
TEST(Guards, BehindAFit) {
  for (bool clamps : {false, true})
    for (ir::GuardState state : {ir::GuardState::Kept, ir::GuardState::Proved}) {
      GuardProgram p;
      p.module.clamps = clamps;
      ir::Operand n = p.param(types::i64);
      p.fit(n, types::u8);
      std::get<ir::Fit>(p.f.function().body[0].node).state = state;
      p.fit(n, types::u16);
      p.fit(n, types::i8);
      EXPECT_EQ(p.outcome(), clamps || state == ir::GuardState::Proved ? "kkk" : "kpk");
    }
}

TEST(Guards, FitOfWords) {
  GuardProgram p;
  ir::Operand word = p.param(types::u64), number = p.param(types::i64);
  p.fit(word, types::i64);
  p.fit(p.op(ir::BinaryOp::ShiftRight, word, ir::constant_int(types::u64, 1)), types::i64);
  p.fit(number, types::u64);
  p.when(p.compare(ir::CompareOp::GreaterEqual, number, i64(1)), [&] {
    p.fit(number, types::u64);
    p.fit(p.sub(number, i64(1)), types::u64);
    p.fit(p.add(number, i64(1)), types::u64); // it may wrap
  });
  EXPECT_EQ(p.outcome(), "kpkppk");
}

TEST(Guards, FitOfACounter) {
  for (std::int64_t count : {128, 129}) {
    GuardProgram p;
    ir::Operand k = p.variable(types::i64);
    p.count(k, i64(0), i64(1), i64(count), [&] { p.fit(k, types::i8); });
    EXPECT_EQ(p.outcome(), count == 128 ? "p" : "k");
  }
}

} // namespace
} // namespace kern::test
