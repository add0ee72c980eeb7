// An object of each thread that makes it when it is first wanted, and that is there until the thread has run the
// destructors of all its thread_local objects, and of the main thread until the process ends: destructors of
// statics and thread-locals of the program may use the runtime.
#pragma once

#include <pthread.h>

#include <utility>

namespace kern {

template <class T> class PerThread {
public:
  static T& get() {
    if (!own) [[unlikely]]
      make();
    return *own;
  }
  // Whoever joins threads when the process ends calls this before it registers that with atexit: objects of threads that end
  // after the key are not destroyed.
  static void prepare() { life(); }

private:
  // The key of a library that is unloaded must not be called any more.
  struct Key {
    Key() {
      is_made = pthread_key_create(&key, [](void*) { delete std::exchange(own, nullptr); }) == 0;
    }
    ~Key() {
      if (std::exchange(is_made, false)) pthread_key_delete(key);
    }
  };
  static void life() { static const Key key_of_all; }
  [[gnu::noinline]] static void make() {
    life();
    own = new T;
    // Without a key the object stays.
    if (is_made) pthread_setspecific(key, own);
  }
  static inline constinit thread_local T* own = nullptr;
  static inline pthread_key_t key{};
  static inline bool is_made = false;
};

} // namespace kern
