# kern_add_library: kernels of .kern and .py files as a library of a CMake project (docs/embedding.md). The same file
# serves this tree and the installed package; the targets kern::kernc and kern::runtime are there by then.
cmake_policy(PUSH)
cmake_policy(VERSION 3.25)

# Compiles each file to an object and a typed header; NAME is a static library of the objects that brings the folder
# of the headers and kern::runtime along.
#
#   kern_add_library(NAME file.kern file.py ...
#     [SIGNATURES "f(f32[:], i64)" ...]   instances of functions without types, in the files that define them
#     [DEFINES N=V ...]                   values of module constants, in the files that have them
#     [ARCHS sm_90 ...]                   GPUs; the PTX is for the oldest of them, sm_80 where there is none
#     [CPUS x86-64-v3 x86-64-v4]          levels of CPU, both where there is none
#     [NAMESPACE n]                       the C++ namespace of the one file; its name where it is not given
#     [C_HEADERS]                         <file>.kern.h for C as well
#     [SHARED_RUNTIME]                    with kern::runtime_shared instead of kern::runtime
#     [OPTIONS --fast-math ...])          further options of kernc
function(kern_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 kern "C_HEADERS;SHARED_RUNTIME" "NAMESPACE" "SIGNATURES;DEFINES;ARCHS;CPUS;OPTIONS")
  set(files ${kern_UNPARSED_ARGUMENTS})
  _kern_check_call("${name}" "${files}")
  set(options ${kern_OPTIONS})
  foreach(arch IN LISTS kern_ARCHS kern_CPUS)
    list(APPEND options --arch=${arch})
  endforeach()
  if(DEFINED kern_NAMESPACE)
    list(APPEND options --namespace=${kern_NAMESPACE})
  endif()
  # Outputs name a file as its project does; one from elsewhere keeps its name alone.
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.kern)
  file(MAKE_DIRECTORY ${folder})
  set(outputs "")
  foreach(file IN LISTS files)
    _kern_add_file("${name}" "${file}" ${folder})
  endforeach()
  add_library(${name} STATIC ${outputs})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${folder}>)
  if(kern_SHARED_RUNTIME)
    target_link_libraries(${name} PUBLIC kern::runtime_shared)
  else()
    target_link_libraries(${name} PUBLIC kern::runtime)
  endif()
endfunction()

# Adds the command for one file, and its outputs to `outputs` of the caller.
function(_kern_add_file name file folder)
  get_filename_component(source "${file}" ABSOLUTE)
  get_filename_component(source_folder "${source}" DIRECTORY)
  _kern_stem("${file}" stem)
  set(object ${folder}/${stem}.o)
  set(header ${folder}/${stem}.kern.hpp)
  set(more_headers "")
  if(kern_C_HEADERS)
    set(more_headers ${folder}/${stem}.kern.h)
  endif()
  set(more_outputs ${more_headers})
  list(TRANSFORM more_outputs PREPEND "-o;")
  _kern_options_of("${source}" own_options)
  add_custom_command(
    OUTPUT ${object} ${header} ${more_headers}
    COMMAND kern::kernc "${source}" -o ${object} -o ${header} ${more_outputs} -MD -MF ${object}.d -MT ${object}
            --file-prefix-map=${source_folder}/= --file-prefix-map=${PROJECT_SOURCE_DIR}/=
            --file-prefix-map=${PROJECT_BINARY_DIR}/= ${options} ${own_options}
    DEPENDS "${source}" kern::kernc $<TARGET_FILE:kern::kernc>
    DEPFILE ${object}.d
    COMMENT "Compiling the kernels of ${file}"
    VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set(outputs ${outputs} ${object} ${header} ${more_headers} PARENT_SCOPE)
endfunction()

# A file's name without folder and suffixes, as kernc makes a namespace of it.
function(_kern_stem file result)
  get_filename_component(stem "${file}" NAME_WE)
  set(${result} "${stem}" PARENT_SCOPE)
endfunction()

# The options --sig and -D for a file. Where there are several, each is for the files that have what it is about.
function(_kern_options_of source result)
  set(options "")
  foreach(signature IN LISTS kern_SIGNATURES)
    _kern_concerns("${source}" "${signature}" here)
    if(here)
      list(APPEND options "--sig=${signature}")
    endif()
  endforeach()
  foreach(define IN LISTS kern_DEFINES)
    _kern_concerns("${source}" "${define}" here)
    if(here)
      list(APPEND options -D "${define}")
    endif()
  endforeach()
  set(${result} "${options}" PARENT_SCOPE)
endfunction()

# Says whether a file defines the function of a signature, or has the constant of a define: its own (`N=1`) or that of a
# module which it imports (`module.N=1`). A .py file takes every define, because Python may have made the name.
function(_kern_concerns source value result)
  list(LENGTH files count)
  set(pattern "")
  if(value MATCHES "^([A-Za-z_0-9]+) *\\(")
    set(pattern "^[ \t]*def[ \t]+${CMAKE_MATCH_1}[ \t]*\\(")
  elseif(source MATCHES "\\.kern$" AND value MATCHES "^([A-Za-z_0-9.]+)\\.[A-Za-z_0-9]+=")
    set(pattern "^(import|from)[ \t]+${CMAKE_MATCH_1}")
  elseif(source MATCHES "\\.kern$" AND value MATCHES "^([A-Za-z_0-9]+)=")
    set(pattern "^${CMAKE_MATCH_1}[ \t]*[:=]")
  endif()
  set(found TRUE)
  if(count GREATER 1 AND pattern AND EXISTS "${source}")
    file(STRINGS "${source}" found LIMIT_COUNT 1 REGEX "${pattern}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  endif()
  if(found STREQUAL "")
    set(${result} FALSE PARENT_SCOPE)
  else()
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

# Ends the configuration with what is wrong in the arguments of a call.
function(_kern_check_call name files)
  if(NOT TARGET kern::kernc)
    message(FATAL_ERROR "kern_add_library(${name}): there is no kernc beside this package or on PATH; set KERN_KERNC to it")
  endif()
  if(TARGET "${name}")
    message(FATAL_ERROR "kern_add_library(${name}): there is a target of that name already")
  endif()
  foreach(keyword IN LISTS kern_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "kern_add_library(${name}): ${keyword} has no value behind it")
  endforeach()
  if(files STREQUAL "")
    message(FATAL_ERROR "kern_add_library(${name}): give the .kern or .py files to compile behind the name")
  endif()
  _kern_check_files("${name}" "${files}")
  _kern_check_values("${name}" SIGNATURES "^[A-Za-z_0-9]+ *\\(.*\\)$" [["f(f32[:], i64)", in quotes]] "${kern_SIGNATURES}")
  _kern_check_values("${name}" DEFINES "^([A-Za-z_0-9.]+=.+|@.+)$" "N=16" "${kern_DEFINES}")
  _kern_check_values("${name}" ARCHS "^sm_[0-9]+a?$" "sm_90" "${kern_ARCHS}")
  _kern_check_values("${name}" CPUS "^x86-64-v[34]$" "x86-64-v3 and x86-64-v4" "${kern_CPUS}")
  _kern_check_values("${name}" NAMESPACE "^[A-Za-z_][A-Za-z_0-9]*(::[A-Za-z_][A-Za-z_0-9]*)*$" "filters" "${kern_NAMESPACE}")
  _kern_check_concerned("${name}" "${files}" SIGNATURES function "${kern_SIGNATURES}")
  _kern_check_concerned("${name}" "${files}" DEFINES constant "${kern_DEFINES}")
endfunction()

function(_kern_check_files name files)
  set(stems "")
  foreach(file IN LISTS files)
    if(NOT file MATCHES "\\.(kern|py)$")
      message(FATAL_ERROR "kern_add_library(${name}): `${file}` is neither a .kern or .py file nor one of SIGNATURES, DEFINES, ARCHS, CPUS, NAMESPACE, OPTIONS, C_HEADERS, SHARED_RUNTIME")
    endif()
    get_filename_component(source "${file}" ABSOLUTE)
    get_source_file_property(generated "${source}" GENERATED)
    if(NOT EXISTS "${source}" AND NOT generated)
      message(FATAL_ERROR "kern_add_library(${name}): there is no file `${source}`, and no command makes it")
    endif()
    _kern_stem("${file}" stem)
    if(stem IN_LIST stems)
      message(FATAL_ERROR "kern_add_library(${name}): two files are named `${stem}`, and a file's name is its namespace; give each a library of its own, one with NAMESPACE")
    endif()
    list(APPEND stems "${stem}")
  endforeach()
  list(LENGTH files count)
  if(DEFINED kern_NAMESPACE AND count GREATER 1)
    message(FATAL_ERROR "kern_add_library(${name}): NAMESPACE is for a library of one file, and this one has ${count}; give each a library of its own")
  endif()
endfunction()

function(_kern_check_values name keyword pattern example values)
  foreach(value IN LISTS values)
    if(NOT value MATCHES "${pattern}")
      message(FATAL_ERROR "kern_add_library(${name}): ${keyword} takes what looks like ${example}; not `${value}`")
    endif()
  endforeach()
endfunction()

function(_kern_check_concerned name files keyword what values)
  foreach(value IN LISTS values)
    set(found FALSE)
    foreach(file IN LISTS files)
      get_filename_component(source "${file}" ABSOLUTE)
      _kern_concerns("${source}" "${value}" here)
      if(here)
        set(found TRUE)
      endif()
    endforeach()
    if(NOT found)
      message(FATAL_ERROR "kern_add_library(${name}): ${keyword} has `${value}`, and no file defines such a ${what}")
    endif()
  endforeach()
endfunction()

cmake_policy(POP)
