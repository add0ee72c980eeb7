// Declares the operations on vectors of lanes and on masks that everything else is written in.
#pragma once

#include "compiler/lower/shared/lowerer.h"

namespace kern::lowering {

// ---- vectors.cpp; a mask in a register is <W x i1> ----
// Makes a function of the module's own that is called, not inlined.
llvm::Function* new_helper(ModuleState& state, const std::string& name, llvm::FunctionType* type);
llvm::FixedVectorType* vector_of(const Lowerer& lower, llvm::Type* element);
// The type of a mask in an alloca.
llvm::Type* mask_type(const Lowerer& lower);
llvm::Value* new_mask_slot(Lowerer& lower, const char* name);
llvm::Value* load_mask(Lowerer& lower, llvm::Value* slot);
void store_mask(Lowerer& lower, llvm::Value* slot, llvm::Value* mask);
llvm::Constant* full_mask(const Lowerer& lower, bool value);
llvm::Value* any_lane(Lowerer& lower, llvm::Value* mask);
llvm::Value* all_lanes(Lowerer& lower, llvm::Value* mask);
// Bit l is lane l; an integer of as many bits as there are lanes.
llvm::Value* mask_bits(Lowerer& lower, llvm::Value* mask);
llvm::Value* mask_of_bits(Lowerer& lower, llvm::Value* bits);
// The lanes that are active; all of them where code is not masked.
llvm::Value* active_lanes(Lowerer& lower);
// The number of the first of them, in as many bits as there are lanes; some lane must be active.
llvm::Value* first_active_lane(Lowerer& lower);
// 0, 1, 2, ... times a step.
llvm::Constant* lane_steps(const Lowerer& lower, llvm::Type* element, std::int64_t step);
llvm::Value* splat(Lowerer& lower, llvm::Value* scalar);
// The lanes whose number is below `limit`, an i64 without sign.
llvm::Value* lanes_below(Lowerer& lower, llvm::Value* limit);
// The vector of a value.
llvm::Value* to_vector(Lowerer& lower, const Value& value);
Value add_values(Lowerer& lower, const Value& left, const Value& right, bool exact);
Value multiply_values(Lowerer& lower, const Value& left, const Value& right, bool exact);
// The value of lane 0 plus `lane` steps.
llvm::Value* linear_at(Lowerer& lower, const Value& value, std::int64_t lane);
// Chooses `value` in active lanes, `old` elsewhere.
llvm::Value* blend(Lowerer& lower, llvm::Value* value, llvm::Value* old);

// Lanes `first` to `first + width` of a vector, and vectors of one width put together; their number is a
// power of two.
llvm::Value* part_of(Lowerer& lower, llvm::Value* vector, unsigned first, unsigned width);
llvm::Value* concatenate_parts(Lowerer& lower, std::vector<llvm::Value*> parts);
// Returns the value of the first active lane.
llvm::Value* value_of_first_lane(Lowerer& lower, const Value& value);

// A vector in memory, so that a lane whose number is not constant can be read and written.
struct Spilled {
  llvm::Value* buffer;
  llvm::Type* element;
};
Spilled spill(Lowerer& lower, llvm::Value* vector);
llvm::Value* lane_of(Lowerer& lower, const Spilled& spilled, llvm::Value* lane);
llvm::Value* lane_pointer(Lowerer& lower, const Spilled& spilled, llvm::Value* lane);

// ---- widened.cpp ----
// The value of lane 0, given in the operand's type, in one of any width. Where that is wider, lanes step
// without wrapping as far as they are active.
llvm::Value* widen_first(Lowerer& lower, const ir::Operand& operand, llvm::Value* first, llvm::Type* type);

// ---- vector_math.cpp ----
llvm::Value* call_vector_math(Lowerer& lower, std::string_view name, ScalarKind kind,
                              llvm::ArrayRef<llvm::Value*> args, bool has_vector_form);

// ---- thread_index.cpp ----
llvm::Value* thread_index_lanes(Lowerer& lower, int axis, Form form);

} // namespace kern::lowering
