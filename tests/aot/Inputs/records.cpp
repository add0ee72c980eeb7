// Arrays of structs and structs by value, through the typed headers.
#include <cstdio>
#include <vector>

#include "packed.kern.hpp"
#include "points.kern.hpp"

int main() {
  std::vector<points::Particle> particles(2);
  particles[0].x = 1, particles[1].x = 2, particles[1].count = 1;
  const kern::Device cpu = kern::Device::cpu();
  auto library = points::load(cpu);
  const points::Step step{{0.25f, 12}, 1};
  library.move(kern::over(2), kern::inout(particles), step);
  kern::Buffer<points::Particle> buffer = kern::copy_of<points::Particle>(cpu, particles);
  library.prepare_move(kern::over(2), buffer, step)();
  buffer.copy_to(particles);
  for (const points::Particle& each : particles)
    std::printf("moved %g %d %g %g\n", each.x, each.count, each.pos[2], each.inner.weight);

  kern::Buffer<packed::outer, 2> table = kern::zeros<packed::outer>(cpu, 3, 2);
  packed::inner one{};
  one.v = 2.5f, one.flag = true;
  packed::load(cpu).set(kern::over(3, 2), table, one);
  const packed::outer last = table.read(2, 1);
  std::printf("packed %d %g %g %d\n", last.tag, last.x, std::complex<float>(last.z).imag(), last.in[1].flag);
  std::vector<packed::pair> pairs(5);
  packed::load(cpu).pairs(kern::over(5), kern::out(pairs));
  const double b = pairs[4].b;
  std::printf("pairs %d %g\n", pairs[4].a, b);
}
