#include "compiler/check/load.h"

#include <gtest/gtest.h>

#include <map>

namespace kern {
namespace {

struct Load : testing::Test {
  SourceManager sources;
  Diagnostics diagnostics;
  std::map<std::string, std::string> disk; // by file name; the folder of the importer is not looked at
  int finds = 0;

  Program load(const std::string& name) {
    FindModule find = [&](const std::string& module, const std::string&) -> std::optional<FoundFile> {
      ++finds;
      for (const char* suffix : {".kern", ".py"})
        if (auto file = disk.find(module + suffix); file != disk.end())
          return FoundFile{file->first, file->second};
      return std::nullopt;
    };
    FileId root = sources.add(name, disk.at(name));
    return load_program(sources, root, std::nullopt, find, diagnostics);
  }
  std::string said() const {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.all())
      text += std::string(diagnostic.row->code) + " " + diagnostic.message + "\n";
    return text;
  }
};

TEST_F(Load, FollowsImportsOnce) {
  disk = {{"a.kern", "import b\nfrom c import X\nY = 1\n"},
          {"b.kern", "from c import X\n"},
          {"c.py", "X = 1\nprint(X)\n"}};
  Program program = load("a.kern");
  ASSERT_EQ(program.files.size(), 3u);
  EXPECT_EQ(program.files[0].module, "");
  EXPECT_EQ(program.files[0].imports, (std::vector<std::pair<std::string, std::size_t>>{{"b", 1}, {"c", 2}}));
  EXPECT_EQ(program.files[1].imports, (std::vector<std::pair<std::string, std::size_t>>{{"c", 2}}));
  EXPECT_EQ(program.files[2].dialect, Dialect::Numba);
  EXPECT_EQ(program.files[2].tree->items.size(), 1u);
  EXPECT_EQ(said(), "");
}

TEST_F(Load, HostModulesNeedNoFile) {
  disk = {
      {"a.kern", "import math\nimport numpy as np\nfrom numba import cuda\nimport numba.core.types as r\n"}};
  EXPECT_EQ(load("a.kern").files.size(), 1u);
  EXPECT_EQ(finds, 0);
  EXPECT_EQ(said(), "");
}

TEST_F(Load, ReportsWhatIsMissingInKern) {
  disk = {{"a.kern", "import b.c\nfrom mathx import f\n"}};
  load("a.kern");
  EXPECT_EQ(said(), "E0450 there is no module `b.c`\nE0450 there is no module `mathx`\n");
  EXPECT_EQ(diagnostics.all()[0].notes[0].text.substr(0, 35), "looked for `b/c.kern` and `b/c.py` ");
}

TEST_F(Load, PythonMayImportTheHost) {
  disk = {{"a.py", "import torch\nfrom b import f\nimport os, sys\n"}, {"b.py", "from a import g\n"}};
  Program program = load("a.py");
  EXPECT_EQ(program.files.size(), 2u);
  EXPECT_EQ(program.files[1].imports[0].second, 0u); // Python's cycles are its own affair
  EXPECT_EQ(said(), "");
}

TEST_F(Load, FilesOfAPackage) {
  disk = {{"a.kern", "from p import m, n\nfrom . import o\n"},
          {"p.m.kern", ""},
          {"p.n.kern", ""},
          {".o.kern", ""}};
  Program program = load("a.kern");
  ASSERT_EQ(program.files.size(), 4u);
  EXPECT_EQ(program.files[0].imports[0].first, "p.m");
  EXPECT_EQ(program.files[0].imports[2].first, ".o");
  EXPECT_EQ(said(), "");
}

TEST_F(Load, ReportsCycles) {
  disk = {{"a.kern", "import b\nimport c\n"},
          {"b.kern", "import c\n"},
          {"c.kern", "import d\n"},
          {"d.kern", "import b\nimport d\n"}};
  load("a.kern");
  EXPECT_EQ(said(), "E0451 importing `b.kern` here closes a cycle of imports\nE0451 importing `d.kern` here "
                    "closes a cycle of imports\n");
  ASSERT_EQ(diagnostics.all()[0].notes.size(), 2u);
  EXPECT_EQ(diagnostics.all()[0].notes[1].text, "`c.kern` imports `d.kern` here");
  EXPECT_TRUE(diagnostics.all()[1].notes.empty());
}

TEST_F(Load, LongChains) {
  for (int i = 0; i < 3000; ++i)
    disk["m" + std::to_string(i) + ".kern"] = "import m" + std::to_string(i + 1) + "\n";
  disk["m3000.kern"] = "X = 1\n";
  EXPECT_EQ(load("m0.kern").files.size(), 3001u);
  EXPECT_EQ(said(), "");
}

} // namespace
} // namespace kern
