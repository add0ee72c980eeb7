// PTX of kernels built by hand; where ptxas is installed it must accept all of it.
#include "compiler/diagnostics/diagnostics.h"
#include "launch.h"

namespace kern::test {
namespace {

std::string emit_text(const ir::Module& module, OutputKind kind, TargetOptions options = {}) {
  SourceManager sources;
  Diagnostics diagnostics;
  std::optional<std::string> text = emit(module, sources, options, kind, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.all()) ADD_FAILURE() << diagnostic.message;
  return text.value_or("");
}

bool contains(const std::string& text, const char* part) { return text.find(part) != text.npos; }

void expect_assembles(const ir::Module& module) {
  for (const char* arch : {"sm_80", "sm_90"}) {
    SourceManager sources;
    Diagnostics diagnostics;
    TargetOptions options;
    options.arch = arch;
    emit(module, sources, options, OutputKind::Cubin, diagnostics);
    for (const Diagnostic& diagnostic : diagnostics.all())
      if (diagnostic.row->name != "no_ptxas") ADD_FAILURE() << diagnostic.message;
  }
}

// y[i] = f(x[i]) for a builtin of one float
void build_map(ir::Module& module, Builtin builtin, ScalarKind kind) {
  FunctionBuilder f(module, "map", true);
  Type array = module.types.array(kind, 1), scalar = types::scalar(kind);
  ir::Operand x = f.param("x", array), y = f.param("y", array);
  ir::Operand i = f.variable("i", types::i64), value = f.temp(scalar), result = f.temp(scalar);
  f.function().body = join(
      {global_index(f, i), body(guard(module, x, 0, i), load(value, x, {i}), pure(result, builtin, {value}),
                                guard(module, y, 0, i), store(y, {i}, result))});
}

TEST(Ptx, GuardsEachAccessAndEndsFaultsInExit) {
  ir::Module module;
  build_map(module, Builtin::Sqrt, ScalarKind::F32);
  std::string text = emit_text(module, OutputKind::Ptx);
  EXPECT_TRUE(contains(text, "// device math: none"));
  EXPECT_TRUE(contains(text, ".visible .entry map("));
  EXPECT_TRUE(contains(text, "sqrt.rn.f32"));
  EXPECT_TRUE(contains(text, "ld.global"));
  EXPECT_TRUE(contains(text, "atom.global.cas.b32")) << text;
  EXPECT_TRUE(contains(text, "membar.sys"));
  EXPECT_TRUE(contains(text, "exit;"));
  EXPECT_FALSE(contains(text, "trap"));
  expect_assembles(module);
}

TEST(Ptx, LinksDeviceMath) {
  for (Builtin builtin : {Builtin::Sin, Builtin::Exp, Builtin::Lgamma, Builtin::Erf})
    for (ScalarKind kind : {ScalarKind::F32, ScalarKind::F64}) {
      ir::Module module;
      build_map(module, builtin, kind);
      std::string text = emit_text(module, OutputKind::Ptx);
      EXPECT_FALSE(contains(text, "// device math: none"));
      EXPECT_FALSE(contains(text, ".extern .func"));
    }
}

TEST(Ptx, IsTheSameEachTime) {
  ir::Module module;
  build_map(module, Builtin::Exp, ScalarKind::F32);
  EXPECT_EQ(emit_text(module, OutputKind::Ptx), emit_text(module, OutputKind::Ptx));
}

TEST(Ptx, RefusesAnUnknownArchitecture) {
  ir::Module module;
  build_map(module, Builtin::Sqrt, ScalarKind::F32);
  SourceManager sources;
  Diagnostics diagnostics;
  TargetOptions options;
  options.arch = "sm_1";
  EXPECT_FALSE(emit(module, sources, options, OutputKind::Ptx, diagnostics).has_value());
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].row->name, "unknown_arch");
}

// Calls a collective or atomic with arguments of the right types and stores what it gives.
struct CollectiveBuilder {
  ir::Module module;
  FunctionBuilder f{module, "all", true};
  ir::Operand mask = f.param("mask", types::i32), lane = f.param("lane", types::i32),
              condition = f.param("condition", types::boolean);
  ir::Body body;

  void call(Builtin builtin, Type result, std::vector<ir::Operand> args) {
    ir::Operand value = f.temp(result), out = f.param("out", module.types.array(result->scalar, 1));
    append(body, stmt(ir::CallEffect{value.slot, builtin, std::move(args)}), store(out, {i64(0)}, value));
  }
  void shuffle(Builtin builtin, Type type) { call(builtin, type, {mask, f.param("value", type), lane}); }
  void atomic(Builtin builtin, const ir::Operand& array, int arg_count) {
    Type type = element_type(array.type);
    ir::Operand old = f.temp(type), out = f.param("out", module.types.array(type->scalar, 1));
    std::vector<ir::Operand> args;
    while (arg_count-- > 0) args.push_back(f.param("value", type));
    append(body, stmt(ir::Atomic{old.slot, builtin, array, {i64(0)}, args}), store(out, {i64(0)}, old));
  }
};

TEST(Ptx, AGpuGetsTheNewestArchThatItRuns) {
  EXPECT_EQ(newest_gpu_arch(9, 0), "sm_90");
  EXPECT_EQ(newest_gpu_arch(8, 8), "sm_87");
  EXPECT_EQ(newest_gpu_arch(12, 0), "sm_90");
}

TEST(Ptx, HasEveryCollective) {
  CollectiveBuilder all;
  for (Builtin builtin :
       {Builtin::ShflSync, Builtin::ShflUpSync, Builtin::ShflDownSync, Builtin::ShflXorSync})
    for (Type type : {types::i32, types::f32, types::i64, types::f64, types::u8, types::boolean})
      all.shuffle(builtin, type);
  for (Builtin builtin : {Builtin::AllSync, Builtin::AnySync, Builtin::EqSync})
    all.call(builtin, types::boolean, {all.mask, all.condition});
  all.call(Builtin::BallotSync, types::i32, {all.mask, all.condition});
  for (Type type : {types::i32, types::f64})
    for (Builtin builtin : {Builtin::MatchAnySync, Builtin::MatchAllMask})
      all.call(builtin, types::i32, {all.mask, all.f.param("value", type)});
  for (Builtin builtin : {Builtin::SyncthreadsCount, Builtin::SyncthreadsAnd, Builtin::SyncthreadsOr})
    all.call(builtin, types::i32, {all.condition});
  all.call(Builtin::Uniform, types::f64, {all.f.param("value", types::f64)});
  all.call(Builtin::Uniform, types::boolean, {all.condition});
  all.call(Builtin::ActiveMask, types::i32, {});
  append(all.body, stmt(ir::CallEffect{std::nullopt, Builtin::Syncwarp, {all.mask}}), syncthreads(),
         stmt(ir::CallEffect{std::nullopt, Builtin::Threadfence, {}}),
         stmt(ir::CallEffect{std::nullopt, Builtin::Nanosleep, {all.lane}}));
  all.f.function().body = std::move(all.body);
  std::string text = emit_text(all.module, OutputKind::Ptx);
  for (const char* part : {"shfl.sync.idx.b32", "shfl.sync.up.b32", "vote.sync.ballot", "match.any.sync.b64",
                           "bar.sync", "bar.red.popc", "bar.warp.sync", "membar.gl", "nanosleep"})
    EXPECT_TRUE(contains(text, part)) << part;
  expect_assembles(all.module);
}

TEST(Ptx, HasEveryAtomic) {
  CollectiveBuilder all;
  for (AddressSpace space : {AddressSpace::Global, AddressSpace::Shared})
    for (ScalarKind kind : {ScalarKind::I32, ScalarKind::U32, ScalarKind::I64, ScalarKind::U64,
                            ScalarKind::F32, ScalarKind::F64}) {
      Type type = all.module.types.array(kind, 1, space, Layout::COrder);
      ir::Operand array = space == AddressSpace::Global ? all.f.param("a", type) : all.f.variable("s", type);
      if (space == AddressSpace::Shared) {
        auto id = static_cast<ir::SharedId>(all.module.shared.size());
        all.module.shared.push_back({"s", kind, {8}, {}, false, 16, {}});
        append(all.body, assign(array, ir::SharedArray{id, {i64(8)}}));
      }
      for (Builtin builtin : {Builtin::AtomicAdd, Builtin::AtomicSub, Builtin::AtomicMax, Builtin::AtomicMin,
                              Builtin::AtomicNanMax, Builtin::AtomicNanMin, Builtin::AtomicExch})
        all.atomic(builtin, array, 1);
      if (kind == ScalarKind::F32 || kind == ScalarKind::F64) continue;
      for (Builtin builtin : {Builtin::AtomicAnd, Builtin::AtomicOr, Builtin::AtomicXor})
        all.atomic(builtin, array, 1);
      all.atomic(Builtin::AtomicCas, array, 2);
      if (kind == ScalarKind::I32 || kind == ScalarKind::I64) continue;
      for (Builtin builtin : {Builtin::AtomicInc, Builtin::AtomicDec}) all.atomic(builtin, array, 1);
    }
  all.f.function().body = std::move(all.body);
  std::string text = emit_text(all.module, OutputKind::Ptx);
  for (const char* part : {"atom.global.add.f32", "atom.shared.add.f64", "atom.global.max.s32",
                           "atom.global.min.u64", "atom.shared.exch.b32", "atom.global.cas.b64"})
    EXPECT_TRUE(contains(text, part)) << part;
  expect_assembles(all.module);
}

} // namespace
} // namespace kern::test
