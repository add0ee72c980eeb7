// The columns Gpu and Cpu of builtins.def as data.
#include "compiler/lower/shared/lowering.h"

namespace kern::lowering {

namespace vocabulary {
using enum lowering::Field;
// NOLINTBEGIN(readability-identifier-naming): the words of the table are written like its enumerators.
static constexpr Recipe None{.kind = Recipe::Kind::None};
static constexpr Recipe Intrinsic(std::string_view name) { return {Recipe::Kind::Intrinsic, name}; }
static constexpr Recipe Overloaded(std::string_view name) { return {Recipe::Kind::Overloaded, name}; }
static constexpr Recipe DeviceMath(std::string_view name) { return {Recipe::Kind::Math, name}; }
static constexpr Recipe FastDeviceMath(std::string_view name) { return {Recipe::Kind::Math, name, true}; }
static constexpr Recipe HostMath(std::string_view name) { return {Recipe::Kind::Math, name}; }
static constexpr Recipe HostVectorMath(std::string_view name) { return {Recipe::Kind::Math, name, true}; }
static constexpr Recipe Field(lowering::Field field) { return {.kind = Recipe::Kind::Field, .field = field}; }
static constexpr Recipe Custom(CustomFunction function) {
  return {.kind = Recipe::Kind::Custom, .custom = function};
}
// NOLINTEND(readability-identifier-naming)

static constexpr Recipe gpu_recipes[] = {
#define BUILTIN(Id, Signature, Effects, Gpu, Cpu, Doc) Gpu,
#include "compiler/builtins/builtins.def"
};
static constexpr Recipe cpu_recipes[] = {
#define BUILTIN(Id, Signature, Effects, Gpu, Cpu, Doc) Cpu,
#include "compiler/builtins/builtins.def"
};
} // namespace vocabulary

const Recipe* recipes_of(Target target) {
  return target == Target::Cuda ? vocabulary::gpu_recipes : vocabulary::cpu_recipes;
}

} // namespace kern::lowering
