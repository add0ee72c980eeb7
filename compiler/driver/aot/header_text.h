// Makes the parts that the headers for C++ and for C have in common.
#pragma once

#include <set>
#include <string>

#include "runtime/manifest/manifest.h"

namespace kern {

// Makes a text one that may stand behind `//`: no line ends there.
std::string in_comment(std::string text);

// Returns what stands at the head of a header: of what it is made, for which language, and the terms.
std::string header_banner(const std::string& file, const std::string& language);

// Returns the docstring and the signature of a kernel, each line after `indent` and "///".
std::string doc_comment(const Manifest& manifest, const ManifestKernel& kernel, const std::string& indent);

// Adds what hides names that may be macros of the program from the text between `before` and `behind`.
void hide_macros(const std::set<std::string>& names, std::string& before, std::string& behind);

} // namespace kern
