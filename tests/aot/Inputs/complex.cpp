// Arrays of std::complex and a number of each type by value, through the typed header.
#include <complex>
#include <cstdio>
#include <vector>

#include "complex.kern.hpp"

int main() {
  using Narrow = std::complex<float>;
  using Wide = std::complex<double>;
  std::vector<Narrow> z = {{1, 2}, {3, -1}};
  std::vector<Wide> w = {{0, 1}, {2, 0}};
  std::vector<float> size(2);
  auto library = complex::load(kern::Device::cpu());
  library.rotate(kern::over(2), kern::in(z), Narrow(0, 1), kern::inout(w), Wide(2, -1), kern::out(size));
  for (std::size_t i = 0; i < 2; ++i)
    std::printf("%g%+gj length %g\n", w[i].real(), w[i].imag(), static_cast<double>(size[i]));
}
