// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays that are larger than the device's memory: worked on a chunk of rows at a time, while other chunks
// are copied in and out.
#pragma once

#include <algorithm>
#include <memory>
#include <thread>
#include <tuple>

#include "kern/host.hpp"

namespace kern::inline v1 {

// The part of the arrays that a call is about: rows are along the first axis.
struct Chunk {
  const Stream& stream;    // that all of its work goes to
  std::int64_t begin, end; // the rows that it writes
  std::int64_t first;      // the first row of the views that are read: `halo` rows before `begin`, or row 0
  std::int64_t index, count;
  std::int64_t size() const { return end - begin; }
};

struct ChunkProgress {
  std::int64_t done, total; // rows whose results are in host memory
};

struct ChunkOptions {
  std::int64_t rows = 0; // of a chunk; 0: what fits and overlaps well
  std::int64_t halo = 0; // rows before and behind the chunk that in() arrays come with, where there are any
  unsigned streams = 3;  // no more than there are chunks, and at most 64
  std::uint64_t memory = 0; // bytes of the device to use at most; 0: most of what is free
  // Called after each chunk, in their order; false ends the work when what is under way is done.
  std::function<bool(const ChunkProgress&)> progress = {};
};

namespace chunks {

// One array's part of a slot: memory on the device for a chunk, and pinned memory beside it where the array's
// own is not pinned.
template <class T, std::size_t Rank, kern_argument_kind Kind> class Part {
public:
  using Value = std::remove_const_t<T>;
  using Passed = std::conditional_t<Kind == KERN_HOST_IN, View<const Value, Rank>, View<Value, Rank>>;
  Part(Status& status, const Device& device, const Staged<T, Rank, Kind>& array, std::int64_t rows)
      : array_(array), is_pinned_(kern_host_is_pinned(device.get(), array.data) != 0),
        buffer_(status, device, extents_of(rows)),
        host_(status_or(status), device, extents_of(is_pinned_ ? 0 : rows)) {}

  // Returns the bytes of a row of an array, whose extents are such as an array can have.
  static std::uint64_t row_bytes(const Staged<T, Rank, Kind>& array) {
    Extents<Rank> row = array.extents;
    row[0] = 1;
    return static_cast<std::uint64_t>(count(row)) * sizeof(T);
  }

  // Puts the copy of rows to the device on the stream. What an out() array has that is not written becomes 0.
  void copy_in(Status& status, const Stream& stream, std::int64_t begin, std::int64_t end) {
    std::uint64_t bytes = bytes_of(end - begin);
    if (bytes == 0 || !status.ok()) return;
    if constexpr (Kind == KERN_HOST_OUT) {
      const char zero = 0;
      status.take(kern_buffer_fill(buffer_.handle().get(), 0, bytes, &zero, 1, stream.get(), nullptr));
    } else if (is_pinned_) {
      status.take(kern_buffer_write(buffer_.handle().get(), 0, place(begin), bytes, stream.get(), nullptr));
    } else {
      kern_host_copy(host_.data(), place(begin), bytes);
      status.take(
          kern_buffer_copy(buffer_.handle().get(), 0, host_.handle().get(), 0, bytes, stream.get(), nullptr));
    }
  }
  Passed view(std::int64_t rows) {
    Extents<Rank> extents = extents_of(rows);
    return {buffer_.handle(), buffer_.data(), extents, packed_strides(extents)};
  }
  // Puts the copy of rows from the device on the stream.
  void copy_out(Status& status, const Stream& stream, std::int64_t begin, std::int64_t end) {
    std::uint64_t bytes = bytes_of(end - begin);
    if (Kind == KERN_HOST_IN || bytes == 0 || !status.ok()) return;
    if (is_pinned_)
      status.take(kern_buffer_read(buffer_.handle().get(), 0, place(begin), bytes, stream.get(), nullptr));
    else
      status.take(
          kern_buffer_copy(host_.handle().get(), 0, buffer_.handle().get(), 0, bytes, stream.get(), nullptr));
  }
  // Takes the rows over that have come.
  void finish(std::int64_t begin, std::int64_t end) {
    if (Kind != KERN_HOST_IN && !is_pinned_)
      kern_host_copy(place(begin), host_.data(), bytes_of(end - begin));
  }

private:
  // A second allocation is not tried where the first one failed.
  Status& status_or(Status& status) { return status.ok() ? status : ignored_; }
  Extents<Rank> extents_of(std::int64_t rows) const {
    Extents<Rank> extents = array_.extents;
    extents[0] = rows;
    return extents;
  }
  std::uint64_t bytes_of(std::int64_t rows) const {
    return row_bytes(array_) * static_cast<std::uint64_t>(rows);
  }
  Value* place(std::int64_t row) const {
    return const_cast<Value*>(array_.data) + row_bytes(array_) / sizeof(T) * static_cast<std::uint64_t>(row);
  }
  Staged<T, Rank, Kind> array_;
  bool is_pinned_;
  Status ignored_;
  Buffer<Value, Rank> buffer_;
  HostBuffer<Value, Rank> host_;
};

// A stream and buffers that work on one chunk at a time. When it goes, its work is done: host memory is free
// again.
template <class... Parts> struct Slot {
  template <class... Arrays>
  Slot(Status& status, const Device& device, std::int64_t rows, const Arrays&... arrays)
      : stream(status, device), parts(Parts(status, device, arrays, rows)...) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  ~Slot() {
    Status ignored;
    if (stream.get()) stream.wait(ignored);
  }
  Stream stream;
  std::tuple<Parts...> parts;
  std::int64_t begin = 0, end = 0; // of the chunk that is under way; none where they are equal
};

// How the rows of arrays are divided.
struct Division {
  std::int64_t rows = 0, halo = 0; // of a chunk
  std::size_t streams = 0;
};

// Returns the rows of a chunk with its halos, of `total` at most.
inline std::int64_t rows_held(std::int64_t rows, std::int64_t halo, std::int64_t total) {
  const std::int64_t beside = bounded_product(2, halo);
  return beside >= total - rows ? total : rows + beside;
}

// Chooses how many rows of a chunk fit, with their halos, and are few enough to overlap well. More rows than there are mean all of
// them; there are `total`, at least one.
inline Division divide(Status& status, const Device& device, const ChunkOptions& options, std::int64_t total,
                       std::uint64_t row_bytes) {
  constexpr std::uint64_t wanted = 64 << 20; // bytes of a chunk
  kern_device_info info{};
  info.struct_size = sizeof info;
  kern_device_get_info(device.get(), &info);
  const std::uint64_t memory = options.memory > 0 ? options.memory : info.available_bytes / 10 * 9;
  const auto bytes = static_cast<std::int64_t>(std::max<std::uint64_t>(row_bytes, 1));
  const auto streams = static_cast<std::int64_t>(options.streams);
  const auto most = static_cast<std::int64_t>(std::min<std::uint64_t>(memory, INT64_MAX)) / streams / bytes;
  Division division;
  division.halo = std::min(options.halo, total);
  division.rows = std::min(options.rows, total);
  if (options.rows == 0)
    division.rows = std::min({most >= total ? total : most - bounded_product(2, division.halo),
                              static_cast<std::int64_t>(wanted) / bytes + 1, total});
  const std::int64_t least = std::max<std::int64_t>(division.rows, 1);
  const std::int64_t held = rows_held(least, division.halo, total);
  if (division.rows < 1 || held > most) {
    const std::int64_t asked = bounded_product(bounded_product(held, bytes), streams);
    status.refuse_memory(static_cast<std::uint64_t>(asked), memory, [&] {
      return "chunks of " + std::to_string(least) + " rows of " + std::to_string(row_bytes) +
             " bytes, with " + std::to_string(division.halo) + " rows of halo on both sides, on " +
             std::to_string(streams) + " streams take " + std::to_string(asked) +
             " bytes, and do not fit in " + std::to_string(memory) + " bytes";
    });
  }
  const std::int64_t chunks = total / least + (total % least != 0);
  division.streams = static_cast<std::size_t>(std::min(chunks, streams));
  return division;
}

inline bool check(Status& status, const ChunkOptions& options, std::initializer_list<std::int64_t> rows,
                  bool has_inout) {
  constexpr unsigned most_streams = 64;
  if (options.halo < 0 || options.rows < 0 || options.streams == 0 || options.streams > most_streams)
    status.refuse([&] {
      return std::string("chunks need 1 to 64 streams, and neither rows nor halo may be negative");
    });
  else if (options.halo > 0 && has_inout)
    status.refuse([&] {
      return std::string(
          "with a halo an array cannot be inout(): the rows beside a chunk would be old or new; give it as "
          "in() and out()");
    });
  for (std::int64_t count : rows)
    if (status.ok() && count != *rows.begin())
      status.refuse([&] {
        return "the arrays have different numbers of rows: " + std::to_string(*rows.begin()) + " and " +
               std::to_string(count);
      });
  return status.ok();
}

// Does the work; `status` is of it alone. `told` is the caller's, in which `function` may tell what ends it.
template <class Function, class... T, std::size_t... Rank, kern_argument_kind... Kind>
inline bool run(Status& status, const Status& told, const Device& device, const ChunkOptions& options,
                Function&& function, const Staged<T, Rank, Kind>&... arrays) {
  using Slot = chunks::Slot<chunks::Part<T, Rank, Kind>...>;
  const std::int64_t sizes[] = {arrays.extents[0]...};
  const bool was_good = told.ok();
  if (!device.get())
    status.refuse(
        [&] { return std::string("the device is empty: it could not be made, or was moved from"); });
  if (!status.ok() || !check(status, options, {arrays.extents[0]...}, ((Kind == KERN_HOST_INOUT) || ...)))
    return false;
  std::uint64_t ignored = 0;
  if (!(count_bytes<T>(status, arrays.extents, ignored) && ...)) return false;
  const std::int64_t total = sizes[0];
  if (total == 0) return true;
  constexpr std::uint64_t most_bytes = std::uint64_t(1) << 62; // of one array, and here of a row of all
  std::uint64_t row_bytes = 0;
  ((row_bytes = std::min(row_bytes + chunks::Part<T, Rank, Kind>::row_bytes(arrays), most_bytes)), ...);
  const chunks::Division division = chunks::divide(status, device, options, total, row_bytes);
  std::int64_t rows = division.rows;
  const std::int64_t halo = division.halo;
  std::vector<std::unique_ptr<Slot>> slots;
  while (status.ok() && slots.size() < division.streams) {
    slots.push_back(std::make_unique<Slot>(status, device, chunks::rows_held(rows, halo, total), arrays...));
    if (status.kind() != KERN_OUT_OF_MEMORY || rows == 1 || options.rows > 0) continue;
    // Somebody else took memory meanwhile: smaller chunks will do.
    slots.clear();
    rows = std::max<std::int64_t>(1, rows / 2);
    status.clear();
  }
  if (!status.ok()) return false;
  bool goes_on = true;
  auto finish = [&](Slot& slot) {
    if (slot.begin == slot.end || !goes_on) return;
    slot.stream.wait(status);
    if (!(goes_on = status.ok())) return;
    std::apply([&](auto&... parts) { (parts.finish(slot.begin, slot.end), ...); }, slot.parts);
    if (options.progress) goes_on = options.progress({slot.end, total});
    slot.begin = slot.end;
  };
  const std::int64_t count = total / rows + (total % rows != 0);
  std::int64_t index = 0;
  for (; index < count && goes_on; ++index) {
    Slot& slot = *slots[static_cast<std::size_t>(index) % slots.size()];
    finish(slot);
    if (!goes_on) break;
    slot.begin = index * rows, slot.end = slot.begin + std::min(rows, total - slot.begin);
    std::int64_t first = std::max<std::int64_t>(0, slot.begin - halo),
                 last = slot.end + std::min(halo, total - slot.end);
    auto begin = [&](kern_argument_kind kind) { return kind == KERN_HOST_IN ? first : slot.begin; };
    auto end = [&](kern_argument_kind kind) { return kind == KERN_HOST_IN ? last : slot.end; };
    std::apply(
        [&](auto&... parts) {
          (parts.copy_in(status, slot.stream, begin(Kind), end(Kind)), ...);
          if (status.ok())
            function(Chunk{slot.stream, slot.begin, slot.end, first, index, count},
                     parts.view(end(Kind) - begin(Kind))...);
          (parts.copy_out(status, slot.stream, begin(Kind), end(Kind)), ...);
        },
        slot.parts);
    goes_on = status.ok() && told.ok() == was_good;
  }
  // Chunks that are still under way end here, the oldest first.
  for (std::size_t i = 0; i < slots.size(); ++i)
    finish(*slots[(static_cast<std::size_t>(index) + i) % slots.size()]);
  return goes_on;
}

} // namespace chunks

// Calls `function(chunk, views...)` for chunks of the arrays' rows, in their order: it puts launches on
// chunk.stream, and must not wait. Copies in, launches and copies out of different chunks overlap. Arrays are
// in(), out() or inout(); a view has the rows of the chunk, and of an in() array the halo. Pinned memory
// (kern::HostBuffer) is copied as it is; other memory by way of pinned memory. Returns when all results are
// there: false where progress() ended it.
template <class Function, class... T, std::size_t... Rank, kern_argument_kind... Kind>
inline bool for_each_chunk(Status& status, const Device& device, const ChunkOptions& options,
                           Function&& function, const Staged<T, Rank, Kind>&... arrays) {
  Status own;
  bool is_whole = chunks::run(own, status, device, options, function, arrays...);
  status.take(own);
  return is_whole;
}
template <class Function, class... T, std::size_t... Rank, kern_argument_kind... Kind>
inline bool for_each_chunk(const Device& device, const ChunkOptions& options, Function&& function,
                           const Staged<T, Rank, Kind>&... arrays) {
  Status status;
  bool is_whole = for_each_chunk(status, device, options, function, arrays...);
  status.raise();
  return is_whole;
}

} // namespace kern::inline v1
