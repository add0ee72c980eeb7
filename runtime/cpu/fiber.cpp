// POSIX contexts. The sanitizers follow a program by its stacks, so they are told of each change.
#include "runtime/cpu/fiber.h"

#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace kern::cpu {

Fiber::~Fiber() { forget(); }

// Sanitizers need not know of the stack any more.
void Fiber::forget() {
#if defined(__SANITIZE_ADDRESS__)
  if (stack_) __asan_unpoison_memory_region(stack_, bytes_);
#elif defined(__SANITIZE_THREAD__)
  if (known_.own_thread) __tsan_destroy_fiber(known_.own_thread);
#endif
}

void Fiber::make(void* stack, std::size_t bytes, Function function, void* argument) {
  forget();
  known_ = {};
  done_ = false;
  function_ = function;
  argument_ = argument;
  stack_ = stack;
  bytes_ = bytes;
  getcontext(&own_);
  own_.uc_stack.ss_sp = stack;
  own_.uc_stack.ss_size = bytes;
  own_.uc_link = nullptr; // start() never returns
  // The arguments of makecontext are ints.
  auto address = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::start), 2, static_cast<unsigned>(address),
              static_cast<unsigned>(address >> 32));
#if defined(__SANITIZE_THREAD__)
  known_.own_thread = __tsan_create_fiber(0);
#endif
}

void Fiber::start(unsigned low, unsigned high) {
  auto* fiber = reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low);
  fiber->enter();
  fiber->function_(fiber->argument_);
  fiber->done_ = true;
  fiber->leave();
}

void Fiber::resume() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&known_.caller_fake, stack_, bytes_);
#elif defined(__SANITIZE_THREAD__)
  known_.caller_thread = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(known_.own_thread, 0);
#endif
  swapcontext(&caller_, &own_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(known_.caller_fake, nullptr, nullptr);
#endif
}

void Fiber::wait() {
  leave();
  enter();
}

// The fiber has just begun to run.
void Fiber::enter() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(known_.own_fake, &known_.caller_stack, &known_.caller_bytes);
#endif
}

void Fiber::leave() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(done_ ? nullptr : &known_.own_fake, known_.caller_stack,
                                 known_.caller_bytes);
#elif defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(known_.caller_thread, 0);
#endif
  swapcontext(&own_, &caller_);
}

} // namespace kern::cpu
