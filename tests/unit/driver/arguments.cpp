// Arguments of a run: by name and in order, of every kind, and what is refused.
#include "compiler/driver/run/arguments.h"

#include <gtest/gtest.h>

#include "compiler/driver/run/fill.h"
#include "compiler/driver/run/report.h"
#include "compiler/parse/parse.h"

using namespace kern;

namespace {

// A kernel's parameters, and what a list of words makes of them: one line an argument, then the messages.
std::string read(std::string_view params, std::vector<std::string> words, Dialect dialect = Dialect::Kern) {
  SourceManager sources;
  Diagnostics diagnostics;
  Arena arena;
  FileId file = sources.add("f.kern", fmt::format("@kernel\ndef f({}):\n    pass\n", params));
  std::vector<Token> tokens = lex(sources, file, diagnostics);
  const ast::Module* module = parse(sources, file, tokens, TopLevel::Strict, arena, diagnostics);
  const auto& kernel = ast::get<ast::FunctionDef>(*module->items[0]);
  auto as_written = [&](const ast::Expr& standard) { return std::string(sources.text(standard.span)); };
  std::string text;
  for (const Argument& argument : read_arguments(kernel, as_written, dialect, words, {}, diagnostics)) {
    const HostArray* array = argument.array();
    text += argument.param + " " + type_text(argument);
    text += array && array->records.are_unknown() ? " records"
            : array                               ? " " + *elements_text("", *array)
                                                  : " " + to_string(std::get<Scalar>(argument.value).number,
                                                                    std::get<Scalar>(argument.value).standard);
    text += "\n";
  }
  for (const Diagnostic& diagnostic : diagnostics.all())
    text += std::string(diagnostic.row->name) + ": " + diagnostic.message + "\n";
  return text;
}

} // namespace

TEST(Arguments, ScalarsHaveTheirTypeOrAStandardOne) {
  EXPECT_EQ(read("a, b, c, d", {"2", "-1.5", "True", "f32:2"}),
            "a int64 2\nb float64 -1.5\nc bool True\nd float32 2.0\n");
  EXPECT_EQ(read("a, b", {"b=2", "a=u8:255"}), "a uint8 255\nb int64 2\n");
  EXPECT_EQ(read("a, b", {"b=2", "=-3"}), "a int64 -3\nb int64 2\n");
  EXPECT_EQ(read("a", {"1-2j"}), "a complex128 1.0-2.0j\n");
}

TEST(Arguments, ArraysAreMade) {
  EXPECT_EQ(read("x", {"zeros:f32:2x3"}), "x float32[:, :] [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]\n");
  EXPECT_EQ(read("x", {"ones:bool:2"}), "x bool[:] [True, True]\n");
  EXPECT_EQ(read("x", {"full:f32:2:inf"}), "x float32[:] [inf, inf]\n");
  EXPECT_EQ(read("x", {"arange:u8:4"}), "x uint8[:] [0, 1, 2, 3]\n");
  EXPECT_EQ(read("x, y", {"y=arange:i32:2x2", "x=copy:y"}),
            "x int32[:, :] [[0, 1], [2, 3]]\ny int32[:, :] [[0, 1], [2, 3]]\n");
  EXPECT_EQ(read("x, y", {"like:y", "ones:f16:1"}), "x float16[:] [0.0]\ny float16[:] [1.0]\n");
  EXPECT_EQ(read("x", {"zeros:f32:0"}), "x float32[:] []\n");
}

TEST(Arguments, RandomNumbersDependOnSeedAndPlaceOnly) {
  EXPECT_EQ(read("x", {"uniform:f32:3:seed=1"}), read("x", {"uniform:f32:3:seed=1"}));
  EXPECT_NE(read("x", {"uniform:f32:3:seed=1"}), read("x", {"uniform:f32:3"}));
  Result<HostArray> array = make_array(ScalarKind::F32, {100'000});
  ASSERT_TRUE(fill_uniform(*array, "seed=7"));
  double sum = 0;
  for (std::int64_t i = 0; i < array->size(); ++i) {
    double value = load_number(ScalarKind::F32, array->at(i)).real;
    EXPECT_TRUE(value >= 0 && value < 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 100'000, 0.5, 0.005);
}

TEST(Arguments, DefaultsStandForWhatIsNotGiven) {
  EXPECT_EQ(read("a, k=3", {"1"}), "a int64 1\nk int64 3\n");
}

TEST(Arguments, WhatIsWrongIsNamed) {
  EXPECT_EQ(read("x", {}), "missing_argument: no value is given for parameter `x`\n");
  EXPECT_EQ(read("x", {"1", "2"}),
            "too_many_arguments: `2` is one argument more than kernel `f` has parameters\n");
  EXPECT_EQ(read("x", {"1", "x=2"}), "repeated_argument: parameter `x` is given twice\n");
  EXPECT_EQ(read("x", {"z=2"}), "unknown_argument: kernel `f` has no parameter `z`\n");
  EXPECT_EQ(read("x", {"like:x"}), "bad_argument: argument `x=like:x`: `x`: it is made from itself\n");
  EXPECT_EQ(read("x, y", {"like:y", "1"}), "bad_argument: argument `x=like:y`: `y` is no array\n");
  EXPECT_EQ(read("x", {"i8:300"}), "bad_argument: argument `x=i8:300`: 300 does not fit i8\n");
  EXPECT_EQ(read("x", {"arange:i8:200"}), "bad_argument: argument `x=arange:i8:200`: 128 does not fit i8\n");
  // The program may have a record of this name.
  EXPECT_EQ(read("x", {"zeros:f33:2"}), "x f33[:] records\n");
  EXPECT_EQ(read("x", {"arange:f33:2"}).substr(0, 52),
            "bad_argument: argument `x=arange:f33:2`: `f33` is no");
  for (const char* word : {"zeros:f32", "zeros:f32:", "zeros:f32:2x", "zeros:f32:-2", "zeros:f32:2:1",
                           "full:f32:2", "uniform:f32:2:7", "@", "@x.txt", "zeros:f32:99999999999999",
                           "zeros:f32:9999999999x9999999999", "zeros:f32:1x1x1x1x1x1x1x1x1", ":", "", "f32:"})
    EXPECT_EQ(read("x", {word}).substr(0, 13), "bad_argument:") << word;
}

TEST(Arguments, InPyFilesAmbiguousNamesAreRefused) {
  EXPECT_NE(read("x", {"zeros:i8:2"}, Dialect::Numba).find("means two things"), std::string::npos);
  EXPECT_EQ(read("x", {"zeros:f32:1"}, Dialect::Numba), "x float32[:] [0.0]\n");
}

TEST(Report, ElementsAreChosenByRanges) {
  Result<HostArray> array = make_array(ScalarKind::I32, {3, 4}, Order::Fortran);
  for (std::int64_t i = 0; i < 12; ++i)
    store_number(ScalarKind::I32, array->at(i), {Number::Kind::Signed, i, 0, 0});
  EXPECT_EQ(*elements_text("1", *array), "[4, 5, 6, 7]");
  EXPECT_EQ(*elements_text("-1,1:3", *array), "[9, 10]");
  EXPECT_EQ(*elements_text(":2,0", *array), "[0, 4]");
  EXPECT_EQ(*elements_text("5:,:", *array), "[]");
  for (const char* text : {"3", "-4", "a", "0,0,0", "0,9"}) EXPECT_FALSE(elements_text(text, *array)) << text;
}

TEST(Report, SummariesSkipWhatIsNoNumber) {
  Result<HostArray> array = make_array(ScalarKind::F32, {3});
  store_number(ScalarKind::F32, array->at(0), *parse_number("nan"));
  store_number(ScalarKind::F32, array->at(1), *parse_number("2"));
  EXPECT_EQ(summary("x", *array), "x: f32 (3,), min 0.0, max 2.0, mean 1, 1 nan: nan 2.0 0.0\n");
}

TEST(Report, DifferencesAreThoseBeyondTheTolerance) {
  auto made = [](ScalarKind kind, std::vector<const char*> texts) {
    Result<HostArray> array = make_array(kind, {static_cast<std::int64_t>(texts.size())});
    for (std::size_t i = 0; i < texts.size(); ++i)
      store_number(kind, array->at(static_cast<std::int64_t>(i)), *parse_number(texts[i]));
    return std::move(*array);
  };
  EXPECT_EQ(
      difference(made(ScalarKind::F32, {"1", "nan", "inf"}), made(ScalarKind::F64, {"1", "nan", "inf"}), {}),
      "");
  EXPECT_EQ(difference(made(ScalarKind::F32, {"1", "2"}), made(ScalarKind::F32, {"1", "2.5"}), {}),
            "at [1] it is 2.0, and 2.5 is expected; 1 of 2 elements differ, by at most 0.5");
  EXPECT_EQ(difference(made(ScalarKind::F32, {"2"}), made(ScalarKind::F32, {"2.5"}), {0.2, 0}), "");
  EXPECT_EQ(difference(made(ScalarKind::F32, {"2"}), made(ScalarKind::F32, {"2.5"}), {0, 0.5}), "");
  EXPECT_NE(difference(made(ScalarKind::F32, {"nan"}), made(ScalarKind::F32, {"1"}), {1, 1}), "");
  EXPECT_NE(difference(made(ScalarKind::F32, {"inf"}), made(ScalarKind::F32, {"1"}), {0, 0}), "");
  EXPECT_NE(difference(made(ScalarKind::I64, {"9007199254740993"}),
                       made(ScalarKind::I64, {"9007199254740992"}), {}),
            "");
  EXPECT_NE(difference(made(ScalarKind::F32, {"1"}), made(ScalarKind::F32, {"1", "1"}), {}), "");
}
