// Guards, fits and checks of several lanes. A guard of a linear index tests the first and the last lane, and only a
// varying index is compared as a vector. What fails in the plain copy leaves for the masked one, which
// has the runtime find the lanes that fail and report the lowest, takes them out of the kernel and runs on
// with the others.
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "compiler/lower/lanes/lanes.h"
#include "kern/abi.h"

namespace kern::lowering {

// The values that a guard or check reports about its failure.
struct FaultDetails {
  std::uint32_t site;
  ir::FaultKind kind;
  int axis;
  Value index, extent;
  // Holds the index for the report, if the guard fails by its extent alone.
  std::optional<ir::Operand> reported{};
  // The fit whose values are tested in their own type, and reported in 64 bits.
  const ir::Fit* fit = nullptr;
};

// kern/abi.h says what the words are that tell the runtime of a guard.
static llvm::Value* guard_word(Lowerer& lower, const FaultDetails& fault) {
  std::uint64_t linear = lower.lanes.linear_id ? 1 : 0;
  return lower.builder.getInt64(fault.site | static_cast<std::uint64_t>(fault.axis) << 32 |
                                static_cast<std::uint64_t>(fault.kind) << 40 | linear << 48);
}

static bool is_scalar(const Value& value) { return value.shape.kind == Shape::Kind::Uniform; }

// Whether all of the lanes fail, if one does.
static bool fail_together(const std::vector<FaultDetails>& faults) {
  return std::all_of(faults.begin(), faults.end(), [](const FaultDetails& fault) {
    return is_scalar(fault.index) && is_scalar(fault.extent);
  });
}

// Whether two scalars tell if the indices of all lanes are in range.
static bool is_linear(Shape index, Shape extent) {
  return extent.kind == Shape::Kind::Uniform && index.kind != Shape::Kind::Varying;
}

// Whether no scalar tells of the values that are to fit: a narrow one may wrap from lane to lane.
static bool is_tested_as_vector(Lowerer& lower, const ir::Fit& fit) {
  const Shape shape = shape_of(lower, fit.value);
  const bool is_exact = bit_width(fit.value.type->scalar) == 64 || lower.shapes.is_exact(fit.value);
  return shape.kind == Shape::Kind::Varying || (shape.kind == Shape::Kind::Linear && !is_exact);
}

// Returns the runtime's function and its operands; indices or extents that lanes have of their own are passed
// in memory.
static std::pair<const char*, std::vector<llvm::Value*>> fault_operands(Lowerer& lower,
                                                                        const FaultDetails& fault) {
  if (is_linear(fault.index.shape, fault.extent.shape))
    return {"kern_cpu_fault_lanes",
            {fault.index.value, i64(lower.state, fault.index.shape.step), fault.extent.value}};
  return {"kern_cpu_fault_each",
          {spill(lower, to_vector(lower, fault.index)).buffer,
           spill(lower, to_vector(lower, fault.extent)).buffer}};
}

// Calls the runtime for the vector at hand.
static llvm::Value* call_runtime(Lowerer& lower, const char* name,
                                 const std::vector<llvm::Value*>& operands) {
  llvm::IRBuilder<>& builder = lower.builder;
  const Place& place = lower.place;
  llvm::Value* x = lower.lanes.linear_id ? lower.lanes.linear_id : place.thread[0];
  std::vector<llvm::Value*> args = {lower.record, place.where};
  args.insert(args.end(), operands.begin(), operands.end());
  args.insert(args.end(), {x, place.thread[1], place.thread[2]});
  std::vector<llvm::Type*> types;
  for (llvm::Value* arg : args) types.push_back(arg->getType());
  auto* type = llvm::FunctionType::get(builder.getInt32Ty(), types, false);
  llvm::CallInst* answer = builder.CreateCall(lower.state.module.getOrInsertFunction(name, type), args);
  answer->addFnAttr(llvm::Attribute::Cold);
  answer->addFnAttr(llvm::Attribute::NoUnwind);
  return answer;
}

// Reports the lowest of the lanes in `bits` that fails; returns those that do, as bits. Done by the runtime,
// since there is a guard for each access, and code that no vector should come to would be most of the code.
static llvm::Value* report_failing(Lowerer& lower, llvm::Value* bits, const FaultDetails& fault) {
  auto [name, operands] = fault_operands(lower, fault);
  operands.insert(operands.begin(),
                  {guard_word(lower, fault), lower.builder.CreateZExt(bits, lower.builder.getInt32Ty())});
  return lower.builder.CreateTrunc(call_runtime(lower, name, operands), bits->getType());
}

// The guards in memory, in the order in which each lane comes to them.
static llvm::Value* write_guards(Lowerer& lower, const std::vector<FaultDetails>& faults) {
  llvm::IRBuilder<>& builder = lower.builder;
  static constexpr std::size_t words = sizeof(kern_lane_guard) / 8;
  llvm::Type* word = builder.getInt64Ty();
  llvm::Value* guards = entry_alloca(lower, llvm::ArrayType::get(word, words * faults.size()), "guards");
  for (std::size_t guard = 0; guard < faults.size(); ++guard) {
    const FaultDetails& fault = faults[guard];
    auto stored = [&](llvm::Value* vector) {
      return builder.CreatePtrToInt(spill(lower, vector).buffer, word);
    };
    // An extent is one for all, or each lane has its own.
    bool own_indices = fault.index.shape.kind == Shape::Kind::Varying, own_extents = !is_scalar(fault.extent);
    std::uint64_t in_memory =
        (own_indices ? std::uint64_t{1} << 49 : 0) | (own_extents ? std::uint64_t{1} << 50 : 0);
    llvm::Value* row[words] = {
        builder.CreateOr(guard_word(lower, fault), in_memory),
        own_indices ? stored(fault.index.value) : fault.index.value,
        i64(lower.state, fault.index.shape.step),
        own_extents ? stored(to_vector(lower, fault.extent)) : fault.extent.value,
    };
    for (std::size_t field = 0; field < words; ++field)
      builder.CreateStore(row[field],
                          builder.CreateConstInBoundsGEP1_64(word, guards, guard * words + field));
  }
  return guards;
}

static llvm::Value* report_failing(Lowerer& lower, llvm::Value* bits,
                                   const std::vector<FaultDetails>& faults) {
  if (faults.size() == 1) return report_failing(lower, bits, faults[0]);
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* wide = builder.CreateZExt(bits, builder.getInt64Ty());
  llvm::Value* what = builder.CreateOr(builder.CreateShl(wide, 32), faults.size());
  return builder.CreateTrunc(
      call_runtime(lower, "kern_cpu_fault_guards", {write_guards(lower, faults), what}), bits->getType());
}

void record_lane_fault(Lowerer& lower, llvm::Value* failing, std::uint32_t site, ir::FaultKind kind) {
  Value none{i64(lower.state, 0), {}};
  report_failing(lower, mask_bits(lower, failing), {site, kind, 0, none, none});
}

// Takes all lanes but those of a mask, in the form that slots have, out of the kernel.
static void keep_only(Lowerer& lower, llvm::Value* mask) {
  const Lanes& lanes = lower.lanes;
  auto keep = [&](llvm::Value* slot) {
    llvm::Value* old = lower.builder.CreateLoad(mask->getType(), slot);
    lower.builder.CreateStore(lower.builder.CreateAnd(old, mask), slot);
  };
  keep(lanes.active);
  keep(lanes.present);
  if (lanes.live != lanes.present) keep(lanes.live);
}

void drop_lanes(Lowerer& lower, llvm::Value* mask) {
  keep_only(lower, lower.builder.CreateSExt(lower.builder.CreateNot(mask), mask_type(lower)));
}

static void branch_cold(Lowerer& lower, llvm::Value* holds, llvm::BasicBlock* next, llvm::BasicBlock* cold) {
  llvm::MDNode* weights = llvm::MDBuilder(lower.state.context).createLikelyBranchWeights();
  lower.builder.CreateCondBr(holds, next, cold, weights);
  lower.builder.SetInsertPoint(cold);
}

// Gives the runtime bits, and gets bits, where masks are in registers. Returns whether a lane is left.
static llvm::Value* drop_failing_bits(Lowerer& lower, llvm::Value* asked,
                                      const std::vector<FaultDetails>& faults) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* active = mask_bits(lower, active_lanes(lower));
  llvm::Value* bits = asked ? mask_bits(lower, asked) : active;
  llvm::Value* kept = builder.CreateNot(report_failing(lower, bits, faults));
  keep_only(lower, mask_of_bits(lower, kept));
  return builder.CreateIsNotNull(builder.CreateAnd(active, kept));
}

// Gives the runtime a mask in memory: to make bits of a vector, and a vector of bits, is most of the code
// elsewhere.
static llvm::Value* drop_failing_words(Lowerer& lower, llvm::Value* asked,
                                       const std::vector<FaultDetails>& faults) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Type* type = mask_type(lower);
  llvm::Value*& mask = lower.lanes.asked;
  if (!mask)
    mask = entry_alloca(lower, llvm::ArrayType::get(builder.getInt32Ty(), lower.lane_count()), "asked");
  llvm::Value* lanes = asked ? builder.CreateSExt(asked, type) : builder.CreateLoad(type, lower.lanes.active);
  builder.CreateAlignedStore(lanes, mask, llvm::Align(4));
  std::uint64_t what = faults.size() | static_cast<std::uint64_t>(lower.lane_count()) << 32;
  llvm::Value* some = call_runtime(lower, "kern_cpu_fault_masked",
                                   {write_guards(lower, faults), builder.getInt64(what), mask});
  keep_only(lower, builder.CreateAlignedLoad(type, mask, llvm::Align(4)));
  return asked ? any_lane(lower, active_lanes(lower)) : builder.CreateIsNotNull(some);
}

// What is reported of a fit.
static FaultDetails details_of(Lowerer& lower, const ir::Fit& fit) {
  llvm::IRBuilder<>& builder = lower.builder;
  const ir::FitTest test = ir::fit_test(fit.value.type, fit.type);
  Value index = read_value(lower, fit.value);
  llvm::Value* offset = builder.getInt64(test.offset);
  if (is_tested_as_vector(lower, fit)) {
    llvm::Type* wide = vector_of(lower, builder.getInt64Ty());
    index = {builder.CreateIntCast(to_vector(lower, index), wide, is_signed(fit.value.type)), varying_shape};
    offset = splat(lower, offset);
  } else {
    index.value = widen_first(lower, fit.value, index.value, builder.getInt64Ty());
  }
  index.value = builder.CreateAdd(index.value, offset);
  return {static_cast<std::uint32_t>(fit.site), kind_of_fault(fit), 0, index,
          Value{builder.getInt64(test.extent)}};
}

// What is tested of a fit: values that vary are in their own type.
static FaultDetails test_of(Lowerer& lower, const ir::Fit& fit) {
  if (!is_tested_as_vector(lower, fit)) return details_of(lower, fit);
  const ir::FitTest test = ir::fit_test(fit.value.type, fit.type);
  llvm::Value* values = to_vector(lower, read_value(lower, fit.value));
  auto number = [&](std::uint64_t word) {
    return llvm::ConstantInt::get(values->getType()->getScalarType(), word);
  };
  llvm::Value* index = lower.builder.CreateAdd(values, splat(lower, number(test.offset)));
  return {static_cast<std::uint32_t>(fit.site),
          kind_of_fault(fit),
          0,
          {index, varying_shape},
          Value{number(test.extent)},
          {},
          &fit};
}

// Reports where lanes of `asked`, or of all that are active, fail, and takes those that do out of the kernel.
// Returns whether a lane is left.
static llvm::Value* drop_failing(Lowerer& lower, llvm::Value* asked, std::vector<FaultDetails> faults) {
  for (FaultDetails& fault : faults) {
    if (fault.reported) fault.index = read_value(lower, *fault.reported);
    if (fault.fit) fault = details_of(lower, *fault.fit);
  }
  return (lower.state.has_avx512 ? drop_failing_bits : drop_failing_words)(lower, asked, faults);
}

// In masked code, where lanes of `asked`, or of all that are active, may fail: goes on to `next` with those
// that do not. Where these fail together there are none, and what reports them lies outside of loops.
static void leave_failing(Lowerer& lower, llvm::Value* asked, const void* stmt,
                          const std::vector<FaultDetails>& faults, llvm::BasicBlock* next) {
  if (lower.lanes.plain_copy) return leave_plain_copy(lower, stmt, start_point);
  llvm::Value* some = drop_failing(lower, asked, faults);
  if (!asked && fail_together(faults))
    lower.builder.CreateBr(lower.lanes.skip);
  else
    lower.builder.CreateCondBr(some, next, lower.lanes.skip);
}

// `holds`, one bit, says that no active lane fails; else some of `asked` may, or of the active ones where
// that is null.
static void check_masked(Lowerer& lower, llvm::Value* holds, llvm::Value* asked, const void* stmt,
                         const std::vector<FaultDetails>& faults) {
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(holds); known && known->isOne()) return;
  llvm::BasicBlock* next = new_block(lower, "guarded");
  branch_cold(lower, holds, next, new_block(lower, "fault"));
  leave_failing(lower, asked, stmt, faults, next);
  lower.builder.SetInsertPoint(next);
}

// A mask that holds in every active lane.
static void check_mask(Lowerer& lower, llvm::Value* holds, const void* stmt, const FaultDetails& fault) {
  llvm::Value* failing = lower.builder.CreateAnd(lower.builder.CreateNot(holds), active_lanes(lower));
  check_masked(lower, lower.builder.CreateNot(any_lane(lower, failing)), failing, stmt, {fault});
}

static void check_plain(Lowerer& lower, llvm::Value* holds, const void* stmt, int point = start_point) {
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(holds); known && known->isOne()) return;
  llvm::BasicBlock* next = new_block(lower, "guarded");
  branch_cold(lower, holds, next, new_block(lower, "leave_plain"));
  leave_plain_copy(lower, stmt, point);
  lower.builder.SetInsertPoint(next);
}

// The numbers of the first and the last lane that is active, i64; in plain code constants.
struct Ends {
  llvm::Value *first, *last;
};

static Ends ends_of_active(Lowerer& lower) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::Value* top = i64(lower.state, lower.lane_count() - 1);
  if (!lower.lanes.masked) return {i64(lower.state, 0), top};
  llvm::Value* bits = builder.CreateZExt(mask_bits(lower, active_lanes(lower)), builder.getInt64Ty());
  llvm::Value* first = builder.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, builder.getTrue());
  llvm::Value* above = builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, builder.getTrue());
  return {first, builder.CreateSub(builder.getInt64(63), above)};
}

// Whether linear indices are in range: of all lanes, if those at the ends are. Vectors at the edge of an
// array lack just the lanes that would fail, so that masked code looks at the lanes that it has.
static llvm::Value* all_in_range(Lowerer& lower, const Value& index, const Value& extent, const Ends& ends) {
  llvm::IRBuilder<>& builder = lower.builder;
  if (is_scalar(index)) return builder.CreateICmpULT(index.value, extent.value);
  auto fits = [&](llvm::Value* lane) {
    llvm::Value* moved = builder.CreateMul(lane, i64(lower.state, index.shape.step));
    return builder.CreateICmpULT(builder.CreateAdd(index.value, moved), extent.value);
  };
  llvm::Value* first_fits = fits(ends.first);
  return builder.CreateAnd(first_fits, fits(ends.last));
}

static FaultDetails details_of(Lowerer& lower, const ir::Guard& guard) {
  bool shadow = guard.state == ir::GuardState::Shadow;
  bool asks_extent = guard.state == ir::GuardState::Empty;
  return {static_cast<std::uint32_t>(guard.site),
          shadow ? ir::FaultKind::ShadowGuard : ir::FaultKind::IndexOutOfRange,
          guard.axis,
          asks_extent ? Value{i64(lower.state, 0)} : read_value(lower, guard.index),
          read_array(lower, guard.array).extents[static_cast<std::size_t>(guard.axis)],
          asks_extent ? std::optional(guard.index) : std::nullopt};
}

static FaultDetails details_of(Lowerer& lower, const ir::Stmt& stmt) {
  const auto* guard = std::get_if<ir::Guard>(&stmt.node);
  return guard ? details_of(lower, *guard) : test_of(lower, std::get<ir::Fit>(stmt.node));
}

// In the masked copy: where what fails in all lanes alike has failed in the plain one; `details` says what. Nobody
// goes on from there, so that loops of the masked copy have one entry, and LLVM knows them as loops.
static void fault_from_plain(Lowerer& lower, const void* stmt,
                             llvm::function_ref<std::vector<FaultDetails>()> details) {
  llvm::BasicBlock* failed = taken_side_entry(lower, stmt, fault_point);
  if (!failed) return;
  llvm::BasicBlock* here = lower.builder.GetInsertBlock();
  lower.builder.SetInsertPoint(failed);
  drop_failing(lower, nullptr, details());
  lower.builder.CreateBr(lower.lanes.end);
  lower.builder.SetInsertPoint(here);
}

void guards_lanes(Lowerer& lower, std::span<const ir::Stmt* const> guards) {
  if (guards.empty()) return;
  enter_from_plain(lower, guards[0], start_point);
  fault_from_plain(lower, guards[0], [&] {
    std::vector<FaultDetails> failed;
    for (const ir::Stmt* guard : guards) failed.push_back(details_of(lower, *guard));
    return failed;
  });
  llvm::IRBuilder<>& builder = lower.builder;
  std::vector<FaultDetails> faults;
  llvm::Value* holds = builder.getTrue();
  Ends ends = ends_of_active(lower);
  llvm::Value* in_range = nullptr; // lanes whose own indices are
  for (const ir::Stmt* guard : guards) {
    faults.push_back(details_of(lower, *guard));
    const FaultDetails& fault = faults.back();
    if (is_linear(fault.index.shape, fault.extent.shape)) {
      holds = builder.CreateAnd(all_in_range(lower, fault.index, fault.extent, ends), holds);
      continue;
    }
    llvm::Value* lanes = builder.CreateICmpULT(to_vector(lower, fault.index), to_vector(lower, fault.extent));
    in_range = in_range ? builder.CreateAnd(in_range, lanes) : lanes;
  }
  if (in_range && lower.lanes.masked)
    in_range = builder.CreateOr(in_range, builder.CreateNot(active_lanes(lower)));
  if (in_range) holds = builder.CreateAnd(all_lanes(lower, in_range), holds);
  if (!lower.lanes.masked)
    return check_plain(lower, holds, guards[0], fail_together(faults) ? fault_point : start_point);
  check_masked(lower, holds, nullptr, guards[0], faults);
}

void check_lanes(Lowerer& lower, const ir::Check& check) {
  enter_from_plain(lower, &check, start_point);
  auto site = static_cast<std::uint32_t>(check.site);
  Value none{i64(lower.state, 0), {}};
  FaultDetails fault{site, lower.state.ir.sites[site].kind, 0, none, none};
  fault_from_plain(lower, &check, [&] { return std::vector{fault}; });
  Value condition = read_value(lower, check.condition);
  bool varying = condition.shape.kind == Shape::Kind::Varying;
  if (!lower.lanes.masked)
    return varying ? check_plain(lower, all_lanes(lower, condition.value), &check)
                   : check_plain(lower, condition.value, &check, fault_point);
  if (varying) return check_mask(lower, condition.value, &check, fault);
  check_masked(lower, condition.value, nullptr, &check, {fault});
}

void after_call(Lowerer& lower, const ir::Call& call, llvm::Value* live) {
  llvm::IRBuilder<>& builder = lower.builder;
  llvm::BasicBlock* next = new_block(lower, "returned");
  if (!lower.lanes.masked) {
    llvm::BasicBlock* parted = new_block(lower, "parted");
    branch_cold(lower, all_lanes(lower, live), next, parted);
    leave_plain_copy_with(lower, &call, after_point, live);
    builder.SetInsertPoint(next);
    return;
  }
  drop_lanes(lower, builder.CreateAnd(active_lanes(lower), builder.CreateNot(live)));
  enter_from_plain(lower, &call, after_point);
  builder.CreateCondBr(any_lane(lower, active_lanes(lower)), next, lower.lanes.skip);
  builder.SetInsertPoint(next);
}

} // namespace kern::lowering
