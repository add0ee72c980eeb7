// Arrays in files: what NumPy and libpng write is read, what is malformed is a sentence.
#include "compiler/driver/data/files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace kern;

namespace {

std::string npy(std::string header, std::string elements, int version = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += static_cast<char>(version);
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  if (version > 1) bytes += std::string(2, '\0');
  return bytes + header + elements;
}

std::string dictionary(std::string descr, std::string shape, std::string order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

std::vector<std::string> texts(const HostArray& array) {
  std::vector<std::string> list;
  for (std::int64_t i = 0; i < array.size(); ++i)
    list.push_back(to_string(load_number(array.element, array.at(i)), array.element));
  return list;
}

} // namespace

TEST(Npy, ReadsEveryVersionAndOrder) {
  const std::int32_t elements[] = {1, 2, 3, 4, 5, 6};
  std::string bytes(reinterpret_cast<const char*>(elements), sizeof elements);
  for (int version : {1, 2, 3}) {
    Result<HostArray> array = read_npy(npy(dictionary("<i4", "(2, 3)"), bytes, version));
    ASSERT_TRUE(array) << array.error();
    EXPECT_EQ(describe(*array), "i32 (2, 3)");
    EXPECT_EQ(texts(*array), (std::vector<std::string>{"1", "2", "3", "4", "5", "6"}));
  }
  Result<HostArray> fortran = read_npy(npy(dictionary("<i4", "(2, 3)", "True"), bytes));
  ASSERT_TRUE(fortran);
  EXPECT_EQ(fortran->strides, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(texts(*fortran), (std::vector<std::string>{"1", "3", "5", "2", "4", "6"}));
}

TEST(Npy, WhatIsWrittenIsReadBack) {
  for (int k = 0; k <= static_cast<int>(ScalarKind::C128); ++k) {
    auto kind = static_cast<ScalarKind>(k);
    Result<HostArray> array = make_array(kind, {2, 2});
    ASSERT_TRUE(array);
    ASSERT_TRUE(store_number(kind, array->at(3), *parse_number("1")));
    Result<HostArray> back = read_npy(write_npy(*array));
    ASSERT_TRUE(back) << back.error();
    read_as(*back, kind);
    EXPECT_EQ(back->element, kind);
    EXPECT_EQ(texts(*back), texts(*array));
  }
}

TEST(Npy, MalformedFilesAreSentences) {
  const char* shapes[] = {"(4611686018427387904, 4611686018427387904)",
                          "(9223372036854775807,)",
                          "(99999999999999999999,)",
                          "(-1,)",
                          "(1000000000,)",
                          "2",
                          "(2",
                          "(2,,)"};
  for (const char* shape : shapes) EXPECT_FALSE(read_npy(npy(dictionary("<f4", shape), "1234"))) << shape;
  for (const char* descr : {">f4", "<f16", "O", "<U3", "", "<i16", "[('a', '<f4')]"})
    EXPECT_FALSE(read_npy(npy(dictionary(descr, "(1,)"), std::string(64, '\0')))) << descr;
  EXPECT_FALSE(read_npy(npy("{'descr': '<f4', 'shape': (1,)}", "1234")));
  EXPECT_FALSE(read_npy(npy(dictionary("<f4", "(1,)") + "x", "1234")));
  EXPECT_FALSE(read_npy(npy(dictionary("<f4", "(1,)"), "1234", 4)));
  EXPECT_NE(read_npy(npy(dictionary(">f4", "(1,)"), "1234")).error().find("big-endian"), std::string::npos);
}

TEST(Npy, EveryTruncationIsASentence) {
  std::string bytes = npy(dictionary("<f4", "(3,)"), std::string(12, '\1'));
  ASSERT_TRUE(read_npy(bytes));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(read_npy(bytes.substr(0, length)));
}

TEST(Npy, NoChangedByteCrashes) {
  std::string bytes = npy(dictionary("<f4", "(3,)"), std::string(12, '\1'));
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (int value = 0; value < 256; value += 3) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(value);
      Result<HostArray> array = read_npy(changed);
      EXPECT_LE(array ? array->bytes() : 0, bytes.size());
    }
}

TEST(Png, WhatIsWrittenIsReadBack) {
  for (std::vector<std::int64_t> extents : {std::vector<std::int64_t>{3, 5}, {3, 5, 3}, {3, 5, 4}}) {
    Result<HostArray> array = make_array(ScalarKind::U8, extents);
    ASSERT_TRUE(array);
    for (std::int64_t i = 0; i < array->size(); ++i) *array->at(i) = static_cast<char>(i * 7 + 100);
    Result<std::string> bytes = write_png(*array);
    ASSERT_TRUE(bytes) << bytes.error();
    Result<HostArray> back = read_png(*bytes);
    ASSERT_TRUE(back) << back.error();
    EXPECT_EQ(back->extents, extents);
    EXPECT_EQ(std::memcmp(back->data(), array->data(), array->bytes()), 0);
  }
}

TEST(Png, FloatsAreClampedAndOthersRefused) {
  Result<HostArray> array = make_array(ScalarKind::F32, {1, 4});
  ASSERT_TRUE(array);
  const float values[] = {-1, 0.5f, 2, NAN};
  std::memcpy(array->data(), values, sizeof values);
  Result<HostArray> back = read_png(*write_png(*array));
  ASSERT_TRUE(back);
  EXPECT_EQ(texts(*back), (std::vector<std::string>{"0", "128", "255", "0"}));
  EXPECT_FALSE(write_png(*make_array(ScalarKind::I32, {2, 2})));
  EXPECT_FALSE(write_png(*make_array(ScalarKind::U8, {4})));
  EXPECT_FALSE(write_png(*make_array(ScalarKind::U8, {4, 4, 2})));
  EXPECT_FALSE(write_png(*make_array(ScalarKind::U8, {0, 4})));
}

TEST(Png, MalformedFilesAreSentences) {
  Result<HostArray> array = make_array(ScalarKind::U8, {7, 9, 3});
  ASSERT_TRUE(array);
  std::string bytes = *write_png(*array);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(read_png(bytes.substr(0, length)));
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (int value : {0, 1, 127, 128, 255}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(value);
      (void)read_png(changed);
    }
  // A header that promises more than the file can hold is refused before memory is taken for it.
  std::string vast = bytes;
  const unsigned char header[] = {0, 0x01, 0x38, 0x80, 0,    0x01, 0x38, 0x80, 8,
                                  2, 0,    0,    0,    0x12, 0x76, 0xfb, 0x01};
  std::memcpy(vast.data() + 16, header, sizeof header);
  EXPECT_NE(read_png(vast).error().find("too early"), std::string::npos) << read_png(vast).error();
}

TEST(Array, ExtentsThatAreNoSizeAreRefused) {
  EXPECT_FALSE(make_array(ScalarKind::F64, {-1}));
  EXPECT_FALSE(make_array(ScalarKind::F64, {INT64_MAX, 2}));
  EXPECT_FALSE(make_array(ScalarKind::F64, {INT64_MAX / 8, 1}));
  EXPECT_TRUE(make_array(ScalarKind::F64, {0, 1'000'000}));
}

TEST(Number, TextsAreRead) {
  EXPECT_EQ(parse_number("0x1F")->integer, 31);
  EXPECT_EQ(parse_number("-9223372036854775808")->integer, INT64_MIN);
  EXPECT_EQ(parse_number("18446744073709551615")->kind, Number::Kind::Unsigned);
  EXPECT_EQ(parse_number("1_000.5")->real, 1000.5);
  EXPECT_EQ(parse_number("-inf")->real, -INFINITY);
  EXPECT_EQ(parse_number("infinity")->real, INFINITY);
  for (const char* too_large : {"1e999", "-1e999", "1e999j", "1-1e999j"})
    EXPECT_NE(parse_number(too_large).error().find("is too large for a float"), std::string::npos)
        << too_large;
  EXPECT_EQ(parse_number("1e-3-2.5j")->real, 1e-3);
  EXPECT_EQ(parse_number("1e-3-2.5j")->imaginary, -2.5);
  for (const char* text : {"", "x", "1x", "--1", "0x", "1+j2", "-9223372036854775809x"})
    EXPECT_FALSE(parse_number(text)) << text;
}

TEST(Number, StoresOnlyWhatFits) {
  std::uint64_t word = 0;
  EXPECT_TRUE(store_number(ScalarKind::I8, &word, *parse_number("-128")));
  EXPECT_FALSE(store_number(ScalarKind::I8, &word, *parse_number("128")));
  EXPECT_FALSE(store_number(ScalarKind::U32, &word, *parse_number("-1")));
  EXPECT_FALSE(store_number(ScalarKind::I32, &word, *parse_number("1.5")));
  EXPECT_TRUE(store_number(ScalarKind::I32, &word, *parse_number("2.0")));
  EXPECT_FALSE(store_number(ScalarKind::I64, &word, *parse_number("nan")));
  EXPECT_FALSE(store_number(ScalarKind::F64, &word, *parse_number("1j")));
}

TEST(Number, HalvesRoundToNearestEven) {
  std::uint16_t bits = 0;
  for (auto [text, expected] : {std::pair{"1.0", 0x3c00},
                                {"65504", 0x7bff},
                                {"65519.99", 0x7bff},
                                {"inf", 0x7c00},
                                {"1.00048828125", 0x3c00},
                                {"1.00146484375", 0x3c02},
                                {"5.9604644775390625e-08", 0x0001},
                                {"-0.0", 0x8000},
                                {"6.103515625e-05", 0x0400},
                                {"6.1005353927612305e-05", 0x0400}}) {
    ASSERT_TRUE(store_number(ScalarKind::F16, &bits, *parse_number(text)));
    EXPECT_EQ(bits, expected) << text;
  }
  // A number that rounds to infinity is refused in every float type, as a literal is.
  EXPECT_FALSE(store_number(ScalarKind::F16, &bits, *parse_number("65520")));
  EXPECT_FALSE(store_number(ScalarKind::BF16, &bits, *parse_number("3.4e38")));
  float words[2] = {};
  EXPECT_FALSE(store_number(ScalarKind::F32, words, *parse_number("1e39")));
  EXPECT_FALSE(store_number(ScalarKind::C64, words, *parse_number("1+1e39j")));
  EXPECT_TRUE(store_number(ScalarKind::F32, words, *parse_number("3.4028235e38")));
  for (int value = 0; value < 0x7c00; ++value) {
    auto half = static_cast<std::uint16_t>(value);
    ASSERT_TRUE(store_number(ScalarKind::F16, &bits, load_number(ScalarKind::F16, &half)));
    EXPECT_EQ(bits, half);
  }
}
