// Every function of the class templates, for warnings about them.
#include <kern/dlpack.hpp>
#include <kern/jit.hpp>
#include <kern/kern.hpp>

template class kern::Argument<const float, 1>;
template class kern::Argument<float, 2>;
template class kern::Buffer<float>;
template class kern::Buffer<kern::f16, 3>;
template class kern::HostBuffer<float>;
template class kern::Kernel<void(float, kern::View<const float>, kern::View<double, 2>)>;
template class kern::Prepared<void(float, kern::View<const float>, kern::View<double, 2>)>;
template class kern::View<float, 2>;

int main() {}
