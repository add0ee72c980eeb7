# Static libraries that others link into shared ones of theirs: a plugin exports nothing of what they carry, and the code of
# two of them, of whatever versions, stays apart in one process.

# Adds the static library NAME of one object, in which everything is linked and local but the symbols of KEEP; those are
# hidden where they were compiled so. That takes the instances of templates of the C++ library and of others along, which
# no option hides when they are compiled.
#
#   kern_add_packed_library(NAME
#     PART target           a static library, which has the sources and their options
#     KEEP pattern ...      symbols that stay global, with `*`
#     [ROOT symbol]         of all archives goes in what it needs; without it, the whole of PART
#     [LINK file ...]       further archives
#     [OPTIONS ...]         of the linker
#     [DEPENDS ...])
function(kern_add_packed_library name)
  # GNU's objcopy leaves symbols of the binding GNU_UNIQUE as they are. They come from inline variables, and LLVM's objects have some.
  find_program(KERN_OBJCOPY llvm-objcopy HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH)
  if(NOT KERN_OBJCOPY)
    set(KERN_OBJCOPY ${CMAKE_OBJCOPY})
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 packed "" "PART;ROOT" "KEEP;LINK;OPTIONS;DEPENDS")
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
  set(part -Wl,--whole-archive $<TARGET_FILE:${packed_PART}> -Wl,--no-whole-archive)
  if(packed_ROOT)
    set(part -Wl,-u,${packed_ROOT} $<TARGET_FILE:${packed_PART}>)
  endif()
  list(TRANSFORM packed_KEEP PREPEND --keep-global-symbol=)
  add_custom_command(
    OUTPUT ${object}
    # A group of sections that was to be the same in all of a program is this object's own: its symbols are local.
    COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -o ${object}.linked -Wl,--force-group-allocation ${packed_OPTIONS}
            ${part} -Wl,--start-group ${packed_LINK} -Wl,--end-group
    COMMAND ${KERN_OBJCOPY} --wildcard ${packed_KEEP} ${object}.linked ${object}
    COMMAND ${CMAKE_COMMAND} -E rm ${object}.linked
    DEPENDS ${packed_PART} ${packed_DEPENDS}
    VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(${name} STATIC ${object})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()
