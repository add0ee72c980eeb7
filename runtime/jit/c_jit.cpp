// The C interface of the JIT.
#include <algorithm>
#include <optional>
#include <utility>

#include "kern/jit.h"
#include "runtime/api/fork.h"
#include "runtime/api/handles.h"
#include "runtime/common/log.h"
#include "runtime/jit/job.h"

using namespace kern;
using runtime::full, runtime::guarded, runtime::place_of;

namespace {

// The function that is told of diagnostics.
struct Listener {
  void (*tell)(void* context, const kern_diagnostic* diagnostic) = nullptr;
  void* context = nullptr;
};

} // namespace

struct kern_compilation : Counted<HandleKind::Compilation> {
  std::shared_ptr<jit::Job> job;
  std::mutex mutex;
  std::optional<Listener> listener; // until it was told
  unsigned forks = runtime::fork_count();
};

static Listener listener_of(const kern_compile_options* options) {
  constexpr std::size_t end = offsetof(kern_compile_options, context) + sizeof(void*);
  if (!options || options->struct_size < end) return {};
  return {options->on_diagnostic, options->context};
}

// Where nobody is told, warnings are said in the log; what an error says has them already.
static void tell(const Listener& listener, const jit::Result& result) {
  for (const runtime::Diagnostic& diagnostic : result.told) {
    if (!listener.tell && result.module)
      log_of_source(diagnostic.text.substr(0, diagnostic.text.find_last_not_of('\n') + 1));
    if (!listener.tell) continue;
    kern_diagnostic view = diagnostic.view();
    listener.tell(listener.context, &view);
  }
}

static kern_module* module_of(const jit::Result& result) {
  if (!result.module) runtime::fail(result.error);
  return kern_module_retain(result.module.get());
}

kern_error* kern_compile(kern_device* device, const char* source, std::uint64_t bytes,
                         const kern_compile_options* options, kern_module** module) {
  return guarded([&] {
    full(device, "device");
    kern_module*& place = place_of(module);
    std::shared_ptr<jit::Job> job =
        jit::find_job(device, jit::make_request(source, bytes, options), /*is_begun=*/false);
    job->wait(std::nullopt);
    tell(listener_of(options), job->result());
    place = module_of(job->result());
  });
}

kern_error* kern_compile_async(kern_device* device, const char* source, std::uint64_t bytes,
                               const kern_compile_options* options, kern_compilation** compilation) {
  return guarded([&] {
    full(device, "device");
    kern_compilation*& place = place_of(compilation);
    auto made = std::make_unique<kern_compilation>();
    made->listener = listener_of(options);
    made->job = jit::find_job(device, jit::make_request(source, bytes, options), /*is_begun=*/true);
    place = made.release();
  });
}

// A child has no thread that would do its parent's work.
static jit::Job& job_of(kern_compilation* compilation) {
  if (full(compilation, "compilation").forks != runtime::fork_count())
    runtime::fail(KERN_DEVICE_ERROR,
                  "the compilation was begun by the parent of this process: begin it in the "
                  "process that uses it");
  return *compilation->job;
}

kern_error* kern_compilation_wait(kern_compilation* compilation, double seconds, int* done) {
  return guarded([&] {
    using Clock = std::chrono::steady_clock;
    std::optional<Clock::time_point> deadline;
    constexpr double most = 1e9;
    if (seconds >= 0)
      deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                    std::chrono::duration<double>(std::min(seconds, most)));
    bool is_done = job_of(compilation).wait(deadline);
    if (done) *done = is_done;
  });
}

kern_error* kern_compilation_module(kern_compilation* compilation, kern_module** module) {
  return guarded([&] {
    jit::Job& job = job_of(compilation);
    kern_module*& place = place_of(module);
    job.wait(std::nullopt);
    std::optional<Listener> listener;
    {
      std::lock_guard lock(compilation->mutex);
      listener = std::exchange(compilation->listener, std::nullopt);
    }
    if (listener) tell(*listener, job.result());
    place = module_of(job.result());
  });
}

kern_compilation* kern_compilation_retain(kern_compilation* compilation) {
  return runtime::retain(compilation);
}
void kern_compilation_release(kern_compilation* compilation) { runtime::release(compilation); }
