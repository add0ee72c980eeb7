// The device of the suite with the kernels of kernels.kern on it.
#pragma once

#include <gtest/gtest.h>

#include "kernels.kern.hpp"
#include "test_device.h"

struct OnDevice : testing::Test {
  kern::Device device = test_device();
  kernels::Kernels library = kernels::load(device);
};
