// The program's own definitions come before those of the C library, for that library's callers too. Nothing here allocates.
#include "inject.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>

static std::atomic<int> failing{-1}; // a Call
static std::atomic<std::uint64_t> left{0};
static std::atomic<bool> has_failed{false};
static thread_local int held = 0; // locks that the thread has, and statics that it makes

const char* name_of(Call call) {
  constexpr const char* names[] = {"malloc", "pthread_create", "open", "mmap", "write", "memory", "held"};
  return names[static_cast<int>(call)];
}

void fail_call(Call call, std::uint64_t number) {
  has_failed = false;
  left = number;
  failing = static_cast<int>(call);
}

bool stop_failing() {
  failing = -1;
  return has_failed;
}

static bool is_gone() {
  if (failing.load(std::memory_order_relaxed) != static_cast<int>(Call::Memory)) return false;
  if (left.load() > 1) {
    --left;
    return false;
  }
  has_failed = true;
  return true;
}

static bool fails(Call call) {
  if ((call == Call::Malloc || call == Call::Map) && is_gone()) return true;
  if (call == Call::Malloc && held > 0 && fails(Call::Held)) return true;
  if (failing.load(std::memory_order_relaxed) != static_cast<int>(call)) return false;
  if (left.fetch_sub(1) != 1) return false;
  has_failed = true;
  return true;
}

template <class Function> static Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// The same for functions in which nothing static can be made.
template <class Function> static Function find(std::atomic<void*>& known, const char* name) {
  void* found = known.load(std::memory_order_relaxed);
  if (!found) known = found = dlsym(RTLD_NEXT, name);
  return reinterpret_cast<Function>(found);
}

// The C++ library calls these, too.
#pragma GCC visibility push(default)
extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

static void* no_memory() {
  errno = ENOMEM;
  return nullptr;
}

void* malloc(std::size_t bytes) { return fails(Call::Malloc) ? no_memory() : __libc_malloc(bytes); }
void* calloc(std::size_t count, std::size_t bytes) {
  return fails(Call::Malloc) ? no_memory() : __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  return fails(Call::Malloc) ? no_memory() : __libc_realloc(memory, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return fails(Call::Malloc) ? no_memory() : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  if (fails(Call::Malloc)) return ENOMEM;
  *memory = __libc_memalign(alignment, bytes);
  return *memory ? 0 : ENOMEM;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  static auto* const real = next<decltype(&pthread_create)>("pthread_create");
  return fails(Call::Thread) ? EAGAIN : real(thread, attributes, run, argument);
}

static int open_or_fail(const char* path, int flags, unsigned mode) {
  static auto* const real = next<int (*)(const char*, int, ...)>("open");
  if (!fails(Call::Open)) return real(path, flags, mode);
  errno = EMFILE;
  return -1;
}
int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  unsigned mode = flags & O_CREAT ? va_arg(list, unsigned) : 0;
  va_end(list);
  return open_or_fail(path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  static auto* const real = next<int (*)(int, const char*, int, ...)>("openat");
  va_list list;
  va_start(list, flags);
  unsigned mode = flags & O_CREAT ? va_arg(list, unsigned) : 0;
  va_end(list);
  if (!fails(Call::Open)) return real(folder, path, flags, mode);
  errno = EMFILE;
  return -1;
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  static auto* const real = next<decltype(&mmap)>("mmap");
  if (!fails(Call::Map)) return real(address, bytes, protection, flags, file, offset);
  errno = ENOMEM;
  return MAP_FAILED;
}

static std::atomic<void*> lock_mutex, try_mutex, unlock_mutex, read_lock, write_lock, unlock_both;

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  const int error = find<int (*)(pthread_mutex_t*)>(lock_mutex, "pthread_mutex_lock")(mutex);
  held += error == 0;
  return error;
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  const int error = find<int (*)(pthread_mutex_t*)>(try_mutex, "pthread_mutex_trylock")(mutex);
  held += error == 0;
  return error;
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  --held;
  return find<int (*)(pthread_mutex_t*)>(unlock_mutex, "pthread_mutex_unlock")(mutex);
}
int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  ++held;
  return find<int (*)(pthread_rwlock_t*)>(read_lock, "pthread_rwlock_rdlock")(lock);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  ++held;
  return find<int (*)(pthread_rwlock_t*)>(write_lock, "pthread_rwlock_wrlock")(lock);
}
int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  --held;
  return find<int (*)(pthread_rwlock_t*)>(unlock_both, "pthread_rwlock_unlock")(lock);
}

// As the C++ library has them, in the layout that all compilers know: the first byte says that the static is made.
using Guard = long long; // g++ has declared them so
static std::atomic<std::uint8_t>* bytes_of(Guard* guard) {
  return reinterpret_cast<std::atomic<std::uint8_t>*>(guard);
}
int __cxa_guard_acquire(Guard* guard) {
  std::atomic<std::uint8_t>& is_made = bytes_of(guard)[0];
  std::atomic<std::uint8_t>& is_begun = bytes_of(guard)[1];
  while (!is_made.load() && is_begun.exchange(1) != 0) sched_yield();
  if (is_made.load()) return 0;
  ++held;
  return 1;
}
void __cxa_guard_release(Guard* guard) {
  --held;
  bytes_of(guard)[0] = 1;
}
void __cxa_guard_abort(Guard* guard) {
  --held;
  bytes_of(guard)[1] = 0;
}

ssize_t write(int file, const void* data, std::size_t bytes) {
  static auto* const real = next<decltype(&write)>("write");
  if (!fails(Call::Write)) return real(file, data, bytes);
  errno = ENOSPC;
  return -1;
}
}
#pragma GCC visibility pop
