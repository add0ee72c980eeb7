#include <kern/kern.hpp>

struct Long {
  float x;
  int n;
  float more[10];
};
template <> struct kern::RecordOf<Long> : kern::Words<KERN_U32, 7> {};
kern::Buffer<Long> buffer;
kern::Argument<Long, 1> argument(buffer);
