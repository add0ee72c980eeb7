/* The same through the headers for C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "packed.kern.h"
#include "points.kern.h"

static void must(kern_error* error) {
  if (!error) return;
  puts(kern_error_message(error));
  exit(1);
}

int main(void) {
  points_Particle particles[2];
  points_Step step = {{0.25f, 12}, 1};
  packed_outer table[6];
  packed_pair pairs[5];
  packed_inner one;
  points_kernels points;
  packed_kernels packed;
  kern_device_options options;
  kern_device* cpu = NULL;
  kern_launch_options over = kern_over(2, 1, 1);
  int i = 0;
  memset(particles, 0, sizeof particles);
  memset(table, 0, sizeof table);
  memset(&one, 0, sizeof one);
  particles[0].x = 1, particles[1].x = 2, particles[1].count = 1;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.kind = KERN_DEVICE_CPU;
  must(kern_device_open(&options, &cpu));
  must(points_load(cpu, &points));
  for (i = 0; i < 2; ++i)
    must(points_move(&points, &over, points_Particle_inout(particles, kern_extents_1(2)), step, NULL));
  for (i = 0; i < 2; ++i)
    printf("moved %g %d %g %g\n", (double)particles[i].x, particles[i].count, (double)particles[i].pos[2],
           particles[i].inner.weight);

  must(packed_load(cpu, &packed));
  one.v = 2.5f, one.flag = true;
  over = kern_over(3, 2, 1);
  must(packed_set(&packed, &over, packed_outer_inout(table, kern_extents_2(3, 2)), one, NULL));
  printf("packed %d %g %g %d\n", table[5].tag, table[5].x, (double)table[5].z.im, table[5].in[1].flag);
  over = kern_over(5, 1, 1);
  must(packed_pairs(&packed, &over, packed_pair_out(pairs, kern_extents_1(5)), NULL));
  printf("pairs %d %g\n", pairs[4].a, pairs[4].b);
  points_unload(&points);
  packed_unload(&packed);
  kern_device_release(cpu);
  return 0;
}
