// Instructions are replaced in the text of the PTX, behind all that LLVM does: it would make `abs`, `min` and
// `max` again of their parts. The choice is by opcode and module, not by neighbours, because ptxas inlines
// and propagates copies before it combines.
#include "compiler/emit/ptxas_defects.h"

#include <array>
#include <vector>

namespace kern {

namespace {

struct Instead {
  std::string_view opcode, beside, text;
};

constexpr Instead replacements[] = {
#define PTX_INSTEAD(Opcode, Beside, Text) {Opcode, Beside, Text},
#define PTXAS_DEFECT(Id, Seen, What, Body, X, Y, Z, Right)
#include "compiler/emit/ptxas_defects.def"
};

constexpr PtxasDefect defects[] = {
#define PTX_INSTEAD(Opcode, Beside, Text)
#define PTXAS_DEFECT(Id, Seen, What, Body, X, Y, Z, Right) {#Id, Seen, What, Body, X, Y, Z, Right},
#include "compiler/emit/ptxas_defects.def"
};

// One line: what stands before the opcode (white space, a predicate), the opcode and its operands.
struct Line {
  std::string_view before, opcode, operands;
};

constexpr std::string_view blank = " \t";

Line take_apart(std::string_view text) {
  std::size_t at = text.find_first_not_of(blank);
  if (at != text.npos && text[at] == '@') at = text.find_first_not_of(blank, text.find_first_of(blank, at));
  if (at == text.npos) return {text, {}, {}};
  std::size_t end = text.find_first_of(blank, at);
  if (end == text.npos) return {text, {}, {}};
  return {text.substr(0, at), text.substr(at, end - at), text.substr(end)};
}

// The operands of "%r1, %r2;".
std::array<std::string_view, 3> split_operands(std::string_view text) {
  std::array<std::string_view, 3> operands;
  for (std::string_view& operand : operands) {
    std::size_t begin = text.find_first_not_of(blank);
    if (begin == text.npos) break;
    std::size_t end = text.find_first_of(",;", begin);
    if (end == text.npos) break;
    operand = text.substr(begin, end - begin);
    text.remove_prefix(end + 1);
  }
  return operands;
}

std::string fill_in(std::string_view pattern, const std::array<std::string_view, 3>& operands) {
  std::string text;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '$')
      text += operands[static_cast<std::size_t>(pattern[++at] - '0')];
    else
      text += pattern[at];
  }
  return text;
}

bool has_opcode(std::string_view ptx, std::string_view opcode) {
  for (std::size_t at = ptx.find(opcode); at != ptx.npos; at = ptx.find(opcode, at + 1)) {
    std::size_t end = at + opcode.size();
    bool begins = at == 0 || ptx.find_first_of(" \t\n", at - 1) == at - 1;
    if (begins && end < ptx.size() && blank.find(ptx[end]) != blank.npos) return true;
  }
  return false;
}

// Whether one of the opcodes, with a space between two, is in the module.
bool has_one_of(std::string_view ptx, std::string_view opcodes) {
  while (!opcodes.empty()) {
    std::size_t end = std::min(opcodes.find(' '), opcodes.size());
    if (has_opcode(ptx, opcodes.substr(0, end))) return true;
    opcodes.remove_prefix(std::min(end + 1, opcodes.size()));
  }
  return false;
}

std::string replace(std::string_view ptx, const std::vector<const Instead*>& rows) {
  std::string result;
  result.reserve(ptx.size() + ptx.size() / 16);
  while (!ptx.empty()) {
    std::size_t end = std::min(ptx.find('\n'), ptx.size() - 1) + 1;
    Line line = take_apart(ptx.substr(0, end));
    const Instead* found = nullptr;
    for (const Instead* row : rows)
      if (row->opcode == line.opcode) found = row;
    if (found) {
      result += line.before;
      result += fill_in(found->text, split_operands(line.operands));
      result += '\n';
    } else {
      result += ptx.substr(0, end);
    }
    ptx.remove_prefix(end);
  }
  return result;
}

} // namespace

std::span<const PtxasDefect> ptxas_defects() { return defects; }

std::string ptxas_probes() {
  std::string text = ".version 6.3\n.target sm_70\n.address_size 64\n";
  for (const PtxasDefect& defect : defects) {
    text += "\n.visible .entry ";
    text += defect.name;
    text += "(.param .u64 p_out, .param .u32 p_x, .param .u32 p_y, .param .u32 p_z)\n{\n"
            "  .reg .b32 x, y, z, r, t, u;\n  .reg .b64 out;\n  .reg .pred p;\n"
            "  ld.param.u64 out, [p_out];\n  cvta.to.global.u64 out, out;\n"
            "  ld.param.u32 x, [p_x];\n  ld.param.u32 y, [p_y];\n  ld.param.u32 z, [p_z];\n  ";
    text += defect.body;
    text += "\n  st.global.u32 [out], r;\n  ret;\n}\n";
  }
  return text;
}

// A row may write what another is beside to, and none writes what one avoids: the conditions of a row are
// looked up in what the rows before it made.
std::string avoid_ptxas_defects(std::string ptx) {
  std::vector<const Instead*> always, beside;
  for (const Instead& row : replacements)
    if (row.beside.empty() && has_opcode(ptx, row.opcode)) always.push_back(&row);
  if (!always.empty()) ptx = replace(ptx, always);
  for (const Instead& row : replacements)
    if (!row.beside.empty() && has_opcode(ptx, row.opcode) &&
        (has_one_of(ptx, row.beside) || !always.empty()))
      beside.push_back(&row);
  return beside.empty() ? ptx : replace(ptx, beside);
}

} // namespace kern
