# Says what `cmake --install` puts where. Nothing holds an absolute path: the folder can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/kern)
set(share_folder ${CMAKE_INSTALL_DATADIR}/kern)

install(TARGETS kernc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS kern_runtime kern_runtime_shared EXPORT kernTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# A further library of the package joins here: its target with the same EXPORT, and what it needs by find_dependency() in
# kernConfig.cmake.in.
install(EXPORT kernTargets NAMESPACE kern:: DESTINATION ${package_folder})
# The component `jit`: who does not ask for it needs no LLVM. With a static LLVM nobody does. Where its archive was not built
# the rest is installed, and kernJit.cmake says that it is missing.
install(TARGETS kern_jit EXPORT kernJitTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT kernJitTargets NAMESPACE kern:: DESTINATION ${package_folder})
# What of the library is compiled ahead of time, likewise where it was built.
install(TARGETS kern_algorithms EXPORT kernAlgorithmsTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT kernAlgorithmsTargets NAMESPACE kern:: DESTINATION ${package_folder})
configure_file(cmake/kernJit.cmake.in ${kern_BINARY_DIR}/kernJit.cmake @ONLY)
install(FILES ${kern_BINARY_DIR}/kernJit.cmake DESTINATION ${package_folder})
install(DIRECTORY runtime/include/kern DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp"
  PATTERN "*.def")

configure_package_config_file(cmake/kernConfig.cmake.in ${kern_BINARY_DIR}/kernConfig.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS CMAKE_INSTALL_BINDIR)
# Below 1.0 the second number is the one that breaks.
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
write_basic_package_version_file(${kern_BINARY_DIR}/kernConfigVersion.cmake COMPATIBILITY ${compatibility})
install(FILES ${kern_BINARY_DIR}/kernConfig.cmake ${kern_BINARY_DIR}/kernConfigVersion.cmake cmake/kern_add_library.cmake cmake/find_kernc.cmake
  DESTINATION ${package_folder})

# To read: kernc carries the standard library inside.
install(DIRECTORY stdlib DESTINATION ${share_folder} FILES_MATCHING PATTERN "*.kern")
install(DIRECTORY examples DESTINATION ${share_folder} PATTERN "__pycache__" EXCLUDE PATTERN "*.md" EXCLUDE)
install(FILES docs/manifest.schema.json cmake/tsan.supp DESTINATION ${share_folder})
include(cmake/pages.cmake)
kern_install_page(README.md ${CMAKE_INSTALL_DOCDIR})
kern_install_page(CHANGELOG.md ${CMAKE_INSTALL_DOCDIR})
install(FILES docs/library.svg DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
foreach(page kernc language library abi embedding order performance from-cuda from-numba)
  kern_install_page(docs/${page}.md ${CMAKE_INSTALL_DOCDIR}/docs)
endforeach()
foreach(folder examples stdlib)
  kern_install_page(${folder}/README.md ${share_folder}/${folder})
endforeach()

# The terms of Kern, and of what is linked into kernc, compiled into it from headers, or lies beside it.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
set(notice_folder ${CMAKE_INSTALL_DOCDIR}/copyright)
foreach(package llvm-19-dev libclc-19 libfmt-dev libcli11-dev nlohmann-json3-dev libpng-dev zlib1g-dev libzstd-dev libstdc++-12-dev)
  set(notice /usr/share/doc/${package}/copyright)
  if(EXISTS ${notice})
    install(FILES ${notice} DESTINATION ${notice_folder} RENAME ${package})
  elseif(KERN_STATIC_LLVM)
    message(FATAL_ERROR "${notice} is missing: a bundle carries the notices of what it is made of; install ${package}")
  endif()
endforeach()
# Debian's notices name the common licences by their place in Debian.
foreach(name Apache-2.0 GPL-3)
  if(EXISTS /usr/share/common-licenses/${name})
    install(FILES /usr/share/common-licenses/${name} DESTINATION ${notice_folder}/common-licenses)
  endif()
endforeach()

# A kernc with a static LLVM runs where nothing else is installed, so the device math comes along: it is looked for beside kernc.
if(KERN_STATIC_LLVM)
  find_file(KERN_LIBCLC nvptx64--nvidiacl.bc PATHS /usr/lib/clc /usr/share/clc REQUIRED NO_DEFAULT_PATH)
  install(FILES ${KERN_LIBCLC} DESTINATION ${share_folder}/libclc)
endif()

# For builds without CMake. A .pc file is found where pkg-config looks; the rest from where it lies.
set(pc_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(from_pc .)
cmake_path(RELATIVE_PATH from_pc BASE_DIRECTORY ${pc_folder} OUTPUT_VARIABLE pc_prefix)
foreach(package kern kern-shared)
  configure_file(cmake/${package}.pc.in ${kern_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${kern_BINARY_DIR}/${package}.pc DESTINATION ${pc_folder})
endforeach()

if(PROJECT_IS_TOP_LEVEL)
  set(manifests ${kern_BINARY_DIR}/install_manifest.txt ${kern_BINARY_DIR}/install_manifest_bundle.txt)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} "-DMANIFESTS=${manifests}" -P ${kern_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
endif()
