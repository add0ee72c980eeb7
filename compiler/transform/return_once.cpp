// Turns early returns into structured control flow:
//   * what follows an if with an arm that always returns moves into the other arm, so tests like
//     `if i >= n: return` still dominate what they guard;
//   * what follows an if that returns only sometimes, or a loop that returns, runs unless the flag `returned`
//     is set; a loop that returns sets it and breaks;
//   * past some depth of arms, what follows goes into a loop of one iteration, which a return breaks: long
//     chains of ifs must not become deep nests.
// Values go to variables of their own, which the one Return at the end gives back.
#include "compiler/transform/return_once.h"

#include <iterator>
#include <utility>

#include "compiler/ir/walk.h"

namespace kern {
namespace {

using ir::Body;
using ir::Operand;
using ir::SlotId;
using ir::Stmt;

constexpr int arm_depth = 32;

bool may_return(const Stmt& stmt) {
  return ir::any(stmt, [](const Stmt& inner) { return std::holds_alternative<ir::Return>(inner.node); });
}

bool always_returns(const Body& body) {
  for (const Stmt& stmt : body) {
    if (std::holds_alternative<ir::Return>(stmt.node)) return true;
    const auto* branch = std::get_if<ir::If>(&stmt.node);
    if (branch && always_returns(branch->then_body) && always_returns(branch->else_body)) return true;
  }
  return false;
}

// How the body at hand is left by a return.
struct Way {
  bool breaks;    // a loop is around it: break
  bool sets_flag; // something follows that must not run: say so
  int depth = 0;  // of arms that took what followed an if
};

class Rewriter {
public:
  explicit Rewriter(ir::Function& function) : function_(function) {}

  void run() {
    for (Type type : function_.results) values_.push_back(add_variable(type));
    Body body = rewrite(std::move(function_.body), {false, false});
    if (flag_)
      body.insert(body.begin(), {ir::Assign{*flag_, ir::Copy{ir::constant_bool(false)}}, function_.span});
    ir::Return last;
    for (std::size_t i = 0; i < values_.size(); ++i)
      last.values.push_back({function_.results[i], values_[i]});
    if (!values_.empty()) body.push_back({std::move(last), function_.span});
    function_.body = std::move(body);
  }

private:
  SlotId add_variable(Type type) {
    function_.slots.push_back({"", type, ir::Slot::Kind::Variable, function_.span});
    return static_cast<SlotId>(function_.slots.size() - 1);
  }

  Operand flag() {
    if (!flag_) flag_ = add_variable(types::boolean);
    return {types::boolean, *flag_};
  }

  Body rewrite(Body body, Way way) {
    Body result;
    for (std::size_t i = 0; i < body.size(); ++i) {
      Stmt& stmt = body[i];
      if (auto* last = std::get_if<ir::Return>(&stmt.node)) {
        leave(*last, stmt.span, way, result);
        return result;
      }
      if (!may_return(stmt)) {
        result.push_back(std::move(stmt));
      } else if (way.breaks) {
        rewrite_in_loop(std::move(stmt), way, result);
      } else {
        rewrite_with_rest(Body(std::make_move_iterator(body.begin() + static_cast<std::ptrdiff_t>(i)),
                               std::make_move_iterator(body.end())),
                          way, result);
        return result;
      }
    }
    return result;
  }

  void leave(const ir::Return& stmt, Span span, Way way, Body& result) {
    for (std::size_t i = 0; i < stmt.values.size(); ++i)
      result.push_back({ir::Assign{values_[i], ir::Copy{stmt.values[i]}}, span});
    if (way.sets_flag) result.push_back({ir::Assign{*flag().slot, ir::Copy{ir::constant_bool(true)}}, span});
    if (way.breaks) result.push_back({ir::Break{}, span});
  }

  void rewrite_bodies(Stmt& stmt, Way way) {
    ir::visit_bodies(stmt, [&](Body& inner) { inner = rewrite(std::move(inner), way); });
  }

  // A return breaks the loop around the statement, so what follows may stay where it is.
  void rewrite_in_loop(Stmt stmt, Way way, Body& result) {
    const bool loop = ir::is_loop(stmt);
    const Span span = stmt.span;
    rewrite_bodies(stmt, {true, way.sets_flag || loop});
    result.push_back(std::move(stmt));
    if (!loop) return;
    Body leave_outer;
    leave_outer.push_back({ir::Break{}, span});
    result.push_back({ir::If{flag(), std::move(leave_outer), {}}, span});
  }

  // Rewrites a statement that may return, which comes first, and what follows it.
  void rewrite_with_rest(Body body, Way way, Body& result) {
    if (way.depth >= arm_depth && body.size() > 1) return wrap_in_loop(std::move(body), way, result);
    Stmt stmt = std::move(body.front());
    body.erase(body.begin());
    const Span span = stmt.span;
    if (auto* branch = std::get_if<ir::If>(&stmt.node); branch && move_into_arm(*branch, body)) {
      rewrite_bodies(stmt, {false, way.sets_flag, way.depth + 1});
      result.push_back(std::move(stmt));
      return;
    }
    rewrite_bodies(stmt, {ir::is_loop(stmt), way.sets_flag || !body.empty(), way.depth});
    result.push_back(std::move(stmt));
    if (body.empty()) return;
    Body rest = rewrite(std::move(body), {false, way.sets_flag, way.depth + 1});
    result.push_back({ir::If{flag(), {}, std::move(rest)}, span});
  }

  // Moves what follows an if into the arm that alone reaches it; false where both do.
  static bool move_into_arm(ir::If& branch, Body& rest) {
    const bool then_returns = always_returns(branch.then_body),
               else_returns = always_returns(branch.else_body);
    if (!then_returns && !else_returns) return false;
    if (then_returns && else_returns) return true;
    Body& arm = then_returns ? branch.else_body : branch.then_body;
    arm.insert(arm.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
    return true;
  }

  void wrap_in_loop(Body body, Way way, Body& result) {
    const Span span = body.front().span;
    const Operand zero = ir::constant_int(types::i64, 0), one = ir::constant_int(types::i64, 1);
    Body once = rewrite(std::move(body), {true, way.sets_flag});
    result.push_back({ir::For{add_variable(types::i64), zero, one, one, std::move(once)}, span});
  }

  ir::Function& function_;
  std::vector<SlotId> values_;
  std::optional<SlotId> flag_;
};

bool returns_once(const Body& body) {
  for (std::size_t i = 0; i + 1 < body.size(); ++i)
    if (may_return(body[i])) return false;
  return body.empty() || std::holds_alternative<ir::Return>(body.back().node) || !may_return(body.back());
}

} // namespace

void return_once(ir::Function& function) {
  if (!returns_once(function.body)) Rewriter(function).run();
}

} // namespace kern
