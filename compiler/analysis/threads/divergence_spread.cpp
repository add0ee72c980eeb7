// Divergence spreads along edges from what differs by itself, breadth first: a reason is one step nearer to a
// source.
#include <utility>

#include "compiler/analysis/threads/divergence.h"

namespace kern::divergence {

Reasons spread(const Graph& graph, const std::vector<NodeId>& seeds, bool from_sources) {
  std::vector<std::uint32_t> first(graph.nodes.size() + 1);
  for (const auto& [from, to] : graph.edges) ++first[from + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<NodeId> targets(graph.edges.size());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (const auto& [from, to] : graph.edges) targets[next[from]++] = to;

  Reasons reasons(graph.nodes.size());
  std::vector<NodeId> queue;
  auto reach = [&](NodeId node, NodeId reason) {
    if (node == uniform || reasons[node]) return;
    reasons[node] = reason;
    queue.push_back(node);
  };
  for (NodeId seed : seeds) reach(seed, seed);
  for (NodeId node = 0; from_sources && node < graph.nodes.size(); ++node)
    if (graph.nodes[node].kind == Node::Kind::Source) reach(node, node);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const NodeId node = queue[i];
    for (std::uint32_t edge = first[node]; edge < first[node + 1]; ++edge) reach(targets[edge], node);
  }
  return reasons;
}

} // namespace kern::divergence
