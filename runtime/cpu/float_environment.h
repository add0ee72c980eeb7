// The floating-point environment of kernels. A host may round elsewhere, flush denormal numbers or trap (audio
// engines and programs linked with -ffast-math do); kernels mean the same on every device, so they run in an
// environment of their own, and the host finds its own again, its exception flags included.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace kern::cpu {

// While it lives, the calling thread rounds to the nearest, keeps denormal numbers and traps nothing.
class FloatEnvironment {
public:
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;
#if defined(__x86_64__)
  FloatEnvironment() : host_(_mm_getcsr()) { _mm_setcsr(defaults); }
  ~FloatEnvironment() { _mm_setcsr(host_); }

private:
  static constexpr unsigned defaults = 0x1f80; // every exception masked, and no other bit
  unsigned host_;
#else
  FloatEnvironment() {
    std::fegetenv(&host_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() { std::fesetenv(&host_); }

private:
  std::fenv_t host_;
#endif
};

} // namespace kern::cpu
