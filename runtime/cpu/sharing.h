// Whether a kernel's launches are worth sharing. Waking and joining threads takes some microseconds; and
// often the arrays are in the cache of the launching thread, from where others have to fetch them: what it
// did alone in 17 us took two threads 50.
#pragma once

namespace kern::cpu {

// What is known of the launches of one kernel: which way they end sooner. The other way is tried now and
// then, ever less often while it is the slower one. Times are in ns.
class Sharing {
public:
  // Begins a launch of so many blocks. Returns how long it stays with the launching thread before others
  // join: 0 where they do at once. Where that is to be found out, it is what the launch takes shared.
  double begin(double blocks);

  // Ends it: what a block took the launching thread, by those that it ran itself, and on average; and the
  // time of the launch.
  void end(double own, double mean, double time);

  // Returns what a block of the last launch took on average; 0 where there was none.
  double mean() const { return mean_; }

  // Returns whether the launch begun is likely to have to be shared after all, when it has taken long enough.
  bool is_careful() const { return alone_for_ > 0 && (is_try_ || doubts_ > 0); }

private:
  // A launch of which no more is expected is begun alone without comparing.
  static constexpr double short_launch = 5'000;

  // Begins to compare launches of about so many blocks.
  void forget(double blocks);

  double blocks_ = 0, alone_for_ = 0; // of the launch begun
  bool is_short_ = false;             // it stays alone for that
  bool is_try_ = false;               // it goes the way that has been slower
  unsigned doubts_ = 0;               // launches for which those begun alone may turn out long
  double own_ = 0, mean_ = 0;         // of a block of the last launch; 0 where there was none
  double size_ = 0;                   // blocks of launches that are compared, about
  double shared_ = 0, alone_ = 0;     // of a block of those that went so; 0: not known
  bool is_alone_ = false;             // which way has been better
  unsigned left_ = 0;                 // launches until the other may be tried
  unsigned pause_ = 0;                // as many as there were before the last try
};

} // namespace kern::cpu
