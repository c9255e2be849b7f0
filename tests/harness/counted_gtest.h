// SPDX-License-Identifier: Apache-2.0
// GoogleTest for C++ tests, with its assertions counted: every assertion macro
// of GoogleTest begins with GTEST_AMBIGUOUS_ELSE_BLOCKER_, and it does not tell
// listeners of those that hold.
#ifndef DNNL_CACHE_TESTS_HARNESS_COUNTED_GTEST_H
#define DNNL_CACHE_TESTS_HARNESS_COUNTED_GTEST_H

#include "test.h"

#include <gtest/gtest.h>

#ifndef GTEST_AMBIGUOUS_ELSE_BLOCKER_
#error "this GoogleTest begins its assertions otherwise: count them anew"
#endif
#undef GTEST_AMBIGUOUS_ELSE_BLOCKER_
#define GTEST_AMBIGUOUS_ELSE_BLOCKER_ \
    switch (test_asserts(), 0)        \
    case 0:                           \
    default: // NOLINT

#endif // DNNL_CACHE_TESTS_HARNESS_COUNTED_GTEST_H
