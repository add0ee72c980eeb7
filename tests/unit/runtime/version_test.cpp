// The version: of the headers and of the library, as numbers and as text.
#include <gtest/gtest.h>

#include <string>

#include "kern/kern.hpp"

#if KERN_VERSION_NUMBER < KERN_MAKE_VERSION(0, 1, 0)
#error "the preprocessor compares versions"
#endif

TEST(Version, IsThatOfTheHeaders) {
  EXPECT_EQ(kern_version_number(), KERN_VERSION_NUMBER);
  EXPECT_STREQ(kern_version(), KERN_VERSION_STRING);
  EXPECT_EQ(std::string(KERN_VERSION_STRING), std::to_string(KERN_VERSION_MAJOR) + "." +
                                                  std::to_string(KERN_VERSION_MINOR) + "." +
                                                  std::to_string(KERN_VERSION_PATCH));
}
