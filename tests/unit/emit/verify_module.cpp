// LLVM's verifier and what is said of a module that it refuses.
#include "compiler/emit/verify_module.h"

#include <gtest/gtest.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "compiler/diagnostics/driver.h"

namespace kern::test {
namespace {

// A function that branches on whether a parameter of that type is not zero.
void build_branch(llvm::Module& module, llvm::Type* type) {
  llvm::IRBuilder<> builder(module.getContext());
  auto* function = llvm::Function::Create(llvm::FunctionType::get(builder.getVoidTy(), {type}, false),
                                          llvm::GlobalValue::ExternalLinkage, "branches", module);
  auto block = [&] { return llvm::BasicBlock::Create(module.getContext(), "", function); };
  builder.SetInsertPoint(block());
  // An LLVM with assertions refuses to make such a branch: it is made on a bool, which is then replaced.
  llvm::BranchInst* branch = builder.CreateCondBr(builder.getTrue(), block(), block());
  builder.SetInsertPoint(branch);
  branch->setOperand(0, builder.CreateIsNotNull(function->getArg(0)));
  for (llvm::BasicBlock* target : branch->successors()) {
    builder.SetInsertPoint(target);
    builder.CreateRetVoid();
  }
}

TEST(VerifyModule, TakesASoundModule) {
  llvm::LLVMContext context;
  llvm::Module module("kern", context);
  build_branch(module, llvm::Type::getInt32Ty(context));
  Diagnostics diagnostics;
  EXPECT_TRUE(emitting::verify_module(module, "lowering", diagnostics));
  EXPECT_TRUE(diagnostics.all().empty());
}

TEST(VerifyModule, SaysWhatIsWrongWithAnother) {
  llvm::LLVMContext context;
  llvm::Module module("kern", context);
  build_branch(module, llvm::FixedVectorType::get(llvm::Type::getInt32Ty(context), 16));
  Diagnostics diagnostics;
  EXPECT_FALSE(emitting::verify_module(module, "lowering", diagnostics));
  ASSERT_EQ(diagnostics.all().size(), 1U);
  const Diagnostic& found = diagnostics.all()[0];
  EXPECT_EQ(found.row->code, diag::internal_error.code);
  EXPECT_NE(found.message.find("LLVM's verifier refuses the code after lowering"), found.message.npos);
  ASSERT_FALSE(found.notes.empty());
  EXPECT_EQ(found.notes[0].text, "Branch condition is not 'i1' type!");
}

} // namespace
} // namespace kern::test
