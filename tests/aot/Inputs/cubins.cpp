// Prints which cubins the object of saxpy.kern has: architecture, bytes, what they begin with.
#include <cstdint>
#include <cstdio>
#include <string>

#include "saxpy.kern.hpp"

int main() {
  const kern_object& object = kern_object_saxpy;
  std::printf("cubins: %ju\n", std::uintmax_t(object.cubin_count));
  for (std::uint64_t i = 0; i < object.cubin_count; ++i) {
    const kern_object_cubin& cubin = object.cubins[i];
    std::string head(static_cast<const char*>(cubin.code) + 1, 3);
    bool aligned = reinterpret_cast<std::uintptr_t>(cubin.code) % 16 == 0;
    std::printf("%s: %ju bytes, %s, %s\n", cubin.arch, std::uintmax_t(cubin.bytes), head.c_str(),
                aligned ? "aligned" : "not aligned");
  }
  std::string ptx(object.ptx, object.ptx_bytes);
  std::size_t target = ptx.find(".target");
  std::printf("%s\n", ptx.substr(target, ptx.find('\n', target) - target).c_str());
}
