// Which assignments of a variable reach which of its reads. Assignments that a read may both see are one version; the
// state along a path is the assignments of each name that may have been the last. A loop is followed twice: what its
// first round assigns, its second may read. Of an `if` whose condition is constant one branch is none of a path.
#include "compiler/check/versions.h"
#include "compiler/check/core/convert.h"
#include "compiler/check/expressions.h"
#include "compiler/check/instances.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compiler/ast/walk.h"
#include "compiler/diagnostics/reporting_scope.h"

namespace kern::checker {

namespace {

// The assignments that may be the last of each name.
using Reaching = std::map<std::string_view, std::set<std::size_t>>;
// Nothing where no path leads there.
using State = std::optional<Reaching>;

void merge(State& into, const State& from) {
  if (!from) return;
  if (!into) {
    into = from;
    return;
  }
  for (const auto& [name, assignments] : *from) (*into)[name].insert(assignments.begin(), assignments.end());
}

struct Versions {
  // Loops in each other are followed twice each; beyond this much a function keeps its variables whole.
  static constexpr std::size_t most_statements = 100'000;

  const std::set<std::string_view>& wanted;
  std::function<std::optional<bool>(const ast::Expr&)> truth_of; // of a condition, where it is constant
  std::vector<std::size_t> same; // of an assignment: another one of its version, or itself
  std::vector<std::string_view> names;
  std::map<const char*, std::size_t> assignment_at; // by where its target stands
  std::map<const char*, std::size_t> read_at;       // one of the assignments that a read may see
  std::size_t statements = 0;
  struct Loop {
    State breaks, continues;
  };
  std::vector<Loop> loops;

  std::size_t find(std::size_t assignment) {
    while (same[assignment] != assignment) assignment = same[assignment] = same[same[assignment]];
    return assignment;
  }

  // The lower one stands for both, so that the first version is that of the first assignment.
  void join(std::size_t a, std::size_t b) {
    a = find(a), b = find(b);
    same[std::max(a, b)] = std::min(a, b);
  }

  void assign(std::string_view name, State& state) {
    if (!wanted.contains(name)) return;
    auto [place, is_new] = assignment_at.emplace(name.data(), same.size());
    if (is_new) {
      same.push_back(same.size());
      names.push_back(name);
    }
    if (state) (*state)[name] = {place->second};
  }

  void read_name(std::string_view name, State& state) {
    if (!state || !wanted.contains(name)) return;
    auto seen = state->find(name);
    if (seen == state->end()) return;
    std::size_t first = *seen->second.begin();
    for (std::size_t other : seen->second) join(first, other);
    auto [place, is_new] = read_at.emplace(name.data(), first);
    if (!is_new) join(place->second, first);
  }

  void read(const ast::Expr& expr, State& state) {
    if (const auto* name = ast::as<ast::Name>(&expr)) read_name(name->text, state);
    ast::each_part(expr, [&](const ast::Expr& part) { read(part, state); });
  }
  void read(const ast::Expr* expr, State& state) {
    if (expr) read(*expr, state);
  }

  // The names of a target are assigned, what else it holds is read before.
  void read_target(const ast::Expr& target, State& state) {
    if (target.kind == ast::Kind::Name) return;
    if (target.kind == ast::Kind::Tuple || target.kind == ast::Kind::List)
      ast::each_part(target, [&](const ast::Expr& part) { read_target(part, state); });
    else
      read(target, state);
  }
  void assign_target(const ast::Expr& target, State& state) {
    if (const auto* name = ast::as<ast::Name>(&target)) assign(name->text, state);
    if (target.kind == ast::Kind::Tuple || target.kind == ast::Kind::List)
      ast::each_part(target, [&](const ast::Expr& part) { assign_target(part, state); });
  }

  void follow(ast::Block block, State& state) {
    for (const ast::Stmt* stmt : block) follow(*stmt, state);
  }

  // x += value reads and assigns the same name at one place: it is one version with what it reads.
  void follow_augmented(const ast::AugAssign& stmt, State& state) {
    read(stmt.target, state);
    read(stmt.value, state);
    const auto* name = ast::as<ast::Name>(stmt.target);
    if (!name || !wanted.contains(name->text)) return;
    auto before = read_at.find(name->text.data());
    assign(name->text, state);
    if (before != read_at.end()) join(before->second, assignment_at.at(name->text.data()));
  }

  // `begin` runs in front of each round.
  template <class Begin>
  void follow_loop(ast::Block body, ast::Block else_body, State& state, const Begin& begin) {
    State head = state;
    loops.emplace_back();
    for (int round = 0; round < 2; ++round) {
      State at = head;
      begin(at);
      follow(body, at);
      merge(head, at);
      merge(head, loops.back().continues);
    }
    Loop loop = std::move(loops.back());
    loops.pop_back();
    State last = head;
    begin(last);
    state = std::move(head);
    follow(else_body, state);
    merge(state, loop.breaks);
  }

  void follow_if(const ast::If& stmt, State& state) {
    read(stmt.condition, state);
    if (std::optional<bool> truth = truth_of(*stmt.condition))
      return follow(*truth ? stmt.then_body : stmt.else_body, state);
    State other = state;
    follow(stmt.then_body, state);
    follow(stmt.else_body, other);
    merge(state, other);
  }

  void follow(const ast::Stmt& stmt, State& state) {
    if (++statements > most_statements) return;
    if (const auto* assign = ast::as<ast::Assign>(&stmt)) {
      read(assign->value, state);
      for (const ast::Expr* target : assign->targets) read_target(*target, state);
      for (const ast::Expr* target : assign->targets) assign_target(*target, state);
    } else if (const auto* augmented = ast::as<ast::AugAssign>(&stmt)) {
      follow_augmented(*augmented, state);
    } else if (const auto* annotated = ast::as<ast::AnnAssign>(&stmt)) {
      read(annotated->value, state);
      read_target(*annotated->target, state);
      if (annotated->value) assign_target(*annotated->target, state);
    } else if (const auto* branch = ast::as<ast::If>(&stmt)) {
      follow_if(*branch, state);
    } else if (const auto* loop = ast::as<ast::While>(&stmt)) {
      follow_loop(loop->body, loop->else_body, state, [&](State& at) { read(loop->condition, at); });
    } else if (const auto* counted = ast::as<ast::For>(&stmt)) {
      read(counted->iterable, state);
      follow_loop(counted->body, counted->else_body, state, [&](State& at) {
        read_target(*counted->target, at);
        assign_target(*counted->target, at);
      });
    } else if (stmt.kind == ast::Kind::Break || stmt.kind == ast::Kind::Continue) {
      if (!loops.empty())
        merge(stmt.kind == ast::Kind::Break ? loops.back().breaks : loops.back().continues, state);
      state.reset();
    } else if (const auto* gone = ast::as<ast::Delete>(&stmt)) {
      for (const ast::Expr* target : gone->targets) read(target, state);
    } else {
      ast::each_expr(stmt, [&](const ast::Expr& expr) { read(expr, state); });
      if (const auto* check = ast::as<ast::Assert>(&stmt)) read(check->message, state);
      if (const auto* raised = ast::as<ast::Raise>(&stmt)) read(raised->value, state);
      if (stmt.kind == ast::Kind::Return || stmt.kind == ast::Kind::Raise) state.reset();
    }
  }
};

// Functions and lambdas inside of a function read its variables wherever they are called.
bool has_inner_functions(const ast::FunctionDef& function) {
  bool found = false;
  auto look = [&](const auto& self, const ast::Expr& expr) -> void {
    found = found || expr.kind == ast::Kind::Lambda;
    ast::each_part(expr, [&](const ast::Expr& part) { self(self, part); });
  };
  ast::each_stmt(function.body, [&](const ast::Stmt& stmt) {
    found = found || stmt.kind == ast::Kind::FunctionDef;
    ast::each_expr(stmt, [&](const ast::Expr& expr) { look(look, expr); });
  });
  return found;
}

// Says whether an expression is made of constants and names that are none of the function's, by operators.
bool is_of_constants(const Instance& instance, const ast::Expr& expr) {
  using Kind = ast::Kind;
  if (const auto* name = ast::as<ast::Name>(&expr)) return !instance.locals.contains(name->text);
  if (expr.kind != Kind::Unary && expr.kind != Kind::Compare && expr.kind != Kind::BoolOp)
    return expr.kind == Kind::BoolLiteral || expr.kind == Kind::IntLiteral ||
           expr.kind == Kind::NoneLiteral || expr.kind == Kind::StringLiteral;
  bool all = true;
  ast::each_part(expr, [&](const ast::Expr& part) { all = all && is_of_constants(instance, part); });
  return all;
}

// Returns what a condition is for all calls of a function, as `if` finds it too; nothing where that depends on a call.
std::optional<bool> constant_condition(Context& context, Instance& instance, const ast::Expr& expr) {
  if (!is_of_constants(instance, expr)) return std::nullopt;
  const ReportingScope quiet(context.diagnostics, false);
  Checker checker(context, instance.function->file, &instance);
  std::optional<bool> truth = constant_truth(evaluate_condition(checker, expr));
  return truth;
}

// A place where a name stands, and which of its versions that is.
struct Occurrence {
  const char* place;
  std::string_view name;
  std::size_t version;
};

// Gives each name that is to be split a version for assignments whose values never meet. Returns the occurrences that are not the
// first, which are numbered from 1 on.
std::vector<Occurrence> find_versions(Context& context, Instance& instance) {
  const ast::FunctionDef& function = *instance.function->def;
  const std::set<std::string_view>& wanted = instance.split;
  std::vector<Occurrence> result;
  if (wanted.empty() || has_inner_functions(function)) return result;
  auto truth_of = [&](const ast::Expr& condition) {
    return constant_condition(context, instance, condition);
  };
  Versions versions{wanted, truth_of, {}, {}, {}, {}, 0, {}};
  State state = Reaching{};
  for (const ast::Param& param : function.params) versions.assign(param.name, state);
  versions.follow(function.body, state);
  if (versions.statements > Versions::most_statements) return result;
  std::map<std::string_view, std::vector<std::size_t>> firsts; // of the versions of each name, in their order
  for (std::size_t i = 0; i < versions.same.size(); ++i)
    if (versions.find(i) == i) firsts[versions.names[i]].push_back(i);
  for (const auto* places : {&versions.assignment_at, &versions.read_at})
    for (const auto& [place, assignment] : *places) {
      const std::vector<std::size_t>& all = firsts[versions.names[assignment]];
      auto version =
          static_cast<std::size_t>(std::ranges::find(all, versions.find(assignment)) - all.begin());
      if (version > 0) result.push_back({place, versions.names[assignment], version});
    }
  return result;
}

} // namespace

bool split_mixed(Context& context, Instance& instance) {
  std::set<std::string_view> wanted = instance.split;
  for (std::string_view name : std::exchange(instance.mixed, {})) {
    auto local = instance.locals.find(name);
    if (local != instance.locals.end() && !local->second.is_named) wanted.insert(name);
  }
  if (wanted.size() == instance.split.size()) return false;
  instance.split = std::move(wanted);
  std::vector<Occurrence> occurrences = find_versions(context, instance);
  if (occurrences.size() == instance.versions.size()) return false;
  instance.locals.clear();
  instance.versions.clear();
  instance.version_names.clear();
  std::map<std::pair<std::string_view, std::size_t>, Local*> made;
  for (const Occurrence& occurrence : occurrences) {
    Local*& local = made[{occurrence.name, occurrence.version}];
    if (!local) {
      // No name of a program has this character.
      instance.version_names.push_back(fmt::format("{}#{}", occurrence.name, occurrence.version));
      local = &instance.locals[instance.version_names.back()];
    }
    instance.versions.emplace(occurrence.place, local);
  }
  collect_names(context, instance);
  return true;
}

} // namespace kern::checker
