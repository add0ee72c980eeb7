// The promise behind everything: no index leaves its array. Kernels are generated for memory x access x place
// in the program x index type x rank x axis x extent x block x lanes x CPU, so that each value of one of them
// meets each of another, and each is run with indices around 0 and the extent and at the ends of 32 and 64
// bits. Every array lies between canaries; those of shared and local arrays are their neighbours in the same
// memory, which the kernel fills and looks at. A model says what each run does: the fault's place, axis,
// index, extent, block and thread, every element and every thread's result; no canary has changed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <random>
#include <set>

#include "compiler/diagnostics/render.h"
#include "compiler/driver/session/compilation.h"
#include "runtime/cpu/pool.h"
#include "runtime/cpu/scratch.h"

namespace kern {
namespace {

enum class Memory { Global, View, Shared, Local };
enum class Access { Load, Store, Atomic };
enum class Place { Straight, DivergentLoop, Callee, AfterBarrier, LastWarp };

using Extents = std::array<std::uint32_t, 3>;

struct Shape {
  Memory memory;
  Access access;
  Place place;
  std::string index_type; // "i32", "u32", "i64"
  int rank;
  int axis;            // of the tested index
  std::int64_t extent; // of the tested axis, as the access sees it
  Extents block;
  int lanes;
  std::string arch;

  bool is_fixed() const { return memory == Memory::Shared || memory == Memory::Local; }
  std::uint32_t block_size() const { return block[0] * block[1] * block[2]; }
  // The last block overhangs where it has threads enough.
  std::uint32_t thread_count() const { return block_count * block_size() - block_size() / 4; }
  // The one thread whose index is tested, in the second block; all others use 0.
  std::uint32_t tested_thread() const {
    return place == Place::LastWarp ? 2 * block_size() - 1 : block_size() + block_size() / 8;
  }

  static constexpr std::uint32_t block_count = 3;
};

constexpr std::int32_t canary = 0x5AFE5AFE;
constexpr std::size_t canaries = 64;     // on each side of an array
constexpr std::int64_t other_extent = 2; // of the axes that are not tested
// Elements of the arrays before and after a shared or local one: shared arrays begin at multiples of 64
// bytes, and what fills those has its neighbours next to it.
constexpr std::int64_t fixed_canaries = 16;

// An i32 or i64 array between canaries.
template <class T> struct Guarded {
  std::vector<T> memory;
  std::size_t size;
  explicit Guarded(std::size_t count, T value)
      : memory(count + 2 * canaries, static_cast<T>(canary)), size(count) {
    std::fill_n(data(), count, value);
  }
  T* data() { return memory.data() + canaries; }
  std::span<const T> elements() const { return {memory.data() + canaries, size}; }
  bool intact() const {
    for (std::size_t i = 0; i < canaries; ++i)
      if (memory[i] != static_cast<T>(canary) || memory[memory.size() - 1 - i] != static_cast<T>(canary))
        return false;
    return true;
  }
};

std::string repeat(const std::string& item, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i ? ", " : "") + item;
  return text;
}

std::string array_type(const Shape& shape) { return "i32[" + repeat(":", shape.rank) + "]"; }

std::vector<std::int64_t> extents_of(const Shape& shape) {
  std::vector<std::int64_t> extents(static_cast<std::size_t>(shape.rank), other_extent);
  extents[static_cast<std::size_t>(shape.axis)] = shape.extent;
  return extents;
}

std::string subscript(const Shape& shape, const std::string& index) {
  std::string text;
  for (int axis = 0; axis < shape.rank; ++axis)
    text += (axis ? ", " : "") + (axis == shape.axis ? index : std::string("0"));
  return text;
}

// The statement under test; it ends in `#!` so that the test finds its line.
std::string access_text(const Shape& shape, const std::string& array) {
  std::string index = subscript(shape, "j");
  switch (shape.access) {
  case Access::Load: return fmt::format("v = {}[{}]  #!", array, index);
  case Access::Store: return fmt::format("{}[{}] = 7  #!", array, index);
  case Access::Atomic:
    return fmt::format("atomic.add({}, {}, 1)  #!", array, shape.rank == 1 ? index : "(" + index + ")");
  }
  return "";
}

std::string array_name(const Shape& shape) {
  return shape.memory == Memory::Global ? "a" : shape.memory == Memory::View ? "w" : "s";
}

std::string callee_text(const Shape& shape) {
  if (shape.place != Place::Callee) return "";
  std::string type = shape.is_fixed() ? "" : ": " + array_type(shape);
  return fmt::format("@device\ndef touch(q{}, j: {}) -> i32:\n    v: i32 = 0\n    {}\n    return v\n\n", type,
                     shape.index_type, access_text(shape, "q"));
}

// The array under test, where it is no parameter. The first thread of a block is the first to run: what it
// writes to shared canaries is there for all. `n` keeps LLVM from knowing what the canaries hold.
std::string array_text(const Shape& shape) {
  if (shape.memory == Memory::View) return fmt::format("    w = a[{}]\n", repeat("1:-1", shape.rank));
  if (!shape.is_fixed()) return "";
  const char* space = shape.memory == Memory::Shared ? "shared" : "local";
  std::string fill =
      "for c in range(n):\n{0}        before[c] = 1000 + i32(c)\n{0}        after[c] = 2000 + i32(c)\n";
  if (shape.memory == Memory::Shared)
    fill = "if threadIdx.x + threadIdx.y + threadIdx.z == 0:\n        " +
           fmt::format(fmt::runtime(fill), "    ");
  else
    fill = fmt::format(fmt::runtime(fill), "");
  return fmt::format("    before = {0}.array(({1},), i32)\n    s = {0}.array(({2},), i32)\n    after = "
                     "{0}.array(({1},), i32)\n    {3}",
                     space, fixed_canaries, fmt::join(extents_of(shape), ", "), fill);
}

// Counts canaries that are not what they were, for each thread that has not ended.
std::string check_text(const Shape& shape) {
  if (!shape.is_fixed()) return "";
  return fmt::format("{}    if t < ix.size:\n        for c in range(n):\n"
                     "            if before[c] != 1000 + i32(c) or after[c] != 2000 + i32(c):\n"
                     "                out[t] = -2\n",
                     shape.memory == Memory::Shared ? "    syncthreads()\n" : "");
}

std::string source_text(const Shape& shape) {
  std::string text = callee_text(shape), array = array_name(shape);
  text += fmt::format("@kernel\ndef k(a: {}, ix: {}[:], out: i32[:], n: i64):\n", array_type(shape),
                      shape.index_type);
  text += shape.block[1] * shape.block[2] == 1
              ? "    t = grid(1)\n"
              : "    t = ((blockIdx.x * blockDim.z + threadIdx.z) * blockDim.y + threadIdx.y) * blockDim.x + "
                "threadIdx.x\n";
  text += array_text(shape);
  if (shape.place == Place::AfterBarrier) text += "    syncthreads()\n";
  text += "    if t < ix.size:\n        v: i32 = 0\n        j = ix[t]\n";
  if (shape.place == Place::DivergentLoop)
    text += fmt::format("        for r in range(1 + t % 2):\n            j = {0}(0)\n            if r == "
                        "1:\n                j = ix[t]\n"
                        "            {1}\n",
                        shape.index_type, access_text(shape, array));
  else if (shape.place == Place::Callee)
    text += fmt::format("        v = touch({}, j)\n", array);
  else
    text += fmt::format("        {}\n", access_text(shape, array));
  // Nobody has set the elements of shared and local arrays, so their values are left out.
  text += shape.is_fixed() ? "        out[t] = i32(t)\n" : "        out[t] = i32(t) + 1000 * v\n";
  return text + check_text(shape);
}

struct Compiled {
  std::string text;
  Compilation compilation;
  std::unique_ptr<CpuModule> code;
  const ir::Function& kernel() {
    return compilation.module_for(Target::Cpu)->functions.front();
  } // touch() is inlined, and gone
};

std::unique_ptr<Compiled> compile(const Shape& shape) {
  CompileOptions wanted;
  wanted.warnings.disabled = {"unstored_shared"}; // what the arrays hold does not matter
  auto compiled = std::make_unique<Compiled>(source_text(shape), Compilation(std::move(wanted)), nullptr);
  compiled->compilation.set_source("matrix.kern", compiled->text);
  TargetOptions options;
  options.target = Target::Cpu;
  options.arch = shape.arch;
  options.lanes.lanes = shape.lanes;
  options.lanes.contiguous = true;
  compiled->code = compiled->compilation.compile_for_cpu(options);
  for (const Diagnostic& diagnostic : compiled->compilation.diagnostics().all())
    ADD_FAILURE() << render(diagnostic, compiled->compilation.sources(), {}) << compiled->text;
  return compiled->code ? std::move(compiled) : nullptr;
}

// The effects of a run by the rules of the language: the model that code is compared with.
struct Outcome {
  std::vector<std::int32_t> elements, out;
  std::optional<std::uint32_t> first_thread; // of those that fault
  std::int64_t first_index = 0;
};

// The array as a parameter has it: a view leaves out a margin of one element on each side.
std::vector<std::int64_t> outer_extents(const Shape& shape) {
  std::vector<std::int64_t> extents = extents_of(shape);
  if (shape.memory == Memory::View)
    for (std::int64_t& extent : extents) extent += 2;
  return extents;
}

std::size_t product(const std::vector<std::int64_t>& extents) {
  std::size_t count = 1;
  for (std::int64_t extent : extents) count *= static_cast<std::size_t>(extent);
  return count;
}

std::size_t element_at(const Shape& shape, std::int64_t index) {
  std::vector<std::int64_t> extents = outer_extents(shape);
  std::int64_t place = 0;
  for (int axis = 0; axis < shape.rank; ++axis)
    place = place * extents[static_cast<std::size_t>(axis)] + (axis == shape.axis ? index : 0) +
            (shape.memory == Memory::View);
  return static_cast<std::size_t>(place);
}

std::int32_t initial_value(std::size_t element) { return static_cast<std::int32_t>(element) + 3; }

// One access of a thread; returns what it loads.
std::int32_t touch(const Shape& shape, std::int64_t index, Outcome& outcome) {
  if (shape.is_fixed()) return 0;
  std::int32_t& element = outcome.elements[element_at(shape, index)];
  if (shape.access == Access::Store) element = 7;
  if (shape.access == Access::Atomic) ++element;
  return shape.access == Access::Load ? element : 0;
}

Outcome model(const Shape& shape, std::int64_t tested) {
  Outcome outcome;
  for (std::size_t i = 0; i < product(outer_extents(shape)); ++i)
    outcome.elements.push_back(initial_value(i));
  bool loop = shape.place == Place::DivergentLoop;
  for (std::uint32_t thread = 0; thread < shape.thread_count(); ++thread) {
    std::int32_t value = 0;
    bool ended = false;
    for (std::uint32_t trip = 0; !ended && trip < (loop ? 1 + thread % 2 : 1); ++trip) {
      bool tests = thread == shape.tested_thread() && !(loop && trip == 0);
      std::int64_t index = tests ? tested : 0;
      ended = index < 0 || index >= shape.extent;
      if (!ended) value = touch(shape, index, outcome);
      if (!ended || outcome.first_thread) continue;
      outcome.first_thread = thread;
      outcome.first_index = index;
    }
    outcome.out.push_back(ended ? -1 : static_cast<std::int32_t>(thread) + 1000 * value);
  }
  return outcome;
}

void append_array(std::vector<std::uint64_t>& params, const void* base,
                  const std::vector<std::int64_t>& extents) {
  params.push_back(reinterpret_cast<std::uint64_t>(base));
  for (std::int64_t extent : extents) params.push_back(static_cast<std::uint64_t>(extent));
  std::int64_t stride = 1;
  std::vector<std::uint64_t> strides(extents.size());
  for (std::size_t axis = extents.size(); axis-- > 0; stride *= extents[axis])
    strides[axis] = static_cast<std::uint64_t>(stride);
  params.insert(params.end(), strides.begin(), strides.end());
}

// Runs the kernel k(a, ix, out, n).
template <class Index> kern_fault_record launch(Compiled& compiled, const Shape& shape,
                                                Guarded<std::int32_t>& array, Guarded<Index>& indices,
                                                Guarded<std::int32_t>& out) {
  static cpu::Pool pool(2);
  kern_launch_record record{};
  std::vector<std::uint64_t> params;
  append_array(params, array.data(), outer_extents(shape));
  append_array(params, indices.data(), {shape.thread_count()});
  append_array(params, out.data(), {shape.thread_count()});
  params.push_back(fixed_canaries);
  params.push_back(reinterpret_cast<std::uint64_t>(&record));
  const std::uint32_t block[3] = {shape.block[0], shape.block[1], shape.block[2]};
  cpu::Launch launch;
  const kern_object_entry& entry = *compiled.code->entry(compiled.kernel().symbol);
  launch.entry = entry.entry;
  launch.params = params.data();
  launch.record = &record;
  launch.grid[0] = Shape::block_count;
  std::copy_n(block, 3, launch.block);
  launch.scratch_bytes = cpu::scratch_bytes(entry, block);
  launch.independent_rows = entry.independent_rows != 0;
  EXPECT_TRUE(pool.run(launch));
  return record.fault;
}

void expect_fault(Compiled& compiled, const Shape& shape, const Outcome& outcome,
                  const kern_fault_record& fault) {
  const std::string& text = compiled.text;
  ASSERT_LT(fault.site, compiled.compilation.sites().size());
  const ir::Site& site = compiled.compilation.sites()[fault.site];
  // The place lies in the statement that ends in `#!`.
  std::size_t line_end = text.find("#!"), line_begin = text.rfind('\n', line_end) + 1;
  EXPECT_TRUE(site.span.begin >= line_begin && site.span.end <= line_end)
      << text.substr(site.span.begin, site.span.end - site.span.begin);
  EXPECT_EQ(fault.kind, static_cast<std::uint32_t>(ir::FaultKind::IndexOutOfRange));
  EXPECT_EQ(site.calls.size(), shape.place == Place::Callee ? 1u : 0u);
  EXPECT_EQ(fault.axis, shape.axis);
  EXPECT_EQ(fault.index, outcome.first_index);
  EXPECT_EQ(fault.extent, shape.extent);
  std::uint32_t thread = *outcome.first_thread % shape.block_size();
  const Extents& block = shape.block;
  EXPECT_EQ((Extents{fault.block[0], fault.block[1], fault.block[2]}),
            (Extents{*outcome.first_thread / shape.block_size(), 0, 0}));
  EXPECT_EQ((Extents{fault.thread[0], fault.thread[1], fault.thread[2]}),
            (Extents{thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]}));
}

template <class Index> void check_run(Compiled& compiled, const Shape& shape, std::int64_t index) {
  SCOPED_TRACE(fmt::format("extent {} index {} block {} lanes {} {}\n{}", shape.extent, index,
                           fmt::join(shape.block, ","), shape.lanes, shape.arch, compiled.text));
  Outcome outcome = model(shape, index);
  Guarded<std::int32_t> array(outcome.elements.size(), 0), out(shape.thread_count(), -1);
  for (std::size_t i = 0; i < array.size; ++i) array.data()[i] = initial_value(i);
  Guarded<Index> indices(shape.thread_count(), 0);
  indices.data()[shape.tested_thread()] = static_cast<Index>(index);

  kern_fault_record fault = launch(compiled, shape, array, indices, out);
  ASSERT_EQ(fault.state != 0, outcome.first_thread.has_value());
  if (outcome.first_thread) expect_fault(compiled, shape, outcome, fault);
  EXPECT_TRUE(array.intact() && out.intact() && indices.intact());
  EXPECT_TRUE(std::ranges::equal(array.elements(), outcome.elements));
  for (std::uint32_t thread = 0; thread < shape.thread_count(); ++thread)
    EXPECT_EQ(out.data()[thread], outcome.out[thread]) << thread;
}

// The indices worth trying for an extent, within what the index type holds.
std::vector<std::int64_t> interesting(std::int64_t extent, const std::string& type) {
  std::vector<std::int64_t> all = {0,
                                   extent - 1,
                                   extent,
                                   extent + 1,
                                   -1,
                                   -extent,
                                   -extent - 1,
                                   (1LL << 31) - 1,
                                   1LL << 31,
                                   (1LL << 32) - 1,
                                   1LL << 32,
                                   -(1LL << 31),
                                   std::numeric_limits<std::int64_t>::max(),
                                   std::numeric_limits<std::int64_t>::min()};
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::erase_if(all, [&](std::int64_t index) {
    if (type == "i32") return index != static_cast<std::int32_t>(index);
    if (type == "u32") return index != static_cast<std::int64_t>(static_cast<std::uint32_t>(index));
    return false;
  });
  return all;
}

void check_shape(const Shape& shape, std::size_t& cases) {
  std::unique_ptr<Compiled> compiled = compile(shape);
  ASSERT_NE(compiled, nullptr) << source_text(shape);
  for (std::int64_t index : interesting(shape.extent, shape.index_type)) {
    ++cases;
    if (shape.index_type == "i32")
      check_run<std::int32_t>(*compiled, shape, index);
    else if (shape.index_type == "u32")
      check_run<std::uint32_t>(*compiled, shape, index);
    else
      check_run<std::int64_t>(*compiled, shape, index);
    if (testing::Test::HasFailure()) return;
  }
}

constexpr Memory memories[] = {Memory::Global, Memory::View, Memory::Shared, Memory::Local};
constexpr Access accesses[] = {Access::Load, Access::Store, Access::Atomic};
constexpr Place places[] = {Place::Straight, Place::DivergentLoop, Place::Callee, Place::AfterBarrier,
                            Place::LastWarp};
constexpr const char* index_types[] = {"i32", "u32", "i64"};
constexpr std::pair<int, int> positions[] = {{1, 0}, {2, 0}, {2, 1}, {3, 0}, {3, 1}, {3, 2}};
constexpr std::int64_t all_extents[] = {0, 1, 16};
constexpr Extents blocks[] = {{33, 1, 1}, {1, 1, 1}, {7, 5, 3}};
constexpr int all_lanes[] = {1, 16, 32};
constexpr const char* archs[] = {"native", "x86-64-v3"};

// The numbers of a shape's values in the lists above.
using Choice = std::array<std::size_t, 9>;
constexpr Choice counts = {std::size(memories),    std::size(accesses),  std::size(places),
                           std::size(index_types), std::size(positions), std::size(all_extents),
                           std::size(blocks),      std::size(all_lanes), std::size(archs)};

bool is_atomic_on_local(std::size_t memory, std::size_t access) {
  return memories[memory] == Memory::Local && accesses[access] == Access::Atomic;
}

// Memory, access, place, index type and position are crossed in full, each time with another choice of the
// rest.
std::vector<Choice> choices() {
  std::vector<Choice> all;
  std::mt19937 random(1);
  for (std::size_t memory = 0; memory < counts[0]; ++memory)
    for (std::size_t access = 0; access < counts[1]; ++access) {
      if (is_atomic_on_local(memory, access)) continue;
      for (std::size_t place = 0; place < counts[2]; ++place)
        for (std::size_t type = 0; type < counts[3]; ++type)
          for (std::size_t position = 0; position < counts[4]; ++position) {
            Choice choice = {memory, access, place, type, position};
            for (std::size_t rest = 5; rest < counts.size(); ++rest) choice[rest] = random() % counts[rest];
            all.push_back(choice);
          }
    }
  return all;
}

Shape shape_of(const Choice& choice) {
  auto [rank, axis] = positions[choice[4]];
  return {
      memories[choice[0]],    accesses[choice[1]], places[choice[2]],    index_types[choice[3]], rank, axis,
      all_extents[choice[5]], blocks[choice[6]],   all_lanes[choice[7]], archs[choice[8]]};
}

TEST(GuardMatrix, EachValueOfADimensionMeetsEachOfAnother) {
  std::set<std::array<std::size_t, 4>> pairs;
  for (const Choice& choice : choices())
    for (std::size_t first = 0; first < counts.size(); ++first)
      for (std::size_t second = first + 1; second < counts.size(); ++second)
        pairs.insert({first, choice[first], second, choice[second]});
  for (std::size_t first = 0; first < counts.size(); ++first)
    for (std::size_t second = first + 1; second < counts.size(); ++second)
      for (std::size_t i = 0; i < counts[first]; ++i)
        for (std::size_t j = 0; j < counts[second]; ++j)
          EXPECT_TRUE(pairs.contains({first, i, second, j}) ||
                      (first == 0 && second == 1 && is_atomic_on_local(i, j)))
              << fmt::format("value {} of dimension {} never meets {} of {}", i, first, j, second);
}

TEST(GuardMatrix, EveryFaultIsRightAndNothingElseChanges) {
  std::vector<Choice> all = choices();
  EXPECT_EQ(std::set<Choice>(all.begin(), all.end()).size(), all.size());
  std::size_t cases = 0; // no two the same: shapes differ, and so do the indices of one
  for (const Choice& choice : all) {
    check_shape(shape_of(choice), cases);
    if (HasFailure()) return;
  }
  EXPECT_GE(cases, 7500u);
}

} // namespace
} // namespace kern
