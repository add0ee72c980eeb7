// Kernels compiled into this process and run, with one lane and with vectors of them.
#include <algorithm>

#include "compiler/diagnostics/diagnostics.h"
#include "launch.h"

namespace kern::test {
namespace {

struct Variant {
  int lanes;
  const char* arch;
};

class Cpu : public testing::TestWithParam<Variant> {
protected:
  static TargetOptions options() {
    TargetOptions result;
    result.arch = GetParam().arch;
    result.lanes.lanes = GetParam().lanes;
    result.lanes.linear_thread_id = GetParam().lanes == 32;
    result.lanes.contiguous = true;
    return result;
  }
};

INSTANTIATE_TEST_SUITE_P(Lanes, Cpu,
                         testing::Values(Variant{1, "native"}, Variant{16, "x86-64-v3"},
                                         Variant{32, "x86-64-v3"}, Variant{16, "native"},
                                         Variant{32, "native"}),
                         [](const auto& info) {
                           std::string name = std::to_string(info.param.lanes) + "_" + info.param.arch;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// y[i] = a * x[i] + y[i] where i < n, or everywhere.
void build_saxpy(ir::Module& module, bool tested) {
  FunctionBuilder f(module, "saxpy", true);
  ir::Operand a = f.param("a", types::f32), x = f32_array(f, "x"), y = f32_array(f, "y");
  ir::Operand i = f.variable("i", types::i64), n = f.temp(types::i64), inside = f.temp(types::boolean);
  ir::Operand xi = f.temp(types::f32), yi = f.temp(types::f32), sum = f.temp(types::f32);
  ir::Body work = body(guard(module, x, 0, i), load(xi, x, {i}), guard(module, y, 0, i), load(yi, y, {i}),
                       assign(sum, ir::Fma{a, xi, yi}), store(y, {i}, sum));
  ir::Body start = global_index(f, i);
  if (tested) {
    append(start, assign(n, ir::Extent{y, 0}), compare(inside, ir::CompareOp::Less, i, n),
           if_(inside, std::move(work)));
  } else {
    start = join({std::move(start), std::move(work)});
  }
  f.function().body = std::move(start);
}

TEST_P(Cpu, RunsSaxpy) {
  for (int optimization : {0, 3}) {
    ir::Module module;
    build_saxpy(module, true);
    cut_segments(module);
    TargetOptions target = options();
    target.optimization = optimization;
    auto compiled = compile(module, target);
    ASSERT_NE(compiled, nullptr);
    std::vector<float> x(1000), y(1000, 1.0f);
    std::iota(x.begin(), x.end(), 0.0f);
    auto record = run(*compiled, "saxpy", Arguments{}.scalar(2.0f).array(x).array(y), {4}, {256});
    EXPECT_EQ(record.fault.state, 0u);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], 2.0f * x[i] + 1.0f);
  }
}

TEST_P(Cpu, RecordsTheFirstFaultAndGoesOn) {
  ir::Module module;
  build_saxpy(module, false);
  cut_segments(module);
  auto compiled = compile(module, options());
  ASSERT_NE(compiled, nullptr);
  std::vector<float> x(1000, 1.0f), y(1100, 0.0f);
  auto record = run(*compiled, "saxpy", Arguments{}.scalar(2.0f).array(x).array(y), {5}, {256});
  EXPECT_EQ(record.fault.state, 2u);
  EXPECT_EQ(record.fault.index, 1000);
  EXPECT_EQ(record.fault.extent, 1000);
  EXPECT_EQ(record.fault.block[0], 3u);
  EXPECT_EQ(record.fault.thread[0], 232u);
  EXPECT_EQ(record.fault.launch, 7u);
  EXPECT_LT(record.fault.site, 2u);
  EXPECT_EQ(y[999], 2.0f);
  EXPECT_EQ(y[1000], 0.0f);
}

// With one lane vectors do not share rows; warps follow no rows.
TEST_P(Cpu, SaysWhoseRowsOfThreadsAreIndependent) {
  ir::Module module;
  build_saxpy(module, true);
  cut_segments(module);
  auto compiled = compile(module, options());
  ASSERT_NE(compiled, nullptr);
  EXPECT_EQ(compiled->entry("saxpy")->independent_rows, GetParam().lanes < 32);
  EXPECT_EQ(compiled->entry("saxpy")->follows_rows, GetParam().lanes == 16);
}

// s[t] = x[t]; barrier; y[t] = s[blockDim - 1 - t]
void build_reverse(ir::Module& module) {
  FunctionBuilder f(module, "reverse", true);
  Type shared_type = module.types.array(ScalarKind::F32, 1, AddressSpace::Shared, Layout::COrder);
  module.shared.push_back({"s", ScalarKind::F32, {64}, {}, false, 16, {}});
  ir::Operand x = f32_array(f, "x"), y = f32_array(f, "y"), s = f.variable("s", shared_type);
  ir::Operand t = f.variable("t", types::i64), t32 = f.temp(types::i32), dim = f.temp(types::i32);
  ir::Operand value = f.temp(types::f32), last = f.temp(types::i64), got = f.temp(types::f32);
  ir::Operand mirrored = f.temp(types::i64), other = f.temp(types::i64);
  f.function().body =
      body(assign(s, ir::SharedArray{ir::SharedId{0}, {i64(64)}}), pure(t32, Builtin::ThreadIndexX),
           assign(t, ir::Convert{t32}), guard(module, x, 0, t), load(value, x, {t}), store(s, {t}, value),
           syncthreads(), pure(dim, Builtin::BlockDimX), assign(last, ir::Convert{dim}),
           binary(mirrored, ir::BinaryOp::Subtract, last, t),
           binary(other, ir::BinaryOp::Subtract, mirrored, i64(1)), load(got, s, {other}),
           guard(module, y, 0, t), store(y, {t}, got));
}

TEST_P(Cpu, SharesMemoryAcrossABarrier) {
  ir::Module module;
  build_reverse(module);
  cut_segments(module);
  auto compiled = compile(module, options());
  ASSERT_NE(compiled, nullptr);
  std::vector<float> x(64), y(64, -1.0f);
  std::iota(x.begin(), x.end(), 0.0f);
  EXPECT_EQ(compiled->entry("reverse")->independent_rows, 0u);
  auto record = run(*compiled, "reverse", Arguments{}.array(x).array(y), {1}, {64});
  EXPECT_EQ(record.fault.state, 0u);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(y[i], static_cast<float>(63 - i));

  // Threads beyond the end of x leave before the barrier; the others are not held up.
  x.resize(40), y.assign(64, -1.0f);
  record = run(*compiled, "reverse", Arguments{}.array(x).array(y), {1}, {64});
  EXPECT_EQ(record.fault.index, 40);
  EXPECT_EQ(y[39], 24.0f);
  EXPECT_EQ(y[40], -1.0f);
}

// while w > 0: if t < w: s[t] += s[t + w]; barrier; w //= 2
void build_reduce(ir::Module& module) {
  FunctionBuilder f(module, "reduce", true);
  Type shared_type = module.types.array(ScalarKind::F32, 1, AddressSpace::Shared, Layout::COrder);
  module.shared.push_back({"s", ScalarKind::F32, {128}, {}, false, 16, {}});
  ir::Operand x = f32_array(f, "x"), out = f32_array(f, "out"), s = f.variable("s", shared_type);
  ir::Operand t = f.variable("t", types::i64), t32 = f.temp(types::i32), w = f.variable("w", types::i64);
  ir::Operand more = f.variable("more", types::boolean), low = f.temp(types::boolean),
              far = f.temp(types::i64);
  ir::Operand value = f.temp(types::f32), a = f.temp(types::f32), b = f.temp(types::f32),
              sum = f.temp(types::f32);
  ir::Operand first = f.temp(types::boolean), total = f.temp(types::f32);
  f.function().body = body(
      assign(s, ir::SharedArray{ir::SharedId{0}, {i64(128)}}), pure(t32, Builtin::ThreadIndexX),
      assign(t, ir::Convert{t32}), guard(module, x, 0, t), load(value, x, {t}), store(s, {t}, value),
      syncthreads(), copy(w, i64(64)),
      while_(body(compare(more, ir::CompareOp::Greater, w, i64(0))), more,
             body(compare(low, ir::CompareOp::Less, t, w),
                  if_(low, body(binary(far, ir::BinaryOp::Add, t, w), load(a, s, {t}), load(b, s, {far}),
                                binary(sum, ir::BinaryOp::Add, a, b), store(s, {t}, sum))),
                  syncthreads(), binary(w, ir::BinaryOp::FloorDivide, w, i64(2)))),
      compare(first, ir::CompareOp::Equal, t, i64(0)),
      if_(first, body(load(total, s, {i64(0)}), guard(module, out, 0, i64(0)), store(out, {i64(0)}, total))));
}

TEST_P(Cpu, LoopsAroundBarriersInLockstep) {
  ir::Module module;
  build_reduce(module);
  cut_segments(module);
  auto compiled = compile(module, options());
  ASSERT_NE(compiled, nullptr);
  std::vector<float> x(128), out(1);
  std::iota(x.begin(), x.end(), 0.0f);
  auto record = run(*compiled, "reduce", Arguments{}.array(x).array(out), {1}, {128});
  EXPECT_EQ(record.fault.state, 0u);
  EXPECT_EQ(out[0], 8128.0f);
}

// if threadIdx.x < 3: barrier
TEST_P(Cpu, ReportsThreadsThatDisagreeOnABarrier) {
  ir::Module module;
  FunctionBuilder f(module, "diverge", true);
  ir::Operand t = f.temp(types::i32), low = f.temp(types::boolean);
  f.function().body = body(pure(t, Builtin::ThreadIndexX), compare(low, ir::CompareOp::Less, t, i32(3)),
                           if_(low, body(syncthreads())));
  cut_segments(module);
  auto compiled = compile(module, options());
  ASSERT_NE(compiled, nullptr);
  EXPECT_EQ(run(*compiled, "diverge", {}, {1}, {3}).fault.state, 0u);
  auto record = run(*compiled, "diverge", {}, {1}, {8});
  EXPECT_EQ(record.fault.kind, static_cast<std::uint32_t>(ir::FaultKind::BarrierDivergence));
  EXPECT_EQ(record.fault.thread[0], 3u);
}

// left op right, in a type.
std::int64_t evaluate(const TargetOptions& options, Type type, ir::BinaryOp op, std::int64_t left,
                      std::int64_t right) {
  ir::Module module;
  FunctionBuilder f(module, "k", true);
  ir::Operand out = f.param("out", module.types.array(ScalarKind::I64, 1));
  ir::Operand a = f.param("a", type), b = f.param("b", type), c = f.temp(type), wide = f.temp(types::i64);
  f.function().body = body(binary(c, op, a, b), assign(wide, ir::Convert{c}), store(out, {i64(0)}, wide));
  cut_segments(module);
  auto compiled = compile(module, options);
  std::vector<std::int64_t> result(1);
  run(*compiled, "k", Arguments{}.array(result).scalar(left).scalar(right), {1}, {1});
  return result[0];
}

TEST_P(Cpu, DividesAsPythonDoes) {
  using Op = ir::BinaryOp;
  EXPECT_EQ(evaluate(options(), types::i64, Op::FloorDivide, -7, 2), -4);
  EXPECT_EQ(evaluate(options(), types::i64, Op::Modulo, -7, 2), 1);
  EXPECT_EQ(evaluate(options(), types::i64, Op::Modulo, 7, -2), -1);
  EXPECT_EQ(evaluate(options(), types::i64, Op::FloorDivide, 7, 0), 0);
  EXPECT_EQ(evaluate(options(), types::i64, Op::Modulo, 7, 0), 0);
  EXPECT_EQ(evaluate(options(), types::i32, Op::FloorDivide, INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(evaluate(options(), types::i32, Op::Modulo, INT32_MIN, -1), 0);
  EXPECT_EQ(evaluate(options(), types::i32, Op::ShiftLeft, 1, 33), 2);
  EXPECT_EQ(evaluate(options(), types::u8, Op::FloorDivide, 200, 7), 28);
}

// y[i] = pick(x, i)
void build_call(ir::Module& module) {
  FunctionBuilder g(module, "pick", false);
  ir::Operand array = f32_array(g, "a"), index = g.param("i", types::i64), element = g.temp(types::f32);
  g.function().results = {types::f32};
  g.function().body = body(guard(module, array, 0, index), load(element, array, {index}), return_({element}));
  FunctionBuilder f(module, "k", true);
  ir::Operand x = f32_array(f, "x"), y = f32_array(f, "y"), i = f.variable("i", types::i64),
              value = f.temp(types::f32);
  f.function().body = join(
      {global_index(f, i), body(call({value}, g.id, {x, i}), guard(module, y, 0, i), store(y, {i}, value))});
}

TEST_P(Cpu, CallsDeviceFunctionsThatMayFault) {
  ir::Module module;
  build_call(module);
  cut_segments(module);
  auto compiled = compile(module, options());
  ASSERT_NE(compiled, nullptr);
  std::vector<float> x = {1, 2, 3}, y(5, 0.0f);
  auto record = run(*compiled, "k", Arguments{}.array(x).array(y), {1}, {5});
  EXPECT_EQ(y, (std::vector<float>{1, 2, 3, 0, 0}));
  EXPECT_EQ(record.fault.thread[0], 3u);
  EXPECT_EQ(record.fault.index, 3);
}

// A function says that its result is the same in the whole block: under --guards=shadow each thread compares.
TEST_P(Cpu, ReportsAClaimThatIsWrong) {
  for (const Builtin result : {Builtin::BlockDimX, Builtin::ThreadIndexX}) {
    ir::Module module;
    FunctionBuilder g(module, "claims", false);
    ir::Operand value = g.temp(types::i32);
    g.function().results = {types::i32};
    g.function().body = body(pure(value, result), return_({value}));
    g.function().is_uniform = true;
    FunctionBuilder f(module, "k", true);
    ir::Operand got = f.temp(types::i32);
    f.function().body = body(call({got}, g.id, {}));
    Diagnostics diagnostics;
    check_claims(module, GuardMode::Shadow);
    inline_calls(module, diagnostics);
    cut_segments(module);
    auto compiled = compile(module, options());
    ASSERT_NE(compiled, nullptr);
    const auto fault = run(*compiled, "k", {}, {1}, {40}).fault;
    const bool is_wrong = result == Builtin::ThreadIndexX;
    ASSERT_EQ(fault.state, is_wrong ? 2u : 0u);
    if (!is_wrong) continue;
    ASSERT_LT(fault.site, module.sites.size());
    EXPECT_EQ(module.sites[fault.site].kind, ir::FaultKind::ShadowUniform);
  }
}

} // namespace
} // namespace kern::test
