// The path is followed from the node to its source. A value that has no name in the program gives no note,
// and the path ends after a few notes, since a longer story is not read.
#include "compiler/analysis/threads/story.h"

#include <fmt/format.h>

#include <utility>

#include "compiler/builtins/builtins.h"

namespace kern::divergence {

namespace {

constexpr std::size_t most_notes = 8;

bool is_control(const Node& node) {
  return node.kind == Node::Kind::Control || node.kind == Node::Kind::Gone;
}

} // namespace

std::vector<Note> Story::tell(NodeId node) {
  std::vector<NodeId> path{node};
  while (*reasons_[path.back()] != path.back()) path.push_back(*reasons_[path.back()]);
  const Cause cause = graph_.nodes[path.back()].cause;
  differs_ =
      cause == Cause::Block || cause == Cause::Barrier ? "differs between blocks" : "differs between threads";
  for (std::size_t i = 0; i < path.size() && notes_.size() < most_notes; ++i) {
    const Node& at = graph_.nodes[path[i]];
    const Node* next = i + 1 < path.size() ? &graph_.nodes[path[i + 1]] : nullptr;
    if (at.kind == Node::Kind::Gone && next && next->kind != Node::Kind::Gone) tell_gone(at);
    if (at.kind == Node::Kind::Control && next && !is_control(*next)) tell_condition(*at.stmt);
    if (at.kind == Node::Kind::Source)
      tell_source(at, i > 0 ? graph_.nodes[path[i - 1]] : at, holder(path, i));
    if (at.kind == Node::Kind::Value && next && next->kind != Node::Kind::Source) tell_value(at, *next);
    if (at.kind == Node::Kind::Merge && next) tell_merge(at, *next);
    if (at.kind == Node::Kind::Header && next) tell_header(at, *next);
  }
  return std::move(notes_);
}

std::string Story::name(const Node& node) const {
  if (!node.slot) return "";
  return function_.slots[static_cast<std::size_t>(*node.slot)].name;
}
void Story::add(Span span, std::string text) {
  if (notes_.empty() || notes_.back().text != text) notes_.push_back({span, std::move(text)});
}

void Story::tell_condition(const ir::Stmt& stmt) {
  if (const auto* loop = std::get_if<ir::For>(&stmt.node)) {
    suggest(loop->count);
    decides_ = decides_ ? decides_ : &stmt;
    return add(stmt.span, fmt::format("how often this loop runs {}", differs_));
  }
  const auto* branch = std::get_if<ir::If>(&stmt.node);
  const auto* loop = std::get_if<ir::While>(&stmt.node);
  if (!branch && !loop) return;
  const ir::Operand& condition = branch ? branch->condition : loop->condition;
  suggest(condition);
  decides_ = decides_ ? decides_ : &stmt;
  add(describe_.place(condition, stmt.span),
      fmt::format("`{}` decides {}", describe_(condition), decided(notes_.empty())));
}

// Returns the words for what a condition decides: the first one of a path, or one behind it.
std::string_view Story::decided(bool first) const {
  if (scope_ != Scope::Warp) return first ? "which threads come to the barrier" : "which threads come there";
  if (leaves_) return "which lanes leave the kernel";
  return first ? "which lanes come to the shuffle" : "which lanes come there";
}

void Story::tell_gone(const Node& at) {
  if (leaves_) return;
  leaves_ = at.stmt;
  add(at.stmt->span, "lanes that return here are not there any more");
}

void Story::suggest(const ir::Operand& condition) {
  if (suggestion_.empty()) suggestion_ = describe_(condition);
}

void Story::tell_value(const Node& at, const Node& next) {
  const std::string here = name(at), there = name(next);
  if (std::holds_alternative<ir::Load>(at.stmt->node) || here.empty() || there.empty() || here == there)
    return;
  add(at.stmt->span, fmt::format("`{}` depends on `{}`", here, there));
}

void Story::tell_merge(const Node& at, const Node& next) {
  const std::string here = name(at);
  if (here.empty() || name(next) == here) return;
  const bool loop =
      std::holds_alternative<ir::For>(at.stmt->node) || std::holds_alternative<ir::While>(at.stmt->node);
  if (is_control(next))
    add(at.stmt->span, fmt::format("threads leave this loop with different values of `{}`", here));
  else if (!loop)
    add(at.stmt->span, fmt::format("threads come out of this `if` with different values of `{}`", here));
}

void Story::tell_header(const Node& at, const Node& next) {
  const std::string here = name(at);
  if (here.empty() || name(next) == here || !is_control(next)) return;
  add(at.stmt->span, fmt::format("threads begin a round of this loop with different values of `{}`", here));
}

// Returns the name of what took the value from a source, made wider or narrower on its way.
std::string Story::holder(const std::vector<NodeId>& path, std::size_t source) const {
  for (std::size_t i = source; i-- > 0;) {
    const Node& at = graph_.nodes[path[i]];
    const auto* assign = at.stmt ? std::get_if<ir::Assign>(&at.stmt->node) : nullptr;
    if (i + 1 < source && !(assign && std::holds_alternative<ir::Convert>(assign->value))) break;
    if (!name(at).empty()) return name(at);
  }
  return "";
}

// `user` is what took the value from the source, `holder` the variable that it came to.
void Story::tell_source(const Node& source, const Node& user, const std::string& holder) {
  const std::string what = name(source).empty() ? name(user) : name(source);
  const Span place = source.stmt ? source.stmt->span : user.stmt ? user.stmt->span : function_.span;
  switch (source.cause) {
  case Cause::Thread: return tell_thread(source, what, "threads");
  case Cause::Block: return tell_thread(source, what, "blocks");
  case Cause::Written:
  case Cause::Shared:
  case Cause::Local: return tell_load(source, user, holder);
  case Cause::Atomic: return tell_result(source, place, what, "threads");
  case Cause::Warp: return tell_result(source, place, what, "warps");
  case Cause::Barrier: return tell_result(source, place, what, "blocks");
  case Cause::Callee: return add(place, "what this call returns differs between threads");
  case Cause::TooLarge: return add(place, "this loop is left at more places than can be looked at");
  case Cause::None: return;
  }
}

void Story::tell_thread(const Node& source, const std::string& what, std::string_view between) {
  const auto& call = std::get<ir::CallPure>(std::get<ir::Assign>(source.stmt->node).value);
  const std::string_view builtin = row(call.builtin).name;
  if (what.empty()) return add(source.stmt->span, fmt::format("`{}` differs between {}", builtin, between));
  const char* verb = name(source).empty() ? "depends on" : "is";
  add(source.stmt->span, fmt::format("`{}` {} `{}`, which differs between {}", what, verb, builtin, between));
}

void Story::tell_load(const Node& source, const Node& user, const std::string& holder) {
  const auto* load = user.stmt ? std::get_if<ir::Load>(&user.stmt->node) : nullptr;
  const char* why = source.cause == Cause::Shared ? "shared memory, where threads may see different values"
                    : source.cause == Cause::Local
                        ? "memory of each thread"
                        : "memory that the kernel writes: threads may see different values";
  if (!load)
    return add(source.stmt ? source.stmt->span : function_.span,
               fmt::format("`{}` is {}", name(source), why));
  const std::string element = describe_.element(load->array, load->indices);
  if (!holder.empty()) suggestion_ = holder;
  add(user.stmt->span, fmt::format("`{}` is {}", element, why));
}

void Story::tell_result(const Node& source, Span place, const std::string& what, std::string_view between) {
  const Builtin builtin = source.cause == Cause::Atomic ? std::get<ir::Atomic>(source.stmt->node).builtin
                                                        : std::get<ir::CallEffect>(source.stmt->node).builtin;
  if (!what.empty()) suggestion_ = what;
  add(place, fmt::format("what `{}` returns differs between {}", row(builtin).name, between));
}

} // namespace kern::divergence
