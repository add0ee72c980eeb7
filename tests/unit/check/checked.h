// Checks a text and prints its IR or its diagnostics.
#pragma once

#include <string>

#include "compiler/check/check.h"
#include "compiler/diagnostics/render.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"

namespace kern {

struct Checked {
  SourceManager sources;
  Diagnostics diagnostics;
  ir::Module module;

  explicit Checked(const std::string& text, const CheckOptions& options = {},
                   const std::string& name = "test.kern") {
    FileId file = sources.add(name, text);
    Program program =
        load_program(sources, file, std::nullopt, [](auto&, auto&) { return std::nullopt; }, diagnostics);
    module = check(program, options, diagnostics);
  }

  std::string ir() const { return ir::print(module); }

  // Returns the code of each diagnostic, in order.
  std::string codes() const {
    std::string codes;
    for (const Diagnostic& each : diagnostics.all())
      codes += (codes.empty() ? "" : " ") + std::string(each.row->code);
    return codes;
  }

  std::string rendered() const {
    std::string text;
    for (const Diagnostic& each : diagnostics.all()) text += render(each, sources, {});
    return text;
  }

  // Returns what is wrong with the IR: nothing, unless an error was reported.
  std::string broken() const {
    std::string text;
    if (!diagnostics.has_errors())
      for (const std::string& sentence : ir::verify(module)) text += sentence + "\n";
    return text;
  }
};

} // namespace kern
