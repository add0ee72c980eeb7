// Tests what becomes of a function that says its result is the same in the whole block.
#include <gtest/gtest.h>

#include "compiler/ir/verify.h"
#include "compiler/ir/walk.h"
#include "compiler/transform/transform.h"
#include "tests/unit/ir_builder.h"

namespace kern {
namespace {

using namespace kern::test;

struct Claims : testing::Test {
  ir::Module module;
  FunctionBuilder f{module, "f", false};

  void build(Type type) {
    const ir::Operand x = f.param("x", type);
    f.function().results = {type};
    f.function().body = body(return_({x}));
    f.function().is_uniform = true;
  }

  std::size_t count(GuardMode mode) {
    check_claims(module, mode);
    EXPECT_EQ(ir::verify(module), std::vector<std::string>{});
    std::size_t checks = 0;
    ir::walk(f.function().body, [&](const ir::Stmt& stmt) {
      const auto* check = std::get_if<ir::Check>(&stmt.node);
      if (!check) return;
      ++checks;
      EXPECT_EQ(module.sites[static_cast<std::size_t>(check->site)].kind, ir::FaultKind::ShadowUniform);
    });
    return checks;
  }
};

TEST_F(Claims, are_compared_in_shadow_mode) {
  build(types::i32);
  EXPECT_EQ(count(GuardMode::Shadow), 1u);
  const auto* agrees = std::get_if<ir::CallEffect>(&f.function().body.front().node);
  ASSERT_NE(agrees, nullptr);
  EXPECT_EQ(agrees->builtin, Builtin::Uniform);
}

TEST_F(Claims, of_floats_let_two_NaN_be_the_same) {
  build(types::f32);
  EXPECT_EQ(count(GuardMode::Shadow), 1u);
  EXPECT_TRUE(ir::any(f.function().body, [](const ir::Stmt& stmt) {
    const auto* assign = std::get_if<ir::Assign>(&stmt.node);
    return assign && std::holds_alternative<ir::Select>(assign->value);
  }));
}

TEST_F(Claims, cost_nothing_otherwise) {
  build(types::i32);
  EXPECT_EQ(count(GuardMode::On), 0u);
}

} // namespace
} // namespace kern
