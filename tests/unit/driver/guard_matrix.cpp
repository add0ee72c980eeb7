// The promise behind everything: no index leaves its array. Kernels are generated for memory x access x place
// in the program x index type x rank x axis, and each is run with indices around 0 and the extent and at the
// ends of 32 and 64 bits. Every array lies between canaries. For each run: the fault's place, axis, index,
// extent, block and thread are right, every other thread's result is right, and no canary and no element but
// the written ones has changed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "compiler/diagnostics/render.h"
#include "compiler/driver/compilation.h"
#include "runtime/cpu/pool.h"
#include "runtime/cpu/scratch.h"

namespace kern {
namespace {

enum class Memory { Global, View, Shared, Local };
enum class Access { Load, Store, Atomic };
enum class Place { Straight, DivergentLoop, Callee, AfterBarrier, LastLane };

struct Shape {
  Memory memory;
  Access access;
  Place place;
  std::string index_type; // "i32", "u32", "i64"
  int rank;
  int axis; // of the tested index
};

constexpr std::int32_t canary = 0x5AFE5AFE;
constexpr std::size_t canaries = 64; // on each side of an array
constexpr std::int64_t shared_extent = 5;

// An i32 or i64 array between canaries.
template <class T> struct Guarded {
  std::vector<T> memory;
  std::size_t size;
  explicit Guarded(std::size_t count, T value)
      : memory(count + 2 * canaries, static_cast<T>(canary)), size(count) {
    std::fill_n(data(), count, value);
  }
  T* data() { return memory.data() + canaries; }
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

std::string source_text(const Shape& shape) {
  std::string array = shape.memory == Memory::Global ? "a" : shape.memory == Memory::View ? "w" : "s";
  std::string text;
  if (shape.place == Place::Callee) {
    std::string type =
        shape.memory == Memory::Shared || shape.memory == Memory::Local ? "" : ": " + array_type(shape);
    text += fmt::format("@device\ndef touch(q{}, j: {}) -> i32:\n    v: i32 = 0\n    {}\n    return v\n\n",
                        type, shape.index_type, access_text(shape, "q"));
  }
  text += fmt::format("@kernel\ndef k(a: {}, ix: {}[:], out: i32[:]):\n    t = grid(1)\n", array_type(shape),
                      shape.index_type);
  std::string extents = repeat(std::to_string(shared_extent), shape.rank) + (shape.rank == 1 ? "," : "");
  if (shape.memory == Memory::View) text += fmt::format("    w = a[{}]\n", repeat("1:-1", shape.rank));
  if (shape.memory == Memory::Shared) text += fmt::format("    s = shared.array(({}), i32)\n", extents);
  if (shape.memory == Memory::Local) text += fmt::format("    s = local.array(({}), i32)\n", extents);
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
  text += "        out[t] = i32(t) + 100\n";
  return text;
}

struct Compiled {
  Compilation compilation;
  std::unique_ptr<CpuModule> code;
  const ir::Function& kernel() {
    return compilation.segmented()->functions.front();
  } // touch() is inlined, and gone
};

std::unique_ptr<Compiled> compile(const std::string& text, int lanes) {
  auto compiled = std::make_unique<Compiled>(Compilation(CompileOptions{}), nullptr);
  compiled->compilation.set_source("matrix.kern", text);
  TargetOptions options;
  options.target = Target::Cpu;
  options.arch = "native";
  options.lanes.lanes = lanes;
  options.lanes.contiguous = true;
  compiled->code = compiled->compilation.compile_for_cpu(options);
  for (const Diagnostic& diagnostic : compiled->compilation.diagnostics().all())
    ADD_FAILURE() << render(diagnostic, compiled->compilation.sources(), {}) << text;
  return compiled->code ? std::move(compiled) : nullptr;
}

// One run of a compiled kernel.
struct Run {
  std::int64_t extent; // of the tested axis, as the access sees it
  std::int64_t index;  // of the one thread that tests it; all others use 0
  std::uint32_t thread;
};

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

constexpr std::uint32_t block_size = 33, block_count = 3, thread_count = 90;

// Runs the kernel k(a, ix, out).
template <class Index> kern_fault_record launch(Compiled& compiled, Guarded<std::int32_t>& array,
                                                const std::vector<std::int64_t>& extents,
                                                Guarded<Index>& indices, Guarded<std::int32_t>& out) {
  static cpu::Pool pool(2);
  kern_launch_record record{};
  std::vector<std::uint64_t> params;
  append_array(params, array.data(), extents);
  append_array(params, indices.data(), {thread_count});
  append_array(params, out.data(), {thread_count});
  params.push_back(reinterpret_cast<std::uint64_t>(&record));
  const std::uint32_t block[3] = {block_size, 1, 1};
  cpu::Launch launch;
  const kern_object_entry& entry = *compiled.code->entry(compiled.kernel().symbol);
  launch.entry = entry.entry;
  launch.params = params.data();
  launch.record = &record;
  launch.grid[0] = block_count;
  launch.block[0] = block_size;
  launch.scratch_bytes = cpu::scratch_bytes(entry, block);
  launch.independent_rows = entry.independent_rows != 0;
  EXPECT_TRUE(pool.run(launch));
  return record.fault;
}

void expect_fault(Compiled& compiled, const Shape& shape, const Run& run, const kern_fault_record& fault,
                  const std::string& text) {
  std::size_t line_start = text.rfind('\n', text.find("#!")) + 1;
  std::size_t line = static_cast<std::size_t>(std::count(
                         text.begin(), text.begin() + static_cast<std::ptrdiff_t>(line_start), '\n')) +
                     1;
  ASSERT_LT(fault.site, compiled.compilation.module()->sites.size());
  const ir::Site& site = compiled.compilation.module()->sites[fault.site];
  EXPECT_EQ(compiled.compilation.sources().locate(site.span).line, line);
  EXPECT_EQ(fault.kind, static_cast<std::uint32_t>(ir::FaultKind::IndexOutOfRange));
  EXPECT_EQ(site.calls.size(), shape.place == Place::Callee ? 1u : 0u);
  EXPECT_EQ(fault.axis, shape.axis);
  EXPECT_EQ(fault.index, run.index);
  EXPECT_EQ(fault.extent, run.extent);
  EXPECT_EQ(fault.block[0], run.thread / block_size);
  EXPECT_EQ(fault.thread[0], run.thread % block_size);
}

template <class Index>
void check_run(Compiled& compiled, const Shape& shape, const Run& run, const std::string& text) {
  SCOPED_TRACE(fmt::format("extent {} index {} thread {}\n{}", run.extent, run.index, run.thread, text));
  bool outer = shape.memory == Memory::View;
  std::vector<std::int64_t> extents(static_cast<std::size_t>(shape.rank), 2 + 2 * outer);
  extents[static_cast<std::size_t>(shape.axis)] = run.extent + 2 * outer;
  std::size_t count = 1;
  for (std::int64_t extent : extents) count *= static_cast<std::size_t>(extent);
  Guarded<std::int32_t> array(count, 3), out(thread_count, -1);
  Guarded<Index> indices(thread_count, 0);
  indices.data()[run.thread] = static_cast<Index>(run.index);

  kern_fault_record fault = launch(compiled, array, extents, indices, out);
  bool faults = run.index < 0 || run.index >= run.extent;
  ASSERT_EQ(fault.state != 0, faults);
  if (faults) expect_fault(compiled, shape, run, fault, text);
  EXPECT_TRUE(array.intact() && out.intact() && indices.intact());
  for (std::uint32_t thread = 0; thread < thread_count; ++thread)
    EXPECT_EQ(out.data()[thread],
              faults && thread == run.thread ? -1 : static_cast<std::int32_t>(thread) + 100)
        << thread;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < count; ++i) changed += array.data()[i] != 3;
  EXPECT_LE(changed, shape.access == Access::Load ? 0u : 2u);
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
  std::erase_if(all, [&](std::int64_t index) {
    if (type == "i32") return index != static_cast<std::int32_t>(index);
    if (type == "u32") return index != static_cast<std::int64_t>(static_cast<std::uint32_t>(index));
    return false;
  });
  return all;
}

// Counts what was tried, so that the matrix cannot shrink unseen.
int runs = 0;

void check_shape(const Shape& shape, int lanes) {
  std::string text = source_text(shape);
  std::unique_ptr<Compiled> compiled = compile(text, lanes);
  ASSERT_NE(compiled, nullptr) << text;
  bool fixed = shape.memory == Memory::Shared || shape.memory == Memory::Local;
  std::uint32_t thread = shape.place == Place::LastLane ? 2 * block_size - 1 : 37;
  for (std::int64_t extent :
       fixed ? std::vector<std::int64_t>{shared_extent} : std::vector<std::int64_t>{1, 6})
    for (std::int64_t index : interesting(extent, shape.index_type)) {
      Run run{extent, index, thread};
      ++runs;
      if (shape.index_type == "i32")
        check_run<std::int32_t>(*compiled, shape, run, text);
      else if (shape.index_type == "u32")
        check_run<std::uint32_t>(*compiled, shape, run, text);
      else
        check_run<std::int64_t>(*compiled, shape, run, text);
      if (testing::Test::HasFailure()) return;
    }
}

class GuardMatrix : public testing::TestWithParam<int> {};

TEST_P(GuardMatrix, EveryFaultIsRightAndNothingElseChanges) {
  int number = 0;
  runs = 0;
  for (Memory memory : {Memory::Global, Memory::View, Memory::Shared, Memory::Local})
    for (Access access : {Access::Load, Access::Store, Access::Atomic}) {
      if (memory == Memory::Local && access == Access::Atomic)
        continue; // atomics are of global and shared arrays
      for (Place place :
           {Place::Straight, Place::DivergentLoop, Place::Callee, Place::AfterBarrier, Place::LastLane}) {
        int rank = 1 + number % 3;
        const char* types[] = {"i32", "u32", "i64"};
        check_shape({memory, access, place, types[number / 2 % 3], rank, number / 3 % rank}, GetParam());
        ++number;
        if (HasFailure()) return;
      }
    }
  EXPECT_GE(runs, 500);
}

INSTANTIATE_TEST_SUITE_P(Lanes, GuardMatrix, testing::Values(1, 16, 32));

// With an extent of 0 every thread faults; the record has the lowest block's first.
TEST(GuardMatrixEmpty, TheLowestBlockIsReported) {
  for (int lanes : {1, 16}) {
    Shape shape{Memory::Global, Access::Store, Place::Straight, "i64", 1, 0};
    std::string text = source_text(shape);
    std::unique_ptr<Compiled> compiled = compile(text, lanes);
    ASSERT_NE(compiled, nullptr);
    Guarded<std::int32_t> array(0, 0), out(thread_count, -1);
    Guarded<std::int64_t> indices(thread_count, 0);
    kern_fault_record fault = launch(*compiled, array, {0}, indices, out);
    expect_fault(*compiled, shape, {0, 0, 0}, fault, text);
    EXPECT_TRUE(array.intact() && out.intact());
    for (std::uint32_t thread = 0; thread < thread_count; ++thread) EXPECT_EQ(out.data()[thread], -1);
  }
}

} // namespace
} // namespace kern
