// Arrays of records whose kernel is found by name: words with an axis more, which has as many as a record.
#include <array>

#include "expect.h"
#include "fixture.h"

namespace {

using kern::Buffer;
using kern::View;
using Word = std::uint32_t;

// A Dot of the program's own, and one that is longer.
struct Own {
  float x;
  std::int32_t n;
  float pos[3];
};
struct Long : Own {
  float more;
};

} // namespace

template <> struct kern::RecordOf<Own> : kern::Words<KERN_U32, 5> {};
template <> struct kern::RecordOf<Long> : kern::Words<KERN_U32, 6> {};

namespace {

constexpr std::int64_t words = 5;

struct Records : OnDevice {
  template <class Array> auto drift() {
    return library.module().kernel<void(Array, float, std::int32_t, float, float, float)>("drift");
  }
  static void expect_refused(std::int64_t last, auto&& call) {
    SCOPED_TRACE(last);
    EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>(call),
                         "is an array of records `Dot`, whose last axis has 5 elements, and this one's has " +
                             std::to_string(last)));
  }
};

TEST_F(Records, AreTakenAsWords) {
  std::vector<Word> host(words * 4);
  drift<View<Word, 2>>()(kern::over(4), kern::inout(host.data(), kern::extents(4, words)), 1, 2, 0, 0, 1);
  EXPECT_EQ(host[words * 3 + 1], 2u);
  std::vector<Own> own(4);
  drift<View<Own>>()(kern::over(4), kern::inout(own), 1, 2, 0, 0, 3);
  EXPECT_EQ(own[3].n, 2);
  EXPECT_EQ(own[3].pos[2], 3);
  // Every second one, and none.
  Buffer<Word, 2> many = kern::zeros<Word>(device, 8, words);
  drift<View<Word, 2>>()(kern::over(4), many.view().slice(0, 0, 8, 2), 1, 7, 0, 0, 1);
  EXPECT_EQ(many.read(6, 1), 7u);
  EXPECT_EQ(many.read(7, 1), 0u);
  drift<View<Word, 2>>()(kern::over(4), many.view().slice(0, 3, 3), 1, 7, 0, 0, 1).wait();
}

TEST_F(Records, HaveNoOtherNumberOfWords) {
  auto kernel = drift<View<Word, 2>>();
  Buffer<Word, 2> good = kern::zeros<Word>(device, 4, words);
  auto prepared = kernel.prepare(kern::over(4), good, 1, 2, 0, 0, 3);
  for (std::int64_t last : {0, 1, 3, 4, 6, 7, 100}) {
    for (std::int64_t rows : {0, 4, 1000}) {
      std::vector<Word> host(static_cast<std::size_t>(rows * last));
      Buffer<Word, 2> wrong = kern::zeros<Word>(device, rows, last);
      const auto inout = kern::inout(host.data(), kern::extents(rows, last));
      expect_refused(last, [&] { kernel(kern::over(4), inout, 1, 2, 0, 0, 3); });
      expect_refused(last, [&] { kernel(kern::over(4), wrong, 1, 2, 0, 0, 3); });
      expect_refused(last, [&] { kernel(kern::over(4), View<Word, 2>(wrong.view()), 1, 2, 0, 0, 3); });
      expect_refused(last, [&] { kernel.prepare(kern::over(4), wrong, 1, 2, 0, 0, 3); });
      expect_refused(last, [&] { prepared.set<0>(wrong); });
    }
  }
  expect_refused(2, [&] { kernel(kern::over(4), good.view().slice(1, 1, 3), 1, 2, 0, 0, 3); });
  std::vector<Long> long_ones(4);
  expect_refused(6, [&] { drift<View<Long>>()(kern::over(4), kern::inout(long_ones), 1, 2, 0, 0, 3); });
  prepared();
  EXPECT_EQ(good.read(3, 1), 2u);
}

TEST_F(Records, AreTold) {
  auto symbols = library.module().kernels();
  const auto at = std::find_if(symbols.begin(), symbols.end(), [](auto& name) { return name == "drift"; });
  ASSERT_NE(at, symbols.end());
  auto parameters = library.module().parameters(static_cast<std::size_t>(at - symbols.begin()));
  EXPECT_EQ(parameters[0].record_words, 5u);
  EXPECT_STREQ(parameters[0].record, "Dot");
  EXPECT_EQ(parameters[0].rank, 2u);
  EXPECT_EQ(parameters[1].record_words, 0u);
  EXPECT_EQ(parameters[1].record, nullptr);
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { library.module().kernel<void()>("nope"); }),
                       "drift(dots: u32[:, ::1] of Dot[:], by.x: f32"));
}

TEST_F(Records, AreFilledIn) {
  for (std::int64_t size : {0, 1, 7, 200'000}) {
    Buffer<kernels::Dot> dots(device, size);
    dots.fill({1.5f, 7, {1, 2, 3}});
    std::vector<kernels::Dot> host(static_cast<std::size_t>(size));
    dots.copy_to(host);
    for (const kernels::Dot& dot : host) ASSERT_TRUE(dot.x == 1.5f && dot.n == 7 && dot.pos[2] == 3);
    dots.fill({});
    dots.copy_to(host);
    for (const kernels::Dot& dot : host) ASSERT_TRUE(dot.x == 0 && dot.n == 0 && dot.pos[2] == 0);
  }
  // The next use of the buffer comes behind the fill, also in a graph.
  Buffer<kernels::Dot> dots = kern::zeros<kernels::Dot>(device, 1000);
  kern::Stream stream(device), other(device);
  kern::Graph graph = kern::capture(stream, [&] { dots.fill({1, 2, {3, 4, 5}}, stream); });
  for (int i = 0; i < 3; ++i) {
    graph.launch(stream);
    library.drift(kern::over(1000).on(other), dots, {1, 1, {0, 0, 1}}).wait();
    stream.after(library.drift(kern::over(1000).on(other), dots, {1, 1, {0, 0, 1}}));
  }
  const kernels::Dot last = dots.read(999);
  EXPECT_EQ(last.x, 3);
  EXPECT_EQ(last.n, 4);
  EXPECT_EQ(last.pos[2], 7);
}

} // namespace
