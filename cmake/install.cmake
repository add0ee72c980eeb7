# What `cmake --install` puts where. Nothing holds an absolute path: the folder can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/kern)
set(share_folder ${CMAKE_INSTALL_DATADIR}/kern)

install(TARGETS kernc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS kern_runtime EXPORT kernTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# A further library of the package joins here: its target with the same EXPORT, and what it needs by find_dependency() in
# kernConfig.cmake.in.
install(EXPORT kernTargets NAMESPACE kern:: DESTINATION ${package_folder})
# The component `jit`: who does not ask for it needs no LLVM. With a static LLVM nobody does. Where its archive was not built
# the rest is installed, and kernJit.cmake says that it is missing.
install(TARGETS kern_jit EXPORT kernJitTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT kernJitTargets NAMESPACE kern:: DESTINATION ${package_folder})
configure_file(cmake/kernJit.cmake.in ${CMAKE_BINARY_DIR}/kernJit.cmake @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/kernJit.cmake DESTINATION ${package_folder})
install(DIRECTORY runtime/include/kern DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp"
  PATTERN "*.def")

configure_package_config_file(cmake/kernConfig.cmake.in ${CMAKE_BINARY_DIR}/kernConfig.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/kernConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/kernConfig.cmake ${CMAKE_BINARY_DIR}/kernConfigVersion.cmake cmake/kern_add_library.cmake
  DESTINATION ${package_folder})

# To read: kernc carries the standard library inside.
install(DIRECTORY stdlib DESTINATION ${share_folder} FILES_MATCHING PATTERN "*.kern" PATTERN "*.md")
install(DIRECTORY examples DESTINATION ${share_folder} PATTERN "__pycache__" EXCLUDE)
install(FILES docs/manifest.schema.json DESTINATION ${share_folder})
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES docs/kernc.md docs/language.md docs/abi.md docs/embedding.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)

# The terms of Kern, and of what is linked into kernc, compiled into it from headers, or lies beside it.
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
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

# Where nothing else is installed, the device math comes along: kernc looks for it beside itself.
if(KERN_STATIC_LLVM)
  find_file(KERN_LIBCLC nvptx64--nvidiacl.bc PATHS /usr/lib/clc /usr/share/clc REQUIRED NO_DEFAULT_PATH)
  install(FILES ${KERN_LIBCLC} DESTINATION ${share_folder}/libclc)
endif()
