// A map from numbers to values of which each change makes a new one that shares what is equal with the old one. It is a
// treap whose priorities follow from the keys: equal sets of keys have one shape, so two maps are joined by what differs.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/support/arena.h"

namespace kern::python {

template <class T> class PersistentMap {
public:
  // Returns the value of a key; null where it has none.
  const T* find(std::uint64_t key) const {
    const Node* node = node_of(key);
    return node ? &node->value : nullptr;
  }

  void set(Arena& arena, std::uint64_t key, const T& value) { root_ = insert(arena, root_, key, value); }
  void erase(Arena& arena, std::uint64_t key) { root_ = without(arena, root_, key); }

  void erase_from(Arena& arena, std::uint64_t first) { root_ = below(arena, root_, first); }

  // Calls `visit` with each key from `first` to `last` and its value, in order.
  template <class Visit> void each(std::uint64_t first, std::uint64_t last, const Visit& visit) const {
    walk(root_, first, last, visit);
  }

  // Does the same for all keys that may have another value than in an older map that this one was made of.
  template <class Visit> void each_since(const PersistentMap& older, const Visit& visit) const {
    walk_since(root_, older, visit);
  }

  // Makes the map of what `pick(key, a, b)` says of each key, where one of the values may be null; `same` says whether two
  // values are one. Keys whose parts are shared are not asked about.
  template <class Pick, class Same> static PersistentMap
  join(Arena& arena, const PersistentMap& a, const PersistentMap& b, const Pick& pick, const Same& same) {
    PersistentMap result;
    result.root_ = Joiner<Pick, Same>{arena, pick, same}.join(a.root_, b.root_);
    return result;
  }

  bool operator==(const PersistentMap&) const = default; // one object

private:
  struct Node {
    std::uint64_t key;
    T value;
    const Node *left, *right;
    std::uint64_t priority() const {
      std::uint64_t bits = (key ^ (key >> 31)) * 0x7FB5D329728EA185;
      bits = (bits ^ (bits >> 27)) * 0x81DADEF4BC2DD44D;
      return bits ^ (bits >> 33);
    }
  };

  const Node* node_of(std::uint64_t key) const {
    const Node* node = root_;
    while (node && node->key != key) node = key < node->key ? node->left : node->right;
    return node;
  }

  static const Node* make(Arena& arena, const Node& like, const Node* left, const Node* right) {
    return arena.make<Node>(like.key, like.value, left, right);
  }

  static const Node* insert(Arena& arena, const Node* node, std::uint64_t key, const T& value) {
    if (!node) return arena.make<Node>(key, value, nullptr, nullptr);
    if (node->key == key) return arena.make<Node>(key, value, node->left, node->right);
    if (key < node->key) {
      const Node* left = insert(arena, node->left, key, value);
      if (left->priority() <= node->priority()) return make(arena, *node, left, node->right);
      return make(arena, *left, left->left, make(arena, *node, left->right, node->right));
    }
    const Node* right = insert(arena, node->right, key, value);
    if (right->priority() <= node->priority()) return make(arena, *node, node->left, right);
    return make(arena, *right, make(arena, *node, node->left, right->left), right->right);
  }

  static const Node* merge(Arena& arena, const Node* left, const Node* right) {
    if (!left || !right) return left ? left : right;
    if (left->priority() > right->priority())
      return make(arena, *left, left->left, merge(arena, left->right, right));
    return make(arena, *right, merge(arena, left, right->left), right->right);
  }

  static const Node* without(Arena& arena, const Node* node, std::uint64_t key) {
    if (!node) return nullptr;
    if (node->key == key) return merge(arena, node->left, node->right);
    if (key < node->key) return make(arena, *node, without(arena, node->left, key), node->right);
    return make(arena, *node, node->left, without(arena, node->right, key));
  }

  static const Node* below(Arena& arena, const Node* node, std::uint64_t end) {
    if (!node) return nullptr;
    if (node->key >= end) return below(arena, node->left, end);
    const Node* right = below(arena, node->right, end);
    return right == node->right ? node : make(arena, *node, node->left, right);
  }

  template <class Visit>
  static void walk(const Node* node, std::uint64_t first, std::uint64_t last, const Visit& visit) {
    if (!node) return;
    if (first < node->key) walk(node->left, first, last, visit);
    if (first <= node->key && node->key <= last) visit(node->key, node->value);
    if (node->key < last) walk(node->right, first, last, visit);
  }

  template <class Visit>
  static void walk_since(const Node* node, const PersistentMap& older, const Visit& visit) {
    if (!node || node == older.node_of(node->key)) return;
    walk_since(node->left, older, visit);
    visit(node->key, node->value);
    walk_since(node->right, older, visit);
  }

  template <class Pick, class Same> struct Joiner {
    Arena& arena;
    const Pick& pick;
    const Same& same;

    struct Parts {
      const Node *left, *right;
      const T* value;
    };

    Parts split(const Node* node, std::uint64_t key) const {
      if (!node) return {nullptr, nullptr, nullptr};
      if (node->key == key) return {node->left, node->right, &node->value};
      if (key < node->key) {
        const Parts parts = split(node->left, key);
        return {parts.left, make(arena, *node, parts.right, node->right), parts.value};
      }
      const Parts parts = split(node->right, key);
      return {make(arena, *node, node->left, parts.left), parts.right, parts.value};
    }

    const Node* join(const Node* a, const Node* b) const {
      if (a == b) return a;
      const bool from_b = !a || (b && b->priority() > a->priority());
      const Node& root = from_b ? *b : *a;
      const Parts other = split(from_b ? a : b, root.key);
      const Node* left = from_b ? join(other.left, root.left) : join(root.left, other.left);
      const Node* right = from_b ? join(other.right, root.right) : join(root.right, other.right);
      const T value =
          from_b ? pick(root.key, other.value, &root.value) : pick(root.key, &root.value, other.value);
      const bool is_root = left == root.left && right == root.right && same(value, root.value);
      return is_root ? &root : arena.make<Node>(root.key, value, left, right);
    }
  };

  const Node* root_ = nullptr;
};

} // namespace kern::python
