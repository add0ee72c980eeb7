// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kern in C++: devices, buffers, kernels. Header-only over <kern/runtime.h>; link kern::runtime. A call that
// can fail throws one of the errors of <kern/error.hpp>, or takes a kern::Status& first and is noexcept; with
// -fno-exceptions the forms that throw write what is wrong and abort. Handles are counted: copy them freely.
// The inline namespace keeps its names apart from those of libraries that are linked, and from other
// versions.
#pragma once

#include "kern/array.hpp"
#include "kern/chunks.hpp"
#include "kern/error.hpp"
#include "kern/host.hpp"
#include "kern/kernel.hpp"
#include "kern/random.hpp"
#include "kern/settings.hpp"
