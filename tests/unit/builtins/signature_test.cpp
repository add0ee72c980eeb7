#include "compiler/builtins/signature.h"

#include <gtest/gtest.h>

namespace kern {
namespace {

TEST(Signature, IsRead) {
  const BuiltinSignature& cas = signature(Builtin::AtomicCas);
  ASSERT_EQ(cas.param_count, 4);
  EXPECT_EQ(cas.params[0].kind, BuiltinParamKind::ArrayOf);
  EXPECT_EQ(cas.params[1].kind, BuiltinParamKind::Index);
  EXPECT_EQ(cas.params[3].name, "value");
  EXPECT_TRUE(cas.type_params[0].allowed.contains(ScalarKind::U64));
  EXPECT_FALSE(cas.type_params[0].allowed.contains(ScalarKind::Bool));
  EXPECT_EQ(cas.results[0].variable, 0);
  EXPECT_FALSE(signature(Builtin::ThreadIndexX).is_call);
  EXPECT_EQ(signature(Builtin::WarpSize).value, "32");
  EXPECT_EQ(signature(Builtin::MathPi).value, "3.141592653589793");
  EXPECT_EQ(default_integer(signature(Builtin::Syncwarp).params[0]), 0xffffffff);
  EXPECT_TRUE(signature(Builtin::Max).params[1].variadic);
}

struct Matching : testing::Test {
  TypeTable table;
  BuiltinTyping typing = BuiltinTyping::Kern;

  // Returns "result; type of each argument", or the mismatch in words.
  std::string call(Builtin builtin, std::vector<CallArgument> arguments) {
    auto result = match_call(builtin, arguments, typing, table);
    if (auto* mismatch = std::get_if<BuiltinMismatch>(&result)) return to_string(*mismatch, builtin);
    const auto& match = std::get<BuiltinMatch>(result);
    std::string text = to_string(match.result) + ";";
    for (const BoundArgument& bound : match.arguments)
      text += " " + (bound.argument ? "" : std::string("=")) + to_string(bound.type);
    return text;
  }
  std::string call(Builtin builtin, std::vector<Type> arguments) {
    std::vector<CallArgument> all;
    for (Type type : arguments) all.push_back({"", type});
    return call(builtin, all);
  }
};

TEST_F(Matching, TypeParameters) {
  EXPECT_EQ(call(Builtin::Sin, {types::f32}), "f32; f32");
  EXPECT_EQ(call(Builtin::Sin, {types::f16}), "f32; f32");
  EXPECT_EQ(call(Builtin::Sin, {types::float_literal}), "f64; f64");
  EXPECT_EQ(call(Builtin::Sin, {types::int_literal}), "f64; f64");
  EXPECT_EQ(call(Builtin::Sin, {types::i32}), "`x` of `math.sin` must be f32 or f64, not i32");
  EXPECT_EQ(call(Builtin::Atan2, {types::f32, types::f64}), "f64; f64 f64");
  EXPECT_EQ(call(Builtin::Atan2, {types::float_literal, types::f32}), "f32; f32 f32");
  EXPECT_EQ(call(Builtin::Max, {types::i32, types::int_literal, types::i64}), "i64; i64 i64 i64");
  EXPECT_EQ(call(Builtin::Max, {types::i32}), "i32; i32");
  EXPECT_EQ(call(Builtin::Max, {types::int_literal, types::int_literal}), "i64; i64 i64");
  EXPECT_EQ(call(Builtin::Max, {types::i64, types::f32}),
            "`more` of `max` is f32, which has no type in common with i64");
  EXPECT_EQ(call(Builtin::Max, {types::i64, types::u64}),
            "`more` of `max` is u64, which has no type in common with i64");
  EXPECT_EQ(call(Builtin::Ldexp, {types::f32, types::i64}),
            "`exponent` of `math.ldexp` must be i32, not i64");
  EXPECT_EQ(call(Builtin::Frexp, {types::f32}), "(f32, i32); f32");
  EXPECT_EQ(call(Builtin::Abs, {types::i8}), "i8; i8");
  EXPECT_EQ(call(Builtin::Popc, {types::u64}), "i32; u64");
  EXPECT_EQ(call(Builtin::Bits, {types::i8}), "u8; i8");
  EXPECT_EQ(call(Builtin::Bits, {types::bf16}), "u16; bf16");
  EXPECT_EQ(call(Builtin::Bits, {types::f32}), "u32; f32");
  EXPECT_EQ(call(Builtin::Bits, {types::float_literal}), "u64; f64");
}

TEST_F(Matching, ArraysAndIndices) {
  Type a = table.array(ScalarKind::F32, 1), b = table.array(ScalarKind::I32, 2, AddressSpace::Shared);
  Type pair = table.tuple(std::vector{types::i32, types::int_literal});
  EXPECT_EQ(call(Builtin::AtomicAdd, {a, types::u32, types::float_literal}), "f32; f32[:] i64 f32");
  EXPECT_EQ(call(Builtin::AtomicAdd, {b, pair, types::i16}), "i32; shared i32[:, :] i64 i32");
  EXPECT_EQ(call(Builtin::AtomicAdd, {b, types::i32, types::i16}),
            "`index` of `atomic.add` must be an index of 2 integers, not i32");
  EXPECT_EQ(call(Builtin::AtomicAdd, {a, types::f32, types::f32}),
            "`index` of `atomic.add` must be an integer, not f32");
  EXPECT_EQ(call(Builtin::AtomicAdd, {a, types::i64, types::f64}),
            "`value` of `atomic.add` must be f32, not f64");
  EXPECT_EQ(call(Builtin::AtomicInc, {a, types::i64, types::f32}),
            "`array` of `atomic.inc` must be an array of u8, u16, u32 or u64, not f32[:]");
  EXPECT_EQ(call(Builtin::AtomicAdd, {types::f32, types::i64, types::f32}),
            "`array` of `atomic.add` must be an array of numbers, not f32");
}

TEST_F(Matching, WarpsAndConditions) {
  EXPECT_EQ(call(Builtin::ShflSync, {types::int_literal, types::f16, types::u64}), "f16; i32 f16 i32");
  EXPECT_EQ(call(Builtin::BallotSync, {types::u32, types::f32}), "u32; i32 bool");
  EXPECT_EQ(call(Builtin::Syncwarp, std::vector<Type>{}), "None; =i32");
  EXPECT_EQ(call(Builtin::ShflSync, {types::f32, types::f32, types::i32}),
            "`mask` of `shfl_sync` must be an integer, not f32");
  EXPECT_EQ(call(Builtin::Uniform, {types::boolean}), "bool; bool");
}

TEST_F(Matching, KeywordsAndCounts) {
  using Arguments = std::vector<CallArgument>;
  EXPECT_EQ(call(Builtin::Atan2, Arguments{{"x", types::f32}, {"y", types::f64}}), "f64; f64 f64");
  EXPECT_EQ(call(Builtin::Sin, Arguments{{"", types::f32}, {"x", types::f32}}),
            "`x` of `math.sin` is given twice");
  EXPECT_EQ(call(Builtin::Sin, Arguments{{"y", types::f32}}), "`math.sin` has no parameter of that name");
  EXPECT_EQ(call(Builtin::Sin, std::vector<Type>{}), "`math.sin` needs `x`");
  EXPECT_EQ(call(Builtin::Sin, {types::f32, types::f32}), "`math.sin` has no parameter for this argument");
  EXPECT_EQ(call(Builtin::Syncthreads, {types::f32}), "`syncthreads` has no parameter for this argument");
  EXPECT_EQ(call(Builtin::ThreadIndexX, std::vector<Type>{}),
            "`threadIdx.x` is a value: write it without brackets");
  EXPECT_EQ(call(Builtin::SharedArray, Arguments{{"", types::int_literal}, {"dtype", types::none}}),
            "<error>; int literal None =int literal");
}

TEST_F(Matching, UnknownFitsEverywhere) {
  EXPECT_EQ(call(Builtin::Sin, {types::unknown}), "<unknown>; <unknown>");
  EXPECT_EQ(call(Builtin::Max, {types::unknown, types::f32}), "f32; f32 f32");
  EXPECT_EQ(call(Builtin::Sin, {types::error}), "<error>; <error>");
  EXPECT_EQ(call(Builtin::AtomicAdd, {types::unknown, types::unknown, types::f32}),
            "<unknown>; <unknown> i64 <unknown>");
  EXPECT_EQ(call(Builtin::Popc, {types::unknown}), "i32; <unknown>");
}

TEST_F(Matching, NumbaConverts) {
  typing = BuiltinTyping::Numba;
  EXPECT_EQ(call(Builtin::Sin, {types::i32}), "f64; f64");
  EXPECT_EQ(call(Builtin::Atan2, {types::f32, types::i32}), "f64; f64 f64");
  EXPECT_EQ(call(Builtin::Max, {types::f32, types::int_literal}), "f64; f64 f64");
  EXPECT_EQ(call(Builtin::Max, {types::u8, types::i8}), "i16; i16 i16");
  EXPECT_EQ(call(Builtin::Max, {types::i64, types::u64}), "f64; f64 f64");
  EXPECT_EQ(call(Builtin::IsNan, {types::i64}), "bool; f64");
  EXPECT_EQ(call(Builtin::AtomicAdd, {table.array(ScalarKind::I32, 1), types::i64, types::f64}),
            "i32; i32[:] i64 i32");
}

} // namespace
} // namespace kern
