# The pages, installed with their links alive: what lies elsewhere there is linked there, what is not installed is not linked.
set(page_folder ${kern_BINARY_DIR}/pages)

# The folder TO as seen from FROM, both under the prefix.
function(kern_way from to result)
  cmake_path(RELATIVE_PATH to BASE_DIRECTORY ${from} OUTPUT_VARIABLE way)
  set(${result} ${way} PARENT_SCOPE)
endfunction()

# Installs a page of the tree to a folder.
function(kern_install_page page folder)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
  file(READ ${page} text)
  cmake_path(GET page PARENT_PATH tree_folder)
  # Each folder of the tree, and where it is installed.
  set(places docs ${CMAKE_INSTALL_DOCDIR}/docs examples ${share_folder}/examples stdlib ${share_folder}/stdlib
    runtime/include/kern ${CMAKE_INSTALL_INCLUDEDIR}/kern)
  if(tree_folder STREQUAL "")
    set(tree_folder .)
  endif()
  kern_way(${folder} ${share_folder}/manifest.schema.json schema)
  string(REPLACE "](manifest.schema.json" "](${schema}" text "${text}")
  while(places)
    list(POP_FRONT places tree installed)
    if(NOT tree STREQUAL tree_folder)
      cmake_path(RELATIVE_PATH tree BASE_DIRECTORY ${tree_folder} OUTPUT_VARIABLE old)
      kern_way(${folder} ${installed} new)
      string(REPLACE "](${old}/" "](${new}/" text "${text}")
    endif()
  endwhile()
  # How the compiler is changed is read in its tree.
  string(REGEX REPLACE "\\[([^][]*)\\]\\((compiler|runtime)/README\\.md\\)" "\\1 of the source" text "${text}")
  file(WRITE ${page_folder}/${page} "${text}")
  install(FILES ${page_folder}/${page} DESTINATION ${folder})
endfunction()
