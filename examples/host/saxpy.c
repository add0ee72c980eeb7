// The same from C.
//
//     kernc examples/saxpy.kern -o saxpy.o -o saxpy.kern.h
//     cc -std=c99 -I. -Iruntime/include examples/host/saxpy.c saxpy.o libkern_runtime.a -lstdc++ -lm -lpthread -ldl -o saxpy
#include <stdio.h>

#include "saxpy.kern.h"

// Says what went wrong; 1 where something did.
static int failed(kern_error* error) {
  if (error) fprintf(stderr, "%s\n", kern_error_message(error));
  kern_error_free(error);
  return error != NULL;
}

int main(void) {
  enum { n = 1000 };
  static float x[n], y[n];
  kern_device_options best = {sizeof best, KERN_DEVICE_BEST, 0, 0, 0};
  kern_launch_options over = kern_over(n, 1, 1);
  kern_device* device = NULL;
  saxpy_kernels library;
  int i, status = 1;
  for (i = 0; i < n; ++i) x[i] = 2.0f, y[i] = 1.0f;

  if (failed(kern_device_open(&best, &device))) return 1;
  printf("on %s (%s)\n", kern_device_name(device), kern_device_reason(device));
  if (!failed(saxpy_load(device, &library))) {
    status = failed(saxpy_saxpy(&library, &over, 10.0f, kern_f32_in(x, kern_extents_1(n)),
                                kern_f32_inout(y, kern_extents_1(n)), NULL));
    printf("y[%d] = %g\n", n - 1, (double)y[n - 1]);
    saxpy_unload(&library);
  }
  kern_device_release(device);
  return status;
}
