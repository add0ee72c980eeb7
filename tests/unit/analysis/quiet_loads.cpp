// Loads of shared memory between barriers with no write in between, on whatever way.
#include "compiler/analysis/memory/quiet_loads.h"

#include <gtest/gtest.h>

#include "tests/unit/ir_builder.h"

namespace kern {
namespace {

using namespace kern::test;

struct QuietLoadsTest : testing::Test {
  ir::Module module;
  FunctionBuilder g{module, "g", false}, f{module, "k", true};
  Type tiles = module.types.array(ScalarKind::I64, 1, AddressSpace::Shared);
  ir::Operand param = g.param("s", tiles);
  ir::Operand c = f.param("c", types::boolean), n = f.param("n", types::i64);
  ir::Operand a = f.temp(tiles), b = f.temp(tiles), v = f.variable("v", types::i64);
  ir::Operand i = f.variable("i", types::i64);

  QuietLoadsTest() { module.shared.resize(2); }

  ir::Stmt write(const ir::Operand& array) { return store(array, {i64(0)}, n); }
  ir::Stmt look() { return load(v, a, {i64(0)}); }
  ir::Stmt call_g() { return call({}, g.id, {a}); }

  // Returns how many loads of `a`, or arguments, are quiet.
  std::size_t quiet(ir::Body rest) {
    ir::Body all = body(assign(a, ir::SharedArray{ir::SharedId{0}, {}}),
                        assign(b, ir::SharedArray{ir::SharedId{1}, {}}));
    all.insert(all.end(), rest.begin(), rest.end());
    f.function().body = std::move(all);
    for (ir::SharedDecl& shared : module.shared) shared.extents = {8};
    const QuietLoads found = SharedIntervals(module).quiet_loads(f.id);
    return found.loads.size() + found.args.size();
  }
};

TEST_F(QuietLoadsTest, between_barriers) {
  EXPECT_EQ(quiet(body(write(a), syncthreads(), look())), 1u);
  EXPECT_EQ(quiet(body(write(a), syncthreads(), look(), syncthreads(), write(a))), 1u);
  EXPECT_EQ(quiet(body(syncthreads(), look(), write(a))), 0u);
  EXPECT_EQ(quiet(body(syncthreads(), look(), write(b))), 1u) << "another array";
  EXPECT_EQ(quiet(body(look())), 0u) << "nothing is known of what was before";
}

TEST_F(QuietLoadsTest, on_each_way) {
  EXPECT_EQ(quiet(body(syncthreads(), if_(c, body(write(a))), look())), 0u);
  EXPECT_EQ(quiet(body(syncthreads(), if_(c, body(write(a), syncthreads())), look())), 0u);
  EXPECT_EQ(quiet(body(syncthreads(), if_(c, body(write(a), syncthreads()), body(syncthreads())), look())),
            1u);
  EXPECT_EQ(quiet(body(syncthreads(), if_(c, body(write(a), return_())), look())), 0u)
      << "threads that leave write meanwhile";
}

TEST_F(QuietLoadsTest, around_a_loop) {
  const auto loop = [&](ir::Body inner) { return for_(i, i64(0), i64(1), n, std::move(inner)); };
  EXPECT_EQ(quiet(body(syncthreads(), loop(body(look(), syncthreads(), write(a), syncthreads())))), 1u);
  EXPECT_EQ(quiet(body(syncthreads(), loop(body(look(), syncthreads(), write(a))))), 0u);
  EXPECT_EQ(quiet(body(syncthreads(), loop(body(look(), syncthreads(), write(a), if_(c, body(continue_())),
                                                syncthreads())))),
            0u)
      << "the next round loads behind the same barrier";
  EXPECT_EQ(quiet(body(syncthreads(),
                       loop(body(look(), syncthreads(), write(a), if_(c, body(break_())), syncthreads())),
                       syncthreads())),
            1u);
  EXPECT_EQ(quiet(body(syncthreads(), loop(body(while_(body(look()), c, body(syncthreads())), write(a))))),
            0u);
}

TEST_F(QuietLoadsTest, calls) {
  g.function().body = {};
  EXPECT_EQ(quiet(body(write(a), syncthreads(), call_g())), 1u);
  EXPECT_EQ(quiet(body(syncthreads(), call_g(), write(a))), 0u);
  g.function().body = body(store(param, {i64(0)}, i64(1)));
  EXPECT_EQ(quiet(body(syncthreads(), look(), call_g())), 0u);
  g.function().body = body(syncthreads(), store(param, {i64(0)}, i64(1)));
  EXPECT_EQ(quiet(body(syncthreads(), look(), call_g(), syncthreads())), 1u) << "it meets first";
  EXPECT_EQ(quiet(body(syncthreads(), call_g(), look())), 0u) << "and writes behind that";
  g.function().body = body(store(param, {i64(0)}, i64(1)), syncthreads());
  EXPECT_EQ(quiet(body(syncthreads(), call_g(), look())), 1u);
}

} // namespace
} // namespace kern
