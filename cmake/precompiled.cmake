# Precompiled headers. Of the time that a file of check/ or lower/ takes, four fifths are the headers that all files of the
# folder include; the standard library and fmt alone are a third of a small file's. A file includes what it uses all the same:
# `./dev lint` builds with KERN_PCH=system, which precompiles no header of the tree, and KERN_PCH=OFF precompiles none at all.
set(KERN_PCH ON CACHE STRING "Precompile the headers that the files of a folder share: ON, OFF, or system for those of libraries only")

set(KERN_STANDARD_HEADERS <algorithm> <array> <bit> <cmath> <cstdint> <cstring> <functional> <map> <memory> <optional> <set>
  <span> <string> <string_view> <unordered_map> <utility> <vector> <fmt/format.h>)

# Precompiles headers for a target, behind those of the standard library. A header of the tree should be one that nearly
# all files of the target include: an edit of it compiles them all. It is named in <> by its path from the root, so that
# ccache knows it again in another checkout.
function(kern_precompile target)
  if(KERN_PCH)
    set(headers ${ARGN})
    if(KERN_PCH STREQUAL system)
      list(FILTER headers EXCLUDE REGEX "^<(compiler|kern)/")
    endif()
    target_precompile_headers(${target} PRIVATE ${KERN_STANDARD_HEADERS} ${headers})
  endif()
endfunction()

# Takes for a target what was precompiled for another, which is compiled by the same options.
function(kern_reuse_precompiled target other)
  if(KERN_PCH)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()
