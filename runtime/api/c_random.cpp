// The C interface: random states.
#include "runtime/api/handles.h"
#include "runtime/common/random_states.h"

void kern_random_states(std::uint64_t* words, std::uint64_t count, std::uint64_t seed,
                        std::uint64_t subsequence) {
  if (!words) return;
  kern::fill_random_states({words, static_cast<std::size_t>(2 * count)}, seed, subsequence);
}
