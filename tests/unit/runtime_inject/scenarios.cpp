#include "scenarios.h"

#include <fcntl.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <new>
#include <thread>

#include "endless.kern.hpp"
#include "inject.h"
#include "kern/kern.hpp"
#include "kernels.kern.hpp"
#include "runtime/cache/cache.h"

namespace {

using kern::Buffer;

void expect(bool right, const char* what) {
  if (!right) throw WrongResult(what);
}

// Loading takes most of the memory of a program: the scenarios but one find it done.
struct Session {
  kern::Device device = kern::Device::cpu({.threads = 3});
  kernels::Kernels library = kernels::load(device);
};
Session* session = nullptr;

void load() {
  kern::Device device = kern::Device::cpu({.threads = 3});
  auto library = kernels::load(device);
  std::vector<float> host(10, 2);
  library.scale(kern::over(10), kern::inout(host), 3);
  expect(host.back() == 6, "scale");
}

void launch() {
  auto& [device, library] = *session;
  constexpr std::int64_t size = 10'000;
  std::vector<float> host(size, 2);
  auto x = kern::zeros<float>(device, size);
  x.fill(1);
  library.scale(kern::over(size), x, 3).wait();
  library.saxpy(kern::over(size), 2, x, kern::inout(host));
  expect(host.back() == 8, "saxpy");
  x.copy_from(host);
  auto doubled = library.prepare_scale(kern::over(size), x, 2);
  doubled();
  doubled().wait();
  expect(x.read(size - 1) == 32, "prepared");
}

void streams() {
  auto& [device, library] = *session;
  auto x = kern::zeros<float>(device, 100);
  x.fill(1).wait();
  kern::Stream first(device), second(device);
  second.after(library.scale(kern::over(100).on(first), x, 2));
  library.scale(kern::over(100).on(second), x, 3).wait();
  first.wait();
  expect(x.read(99) == 6, "after");
  kern::Graph graph = kern::capture(first, [&] {
    second.after(library.scale(kern::over(100).on(first), x, 2));
    first.after(library.scale(kern::over(100).on(second), x, 5));
  });
  second.after(graph.launch(first)); // both change x
  graph.launch(second).wait();
  first.wait();
  expect(x.read(99) == 600, "graph");
}

void checked_streams() {
  kern::set("KERN_CHECK", "streams");
  kern::on_log([](void*, kern_log_level, const char*, std::uint64_t) {});
  streams();
  kern::set("KERN_CHECK", nullptr);
}

void chunks() {
  auto& [device, library] = *session;
  std::vector<float> host(1000, 1);
  kern::for_each_chunk(
      device, {.rows = 300},
      [&](const kern::Chunk& chunk, kern::View<float> part) {
        library.scale(kern::over(static_cast<std::uint64_t>(chunk.size())).on(chunk.stream), part, 2);
      },
      kern::inout(host));
  expect(host == std::vector<float>(1000, 2), "chunks");
}

// A fault is an error that carries much; it is told whatever memory there is.
void faults() {
  auto& [device, library] = *session;
  auto y = kern::zeros<float>(device, 3);
  bool has_faulted = false;
  try {
    library.careless(kern::grid(1).block(4), y, 1).wait();
  } catch (const kern::KernelFault& fault) {
    has_faulted = true;
    expect(fault.index == 3, "the fault's index");
  }
  expect(has_faulted, "no fault");
  kern::Stream stream(device);
  stream.on_fault(kern::OnFault::Report);
  library.careless(kern::grid(1).block(4).on(stream), y, 1);
  stream.wait();
  expect(stream.take_reports().size() == 1, "no report");
}

// Barriers of the grid have stacks for all blocks, and turns of threads that wait have them, too.
void stacks() {
  auto& [device, library] = *session;
  auto x = kern::zeros<std::int64_t>(device, 64), y = kern::zeros<std::int64_t>(device, 64);
  x.fill(1);
  library.add_neighbours(kern::grid(2).block(32), x, y, 2, -1).wait();
  expect(x.read(5) == 4, "neighbours");
  std::vector<std::int64_t> order(64);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  library.reverse(kern::grid(1).block(64), 64, kern::inout(order));
  expect(order[0] == 63, "reverse");
}

void prints() {
  auto& [device, library] = *session;
  kern::Stream stream(device);
  std::size_t printed = 0;
  stream.on_print(
      [](void* context, const char*, std::uint64_t bytes) { *static_cast<std::size_t*>(context) += bytes; },
      &printed);
  library.say(kern::grid(1).block(4).on(stream), 3);
  stream.wait();
  expect(printed > 0, "prints");
}

// The forms that neither throw nor abort; what they say is in the status.
void statuses() {
  kern::Status status;
  kern::Device device = kern::Device::cpu(status, {.threads = 2});
  kernels::Kernels library = kernels::load(status, device);
  auto x = kern::zeros<float>(status, device, 100);
  kern::Stream stream(status, device);
  x.fill(status, 1);
  library.scale(status, kern::over(100), x, 2).wait(status);
  auto prepared = library.prepare_scale(status, kern::over(100), x, 2);
  prepared(status).wait(status);
  const float value = x.read(status, 99);
  if (status.ok()) expect(value == 4, "statuses");
  // Mistakes, each with its message.
  kern::Status wrong;
  x.read(wrong, 100);
  x.view(wrong, 50, kern::extents(100), kern::extents(1));
  x.reshape(wrong, kern::extents(7, 7));
  Buffer<float> bad(wrong, device, kern::extents(-1));
  library.careless(wrong, kern::grid(1).block(200), x, 1).wait(wrong);
  std::array<float, 7> seven{};
  x.copy_from(wrong, seven);
  kern::set(wrong, "KERN_CHECK", "nothing");
  expect(!wrong.ok(), "a mistake was not told");
  if (!status.ok() && status.kind() != KERN_OUT_OF_MEMORY && status.kind() != KERN_DEVICE_ERROR)
    throw WrongResult("an error of another kind");
  if (!status.ok()) throw std::bad_alloc();
}

// Launches that are told to end, and the time between events.
void stops() {
  auto& [device, library] = *session;
  auto own = endless::load(device);
  auto x = kern::zeros<std::int32_t>(device, 32);
  kern::Stream stream(device);
  kern::Event begin = stream.record();
  bool is_late = false;
  try {
    own.spin(kern::over(32).on(stream).within(std::chrono::milliseconds(2)), x);
    stream.wait();
  } catch (const kern::DeadlinePassed&) {
    is_late = true;
  }
  expect(is_late, "no deadline");
  expect(begin.elapsed(stream.record()) >= 0, "time");
  own.bump(kern::over(32).on(stream), x);
  stream.cancel();
  kern::Status status;
  stream.wait(status);
  expect(status.ok() || status.kind() == KERN_CANCELLED || status.kind() == KERN_OUT_OF_MEMORY, "cancelled");
}

void thread_of_its_own() {
  std::exception_ptr error;
  std::thread([&] {
    try {
      launch();
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error) std::rethrow_exception(error);
}

void copies() {
  std::vector<char> from(20 << 20, 3), to(from.size());
  kern_host_copy(to.data(), from.data(), from.size());
  expect(to == from, "copy");
}

// The first call of a program is a mistake: what tells it may take memory that is not there.
void first_error() {
  kern_set_log(nullptr, nullptr);
  kern_error* error = kern_set(nullptr, "a text that is longer than what a string has in itself");
  const kern_error_kind kind = kern_error_get_kind(error);
  kern_error_free(error);
  expect(kind == KERN_ARGUMENT_ERROR || kind == KERN_OUT_OF_MEMORY, "an error of another kind");
  if (kind == KERN_OUT_OF_MEMORY) throw std::bad_alloc();
}

int count_descriptors() {
  int count = 0;
  for (int file = 0; file < 256; ++file) count += fcntl(file, F_GETFD) >= 0;
  return count;
}

// Whatever fails, what comes out of the cache is what went in.
void use_cache() {
  char pattern[] = "/tmp/kern-inject-XXXXXX";
  if (!mkdtemp(pattern)) throw std::bad_alloc();
  struct Folder {
    const char* path;
    ~Folder() {
      stop_failing(); // the C++ library ends the process where it has no memory to list a folder
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  } folder{pattern};
  const kern::cache::Key key = kern::cache::make_key({"inject", "1"});
  const std::string payload(100'000, 'p');
  for (int process = 0; process < 3; ++process) {
    kern::cache::Settings settings{true, std::string(pattern) + "/kern", 1 << 20, ""};
    settings.stores_a_sweep = 1;
    kern::cache::Cache own(settings);
    own.on_warning = [](const std::string&) {};
    own.store(key, {"cpu", "x86-64-v3", "kernc", "a.kern", "f"}, payload);
    if (auto found = own.find(key)) expect(*found == payload, "payload");
  }
}

void cache() {
  const int before = count_descriptors();
  try {
    use_cache();
  } catch (const std::exception&) {
    expect(count_descriptors() == before, "a descriptor is lost");
    throw;
  }
  expect(count_descriptors() == before, "a descriptor is lost");
}

void open_session() {
  if (!session) session = new Session;
}

} // namespace

const Scenario scenarios[] = {
    {"load", load, open_session},         {"launch", launch, open_session},
    {"streams", streams, open_session},   {"checked streams", checked_streams, open_session},
    {"chunks", chunks, open_session},     {"faults", faults, open_session},
    {"stacks", stacks, open_session},     {"prints", prints, open_session},
    {"statuses", statuses, open_session}, {"thread", thread_of_its_own, open_session},
    {"copies", copies, open_session},     {"cache", cache, open_session},
    {"stops", stops, open_session},       {"first error", first_error, nullptr},
};
const int scenario_count = sizeof scenarios / sizeof *scenarios;
