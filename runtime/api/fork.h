// Whether a process is the one in which something was made, and objects of which each process has one.
#pragma once

#include <atomic>
#include <memory>

namespace kern::runtime {

// Counts the forks that led to this process: cheaper to read than its id, which is a system call.
unsigned fork_count();

// An object of the process, made when it is first wanted and never taken down. A child of fork makes one of its own, without a lock,
// which a thread of the parent might hold; its parent's is left alone, and kept where leak checkers see it.
template <class T> class OfProcess {
public:
  template <class Make> T& get(Make&& make) {
    Node* known = node_.load();
    while (!known || known->forks != fork_count()) {
      auto made = std::unique_ptr<Node>(new Node{fork_count(), known, make()});
      if (node_.compare_exchange_strong(known, made.get())) return made.release()->value;
    }
    return known->value;
  }
  T& get() {
    return get([] { return T(); });
  }

private:
  struct Node {
    unsigned forks;
    Node* of_parent;
    T value;
  };
  std::atomic<Node*> node_{nullptr};
};

} // namespace kern::runtime
