// Which products become an fma, and that their factors are those at the product.
#include "compiler/transform/transform.h"

#include <gtest/gtest.h>

#include "compiler/ir/verify.h"
#include "tests/unit/ir_builder.h"

namespace kern {
namespace {

using namespace kern::test;

struct Contract : testing::Test {
  ir::Module module;
  FunctionBuilder f{module, "k", true};
  ir::Operand a = f.param("a", types::f32), b = f.param("b", types::f32);
  ir::Operand c = f.param("c", types::f32), d = f.param("d", types::f32);
  ir::Operand n = f.param("n", types::i64);
  ir::Operand p = f.temp(types::f32), q = f.temp(types::f32), r = f.variable("r", types::f32);

  ir::Stmt multiply(const ir::Operand& slot, const ir::Operand& x, const ir::Operand& y) {
    return binary(slot, ir::BinaryOp::Multiply, x, y);
  }
  ir::Stmt add(const ir::Operand& x, const ir::Operand& y) { return binary(r, ir::BinaryOp::Add, x, y); }
  ir::Stmt subtract(const ir::Operand& x, const ir::Operand& y) {
    return binary(r, ir::BinaryOp::Subtract, x, y);
  }
  std::string text(const ir::Operand& operand) {
    if (!operand.slot) return std::to_string(ir::float_value(operand));
    const std::string& name = f.function().slots[static_cast<std::size_t>(*operand.slot)].name;
    return name.empty() ? "%" + std::to_string(static_cast<int>(*operand.slot) - 5) : name;
  }
  // "%0 = a * b; r = fma(%0, b, c)"
  std::string text(const ir::Body& body) {
    std::string result;
    for (const ir::Stmt& each : body) {
      if (!result.empty()) result += "; ";
      if (auto* loop = std::get_if<ir::For>(&each.node)) {
        result += "for{" + text(loop->body) + "}";
        continue;
      }
      const auto& assign = std::get<ir::Assign>(each.node);
      result += text(ir::Operand{types::f32, assign.slot, 0}) + " = ";
      result += match(
          assign.value, [&](const ir::Copy& node) { return text(node.value); },
          [&](const ir::Unary& node) { return "-" + text(node.value); },
          [&](const ir::Binary& node) {
            const char* op = node.op == ir::BinaryOp::Add        ? " + "
                             : node.op == ir::BinaryOp::Subtract ? " - "
                                                                 : " * ";
            return text(node.left) + op + text(node.right);
          },
          [&](const ir::Fma& node) {
            return "fma(" + text(node.a) + ", " + text(node.b) + ", " + text(node.c) + ")";
          },
          [](const auto&) { return std::string("?"); });
    }
    return result;
  }
  std::string contracted(ir::Body body) {
    f.function().body = std::move(body);
    contract(module);
    EXPECT_EQ(ir::verify(module), std::vector<std::string>{});
    return text(f.function().body);
  }
};

TEST_F(Contract, sum) { EXPECT_EQ(contracted(body(multiply(p, a, b), add(p, c))), "r = fma(a, b, c)"); }
TEST_F(Contract, sum_on_the_right) {
  EXPECT_EQ(contracted(body(multiply(p, a, b), add(c, p))), "r = fma(a, b, c)");
}
TEST_F(Contract, difference) {
  EXPECT_EQ(contracted(body(multiply(p, a, b), subtract(p, c))), "%3 = -c; r = fma(a, b, %3)");
}
TEST_F(Contract, difference_from) {
  EXPECT_EQ(contracted(body(multiply(p, a, b), subtract(c, p))), "%3 = -a; r = fma(%3, b, c)");
}
TEST_F(Contract, constants_are_negated_in_place) {
  EXPECT_EQ(contracted(body(multiply(p, a, b), subtract(p, ir::constant_float(types::f32, 2)))),
            "r = fma(a, b, -2.000000)");
}
TEST_F(Contract, left_of_two_products) {
  EXPECT_EQ(contracted(body(multiply(p, a, b), multiply(q, c, d), add(p, q))),
            "%1 = c * d; r = fma(a, b, %1)");
  EXPECT_EQ(contracted(body(multiply(p, a, b), multiply(q, c, d), add(q, p))),
            "%0 = a * b; r = fma(c, d, %0)");
}
TEST_F(Contract, variable_assigned_once) {
  ir::Operand v = f.variable("v", types::f32);
  EXPECT_EQ(contracted(body(multiply(v, a, b), add(v, c))), "r = fma(a, b, c)");
}
TEST_F(Contract, two_uses_keep_the_product) {
  EXPECT_EQ(contracted(body(multiply(p, a, b), add(p, p))), "%0 = a * b; r = %0 + %0");
  EXPECT_EQ(contracted(body(multiply(p, a, b), add(p, c), add(p, d))), "%0 = a * b; r = %0 + c; r = %0 + d");
}
TEST_F(Contract, two_assignments_keep_the_product) {
  EXPECT_EQ(contracted(body(multiply(r, a, b), add(r, c))), "r = a * b; r = r + c");
}
TEST_F(Contract, integers_keep_the_product) {
  ir::Operand t = f.temp(types::i64), s = f.variable("s", types::i64);
  EXPECT_EQ(contracted(body(multiply(t, n, n), binary(s, ir::BinaryOp::Add, t, n))),
            "%3 = n * n; s = %3 + n");
}
TEST_F(Contract, factor_assigned_before_the_use_is_copied) {
  EXPECT_EQ(contracted(body(multiply(p, a, b), copy(a, d), add(p, c))), "%3 = a; a = d; r = fma(%3, b, c)");
}
TEST_F(Contract, factor_assigned_by_the_loop_around_the_use_is_copied) {
  ir::Operand i = f.variable("i", types::i64);
  EXPECT_EQ(contracted(body(multiply(p, a, b), for_(i, i64(0), i64(1), n, body(add(p, c), copy(b, d))))),
            "%4 = b; for{r = fma(a, %4, c); b = d}");
}
TEST_F(Contract, factor_assigned_after_the_use_is_not) {
  ir::Operand i = f.variable("i", types::i64);
  EXPECT_EQ(contracted(body(for_(i, i64(0), i64(1), n, body(multiply(p, a, b), add(p, c), copy(b, d))))),
            "for{r = fma(a, b, c); b = d}");
}
TEST_F(Contract, use_before_the_product_in_its_loop_keeps_it) {
  ir::Operand i = f.variable("i", types::i64), v = f.variable("v", types::f32);
  EXPECT_EQ(contracted(body(for_(i, i64(0), i64(1), n, body(add(v, c), multiply(v, a, b))))),
            "for{r = v + c; v = a * b}");
}
TEST_F(Contract, use_after_the_products_loop_keeps_it) {
  ir::Operand i = f.variable("i", types::i64), v = f.variable("v", types::f32);
  EXPECT_EQ(contracted(body(for_(i, i64(0), i64(1), n, body(multiply(v, a, b))), add(v, c))),
            "for{v = a * b}; r = v + c");
}

} // namespace
} // namespace kern
