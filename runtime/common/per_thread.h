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
    if (!own_) [[unlikely]]
      make();
    return *own_;
  }

private:
  // The key of a library that is unloaded must not be called any more.
  struct Key {
    Key() {
      is_made_ = pthread_key_create(&key_, [](void*) { delete std::exchange(own_, nullptr); }) == 0;
    }
    ~Key() {
      if (std::exchange(is_made_, false)) pthread_key_delete(key_);
    }
  };
  [[gnu::noinline]] static void make() {
    static const Key key;
    own_ = new T;
    // Without a key the object stays.
    if (is_made_) pthread_setspecific(key_, own_);
  }
  static inline constinit thread_local T* own_ = nullptr;
  static inline pthread_key_t key_{};
  static inline bool is_made_ = false;
};

} // namespace kern
