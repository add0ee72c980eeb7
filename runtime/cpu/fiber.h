// A function that can be put aside and taken up again, on whichever thread.
#pragma once

#include <ucontext.h>

#include <cstddef>

namespace kern::cpu {

class Fiber {
public:
  using Function = void (*)(void* argument);

  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Makes a fiber that will call `function`, with a stack on [stack, stack + bytes), which stays the
  // caller's.
  // One that is done may be made again.
  void make(void* stack, std::size_t bytes, Function function, void* argument);
  // Runs it until it waits or ends.
  void resume();
  // Called in the fiber: returns to whoever resumed it, until the next time.
  void wait();
  bool is_done() const { return done_; }

private:
  static void start(unsigned low, unsigned high);
  void forget();
  void enter();
  void leave();

  ucontext_t own_{}, caller_{};
  Function function_ = nullptr;
  void* argument_ = nullptr;
  void* stack_ = nullptr;
  std::size_t bytes_ = 0;
  bool done_ = false;
  // The facts that sanitizers are told of the two stacks.
  struct Known {
    void *own_fake = nullptr, *caller_fake = nullptr, *own_thread = nullptr, *caller_thread = nullptr;
    const void* caller_stack = nullptr;
    std::size_t caller_bytes = 0;
  };
  [[maybe_unused]] Known known_;
};

} // namespace kern::cpu
