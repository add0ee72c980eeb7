// Compares clocks: a use comes behind another one if its stream's clock has reached the number of that one.
// Memory keeps its last uses only, so that a check stays short.
#include "runtime/api/check.h"

#include <mutex>
#include <set>

#include "runtime/api/capture.h"
#include "runtime/api/handles.h"
#include "runtime/api/overlap.h"
#include "runtime/api/plan.h"
#include "runtime/common/log.h"
#include "runtime/common/settings.h"

namespace kern::runtime {

constinit std::atomic<bool> is_checking_streams{false};

// The uses of some memory that the check knows of.
struct CheckedMemory {
  struct Use {
    std::uint64_t stream, number; // of the work
    std::shared_ptr<const Clock> clock;
    kern_argument array;
    bool writes;
    std::string text, place; // "writes it as `x`"
  };
  std::vector<Use> uses; // the last ones
  std::shared_ptr<const Clock> fill;
};

// The uses of a capture, by memory, and all of them in their order.
struct CheckedGraph {
  std::map<Memory*, CheckedMemory> by_memory;
  struct Use {
    Memory* memory;
    CheckedMemory::Use use;
    bool fills;
  };
  std::vector<Use> uses;
};

namespace {

constexpr std::size_t most_uses = 64;      // kept of some memory
constexpr std::size_t most_reports = 1000; // of different pairs

// One lock for all of it: who checks has time.
struct State {
  std::mutex mutex;
  Clock host; // what any thread of the host has waited for
  std::set<std::string> told;
};

// Never taken down: destructors of statics launch, too.
State& state() {
  static auto* all = new State;
  return *all;
}

bool comes_behind(const Clock& clock, const CheckedMemory::Use& use) {
  return clock.of(use.stream) >= use.number;
}

std::string at(const std::string& place) { return place.empty() ? "" : place + ": "; }

void tell(State& all, const CheckedMemory::Use& first, const CheckedMemory::Use& second) {
  std::string pair = first.place + first.text + "\n" + second.place + second.text;
  if (all.told.size() >= most_reports || !all.told.insert(std::move(pair)).second) return;
  log(KERN_LOG_WARNING, "streams: " + at(second.place) + second.text + " on stream " +
                            std::to_string(second.stream) + "; " + at(first.place) + first.text +
                            " on stream " + std::to_string(first.stream) +
                            ", and no event puts one behind the other: say `stream.after(event)` of the "
                            "second stream and the event of the first use");
}

// Looks at a use beside those that are known, and keeps it.
void add(State& all, CheckedMemory& known, CheckedMemory::Use use) {
  for (const CheckedMemory::Use& other : known.uses)
    if (other.stream != use.stream && (other.writes || use.writes) && !comes_behind(*use.clock, other) &&
        share_elements(other.array, use.array))
      tell(all, other, use);
  // Later work that comes behind this use comes behind those before it, which can be forgotten.
  std::erase_if(known.uses, [&](const CheckedMemory::Use& other) {
    bool is_same =
        other.array.data == use.array.data && other.array.rank == use.array.rank &&
        other.array.type == use.array.type &&
        std::equal(other.array.extents, other.array.extents + other.array.rank, use.array.extents) &&
        std::equal(other.array.strides, other.array.strides + other.array.rank, use.array.strides);
    return is_same && comes_behind(*use.clock, other) && (use.writes || !other.writes);
  });
  if (known.uses.size() == most_uses) known.uses.erase(known.uses.begin());
  known.uses.push_back(std::move(use));
}

CheckedMemory& known_of(Memory& memory, Capture* capture) {
  if (capture) {
    if (!capture->checked) capture->checked = std::make_shared<CheckedGraph>();
    return capture->checked->by_memory[&memory];
  }
  if (!memory.checked) memory.checked = std::make_shared<CheckedMemory>();
  return *memory.checked;
}

} // namespace

void choose_checks() {
  const std::optional<settings::Check> wanted = settings::check().value;
  is_checking_streams.store(wanted && wanted->streams, std::memory_order_relaxed);
}

CheckedWork::CheckedWork(Stream& stream, std::string what, const kern_place& place)
    : stream_(stream), capture_(stream.capture()), what_(std::move(what)) {
  if (place.file) place_ = std::string(place.file) + ":" + std::to_string(place.line);
  State& all = state();
  std::lock_guard lock(all.mutex);
  stream.checked.join(all.host);
  number_ = stream.checked.of(stream.id()) + 1;
  stream.checked.set(stream.id(), number_);
}

void CheckedWork::use(Memory& memory, const kern_argument& array, bool writes, std::string_view name) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  CheckedMemory& known = known_of(memory, capture_.get());
  if (known.fill) stream_.checked.join(*known.fill);
  clock_ = std::make_shared<const Clock>(stream_.checked);
  CheckedMemory::Use use{stream_.id(),
                         number_,
                         clock_,
                         array,
                         writes,
                         what_ + (writes ? " writes" : " reads") +
                             (name.empty() ? " the buffer" : " `" + std::string(name) + "`"),
                         place_};
  if (capture_) capture_->checked->uses.push_back({&memory, use, false});
  add(all, known, std::move(use));
}

void CheckedWork::use(Memory& memory, std::uint64_t offset, std::uint64_t bytes, bool writes) {
  kern_argument array{};
  array.kind = KERN_ARRAY;
  array.type = KERN_U8;
  array.rank = 1;
  array.data = static_cast<char*>(memory.data ? memory.data : memory.host) + offset;
  array.extents[0] = static_cast<std::int64_t>(bytes);
  array.strides[0] = 1;
  if (bytes > 0) use(memory, array, writes, "");
}

void CheckedWork::fills(Memory& memory) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  known_of(memory, capture_.get()).fill = clock_;
  if (capture_) capture_->checked->uses.back().fills = true;
}

void CheckedWork::replays(const Graph& graph) {
  if (!graph.checked) return;
  State& all = state();
  std::lock_guard lock(all.mutex);
  for (const CheckedGraph::Use& captured : graph.checked->uses)
    if (const auto& known = captured.memory->checked; known && known->fill)
      stream_.checked.join(*known->fill);
  clock_ = std::make_shared<const Clock>(stream_.checked);
  for (const CheckedGraph::Use& captured : graph.checked->uses) {
    CheckedMemory& known = known_of(*captured.memory, nullptr);
    CheckedMemory::Use use = captured.use;
    use.stream = stream_.id();
    use.number = number_;
    use.clock = clock_;
    use.text += " in a graph";
    add(all, known, std::move(use));
    if (captured.fills) known.fill = clock_;
  }
}

void check_launch(Stream& stream, const Plan& plan, const kern_launch_options& options,
                  std::span<const kern_argument> arguments) {
  const ManifestKernel& kernel = *plan.kernel;
  CheckedWork work(stream, "kernel `" + kernel.name + "`", options.place);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ManifestParam& param = kernel.params[i];
    if (arguments[i].rank > 0 && arguments[i].buffer && (param.read || param.written))
      work.use(*arguments[i].buffer->memory, arguments[i], param.written, param.name);
  }
}

std::shared_ptr<const Clock> checked_point(Stream& stream) {
  if (!checks_streams()) return nullptr;
  std::lock_guard lock(state().mutex);
  return std::make_shared<const Clock>(stream.checked);
}

void check_after(Stream& stream, const std::shared_ptr<const Clock>& point) {
  if (!checks_streams() || !point) return;
  std::lock_guard lock(state().mutex);
  stream.checked.join(*point);
}

void check_behind_uses(Stream& stream, const Memory& memory) {
  if (!checks_streams() || !memory.checked) return;
  std::lock_guard lock(state().mutex);
  for (const CheckedMemory::Use& use : memory.checked->uses) stream.checked.join(*use.clock);
}

void check_waited(const std::shared_ptr<const Clock>& point) {
  if (!checks_streams() || !point) return;
  State& all = state();
  std::lock_guard lock(all.mutex);
  all.host.join(*point);
}

void check_waited(Stream& stream) {
  if (!checks_streams()) return;
  State& all = state();
  std::lock_guard lock(all.mutex);
  all.host.join(stream.checked);
}

} // namespace kern::runtime
