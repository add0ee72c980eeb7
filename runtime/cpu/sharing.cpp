#include "runtime/cpu/sharing.h"

#include <algorithm>

namespace kern::cpu {

// Launches between two tries of the slower way, from the first to the most.
static constexpr unsigned least_pause = 4, most_pause = 256;
// A launch that takes no longer shared is tried alone, even if the launching thread's blocks took longer.
static constexpr double cheap_try = 50'000;
// By how much one launch can make what is known of the better way worse: a single one may have been
// disturbed.
static constexpr double most_change = 1.25;
// How much longer than the launching thread's blocks those of a short launch may take on average.
static constexpr double most_uneven = 10;
// For how many launches a kernel is doubted of which one that seemed short took that much longer.
static constexpr unsigned most_doubts = 64;

// How many times as many blocks another launch may have for what is known to be true of it too.
static constexpr double most_apart = 2;

void Sharing::forget(double blocks) {
  size_ = blocks;
  shared_ = alone_ = 0;
  is_alone_ = false;
  left_ = pause_ = 0;
}

double Sharing::begin(double blocks) {
  blocks_ = blocks;
  if (blocks > most_apart * size_ || most_apart * blocks < size_) forget(blocks);
  // The launching thread's blocks may have been those with nothing to do.
  is_short_ = own_ > 0 && own_ * blocks < short_launch && mean_ * blocks < most_uneven * short_launch;
  is_try_ = !is_short_ && left_ == 0;
  if (is_short_) return alone_for_ = short_launch;
  bool alone = is_alone_ != is_try_;
  double time_shared = shared_ * blocks;
  // Where threads write into each other's lines, the launching thread's blocks take longer too, of which
  // nothing follows once alone is known to be better.
  bool seems_better = is_alone_ || own_ < shared_ || time_shared < cheap_try;
  return alone_for_ = alone && seems_better ? time_shared : 0;
}

void Sharing::end(double own, double mean, double time) {
  bool is_first = own_ <= 0, alone = alone_for_ > 0;
  own_ = own;
  mean_ = mean;
  // The first one fetched the arrays from memory. Short ones are not compared.
  doubts_ = alone && !is_try_ && time > most_uneven * alone_for_ ? most_doubts : doubts_ - (doubts_ > 0);
  if (is_first || is_short_) return;
  double &known = alone ? alone_ : shared_, other = alone ? shared_ : alone_, each = time / blocks_;
  if (alone != is_alone_) {
    known = each;
    bool is_better = known < other;
    if (is_better) is_alone_ = alone;
    left_ = pause_ = is_better ? least_pause : std::clamp(2 * pause_, least_pause, most_pause);
  } else {
    known = known > 0 ? std::min(each, most_change * known) : each;
    bool is_worse = other > 0 && known > other;
    left_ = is_worse || left_ == 0 ? 0 : left_ - 1;
  }
}

} // namespace kern::cpu
