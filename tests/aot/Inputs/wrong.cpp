// Tests that calls do not compile which the types of the header know to be wrong: exactly one of these is on.
#include <vector>

#include "saxpy.kern.hpp"

void call(saxpy::Kernels& library, kern::Buffer<float>& x, kern::Buffer<double>& wide,
          kern::Buffer<float, 2>& square) {
#if WRONG == 0
  library.saxpy(kern::over(1), 1, x, x);
#elif WRONG == 1
  library.saxpy(kern::over(1), 1, wide, x);
#elif WRONG == 2
  library.saxpy(kern::over(1), 1, x, square);
#elif WRONG == 3
  library.saxpy(kern::over(1), 1, x, kern::View<const float>(x));
#elif WRONG == 4
  std::vector<float> host;
  library.saxpy(kern::over(1), 1, x, kern::in(host));
#elif WRONG == 5
  library.saxpy(kern::over(1), 1, x);
#elif WRONG == 6
  std::vector<float> host;
  library.saxpy(kern::over(1), 1, x, host);
#elif WRONG == 7
  const kern::Buffer<float> kept = x;
  library.saxpy(kern::over(1), 1, x, kept);
#endif
}
