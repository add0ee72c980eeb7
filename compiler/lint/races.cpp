// A device function is looked at as its kernels call it: by what its arguments are made of, and by who comes
// to the call. An element is reported only if it is sure that it is no thread's own.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "compiler/diagnostics/warnings.h"
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

std::size_t index_of(SlotId slot) { return static_cast<std::size_t>(slot); }

bool is_common(const Operand& array) {
  return array.type->space == AddressSpace::Global || array.type->space == AddressSpace::Shared;
}

// The fewest elements between neighbours that are worth a word.
constexpr std::int64_t far_apart = 8;
// The most ways in which a function is called that are looked at.
constexpr std::size_t most_contexts = 32;

// How a function is called.
struct Context {
  ir::FunctionId function;
  std::vector<Sources> params = {};
  Picked picked = Picked::Many; // who comes to the call
  std::vector<Note> calls = {}; // the innermost one first
};

LaneFacts lane_facts() {
  LaneFacts facts{32};
  facts.contiguous = facts.small_grid = true;
  return facts;
}

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
      : module_(context.module), function_(module_.function(id)), describe_(function_),
        shapes_(analyze_shapes(module_, id, lane_facts())), uniformity_(analyze_uniformity(module_, id)),
        updates_(module_, function_, describe_, uniformity_, context.sources, context.prefix),
        threads_(describe_, shapes_, updates_), advice_(function_, describe_, updates_, context.prefix),
        waiting_(waiting), meetings_(meetings), diagnostics_(context.diagnostics) {}

  // Appends how it calls others.
  void run(const Context& context, std::vector<Context>& calls) {
    context_ = &context;
    calls_ = &calls;
    picked_ = context.picked;
    visit(function_.body);
  }

  // Appends the places of the stores that it reports.
  void report(std::vector<Span>& told) {
    for (auto& [key, found] : found_) {
      report(key, found);
      if (key.second != Cause::Distance) told.insert(told.end(), found.places.begin(), found.places.end());
    }
  }

private:
  struct Found {
    Span span;
    std::string element, advice;
    std::vector<Note> notes;
    std::vector<Span> places;
  };
  enum class Cause : std::uint8_t { Race, Update, Load, Distance };
  // Causes come in the order of the program: by the place of the first access.
  using Key = std::pair<std::uint32_t, Cause>; // the array's slot

  void visit(const ir::Body& body) {
    const Picked outer = picked_;
    const bool outer_data = under_data_;
    for (const Stmt& stmt : body) {
      if (const auto* load = std::get_if<ir::Load>(&stmt.node))
        check_distance(load->array, load->indices, stmt);
      if (const auto* store = std::get_if<ir::Store>(&stmt.node)) {
        check_distance(store->array, store->indices, stmt);
        if (!check_race(*store, stmt) && !check_meeting(*store, stmt)) check_load(*store, stmt);
      }
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
    const ir::Expr* condition = expression(branch.condition);
    const auto* test = condition ? std::get_if<ir::Compare>(condition) : nullptr;
    picked_ = picked_by(branch.condition, true);
    if (test) under_.push_back(*test);
    visit(branch.then_body);
    if (test) under_.pop_back();
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

  const ir::Expr* expression(const Operand& operand) const {
    const ir::Assign* assign = operand.slot ? describe_.definitions().sole_assign(*operand.slot) : nullptr;
    return assign ? &assign->value : nullptr;
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
    const std::optional<std::string> atomic = updates_.atomic(store, stmt.span, under_);
    // It is not known whether a parameter of a device function differs between threads.
    const bool differs = function_.is_kernel && !is_uniform(store.value);
    // A kernel that counts by an atomic beside the store expects several threads there.
    const bool is_many = picked_ == Picked::Many || advice_.atomic_advice(stmt);
    const bool is_sure = atomic ? differs || !function_.is_kernel : differs && is_many;
    if (!updates && !(is_one ? is_sure : atomic.has_value())) return false;
    Found& found = find(store.array, is_one ? Cause::Race : Cause::Update, stmt.span);
    if (found.places.size() > 1 || !found.advice.empty()) return true;
    found.element = describe_.element(whole(store.array), store.indices);
    found.advice = advice(store, stmt, is_one, updates, atomic, found.notes);
    found.notes.insert(found.notes.end(), context_->calls.begin(), context_->calls.end());
    return true;
  }

  // Looks whether the index of an element that is changed tells the threads apart.
  bool check_meeting(const ir::Store& store, const Stmt& stmt) {
    if (store.array.type->space != AddressSpace::Global || advice_.is_placed(stmt)) return true;
    const std::optional<std::string> atomic = updates_.atomic(store, stmt.span, under_);
    if (!atomic && !updates_.updates(store)) return false;
    for (const GridMeeting& meeting : meetings_.get().of(stmt)) {
      if (meeting.other != &stmt && !is_update(*meeting.other)) continue;
      Found& found = find(store.array, Cause::Update, stmt.span);
      if (found.places.size() > 1 || !found.advice.empty()) return true;
      found.element = describe_.element(whole(store.array), store.indices);
      found.advice = advice(store, stmt, false, true, atomic, found.notes);
      found.notes.push_back({meeting.other->span, meeting.how});
      found.notes.insert(found.notes.end(), context_->calls.begin(), context_->calls.end());
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
  bool is_extremum(const ir::Store& store) const {
    const auto picks = [](const Stmt& stmt) {
      const auto* assign = std::get_if<ir::Assign>(&stmt.node);
      const auto* call = assign ? std::get_if<ir::CallPure>(&assign->value) : nullptr;
      return call && (call->builtin == Builtin::Max || call->builtin == Builtin::Min);
    };
    return updates_.is_made_by(store.value, picks) ||
           std::ranges::any_of(under_, [&](const ir::Compare& test) {
             return is_made_by_neighbour(test.left, store) || is_made_by_neighbour(test.right, store);
           });
  }

  // Looks whether what a store makes of its array is made of what other threads store there.
  void check_load(const ir::Store& store, const Stmt& stmt) {
    if (!is_made_by_neighbour(store.value, store) || is_extremum(store)) return;
    for (const GridMeeting& meeting : meetings_.get().loads_of(stmt)) {
      if (!is_made_by_neighbour(store.value, store, meeting.other)) continue;
      const auto& load = std::get<ir::Load>(meeting.other->node);
      Found& found = find(store.array, Cause::Load, meeting.other->span);
      if (found.places.size() > 1 || !found.advice.empty()) return;
      found.element = describe_.element(whole(load.array), load.indices);
      found.advice = "store to another array, which the next launch reads";
      found.notes.push_back({stmt.span, meeting.how});
      found.notes.insert(found.notes.end(), context_->calls.begin(), context_->calls.end());
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

  void check_distance(const Operand& array, const std::vector<Operand>& indices, const Stmt& stmt) {
    if (!function_.is_kernel || array.type->space != AddressSpace::Global) return;
    const Shape last = shapes_.of(indices.back());
    if (last.kind == Shape::Kind::Linear && std::abs(last.step) >= far_apart)
      return add_distance(array, indices, stmt,
                          fmt::format("they are {} elements from one to the next", std::abs(last.step)));
    // A loop over the last axis, as over the channels of a pixel, is no mistake; another index of the thread
    // there is.
    const Operand& index = indices.back();
    const bool of_thread = index.slot && !uniformity_.block_uniform[index_of(*index.slot)];
    if (last.kind != Shape::Kind::Uniform || !of_thread) return;
    for (std::size_t axis = 0; axis + 1 < indices.size(); ++axis)
      if (shapes_.of(indices[axis]).kind == Shape::Kind::Linear)
        return add_distance(array, indices, stmt, "let `threadIdx.x` run along the last index");
  }

  void add_distance(const Operand& array, const std::vector<Operand>& indices, const Stmt& stmt,
                    std::string advice) {
    Found& found = find(array, Cause::Distance, stmt.span);
    if (!found.advice.empty()) return;
    found.element = describe_.element(whole(array), indices);
    found.advice = std::move(advice);
  }

  // Returns the array of complex elements that an array of parts is a view of; another one as it is.
  Operand whole(const Operand& array) const {
    const ir::Expr* made = expression(array);
    const auto* view = made ? std::get_if<ir::View>(made) : nullptr;
    return view && view->part ? view->array : array;
  }

  // Returns what was found of an array, with a place more. Both parts of an element are read and written at one place,
  // and so is what several calls come to.
  Found& find(const Operand& array, Cause cause, Span span) {
    const Key key{static_cast<std::uint32_t>(*whole(array).slot), cause};
    auto known =
        std::find_if(found_.begin(), found_.end(), [&](const auto& each) { return each.first == key; });
    if (known == found_.end()) {
      found_.push_back({key, {span, {}, {}, {}, {}}});
      known = std::prev(found_.end());
    }
    Found& found = known->second;
    const bool is_again = (!(whole(array) == array) || !function_.is_kernel) && !found.places.empty() &&
                          std::ranges::find(found.places, span) != found.places.end();
    if (!is_again) found.places.push_back(span);
    return found;
  }

  void report(const Key& key, const Found& found) {
    Diagnostics::Builder builder =
        report(key.second, found.span, fmt::format("`{}`", found.element), found.advice);
    for (const Note& note : found.notes) builder.note(*note.span, "{}", note.text);
    if (found.places.size() > 1)
      builder.note("places in this function with the same cause: {}", found.places.size());
  }

  Diagnostics::Builder report(Cause cause, Span span, const std::string& element, const std::string& advice) {
    switch (cause) {
    case Cause::Race: return diagnostics_.report(span, diag::race, element, advice);
    case Cause::Update: return diagnostics_.report(span, diag::lost_update, element, advice);
    case Cause::Load: return diagnostics_.report(span, diag::neighbour_load, element, advice);
    case Cause::Distance: break;
    }
    return diagnostics_.report(span, diag::coalesce, element, advice);
  }

  const ir::Module& module_;
  const ir::Function& function_;
  Describer describe_;
  Shapes shapes_;
  Uniformity uniformity_;
  Updates updates_;
  PickedThreads threads_;
  RaceAdvice advice_;
  const std::vector<bool>& waiting_;
  LazyMeetings& meetings_;
  const Context* context_ = nullptr;
  std::vector<Context>* calls_ = nullptr;
  std::vector<ir::Compare> under_; // the comparisons that hold here
  std::vector<std::pair<Key, Found>> found_;
  std::set<const Stmt*> updating_; // the stores that change what they read, once they were asked for
  Picked picked_ = Picked::Many;   // who comes here
  bool under_data_ = false;        // what is loaded decides who comes here
  Diagnostics& diagnostics_;
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
    for (auto& [id, checker] : checkers_) checker->report(lint_.told);
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

void report_races(LintContext& context) { RaceChecker(context).run(); }

} // namespace kern
