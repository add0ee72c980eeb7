// The place of each statement in a function. Private to lint/.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "compiler/ir/walk.h"

namespace kern {

class Nesting {
public:
  explicit Nesting(const ir::Function& function) { visit(function.body, nullptr); }

  struct Where {
    const ir::Body* body;
    const ir::Stmt* outer; // that holds the body; null of the function's own
    std::size_t order;     // in the text
  };
  const Where& of(const ir::Stmt& stmt) const { return where_.at(&stmt); }

private:
  void visit(const ir::Body& body, const ir::Stmt* outer) {
    for (const ir::Stmt& stmt : body) {
      where_.emplace(&stmt, Where{&body, outer, where_.size()});
      ir::visit_bodies(stmt, [&](const ir::Body& inner) { visit(inner, &stmt); });
    }
  }

  std::unordered_map<const ir::Stmt*, Where> where_;
};

} // namespace kern
