// A device function is looked at as its kernels call it: by what its arguments are made of, and by who comes
// to the call. An element is reported only if it is sure that it is no thread's own.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "compiler/ir/reachable.h"
#include "compiler/ir/walk.h"
#include "compiler/lint/grid_meetings.h"
#include "compiler/lint/lints.h"
#include "compiler/lint/picked_threads.h"
#include "compiler/lint/race_advice.h"

namespace kern {
namespace {

using ir::Operand;
using ir::SlotId;
using ir::Stmt;
using Sources = Updates::Sources;

bool is_common(const Operand& array) {
  return array.type->space == AddressSpace::Global || array.type->space == AddressSpace::Shared;
}

// The most ways in which a function is called that are looked at.
constexpr std::size_t most_contexts = 32;

// How a function is called.
struct Context {
  ir::FunctionId function;
  std::vector<Sources> params = {};
  Picked picked = Picked::Many; // who comes to the call
  std::vector<Note> calls = {}; // the innermost one first
};

// The meetings of a module, found where a store asks for them.
class LazyMeetings {
public:
  explicit LazyMeetings(const ir::Module& module) : module_(module) {}
  const GridMeetings& get() {
    if (!found_) found_.emplace(module_);
    return *found_;
  }

private:
  const ir::Module& module_;
  std::optional<GridMeetings> found_;
};

// Looks at the accesses of one function, in one context after the other.
class AccessChecker {
public:
  AccessChecker(LintContext& context, ir::FunctionId id, const std::vector<bool>& waiting,
                LazyMeetings& meetings)
      : module_(context.module), analyses_(context.analyses(id)), function_(analyses_.function),
        describe_(analyses_.describe), shapes_(analyses_.shapes), uniformity_(analyses_.uniformity),
        updates_(analyses_.updates), threads_(describe_, shapes_, updates_),
        advice_(analyses_, context.prefix), waiting_(waiting), meetings_(meetings),
        findings_(context.accesses[id]) {}

  // Appends how it calls others.
  void run(const Context& context, std::vector<Context>& calls) {
    context_ = &context;
    calls_ = &calls;
    picked_ = context.picked;
    visit(function_.body);
  }

private:
  void visit(const ir::Body& body) {
    const Picked outer = picked_;
    const bool outer_data = under_data_;
    for (const Stmt& stmt : body) {
      if (const auto* store = std::get_if<ir::Store>(&stmt.node))
        if (!check_race(*store, stmt) && !check_meeting(*store, stmt)) check_load(*store, stmt);
      if (const auto* call = std::get_if<ir::Call>(&stmt.node)) visit_call(*call, stmt);
      if (const auto* branch = std::get_if<ir::If>(&stmt.node)) {
        visit_branch(*branch);
        continue;
      }
      ir::visit_bodies(stmt, [&](const ir::Body& inner) { visit(inner); });
      if (ends_by_atomic(stmt)) picked_ = Picked::One;
    }
    picked_ = outer;
    under_data_ = outer_data;
  }

  void visit_call(const ir::Call& call, const Stmt& stmt) {
    Context next{call.function, {}, picked_, context_->calls};
    for (const Operand& arg : call.args) next.params.push_back(updates_.sources(arg, context_->params));
    next.calls.insert(next.calls.begin(), Note{stmt.span, fmt::format("`{}` is called here",
                                                                      module_.function(call.function).name)});
    calls_->push_back(std::move(next));
    if (waiting_[static_cast<std::size_t>(call.function)]) picked_ = Picked::One;
  }

  Picked picked_by(const Operand& condition, bool holds) const {
    return std::max(picked_, threads_.by(condition, holds, context_->params));
  }

  void visit_branch(const ir::If& branch) {
    const Picked outer = picked_;
    const bool outer_data = under_data_;
    under_data_ = outer_data || is_of_data(branch.condition);
    picked_ = picked_by(branch.condition, true);
    visit(branch.then_body);
    picked_ = outer;
    picked_ = picked_by(branch.condition, false);
    visit(branch.else_body);
    picked_ = outer;
    // The threads that go on after `if threadIdx.x != 0: return` were picked too.
    const bool leaves = ir::ends_in_jump(branch.then_body), other_leaves = ir::ends_in_jump(branch.else_body);
    if (leaves) picked_ = picked_by(branch.condition, false);
    if (other_leaves) picked_ = picked_by(branch.condition, true);
    if (!leaves && !other_leaves) under_data_ = outer_data;
  }

  bool is_of_data(const Operand& condition) const {
    const bool is_loaded = updates_.is_made_by(condition, [](const Stmt& stmt) {
      const auto* load = std::get_if<ir::Load>(&stmt.node);
      return load && is_common(load->array);
    });
    return is_loaded || updates_.sources(condition, context_->params).has_data;
  }

  // Shapes know numbers, uniformity what is called and local memory too.
  bool is_uniform(const Operand& value) const {
    return shapes_.of(value).kind == Shape::Kind::Uniform || uniformity_.block_uniform[index_of(*value.slot)];
  }

  // Says whether a store is one of what is reported here.
  bool check_race(const ir::Store& store, const Stmt& stmt) {
    if (!is_common(store.array) || has_one_thread()) return false;
    if (advice_.is_placed(stmt)) return true;
    const ArrayShape& array = shapes_.arrays[index_of(*store.array.slot)];
    if (array.base.kind != Shape::Kind::Uniform) return false;
    const bool is_one = shapes_.element(store.array, store.indices).kind == Shape::Kind::Uniform;
    const bool is_by_data = !is_one && updates_.place_sources(store, context_->params).is_data_alone();
    if (!is_one && !is_by_data) return false;
    // One of each element that data pick is alone there. A thread of each block is more than one thread.
    const bool is_alone = picked_ == Picked::One || (picked_ == Picked::ByElement && is_by_data);
    if (is_alone && !(is_by_data && updates_.updates(store) && meetings_.get().is_for_many(stmt)))
      return false;
    const bool updates = updates_.updates(store);
    const std::optional<std::string> atomic = updates_.atomic(store, stmt.span, analyses_.tests_around(stmt));
    // It is not known whether a parameter of a device function differs between threads.
    const bool differs = function_.is_kernel && !is_uniform(store.value);
    // A kernel that counts by an atomic beside the store expects several threads there.
    const bool is_many = picked_ == Picked::Many || advice_.atomic_advice(stmt);
    const bool is_sure = atomic ? differs || !function_.is_kernel : differs && is_many;
    if (!updates && !(is_one ? is_sure : atomic.has_value())) return false;
    AccessFinding* found =
        find(store.array, is_one ? AccessCause::Race : AccessCause::Update, stmt, stmt.span);
    if (!found) return true;
    found->element = whole_element(analyses_, store.array, store.indices);
    found->advice = advice(store, stmt, is_one, updates, atomic, found->notes);
    found->notes.insert(found->notes.end(), context_->calls.begin(), context_->calls.end());
    return true;
  }

  // Looks whether the index of an element that is changed tells the threads apart.
  bool check_meeting(const ir::Store& store, const Stmt& stmt) {
    if (store.array.type->space != AddressSpace::Global || advice_.is_placed(stmt)) return true;
    const std::optional<std::string> atomic = updates_.atomic(store, stmt.span, analyses_.tests_around(stmt));
    if (!atomic && !updates_.updates(store)) return false;
    for (const GridMeeting& meeting : meetings_.get().of(stmt)) {
      if (meeting.other != &stmt && !is_update(*meeting.other)) continue;
      AccessFinding* found = find(store.array, AccessCause::Update, stmt, stmt.span);
      if (!found) return true;
      found->element = whole_element(analyses_, store.array, store.indices);
      found->advice = advice(store, stmt, false, true, atomic, found->notes);
      found->notes.push_back({meeting.other->span, meeting.how});
      found->notes.insert(found->notes.end(), context_->calls.begin(), context_->calls.end());
      return true;
    }
    return false;
  }

  // Returns the load of another element of the array that a store goes to, by which its value is made.
  bool is_made_by_neighbour(const Operand& value, const ir::Store& store, const Stmt* load = nullptr) const {
    return updates_.is_made_by(value, [&](const Stmt& each) {
      const auto* other = std::get_if<ir::Load>(&each.node);
      return other && (!load || load == &each) && other->array == store.array &&
             !updates_.is_element(*other, store);
    });
  }

  // Says whether a value is the greater or less of some: who takes it from a neighbour again and again comes to the same
  // end in any order.
  bool is_extremum(const ir::Store& store, const Stmt& stmt) const {
    const auto picks = [](const Stmt& each) {
      const auto* assign = std::get_if<ir::Assign>(&each.node);
      const auto* call = assign ? std::get_if<ir::CallPure>(&assign->value) : nullptr;
      return call && (call->builtin == Builtin::Max || call->builtin == Builtin::Min);
    };
    return updates_.is_made_by(store.value, picks) ||
           std::ranges::any_of(analyses_.tests_around(stmt), [&](const ir::Compare& test) {
             return is_made_by_neighbour(test.left, store) || is_made_by_neighbour(test.right, store);
           });
  }

  // Looks whether what a store makes of its array is made of what other threads store there.
  void check_load(const ir::Store& store, const Stmt& stmt) {
    if (!is_made_by_neighbour(store.value, store) || is_extremum(store, stmt)) return;
    for (const GridMeeting& meeting : meetings_.get().loads_of(stmt)) {
      if (!is_made_by_neighbour(store.value, store, meeting.other)) continue;
      const auto& load = std::get<ir::Load>(meeting.other->node);
      AccessFinding* found = find(store.array, AccessCause::Load, stmt, meeting.other->span);
      if (!found) return;
      found->element = whole_element(analyses_, load.array, load.indices);
      found->advice = "store to another array, which the next launch reads";
      found->notes.push_back({stmt.span, meeting.how});
      found->notes.insert(found->notes.end(), context_->calls.begin(), context_->calls.end());
      return;
    }
  }

  bool is_update(const Stmt& stmt) {
    if (updating_.empty())
      ir::walk(function_.body, [&](const Stmt& each) {
        const auto* store = std::get_if<ir::Store>(&each.node);
        if (store && updates_.updates(*store)) updating_.insert(&each);
      });
    return updating_.contains(&stmt);
  }

  std::string advice(const ir::Store& store, const Stmt& stmt, bool is_one, bool updates,
                     const std::optional<std::string>& atomic, std::vector<Note>& notes) const {
    const auto placed = advice_.placed_by(stmt);
    if (atomic && !placed.empty()) {
      for (const RaceAdvice::Placed& other : placed.subspan(1))
        notes.push_back(
            {other.store->span, fmt::format("likewise `{}` for `{}`", other.index, other.element)});
      return advice_.place_advice(stmt, *atomic);
    }
    if (std::optional<std::string> counted = advice_.atomic_advice(stmt)) return *counted;
    if (atomic) return fmt::format("write `{}`", *atomic);
    if (!is_one) return "use an atomic, or an element for each thread";
    if (updates)
      return fmt::format(
          "combine the values of the threads, by `reduce` of the standard library, and let one thread "
          "store the result; what one thread does alone stands under `{}`",
          advice_.one_thread(store));
    // Which threads the condition lets through is known when the kernel runs.
    if (under_data_)
      return "say which of them stays, by `atomic.max` or `atomic.min`, or store to an element for each "
             "thread";
    return fmt::format("let one thread store it: `{}`", advice_.one_thread(store));
  }

  bool has_one_thread() const {
    const auto& block = function_.options.block;
    return block && (*block)[0] * (*block)[1] * (*block)[2] == 1;
  }

  // Finds an access once more; nothing where what it is was said of another place.
  AccessFinding* find(const Operand& array, AccessCause cause, const Stmt& stmt, Span span) {
    AccessFinding& found = find_access(findings_, analyses_, array, cause, stmt, span);
    return found.places.size() > 1 || !found.advice.empty() ? nullptr : &found;
  }

  const ir::Module& module_;
  const FunctionAnalyses& analyses_;
  const ir::Function& function_;
  const Describer& describe_;
  const Shapes& shapes_;
  const Uniformity& uniformity_;
  const Updates& updates_;
  PickedThreads threads_;
  RaceAdvice advice_;
  const std::vector<bool>& waiting_;
  LazyMeetings& meetings_;
  const Context* context_ = nullptr;
  std::vector<Context>* calls_ = nullptr;
  std::set<const Stmt*> updating_; // the stores that change what they read, once they were asked for
  Picked picked_ = Picked::Many;   // who comes here
  bool under_data_ = false;        // what is loaded decides who comes here
  std::vector<AccessFinding>& findings_;
};

class RaceChecker {
public:
  explicit RaceChecker(LintContext& context)
      : lint_(context), module_(context.module), waiting_(find_waiting_functions(module_)),
        meetings_(module_) {}

  void run() {
    std::vector<Context> pending;
    for (std::size_t i = 0; i < module_.functions.size(); ++i)
      if (module_.functions[i].is_kernel) pending.push_back({static_cast<ir::FunctionId>(i)});
    for (std::size_t i = 0; i < pending.size(); ++i) {
      const Context next = std::move(pending[i]);
      if (is_new(next)) checker(next.function).run(next, pending);
    }
    for (const auto& [id, findings] : lint_.accesses)
      for (const AccessFinding& finding : findings)
        lint_.told.insert(lint_.told.end(), finding.places.begin(), finding.places.end());
  }

private:
  // Says whether a function is called in this way for the first time, and stores to what threads have in common.
  bool is_new(const Context& context) {
    const ir::Function& function = module_.function(context.function);
    if (!function.is_kernel && !stores(context.function)) return false;
    auto& seen = seen_[context.function];
    return seen.size() < most_contexts && seen.emplace(context.params, context.picked).second;
  }

  bool stores(ir::FunctionId id) {
    auto [known, is_new] = stores_.try_emplace(id);
    if (is_new)
      known->second = ir::any_reachable(module_, module_.function(id).body, [](const Stmt& stmt) {
        const auto* store = std::get_if<ir::Store>(&stmt.node);
        return store && is_common(store->array);
      });
    return known->second;
  }

  AccessChecker& checker(ir::FunctionId id) {
    std::unique_ptr<AccessChecker>& made = checkers_[id];
    if (!made) made = std::make_unique<AccessChecker>(lint_, id, waiting_, meetings_);
    return *made;
  }

  LintContext& lint_;
  const ir::Module& module_;
  std::vector<bool> waiting_;
  LazyMeetings meetings_;
  std::map<ir::FunctionId, std::unique_ptr<AccessChecker>> checkers_;
  std::map<ir::FunctionId, std::set<std::pair<std::vector<Sources>, Picked>>> seen_;
  std::map<ir::FunctionId, bool> stores_;
};

} // namespace

void find_races(LintContext& context) { RaceChecker(context).run(); }

} // namespace kern
