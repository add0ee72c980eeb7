/* Sums the time of each kernel on the GPU, by CUPTI: between trace_begin() and trace_end(path), or, where the driver loads this library
   (CUDA_INJECTION64_PATH) with a path in $OTHERS_TRACE, over a whole process. A line of the file has a kernel's name, launches, nanoseconds in
   all, registers, and bytes of local memory a thread, with tabs between. */
#include <cupti.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 1024
#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    CUptiResult result = call;                                                                               \
    if (result != CUPTI_SUCCESS) fprintf(stderr, "trace: %s: error %d\n", #call, (int)result);               \
  } while (0)

typedef struct {
  char* name;
  unsigned long long count, ns;
  unsigned registers, local;
} Row;

static Row rows[MOST];
static int used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void requested(uint8_t** buffer, size_t* size, size_t* most_records) {
  *size = 4 << 20;
  *most_records = 0;
  if (posix_memalign((void**)buffer, 8, *size)) abort();
}

static void add(const CUpti_ActivityKernel10* kernel) {
  int i = 0;
  while (i < used && strcmp(rows[i].name, kernel->name)) i++;
  if (i == MOST) return;
  if (i == used)
    rows[used++] =
        (Row){strdup(kernel->name), 0, 0, kernel->registersPerThread, kernel->localMemoryPerThread};
  rows[i].count++;
  rows[i].ns += kernel->end - kernel->start;
}

static void completed(CUcontext context, uint32_t stream, uint8_t* buffer, size_t size, size_t valid) {
  CUpti_Activity* record = NULL;
  (void)context, (void)stream, (void)size;
  pthread_mutex_lock(&lock);
  while (valid && cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) add((const CUpti_ActivityKernel10*)record);
  pthread_mutex_unlock(&lock);
  free(buffer);
}

void trace_begin(void) {
  CHECK(cuptiActivityRegisterCallbacks(requested, completed));
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
}

void trace_end(const char* path) {
  CHECK(cuptiActivityFlushAll(1));
  CHECK(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  FILE* file = fopen(path, "w");
  if (!file) return;
  for (int i = 0; i < used; i++)
    fprintf(file, "%s\t%llu\t%llu\t%u\t%u\n", rows[i].name, rows[i].count, rows[i].ns, rows[i].registers,
            rows[i].local);
  fclose(file);
}

static void at_exit(void) { trace_end(getenv("OTHERS_TRACE")); }

int InitializeInjection(void) {
  if (!getenv("OTHERS_TRACE")) return 1;
  trace_begin();
  atexit(at_exit);
  return 1;
}
