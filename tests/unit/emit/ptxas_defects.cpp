// Tests that PTX which ptxas gets wrong is written in other words, and that nothing else of the text changes.
#include "compiler/emit/ptxas_defects.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/emit/ptxas.h"

namespace kern::test {
namespace {

TEST(PtxasDefects, WritesAnAbsoluteValueAsTheLargerOfTwo) {
  EXPECT_EQ(avoid_ptxas_defects("\tabs.s32 \t%r2, %r1;\n"),
            "\t{ .reg .b32 %negative; sub.u32 %negative, 0, %r1; max.s32 %r2, %r1, %negative; }\n");
  EXPECT_EQ(avoid_ptxas_defects("\t@%p1 abs.s64 \t%rd2, %rd1;"),
            "\t@%p1 { .reg .b64 %negative; sub.u64 %negative, 0, %rd1; max.s64 %rd2, %rd1, %negative; }\n");
}

TEST(PtxasDefects, LeavesAloneWhatStandsByItself) {
  for (const char* text :
       {"\tneg.s32 \t%r2, %r1;\n", "\tsetp.eq.s32 \t%p1, %r1, 0;\n", "", "\n", "\t@%p1 bra \t$L1;\n",
        "\tabs.f32 \t%f2, %f1;\n", "// abs.s32\n", "abs.s32", "\tcall.uni abs.s32_of, ();\n"})
    EXPECT_EQ(avoid_ptxas_defects(text), text);
}

TEST(PtxasDefects, WritesNegationsAsComplementsAndEqualityAsUnsignedBesideMinima) {
  EXPECT_EQ(avoid_ptxas_defects("\tneg.s32 \t%r2, %r1;\n\tmin.s32 \t%r3, %r2, %r1;\n"),
            "\t{ add.s32 %r2, %r1, -1; not.b32 %r2, %r2; }\n\tmin.s32 \t%r3, %r2, %r1;\n");
  EXPECT_EQ(avoid_ptxas_defects("\tneg.s16 \t%rs2, %rs1;\n\tmax.u16 \t%rs3, %rs2, %rs1;\n"),
            "\t{ add.s16 %rs2, %rs1, -1; not.b16 %rs2, %rs2; }\n\tmax.u16 \t%rs3, %rs2, %rs1;\n");
  EXPECT_EQ(avoid_ptxas_defects("\tmax.s32 \t%r3, %r2, 0;\n\tsetp.eq.s32 \t%p1, %r3, -50;\n"),
            "\tmax.s32 \t%r3, %r2, 0;\n\tsetp.eq.u32 %p1, %r3, -50;\n");
  EXPECT_EQ(avoid_ptxas_defects("\tsetp.ne.s32 \t%p1, %r3, %r2;\n\tselp.b32 \t%r4, %r1, %r2, %p1;\n"),
            "\tsetp.ne.u32 %p1, %r3, %r2;\n\tselp.b32 \t%r4, %r1, %r2, %p1;\n");
}

// An absolute value becomes a maximum, beside which the others must not stand.
TEST(PtxasDefects, SeesWhatItWritesItself) {
  EXPECT_EQ(avoid_ptxas_defects("\tabs.s32 \t%r2, %r1;\n\tneg.s32 \t%r3, %r2;\n"),
            "\t{ .reg .b32 %negative; sub.u32 %negative, 0, %r1; max.s32 %r2, %r1, %negative; }\n"
            "\t{ add.s32 %r3, %r2, -1; not.b32 %r3, %r3; }\n");
}

// Any order of any of the instructions: none that is avoided is left, and every other line is as it was.
TEST(PtxasDefects, LeavesNothingInRandomText) {
  std::mt19937 random(1);
  const char* lines[] = {
      "\tabs.s16 \t%rs1, %rs2;\n",        "\tabs.s32 \t%r1, %r2;\n",      "\tabs.s64 \t%rd1, %rd2;\n",
      "\tneg.s16 \t%rs1, %rs2;\n",        "\tneg.s32 \t%r1, %r2;\n",      "\tsetp.eq.s32 \t%p1, %r1, 7;\n",
      "\tsetp.ne.s32 \t%p1, %r1, %r2;\n", "\tadd.s32 \t%r1, %r2, %r3;\n", "$L__BB0_1:\n",
      "\t@%p1 bra \t$L__BB0_1;\n"};
  for (int round = 0; round < 500; ++round) {
    std::string text = "\tmax.s32 \t%r9, %r8, 0;\n\tmin.s16 \t%rs9, %rs8, %rs7;\n", kept = text;
    for (int count = 0; count < 20; ++count) {
      std::size_t which = random() % std::size(lines);
      text += lines[which];
      if (which > 6) kept += lines[which];
    }
    std::string result = avoid_ptxas_defects(text);
    for (const char* opcode : {"abs.s", "neg.s", "setp.eq.s32", "setp.ne.s32"})
      EXPECT_EQ(result.find(opcode), result.npos) << result;
    std::size_t at = 0;
    for (std::size_t begin = 0; begin < kept.size(); begin = kept.find('\n', begin) + 1) {
      std::string line = kept.substr(begin, kept.find('\n', begin) + 1 - begin);
      at = result.find(line, at);
      ASSERT_NE(at, result.npos) << line << result;
      at += line.size();
    }
  }
}

TEST(PtxasDefects, EachHasAProgramThatAssembles) {
  std::string probes = ptxas_probes();
  for (const PtxasDefect& defect : ptxas_defects())
    EXPECT_NE(probes.find(".entry " + std::string(defect.name) + "("), probes.npos);
  for (const std::string& text : {probes, avoid_ptxas_defects(probes)}) {
    Assembled assembled = assemble(text, "sm_90");
    EXPECT_EQ(assembled.found, !assembled.cubin.empty()) << assembled.messages;
  }
}

} // namespace
} // namespace kern::test
