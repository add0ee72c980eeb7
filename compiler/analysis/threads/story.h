// Why control flow or a value differs between threads, as notes: the path through the divergence graph, back to
// a source; each step that a reader of the program would recognise is a note at its place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/analysis/describe.h"
#include "compiler/analysis/threads/divergence.h"
#include "compiler/diagnostics/diagnostics.h"

namespace kern::divergence {

// Tells the path from one node of a function's graph to its source.
class Story {
public:
  Story(const ir::Function& function, const Graph& graph, const Reasons& reasons, Scope scope)
      : function_(function), graph_(graph), reasons_(reasons), scope_(scope), describe_(function) {}

  // Returns the notes from a node on; what the other functions return is kept.
  std::vector<Note> tell(NodeId node);

  // Returns the expression of which uniform() would make every thread agree; "" where there is none.
  const std::string& suggestion() const { return suggestion_; }
  // Returns the first statement whose condition, or count, decides; null where there is none.
  const ir::Stmt* decides() const { return decides_; }
  // Returns the return by which threads leave the kernel before; null where that is not why.
  const ir::Stmt* leaves() const { return leaves_; }

private:
  std::string name(const Node& node) const;
  void add(Span span, std::string text);
  void tell_condition(const ir::Stmt& stmt);
  std::string_view decided(bool first) const;
  void tell_gone(const Node& at);
  void suggest(const ir::Operand& condition);
  void tell_value(const Node& at, const Node& next);
  void tell_merge(const Node& at, const Node& next);
  void tell_header(const Node& at, const Node& next);
  std::string holder(const std::vector<NodeId>& path, std::size_t source) const;
  void tell_source(const Node& source, const Node& user, const std::string& holder);
  void tell_thread(const Node& source, const std::string& what, std::string_view between);
  void tell_load(const Node& source, const Node& user, const std::string& holder);
  void tell_result(const Node& source, Span place, const std::string& what, std::string_view between);

  const ir::Function& function_;
  const Graph& graph_;
  const Reasons& reasons_;
  Scope scope_;
  Describer describe_;
  std::vector<Note> notes_;
  std::string_view differs_; // between what the value does that the path begins with
  std::string suggestion_;
  const ir::Stmt* decides_ = nullptr;
  const ir::Stmt* leaves_ = nullptr;
};

} // namespace kern::divergence
