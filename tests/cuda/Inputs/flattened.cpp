// Launches the kernels that flattened.py writes, whose indices are flattened by hand, and compares each launch with what it means: where a
// thread leaves its array, the launch must say which, where and with what index, and every element must be what the reference
// makes of it, also round the arrays. Arguments are drawn anew for each launch: sizes that are right, short by one or long, scalars that are
// 0, negative, or so large that products wrap, and arrays as long as the launch needs, a little shorter or longer.
//
//     flattened SEED LAUNCHES      so many of each kernel, on the device that KERN_DEVICE names
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels.kern.hpp"

namespace {

// What Numba computes in: operands of 32 bits widen to 64, and there results wrap.
struct Int {
  std::int64_t value;
};

// Set by what has no meaning, or takes too long: such a launch is drawn again.
bool is_undefined = false;

Int wrapped(std::uint64_t value) { return {std::int64_t(value)}; }
Int operator+(Int a, Int b) { return wrapped(std::uint64_t(a.value) + std::uint64_t(b.value)); }
Int operator-(Int a, Int b) { return wrapped(std::uint64_t(a.value) - std::uint64_t(b.value)); }
Int operator*(Int a, Int b) { return wrapped(std::uint64_t(a.value) * std::uint64_t(b.value)); }
bool operator<(Int a, Int b) { return a.value < b.value; }
bool operator<=(Int a, Int b) { return a.value <= b.value; }
bool operator>(Int a, Int b) { return a.value > b.value; }
bool operator>=(Int a, Int b) { return a.value >= b.value; }

bool divides(Int divisor) {
  if (divisor.value == 0 || divisor.value == -1)
    is_undefined = true; // The least integer by -1 has no quotient.
  return !is_undefined;
}
Int modulo(Int a, Int b) {
  if (!divides(b)) return {0};
  const std::int64_t rest = a.value % b.value;
  return {rest != 0 && (rest < 0) != (b.value < 0) ? rest + b.value : rest};
}
Int floor_divide(Int a, Int b) {
  if (!divides(b)) return {0};
  const std::int64_t rest = a.value % b.value;
  return {a.value / b.value - (rest != 0 && (rest < 0) != (b.value < 0))};
}
// Returns int(a / b).
Int quotient(Int a, Int b) {
  return divides(b) ? Int{std::int64_t(double(a.value) / double(b.value))} : Int{0};
}

// A number of a fact, which is exact or fits nothing.
struct Exact {
  std::int64_t value;
  bool fits = true;
};
Exact operator+(Exact a, Exact b) {
  Exact sum{0};
  sum.fits = !__builtin_add_overflow(a.value, b.value, &sum.value) && a.fits && b.fits;
  return sum;
}
Exact operator-(Exact a, Exact b) {
  Exact difference{0};
  difference.fits = !__builtin_sub_overflow(a.value, b.value, &difference.value) && a.fits && b.fits;
  return difference;
}
Exact operator*(Exact a, Exact b) {
  Exact product{0};
  product.fits = !__builtin_mul_overflow(a.value, b.value, &product.value) && a.fits && b.fits;
  return product;
}
[[maybe_unused]] Exact floor_divide(Exact a, Exact b) {
  const bool fits = a.fits && b.fits && b.value > 0;
  return fits ? Exact{floor_divide(Int{a.value}, Int{b.value}).value} : Exact{0, false};
}
[[maybe_unused]] bool operator<=(Exact a, Exact b) { return a.fits && b.fits && a.value <= b.value; }
[[maybe_unused]] bool operator>=(Exact a, Exact b) { return a.fits && b.fits && a.value >= b.value; }
[[maybe_unused]] bool operator==(Exact a, Exact b) { return a.fits && b.fits && a.value == b.value; }

// An array of the reference. While a launch is drawn it is endless, and notes how far it is reached.
struct Array {
  static constexpr std::int64_t endless = std::int64_t(1) << 40;

  std::int64_t extent = 0, stride = 1;
  std::int64_t greatest = -1;
  std::vector<std::int32_t> elements;
};

// One launch.
struct Case {
  std::array<std::int64_t, 5> scalars{};
  std::array<std::int64_t, 3> gridDim{1, 1, 1}, blockDim{1, 1, 1};
  Array u, v, acc;
  std::int64_t shared_bytes = 0;
};

// What a name of the program stands for: an array, or a slice of one. Ends of slices are limited as Python does it.
class Part {
public:
  Part(const char* name, Array& array) : name_(name), array_(&array), extent_(array.extent) {}
  Part(const char* name, const Part& from, Int begin, Int end) : name_(name), array_(from.array_) {
    const std::int64_t first = limited(begin.value, from.extent_), last = limited(end.value, from.extent_);
    begin_ = from.begin_ + first;
    extent_ = std::max<std::int64_t>(last - first, 0);
  }
  Part(const char* name, const Part& from, Int begin) : Part(name, from, begin, Int{from.extent_}) {}

  const char* name() const { return name_; }
  Array& array() const { return *array_; }
  std::int64_t begin() const { return begin_; }
  Int extent() const { return {extent_}; }

private:
  static std::int64_t limited(std::int64_t end, std::int64_t extent) {
    return std::clamp<std::int64_t>(end < 0 ? end + extent : end, 0, extent);
  }

  const char* name_;
  Array* array_;
  std::int64_t begin_ = 0, extent_ = 0;
};

// The numbers of a range.
struct Range {
  struct Iterator {
    Int operator*() const { return {std::int64_t(at)}; }
    void operator++() { at += step; }
    bool operator!=(const Iterator& end) const { return step > 0 ? at < end.at : at > end.at; }
    __int128 at, step;
  };
  Iterator begin() const { return {first, step}; }
  Iterator end() const { return {last, step}; }

  std::int64_t first, last, step;
};

struct Fault {
  std::string array;
  std::uint32_t line;
  std::int64_t index, extent;
};

// One thread of the reference.
struct Thread {
  static constexpr int most_rounds = 40'000; // of the loops of one launch, which would take too long

  const std::array<std::int64_t, 5>& scalars;
  Array &u, &v, &acc, &shared;
  std::array<Int, 3> gridDim, blockDim, blockIdx, threadIdx;
  bool is_drawn; // arrays are endless
  int& rounds;
  std::optional<Fault> fault;
  std::int32_t* found = nullptr; // the element that is reached; null while arrays are endless
  std::int32_t unused = 0;

  Int grid(int axis) const { return blockIdx[axis] * blockDim[axis] + threadIdx[axis]; }

  Range range(Int first, Int last, Int step = {1}) const {
    const __int128 length = __int128(last.value) - first.value;
    const bool is_wide = length != std::int32_t(length);
    // Numba computes the length in the type of the counter.
    if (is_wide || step.value == 0 ||
        std::abs(std::int64_t(length)) / std::max<std::int64_t>(std::abs(step.value), 1) + rounds >
            most_rounds) {
      is_undefined = true;
      return {0, 0, 1};
    }
    if ((length > 0) == (step.value > 0)) rounds += int(length / step.value);
    return {first.value, last.value, step.value};
  }

  // Finds an element; false: the thread faults.
  bool reach(const Part& part, Int index, std::uint32_t line) {
    const std::int64_t extent = part.extent().value;
    const std::int64_t place = index.value < 0 ? (index + Int{extent}).value : index.value;
    if (is_undefined || ++rounds > most_rounds) {
      is_undefined = true;
      return false;
    }
    if (is_drawn) {
      if (index.value >= 0 && place < extent)
        part.array().greatest = std::max(part.array().greatest, part.begin() + place);
      return true;
    }
    if (place < 0 || place >= extent) {
      fault = Fault{part.name(), line, index.value, extent};
      return false;
    }
    found = &part.array().elements[part.begin() + place];
    return true;
  }
  std::int32_t& element() { return found ? *found : unused; }
};

using View = kern::View<std::int32_t, 1>;
struct Views {
  View u, v, acc;
};

struct Row {
  const char* name;
  const char* text;
  std::array<int, 5> is_wide;       // scalars of 64 bits
  std::array<int, 3> is_contiguous; // arrays
  int axes, phases;
  void (*reference)(Thread& thread, int phase);
  // Says whether a GPU takes the first variant; null where there is one variant.
  bool (*is_first)(const Case& c);
  // Lines and arrays whose guards that variant has not.
  std::set<std::pair<std::uint32_t, std::string>> proved;
  void (*launch)(const kernels::Kernels& library, const kern::Launch& launch, const Views& views,
                 const Case& c);
};

#include "kernels.hpp"

// Runs the reference: the fault of each thread that has one, in the order of blocks and threads.
std::vector<std::optional<Fault>> run_reference(const Row& row, Case& c, bool is_drawn) {
  std::vector<std::optional<Fault>> faults;
  int rounds = 0;
  Array shared;
  for (std::int64_t block = 0; block < c.gridDim[0] * c.gridDim[1] * c.gridDim[2]; ++block) {
    shared.extent = is_drawn ? Array::endless : c.shared_bytes / 4;
    if (!is_drawn) shared.elements.assign(shared.extent, 0);
    std::vector<Thread> threads;
    const auto split = [](std::int64_t number, const std::array<std::int64_t, 3>& sizes) {
      return std::array<Int, 3>{Int{number % sizes[0]}, Int{number / sizes[0] % sizes[1]},
                                Int{number / sizes[0] / sizes[1]}};
    };
    const auto ints = [](const std::array<std::int64_t, 3>& sizes) {
      return std::array<Int, 3>{Int{sizes[0]}, Int{sizes[1]}, Int{sizes[2]}};
    };
    for (std::int64_t thread = 0; thread < c.blockDim[0] * c.blockDim[1] * c.blockDim[2]; ++thread)
      threads.push_back({c.scalars,
                         c.u,
                         c.v,
                         c.acc,
                         shared,
                         ints(c.gridDim),
                         ints(c.blockDim),
                         split(block, c.gridDim),
                         split(thread, c.blockDim),
                         is_drawn,
                         rounds,
                         {},
                         nullptr,
                         0});
    // What is drawn needs only the phase in the middle: the others go over all of the array.
    for (int phase = is_drawn && row.phases > 1 ? 1 : 0;
         phase < (is_drawn && row.phases > 1 ? 2 : row.phases); ++phase)
      for (Thread& thread : threads)
        if (!thread.fault && !is_undefined) row.reference(thread, phase);
    if (is_undefined) break;
    for (Thread& thread : threads) faults.push_back(std::move(thread.fault));
  }
  if (is_drawn) c.shared_bytes = 4 * (shared.greatest + 1);
  return faults;
}

constexpr std::int64_t most_elements = 60'000; // of an array
constexpr std::int64_t most_shared = 10'000;   // elements of a block

class Draw {
public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::int64_t below(std::int64_t end) { return std::int64_t(engine_() % std::uint64_t(end)); }
  std::int64_t of(std::initializer_list<std::int64_t> values) { return values.begin()[below(values.size())]; }

private:
  std::mt19937_64 engine_;
};

std::int64_t draw_scalar(Draw& draw, int place, bool is_wide) {
  if (place == 3) return draw.below(4);
  if (place == 4) return 1 + draw.below(4);
  if (is_wide && draw.below(64) == 0) return draw.of({64, 100});
  return 1 + draw.below(7);
}

std::int64_t draw_odd_scalar(Draw& draw, bool is_wide) {
  constexpr std::int64_t top = INT64_MAX;
  if (draw.below(2)) return draw.of({0, 0, 1, -1, -2, -5, 9, 17});
  if (is_wide && draw.below(2))
    return draw.of({std::int64_t(1) << 32, std::int64_t(1) << 31, std::int64_t(1) << 62, top, top - 3,
                    -top - 1, -top, 3037000500, 4294967295, -(std::int64_t(1) << 33)});
  return draw.of({INT32_MAX, INT32_MAX - 1, INT32_MIN, INT32_MIN + 1, 65536, 46341, 46340, 1 << 30, -65536});
}

// Now and then makes one or more scalars odd, or two sizes whose product wraps or is right although they are not.
void draw_odd_scalars(Draw& draw, const Row& row, Case& c) {
  const std::int64_t kind = draw.below(12);
  for (std::int64_t odd = kind < 2 ? 1 : kind < 4 ? kind : 0; odd > 0; --odd) {
    const int place = int(draw.below(5));
    c.scalars[place] = draw_odd_scalar(draw, row.is_wide[place]);
  }
  if (kind != 4) return;
  constexpr std::int64_t inverse_of_3 = -6148914691236517205, word = std::int64_t(1) << 32;
  using Pairs = std::array<std::pair<std::int64_t, std::int64_t>, 5>;
  constexpr Pairs narrow = {{{-2, -3}, {-1, -4}, {65536, 65536}, {46341, 46341}, {0, 5}}};
  constexpr Pairs wide = {
      {{word, word}, {2 * word, word / 2}, {3, inverse_of_3}, {INT64_MIN, 2}, {word + 2, word}}};
  const int first = int(draw.below(3)), second = (first + 1 + int(draw.below(2))) % 3;
  const Pairs& pairs = row.is_wide[first] && row.is_wide[second] ? wide : narrow;
  std::tie(c.scalars[first], c.scalars[second]) = pairs[draw.below(5)];
}

// Returns the least size at which a GPU takes the first variant, of an array or of shared memory; nothing
// where it takes none of a test's.
std::optional<std::int64_t> least_size(const Row& row, const Case& c, std::int64_t& size, std::int64_t unit) {
  const std::int64_t before = size;
  const auto is_first = [&](std::int64_t tried) {
    size = tried * unit;
    return row.is_first && row.is_first(c);
  };
  std::int64_t low = -1, high = most_elements;
  const bool has_one = is_first(high);
  while (has_one && high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (is_first(middle) ? high : low) = middle;
  }
  size = before;
  return has_one ? std::optional(high) : std::nullopt;
}

// Draws a size near the one that is needed, or near the one that the first variant asks for.
std::int64_t draw_size(Draw& draw, std::int64_t needed, std::optional<std::int64_t> least) {
  if (least && draw.below(2)) needed = *least;
  if (needed > most_elements) needed = draw.below(4000);
  return std::max<std::int64_t>(needed + draw.of({0, 0, 0, 0, 0, -1, -1, 1, 2, 5, -2, -4, 50}), 0);
}

bool draw_case(Draw& draw, const Row& row, Case& c) {
  c = Case();
  for (int place = 0; place < 5; ++place) c.scalars[place] = draw_scalar(draw, place, row.is_wide[place]);
  draw_odd_scalars(draw, row, c);
  constexpr std::int64_t most_in_block = 1024;
  std::int64_t left = draw.of({64, 512, 4096});
  const int axes = draw.below(8) == 0 ? 3 : row.axes;
  for (int pair = 0; pair < 2 * axes; ++pair) {
    const int axis = pair % axes;
    const bool is_block = (pair < axes) == (draw.below(2) == 0);
    std::int64_t& size = is_block ? c.blockDim[axis] : c.gridDim[axis];
    const std::int64_t drawn = draw.of({1, 1, 2, 3, 4, 5, 7, 8, 13, 16, 32, 33, 64, 65});
    const bool is_too_large =
        is_block &&
        (c.blockDim[0] * c.blockDim[1] * c.blockDim[2] * drawn > most_in_block || (axis == 2 && drawn > 64));
    if (size != 1 || drawn > left || is_too_large) continue;
    size = drawn;
    left /= drawn;
  }
  for (Array* array : {&c.u, &c.v, &c.acc}) array->extent = Array::endless;
  is_undefined = false;
  run_reference(row, c, true);
  if (is_undefined) return false;
  const std::int64_t shared_needed = c.shared_bytes / 4;
  for (Array* array : {&c.u, &c.v, &c.acc}) array->extent = most_elements;
  c.shared_bytes = 0;
  if (row.phases > 1) {
    c.shared_bytes =
        4 * std::min(draw_size(draw, shared_needed, least_size(row, c, c.shared_bytes, 4)), most_shared);
    // The last phase copies all of it.
    c.u.greatest = c.shared_bytes / 4 - 1;
  }
  for (Array* array : {&c.u, &c.v})
    array->extent = draw_size(draw, array->greatest + 1, least_size(row, c, array->extent, 1));
  c.acc.extent = draw.below(40) != 0;
  for (int place = 0; place < 3; ++place) {
    Array& array = place == 0 ? c.u : place == 1 ? c.v : c.acc;
    array.stride = row.is_contiguous[place] || draw.below(2) ? 1 : draw.of({2, 3});
    for (std::int64_t i = 0; i < array.extent; ++i) array.elements.push_back(std::int32_t(draw.below(1000)));
  }
  return true;
}

// An array on the device, in the middle of a larger one, whose other elements nothing may change.
class OnDevice {
public:
  OnDevice(const kern::Device& device, const Array& array)
      : array_(array), all_(2 * margin + array.extent * array.stride, other),
        buffer_(device, std::int64_t(all_.size())) {
    place(array);
    buffer_.copy_from(all_);
  }
  View view() { return buffer_.view(margin, kern::extents(array_.extent), kern::extents(array_.stride)); }
  // Says whether it has the elements of an array.
  bool is(const Array& array) {
    place(array);
    std::vector<std::int32_t> now(all_.size());
    buffer_.copy_to(now);
    return now == all_;
  }

private:
  static constexpr std::int64_t margin = 16;
  static constexpr std::int32_t other = -123456;

  void place(const Array& array) {
    for (std::int64_t i = 0; i < array.extent; ++i) all_[margin + i * array.stride] = array.elements[i];
  }

  const Array& array_;
  std::vector<std::int32_t> all_;
  kern::Buffer<std::int32_t, 1> buffer_;
};

struct Counts {
  int launches = 0, faults = 0, missed = 0, false_faults = 0, wrong = 0;
  int first = 0, first_faults = 0,
      lost =
          0; // launches that take the first variant, of these with faults, and with faults at guards that it has not
  int told = 0;
};

void tell(Counts& counts, const Row& row, const Case& c, const std::string& what) {
  if (++counts.told > 5) return;
  std::printf("%s: %s\n%s\n  ", row.name, what.c_str(), row.text);
  const char* const names[] = {"nx", "ny", "nz", "a", "d"};
  for (int place = 0; place < 5; ++place)
    std::printf("%s=%lld ", names[place], static_cast<long long>(c.scalars[place]));
  std::printf("grid=%d,%d,%d block=%d,%d,%d u=%d:%d v=%d:%d acc=%d shared=%d first=%d\n", int(c.gridDim[0]),
              int(c.gridDim[1]), int(c.gridDim[2]), int(c.blockDim[0]), int(c.blockDim[1]),
              int(c.blockDim[2]), int(c.u.extent), int(c.u.stride), int(c.v.extent), int(c.v.stride),
              int(c.acc.extent), int(c.shared_bytes), row.is_first ? int(row.is_first(c)) : -1);
}

std::string words(const std::string& array, std::uint32_t line, std::int64_t index, std::int64_t extent) {
  return "index " + std::to_string(index) + " of `" + array + "` (extent " + std::to_string(extent) +
         ") in line " + std::to_string(line);
}

// Compares the fault that a launch told with those of the reference.
void check_fault(Counts& counts, const Row& row, const Case& c, const Case& before,
                 const std::vector<std::optional<Fault>>& faults, const kern::KernelFault& told) {
  const auto number = [](const std::uint32_t(&place)[3], const std::array<std::int64_t, 3>& sizes) {
    return (place[2] * sizes[1] + place[1]) * sizes[0] + place[0];
  };
  const std::int64_t thread = number(told.block, c.gridDim) * c.blockDim[0] * c.blockDim[1] * c.blockDim[2] +
                              number(told.thread, c.blockDim);
  const std::optional<Fault> none;
  const std::optional<Fault>& expected = thread < std::int64_t(faults.size()) ? faults[thread] : none;
  if (told.code == "index" && expected && told.index == expected->index && told.extent == expected->extent &&
      told.array == expected->array && told.place.line == expected->line)
    return;
  ++counts.wrong;
  tell(counts, row, before,
       "thread " + std::to_string(thread) + " told " +
           words(told.array, told.place.line, told.index, told.extent) + ", expected " +
           (expected ? words(expected->array, expected->line, expected->index, expected->extent)
                     : "no fault of it"));
}

void check_launch(Counts& counts, const Row& row, const kernels::Kernels& library, const kern::Device& device,
                  Case& c) {
  OnDevice u(device, c.u), v(device, c.v), acc(device, c.acc);
  const Case before = c;
  const std::vector<std::optional<Fault>> faults = run_reference(row, c, false);
  if (is_undefined) return;
  const auto is_fault = [](const std::optional<Fault>& fault) { return fault.has_value(); };
  const bool has_fault = std::any_of(faults.begin(), faults.end(), is_fault);
  ++counts.launches;
  counts.faults += has_fault;
  if (row.is_first && row.is_first(c)) {
    ++counts.first;
    counts.first_faults += has_fault;
    const auto lost = std::find_if(faults.begin(), faults.end(), [&](const std::optional<Fault>& fault) {
      return fault && row.proved.count({fault->line, fault->array});
    });
    if (lost != faults.end()) {
      ++counts.lost;
      tell(counts, row, before,
           "the first variant has no guard for " +
               words((*lost)->array, (*lost)->line, (*lost)->index, (*lost)->extent));
    }
  }
  const kern::Stream stream = kern::Stream::of_thread(device);
  bool has_told = false;
  try {
    row.launch(library,
               kern::grid(c.gridDim[0], c.gridDim[1], c.gridDim[2])
                   .block(c.blockDim[0], c.blockDim[1], c.blockDim[2])
                   .shared(c.shared_bytes)
                   .on(stream),
               {u.view(), v.view(), acc.view()}, c);
    stream.wait();
  } catch (const kern::KernelFault& told) {
    has_told = true;
    if (has_fault) check_fault(counts, row, c, before, faults, told);
    if (!has_fault) {
      ++counts.false_faults;
      tell(counts, row, before, std::string("false: ") + told.what());
    }
  } catch (const kern::Error& error) {
    ++counts.wrong;
    tell(counts, row, before, error.what());
    return;
  }
  if (has_fault && !has_told) {
    ++counts.missed;
    const std::optional<Fault>& fault = *std::find_if(faults.begin(), faults.end(), is_fault);
    tell(counts, row, before, "missed: " + words(fault->array, fault->line, fault->index, fault->extent));
  }
  if (u.is(c.u) && v.is(c.v) && acc.is(c.acc)) return;
  ++counts.wrong;
  tell(counts, row, before, has_fault ? "other elements, beside a fault" : "other elements");
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: flattened SEED LAUNCHES\n");
    return 2;
  }
  Draw draw(std::strtoull(argv[1], nullptr, 10));
  const kern::Device device = kern::Device::best();
  const kernels::Kernels library = kernels::load(device);
  Counts counts;
  for (const Row& row : rows) {
    const int until = counts.launches + std::atoi(argv[2]);
    // A kernel of which hardly a launch has a meaning gets fewer.
    for (int tries = 20 * std::atoi(argv[2]); tries > 0 && counts.launches < until; --tries) {
      Case c;
      if (draw_case(draw, row, c)) check_launch(counts, row, library, device, c);
    }
  }
  std::printf("launches %d, faults %d, missed %d, false %d, wrong %d\n", counts.launches, counts.faults,
              counts.missed, counts.false_faults, counts.wrong);
  std::printf(
      "in the first variant of a GPU %d, of these with faults %d, with faults that it does not see %d\n",
      counts.first, counts.first_faults, counts.lost);
  return counts.missed || counts.false_faults || counts.wrong || counts.lost || !counts.launches;
}
