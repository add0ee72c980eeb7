# `cpack -G DEB`: a Debian package of what `cmake --install` installs. dpkg-shlibdeps finds what kernc needs, so that
# one of a static build depends on libc alone.
set(CPACK_PACKAGE_NAME kern)
set(CPACK_PACKAGE_VENDOR Kern)
set(CPACK_PACKAGE_CONTACT "Kern maintainers <kern@packages.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiler and C++ runtime for compute kernels")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Kern is a small language for compute kernels: Python's syntax, Numba's vocabulary, types.
 kernc compiles them for NVIDIA GPUs and for the CPU; C++ programs call them through
 typed headers, with CMake's find_package(kern).")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++, cmake (>= 3.25)")
if(NOT KERN_STATIC_LLVM)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS libclc-19)
endif()
set(CPACK_RESOURCE_FILE_LICENSE ${kern_SOURCE_DIR}/LICENSE)
include(CPack)
