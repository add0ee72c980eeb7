// A view that names a buffer lies in it with all its elements: at launches, prepared or not, and where it is made.
#include <numeric>
#include <random>

#include "expect.h"
#include "fixture.h"

namespace {

using kern::Buffer;
using kern::Extents;
using kern::View;

constexpr std::int64_t size = 40;

struct Views : OnDevice {
  Buffer<float> x = kern::zeros<float>(device, size);
  Buffer<std::int32_t> whole = kern::zeros<std::int32_t>(device, size);

  template <std::size_t Rank>
  View<float, Rank> view(std::int64_t offset, const Extents<Rank>& extents, const Extents<Rank>& strides) {
    return {x.handle(), x.data() + offset, extents, strides};
  }
  std::string refusal(const View<float>& wrong) {
    return thrown_by<kern::ArgumentError>([&] { library.scale(kern::over(1), wrong, 1); });
  }
};

TEST_F(Views, AreRefusedBeyondTheirBuffer) {
  EXPECT_TRUE(contains(refusal(view<1>(0, {100'000}, {1})),
                       "`x: f32[:]` with the extents 100000 and the strides 1 reaches from byte 0 up to byte "
                       "400000 of its buffer, which has 160 bytes"));
  EXPECT_TRUE(contains(refusal(view<1>(-5, {10}, {1})), "reaches from byte -20 up to byte 20 "));
  EXPECT_TRUE(contains(refusal(view<1>(3, {10}, {-1})), "reaches from byte -24 up to byte 16 "));
  EXPECT_TRUE(contains(refusal(view<1>(0, {3}, {INT64_MAX})), "up to byte 2^64 "));
  EXPECT_TRUE(contains(refusal(view<1>(0, {3}, {INT64_MIN})), "from byte -2^64 up "));
  std::vector<float> host(10);
  View<float> elsewhere(x.handle(), host.data(), {10}, {1});
  EXPECT_TRUE(contains(refusal(elsewhere), "of its buffer, which has 160 bytes"));
  auto prepared = library.prepare_scale(kern::over(size), x, 2);
  EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { prepared.set<0>(view<1>(0, {size + 1}, {1})); }),
                       "reaches from byte 0 up to byte 164 "));
  prepared().wait(); // the old one stands
  // Nobody knows where memory of others ends.
  library.scale(kern::over(1), View<float>(x.data(), {size}), 1).wait();
}

// Says whether all elements lie in the buffer, one by one.
template <std::size_t Rank>
bool is_inside(std::int64_t offset, const Extents<Rank>& extents, const Extents<Rank>& strides) {
  Extents<Rank> at{};
  for (std::int64_t left = kern::count(extents); left > 0; --left) {
    std::int64_t element = offset;
    for (std::size_t axis = 0; axis < Rank; ++axis) element += at[axis] * strides[axis];
    if (element < 0 || element >= size) return false;
    for (std::size_t axis = 0; axis < Rank && ++at[axis] == extents[axis]; ++axis) at[axis] = 0;
  }
  return true;
}

// Views at random, against their elements one by one; KERN_TEST_ROUNDS of them where it is set.
template <std::size_t Rank, class Launch> void compare(Buffer<float>& x, Launch&& launch) {
  const char* wanted = std::getenv("KERN_TEST_ROUNDS");
  const long rounds = wanted ? std::atol(wanted) : 20'000;
  std::mt19937 random(7 + Rank);
  auto between = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  long inside = 0;
  for (long round = 0; round < rounds; ++round) {
    Extents<Rank> extents{}, strides{};
    for (std::size_t axis = 0; axis < Rank; ++axis)
      extents[axis] = between(0, 6), strides[axis] = between(-9, 9);
    std::int64_t offset = between(-3, size + 3);
    const bool expected = is_inside(offset, extents, strides);
    kern::Status status, made;
    launch(status, View<float, Rank>(x.handle(), x.data() + offset, extents, strides));
    ASSERT_EQ(status.ok(), expected) << offset << ", round " << round << ": " << status.message();
    x.view(made, offset, extents, strides);
    if (kern::count(extents) > 0) {
      ASSERT_EQ(made.ok(), expected) << offset << ", round " << round << ": " << made.message();
    }
    inside += expected;
  }
  EXPECT_GT(inside, rounds / 20);
  EXPECT_LT(inside, rounds / 20 * 19);
}

TEST_F(Views, OfOneAxisAreComparedWithTheirBuffer) {
  compare<1>(x, [&](kern::Status& status, const View<float>& view) {
    library.copy(status, kern::over(0), view, x);
  });
}

TEST_F(Views, OfTwoAxesAreComparedWithTheirBuffer) {
  Buffer<float, 2> sums(device, kern::extents(2, 2));
  compare<2>(x, [&](kern::Status& status, const View<float, 2>& view) {
    library.column_sum(status, kern::over(0, 0), 0, view, sums);
  });
}

TEST_F(Views, AreMadeOfPartsOfABuffer) {
  std::vector<float> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  x.copy_from(numbers);
  // Every fourth from the end on; a channel of 10 pixels of 4.
  library.scale(kern::over(10), x.view(39, kern::extents(10), kern::extents(-4)), -1).wait();
  EXPECT_EQ(x.read(3), -3);
  EXPECT_EQ(x.read(39), -39);
  EXPECT_EQ(x.read(38), 38);
  const Buffer<float>& fixed = x;
  View<const float, 2> pixels = fixed.reshape(kern::extents(10, 4));
  Buffer<float> channel(device, 10);
  library.copy(kern::over(10), pixels.select(1, 2), channel).wait();
  EXPECT_EQ(channel.read(9), 38);
  auto refuses = [&](auto&& call, const char* text) {
    EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>(call), text));
  };
  refuses(
      [&] { x.view(1, kern::extents(10, 4), kern::extents(4, 1)); },
      "a part with the extents 10 x 4 and the strides 4, 1 from element 1 on does not lie in an array of 40 "
      "elements");
  refuses([&] { x.view(0, kern::extents(INT64_MAX), kern::extents(INT64_MAX)); }, "does not lie");
  refuses([&] { x.view(-1, kern::extents(1), kern::extents(1)); }, "does not lie");
  refuses([&] { x.reshape(kern::extents(3, 13)); }, "40 elements cannot have the extents 3 x 13");
  refuses([&] { x.reshape(kern::extents(-10, -4)); }, "no array has the extents -10 x -4");
  refuses([&] { x.view(0, kern::extents(std::int64_t(1) << 62, 4), kern::extents(0, 0)); },
          "does not lie in an");
  refuses([&] { pixels.select(1, 4); }, "index 4 along axis 1 is none of an array with the extents 10 x 4");
  refuses([&] { pixels.select(2, 0); }, "index 0 along axis 2");
  refuses([&] { x.read(-1); }, "index -1 along axis 0 is none of a buffer with the extents 40");
  Buffer<float, 2> matrix(device, kern::extents(3, 4));
  refuses([&] { matrix.read(0, 7); }, "index 7 along axis 1 is none of a buffer with the extents 3 x 4");
}

// Against a list of what a loop takes.
TEST_F(Views, AreSlicedByAnyNumbers) {
  std::vector<float> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  x.copy_from(numbers);
  const std::int64_t bounds[] = {INT64_MIN, -41, -1, 0, 1, 7, 39, 40, 41, INT64_MAX};
  for (std::int64_t begin : bounds)
    for (std::int64_t end : bounds)
      for (std::int64_t step :
           {std::int64_t(1), std::int64_t(2), std::int64_t(39), std::int64_t(40), INT64_MAX}) {
        std::vector<float> wanted;
        for (std::int64_t i = std::max<std::int64_t>(begin, 0); i < std::min(end, size);) {
          wanted.push_back(static_cast<float>(i));
          if (__builtin_add_overflow(i, step, &i)) break;
        }
        View<float> part = x.view().slice(0, begin, end, step);
        ASSERT_EQ(part.size(), static_cast<std::int64_t>(wanted.size()))
            << begin << " " << end << " " << step;
        std::vector<float> host(wanted.size());
        part.copy_to(host);
        ASSERT_EQ(host, wanted) << begin << " " << end << " " << step;
      }
}

TEST_F(Views, AreSlicedAlongTheirAxesOnly) {
  View<float, 2> matrix = x.reshape(kern::extents(4, 10));
  for (std::size_t axis : {std::size_t(2), std::size_t(3), SIZE_MAX}) {
    EXPECT_TRUE(
        contains(thrown_by<kern::ArgumentError>([&] { matrix.slice(axis, 0, 1); }),
                 "there is no axis " + std::to_string(axis) + " of an array with the extents 4 x 10"));
    EXPECT_TRUE(
        contains(thrown_by<kern::ArgumentError>([&] { matrix.select(axis, 0); }), "is none of an array"));
  }
  for (std::int64_t step : {std::int64_t(0), std::int64_t(-1), INT64_MIN})
    EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { matrix.slice(0, 0, 4, step); }),
                         "a slice has a step of 1 or more, and this one's is " + std::to_string(step)));
  kern::Status status;
  View<float, 2> none = matrix.slice(status, 2, 0, 1);
  EXPECT_EQ(status.kind(), KERN_ARGUMENT_ERROR);
  EXPECT_TRUE(none.is_empty());
}

// Products of extents never wrap, whoever asks.
TEST_F(Views, HaveNoMoreElementsThanThereAre) {
  constexpr std::int64_t huge = std::int64_t(1) << 62;
  const kern::Extents<3> impossible[] = {{huge, 4, 1}, {0, huge, 4}, {huge, 0, huge},
                                         {-1, 1, 1},   {1, -1, 0},   {INT64_MAX, INT64_MAX, INT64_MAX}};
  for (const kern::Extents<3>& extents : impossible) {
    EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { Buffer<float, 3>(device, extents); }),
                         "no array has the extents "));
    EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { kern::HostBuffer<float, 3>(device, extents); }),
                         "no array has the extents "));
    EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { x.reshape(extents); }), "no array has the "));
    View<float, 3> raw(x.data(), extents);
    EXPECT_GE(raw.size(), 0);
    EXPECT_TRUE(contains(thrown_by<kern::ArgumentError>([&] { raw.copy_to({}); }), "of a raw pointer"));
    View<float, 3> wrong(x.handle(), x.data(), extents, {1, 1, 1});
    std::vector<float> host(1);
    EXPECT_NE(thrown_by<kern::ArgumentError>([&] { wrong.copy_to(host); }), "(nothing was thrown)");
  }
  EXPECT_EQ(View<float>(x.data(), kern::extents(3)).size(), 3);
}

} // namespace
